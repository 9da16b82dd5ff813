//! The command from the outside: what a user types, and what comes back.

#![expect(clippy::unwrap_used, reason = "these are tests, their helpers too")]

mod acting;
mod apk;
mod apk_bytes;
mod apk_places;
mod authoring;
mod bad_apps;
mod bad_documents;
mod bad_files;
mod bad_places;
mod bad_scripts;
mod check;
mod commands;
mod devices;
mod drivers;
mod events;
mod example;
mod mcp;
mod mcp_client;
mod recording;
mod registry;
mod reloading;
mod replay;
mod replay_damage;
mod replay_verdict;
mod reports;
mod runs;
mod script_failures;
mod scripts;
mod select;
mod selection;
mod space;
mod steps;
mod stopping;
mod values;
mod waypoint;
mod whereabouts;
mod workspaces;
