//! `phalanx league run`: a league in this process, or on a queue.

mod dataset;

use crate::args::RunArgs;
use crate::progress::ProgressLines;
use crate::queue::{MatchPlayer, QueuedPlan};
use anyhow::{Context, Result, bail};
use dataset::DatasetMatches;
use indicatif::{ProgressBar, ProgressStyle};
use phalanx_cli::args::OutputArgs;
use phalanx_cli::args::league::LeagueArgs;
use phalanx_cli::failure::{MatchInterrupted, misused};
use phalanx_league::{LeagueEnd, LeagueStore, MatchOutcome, MatchPlayed, PlayMatch, RunOptions};
use phalanxd::league_matches::{LeagueSetup, UnfitLeague, prepare};
use std::fs::OpenOptions;
use std::io::IsTerminal;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Plays a league and prints its table.
///
/// # Errors
/// When a strategy is invalid, results cannot be kept, or ctrl-c came before the end; the matches
/// played until then are printed all the same.
pub fn run(args: &RunArgs) -> Result<()> {
    if args.dataset.is_some() && args.queue.nats.is_some() {
        return Err(misused(
            "--dataset needs the decisions of each match, and workers send scores only: leave \
             --nats out",
        ));
    }
    let (plan, matches) = prepare(&setup(&args.league, args.tuned.no_tuned)?).map_err(in_usage)?;
    if let Some(path) = &args.markdown {
        can_be_written("--markdown", path)?;
    }
    let mut store = match &args.folder {
        Some(folder) => LeagueStore::open(folder, plan)?,
        None => LeagueStore::in_memory(plan),
    };
    let stop = Arc::new(AtomicBool::new(false));
    stop_at_interrupt(&stop);
    let bar = bar(&args.print, store.plan().matches(), store.tally().played());
    let plan = QueuedPlan::of_league(store.plan(), args.folder.clone());
    let player = MatchPlayer::new(&args.queue, plan, &matches, bar.as_ref(), &stop)?;
    let standing = store.tally().standing();
    let dataset = |folder| DatasetMatches::new(folder, store.plan(), &matches, &standing);
    let dataset = args.dataset.as_deref().map(dataset).transpose()?;
    let play: &dyn PlayMatch = match &dataset {
        Some(dataset) => dataset,
        None => player.play(),
    };
    let options = RunOptions { threads: player.threads(args.threads), stop: &stop };
    let mut lines = ProgressLines::new(store.plan().matches().to_string());
    let ended = phalanx_league::run(&mut store, play, &options, &mut |event| {
        show(bar.as_ref(), event);
        lines.went_on(event.standing.played);
    });
    let why = player.end(matches!(ended, Ok(LeagueEnd::Over)));
    if let Some(bar) = &bar {
        bar.finish_and_clear();
    }
    let end = ended?;
    let (plan, tally) = (store.plan(), store.tally());
    let standing = tally.standing();
    args.print.tell(&phalanx_league::json(plan, tally), || phalanx_league::table(&standing))?;
    if let Some(path) = &args.markdown {
        std::fs::write(path, phalanx_league::markdown(plan, tally))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    why?;
    if let Some(dataset) = &dataset {
        dataset.finish(tally.played())?;
    }
    match end {
        LeagueEnd::Over if standing.counts_nothing() => {
            bail!("no match can be counted: {} failed", standing.failed)
        }
        LeagueEnd::Over => Ok(()),
        LeagueEnd::Stopped => Err(interrupted(tally.played(), plan.matches(), args)),
    }
}

/// A file that cannot be written is better known before the matches than after them. What it holds
/// stays until then.
fn can_be_written(option: &str, path: &Path) -> Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        let (path, folder) = (path.display(), folder.display());
        return Err(misused(format!("{option} {path}: there is no folder {folder}")));
    }
    if path.exists() && !path.is_file() && !path.is_dir() {
        // A pipe waits for its reader, a terminal needs no trial.
        return Ok(());
    }
    let opened = OpenOptions::new().write(true).create(true).truncate(false).open(path);
    opened.map(drop).with_context(|| format!("{option}: cannot write {}", path.display()))
}

/// How far an interrupted league is, and whether it can be continued.
fn interrupted(played: u64, all: u64, args: &RunArgs) -> anyhow::Error {
    let kept = match args.folder {
        Some(_) => "the same command continues",
        None => "no results were kept; with --folder DIR, the same command would continue",
    };
    let text = format!("interrupted after {played} of {all} matches: {kept}");
    anyhow::Error::from(MatchInterrupted).context(text)
}

/// What the command line wants.
fn setup(args: &LeagueArgs, no_tuned: bool) -> Result<LeagueSetup> {
    let strategies = args.players()?;
    let game = args.game_of(&strategies);
    Ok(LeagueSetup {
        game,
        setup: LeagueSetup::of_matches(game, args.variant.clone(), args.steps, args.worlds)?,
        strategies,
        tuned: !no_tuned,
        first_against_all: args.first_against_all,
        seeds: args.seeds,
        swap: !args.no_swap,
        sprt: args.sprt,
    })
}

/// A setup that makes no league is a mistake of the command line.
pub(crate) fn in_usage(error: anyhow::Error) -> anyhow::Error {
    error.downcast::<UnfitLeague>().map_or_else(|error| error, misused)
}

/// Sets the flag at ctrl-c: matches stop with their next step.
pub(crate) fn stop_at_interrupt(stop: &Arc<AtomicBool>) {
    let stop = Arc::clone(stop);
    // The thread is left behind when the process ends; it holds nothing to clean up.
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let Ok(runtime) = runtime else { return };
        if runtime.block_on(tokio::signal::ctrl_c()).is_ok() {
            stop.store(true, Ordering::Relaxed);
        }
    });
}

/// The progress of matches, on a terminal.
pub(crate) fn bar(print: &OutputArgs, matches: u64, played: u64) -> Option<ProgressBar> {
    let shown = std::io::stderr().is_terminal() && !print.is_json_asked();
    let bar = shown.then(|| ProgressBar::new(matches))?;
    let style = ProgressStyle::with_template("{pos:>6}/{len} {bar:24} {elapsed} {wide_msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.set_position(played);
    Some(bar)
}

fn show(bar: Option<&ProgressBar>, event: &MatchPlayed<'_>) {
    let Some(bar) = bar else { return };
    if let MatchOutcome::Failed(reason) = event.outcome {
        bar.println(format!("match {} failed: {reason}", event.fixture.number));
    }
    let lead = event.standing.rows.iter().take(3);
    let lead =
        lead.map(|row| format!("{} {:+.0} ±{:.0}", row.name, row.rating.elo, row.rating.error));
    bar.set_position(event.standing.played);
    bar.set_message(lead.collect::<Vec<_>>().join(", "));
}
