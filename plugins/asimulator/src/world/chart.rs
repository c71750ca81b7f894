//! Facts from the opening and the percepts, tile by tile; nothing is inferred here.

use crate::percept::{Opening, Percept};
use crate::rules::{Bounds, Cell, Neighbourhood, OpeningRules, Pose, Senses, TileKind, TurnAction};
use crate::wire::AnnouncedTile;
use phalanx_grid::{Extent, Plane};
use serde::{Deserialize, Serialize};

/// Places must fit a signed byte.
pub(super) const REACH: i32 = 128;

/// Farther from the start no agent gets.
const POSE_MAX: i32 = 1 << 24;

/// What is known for certain about a tile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    /// What it is made of.
    pub kind: Option<TileKind>,
    /// The agent has stood there.
    pub visited: bool,
    /// It is no wall, since a shot passed it.
    pub open: bool,
    /// Whether a home is there.
    pub home: Option<bool>,
    /// Whether an item lies there now.
    pub item: Option<bool>,
    /// An enemy fell there and became an item, if the tile is clear.
    pub spoils: bool,
    /// Whether an enemy is there now.
    pub enemy: Option<bool>,
    /// Whether Hostility is perceived there; forgotten when a shot may have changed it.
    pub hostility: Option<bool>,
    /// Whether Fear is perceived there.
    pub fear: Option<bool>,
}

/// All facts of one simulation, and where the agent is.
#[derive(Clone, Debug)]
pub struct TileChart {
    facts: Plane<Fact>,
    bounds: Bounds,
    /// Whether the tiles on the bounds are the border ring; `None` until that is learned.
    pub border: Option<bool>,
    /// Corners of what is known.
    low: Cell,
    high: Cell,
    /// Where the agent is.
    pub pose: Pose,
    /// Enemies neutralized for certain.
    pub kills: u16,
    /// False once a shot may have hit several enemies.
    pub kills_exact: bool,
    /// Items seen so far, grabbed ones included, without those that were enemies.
    pub items_seen: u16,
    /// Changes with every new fact.
    pub version: u64,
}

/// A chart without what follows from the rest of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Sketch {
    /// Row by row.
    facts: Vec<(Cell, Fact)>,
    border: Option<bool>,
    pose: Pose,
    kills: u16,
    kills_exact: bool,
    items_seen: u16,
}

impl TileChart {
    /// All that must be kept of the chart.
    pub(super) fn sketch(&self) -> Sketch {
        Sketch {
            facts: self.iter().map(|(at, fact)| (at, *fact)).collect(),
            border: self.border,
            pose: self.pose,
            kills: self.kills,
            kills_exact: self.kills_exact,
            items_seen: self.items_seen,
        }
    }

    /// The chart of a sketch; `None` when the agent or a fact is where no world reaches.
    pub(super) fn of(sketch: Sketch, bounds: Bounds) -> Option<Self> {
        let within =
            |at: Cell, most: i32| [at.x, at.y].iter().all(|place| (-most..=most).contains(place));
        if !within(sketch.pose.at, POSE_MAX) {
            return None;
        }
        let mut chart = Self {
            facts: Plane::new(Cell::ZERO, Extent::default()),
            bounds,
            border: sketch.border,
            low: Cell::ZERO,
            high: Cell::ZERO,
            pose: sketch.pose,
            kills: sketch.kills,
            kills_exact: sketch.kills_exact,
            items_seen: sketch.items_seen,
            version: 0,
        };
        for (at, fact) in sketch.facts {
            if !within(at, REACH) {
                return None;
            }
            chart.change(at, |old| *old = fact);
        }
        Some(chart)
    }

    /// What the opening tells.
    #[must_use]
    pub fn new(opening: &Opening, border: Option<bool>) -> Self {
        let mut chart = Self {
            facts: Plane::new(Cell::ZERO, Extent::default()),
            bounds: opening.rules.bounds,
            border,
            low: Cell::ZERO,
            high: Cell::ZERO,
            pose: Pose { at: Cell::ZERO, heading: opening.rules.heading },
            kills: 0,
            kills_exact: true,
            items_seen: 0,
            version: 0,
        };
        for tile in &opening.tiles {
            chart.tell(tile.at, tile.known);
        }
        chart.stand(opening.first);
        chart
    }

