//! What will be: danger, escape, and the forward model.

use super::UnitQuery;
use crate::action::Action;
use crate::rules::{ForwardChance, UnitAction, UnitIndex, UnitOrder};
use crate::world::{DangerForecast, DangerLevel, EscapeRoute, HORIZON, World, escape, view};
use phalanx_game::{QueryError, Value};
use std::sync::Arc;

/// Longest simulation that a script may ask for, in ticks.
pub(crate) const TICKS_MAX: u32 = 1000;

/// Most orders in one simulation.
pub(crate) const ORDERS_MAX: usize = 1000;

impl UnitQuery<'_> {
    fn forecast(&self) -> Arc<DangerForecast> {
        self.world.forecast(self.scene)
    }

    pub(super) fn danger(&self) -> Result<Value, QueryError> {
        let cell = self.at(0)?;
        let now = self.scene.state.tick;
        let tick = self.args.given(2).map(|_| self.args.int(2)).transpose()?;
        let Some(cell) = cell else { return Ok(Value::Nil) };
        let forecast = self.forecast();
        let level = |ahead: u32| match forecast.danger(cell, ahead) {
            DangerLevel::None => 0,
            DangerLevel::Possible => 1,
            DangerLevel::Certain => 2,
        };
        let worst = match tick {
            None => (1..=HORIZON).map(level).max().unwrap_or(0),
            Some(tick) => {
                let ahead = u32::try_from(tick.saturating_sub(now)).unwrap_or(0);
                if (1..=HORIZON).contains(&ahead) { level(ahead) } else { 0 }
            }
        };
        Ok(Value::Int(worst))
    }

    pub(super) fn burns(&self) -> Result<Value, QueryError> {
        let (cell, possible) = (self.at(0)?, self.args.flag(2)?);
        let Some(cell) = cell else { return Ok(Value::Nil) };
        let danger = if possible { DangerLevel::Possible } else { DangerLevel::Certain };
        let first = self.forecast().first(cell, danger, 1);
        let ahead = first.and_then(|ahead| i32::try_from(ahead).ok());
        Ok(ahead.map(|ahead| self.scene.state.tick.saturating_add(ahead)).into())
    }

    pub(super) fn escape(&self) -> Result<Value, QueryError> {
        let (with_bomb, certain) = (self.args.flag(0)?, self.args.flag(1)?);
        let Some((unit, body)) = self.unit.zip(self.body()) else { return Ok(Value::Nil) };
        if !body.alive() {
            return Ok(Value::Nil);
        }
        let avoid = if certain { DangerLevel::Certain } else { DangerLevel::Possible };
        let others = self.orders(2)?;
        let bomb =
            with_bomb.then_some(UnitOrder { agent: body.agent, unit, act: UnitAction::Bomb });
        let forecast = if bomb.is_none() && others.is_empty() {
            self.forecast()
        } else {
            Arc::new(DangerForecast::with(self.scene, bomb, others))
        };
        // Where the bomb cannot be put, there is nothing to escape from.
        let possible = !with_bomb || forecast.places_bomb(self.scene);
        let found = possible.then(|| escape(self.scene, &forecast, unit, avoid)).flatten();
        Ok(found.map_or(Value::Nil, |found| self.way_out(&found)))
    }

    fn way_out(&self, escape: &EscapeRoute) -> Value {
        let word = |step: &Option<crate::rules::UnitDirection>| {
            Value::from(step.map_or("wait", crate::rules::UnitDirection::word))
        };
        let (x, y) = self.scene.board.place(escape.to);
        let ticks = u32::try_from(escape.steps.len()).unwrap_or(u32::MAX);
        Value::map([
            ("dir", escape.steps.first().map_or_else(|| "wait".into(), word)),
            ("ticks", ticks.into()),
            ("x", x.into()),
            ("y", y.into()),
            ("steps", Value::List(escape.steps.iter().map(word).collect())),
        ])
    }

    pub(super) fn simulate(&self) -> Result<Value, QueryError> {
        let orders = self.orders(0)?;
        let ticks = self.args.count(1, 1, TICKS_MAX)?.unwrap_or(1);
        let mut luck = match self.args.count(2, 0, u32::MAX)? {
            None => ForwardChance::default(),
            Some(seed) => ForwardChance::seeded(seed.into()),
        };
        let state = World::simulate(self.scene, &orders, ticks, &mut luck, &mut ());
        let units = 0..state.units().len();
        let units = units.filter_map(|index| UnitIndex::try_from(index).ok());
        let units = units.map(|unit| view::unit(self.world, self.scene, &state, unit));
        let leader = state.leader().and_then(|agent| self.scene.board.agent(agent));
        let things =
            state.entities().filter(|(_, entity)| entity.kind != crate::rules::EntityKind::Metal);
        let things = things.map(|(cell, entity)| view::entity(self.scene, cell, entity));
        Ok(Value::map([
            ("tick", state.tick.into()),
            ("over", state.complete().into()),
            ("leader", leader.map(str::to_owned).into()),
            ("units", Value::List(units.collect())),
            ("things", Value::List(things.collect())),
        ]))
    }

    /// Orders in an argument: `{ unit=, action=, args=, after= }` each.
    fn orders(&self, index: usize) -> Result<Vec<(u32, UnitOrder)>, QueryError> {
        let Some(given) = self.args.given(index) else { return Ok(Vec::new()) };
        // An empty Lua table may come as a map.
        let empty = matches!(given, Value::Map(pairs) if pairs.is_empty());
        let list = given.as_list().or(empty.then_some(&[][..]));
        let list = list.ok_or_else(|| self.args.wrong(index, "a list of orders"))?;
        if list.len() > ORDERS_MAX {
            return Err(self.args.error(format!("at most {ORDERS_MAX} orders")));
        }
        let mut orders = Vec::with_capacity(list.len());
        for (number, order) in (1..).zip(list) {
            let fault = |reason: String| self.args.error(format!("order {number}: {reason}"));
            orders.extend(self.order(order).map_err(fault)?);
        }
        Ok(orders)
    }

    /// One order; `None` for one that only waits.
    fn order(&self, given: &Value) -> Result<Option<(u32, UnitOrder)>, String> {
        let name = given.get("unit").and_then(Value::as_str).ok_or("unit: expected its name")?;
        let board = &self.scene.board;
        let unit = board.find_unit(name).ok_or_else(|| format!("no unit is called {name:?}"))?;
        let agent = self.scene.state.unit(unit).map(|unit| unit.agent).unwrap_or_default();
        let action = given.get("action").and_then(Value::as_str);
        let args = given.get("args").and_then(Value::as_list).unwrap_or(&[]);
        let action = Action::parse(action.ok_or("action: expected its name")?, args)?;
        let after = match given.get("after") {
            None | Some(Value::Nil) => 1,
            Some(after) => {
                let after = after.as_int().and_then(|after| u32::try_from(after).ok());
                let after = after.filter(|after| (1..=TICKS_MAX).contains(after));
                after.ok_or_else(|| format!("after: expected 1 to {TICKS_MAX}"))?
            }
        };
        Ok(action.act().map(|act| (after, UnitOrder { agent, unit, act })))
    }
}
