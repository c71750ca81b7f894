//! Drawings of worlds.

use crate::team::resource_name;
use crate::{turn, value};
use phalanx_engine::{DebugMark, Drawing};
use phalanx_game::{
    Body, Layer, Legend, Part, Picture, PictureEdge, PictureNode, Place, Roster, Row, SEEN_NEVER,
    Shape, Side, Spot, Table, Tone, Turn,
};
use phalanx_proto::v1;
use phalanx_proto::v1::world_part::Shape as ApiShape;
use phalanx_proto::v1::world_place::Place as ApiPlace;
use std::collections::BTreeSet;

const SPOTS: &str = "spots";
const NODES: &str = "nodes";
const EDGES: &str = "edges";
const BODIES: &str = "bodies";
const MARKS: &str = "marks";
const TABLES: &str = "tables";

/// The layers that a client wants.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Empty: all.
    names: BTreeSet<String>,
}

impl Wanted {
    /// The layers with these names; no names: all layers.
    #[must_use]
    pub fn new(names: Vec<String>) -> Self {
        Self { names: names.into_iter().collect() }
    }

    fn has(&self, name: &str) -> bool {
        self.names.is_empty() || self.names.contains(name)
    }

    /// The list, if its layer is wanted.
    fn list<'a, T>(&self, name: &str, list: &'a [T]) -> &'a [T] {
        if self.has(name) { list } else { &[] }
    }
}

/// The team that a world belongs to.
#[derive(Clone, Copy, Debug)]
pub struct Owner<'a> {
    /// The team's name.
    pub team: &'a str,
    /// The game's name.
    pub game: &'a str,
    /// The team's agents.
    pub roster: &'a Roster,
}

impl Owner<'_> {
    /// A world with all wanted layers.
    #[must_use]
    pub fn whole(&self, drawing: &Drawing, wanted: &Wanted) -> v1::World {
        self.world(drawing, None, wanted)
    }

    /// The same without layers that have not changed.
    #[must_use]
    pub fn changes(&self, drawing: &Drawing, before: &Drawing, wanted: &Wanted) -> v1::World {
        self.world(drawing, Some(before), wanted)
    }

    fn world(&self, drawing: &Drawing, before: Option<&Drawing>, wanted: &Wanted) -> v1::World {
        let people = AgentNames { roster: self.roster, roles: &drawing.roles };
        let parts = drawing.picture.parts.iter().map(|part| {
            let mut before = before.iter().flat_map(|before| &before.picture.parts);
            people.part(part, before.find(|known| known.name == part.name), wanted)
        });
        let marks = wanted.list(MARKS, &drawing.marks);
        v1::World {
            team: resource_name(self.team),
            game: self.game.to_owned(),
            turn: Some(turn(drawing.turn)),
            tick: drawing.tick,
            parts: parts.collect(),
            marks: marks.iter().map(|mark| script_mark(mark, self.roster)).collect(),
            cut: drawing.picture.cut,
            tables: wanted.list(TABLES, &drawing.picture.tables).iter().map(table).collect(),
        }
    }
}

/// The world of a referee, which belongs to no team. Its turn counts rounds and steps.
#[must_use]
pub fn truth(game: &str, at: Turn, picture: &Picture) -> v1::World {
    let roster = Roster { team: String::new(), agents: Vec::new() };
    let people = AgentNames { roster: &roster, roles: &[] };
    let wanted = Wanted::default();
    v1::World {
        team: String::new(),
        game: game.to_owned(),
        turn: Some(turn(at)),
        tick: 0,
        parts: picture.parts.iter().map(|part| people.part(part, None, &wanted)).collect(),
        marks: Vec::new(),
        cut: picture.cut,
        tables: picture.tables.iter().map(table).collect(),
    }
}

/// Names and roles of our agents.
struct AgentNames<'a> {
    roster: &'a Roster,
    roles: &'a [String],
}

impl AgentNames<'_> {
    fn part(&self, part: &Part, before: Option<&Part>, wanted: &Wanted) -> v1::WorldPart {
        let mut unchanged = Vec::new();
        let mut fresh = |name: &str, changed: bool| {
            if !changed && wanted.has(name) {
                unchanged.push(name.to_owned());
            }
            changed && wanted.has(name)
        };
        let known = |layer: &Layer| {
            before.is_some_and(|before| before.layers.iter().any(|known| known == layer))
        };
        let layers = part.layers.iter().filter(|layer| fresh(&layer.name, !known(layer)));
        let layers = layers.map(layer).collect();
        // A layer that the game does not have has not changed either.
        let nodes = before.is_none_or(|before| before.nodes != part.nodes);
        let nodes =
            if fresh(NODES, nodes) { part.nodes.iter().map(node).collect() } else { vec![] };
        let edges = before.is_none_or(|before| before.edges != part.edges);
        let edges =
            if fresh(EDGES, edges) { part.edges.iter().map(edge).collect() } else { vec![] };
        let facts = part
            .facts
            .iter()
            .map(|(name, value)| v1::WorldFact { name: name.to_string(), value: value.clone() });
        v1::WorldPart {
            name: part.name.clone(),
            shape: shape(part.shape),
            layers,
            spots: wanted.list(SPOTS, &part.spots).iter().map(spot).collect(),
            nodes,
            edges,
            bodies: wanted.list(BODIES, &part.bodies).iter().map(|it| self.body(it)).collect(),
            facts: facts.collect(),
            unchanged,
        }
    }

    fn body(&self, body: &Body) -> v1::WorldBody {
        let named = body.agent.filter(|_| body.name.is_empty());
        let name = named.map_or(body.name.as_str(), |agent| self.roster.name(agent));
        let role = body.agent.and_then(|agent| self.roles.get(agent.index()));
        let carried = body.carried.iter().map(|(x, y, what)| v1::WorldCarried {
            x: *x,
            y: *y,
            what: what.clone(),
        });
        v1::WorldBody {
            name: name.to_owned(),
            side: side(body.side).into(),
            agent: body.agent.map(|agent| agent.0.into()),
            role: role.cloned().unwrap_or_default(),
            kind: body.kind.to_string(),
            place: body.place.map(place),
            carried: carried.collect(),
            alive: body.alive,
            detail: body.detail.clone(),
            path: body.path.iter().copied().map(place).collect(),
            job: body.job.clone(),
            carrying: body.carrying.clone(),
            health: body.health,
            team: self.team(body).to_owned(),
        }
    }

    fn team<'a>(&'a self, body: &'a Body) -> &'a str {
        let ours = body.team.is_empty() && body.side == Side::Ours;
        if ours { &self.roster.team } else { &body.team }
    }
}

