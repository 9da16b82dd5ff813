//! Changes a file in place: only the lines that change are touched, so comments survive.

use serde_json::{Map, Value};

use super::node::{Entry, Node};
use super::{print, read};
use crate::diagnostic::Diagnostics;
use crate::place::{Place, Source};

/// Sets `recording.<classifier>` of a step (a mapping node of `source`) and returns the new text.
///
/// What is written reads as the old document with this one change. Where no change of a few lines does
/// that (a value shared through an anchor, say), the whole document is printed anew, without comments.
pub fn set_recording(source: &Source, step: &Node, classifier: &str, calls: &Value) -> String {
    let mut problems = Diagnostics::new();
    let Some(document) = read::read(source, &mut problems) else { return source.text.to_string() };
    let wanted = with_recording(&document, step.place, classifier, calls);
    let edit = Edit { source, step, classifier, calls };
    let fits = |text: &String| {
        let source = Source::new(source.file.clone(), text.as_str());
        read::read(&source, &mut Diagnostics::new()).is_some_and(|node| node.to_json() == wanted)
    };
    edit.attempts().find(fits).unwrap_or_else(|| print::print(&wanted))
}

/// The document as it shall read.
fn with_recording(node: &Node, step: Place, classifier: &str, calls: &Value) -> Value {
    if node.place == step && node.as_map().is_some() {
        let mut value = node.to_json();
        if let Value::Object(map) = &mut value {
            let recording = map.entry("recording").or_insert(Value::Null);
            if !recording.is_object() {
                *recording = Value::Object(Map::new());
            }
            if let Value::Object(recording) = recording {
                recording.insert(classifier.to_owned(), calls.clone());
            }
        }
        return value;
    }
    let inner = |node: &Node| with_recording(node, step, classifier, calls);
    if let Some(items) = node.as_list() {
        return items.iter().map(inner).collect();
    }
    match node.as_map() {
        Some(entries) => {
            entries.iter().map(|entry| (entry.key.clone(), inner(&entry.value))).collect::<Map<_, _>>().into()
        }
        None => node.to_json(),
    }
}

struct Edit<'a> {
    source: &'a Source,
    step: &'a Node,
    classifier: &'a str,
    calls: &'a Value,
}

/// Where a new line goes: behind the last word of a value, or behind the empty lines that a block text
/// may end with.
#[derive(Clone, Copy)]
enum Behind {
    Words,
    EmptyLines,
}

