//! What scripts ask the world: one line a query, the answers below.

use super::duel;
use super::field::{self, GatherTrip};
use super::grid::{self, StepDanger};
use super::view;
use crate::chess;
use crate::percept::{ChessScene, Percept, StateScene};
use crate::rules::catcher::{CatcherEntity, CatcherState, distance};
use crate::rules::snake::{self, SnakeDirection};
use phalanx_game::{QueryError, Value};

/// Trips that one answer lists.
const TRIPS_MAX: usize = 20;

/// One question.
struct AgentQuery<'a> {
    percept: &'a Percept,
    name: &'a str,
    args: &'a [Value],
}

pub(super) fn answer(
    percept: Option<&Percept>,
    name: &str,
    args: &[Value],
) -> Result<Value, QueryError> {
    if crate::api::API.query(name).is_none() {
        let reason = "Colosseum has no such query".to_owned();
        return Err(QueryError { query: name.to_owned(), reason });
    }
    // Before the first state nothing is known: every answer is absent.
    let Some(percept) = percept else { return Ok(Value::Nil) };
    let ask = AgentQuery { percept, name, args };
    let answer = match &*percept.scene {
        StateScene::Catcher(state) => ask.catcher(state)?,
        StateScene::Snake(state) => ask.snake(state)?,
        StateScene::Chess(scene) => ask.chess(scene)?,
        StateScene::Other => None,
    };
    // A query of another game is absent.
    Ok(answer.unwrap_or_default())
}

