//! How long a call may take, and who may end it before.

use std::time::{Duration, Instant};

use trailblaze_engine::host::Cancel;

/// How long a wait may be deaf to an interrupt.
pub(super) const SLICE: Duration = Duration::from_millis(50);

const LONGEST: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// The deadline of one call, and what interrupts it. A call that is ended by either closes its connection.
#[derive(Clone, Debug)]
pub struct Limit {
    until: Instant,
    /// What was given, for messages.
    time: Duration,
    cancel: Cancel,
}

/// Why a call must not go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Over {
    Time,
    Cancelled,
}

impl Limit {
    pub fn within(time: Duration, cancel: &Cancel) -> Self {
        // A time that no clock can show is longer than anybody waits.
        let time = time.min(LONGEST);
        Self { until: Instant::now() + time, time, cancel: cancel.clone() }
    }

    /// The same deadline, or a nearer one.
    pub fn at_most(&self, time: Duration) -> Self {
        let other = Self::within(time, &self.cancel);
        if other.until < self.until { other } else { self.clone() }
    }

    pub fn left(&self) -> Duration {
        self.until.saturating_duration_since(Instant::now())
    }

    pub(super) fn time(&self) -> Duration {
        self.time
    }

    /// How long to wait before the next look at this.
    pub(super) fn slice(&self) -> Result<Duration, Over> {
        if self.cancel.is_cancelled() {
            return Err(Over::Cancelled);
        }
        match self.left() {
            Duration::ZERO => Err(Over::Time),
            left => Ok(left.min(SLICE)),
        }
    }
}
