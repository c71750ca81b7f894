//! What the team believes.

use crate::action::Action;
use crate::percept::{Briefing, Percept};
use phalanx_game::{ActionError, AgentId, AgentState, QueryError, Roster, Said, Turn, Value};
use std::collections::BTreeMap;

/// The team's joined belief about one simulation.
#[derive(Clone, Debug)]
pub struct World {
    roster: Roster,
    round: Option<u32>,
    agents: BTreeMap<AgentId, Mind>,
}

/// What is known of one agent of the team.
#[derive(Clone, Debug, Default)]
struct Mind {
    percept: Option<Percept>,
}

impl World {
    /// An empty world.
    #[must_use]
    pub fn new(roster: &Roster) -> Self {
        Self { roster: roster.clone(), round: None, agents: BTreeMap::new() }
    }

    fn percept(&self, agent: AgentId) -> Option<&Percept> {
        self.agents.get(&agent)?.percept.as_ref()
    }
}

impl phalanx_game::World for World {
    type Briefing = Briefing;
    type Percept = Percept;
    type Action = Action;

    fn begin(&mut self, round: u32, agent: AgentId, _briefing: Option<&Briefing>) {
        if self.round != Some(round) {
            self.round = Some(round);
            self.agents.clear();
        }
        self.agents.entry(agent).or_default();
    }

    fn observe(&mut self, _turn: Turn, agent: AgentId, percept: Percept) {
        self.agents.entry(agent).or_default().percept = Some(percept);
    }

    fn settle(&mut self, _turn: Turn) {}

    fn acted(&mut self, _turn: Turn, _agent: AgentId, _action: &Action) {}

    fn field(&self, agent: AgentId, name: &str) -> Option<Value> {
        self.percept(agent)?.field(name)
    }

    fn query(&self, agent: AgentId, name: &str, _args: &[Value]) -> Result<Value, QueryError> {
        match name {
            "tasks" => Ok(self.field(agent, "tasks").unwrap_or_default()),
            other => {
                let reason = "there is no such query".to_owned();
                Err(QueryError { query: other.to_owned(), reason })
            }
        }
    }

    fn parse(&self, _agent: AgentId, said: &Said) -> Result<Action, ActionError> {
        Action::from_said(said)
    }

    fn fallback(&self, _agent: AgentId) -> Action {
        Action::Skip
    }

    fn score(&self) -> Option<i64> {
        self.agents.values().filter_map(|mind| mind.percept.as_ref()).map(|p| p.score).max()
    }

    fn state(&self, agent: AgentId) -> AgentState {
        let Some(percept) = self.percept(agent) else { return AgentState::default() };
        AgentState {
            summary: format!("{} sees {} things", self.roster.name(agent), percept.things.len()),
            last_result: percept.last_result.word().to_owned(),
        }
    }
}