impl Edit<'_> {
    /// The new text, the smallest change first.
    fn attempts(&self) -> impl Iterator<Item = String> {
        let in_layout = [Behind::Words, Behind::EmptyLines].into_iter().map(|behind| self.attempt(behind));
        let more: [fn(&Self) -> Option<String>; 3] = [
            |edit| edit.set_in_flow(&edit.recording()?.value, edit.classifier, edit.calls),
            |edit| edit.set_in_flow(edit.step, "recording", &edit.new_recording()),
            Self::replace_step,
        ];
        in_layout.chain(more.into_iter().map(|attempt| attempt(self))).flatten()
    }

    fn recording(&self) -> Option<&Entry> {
        self.step.as_map()?.iter().find(|entry| entry.key == "recording")
    }

    /// All of the recording, with the new calls.
    fn new_recording(&self) -> Value {
        let old = self.recording().map(|recording| recording.value.to_json());
        let mut new = old.and_then(|old| old.as_object().cloned()).unwrap_or_default();
        new.insert(self.classifier.to_owned(), self.calls.clone());
        new.into()
    }

    fn attempt(&self, behind: Behind) -> Option<String> {
        match self.recording().filter(|entry| entry.value.as_map().is_some()) {
            Some(recording) if !recording.value.flow => {
                self.set_in_block(&recording.value, self.classifier, self.calls, behind)
            }
            // One line between braces becomes lines of their own; more are left as they are laid out.
            Some(recording) if self.step.flow || recording.value.place.line != recording.value.end.line => {
                self.set_in_flow(&recording.value, self.classifier, self.calls)
            }
            _ if self.step.flow => self.set_in_flow(self.step, "recording", &self.new_recording()),
            _ => self.set_in_block(self.step, "recording", &self.new_recording(), behind),
        }
    }

    /// Writes the whole step on one line, where it repeats another one, say.
    fn replace_step(&self) -> Option<String> {
        let mut step = self.step.to_json();
        step.as_object_mut()?.insert("recording".to_owned(), self.new_recording());
        let mut new = String::new();
        print::flow(&mut new, &step);
        Some(self.replace(self.step.place, self.step.end, &new))
    }

    /// Sets a key of `{…}`, between its braces.
    fn set_in_flow(&self, map: &Node, key: &str, value: &Value) -> Option<String> {
        let entries = map.as_map()?;
        let mut new = String::new();
        if let Some(old) = entries.iter().find(|entry| entry.key == key) {
            print::flow_entry(&mut new, key, value);
            return Some(self.replace(old.key_place, old.value.end, &new));
        }
        let text = &self.source.text;
        let close = text[..self.source.offset(map.end)].strip_suffix('}')?;
        // A comment may stand behind the last entry, so the new one goes directly behind that.
        let last = entries.last().map(|entry| self.source.offset(entry.value.end));
        let at = last.unwrap_or(close.trim_end().len());
        new.push_str(if last.is_some() { ", " } else { " " });
        print::flow_entry(&mut new, key, value);
        new.push_str(if last.is_some() { "" } else { " " });
        let rest = if last.is_some() { &text[at..] } else { text[at..].trim_start_matches(' ') };
        Some(format!("{}{new}{rest}", &text[..at]))
    }

    /// Sets a key of a mapping whose entries stand on lines of their own.
    fn set_in_block(&self, map: &Node, key: &str, value: &Value, behind: Behind) -> Option<String> {
        let entries = map.as_map()?;
        let indent = entries.first()?.key_place.column as usize - 1;
        let mut block = String::new();
        print::entries(&mut block, &Map::from_iter([(key.to_owned(), value.clone())]).into(), indent);
        let block = block.trim_end_matches('\n');
        match entries.iter().find(|entry| entry.key == key) {
            Some(old) => Some(self.replace_entry(old, block.trim_start())),
            None => Some(self.insert_line(map.end, block, behind)),
        }
    }

    /// Replaces `key: value`. A comment behind the key, or behind a value on the same line, stands behind
    /// the new first line.
    fn replace_entry(&self, old: &Entry, block: &str) -> String {
        let text = &self.source.text;
        let start = self.source.offset(old.key_place);
        let end = text[..self.source.offset(old.value.end)].trim_end().len();
        let behind_key = text[start..].strip_prefix(old.key.as_str()).and_then(|rest| rest.strip_prefix(':'));
        let behind_key = behind_key.map(comment).filter(|comment| !comment.is_empty());
        let behind_value = comment(&text[end..]);
        let comment = behind_key.unwrap_or(behind_value);
        // That of a last call goes with the call; that of a value between brackets is about all of it.
        let kept = if behind_key.is_some() && old.value.flow { behind_value } else { "" };
        let block = match block.split_once('\n') {
            Some((first, rest)) => format!("{first}{comment}\n{rest}"),
            None => format!("{block}{comment}"),
        };
        let block = block.replace('\n', self.line_ending());
        format!("{}{block}{kept}{}", &text[..start], &text[end + behind_value.len()..])
    }

    fn replace(&self, from: Place, to: Place, new: &str) -> String {
        let (start, end) = (self.source.offset(from), self.source.offset(to));
        format!("{}{new}{}", &self.source.text[..start], &self.source.text[end..])
    }

    fn insert_line(&self, end: Place, block: &str, behind: Behind) -> String {
        let text = &self.source.text;
        let end = self.source.offset(end);
        let at = match behind {
            Behind::Words => {
                let words = text[..end].trim_end().len();
                words + text[words..].find(['\r', '\n']).unwrap_or(text.len() - words)
            }
            Behind::EmptyLines => text[..end].trim_end_matches(' ').len(),
        };
        let new_line = self.line_ending();
        let block = block.replace('\n', new_line);
        let (before, after) = text.split_at(at);
        match behind {
            Behind::Words => format!("{before}{new_line}{block}{after}"),
            Behind::EmptyLines => format!("{before}{block}{new_line}{after}"),
        }
    }

    fn line_ending(&self) -> &'static str {
        if self.source.text.contains("\r\n") { "\r\n" } else { "\n" }
    }
}

/// The comment that ends this line, with the blanks before it, when nothing else stands before it.
fn comment(rest: &str) -> &str {
    let line = rest.split(['\r', '\n']).next().unwrap_or_default();
    if line.trim_start().starts_with('#') { line.trim_end() } else { "" }
}