    /// A tile's facts; everything outside of the map is wall.
    #[must_use]
    pub fn fact(&self, at: Cell) -> Fact {
        let ring = self.border == Some(true) && self.bounds.touches(at);
        if ring || self.bounds.excludes(at) || at.x.abs() > REACH || at.y.abs() > REACH {
            return Fact { kind: Some(TileKind::Wall), enemy: Some(false), ..Fact::default() };
        }
        self.facts.get(at).copied().unwrap_or_default()
    }

    /// Whether a tile lies on a bound of which it is not known whether it is the border ring.
    #[must_use]
    pub fn doubtful(&self, at: Cell) -> bool {
        self.border.is_none() && self.bounds.touches(at)
    }

    /// The corners of the rectangle in which something is known.
    #[must_use]
    pub fn corners(&self) -> (Cell, Cell) {
        (self.low, self.high)
    }

    /// All tiles with facts.
    pub fn iter(&self) -> impl Iterator<Item = (Cell, &Fact)> {
        self.facts.iter().filter(|(_, fact)| **fact != Fact::default())
    }

    fn change(&mut self, at: Cell, change: impl FnOnce(&mut Fact)) {
        if at.x.abs() > REACH || at.y.abs() > REACH {
            return;
        }
        let Some(fact) = self.facts.get_mut(at) else { return };
        let before = *fact;
        change(fact);
        if *fact != before {
            self.version += 1;
            self.low = Cell::new(self.low.x.min(at.x), self.low.y.min(at.y));
            self.high = Cell::new(self.high.x.max(at.x), self.high.y.max(at.y));
        }
    }

    fn tell(&mut self, at: Cell, known: AnnouncedTile) {
        let fact = match known {
            AnnouncedTile::Clear { home, item, hostility, fear } => Fact {
                kind: Some(TileKind::Clear),
                home: Some(home),
                item: Some(item),
                enemy: Some(false),
                hostility: Some(hostility),
                fear: Some(fear),
                ..Fact::default()
            },
            AnnouncedTile::Guarded { home, item } => Fact {
                kind: Some(TileKind::Clear),
                home: Some(home),
                item: Some(item),
                enemy: Some(true),
                ..Fact::default()
            },
            AnnouncedTile::Wall => {
                Fact { kind: Some(TileKind::Wall), enemy: Some(false), ..Fact::default() }
            }
            AnnouncedTile::Danger { enemy } => {
                Fact { kind: Some(TileKind::Danger), enemy: Some(enemy), ..Fact::default() }
            }
        };
        if self.fact(at).item != Some(true) && fact.item == Some(true) {
            self.items_seen = self.items_seen.saturating_add(1);
        }
        self.change(at, |old| *old = fact);
    }

    fn learn_border(&mut self, border: bool) {
        if self.border != Some(border) {
            self.border = Some(border);
            self.version += 1;
        }
    }

    /// Records what the agent perceives at its position.
    fn stand(&mut self, senses: Senses) {
        if self.bounds.touches(self.pose.at) {
            self.learn_border(false);
        }
        let before = self.fact(self.pose.at);
        if senses.item && before.item.is_none() && !before.spoils {
            self.items_seen = self.items_seen.saturating_add(1);
        }
        self.change(self.pose.at, |fact| {
            *fact = Fact {
                kind: Some(TileKind::Clear),
                visited: true,
                open: true,
                home: Some(senses.home),
                item: Some(senses.item),
                spoils: false,
                enemy: Some(false),
                hostility: Some(senses.hostility),
                fear: Some(senses.fear),
            };
        });
    }

    /// An action and what was perceived after it. `possible`: whether an enemy could be on a tile
    /// before it, by all that was known then.
    pub fn observe(
        &mut self,
        percept: &Percept,
        rules: &OpeningRules,
        around: Neighbourhood,
        possible: &dyn Fn(Cell) -> bool,
    ) {
        let senses = percept.senses;
        match percept.after {
            Some(TurnAction::Move) if senses.bump => {
                if self.doubtful(self.pose.ahead()) {
                    self.learn_border(true);
                }
                self.change(self.pose.ahead(), |fact| {
                    (fact.kind, fact.enemy) = (Some(TileKind::Wall), Some(false));
                });
            }
            Some(TurnAction::Move) => self.pose.at = self.pose.ahead(),
            Some(TurnAction::TurnLeft) => self.pose.heading = self.pose.heading.left(),
            Some(TurnAction::TurnRight) => self.pose.heading = self.pose.heading.right(),
            Some(TurnAction::Neutralize) => {
                self.shot(senses.neutralized, rules, around, possible);
            }
            Some(TurnAction::Grab | TurnAction::ShutOff) | None => {}
        }
        if !senses.end {
            self.stand(senses);
        }
    }