impl AgentQuery<'_> {
    fn wrong(&self, index: usize, expected: &str) -> QueryError {
        let got = self.args.get(index).unwrap_or(&Value::Nil).kind();
        let reason = format!("argument {}: expected {expected}, got {got}", index + 1);
        QueryError { query: self.name.to_owned(), reason }
    }

    fn arg(&self, index: usize) -> Option<&Value> {
        self.args.get(index).filter(|value| **value != Value::Nil)
    }

    fn num(&self, index: usize) -> Result<f64, QueryError> {
        let number = self.arg(index).and_then(Value::as_num).filter(|number| number.is_finite());
        number.ok_or_else(|| self.wrong(index, "a finite number"))
    }

    fn count(&self, index: usize) -> Result<Option<u32>, QueryError> {
        let Some(count) = self.arg(index) else { return Ok(None) };
        let count = count.as_int().and_then(|count| u32::try_from(count).ok());
        count.map(Some).ok_or_else(|| self.wrong(index, "a whole number that is not negative"))
    }

    fn point(&self, index: usize) -> Result<[f64; 2], QueryError> {
        Ok([self.num(index)?, self.num(index + 1)?])
    }

    fn text(&self, index: usize) -> Result<&str, QueryError> {
        self.arg(index).and_then(Value::as_str).ok_or_else(|| self.wrong(index, "a text"))
    }

    fn direction(&self, index: usize) -> Result<SnakeDirection, QueryError> {
        let direction = self.text(index).ok().and_then(SnakeDirection::parse);
        direction.ok_or_else(|| self.wrong(index, "\"up\", \"right\", \"down\" or \"left\""))
    }

    fn cell(&self, index: usize) -> Result<[i32; 2], QueryError> {
        let place = |index: usize| {
            let int = self.arg(index).and_then(Value::as_int);
            let int = int.and_then(|int| i32::try_from(int).ok());
            int.ok_or_else(|| self.wrong(index, "a whole number"))
        };
        Ok([place(index)?, place(index + 1)?])
    }

    /// Whose things are asked for: `mine`, `enemy` or all.
    fn whose(&self, index: usize) -> Result<impl Fn(&CatcherEntity) -> bool, QueryError> {
        let side = match self.arg(index).map(|_| self.text(index)).transpose()? {
            None | Some("all") => None,
            Some("mine") => Some(true),
            Some("enemy") => Some(false),
            Some(_) => return Err(self.wrong(index, "\"mine\", \"enemy\" or \"all\"")),
        };
        let me = self.percept.me.clone();
        Ok(move |entity: &CatcherEntity| side.is_none_or(|mine| (entity.owner == me) == mine))
    }

    fn catcher(&self, state: &CatcherState) -> Result<Option<Value>, QueryError> {
        let rules = &self.percept.config.rules;
        let list = |list: &[CatcherEntity], whose: &dyn Fn(&CatcherEntity) -> bool| {
            let seen = list.iter().filter(|one| whose(one));
            Value::List(seen.map(|one| view::entity(one, self.percept)).collect())
        };
        Ok(Some(match self.name {
            "rules" => self.rules(),
            "foods" => Value::List(state.foods.iter().map(view::food).collect()),
            "actors" => list(&state.actors, &self.whose(0)?),
            "bases" => list(&state.bases, &self.whose(0)?),
            "dead" => list(&state.dead, &self.whose(0)?),
            "thing" => self.thing(state)?,
            "distance" => view::num(distance(self.point(0)?, self.point(2)?)),
            "ticks" => {
                let reach = self.arg(4).map_or(Ok(0.0), |_| self.num(4))?;
                field::ticks(self.point(0)?, self.point(2)?, reach, rules).into()
            }
            "nearest" => self.nearest(state)?,
            "threats" => self.threats(state)?,
            "step" => {
                let Some(actor) = self.actor(state)? else { return Ok(None) };
                let to = field::step(actor, self.point(1)?, state, rules);
                to.map(|[x, y]| Value::map([("x", view::num(x)), ("y", view::num(y))])).into()
            }
            "clearance" => {
                let except = self.arg(2).map_or(Ok(""), |_| self.text(2))?;
                let far = field::clearance(self.point(0)?, except, state);
                far.is_finite().then_some(far).into()
            }
            "trips" => self.trips(state)?,
            _ => return Ok(None),
        }))
    }

    fn rules(&self) -> Value {
        let rules = &self.percept.config.rules;
        Value::map([
            ("width", rules.grid_width.into()),
            ("height", rules.grid_height.into()),
            ("speed", rules.actor_speed.into()),
            ("radius", rules.actor_radius.into()),
            ("take_reach", rules.take_food_max_distance.into()),
            ("take_amount", rules.take_food_speed.into()),
            ("deposit_reach", rules.deposit_food_max_distance.into()),
            ("attack_reach", rules.attack_range.into()),
            ("damage", rules.actor_damage.into()),
            ("spawn_cost", rules.spawn_actor_cost.into()),
        ])
    }

    fn actor<'a>(&self, state: &'a CatcherState) -> Result<Option<&'a CatcherEntity>, QueryError> {
        let id = self.text(0)?;
        Ok(state.actors.iter().find(|actor| &*actor.id == id))
    }

    fn thing(&self, state: &CatcherState) -> Result<Value, QueryError> {
        let id = self.text(0)?;
        if let Some(food) = state.foods.iter().find(|food| &*food.id == id) {
            return Ok(view::food(food));
        }
        let mut entities = state.actors.iter().chain(&state.bases);
        let found = entities.find(|entity| &*entity.id == id);
        Ok(found.map(|entity| view::entity(entity, self.percept)).into())
    }

    fn nearest(&self, state: &CatcherState) -> Result<Value, QueryError> {
        let (at, whose) = (self.point(1)?, self.whose(3)?);
        let entity = |list: &[CatcherEntity]| {
            let seen = list.iter().filter(|one| whose(one));
            let near =
                seen.min_by(|a, b| distance(at, a.position).total_cmp(&distance(at, b.position)));
            near.map(|one| view::entity(one, self.percept)).into()
        };
        match self.text(0)? {
            "food" => {
                let near = state
                    .foods
                    .iter()
                    .min_by(|a, b| distance(at, a.position).total_cmp(&distance(at, b.position)));
                Ok(near.map(view::food).into())
            }
            "actor" => Ok(entity(&state.actors)),
            "base" => Ok(entity(&state.bases)),
            _ => Err(self.wrong(0, "\"food\", \"actor\" or \"base\"")),
        }
    }

    /// Enemies that can hit a point after their next step.
    fn threats(&self, state: &CatcherState) -> Result<Value, QueryError> {
        let at = self.point(0)?;
        let rules = &self.percept.config.rules;
        let reach = rules.attack_range + rules.actor_speed;
        let enemies = state.actors.iter().filter(|actor| {
            actor.owner != self.percept.me && distance(at, actor.position) <= reach
        });
        Ok(Value::List(enemies.map(|actor| view::entity(actor, self.percept)).collect()))
    }

    fn trips(&self, state: &CatcherState) -> Result<Value, QueryError> {
        let Some(actor) = self.actor(state)? else { return Ok(Value::Nil) };
        let load = self.arg(1).map_or(Ok(100.0), |_| self.num(1))?;
        let own = state.bases.iter().filter(|base| base.owner == actor.owner);
        let near = own.min_by(|a, b| {
            distance(actor.position, a.position).total_cmp(&distance(actor.position, b.position))
        });
        let Some(base) = near else { return Ok(Value::Nil) };
        let rules = &self.percept.config.rules;
        let trips = field::trips(actor, state, base.position, load, rules);
        let shown = |trip: &GatherTrip<'_>| {
            let [x, y] = trip.food.position;
            Value::map([
                ("food", trip.food.id.to_string().into()),
                ("x", view::num(x)),
                ("y", view::num(y)),
                ("ticks", trip.ticks.into()),
                ("gain", view::num(trip.gain)),
                ("rate", view::num(trip.rate())),
            ])
        };
        Ok(Value::List(trips.iter().take(TRIPS_MAX).map(shown).collect()))
    }

    fn snake(&self, state: &snake::SnakeState) -> Result<Option<Value>, QueryError> {
        let own = state.snakes.iter().find(|snake| snake.agent == self.percept.me);
        let head = own.filter(|snake| snake.alive).and_then(snake::Snake::head);
        let size = |index: usize| state.size.get(index).copied().unwrap_or_default();
        Ok(Some(match self.name {
            "snakes" => {
                let all = state.snakes.iter().map(|snake| view::snake(snake, self.percept));
                Value::List(all.collect())
            }
            "foods" => Value::List(state.foods.iter().copied().map(view::cell).collect()),
            "rules" => Value::map([
                ("width", f64::from(size(0)).into()),
                ("height", f64::from(size(1)).into()),
            ]),
            "safety" => {
                let direction = self.direction(0)?;
                let Some(head) = head else { return Ok(None) };
                let word = match grid::step(state, head, direction, &self.percept.me) {
                    StepDanger::Free => "free",
                    StepDanger::Contested => "contested",
                    StepDanger::Deadly => "deadly",
                };
                word.into()
            }
            "room" => {
                let direction = self.direction(0)?;
                let Some(head) = head else { return Ok(None) };
                u32::try_from(grid::room(state, head, direction)).unwrap_or(u32::MAX).into()
            }
            "duel" => self.duel(state)?,
            "path" => {
                let to = self.cell(0)?;
                let Some(head) = head else { return Ok(None) };
                let path = grid::path(&grid::walk(state, head), head, to);
                let words = |path: Vec<SnakeDirection>| {
                    path.into_iter().map(|step| step.word().to_lowercase()).collect::<Vec<_>>()
                };
                path.map(words).into()
            }
            _ => return Ok(None),
        }))
    }

    fn duel(&self, state: &snake::SnakeState) -> Result<Value, QueryError> {
        let ahead = self.count(0)?.unwrap_or(duel::AHEAD_MAX);
        let worths = duel::worths(state, &self.percept.me, ahead);
        let shown = |(direction, worth): (SnakeDirection, i32)| {
            let word = direction.word().to_lowercase();
            Value::map([("dir", word.into()), ("worth", f64::from(worth).into())])
        };
        Ok(worths.map(|list| Value::List(list.into_iter().map(shown).collect())).into())
    }

    fn chess(&self, scene: &ChessScene) -> Result<Option<Value>, QueryError> {
        Ok(match self.name {
            "position" => Some(Value::map([
                ("fen", scene.fen.clone().into()),
                ("white", scene.white.into()),
                ("last_move", scene.last_move.clone().into()),
            ])),
            "moves" => {
                let moves = scene.legal_moves.iter().map(ToString::to_string);
                Some(moves.collect::<Vec<_>>().into())
            }
            "best_move" => self.best_move(scene)?,
            _ => None,
        })
    }

    fn best_move(&self, scene: &ChessScene) -> Result<Option<Value>, QueryError> {
        let nodes = self.count(0)?.unwrap_or(chess::NODES);
        let past = match self.arg(1) {
            None => &[],
            Some(Value::List(list)) => list.as_slice(),
            Some(_) => return Err(self.wrong(1, "a list of texts")),
        };
        let past = past.iter().rev().filter_map(Value::as_str);
        Ok(chess::best_move(&scene.fen, past, nodes).map(|best| {
            Value::map([
                ("move", best.uci.into()),
                ("worth", f64::from(best.worth).into()),
                ("depth", best.depth.into()),
                ("nodes", best.nodes.into()),
            ])
        }))
    }
}
