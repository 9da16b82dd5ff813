//! How a trail ended, with what the device knows about it.

use std::sync::Arc;

use trailblaze_engine::session::Session;
use trailblaze_model::failure::Failure;

use super::{Attached, Planned, PlannedWorld};

/// The device may know why a trail failed, and also of something that a trail did not notice: an app that crashed in
/// the last step. What it says may hold secrets that an app wrote down.
pub(super) fn explained(
    planned: &Planned,
    attached: Option<&Arc<dyn Attached>>,
    session: &Session,
    met: Result<(), Failure>,
) -> Result<(), Failure> {
    let app_id = planned.app_id.as_deref();
    let result = match (attached, &planned.world, met) {
        (Some(attached), _, Ok(())) => attached.crash(app_id).map_or(Ok(()), Err),
        (Some(attached), _, Err(failure)) => Err(attached.explain(app_id, failure)),
        (None, PlannedWorld::Recorded(saved), met) => match &saved.meta.failure {
            Some(recorded) => recorded.explain(met),
            None => met,
        },
        (None, _, met) => met,
    };
    result.map_err(|mut failure| {
        failure.map_texts(&|text| session.memory.redact(text));
        failure
    })
}
