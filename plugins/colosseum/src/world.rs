//! What the team believes. Nothing is hidden in these games, so belief is the newest percept of
//! each agent; the work is in looking ahead.
//!
//! - `field`: ways and worth on the plane. `grid`: ways and room for snakes,
//!   `duel`: against a rival. `query`: what scripts
//!   ask. `view`: how things look to them. `draw`: what people see. `saved`: the belief as bytes, and
//!   what a daemon that was started again meets.

pub(crate) mod draw;
mod duel;
mod field;
mod grid;
mod query;
mod saved;
mod view;

use crate::action::Action;
use crate::percept::{MatchConfig, Percept, StateScene};
use crate::session::fallback;
use phalanx_game::sorted::SortedMap;
use phalanx_game::{
    ActionError, AgentId, AgentState, Met, Picture, QueryError, RestoreError, Roster, Said, Turn,
    Value,
};
use serde::{Deserialize, Serialize};

/// The team's belief about one match.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct World {
    /// The names of the team's agents.
    names: Vec<String>,
    round: Option<u32>,
    percepts: SortedMap<AgentId, Percept>,
}

impl World {
    /// An empty world.
    #[must_use]
    pub fn new(roster: &Roster) -> Self {
        let names = roster.agents.iter().map(|agent| agent.name.clone()).collect();
        Self { names, ..Self::default() }
    }

    /// An agent's newest percept.
    #[must_use]
    pub fn percept(&self, agent: AgentId) -> Option<&Percept> {
        self.percepts.get(&agent)
    }

    fn forget(&mut self, round: u32) {
        if self.round != Some(round) {
            self.round = Some(round);
            self.percepts.clear();
        }
    }
}

impl phalanx_game::World for World {
    type Briefing = MatchConfig;
    type Percept = Percept;
    type Action = Action;

    fn begin(&mut self, round: u32, _agent: AgentId, _briefing: Option<&MatchConfig>) {
        self.forget(round);
    }

    fn observe(&mut self, turn: Turn, agent: AgentId, percept: Percept) {
        self.forget(turn.round);
        self.percepts.insert(agent, percept);
    }

    fn settle(&mut self, _turn: Turn) {}

    fn acted(&mut self, _turn: Turn, _agent: AgentId, _action: &Action) {}

    fn field(&self, agent: AgentId, name: &str) -> Option<Value> {
        self.percepts.get(&agent)?.field(name)
    }

    fn query(&self, agent: AgentId, name: &str, args: &[Value]) -> Result<Value, QueryError> {
        query::answer(self.percepts.get(&agent), name, args)
    }

    fn parse(&self, agent: AgentId, said: &Said) -> Result<Action, ActionError> {
        Action::from_said(said, self.percepts.get(&agent))
    }

    fn fallback(&self, agent: AgentId) -> Action {
        self.percepts.get(&agent).map_or(Action::Nothing, fallback)
    }

    fn score(&self) -> Option<i64> {
        let sum = self.percepts.values().map(Percept::score).reduce(|a, b| a + b)?;
        #[expect(clippy::cast_possible_truncation, reason = "scores are small; the cast saturates")]
        let sum = sum.floor() as i64;
        Some(sum)
    }

    fn state(&self, agent: AgentId) -> AgentState {
        let Some(percept) = self.percepts.get(&agent) else { return AgentState::default() };
        let summary = match &*percept.scene {
            StateScene::Catcher(state) => {
                let own = |list: &[crate::rules::catcher::CatcherEntity]| {
                    list.iter().filter(|one| one.owner == percept.me).count()
                };
                let (actors, bases) = (own(&state.actors), own(&state.bases));
                let plural = |count: usize| if count == 1 { "" } else { "s" };
                format!(
                    "{actors} actor{}, {bases} base{}, {:.0} food",
                    plural(actors),
                    plural(bases),
                    percept.score()
                )
            }
            StateScene::Snake(state) => {
                let own = state.snakes.iter().find(|snake| snake.agent == percept.me);
                match own.and_then(|snake| Some((snake, snake.head()?))) {
                    Some((snake, [x, y])) if snake.alive => {
                        format!("({x}, {y}) length {}", snake.body.len())
                    }
                    Some((_, [x, y])) => format!("dead at ({x}, {y})"),
                    None => "no snake".to_owned(),
                }
            }
            StateScene::Chess(scene) => {
                let side = if scene.white { "white" } else { "black" };
                format!("{side}, {} legal moves", scene.legal_moves.len())
            }
            StateScene::Other => "an unknown game".to_owned(),
        };
        AgentState { summary, last_result: String::new() }
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

    fn recognize(&self, agent: AgentId, met: Met<'_, MatchConfig, Percept>) -> Result<(), String> {
        saved::recognize(self, agent, met)
    }
}
