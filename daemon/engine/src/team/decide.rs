//! Asking the brain, and handing out what it says.

use super::{Call, Team};
use crate::turn::{OpenTurn, Phase};
use crate::{Ask, Brain, BrainError, BrainErrorKind, JournalEvent, Outcome, Output};
use phalanx_game::{AgentId, Game, Said, World};
use std::time::{Duration, Instant};

/// One call outside a turn (`start`, `finish`) gets at most this much time, whatever the options
/// say, and at least [`CALL_BUDGET_MIN`]: a `start` that never ran spoils the whole round.
const CALL_BUDGET: Duration = Duration::from_millis(100);
/// See [`CALL_BUDGET`].
const CALL_BUDGET_MIN: Duration = Duration::from_millis(2);
/// These calls together get at most this much while no turn is open; the first turn of a round may
/// come at any moment.
const CALLS_BUDGET: Duration = Duration::from_millis(500);
/// `plan` leaves at least three quarters of the time to the agents; so do all `start`s together.
const PLAN_SHARE: u32 = 4;

impl<G: Game, B: Brain> Team<G, B> {
    /// All percepts that will come are in: settle, plan, queue the agents.
    pub(super) fn begin_deciding(&mut self, now: Instant) -> Duration {
        let Some(open) = &mut self.open else { return Duration::ZERO };
        let turn = open.turn;
        let present: Vec<AgentId> = open.asked.keys().copied().collect();
        open.phase = Phase::Deciding(present.iter().copied().collect());
        let time_left = open.time_left(now);
        if self.options.rehearsal_turns > 0 {
            open.roles.clone_from(&self.shared.borrow().roles);
        }
        self.with_world(|world| world.settle(turn));
        self.shared.borrow_mut().advance(self.tick);
        let Some(first) = present.first() else { return Duration::ZERO };
        let budget = self.options.plan_max.min(time_left / PLAN_SHARE);
        let ask =
            Ask { turn, tick: self.tick, agent: *first, present: &present, budget, time_left };
        let outcome = self.brain.plan(&ask);
        self.report_call("plan", None, outcome)
    }

    /// One agent decides; its action, or the fallback, goes out.
    pub(super) fn decide(&mut self, agent: AgentId, now: Instant) -> Duration {
        let Some(open) = &self.open else { return Duration::ZERO };
        let (turn, Some(asked)) = (open.turn, open.asked.get(&agent).copied()) else {
            return Duration::ZERO;
        };
        let time_left = asked.due.saturating_duration_since(now);
        let waiting = match &open.phase {
            Phase::Deciding(queue) => queue.len(),
            Phase::Gathering(_) | Phase::Done => 0,
        };
        if time_left.is_zero() {
            // The seat has answered by itself; a decision could only come too late.
            return Duration::ZERO;
        }
        let share = time_left / u32::try_from(waiting + 1).unwrap_or(u32::MAX);
        let present: Vec<AgentId> = open.asked.keys().copied().collect();
        let budget = self.options.decide_max.min(share);
        let ask = Ask { turn, tick: self.tick, agent, present: &present, budget, time_left };
        let Outcome { result, spent, reason: explained } = self.brain.decide(&ask);
        self.done.script_us += micros(spent);
        if let Some(member) = self.member(agent) {
            let text = explained.as_ref().map(|reason| reason.text.clone());
            member.shown.reason = text.unwrap_or_default();
        }
        let role = self.shared.borrow().role(agent).to_owned();
        let (action, event) = match result.and_then(|said| self.check(agent, &role, &said)) {
            Ok(action) => {
                self.counters.decided += 1;
                self.done.decided += 1;
                self.trouble(agent, String::new());
                let text = G::describe(&action);
                (action, JournalEvent::Decided { action: text, role, reason: explained, spent })
            }
            Err(error) => {
                self.counters.fallback += 1;
                self.counters.script_errors += 1;
                self.done.fallback += 1;
                let reason = error.to_string();
                self.trouble(agent, reason.clone());
                self.watch_trouble(&reason);
                let action = self.with_world(|world| world.fallback(agent));
                (action, JournalEvent::Fallback { reason, role, explained })
            }
        };
        self.watch_decision();
        self.acted(turn, agent, &action);
        let (text, decided) = if let JournalEvent::Decided { action, .. } = &event {
            (action.clone(), true)
        } else {
            (G::describe(&action), false)
        };
        if let Some(member) = self.member(agent) {
            member.shown.last_action = text;
            member.answered(asked.local, decided);
        }
        if let Some(seat) = self.seats.get(agent.index()).copied() {
            self.outputs.push_back(Output::Act { seat, agent, turn: asked.local, action });
        }
        self.journal(Some(agent), event);
        spent
    }

    fn check(&self, agent: AgentId, role: &str, said: &Said) -> Result<G::Action, BrainError> {
        self.world.borrow().parse(agent, said).map_err(|error| BrainError {
            kind: BrainErrorKind::Answer,
            place: None,
            role: role.to_owned(),
            message: error.to_string(),
        })
    }

    /// `start` or `finish`, between turns or before the first decision of one.
    pub(super) fn call(&mut self, call: Call, now: Instant) -> Duration {
        let due = self.open.as_ref().and_then(OpenTurn::earliest_due);
        let time_left = due.map(|due| due.saturating_duration_since(now));
        let all = time_left.map_or(CALLS_BUDGET, |left| CALLS_BUDGET.min(left / PLAN_SHARE));
        // By the size of the team, not by how many wait: equal matches get equal budgets.
        let agents = u32::try_from(self.members.len()).unwrap_or(u32::MAX).max(1);
        let budget = (all / agents).clamp(CALL_BUDGET_MIN, CALL_BUDGET);
        let (turn, time_left) = (self.turn(), time_left.unwrap_or(CALL_BUDGET));
        let agent = match call {
            Call::Start(agent) | Call::Finish(agent, _) => agent,
        };
        let present = [agent];
        let ask = Ask { turn, tick: self.tick, agent, present: &present, budget, time_left };
        match call {
            Call::Start(_) => {
                let outcome = self.brain.start(&ask);
                self.report_call("start", Some(agent), outcome)
            }
            Call::Finish(_, result) => {
                let outcome = self.brain.finish(&ask, result);
                self.report_call("finish", Some(agent), outcome)
            }
        }
    }

    fn report_call(
        &mut self,
        call: &'static str,
        agent: Option<AgentId>,
        outcome: Outcome<()>,
    ) -> Duration {
        self.done.script_us += micros(outcome.spent);
        if let Err(error) = outcome.result {
            self.counters.script_errors += 1;
            let reason = error.to_string();
            self.watch_trouble(&reason);
            self.journal(agent, JournalEvent::ScriptError { call, reason });
        }
        outcome.spent
    }
}

fn micros(spent: Duration) -> u64 {
    u64::try_from(spent.as_micros()).unwrap_or(u64::MAX)
}
