//! Makes the program smaller where Rust's own linker links it, which folds equal functions.
//! Other linkers may not know these options, so they get none of them.

use std::env;
use std::process::Command;

/// The target whose default linker is the one that comes with Rust.
const TARGET: &str = "x86_64-unknown-linux-gnu";
/// The first glibc that reads packed relocations.
const GLIBC: (u32, u32) = (2, 36);

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    let own_linker = env::var_os("RUSTC_LINKER").is_some() || flags.contains("link");
    if own_linker || !is("PROFILE", "release") || !is("TARGET", TARGET) || !is("HOST", TARGET) {
        return;
    }
    println!("cargo:rustc-link-arg-bins=-Wl,--icf=all");
    if glibc().is_some_and(|version| version >= GLIBC) {
        println!("cargo:rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}

/// The version of this machine's C library.
fn glibc() -> Option<(u32, u32)> {
    let output = Command::new("getconf").arg("GNU_LIBC_VERSION").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let (major, minor) = text.strip_prefix("glibc ")?.trim().split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}
