//! What a laptop has in place of a phone: devices that exist only in memory, and its own network.

mod web;

use std::sync::Arc;

use trailblaze_devices::recorded::{RecordedDevice, World};
use trailblaze_devices::sim::{SimDevice, SimOptions};
use trailblaze_engine::clock::Clock;
use trailblaze_engine::device::Device;
use trailblaze_engine::script::Module;
use trailblaze_model::driver::Driver;
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_script::QuickJs;

pub(super) use web::fetch;

/// A sim that stands in for a driver. An app that does not even load is trouble with the device, not with the trail.
pub(super) fn sim(
    app: &Module,
    id: &str,
    driver: Driver,
    seed: u64,
    clock: Arc<dyn Clock>,
) -> Result<Arc<dyn Device>, Failure> {
    let mut sim = SimOptions::new(app.clone(), clock, Arc::new(QuickJs));
    id.clone_into(&mut sim.id);
    sim.driver = driver;
    sim.seed = seed;
    let device = SimDevice::new(sim).map_err(|failure| Failure { kind: FailureKind::Device, ..failure })?;
    Ok(Arc::new(device))
}

/// What was seen before, once more.
pub(super) fn recorded(world: &World, clock: Arc<dyn Clock>) -> Result<Arc<dyn Device>, Failure> {
    Ok(Arc::new(RecordedDevice::new(world.clone(), clock)))
}
