//! Checks of what scripts pass to actions and queries, by the game's declaration.

use crate::PlainLimits;
use crate::plain::{self, describe};
use mlua::{Table, Value as LuaValue};
use phalanx_engine::{expectation, similar};
use phalanx_game::{FieldDoc, Kind, ParamDoc, Roster, Value};
use std::cell::Ref;

/// Numbers beyond this are not whole numbers of a game.
const INT_MAX: f64 = 9.0e15;

/// What checks need to know besides the declaration.
#[derive(Debug)]
pub(crate) struct Checker<'a> {
    pub(crate) roster: Ref<'a, Roster>,
    pub(crate) limits: PlainLimits,
}

impl Checker<'_> {
    /// The arguments in declared order, trailing absent ones left out; or what is wrong.
    pub(crate) fn args(
        &self,
        call: &str,
        params: &[ParamDoc],
        given: &[LuaValue],
    ) -> Result<Vec<Value>, String> {
        if given.iter().skip(params.len()).any(|extra| !matches!(extra, LuaValue::Nil)) {
            return Err(too_many(call, params.len(), given.len(), given.first()));
        }
        let mut args = Vec::with_capacity(params.len());
        for (index, param) in params.iter().enumerate() {
            let value = given.get(index).unwrap_or(&LuaValue::Nil);
            let absent = matches!(value, LuaValue::Nil);
            if absent && param.optional {
                args.push(Value::Nil);
                continue;
            }
            let checked = if absent {
                Err(format!("expected {}, got nothing", expectation(&param.kind)))
            } else {
                self.kind(&param.kind, value)
            };
            let name = param.name;
            args.push(checked.map_err(|problem| format!("{call}: parameter '{name}': {problem}"))?);
        }
        while args.last() == Some(&Value::Nil) {
            args.pop();
        }
        Ok(args)
    }

    /// The value of a kind, or what is wrong with it.
    pub(crate) fn kind(&self, kind: &Kind, value: &LuaValue) -> Result<Value, String> {
        let mismatch = || format!("expected {}, got {}", expectation(kind), describe(value));
        match kind {
            Kind::Bool => value.as_boolean().map(Value::Bool).ok_or_else(mismatch),
            Kind::Int { min, max } => whole(value)
                .filter(|int| (min..=max).contains(&int))
                .map(Value::Int)
                .ok_or_else(mismatch),
            Kind::Num => {
                let num = number(value).filter(|num| num.is_finite());
                num.map(Value::Num).ok_or_else(mismatch)
            }
            Kind::Str => text(value, self.limits)?.map(Value::from).ok_or_else(mismatch),
            Kind::Word(words) => {
                let word = text(value, self.limits)?.ok_or_else(mismatch)?;
                let known = words.iter().find(|known| **known == word);
                known.map(|known| Value::from(*known)).ok_or_else(|| {
                    match similar(&word, words.iter().copied()) {
                        Some(meant) => format!("{}; did you mean {meant:?}?", mismatch()),
                        None => mismatch(),
                    }
                })
            }
            Kind::Cell => {
                let table = value.as_table().ok_or_else(mismatch)?;
                let part = |key| {
                    let part: LuaValue = table.raw_get(key).ok()?;
                    i32::try_from(whole(&part)?).ok()
                };
                match (part("x"), part("y")) {
                    (Some(x), Some(y)) => Ok(Value::cell(x, y)),
                    _without => Err(format!("{} without whole numbers x and y", mismatch())),
                }
            }
            Kind::Agent => {
                let name = text(value, self.limits)?.ok_or_else(mismatch)?;
                self.roster.find(&name).map(|_| Value::from(name)).ok_or_else(mismatch)
            }
            Kind::List(of) => self.list(of, value.as_table().ok_or_else(mismatch)?),
            Kind::Table(fields) => self.table(fields, value.as_table().ok_or_else(mismatch)?),
            Kind::Any => {
                plain::read_value(value, self.limits).map_err(|culprit| culprit.to_string())
            }
        }
    }

    fn list(&self, of: &Kind, table: &Table) -> Result<Value, String> {
        let length = table.raw_len();
        if length > self.limits.values {
            return Err(format!("the list has {length} items, at most {}", self.limits.values));
        }
        let mut items = Vec::with_capacity(length);
        for index in 1..=length {
            let item: LuaValue = table.raw_get(index).map_err(|error| error.to_string())?;
            items.push(self.kind(of, &item).map_err(|problem| format!("item {index}: {problem}"))?);
        }
        Ok(Value::List(items))
    }

    fn table(&self, fields: &'static [FieldDoc], table: &Table) -> Result<Value, String> {
        // An unknown field is a typo that would be ignored in silence.
        let mut unknown = None;
        let walked = table.for_each(|key: LuaValue, _: LuaValue| {
            let name = key.as_string().map(mlua::LuaString::to_string_lossy);
            let known = name.is_some_and(|name| fields.iter().any(|field| field.name == name));
            if !known {
                unknown = Some(describe(&key));
                return Err(mlua::Error::runtime("unknown field"));
            }
            Ok(())
        });
        if let Some(key) = unknown {
            let names = fields.iter().map(|field| field.name).collect::<Vec<_>>().join(", ");
            return Err(format!("unknown field {key}; there are {names}"));
        }
        walked.map_err(|error| error.to_string())?;
        let mut pairs = Vec::new();
        for field in fields {
            let item: LuaValue = table.raw_get(field.name).map_err(|error| error.to_string())?;
            if !matches!(item, LuaValue::Nil) {
                let checked = self.kind(&field.kind, &item);
                let checked =
                    checked.map_err(|problem| format!("field '{}': {problem}", field.name))?;
                pairs.push((field.name.into(), checked));
            }
        }
        Ok(Value::Map(pairs))
    }
}

/// The message about a call with more than `most` arguments.
pub(crate) fn too_many(call: &str, most: usize, given: usize, first: Option<&LuaValue>) -> String {
    let is_method = matches!(first, Some(LuaValue::Table(_))) && most + 1 == given;
    let hint = if is_method { format!("; call it with a dot: {call}(…)") } else { String::new() };
    let plural = if most == 1 { "" } else { "s" };
    format!("{call}: takes {most} argument{plural}, got {given}{hint}")
}

/// The text in a Lua value; an error when it is too long or not UTF-8.
pub(crate) fn text(value: &LuaValue, limits: PlainLimits) -> Result<Option<String>, String> {
    let LuaValue::String(string) = value else { return Ok(None) };
    let bytes = string.as_bytes();
    if bytes.len() > limits.text_bytes {
        return Err(format!("the text has {} bytes, at most {}", bytes.len(), limits.text_bytes));
    }
    let text = std::str::from_utf8(&bytes).map_err(|_| "the text is not UTF-8".to_owned())?;
    Ok(Some(text.to_owned()))
}

pub(crate) fn number(value: &LuaValue) -> Option<f64> {
    match value {
        #[expect(clippy::cast_precision_loss, reason = "Luau's integers are doubles")]
        LuaValue::Integer(int) => Some(*int as f64),
        LuaValue::Number(num) => Some(*num),
        _other => None,
    }
}

/// The whole number in a Lua value.
pub(crate) fn whole(value: &LuaValue) -> Option<i64> {
    let num = number(value)?;
    #[expect(clippy::cast_possible_truncation, reason = "the range is checked first")]
    let int = (num.fract() == 0.0 && num.abs() <= INT_MAX).then_some(num as i64);
    int
}
