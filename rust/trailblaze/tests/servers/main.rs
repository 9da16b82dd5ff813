//! Toolsets that are programs: the test plan of the decision that brought them (A3), name by name, and what happens when
//! something is wrong with them.
//!
//! The servers are plain JavaScript without packages, so all that these tests need is node. Those with the official SDKs
//! are in `tests/toolsets` of the repository, and hostile ones in `rust/mcp/tests`.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "these are tests, their helpers too")]

mod bad_configuration;
mod bad_starts;
mod devices;
mod dispatch;
mod environment;
mod fixture;
mod http;
mod lab;
mod lifecycle;
#[path = "../cli/mcp_client.rs"]
#[expect(dead_code, reason = "the tests of the command use the rest of it")]
mod mcp_client;
mod mcp_server;
mod orphans;
mod registration;
mod rpc;
mod runtimes;
mod serve;
mod shown;
#[cfg(target_os = "linux")]
mod slow_readers;
#[path = "../cli/space.rs"]
#[expect(dead_code, reason = "the tests of the command use the rest of it")]
mod space;
