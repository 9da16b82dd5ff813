//! A phone has no use for devices that exist only in memory, and no room for them.

use std::sync::Arc;

use trailblaze_devices::recorded::World;
use trailblaze_engine::clock::Clock;
use trailblaze_engine::device::Device;
use trailblaze_engine::host::{Cancel, WebAnswer, WebRequest};
use trailblaze_engine::script::Module;
use trailblaze_model::driver::Driver;
use trailblaze_model::failure::{Failure, FailureKind};

/// A phone that runs trails is attached, and has a network of its own.
pub(super) fn fetch(_request: &WebRequest, _cancel: &Cancel) -> Result<WebAnswer, String> {
    Err("there is no network here".to_owned())
}

fn not_here() -> Failure {
    Failure::new(FailureKind::NotSupported, "the sim and recorded worlds are on the laptop")
}

pub(super) fn sim(
    _app: &Module,
    _id: &str,
    _driver: Driver,
    _seed: u64,
    _clock: Arc<dyn Clock>,
) -> Result<Arc<dyn Device>, Failure> {
    Err(not_here())
}

pub(super) fn recorded(_world: &World, _clock: Arc<dyn Clock>) -> Result<Arc<dyn Device>, Failure> {
    Err(not_here())
}
