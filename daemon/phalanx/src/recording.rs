//! Recordings as files: what is in them, and what becomes of them. What a daemon records stands in
//! `recordings`.

mod info;
mod list;
mod progress;
mod prune;
mod recover;
pub(crate) mod shown;

use crate::cli::recording::RecordingVerb;
use crate::recorded;
use crate::remote;
use anyhow::Result;
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
        RecordingVerb::Latency(args) => recorded::latency(args)?,
        RecordingVerb::Export(args) => recorded::export(args)?,
        RecordingVerb::Import(args) => recorded::import(args)?,
    }
    Ok(ExitCode::SUCCESS)
}
