//! Which simulation of the match is running, for the team and for each of its agents.
//!
//! Sessions count the rounds of their own connection. An agent that was away, or that plays only in
//! the larger simulations of a match, has counted fewer than its team; this module maps one count
//! to the other.

use phalanx_game::sorted::SortedSet;
use phalanx_game::{AgentId, Turn};
use serde::{Deserialize, Serialize};

/// What the start of an agent's round means for the team.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RoundStart {
    /// The team begins a new round.
    New(u32),
    /// The agent joins the round that the team plays already.
    Joined(u32),
    /// The agent was in this round before: a reconnect.
    Again(u32),
}

#[derive(Clone, Copy, Debug, Default)]
struct AgentRound {
    seen: Option<(u32, u32)>,
    /// It played the team's round before a restart: its new session may count anew.
    was_here: bool,
}

/// The rounds of a team without the counts of sessions, which end with their daemon.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RoundParts {
    pub(crate) current: u32,
    /// It has ended.
    pub(crate) closing: bool,
    /// The agents that played it.
    pub(crate) here: SortedSet<AgentId>,
}

/// The rounds of a match.
#[derive(Clone, Debug)]
pub(crate) struct TeamRounds {
    current: Option<u32>,
    closing: bool,
    agents: Vec<AgentRound>,
}

impl TeamRounds {
    pub(crate) fn new(agents: usize) -> Self {
        Self { current: None, closing: false, agents: vec![AgentRound::default(); agents] }
    }

    /// Sets the number of agents.
    pub(crate) fn enroll(&mut self, agents: usize) {
        self.agents.resize(agents, AgentRound::default());
    }

    /// The parts for a checkpoint; `None` before the first round.
    pub(crate) fn parts(&self) -> Option<RoundParts> {
        let current = self.current?;
        let here =
            |slot: &AgentRound| slot.was_here || slot.seen.is_some_and(|(_, team)| team == current);
        let ids = (0..u16::MAX).map(AgentId).zip(&self.agents);
        let here = ids.filter(|(_, slot)| here(slot)).map(|(agent, _)| agent).collect();
        Some(RoundParts { current, closing: self.closing, here })
    }

    /// Restores the rounds from a checkpoint, for this number of agents.
    pub(crate) fn of_parts(parts: &RoundParts, agents: usize) -> Self {
        let RoundParts { current, closing, here } = parts;
        let mut rounds = Self::new(agents);
        (rounds.current, rounds.closing) = (Some(*current), *closing);
        for agent in here.iter().filter(|_| !closing) {
            if let Some(slot) = rounds.agents.get_mut(agent.index()) {
                slot.was_here = true;
            }
        }
        rounds
    }

    /// A session reports that its round `local` began for an agent.
    pub(crate) fn started(&mut self, agent: AgentId, local: u32) -> Option<RoundStart> {
        let (current, closing) = (self.current, self.closing);
        let slot = self.agents.get_mut(agent.index())?;
        if let Some(round) = current.filter(|_| std::mem::take(&mut slot.was_here)) {
            slot.seen = Some((local, round));
            return Some(RoundStart::Again(round));
        }
        if let Some((seen, team)) = slot.seen
            && seen == local
            && Some(team) == current
        {
            return Some(RoundStart::Again(team));
        }
        if let Some((seen, team)) = slot.seen
            && local < seen
            && Some(team) == current
            && !closing
        {
            // Sessions only count up, so this one is new, in the middle of the same round.
            slot.seen = Some((local, team));
            return Some(RoundStart::Again(team));
        }
        let was_here = slot.seen.is_some_and(|(_, team)| Some(team) == current);
        let started = match current {
            Some(round) if !closing && !was_here => RoundStart::Joined(round),
            Some(round) => RoundStart::New(round + 1),
            None => RoundStart::New(0),
        };
        if let RoundStart::New(round) = started {
            self.current = Some(round);
            self.closing = false;
        }
        slot.seen = Some((local, self.current.unwrap_or(0)));
        Some(started)
    }

