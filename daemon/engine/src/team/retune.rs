//! Changes of a team's options while it plays.

use super::Team;
use crate::{AlertOptions, CommandError, JournalEvent, Probation, RetuneTeam, TeamOptions};
use phalanx_game::Game;
use std::fmt::Debug;

impl<G: Game> Team<G> {
    /// Takes other options from the next turn on; the seed is what the match began with.
    pub(super) fn retune(
        &mut self,
        RetuneTeam { options }: RetuneTeam,
        by: String,
    ) -> Result<(), CommandError> {
        if self.ending.is_draining() {
            return Err(CommandError::Leaving);
        }
        let options = TeamOptions { seed: self.options.seed, ..options };
        let changes = changes(&self.options, &options);
        if changes.is_empty() {
            return Ok(());
        }
        self.options = options;
        self.alerts.retune(options.alerts);
        self.observation.keep_scenes(options.rehearsal_turns);
        self.journal(None, JournalEvent::Retuned { changes: changes.join(", "), by });
        self.publish();
        Ok(())
    }
}

/// Describes what differs. The patterns name every field, so a new field does not compile until it
/// is handled here.
fn changes(old: &TeamOptions, new: &TeamOptions) -> Vec<String> {
    let TeamOptions {
        straggler_share,
        straggler_max,
        decide_max,
        plan_max,
        seed: _,
        probation,
        rehearsal_turns,
        alerts,
    } = new;
    let Probation { decisions, errors } = probation;
    let AlertOptions { silent_turns, stuck_turns, margin_share, storm_errors, storm_turns } =
        alerts;
    let changed = [
        change("straggler_share", &old.straggler_share, straggler_share),
        change("straggler_max", &old.straggler_max, straggler_max),
        change("decide_max", &old.decide_max, decide_max),
        change("plan_max", &old.plan_max, plan_max),
        change("probation_decisions", &old.probation.decisions, decisions),
        change("probation_errors", &old.probation.errors, errors),
        change("rehearsal_turns", &old.rehearsal_turns, rehearsal_turns),
        change("silent_turns", &old.alerts.silent_turns, silent_turns),
        change("stuck_turns", &old.alerts.stuck_turns, stuck_turns),
        change("margin_share", &old.alerts.margin_share, margin_share),
        change("storm_errors", &old.alerts.storm_errors, storm_errors),
        change("storm_turns", &old.alerts.storm_turns, storm_turns),
    ];
    changed.into_iter().flatten().collect()
}

fn change<T: Debug + PartialEq>(name: &str, old: &T, new: &T) -> Option<String> {
    (old != new).then(|| format!("{name} {old:?} → {new:?}"))
}
