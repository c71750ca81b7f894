//! Operators whose commands are more than one step: a team that stops and starts again, or moves, an
//! agent that is removed and added again. The daemon does the same in the same order.

use super::Match;
use super::calls::PlannedCall;
use crate::fault::{Fault, FaultKind};
use crate::network::open;
use crate::people::Expected;
use phalanx_engine::{
    AddAgent, Answer, CommandError, CommandReply, Keep, LeaveReferee, RemoveAgent, ReturnToReferee,
    Ticket,
};
use phalanx_game::AgentId;
use phalanx_game::sorted::SortedMap;
use std::time::{Duration, Instant};

/// The addresses of the referee, for the journal.
const ADDRESS: &str = "chaos:12300";
const OTHER_ADDRESS: &str = "chaos:12301";
/// How long an operator waits before another attempt.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// What follows a command.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// The seats have hung up. A team that stays where it is, is started after this time; one that
    /// moves dials there.
    Left { lasts: Duration, stays: bool },
    /// The agent's seat hangs up, and the agent is added again after this time.
    Removed(AgentId, Duration),
    /// The seats dial.
    Returned,
    /// The agent's seat is opened.
    Added { name: String, role: String },
}

/// What happens at an instant.
#[derive(Clone, Debug)]
enum Later {
    Start,
    Dial,
    Add { name: String, role: String },
}

/// What operators are about.
#[derive(Debug, Default)]
pub(crate) struct Errands {
    pub(crate) steps: SortedMap<Ticket, Step>,
    later: Vec<(Instant, usize, Later)>,
}

impl Match<'_> {
    /// An operator begins.
    pub(crate) fn begin_errand(&mut self, fault: &Fault, team: usize) {
        let lasts = Duration::from_millis(fault.ms.unwrap_or_default());
        let Some(agent) = self.agent(fault) else { return };
        if fault.kind == FaultKind::Remove {
            let name = self.agent_name(team, agent);
            open(&self.ledger).excuse_agent(team, &name);
            let (command, expected) =
                (RemoveAgent { agent }.into(), Expected::Present(agent, false));
            let next = Some(Step::Removed(agent, lasts));
            return self.give(team, PlannedCall { agent, command, expected: Some(expected), next });
        }
        let (to, keep) = if fault.kind == FaultKind::Move {
            (Some(OTHER_ADDRESS.to_owned()), Keep::NOTHING)
        } else {
            (None, Keep::ALL)
        };
        let next = Step::Left { lasts, stays: to.is_none() };
        let command = LeaveReferee { to, keep }.into();
        self.give(team, PlannedCall { agent, command, expected: None, next: Some(next) });
    }

    fn give(&mut self, team: usize, wish: PlannedCall) {
        let seed = u64::from(open(&self.ledger).step);
        self.ask(team, wish, seed);
    }

    /// Commands were answered, or it is time for something.
    pub(crate) fn run_errands(&mut self) {
        for (team, ticket, answer) in std::mem::take(&mut self.watch.answers) {
            if let Some(step) = self.errands.steps.remove(&ticket) {
                self.answered(team, step, answer);
            }
        }
        let now = self.lockstep.now();
        let due = self.errands.later.extract_if(.., |(at, ..)| *at <= now);
        let due: Vec<_> = due.collect();
        for (_, team, later) in due {
            match later {
                Later::Dial => self.lockstep.dial(team),
                Later::Start => {
                    let command = ReturnToReferee { to: ADDRESS.to_owned() }.into();
                    let (agent, next) = (AgentId(0), Some(Step::Returned));
                    self.give(team, PlannedCall { agent, command, expected: None, next });
                }
                Later::Add { name, role } => {
                    let next = Some(Step::Added { name: name.clone(), role: role.clone() });
                    let command = AddAgent { name, role }.into();
                    let agent = AgentId(0);
                    self.give(team, PlannedCall { agent, command, expected: None, next });
                }
            }
        }
        self.watch.alarm = self.errands.later.iter().map(|(at, ..)| *at).min();
    }

    fn answered(&mut self, team: usize, step: Step, answer: Answer) {
        let now = self.lockstep.now();
        match (step, answer) {
            (Step::Left { lasts, stays }, Ok(_)) => {
                let later = if stays { Later::Start } else { Later::Dial };
                self.errands.later.push((now + lasts, team, later));
            }
            // A team that does not leave goes on.
            (Step::Left { .. }, Err(_)) | (Step::Returned, Ok(_)) => self.lockstep.dial(team),
            // The operator tries again.
            (Step::Returned, Err(_)) => {
                self.errands.later.push((now + RETRY_AFTER, team, Later::Start));
            }
            (Step::Removed(agent, lasts), Ok(_)) => {
                self.lockstep.hang_up(team, Some(agent));
                let (name, role) = (self.agent_name(team, agent), self.role(team, agent));
                self.errands.later.push((now + lasts, team, Later::Add { name, role }));
            }
            (Step::Added { name, .. }, Ok(CommandReply::AddAgent(enrolled))) => {
                self.lockstep.open_seat(team, enrolled, &name);
            }
            // The team's thread ended before it answered: the operator tries again.
            (Step::Added { name, role }, Err(CommandError::Busy(_))) => {
                self.errands.later.push((now + RETRY_AFTER, team, Later::Add { name, role }));
            }
            // Refused: the last agent, or one that is there already after the process was killed.
            (Step::Removed(..) | Step::Added { .. }, _) => {}
        }
    }

    /// The process was killed: what operators were about is forgotten, and all agents dial.
    pub(crate) fn forget_errands(&mut self, team: usize) {
        self.errands.later.retain(|(_, its, _)| *its != team);
        let asked = self.watch.teams.get(team).map(|watch| &watch.asked);
        let is_its = |ticket: &Ticket| asked.is_some_and(|asked| asked.contains_key(ticket));
        self.errands.steps.retain(|ticket, _| !is_its(ticket));
    }

    fn agent_name(&self, team: usize, agent: AgentId) -> String {
        let plan = self.cast.teams.get(team);
        plan.map(|plan| plan.roster.name(agent).to_owned()).unwrap_or_default()
    }

    fn role(&self, team: usize, agent: AgentId) -> String {
        let plan = self.cast.teams.get(team);
        let entry = plan.and_then(|plan| plan.roster.agents.get(agent.index()));
        entry.map(|entry| entry.role.clone()).unwrap_or_default()
    }
}
