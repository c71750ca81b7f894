//! Handles the commands of operators: each at its [`CommandMoment`].
//!
//! No command disturbs a turn: it waits while the agents decide. While percepts still arrive, or
//! while the team only waits for pilots, there is a *border* too, but only for what leaves the turn
//! most of its time: what runs no script, and one copy, piece of script or change of a role.

use super::Team;
use crate::params::shown;
use crate::turn::Phase;
use crate::{
    Answer, Ask, BoardItem, BoardWrite, BoardWriteError, BrainError, BrainErrorKind, Command,
    CommandError, CommandMoment, CommandRequest, JournalEvent, Output, ParamError, ProfileScripts,
    REPEATED_TICKET, Ran, RefuseStrategy, RunScript, Scope, SetParam, TeamCommand, Ticket,
};
use phalanx_game::{Game, Value};
use std::time::{Duration, Instant};

/// Most commands that wait for a border; one more is refused.
const COMMANDS_MAX: usize = 64;
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

/// The time that a command finds at a border.
#[derive(Clone, Copy, Debug)]
struct Border {
    now: Instant,
    /// Until the turn's agents have to decide.
    spare: Duration,
    /// For a script.
    budget: Duration,
}

impl Border {
    fn new(spare: Duration, now: Instant) -> Self {
        Self { now, spare, budget: RUN_BUDGET.min(spare / RUN_SHARE) }
    }
}

/// Handles a command; the reply has the command's type.
fn reply<C: TeamCommand>(
    command: C,
    handle: impl FnOnce(C) -> Result<C::Reply, CommandError>,
) -> Answer {
    handle(command).map(C::reply)
}

impl<G: Game> Team<G> {
    pub(super) fn answer<C: TeamCommand>(
        &mut self,
        ticket: Ticket,
        result: Result<C::Reply, CommandError>,
    ) {
        self.outputs.push_back(Output::Answer { ticket, answer: result.map(C::reply) });
    }

    /// A command arrives.
    pub(super) fn command(&mut self, request: CommandRequest, now: Instant) {
        if request.command.moment() == CommandMoment::Arrival {
            self.perform(request, Border::new(Duration::ZERO, now));
        } else if self.commands.len() < COMMANDS_MAX {
            self.commands.push_back(request);
        } else {
            let text = format!("{COMMANDS_MAX} requests wait already; try again");
            let (ticket, answer) = (request.ticket, Err(CommandError::Busy(text)));
            self.outputs.push_back(Output::Answer { ticket, answer });
        }
    }

    /// How much time there is for what is not part of a turn; `None` while the agents decide.
    pub(super) fn spare_time(&self, now: Instant) -> Option<Duration> {
        let held = || self.quorum.held_time(&self.turns, now);
        let Some(open) = &self.turns.open else { return Some(held()) };
        match open.phase {
            Phase::Gathering(_) | Phase::Waiting => Some(open.time_left(now)),
            Phase::Deciding(_) => None,
            Phase::Done => Some(held()),
        }
    }

    /// Handles one command if this is the moment for it. Returns the time that its script took.
    pub(super) fn serve(&mut self, spare: Duration, now: Instant) -> Option<Duration> {
        let border = Border::new(spare, now);
        let drain = self.ending.is_draining();
        let served = match &self.turns.open {
            Some(open) => open.has_room() && open.served,
            None => self.quorum.served,
        };
        let fits = |request: &CommandRequest| match request.command.moment() {
            CommandMoment::Arrival | CommandMoment::Border => true,
            CommandMoment::Copy => !served,
            CommandMoment::Drawing => drain || (!served && spare >= DRAW_ROOM),
            CommandMoment::Script => drain || (!served && border.budget >= RUN_BUDGET_MIN),
        };
        let place = self.commands.iter().position(fits)?;
        let request = self.commands.remove(place)?;
        match &mut self.turns.open {
            _ if request.command.moment() == CommandMoment::Border => {}
            Some(open) => open.served = true,
            // A turn that waits to be opened has no more time for it than an open one.
            None => self.quorum.served = self.quorum.holds_requests(&self.turns),
        }
        Some(self.perform(request, border))
    }

