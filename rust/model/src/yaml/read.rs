//! Text to nodes, within limits, without recursion.

use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Span, Tag};

use super::cursor::{Cursor, place};
use super::node::{Entry, Node, Scalar, Value};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::place::{Place, Source};

pub const MAX_DEPTH: usize = 128;
pub const MAX_SIZE: usize = 16 << 20;
/// How much aliases may add to a document, and anchors may hold, in values (see [`weight`]).
const MAX_ALIASED: usize = 10_000;
const MAX_ANCHORED: usize = 200_000;
/// After so many problems the rest of the document is not read.
const MAX_PROBLEMS: usize = 100;

/// Reads the one document of a file. Nothing in it (or only comments) is a null node; none means that
/// it is no YAML, which was reported. A key that stands twice is reported too, and the first one kept,
/// so that whoever reads the nodes finds the other problems.
pub fn read(source: &Source, problems: &mut Diagnostics) -> Option<Node> {
    if source.text.len() > MAX_SIZE {
        let message = format!("the file has {} bytes; the limit is {MAX_SIZE}", source.text.len());
        problems.push(Diagnostic::error(Code::Limit, message).in_file(source.file.clone()));
        return None;
    }
    if let Some(offset) = source.text.find('\0') {
        let line = source.text[..offset].matches('\n').count() as u32 + 1;
        problems.push(
            Diagnostic::error(Code::Unreadable, "the file is binary, not text")
                .in_file(source.file.clone())
                .hint(format!("a zero byte stands in line {line}")),
        );
        return None;
    }
    let mut tree = Tree::new(source, problems);
    for event in Parser::new_from_str(source.body()) {
        let go_on = match event {
            Ok((event, span)) => tree.take(event, span),
            Err(error) => {
                tree.syntax_error(&error);
                false
            }
        };
        if !go_on {
            return None;
        }
    }
    Some(tree.root.take().unwrap_or(Node {
        place: Place::START,
        end: Place::START,
        flow: false,
        value: Value::Scalar(Scalar { text: String::new(), plain: true }),
    }))
}

/// A collection that is still being read.
struct Open {
    anchor: usize,
    node: Node,
    /// The key that waits for its value.
    key: Option<(String, Place)>,
    /// The lines of the keys so far.
    keys: HashMap<String, u32>,
}

struct Tree<'a> {
    source: &'a Source,
    problems: &'a mut Diagnostics,
    reported: usize,
    open: Vec<Open>,
    anchors: HashMap<usize, Node>,
    anchored: usize,
    aliased: usize,
    root: Option<Node>,
    cursor: Cursor<'a>,
}

impl<'a> Tree<'a> {
    fn new(source: &'a Source, problems: &'a mut Diagnostics) -> Self {
        Self {
            source,
            problems,
            reported: 0,
            open: Vec::new(),
            anchors: HashMap::new(),
            anchored: 0,
            aliased: 0,
            root: None,
            cursor: Cursor::new(source.body()),
        }
    }

    /// Takes one event; false ends the reading.
    fn take(&mut self, event: Event<'_>, span: Span) -> bool {
        let start = place(span.start);
        match event {
            Event::DocumentStart(_) if self.root.is_some() => {
                let hint = "put what stands below '---' into a file of its own";
                self.error(Code::Structure, start, "the file holds more than one YAML document", Some(hint));
                false
            }
            Event::Scalar(text, style, anchor, tag) => {
                let plain = self.is_plain(style, tag.as_deref(), start);
                let end = self.end_of_scalar(style, span);
                let value = Value::Scalar(Scalar { text: text.into_owned(), plain });
                self.close(anchor, Node { place: start, end, flow: false, value })
            }
            Event::SequenceStart(anchor, tag) => {
                self.check_tag(tag.as_deref(), start);
                self.open(anchor, span, Value::List(Vec::new()))
            }
            Event::MappingStart(anchor, tag) => {
                self.check_tag(tag.as_deref(), start);
                self.open(anchor, span, Value::Map(Vec::new()))
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let Some(mut closed) = self.open.pop() else { return true };
                // The mark of a closing bracket goes on over the blanks behind it; a block collection, and
                // a pair inside `[…]`, has no bracket and ends with its last value.
                if closed.node.flow && !span.is_empty() {
                    closed.node.end = self.cursor.behind_bracket(span.start);
                }
                self.close(closed.anchor, closed.node)
            }
            Event::Alias(anchor) => self.alias(anchor, span),
            _ => true,
        }
    }

