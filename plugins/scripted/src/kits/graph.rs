//! `kit.graph`: ways, centrality and zones of a graph of named vertices.

use super::wrong;
use crate::steps::{Steps, charge};
use mlua::{Lua, Table, Value as LuaValue};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};
use std::rc::Rc;

/// Vertices and edges of a graph.
const VERTICES_MAX: usize = 5_000;
const EDGES_MAX: usize = 50_000;
/// Costs are counted in thousandths.
const SCALE: f64 = 1_000.0;

pub(super) fn install(lua: &Lua, native: &Table, steps: &Rc<Steps>) -> mlua::Result<()> {
    let counted = Rc::clone(steps);
    let search =
        move |lua: &Lua, (edges, from): (Table, Table)| search(lua, &counted, &edges, &from);
    native.raw_set("search", lua.create_function(search)?)?;
    let counted = Rc::clone(steps);
    let centrality = move |lua: &Lua, edges: Table| centrality(lua, &counted, &edges);
    native.raw_set("centrality", lua.create_function(centrality)?)?;
    let counted = Rc::clone(steps);
    let zones =
        move |lua: &Lua, (edges, owners): (Table, Table)| zones(lua, &counted, &edges, &owners);
    native.raw_set("zones", lua.create_function(zones)?)
}

/// The name of a vertex: a text, or a whole number.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Name {
    Number(i64),
    Text(Vec<u8>),
}

impl Name {
    fn read(value: &LuaValue) -> Option<Self> {
        if let Some(text) = value.as_string() {
            return Some(Self::Text(text.as_bytes().to_vec()));
        }
        let number = value.as_i64().or_else(|| {
            let number = value.as_f64().filter(|n| n.fract() == 0.0 && n.abs() < 9.0e15)?;
            #[expect(clippy::cast_possible_truncation, reason = "whole and in range")]
            Some(number as i64)
        });
        number.map(Self::Number)
    }

    fn push(&self, lua: &Lua) -> mlua::Result<LuaValue> {
        Ok(match self {
            Self::Number(number) => LuaValue::Integer(*number),
            Self::Text(text) => LuaValue::String(lua.create_string(text)?),
        })
    }
}

/// Vertices in the order of their names, and for each its neighbours with the cost of the edge.
struct Graph {
    names: Vec<Name>,
    ways: Vec<Vec<(usize, u64)>>,
}

impl Graph {
    /// Reads a list of edges { a, b, cost }; an edge leads both ways and costs 1 if it says nothing.
    fn read(lua: &Lua, function: &str, edges: &Table) -> mlua::Result<Self> {
        let expected = || wrong(lua, function, "edges: expected a list of { a, b, cost }");
        let mut read = Vec::new();
        for edge in edges.sequence_values::<LuaValue>() {
            let edge = edge?;
            let edge = edge.as_table().ok_or_else(expected)?;
            let end = |at: i64| Name::read(&edge.raw_get(at)?).ok_or_else(expected);
            let cost: Option<f64> = edge.raw_get(3)?;
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a cast saturates, and a cost below 0 counts as 0"
            )]
            let cost = (cost.unwrap_or(1.0).clamp(0.0, 1e9) * SCALE).round() as u64;
            read.push((end(1)?, end(2)?, cost));
            if read.len() > EDGES_MAX {
                return Err(wrong(lua, function, &format!("more than {EDGES_MAX} edges")));
            }
        }
        let ends = read.iter().flat_map(|(a, b, _)| [a.clone(), b.clone()]);
        let mut names: Vec<_> = ends.collect();
        names.sort();
        names.dedup();
        if names.len() > VERTICES_MAX {
            return Err(wrong(lua, function, &format!("more than {VERTICES_MAX} vertices")));
        }
        let mut ways = vec![Vec::new(); names.len()];
        for (a, b, cost) in &read {
            let (Ok(a), Ok(b)) = (names.binary_search(a), names.binary_search(b)) else { continue };
            if a != b {
                ways.get_mut(a).into_iter().for_each(|ways| ways.push((b, *cost)));
                ways.get_mut(b).into_iter().for_each(|ways| ways.push((a, *cost)));
            }
        }
        Ok(Self { names, ways })
    }

    fn ways(&self, at: usize) -> &[(usize, u64)] {
        self.ways.get(at).map_or(&[], Vec::as_slice)
    }

    /// A table with a value for each vertex that has one.
    fn table(
        &self,
        lua: &Lua,
        value: impl Fn(usize) -> mlua::Result<Option<LuaValue>>,
    ) -> mlua::Result<Table> {
        let table = lua.create_table()?;
        for (index, name) in self.names.iter().enumerate() {
            if let Some(value) = value(index)? {
                table.raw_set(name.push(lua)?, value)?;
            }
        }
        Ok(table)
    }

    fn work(&self) -> usize {
        self.names.len() + self.ways.iter().map(Vec::len).sum::<usize>()
    }
}

