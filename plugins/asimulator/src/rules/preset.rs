//! Classes of worlds that ship (spec section 8.3).

use super::{
    Ammunition, Announced, Costs, Exact, FeatureRule, Heading, OpeningRules, StartTile,
    TemplateKind, TileShares, TileTemplate, WorldClass,
};
use phalanx_game::sorted::SortedMap;

/// A class of worlds by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// The handbook's example class: the textbook's wumpus world.
    Wumpus4x4,
    /// An empty room with items.
    EinarRoom,
    /// The handbook's large test class: walls and items, nothing deadly.
    Gunnar60x52,
    /// Something of everything.
    Hazard12x12,
    /// Shots that turn enemies into items, against a limit of costs.
    FireBrigade,
}

impl Preset {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Wumpus4x4, Self::EinarRoom, Self::Gunnar60x52, Self::Hazard12x12, Self::FireBrigade];

    /// Its name in settings.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Wumpus4x4 => "wumpus-4x4",
            Self::EinarRoom => "einar-room",
            Self::Gunnar60x52 => "gunnar-60x52",
            Self::Hazard12x12 => "hazard-12x12",
            Self::FireBrigade => "fire-brigade",
        }
    }

    /// The preset of that name.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|preset| preset.word() == word)
    }

    #[must_use]
    pub fn class(self) -> WorldClass {
        match self {
            Self::Wumpus4x4 => wumpus(),
            Self::EinarRoom => einar(),
            Self::Gunnar60x52 => gunnar(),
            Self::Hazard12x12 => hazard(),
            Self::FireBrigade => fire_brigade(),
        }
    }
}

/// A clear, known start tile.
fn start(x: u16, y: u16, home: FeatureRule) -> SortedMap<(u16, u16), TileTemplate> {
    let kind = TemplateKind::Clear;
    let tile = TileTemplate { kind, home, known: FeatureRule::Yes, ..TileTemplate::default() };
    SortedMap::from([((x, y), tile)])
}

fn costs(turn: u16) -> Costs {
    Costs { advance: 1, left: turn, right: turn, grab: 1, neutralize: 1 }
}

fn wumpus() -> WorldClass {
    WorldClass {
        columns: 4,
        rows: 4,
        tiles: start(1, 4, FeatureRule::Yes),
        shares: TileShares { danger: 0.2, ..TileShares::default() },
        exact: Exact { items: 1, enemies: 1, ..Exact::default() },
        border_known: true,
        start: Some(StartTile { x: 1, y: 4, heading: Some(Heading::East) }),
        announced: Announced { items: true, enemies: true, ..Announced::default() },
        rules: OpeningRules {
            costs: costs(1),
            item_reward: 1000,
            home_reward: 10_000,
            initial_score: -10_000,
            ammunition: Some(Ammunition { capacity: 1, initial: 1 }),
            stops_at_first: true,
            ..OpeningRules::default()
        },
        ..WorldClass::default()
    }
}

fn einar() -> WorldClass {
    WorldClass {
        columns: 12,
        rows: 9,
        tiles: start(1, 9, FeatureRule::Yes),
        shares: TileShares { item: 0.2, ..TileShares::default() },
        start: Some(StartTile { x: 1, y: 9, heading: Some(Heading::East) }),
        rules: OpeningRules {
            costs: costs(3),
            item_reward: 100,
            home_reward: 100,
            ..OpeningRules::default()
        },
        ..WorldClass::default()
    }
}

fn gunnar() -> WorldClass {
    WorldClass {
        columns: 60,
        rows: 52,
        shares: TileShares { wall: 0.3, item: 0.1, ..TileShares::default() },
        rules: OpeningRules { costs: costs(1), item_reward: 100, ..OpeningRules::default() },
        ..WorldClass::default()
    }
}

fn hazard() -> WorldClass {
    let shares =
        TileShares { wall: 0.1, danger: 0.05, home: 0.02, item: 0.12, enemy: 0.03, known: 0.0 };
    WorldClass {
        columns: 12,
        rows: 12,
        shares,
        start_home: true,
        announced: Announced {
            lower_x: true,
            upper_x: true,
            lower_y: true,
            upper_y: true,
            ..Announced::default()
        },
        rules: OpeningRules {
            costs: costs(1),
            item_reward: 100,
            neutralize_reward: 30,
            home_reward: 500,
            ammunition: Some(Ammunition { capacity: 3, initial: 3 }),
            recharge: true,
            stops_at_first: true,
            ..OpeningRules::default()
        },
        ..WorldClass::default()
    }
}

fn fire_brigade() -> WorldClass {
    WorldClass {
        columns: 20,
        rows: 15,
        shares: TileShares {
            wall: 0.15,
            home: 0.02,
            item: 0.05,
            enemy: 0.08,
            ..TileShares::default()
        },
        start_home: true,
        rules: OpeningRules {
            costs: costs(1),
            range: 3,
            item_reward: 100,
            neutralize_reward: 30,
            home_reward: 500,
            ammunition: Some(Ammunition { capacity: 3, initial: 3 }),
            cost_limit: Some(400),
            recharge: true,
            becomes_item: true,
            ..OpeningRules::default()
        },
        ..WorldClass::default()
    }
}
