//! What a team's thread knows of its strategy, of what operators changed and of open requests,
//! so that a panic loses nothing of it.

use crate::tickets::{OWN_ROLE_TICKET, OWN_TICKET, Tickets};
use phalanx_engine::{
    Answer, BrainError, BrainErrorKind, Carry, Input, JournalEvent, Snapshot, Staged, Suspension,
    TeamOptions, Ticket,
};
use phalanx_game::{AgentId, Game};
use std::collections::BTreeMap;

/// Who changes the roles back to what operators wanted, after a panic.
const RESTART: &str = "the team's restart";

/// Open requests, and the generations to begin with after a panic.
#[derive(Debug)]
pub(crate) struct Ledger {
    open: BTreeMap<Ticket, Open>,
    /// The last generation that proved itself: a fresh team is made from it.
    proven: Staged,
    /// The one that was installed after it and is still watched.
    watched: Option<Staged>,
    /// Roles that operators changed.
    roles: BTreeMap<AgentId, String>,
    /// Options that operators changed.
    options: Option<TeamOptions>,
    /// Scripts that did not return.
    suspended: Vec<Suspension>,
    /// Why the next team is another one, for the journal; empty: it says so itself.
    why: String,
}

/// A request that the team has taken and not answered.
#[derive(Debug)]
enum Open {
    Install { staged: Staged, pinned: bool },
    Role { agent: AgentId, role: String },
    Retune(TeamOptions),
    Run,
    Other,
}

impl Ledger {
    pub(crate) fn new(first: Staged) -> Self {
        Self {
            open: BTreeMap::new(),
            proven: first,
            watched: None,
            roles: BTreeMap::new(),
            options: None,
            suspended: Vec::new(),
            why: String::new(),
        }
    }

    /// An input passes on its way to the team.
    pub(crate) fn note<G: Game>(&mut self, input: &Input<G>) {
        let (ticket, open) = match input {
            Input::Install { ticket, staged, pinned } => {
                (*ticket, Open::Install { staged: staged.clone(), pinned: *pinned })
            }
            Input::SetRole { ticket, agent, role, .. } => {
                (*ticket, Open::Role { agent: *agent, role: role.clone() })
            }
            Input::Retune { ticket, options, .. } => (*ticket, Open::Retune(*options)),
            Input::Run { ticket, .. } => (*ticket, Open::Run),
            Input::SetParam { ticket, .. }
            | Input::Look { ticket }
            | Input::Draw { ticket }
            | Input::ReadBoard { ticket, .. }
            | Input::WriteBoard { ticket, .. }
            | Input::Steer { ticket, .. }
            | Input::AddAgent { ticket, .. }
            | Input::RemoveAgent { ticket, .. }
            | Input::Leave { ticket, .. }
            | Input::Return { ticket, .. }
            | Input::Profile { ticket, .. } => (*ticket, Open::Other),
            Input::Seat { .. }
            | Input::Event { .. }
            | Input::Late { .. }
            | Input::StrategyRefused { .. }
            | Input::Restarted { .. }
            | Input::Drain => return,
        };
        self.open.insert(ticket, open);
    }

    /// The team answered.
    pub(crate) fn answered(&mut self, ticket: Ticket, answer: &Answer) {
        match (answer, self.open.remove(&ticket)) {
            (Answer::Installed(Ok(())), Some(Open::Install { staged, pinned: true })) => {
                (self.proven, self.watched) = (staged, None);
            }
            (Answer::Installed(Ok(())), Some(Open::Install { staged, pinned: false })) => {
                self.watched = Some(staged);
            }
            (Answer::Role(Ok(_)), Some(Open::Role { agent, role })) => {
                if ticket != OWN_ROLE_TICKET {
                    self.suspended.retain(|known| known.role.as_ref() != Some(&role));
                }
                self.roles.insert(agent, role);
            }
            (Answer::Retuned(Ok(())), Some(Open::Retune(options))) => self.options = Some(options),
            // Whoever comes has the role with which it came.
            (Answer::Enrolled(Ok(enrolled)), _) => _ = self.roles.remove(&enrolled.agent),
            (_, _) => {}
        }
    }

    pub(crate) fn told(&mut self, event: &JournalEvent) {
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

    /// The team panicked: whoever waits for it is told. What it was just installing is not tried
    /// again, since that may have been the reason.
    pub(crate) fn panicked(&mut self, tickets: &Tickets) {
        for (ticket, open) in std::mem::take(&mut self.open) {
            let error = |what: &str| {
                let text = format!("the team panicked and restarted before {what}");
                BrainError::without_place(BrainErrorKind::Script, text)
            };
            match open {
                Open::Install { .. } => {
                    let error = error("this generation was installed; the one before plays on");
                    tickets.answer(ticket, Answer::Installed(Err(error)));
                }
                Open::Run => tickets.answer(ticket, Answer::Ran(Err(error("it answered")))),
                Open::Role { .. } | Open::Retune(_) | Open::Other => tickets.forget(ticket),
            }
        }
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

    /// What it is to install then, and the roles and options that operators changed. Until the generation is
    /// installed nobody returns to it.
    pub(crate) fn replay<G: Game>(&mut self) -> Vec<Input<G>> {
        let mut inputs = Vec::new();
        let (reason, suspended) = (std::mem::take(&mut self.why), self.suspended.clone());
        if !reason.is_empty() || !suspended.is_empty() {
            inputs.push(Input::Restarted { reason, suspended });
        }
        if let Some(staged) = self.watched.take() {
            let input = Input::Install { ticket: OWN_TICKET, staged, pinned: false };
            self.note(&input);
            inputs.push(input);
        }
        inputs.extend(self.options.map(|options| Input::Retune {
            ticket: OWN_ROLE_TICKET,
            options,
            by: RESTART.to_owned(),
        }));
        inputs.extend(self.roles.iter().map(|(agent, role)| Input::SetRole {
            ticket: OWN_ROLE_TICKET,
            agent: *agent,
            role: role.clone(),
            // A fresh brain remembers nothing.
            carry: Carry::Strict,
            by: RESTART.to_owned(),
        }));
        inputs
    }
}
