//! A node of `viewHierarchy`, with its own names.

use serde::de::MapAccess;

use super::{Form, Tree};
use crate::pattern::Dialect;
use crate::screen::{Bounds, Flag, NodeSpec, Prop};

#[derive(Default)]
pub(super) struct Legacy {
    device_id: Option<i64>,
    corners: [i32; 4],
    centre: Option<String>,
    size: Option<String>,
}

pub(in crate::screen::capture) const FLAGS: &[(&str, Flag)] = &[
    ("checked", Flag::Checked),
    ("clickable", Flag::Clickable),
    ("enabled", Flag::Enabled),
    ("focusable", Flag::Focusable),
    ("focused", Flag::Focused),
    ("password", Flag::Password),
    ("scrollable", Flag::Scrollable),
    ("selected", Flag::Selected),
];

impl Form for Legacy {
    const WHAT: &'static str = "a node of the older tree";
    const DIALECT: Option<Dialect> = Some(Dialect::Maestro);

    fn read<'de, A: MapAccess<'de>>(
        &mut self,
        key: &str,
        spec: &mut NodeSpec,
        _tree: &mut Tree,
        map: &mut A,
    ) -> Result<bool, A::Error> {
        match key {
            "nodeId" => self.device_id = Some(map.next_value()?),
            "x1" => self.corners[0] = map.next_value()?,
            "y1" => self.corners[1] = map.next_value()?,
            "x2" => self.corners[2] = map.next_value()?,
            "y2" => self.corners[3] = map.next_value()?,
            "centerPoint" => self.centre = map.next_value()?,
            "dimensions" => self.size = map.next_value()?,
            "accessibilityText" => spec.props[Prop::ContentDescription as usize] = map.next_value()?,
            "text" => spec.props[Prop::Text as usize] = map.next_value()?,
            "hintText" => spec.props[Prop::HintText as usize] = map.next_value()?,
            "resourceId" => spec.props[Prop::ResourceId as usize] = map.next_value()?,
            "className" => spec.props[Prop::ClassName as usize] = map.next_value()?,
            key => match FLAGS.iter().find(|(name, _)| *name == key) {
                Some((_, flag)) => spec.flags.set(*flag, map.next_value()?),
                None => return Ok(false),
            },
        }
        Ok(true)
    }

    fn finish(self, spec: &mut NodeSpec) -> Result<(), &'static str> {
        let [left, top, right, bottom] = self.corners;
        spec.device_id = self.device_id.unwrap_or(1);
        spec.bounds = if self.corners == [0; 4] {
            self.centre.zip(self.size).and_then(|(centre, size)| around(&centre, &size))
        } else {
            Some(Bounds::new(left, top, right, bottom))
        };
        Ok(())
    }
}

/// Bounds of the oldest files: a centre `x,y` and a size `WxH`.
fn around(centre: &str, size: &str) -> Option<Bounds> {
    let pair = |text: &str, by: char| {
        let (a, b) = text.split_once(by)?;
        Some((a.trim().parse::<i32>().ok()?, b.trim().parse::<i32>().ok()?))
    };
    let ((x, y), (width, height)) = (pair(centre, ',')?, pair(size, 'x')?);
    let half = |length: i32| length / 2;
    Some(Bounds::new(
        x.saturating_sub(half(width)),
        y.saturating_sub(half(height)),
        x.saturating_add(half(width)),
        y.saturating_add(half(height)),
    ))
}
