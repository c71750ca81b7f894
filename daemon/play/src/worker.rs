//! `phalanx worker`: plays matches that leagues and tune runs put on a queue.

mod player;
mod process;

use crate::args::WorkerArgs;
use anyhow::{Context, Result};
use phalanx_queue::{WorkerOptions, WorkerTotals, run_worker};
use phalanxd::league_matches::usual_threads;
pub use player::player;
pub(crate) use process::ProcessMatches;
use process::ProcessPlayer;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// Works until it is told to stop, by ctrl-c or SIGTERM.
///
/// # Errors
/// When no server answers at the beginning, or it refuses.
pub fn run(args: &WorkerArgs) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let totals = runtime.block_on(work(args))?;
    let WorkerTotals { played, refused } = totals;
    crate::say(&format!("stopped; {played} matches played, {refused} refused"));
    Ok(())
}

async fn work(args: &WorkerArgs) -> Result<WorkerTotals> {
    let address = args.server.address(&args.nats)?;
    let version = phalanxd::BUILD.to_owned();
    let threads = args.threads.map_or_else(usual_threads, usize::from);
    let program = std::env::current_exe().context("cannot find this program")?;
    let (stop, stopped) = watch::channel(false);
    let mut signals = [signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?];
    tokio::spawn(async move {
        let [interrupt, terminate] = &mut signals;
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        // The worker may have ended.
        stop.send_replace(true);
        stop.closed().await;
    });
    let plural = if threads == 1 { "match" } else { "matches" };
    crate::say(&format!("worker of version {version}: {threads} {plural} at once"));
    let player = || ProcessPlayer::new(program.clone(), args.limits);
    let options = WorkerOptions { version, threads };
    Ok(run_worker(&address, options, player, stopped, crate::say).await?)
}
