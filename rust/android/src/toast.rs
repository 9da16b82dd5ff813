//! Toasts. The platform does not list their windows; it only tells that one came up, and what it says.

use trailblaze_model::screen::{
    Bounds, NodeRef, NodeSpec, Prop, Screen, ScreenBuilder, TooLarge, WindowKind,
};

use crate::platform::Notice;

/// The class that the platform names with a toast; other notices are notifications.
const TOAST: &str = "android.widget.Toast";
/// So long a short toast stays on the screen. Which ones are long, nobody tells.
const SHOWN_MS: u64 = 2_000;

/// The toasts that are on the screen.
#[derive(Debug, Default)]
pub(crate) struct Toasts(Vec<Toast>);

#[derive(Debug)]
struct Toast {
    text: String,
    app_id: String,
    until_ms: u64,
}

impl Toasts {
    /// `uptime_ms` and `now_ms` are the same moment on the phone's clock and on the run's.
    pub(crate) fn note(&mut self, notices: Vec<Notice>, uptime_ms: u64, now_ms: u64) {
        for notice in notices {
            if notice.class == TOAST && !notice.text.is_empty() {
                let until_ms = (now_ms + SHOWN_MS).saturating_sub(uptime_ms.saturating_sub(notice.uptime_ms));
                self.0.push(Toast { text: notice.text, app_id: notice.app_id, until_ms });
            }
        }
    }

    /// The screen with the toasts above everything else. Its nodes keep their numbers.
    pub(crate) fn above(&mut self, screen: Screen, now_ms: u64) -> Screen {
        self.0.retain(|toast| toast.until_ms > now_ms);
        if self.0.is_empty() {
            return screen;
        }
        let add = |toasts: &[Toast]| {
            let (width, height) = (screen.width, screen.height);
            let mut all = ScreenBuilder::new(width, height, screen.time_ms)
                .rotation(screen.rotation)
                .dialect(screen.dialect());
            for window in screen.windows() {
                all.window(window.kind);
                copy(screen.node(window.root), &mut all)?;
            }
            for (index, toast) in toasts.iter().enumerate() {
                let bottom = height - 150 - 150 * index as i32;
                let bounds = Bounds::new(width / 10, bottom - 120, width - width / 10, bottom);
                let spec = NodeSpec { bounds: Some(bounds), ..NodeSpec::default() }
                    .with(Prop::ClassName, TOAST)
                    .with(Prop::PackageName, toast.app_id.as_str())
                    .with(Prop::Text, toast.text.as_str());
                all.window(WindowKind::Toast);
                all.open(spec)?;
            }
            Ok::<Screen, TooLarge>(all.finish())
        };
        add(&self.0).unwrap_or(screen)
    }
}

/// Without recursion: the depth is the app's.
fn copy(root: NodeRef<'_>, to: &mut ScreenBuilder) -> Result<(), TooLarge> {
    let mut ends: Vec<usize> = Vec::new();
    for node in std::iter::once(root).chain(root.descendants()) {
        while ends.last().is_some_and(|end| *end <= node.id().index()) {
            ends.pop();
            to.close();
        }
        to.open(NodeSpec {
            props: Prop::ALL.map(|prop| node.get(prop).map(str::to_owned)),
            flags: node.flags(),
            bounds: node.bounds(),
            device_id: node.device_id(),
            input_type: node.input_type(),
            max_text_length: node.max_text_length(),
            drawing_order: node.drawing_order(),
            actions: node.actions().map(str::to_owned).collect(),
            rare: node.rare(),
        })?;
        ends.push(node.end_index());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notice(class: &str, text: &str) -> Notice {
        let (app_id, class, text) = ("com.example.app".to_owned(), class.to_owned(), text.to_owned());
        Notice { uptime_ms: 900, app_id, class, text }
    }

    #[test]
    fn a_toast_is_a_window_for_a_while_and_every_node_keeps_its_number() {
        let mut builder = ScreenBuilder::new(100, 1_000, 5).rotation(1);
        for (kind, texts) in [(WindowKind::Application, ["a", "b"]), (WindowKind::Dialog, ["c", "d"])] {
            builder.window(kind);
            builder.open(NodeSpec::default()).unwrap();
            for text in texts {
                builder.open(NodeSpec::default().with(Prop::Text, text)).unwrap();
                builder.close();
            }
        }
        let screen = builder.finish();
        let mut toasts = Toasts::default();
        toasts.note(vec![notice(TOAST, "Saved"), notice("android.app.Notification", "Mail")], 1_000, 50_000);
        assert_eq!(toasts.above(screen.clone(), 51_900), screen, "2 s after it came up");
        toasts.note(vec![notice(TOAST, "Saved")], 1_000, 50_000);
        let seen = toasts.above(screen.clone(), 51_899);
        let texts =
            |screen: &Screen| screen.nodes().map(|node| node.text().map(str::to_owned)).collect::<Vec<_>>();
        assert_eq!(texts(&seen)[..screen.len()], texts(&screen));
        assert_eq!(seen.len(), screen.len() + 1);
        let parents = |screen: &Screen| {
            screen.nodes().map(|node| node.parent().map(|parent| parent.id().index())).collect::<Vec<_>>()
        };
        assert_eq!(parents(&seen)[..screen.len()], parents(&screen));
        let last = seen.windows().last().unwrap();
        assert_eq!((last.kind, seen.node(last.root).text()), (WindowKind::Toast, Some("Saved")));
        assert_eq!((seen.time_ms, seen.rotation), (5, 1));
    }
}
