//! The daemon. Its life stands in `phalanx::daemon`.

use clap::Parser;
use phalanx::cli::{EXIT_USAGE, Phalanxd};
use std::process::ExitCode;

fn main() -> ExitCode {
    match Phalanxd::try_parse() {
        Ok(args) => phalanx::daemon::run(&args),
        Err(error) => {
            let code = if error.use_stderr() { EXIT_USAGE } else { 0 };
            error.print().unwrap_or_default();
            ExitCode::from(code)
        }
    }
}
