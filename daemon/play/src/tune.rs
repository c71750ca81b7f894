//! `phalanx tune`: a search for better values of parameters, in this process, or on a queue.

use crate::args::{TuneRunArgs, TuneShowArgs, TuneVerb};
use crate::league::{bar, in_usage, stop_at_interrupt};
use crate::progress::ProgressLines;
use crate::queue::{MatchPlayer, QueuedPlan};
use anyhow::{Context, Result};
use indicatif::ProgressBar;
use phalanx_cli::args::OutputArgs;
use phalanx_cli::args::league::named;
use phalanx_cli::failure::MatchInterrupted;
use phalanx_files::Readers;
use phalanx_league::{MatchOutcome, ParamValues, RunOptions};
use phalanx_lua::TUNED_FILE;
use phalanx_tune::{TuneEnd, TuneEvent, TunePlan, TuneProgress, TuneStore};
use phalanxd::league_matches::LeagueSetup;
use phalanxd::tune_matches::{PreparedTune, TuneSetup, prepare};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The report in a run's folder.
const REPORT: &str = "report.md";

/// Runs a verb.
///
/// # Errors
/// When the options do not fit, a strategy cannot play, or a result cannot be kept.
pub fn tune(verb: &TuneVerb) -> Result<()> {
    match verb {
        TuneVerb::Run(args) => run(args),
        TuneVerb::Show(args) => show(args),
    }
}

/// Plays a run, prints its report, and writes proven values into the strategy's folder.
///
/// # Errors
/// When a strategy is invalid, results cannot be kept, or ctrl-c came before the end; what was found
/// until then is printed all the same.
fn run(args: &TuneRunArgs) -> Result<()> {
    let prepared = prepare(&setup(args)?).map_err(in_usage)?;
    let plan = &prepared.plan;
    let folder = args.out.clone().unwrap_or_else(|| PathBuf::from(format!("tune-{}", plan.id())));
    let mut store = TuneStore::open(&folder, plan.clone())?;
    announce(args, &prepared, &folder);
    let stop = Arc::new(AtomicBool::new(false));
    stop_at_interrupt(&stop);
    let bar = bar(&args.print, plan.budget, 0);
    let queued = QueuedPlan::of_tune(plan, folder.clone());
    let player = MatchPlayer::new(&args.queue, queued, &prepared.matches, bar.as_ref(), &stop)?;
    let options = RunOptions { threads: player.threads(args.threads), stop: &stop };
    let mut lines = ProgressLines::new(format!("at most {}", plan.budget));
    let ended = phalanx_tune::run(&mut store, player.play(), &options, &mut |event| {
        watch(bar.as_ref(), event);
        lines.went_on(event.progress.played);
    });
    let why = player.end(matches!(ended, Ok((TuneEnd::Over, _))));
    if let Some(bar) = &bar {
        bar.finish_and_clear();
    }
    let (end, progress) = ended?;
    let report = folder.join(REPORT);
    write(&report, &phalanx_tune::markdown(plan, &progress))?;
    let kept = match progress.proved() {
        Some(values) => Some(keep(args, &prepared, &folder, values, progress.played)?),
        None => None,
    };
    print(&args.print, plan, &progress, &folder, kept.as_deref())?;
    why?;
    match end {
        TuneEnd::Over => Ok(()),
        TuneEnd::Stopped => Err(MatchInterrupted.into()),
    }
}

/// Prints the report of a folder.
///
/// # Errors
/// When the folder holds no run, or standard output fails.
fn show(args: &TuneShowArgs) -> Result<()> {
    let mut store = TuneStore::look(&args.folder)?;
    let (_, progress) = phalanx_tune::show(&mut store)?;
    if let Some(path) = &args.markdown {
        write(path, &phalanx_tune::markdown(store.plan(), &progress))?;
    }
    print(&args.print, store.plan(), &progress, &args.folder, None)
}

