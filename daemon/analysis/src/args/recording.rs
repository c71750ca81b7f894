//! The command line of `phalanx recording`.

use super::recorded::{ExportArgs, ImportArgs, LatencyArgs};
use clap::{ArgGroup, Args, Subcommand};
use phalanx_cli::args::recording::{DeleteRecordingArgs, DumpArgs, FetchArgs};
use phalanx_cli::args::{OutputArgs, Remote, duration};
use std::path::PathBuf;
use std::time::Duration;

/// `phalanx recording`.
#[derive(Debug, Subcommand)]
pub enum RecordingVerb {
    /// List the recordings in a folder, or those of a running daemon.
    List(ListRecordingsArgs),
    /// Show what a recording contains: duration, turns, channels, and what is missing.
    Info(RecordingInfoArgs),
    /// Copy a recording from a running daemon; run it again to continue an interrupted copy.
    Fetch(FetchArgs),
    /// Write a file of what the flight recorder of a running team holds.
    Dump(DumpArgs),
    /// Delete a recording of a running daemon.
    Delete(DeleteRecordingArgs),
    /// Repair a recording: write a complete file, with an index, of what can be read.
    Recover(RecoverArgs),
    /// Delete the oldest recordings in a folder until the rest is small or young enough.
    Prune(PruneArgs),
    /// Show where the time of each turn went: bars, distributions, the slowest turns.
    Latency(LatencyArgs),
    /// Export a recording for other programs: tables of decisions, replays in the organisers'
    /// formats.
    Export(ExportArgs),
    /// Make a recording from a referee's replay.
    Import(ImportArgs),
}

/// `phalanx recording list`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  phalanx recording list                      the recordings of the running daemon
  phalanx recording list /var/lib/phalanx/recordings
  phalanx recording list . --output json

STATE is `whole` when the recording was closed properly, `recording` while it is being written, and
`cut off` when its end is missing because the daemon was killed or the disk was full. You can read a
recording that is cut off up to about its last two seconds; `phalanx recording recover` writes a
whole one from it.")]
pub struct ListRecordingsArgs {
    /// The folder [default: ask the running daemon for its recordings].
    pub dir: Option<PathBuf>,
    #[command(flatten)]
    pub remote: Remote,
}

/// `phalanx recording info`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  phalanx recording info A-assemble-20261122T013000Z.mcap
  phalanx recording info A-assemble-20261122T013000Z.mcap --check && echo nothing is missing
  phalanx recording info A-assemble-20261122T013000Z      a recording of the running daemon

The files are MCAP, which other tools open as well. To name a recording of several parts (NAME.mcap,
NAME.2.mcap, …), give any of its files.

Exit codes: 0 it can be read; 1 it cannot, or --check found something missing or damaged.")]
pub struct RecordingInfoArgs {
    /// A file of the recording (with a `/`, or ending in .mcap); otherwise a name that the daemon
    /// lists.
    pub recording: String,
    /// Read the whole file and verify its checksums, even if the index is enough; missing or
    /// damaged data is a failure. Only for files.
    #[arg(long)]
    pub check: bool,
    #[command(flatten)]
    pub remote: Remote,
}

/// `phalanx recording recover`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Example:
  phalanx recording recover A-assemble-20261122T013000Z.mcap

The command merges all parts into one new file and leaves the old ones as they are. It skips what
cannot be read, reports it, and marks a gap in its place. Exit codes: 0 the new file is whole; 1
nothing can be read, or the new file cannot be written.")]
pub struct RecoverArgs {
    /// Any file of the recording.
    pub file: PathBuf,
    /// The new file; it must not exist yet [default: NAME.recovered.mcap beside the old one].
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub print: OutputArgs,
}

/// `phalanx recording prune`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  phalanx recording prune /var/lib/phalanx/recordings --keep-size 5GiB --dry-run
  phalanx recording prune . --keep-age 7days

A recording is deleted with all its parts, but never while it is being written. Files that are not
named like recordings (TEAM-GAME-TIME.mcap) stay. The daemon can do the same by itself: see
recordings.keep_size and recordings.keep_age. Exit codes: 0 done; 1 a file could not be deleted.")]
#[command(group = ArgGroup::new("policy").required(true).multiple(true))]
pub struct PruneArgs {
    /// The folder with the recordings.
    pub dir: PathBuf,
    /// Delete the oldest recordings until all of them together have at most this size, for example
    /// 500MiB or 5GiB.
    #[arg(long, value_name = "SIZE", value_parser = size, group = "policy")]
    pub keep_size: Option<u64>,
    /// Delete recordings last written longer ago than this, for example 12h or 7days.
    #[arg(long, value_name = "DURATION", value_parser = duration, group = "policy")]
    pub keep_age: Option<Duration>,
    /// Only list what would be deleted.
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub print: OutputArgs,
}

/// Parses `500MiB`.
fn size(text: &str) -> Result<u64, String> {
    let units = [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10), ("B", 0)];
    let read = units.iter().find_map(|(unit, shift)| {
        let number = text.strip_suffix(unit)?.trim_end().parse::<u64>().ok()?;
        number.checked_mul(1 << shift)
    });
    read.ok_or_else(|| format!("{text:?}: a size needs a unit, for example 500MiB or 5GiB"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_needs_a_unit() {
        assert_eq!(size("5GiB"), Ok(5 << 30));
        assert_eq!(size("500 MiB"), Ok(500 << 20));
        assert_eq!(size("0B"), Ok(0));
        for bad in ["", "5", "5GB", "-1MiB", "1.5GiB", "99999999TiB", "MiB"] {
            assert!(size(bad).is_err(), "{bad}");
        }
    }
}
