//! Percepts and worlds that specs make up, checked against what the game declares.

use super::compare::show;
use super::stage::SpecStage;
use crate::natives::{Native, NativeReply, problem};
use crate::plain;
use crate::similar;
use mlua::{Lua, Table, Value as LuaValue};
use phalanx_game::sorted::SortedMap;
use phalanx_game::{FieldDoc, Kind, Value};
use std::borrow::Cow;

/// Deepest nesting of made-up defaults: declarations do not nest deeper.
const DEPTH_MAX: usize = 8;

/// `fake.percept`: all declared fields, those that are not given with a harmless value.
pub(super) fn percept(lua: &Lua, stage: &SpecStage, given: LuaValue) -> Native {
    match filled(lua, stage, "fake.percept", &given)? {
        Ok(table) => Ok(NativeReply::Result(LuaValue::Table(table))),
        Err(reason) => problem(reason),
    }
}

/// `fake.world`: a copy of the answers, whose names the game declares.
pub(super) fn world(lua: &Lua, stage: &SpecStage, given: LuaValue) -> Native {
    match answers(lua, stage, "fake.world", &given)? {
        Ok(table) => Ok(NativeReply::Result(LuaValue::Table(table))),
        Err(reason) => problem(reason),
    }
}

/// The fields given and defaults for the others; or what is wrong.
pub(super) fn filled(
    lua: &Lua,
    stage: &SpecStage,
    call: &str,
    given: &LuaValue,
) -> mlua::Result<Result<Table, String>> {
    let own = stage.host.roster().agents.first().map(|entry| entry.name.clone());
    let own = own.unwrap_or_else(|| "a1".into());
    let full = lua.create_table()?;
    for field in stage.host.link.api.percept {
        full.raw_set(field.name, plain::push(lua, &harmless(&field.kind, &own, 0))?)?;
    }
    let given = match given {
        LuaValue::Nil => return Ok(Ok(full)),
        LuaValue::Table(given) => given,
        other => return Ok(Err(format!("{call}: expected a table, got {}", show(other)))),
    };
    match read(stage, given) {
        Ok(_) => {
            given.for_each(|key: LuaValue, value: LuaValue| full.raw_set(key, value))?;
            Ok(Ok(full))
        }
        Err(reason) => Ok(Err(format!("{call}: {reason}"))),
    }
}

/// The fields of a made-up percept as a world would tell them; or what is wrong.
pub(super) fn read(
    stage: &SpecStage,
    given: &Table,
) -> Result<SortedMap<&'static str, Value>, String> {
    let fields = stage.host.link.api.percept;
    let mut values = SortedMap::new();
    let mut wrong = None;
    let walked = given.for_each(|key: LuaValue, value: LuaValue| {
        match field(stage, fields, &key, &value) {
            Ok(Some((name, value))) => {
                values.insert(name, value);
            }
            Ok(None) => {}
            Err(reason) => {
                wrong = Some(reason);
                return Err(mlua::Error::runtime("not a percept"));
            }
        }
        Ok(())
    });
    match (wrong, walked) {
        (Some(reason), _) => Err(reason),
        (None, Err(error)) => Err(error.to_string()),
        (None, Ok(())) => Ok(values),
    }
}

fn field(
    stage: &SpecStage,
    fields: &'static [FieldDoc],
    key: &LuaValue,
    value: &LuaValue,
) -> Result<Option<(&'static str, Value)>, String> {
    let name = key.as_string().map(mlua::LuaString::to_string_lossy).unwrap_or_default();
    let Some(field) = fields.iter().find(|field| field.name == name) else {
        return Err(unknown("field", key, fields.iter().map(|field| field.name)));
    };
    if value.as_table() == Some(&stage.absent) {
        return Ok(None);
    }
    let checked = stage.host.checker().kind(&field.kind, value);
    let checked = checked.map_err(|problem| format!("field '{}': {problem}", field.name))?;
    Ok(Some((field.name, checked)))
}

/// A copy of the answers; or which query there is not.
pub(super) fn answers(
    lua: &Lua,
    stage: &SpecStage,
    call: &str,
    given: &LuaValue,
) -> mlua::Result<Result<Table, String>> {
    let copy = lua.create_table()?;
    let given = match given {
        LuaValue::Nil => return Ok(Ok(copy)),
        LuaValue::Table(given) => given,
        other => return Ok(Err(format!("{call}: expected a table, got {}", show(other)))),
    };
    if let Some(reason) = misnamed(stage, given) {
        return Ok(Err(format!("{call}: {reason}")));
    }
    given.for_each(|key: LuaValue, value: LuaValue| copy.raw_set(key, value))?;
    Ok(Ok(copy))
}

/// What is wrong with the names of answers.
pub(super) fn misnamed(stage: &SpecStage, given: &Table) -> Option<String> {
    let api = stage.host.link.api;
    let mut wrong = None;
    let walked = given.for_each(|key: LuaValue, _: LuaValue| {
        let known =
            key.as_string().is_some_and(|name| api.query(&name.to_string_lossy()).is_some());
        if !known {
            wrong = Some(unknown("query", &key, api.queries.iter().map(|query| query.name)));
            return Err(mlua::Error::runtime("no such query"));
        }
        Ok(())
    });
    wrong.or_else(|| walked.err().map(|error| error.to_string()))
}

/// The message about a name that is not declared.
pub(super) fn unknown<'a>(
    what: &str,
    key: &LuaValue,
    known: impl IntoIterator<Item = &'a str>,
) -> String {
    let name = match key {
        LuaValue::String(name) => phalanx_game::excerpt(&name.as_bytes()),
        other => show(other),
    };
    let known: Vec<_> = known.into_iter().collect();
    match similar(&name, known.iter().copied()) {
        Some(meant) => format!("there is no {what} '{name}'; did you mean '{meant}'?"),
        None => format!("there is no {what} '{name}'; there are {}", known.join(", ")),
    }
}

/// A value of a kind that means as little as can be.
fn harmless(kind: &Kind, own: &str, depth: usize) -> Value {
    match kind {
        Kind::Bool => Value::Bool(false),
        Kind::Int { min, max } => Value::Int(0.clamp(*min, (*max).max(*min))),
        Kind::Num => Value::Num(0.0),
        Kind::Str => Value::from(""),
        Kind::Word(words) => words.first().map_or(Value::Nil, |word| Value::from(*word)),
        Kind::Cell => Value::cell(0, 0),
        Kind::Agent => Value::from(own.to_owned()),
        Kind::List(_) => Value::List(Vec::new()),
        Kind::Table(fields) if depth < DEPTH_MAX => {
            let pair = |field: &FieldDoc| {
                (Cow::Borrowed(field.name), harmless(&field.kind, own, depth + 1))
            };
            Value::Map(fields.iter().map(pair).collect())
        }
        Kind::Table(_) | Kind::Any => Value::Nil,
    }
}
