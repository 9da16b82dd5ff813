//! Target files and trailmaps. Run with `cargo +nightly fuzz run target`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| trailblaze_model::fuzzing::target(data));
