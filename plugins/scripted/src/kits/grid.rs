//! `kit.grid`: ways, distance fields and assignment.

use super::{whole, wrong};
use crate::steps::{Steps, charge};
use mlua::{Function, Lua, Table, Value as LuaValue};
use phalanx_grid::{Cell, CostField, Direction, Extent, Region, Rotation, RouteLimits, RouteStep};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Cells around the named ones that are looked at on an axis without a size.
const MARGIN: i32 = 60;
/// States that a search looks at unless the script says otherwise, and at most.
const STATES: usize = 2_000;
const STATES_MAX: usize = 50_000;
/// Cells of a field.
const FIELD_MAX: usize = 100_000;
/// Takers or jobs of an assignment.
const ASSIGN_MAX: usize = 200;

pub(super) fn install(lua: &Lua, native: &Table, steps: &Rc<Steps>) -> mlua::Result<()> {
    let counted = Rc::clone(steps);
    let path = move |lua: &Lua, ask: Table| path(lua, &counted, &ask);
    native.raw_set("path", lua.create_function(path)?)?;
    let counted = Rc::clone(steps);
    let field = move |lua: &Lua, ask: Table| field(lua, &counted, &ask);
    native.raw_set("field", lua.create_function(field)?)?;
    let counted = Rc::clone(steps);
    let assign = move |lua: &Lua, costs: Table| assign(lua, &counted, &costs);
    native.raw_set("assign", lua.create_function(assign)?)
}

fn cell(value: &LuaValue) -> Option<Cell> {
    let table = value.as_table()?;
    let part = |key: &str| whole(&table.raw_get(key).ok()?);
    Some(Cell::new(part("x")?, part("y")?))
}

/// The cells of a list under a key; a single cell is a list of one.
fn cells(lua: &Lua, function: &str, ask: &Table, key: &str) -> mlua::Result<Vec<Cell>> {
    let value: LuaValue = ask.raw_get(key)?;
    if value.is_nil() {
        return Ok(Vec::new());
    }
    if let Some(one) = cell(&value) {
        return Ok(vec![one]);
    }
    let list = value.as_table().map(|table| table.sequence_values::<LuaValue>());
    let all = list.map(|list| list.map(|item| item.ok().as_ref().and_then(cell)).collect());
    let all: Option<Option<Vec<Cell>>> = all;
    all.flatten()
        .ok_or_else(|| wrong(lua, function, &format!("{key}: expected a list of cells {{ x, y }}")))
}

fn extent(lua: &Lua, function: &str, ask: &Table) -> mlua::Result<Extent> {
    let size: LuaValue = ask.raw_get("size")?;
    let Some(size) = size.as_table() else {
        return Err(wrong(lua, function, "size: expected { width, height }"));
    };
    let side = |key: &str| {
        let value: LuaValue = size.raw_get(key)?;
        match whole(&value) {
            Some(side) if (1..=10_000).contains(&side) => Ok(Some(side)),
            None if value.is_nil() => Ok(None),
            Some(_) | None => {
                Err(wrong(lua, function, &format!("size: {key} is no size of a map")))
            }
        }
    };
    Ok(Extent { width: side("width")?, height: side("height")? })
}

/// What the search may look at: the torus, or some cells around the named ones.
fn region(named: &[Cell], extent: Extent) -> Region {
    let (mut low, mut high) = (Cell::ZERO, Cell::ZERO);
    for (index, at) in named.iter().enumerate() {
        if index == 0 {
            (low, high) = (*at, *at);
        }
        low = Cell::new(low.x.min(at.x), low.y.min(at.y));
        high = Cell::new(high.x.max(at.x), high.y.max(at.y));
    }
    Region::new(low, high, extent).widened(MARGIN)
}

/// The price of entering a cell as the script's function says it, asked once for each cell. The
/// first error ends the search.
struct Prices {
    cost: Function,
    extent: Extent,
    known: RefCell<BTreeMap<Cell, Option<u32>>>,
    failed: RefCell<Option<mlua::Error>>,
}

impl Prices {
    fn new(lua: &Lua, function: &str, ask: &Table, extent: Extent) -> mlua::Result<Self> {
        let cost: LuaValue = ask.raw_get("cost")?;
        let cost = cost.as_function().cloned().ok_or_else(|| {
            wrong(lua, function, "cost: expected a function of x and y; nil bars a cell")
        })?;
        Ok(Self { cost, extent, known: RefCell::default(), failed: RefCell::default() })
    }

    fn of(&self, at: Cell) -> Option<u32> {
        if self.failed.borrow().is_some() {
            return None;
        }
        let at = self.extent.wrap(at);
        if let Some(known) = self.known.borrow().get(&at) {
            return *known;
        }
        let price = match self.cost.call::<Option<f64>>((at.x, at.y)) {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a cast saturates"
            )]
            Ok(price) => price.map(|price| price.max(1.0).round() as u32),
            Err(error) => {
                self.failed.replace(Some(error));
                None
            }
        };
        self.known.borrow_mut().insert(at, price);
        price
    }

    fn done<T>(self, found: T) -> mlua::Result<T> {
        self.failed.into_inner().map_or(Ok(found), Err)
    }
}

fn letter(direction: Direction) -> &'static str {
    match direction {
        Direction::North => "n",
        Direction::South => "s",
        Direction::East => "e",
        Direction::West => "w",
    }
}

