//! Trees to JSON; what has its default value is left out.

use serde_json::{Map, Value, json};

use super::Capture;
use super::read::LEGACY_FLAGS;
use crate::pattern::Dialect;
use crate::screen::{Bounds, Flag, Flags, NodeRef, Prop, Rare, Screen};

pub(super) fn print(capture: &Capture) -> String {
    let mut map = Map::new();
    let texts = [
        ("waypointId", &capture.waypoint_id),
        ("capturedAt", &capture.captured_at),
        ("capturedFrom", &capture.captured_from),
        ("screenshotFile", &capture.screenshot_file),
    ];
    for (key, text) in texts {
        if let Some(text) = text {
            map.insert(key.to_owned(), text.as_str().into());
        }
    }
    map.insert("deviceWidth".into(), capture.width.into());
    map.insert("deviceHeight".into(), capture.height.into());
    if let Some(legacy) = capture.legacy.as_ref().and_then(|screen| tree(screen, legacy)) {
        map.insert("viewHierarchy".into(), legacy);
    }
    if let Some(rich) = capture.screen.as_ref().and_then(|screen| tree(screen, rich)) {
        map.insert("trailblazeNodeTree".into(), rich);
    }
    format!("{:#}\n", Value::Object(map))
}

/// A capture holds one tree, so several windows stand below one root.
fn tree(screen: &Screen, node: fn(NodeRef<'_>) -> Map<String, Value>) -> Option<Value> {
    let mut done: Vec<Option<Map<String, Value>>> = vec![None; screen.len()];
    // Children stand behind their parents, so from the end every child is ready before its parent.
    for each in screen.nodes().rev() {
        let mut map = node(each);
        let children: Vec<Value> =
            each.children().filter_map(|child| done[child.id().index()].take()).map(Value::Object).collect();
        if !children.is_empty() {
            map.insert("children".into(), Value::Array(children));
        }
        done[each.id().index()] = Some(map);
    }
    let mut roots: Vec<Value> = done.into_iter().flatten().map(Value::Object).collect();
    match roots.len() {
        0 => None,
        1 => roots.pop(),
        _ => {
            let is_maestro = screen.dialect() == Dialect::Maestro;
            let class = if is_maestro { "androidMaestro" } else { "androidAccessibility" };
            Some(json!({ "children": roots, "driverDetail": { "class": class } }))
        }
    }
}

fn rich(node: NodeRef<'_>) -> Map<String, Value> {
    let mut map = Map::new();
    if node.device_id() != 0 {
        map.insert("nodeId".into(), node.device_id().into());
    }
    if let Some(reference) = node.get(Prop::Ref) {
        map.insert("ref".into(), reference.into());
    }
    if let Some(Bounds { left, top, right, bottom }) = node.bounds() {
        map.insert("bounds".into(), json!({ "left": left, "top": top, "right": right, "bottom": bottom }));
    }
    let mut detail = Map::new();
    let is_maestro = node.screen().dialect() == Dialect::Maestro;
    detail.insert(
        "class".to_owned(),
        if is_maestro { "androidMaestro" } else { "androidAccessibility" }.into(),
    );
    for prop in Prop::ALL.into_iter().filter(|prop| *prop != Prop::Ref) {
        let key =
            if is_maestro && prop == Prop::ContentDescription { "accessibilityText" } else { prop.key() };
        if let Some(text) = node.get(prop) {
            detail.insert(key.to_owned(), text.into());
        }
    }
    if is_maestro {
        flags(&mut detail, node, LEGACY_FLAGS.iter().copied());
    } else {
        flags(&mut detail, node, Flag::ALL.into_iter().map(|flag| (flag.key(), flag)));
    }
    let numbers = [
        ("inputType", node.input_type()),
        ("maxTextLength", node.max_text_length()),
        ("drawingOrder", node.drawing_order()),
    ];
    for (key, number) in numbers.into_iter().filter(|(_, number)| *number != 0) {
        detail.insert(key.to_owned(), number.into());
    }
    let actions: Vec<&str> = node.actions().collect();
    if !actions.is_empty() {
        detail.insert("actions".into(), json!(actions));
    }
    rare(&mut detail, node.rare());
    map.insert("driverDetail".into(), Value::Object(detail));
    map
}

fn flags(map: &mut Map<String, Value>, node: NodeRef<'_>, flags: impl Iterator<Item = (&'static str, Flag)>) {
    for (key, flag) in flags {
        if node.has(flag) != Flags::default().has(flag) {
            map.insert(key.to_owned(), node.has(flag).into());
        }
    }
}

fn rare(detail: &mut Map<String, Value>, rare: Rare) {
    if let Some(item) = rare.item {
        let item = json!({
            "rowIndex": item.row, "rowSpan": item.row_span, "columnIndex": item.column,
            "columnSpan": item.column_span, "isHeading": item.is_heading,
        });
        detail.insert("collectionItemInfo".into(), item);
    }
    if let Some(info) = rare.collection {
        let info = json!({
            "rowCount": info.rows, "columnCount": info.columns, "isHierarchical": info.is_hierarchical,
        });
        detail.insert("collectionInfo".into(), info);
    }
    if let Some(range) = rare.range {
        let range =
            json!({ "type": range.kind, "min": range.min, "max": range.max, "current": range.current });
        detail.insert("rangeInfo".into(), range);
    }
}

fn legacy(node: NodeRef<'_>) -> Map<String, Value> {
    let mut map = Map::new();
    if node.device_id() != 1 {
        map.insert("nodeId".into(), node.device_id().into());
    }
    if let Some(bounds) = node.bounds() {
        let corners = [("x1", bounds.left), ("y1", bounds.top), ("x2", bounds.right), ("y2", bounds.bottom)];
        for (key, corner) in corners.into_iter().filter(|(_, corner)| *corner != 0) {
            map.insert(key.to_owned(), corner.into());
        }
        let (x, y) = bounds.center();
        map.insert("centerPoint".into(), format!("{x},{y}").into());
        // Without corners that are not 0 only a size says that there are bounds.
        if corners.iter().all(|(_, corner)| *corner == 0) {
            map.insert("dimensions".into(), "0x0".into());
        }
    }
    let texts = [
        ("text", Prop::Text),
        ("hintText", Prop::HintText),
        ("accessibilityText", Prop::ContentDescription),
        ("resourceId", Prop::ResourceId),
        ("className", Prop::ClassName),
    ];
    for (key, prop) in texts {
        if let Some(text) = node.get(prop) {
            map.insert(key.to_owned(), text.into());
        }
    }
    flags(&mut map, node, LEGACY_FLAGS.iter().copied());
    map
}
