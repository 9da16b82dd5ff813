//! As much XML as a report needs, in the spelling of quick-junit, which reads every report of the tests back.

use crate::text::clean;

/// An element with its attributes, and with text or other elements in it.
#[derive(Debug)]
pub(super) struct Element {
    name: &'static str,
    /// The start tag without its end.
    start: String,
    text: Option<String>,
    children: Vec<Element>,
}

impl Element {
    pub(super) fn new(name: &'static str) -> Self {
        Self { name, start: format!("<{name}"), text: None, children: Vec::new() }
    }

    pub(super) fn with(mut self, name: &str, value: &str) -> Self {
        self.start += &format!(" {name}=\"{}\"", escaped(value));
        self
    }

    /// `time="1.234"`
    pub(super) fn with_time(self, ms: u64) -> Self {
        self.with("time", &format!("{}.{:03}", ms / 1_000, ms % 1_000))
    }

    pub(super) fn with_text(mut self, text: &str) -> Self {
        self.text = Some(escaped(text));
        self
    }

    pub(super) fn with_children(mut self, children: impl IntoIterator<Item = Element>) -> Self {
        self.children.extend(children);
        self
    }

    /// The start tag alone, for whoever prints what is inside.
    pub(super) fn start(&self) -> String {
        format!("{}>", self.start)
    }

    /// On lines of its own, so deep inside of others.
    pub(super) fn print(&self, depth: usize, xml: &mut String) {
        let indent = "    ".repeat(depth);
        *xml += &indent;
        match &self.text {
            Some(text) => *xml += &format!("{}{text}</{}>", self.start(), self.name),
            None if self.children.is_empty() => *xml += &format!("{}/>", self.start),
            None => {
                *xml += &self.start();
                xml.push('\n');
                self.children.iter().for_each(|child| child.print(depth + 1, xml));
                *xml += &format!("{indent}</{}>", self.name);
            }
        }
        xml.push('\n');
    }
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in clean(text).chars() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '\'' => escaped.push_str("&apos;"),
            '"' => escaped.push_str("&quot;"),
            c => escaped.push(c),
        }
    }
    escaped
}