/// `grid.path { from, to, size, cost, shape, turn_cost, states }`.
fn path(lua: &Lua, steps: &Steps, ask: &Table) -> mlua::Result<Option<Table>> {
    const NAME: &str = "grid.path";
    let from = cells(lua, NAME, ask, "from")?;
    let [from] = from.as_slice() else { return Err(wrong(lua, NAME, "from: expected a cell")) };
    let to = cells(lua, NAME, ask, "to")?;
    let shape = cells(lua, NAME, ask, "shape")?;
    let extent = extent(lua, NAME, ask)?;
    let prices = Prices::new(lua, NAME, ask, extent)?;
    let number = |key: &str, otherwise: usize| -> mlua::Result<usize> {
        let value: LuaValue = ask.raw_get(key)?;
        Ok(whole(&value).and_then(|n| usize::try_from(n).ok()).unwrap_or(otherwise))
    };
    let states = number("states", STATES)?.min(STATES_MAX);
    let turn_cost = u32::try_from(number("turn_cost", 1)?).unwrap_or(1);
    charge(lua, steps, states * (to.len() + shape.len() + 1) / 4)?;
    let named: Vec<_> = to.iter().copied().chain([*from]).collect();
    let distance = |at: Cell| {
        let far = to.iter().map(|to| extent.distance(at, *to)).min().unwrap_or(0);
        u32::try_from(far).unwrap_or(0)
    };
    let found = phalanx_grid::route(
        region(&named, extent),
        (*from, &shape),
        RouteLimits { states, turn_cost, nearest: None },
        |at| prices.of(at),
        |at, _| to.iter().any(|to| extent.same(at, *to)),
        distance,
    );
    let Some(route) = prices.done(found)? else { return Ok(None) };
    let result = lua.create_table()?;
    let words = route.steps.iter().map(|step| match step {
        RouteStep::Move(direction) => letter(*direction),
        RouteStep::Rotate(Rotation::Cw) => "cw",
        RouteStep::Rotate(Rotation::Ccw) => "ccw",
    });
    result.raw_set("steps", lua.create_sequence_from(words)?)?;
    result.raw_set("cost", route.cost)?;
    result.raw_set("complete", route.complete)?;
    Ok(Some(result))
}

/// `grid.field { sources, size, cost, limit }`.
fn field(lua: &Lua, steps: &Steps, ask: &Table) -> mlua::Result<Table> {
    const NAME: &str = "grid.field";
    let sources = cells(lua, NAME, ask, "sources")?;
    let extent = extent(lua, NAME, ask)?;
    let prices = Prices::new(lua, NAME, ask, extent)?;
    let limit: LuaValue = ask.raw_get("limit")?;
    let limit = whole(&limit).and_then(|limit| u32::try_from(limit).ok()).unwrap_or(1_000);
    let region = region(&sources, extent);
    if region.len() > FIELD_MAX {
        let what = format!("a field has at most {FIELD_MAX} cells, this one {}", region.len());
        return Err(wrong(lua, NAME, &what));
    }
    charge(lua, steps, region.len())?;
    let (low, high) = region.corners();
    let spread = CostField::spread_by(region, sources, limit, |at| prices.of(at));
    let spread = prices.done(spread)?;
    let (width, height) = (high.x - low.x + 1, high.y - low.y + 1);
    let rows = (0..height).flat_map(|y| (0..width).map(move |x| Cell::new(low.x + x, low.y + y)));
    let costs = rows.map(|at| spread.cost(at).map_or(-1.0, f64::from));
    let result = lua.create_table()?;
    result.raw_set("costs", lua.create_sequence_from(costs)?)?;
    for (key, value) in [("x", low.x), ("y", low.y), ("width", width), ("height", height)] {
        result.raw_set(key, value)?;
    }
    result.raw_set("wraps_x", extent.width.is_some())?;
    result.raw_set("wraps_y", extent.height.is_some())?;
    Ok(result)
}

/// `grid.assign(costs)`: for each row its column, false for none.
fn assign(lua: &Lua, steps: &Steps, costs: &Table) -> mlua::Result<Table> {
    const NAME: &str = "grid.assign";
    let mut rows = Vec::new();
    for row in costs.sequence_values::<LuaValue>() {
        let row = row?;
        let Some(row) = row.as_table() else {
            return Err(wrong(lua, NAME, "expected a list of lists of costs"));
        };
        let mut prices = Vec::new();
        for price in row.sequence_values::<LuaValue>() {
            let price = price?;
            #[expect(clippy::cast_possible_truncation, reason = "a cast saturates")]
            let whole = |number: f64| (number * 100.0).round() as i64;
            prices.push(price.as_f64().or(price.as_i64().map(|int| int as f64)).map(whole));
        }
        rows.push(prices);
    }
    let side = rows.iter().map(Vec::len).max().unwrap_or(0).max(rows.len());
    if side > ASSIGN_MAX {
        return Err(wrong(lua, NAME, &format!("{side} takers or jobs, at most {ASSIGN_MAX}")));
    }
    charge(lua, steps, side * side * side)?;
    let pairs = phalanx_grid::assign(&rows).into_iter().map(|column| match column {
        Some(column) => LuaValue::Integer(i64::try_from(column + 1).unwrap_or(0)),
        None => LuaValue::Boolean(false),
    });
    lua.create_sequence_from(pairs)
}