    /// Whether the start of the session's round `local` takes the agent out of the team's round.
    pub(crate) fn departs(&self, agent: AgentId, local: u32) -> bool {
        let Some(slot) = self.agents.get(agent.index()).filter(|slot| !slot.was_here) else {
            return false;
        };
        let here = |(seen, team): (u32, u32)| Some(team) == self.current && local > seen;
        self.is_running() && slot.seen.is_some_and(here)
    }

    /// Whether the agent has played the team's round.
    pub(crate) fn was_here(&self, agent: AgentId) -> bool {
        let seen = self.agents.get(agent.index()).and_then(|slot| slot.seen);
        seen.is_some_and(|(_, team)| Some(team) == self.current)
    }

    /// Whether the team has left the session's round `local` already.
    pub(crate) fn is_behind(&self, agent: AgentId, local: u32) -> bool {
        let seen = self.agents.get(agent.index()).and_then(|slot| slot.seen);
        seen.is_some_and(|(seen, team)| seen == local && Some(team) < self.current)
    }

    /// The session's round `local` is the team's after all.
    pub(crate) fn rejoin(&mut self, agent: AgentId, local: u32) {
        if let (Some(slot), Some(current)) = (self.agents.get_mut(agent.index()), self.current) {
            slot.was_here = false;
            slot.seen = Some((local, current));
        }
    }

    /// Most seats report that the running round is over.
    pub(crate) fn close(&mut self) {
        self.closing = self.current.is_some();
    }

    /// The team left for another match, or missed the end of the round: the next start begins a new
    /// round, whatever the sessions count.
    pub(crate) fn leave(&mut self) {
        self.closing = self.current.is_some();
        self.agents.fill(AgentRound::default());
    }

    /// A session's turn in the team's count; `None` if the agent is behind the team's round.
    pub(crate) fn turn(&self, agent: AgentId, local: Turn) -> Option<Turn> {
        let (seen, team) = self.agents.get(agent.index())?.seen?;
        (seen == local.round && Some(team) == self.current).then(|| Turn::new(team, local.step))
    }

    /// Whether a round has begun and not ended.
    pub(crate) fn is_running(&self) -> bool {
        self.current.is_some() && !self.closing
    }

