//! A percept as scripts see it: a table whose fields are made when it reads them, so what it only
//! passes on costs nothing.

use super::{Field, Percept};
use crate::manifest::PerceptForm;
use crate::steps::{Steps, charge, refuse};
use mlua::{AnyUserData, Function, Lua, Table, UserData, Value as LuaValue};
use phalanx_game::Value;
use phalanx_game::sorted::Order;
use phalanx_luau::plain::{self, Culprit, PlainLimits};
use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// Largest argument of a report, and largest percept.
pub(crate) const WHOLE: PlainLimits =
    PlainLimits { values: 200_000, text_bytes: 16 << 20, depth: 32 };
/// Where the metatable of a percept has the host's part. A name would cost more than the look.
const PART: usize = 1;

/// What the host has of a percept.
#[derive(Debug)]
pub(crate) struct PerceptPart {
    fields: Arc<[Field]>,
    /// By field: whether the script's table decides what it is. It was read or written, or the table
    /// had it from the start.
    made: RefCell<Vec<bool>>,
}

/// The part as a value of the VM.
struct Handle(Rc<PerceptPart>);

impl UserData for Handle {}

impl PerceptPart {
    /// A field that only the host has.
    pub(crate) fn unread(&self, name: &str) -> Option<&Field> {
        let index = self.fields.iter().position(|field| field.name == name)?;
        let is_made = self.made.borrow().get(index).copied().unwrap_or(true);
        self.fields.get(index).filter(|_| !is_made)
    }

    /// All of them.
    fn all_unread(&self) -> Vec<&Field> {
        let made = self.made.borrow();
        let fields = self.fields.iter().zip(made.iter());
        fields.filter(|(_, is_made)| !**is_made).map(|(field, _)| field).collect()
    }

    /// From now on the script's table decides what this field is.
    fn make(&self, name: &str) {
        let index = self.fields.iter().position(|field| field.name == name);
        let mut made = self.made.borrow_mut();
        if let Some(made) = index.and_then(|index| made.get_mut(index)) {
            *made = true;
        }
    }
}

/// A percept that a script has reported.
#[derive(Debug)]
pub(crate) struct Reported {
    /// What the script has read or written.
    written: Vec<(Cow<'static, str>, Value)>,
    part: Rc<PerceptPart>,
}

impl Reported {
    /// The whole percept.
    pub(crate) fn into_percept(self) -> Percept {
        let Self { written, part } = self;
        let unread = part.all_unread();
        if unread.len() == part.fields.len() && written.is_empty() {
            return Percept::of_fields(Arc::clone(&part.fields));
        }
        let fields = written.into_iter().map(Field::written).chain(unread.into_iter().cloned());
        Percept::of_fields(fields.collect::<Vec<_>>())
    }
}

/// What makes percepts in a VM.
#[derive(Debug)]
pub(crate) struct PerceptTables {
    pub(crate) form: Option<PerceptForm>,
    make: Function,
}

impl PerceptTables {
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
            let Some(name) = name.as_string() else { return Ok(LuaValue::Nil) };
            let name = name.to_string_lossy();
            let value = part.unread(&name).map(|field| pushed(lua, &counted, field));
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
            for field in part.all_unread() {
                rest.raw_set(field.name.as_ref(), pushed(lua, &counted, field)?)?;
            }
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
    pub(crate) fn lazy(&self, lua: &Lua, fields: Vec<Field>) -> mlua::Result<Table> {
        let made = vec![false; fields.len()].into();
        self.table(lua, lua.create_table()?, PerceptPart { fields: fields.into(), made })
    }

    /// A percept for a world: numbers, texts and truth values at once, the others when they are
    /// read.
    pub(crate) fn filled(&self, lua: &Lua, fields: &Arc<[Field]>) -> mlua::Result<Table> {
        let limit = lua.set_memory_limit(0)?;
        let mut made = vec![false; fields.len()];
        let scalars = fields.iter().zip(&mut made).filter_map(|(field, made)| {
            let scalar = plain::scalar(field.known()?)?;
            *made = true;
            Some((field.name.as_ref(), scalar))
        });
        // The table has the right size at once if their number is known.
        let table = lua.create_table_from(scalars.collect::<Vec<_>>());
        let part = PerceptPart { fields: Arc::clone(fields), made: made.into() };
        let table = table.and_then(|table| self.table(lua, table, part));
        lua.set_memory_limit(limit)?;
        table
    }

    fn table(&self, lua: &Lua, table: Table, part: PerceptPart) -> mlua::Result<Table> {
        self.make.call((table, lua.create_userdata(Handle(Rc::new(part)))?))
    }
}

/// A field for a script that reads it.
fn pushed(lua: &Lua, steps: &Steps, field: &Field) -> mlua::Result<LuaValue> {
    charge(lua, steps, field.weight())?;
    match field.value() {
        Ok(value) => plain::push(lua, value),
        Err(problem) => Err(refuse(lua, &format!("the percept's field {}: {problem}", field.name))),
    }
}

/// The host's part of a percept; `None`: the table is no percept.
pub(crate) fn part(table: &Table) -> Option<Rc<PerceptPart>> {
    let handle: AnyUserData = table.metatable()?.raw_get(PART).ok()?;
    let handle = handle.borrow::<Handle>().ok()?;
    Some(Rc::clone(&handle.0))
}

/// A percept that a script reports. `None`: the table is no percept.
pub(crate) fn reported(table: &Table) -> Option<Result<Reported, Culprit>> {
    let part = part(table)?;
    let written = plain::read_fields(table, WHOLE);
    Some(written.map(|written| Reported { written, part }))
}

/// A percept as a value of its own. `None`: the table is no percept.
pub(crate) fn copied(table: &Table) -> Option<Result<Value, Culprit>> {
    let Reported { mut written, part } = match reported(table)? {
        Ok(reported) => reported,
        Err(culprit) => return Some(Err(culprit)),
    };
    for field in part.all_unread() {
        match field.value() {
            Ok(value) => written.push((field.name.clone(), value.clone())),
            Err(problem) => return Some(Err(Culprit::new(format!("{}: {problem}", field.name)))),
        }
    }
    // As in tables that scripts make, so that equal percepts print equally.
    written.order_by(|(a, _), (b, _)| a.cmp(b));
    Some(Ok(Value::Map(written)))
}
