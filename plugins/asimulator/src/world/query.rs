//! What scripts ask the world: one line a query, the answers below.

use super::infer::Belief;
use super::route::FAR;
use super::{RunningSimulation, World, view};
use crate::rules::{Cell, Heading, Pose, TurnAction};
use phalanx_game::{QueryError, Value};

/// Most options that are listed.
pub(crate) const OPTIONS_MAX: i64 = 200;

pub(super) fn answer(world: &World, name: &str, args: &[Value]) -> Result<Value, QueryError> {
    let args = TileQueryArgs { name, args };
    let Some(simulation) = &world.simulation else {
        // Between simulations nothing is known: every answer is absent.
        return if crate::api::API.query(name).is_some() {
            Ok(Value::Nil)
        } else {
            Err(args.unknown())
        };
    };
    match name {
        "here" => Ok(view::pose(simulation.chart.pose)),
        "rules" => Ok(view::rules(&simulation.opening.rules)),
        "best" => {
            let dare = args.share(0)?.unwrap_or(1.0);
            let best = world.choices().into_iter().find(|choice| choice.death <= dare);
            Ok(best.as_ref().map_or(Value::Nil, view::choice))
        }
        "options" => {
            let limit = args.count(0, OPTIONS_MAX)?.unwrap_or(OPTIONS_MAX);
            let limit = usize::try_from(limit).unwrap_or_default();
            Ok(Value::List(world.choices().iter().take(limit).map(view::choice).collect()))
        }
        "secure" => Ok(world.with_planner(|planner| planner.secure()).into()),
        "tile" => Ok(simulation.tile(args.cell()?)),
        "tiles" => Ok(simulation.tiles()),
        "homes" => Ok(Value::List(simulation.homes().into_iter().map(view::cell).collect())),
        "route" => {
            let (at, heading) = (args.cell()?, args.heading(2)?);
            Ok(world.way(at, heading))
        }
        "rates" => Ok(view::rates(&simulation.mind.rates)),
        "marks" => Ok(Value::List(world.marks().iter().map(view::mark).collect())),
        _ => Err(args.unknown()),
    }
}

impl RunningSimulation {
    fn belief(&self, at: Cell) -> Belief {
        self.mind.beliefs.at(at, &self.mind.rates)
    }

    fn tile(&self, at: Cell) -> Value {
        view::tile(at, &self.belief(at), self.chart.fact(at).item)
    }

    /// Tiles about which more is known than about any other.
    fn tiles(&self) -> Value {
        let tiles = self.chart.iter().map(|(at, _)| self.tile(at));
        Value::List(tiles.collect())
    }
}

impl World {
    /// The way to a tile over tiles that are free for certain; `None` where there is none.
    fn way(&self, at: Cell, heading: Option<Heading>) -> Value {
        let found = self.with_planner(|planner| {
            let route = planner.route();
            let (cost, pose) = match heading {
                None => route.cost_to(at),
                Some(heading) => {
                    let pose = Pose { at, heading };
                    (route.cost(pose), pose)
                }
            };
            (cost, route.acts(pose))
        });
        let Some((cost, acts)) = found.filter(|(cost, _)| *cost != FAR) else { return Value::Nil };
        let word = |act: &TurnAction| Value::from(act.word());
        Value::map([
            ("cost", cost.into()),
            ("action", acts.first().map(|act| act.word()).into()),
            ("actions", Value::List(acts.iter().map(word).collect())),
        ])
    }
}

/// The arguments of one query, checked by name.
struct TileQueryArgs<'a> {
    name: &'a str,
    args: &'a [Value],
}

impl TileQueryArgs<'_> {
    fn unknown(&self) -> QueryError {
        self.error("Asimulator has no such query".to_owned())
    }

    fn error(&self, reason: String) -> QueryError {
        QueryError { query: self.name.to_owned(), reason }
    }

    fn wrong(&self, index: usize, expected: &str) -> QueryError {
        let got = match self.args.get(index) {
            None | Some(Value::Nil) => "nothing".to_owned(),
            Some(Value::Str(text)) => format!("{:?}", phalanx_game::excerpt(text.as_bytes())),
            Some(Value::Int(int)) => int.to_string(),
            Some(Value::Num(num)) => num.to_string(),
            Some(other @ (Value::Bool(_) | Value::List(_) | Value::Map(_))) => {
                format!("a {}", other.kind())
            }
        };
        self.error(format!("argument {}: expected {expected}, got {got}", index + 1))
    }

    /// A whole number from 1 to a limit, if given.
    fn count(&self, index: usize, max: i64) -> Result<Option<i64>, QueryError> {
        match self.args.get(index) {
            None | Some(Value::Nil) => Ok(None),
            Some(value) => {
                let count = value.as_int().filter(|count| (1..=max).contains(count));
                let expected = format!("a whole number from 1 to {max}, or nil");
                count.map(Some).ok_or_else(|| self.wrong(index, &expected))
            }
        }
    }

    /// A probability, if given.
    fn share(&self, index: usize) -> Result<Option<f64>, QueryError> {
        match self.args.get(index) {
            None | Some(Value::Nil) => Ok(None),
            Some(value) => {
                let share = value.as_num().filter(|share| (0.0..=1.0).contains(share));
                share.map(Some).ok_or_else(|| self.wrong(index, "a number from 0 to 1, or nil"))
            }
        }
    }

    /// The place that the first two arguments name.
    fn cell(&self) -> Result<Cell, QueryError> {
        let axis = |index: usize| {
            let value = self.args.get(index).and_then(Value::as_int);
            let value = value.and_then(|value| i32::try_from(value).ok());
            let value = value.filter(|value| (-1000..=1000).contains(value));
            value.ok_or_else(|| self.wrong(index, "a whole number of tiles from the start"))
        };
        Ok(Cell::new(axis(0)?, axis(1)?))
    }

    fn heading(&self, index: usize) -> Result<Option<Heading>, QueryError> {
        match self.args.get(index) {
            None | Some(Value::Nil) => Ok(None),
            Some(value) => {
                let heading = value.as_str().and_then(Heading::parse);
                let expected = "\"east\", \"north\", \"west\", \"south\" or nil";
                heading.map(Some).ok_or_else(|| self.wrong(index, expected))
            }
        }
    }
}
