//! The verbs for recordings as files: inspect, copy, repair, delete. See `recordings` for what the
//! daemon records.

mod info;
mod list;
mod progress;
mod prune;
mod recover;
mod shown;

use crate::args::recording::RecordingVerb;
use crate::extracts;
use anyhow::Result;
use phalanx_cli::remote;
use std::process::ExitCode;

/// `phalanx recording …`.
///
/// # Errors
/// When a file or folder cannot be read or written.
pub fn run(verb: &RecordingVerb) -> Result<ExitCode> {
    match verb {
        RecordingVerb::List(args) => list::run(args)?,
        RecordingVerb::Info(args) => return info::run(args),
        RecordingVerb::Fetch(args) => remote::fetch(args)?,
        RecordingVerb::Dump(args) => remote::dump_recording(args)?,
        RecordingVerb::Delete(args) => remote::delete_recording(args)?,
        RecordingVerb::Recover(args) => recover::run(args)?,
        RecordingVerb::Prune(args) => return prune::run(args),
        RecordingVerb::Latency(args) => extracts::latency(args)?,
        RecordingVerb::Export(args) => extracts::export(args)?,
        RecordingVerb::Import(args) => extracts::import(args)?,
    }
    Ok(ExitCode::SUCCESS)
}
