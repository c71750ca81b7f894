//! `phalanx chaos`: matches under faults, in this process.

use crate::args::{ChaosPlayArgs, ChaosRunArgs, ChaosVerb};
use crate::league::{bar, stop_at_interrupt};
use anyhow::{Context, Result, bail};
use phalanx_chaos::{ChaosPlan, ChaosReport, FaultPlan, Ground, Scenario};
use phalanx_cli::failure::{MatchInterrupted, misused};
use phalanxd::league_matches::usual_threads;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Runs a verb.
///
/// # Errors
/// When a promise was broken, a file has mistakes, or ctrl-c came before the end.
pub fn chaos(verb: &ChaosVerb) -> Result<()> {
    match verb {
        ChaosVerb::Run(args) => run(args),
        ChaosVerb::Play(args) => play(args),
    }
}

/// The memory of a match, with its recording.
const MATCH_BYTES: u64 = 256 << 20;

/// This number of matches at once, or as many as there is memory for; not known: all.
fn fitting(threads: usize, available: Option<u64>) -> Result<usize> {
    let Some(available) = available else { return Ok(threads) };
    let room = usize::try_from(available / MATCH_BYTES).unwrap_or(usize::MAX);
    if room == 0 {
        let [needed, found] = [MATCH_BYTES >> 20, available >> 20];
        bail!("too little memory: a match needs {needed} MiB, and {found} MiB are available");
    }
    Ok(threads.min(room))
}

fn run(args: &ChaosRunArgs) -> Result<()> {
    let is_asked = |game: &&&str| args.game == "all" || args.game == ***game;
    let games = phalanx_games::GAMES.iter().filter(is_asked);
    let grounds: Result<_, _> = games.map(|game| Ground::new(game, args.steps)).collect();
    let asked = args.threads.map_or_else(usual_threads, usize::from);
    let threads = fitting(asked, crate::doctor::memory_available())?;
    if threads < asked {
        crate::say(&format!("only {threads} matches at once: there is no memory for {asked}"));
    }
    let faults = args.faults.as_deref().map(|given| {
        let text = crate::faults::text(given)?;
        FaultPlan::read(&text, given, &args.game).map_err(misused)
    });
    let faults: Option<FaultPlan> = faults.transpose()?;
    let (from, seeds) = (args.from, args.seeds);
    let plan = ChaosPlan { grounds: grounds?, from, seeds, threads, faults };
    if let Some(folder) = &args.save {
        let failed = || format!("cannot make {}", folder.display());
        std::fs::create_dir_all(folder).with_context(failed)?;
    }
    let stop = Arc::new(AtomicBool::new(false));
    stop_at_interrupt(&stop);
    let bar = bar(&args.print, plan.matches(), 0);
    let report = phalanx_chaos::run(&plan, &stop, &|| (), &mut |report| {
        if let Some(bar) = &bar {
            bar.set_position(report.matches());
            let (turns, failed) = (report.agent_turns(), report.failed());
            bar.set_message(format!("{turns} agent-turns, {failed} broke a promise"));
        }
    });
    if let Some(bar) = &bar {
        bar.finish_and_clear();
    }
    let report = report?;
    args.print.tell(&phalanx_chaos::json(&report), || phalanx_chaos::table(&report))?;
    if let Some(folder) = &args.save {
        save(folder, &report)?;
    }
    if report.failed() > 0 {
        bail!("{} of {} matches broke a promise", report.failed(), report.matches());
    }
    if report.stopped {
        return Err(MatchInterrupted.into());
    }
    Ok(())
}

/// Writes each failing seed as a scenario file.
fn save(folder: &Path, report: &ChaosReport) -> Result<()> {
    for failure in &report.failures {
        let scenario = &failure.shrunk.scenario;
        let path = folder.join(format!("{}-{}.toml", scenario.game, failure.seed));
        let text = format!("# {}\n{}", failure.shrunk.violation, scenario.text());
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        crate::say(&format!("wrote {}", path.display()));
    }
    Ok(())
}

fn play(args: &ChaosPlayArgs) -> Result<()> {
    let name = args.file.display().to_string();
    let text =
        std::fs::read_to_string(&args.file).with_context(|| format!("cannot read {name}"))?;
    let scenario = Scenario::read(&text, &name).map_err(misused)?;
    let stop = Arc::new(AtomicBool::new(false));
    stop_at_interrupt(&stop);
    let outcome = phalanx_chaos::play(&scenario, &stop)?;
    let value = serde_json::to_value(&outcome)?;
    args.print.tell(&value, || phalanx_chaos::described(&outcome))?;
    match (outcome.violations.first(), outcome.stopped) {
        (Some(violation), _) => bail!("{violation}"),
        (None, true) => Err(MatchInterrupted.into()),
        (None, false) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_matches_are_played_at_once_than_there_is_memory_for() {
        let gib = |count: u64| Some(count << 30);
        assert_eq!(fitting(4, gib(8)).unwrap(), 4);
        assert_eq!(fitting(64, gib(1)).unwrap(), 4);
        assert_eq!(fitting(3, None).unwrap(), 3);
        let error = fitting(1, Some(100 << 20)).unwrap_err().to_string();
        assert_eq!(error, "too little memory: a match needs 256 MiB, and 100 MiB are available");
    }
}
