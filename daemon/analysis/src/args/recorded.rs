//! The command lines of `recording latency`, `recording export` and `recording import`.

use super::replay::TurnPlace;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use phalanx_cli::args::OutputArgs;
use phalanx_games::replays::ReplayForm;
use std::path::PathBuf;

/// `phalanx recording latency`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  phalanx recording latency A-assemble-20261122T013000Z.mcap
  phalanx recording latency match.mcap --turn 118        the waterfall of one turn
  phalanx recording latency match.mcap --output json

The stages of a turn follow each other without gaps: received, parsed, handed to the team's thread,
settled, planned, decided, written; then the referee's time until its next request. In matches on
virtual time all stages take no time.")]
pub struct LatencyArgs {
    /// The recording; any file of a recording in several parts.
    pub file: PathBuf,
    /// Show only this turn: STEP or ROUND:STEP.
    #[arg(long, value_name = "TURN")]
    pub turn: Option<TurnPlace>,
    /// How many of the slowest turns are listed.
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub worst: usize,
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

Each row is a decision. The columns are always the same, each has one type, and new columns are
added at the end. Times are milliseconds since the Unix epoch, `spent_us` is in microseconds. A
value that the recording does not contain is empty in CSV and null in JSON.
deploy/notebook/decisions.py reads the file.

A recording that was imported from a replay exports that replay unchanged. A recording of a match
that a team played holds only what its own agents perceived. It cannot become a MASSim replay. For
Bomberland the referee sends the whole replay at the end. For Colosseum the other agents' answers
stay empty.")]
pub struct ExportArgs {
    /// The recording; any file of a recording in several parts.
    pub file: PathBuf,
    /// The format.
    #[arg(long, value_name = "FORM", value_parser = export_forms())]
    pub to: ExportForm,
    /// The new file or folder; it must not exist yet [default: standard output].
    #[arg(long, short = 'o', value_name = "PATH")]
    pub out: Option<PathBuf>,
}

/// The formats of an export.
#[derive(Clone, Copy, Debug)]
pub enum ExportForm {
    /// Decisions as comma-separated values, with a header line.
    Csv,
    /// Decisions, one JSON object per line.
    Jsonl,
    /// Decisions as Parquet.
    Parquet,
    /// A replay in the format of a game's organisers.
    Replay(&'static ReplayForm),
}

/// Reads the form of an export.
fn export_forms() -> impl TypedValueParser<Value = ExportForm> {
    let tables = [
        PossibleValue::new("csv").help("Decisions, comma-separated, with a head line"),
        PossibleValue::new("jsonl").help("Decisions, a JSON object a line"),
        PossibleValue::new("parquet").help("Decisions, for pandas, polars, duckdb and others"),
    ];
    let replay = |form: &'static ReplayForm| PossibleValue::new(form.name).help(form.about);
    let replays = phalanx_games::replay_forms().map(replay);
    PossibleValuesParser::new(tables.into_iter().chain(replays)).map(|name| {
        match phalanx_games::replay_forms().find(|form| form.name == name) {
            Some(form) => ExportForm::Replay(form),
            None if name == "csv" => ExportForm::Csv,
            None if name == "parquet" => ExportForm::Parquet,
            None => ExportForm::Jsonl,
        }
    })
}

/// `phalanx recording import`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  phalanx recording import replays/2021-03-16-12-48-31-1615895311163_A_B --out contest.mcap
  phalanx recording import replay.json --team b
  phalanx replay contest.mcap

The command reads replay folders of MASSim, replay.json of Bomberland and JSON lines of Colosseum.
The recording contains the actions of the team's agents, their results, the score, the world after
every fifth step, and the replay itself: exporting it gives the same bytes. It cannot be decided
again, since a replay does not contain what each agent perceived.")]
pub struct ImportArgs {
    /// The replay: a folder or a file.
    #[arg(value_name = "PATH")]
    pub path: PathBuf,
    /// The new recording; it must not exist yet [default: named after team and game, in the current
    /// folder].
    #[arg(long, short = 'o', value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// The side to record: a team; in Bomberland and Colosseum an agent [default: the first one].
    #[arg(long, value_name = "NAME")]
    pub team: Option<String>,
}
