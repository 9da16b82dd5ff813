//! Messages of toolset servers. Run with `cargo +nightly fuzz run server`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| trailblaze_engine::fuzzing::server(data));
