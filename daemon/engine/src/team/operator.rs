//! What operators ask of a team besides another generation: parameters, who decides for an agent,
//! a look at world, board and memories, a value on the board, a piece of script.
//!
//! Nothing of it disturbs a turn: it waits while the agents decide. While percepts are still coming
//! in, or while only pilots are waited for, there is a *border* too, but only for what leaves the
//! turn most of its time: what runs no script, and one look, piece of script or change of a role.

use super::{Drain, Team, TeamOptions};
use crate::params::shown;
use crate::turn::Phase;
use crate::{
    Answer, Ask, BoardItem, BoardRead, BoardWrite, BoardWriteError, Brain, BrainError,
    BrainErrorKind, Carry, JournalEvent, Outcome, Output, ParamError, REPEATED_TICKET, Ran, Scope,
    Steer, SteerError, Ticket,
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
/// While a turn gathers, a world is drawn only if the turn has at least this much time left.
const DRAW_ROOM: Duration = Duration::from_millis(100);
/// Characters of such a piece that the journal keeps.
const RUN_CHARS_MAX: usize = 300;

/// One request that waits.
#[derive(Debug)]
pub(super) enum Request {
    Param { ticket: Ticket, name: String, scope: Scope, value: Option<Value>, by: String },
    Role { ticket: Ticket, agent: AgentId, role: String, carry: Carry, by: String },
    Steer { ticket: Ticket, agent: AgentId, steer: Steer, by: String },
    Add { ticket: Ticket, name: String, role: String, by: String },
    Remove { ticket: Ticket, agent: AgentId, by: String },
    Retune { ticket: Ticket, options: TeamOptions, by: String },
    Look { ticket: Ticket },
    Draw { ticket: Ticket },
    ReadBoard { ticket: Ticket, read: BoardRead },
    WriteBoard { ticket: Ticket, write: BoardWrite },
    Run { ticket: Ticket, agent: AgentId, code: String, by: String },
}

impl Request {
    /// It runs no script and copies nothing.
    fn is_free(&self) -> bool {
        match self {
            Self::Param { .. }
            | Self::Steer { .. }
            | Self::WriteBoard { .. }
            | Self::Add { .. }
            | Self::Remove { .. }
            | Self::Retune { .. } => true,
            Self::Role { .. }
            | Self::Look { .. }
            | Self::Draw { .. }
            | Self::ReadBoard { .. }
            | Self::Run { .. } => false,
        }
    }

    fn ticket(&self) -> Ticket {
        match self {
            Self::Param { ticket, .. }
            | Self::Role { ticket, .. }
            | Self::Steer { ticket, .. }
            | Self::Add { ticket, .. }
            | Self::Remove { ticket, .. }
            | Self::Retune { ticket, .. }
            | Self::Look { ticket }
            | Self::Draw { ticket }
            | Self::ReadBoard { ticket, .. }
            | Self::WriteBoard { ticket, .. }
            | Self::Run { ticket, .. } => *ticket,
        }
    }
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
            Request::Add { ticket, .. } => {
                self.answer(ticket, Answer::Enrolled(Err(SteerError::Busy(text))));
            }
            Request::Remove { ticket, .. } => {
                self.answer(ticket, Answer::Removed(Err(SteerError::Busy(text))));
            }
            Request::WriteBoard { ticket, .. } => {
                self.answer(ticket, Answer::Written(Err(BoardWriteError::Busy(text))));
            }
            Request::Retune { ticket, .. } => {
                self.answer(ticket, Answer::Retuned(Err(SteerError::Busy(text))));
            }
            Request::Look { ticket } => self.show(ticket),
            Request::Draw { ticket } => self.draw(ticket),
            Request::ReadBoard { ticket, read } => self.read_board(ticket, &read),
        }
    }

    /// How much time there is for what is not part of a turn; `None` while the agents decide.
    pub(super) fn spare_time(&self, now: Instant) -> Option<Duration> {
        let Some(open) = &self.open else { return Some(self.held_time(now)) };
        match open.phase {
            Phase::Gathering(_) | Phase::Waiting => Some(open.time_left(now)),
            Phase::Deciding(_) => None,
            Phase::Done => Some(self.held_time(now)),
        }
    }

    /// Serves one request if this is the moment for it. Returns the time that its script took.
    pub(super) fn serve(&mut self, spare: Duration, now: Instant) -> Option<Duration> {
        let budget = RUN_BUDGET.min(spare / RUN_SHARE);
        let drain = self.drain != Drain::No;
        let served = match &self.open {
            Some(open) => open.has_room() && open.served,
            None => self.quorum.served,
        };
        let fits = |request: &Request| match request {
            Request::Param { .. }
            | Request::Steer { .. }
            | Request::WriteBoard { .. }
            | Request::Add { .. }
            | Request::Remove { .. }
            | Request::Retune { .. } => true,
            Request::Look { .. } | Request::ReadBoard { .. } => !served,
            Request::Draw { .. } => drain || (!served && spare >= DRAW_ROOM),
            Request::Role { .. } | Request::Run { .. } => {
                drain || (!served && budget >= RUN_BUDGET_MIN)
            }
        };
        let place = self.requests.iter().position(fits)?;
        let request = self.requests.remove(place)?;
        let (free, ticket) = (request.is_free(), request.ticket());
        match &mut self.open {
            _ if free => {}
            Some(open) => open.served = true,
            // A turn that waits to be opened has no more time for it than an open one.
            None => self.quorum.served = self.holds_requests(),
        }
        let answer = match request {
            Request::Param { name, scope, value, by, .. } => {
                Answer::Param(self.set_param(&name, scope, value.as_ref(), by))
            }
            Request::Role { agent, role, carry, by, .. } => {
                if ticket != REPEATED_TICKET {
                    self.lift_suspension(&role);
                }
                Answer::Role(self.set_role(agent, role, carry, by, budget))
            }
            Request::Steer { agent, steer, by, .. } => {
                Answer::Steered(self.steer(agent, steer, by))
            }
            Request::Add { name, role, by, .. } => Answer::Enrolled(self.add_agent(name, role, by)),
            Request::Remove { agent, by, .. } => Answer::Removed(self.remove_agent(agent, by, now)),
            Request::Retune { options, by, .. } => Answer::Retuned(self.retune(options, by)),
            Request::Look { .. } => {
                self.show(ticket);
                return Some(Duration::ZERO);
            }
            Request::Draw { .. } => {
                self.draw(ticket);
                return Some(Duration::ZERO);
            }
            Request::ReadBoard { read, .. } => {
                self.read_board(ticket, &read);
                return Some(Duration::ZERO);
            }
            Request::WriteBoard { write, .. } => Answer::Written(self.write_board(write)),
            Request::Run { .. } if drain => Answer::Ran(Err(refusal("the team is leaving"))),
            Request::Run { agent, code, by, .. } => {
                let Outcome { result, spent, .. } = self.run(agent, &code, by, budget, spare);
                self.answer(ticket, Answer::Ran(result));
                return Some(spent);
            }
        };
        self.answer(ticket, answer);
        Some(Duration::ZERO)
    }

    fn read_board(&mut self, ticket: Ticket, read: &BoardRead) {
        let page = self.shared.borrow().board.read(read);
        self.answer(ticket, Answer::Board(Box::new(page)));
    }

    fn write_board(&mut self, write: BoardWrite) -> Result<Option<BoardItem>, BoardWriteError> {
        let written = self.shared.borrow_mut().board.write(&write)?;
        if !write.validate_only {
            let BoardWrite { key, value, turns, by, .. } = write;
            self.journal(None, JournalEvent::BoardSet { key, value, turns, by });
            self.publish();
        }
        Ok(written)
    }

    fn set_param(
        &mut self,
        name: &str,
        scope: Scope,
        value: Option<&Value>,
        by: String,
    ) -> Result<Option<Value>, ParamError> {
        if let Scope::Agent(agent) = scope
            && !self.roster.is_present(agent)
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
        if !self.roster.is_present(agent) {
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
