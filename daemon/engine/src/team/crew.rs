//! The agents of a team: roster, seats, and what the team shows and remembers of each agent.

use super::decide::Source;
use crate::enrolment::AGENTS_MAX;
use crate::snapshot::AgentSnapshot;
use crate::team_state::MemberParts;
use crate::{CommandError, Enrolled, Output, Reason, SeatState, Steering};
use phalanx_game::sorted::SortedSet;
use phalanx_game::{AgentId, Game, Roster, RosterEntry, SeatId, Turn, Value};
use std::collections::VecDeque;
use std::sync::Arc;

/// The number of an agent's answers that are remembered, in case the referee reports that they were
/// too late.
const ANSWERS_MAX: usize = 8;

/// The agents of a team. Entry `i` of each list is of the agent with the id `i`.
#[derive(Debug)]
pub(super) struct Crew {
    roster: Arc<Roster>,
    seats: Vec<SeatId>,
    members: Vec<Member>,
}

/// The team's data of one agent, besides the world.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) shown: AgentSnapshot,
    /// The data of the reason for its last decision.
    pub(super) aim: Value,
    /// The team waits for the agent when a turn gathers: it was asked in the turn before, or the
    /// round is new and it is seated.
    expected: bool,
    /// The referee asks it nothing more in this round.
    out: bool,
    /// The last turn that was counted as late, so that it is counted once.
    late: Option<Turn>,
    /// The last answers, in the session's count, and their source. The report that one was too late
    /// may come after the next one left.
    answers: VecDeque<(Turn, Source)>,
}

impl Crew {
    /// Agents without connections.
    pub(super) fn new(
        roster: Arc<Roster>,
        seats: Vec<SeatId>,
        parts: impl IntoIterator<Item = MemberParts>,
    ) -> Self {
        let members = roster.agents.iter().map(|entry| Member::new(&entry.name)).collect();
        let mut crew = Self { roster, seats, members };
        crew.restore(parts);
        crew
    }

    pub(super) fn roster(&self) -> &Arc<Roster> {
        &self.roster
    }

    /// The number of agents, including removed ones.
    pub(super) fn len(&self) -> usize {
        self.members.len()
    }

    pub(super) fn get(&self, agent: AgentId) -> Option<&Member> {
        self.members.get(agent.index())
    }

    pub(super) fn get_mut(&mut self, agent: AgentId) -> Option<&mut Member> {
        self.members.get_mut(agent.index())
    }

    /// All agents, including removed ones.
    pub(super) fn iter(&self) -> impl Iterator<Item = (AgentId, &Member)> {
        self.roster.ids().zip(&self.members)
    }

    /// All agents, including removed ones, with their entries of the roster.
    pub(super) fn iter_mut(
        &mut self,
    ) -> impl Iterator<Item = (AgentId, &RosterEntry, &mut Member)> {
        let agents = self.roster.ids().zip(&self.roster.agents).zip(&mut self.members);
        agents.map(|((agent, entry), member)| (agent, entry, member))
    }

    /// The agents that were not removed.
    pub(super) fn present(&self) -> impl Iterator<Item = &Member> {
        let members = self.roster.agents.iter().zip(&self.members);
        members.filter(|(entry, _)| !entry.gone).map(|(_, member)| member)
    }

    /// The agents for which a turn waits.
    pub(super) fn awaited(&self) -> impl Iterator<Item = AgentId> {
        let waits = move |(agent, member): &(AgentId, &Member)| {
            member.expected && !member.out && member.is_seated() && self.roster.is_present(*agent)
        };
        self.iter().filter(waits).map(|(agent, _)| agent)
    }

    /// The seats of these agents.
    pub(super) fn awaited_seats(&self) -> impl Iterator<Item = SeatId> {
        self.awaited().filter_map(|agent| self.seat_of(agent))
    }

    /// A round begins: all seated agents are expected in its first turn.
    pub(super) fn expect_all(&mut self) {
        for member in &mut self.members {
            (member.expected, member.out) = (true, false);
        }
    }

    /// Whether the referee asks the agent nothing more in this round.
    pub(super) fn is_out(&self, agent: AgentId) -> bool {
        self.get(agent).is_some_and(|member| member.out)
    }

