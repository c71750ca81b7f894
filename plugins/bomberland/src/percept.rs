//! What a unit perceives: the whole game, since nothing is hidden, and which body it is.

use crate::rules::{AgentIndex, GameBoard, GameState, TickEvent, Unit, UnitIndex};
use phalanx_game::Value;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What the referee says when a game begins, or when it is met in its middle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Briefing {
    /// The game's id.
    pub game_id: String,
    /// Our id in it.
    pub agent: String,
    /// The unit that this agent is; `None` when the game has fewer units than we have agents.
    pub unit: Option<String>,
}

/// The whole game at one tick, shared by all agents of a seat.
#[derive(Clone, Debug)]
pub struct TickScene {
    /// What does not change, with the rules as far as they are known.
    pub board: Arc<GameBoard>,
    /// What does.
    pub state: GameState,
    /// What happened in this tick, in the referee's order.
    pub events: Vec<TickEvent>,
    /// Which agent we are.
    pub agent: AgentIndex,
    /// Ticks a second.
    pub tick_rate_hz: f64,
}

/// What one of our agents perceives.
#[derive(Clone, Debug)]
pub struct Percept {
    /// The game.
    pub scene: Arc<TickScene>,
    /// The unit that this agent is.
    pub unit: Option<UnitIndex>,
    /// Whether the order sent for this tick was carried out; `None` when none was sent.
    pub done: Option<bool>,
}

impl Percept {
    /// The agent's own body.
    #[must_use]
    pub fn body(&self) -> Option<&Unit> {
        self.scene.state.unit(self.unit?)
    }

    /// A field by its declared name.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<Value> {
        let scene = &self.scene;
        let body = self.body();
        let place = body.map(|body| scene.board.place(body.cell));
        Some(match name {
            "tick" => scene.state.tick.into(),
            "unit" => self
                .unit
                .and_then(|unit| scene.board.unit(unit))
                .map(|unit| unit.name.clone())
                .into(),
            "x" => place.map(|(x, _)| x).into(),
            "y" => place.map(|(_, y)| y).into(),
            "hp" => body.map(|body| body.hp).into(),
            "alive" => body.is_some_and(Unit::alive).into(),
            "bombs" => body.map(|body| body.bombs).into(),
            "blast_diameter" => body.map(|body| body.diameter).into(),
            "invulnerable" => body.map(|body| body.invulnerable).into(),
            "stunned" => body.map(|body| body.stunned).into(),
            "done" => self.done.into(),
            _ => return None,
        })
    }
}
