//! Native selectors in JSON. Run with `cargo +nightly fuzz run selector`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| trailblaze_model::fuzzing::selector(data));