/// `graph.search(edges, sources)`: the cost of each vertex from the nearest source, and the vertex
/// before it.
fn search(lua: &Lua, steps: &Steps, edges: &Table, sources: &Table) -> mlua::Result<Table> {
    const NAME: &str = "graph.search";
    let graph = Graph::read(lua, NAME, edges)?;
    charge(lua, steps, graph.work() * 4)?;
    let mut reached: Vec<Option<(u64, Option<usize>)>> = vec![None; graph.names.len()];
    let mut heap = BinaryHeap::new();
    let mut offer = |heap: &mut BinaryHeap<_>, to: usize, cost: u64, before: Option<usize>| {
        let Some(known) = reached.get_mut(to) else { return false };
        if known.is_some_and(|(least, _)| least <= cost) {
            return false;
        }
        *known = Some((cost, before));
        heap.push(Reverse((cost, to)));
        true
    };
    for source in sources.sequence_values::<LuaValue>() {
        let name = Name::read(&source?);
        let name = name.ok_or_else(|| wrong(lua, NAME, "sources: expected names of vertices"))?;
        if let Ok(index) = graph.names.binary_search(&name) {
            offer(&mut heap, index, 0, None);
        }
    }
    let mut closed = vec![false; graph.names.len()];
    while let Some(Reverse((cost, at))) = heap.pop() {
        if std::mem::replace(closed.get_mut(at).unwrap_or(&mut true), true) {
            continue;
        }
        for (to, price) in graph.ways(at) {
            offer(&mut heap, *to, cost.saturating_add(*price), Some(at));
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "costs are far below 2^53")]
    let cost = |index: usize| {
        let reached = reached.get(index).copied().flatten();
        Ok(reached.map(|(cost, _)| LuaValue::Number(cost as f64 / SCALE)))
    };
    let before = |index: usize| {
        let before = reached.get(index).copied().flatten().and_then(|(_, before)| before);
        before.and_then(|before| graph.names.get(before)).map(|name| name.push(lua)).transpose()
    };
    let result = lua.create_table()?;
    result.raw_set("costs", graph.table(lua, cost)?)?;
    result.raw_set("before", graph.table(lua, before)?)?;
    Ok(result)
}

/// `graph.centrality(edges)`: on how many shortest ways between two others each vertex is
/// (betweenness, by Brandes; edges count 1).
fn centrality(lua: &Lua, steps: &Steps, edges: &Table) -> mlua::Result<Table> {
    let graph = Graph::read(lua, "graph.centrality", edges)?;
    let count = graph.names.len();
    charge(lua, steps, graph.work().saturating_mul(count))?;
    let mut between = vec![0.0; count];
    for source in 0..count {
        accumulate(&graph, source, &mut between);
    }
    // Each way was counted from both of its ends.
    graph.table(lua, |index| Ok(between.get(index).map(|sum| LuaValue::Number(sum / 2.0))))
}

/// Adds the part of a source.
#[expect(clippy::indexing_slicing, reason = "all lists have an entry for each vertex")]
fn accumulate(graph: &Graph, source: usize, between: &mut [f64]) {
    let count = graph.names.len();
    let (mut far, mut ways) = (vec![usize::MAX; count], vec![0.0; count]);
    let (mut order, mut queue) = (Vec::new(), VecDeque::from([source]));
    (far[source], ways[source]) = (0, 1.0);
    while let Some(at) = queue.pop_front() {
        order.push(at);
        for (to, _) in graph.ways(at) {
            if far[*to] == usize::MAX {
                far[*to] = far[at] + 1;
                queue.push_back(*to);
            }
            if far[*to] == far[at] + 1 {
                ways[*to] += ways[at];
            }
        }
    }
    let mut share = vec![0.0; count];
    for at in order.into_iter().rev() {
        for (to, _) in graph.ways(at) {
            if far[*to] == far[at] + 1 {
                share[at] += ways[at] / ways[*to] * (1.0 + share[*to]);
            }
        }
        if at != source {
            between[at] += share[at];
        }
    }
}

/// `graph.zones(edges, owners)`: the regions of vertices without an owner, and the owners around
/// each.
fn zones(lua: &Lua, steps: &Steps, edges: &Table, owners: &Table) -> mlua::Result<Table> {
    const NAME: &str = "graph.zones";
    let graph = Graph::read(lua, NAME, edges)?;
    charge(lua, steps, graph.work() * 4)?;
    let mut owned: BTreeMap<usize, Name> = BTreeMap::new();
    for (index, name) in graph.names.iter().enumerate() {
        let owner: LuaValue = owners.raw_get(name.push(lua)?)?;
        if !owner.is_nil() {
            let owner = Name::read(&owner)
                .ok_or_else(|| wrong(lua, NAME, "owners: expected texts or numbers"))?;
            owned.insert(index, owner);
        }
    }
    let zones = lua.create_table()?;
    let mut seen = vec![false; graph.names.len()];
    for start in 0..graph.names.len() {
        let (mut vertices, mut around, mut open) = (Vec::new(), Vec::new(), vec![start]);
        while let Some(at) = open.pop() {
            if let Some(owner) = owned.get(&at) {
                around.push(owner);
            } else if !std::mem::replace(seen.get_mut(at).unwrap_or(&mut true), true) {
                vertices.push(at);
                open.extend(graph.ways(at).iter().map(|(to, _)| *to));
            }
        }
        if vertices.is_empty() {
            continue;
        }
        vertices.sort_unstable();
        around.sort();
        around.dedup();
        let names = vertices.iter().filter_map(|index| graph.names.get(*index));
        let zone = lua.create_table()?;
        let all = |names: &mut dyn Iterator<Item = &Name>| {
            let pushed: mlua::Result<Vec<_>> = names.map(|name| name.push(lua)).collect();
            lua.create_sequence_from(pushed?)
        };
        zone.raw_set("vertices", all(&mut names.into_iter())?)?;
        zone.raw_set("owners", all(&mut around.into_iter())?)?;
        zones.raw_push(zone)?;
    }
    Ok(zones)
}
