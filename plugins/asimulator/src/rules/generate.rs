//! A world of a class, for a seed (spec section 8.2): everything is drawn at the start, tile by
//! tile from the north-west, in a fixed order, so that worlds are the same across versions.

use super::{
    AnnouncedCounts, Bounds, BoundsMean, Cell, FeatureRule, Heading, Neighbourhood, OpeningRules,
    Pose, Shortage, TemplateKind, Tile, TileKind, TileMap, TileTemplate, WorldClass, WorldRng,
};
use phalanx_game::sorted::{Order, SortedSet};

/// Worlds that are drawn until enough items can be reached.
const TRIES_MAX: u32 = 10_000;

/// A world, and the rules as its agent sees them.
#[derive(Clone, Debug)]
pub struct GeneratedWorld {
    /// Rules with bounds, counts and heading.
    pub rules: OpeningRules,
    /// Tiles, with places counted from the start.
    pub map: TileMap,
}

/// Why no world can be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GenerateError {
    /// An exact number is larger than the room for it.
    #[error(
        "world.random_{things}: {wanted} do not fit on {room} tiles; lower it or set on_shortage = \"clamp\""
    )]
    Shortage {
        /// What was to be placed.
        things: &'static str,
        /// How many.
        wanted: u16,
        /// On how many tiles.
        room: usize,
    },
    /// No tile is left where the agent could begin.
    #[error("world: no clear tile is left for the agent to start on")]
    NoStart,
    /// The wish for reachable items was never met.
    #[error("world.require_reachable_items: {wanted} were not reached in {TRIES_MAX} worlds")]
    Unreachable {
        /// How many items were wished.
        wanted: u16,
    },
}

/// Makes a world.
///
/// # Errors
/// When an exact number does not fit, nothing is left to start on, or too few items are reachable.
pub fn generate(
    class: &WorldClass,
    mean: BoundsMean,
    chance: &mut WorldRng,
) -> Result<GeneratedWorld, GenerateError> {
    for _ in 0..TRIES_MAX {
        let generated = draw(class, mean, chance)?;
        if class.reachable_items == 0 || reachable_items(&generated.map) >= class.reachable_items {
            return Ok(generated);
        }
    }
    Err(GenerateError::Unreachable { wanted: class.reachable_items })
}

/// A global place as a place of the map: rows count from the north.
fn place(x: u16, y: u16) -> Cell {
    Cell::new(x.into(), -i32::from(y))
}

/// Tiles in the order in which they are drawn.
fn spots(class: &WorldClass) -> Vec<(Cell, TileTemplate)> {
    let rows = 1..=class.rows;
    let columns = || 1..=class.columns;
    rows.flat_map(|y| columns().map(move |x| (place(x, y), class.template(x, y)))).collect()
}

fn draw(
    class: &WorldClass,
    mean: BoundsMean,
    chance: &mut WorldRng,
) -> Result<GeneratedWorld, GenerateError> {
    let corner = place(1, class.rows);
    let mut draft = WorldDraft {
        map: TileMap::new(class.columns, class.rows, corner),
        spots: spots(class),
        shortage: class.shortage,
        chance,
    };
    draft.kinds(class)?;
    let start = draft.start(class)?;
    draft.map.tile_mut(start).into_iter().for_each(|tile| tile.home = class.start_home);
    let (shares, exact) = (&class.shares, &class.exact);
    let clear = |tile: Tile| tile.kind == TileKind::Clear;
    draft.feature(
        "homes",
        exact.homes,
        shares.home,
        |spot| spot.home,
        |tile, _| clear(tile),
        |tile| {
            tile.home = true;
        },
    )?;
    draft.feature(
        "items",
        exact.items,
        shares.item,
        |spot| spot.item,
        |tile, _| clear(tile),
        |tile| {
            tile.item = true;
        },
    )?;
    let enemies = |tile: Tile, at: Cell| tile.kind != TileKind::Wall && at != start;
    draft.feature(
        "enemies",
        exact.enemies,
        shares.enemy,
        |spot| spot.enemy,
        enemies,
        |tile| {
            tile.enemy = true;
        },
    )?;
    draft.feature(
        "knows",
        exact.known,
        shares.known,
        |spot| spot.known,
        |_, _| true,
        |tile| {
            tile.known = true;
        },
    )?;
    let map = draft.map.centred(start);
    let mut rules = class.rules.clone();
    rules.bounds = bounds(class, &map, mean);
    rules.counts = counts(class, &map);
    rules.heading = match class.start.and_then(|start| start.heading) {
        Some(heading) => heading,
        None => heading(&rules, class.border_known, &map, mean, chance),
    };
    Ok(GeneratedWorld { rules, map })
}

/// A world that is being drawn.
struct WorldDraft<'a> {
    map: TileMap,
    spots: Vec<(Cell, TileTemplate)>,
    shortage: Shortage,
    chance: &'a mut WorldRng,
}

