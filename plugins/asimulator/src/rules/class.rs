//! Classes of worlds: maps with features that are drawn for each world (spec section 8.1).
//!
//! Places in a class are global: columns from 1 in the west, rows from 1 in the **north**, as in
//! the handbook's editor; 0 and the far ends are the border ring.

use super::{Heading, OpeningRules, SIDE_MAX};
use phalanx_game::sorted::SortedMap;

/// What a class says about a tile's kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TemplateKind {
    /// Always clear.
    Clear,
    /// Always wall.
    Wall,
    /// Always a fatal danger.
    Danger,
    /// Drawn.
    #[default]
    Random,
}

/// What a class says about one feature of a tile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FeatureRule {
    /// Never there.
    No,
    /// Always there.
    Yes,
    /// Drawn.
    #[default]
    Random,
}

/// What a class says about one tile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TileTemplate {
    /// What it is made of.
    pub kind: TemplateKind,
    /// Whether a home is there.
    pub home: FeatureRule,
    /// Whether an item lies there.
    pub item: FeatureRule,
    /// Whether an enemy is there.
    pub enemy: FeatureRule,
    /// Whether the opening shows it to the agent.
    pub known: FeatureRule,
}

/// Where the agent begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StartTile {
    /// Column, from 1.
    pub x: u16,
    /// Row, from 1 in the north.
    pub y: u16,
    /// Where it looks; `None`: drawn.
    pub heading: Option<Heading>,
}

/// A share for each thing that is drawn tile by tile, 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TileShares {
    /// Walls, of all tiles.
    pub wall: f64,
    /// Fatal dangers, of all tiles.
    pub danger: f64,
    /// Homes, of clear tiles.
    pub home: f64,
    /// Items, of clear tiles.
    pub item: f64,
    /// Enemies, of tiles that are no walls.
    pub enemy: f64,
    /// Known tiles, of all tiles.
    pub known: f64,
}

/// Exact numbers of things that are placed before shares are drawn; both add up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exact {
    /// Clear tiles.
    pub clears: u16,
    pub walls: u16,
    /// Fatal dangers.
    pub dangers: u16,
    pub homes: u16,
    pub items: u16,
    pub enemies: u16,
    /// Known tiles.
    pub known: u16,
}

/// What the opening tells of the world besides known tiles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Announced {
    /// The bound in the west.
    pub lower_x: bool,
    /// The bound in the east.
    pub upper_x: bool,
    /// The bound in the south.
    pub lower_y: bool,
    /// The bound in the north.
    pub upper_y: bool,
    /// The number of homes.
    pub homes: bool,
    /// The number of items.
    pub items: bool,
    /// The number of enemies.
    pub enemies: bool,
    /// The number of dangers.
    pub dangers: bool,
}

/// What to do when fewer tiles are eligible than an exact number asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shortage {
    /// No world can be made.
    #[default]
    Error,
    /// Place as many as there is room for.
    Clamp,
}

/// A class of worlds with the rules that are played in them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WorldClass {
    /// Columns inside the border, 1 to 127.
    pub columns: u16,
    /// Rows inside the border, 1 to 127.
    pub rows: u16,
    /// Tiles about which the class says something, by column and row.
    pub tiles: SortedMap<(u16, u16), TileTemplate>,
    /// Things drawn tile by tile.
    pub shares: TileShares,
    /// Things placed by number.
    pub exact: Exact,
    /// Whether the opening lists the tiles of the border ring.
    pub border_known: bool,
    /// Where the agent begins; `None`: drawn.
    pub start: Option<StartTile>,
    /// Whether the tile where the agent begins is a home in any case.
    pub start_home: bool,
    /// What to do when there is no room.
    pub shortage: Shortage,
    /// Worlds in which fewer items can be reached without entering a danger are drawn again.
    pub reachable_items: u16,
    /// The parts of the rules that the opening announces.
    pub announced: Announced,
    /// The rules; bounds, counts and heading are filled in for each world.
    pub rules: OpeningRules,
}

/// What is wrong with a class.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", lines.join("\n"))]
pub struct ClassError {
    /// One line for each mistake.
    pub lines: Vec<String>,
}

impl WorldClass {
    /// What a class says about a tile; the start tile is always clear and without an enemy.
    #[must_use]
    pub fn template(&self, x: u16, y: u16) -> TileTemplate {
        let mut template = self.tiles.get(&(x, y)).copied().unwrap_or_default();
        if self.start.is_some_and(|start| (start.x, start.y) == (x, y)) {
            (template.kind, template.enemy) = (TemplateKind::Clear, FeatureRule::No);
        }
        template
    }

    /// Checks everything that does not depend on luck.
    ///
    /// # Errors
    /// All mistakes, each with its key.
    pub fn check(&self) -> Result<(), ClassError> {
        let mut lines = Vec::new();
        for (key, side) in [("columns", self.columns), ("rows", self.rows)] {
            if !(1..=SIDE_MAX).contains(&side) {
                lines.push(format!("world.interior: {key} are 1 to {SIDE_MAX}, not {side}"));
            }
        }
        let shares = &self.shares;
        let named = [
            ("wall", shares.wall),
            ("danger", shares.danger),
            ("home", shares.home),
            ("item", shares.item),
            ("enemy", shares.enemy),
            ("know", shares.known),
        ];
        for (key, share) in named {
            if !(0.0..=1.0).contains(&share) {
                lines.push(format!("world.{key}_probability: 0 to 1, not {share}"));
            }
        }
        if shares.wall + shares.danger > 1.0 {
            lines.push("world: wall_probability and danger_probability exceed 1 together".into());
        }
        let inside =
            |x: u16, y: u16| (1..=self.columns).contains(&x) && (1..=self.rows).contains(&y);
        for (x, y) in self.tiles.keys().filter(|(x, y)| !inside(*x, *y)) {
            lines.push(format!("world.tiles: ({x}, {y}) is not inside the border"));
        }
        if let Some(start) = self.start {
            self.check_start(start, inside(start.x, start.y), &mut lines);
        }
        if self.rules.cost_limit.is_some_and(|limit| self.rules.initial_cost >= limit) {
            lines.push("rules.cost_limit: initial_cost reaches it already".into());
        }
        if lines.is_empty() { Ok(()) } else { Err(ClassError { lines }) }
    }

    fn check_start(&self, start: StartTile, inside: bool, lines: &mut Vec<String>) {
        let (x, y) = (start.x, start.y);
        if !inside {
            lines.push(format!("world.start: ({x}, {y}) is not inside the border"));
        }
        let template = self.tiles.get(&(x, y)).copied().unwrap_or_default();
        if matches!(template.kind, TemplateKind::Wall | TemplateKind::Danger) {
            lines.push(format!("world.start: the tile ({x}, {y}) is not clear"));
        }
        if template.enemy == FeatureRule::Yes {
            lines.push(format!("world.start: the tile ({x}, {y}) has an enemy"));
        }
    }
}
