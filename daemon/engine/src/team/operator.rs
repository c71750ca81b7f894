//! What operators ask of a team besides another generation: parameters, who decides for an agent,
//! a look, a piece of script.
//!
//! Nothing of it disturbs a turn: it waits while the agents decide. While percepts are still coming
//! in, or while only pilots are waited for, there is a *border* too, but only for what leaves the
//! turn most of its time: what runs no script, and one look, piece of script or change of a role.

use super::{Drain, Team};
use crate::params::shown;
use crate::turn::Phase;
use crate::{
    Answer, Ask, Brain, BrainError, BrainErrorKind, Carry, JournalEvent, Outcome, Output,
    ParamError, Ran, Scope, Steer, SteerError, Ticket,
};
use phalanx_game::{AgentId, Game, Value};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Most requests that wait for a border; one more is refused, or served at once where that is safe.
const REQUESTS_MAX: usize = 64;
/// The longest that an operator's piece of script may run.
const RUN_BUDGET: Duration = Duration::from_millis(100);
/// While a turn gathers it gets at most this part of the time left.
const RUN_SHARE: u32 = 4;
/// With less than this it waits for the turn's end.
const RUN_BUDGET_MIN: Duration = Duration::from_millis(2);
/// Characters of such a piece that the journal keeps.
const RUN_CHARS_MAX: usize = 300;

/// One request that waits.
#[derive(Debug)]
pub(super) enum Request {
    Param { ticket: Ticket, name: String, scope: Scope, value: Option<Value>, by: String },
    Role { ticket: Ticket, agent: AgentId, role: String, carry: Carry, by: String },
    Steer { ticket: Ticket, agent: AgentId, steer: Steer, by: String },
    Look { ticket: Ticket },
    Run { ticket: Ticket, agent: AgentId, code: String, by: String },
}

/// The requests in the order in which they came.
pub(super) type Requests = VecDeque<Request>;

impl<G: Game, B: Brain> Team<G, B> {
    pub(super) fn answer(&mut self, ticket: Ticket, answer: Answer) {
        self.outputs.push_back(Output::Answer { ticket, answer });
    }

    pub(super) fn request(&mut self, request: Request) {
        if self.requests.len() < REQUESTS_MAX {
            self.requests.push_back(request);
            return;
        }
        let text = format!("{REQUESTS_MAX} requests wait already; try again");
        match request {
            Request::Param { ticket, .. } => {
                self.answer(ticket, Answer::Param(Err(ParamError::TooMuch(text))));
            }
            Request::Run { ticket, .. } => self.answer(ticket, Answer::Ran(Err(refusal(text)))),
            Request::Role { ticket, .. } => {
                self.answer(ticket, Answer::Role(Err(SteerError::Busy(text))));
            }
            Request::Steer { ticket, .. } => {
                self.answer(ticket, Answer::Steered(Err(SteerError::Busy(text))));
            }
            Request::Look { ticket } => self.show(ticket),
        }
    }

    /// How much time there is for what is not part of a turn; `None` while the agents decide.
    pub(super) fn spare_time(&self, now: Instant) -> Option<Duration> {
        let Some(open) = &self.open else { return Some(Duration::MAX) };
        match open.phase {
            Phase::Gathering(_) | Phase::Waiting => Some(open.time_left(now)),
            Phase::Deciding(_) => None,
            Phase::Done => Some(Duration::MAX),
        }
    }

    /// Serves one request if this is the moment for it. Returns the time that its script took.
    pub(super) fn serve(&mut self, spare: Duration) -> Option<Duration> {
        let budget = RUN_BUDGET.min(spare / RUN_SHARE);
        let drain = self.drain != Drain::No;
        let served = self.open.as_ref().is_some_and(|open| open.has_room() && open.served);
        let fits = |request: &Request| match request {
            Request::Param { .. } | Request::Steer { .. } => true,
            Request::Look { .. } => !served,
            Request::Role { .. } | Request::Run { .. } => {
                drain || (!served && budget >= RUN_BUDGET_MIN)
            }
        };
        let place = self.requests.iter().position(fits)?;
        let request = self.requests.remove(place)?;
        let free = matches!(&request, Request::Param { .. } | Request::Steer { .. });
        if let Some(open) = self.open.as_mut().filter(|_| !free) {
            open.served = true;
        }
        match request {
            Request::Param { ticket, name, scope, value, by } => {
                let answer = self.set_param(&name, scope, value.as_ref(), by);
                self.answer(ticket, Answer::Param(answer));
                Some(Duration::ZERO)
            }
            Request::Role { ticket, agent, role, carry, by } => {
                let answer = self.set_role(agent, role, carry, by, budget);
                self.answer(ticket, Answer::Role(answer));
                Some(Duration::ZERO)
            }
            Request::Steer { ticket, agent, steer, by } => {
                let answer = self.steer(agent, steer, by);
                self.answer(ticket, Answer::Steered(answer));
                Some(Duration::ZERO)
            }
            Request::Look { ticket } => {
                self.show(ticket);
                Some(Duration::ZERO)
            }
            Request::Run { ticket, .. } if drain => {
                self.answer(ticket, Answer::Ran(Err(refusal("the team is leaving"))));
                Some(Duration::ZERO)
            }
            Request::Run { ticket, agent, code, by } => {
                let Outcome { result, spent, .. } = self.run(agent, &code, by, budget, spare);
                self.answer(ticket, Answer::Ran(result));
                Some(spent)
            }
        }
    }

    fn set_param(
        &mut self,
        name: &str,
        scope: Scope,
        value: Option<&Value>,
        by: String,
    ) -> Result<Option<Value>, ParamError> {
        if let Scope::Agent(agent) = scope
            && agent.index() >= self.members.len()
        {
            return Err(ParamError::Scope(format!("agent with the id {}", agent.0)));
        }
        let told = scope.describe(&self.roster);
        let before = self.shared.borrow_mut().params.set(name, scope, value)?;
        let event = JournalEvent::ParamSet {
            name: name.to_owned(),
            scope: told,
            before: before.as_ref().map(shown).unwrap_or_default(),
            value: value.map(shown).unwrap_or_default(),
            by,
        };
        self.journal(None, event);
        self.publish();
        Ok(before)
    }

    fn run(
        &mut self,
        agent: AgentId,
        code: &str,
        by: String,
        budget: Duration,
        spare: Duration,
    ) -> Outcome<Ran> {
        if agent.index() >= self.members.len() {
            let text = format!("there is no agent with the id {}", agent.0);
            return Outcome::new(Err(refusal(text)), Duration::ZERO);
        }
        let (turn, present) = (self.turn(), [agent]);
        let time_left = spare.min(RUN_BUDGET * RUN_SHARE);
        let ask = Ask { turn, tick: self.tick, agent, present: &present, budget, time_left };
        let outcome = self.brain.run(&ask, code);
        let trouble = outcome.result.as_ref().err().map(ToString::to_string).unwrap_or_default();
        let code = code.chars().take(RUN_CHARS_MAX).collect();
        self.journal(Some(agent), JournalEvent::Ran { code, by, trouble });
        outcome
    }
}

/// A request that no script ever saw.
pub(super) fn refusal(message: impl Into<String>) -> BrainError {
    BrainError::without_place(BrainErrorKind::Script, message)
}
