//! Screens in their binary form. Run with `cargo +nightly fuzz run screen`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| trailblaze_model::fuzzing::screen(data));
