//! Time comes from here and nowhere else, so that tests never sleep.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

/// The run's clock: milliseconds since the run began.
pub trait Clock: Send + Sync + std::fmt::Debug {
    fn now_ms(&self) -> u64;

    /// Waits until the clock shows `at_ms`; returns at once when it already does.
    fn sleep_until(&self, at_ms: u64);

    /// The date at which the clock showed 0, in milliseconds since 1970.
    fn began_ms(&self) -> u64;

    fn sleep(&self, ms: u64) {
        self.sleep_until(self.now_ms().saturating_add(ms));
    }
}

/// A clock that only moves when somebody waits on it.
#[derive(Debug, Default)]
pub struct VirtualClock {
    now: AtomicU64,
}

impl VirtualClock {
    pub fn starting_at(ms: u64) -> Self {
        Self { now: AtomicU64::new(ms) }
    }
}

impl Clock for VirtualClock {
    fn now_ms(&self) -> u64 {
        self.now.load(Ordering::Acquire)
    }

    fn sleep_until(&self, at_ms: u64) {
        self.now.fetch_max(at_ms, Ordering::AcqRel);
    }

    /// Every run begins on the same day, so that nothing depends on when it was.
    fn began_ms(&self) -> u64 {
        NEW_YEAR_2026
    }
}

const NEW_YEAR_2026: u64 = 1_767_225_600_000;

/// The real time.
#[derive(Debug)]
pub struct SystemClock {
    start: Instant,
    date: SystemTime,
}

impl Default for SystemClock {
    fn default() -> Self {
        Self { start: Instant::now(), date: SystemTime::now() }
    }
}

impl Clock for SystemClock {
    fn now_ms(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn sleep_until(&self, at_ms: u64) {
        let wait = at_ms.saturating_sub(self.now_ms());
        std::thread::sleep(Duration::from_millis(wait));
    }

    fn began_ms(&self) -> u64 {
        let since = self.date.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }
}
