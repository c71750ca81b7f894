//! Matches of leagues, tune runs and ladders on a queue, instead of in this process.

use crate::args::QueueArgs;
use anyhow::Result;
use indicatif::ProgressBar;
use phalanx_cli::failure::misused;
use phalanx_ladder::LadderDefinition;
use phalanx_league::{LeagueDefinition, PlayMatch};
use phalanx_queue::{BundleBytes, QueueAddress, QueueRun, QueuedMatches, run_id};
use phalanx_tune::TunePlan;
use phalanxd::bundle_matches::bundle_bytes;
use phalanxd::league_matches::{Matches, usual_threads};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Matches that are on the queue at once by default: enough for a hundred busy cores.
const IN_FLIGHT: usize = 256;
/// How long a run goes on while every worker refuses its matches: enough to install another build.
const REFUSED_MAX: Duration = Duration::from_mins(5);

/// Refuses a game that the processes of workers and ladders do not find by its name.
///
/// # Errors
/// What plays it.
pub(crate) fn check_installed(game: &str) -> Result<()> {
    if phalanx_games::is_installed(game) {
        return Ok(());
    }
    Err(misused(format!(
        "{game} is a game in a folder: workers and ladders cannot play it; play it with `phalanx \
         league run` on this machine, without --nats"
    )))
}

/// What plays the matches.
pub(crate) enum MatchPlayer<'a> {
    Here(&'a Matches),
    Queued(Box<QueuedMatches>),
}

/// A run as the queue knows it.
pub(crate) struct QueuedPlan<'a> {
    pub(crate) run: String,
    pub(crate) game: &'a str,
    pub(crate) setup: &'a BTreeMap<String, String>,
    /// Where the run is kept, if in a folder.
    pub(crate) folder: Option<PathBuf>,
}

impl<'a> QueuedPlan<'a> {
    pub(crate) fn of_league(plan: &'a LeagueDefinition, folder: Option<PathBuf>) -> Self {
        let mut plain = plan.clone();
        plain.players.iter_mut().for_each(|player| player.source.clear());
        Self { run: run_id(&plain), game: &plan.game, setup: &plan.setup, folder }
    }

    pub(crate) fn of_tune(plan: &'a TunePlan, folder: PathBuf) -> Self {
        let mut plain = plan.clone();
        plain.strategy.source.clear();
        plain.opponents.iter_mut().for_each(|opponent| opponent.player.source.clear());
        let folder = Some(folder);
        Self { run: run_id(&plain), game: &plan.game, setup: &plan.setup, folder }
    }

    pub(crate) fn of_ladder(
        ladder: &str,
        plan: &'a LadderDefinition,
        folder: Option<PathBuf>,
    ) -> Self {
        let run = run_id(&("ladder", ladder, plan));
        Self { run, game: &plan.game, setup: &plan.setup, folder }
    }

    /// Opens the queue on this server for players with these bundles.
    ///
    /// # Errors
    /// When the queue cannot be used.
    pub(crate) fn open(
        self,
        server: &QueueAddress,
        bundles: Vec<BundleBytes>,
        bar: Option<&ProgressBar>,
        stop: &AtomicBool,
    ) -> Result<Box<QueuedMatches>> {
        let run = QueueRun {
            run: self.run,
            version: phalanxd::BUILD.to_owned(),
            game: self.game.to_owned(),
            setup: self.setup.clone(),
            bundles,
            refused_max: REFUSED_MAX,
            folder: self.folder,
        };
        let bar = bar.cloned();
        let say = move |line: &str| match &bar {
            Some(bar) => bar.println(line),
            None => crate::say(line),
        };
        Ok(Box::new(QueuedMatches::open(server, run, stop, say)?))
    }
}

impl<'a> MatchPlayer<'a> {
    /// The queue that the command line names, or these matches.
    ///
    /// # Errors
    /// When the queue cannot be used.
    pub(crate) fn new(
        args: &QueueArgs,
        plan: QueuedPlan<'_>,
        matches: &'a Matches,
        bar: Option<&ProgressBar>,
        stop: &AtomicBool,
    ) -> Result<Self> {
        let Some(url) = &args.nats else { return Ok(Self::Here(matches)) };
        check_installed(plan.game)?;
        let bundle = |bundle: &phalanx_lua::Bundle| BundleBytes {
            hash: bundle.hash().to_owned(),
            bytes: bundle_bytes(bundle).into(),
        };
        let bundles = matches.bundles().map(|one| bundle(one)).collect();
        Ok(Self::Queued(plan.open(&args.server.address(url)?, bundles, bar, stop)?))
    }

    pub(crate) fn play(&self) -> &dyn PlayMatch {
        match self {
            Self::Here(matches) => *matches,
            Self::Queued(queue) => queue.as_ref(),
        }
    }

    /// Matches at once.
    pub(crate) fn threads(&self, asked: Option<u16>) -> usize {
        let usual = match self {
            Self::Here(_) => usual_threads(),
            Self::Queued(_) => IN_FLIGHT,
        };
        asked.map_or(usual, usize::from)
    }

    /// Ends the run. `over`: nothing is left to play.
    ///
    /// # Errors
    /// Why it could not go on.
    pub(crate) fn end(self, over: bool) -> Result<()> {
        match self {
            Self::Here(_) => Ok(()),
            Self::Queued(queue) => Ok(queue.end(over)?),
        }
    }
}
