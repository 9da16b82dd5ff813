//! The engine from outside: real tools and real dispatch on a phone of paper.

#![expect(clippy::unwrap_used, reason = "these are tests, their helpers too")]

mod check;
mod commands;
mod delegation;
mod descriptors;
mod dispatch;
mod explaining;
mod interpolation;
mod maestro;
mod recording;
mod registry;
mod runner;
mod secrets;
mod selector_tools;
mod servers;
mod settling;
mod support;
mod timing;
mod tools;
mod touching;
mod typing;
