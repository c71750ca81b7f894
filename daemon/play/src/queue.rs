//! Matches of leagues and tune runs on a queue, instead of in this process.

use crate::args::QueueArgs;
use anyhow::Result;
use indicatif::ProgressBar;
use phalanx_league::{LeagueDefinition, PlayMatch};
use phalanx_queue::{BundleBytes, QueueRun, QueuedMatches, run_id};
use phalanx_tune::TunePlan;
use phalanxd::bundle_matches::bundle_bytes;
use phalanxd::league_matches::{Matches, usual_threads};
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

/// Matches that are on the queue at once by default: enough for a hundred busy cores.
const IN_FLIGHT: usize = 256;

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
}

impl<'a> QueuedPlan<'a> {
    pub(crate) fn of_league(plan: &'a LeagueDefinition) -> Self {
        let mut plain = plan.clone();
        plain.players.iter_mut().for_each(|player| player.source.clear());
        Self { run: run_id(&plain), game: &plan.game, setup: &plan.setup }
    }

    pub(crate) fn of_tune(plan: &'a TunePlan) -> Self {
        let mut plain = plan.clone();
        plain.strategy.source.clear();
        plain.opponents.iter_mut().for_each(|opponent| opponent.player.source.clear());
        Self { run: run_id(&plain), game: &plan.game, setup: &plan.setup }
    }
}

impl<'a> MatchPlayer<'a> {
    /// The queue that the command line names, or these matches.
    ///
    /// # Errors
    /// When the queue cannot be used.
    pub(crate) fn new(
        args: &QueueArgs,
        plan: &QueuedPlan<'_>,
        matches: &'a Matches,
        bar: Option<&ProgressBar>,
        stop: &AtomicBool,
    ) -> Result<Self> {
        let Some(url) = &args.nats else { return Ok(Self::Here(matches)) };
        let bundle = |bundle: &phalanx_lua::Bundle| BundleBytes {
            hash: bundle.hash().to_owned(),
            bytes: bundle_bytes(bundle).into(),
        };
        let run = QueueRun {
            run: plan.run.clone(),
            version: phalanxd::BUILD.to_owned(),
            game: plan.game.to_owned(),
            setup: plan.setup.clone(),
            bundles: matches.bundles().map(|one| bundle(one)).collect(),
        };
        let bar = bar.cloned();
        let say = move |line: &str| match &bar {
            Some(bar) => bar.println(line),
            None => crate::say(line),
        };
        let queue = QueuedMatches::open(&args.server.address(url)?, run, stop, say)?;
        Ok(Self::Queued(Box::new(queue)))
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
