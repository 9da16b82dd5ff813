//! Bundles of toolsets and their source maps. Run with `cargo +nightly fuzz run bundle`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| trailblaze_model::fuzzing::bundle(data));
