//! What a node looks like.

use std::borrow::Cow;

use trailblaze_model::screen::{Bounds, Flag, NodeRef, Prop};

use super::canvas::{Canvas, Color, inset, text_width};
use super::{CARD, INK, near};

const ACCENT: Color = [63, 81, 181];
const ACCENT_PALE: Color = [224, 228, 250];
const FAINT: Color = [128, 133, 145];
const LINE: Color = [208, 212, 222];
const OFF: Color = [222, 224, 230];
const ALARM: Color = [198, 40, 40];
const WHITE: Color = [255, 255, 255];

const PADDING: i32 = 28;

/// How the nodes of one window are drawn.
pub(super) struct Look {
    /// The window is dark, so text is light.
    pub(super) on_dark: bool,
    /// The root's own shape is the window's and stands there already.
    pub(super) root_is_drawn: bool,
}

impl Look {
    pub(super) fn node(&self, canvas: &mut Canvas, node: NodeRef<'_>, is_root: bool) {
        let Some(bounds) = node.bounds().map(near).filter(|bounds| !bounds.is_empty()) else { return };
        if !node.has(Flag::VisibleToUser) {
            return;
        }
        let class = node.get(Prop::ClassName).unwrap_or_default();
        let label = label(node);
        if self.on_dark {
            return canvas.text_centered(bounds, scale(bounds), WHITE, &label);
        }
        if is_root && self.root_is_drawn {
            return;
        }
        if node.has(Flag::Editable) {
            field(canvas, node, bounds, &label);
        } else if node.has(Flag::Checkable) {
            checkable(canvas, node, bounds, class, &label);
        } else if node.has(Flag::Clickable) {
            clickable(canvas, node, bounds, class, &label);
        } else if class.ends_with("ImageView") {
            canvas.round_rect(bounds, 18, OFF);
            canvas.text_centered(bounds, 3, FAINT, &label);
        } else if class.ends_with("ProgressBar") {
            progress(canvas, bounds);
        } else {
            plain(canvas, node, bounds, &label);
        }
    }
}

