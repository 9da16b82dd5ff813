//! Lists of Maestro commands. Run with `cargo +nightly fuzz run maestro`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| trailblaze_model::fuzzing::maestro(data));
