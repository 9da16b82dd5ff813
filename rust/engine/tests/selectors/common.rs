//! Screens and selectors as short texts.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use trailblaze_engine::matching::native;
use trailblaze_model::diagnostic::Diagnostics;
use trailblaze_model::pattern::Dialect;
use trailblaze_model::place::Source;
use trailblaze_model::screen::{
    Bounds, Capture, CollectionItem, Flag, NodeId, NodeRef, NodeSpec, Prop, Screen, ScreenBuilder,
};
use trailblaze_model::selector::NodeSelector;
use trailblaze_model::yaml;

pub(crate) const DIALECTS: [(Dialect, &str); 2] =
    [(Dialect::Native, "androidAccessibility"), (Dialect::Maestro, "androidMaestro")];

#[track_caller]
pub(crate) fn yaml_value(text: &str) -> Value {
    let mut problems = Diagnostics::new();
    let node = yaml::read(&Source::new("selector.yaml", text), &mut problems);
    node.unwrap_or_else(|| panic!("{text}: {:?}", problems.sorted())).to_json()
}

/// A selector in YAML.
#[track_caller]
pub(crate) fn selector(text: &str) -> NodeSelector {
    NodeSelector::read(&yaml_value(text)).unwrap_or_else(|problems| panic!("{text}: {problems:?}"))
}

/// A screen with one node of a capture: `text: Save, isClickable: true`.
#[track_caller]
pub(crate) fn node(class: &str, properties: &str) -> Screen {
    let mut detail = yaml_value(&format!("{{ {properties} }}"));
    detail["class"] = class.into();
    let text = Value::from_iter([("driverDetail", detail)]);
    let capture = Capture::read(&Value::from_iter([("trailblazeNodeTree", text)]).to_string());
    capture.unwrap_or_else(|error| panic!("{properties}: {error}")).screen.unwrap()
}

/// A tree: a line for a node, indented by a space for each level. The first word is its text (`_` for none) with its
/// bounds behind `@`; then come `property=value` with `+` for a space, and flags (`!` for off).
pub(crate) fn tree(dialect: Dialect, lines: &str) -> Screen {
    let mut builder = ScreenBuilder::new(100, 100, 0).dialect(dialect);
    let mut depth = 0;
    for line in lines.lines().filter(|line| !line.trim().is_empty()) {
        let indent = line.len() - line.trim_start().len();
        while depth > indent {
            builder.close();
            depth -= 1;
        }
        builder.open(spec(line.trim())).unwrap();
        depth += 1;
    }
    builder.finish()
}

fn spec(line: &str) -> NodeSpec {
    let mut spec = NodeSpec::default();
    let mut words = line.split(' ');
    let first = words.next().unwrap();
    let (text, bounds) = first.split_once('@').unwrap_or((first, ""));
    if text != "_" {
        spec = spec.with(Prop::Text, text.replace('+', " "));
    }
    if !bounds.is_empty() {
        let sides: Vec<i32> = bounds.split(',').map(|side| side.parse().unwrap()).collect();
        spec.bounds = Some(Bounds::new(sides[0], sides[1], sides[2], sides[3]));
    }
    for word in words {
        match word.split_once('=') {
            Some(("inputType", number)) => spec.input_type = number.parse().unwrap(),
            Some(("cell", cell)) => {
                let (row, column) = cell.split_once(',').unwrap();
                let (row, column) = (row.parse().unwrap(), column.parse().unwrap());
                spec.rare.item = Some(CollectionItem { row, column, ..CollectionItem::default() });
            }
            Some((key, value)) => {
                let prop = Prop::from_key(key).unwrap_or_else(|| panic!("no property {key}"));
                spec = spec.with(prop, value.replace('+', " "));
            }
            None => {
                let (key, on) = word.strip_prefix('!').map_or((word, true), |key| (key, false));
                spec.flags.set(Flag::from_key(key).unwrap_or_else(|| panic!("no flag {key}")), on);
            }
        }
    }
    spec
}

/// What nodes say, or their class, or where they stand.
pub(crate) fn names(screen: &Screen, ids: &[NodeId]) -> String {
    let name = |node: NodeRef<'_>| {
        let name = node.text().or_else(|| node.get(Prop::ClassName)).map(str::to_owned);
        name.unwrap_or_else(|| format!("#{}", node.id().index()))
    };
    ids.iter().map(|id| name(screen.node(*id))).collect::<Vec<_>>().join(" ")
}

/// In both dialects: `on` in the selector stands for the name of the block.
#[track_caller]
pub(crate) fn check_tree(lines: &str, text: &str, expected: &str) {
    for (dialect, block) in DIALECTS {
        let screen = tree(dialect, lines);
        let text = text.replace("on:", &format!("{block}:"));
        let found = native::resolve(&screen, &selector(&text));
        assert_eq!(names(&screen, &found), expected, "{text}");
    }
}

pub(crate) fn captures_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/captures")
}

/// Every recorded screen by the name of its file.
pub(crate) fn captures() -> Vec<(String, Capture)> {
    let files = std::fs::read_dir(captures_folder()).expect("the recorded screens are there");
    let mut captures: Vec<(String, Capture)> = files
        .map(|file| file.expect("the folder can be read").path())
        .filter(|path| path.to_string_lossy().ends_with(".example.json"))
        .map(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let text = std::fs::read_to_string(&path).expect("the file can be read");
            (name, Capture::read(&text).expect("it is a capture"))
        })
        .collect();
    captures.sort_by(|(a, _), (b, _)| a.cmp(b));
    assert_eq!(captures.len(), 12);
    captures
}

/// Two numbers of a map, for `expected.json`.
pub(crate) fn object(value: &Value) -> &Map<String, Value> {
    value.as_object().expect("a mapping")
}
