//! What must hold for any bytes. `fuzz/` calls these with bytes that libFuzzer finds, and
//! `tests/random_documents.rs` with mutated documents. They panic when something does not hold.

use std::fmt::Debug;

use serde_json::{Value, json};

use crate::bundle;
use crate::diagnostic::{Code, Diagnostics};
use crate::maestro;
use crate::pattern::{Dialect, Pattern};
use crate::place::Source;
use crate::screen::{Capture, NodeRef, Screen};
use crate::selector::NodeSelector;
use crate::source_map::SourceMap;
use crate::target::{self, TargetFile};
use crate::tool::{self, ToolFile};
use crate::toolset::{self, ToolsetFile};
use crate::trail::{self, Trail};
use crate::workspace::{self, WorkspaceFile};
use crate::yaml;

pub fn trail(data: &[u8]) {
    document(data, trail::read, Trail::print);
    edit(data);
}

pub fn tool(data: &[u8]) {
    document(data, tool::read, ToolFile::print);
}

pub fn toolset(data: &[u8]) {
    document(data, toolset::read, ToolsetFile::print);
}

pub fn target(data: &[u8]) {
    document(data, target::read, TargetFile::print);
    if let Some(source) = source(data) {
        target::read_trailmap(&source, &mut Diagnostics::new());
    }
}

pub fn workspace(data: &[u8]) {
    document(data, workspace::read, WorkspaceFile::print);
}

/// Problems point at values that are there, and a document without problems is one that reads.
pub fn maestro(data: &[u8]) {
    let Some(source) = source(data) else { return };
    let Some(node) = yaml::read(&source, &mut Diagnostics::new()) else { return };
    let value = node.to_json();
    let problems = maestro::check_commands(&value);
    let errors = maestro::read_commands(&value).err().unwrap_or_default();
    assert!(problems.len() <= errors.len(), "{problems:?} are more than {errors:?}");
    for problem in problems.iter().chain(&errors) {
        assert!(value.pointer(&problem.pointer).is_some(), "{problem:?} points nowhere in {value}");
    }
}

/// A text matches the pattern that is written like it.
pub fn pattern(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    for dialect in [Dialect::Native, Dialect::Maestro] {
        let pattern = Pattern::new(text, dialect);
        assert!(pattern.matches(text), "{text:?} does not match itself");
        assert_eq!(pattern.text(), text);
    }
    assert!(Pattern::containing(text).matches(&format!("a{text}\nb")) || text.len() > 1_000);
}

/// What reads as a capture prints as something that reads as the same.
pub fn capture(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match Capture::read(text) {
        Ok(capture) => {
            let printed = capture.print();
            assert_eq!(Capture::read(&printed).as_ref(), Ok(&capture), "printed as:\n{printed}");
        }
        Err(error) => assert!(!error.message.is_empty()),
    }
}

/// What reads as a screen is a tree that can be walked, written and read again.
pub fn screen(data: &[u8]) {
    let Ok(screen) = Screen::from_bytes(data) else { return };
    assert_eq!(Screen::from_bytes(&screen.to_bytes()).as_ref(), Ok(&screen));
    for node in screen.nodes() {
        let below = node.children().map(|child| 1 + child.descendants().count()).sum::<usize>();
        assert_eq!(node.descendants().count(), below, "{node:?}");
        assert!(node.children().all(|child| child.parent().map(NodeRef::id) == Some(node.id())));
        assert!(
            node.window() < screen.windows().len() && node.actions().all(|action| action.len() < data.len())
        );
    }
    let (width, height) = (screen.width, screen.height);
    let capture = Capture { screen: Some(screen), width, height, ..Capture::default() };
    capture.print();
}

/// A selector reads or has problems with places, and what reads prints as something that reads as the same.
pub fn selector(data: &[u8]) {
    let Ok(value) = serde_json::from_slice::<Value>(data) else { return };
    match NodeSelector::read(&value) {
        Ok(selector) => {
            let printed = selector.to_value();
            assert_eq!(NodeSelector::read(&printed).as_ref(), Ok(&selector), "printed as {printed}");
        }
        Err(problems) => {
            for problem in problems {
                assert!(value.pointer(&problem.pointer).is_some(), "{problem:?} points nowhere in {value}");
            }
        }
    }
}

/// What reads as a bundle prints as something that reads as the same, and so does what reads as a source map, which
/// answers for every place.
pub fn bundle(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match bundle::parse(text) {
        Ok(bundle) => {
            let printed = bundle.print();
            assert_eq!(bundle::parse(&printed).as_ref(), Ok(&bundle), "printed as:\n{printed}");
            if let Some(map) = bundle.with_map(text).print_map() {
                panic!("a bundle is no map: {map}");
            }
        }
        Err(error) => assert!(!error.message.is_empty() && !error.hint.is_empty()),
    }
    match SourceMap::parse(text) {
        Ok(map) => {
            assert_eq!(SourceMap::parse(&map.print()).as_ref(), Ok(&map));
            for (line, column) in [(0, 0), (1, 1), (1, u32::MAX), (2, 7), (u32::MAX, 1)] {
                map.lookup(line, column);
            }
            map.map_stack("b", text);
        }
        Err(error) => assert!(!error.is_empty()),
    }
}

/// Files that are no UTF-8 are refused before they are read.
fn source(data: &[u8]) -> Option<Source> {
    std::str::from_utf8(data).ok().map(|text| Source::new("fuzz.yaml", text))
}

type Read<T> = fn(&Source, &mut Diagnostics) -> Option<T>;

/// A document reads or has errors, and what reads prints as something that reads as the same.
fn document<T: PartialEq + Debug>(data: &[u8], read: Read<T>, print: fn(&T) -> String) {
    let Some(source) = source(data) else { return };
    let mut problems = Diagnostics::new();
    let first = read(&source, &mut problems);
    for problem in problems.clone() {
        let place = problem.at.as_ref().map(|at| at.place).filter(|place| place.line > 0 && place.column > 0);
        assert!(place.is_some() && !problem.to_string().is_empty(), "{problem:?} has no place");
    }
    assert_ne!(first.is_some(), problems.has_errors(), "{problems:?}");
    let Some(first) = first else { return };
    let printed = print(&first);
    let mut problems = Diagnostics::new();
    let second = read(&Source::new("printed.yaml", printed.as_str()), &mut problems);
    // What was a short form in a deep document can be too deep when it is written out.
    if problems.errors().any(|problem| problem.code == Code::Limit) {
        return;
    }
    assert_eq!(Some(&first), second.as_ref(), "printed as:\n{printed}\n{problems:?}");
}

/// Recording a step changes that and nothing else, which [`yaml::set_recording`] checks itself; here the
/// result must be there.
fn edit(data: &[u8]) {
    let Some(source) = source(data) else { return };
    let Some(node) = yaml::read(&source, &mut Diagnostics::new()) else { return };
    let calls = json!([{ "tap": { "text": "a: b" } }]);
    let steps = trail::step_nodes(&node);
    let Some(index) = steps.iter().position(|step| step.as_map().is_some_and(|map| !map.is_empty())) else {
        return;
    };
    let edited = yaml::set_recording(&source, steps[index], "android", &calls);
    let Some(again) = yaml::read(&Source::new("edited.yaml", edited.as_str()), &mut Diagnostics::new())
    else {
        panic!("the edit does not read:\n{edited}")
    };
    let step = trail::step_nodes(&again).get(index).map(|step| step.to_json());
    let recorded = step.as_ref().and_then(|step| step.pointer("/recording/android"));
    assert_eq!(recorded, Some(&calls), "edited to:\n{edited}");
}
