//! `kit.percept`: for percepts that stay with the host.

use super::{charge, wrong};
use crate::manifest::PerceptForm;
use crate::percept::{self, WHOLE};
use crate::state::value_weight;
use crate::vm::Steps;
use mlua::{Lua, LuaString, MultiValue, Table, Value as LuaValue, Variadic};
use phalanx_game::{Kind, Value};
use phalanx_luau::plain;
use std::rc::Rc;

/// Columns that can be asked for at once.
const COLUMNS_MAX: usize = 16;

/// The arguments of `percept.columns`.
type Columns = (LuaValue, LuaString, Variadic<LuaString>);

pub(super) fn install(
    lua: &Lua,
    native: &Table,
    (steps, form): (&Rc<Steps>, Option<&PerceptForm>),
) -> mlua::Result<()> {
    let counted = Rc::clone(steps);
    let columns = move |lua: &Lua, (percept, field, names): Columns| {
        columns(lua, &counted, &percept, (&field.to_string_lossy(), &names))
    };
    native.raw_set("columns", lua.create_function(columns)?)?;
    let counted = Rc::clone(steps);
    let copy = move |lua: &Lua, percept: LuaValue| {
        const NAME: &str = "percept.copy";
        let copied = percept.as_table().and_then(percept::copied);
        let whole = copied.ok_or_else(|| none(lua, NAME, &percept))?;
        let whole = whole.map_err(|culprit| wrong(lua, NAME, &culprit.to_string()))?;
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

/// `percept.columns(percept, "things", "x", "y", …)`: a list of each name, of all items.
fn columns(
    lua: &Lua,
    steps: &Steps,
    percept: &LuaValue,
    (field, names): (&str, &[LuaString]),
) -> mlua::Result<MultiValue> {
    const NAME: &str = "percept.columns";
    if names.len() > COLUMNS_MAX {
        return Err(wrong(lua, NAME, &format!("{} names, at most {COLUMNS_MAX}", names.len())));
    }
    let table = percept.as_table().ok_or_else(|| none(lua, NAME, percept))?;
    let of_items = |items: &[Value]| {
        charge(lua, steps, items.len() * names.len())?;
        let limit = lua.set_memory_limit(0)?;
        let columns = names.iter().map(|name| column(lua, items, &name.to_string_lossy())).collect();
        lua.set_memory_limit(limit)?;
        columns
    };
    let not_list = |got: &str| wrong(lua, NAME, &format!("{field}: expected a list, got {got}"));
    let part = percept::part(table).ok_or_else(|| none(lua, NAME, percept))?;
    let of_list = |value: &Value| {
        let items = value.as_list();
        items.map_or_else(|| Err(not_list(value.kind())), of_items)
    };
    if let Some(columns) = part.with_unread(field, of_list) {
        return columns;
    }
    // What the script has read or written is in its own table.
    let read = plain::read_value(&table.raw_get(field)?, WHOLE);
    of_list(&read.map_err(|culprit| wrong(lua, NAME, &format!("{field}: {culprit}")))?)
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

/// `percept.flaw(percept)`: what is missing of the declared lists, or is no list or table although
/// it is declared as one.
fn flaw(
    lua: &Lua,
    steps: &Steps,
    form: &PerceptForm,
    percept: &LuaValue,
) -> mlua::Result<Option<String>> {
    const NAME: &str = "percept.flaw";
    let table = percept.as_table();
    let Some((table, part)) = table.and_then(|table| Some((table, percept::part(table)?))) else {
        return Ok(Some(format!("expected a percept, got {}", plain::describe(percept))));
    };
    charge(lua, steps, form.fields().len())?;
    let written = plain::read_fields(table, WHOLE)
        .map_err(|culprit| wrong(lua, NAME, &culprit.to_string()))?;
    for field in form.fields() {
        let check = |value: &Value| -> mlua::Result<_> {
            charge(lua, steps, value.as_list().map_or(0, <[Value]>::len))?;
            Ok(lack(&field.kind, value))
        };
        let of_script = written.iter().find(|(name, _)| name == field.name);
        let of_script = of_script.map(|(_, value)| check(value));
        let found = of_script.or_else(|| part.with_unread(field.name, check));
        if let Some(what) = found.unwrap_or_else(|| check(&Value::Nil))? {
            return Ok(Some(format!("{}: {what}", field.name)));
        }
    }
    Ok(None)
}

/// What a script cannot walk: a list that is missing, or something else in the place of a list or a
/// table. The world reports all other wrong types.
fn lack(kind: &Kind, value: &Value) -> Option<String> {
    let expected = |what: &str| Some(format!("expected {what}, got {}", value.kind()));
    match kind {
        Kind::List(of) => {
            let Some(items) = value.as_list() else { return expected("a list") };
            if !has_parts(of) {
                return None;
            }
            let mut items = (1_usize..).zip(items);
            items.find_map(|(index, item)| Some(format!("item {index}: {}", lack(of, item)?)))
        }
        Kind::Table(_) | Kind::Cell if *value == Value::Nil => None,
        Kind::Table(_) | Kind::Cell if !is_table(value) => expected("a table"),
        Kind::Table(fields) => fields.iter().filter(|field| has_parts(&field.kind)).find_map(|field| {
            let inner = value.get(field.name).unwrap_or(&Value::Nil);
            Some(format!("field '{}': {}", field.name, lack(&field.kind, inner)?))
        }),
        Kind::Cell
        | Kind::Bool
        | Kind::Int { .. }
        | Kind::Num
        | Kind::Str
        | Kind::Word(_)
        | Kind::Agent
        | Kind::Any => None,
    }
}

/// An empty table may be a list or a map.
fn is_table(value: &Value) -> bool {
    matches!(value, Value::Map(_)) || value.as_list() == Some(&[])
}

/// Whether values of a type have parts that scripts walk.
fn has_parts(kind: &Kind) -> bool {
    match kind {
        Kind::List(_) | Kind::Table(_) | Kind::Cell => true,
        Kind::Bool
        | Kind::Int { .. }
        | Kind::Num
        | Kind::Str
        | Kind::Word(_)
        | Kind::Agent
        | Kind::Any => false,
    }
}
