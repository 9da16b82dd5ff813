//! Device farms from the outside: what `farm plan` writes, and what `farm collect` makes of what comes back.
//!
//! Nothing here talks to a farm. Whether gcloud and AWS take the plans is asked in `tests/farm` of the repository.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "these are tests, their helpers too")]

mod aws;
mod bad_devices;
mod bad_options;
mod bad_plans;
mod bad_results;
mod cut_off;
mod device_run;
mod firebase;
mod lab;
mod real;
mod sessions;
mod shapes;
mod shards;
#[path = "../cli/space.rs"]
#[expect(dead_code, reason = "the tests of the command use the rest of it")]
mod space;
mod together;
mod trouble;
