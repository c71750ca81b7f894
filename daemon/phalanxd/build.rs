//! Gives the program a number that differs where the results of matches could differ.

#![allow(clippy::print_stdout, reason = "cargo reads it")]

#[path = "src/sources.rs"]
mod sources;

use std::path::Path;

fn main() -> std::io::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for path in sources::PLAYING {
        println!("cargo:rerun-if-changed={}", root.join(path).display());
    }
    println!("cargo:rustc-env=PHALANX_SOURCES={:016x}", sources::hash(&root)?);
    Ok(())
}
