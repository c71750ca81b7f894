//! Percepts that stay with the host. A script gets a table whose fields are made when it reads them,
//! so what it only passes on costs nothing.

use crate::kits::charge;
use crate::manifest::PerceptForm;
use crate::state::value_weight;
use crate::vm::Steps;
use mlua::{AnyUserData, Function, Lua, Table, UserData, Value as LuaValue};
use phalanx_game::Value;
use phalanx_luau::plain::{self, Culprit, PlainLimits};
use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// Where the metatable of a percept keeps the host's part of it.
const PART: &str = "part";

/// What the host has of a percept: a map of its fields.
pub(crate) struct Part {
    whole: Arc<Value>,
    /// By field: whether the script's table decides what it is. It was read, or the script could
    /// read it from the start.
    made: RefCell<Vec<bool>>,
}

impl UserData for Part {}

impl Part {
    fn fields(&self) -> &[(Cow<'static, str>, Value)] {
        if let Value::Map(pairs) = self.whole.as_ref() { pairs } else { &[] }
    }

    /// A field that the table does not have yet, which it gets now.
    fn make(&self, name: &str) -> Option<&Value> {
        let index = self.fields().iter().position(|(known, _)| known == name)?;
        let mut made = self.made.borrow_mut();
        let is_made = made.get_mut(index)?;
        if std::mem::replace(is_made, true) {
            return None;
        }
        self.fields().get(index).map(|(_, value)| value)
    }

    /// The fields that only the host has.
    fn unread(&self) -> Vec<&(Cow<'static, str>, Value)> {
        let made = self.made.borrow();
        let fields = self.fields().iter().zip(made.iter());
        fields.filter(|(_, is_made)| !**is_made).map(|(field, _)| field).collect()
    }

    /// A field that the script has neither read nor written.
    pub(crate) fn untouched(&self, table: &Table, name: &str) -> Option<&Value> {
        let index = self.fields().iter().position(|(known, _)| known == name)?;
        let is_made = self.made.borrow().get(index).copied().unwrap_or(true);
        let is_written = table.raw_get::<LuaValue>(name).is_ok_and(|value| !value.is_nil());
        let (_, value) = self.fields().get(index)?;
        (!is_made && !is_written).then_some(value)
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
        let read = move |lua: &Lua, (part, name): (AnyUserData, LuaValue)| {
            let part = part.borrow::<Part>()?;
            let name = name.as_string().map(mlua::LuaString::to_string_lossy);
            let Some(value) = name.and_then(|name| part.make(&name)) else {
                return Ok(LuaValue::Nil);
            };
            charge(lua, &counted, value_weight(value))?;
            plain::push(lua, value)
        };
        let names = |lua: &Lua, part: AnyUserData| {
            let part = part.borrow::<Part>()?;
            let unread = part.unread().into_iter().map(|(name, _)| name.as_ref());
            lua.create_sequence_from(unread)
        };
        let natives = (lua.create_function(read)?, lua.create_function(names)?);
        Ok(Self { form, make: prelude.call((natives.0, natives.1, plain::PERCEPT_TYPE))? })
    }

    /// A percept for a session: each field when it is read.
    pub(crate) fn lazy(&self, lua: &Lua, whole: Value) -> mlua::Result<Table> {
        let whole = Arc::new(whole);
        self.table(lua, whole, &[])
    }

    /// A percept for a world: numbers, texts and truth values at once, the others when they are
    /// read.
    pub(crate) fn filled(&self, lua: &Lua, whole: &Arc<Value>) -> mlua::Result<Table> {
        let Value::Map(fields) = whole.as_ref() else { return self.table(lua, Arc::clone(whole), &[]) };
        self.table(lua, Arc::clone(whole), fields)
    }

    fn table(
        &self,
        lua: &Lua,
        whole: Arc<Value>,
        fields: &[(Cow<'static, str>, Value)],
    ) -> mlua::Result<Table> {
        let limit = lua.set_memory_limit(0)?;
        let made = self.made(lua, whole, fields);
        lua.set_memory_limit(limit)?;
        made
    }

    fn made(
        &self,
        lua: &Lua,
        whole: Arc<Value>,
        fields: &[(Cow<'static, str>, Value)],
    ) -> mlua::Result<Table> {
        let count = if let Value::Map(pairs) = whole.as_ref() { pairs.len() } else { 0 };
        let mut made = vec![false; count];
        let scalars = fields.iter().zip(&mut made).filter_map(|((name, value), made)| {
            let scalar = plain::scalar(value)?;
            *made = true;
            Some((name.as_ref(), scalar))
        });
        let table = lua.create_table_from(scalars)?;
        let part = lua.create_userdata(Part { whole, made: RefCell::new(made) })?;
        self.make.call((table, part))
    }
}

/// Does something with the host's part of a percept; `None`: the table is no percept.
pub(crate) fn with_part<T>(table: &Table, work: impl FnOnce(&Part) -> T) -> Option<T> {
    let part: AnyUserData = table.metatable()?.raw_get(PART).ok()?;
    let part = part.borrow::<Part>().ok()?;
    Some(work(&part))
}

/// The percept that a script reports: what it read or wrote, and the rest as the host has it.
/// `None`: the table is no percept.
pub(crate) fn resolve(table: &Table, limits: PlainLimits) -> Option<Result<Value, Culprit>> {
    with_part(table, |part| {
        let mut fields = plain::read_fields(table, limits)?;
        let written = fields.len();
        for (name, value) in part.unread() {
            // The script may have written a field that it did not read.
            let is_written = fields.iter().take(written).any(|(known, _)| known == name);
            if !is_written {
                fields.push((name.clone(), value.clone()));
            }
        }
        // As tables that scripts make, so that equal percepts print equally.
        fields.sort_by(|(a, _), (b, _)| a.cmp(b));
        Ok(Value::Map(fields))
    })
}
