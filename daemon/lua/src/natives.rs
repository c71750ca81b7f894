//! What native functions have in common: how the prelude gets them, what they give back, and checks
//! that several of them need. Each answers (result), (nil, problem) or (nil, nil, reason), as the
//! prelude explains.

use crate::args::{number, text};
use crate::host::ScriptHost;
use crate::plain::describe;
use crate::similar;
use mlua::{Lua, MultiValue, Table, Value as LuaValue};
use phalanx_game::AgentId;
use std::rc::Rc;

/// What a native function gives back to the prelude.
#[derive(Debug)]
pub(crate) enum NativeReply {
    Result(LuaValue),
    /// A programmer's mistake: becomes an error at the script's line.
    Problem(String),
    /// An expected failure: the script gets `nil, reason`.
    Reason(String),
}

impl mlua::IntoLuaMulti for NativeReply {
    fn into_lua_multi(self, lua: &Lua) -> mlua::Result<MultiValue> {
        match self {
            Self::Result(value) => value.into_lua_multi(lua),
            Self::Problem(problem) => (LuaValue::Nil, problem).into_lua_multi(lua),
            Self::Reason(reason) => (LuaValue::Nil, LuaValue::Nil, reason).into_lua_multi(lua),
        }
    }
}

/// The result of a native: an error here is the VM's own (memory).
pub(crate) type Native = mlua::Result<NativeReply>;

pub(crate) const NIL: Native = Ok(NativeReply::Result(LuaValue::Nil));

pub(crate) fn problem(text: impl Into<String>) -> Native {
    Ok(NativeReply::Problem(text.into()))
}

pub(crate) fn flag(flag: bool) -> Native {
    Ok(NativeReply::Result(LuaValue::Boolean(flag)))
}

/// Adds a native to the prelude's host table.
pub(crate) fn native<A: mlua::FromLuaMulti>(
    lua: &Lua,
    table: &Table,
    name: &str,
    host: &Rc<ScriptHost>,
    function: impl Fn(&Lua, &ScriptHost, A) -> Native + 'static,
) -> mlua::Result<()> {
    let host = Rc::clone(host);
    table.raw_set(name, lua.create_function(move |lua, args: A| function(lua, &host, args))?)
}

/// The agent of that name, or what is wrong with the name.
pub(crate) fn find_agent(
    host: &ScriptHost,
    call: &str,
    name: &LuaValue,
) -> Result<AgentId, String> {
    let roster = host.roster();
    let known = text(name, host.limits.value)?;
    known.as_deref().and_then(|known| roster.find(known)).ok_or_else(|| {
        let names = roster.agents.iter().map(|entry| entry.name.as_str());
        let meant = similar(known.as_deref().unwrap_or(""), names);
        let hint = meant.map(|meant| format!("; did you mean {meant:?}?")).unwrap_or_default();
        format!(
            "{call}: expected the name of an agent of the own team, got {}{hint}",
            describe(name)
        )
    })
}

/// A finite number, or what is wrong with it.
pub(crate) fn finite(call: &str, value: &LuaValue) -> Result<f64, String> {
    number(value)
        .filter(|num| num.is_finite())
        .ok_or_else(|| format!("{call}: expected a finite number, got {}", describe(value)))
}
