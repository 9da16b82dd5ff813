//! Waiting until the screen is still.

use trailblaze_model::failure::Failure;

use crate::session::Session;

/// When a screen counts as still. Milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settle {
    /// So long nothing may change.
    pub quiet_ms: u64,
    /// So long a first change is waited for.
    pub grace_ms: u64,
    /// Not longer than this in all.
    pub cap_ms: u64,
}

impl Default for Settle {
    fn default() -> Self {
        Self { quiet_ms: 100, grace_ms: 150, cap_ms: 5_000 }
    }
}

/// Waits; false when the screen was still moving at the cap.
pub fn settle(session: &Session, settle: Settle) -> Result<bool, Failure> {
    let start = session.now_ms();
    let cap = start.saturating_add(settle.cap_ms);
    loop {
        session.check_cancelled()?;
        let now = session.now_ms();
        let changed = session.device().last_change_ms()?;
        let still_at = (changed + settle.quiet_ms).max(start + settle.grace_ms);
        if now >= still_at {
            return Ok(true);
        }
        if now >= cap {
            return Ok(false);
        }
        session.clock.sleep_until(still_at.min(cap));
    }
}