/// What stands on the node. Passwords are dots.
fn label(node: NodeRef<'_>) -> Cow<'_, str> {
    let text = node.text().filter(|text| !text.is_empty());
    match text {
        Some(text) if node.has(Flag::Password) => "*".repeat(text.chars().count()).into(),
        Some(text) => text.into(),
        None => node.resolved_text().unwrap_or_default().into(),
    }
}

/// Text grows with the node, within reason.
fn scale(bounds: Bounds) -> i32 {
    (bounds.height() / 20).clamp(3, 5)
}

fn ink(node: NodeRef<'_>) -> Color {
    if node.has(Flag::Enabled) { INK } else { FAINT }
}

fn field(canvas: &mut Canvas, node: NodeRef<'_>, bounds: Bounds, label: &str) {
    let is_wrong = node.has(Flag::ContentInvalid) || node.get(Prop::Error).is_some();
    let border = match (is_wrong, node.has(Flag::Focused)) {
        (true, _) => (5, ALARM),
        (false, true) => (5, ACCENT),
        (false, false) => (3, LINE),
    };
    canvas.outlined(bounds, 16, border, CARD);
    let is_hint = node.text().is_none_or(str::is_empty);
    let inner = padded(bounds);
    let size = scale(bounds);
    canvas.text(inner, size, if is_hint { FAINT } else { ink(node) }, label);
    if node.has(Flag::Focused) {
        let written = if is_hint { 0 } else { text_width(label, size) };
        let left = inner.left - 6 + written.min(inner.width());
        let (_, middle) = bounds.center();
        canvas.fill(Bounds::new(left, middle - size * 6, left + 4, middle + size * 6), ACCENT);
    }
}

fn checkable(canvas: &mut Canvas, node: NodeRef<'_>, bounds: Bounds, class: &str, label: &str) {
    let on = node.has(Flag::Checked);
    let (_, middle) = bounds.center();
    let color = if !node.has(Flag::Enabled) {
        LINE
    } else if on {
        ACCENT
    } else {
        FAINT
    };
    if class.ends_with("Switch") || class.ends_with("ToggleButton") || class.ends_with("SwitchCompat") {
        let right = bounds.right - PADDING;
        let pill = Bounds::new(right - 96, middle - 28, right, middle + 28);
        canvas.round_rect(pill, 28, color);
        let left = if on { pill.right - 50 } else { pill.left + 6 };
        canvas.round_rect(Bounds::new(left, middle - 22, left + 44, middle + 22), 22, WHITE);
        return canvas.text(Bounds { right: pill.left, ..padded(bounds) }, scale(bounds), ink(node), label);
    }
    let left = bounds.left + 12;
    let mark = Bounds::new(left, middle - 26, left + 52, middle + 26);
    let radius = if class.ends_with("RadioButton") { 26 } else { 8 };
    canvas.outlined(mark, radius, (5, color), CARD);
    if on {
        canvas.round_rect(inset(mark, 12), radius, color);
    }
    let beside = Bounds { left: mark.right + 24, ..bounds };
    canvas.text(beside, scale(bounds), ink(node), label);
}

/// A thing with parts in it is a card, a thing with a text is a button.
fn clickable(canvas: &mut Canvas, node: NodeRef<'_>, bounds: Bounds, class: &str, label: &str) {
    let has_parts = node.children().next().is_some();
    let is_button = !has_parts && (class.is_empty() || class.ends_with("Button"));
    let (face, text) = match (node.has(Flag::Enabled), is_button) {
        (false, _) => (OFF, FAINT),
        (true, true) => (ACCENT, WHITE),
        (true, false) if node.has(Flag::Selected) => (ACCENT_PALE, INK),
        (true, false) => (CARD, INK),
    };
    if is_button {
        canvas.round_rect(bounds, 24, face);
        canvas.text_centered(inset(bounds, 8), fitting(bounds, label), text, label);
    } else {
        canvas.outlined(bounds, 20, (2, LINE), face);
        canvas.text(padded(bounds), scale(bounds), text, label);
    }
}

/// The largest size at which the text of a button is whole.
fn fitting(bounds: Bounds, label: &str) -> i32 {
    let room = bounds.width() - 16;
    (2..=scale(bounds)).rev().find(|size| text_width(label, *size) <= room).unwrap_or(2)
}

fn progress(canvas: &mut Canvas, bounds: Bounds) {
    let (_, middle) = bounds.center();
    let bar = Bounds::new(bounds.left, middle - 8, bounds.right, middle + 8);
    canvas.round_rect(bar, 8, ACCENT_PALE);
    canvas.round_rect(Bounds { right: bar.center().0, ..bar }, 8, ACCENT);
}

fn plain(canvas: &mut Canvas, node: NodeRef<'_>, bounds: Bounds, label: &str) {
    if label.is_empty() {
        return;
    }
    let color = if node.get(Prop::Error).is_some() { ALARM } else { ink(node) };
    // A container with a text of its own is its heading; in the middle it would hide the parts.
    let is_container = node.children().next().is_some();
    let bottom = if is_container { (bounds.top + 160).min(bounds.bottom) } else { bounds.bottom };
    let area = if is_container { padded(Bounds { bottom, ..bounds }) } else { bounds };
    if !is_container && !node.has(Flag::Heading) {
        return canvas.paragraph(area, scale(area), color, label);
    }
    // Bold: once more, a little to the right.
    let size = scale(area) + 1;
    canvas.text(area, size, color, label);
    canvas.text(Bounds { left: area.left + 2, ..area }, size, color, label);
}

fn padded(bounds: Bounds) -> Bounds {
    Bounds { left: bounds.left + PADDING, right: bounds.right - PADDING, ..bounds }
}
