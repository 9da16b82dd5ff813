//! A phone that is kept for hours, with long times in which nothing is asked of it.
//!
//! Its agent ends when the cable is out for a minute, and nobody notices before the next call.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use trailblaze_model::failure::{Failure, FailureKind};

use super::{Phone, failed, make_ready};
use crate::exit_code::{Exit, Problem};
use crate::run::Attached;

/// For whoever drives a phone whose agent was started again.
pub const STARTED_AGAIN: &str = "the phone was away and its agent was started again; what tools had changed on it (how it \
    is held, where it is, airplane mode) may have been put back";

impl Phone {
    pub fn attached(&self) -> Arc<dyn Attached> {
        self.attached.clone()
    }

    /// Sees before a call that the agent is there, which is one question while it is, and starts it again where it has
    /// ended. A phone that is away is not waited for: the next call looks for it again.
    pub fn look_after(&self) -> Result<(), Failure> {
        if self.platform.greet_again().is_ok() {
            return Ok(());
        }
        self.start_again().map_err(|problem| self.not_there(problem))?;
        self.is_anew.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Whether the agent was started again since this was asked last.
    pub fn take_is_anew(&self) -> bool {
        self.is_anew.swap(false, Ordering::Relaxed)
    }

    /// Others may have had the phone meanwhile, and it may have another agent now.
    fn start_again(&self) -> Result<(), Problem> {
        super::ready(self.device.serial(), &self.cancel)?;
        make_ready(&self.device, self.apk.as_deref(), &self.cancel)?;
        self.cable.start().and_then(|()| self.platform.greet_again()).map_err(failed)
    }

    fn not_there(&self, problem: Problem) -> Failure {
        if problem.exit == Exit::Interrupted {
            return Failure::new(FailureKind::Interrupted, problem.message);
        }
        let message = match problem.message.contains(self.device.serial()) {
            true => problem.message,
            false => format!("the phone {} is not reached: {}", self.device.serial(), problem.message),
        };
        let hint = problem.hint.map(|hint| format!("{hint}; ")).unwrap_or_default();
        let hint = format!("{hint}the next call looks for the phone again");
        Failure::new(FailureKind::Device, message).hint(hint)
    }
}
