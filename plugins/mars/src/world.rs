//! What the team believes: one map for all agents, since names mean the same to everybody.
//!
//! - `chart`: the graph. `people`: friends and enemies. `ways`: paths and cut vertices. `zones`: what
//!   placements are worth. `query` and below: what scripts ask. `draw`: what people see. `saved`: the
//!   belief as bytes, and what a daemon that was started again meets.

mod chart;
pub(crate) mod draw;
mod people;
mod query;
mod saved;
mod ways;
mod zones;

pub use chart::{DEGREE_MAX, VERTICES_MAX};
pub use people::PEOPLE_MAX;

use crate::action::Action;
use crate::percept::{Briefing, Percept, TeamStatus};
use crate::rules::Role;
use chart::{KnownGraph, VertexId};
use people::{AgentSighting, AgentSightings, Mate};
use phalanx_game::sorted::{SortedMap, SortedSet};
use phalanx_game::{
    ActionError, AgentId, AgentState, Met, Picture, QueryError, RestoreError, Roster, Said, Turn,
    Value,
};
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;
use std::cell::RefCell;

/// Achievements that are remembered at most; there are 48.
const ACHIEVEMENTS_MAX: usize = 1024;

/// The team's joined belief about one simulation.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct World {
    roster: MateNames,
    round: Option<u32>,
    briefings: SortedMap<AgentId, Briefing>,
    /// The team's name as entities show it.
    team: SmolStr,
    step: u32,
    standing: TeamStatus,
    /// The step of the standing.
    standing_step: u32,
    achievements: SortedSet<SmolStr>,
    chart: KnownGraph,
    people: AgentSightings,
    mates: SortedMap<AgentId, Mate>,
    percepts: SortedMap<AgentId, Percept>,
    #[serde(skip)]
    cache: RefCell<query::MapQueryCache>,
}

/// The agents' names, in order.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct MateNames {
    all: Vec<SmolStr>,
    /// Agents that were removed from the team.
    #[serde(skip)]
    gone: SortedSet<AgentId>,
}

impl MateNames {
    fn new(roster: &Roster) -> Self {
        Self {
            all: roster.agents.iter().map(|agent| SmolStr::new(&agent.name)).collect(),
            gone: roster.ids().filter(|agent| !roster.is_present(*agent)).collect(),
        }
    }

    fn of(&self, agent: AgentId) -> &str {
        self.all.get(agent.index()).map_or("?", SmolStr::as_str)
    }

    fn find(&self, name: &str) -> Option<AgentId> {
        let index = self.all.iter().position(|known| known == name)?;
        u16::try_from(index).ok().map(AgentId)
    }

    fn is_present(&self, agent: AgentId) -> bool {
        !self.gone.contains(&agent)
    }
}

impl World {
    /// An empty world.
    #[must_use]
    pub fn new(roster: &Roster) -> Self {
        Self { roster: MateNames::new(roster), team: SmolStr::new(&roster.team), ..Self::default() }
    }

    fn forget_round(&mut self, round: u32) {
        if self.round != Some(round) {
            *self = Self {
                roster: std::mem::take(&mut self.roster),
                round: Some(round),
                team: std::mem::take(&mut self.team),
                ..Self::default()
            };
        }
    }

    /// The step that the team has perceived last.
    #[must_use]
    pub fn step(&self) -> u32 {
        self.step
    }

    /// An agent's newest percept.
    #[must_use]
    pub fn percept(&self, agent: AgentId) -> Option<&Percept> {
        self.percepts.get(&agent)
    }

    /// An agent's role, once a start message came.
    #[must_use]
    pub fn role(&self, agent: AgentId) -> Option<Role> {
        Role::parse(&self.briefings.get(&agent)?.role)
    }

    /// The agents that are known not to be of our team.
    fn enemies(&self) -> impl Iterator<Item = &AgentSighting> {
        self.people.iter().filter(|person| person.team != self.team)
    }

    /// Where enabled enemies are believed to stand.
    fn enemy_vertices(&self) -> Vec<VertexId> {
        let there = self.enemies().filter(|enemy| !enemy.disabled && !enemy.gone);
        there.filter_map(|enemy| enemy.at).collect()
    }

    /// Our agents on whom anybody can count.
    fn present_mates(&self) -> impl Iterator<Item = (AgentId, &Mate)> {
        let mates = self.mates.iter().map(|(agent, mate)| (*agent, mate));
        mates.filter(|(agent, _)| self.roster.is_present(*agent))
    }

