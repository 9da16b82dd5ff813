//! Regular expressions of both dialects. Run with `cargo +nightly fuzz run pattern`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| trailblaze_model::fuzzing::pattern(data));
