//! The command line of `phalanx recording`.

use super::recorded::{ExportArgs, ImportArgs, LatencyArgs};
use super::{OutputArgs, Remote, duration};
use clap::{ArgGroup, Args, Subcommand};
use std::path::PathBuf;
use std::time::Duration;

/// `phalanx recording`.
#[derive(Debug, Subcommand)]
pub enum RecordingVerb {
    /// One line for each recording of a folder, or of a running daemon.
    List(ListRecordingsArgs),
    /// What is in a recording: how long, how many turns, which channels, what is missing.
    Info(RecordingInfoArgs),
    /// Copy a recording from a running daemon; a copy that broke off goes on.
    Fetch(FetchArgs),
    /// Have a running daemon write what the flight recorder of a team holds.
    Dump(DumpArgs),
    /// Delete a recording of a running daemon.
    Delete(DeleteRecordingArgs),
    /// Make a whole file, with an index, of what is left of a recording.
    Recover(RecoverArgs),
    /// Delete the oldest recordings of a folder, until the rest is small or young enough.
    Prune(PruneArgs),
    /// Where the time of each turn went: bars, distributions, the worst turns.
    Latency(LatencyArgs),
    /// Write what other programs read: tables of decisions, replays in the organisers' formats.
    Export(ExportArgs),
    /// Make a recording of somebody's replay.
    Import(ImportArgs),
}

/// `phalanx recording list`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  phalanx recording list                      those of the running daemon
  phalanx recording list /var/lib/phalanx/recordings
  phalanx recording list . --output json

A recording is `whole` when it was ended as it should be, `written` as long as somebody writes it, and
`open` when its end is missing: the daemon was killed, or the disk was full. An open one can be read up
to the last two seconds or so; `phalanx recording recover` makes a whole one of it.")]
pub struct ListRecordingsArgs {
    /// The folder [default: that of the running daemon, which is asked].
    pub dir: Option<PathBuf>,
    /// Where and how.
    #[command(flatten)]
    pub remote: Remote,
}

/// `phalanx recording info`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  phalanx recording info A-assemble-20261122T013000Z.mcap
  phalanx recording info A-assemble-20261122T013000Z.mcap --check && echo nothing is missing
  phalanx recording info A-assemble-20261122T013000Z      one of the running daemon

The files are MCAP: any tool for it opens them as well. A recording of several parts (NAME.mcap,
NAME.2.mcap, …) is named by any of them.

Exit codes: 0 it can be read; 1 it cannot, or with --check something is missing or damaged.")]
pub struct RecordingInfoArgs {
    /// Any file of the recording (it has a `/` or ends with .mcap); else a name of the daemon's list.
    pub recording: String,
    /// Read all of it, checksums included, even where its index tells enough; something missing or
    /// damaged is a failure. Only for files.
    #[arg(long)]
    pub check: bool,
    /// Where and how.
    #[command(flatten)]
    pub remote: Remote,
}

/// `phalanx recording fetch`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  phalanx recording fetch A-assemble-20261122T013000Z
  phalanx recording fetch A-assemble-20261122T013000Z --to films --control https://host:7420

The same command goes on where it broke off, and takes what a recording that is still written got
meanwhile.")]
pub struct FetchArgs {
    /// Its name, as the list shows it.
    pub recording: String,
    /// Into this folder; it is made where there is none.
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

For a daemon with recordings.mode = \"flight\": it keeps the last of what happened in memory, and writes
it by itself when something goes wrong. The team plays on, and its recorder goes on.")]
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
    /// Its name, as the list shows it.
    pub recording: String,
    /// Where and how.
    #[command(flatten)]
    pub remote: Remote,
}

/// `phalanx recording recover`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Example:
  phalanx recording recover A-assemble-20261122T013000Z.mcap

All parts become one file; the old ones stay as they are. What cannot be read is left out and told, and
a gap stands in its place. Exit codes: 0 there is a whole file; 1 nothing can be read, or the new file
cannot be written.")]
pub struct RecoverArgs {
    /// Any file of the recording.
    pub file: PathBuf,
    /// The new file, which must not be there yet [default: NAME.recovered.mcap beside the old one].
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// How it is printed.
    #[command(flatten)]
    pub print: OutputArgs,
}

/// `phalanx recording prune`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  phalanx recording prune /var/lib/phalanx/recordings --keep-size 5GiB --dry-run
  phalanx recording prune . --keep-age 7days

A recording goes with all its parts, never while it is written. Files whose names are not those of
recordings (TEAM-GAME-TIME.mcap) stay. The daemon does the same by itself: see recordings.keep_size and
recordings.keep_age of its settings. Exit codes: 0 done; 1 something could not be deleted.")]
#[command(group = ArgGroup::new("policy").required(true).multiple(true))]
pub struct PruneArgs {
    /// The folder.
    pub dir: PathBuf,
    /// All recordings together may have this size, for example 500MiB or 5GiB.
    #[arg(long, value_name = "SIZE", value_parser = size, group = "policy")]
    pub keep_size: Option<u64>,
    /// None may have been written last longer ago than this, for example 12h or 7days.
    #[arg(long, value_name = "DURATION", value_parser = duration, group = "policy")]
    pub keep_age: Option<Duration>,
    /// Only tell what would be deleted.
    #[arg(long)]
    pub dry_run: bool,
    /// How it is printed.
    #[command(flatten)]
    pub print: OutputArgs,
}

/// Reads `500MiB`.
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
