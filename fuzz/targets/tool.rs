//! Tool files. Run with `cargo +nightly fuzz run tool`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| trailblaze_model::fuzzing::tool(data));
