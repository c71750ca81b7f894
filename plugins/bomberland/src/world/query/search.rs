//! Searches that scripts ask for.

use super::UnitQuery;
use crate::action::Action;
use crate::api::{LAST_TICKS_MAX, NODES_MAX, SEARCH_TICKS_MAX};
use crate::rules::{CellIndex, UnitAction, UnitIndex};
use crate::search::{SearchOptions, SearchResult, SearchWeights, UnitChoice};
use phalanx_game::{QueryError, Value};

/// Ticks that a search simulates when a script names no number.
const NODES: u32 = 4_000;

/// Ticks that a search simulates at the end of the game when a script names no number.
const LAST_NODES: u32 = 20_000;

/// How far a choice is played out when a script names no number.
const TICKS: u32 = 14;

/// Most goals of a search.
const GOALS_MAX: usize = 1_000;

impl UnitQuery<'_> {
    pub(super) fn search(&self) -> Result<Value, QueryError> {
        let options = self.search_options()?;
        let found = self.world.search(self.scene, options);
        Ok(self.found(&found))
    }

    fn search_options(&self) -> Result<SearchOptions, QueryError> {
        let given = self.args.get(0);
        if !matches!(given, Value::Nil | Value::Map(_))
            && given.as_list().is_none_or(|list| !list.is_empty())
        {
            return Err(self.args.wrong(0, "a table of options"));
        }
        let number = |key: &str, default: u32, min: u32, max: u32| match given.get(key) {
            None | Some(Value::Nil) => Ok(default),
            Some(value) => {
                let number = value.as_int().and_then(|int| u32::try_from(int).ok());
                let number = number.filter(|number| (min..=max).contains(number));
                let fault = || format!("{key}: expected a whole number from {min} to {max}");
                number.ok_or_else(|| self.args.error(fault()))
            }
        };
        Ok(SearchOptions {
            nodes: number("nodes", NODES, 0, NODES_MAX)?.into(),
            ticks: number("ticks", TICKS, 1, SEARCH_TICKS_MAX)?,
            weights: self.weights(given.get("weights"))?,
            goals: self.goals(given.get("goals"))?,
            last_ticks: number("last_ticks", 0, 0, LAST_TICKS_MAX)?,
            last_nodes: number("last_nodes", LAST_NODES, 0, NODES_MAX)?.into(),
        })
    }

    fn weights(&self, given: Option<&Value>) -> Result<SearchWeights, QueryError> {
        let mut weights = SearchWeights::default();
        let pairs = match given {
            None | Some(Value::Nil) => return Ok(weights),
            Some(Value::Map(pairs)) => pairs,
            // An empty Lua table may come as a list.
            Some(Value::List(list)) if list.is_empty() => return Ok(weights),
            Some(_) => return Err(self.args.error("weights: expected a table".to_owned())),
        };
        for (name, value) in pairs {
            let number = value.as_num().filter(|number| number.is_finite());
            let fault = || self.args.error(format!("weights.{name}: expected a number"));
            let number = number.ok_or_else(fault)?;
            if !weights.set(name, number) {
                return Err(self.args.error(format!("weights: there is no weight {name:?}")));
            }
        }
        Ok(weights)
    }

    fn goals(&self, given: Option<&Value>) -> Result<Vec<(CellIndex, f64)>, QueryError> {
        let list = match given {
            None | Some(Value::Nil) => &[],
            Some(Value::List(list)) => list.as_slice(),
            // An empty Lua table may come as a map.
            Some(Value::Map(pairs)) if pairs.is_empty() => &[],
            Some(_) => return Err(self.args.error("goals: expected a list".to_owned())),
        };
        if list.len() > GOALS_MAX {
            return Err(self.args.error(format!("at most {GOALS_MAX} goals")));
        }
        let goal = |goal: &Value| {
            let (x, y) = goal.as_cell()?;
            let value = goal.get("value").and_then(Value::as_num).filter(|value| value.is_finite());
            Some((self.scene.board.cell(x, y)?, value?))
        };
        let goals = list.iter().map(|given| {
            goal(given).ok_or_else(|| self.args.error("goals: expected x, y and value".to_owned()))
        });
        goals.collect()
    }

    fn found(&self, found: &SearchResult) -> Value {
        let units = found.units.iter().map(|choice| self.choice(choice));
        let line = found.line.iter().map(|(after, order)| {
            let mut fields = self.order_fields(order.unit, Some(order.act));
            fields.push(("after".into(), (*after).into()));
            Value::Map(fields)
        });
        let count = |number: u64| Value::Int(i64::try_from(number).unwrap_or(i64::MAX));
        Value::map([
            ("value", Value::Num(found.value)),
            ("units", Value::List(units.collect())),
            ("line", Value::List(line.collect())),
            ("nodes", count(found.nodes)),
            ("evaluations", count(found.evaluations)),
            ("rounds", found.rounds.into()),
        ])
    }

    fn choice(&self, choice: &UnitChoice) -> Value {
        let mut fields = self.order_fields(choice.unit, choice.act);
        let alternatives = choice.alternatives.iter().map(|other| {
            let mut fields = action_fields(other.act);
            fields.push(("value".into(), Value::Num(other.value)));
            Value::Map(fields)
        });
        fields.push(("alternatives".into(), Value::List(alternatives.collect())));
        let refused = choice.refused.iter().map(|refused| {
            let mut fields = action_fields(refused.act);
            fields.push(("why".into(), refused.why.word().into()));
            Value::Map(fields)
        });
        fields.push(("refused".into(), Value::List(refused.collect())));
        Value::Map(fields)
    }

    fn order_fields(&self, unit: UnitIndex, act: Option<UnitAction>) -> Fields {
        let name = self.scene.board.unit(unit).map(|unit| unit.name.clone());
        let mut fields: Fields = vec![("unit".into(), name.into())];
        fields.extend(action_fields(act));
        fields
    }
}

type Fields = Vec<(std::borrow::Cow<'static, str>, Value)>;

/// An order as scripts write it: `action` and `args`.
fn action_fields(act: Option<UnitAction>) -> Fields {
    let (action, args) = match act.and_then(Action::from_act) {
        None | Some(Action::Wait) => ("wait", Vec::new()),
        Some(Action::Move(direction)) => ("move", vec![direction.word().into()]),
        Some(Action::Bomb) => ("bomb", Vec::new()),
        Some(Action::Detonate { x, y }) => ("detonate", vec![x.into(), y.into()]),
    };
    vec![("action".into(), action.into()), ("args".into(), Value::List(args))]
}
