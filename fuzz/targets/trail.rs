//! Trail files of both forms. Run with `cargo +nightly fuzz run trail`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| trailblaze_model::fuzzing::trail(data));
