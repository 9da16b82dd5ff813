//! Which trails run where: devices side by side, each with one trail at a time.

use std::cmp::Reverse;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use trailblaze_model::order;

use super::{Attached, Planned, RunOptions};
use crate::run_times::{self, Times};
use crate::workspace::Workspace;

/// One device and the trails that it takes from.
pub(super) struct Lane<'a> {
    pub(super) device: Arc<str>,
    /// The phone, where it is one.
    pub(super) attached: Option<&'a Arc<dyn Attached>>,
    /// Shared by the lanes that spread trails among them.
    queue: Arc<Queue<'a>>,
}

struct Queue<'a> {
    trails: Vec<&'a Planned>,
    next: AtomicUsize,
}

impl<'a> Lane<'a> {
    /// The next trail for this device.
    pub(super) fn next(&self) -> Option<&'a Planned> {
        self.queue.trails.get(self.queue.next.fetch_add(1, Ordering::Relaxed)).copied()
    }
}

impl Lane<'_> {
    /// Whether another device takes from the same trails.
    pub(super) fn is_shared(&self) -> bool {
        Arc::strong_count(&self.queue) > 1
    }
}

/// What the devices of a run are called.
pub(super) fn devices(options: &RunOptions) -> Vec<Arc<str>> {
    match &options.recorded {
        Some(saved) => vec![saved.world.info.id.as_str().into()],
        None if !options.attached.is_empty() => {
            options.attached.iter().map(|attached| attached.device().info().id.as_str().into()).collect()
        }
        None if options.devices.is_empty() => vec![super::work::SIM.into()],
        None => options.devices.clone(),
    }
}

/// How often trails run, all devices together.
pub(super) fn runs(options: &RunOptions, trails: usize) -> usize {
    if options.shard_across { trails } else { trails * devices(options).len() }
}

/// How many trails run at the same time.
pub(super) fn width(options: &RunOptions, trails: usize) -> usize {
    let lanes = devices(options).len().max(options.jobs);
    lanes.clamp(1, runs(options, trails).max(1))
}

pub(super) fn lanes<'a>(
    options: &'a RunOptions,
    plan: &'a [Planned],
    workspace: &Workspace,
) -> Vec<Lane<'a>> {
    let queue = |trails: Vec<&'a Planned>| Arc::new(Queue { trails, next: AtomicUsize::new(0) });
    let devices = devices(options);
    let lane =
        |at: usize, queue| Lane { device: devices[at].clone(), attached: options.attached.get(at), queue };
    match devices.as_slice() {
        // Devices without a name of their own: as many as there are jobs.
        [_] => {
            let queue = queue(plan.iter().collect());
            (0..width(options, plan.len())).map(|_| lane(0, queue.clone())).collect()
        }
        several if options.shard_across => {
            let queue = queue(longest_first(plan, &run_times::last(workspace.root.as_deref())));
            (0..several.len()).map(|at| lane(at, queue.clone())).collect()
        }
        several => (0..several.len()).map(|at| lane(at, queue(plan.iter().collect()))).collect(),
    }
}

/// A long trail at the end would keep one device busy while the others wait. One that nobody knows may be long.
fn longest_first<'a>(plan: &'a [Planned], times: &Times) -> Vec<&'a Planned> {
    let mut trails: Vec<&Planned> = plan.iter().collect();
    order::sort_by_key(&mut trails, |planned| {
        Reverse(times.get(&*planned.trail.id).copied().unwrap_or(u64::MAX))
    });
    trails
}
