//! The keeper of a team's strategy before the team plays.

use crate::store::History;
use crate::trial::hold_now;
use crate::{KeeperHandle, KeeperOptions, task};
use phalanx_engine::{Generation, Staged, StrategyOrigin};
use phalanx_lua::Bundle;
use phalanx_net::TeamHandle;
use phalanx_trial::TrialResult;
use std::sync::Arc;
use tracing::{error, info, warn};

/// Keeps a team's strategy over time.
#[derive(Debug)]
pub struct Keeper {
    options: KeeperOptions,
    history: History,
    playing: Option<Staged>,
}

impl Keeper {
    /// Reads the history of the team. If it cannot be read or written, the keeper logs a warning
    /// and keeps the history in memory.
    #[must_use]
    pub fn open(options: KeeperOptions) -> Self {
        let history = History::open(options.state.as_deref(), &options.team, options.keep);
        Self { options, history, playing: None }
    }

    /// What the team begins with. That is the bundle, unless the history knows better: a generation
    /// was pinned, or played on while the folder held what it holds now, since that was refused,
    /// taken back or rolled back; or the bundle is refused now, as it would be in a running team.
    ///
    /// # Errors
    /// When the trial finds mistakes and nothing has played before: the whole report.
    pub fn first(
        &mut self,
        bundle: &Arc<Bundle>,
    ) -> Result<(Staged, TrialResult), Box<TrialResult>> {
        if let Some((generation, kept)) = self.unfinished(bundle.hash()) {
            let report = hold_now(&self.options, &kept, false);
            let team = &*self.options.team;
            if let Some(staged) = staged(&report, &generation) {
                let pinned = self.history.is_pinned();
                warn!(
                    team,
                    generation = generation.number,
                    pinned,
                    "this pinned or earlier generation \
                    plays instead of the one in the folder; reload to change that"
                );
                return Ok((self.begin(staged, &kept, bundle), report));
            }
            let faults = report.faults();
            let fault = faults.iter().find(|fault| fault.fatal).map(ToString::to_string);
            warn!(
                team,
                generation = generation.number,
                fault,
                "the generation that played last \
                no longer loads; the folder is tested instead"
            );
            self.history.set_pinned(false);
        }
        let report = hold_now(&self.options, bundle, true);
        let active = self.history.active().filter(|active| active.generation.hash == report.hash);
        let generation = match active {
            Some(active) => Arc::clone(&active.generation),
            None => self.history.next(bundle, StrategyOrigin::Start),
        };
        match staged(&report, &generation) {
            Some(staged) => Ok((self.begin(staged, bundle, bundle), report)),
            None => self.played_before(bundle, &report).ok_or_else(|| Box::new(report)),
        }
    }

    /// The generation that played when the team's previous process ended, for a team that resumes
    /// from its saved state. The current content of the folder then counts as a change. Returns
    /// `None` and logs a warning when the generation is gone or no longer loads, and `None` when
    /// the folder still contains it; [`first`](Self::first) then chooses the generation.
    pub fn resume(
        &mut self,
        folder: &Arc<Bundle>,
        number: u32,
        hash: &str,
    ) -> Option<(Staged, TrialResult)> {
        if hash == folder.hash() {
            return None;
        }
        let team = self.options.team.clone();
        let entry = self.history.entry(number).filter(|entry| entry.generation.hash == hash);
        let Some(entry) = entry else {
            warn!(
                team,
                generation = number,
                "the generation that played is not kept any more: the \
                team goes on with another one"
            );
            return None;
        };
        let (generation, kept) = (Arc::clone(&entry.generation), Arc::clone(&entry.bundle));
        let report = hold_now(&self.options, &kept, false);
        let Some(staged) = staged(&report, &generation) else {
            let faults = report.faults();
            let fault = faults.iter().find(|fault| fault.fatal).map(ToString::to_string);
            warn!(
                team,
                generation = number,
                fault,
                "the generation that played does not load any \
                more: the team goes on with another one"
            );
            return None;
        };
        info!(
            team,
            generation = number,
            "the generation that played goes on, not what the folder \
            holds now"
        );
        self.history.decide(&staged.generation, &kept);
        self.history.save();
        self.playing = Some(staged.clone());
        Some((staged, report))
    }

    /// What played last, in place of a folder that is refused: half an edit must not keep a daemon
    /// that was restarted in mid-match from playing on.
    fn played_before(
        &mut self,
        refused: &Arc<Bundle>,
        why: &TrialResult,
    ) -> Option<(Staged, TrialResult)> {
        let (generation, kept) = self.unlike(refused.hash())?;
        let report = hold_now(&self.options, &kept, false);
        let staged = staged(&report, &generation)?;
        let team = &*self.options.team;
        for fault in why.faults().iter().filter(|fault| fault.fatal) {
            error!(team, "the strategy in the folder is refused: {fault}");
        }
        let number = generation.number;
        error!(team, generation = number, "the generation that played last plays instead");
        Some((self.begin(staged, &kept, refused), report))
    }

    /// What played last, if the folder is not to change that.
    fn unfinished(&self, folder: &str) -> Option<(Arc<Generation>, Arc<Bundle>)> {
        let stands = self.history.is_pinned() || self.history.folder() == folder;
        self.unlike(folder).filter(|_| stands)
    }

    /// What played last, if it is not what the folder holds.
    fn unlike(&self, folder: &str) -> Option<(Arc<Generation>, Arc<Bundle>)> {
        let active = self.history.active().filter(|active| active.generation.hash != folder)?;
        Some((Arc::clone(&active.generation), Arc::clone(&active.bundle)))
    }

    fn begin(&mut self, staged: Staged, plays: &Arc<Bundle>, folder: &Arc<Bundle>) -> Staged {
        self.history.decide(&staged.generation, plays);
        self.history.set_folder(folder.hash());
        self.history.save();
        self.playing = Some(staged.clone());
        staged
    }

    /// Keeps the strategy of a running team from now on: a task on the current runtime, which ends
    /// with the team or with the last handle.
    #[must_use]
    pub fn spawn(self, team: TeamHandle) -> KeeperHandle {
        task::spawn(self.options, self.history, self.playing, team)
    }
}

/// What passed its trial, as a generation.
pub(crate) fn staged(report: &TrialResult, generation: &Arc<Generation>) -> Option<Staged> {
    let program = report.program.clone().filter(|_| report.passed())?;
    Some(program.staged(Arc::clone(generation), report.cost))
}
