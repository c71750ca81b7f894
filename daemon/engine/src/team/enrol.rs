//! Agents come to a team that plays, and leave it.
//!
//! Ids never change: whoever comes stands at the roster's end, whoever leaves keeps its place and
//! is marked, and gets it back when an agent of its name is added again.

use super::decide::{Played, Source};
use super::{Drain, Member, Team};
use crate::enrolment::{AGENTS_MAX, check_name};
use crate::turn::Phase;
use crate::words::similar;
use crate::{Brain, Enrolled, JournalEvent, Output, SeatState, SteerError, Steering};
use phalanx_game::{AgentId, Event, Game, Roster, RosterEntry, SeatId, World};
use std::sync::Arc;
use std::time::Instant;

impl<G: Game, B: Brain> Team<G, B> {
    pub(super) fn add_agent(
        &mut self,
        name: String,
        role: String,
        by: String,
    ) -> Result<Enrolled, SteerError> {
        self.may_change()?;
        check_name(&name)?;
        self.known_role(&role)?;
        let mut roster = Roster::clone(&self.roster);
        let known = self.roster.find(&name);
        let enrolled = match known {
            Some(agent) if self.roster.is_present(agent) => {
                return Err(SteerError::NameTaken { name });
            }
            Some(agent) => self.readmit(agent, &role, &mut roster),
            None => self.take_on(name, &role, &mut roster)?,
        };
        self.alerts.enroll(self.members.len(), enrolled.agent);
        self.rounds.enroll(self.members.len());
        self.shared.borrow_mut().enroll(enrolled.agent, &role);
        self.line_up(roster);
        let again = known.is_some();
        self.journal(Some(enrolled.agent), JournalEvent::AgentAdded { role, again, by });
        self.publish();
        Ok(enrolled)
    }

    /// One that was of the team before.
    fn readmit(&mut self, agent: AgentId, role: &str, roster: &mut Roster) -> Enrolled {
        if let Some(entry) = roster.agents.get_mut(agent.index()) {
            *entry = RosterEntry::new(std::mem::take(&mut entry.name), role);
        }
        if let Some(member) = self.member(agent) {
            member.shown.seat = SeatState::Idle;
        }
        let seat = self.seats.get(agent.index()).copied();
        Enrolled { agent, seat: seat.unwrap_or_else(|| self.next_seat()) }
    }

    fn take_on(
        &mut self,
        name: String,
        role: &str,
        roster: &mut Roster,
    ) -> Result<Enrolled, SteerError> {
        let id = u16::try_from(roster.agents.len()).ok();
        let id = id.filter(|id| usize::from(*id) < AGENTS_MAX);
        let agent = AgentId(id.ok_or(SteerError::TooManyAgents { max: AGENTS_MAX })?);
        let seat = self.next_seat();
        self.members.push(Member::new(&name, Steering::Script));
        self.seats.push(seat);
        roster.agents.push(RosterEntry::new(name, role));
        Ok(Enrolled { agent, seat })
    }

    pub(super) fn next_seat(&self) -> SeatId {
        SeatId(self.seats.iter().map(|seat| seat.0.saturating_add(1)).max().unwrap_or(0))
    }

    /// An open question is answered with the fallback, and nobody waits for the agent any more.
    pub(super) fn remove_agent(
        &mut self,
        agent: AgentId,
        by: String,
        now: Instant,
    ) -> Result<(), SteerError> {
        self.may_change()?;
        if !self.roster.is_present(agent) {
            return Err(SteerError::NoSuchAgent { id: agent.0 });
        }
        if self.roster.present().count() == 1 {
            return Err(SteerError::LastAgent { name: self.roster.name(agent).to_owned() });
        }
        self.answer_for(agent, &by);
        if let Some(open) = &mut self.open {
            open.forget(agent);
        }
        self.quorum.dismiss(agent);
        let mut roster = Roster::clone(&self.roster);
        if let Some(entry) = roster.agents.get_mut(agent.index()) {
            entry.gone = true;
            self.shared.borrow_mut().dismiss(agent, &entry.name);
        }
        if let Some(member) = self.member(agent) {
            member.expected = false;
            member.shown.steering = Steering::Script;
            member.shown.trouble.clear();
            member.shown.reason.clear();
        }
        self.line_up(roster);
        self.journal(Some(agent), JournalEvent::AgentRemoved { by });
        self.check_alerts(now);
        self.publish();
        self.end_match_if_over();
        Ok(())
    }

    /// The agents are these from now on.
    fn line_up(&mut self, roster: Roster) {
        let roster = Arc::new(roster);
        self.roster = Arc::clone(&roster);
        self.with_world(|world| world.enroll(&roster));
        self.brain.enroll(&roster);
        let seats = self.seats.clone();
        self.outputs.push_back(Output::Roster { roster, seats });
    }

    fn may_change(&self) -> Result<(), SteerError> {
        match G::FIXED {
            Some(reason) => Err(SteerError::Fixed { game: G::NAME, reason }),
            None if self.drain != Drain::No => Err(SteerError::Leaving),
            None if self.over => Err(SteerError::Over),
            None => Ok(()),
        }
    }

    /// The generation that decides has the role, or takes any.
    pub(super) fn known_role(&self, role: &str) -> Result<(), SteerError> {
        let Some(known) = self.brain.roles().filter(|known| !known.contains(role)) else {
            return Ok(());
        };
        let meant = similar(role, known.iter().map(String::as_str)).map(str::to_owned);
        let (role, known) = (role.to_owned(), known.into_iter().collect());
        Err(SteerError::NoSuchRole { role, known, meant })
    }

    /// The agent was asked and did not decide yet.
    fn answer_for(&mut self, agent: AgentId, by: &str) {
        let undecided = self.open.as_ref().and_then(|open| {
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
    pub(super) fn is_of_nobody(&self, event: &Event<G::Briefing, G::Percept>) -> bool {
        match event {
            Event::RoundStarted { agent, .. }
            | Event::Percept { agent, .. }
            | Event::Asked { agent, .. }
            | Event::Defaulted { agent, .. }
            | Event::RoundOver { agent, .. } => !self.roster.is_present(*agent),
            Event::Seated { .. } | Event::Refused { .. } | Event::Notice(_) | Event::MatchOver => {
                false
            }
        }
    }
}