    fn end_of_scalar(&mut self, style: ScalarStyle, span: Span) -> Place {
        let end = place(span.end);
        match style {
            ScalarStyle::SingleQuoted => self.cursor.behind_quote(span.start, '\''),
            ScalarStyle::DoubleQuoted => self.cursor.behind_quote(span.start, '"'),
            // Nothing behind a key is marked at its colon.
            _ if span.is_empty() && self.cursor.char_before(span.start.index() + 1) == Some(':') => {
                Place { column: end.column + 1, ..end }
            }
            _ => end,
        }
    }

    /// Whether a scalar may stand for something other than text; a tag of YAML itself decides it.
    fn is_plain(&mut self, style: ScalarStyle, tag: Option<&Tag>, at: Place) -> bool {
        self.check_tag(tag, at);
        match tag {
            Some(tag) if tag.handle.is_empty() && tag.suffix == "!" => false,
            Some(tag) if tag.is_yaml_core_schema() && tag.suffix == "str" => false,
            Some(tag) if tag.is_yaml_core_schema() => true,
            _ => style == ScalarStyle::Plain,
        }
    }

    fn check_tag(&mut self, tag: Option<&Tag>, at: Place) {
        let known = ["str", "int", "float", "bool", "null", "seq", "map"];
        let Some(tag) = tag else { return };
        let fine = tag.is_yaml_core_schema() && known.contains(&tag.suffix.as_str());
        if !fine && tag.suffix != "!" && self.reported < MAX_PROBLEMS {
            self.reported += 1;
            let message = format!("the tag '{tag}' has no effect");
            self.problems
                .push(Diagnostic::warning(Code::BadValue, message).at(self.source, at).hint("remove it"));
        }
    }

    fn open(&mut self, anchor: usize, span: Span, value: Value) -> bool {
        let start = place(span.start);
        if self.open.len() >= MAX_DEPTH {
            return self.too_deep(start);
        }
        // The mark of a block collection ends before its first item. Pairs inside `[…]` have no bracket of
        // their own.
        let inside_flow = self.open.last().is_some_and(|parent| parent.node.flow);
        let flow = self.cursor.has_bracket(span) || inside_flow;
        let node = Node { place: start, end: start, flow, value };
        self.open.push(Open { anchor, node, key: None, keys: HashMap::new() });
        true
    }

    fn too_deep(&mut self, at: Place) -> bool {
        let message = format!("the document nests deeper than {MAX_DEPTH} levels");
        self.error(Code::Limit, at, &message, None);
        false
    }

    fn alias(&mut self, anchor: usize, span: Span) -> bool {
        let at = place(span.start);
        let Some(node) = self.anchors.get(&anchor) else {
            self.error(Code::Syntax, at, "the alias stands inside of the value that it repeats", None);
            return false;
        };
        self.aliased += weight(node);
        if self.aliased > MAX_ALIASED {
            let message = format!("aliases repeat more than {MAX_ALIASED} values");
            self.error(Code::Limit, at, &message, Some("write the values out or repeat fewer of them"));
            return false;
        }
        if self.open.len() + depth(node) > MAX_DEPTH {
            return self.too_deep(at);
        }
        // Written in one place, whatever it stands for: an edit replaces the alias as a whole.
        let node = Node { place: at, end: place(span.end), flow: true, value: node.value.clone() };
        self.close(0, node)
    }

