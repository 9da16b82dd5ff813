//! Toolset files. Run with `cargo +nightly fuzz run toolset`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| trailblaze_model::fuzzing::toolset(data));
