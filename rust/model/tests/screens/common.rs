//! The recorded screens, and screens that are made up.

use std::path::{Path, PathBuf};

use proptest::prelude::*;
use trailblaze_model::pattern::Dialect;
use trailblaze_model::screen::{
    Bounds, Capture, Collection, CollectionItem, Flag, NodeSpec, Prop, Range, Screen, ScreenBuilder,
    WindowKind,
};

pub(crate) fn captures_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/captures")
}

/// Every recorded screen: its file's name and text.
pub(crate) fn captures() -> Vec<(String, String)> {
    let files = std::fs::read_dir(captures_folder()).expect("the recorded screens are there");
    let mut captures: Vec<(String, String)> = files
        .map(|file| file.expect("the folder can be read").path())
        .filter(|path| path.to_string_lossy().ends_with(".example.json"))
        .map(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            (name, std::fs::read_to_string(&path).expect("the file can be read"))
        })
        .collect();
    captures.sort();
    assert_eq!(captures.len(), 12);
    captures
}

/// A capture with one node of these properties.
#[track_caller]
pub(crate) fn read_node(node: &str) -> Screen {
    let capture = Capture::read(&format!(r#"{{"trailblazeNodeTree": {node}}}"#)).unwrap();
    capture.screen.unwrap()
}

/// One node of a made-up screen, and how many levels it stands above the one before it.
#[derive(Clone, Debug)]
pub(crate) struct Made {
    up: usize,
    window: Option<WindowKind>,
    spec: NodeSpec,
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![Just(String::new()), "[a-zA-Zé€😀\\n\"\\\\ ]{0,12}", Just("Save".to_owned())]
}

fn bounds() -> impl Strategy<Value = Bounds> {
    let side = || prop_oneof![9 => -50..2_000, 1 => any::<i32>()];
    [side(), side(), side(), side()]
        .prop_map(|[left, top, right, bottom]| Bounds::new(left, top, right, bottom))
}

fn spec() -> impl Strategy<Value = NodeSpec> {
    let props = prop::collection::vec((0..Prop::ALL.len(), text()), 0..5);
    let flags = prop::collection::vec((0..Flag::ALL.len(), any::<bool>()), 0..5);
    let numbers = (any::<i64>(), prop_oneof![Just(0), any::<i32>()], -1..5, 0..9);
    let rare = (
        prop::option::of((0..9, 0..9, 0..9, 0..9, any::<bool>())),
        prop::option::of((0..9, 0..9, any::<bool>())),
        prop::option::of((0..3, any::<f64>(), any::<f64>(), any::<f64>())),
    );
    let actions = prop::collection::vec("ACTION_[A-C]", 0..3);
    (props, flags, prop::option::of(bounds()), numbers, rare, actions).prop_map(
        |(props, flags, bounds, numbers, (item, collection, range), actions)| {
            let mut spec = NodeSpec { bounds, actions, ..NodeSpec::default() };
            for (prop, text) in props {
                spec.props[prop] = Some(text);
            }
            flags.into_iter().for_each(|(flag, on)| spec.flags.set(Flag::ALL[flag], on));
            (spec.device_id, spec.input_type, spec.max_text_length, spec.drawing_order) = numbers;
            spec.rare.item = item.map(|(row, row_span, column, column_span, is_heading)| CollectionItem {
                row,
                row_span,
                column,
                column_span,
                is_heading,
            });
            spec.rare.collection = collection.map(|(rows, columns, is_hierarchical)| Collection {
                rows,
                columns,
                is_hierarchical,
            });
            spec.rare.range = range.map(|(kind, min, max, current)| Range { kind, min, max, current });
            spec
        },
    )
}

/// Nodes of several windows.
pub(crate) fn made_nodes() -> impl Strategy<Value = Vec<Made>> {
    let kinds = [WindowKind::Keyboard, WindowKind::Dialog, WindowKind::System, WindowKind::Toast];
    let window = prop::option::weighted(0.1, prop::sample::select(kinds.to_vec()));
    let made = (0..4usize, window, spec()).prop_map(|(up, window, spec)| Made { up, window, spec });
    prop::collection::vec(made, 0..20)
}

/// A screen of them; of one window when that is asked for.
pub(crate) fn build(nodes: &[Made], one_window: bool) -> Screen {
    let mut builder = ScreenBuilder::new(1080, 2400, 77).rotation(if one_window { 0 } else { 1 });
    let mut open = 0usize;
    for made in nodes {
        match made.window {
            Some(kind) if !one_window => {
                builder.window(kind);
                open = 0;
            }
            _ => {
                let least = usize::from(one_window);
                let up = made.up.min(open.saturating_sub(least));
                (0..up).for_each(|_| builder.close());
                open -= up;
            }
        }
        builder.open(made.spec.clone()).expect("few nodes");
        open += 1;
    }
    builder.finish()
}

/// A chain of nodes, one below the other, as a capture.
pub(crate) fn chain(levels: usize) -> String {
    let open = r#"{"driverDetail":{},"children":["#.repeat(levels - 1);
    let close = "]}".repeat(levels - 1);
    format!(r#"{{"trailblazeNodeTree":{open}{{"driverDetail":{{}}}}{close}}}"#)
}

pub(crate) fn maestro_node(node: &str) -> Screen {
    let screen = read_node(node);
    assert_eq!(screen.dialect(), Dialect::Maestro);
    screen
}
