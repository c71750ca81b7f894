//! What a team's thread knows of its seats, its strategy, the operators' changes and open commands,
//! so that a panic loses nothing of it.

use crate::recovery_state::RecoveryState;
use crate::tickets::{OWN_TICKET, Tickets};
use phalanx_engine::{
    Answer, Carry, Command, CommandReply, CommandRequest, Input, InstallStrategy, JournalEvent,
    REPEATED_TICKET, RetuneTeam, SetRole, Snapshot, Staged, Suspension, TeamOptions, Ticket,
};
use phalanx_game::sorted::SortedMap;
use phalanx_game::{AgentId, Game};

/// Who changes the roles back to what operators wanted, after a panic.
const RESTART: &str = "the team's restart";

/// Open commands, and the generations to begin with after a panic.
#[derive(Debug)]
pub(crate) struct RecoveryLog<G: Game> {
    /// Seats, logins and rounds.
    seats: RecoveryState<G>,
    /// The commands that the team has taken and not answered.
    open: SortedMap<Ticket, Command>,
    /// The last generation that proved itself: a fresh team is made from it.
    proven: Staged,
    /// The one that was installed after it and is still watched.
    watched: Option<Staged>,
    /// Roles that operators changed.
    roles: SortedMap<AgentId, String>,
    /// Options that operators changed.
    options: Option<TeamOptions>,
    /// Scripts that did not return.
    suspended: Vec<Suspension>,
    /// Why the next team is another one, for the journal; empty: it says so itself.
    why: String,
}

impl<G: Game> RecoveryLog<G> {
    pub(crate) fn new(first: Staged) -> Self {
        Self {
            seats: RecoveryState::default(),
            open: SortedMap::new(),
            proven: first,
            watched: None,
            roles: SortedMap::new(),
            options: None,
            suspended: Vec::new(),
            why: String::new(),
        }
    }

    /// Notes an input on its way to the team.
    pub(crate) fn note(&mut self, input: &Input<G>) {
        self.seats.note(input);
        self.note_open(input);
    }

    fn note_open(&mut self, input: &Input<G>) {
        if let Input::Command(CommandRequest { ticket, command, .. }) = input
            && !matches!(command, Command::RefuseStrategy(_))
        {
            self.open.insert(*ticket, command.clone());
        }
    }

    /// The team answered.
    pub(crate) fn answered(&mut self, ticket: Ticket, answer: &Answer) {
        let (Some(command), Ok(reply)) = (self.open.remove(&ticket), answer) else { return };
        if let Command::InstallStrategy(InstallStrategy { staged, pinned }) = command {
            if pinned {
                (self.proven, self.watched) = (staged, None);
            } else {
                self.watched = Some(staged);
            }
        } else if let Command::SetRole(SetRole { agent, role, .. }) = command {
            if ticket != REPEATED_TICKET {
                self.suspended.retain(|known| known.role.as_ref() != Some(&role));
            }
            self.roles.insert(agent, role);
        } else if let Command::RetuneTeam(RetuneTeam { options }) = command {
            self.options = Some(options);
        } else if let CommandReply::AddAgent(enrolled) = reply {
            // An agent that comes back has the role with which it was added.
            self.roles.remove(&enrolled.agent);
        }
    }

    pub(crate) fn journaled(&mut self, event: &JournalEvent) {
        if let JournalEvent::TakenBack { .. } = event {
            self.watched = None;
        }
    }

    pub(crate) fn published(&mut self, snapshot: &Snapshot) {
        let proven = |watched: &mut Staged| {
            watched.generation.number == snapshot.generation && !snapshot.on_probation
        };
        if let Some(staged) = self.watched.take_if(proven) {
            self.proven = staged;
        }
    }

    /// The team panicked: open commands are answered. What the team was just installing is not
    /// tried again, since that may have been the reason.
    pub(crate) fn panicked(&mut self, tickets: &Tickets) {
        self.take_lost().for_each(|(ticket, answer)| tickets.answer(ticket, answer));
    }

    /// The answers to the commands that ended with their team.
    pub(crate) fn take_lost(&mut self) -> impl Iterator<Item = (Ticket, Answer)> {
        let open = std::mem::take(&mut self.open).into_iter();
        open.map(|(ticket, command)| (ticket, Err(command.lost())))
    }

    /// The team's thread is replaced, or an operator has it made anew: why, and what script is not
    /// called any more.
    pub(crate) fn replaced(&mut self, why: String, suspension: Option<Suspension>) {
        self.why = why;
        if let Some(suspension) = suspension {
            self.suspended.retain(|known| known.role != suspension.role);
            self.suspended.push(suspension);
        }
    }

    /// All scripts are called again.
    pub(crate) fn lift_suspensions(&mut self) {
        self.suspended.clear();
    }

    /// What a fresh team is made from.
    pub(crate) fn proven(&self) -> Staged {
        self.proven.clone()
    }

    /// The inputs that bring a fresh team back: seats, the generation on probation, and what
    /// operators changed. Until the generation is installed, a panic returns to the one before.
    pub(crate) fn replay(&mut self) -> Vec<Input<G>> {
        let mut inputs = self.seats.replay();
        let (reason, suspended) = (std::mem::take(&mut self.why), self.suspended.clone());
        if !reason.is_empty() || !suspended.is_empty() {
            inputs.push(Input::Restarted { reason, suspended });
        }
        let install = self.watched.take().map(|staged| {
            CommandRequest::new(OWN_TICKET, "", InstallStrategy { staged, pinned: false })
        });
        if let Some(install) = install {
            let input = Input::Command(install);
            self.note_open(&input);
            inputs.push(input);
        }
        let retune =
            |options| CommandRequest::new(REPEATED_TICKET, RESTART, RetuneTeam { options });
        inputs.extend(self.options.map(retune).map(Input::Command));
        let role = |(agent, role): (&AgentId, &String)| {
            // A fresh brain remembers nothing.
            let (agent, role, carry) = (*agent, role.clone(), Carry::Strict);
            CommandRequest::new(REPEATED_TICKET, RESTART, SetRole { agent, role, carry })
        };
        inputs.extend(self.roles.iter().map(role).map(Input::Command));
        inputs
    }
}