    /// Puts a finished node where it belongs.
    fn close(&mut self, anchor: usize, node: Node) -> bool {
        if anchor > 0 {
            self.anchored += weight(&node);
            if self.anchored > MAX_ANCHORED {
                let message = format!("anchors hold more than {MAX_ANCHORED} values");
                self.error(Code::Limit, node.place, &message, Some("remove anchors that nothing repeats"));
                return false;
            }
            self.anchors.insert(anchor, node.clone());
        }
        let Some(parent) = self.open.last_mut() else {
            self.root = Some(node);
            return true;
        };
        parent.node.end = parent.node.end.max(node.end);
        match &mut parent.node.value {
            Value::List(items) => items.push(node),
            Value::Map(entries) => match parent.key.take() {
                Some((key, key_place)) => match parent.keys.get(&key) {
                    Some(line) => {
                        let message = format!("the key '{key}' stands here a second time");
                        let hint = format!("it is already in line {line}; keep one of them");
                        self.error(Code::DuplicateKey, key_place, &message, Some(&hint));
                        return self.reported < MAX_PROBLEMS;
                    }
                    None => {
                        parent.keys.insert(key.clone(), key_place.line);
                        entries.push(Entry { key, key_place, value: node });
                    }
                },
                None => match node.value {
                    Value::Scalar(scalar) => parent.key = Some((scalar.text, node.place)),
                    _ => {
                        let hint = "put quotes around a key that begins with '[' or '{'";
                        self.error(Code::WrongType, node.place, "a key must be a single value", Some(hint));
                        return false;
                    }
                },
            },
            Value::Scalar(_) => unreachable!("only collections are opened"),
        }
        true
    }

    fn syntax_error(&mut self, error: &ScanError) {
        let at = place(*error.marker());
        let info = error.info();
        if info.contains("recursion limit") {
            self.too_deep(at);
            return;
        }
        if let Some(tab) = self.tab_indent(at.line) {
            let hint = "indent with spaces; YAML does not allow tabs";
            self.error(Code::Syntax, tab, "a tab stands in the indentation", Some(hint));
            return;
        }
        let hint = HINTS.iter().find(|(part, _)| info.contains(part)).map(|(_, hint)| *hint);
        self.error(Code::Syntax, self.inside(at), &format!("not valid YAML: {info}"), hint);
    }

    /// A tab in the indentation of the line, or of the one below, where a value was expected to go on.
    fn tab_indent(&self, line: u32) -> Option<Place> {
        [line, line + 1].into_iter().find_map(|line| {
            let text = self.source.line(line)?;
            let tab = text.chars().take_while(|c| c.is_whitespace()).position(|c| c == '\t')?;
            Some(Place { line, column: tab as u32 + 1 })
        })
    }

    /// A place behind the last line is moved to its end, where a person can see it.
    fn inside(&self, at: Place) -> Place {
        if self.source.line(at.line).is_some() {
            return at;
        }
        let text = self.source.body().trim_end();
        let lines = text.split('\n');
        let last = lines.clone().next_back().unwrap_or_default();
        Place { line: lines.count() as u32, column: last.chars().count() as u32 + 1 }
    }

    fn error(&mut self, code: Code, at: Place, message: &str, hint: Option<&str>) {
        self.reported += 1;
        let problem = Diagnostic::error(code, message).at(self.source, at).hint_opt(hint.map(str::to_owned));
        self.problems.push(problem);
    }
}

/// What to do about some messages of the YAML parser.
const HINTS: &[(&str, &str)] = &[
    ("mapping values are not allowed", "put quotes around a text that contains ': '"),
    ("quoted scalar", "a quote is not closed"),
    ("expected ',' or '}'", "a '{' is not closed, or a ',' is missing"),
    ("expected ',' or ']'", "a '[' is not closed, or a ',' is missing"),
    ("did not find expected node content", "a value is missing, or a bracket is not closed"),
    ("did not find expected key", "check the indentation of this line"),
    ("did not find expected '-'", "check the indentation of this line"),
    (
        "unknown anchor",
        "an alias needs an anchor '&name' above it; put quotes around a text that begins with '*'",
    ),
];

/// The number of values, with long texts counted as several.
fn weight(node: &Node) -> usize {
    match &node.value {
        Value::Scalar(scalar) => 1 + scalar.text.len() / 100,
        Value::List(items) => 1 + items.iter().map(weight).sum::<usize>(),
        Value::Map(entries) => {
            1 + entries.iter().map(|entry| entry.key.len() / 100 + weight(&entry.value)).sum::<usize>()
        }
    }
}

fn depth(node: &Node) -> usize {
    match &node.value {
        Value::Scalar(_) => 0,
        Value::List(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Map(entries) => 1 + entries.iter().map(|entry| depth(&entry.value)).max().unwrap_or(0),
    }
}
