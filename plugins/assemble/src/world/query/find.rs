//! Where things are.

use super::super::chart::{GroupMap, KnownTerrain, Occupant, SeenCell, mark};
use super::Ask;
use super::ground::WalkMap;
use super::way;
use phalanx_game::{QueryError, Value};
use phalanx_grid::{Cell, Extent};

/// Answers of `find` when no limit is given, and at most.
const FOUND: (i32, i32) = (64, 1024);

/// Kinds that `find` and `nearest` know.
pub(super) const KINDS: &str =
    "\"dispenser\", \"taskboard\", \"goal\", \"block\", \"enemy\", \"obstacle\" or \"frontier\"";

/// One thing that was found.
struct FoundThing {
    cell: Cell,
    details: Option<String>,
    seen: u32,
}

impl Ask<'_> {
    pub(super) fn cell(&self) -> Result<Value, QueryError> {
        let cell = self.args.cell(0)?;
        let spot = self.world.chart_of(self.agent).and_then(|chart| chart.spot(cell));
        let Some(spot) = spot else { return Ok(Value::Nil) };
        let types = &self.world.types;
        let ground = match spot.ground {
            KnownTerrain::Plain => "empty",
            KnownTerrain::Goal => "goal",
            KnownTerrain::Obstacle => "obstacle",
        };
        let guest = match spot.guest {
            Occupant::Nobody => Value::Nil,
            Occupant::Own => "own".into(),
            Occupant::Enemy => "enemy".into(),
        };
        let named = |kind: Option<u8>| Value::from(kind.map(|kind| types.name(kind).to_owned()));
        let there = self.world.extent.delta(self.at, cell);
        let mine = self.world.bodies.part(self.agent, there).is_some();
        Ok(Value::map([
            ("terrain", ground.into()),
            ("dispenser", named(spot.dispenser)),
            ("taskboard", spot.board.into()),
            ("block", named(spot.block)),
            ("held", spot.held.into()),
            ("mine", mine.into()),
            ("entity", guest),
            ("marker", marker(spot)),
            ("seen", spot.seen().into()),
        ]))
    }

    pub(super) fn find(&self) -> Result<Value, QueryError> {
        let limit = self.args.bounded(2, FOUND.0, (0, FOUND.1))?;
        let mut found = self.found()?;
        let extent = self.world.extent;
        found.sort_by_key(|found| (extent.distance(self.at, found.cell), found.cell));
        found.truncate(usize::try_from(limit).unwrap_or(0));
        let value = |found: FoundThing| {
            let distance = extent.distance(self.at, found.cell);
            Value::map([
                ("x", found.cell.x.into()),
                ("y", found.cell.y.into()),
                ("distance", distance.into()),
                ("details", found.details.into()),
                ("seen", found.seen.into()),
            ])
        };
        Ok(Value::List(found.into_iter().map(value).collect()))
    }

    pub(super) fn nearest(&self) -> Result<Value, QueryError> {
        let found = self.found()?;
        let Some(walk) = self.walk() else { return Ok(Value::Nil) };
        let reached = found.into_iter().filter_map(|found| {
            let cost = way::reach(&walk, found.cell)?;
            Some((cost, found))
        });
        let nearest = reached.min_by_key(|(cost, found)| (*cost, found.cell));
        Ok(nearest.map_or(Value::Nil, |(cost, found)| {
            Value::map([
                ("x", found.cell.x.into()),
                ("y", found.cell.y.into()),
                ("distance", cost.into()),
                ("details", found.details.into()),
                ("seen", found.seen.into()),
            ])
        }))
    }

    fn found(&self) -> Result<Vec<FoundThing>, QueryError> {
        let kind = self.args.text(0, KINDS)?;
        let detail = self.args.optional_text(1)?;
        let Some(chart) = self.world.chart_of(self.agent) else { return Ok(Vec::new()) };
        let types = &self.world.types;
        let wanted = |kind: u8| detail.is_none_or(|detail| types.find(detail) == Some(kind));
        let found = |cell: Cell, details: Option<String>| {
            let seen = chart.spot(cell).and_then(SeenCell::seen).unwrap_or(0);
            FoundThing { cell, details, seen }
        };
        let scan = |pick: &dyn Fn(Cell, &SeenCell) -> Option<Option<String>>| -> Vec<FoundThing> {
            let spots = chart.plane().iter().filter(|(_, spot)| spot.seen().is_some());
            spots.filter_map(|(cell, spot)| Some(found(cell, pick(cell, spot)?))).collect()
        };
        Ok(match kind {
            "dispenser" => {
                let all = chart.dispensers.iter().filter(|(_, kind)| wanted(**kind));
                all.map(|(cell, kind)| found(*cell, Some(types.name(*kind).to_owned()))).collect()
            }
            "taskboard" => chart.boards.iter().map(|cell| found(*cell, None)).collect(),
            "goal" => chart.goals.iter().map(|cell| found(*cell, None)).collect(),
            "block" => scan(&|_, spot| {
                let kind = spot.block.filter(|kind| !spot.held && wanted(*kind))?;
                Some(Some(types.name(kind).to_owned()))
            }),
            "enemy" => scan(&|_, spot| (spot.guest == Occupant::Enemy).then_some(None)),
            "obstacle" => scan(&|_, spot| (spot.ground == KnownTerrain::Obstacle).then_some(None)),
            "frontier" => scan(&|cell, spot| is_frontier(chart, cell, spot).then_some(None)),
            _ => return Err(self.args.wrong(0, KINDS)),
        })
    }

    pub(super) fn free(&self) -> Result<Value, QueryError> {
        let cell = self.args.cell(0)?;
        Ok(WalkMap::new(self).is_some_and(|terrain| terrain.is_free(cell)).into())
    }

    pub(super) fn danger(&self) -> Result<Value, QueryError> {
        let cell = self.args.cell(0)?;
        let spot = self.world.chart_of(self.agent).and_then(|chart| chart.spot(cell));
        let fresh = spot.filter(|spot| spot.seen() == Some(self.world.step()));
        Ok(fresh.map_or(Value::Nil, marker))
    }

    pub(super) fn sites(&self) -> Result<Value, QueryError> {
        let radius = self.args.bounded(0, 3, (1, 8))?;
        let limit = self.args.bounded(1, 16, (0, FOUND.1))?;
        let (Some(terrain), Some(walk)) = (WalkMap::new(self), self.walk()) else {
            return Ok(Value::List(Vec::new()));
        };
        let open = |cell: Cell| {
            let spot = terrain.chart().spot(cell);
            spot.is_some_and(|spot| {
                spot.ground != KnownTerrain::Obstacle && (spot.block.is_none() || spot.held)
            })
        };
        let mut sites: Vec<(usize, u32, Cell)> = terrain
            .chart()
            .goals
            .iter()
            .filter(|cell| terrain.is_free(**cell))
            .filter_map(|cell| {
                let free = cell.diamond(radius).filter(|cell| open(*cell)).count();
                Some((free, walk.cost(*cell)?, *cell))
            })
            .collect();
        sites.sort_by_key(|(free, cost, cell)| (std::cmp::Reverse(*free), *cost, *cell));
        sites.truncate(usize::try_from(limit).unwrap_or(0));
        let value = |(free, cost, cell): (usize, u32, Cell)| {
            Value::map([
                ("x", cell.x.into()),
                ("y", cell.y.into()),
                ("distance", cost.into()),
                ("free", u32::try_from(free).unwrap_or(u32::MAX).into()),
            ])
        };
        Ok(Value::List(sites.into_iter().map(value).collect()))
    }

    pub(super) fn size(&self) -> Value {
        let Extent { width, height } = self.world.extent;
        Value::map([("width", width.into()), ("height", height.into())])
    }
}

/// A known cell without obstacle beside a cell that no agent has seen.
pub(super) fn is_frontier(chart: &GroupMap, cell: Cell, spot: &SeenCell) -> bool {
    spot.ground != KnownTerrain::Obstacle
        && cell.neighbours().iter().any(|next| chart.spot(*next).is_none())
}

fn marker(spot: &SeenCell) -> Value {
    if spot.marks & mark::IMMEDIATE != 0 {
        "ci".into()
    } else if spot.marks & mark::CLEAR != 0 {
        "clear".into()
    } else if spot.marks & mark::PERIMETER != 0 {
        "cp".into()
    } else {
        Value::Nil
    }
}
