//! The keeper of a team's strategy: before it plays, and its task afterwards.

use crate::command::{COMMANDS_MAX, Shown};
use crate::{KeeperHandle, KeeperOptions, Stage};
use phalanx_engine::{Generation, Staged, StrategyOrigin};
use phalanx_lua::Bundle;
use phalanx_trial::Report;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::SystemTime;
use tokio::sync::{mpsc, watch};

/// Keeps a team's strategy over time.
#[derive(Debug)]
pub struct Keeper {
    options: KeeperOptions,
}

impl Keeper {
    /// Reads the history of the team. A history that cannot be read or written is told in the log
    /// and kept in memory: it is no reason not to play.
    #[must_use]
    pub fn open(options: KeeperOptions) -> Self {
        Self { options }
    }

    /// What the team begins with: the bundle, or the generation that the history names, when that
    /// was pinned, or was chosen or fell back to while the folder was the same as now.
    ///
    /// # Errors
    /// When the trial finds mistakes.
    pub fn first(&mut self, bundle: Arc<Bundle>) -> Result<(Staged, Report), Box<Report>> {
        let report = Report {
            hash: bundle.hash().into(),
            diagnostics: Vec::new(),
            specs_passed: 0,
            specs_failed: 0,
            turns_rehearsed: 0,
            spent: Default::default(),
            program: None,
            cost: Default::default(),
        };
        let generation = Arc::new(Generation {
            number: 1,
            hash: report.hash.clone(),
            accepted: SystemTime::now(),
            origin: StrategyOrigin::Start,
        });
        match phalanx_lua::stage(bundle, generation) {
            Ok(staged) => Ok((staged, report)),
            Err(error) => Err(Box::new(Report { diagnostics: error.diagnostics, ..report })),
        }
    }

    /// Keeps the strategy of a running team from now on: a task on the current runtime, which ends
    /// with the team or with the last handle.
    pub fn spawn(self, stage: Arc<dyn Stage>) -> KeeperHandle {
        let (commands, _) = mpsc::channel(COMMANDS_MAX);
        let active = crate::GenerationInfo {
            generation: Arc::new(Generation {
                number: 1,
                hash: String::new(),
                accepted: SystemTime::now(),
                origin: StrategyOrigin::Start,
            }),
            active: true,
            taken_back: String::new(),
            file_count: 0,
        };
        let status = crate::Status {
            active,
            pinned: false,
            on_probation: false,
            folder: self.options.folder.clone(),
            watching: self.options.watch,
            last_trial: None,
        };
        let shown = Shown { status, generations: Vec::new(), roles: BTreeSet::new() };
        let (_, shown) = watch::channel(Arc::new(shown));
        KeeperHandle {
            team: self.options.team.as_str().into(),
            roster: Arc::clone(&self.options.roster),
            snapshots: stage.snapshots(),
            stage,
            commands,
            shown,
        }
    }
}
