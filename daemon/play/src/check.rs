//! `phalanx check`: everything of a daemon's configuration that can be checked without playing.

use crate::args::CheckArgs;
use phalanx_cli::failure::EXIT_USAGE;
use phalanxd::check::load;
use std::process::ExitCode;

/// `phalanx check`.
#[must_use]
pub fn run(args: &CheckArgs) -> ExitCode {
    let mut findings = load(&args.config, &[]);
    findings.try_all();
    findings.print();
    match findings.playable() {
        Some(_) => ExitCode::SUCCESS,
        None => ExitCode::from(EXIT_USAGE),
    }
}
