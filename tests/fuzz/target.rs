//! The program of each target: its own name says which.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    phalanx_e2e::fuzz::run(env!("CARGO_BIN_NAME"), bytes);
});
