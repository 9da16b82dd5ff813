//! Screens: the capture files, the binary form, and the selectors and waypoints that speak about them.

#![expect(clippy::unwrap_used, reason = "these are tests, their helpers too")]

mod bad_captures;
mod binary;
mod captures;
mod common;
mod random;
mod selectors;
mod waypoints;
