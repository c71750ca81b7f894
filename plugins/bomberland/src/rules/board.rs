//! What never changes in a game: its size, its rules, its names, the way of the fire.

use super::{AgentIndex, CellIndex, GameParams, UnitIndex, fire_order};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A unit's name and whose it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnitName {
    /// The referee's name for it.
    pub name: String,
    /// Whose it is.
    pub agent: AgentIndex,
}

/// The unchanging part of a game.
#[derive(Clone, Debug)]
pub struct GameBoard {
    width: u16,
    height: u16,
    /// The rules.
    pub params: GameParams,
    fire: Arc<[CellIndex]>,
    agents: Vec<String>,
    units: Vec<UnitName>,
}

impl GameBoard {
    /// A board; agents and units in the order of the game, at most 255 of each.
    #[must_use]
    pub fn new(
        (width, height): (u16, u16),
        params: GameParams,
        agents: Vec<String>,
        units: Vec<UnitName>,
    ) -> Self {
        let fire = fire_order(width, height).into();
        Self { width, height, params, fire, agents, units }
    }

    /// Columns.
    #[must_use]
    pub fn width(&self) -> u16 {
        self.width
    }

    /// Rows.
    #[must_use]
    pub fn height(&self) -> u16 {
        self.height
    }

    /// How many cells there are.
    #[must_use]
    pub fn cells(&self) -> u16 {
        self.width.saturating_mul(self.height)
    }

    /// The cell at a place; `None` outside.
    #[must_use]
    pub fn cell(&self, x: i32, y: i32) -> Option<CellIndex> {
        let (x, y) = (u16::try_from(x).ok()?, u16::try_from(y).ok()?);
        (x < self.width && y < self.height).then(|| x + y * self.width)
    }

    #[must_use]
    pub fn place(&self, cell: CellIndex) -> (i32, i32) {
        let width = self.width.max(1);
        (i32::from(cell % width), i32::from(cell / width))
    }

    /// The cell that burns as number `index` of the ring of fire.
    #[must_use]
    pub fn fire(&self, index: usize) -> Option<CellIndex> {
        self.fire.get(index).copied()
    }

    /// The agents' names in the order of the game.
    #[must_use]
    pub fn agents(&self) -> &[String] {
        &self.agents
    }

    /// The units' names in the order of the game.
    #[must_use]
    pub fn units(&self) -> &[UnitName] {
        &self.units
    }

    /// The name of an agent.
    #[must_use]
    pub fn agent(&self, index: AgentIndex) -> Option<&str> {
        self.agents.get(usize::from(index)).map(String::as_str)
    }

    /// The agent of that name.
    #[must_use]
    pub fn find_agent(&self, name: &str) -> Option<AgentIndex> {
        let index = self.agents.iter().position(|agent| agent == name)?;
        AgentIndex::try_from(index).ok()
    }

    #[must_use]
    pub fn unit(&self, index: UnitIndex) -> Option<&UnitName> {
        self.units.get(usize::from(index))
    }

    /// The unit of that name.
    #[must_use]
    pub fn find_unit(&self, name: &str) -> Option<UnitIndex> {
        let index = self.units.iter().position(|unit| unit.name == name)?;
        UnitIndex::try_from(index).ok()
    }

    /// Whom a freeze powerup of that agent hits: `b` when it is `a`, otherwise `a`.
    #[must_use]
    pub fn foe(&self, agent: AgentIndex) -> Option<AgentIndex> {
        self.find_agent(if self.agent(agent) == Some("a") { "b" } else { "a" })
    }
}
