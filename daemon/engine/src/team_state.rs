//! The state of a team between two turns, without its world and its connections.

use crate::alerts::{AgentCounts, OpenAlerts};
use crate::rounds::RoundParts;
use crate::shared::Mail;
use crate::{Board, Counters, Memory, Params, Steering};
use phalanx_game::sorted::SortedMap;
use phalanx_game::{Roster, Turn};
use std::sync::Arc;

/// The state of a team: a checkpoint writes it, a restart reads it, and a start begins with it. A
/// new piece of state is declared here, taken in `Team::checkpoint`, put back in `Team::restore`,
/// and written and read in `checkpoint/wire/parts.rs`.
#[derive(Clone, Debug)]
pub struct TeamState {
    /// The last turn, in the team's count.
    pub(crate) turn: Turn,
    /// Turns begun until then.
    pub(crate) tick: u64,
    pub(crate) roster: Arc<Roster>,
    pub(crate) roles: Vec<String>,
    /// By roster index; further agents are as at the start of a match.
    pub(crate) members: Vec<MemberParts>,
    /// `None` before the first round.
    pub(crate) rounds: Option<RoundParts>,
    pub(crate) counters: Counters,
    pub(crate) scores: Vec<i64>,
    pub(crate) alerts: OpenAlerts,
    pub(crate) counted: Vec<AgentCounts>,
    pub(crate) metrics: SortedMap<String, f64>,
    pub(crate) mail: Mail,
    pub(crate) memories: Vec<Memory>,
    pub(crate) board: Arc<Board>,
    pub(crate) params: Arc<Params>,
}

/// The state of one agent, besides its role.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct MemberParts {
    pub(crate) steering: Steering,
    /// It was asked in the last turn.
    pub(crate) expected: bool,
    pub(crate) last_asked: Option<Turn>,
    pub(crate) last_action: String,
    pub(crate) reason: String,
    pub(crate) trouble: String,
}

impl TeamState {
    /// The state of a team at the start of a match.
    #[must_use]
    pub fn new(roster: Arc<Roster>) -> Self {
        Self {
            turn: Turn::default(),
            tick: 0,
            roles: roster.agents.iter().map(|entry| entry.role.clone()).collect(),
            roster,
            members: Vec::new(),
            rounds: None,
            counters: Counters::default(),
            scores: Vec::new(),
            alerts: OpenAlerts::new(),
            counted: Vec::new(),
            metrics: SortedMap::new(),
            mail: Mail::default(),
            memories: Vec::new(),
            board: Arc::default(),
            params: Arc::default(),
        }
    }

    /// The same with values of parameters that operators set, and with their steering of the
    /// agents, by roster index; further agents are not steered.
    #[must_use]
    pub fn operated(mut self, params: Arc<Params>, steering: Vec<Steering>) -> Self {
        let member = |steering| MemberParts { steering, ..MemberParts::default() };
        self.members = steering.into_iter().map(member).collect();
        Self { params, ..self }
    }

    /// The same with an empty board that continues from this revision.
    #[must_use]
    pub fn after(self, board_revision: u64) -> Self {
        Self { board: Arc::new(Board::default().after(board_revision)), ..self }
    }

    /// The agents.
    #[must_use]
    pub fn roster(&self) -> &Arc<Roster> {
        &self.roster
    }

    /// The parameters, with the values that operators set.
    #[must_use]
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// The operators' steering of the agents, by roster index.
    pub fn steering(&self) -> impl Iterator<Item = &Steering> {
        self.members.iter().map(|member| &member.steering)
    }

    /// The board's revision.
    #[must_use]
    pub fn board_revision(&self) -> u64 {
        self.board.revision()
    }

    /// Replaces parameters and steering by newer ones.
    pub(crate) fn steer(&mut self, params: &Arc<Params>, steering: &[Steering]) {
        self.params = Arc::clone(params);
        for (member, steering) in self.members.iter_mut().zip(steering) {
            member.steering = steering.clone();
        }
    }
}
