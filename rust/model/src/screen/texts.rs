//! Replacing texts of a screen, so that secrets do not leave with it.

use super::Screen;

impl Screen {
    /// About how many bytes the screen holds.
    pub fn size_estimate(&self) -> usize {
        let nodes = self.nodes.len() * std::mem::size_of::<super::NodeData>();
        nodes + self.text.len() + 4 * (self.ends.len() + self.actions.len())
    }

    /// The screen with texts replaced; none when nothing changes.
    pub fn map_texts(&self, replace: &dyn Fn(&str) -> Option<String>) -> Option<Self> {
        let mut changed = false;
        let (mut text, mut ends) =
            (String::with_capacity(self.text.len()), Vec::with_capacity(self.ends.len()));
        for index in 0..self.ends.len() as u32 {
            let old = self.string(index);
            match replace(old) {
                Some(new) => {
                    changed = true;
                    text.push_str(&new);
                }
                None => text.push_str(old),
            }
            ends.push(text.len() as u32);
        }
        changed.then(|| Self { text, ends, ..self.clone() })
    }
}
