//! Whole APKs: packed out of a small template, read, damaged and refused.

#![expect(clippy::unwrap_used, reason = "these are tests, their helpers too")]

mod damage;
mod folder;
mod keys;
mod manifests;
mod packing;
mod template;
mod zips;
