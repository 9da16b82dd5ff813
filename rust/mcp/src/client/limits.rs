//! How long things may take, in real milliseconds.

use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The answer that says which generation of MCP a server speaks. Servers that know no such question should say
    /// so at once; one that is silent is started anew and asked the old way.
    pub probe_ms: u64,
    /// The first answer, and the list of all tools.
    pub first_ms: u64,
    /// One call; begins anew with every sign of progress.
    pub call_ms: u64,
    /// One call with all its progress.
    pub longest_ms: u64,
    /// From the end of its input to TERM.
    pub close_ms: u64,
    /// From TERM to KILL.
    pub term_ms: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            probe_ms: 10_000,
            first_ms: 30_000,
            call_ms: 120_000,
            longest_ms: 600_000,
            close_ms: 5_000,
            term_ms: 2_000,
        }
    }
}

/// What the limits are called in the entry of a server.
pub(super) const FIRST_ANSWER: &str = "firstAnswer";
pub(super) const CALL: &str = "call";
pub(super) const LONGEST_CALL: &str = "longestCall";

/// One limit that was hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Limit {
    pub(super) ms: u64,
    /// What sets it; none where that is not up to the entry of the server.
    pub(super) key: Option<&'static str>,
}

/// What gives a server more time.
pub(super) fn more_time(key: &str) -> String {
    format!("'limits: {{ {key}: SECONDS }}' in its entry gives it more time")
}

impl Limits {
    pub(super) fn close(&self) -> Duration {
        Duration::from_millis(self.close_ms)
    }

    pub(super) fn term(&self) -> Duration {
        Duration::from_millis(self.term_ms)
    }
}

/// Milliseconds as people say them: `120 s`, `0.3 s`.
pub(super) fn spoken(ms: u64) -> String {
    if ms.is_multiple_of(1_000) {
        format!("{} s", ms / 1_000)
    } else {
        format!("{:.1} s", ms as f64 / 1_000.0)
    }
}

#[cfg(test)]
mod tests {
    use super::spoken;

    #[test]
    fn times_are_spoken() {
        assert_eq!([spoken(120_000), spoken(300), spoken(1_500)], ["120 s", "0.3 s", "1.5 s"]);
    }
}