    pub(super) fn set_out(&mut self, agent: AgentId, is_out: bool) {
        if let Some(member) = self.get_mut(agent) {
            member.out = is_out;
        }
    }

    /// The agents to wait for in the next turn.
    pub(super) fn expect(&mut self, is_expected: impl Fn(AgentId) -> bool) {
        for (agent, member) in self.roster.ids().zip(&mut self.members) {
            member.expected = is_expected(agent);
        }
    }

    pub(super) fn seat_of(&self, agent: AgentId) -> Option<SeatId> {
        self.seats.get(agent.index()).copied()
    }

    /// The agents of a seat.
    pub(super) fn seated_on(&self, seat: SeatId) -> SortedSet<AgentId> {
        let of_seat = self.roster.ids().zip(&self.seats).filter(|(_, at)| **at == seat);
        of_seat.map(|(agent, _)| agent).collect()
    }

    fn next_seat(&self) -> SeatId {
        SeatId(self.seats.iter().map(|seat| seat.0.saturating_add(1)).max().unwrap_or(0))
    }

    /// The roster and seats as they are from now on.
    pub(super) fn lineup<G: Game>(&self) -> Output<G> {
        Output::Roster { roster: Arc::clone(&self.roster), seats: self.seats.clone() }
    }

    /// Adds an agent, or adds a removed one again. True: it was of the team before.
    pub(super) fn add(
        &mut self,
        name: String,
        role: &str,
    ) -> Result<(Enrolled, bool), CommandError> {
        match self.roster.find(&name) {
            Some(agent) if self.roster.is_present(agent) => Err(CommandError::NameTaken { name }),
            Some(agent) => Ok((self.readmit(agent, role), true)),
            None => self.take_on(name, role).map(|enrolled| (enrolled, false)),
        }
    }

    fn readmit(&mut self, agent: AgentId, role: &str) -> Enrolled {
        if let Some(entry) = Arc::make_mut(&mut self.roster).agents.get_mut(agent.index()) {
            *entry = RosterEntry::new(std::mem::take(&mut entry.name), role);
        }
        if let Some(member) = self.get_mut(agent) {
            member.shown.seat = SeatState::Idle;
        }
        Enrolled { agent, seat: self.seat_of(agent).unwrap_or_else(|| self.next_seat()) }
    }

    fn take_on(&mut self, name: String, role: &str) -> Result<Enrolled, CommandError> {
        let id = u16::try_from(self.roster.agents.len()).ok();
        let id = id.filter(|id| usize::from(*id) < AGENTS_MAX);
        let agent = AgentId(id.ok_or(CommandError::TooManyAgents { max: AGENTS_MAX })?);
        let seat = self.next_seat();
        self.members.push(Member::new(&name));
        self.seats.push(seat);
        Arc::make_mut(&mut self.roster).agents.push(RosterEntry::new(name, role));
        Ok(Enrolled { agent, seat })
    }

    /// Checks whether the agent can be removed.
    pub(super) fn may_remove(&self, agent: AgentId) -> Result<(), CommandError> {
        if !self.roster.is_present(agent) {
            return Err(CommandError::NoSuchAgent { id: agent.0 });
        }
        if self.roster.present().count() == 1 {
            return Err(CommandError::LastAgent { name: self.roster.name(agent).to_owned() });
        }
        Ok(())
    }

    /// The agent keeps its place and is marked as removed.
    pub(super) fn remove(&mut self, agent: AgentId) {
        if let Some(entry) = Arc::make_mut(&mut self.roster).agents.get_mut(agent.index()) {
            entry.gone = true;
        }
        if let Some(member) = self.get_mut(agent) {
            member.expected = false;
            member.shown.steering = Steering::Script;
            member.shown.trouble.clear();
            member.explain(None);
        }
    }

    /// Takes the roster of a checkpoint, which begins with the current agents. False: it is the
    /// current one.
    pub(super) fn extend(&mut self, roster: Arc<Roster>) -> bool {
        if roster == self.roster {
            return false;
        }
        for entry in roster.agents.iter().skip(self.members.len()) {
            let seat = self.next_seat();
            self.seats.push(seat);
            self.members.push(Member::new(&entry.name));
        }
        self.roster = roster;
        true
    }

