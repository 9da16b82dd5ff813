//! `trailblaze.yaml`. Run with `cargo +nightly fuzz run workspace`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| trailblaze_model::fuzzing::workspace(data));
