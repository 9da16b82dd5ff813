//! The binary form of a screen.

use trailblaze_model::fuzzing;
use trailblaze_model::pattern::Dialect;
use trailblaze_model::screen::{
    BadScreen, Bounds, Capture, Collection, CollectionItem, Flag, Limits, NodeSpec, Prop, Range, Screen,
    ScreenBuilder, WindowKind,
};

use crate::common::captures;

#[test]
fn recorded_screens_read_back_as_the_same() {
    for (name, text) in captures() {
        let capture = Capture::read(&text).unwrap();
        for screen in [capture.screen.unwrap(), capture.legacy.unwrap()] {
            assert_eq!(Screen::from_bytes(&screen.to_bytes()).as_ref(), Ok(&screen), "{name}");
        }
    }
}

/// One node with everything, one with little, and a keyboard.
fn tiny() -> Screen {
    let mut builder = ScreenBuilder::new(1080, 2400, 1_234).rotation(1).dialect(Dialect::Maestro);
    let mut root = NodeSpec {
        bounds: Some(Bounds::new(-1, 0, 1080, 2400)),
        device_id: -2,
        input_type: 1,
        max_text_length: -1,
        drawing_order: 3,
        actions: vec!["ACTION_CLICK".to_owned()],
        ..NodeSpec::default()
    }
    .with(Prop::Text, "é")
    .with(Prop::Ref, "k42");
    root.flags.set(Flag::Clickable, true);
    root.rare.item =
        Some(CollectionItem { row: 1, row_span: 2, column: 3, column_span: 4, is_heading: true });
    root.rare.collection = Some(Collection { rows: 5, columns: 6, is_hierarchical: true });
    root.rare.range = Some(Range { kind: 7, min: 0.0, max: 1.0, current: 0.5 });
    builder.open(root).unwrap();
    builder.open(NodeSpec::default().with(Prop::ClassName, "é")).unwrap();
    builder.window(WindowKind::Keyboard);
    builder.open(NodeSpec::default()).unwrap();
    builder.finish()
}

/// Byte for byte; a phone that was built last year must be understood.
const TINY: &[&str] = &[
    "54425343 0100 01 01 38040000 60090000 d204000000000000",
    "02000000 03000000 01000000 03000000",
    "00000000 00000000",
    "02000000 01000000",
    "ffffffff 0f0000e0 1040 0100 feffffffffffffff",
    "ffffffff 00000000 38040000 60090000",
    "01000000 ffffffff 03000000",
    "00000000",
    "00000000 01000000 02000000",
    "00000000 07000000 0100 0000 0000000000000000 00000000",
    "ffffffff 07000000 0000 0000 0000000000000000",
    "07000000 01000000 02000000 03000000 04000000 01000000",
    "05000000 06000000 01000000",
    "07000000 0000000000000000 000000000000f03f 000000000000e03f",
    "02000000 c3a9",
    "03000000 6b3432",
    "0c000000 414354494f4e5f434c49434b",
];