    /// The tiles that a shot from a pose passes for certain: up to the first whose kind is unknown,
    /// that one included. Walls end it.
    pub fn ray(&self, from: Pose, range: u8) -> impl Iterator<Item = Cell> {
        let reach = if range == 0 { 2 * REACH } else { i32::from(range) };
        let step = from.heading.step();
        let (mut at, mut left, mut blocked) = (from.at, reach, false);
        std::iter::from_fn(move || {
            at = at + step;
            left -= 1;
            let fact = self.fact(at);
            if left < 0 || blocked || fact.kind == Some(TileKind::Wall) {
                return None;
            }
            blocked = fact.kind.is_none() && !fact.open;
            Some(at)
        })
    }

    /// A shot with ammunition was fired.
    fn shot(
        &mut self,
        hit: bool,
        rules: &OpeningRules,
        around: Neighbourhood,
        possible: &dyn Fn(Cell) -> bool,
    ) {
        let ray: Vec<Cell> = self.ray(self.pose, rules.range).collect();
        if !hit {
            for at in ray {
                self.change(at, |fact| fact.enemy = Some(false));
            }
            return;
        }
        self.kills = self.kills.saturating_add(1);
        self.kills_exact &= rules.stops_at_first;
        let suspects = self.suspects(rules, possible);
        self.forget_hostility(&suspects, around);
        // Behind the first tile of unknown kind the shot may have hit, too.
        let certain: Vec<Cell> = ray.into_iter().filter(|at| possible(*at)).collect();
        if let [only] = suspects.as_slice() {
            self.fall(*only, rules);
        } else if let Some(nearest) = certain.first().filter(|_| rules.stops_at_first) {
            self.change(*nearest, |fact| fact.enemy = Some(false));
        }
        if !rules.stops_at_first {
            for at in certain {
                self.change(at, |fact| fact.enemy = Some(false));
            }
        }
    }

    /// Everywhere in the line of fire where an enemy may have been, as far as it may have flown.
    fn suspects(&self, rules: &OpeningRules, possible: &dyn Fn(Cell) -> bool) -> Vec<Cell> {
        let reach = if rules.range == 0 { 2 * REACH } else { i32::from(rules.range) };
        let step = self.pose.heading.step();
        let mut at = self.pose.at;
        let mut suspects = Vec::new();
        for _ in 0..reach {
            at = at + step;
            let fact = self.fact(at);
            let outside = at.x.abs() > REACH || at.y.abs() > REACH;
            if outside || fact.kind == Some(TileKind::Wall) {
                break;
            }
            if fact.enemy != Some(false) && possible(at) {
                suspects.push(at);
            }
            if fact.enemy == Some(true) && rules.stops_at_first {
                break;
            }
        }
        suspects
    }

    /// The only one whom a shot can have hit.
    fn fall(&mut self, at: Cell, rules: &OpeningRules) {
        let mut between = self.pose.at;
        while between != at {
            between = between + self.pose.heading.step();
            self.change(between, |fact| fact.open = true);
        }
        self.change(at, |fact| {
            fact.enemy = Some(false);
            if rules.becomes_item {
                match fact.kind {
                    Some(TileKind::Clear) => fact.item = Some(true),
                    Some(TileKind::Wall | TileKind::Danger) => {}
                    None => fact.spoils = true,
                }
            }
        });
    }

    /// Hostility next to a tile where an enemy may have fallen may be gone.
    fn forget_hostility(&mut self, suspects: &[Cell], around: Neighbourhood) {
        for suspect in suspects {
            for place in around.around(*suspect) {
                if self.fact(place).hostility == Some(true) {
                    self.change(place, |fact| fact.hostility = None);
                }
            }
        }
    }
}
