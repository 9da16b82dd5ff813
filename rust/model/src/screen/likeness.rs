//! Whether two screens look the same, whenever they were captured.

use super::Screen;

impl Screen {
    /// Equal but for the time.
    pub fn looks_like(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
            || (self.width == other.width
                && self.height == other.height
                && self.rotation == other.rotation
                && self.dialect() == other.dialect()
                && self.windows == other.windows
                && self.nodes == other.nodes
                && self.actions == other.actions
                && self.rare == other.rare
                && self.ends == other.ends
                && self.text == other.text)
    }
}
