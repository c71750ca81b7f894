//! What an agent perceives: the game's world, nothing hidden (but the other worlds, where everybody
//! has one).

use crate::rules::{Id, catcher, snake};
use phalanx_game::Value;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use std::sync::Arc;

/// Longest list of legal moves that is believed; no position has more than 218.
pub(crate) const MOVES_MAX: usize = 1000;

/// The game's settings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MatchConfig {
    /// The game's name; empty when we came in its middle.
    pub game: String,
    /// Who is asked when.
    pub update_mode: String,
    /// Ticks in total; 0 when unknown.
    pub epochs: u32,
    /// Seconds that a reply may take before it counts as overtime.
    pub step_limit: Option<f64>,
    /// The numbers of food_catcher and cherry_picker.
    pub rules: catcher::CatcherRules,
}

impl MatchConfig {
    /// Reads what `config` tells.
    #[must_use]
    pub fn read(config: &Map<String, Json>) -> Self {
        let text = |key: &str| {
            let text = config.get(key).and_then(Json::as_str).unwrap_or_default();
            phalanx_game::excerpt(text.as_bytes())
        };
        let epochs = config.get("n_epochs").and_then(Json::as_u64);
        Self {
            game: text("game_name"),
            update_mode: text("update_mode"),
            epochs: epochs.and_then(|epochs| u32::try_from(epochs).ok()).unwrap_or_default(),
            step_limit: config.get("step_time_limit").and_then(Json::as_f64),
            rules: catcher::CatcherRules::read(config),
        }
    }
}

/// A chess position as the referee sends it to the side to move.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ChessScene {
    /// The position.
    pub fen: String,
    /// Whether we are white.
    pub white: bool,
    /// In UCI notation.
    pub legal_moves: Vec<Arc<str>>,
    /// The opponent's last move.
    pub last_move: Option<String>,
}

/// The world of a state message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum StateScene {
    /// food_catcher and cherry_picker.
    Catcher(catcher::CatcherState),
    Snake(snake::SnakeState),
    Chess(ChessScene),
    /// A game that we do not know.
    Other,
}

impl StateScene {
    /// Reads a state: its keys tell the game.
    #[must_use]
    pub fn read(state: &Map<String, Json>) -> Self {
        if state.contains_key("fen") {
            let moves = state.get("legal_moves").and_then(Json::as_array).into_iter().flatten();
            let text = |key: &str| state.get(key).and_then(Json::as_str).map(str::to_owned);
            Self::Chess(ChessScene {
                fen: text("fen").unwrap_or_default(),
                white: state.get("turn").and_then(Json::as_bool).unwrap_or(true),
                legal_moves: moves
                    .filter_map(Json::as_str)
                    .map(Arc::from)
                    .take(MOVES_MAX)
                    .collect(),
                last_move: text("last_move"),
            })
        } else if state.contains_key("snakes") {
            Self::Snake(snake::SnakeState::read(state))
        } else if state.contains_key("actors") || state.contains_key("bases") {
            Self::Catcher(catcher::CatcherState::read(state))
        } else {
            Self::Other
        }
    }
}

/// What one agent perceives in a tick.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Percept {
    /// The tick, from 1.
    pub epoch: u32,
    /// Our id.
    pub me: Id,
    /// All ids, in the order of the start.
    pub agents: Arc<[Id]>,
    /// The settings.
    pub config: Arc<MatchConfig>,
    /// The world.
    pub scene: Arc<StateScene>,
}

impl Percept {
    /// Our own score, as far as the state tells it.
    #[must_use]
    pub fn score(&self) -> f64 {
        match &*self.scene {
            StateScene::Catcher(state) => state.score(&self.me).get(),
            StateScene::Snake(state) => {
                let own = state.snakes.iter().find(|snake| snake.agent == self.me);
                own.map_or(0.0, |snake| number(snake.score()))
            }
            StateScene::Chess(_) | StateScene::Other => 0.0,
        }
    }

    /// A field by its declared name.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<Value> {
        Some(match name {
            "epoch" => self.epoch.into(),
            "epochs" => (self.config.epochs > 0).then_some(self.config.epochs).into(),
            "game" => self.game().into(),
            "id" => self.me.to_string().into(),
            "ids" => self.agents.iter().map(ToString::to_string).collect::<Vec<_>>().into(),
            "score" => self.score().into(),
            _ => return None,
        })
    }

    /// The game's name; the world tells it when the settings did not.
    #[must_use]
    pub fn game(&self) -> String {
        if !self.config.game.is_empty() {
            return self.config.game.clone();
        }
        let name = match &*self.scene {
            StateScene::Catcher(_) => "food_catcher",
            StateScene::Snake(_) => "snake",
            StateScene::Chess(_) => "chess",
            StateScene::Other => "unknown",
        };
        name.to_owned()
    }
}

/// A count as scripts see it.
#[expect(clippy::cast_precision_loss, reason = "scores are small")]
pub(crate) fn number(count: i64) -> f64 {
    count as f64
}
