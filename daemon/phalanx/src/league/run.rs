//! `phalanx league run`: a league in this process.

use super::{Wish, prepare};
use crate::cli::league::RunArgs;
use crate::demo::Interrupted;
use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};
use phalanx_league::{End, Event, Outcome, RunOptions, Store};
use std::io::IsTerminal;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Plays a league and prints its table.
///
/// # Errors
/// When a strategy may not play, results cannot be kept, or ctrl-c came before the end: what was
/// played until then is printed all the same.
pub fn run(args: &RunArgs) -> Result<()> {
    let (plan, matches) = prepare(&Wish::of(&args.league)?)?;
    let mut store = match &args.folder {
        Some(folder) => Store::open(folder, plan)?,
        None => Store::in_memory(plan),
    };
    let stop = Arc::new(AtomicBool::new(false));
    stop_at_interrupt(&stop);
    let threads = args.threads.map_or_else(usual_threads, usize::from);
    let bar = bar(args, &store);
    let options = RunOptions { threads, stop: &stop };
    let end = phalanx_league::run(&mut store, &matches, &options, &mut |event| {
        show(bar.as_ref(), event);
    })?;
    if let Some(bar) = &bar {
        bar.finish_and_clear();
    }
    let (plan, tally) = (store.plan(), store.tally());
    if let Some(path) = &args.markdown {
        std::fs::write(path, phalanx_league::markdown(plan, tally))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    let text = || phalanx_league::table(&tally.standing());
    args.print.tell(&phalanx_league::json(plan, tally), text)?;
    match end {
        End::Over => Ok(()),
        End::Stopped => Err(Interrupted.into()),
    }
}

/// One match a core; one core is left to others.
pub(crate) fn usual_threads() -> usize {
    std::thread::available_parallelism().map_or(1, NonZeroUsize::get).saturating_sub(1).max(1)
}

/// Sets the flag at ctrl-c: the league stops with the next step of its matches.
fn stop_at_interrupt(stop: &Arc<AtomicBool>) {
    let stop = Arc::clone(stop);
    // Left behind when the process ends: nothing of it has to be put in order.
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let Ok(runtime) = runtime else { return };
        if runtime.block_on(tokio::signal::ctrl_c()).is_ok() {
            stop.store(true, Ordering::Relaxed);
        }
    });
}

fn bar(args: &RunArgs, store: &Store) -> Option<ProgressBar> {
    let shown = std::io::stderr().is_terminal() && !args.print.is_json_asked();
    let bar = shown.then(|| ProgressBar::new(store.plan().matches()))?;
    let style = ProgressStyle::with_template("{pos:>6}/{len} {bar:24} {elapsed} {wide_msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.set_position(store.tally().played());
    Some(bar)
}

fn show(bar: Option<&ProgressBar>, event: &Event<'_>) {
    let Some(bar) = bar else { return };
    if let Outcome::Failed(reason) = event.outcome {
        bar.println(format!("match {} failed: {reason}", event.fixture.number));
    }
    let lead = event.standing.rows.iter().take(3);
    let lead =
        lead.map(|row| format!("{} {:+.0} ±{:.0}", row.name, row.rating.elo, row.rating.error));
    bar.set_position(event.standing.played);
    bar.set_message(lead.collect::<Vec<_>>().join(", "));
}
