//! The command lines of what is taken out of recordings.

use super::OutputArgs;
use super::replay::TurnPlace;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// `phalanx recording latency`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  phalanx recording latency A-assemble-20261122T013000Z.mcap
  phalanx recording latency match.mcap --turn 118        the waterfall of one turn
  phalanx recording latency match.mcap --output json

The stages of a turn follow each other without gaps: received, parsed, handed to the team's thread,
settled, planned, decided, written; then the referee's time until its next request. Matches on virtual
time take none.")]
pub struct LatencyArgs {
    /// The recording; of one in several parts, any of them.
    pub file: PathBuf,
    /// Only this turn: STEP or ROUND.STEP.
    #[arg(long, value_name = "TURN")]
    pub turn: Option<TurnPlace>,
    /// How many of the worst turns are listed.
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub worst: usize,
    /// How it is printed.
    #[command(flatten)]
    pub print: OutputArgs,
}

/// `phalanx recording export`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  phalanx recording export match.mcap --to csv --out decisions.csv
  phalanx recording export match.mcap --to jsonl | head -1
  phalanx recording export match.mcap --to bomberland --out replay.json

A row a decision, with the same columns always, each of one type; new columns come at the end. Times are
milliseconds after the Unix epoch, `spent_us` microseconds. What a recording does not tell is empty in
CSV and null in JSON. deploy/notebook/decisions.py reads it.

Replays come out of recordings that were imported, as they were. Of a match that a team played it knows
only what its own agents perceived: that makes no replay of MASSim; Bomberland's referee sends the whole
replay at the end, and of Colosseum the answers of the other agents are left empty.")]
pub struct ExportArgs {
    /// The recording; of one in several parts, any of them.
    pub file: PathBuf,
    /// As what.
    #[arg(long, value_name = "FORM", value_enum)]
    pub to: ExportForm,
    /// Where to; it must not be there yet [default: standard output].
    #[arg(long, short = 'o', value_name = "PATH")]
    pub out: Option<PathBuf>,
}

/// The forms of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExportForm {
    /// Decisions, comma-separated, with a head line.
    Csv,
    /// Decisions, a JSON object a line.
    Jsonl,
    /// A replay folder of MASSim.
    Massim,
    /// A replay file of Bomberland.
    Bomberland,
    /// A replay file of Colosseum.
    Colosseum,
}

/// `phalanx recording import`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  phalanx recording import replays/2021-03-16-12-48-31-1615895311163_A_B --out contest.mcap
  phalanx recording import replay.json --team b
  phalanx replay contest.mcap

Reads replay folders of MASSim, replay.json of Bomberland and JSON lines of Colosseum. The recording has
what the team's agents did, what came of it, the score, the world after each fifth step, and the replay
itself: exported again it is the same, byte for byte. It cannot be decided again: a replay does not tell
what each agent perceived.")]
pub struct ImportArgs {
    /// The replay: a folder or a file.
    #[arg(value_name = "PATH")]
    pub path: PathBuf,
    /// The new recording, which must not be there yet [default: named after team and game, in the
    /// current folder].
    #[arg(long, short = 'o', value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// From whose side: a team, in Bomberland and Colosseum an agent [default: the first one].
    #[arg(long, value_name = "NAME")]
    pub team: Option<String>,
}
