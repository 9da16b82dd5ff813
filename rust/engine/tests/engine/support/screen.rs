//! Screens as text.

use std::sync::Arc;

use trailblaze_model::screen::{Bounds, Flag, NodeSpec, Prop, Screen, ScreenBuilder, WindowKind};

pub(crate) const WIDTH: i32 = 400;
pub(crate) const HEIGHT: i32 = 800;

/// One node per line, indented by depth: `text @l,t,r,b id=… desc=… hint=… isClickable`. A line
/// `== dialog` begins another window; `+` in a value is a space.
#[track_caller]
pub(crate) fn screen(text: &str, time_ms: u64) -> Arc<Screen> {
    let mut builder = ScreenBuilder::new(WIDTH, HEIGHT, time_ms);
    let mut open: Vec<usize> = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        if let Some(kind) = line.trim().strip_prefix("== ") {
            open.drain(..).for_each(|_| builder.close());
            builder.window(match kind {
                "keyboard" => WindowKind::Keyboard,
                "dialog" => WindowKind::Dialog,
                "toast" => WindowKind::Toast,
                other => panic!("no window '{other}'"),
            });
            continue;
        }
        let indent = line.len() - line.trim_start().len();
        while open.last().is_some_and(|last| *last >= indent) {
            builder.close();
            open.pop();
        }
        builder.open(node(line.trim())).unwrap();
        open.push(indent);
    }
    Arc::new(builder.finish())
}

#[track_caller]
fn node(line: &str) -> NodeSpec {
    let (text, rest) = line.split_once('@').unwrap_or_else(|| panic!("no bounds in '{line}'"));
    let mut words = rest.split_whitespace();
    let numbers: Vec<i32> = words.next().unwrap().split(',').map(|n| n.parse().unwrap()).collect();
    let mut spec = NodeSpec {
        bounds: Some(Bounds::new(numbers[0], numbers[1], numbers[2], numbers[3])),
        ..NodeSpec::default()
    };
    if !text.trim().is_empty() {
        spec = spec.with(Prop::Text, text.trim());
    }
    for word in words {
        let prop = match word.split_once('=') {
            Some(("id", value)) => Some((Prop::ResourceId, value)),
            Some(("desc", value)) => Some((Prop::ContentDescription, value)),
            Some(("hint", value)) => Some((Prop::HintText, value)),
            _ => None,
        };
        match (prop, word.strip_prefix('!').unwrap_or(word)) {
            (Some((prop, value)), _) => spec = spec.with(prop, value.replace('+', " ")),
            (None, flag) => {
                let found = Flag::ALL.into_iter().find(|known| known.key() == flag);
                let found = found.unwrap_or_else(|| panic!("no flag '{flag}'"));
                spec.flags.set(found, !word.starts_with('!'));
            }
        }
    }
    spec
}
