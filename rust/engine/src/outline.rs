//! A screen as a model reads it: what can be acted on and what is said, in as few characters as possible.
//!
//! Every element that can be touched, filled in, checked or scrolled stands in it, however long the text becomes by
//! that; what is only said gives way first.

use std::collections::HashMap;

use trailblaze_model::screen::{Flag, NodeId, NodeRef, Prop, Screen, WindowKind};

use crate::matching::refs;
use crate::reach::visible_part;

/// How long an outline should be at most, in characters.
pub const LIMIT: usize = 3000;

/// How much of a text is shown, from generous to stingy.
const WIDTHS: [usize; 4] = [80, 40, 24, 12];

/// What makes an element worth a line of its own.
const ACTS: [Flag; 5] =
    [Flag::Clickable, Flag::LongClickable, Flag::Editable, Flag::Scrollable, Flag::Checkable];

/// Names of classes that say nothing about what an element is for.
const PLAIN: [&str; 9] = [
    "View",
    "ViewGroup",
    "FrameLayout",
    "LinearLayout",
    "RelativeLayout",
    "ConstraintLayout",
    "TextView",
    "ComposeView",
    "node",
];

/// One element of an outline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub node: NodeId,
    /// How many of the elements around it have lines themselves.
    pub depth: usize,
    pub text: String,
}

/// Whether a person could do something with it.
pub fn is_actionable(node: NodeRef<'_>) -> bool {
    node.has(Flag::VisibleToUser) && ACTS.iter().any(|flag| node.has(*flag))
}

/// The outline, as long as [`LIMIT`] where that is possible.
pub fn outline(screen: &Screen) -> String {
    let names: HashMap<NodeId, String> = refs::refs(screen).into_iter().collect();
    let print = |width: usize, with_texts: bool| print(screen, &lines_of(screen, &names, width, with_texts));
    let fits = |text: &String| text.chars().count() <= LIMIT;
    let generous = WIDTHS.iter().map(|width| print(*width, true)).find(fits);
    generous.unwrap_or_else(|| print(WIDTHS[3], false))
}

/// The elements of an outline with whole texts.
pub fn lines(screen: &Screen) -> Vec<Line> {
    let names: HashMap<NodeId, String> = refs::refs(screen).into_iter().collect();
    lines_of(screen, &names, WIDTHS[0], true)
}

fn print(screen: &Screen, lines: &[Line]) -> String {
    let mut text = format!("screen {}x{}", screen.width, screen.height);
    let package = screen.nodes().find_map(|node| node.get(Prop::PackageName));
    if let Some(package) = package {
        text += &format!(" {package}");
    }
    text.push('\n');
    let mut window = None;
    for line in lines {
        let own = screen.node(line.node).window();
        if window.replace(own) != Some(own)
            && let Some(name) = window_name(screen.windows()[own].kind)
        {
            text += &format!("-- {name}\n");
        }
        text += &" ".repeat(line.depth);
        text += &line.text;
        text.push('\n');
    }
    if lines.is_empty() {
        text += "(nothing can be seen)\n";
    }
    text
}

fn window_name(kind: WindowKind) -> Option<&'static str> {
    match kind {
        WindowKind::Application => None,
        WindowKind::Keyboard => Some("keyboard"),
        WindowKind::Dialog => Some("dialog"),
        WindowKind::System => Some("system"),
        WindowKind::Toast => Some("toast"),
    }
}

fn lines_of(screen: &Screen, names: &HashMap<NodeId, String>, width: usize, with_texts: bool) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    // Where the elements end that stand around the current one, with what they say.
    let mut around: Vec<(usize, Option<&str>)> = Vec::new();
    for node in screen.nodes() {
        while around.last().is_some_and(|(end, _)| *end <= node.id().index()) {
            around.pop();
        }
        let said = label(node);
        let acts = is_actionable(node);
        let repeats = said.is_some() && around.last().is_some_and(|(_, outer)| *outer == said);
        let speaks = with_texts && node.has(Flag::VisibleToUser) && said.is_some() && !repeats;
        if !acts && (!speaks || visible_part(node).is_none()) {
            continue;
        }
        let text = line(node, names.get(&node.id()).filter(|_| acts), said, width);
        lines.push(Line { node: node.id(), depth: around.len(), text });
        around.push((node.end_index(), said));
    }
    lines
}

/// What an element says itself.
fn label(node: NodeRef<'_>) -> Option<&str> {
    node.resolved_text().filter(|text| !text.trim().is_empty())
}

fn line(node: NodeRef<'_>, name: Option<&String>, said: Option<&str>, width: usize) -> String {
    let mut words: Vec<String> = Vec::new();
    words.extend(name.map(|name| format!("[{name}]")));
    let class = node.get(Prop::ClassName).unwrap_or("node");
    let class = class.rsplit(['.', '$']).next().unwrap_or(class);
    let acts = is_actionable(node);
    words.extend((acts && !PLAIN.contains(&class)).then(|| class.to_owned()));
    words.extend(said.map(|said| format!("\"{}\"", shortened(said, width))));
    let id = node.resource_id().map(|id| id.rsplit('/').next().unwrap_or(id)).filter(|id| !id.is_empty());
    words.extend(id.filter(|_| acts).map(|id| format!("#{id}")));
    words.extend(states(node).into_iter().map(str::to_owned));
    if let Some(error) = node.get(Prop::Error).filter(|error| !error.is_empty()) {
        words.push(format!("error \"{}\"", shortened(error, width)));
    }
    match visible_part(node) {
        None => words.push("off-screen".to_owned()),
        // Something must say which one is meant.
        Some(part) if acts && name.is_none() && said.is_none() && id.is_none() => {
            let (x, y) = part.center();
            words.push(format!("@{x},{y}"));
        }
        Some(_) => {}
    }
    words.join(" ")
}

/// What can be done with an element, and how it stands.
fn states(node: NodeRef<'_>) -> Vec<&'static str> {
    let mut words = Vec::new();
    if node.has(Flag::Editable) {
        words.push("edit");
    } else if node.has(Flag::Clickable) {
        words.push("tap");
    }
    if node.has(Flag::LongClickable) && !node.has(Flag::Editable) {
        words.push("hold");
    }
    if node.has(Flag::Scrollable) {
        words.push("scroll");
    }
    match (node.has(Flag::Checkable), node.has(Flag::Checked)) {
        (_, true) => words.push("checked"),
        (true, false) => words.push("unchecked"),
        (false, false) => {}
    }
    let others = [(Flag::Selected, "selected"), (Flag::Focused, "focused"), (Flag::Password, "password")];
    words.extend(others.iter().filter(|(flag, _)| node.has(*flag)).map(|(_, word)| *word));
    if !node.has(Flag::Enabled) {
        words.push("disabled");
    }
    words
}

/// On one line, and not longer than this.
fn shortened(text: &str, width: usize) -> String {
    let flat = text.split_whitespace().collect::<Vec<&str>>().join(" ");
    if flat.chars().count() <= width {
        return flat;
    }
    let kept: String = flat.chars().take(width - 1).collect();
    format!("{}…", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use super::shortened;

    #[test]
    fn long_texts_end_with_a_mark() {
        assert_eq!(shortened("one\n  two", 20), "one two");
        assert_eq!(shortened("one two three", 8), "one two…");
        assert_eq!(shortened("äöü", 3), "äöü");
    }
}