    /// The running round, or the last one.
    pub(crate) fn current(&self) -> u32 {
        self.current.unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: AgentId = AgentId(0);
    const B: AgentId = AgentId(1);
    const C: AgentId = AgentId(2);

    #[test]
    fn the_first_start_opens_the_round_and_the_others_join() {
        let mut rounds = TeamRounds::new(3);
        assert_eq!(rounds.started(A, 0), Some(RoundStart::New(0)));
        assert_eq!(rounds.started(B, 0), Some(RoundStart::Joined(0)));
        assert_eq!(rounds.started(A, 0), Some(RoundStart::Again(0)));
    }

    #[test]
    fn an_agent_that_plays_only_the_second_round_opens_it() {
        let mut rounds = TeamRounds::new(3);
        rounds.started(A, 0);
        rounds.started(B, 0);
        rounds.close();
        assert_eq!(rounds.started(C, 0), Some(RoundStart::New(1)));
        assert_eq!(rounds.started(A, 1), Some(RoundStart::Joined(1)));
        assert_eq!(rounds.turn(C, Turn::new(0, 5)), Some(Turn::new(1, 5)));
        assert_eq!(rounds.turn(A, Turn::new(1, 5)), Some(Turn::new(1, 5)));
    }

    #[test]
    fn an_agent_that_is_still_in_the_old_round_is_behind() {
        let mut rounds = TeamRounds::new(3);
        rounds.started(A, 0);
        rounds.started(B, 0);
        assert_eq!(rounds.started(A, 1), Some(RoundStart::New(1)));
        assert_eq!(rounds.turn(B, Turn::new(0, 749)), None);
        assert!(rounds.is_behind(B, 0) && !rounds.is_behind(A, 1) && !rounds.is_behind(B, 1));
        assert_eq!(rounds.started(B, 1), Some(RoundStart::Joined(1)));
    }

    #[test]
    fn a_session_that_lost_its_count_is_still_in_the_teams_round() {
        let mut rounds = TeamRounds::new(2);
        for local in 0..2 {
            rounds.started(A, local);
            rounds.started(B, local);
            if local == 0 {
                rounds.close();
            }
        }
        assert_eq!(rounds.started(A, 0), Some(RoundStart::Again(1)));
        assert_eq!(rounds.turn(A, Turn::new(0, 9)), Some(Turn::new(1, 9)));
        assert_eq!(rounds.turn(B, Turn::new(1, 9)), Some(Turn::new(1, 9)), "not thrown out");
        rounds.close();
        assert_eq!(rounds.started(A, 1), Some(RoundStart::New(2)));
    }

    #[test]
    fn after_another_referee_sessions_that_count_anew_begin_a_new_round() {
        let mut rounds = TeamRounds::new(2);
        rounds.started(A, 0);
        rounds.started(B, 0);
        rounds.leave();
        assert_eq!(rounds.turn(A, Turn::new(0, 3)), None);
        assert_eq!(rounds.started(B, 0), Some(RoundStart::New(1)));
        assert_eq!(rounds.started(A, 0), Some(RoundStart::Joined(1)));
        assert_eq!(rounds.turn(A, Turn::new(0, 3)), Some(Turn::new(1, 3)));
    }

    #[test]
    fn in_another_life_whoever_was_here_goes_on_and_whoever_is_new_joins() {
        let mut rounds = TeamRounds::new(3);
        rounds.started(A, 0);
        rounds.close();
        rounds.started(A, 1);
        rounds.started(B, 1);
        let parts = rounds.parts().unwrap();
        let mut again = TeamRounds::of_parts(&parts, 3);
        assert_eq!(again.parts(), Some(parts), "no agent is lost before the first report");
        assert_eq!(again.started(A, 0), Some(RoundStart::Again(1)));
        assert_eq!(again.started(C, 0), Some(RoundStart::Joined(1)));
        assert_eq!(again.turn(A, Turn::new(0, 9)), Some(Turn::new(1, 9)));
        again.close();
        assert_eq!(again.started(A, 1), Some(RoundStart::New(2)));
    }

    #[test]
    fn in_another_life_a_round_that_had_ended_is_over() {
        let mut rounds = TeamRounds::new(1);
        rounds.started(A, 0);
        rounds.close();
        let mut again = TeamRounds::of_parts(&rounds.parts().unwrap(), 1);
        assert!(!again.is_running());
        assert_eq!(again.started(A, 0), Some(RoundStart::New(1)));
    }

    #[test]
    fn only_an_agent_of_the_running_round_can_leave_it_for_a_later_one() {
        let mut rounds = TeamRounds::new(3);
        rounds.started(A, 3);
        assert!(rounds.departs(A, 4));
        assert!(!rounds.departs(A, 3), "the same again");
        assert!(!rounds.departs(A, 2), "a session that was made anew");
        assert!(!rounds.departs(B, 4), "it was not here");
        assert!(rounds.was_here(A) && !rounds.was_here(B));
        rounds.rejoin(A, 4);
        assert_eq!(rounds.turn(A, Turn::new(4, 7)), Some(Turn::new(0, 7)));
        assert!(!rounds.departs(A, 4));
        rounds.close();
        assert!(!rounds.departs(A, 5), "the round is over");
    }

    #[test]
    fn a_stranger_changes_nothing() {
        let mut rounds = TeamRounds::new(1);
        assert_eq!(rounds.started(C, 0), None);
        assert!(!rounds.departs(C, 0) && !rounds.is_behind(C, 0));
        assert_eq!(rounds.turn(A, Turn::new(0, 0)), None);
    }
}
