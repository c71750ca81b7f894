//! Agents come to a team that plays, and leave it.
//!
//! Ids never change: a new agent is at the end of the roster. An agent that leaves keeps its place,
//! marked as removed, and gets it back when an agent of its name is added again.

use super::Team;
use super::decide::{Played, Source};
use crate::turn::Phase;
use crate::{AGENT_NAME_CHARS_MAX, AddAgent, CommandError, Enrolled, JournalEvent, RemoveAgent};
use phalanx_game::{AgentId, Event, Game, World, similar};
use std::sync::Arc;
use std::time::Instant;

impl<G: Game> Team<G> {
    pub(super) fn add_agent(
        &mut self,
        AddAgent { name, role }: AddAgent,
        by: String,
    ) -> Result<Enrolled, CommandError> {
        self.may_change()?;
        check_name(&name)?;
        self.known_role(&role)?;
        let (enrolled, again) = self.crew.add(name, &role)?;
        self.alerts.enroll(self.crew.len(), enrolled.agent);
        self.turns.rounds.enroll(self.crew.len());
        self.shared.borrow_mut().enroll(enrolled.agent, &role);
        self.line_up();
        self.journal(Some(enrolled.agent), JournalEvent::AgentAdded { role, again, by });
        self.publish();
        Ok(enrolled)
    }

    /// An open question is answered with the fallback, and the team does not wait for the agent any
    /// more.
    pub(super) fn remove_agent(
        &mut self,
        RemoveAgent { agent }: RemoveAgent,
        by: String,
        now: Instant,
    ) -> Result<(), CommandError> {
        self.may_change()?;
        self.crew.may_remove(agent)?;
        self.answer_for(agent, &by);
        self.turns.forget(agent);
        self.quorum.dismiss(agent);
        self.shared.borrow_mut().dismiss(agent, self.crew.roster().name(agent));
        self.crew.remove(agent);
        self.line_up();
        self.journal(Some(agent), JournalEvent::AgentRemoved { by });
        self.check_alerts(now);
        self.publish();
        self.end_match_if_over();
        Ok(())
    }

    /// The agents have changed: world, brain and shell learn it.
    fn line_up(&mut self) {
        let roster = Arc::clone(self.crew.roster());
        self.with_world(|world| world.enroll(&roster));
        self.brain.enroll(&roster);
        self.outputs.push_back(self.crew.lineup());
    }

    fn may_change(&self) -> Result<(), CommandError> {
        let declared = self.game.declaration();
        match declared.fixed {
            Some(reason) => Err(CommandError::Fixed { game: declared.name, reason }),
            None if self.ending.is_draining() => Err(CommandError::Leaving),
            None if self.ending.is_over() => Err(CommandError::Over),
            None => Ok(()),
        }
    }

    /// The generation that decides has the role, or takes any.
    pub(super) fn known_role(&self, role: &str) -> Result<(), CommandError> {
        let Some(known) = self.brain.roles().filter(|known| !known.contains(role)) else {
            return Ok(());
        };
        let meant = similar(role, known.iter().map(String::as_str)).map(str::to_owned);
        let (role, known) = (role.to_owned(), known.into_iter().collect());
        Err(CommandError::NoSuchRole { role, known, meant })
    }

    /// The agent was asked and did not decide yet.
    fn answer_for(&mut self, agent: AgentId, by: &str) {
        let undecided = self.turns.open.as_ref().and_then(|open| {
            let asked = open.asked.get(&agent).copied()?;
            let waits = match open.phase {
                Phase::Gathering(_) => true,
                Phase::Waiting => open.awaiting.contains_key(&agent),
                Phase::Deciding(_) | Phase::Done => false,
            };
            waits.then_some(asked)
        });
        let Some(asked) = undecided else { return };
        let role = self.shared.borrow().role(agent).to_owned();
        let reason = format!("removed from the team by {by}");
        let action = self.with_world(|world| world.fallback(agent));
        let event = JournalEvent::undecided(reason, role);
        self.hand_out(agent, asked, Played { action, event, source: Source::Fallback });
    }

    /// Whether a session reports something of an agent that is not of the team any more: its seat
    /// answers by itself until it has hung up.
    pub(super) fn is_unowned(&self, event: &Event<G::Briefing, G::Percept>) -> bool {
        match event {
            Event::RoundStarted { agent, .. }
            | Event::Percept { agent, .. }
            | Event::Asked { agent, .. }
            | Event::Defaulted { agent, .. }
            | Event::Out { agent, .. }
            | Event::RoundOver { agent, .. } => !self.crew.roster().is_present(*agent),
            Event::Seated { .. } | Event::Refused { .. } | Event::Notice(_) | Event::MatchOver => {
                false
            }
        }
    }
}

/// Checks an agent's name: as in settings, and fit for a segment of a resource's name.
fn check_name(name: &str) -> Result<(), CommandError> {
    let length = (1..=AGENT_NAME_CHARS_MAX).contains(&name.chars().count());
    let clean = !name.contains(|letter: char| letter.is_control() || letter == '/');
    if length && clean {
        return Ok(());
    }
    let shown = name.chars().filter(|letter| !letter.is_control());
    Err(CommandError::Name { name: shown.take(AGENT_NAME_CHARS_MAX).collect() })
}
