//! What is said of tests that passed.

/// How they went, and what of them this machine could not run: nobody may overlook that.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Passed {
    pub(crate) note: String,
    /// Each part with the reason, as `Compose: …`.
    pub(crate) skipped: Vec<String>,
}

impl Passed {
    pub(crate) fn all(note: impl Into<String>) -> Self {
        Self { note: note.into(), skipped: Vec::new() }
    }

    pub(crate) fn but(mut self, part: &str, reason: &str) -> Self {
        self.skipped.push(format!("{part}: {reason}"));
        self
    }

    /// Both of them, as one.
    pub(crate) fn and(self, name: &str, other: Self) -> Self {
        let note = format!("{}; {name}: {}", self.note, other.note);
        Self { note, skipped: [self.skipped, other.skipped].concat() }
    }
}
