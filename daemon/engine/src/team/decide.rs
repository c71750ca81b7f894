//! Calls the brain, and emits its actions.

use super::Team;
use super::steer::Decider;
use super::turns::ScriptCall;
use crate::turn::{Asked, OpenTurn, Phase};
use crate::{Ask, BrainError, BrainErrorKind, Counters, JournalEvent, Outcome, Output, TurnDone};
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
/// Every agent of a turn is guaranteed its fair share of the turn's whole time, divided by this.
/// What earlier agents do not use, later ones can: a single slow call needs no share of its own.
const GUARANTEED_PART: u32 = 2;
/// `plan` leaves at least three quarters of the time to the agents; so do all `start` calls
/// together.
const PLAN_SHARE: u32 = 4;

/// The source of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// A script decided.
    Script,
    /// The fallback, because a script failed or an order does not fit any more.
    Fallback,
    /// An operator's order.
    Order,
    /// The fallback, on request of an operator.
    Held,
}

impl Source {
    /// Its counter over the match.
    pub(super) fn counter(self, counters: &mut Counters) -> &mut u64 {
        match self {
            Self::Script => &mut counters.decided,
            Self::Fallback => &mut counters.fallback,
            Self::Order => &mut counters.ordered,
            Self::Held => &mut counters.held,
        }
    }

    /// Its counter in the turn.
    pub(super) fn count(self, done: &mut TurnDone) -> &mut u32 {
        match self {
            Self::Script => &mut done.decided,
            Self::Fallback => &mut done.fallback,
            Self::Order => &mut done.ordered,
            Self::Held => &mut done.held,
        }
    }
}

/// The action for an agent, and its journal entry.
#[derive(Debug)]
pub(super) struct Played<G: Game> {
    pub(super) action: G::Action,
    pub(super) event: JournalEvent,
    pub(super) source: Source,
}

/// What an agent may use of the time left while others still wait: all but what is guaranteed to
/// them, and at least a fair share. `window` is the turn's time from its request on.
fn slice(time_left: Duration, window: Duration, waiting: usize, asked: usize) -> Duration {
    let count = |agents: usize| u32::try_from(agents).unwrap_or(u32::MAX);
    let guaranteed = window / count(asked).max(1).saturating_mul(GUARANTEED_PART);
    let kept = guaranteed.saturating_mul(count(waiting));
    (time_left / count(waiting).saturating_add(1)).max(time_left.saturating_sub(kept))
}

impl<G: Game> Team<G> {
    /// All percepts that the team waits for are in: settle, plan, queue the agents.
    pub(super) fn begin_deciding(&mut self, now: Instant) -> Duration {
        self.recognized(now);
        self.isolate();
        let Some(open) = &mut self.turns.open else { return Duration::ZERO };
        let turn = open.turn;
        let present: Vec<AgentId> = open.asked.keys().copied().collect();
        open.phase = Phase::Deciding(present.iter().copied().collect());
        let time_left = open.time_left(now);
        if self.options.rehearsal_turns > 0 {
            open.roles.clone_from(&self.shared.borrow().roles);
        }
        self.settle(turn);
        let mut shared = self.shared.borrow_mut();
        shared.board.at(turn);
        shared.advance(self.turns.tick());
        drop(shared);
        self.look_at_results(&present);
        let Some(first) = present.first() else { return Duration::ZERO };
        if self.generations.suspension(None).is_some() {
            return Duration::ZERO;
        }
        let budget = self.options.plan_max.min(time_left / PLAN_SHARE);
        let ask =
            Ask { turn, tick: self.tick(), agent: *first, present: &present, budget, time_left };
        let outcome = self.brain.plan(&ask);
        self.report_call("plan", None, outcome)
    }

    /// One agent decides; its action, or the fallback, leaves.
    pub(super) fn decide(&mut self, agent: AgentId, now: Instant) -> Duration {
        let Some(open) = &self.turns.open else { return Duration::ZERO };
        let Some(asked) = open.asked.get(&agent).copied() else { return Duration::ZERO };
        // After that the seat has sent the fallback, and a decision would be too late.
        let in_time = now < asked.due;
        let (played, spent) = match self.decider(agent, asked, now) {
            Decider::Wait(until) => {
                self.await_order(agent, until);
                return Duration::ZERO;
            }
            Decider::Steered(steering) => {
                (self.play_steered(agent, &steering, in_time), Duration::ZERO)
            }
            Decider::Script if in_time && self.is_suspended(agent) => {
                (Some(self.stand_in(agent)), Duration::ZERO)
            }
            Decider::Script if in_time => {
                let (played, spent) = self.ask_script(agent, asked, now);
                (Some(played), spent)
            }
            Decider::Script => (None, Duration::ZERO),
        };
        if let Some(played) = played {
            self.hand_out(agent, asked, played);
        }
        self.expire_steering(agent);
        spent
    }

    /// The fallback for an agent whose script is suspended.
    fn stand_in(&self, agent: AgentId) -> Played<G> {
        let role = self.shared.borrow().role(agent).to_owned();
        let reason =
            self.generations.suspension(Some(&role)).map(|suspension| suspension.reason.clone());
        let action = self.with_world(|world| world.fallback(agent));
        let event = JournalEvent::undecided(reason.unwrap_or_default(), role);
        Played { action, event, source: Source::Fallback }
    }