    /// Does what a command asks for. Returns the time that its script took.
    fn perform(&mut self, request: CommandRequest, at: Border) -> Duration {
        let CommandRequest { ticket, by, command } = request;
        let mut spent = Duration::ZERO;
        let answer = match command {
            Command::SetRole(it) => {
                if ticket != REPEATED_TICKET {
                    self.generations.lift_suspension(&it.role);
                    self.report_suspended();
                }
                reply(it, |it| self.set_role(it, by, at.budget))
            }
            Command::SteerAgent(it) => reply(it, |it| self.steer(it, by)),
            Command::AddAgent(it) => reply(it, |it| self.add_agent(it, by)),
            Command::RemoveAgent(it) => reply(it, |it| self.remove_agent(it, by, at.now)),
            Command::ReturnToReferee(it) => reply(it, |it| self.come_back(it, by)),
            Command::SetParam(it) => reply(it, |it| Ok(self.set_param(it, by)?)),
            Command::RetuneTeam(it) => reply(it, |it| self.retune(it, by)),
            Command::CopyView(it) => reply(it, |_| Ok(Box::new(self.view()))),
            Command::DrawWorld(it) => reply(it, |_| Ok(Box::new(self.drawing()))),
            Command::BoardRead(it) => reply(it, |it| Ok(self.board(&it))),
            Command::BoardWrite(it) => reply(it, |it| Ok(self.write_board(it, by)?)),
            Command::RunScript(it) => reply(it, |it| self.run(it, by, at, &mut spent)),
            Command::LeaveReferee(it) => {
                self.leave(ticket, it, by);
                return spent;
            }
            Command::InstallStrategy(it) => {
                self.stage(ticket, it);
                return spent;
            }
            Command::ProfileScripts(ProfileScripts { turns }) => {
                self.profile(ticket, turns);
                return spent;
            }
            Command::RefuseStrategy(RefuseStrategy { origin, faults }) => {
                self.journal(None, JournalEvent::StrategyRefused { origin, faults });
                return spent;
            }
        };
        self.outputs.push_back(Output::Answer { ticket, answer });
        spent
    }

    fn write_board(
        &mut self,
        write: BoardWrite,
        by: String,
    ) -> Result<Option<BoardItem>, BoardWriteError> {
        let written = self.shared.borrow_mut().board.write(&write, &by)?;
        if !write.validate_only {
            let BoardWrite { key, value, turns, .. } = write;
            self.journal(None, JournalEvent::BoardSet { key, value, turns, by });
            self.publish();
        }
        Ok(written)
    }

    fn set_param(
        &mut self,
        SetParam { name, scope, value }: SetParam,
        by: String,
    ) -> Result<Option<Value>, ParamError> {
        if let Scope::Agent(agent) = scope
            && !self.crew.roster().is_present(agent)
        {
            return Err(ParamError::Scope(format!("agent with the id {}", agent.0)));
        }
        let scope_text = scope.describe(self.crew.roster());
        let before = self.shared.borrow_mut().params.set(&name, scope, value.as_ref())?;
        let event = JournalEvent::ParamSet {
            name,
            scope: scope_text,
            before: before.as_ref().map(shown).unwrap_or_default(),
            value: value.as_ref().map(shown).unwrap_or_default(),
            by,
        };
        self.journal(None, event);
        self.publish();
        Ok(before)
    }

    fn run(
        &mut self,
        RunScript { agent, code }: RunScript,
        by: String,
        at: Border,
        spent: &mut Duration,
    ) -> Result<Ran, CommandError> {
        if self.ending.is_draining() {
            return Err(not_run("the team is leaving"));
        }
        if !self.crew.roster().is_present(agent) {
            return Err(CommandError::NoSuchAgent { id: agent.0 });
        }
        let (turn, present, budget) = (self.turn(), [agent], at.budget);
        let time_left = at.spare.min(RUN_BUDGET * RUN_SHARE);
        let ask = Ask { turn, tick: self.tick(), agent, present: &present, budget, time_left };
        let outcome = self.brain.run(&ask, &code);
        *spent = outcome.spent;
        let trouble = outcome.result.as_ref().err().map(ToString::to_string).unwrap_or_default();
        let code = code.chars().take(RUN_CHARS_MAX).collect();
        self.journal(Some(agent), JournalEvent::Ran { code, by, trouble });
        Ok(outcome.result?)
    }
}

/// A command that no script ever saw.
pub(super) fn not_run(message: impl Into<String>) -> CommandError {
    BrainError::without_place(BrainErrorKind::Script, message).into()
}
