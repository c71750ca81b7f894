//! `kit.percept`: for percepts that stay with the host.

use super::wrong;
use crate::manifest::PerceptForm;
use crate::percept::{self, Field, FieldValue, PerceptPart, WHOLE, weight};
use crate::steps::{Steps, charge};
use mlua::{FromLua, Function, Lua, LuaString, MultiValue, Table, Value as LuaValue, Variadic};
use phalanx_game::{Kind, Value};
use phalanx_luau::plain;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Columns that can be asked for at once.
const COLUMNS_MAX: usize = 16;
/// Columns of all lists that a reader reads.
const READER_COLUMNS_MAX: usize = 64;
/// Names that are remembered; a game has far fewer.
const NAMES_MAX: usize = 256;

/// The arguments of `percept.columns`.
type ColumnArgs = (LuaValue, LuaString, Variadic<LuaString>);

/// Names that scripts have asked for, by the address of their text in the VM: a copy of a text costs
/// much more. The VM keeps each text once, and one that is remembered stays where it is.
#[derive(Default)]
struct Names(RefCell<BTreeMap<usize, (LuaString, Rc<str>)>>);

impl Names {
    fn get(&self, name: &LuaString) -> mlua::Result<Rc<str>> {
        let address = name.to_pointer().addr();
        let mut known = self.0.borrow_mut();
        if let Some((_, text)) = known.get(&address) {
            return Ok(Rc::clone(text));
        }
        let text: Rc<str> = Rc::from(&*name.to_str()?);
        if known.len() >= NAMES_MAX {
            known.clear();
        }
        known.insert(address, (name.clone(), Rc::clone(&text)));
        Ok(text)
    }
}