impl WorldDraft<'_> {
    /// Takes this number of open tiles, uniformly.
    fn pick(
        &mut self,
        things: &'static str,
        wanted: u16,
        open: &mut Vec<Cell>,
    ) -> Result<Vec<Cell>, GenerateError> {
        let room = open.len();
        if usize::from(wanted) > room && self.shortage == Shortage::Error {
            return Err(GenerateError::Shortage { things, wanted, room });
        }
        let mut left = std::mem::take(open);
        let taken: SortedSet<Cell> =
            (0..wanted).map_while(|_| self.chance.take(&mut left)).collect();
        // The rest keeps its order: row by row.
        left.order_by_key(|at| (-at.y, at.x));
        *open = left;
        Ok(taken.into_iter().collect())
    }

    fn kinds(&mut self, class: &WorldClass) -> Result<(), GenerateError> {
        let mut open = Vec::new();
        for (at, spot) in self.spots.clone() {
            match spot.kind {
                TemplateKind::Random => open.push(at),
                TemplateKind::Clear => {}
                TemplateKind::Wall => self.set_kind(at, TileKind::Wall),
                TemplateKind::Danger => self.set_kind(at, TileKind::Danger),
            }
        }
        let exact = &class.exact;
        let groups = [
            ("walls", exact.walls, TileKind::Wall),
            ("dangers", exact.dangers, TileKind::Danger),
            ("clears", exact.clears, TileKind::Clear),
        ];
        for (things, wanted, kind) in groups {
            for at in self.pick(things, wanted, &mut open)? {
                self.set_kind(at, kind);
            }
        }
        for at in open {
            let drawn = self.chance.draw();
            if drawn < class.shares.wall {
                self.set_kind(at, TileKind::Wall);
            } else if drawn < class.shares.wall + class.shares.danger {
                self.set_kind(at, TileKind::Danger);
            }
        }
        Ok(())
    }

    fn set_kind(&mut self, at: Cell, kind: TileKind) {
        if let Some(tile) = self.map.tile_mut(at) {
            tile.kind = kind;
        }
    }

    fn start(&mut self, class: &WorldClass) -> Result<Cell, GenerateError> {
        if let Some(start) = class.start {
            return Ok(place(start.x, start.y));
        }
        let fits = |(at, spot): &&(Cell, TileTemplate)| {
            self.map.tile(*at).kind == TileKind::Clear && spot.enemy != FeatureRule::Yes
        };
        let mut open: Vec<Cell> = self.spots.iter().filter(fits).map(|(at, _)| *at).collect();
        self.chance.take(&mut open).ok_or(GenerateError::NoStart)
    }

    /// Places one kind of thing: where the class says so, then by number, then by share.
    fn feature(
        &mut self,
        things: &'static str,
        wanted: u16,
        share: f64,
        of: impl Fn(&TileTemplate) -> FeatureRule,
        fits: impl Fn(Tile, Cell) -> bool,
        put: impl Fn(&mut Tile),
    ) -> Result<(), GenerateError> {
        let mut open = Vec::new();
        let mut chosen = Vec::new();
        for (at, spot) in self.spots.iter().filter(|(at, _)| fits(self.map.tile(*at), *at)) {
            match of(spot) {
                FeatureRule::No => {}
                FeatureRule::Yes => chosen.push(*at),
                FeatureRule::Random => open.push(*at),
            }
        }
        chosen.extend(self.pick(things, wanted, &mut open)?);
        for at in open {
            if self.chance.happens(share) {
                chosen.push(at);
            }
        }
        for at in chosen {
            self.map.tile_mut(at).into_iter().for_each(&put);
        }
        Ok(())
    }
}

fn bounds(class: &WorldClass, map: &TileMap, mean: BoundsMean) -> Bounds {
    let (low, high) = map.border();
    let inner = match mean {
        BoundsMean::Border => 0,
        BoundsMean::Interior => 1,
    };
    let told = |told: bool, value: i32| told.then(|| i8::try_from(value).ok()).flatten();
    let announced = &class.announced;
    Bounds {
        lower_x: told(announced.lower_x, low.x + inner),
        upper_x: told(announced.upper_x, high.x - inner),
        lower_y: told(announced.lower_y, low.y + inner),
        upper_y: told(announced.upper_y, high.y - inner),
    }
}

fn counts(class: &WorldClass, map: &TileMap) -> AnnouncedCounts {
    let told = |told: bool, wanted: fn(Tile) -> bool| told.then(|| map.count(wanted));
    let announced = &class.announced;
    AnnouncedCounts {
        homes: told(announced.homes, |tile| tile.home),
        items: told(announced.items, |tile| tile.item),
        enemies: told(announced.enemies, |tile| tile.enemy),
        dangers: told(announced.dangers, |tile| tile.kind == TileKind::Danger),
    }
}

/// A direction that does not lead straight into what the agent knows to stop or kill it, if there
/// is one.
fn heading(
    rules: &OpeningRules,
    border_known: bool,
    map: &TileMap,
    mean: BoundsMean,
    chance: &mut WorldRng,
) -> Heading {
    let can_shoot = rules.ammunition.is_none_or(|ammunition| ammunition.initial > 0);
    let (low, high) = map.border();
    let bad = |heading: Heading| {
        let at = Pose { at: Cell::ZERO, heading }.ahead();
        let tile = map.tile(at);
        let on_border = at.x == low.x || at.x == high.x || at.y == low.y || at.y == high.y;
        let bound = match mean {
            BoundsMean::Border => rules.bounds.touches(at),
            BoundsMean::Interior => rules.bounds.excludes(at),
        };
        let told = tile.known || (on_border && border_known);
        bound || (told && (tile.kind != TileKind::Clear || (tile.enemy && !can_shoot)))
    };
    let good: Vec<Heading> = Heading::ALL.into_iter().filter(|heading| !bad(*heading)).collect();
    let choice = if good.is_empty() { Heading::ALL.to_vec() } else { good };
    choice.get(chance.below(choice.len())).copied().unwrap_or_default()
}

/// Items that can be reached without entering a danger; enemies are not counted as obstacles.
fn reachable_items(map: &TileMap) -> u16 {
    let mut seen = SortedSet::from([Cell::ZERO]);
    let mut queue = vec![Cell::ZERO];
    let mut items = 0_u16;
    while let Some(at) = queue.pop() {
        items = items.saturating_add(map.tile(at).item.into());
        for next in Neighbourhood::Four.around(at) {
            if map.tile(next).kind == TileKind::Clear && seen.insert(next) {
                queue.push(next);
            }
        }
    }
    items
}