    /// The agents for a checkpoint after a turn in which these were asked.
    pub(super) fn parts(&self, was_asked: impl Fn(AgentId) -> bool) -> Vec<MemberParts> {
        let part = |(agent, member): (AgentId, &Member)| member.parts(was_asked(agent));
        self.iter().map(part).collect()
    }

    /// Restores the agents for which there are parts.
    pub(super) fn restore(&mut self, parts: impl IntoIterator<Item = MemberParts>) {
        for (member, parts) in self.members.iter_mut().zip(parts) {
            member.restore(parts);
        }
    }

    /// Forgets the match that the team left.
    pub(super) fn forget_match(&mut self) {
        for member in &mut self.members {
            (member.expected, member.out, member.late) = (false, false, None);
            member.answers.clear();
        }
    }

    pub(super) fn steering(&self, agent: AgentId) -> Steering {
        self.get(agent).map(|member| member.shown.steering.clone()).unwrap_or_default()
    }
}

impl Member {
    fn new(name: &str) -> Self {
        let shown = AgentSnapshot { name: name.to_owned(), ..AgentSnapshot::default() };
        let (aim, answers) = (Value::Nil, VecDeque::new());
        Self { shown, aim, expected: false, out: false, late: None, answers }
    }

    fn is_seated(&self) -> bool {
        self.shown.seat == SeatState::Seated
    }

    pub(super) fn is_closed(&self) -> bool {
        self.shown.seat == SeatState::Closed
    }

    /// Why it decided as it did last; `None`: it gave no reason.
    pub(super) fn explain(&mut self, reason: Option<&Reason>) {
        self.shown.reason = reason.map(|reason| reason.text.clone()).unwrap_or_default();
        self.aim = reason.map(|reason| reason.data.clone()).unwrap_or_default();
    }

    /// An answer leaves.
    pub(super) fn answered(&mut self, turn: Turn, source: Source) {
        if self.answers.len() >= ANSWERS_MAX {
            self.answers.pop_front();
        }
        self.answers.push_back((turn, source));
    }

    /// The answer of this turn was too late: its source, if it is still known.
    pub(super) fn take_answer(&mut self, local: Turn) -> Option<Source> {
        let place = self.answers.iter().position(|(turn, _)| *turn == local)?;
        self.answers.remove(place).map(|(_, source)| source)
    }

    /// The agent was late in this turn; false if that was counted before.
    pub(super) fn count_late(&mut self, local: Turn) -> bool {
        self.late.replace(local) != Some(local)
    }

    /// One turn less for what an operator wants.
    pub(super) fn count_down(&mut self, had_order: bool) {
        match &mut self.shown.steering {
            Steering::Script | Steering::Paused { .. } => {}
            Steering::Pinned { turns_left, .. } => *turns_left = turns_left.saturating_sub(1),
            Steering::Piloted { lease, turns_left, order, .. } => {
                *turns_left = if had_order { *lease } else { turns_left.saturating_sub(1) };
                *order = None;
            }
        }
    }

    fn parts(&self, expected: bool) -> MemberParts {
        MemberParts {
            steering: self.shown.steering.clone(),
            expected,
            last_asked: self.shown.last_asked,
            last_action: self.shown.last_action.clone(),
            reason: self.shown.reason.clone(),
            trouble: self.shown.trouble.clone(),
        }
    }

    /// Keeps only its name and the state of its seat.
    fn restore(&mut self, parts: MemberParts) {
        let MemberParts { steering, expected, last_asked, last_action, reason, trouble } = parts;
        let (name, seat) = (std::mem::take(&mut self.shown.name), self.shown.seat.clone());
        let shown = AgentSnapshot { name, seat, steering, last_asked, ..AgentSnapshot::default() };
        let shown = AgentSnapshot { last_action, reason, trouble, ..shown };
        let (aim, answers) = (Value::Nil, VecDeque::new());
        *self = Self { shown, aim, expected, out: false, late: None, answers };
    }
}