    /// Our enabled agents and where they stand. A removed one still holds its vertex; how it is,
    /// the latest sighting counts.
    fn standing_mates(&self) -> impl Iterator<Item = (AgentId, VertexId)> {
        self.mates.iter().filter_map(|(agent, mate)| {
            let removed = !self.roster.is_present(*agent);
            let seen = self.people.get(self.roster.of(*agent)).filter(|_| removed);
            let at = match seen.filter(|person| person.seen > Some(mate.seen)) {
                Some(person) => person.at.filter(|_| !person.disabled && !person.gone),
                None => mate.at.filter(|_| !mate.own.disabled()),
            };
            Some((*agent, at?))
        })
    }

    /// Where our enabled agents stand.
    fn own_vertices(&self) -> Vec<VertexId> {
        self.standing_mates().map(|(_, at)| at).collect()
    }

    fn learn_team(&mut self, agent: AgentId, percept: &Percept) {
        let name = self.roster.of(agent);
        if let Some(own) = percept.entities.iter().find(|entity| entity.name == name)
            && !own.team.is_empty()
        {
            self.team = own.team.clone();
        }
    }

    fn learn_standing(&mut self, percept: &mut Percept) {
        percept.team.inherit(&self.standing);
        if percept.step >= self.standing_step {
            self.standing = TeamStatus { achievements: Vec::new(), ..percept.team.clone() };
            self.standing_step = percept.step;
        }
        for achievement in &percept.team.achievements {
            if self.achievements.len() < ACHIEVEMENTS_MAX {
                self.achievements.insert(achievement.clone());
            }
        }
    }
}

impl phalanx_game::World for World {
    type Briefing = Briefing;
    type Percept = Percept;
    type Action = Action;

    fn enroll(&mut self, roster: &Roster) {
        self.roster = MateNames::new(roster);
    }

    fn begin(&mut self, round: u32, agent: AgentId, briefing: Option<&Briefing>) {
        self.forget_round(round);
        if let Some(briefing) = briefing {
            self.briefings.insert(agent, briefing.clone());
        }
    }

    fn observe(&mut self, turn: Turn, agent: AgentId, mut percept: Percept) {
        self.forget_round(turn.round);
        if let Some(old) = self.percepts.get(&agent) {
            percept.me.inherit(&old.me);
        }
        self.learn_team(agent, &percept);
        self.learn_standing(&mut percept);
        self.chart.learn(&percept, &self.team);
        self.people.learn(&percept, &self.chart);
        if self.percepts.get(&agent).is_none_or(|old| old.step <= percept.step) {
            let at = self.chart.number(&percept.me.position);
            let mate = Mate { own: percept.me.clone(), seen: percept.step, at };
            self.mates.insert(agent, mate);
            self.step = self.step.max(percept.step);
            self.percepts.insert(agent, percept);
        }
        self.cache = RefCell::default();
    }

    fn settle(&mut self, _turn: Turn) {
        self.people.settle(&self.chart);
        self.cache = RefCell::default();
    }

    fn acted(&mut self, _turn: Turn, _agent: AgentId, _action: &Action) {}

    fn field(&self, agent: AgentId, name: &str) -> Option<Value> {
        self.percepts.get(&agent)?.field(name)
    }

    fn query(&self, agent: AgentId, name: &str, args: &[Value]) -> Result<Value, QueryError> {
        query::answer(self, agent, name, args)
    }

    fn parse(&self, _agent: AgentId, said: &Said) -> Result<Action, ActionError> {
        Action::from_said(said)
    }

    fn fallback(&self, _agent: AgentId) -> Action {
        Action::Recharge
    }

    fn score(&self) -> Option<i64> {
        self.standing.score
    }

    fn state(&self, agent: AgentId) -> AgentState {
        let Some(percept) = self.percepts.get(&agent) else { return AgentState::default() };
        let me = &percept.me;
        let number = |number: Option<i32>| number.map_or("?".to_owned(), |some| some.to_string());
        let mut summary = format!(
            "{} health {}/{} energy {}/{}",
            phalanx_game::excerpt(me.position.as_bytes()),
            number(me.health),
            number(me.max_health),
            number(me.energy),
            number(me.max_energy),
        );
        if me.disabled() {
            summary += " disabled";
        }
        AgentState { summary, last_result: me.last_result.word().to_owned() }
    }

    fn draw(&self) -> Picture {
        draw::picture(self)
    }

    fn save(&self) -> Vec<u8> {
        saved::save(self)
    }

    fn restore(&mut self, saved: &[u8]) -> Result<(), RestoreError> {
        saved::restore(self, saved)
    }

    fn recognize(&self, agent: AgentId, met: Met<'_, Briefing, Percept>) -> Result<(), String> {
        saved::recognize(self, agent, met)
    }
}
