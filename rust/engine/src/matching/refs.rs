//! Short names for the elements of one screen, which a person or a model can use right after looking at it.

use std::collections::HashMap;
use std::fmt::Write as _;

use trailblaze_model::hash::fnv1a;
use trailblaze_model::screen::{Flag, NodeId, NodeRef, Prop, Screen};

use crate::reach::visible_part;

const SYSTEM_UI: &str = "com.android.systemui";

/// The elements that have a name, in tree order. The same element of the same screen has the same name every time.
pub fn refs(screen: &Screen) -> Vec<(NodeId, String)> {
    let mut named = Vec::new();
    let mut taken: HashMap<String, u8> = HashMap::new();
    let mut skipped_to = 0;
    for node in screen.nodes() {
        if node.id().index() < skipped_to {
            continue;
        }
        if !node.has(Flag::VisibleToUser) || node.get(Prop::PackageName) == Some(SYSTEM_UI) {
            skipped_to = node.end_index();
            continue;
        }
        let label = label(node);
        if let Some(own) = node.get(Prop::Ref) {
            named.push((node.id(), own.to_owned()));
        } else if is_meaningful(node, label) {
            named.push((node.id(), unique(short_hash(node, label), &mut taken)));
        }
    }
    named
}

/// The element with a name.
pub fn by_ref(screen: &Screen, name: &str) -> Option<NodeId> {
    refs(screen).into_iter().find(|(_, known)| known == name).map(|(id, _)| id)
}

/// The whole tree as text: one element per line, indented, with its name where it has one.
pub fn outline(screen: &Screen) -> String {
    let names: HashMap<NodeId, String> = refs(screen).into_iter().collect();
    let mut text = String::new();
    let mut ends: Vec<usize> = Vec::new();
    for node in screen.nodes() {
        while ends.last().is_some_and(|end| *end <= node.id().index()) {
            ends.pop();
        }
        text.push_str(&"  ".repeat(ends.len()));
        ends.push(node.end_index());
        line(&mut text, node, names.get(&node.id()));
    }
    text
}

/// Writing into a `String` cannot fail: the results of `write!` are dropped.
fn line(text: &mut String, node: NodeRef<'_>, name: Option<&String>) {
    let _ = write!(text, "{} ", node.device_id());
    if let Some(name) = name {
        let _ = write!(text, "[{name}] ");
    }
    text.push_str(short_class(node));
    for (what, prop) in
        [("", Prop::Text), (" hint", Prop::HintText), (" description", Prop::ContentDescription)]
    {
        if let Some(value) = node.get(prop).filter(|value| !value.is_empty()) {
            let _ = write!(text, "{what} '{}'", value.replace('\n', "\\n"));
        }
    }
    if let Some(id) = node.resource_id() {
        let _ = write!(text, " id={id}");
    }
    let flags = [
        (Flag::Clickable, "clickable"),
        (Flag::Editable, "editable"),
        (Flag::Scrollable, "scrollable"),
        (Flag::Checked, "checked"),
        (Flag::Selected, "selected"),
        (Flag::Focused, "focused"),
    ];
    for (_, word) in flags.iter().filter(|(flag, _)| node.has(*flag)) {
        let _ = write!(text, " {word}");
    }
    if !node.has(Flag::Enabled) {
        text.push_str(" disabled");
    }
    match node.bounds() {
        Some(b) if visible_part(node).is_some() => {
            let _ = write!(text, " @{},{},{},{}", b.left, b.top, b.right, b.bottom);
        }
        _ => text.push_str(" off-screen"),
    }
    text.push('\n');
}

fn short_class(node: NodeRef<'_>) -> &str {
    let class = node.get(Prop::ClassName).unwrap_or("node");
    class.rsplit(['.', '$']).next().unwrap_or(class)
}

/// What an element says; a container that can be clicked says what the first thing in it says.
fn label(node: NodeRef<'_>) -> Option<&str> {
    let own = |node: NodeRef<'_>| {
        node.resolved_text().map(str::to_owned).is_some_and(|text| !text.trim().is_empty())
    };
    if own(node) {
        return node.resolved_text();
    }
    let inner = node.has(Flag::Clickable).then(|| node.descendants().find(|below| own(*below)))?;
    inner.and_then(|below| below.resolved_text())
}

fn is_meaningful(node: NodeRef<'_>, label: Option<&str>) -> bool {
    let always = [Flag::Clickable, Flag::Editable, Flag::Checkable, Flag::Focused];
    let labelled = [Flag::Heading, Flag::Scrollable, Flag::ImportantForAccessibility];
    always.iter().any(|flag| node.has(*flag))
        || node.get(Prop::Error).is_some()
        || (label.is_some() && labelled.iter().any(|flag| node.has(*flag)))
}

/// A letter and up to three digits, from what an element is, says and where it stands.
fn short_hash(node: NodeRef<'_>, label: Option<&str>) -> String {
    let (x, y) = node.bounds().map_or((0, 0), |bounds| bounds.center());
    let text =
        format!("{}|{}|{}|{}", short_class(node), label.unwrap_or(""), x.div_euclid(10), y.div_euclid(10));
    let hash = fnv1a(&text);
    let letter = char::from(b'a' + (hash % 26) as u8);
    format!("{letter}{}", hash / 26 % 1000)
}

/// The second one with a name gets a `b`, the third a `c`.
fn unique(name: String, taken: &mut HashMap<String, u8>) -> String {
    let count = taken.entry(name.clone()).and_modify(|count| *count = count.saturating_add(1)).or_insert(0);
    match *count {
        0 => name,
        more @ 1..=25 => format!("{name}{}", char::from(b'a' + more)),
        more => format!("{name}z{more}"),
    }
}
