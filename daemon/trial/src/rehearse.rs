//! Plays the team's last turns again with the strategy on trial.

use phalanx_engine::{BrainError, BrainErrorKind, Scene, View};
use phalanx_game::AgentId;
use phalanx_game::sorted::SortedSet;
use phalanx_lua::Replica;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a script may take where nothing is known of the world: far more than an honest one
/// needs there, on a busy machine too.
const BLIND_BUDGET: Duration = Duration::from_secs(1);

/// How the rehearsal went.
#[derive(Debug, Default)]
pub(crate) struct Rehearsal {
    /// Turns that were played, whole or in part.
    pub(crate) turns: u32,
    /// What failed, and in which turn for whom.
    pub(crate) failures: Vec<(BrainError, String)>,
    /// All that was to be done was done.
    pub(crate) complete: bool,
}

/// Plays all scenes of the view: `plan`, then every agent that was asked, in the role that it had;
/// then each role that did not have its turn. A role that used up its time is not asked again.
pub(crate) fn rehearse(
    replica: &mut Replica,
    view: &View,
    decide_max: Duration,
    due: Instant,
) -> Rehearsal {
    let roles = replica.brain().roles();
    let stage = RehearsalPlan { view, decide_max, due, roles };
    let mut rehearsal = Rehearsal::default();
    let mut asked = SortedSet::new();
    let mut slow = SortedSet::new();
    rehearsal.complete = stage.scenes(replica, &mut rehearsal, &mut asked, &mut slow).is_some()
        && stage.others(replica, &mut rehearsal, &asked).is_some();
    rehearsal
}

/// The scripts that do not return where nothing is known of the world: the name of the call, and
/// where it was when its time was over.
pub(crate) fn endless(
    replica: &mut Replica,
    view: &View,
    due: Instant,
) -> Vec<(&'static str, BrainError)> {
    let mut found = Vec::new();
    // What is cut short by the end of the trial says nothing about the script.
    let has_time = || due.saturating_duration_since(Instant::now()) > BLIND_BUDGET;
    let mut keep = |call, failed: Option<BrainError>| {
        found.extend(failed.filter(|it| it.kind == BrainErrorKind::Budget).map(|it| (call, it)));
    };
    if has_time() {
        keep("plan", replica.plan_blind(BLIND_BUDGET).result.err());
    }
    let mut tried = SortedSet::new();
    for (entry, index) in view.roster.agents.iter().zip(0_u16..) {
        if !entry.gone && tried.insert(&entry.role) && has_time() {
            keep("decide", replica.decide_blind(AgentId(index), BLIND_BUDGET).result.err());
        }
    }
    found
}

struct RehearsalPlan<'a> {
    view: &'a View,
    decide_max: Duration,
    due: Instant,
    /// The roles that the strategy on trial has.
    roles: SortedSet<String>,
}

impl RehearsalPlan<'_> {
    /// `None`: the time is over.
    fn scenes(
        &self,
        replica: &mut Replica,
        rehearsal: &mut Rehearsal,
        asked: &mut SortedSet<String>,
        slow: &mut SortedSet<String>,
    ) -> Option<()> {
        let mut planning = true;
        for scene in &self.view.scenes {
            rehearsal.turns += 1;
            if planning {
                let outcome = replica.plan(scene, self.budget()?);
                if let Err(failure) = outcome.result {
                    planning = failure.kind != BrainErrorKind::Budget;
                    self.note(rehearsal, failure, scene, None);
                }
            }
            for agent in self.present(scene) {
                let role = self.role(scene, agent);
                if slow.contains(&role) {
                    continue;
                }
                replica.set_role(agent, &role);
                asked.insert(role.clone());
                let outcome = replica.decide(scene, agent, self.budget()?);
                if let Err(failure) = outcome.result {
                    if failure.kind == BrainErrorKind::Budget {
                        slow.insert(role);
                    }
                    self.note(rehearsal, failure, scene, Some(agent));
                }
            }
        }
        Some(())
    }

    /// Tries the roles that no agent played, with the first agent of the last turn.
    fn others(
        &self,
        replica: &mut Replica,
        rehearsal: &mut Rehearsal,
        asked: &SortedSet<String>,
    ) -> Option<()> {
        let Some(scene) = self.view.scenes.last() else { return Some(()) };
        let Some(agent) = self.present(scene).next() else { return Some(()) };
        let roster = self.view.roster.agents.iter().filter(|entry| !entry.gone);
        let roles = roster.map(|entry| &entry.role);
        let left: SortedSet<_> = roles.filter(|role| !asked.contains(*role)).collect();
        for role in left {
            replica.set_role(agent, role);
            let outcome = replica.decide(scene, agent, self.budget()?);
            if let Err(failure) = outcome.result {
                self.note(rehearsal, failure, scene, Some(agent));
            }
        }
        Some(())
    }

    /// The agents that played then and still do.
    fn present(&self, scene: &Scene) -> impl Iterator<Item = AgentId> {
        scene.present.iter().copied().filter(|agent| self.view.roster.is_present(*agent))
    }

    /// The role that the agent had, or would get back when the strategy has no such role.
    fn role(&self, scene: &Scene, agent: AgentId) -> String {
        let had = scene.roles.get(agent.index()).filter(|role| self.roles.contains(*role));
        let entry = self.view.roster.agents.get(agent.index());
        had.cloned().or_else(|| Some(entry?.role.clone())).unwrap_or_default()
    }

    fn budget(&self) -> Option<Duration> {
        let left = self.due.saturating_duration_since(Instant::now());
        Some(left.min(self.decide_max)).filter(|budget| !budget.is_zero())
    }

    fn note(
        &self,
        rehearsal: &mut Rehearsal,
        failure: BrainError,
        scene: &Arc<Scene>,
        agent: Option<AgentId>,
    ) {
        // The last call of a trial gets what is left of the time: that is not the script's fault.
        let cut = failure.kind == BrainErrorKind::Budget && Instant::now() >= self.due;
        let known = |(known, _): &(BrainError, String)| {
            known.place == failure.place && known.role == failure.role && known.kind == failure.kind
        };
        if cut || rehearsal.failures.iter().any(known) {
            return;
        }
        let who = agent.map_or("the team's plan", |agent| self.view.roster.name(agent));
        let context = format!(" (rehearsed: {who} in step {})", scene.turn.step);
        rehearsal.failures.push((failure, context));
    }
}
