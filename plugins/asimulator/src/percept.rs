//! What the agent receives: the opening of a simulation, then a percept after each action.

use crate::rules::{OpeningRules, ScoreAccount, Senses, TurnAction};
use crate::wire::{Dialect, KnownTile};
use phalanx_game::Value;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The opening of a simulation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opening {
    pub rules: OpeningRules,
    /// What is perceived on the start tile.
    pub first: Senses,
    /// Tiles that are known from the start.
    pub tiles: Vec<KnownTile>,
    /// How the connection writes.
    pub dialect: Dialect,
}

pub type Briefing = Arc<Opening>;

/// What the agent perceives in a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Percept {
    /// What it perceives.
    pub senses: Senses,
    /// The action after which it perceives that; `None` at the start.
    pub after: Option<TurnAction>,
    /// Our own bookkeeping up to now.
    pub ledger: ScoreAccount,
}

impl Percept {
    /// A field by its declared name.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<Value> {
        let (senses, ledger) = (&self.senses, &self.ledger);
        Some(match name {
            "home" => senses.home.into(),
            "item" => senses.item.into(),
            "hostility" => senses.hostility.into(),
            "fear" => senses.fear.into(),
            "bump" => senses.bump.into(),
            "neutralized" => senses.neutralized.into(),
            "over" => senses.end.into(),
            "after" => self.after.map(TurnAction::word).into(),
            "cost" => ledger.cost.into(),
            "score" => ledger.score.into(),
            "ammunition" => ledger.ammunition.map(i32::from).into(),
            _ => return None,
        })
    }
}
