//! Captures in JSON. Run with `cargo +nightly fuzz run capture`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| trailblaze_model::fuzzing::capture(data));
