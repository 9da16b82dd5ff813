//! Screens as text.

use std::sync::Arc;

use trailblaze_model::screen::{Bounds, Flag, NodeSpec, Prop, Screen, ScreenBuilder, WindowKind};

pub(crate) const WIDTH: i32 = 400;
pub(crate) const HEIGHT: i32 = 800;
/// A line that says that the device is held in landscape.
pub(crate) const TURNED: &str = "== turned";

/// One node per line, indented by depth: `text @l,t,r,b id=… desc=… hint=… isClickable`. A line
/// `== dialog` begins another window, and so does a line without indent; `+` in a value is a space. `order=` is the
/// drawing order, `max=` the longest text, `number=` and `ref=` are names of a snapshot, `actions=` is what the node takes.
#[track_caller]
pub(crate) fn screen(text: &str, time_ms: u64) -> Arc<Screen> {
    let is_turned = text.lines().any(|line| line.trim() == TURNED);
    let mut builder = match is_turned {
        true => ScreenBuilder::new(HEIGHT, WIDTH, time_ms).rotation(1),
        false => ScreenBuilder::new(WIDTH, HEIGHT, time_ms),
    };
    let mut open: Vec<usize> = Vec::new();
    for line in text.lines().filter(|line| !["", TURNED].contains(&line.trim())) {
        if let Some(kind) = line.trim().strip_prefix("== ") {
            open.drain(..).for_each(|_| builder.close());
            builder.window(match kind {
                "keyboard" => WindowKind::Keyboard,
                "dialog" => WindowKind::Dialog,
                "toast" => WindowKind::Toast,
                "system" => WindowKind::System,
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
    let (text, rest) = line.rsplit_once('@').unwrap_or_else(|| panic!("no bounds in '{line}'"));
    let mut words = rest.split_whitespace();
    // `@-` has no place.
    let numbers: Vec<i32> = words.next().unwrap().split(',').filter_map(|n| n.parse().ok()).collect();
    let bounds = match numbers[..] {
        [left, top, right, bottom] => Some(Bounds::new(left, top, right, bottom)),
        _ => None,
    };
    let mut spec = NodeSpec { bounds, ..NodeSpec::default() };
    if !text.trim().is_empty() {
        spec = spec.with(Prop::Text, text.trim().replace("\\n", "\n"));
    }
    for word in words {
        match word.split_once('=') {
            Some(("order", value)) => spec.drawing_order = value.parse().unwrap(),
            Some(("number", value)) => spec.device_id = value.parse().unwrap(),
            Some(("max", value)) => spec.max_text_length = value.parse().unwrap(),
            Some(("actions", value)) => spec.actions = value.split(',').map(str::to_owned).collect(),
            _ => describe(&mut spec, word),
        }
    }
    spec
}

#[track_caller]
fn describe(spec: &mut NodeSpec, word: &str) {
    let prop = match word.split_once('=') {
        Some(("id", value)) => Some((Prop::ResourceId, value)),
        Some(("desc", value)) => Some((Prop::ContentDescription, value)),
        Some(("hint", value)) => Some((Prop::HintText, value)),
        Some(("ref", value)) => Some((Prop::Ref, value)),
        Some(("class", value)) => Some((Prop::ClassName, value)),
        _ => None,
    };
    match (prop, word.strip_prefix('!').unwrap_or(word)) {
        (Some((prop, value)), _) => *spec = std::mem::take(spec).with(prop, value.replace('+', " ")),
        (None, flag) => {
            let found = Flag::ALL.into_iter().find(|known| known.key() == flag);
            let found = found.unwrap_or_else(|| panic!("no flag '{flag}'"));
            spec.flags.set(found, !word.starts_with('!'));
        }
    }
}
