//! Toolset servers that are real processes, well behaved and others.

#![expect(clippy::unwrap_used, reason = "these are tests, their helpers too")]

mod calls;
mod fixture;
mod generations;
mod hostile;
mod http;
mod http_fixture;
mod http_hostile;
mod lifecycle;
mod orphans;
mod talk;
