//! Which nodes a selector means, as tables that a person can read; and the selectors made for nodes.

#![expect(clippy::unwrap_used, reason = "these are tests, their helpers too")]

mod captures;
mod common;
mod filtered;
mod generate;
mod maestro;
mod order;
mod outline;
mod predicates;
mod random;
mod relations;
mod strings;
mod waypoints;