fn tiny_bytes() -> Vec<u8> {
    let hex: String = TINY.concat().replace(' ', "");
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

#[test]
fn the_bytes_of_version_1_never_change() {
    assert_eq!(tiny().to_bytes(), tiny_bytes());
    assert_eq!(Screen::from_bytes(&tiny_bytes()), Ok(tiny()));
}

#[test]
fn every_part_of_a_screen_alone_is_an_error() {
    let bytes = tiny_bytes();
    for length in 0..bytes.len() {
        let error = Screen::from_bytes(&bytes[..length]).expect_err("it is cut off");
        assert!(error.offset <= length, "{error}");
    }
    let longer = [&bytes[..], &[0]].concat();
    assert_eq!(Screen::from_bytes(&longer).unwrap_err().message, "bytes are left over");
}

#[test]
fn every_other_byte_makes_an_error_or_a_screen() {
    let mut bytes = tiny_bytes();
    let mut errors = 0;
    for at in 0..bytes.len() {
        for change in 1..=255u8 {
            bytes[at] ^= change;
            errors += usize::from(Screen::from_bytes(&bytes).is_err());
            if change.is_power_of_two() {
                fuzzing::screen(&bytes);
            }
            bytes[at] ^= change;
        }
    }
    assert!(errors > bytes.len() * 100, "only {errors} errors");
}

#[track_caller]
fn check(at: usize, value: u32, offset: usize, message: &'static str) {
    let mut bytes = tiny_bytes();
    bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
    assert_eq!(Screen::from_bytes(&bytes), Err(BadScreen { offset, message }));
}

const NODES: usize = 56;
const SECOND: usize = NODES + 20 + 16 + 12 + 4 + 12;

#[test]
fn a_hostile_count_asks_for_no_memory() {
    let message = "the screen says it has more than it has";
    for (at, offset) in [(24, 28), (28, 32), (32, 36), (36, 40)] {
        check(at, u32::MAX, offset, message);
        check(at, 1_000_000, offset, message);
    }
    let last = tiny_bytes().len() - 16;
    check(last, u32::MAX, last + 4, "the texts are too long");
    check(last, 13, last + 4, "the screen is cut off");
}

#[test]
fn what_is_no_tree_is_refused() {
    check(SECOND, 1, 0, "a node stands outside of its parent");
    check(SECOND, 2, 0, "a node stands outside of its parent");
    check(SECOND, u32::MAX, 0, "a root belongs to no window");
    check(SECOND + 24, 0, 0, "a window has no root");
    check(NODES, 0, 0, "a node stands outside of its parent");
    check(40, 1, 0, "a root belongs to no window");
}

#[test]
fn what_version_1_does_not_know_is_refused() {
    check(0, 0, 0, "this is not a screen");
    check(4, 0x0101_0002, 4, "the screen has another version");
    check(4, 0x0104_0001, 8, "there is no such rotation");
    check(4, 0x0201_0001, 8, "there is no such dialect");
    check(44, 5, 48, "there is no such kind of window");
    check(SECOND + 4, 1 << 18, SECOND + 20, "there is no such flag");
    check(SECOND + 8, 1 << 15, SECOND + 20, "there is no such property");
    check(SECOND + 20, 3, SECOND + 24, "an index points behind the end");
    check(SECOND + 44, 8, SECOND + 48, "there is no such part");
}

#[test]
fn a_text_that_is_no_utf_8_is_refused() {
    let mut bytes = tiny_bytes();
    let last = bytes.len() - 1;
    bytes[last] = 0xff;
    assert_eq!(Screen::from_bytes(&bytes).unwrap_err().message, "a text is not UTF-8");
}

#[test]
fn numbers_without_an_end_become_0() {
    let mut spec = NodeSpec::default();
    spec.rare.range = Some(Range { kind: 1, min: f64::NEG_INFINITY, max: f64::NAN, current: 2.0 });
    let mut builder = ScreenBuilder::new(1, 1, 0);
    builder.open(spec).unwrap();
    let screen = builder.finish();
    let range = screen.nodes().next().unwrap().rare().range;
    assert_eq!(range, Some(Range { kind: 1, min: 0.0, max: 0.0, current: 2.0 }));
    let mut bytes = tiny_bytes();
    let at = bytes.len() - 29 - 24;
    bytes[at..at + 8].copy_from_slice(&f64::NAN.to_le_bytes());
    assert!(Screen::from_bytes(&bytes).is_ok());
    fuzzing::screen(&bytes);
}

#[test]
fn the_limits_hold_for_bytes_too() {
    let chain = |levels: usize| {
        let limits = Limits { nodes: usize::MAX, depth: usize::MAX };
        let mut builder = ScreenBuilder::new(1, 1, 0).limits(limits);
        for _ in 0..levels {
            builder.open(NodeSpec::default()).unwrap();
        }
        builder.finish().to_bytes()
    };
    assert!(Screen::from_bytes(&chain(512)).is_ok());
    assert_eq!(Screen::from_bytes(&chain(513)).unwrap_err().message, "the screen nests too deeply");
    assert_eq!(Screen::from_bytes(&chain(100_000)).unwrap_err().message, "the screen nests too deeply");
    let message = "the screen says it has more than it has";
    assert_eq!(Screen::from_bytes(&chain(100_001)).unwrap_err().message, message);
}

#[test]
fn a_window_ends_what_is_open_in_the_one_below() {
    let mut builder = ScreenBuilder::new(1, 1, 0);
    let root = builder.open(NodeSpec::default()).unwrap();
    builder.open(NodeSpec::default()).unwrap();
    builder.window(WindowKind::Dialog);
    builder.open(NodeSpec::default()).unwrap();
    let screen = builder.finish();
    assert_eq!(screen.node(root).descendants().count(), 1);
    assert_eq!(screen.windows().len(), 2);
}