    fn ask_script(&mut self, agent: AgentId, asked: Asked, now: Instant) -> (Played<G>, Duration) {
        let open = self.turns.open.as_ref();
        // Those that wait for their pilots, too: an order may come while the script runs.
        let waiting = open.map_or(0, |open| open.undecided().len());
        let present = open.map(|open| open.asked.keys().copied().collect::<Vec<_>>());
        let present = present.unwrap_or_default();
        let time_left = asked.due.saturating_duration_since(now);
        let window = asked.due.saturating_duration_since(asked.at);
        let share = slice(time_left, window, waiting, present.len());
        let (turn, budget) = (self.turn(), self.options.decide_max.min(share));
        let ask = Ask { turn, tick: self.tick(), agent, present: &present, budget, time_left };
        let Outcome { result, spent, reason: explained, grounds } = self.brain.decide(&ask);
        let grounds = Box::new(grounds);
        self.counters.script_ran(spent);
        self.count_margin(time_left.saturating_sub(spent), window);
        if let Some(member) = self.crew.get_mut(agent) {
            member.explain(explained.as_ref());
        }
        let role = self.shared.borrow().role(agent).to_owned();
        let played = match result.and_then(|said| self.check(agent, &role, &said)) {
            Ok(action) => {
                let (text, reason) = (G::describe(&action), explained);
                let event = JournalEvent::Decided { action: text, role, reason, spent, grounds };
                Played { action, event, source: Source::Script }
            }
            Err(error) => {
                self.counters.script_error();
                self.alerts.error();
                let reason = error.to_string();
                self.watch_trouble(&reason);
                let action = self.with_world(|world| world.fallback(agent));
                let event = JournalEvent::Fallback { reason, role, explained, spent, grounds };
                Played { action, event, source: Source::Fallback }
            }
        };
        self.generations.decided(self.options.probation);
        (played, spent)
    }

    /// Emits the action to the agent's seat.
    pub(super) fn hand_out(&mut self, agent: AgentId, asked: Asked, played: Played<G>) {
        let Played { action, event, source } = played;
        self.counters.answered(source);
        match source {
            Source::Script | Source::Order => self.alerts.heard(agent),
            Source::Fallback => self.count_missed(agent),
            Source::Held => {}
        }
        self.acted(self.turn(), agent, &action);
        if let Some(member) = self.crew.get_mut(agent) {
            member.shown.last_action = G::describe(&action);
            member.shown.trouble.clear();
            if let JournalEvent::Fallback { reason, .. } = &event {
                member.shown.trouble.clone_from(reason);
            }
            if matches!(source, Source::Order | Source::Held) {
                member.explain(None);
            }
            member.answered(asked.local, source);
        }
        if let Some(seat) = self.crew.seat_of(agent) {
            self.outputs.push_back(Output::Act { seat, agent, turn: asked.local, action });
        }
        self.journal(Some(agent), event);
    }

    fn check(&self, agent: AgentId, role: &str, said: &Said) -> Result<G::Action, BrainError> {
        self.world.borrow().parse(agent, said).map_err(|error| BrainError {
            kind: BrainErrorKind::Answer,
            place: None,
            role: role.to_owned(),
            message: error.to_string(),
        })
    }

    /// Calls `start` or `finish`, between turns or before the first decision of one.
    pub(super) fn call(&mut self, call: ScriptCall, now: Instant) -> Duration {
        let due = self.turns.open.as_ref().and_then(OpenTurn::due);
        let due = due.or_else(|| self.quorum.held_due(&self.turns, now));
        let time_left = due.map(|due| due.saturating_duration_since(now));
        let all = time_left.map_or(CALLS_BUDGET, |left| CALLS_BUDGET.min(left / PLAN_SHARE));
        // By the size of the team, not by the number of waiting calls: equal matches get equal
        // budgets.
        let agents = u32::try_from(self.crew.roster().present().count()).unwrap_or(u32::MAX).max(1);
        let budget = (all / agents).clamp(CALL_BUDGET_MIN, CALL_BUDGET);
        let (turn, time_left) = (self.turn(), time_left.unwrap_or(CALL_BUDGET));
        let agent = match call {
            ScriptCall::Start(agent) | ScriptCall::Finish(agent, _) => agent,
        };
        if self.is_suspended(agent) {
            return Duration::ZERO;
        }
        let present = [agent];
        let ask = Ask { turn, tick: self.tick(), agent, present: &present, budget, time_left };
        match call {
            ScriptCall::Start(_) => {
                let outcome = self.brain.start(&ask);
                self.report_call("start", Some(agent), outcome)
            }
            ScriptCall::Finish(_, result) => {
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
        self.counters.script_ran(outcome.spent);
        if let Err(error) = outcome.result {
            self.counters.script_error();
            self.alerts.error();
            let reason = error.to_string();
            self.watch_trouble(&reason);
            self.journal(agent, JournalEvent::ScriptError { call, reason });
        }
        outcome.spent
    }
}
