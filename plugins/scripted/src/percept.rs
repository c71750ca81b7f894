//! Percepts that stay with the host. A script gets a table whose fields are made when it reads them,
//! so what it only passes on costs nothing.
//!
//! A session's percept moves into the event that reports it when its call is over. A world's percept
//! belongs to the world, which keeps it for the strategies.

use crate::kits::charge;
use crate::manifest::PerceptForm;
use crate::state::value_weight;
use crate::vm::{Steps, refuse};
use mlua::{AnyUserData, Function, Lua, Table, UserData, Value as LuaValue};
use phalanx_game::Value;
use phalanx_luau::plain::{self, Culprit, PlainLimits};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

/// Largest percept that is reported.
pub(crate) const WHOLE: PlainLimits =
    PlainLimits { values: 200_000, text_bytes: 16 << 20, depth: 32 };
/// Where the metatable of a percept has the host's part. A name would cost more than the look.
const PART: usize = 1;

/// A script has kept a percept in a variable.
const GONE: &str = "this percept was reported by an earlier call; keep fields of it instead, or \
                    kit.percept.copy(percept)";

pub(crate) type Field = (Cow<'static, str>, Value);

/// Whose the fields are.
#[derive(Debug)]
enum Fields {
    /// The percept's own, until a report takes them.
    Own(RefCell<Vec<Field>>),
    /// Of a map.
    Shared(Arc<Value>),
}

/// What the host has of a percept.
#[derive(Debug)]
pub(crate) struct Part {
    fields: Fields,
    /// By field: whether the script's table decides what it is. It was read or written, or the table
    /// had it from the start.
    made: RefCell<Vec<bool>>,
    /// Reports that wait for the fields.
    reports: Cell<usize>,
    /// The last one took them.
    is_gone: Cell<bool>,
}

/// The part as a value of the VM.
struct Handle(Rc<Part>);

impl UserData for Handle {}

impl Part {
    fn new(fields: Fields, made: Vec<bool>) -> Rc<Self> {
        let (reports, is_gone) = (Cell::default(), Cell::default());
        Rc::new(Self { fields, made: made.into(), reports, is_gone })
    }

    fn with_fields<T>(&self, work: impl FnOnce(&[Field]) -> T) -> T {
        match &self.fields {
            Fields::Own(fields) => work(&fields.borrow()),
            Fields::Shared(map) => work(fields_of(map)),
        }
    }

    /// Does something with a field that only the host has.
    pub(crate) fn with_unread<T>(&self, name: &str, work: impl FnOnce(&Value) -> T) -> Option<T> {
        self.with_fields(|fields| {
            let index = fields.iter().position(|(known, _)| known == name)?;
            let is_made = self.made.borrow().get(index).copied().unwrap_or(true);
            let (_, value) = fields.get(index).filter(|_| !is_made)?;
            Some(work(value))
        })
    }

    /// From now on the script's table decides what this field is.
    fn make(&self, name: &str) {
        let index = self.with_fields(|fields| fields.iter().position(|(known, _)| known == name));
        let mut made = self.made.borrow_mut();
        if let Some(made) = index.and_then(|index| made.get_mut(index)) {
            *made = true;
        }
    }

    /// The fields that only the host has.
    fn unread(&self) -> Vec<usize> {
        let made = self.made.borrow();
        let unread = made.iter().enumerate().filter(|(_, is_made)| !**is_made);
        unread.map(|(index, _)| index).collect()
    }
}

fn fields_of(map: &Value) -> &[Field] {
    if let Value::Map(fields) = map { fields } else { &[] }
}

/// A percept that a script has reported.
#[derive(Debug)]
pub(crate) struct Reported {
    /// What the script has read or written.
    written: Vec<Field>,
    part: Rc<Part>,
    /// The others, which the host has.
    unread: Vec<usize>,
}

impl Reported {
    /// The whole percept, after the call that reported it.
    pub(crate) fn into_value(self) -> Value {
        let Self { written: mut fields, part, unread } = self;
        let left = part.reports.get().saturating_sub(1);
        part.reports.set(left);
        if let (Fields::Own(own), 0) = (&part.fields, left) {
            part.is_gone.set(true);
            let mut own = own.borrow_mut();
            fields.extend(unread.iter().filter_map(|index| own.get_mut(*index).map(std::mem::take)));
        } else {
            part.with_fields(|all| {
                fields.extend(unread.iter().filter_map(|index| all.get(*index).cloned()));
            });
        }
        sorted(fields)
    }
}

/// What makes percepts in a VM.
#[derive(Debug)]
pub(crate) struct Percepts {
    pub(crate) form: Option<PerceptForm>,
    make: Function,
}

impl Percepts {
    /// `prelude`: the function of the prelude that makes the table.
    pub(crate) fn new(
        lua: &Lua,
        steps: &Rc<Steps>,
        form: Option<PerceptForm>,
        prelude: &Function,
    ) -> mlua::Result<Self> {
        let counted = Rc::clone(steps);
        let read = move |lua: &Lua, (handle, name): (AnyUserData, LuaValue)| {
            let Handle(part) = &*handle.borrow::<Handle>()?;
            if part.is_gone.get() {
                return Err(refuse(lua, GONE));
            }
            let Some(name) = name.as_string() else { return Ok(LuaValue::Nil) };
            let name = name.to_string_lossy();
            let value = part.with_unread(&name, |value| {
                charge(lua, &counted, value_weight(value))?;
                plain::push(lua, value)
            });
            part.make(&name);
            value.unwrap_or(Ok(LuaValue::Nil))
        };
        let note = |_: &Lua, (table, name): (Table, LuaValue)| {
            if let (Some(part), Some(name)) = (part(&table), name.as_string()) {
                part.make(&name.to_string_lossy());
            }
            Ok(())
        };
        let counted = Rc::clone(steps);
        let unread = move |lua: &Lua, table: Table| {
            let rest = lua.create_table()?;
            let Some(part) = part(&table) else { return Ok(rest) };
            part.with_fields(|fields| {
                for (name, value) in part.unread().into_iter().filter_map(|index| fields.get(index)) {
                    charge(lua, &counted, value_weight(value))?;
                    rest.raw_set(name.as_ref(), plain::push(lua, value)?)?;
                }
                Ok::<_, mlua::Error>(())
            })?;
            part.made.borrow_mut().fill(true);
            Ok(rest)
        };
        let natives = (
            lua.create_function(read)?,
            lua.create_function(note)?,
            lua.create_function(unread)?,
            plain::PERCEPT_TYPE,
        );
        Ok(Self { form, make: prelude.call(natives)? })
    }

    /// A percept for a session: each field when it is read.
    pub(crate) fn own(&self, lua: &Lua, fields: Vec<Field>) -> mlua::Result<Table> {
        let made = vec![false; fields.len()];
        self.table(lua, lua.create_table()?, Part::new(Fields::Own(fields.into()), made))
    }

    /// A percept for a world: numbers, texts and truth values at once, the others when they are
    /// read.
    pub(crate) fn shared(&self, lua: &Lua, map: &Arc<Value>) -> mlua::Result<Table> {
        let limit = lua.set_memory_limit(0)?;
        let fields = fields_of(map);
        let mut made = vec![false; fields.len()];
        let scalars = fields.iter().zip(&mut made).filter_map(|((name, value), made)| {
            let scalar = plain::scalar(value)?;
            *made = true;
            Some((name.as_ref(), scalar))
        });
        let table = lua.create_table_from(scalars);
        let part = Part::new(Fields::Shared(Arc::clone(map)), made);
        let table = table.and_then(|table| self.table(lua, table, part));
        lua.set_memory_limit(limit)?;
        table
    }

    fn table(&self, lua: &Lua, table: Table, part: Rc<Part>) -> mlua::Result<Table> {
        self.make.call((table, lua.create_userdata(Handle(part))?))
    }
}

/// The host's part of a percept; `None`: the table is no percept.
pub(crate) fn part(table: &Table) -> Option<Rc<Part>> {
    let handle: AnyUserData = table.metatable()?.raw_get(PART).ok()?;
    let handle = handle.borrow::<Handle>().ok()?;
    Some(Rc::clone(&handle.0))
}

/// A percept that a script reports. `None`: the table is no percept.
pub(crate) fn reported(table: &Table) -> Option<Result<Reported, Culprit>> {
    let part = part(table)?;
    let read = written(table, &part);
    Some(read.map(|(written, unread)| {
        part.reports.set(part.reports.get().saturating_add(1));
        Reported { written, part, unread }
    }))
}

/// A percept as a value of its own. `None`: the table is no percept.
pub(crate) fn copied(table: &Table) -> Option<Result<Value, Culprit>> {
    let part = part(table)?;
    let read = written(table, &part);
    Some(read.map(|(mut fields, unread)| {
        part.with_fields(|all| {
            fields.extend(unread.iter().filter_map(|index| all.get(*index).cloned()));
        });
        sorted(fields)
    }))
}

/// What the script has read or written of a percept, and which fields only the host has.
fn written(table: &Table, part: &Part) -> Result<(Vec<Field>, Vec<usize>), Culprit> {
    if part.is_gone.get() {
        return Err(Culprit::new(GONE));
    }
    let written = plain::read_fields(table, WHOLE)?;
    let unread = part.unread();
    Ok((written, unread))
}

/// As in tables that scripts make, so that equal percepts print equally.
fn sorted(mut fields: Vec<Field>) -> Value {
    fields.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
    Value::Map(fields)
}