pub(super) fn install(
    lua: &Lua,
    native: &Table,
    (steps, form): (&Rc<Steps>, Option<&PerceptForm>),
) -> mlua::Result<()> {
    let (counted, known) = (Rc::clone(steps), Names::default());
    let columns = move |lua: &Lua, (percept, field, names): ColumnArgs| {
        let field = known.get(&field)?;
        let names: Vec<_> =
            names.iter().map(|name| known.get(name)).collect::<mlua::Result<_>>()?;
        columns(lua, &counted, &percept, &Wanted { field, names })
    };
    native.raw_set("columns", lua.create_function(columns)?)?;
    let counted = Rc::clone(steps);
    let reader = move |lua: &Lua, lists: Variadic<LuaValue>| reader(lua, &counted, &lists);
    native.raw_set("reader", lua.create_function(reader)?)?;
    let counted = Rc::clone(steps);
    let copy = move |lua: &Lua, percept: LuaValue| {
        const NAME: &str = "percept.copy";
        let copied = percept.as_table().and_then(percept::copied);
        let whole = copied.ok_or_else(|| none(lua, NAME, &percept))?;
        let whole = whole.map_err(|culprit| wrong(lua, NAME, &culprit.to_string()))?;
        charge(lua, &counted, weight(&whole))?;
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

/// The columns of a list that a script wants.
struct Wanted {
    field: Rc<str>,
    names: Vec<Rc<str>>,
}

/// Why these columns cannot be asked for, if they cannot.
fn unusable(names: &[Rc<str>]) -> Option<String> {
    if names.len() > COLUMNS_MAX {
        return Some(format!("{} names, at most {COLUMNS_MAX}", names.len()));
    }
    let mut rest = names;
    while let [name, more @ ..] = rest {
        if more.contains(name) {
            return Some(format!("{name:?} is named twice"));
        }
        rest = more;
    }
    None
}

/// `percept.columns(percept, "things", "x", "y", …)`: a list of each name, of all items.
fn columns(
    lua: &Lua,
    steps: &Steps,
    percept: &LuaValue,
    wanted: &Wanted,
) -> mlua::Result<MultiValue> {
    const NAME: &str = "percept.columns";
    if let Some(what) = unusable(&wanted.names) {
        return Err(wrong(lua, NAME, &what));
    }
    let (table, part) = found(lua, NAME, percept)?;
    of_list(lua, steps, (table, &part), wanted)?.map_err(|what| wrong(lua, NAME, &what))
}

/// `percept.reader({ "things", "x", "y", … }, …)`: a function that returns all these columns.
fn reader(lua: &Lua, steps: &Rc<Steps>, lists: &[LuaValue]) -> mlua::Result<Function> {
    const NAME: &str = "percept.reader";
    let lists = lists.iter().map(|list| {
        let texts = Vec::<String>::from_lua(list.clone(), lua).unwrap_or_default();
        let mut texts = texts.into_iter().map(Rc::from);
        let field = texts.next().ok_or_else(|| {
            let what = "expected lists of names, like { \"things\", \"x\", \"y\" }";
            wrong(lua, NAME, &format!("{what}, got {}", plain::describe(list)))
        })?;
        let names: Vec<_> = texts.collect();
        match unusable(&names) {
            Some(what) => Err(wrong(lua, NAME, &format!("{field}: {what}"))),
            None => Ok(Wanted { field, names }),
        }
    });
    let lists: Vec<_> = lists.collect::<mlua::Result<_>>()?;
    let columns: usize = lists.iter().map(|list| list.names.len()).sum();
    if columns > READER_COLUMNS_MAX {
        let what = format!("{columns} columns, at most {READER_COLUMNS_MAX}");
        return Err(wrong(lua, NAME, &what));
    }
    let steps = Rc::clone(steps);
    lua.create_function(move |lua, percept: LuaValue| {
        let (table, part) = found(lua, NAME, &percept)?;
        let mut all = MultiValue::with_capacity(columns);
        for wanted in &lists {
            let found = of_list(lua, &steps, (table, &part), wanted)?;
            all.extend(found.map_err(|what| wrong(lua, NAME, &what))?);
        }
        Ok(all)
    })
}

/// The table of a percept, and the host's part of it.
fn found<'percept>(
    lua: &Lua,
    function: &str,
    percept: &'percept LuaValue,
) -> mlua::Result<(&'percept Table, Rc<PerceptPart>)> {
    let table = percept.as_table().and_then(|table| Some((table, percept::part(table)?)));
    table.ok_or_else(|| none(lua, function, percept))
}

fn of_list(
    lua: &Lua,
    steps: &Steps,
    (table, part): (&Table, &PerceptPart),
    Wanted { field, names }: &Wanted,
) -> ColumnsFound {
    let limit = lua.set_memory_limit(0)?;
    let columns = match part.unread(field) {
        Some(unread) => of_unread(lua, steps, unread, names),
        // What the script has read or written is in its own table.
        None => {
            let read = plain::read_value(&table.raw_get(&**field)?, WHOLE);
            let read = read.map_err(|culprit| culprit.to_string());
            of_value(lua, steps, read.as_ref().map_err(String::as_str), names)
        }
    };
    lua.set_memory_limit(limit)?;
    Ok(columns?.map_err(|what| format!("{field}: {what}")))
}

/// All columns, or what is wrong with the field.
type ColumnsFound = mlua::Result<Result<MultiValue, String>>;

fn of_unread(lua: &Lua, steps: &Steps, field: &Field, names: &[Rc<str>]) -> ColumnsFound {
    if let FieldValue::Json(text) = &field.held {
        charge(lua, steps, field.weight())?;
        let is_cells = matches!(field.kind, Kind::List(Kind::Cell));
        if let Some(columns) = percept::columns(lua, text.bytes(), names, is_cells)? {
            return Ok(Ok(columns.into()));
        }
    }
    of_value(lua, steps, field.value(), names)
}

fn of_value(
    lua: &Lua,
    steps: &Steps,
    value: Result<&Value, &str>,
    names: &[Rc<str>],
) -> ColumnsFound {
    let value = match value {
        Ok(value) => value,
        Err(problem) => return Ok(Err(problem.to_owned())),
    };
    let Some(items) = value.as_list() else {
        return Ok(Err(format!("expected a list, got {}", value.kind())));
    };
    if let Some(index) = items.iter().position(|item| !is_table(item)) {
        return Ok(Err(format!("item {} is no table", index + 1)));
    }
    charge(lua, steps, items.len() * names.len())?;
    let columns = names.iter().map(|name| column(lua, items, name));
    columns.collect::<mlua::Result<_>>().map(Ok)
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

/// `percept.flaw(percept)`: the first declared list that is missing, or what is no list or table
/// although it is declared as one. Nothing is read for it.
fn flaw(
    lua: &Lua,
    steps: &Steps,
    form: &PerceptForm,
    percept: &LuaValue,
) -> mlua::Result<Option<String>> {
    let table = percept.as_table();
    let Some((table, part)) = table.and_then(|table| Some((table, percept::part(table)?))) else {
        return Ok(Some(format!("expected a percept, got {}", plain::describe(percept))));
    };
    charge(lua, steps, form.fields().len())?;
    for field in form.fields() {
        let (is_list, is_table, kind) = match part.unread(field.name) {
            Some(Field { held: FieldValue::Json(text), .. }) => {
                let is_list = text.bytes().starts_with(b"[");
                (is_list, !is_list, if is_list { "list" } else { "table" })
            }
            Some(Field { held: FieldValue::Value(value), .. }) => {
                (value.as_list().is_some(), is_table(value), value.kind())
            }
            None if is_scalar(&field.kind) => continue,
            None => {
                let written: LuaValue = table.raw_get(field.name)?;
                (written.is_table(), written.is_table(), written.type_name())
            }
        };
        let should_list = matches!(field.kind, Kind::List(_));
        // Many protocols write a cell as a pair.
        let is_table = is_table || is_list && matches!(field.kind, Kind::Cell);
        let is_flaw = if should_list {
            !is_list
        } else {
            !is_scalar(&field.kind) && !is_table && kind != "nil"
        };
        if is_flaw {
            let expected = if should_list { "a list" } else { "a table" };
            return Ok(Some(format!("{}: expected {expected}, got {kind}", field.name)));
        }
    }
    Ok(None)
}

/// Whether values of a type have no parts.
fn is_scalar(kind: &Kind) -> bool {
    !matches!(kind, Kind::List(_) | Kind::Table(_) | Kind::Cell)
}

/// An empty table may be a list or a map.
fn is_table(value: &Value) -> bool {
    matches!(value, Value::Map(_)) || value.as_list() == Some(&[])
}
