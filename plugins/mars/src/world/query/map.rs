//! The graph: vertices, ways, what is near, what can be cut off.

use super::super::chart::{KnownOwner, KnownVertex, Road, VertexId};
use super::super::ways::{self, Reached, VertexDistances};
use super::{Ask, count};
use crate::percept::text;
use phalanx_game::sorted::Order;
use phalanx_game::{QueryError, Value};
use phalanx_massim::query::NAMES_MAX;

/// Answers of one search at most, unless the query says otherwise.
const FOUND: usize = 32;

impl Ask<'_> {
    pub(super) fn here(&self) -> Value {
        self.at().map_or(Value::Nil, |at| self.name(at))
    }

    pub(super) fn sim(&self) -> Value {
        let world = self.world;
        let briefing = world.briefings.get(&self.agent).or_else(|| world.briefings.values().next());
        let (edges, surveyed) = world.chart.edges();
        let known = world.chart.iter().map(|(_, spot)| i64::from(spot.worth())).sum::<i64>();
        Value::map([
            ("step", world.step.into()),
            ("steps", briefing.and_then(|briefing| briefing.steps).into()),
            ("team", text(&world.team)),
            ("role", world.role(self.agent).map(|role| role.word()).into()),
            ("vertices", briefing.and_then(|briefing| briefing.vertices).into()),
            ("edges", briefing.and_then(|briefing| briefing.edges).into()),
            ("known_vertices", count(world.chart.len())),
            ("known_edges", edges.into()),
            ("probed", world.chart.probed().into()),
            ("surveyed", surveyed.into()),
            ("worth", known.into()),
        ])
    }

    pub(super) fn vertex(&self) -> Result<Value, QueryError> {
        let Some(at) = self.vertex_or_here(0)? else { return Ok(Value::Nil) };
        let Some(spot) = self.world.chart.spot(at) else { return Ok(Value::Nil) };
        Ok(Value::map([
            ("name", text(&spot.name)),
            ("value", spot.value.into()),
            ("owner", owner(spot)),
            ("complete", spot.complete.into()),
            ("surveyed", spot.surveyed().into()),
            ("degree", count(spot.roads.len())),
            ("seen", spot.seen.into()),
            ("watched", spot.watched.into()),
        ]))
    }

    pub(super) fn neighbours(&self) -> Result<Value, QueryError> {
        let Some(at) = self.vertex_or_here(0)? else { return Ok(Value::List(Vec::new())) };
        let road = |road: &Road| {
            let spot = self.world.chart.spot(road.to);
            Value::map([
                ("name", self.name(road.to)),
                ("weight", road.weight.into()),
                ("value", spot.and_then(|spot| spot.value).into()),
                ("owner", spot.map_or(Value::Nil, owner)),
            ])
        };
        Ok(Value::List(self.world.chart.roads(at).iter().map(road).collect()))
    }

    pub(super) fn find(&self) -> Result<Value, QueryError> {
        let most = self.args.count(1, NAMES_MAX)?.unwrap_or(FOUND);
        let found = self.nearest_first()?.into_iter().take(most);
        Ok(Value::List(found.map(|(at, reached)| self.found(at, reached)).collect()))
    }

    pub(super) fn nearest(&self) -> Result<Value, QueryError> {
        let found = self.nearest_first()?.into_iter().next();
        Ok(found.map_or(Value::Nil, |(at, reached)| self.found(at, reached)))
    }

    /// All vertices of the asked kind, those that are reached in the least time first.
    fn nearest_first(&self) -> Result<Vec<(VertexId, Reached)>, QueryError> {
        const EXPECTED: &str =
            "\"unprobed\", \"unsurveyed\", \"frontier\", \"own\", \"enemy\", \"free\" or \"any\"";
        let wanted: fn(&KnownVertex) -> bool = match self.args.text(0, EXPECTED)? {
            "unprobed" => |spot| spot.value.is_none(),
            "unsurveyed" => |spot| !spot.surveyed(),
            "frontier" => |spot| !spot.complete,
            "own" => |spot| spot.owner == KnownOwner::Own,
            "enemy" => |spot| spot.owner == KnownOwner::Enemy,
            "free" => |spot| spot.owner == KnownOwner::Nobody,
            "any" => |_| true,
            _ => return Err(self.args.wrong(0, EXPECTED)),
        };
        let (Some(at), Some(price)) = (self.at(), self.price(None, self.agent)) else {
            return Ok(Vec::new());
        };
        let field = self.field(at, price);
        let spots = self.world.chart.iter().filter(|(_, spot)| wanted(spot));
        let mut found: Vec<_> =
            spots.filter_map(|(vertex, _)| Some((vertex, field.to(vertex)?))).collect();
        found.order_by_key(|(vertex, reached)| (reached.price, *vertex));
        Ok(found)
    }

    fn found(&self, at: VertexId, reached: Reached) -> Value {
        let spot = self.world.chart.spot(at);
        Value::map([
            ("name", self.name(at)),
            ("steps", reached.steps.into()),
            ("energy", reached.energy.into()),
            ("time", time(reached)),
            ("value", spot.and_then(|spot| spot.value).into()),
            ("owner", spot.map_or(Value::Nil, owner)),
        ])
    }

    pub(super) fn path(&self) -> Result<Value, QueryError> {
        let Some(to) = self.vertex_at(0)? else { return Ok(Value::Nil) };
        let options = self.args.options(1)?;
        let price = self.price(options.text("by"), self.agent);
        let price =
            price.ok_or_else(|| self.args.wrong(1, "by = \"steps\", \"energy\" or \"time\""))?;
        let Some(at) = self.at() else { return Ok(Value::Nil) };
        let closed = self.known(&options.names("avoid").unwrap_or_default());
        let field = if closed.is_empty() {
            self.field(at, price)
        } else {
            VertexDistances::new(&self.world.chart, at, price, &closed).into()
        };
        let (Some(reached), Some(way)) = (field.to(to), field.way(to)) else {
            return Ok(Value::Nil);
        };
        let first = way.first().copied();
        let roads = self.world.chart.roads(at).iter();
        let road = first.and_then(|first| roads.copied().find(|road| road.to == first));
        let vertices = options.flag("vertices");
        Ok(Value::map([
            ("next", first.map_or(Value::Nil, |first| self.name(first))),
            ("weight", road.and_then(|road| road.weight).into()),
            ("steps", reached.steps.into()),
            ("energy", reached.energy.into()),
            ("cost", time(reached)),
            ("vertices", if vertices { self.names(&way) } else { Value::Nil }),
        ]))
    }

    pub(super) fn distance(&self) -> Result<Value, QueryError> {
        let (to, from) = (self.vertex_at(0)?, self.vertex_or_here(1)?);
        let (Some(to), Some(from)) = (to, from) else { return Ok(Value::Nil) };
        let field = self.field(from, ways::Price::STEPS);
        Ok(field.to(to).map(|reached| reached.steps).into())
    }

    pub(super) fn closest(&self) -> Result<Value, QueryError> {
        let names = self.args.names(0)?;
        let (Some(at), Some(price)) = (self.at(), self.price(None, self.agent)) else {
            return Ok(Value::Nil);
        };
        let field = self.field(at, price);
        let reached = names.iter().enumerate().filter_map(|(index, name)| {
            let vertex = self.world.chart.number(name)?;
            Some((field.to(vertex)?, index, vertex))
        });
        let Some((reached, index, vertex)) =
            reached.min_by_key(|(to, index, _)| (to.price, *index))
        else {
            return Ok(Value::Nil);
        };
        Ok(Value::map([
            ("name", self.name(vertex)),
            ("index", count(index + 1)),
            ("steps", reached.steps.into()),
            ("energy", reached.energy.into()),
            ("time", time(reached)),
        ]))
    }

    pub(super) fn cuts(&self) -> Result<Value, QueryError> {
        let most = self.args.count(0, NAMES_MAX)?.unwrap_or(FOUND);
        let cut = |cut: ways::Cut| {
            Value::map([
                ("name", self.name(cut.vertex)),
                ("behind", cut.behind.into()),
                ("worth", cut.worth.into()),
            ])
        };
        let cuts = ways::cuts(&self.world.chart).into_iter();
        Ok(Value::List(cuts.take(most).map(cut).collect()))
    }
}

/// Who owns a vertex, as scripts see it.
fn owner(spot: &KnownVertex) -> Value {
    match spot.owner {
        KnownOwner::Unknown => Value::Nil,
        KnownOwner::Nobody => "none".into(),
        KnownOwner::Own => "own".into(),
        KnownOwner::Enemy => "enemy".into(),
    }
}

/// The price of a way that was searched by time, in steps.
pub(super) fn time(reached: Reached) -> Value {
    /// Beyond this a way is as good as none.
    const LONGEST: u64 = 1 << 40;
    let thousandths = i32::try_from(reached.price.min(LONGEST) / 10).unwrap_or(i32::MAX);
    Value::Num(f64::from(thousandths) / 100.0)
}
