//! The command lines of the verbs around the recordings of a daemon.

use super::Remote;
use clap::Args;
use std::path::PathBuf;

/// `phalanx recording fetch`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  phalanx recording fetch A-assemble-20261122T013000Z
  phalanx recording fetch A-assemble-20261122T013000Z --to films --control https://host:7420

Run the same command again to continue an interrupted copy, or to fetch what was added to a
recording that is still being written.")]
pub struct FetchArgs {
    /// The recording's name, see `phalanx recording list`.
    pub recording: String,
    /// The folder to write into; it is created if necessary.
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub to: PathBuf,
    /// Where and how.
    #[command(flatten)]
    pub remote: Remote,
}

/// `phalanx recording dump`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Example:
  phalanx recording dump A

For a daemon with recordings.mode = \"flight\": its flight recorder keeps the last turns in memory
and writes them by itself when something goes wrong. The team plays on, and so does its recorder.")]
pub struct DumpArgs {
    /// The team's name [default: the only team].
    pub team: Option<String>,
    /// Where and how.
    #[command(flatten)]
    pub remote: Remote,
}

/// `phalanx recording delete`.
#[derive(Args, Clone, Debug)]
pub struct DeleteRecordingArgs {
    /// The recording's name, see `phalanx recording list`.
    pub recording: String,
    /// Where and how.
    #[command(flatten)]
    pub remote: Remote,
}
