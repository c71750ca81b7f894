//! What plays the matches of a ladder: processes on this machine, or workers.

use crate::args::LadderMatchArgs;
use crate::queue::QueuedPlan;
use crate::worker::ProcessMatches;
use anyhow::{Context, Result};
use indicatif::ProgressBar;
use phalanx_ladder::{Ladder, LadderPlace};
use phalanx_league::PlayMatch;
use phalanx_queue::{BundleBytes, QueueError, QueuedMatches};
use phalanxd::league_matches::usual_threads;
use std::sync::atomic::AtomicBool;

pub(super) enum LadderPlayer {
    Here(Box<ProcessMatches>),
    Queued(Box<QueuedMatches>),
}

impl LadderPlayer {
    /// The queue that the command line names, or this machine.
    ///
    /// # Errors
    /// When the queue cannot be used.
    pub(super) fn new(
        args: &LadderMatchArgs,
        ladder: &Ladder,
        bar: Option<&ProgressBar>,
        stop: &AtomicBool,
    ) -> Result<Self> {
        let definition = ladder.definition().context("what the ladder plays")?;
        let Some(url) = args.server.nats.as_ref().filter(|_| !args.here) else {
            // Otherwise every match fails, and all strategies are suspended.
            phalanx_games::game(&definition.game)?;
            let (game, setup) = (definition.game.clone(), definition.setup.clone());
            let matches = ProcessMatches::new(game, setup, args.limits)?;
            return Ok(Self::Here(Box::new(matches)));
        };
        let address = args.server.server.address(url)?;
        let folder = match args.server.place(&args.ladder)? {
            LadderPlace::Folder(folder) => Some(folder),
            LadderPlace::Bucket { .. } => None,
        };
        let plan = QueuedPlan::of_ladder(&args.ladder, definition, folder);
        Ok(Self::Queued(plan.open(&address, Vec::new(), bar, stop)?))
    }

    pub(super) fn play(&self) -> &dyn PlayMatch {
        match self {
            Self::Here(matches) => matches.as_ref(),
            Self::Queued(queue) => queue.as_ref(),
        }
    }

    /// Adds a strategy, whose place is behind the others.
    ///
    /// # Errors
    /// When the server does not take it.
    pub(super) fn add(&self, bundle: BundleBytes) -> Result<(), QueueError> {
        match self {
            Self::Here(matches) => {
                matches.add(bundle);
                Ok(())
            }
            Self::Queued(queue) => queue.add(bundle),
        }
    }

    /// Matches at once.
    pub(super) fn threads(&self, args: &LadderMatchArgs) -> usize {
        let usual = match self {
            Self::Here(_) => usual_threads(),
            Self::Queued(_) => 2 * usize::from(args.round),
        };
        args.threads.map_or(usual, usize::from)
    }

    /// Ends the run. `over`: nothing is left to play.
    ///
    /// # Errors
    /// Why it could not go on.
    pub(super) fn end(self, over: bool) -> Result<()> {
        match self {
            Self::Here(_) => Ok(()),
            Self::Queued(queue) => Ok(queue.end(over)?),
        }
    }
}