fn table(table: &Table) -> v1::WorldTable {
    let column = |column: &phalanx_game::Column| v1::WorldColumn {
        name: column.name.to_string(),
        unit: column.unit.to_string(),
    };
    v1::WorldTable {
        title: table.title.to_string(),
        columns: table.columns.iter().map(column).collect(),
        rows: table.rows.iter().map(row).collect(),
    }
}

fn row(row: &Row) -> v1::WorldRow {
    let (part, at) = row.place.clone().unzip();
    v1::WorldRow {
        cells: row.cells.clone(),
        tone: tone(row.tone).into(),
        place: at.map(place),
        part: part.unwrap_or_default(),
        agent: row.agent.clone(),
    }
}

fn shape(shape: Shape) -> Option<ApiShape> {
    Some(match shape {
        Shape::None => return None,
        Shape::Grid { width, height, up } => {
            ApiShape::Grid(v1::WorldGrid { width, height, y_up: up })
        }
        Shape::Plane { width, height } => ApiShape::Plane(v1::WorldPlane { width, height }),
        Shape::Graph => ApiShape::Graph(v1::WorldGraph {}),
    })
}

fn layer(layer: &Layer) -> v1::WorldLayer {
    let seen = |seen: &u32| if *seen == SEEN_NEVER { 0 } else { seen.saturating_add(1) };
    let scale = layer.scale.map(|scale| v1::WorldScale {
        from: scale.from,
        to: scale.to,
        unit: scale.unit.to_owned(),
        tone: tone(scale.tone).into(),
    });
    v1::WorldLayer {
        name: layer.name.to_string(),
        x: layer.area.x,
        y: layer.area.y,
        width: layer.area.width,
        height: layer.area.height,
        cells: layer.cells.clone(),
        legend: layer.legend.iter().map(legend).collect(),
        scale,
        seen: layer.seen.iter().map(seen).collect(),
    }
}

fn legend(legend: &Legend) -> v1::WorldLegend {
    v1::WorldLegend {
        value: legend.value.into(),
        name: legend.name.to_string(),
        glyph: legend.glyph.to_string(),
        tone: tone(legend.tone).into(),
    }
}

fn spot(spot: &Spot) -> v1::WorldSpot {
    v1::WorldSpot {
        place: Some(place(spot.place)),
        kind: spot.kind.to_string(),
        label: spot.label.clone(),
        value: spot.value,
        tone: tone(spot.tone).into(),
    }
}

fn place(place: Place) -> v1::WorldPlace {
    let place = match place {
        Place::Cell(x, y) => ApiPlace::Cell(v1::WorldCell { x, y }),
        Place::Point(x, y) => ApiPlace::Point(v1::WorldPoint { x, y }),
        Place::Node(node) => ApiPlace::Node(node),
    };
    v1::WorldPlace { place: Some(place) }
}

fn node(node: &PictureNode) -> v1::WorldNode {
    v1::WorldNode {
        name: node.name.clone(),
        value: node.value,
        owner: side(node.owner).into(),
        zone: side(node.zone).into(),
    }
}

fn edge(edge: &PictureEdge) -> v1::WorldEdge {
    v1::WorldEdge { a: edge.a, b: edge.b, weight: edge.weight }
}

fn side(side: Side) -> v1::WorldSide {
    match side {
        Side::Nobody => v1::WorldSide::Nobody,
        Side::Ours => v1::WorldSide::Ours,
        Side::Theirs => v1::WorldSide::Theirs,
    }
}

fn tone(tone: Tone) -> v1::WorldTone {
    match tone {
        Tone::Unknown => v1::WorldTone::Unspecified,
        Tone::Ground => v1::WorldTone::Ground,
        Tone::Obstacle => v1::WorldTone::Obstacle,
        Tone::Goal => v1::WorldTone::Goal,
        Tone::Resource => v1::WorldTone::Resource,
        Tone::Danger => v1::WorldTone::Danger,
        Tone::Ours => v1::WorldTone::Ours,
        Tone::Theirs => v1::WorldTone::Theirs,
        Tone::Other => v1::WorldTone::Other,
    }
}

fn script_mark(mark: &DebugMark, roster: &Roster) -> v1::ScriptMark {
    v1::ScriptMark {
        agent: mark.agent.map(|agent| roster.name(agent).to_owned()).unwrap_or_default(),
        shape: mark.shape.clone(),
        args: mark.args.iter().map(value::to_api).collect(),
    }
}