/// What the command line wants.
fn setup(args: &TuneRunArgs) -> Result<TuneSetup> {
    let strategy = named(&args.strategy)?;
    let game = phalanx_games::game_of(args.game, Some(Path::new(&strategy.1)));
    Ok(TuneSetup {
        game,
        setup: LeagueSetup::of_matches(game, args.variant.clone(), args.steps, args.worlds)?,
        strategy,
        opponents: args.opponents.iter().map(|text| named(text)).collect::<Result<_>>()?,
        weights: args.weights.clone(),
        tuned: !args.tuned.no_tuned,
        params: args.params.clone(),
        objective: args.objective.map(Into::into),
        seeds: args.seeds,
        swap: !args.no_swap,
        budget: args.budget,
        test: args.test_seeds,
        sprt: args.sprt,
        seed: args.seed,
    })
}

/// What begins, on standard error.
fn announce(args: &TuneRunArgs, prepared: &PreparedTune, folder: &Path) {
    if !args.print.is_text() {
        return;
    }
    let plan = &prepared.plan;
    let names: Vec<_> = plan.dimensions.iter().map(|one| one.name.as_str()).collect();
    let mut text =
        format!("run {} in {}: varies {}", plan.id(), folder.display(), names.join(", "));
    if !prepared.fixed.is_empty() {
        let fixed = prepared.fixed.join(", ");
        text.push_str(&format!("; leaves {fixed}, which declare no range"));
    }
    crate::say(&text);
}

fn watch(bar: Option<&ProgressBar>, event: &TuneEvent<'_>) {
    let Some(bar) = bar else { return };
    if let MatchOutcome::Failed(reason) = event.outcome {
        bar.println(format!("match {} failed: {reason}", event.fixture.number));
    }
    let progress = event.progress;
    bar.set_position(progress.played);
    bar.set_message(match &progress.test {
        Some(test) => {
            let state = test.sprt.state();
            format!("final test: LLR {:.2} of {:.2} to {:.2}", state.llr, state.lower, state.upper)
        }
        None => format!("{} candidates, best {}", progress.candidates.len(), progress.best),
    });
}

/// Writes proven values; says where they are, or why they are not in the strategy's folder.
fn keep(
    args: &TuneRunArgs,
    prepared: &PreparedTune,
    folder: &Path,
    values: &ParamValues,
    played: u64,
) -> Result<String> {
    let (_, source) = named(&args.strategy)?;
    let (source, copy) = (Path::new(&source), folder.join(TUNED_FILE));
    let text = prepared.tuned(values, played).text();
    write(&copy, &text)?;
    let path = source.join(TUNED_FILE);
    if args.tuned.no_tuned && path.exists() {
        return Ok(format!(
            "{} was left alone, since --no-tuned compared with the defaults; the new values are in \
             {}",
            path.display(),
            copy.display()
        ));
    }
    if let Err(why) = prepared.try_in_folder(source, values) {
        let copy = copy.display();
        return Ok(format!(
            "{} was not written: {why:#}\nthe values are in {copy}",
            path.display()
        ));
    }
    // As a whole: a strategy that plays never reads half a file.
    phalanx_files::replace(&path, text.as_bytes(), Readers::Everyone)
        .with_context(|| format!("cannot write {}", path.display()))?;
    Ok(format!("wrote {}", path.display()))
}

fn print(
    print: &OutputArgs,
    plan: &TunePlan,
    progress: &TuneProgress,
    folder: &Path,
    kept: Option<&str>,
) -> Result<()> {
    let mut output = phalanx_tune::json(plan, progress);
    if let Some(keys) = output.as_object_mut() {
        keys.insert("folder".into(), json!(folder.display().to_string()));
        keys.insert("written".into(), json!(kept));
    }
    print.tell(&output, || {
        let mut text = phalanx_tune::table(plan, progress);
        if let Some(kept) = kept {
            text.push_str(&format!("{kept}\n"));
        }
        text
    })
}

fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
