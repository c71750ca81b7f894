//! `kit.percept`: for percepts that stay with the host.

use super::{charge, wrong};
use crate::manifest::PerceptForm;
use crate::percept::{self, with_part};
use crate::state::value_weight;
use crate::vm::Steps;
use mlua::{Lua, MultiValue, Table, Value as LuaValue, Variadic};
use phalanx_game::{Kind, Value};
use phalanx_luau::plain::{self, PlainLimits};
use std::rc::Rc;

/// Columns that can be asked for at once.
const COLUMNS_MAX: usize = 16;
/// Largest percept.
const WHOLE: PlainLimits = PlainLimits { values: 200_000, text_bytes: 16 << 20, depth: 32 };

pub(super) fn install(
    lua: &Lua,
    native: &Table,
    (steps, form): (&Rc<Steps>, Option<&PerceptForm>),
) -> mlua::Result<()> {
    let counted = Rc::clone(steps);
    let columns = move |lua: &Lua, (percept, field, names): (LuaValue, String, Variadic<String>)| {
        columns(lua, &counted, &percept, (&field, &names))
    };
    native.raw_set("columns", lua.create_function(columns)?)?;
    let counted = Rc::clone(steps);
    let copy = move |lua: &Lua, percept: LuaValue| {
        const NAME: &str = "percept.copy";
        let whole = whole(lua, NAME, &percept)?.ok_or_else(|| none(lua, NAME, &percept))?;
        charge(lua, &counted, value_weight(&whole))?;
        plain::push(lua, &whole)
    };
    native.raw_set("copy", lua.create_function(copy)?)?;
    let (counted, form) = (Rc::clone(steps), form.cloned());
    let flaw = move |lua: &Lua, percept: LuaValue| {
        let Some(form) = &form else {
            let what = "game.toml has no key percept in [transport], which says where messages \
                        have the percept";
            return Err(wrong(lua, "percept.flaw", what));
        };
        flaw(lua, &counted, form, &percept)
    };
    native.raw_set("flaw", lua.create_function(flaw)?)
}

fn none(lua: &Lua, function: &str, got: &LuaValue) -> mlua::Error {
    let what = format!("expected a percept, got {}", plain::describe(got));
    wrong(lua, function, &what)
}

/// All of a percept; `None`: it is none.
fn whole(lua: &Lua, function: &str, percept: &LuaValue) -> mlua::Result<Option<Value>> {
    let Some(table) = percept.as_table() else { return Ok(None) };
    let whole = percept::resolve(table, WHOLE).transpose();
    whole.map_err(|culprit| wrong(lua, function, &culprit.to_string()))
}

/// `percept.columns(percept, "things", "x", "y", …)`: a list of each name, of all items.
fn columns(
    lua: &Lua,
    steps: &Steps,
    percept: &LuaValue,
    (field, names): (&str, &[String]),
) -> mlua::Result<MultiValue> {
    const NAME: &str = "percept.columns";
    if names.len() > COLUMNS_MAX {
        return Err(wrong(lua, NAME, &format!("{} names, at most {COLUMNS_MAX}", names.len())));
    }
    let table = percept.as_table().ok_or_else(|| none(lua, NAME, percept))?;
    let of_items = |items: &[Value]| {
        charge(lua, steps, items.len() * names.len())?;
        let limit = lua.set_memory_limit(0)?;
        let columns = names.iter().map(|name| column(lua, items, name)).collect();
        lua.set_memory_limit(limit)?;
        columns
    };
    let not_list = |got: &str| wrong(lua, NAME, &format!("{field}: expected a list, got {got}"));
    let native = with_part(table, |part| match part.untouched(table, field) {
        Some(value) => {
            Some(value.as_list().map_or_else(|| Err(not_list(value.kind())), of_items))
        }
        None => None,
    });
    match native.ok_or_else(|| none(lua, NAME, percept))? {
        Some(columns) => columns,
        // The script has read or written it, so that its own table counts.
        None => {
            let value: LuaValue = table.raw_get(field)?;
            let read = plain::read_value(&value, WHOLE)
                .map_err(|culprit| wrong(lua, NAME, &format!("{field}: {culprit}")))?;
            read.as_list().map_or_else(|| Err(not_list(read.kind())), of_items)
        }
    }
}

/// The field of this name of all items; false where an item does not have it, since a hole would
/// end the list.
fn column(lua: &Lua, items: &[Value], name: &str) -> mlua::Result<LuaValue> {
    let mut failed = Ok(());
    let values = items.iter().map(|item| match item.get(name) {
        None | Some(Value::Nil) => mlua::Either::Right(LuaValue::Boolean(false)),
        Some(value) => plain::scalar(value).unwrap_or_else(|| {
            let nested = plain::push(lua, value);
            mlua::Either::Right(nested.unwrap_or_else(|error| {
                failed = Err(error);
                LuaValue::Nil
            }))
        }),
    });
    let list = lua.create_sequence_from(values)?;
    failed.map(|()| LuaValue::Table(list))
}

/// What a value should be if it has none of the parts that its type has; `None`: it has parts, or
/// its type has none. The world reports other types that are wrong.
fn lacks_parts(kind: &Kind, value: &Value) -> Option<&'static str> {
    let is_list = value.as_list().is_some();
    let is_table = matches!(value, Value::Map(_)) || value.as_list() == Some(&[]);
    match kind {
        Kind::List(_) => (!is_list).then_some("a list"),
        Kind::Table(_) | Kind::Cell => (!is_table).then_some("a table"),
        Kind::Bool
        | Kind::Int { .. }
        | Kind::Num
        | Kind::Str
        | Kind::Word(_)
        | Kind::Agent
        | Kind::Any => None,
    }
}

/// `percept.flaw(percept)`: the first declared field that is missing, or that is no list or table
/// although it is declared as one.
fn flaw(
    lua: &Lua,
    steps: &Steps,
    form: &PerceptForm,
    percept: &LuaValue,
) -> mlua::Result<Option<String>> {
    const NAME: &str = "percept.flaw";
    let is_none = || format!("expected a percept, got {}", plain::describe(percept));
    let Some(table) = percept.as_table() else { return Ok(Some(is_none())) };
    charge(lua, steps, form.fields().len())?;
    let written = plain::read_fields(table, WHOLE)
        .map_err(|culprit| wrong(lua, NAME, &culprit.to_string()))?;
    let found = with_part(table, |part| {
        for field in form.fields() {
            let of_script = written.iter().find(|(name, _)| name == field.name);
            let value = of_script.map(|(_, value)| value);
            let value = value.or_else(|| part.untouched(table, field.name));
            let problem = match value {
                None if field.is_optional => None,
                None => Some(format!("{} is missing", field.name)),
                Some(value) => lacks_parts(&field.kind, value)
                    .map(|expected| format!("{}: expected {expected}, got {}", field.name, value.kind())),
            };
            if problem.is_some() {
                return Ok(problem);
            }
        }
        Ok(None)
    });
    found.unwrap_or_else(|| Ok(Some(is_none())))
}
