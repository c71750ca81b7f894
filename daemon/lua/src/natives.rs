//! The functions that scripts reach through the prelude: actions, queries, percepts, randomness.
//! Each answers (result), (nil, problem) or (nil, nil, reason), as the prelude explains.

use crate::args::{number, text, too_many, whole};
use crate::failure::calling_line;
use crate::host::Host;
use crate::plain::{self, describe};
use crate::similar;
use crate::{explain, pace, param, team_natives};
use memchr::memmem;
use mlua::{
    AnyUserData, Function, Lua, LuaString, MultiValue, Table, UserData, UserDataMethods,
    Value as LuaValue,
};
use phalanx_game::{ActionDoc, AgentId, QueryDoc, Said};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::Arc;

/// What an action constructor returns: opaque to scripts.
#[derive(Clone, Debug)]
pub(crate) struct Action {
    pub(crate) said: Said,
    /// Where it was made.
    pub(crate) place: Option<(Arc<str>, u32)>,
}

impl UserData for Action {
    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        methods.add_meta_method("__tostring", |_, this, ()| Ok(this.said.to_string()));
    }
}

/// What a native function gives back to the prelude.
#[derive(Debug)]
pub(crate) enum Reply {
    Result(LuaValue),
    /// A programmer's mistake: becomes an error at the script's line.
    Problem(String),
    /// An expected failure: the script gets `nil, reason`.
    Reason(String),
}

impl mlua::IntoLuaMulti for Reply {
    fn into_lua_multi(self, lua: &Lua) -> mlua::Result<MultiValue> {
        match self {
            Self::Result(value) => value.into_lua_multi(lua),
            Self::Problem(problem) => (LuaValue::Nil, problem).into_lua_multi(lua),
            Self::Reason(reason) => (LuaValue::Nil, LuaValue::Nil, reason).into_lua_multi(lua),
        }
    }
}

/// The result of a native: an error here is the VM's own (memory).
pub(crate) type Native = mlua::Result<Reply>;

pub(crate) const NIL: Native = Ok(Reply::Result(LuaValue::Nil));

pub(crate) fn problem(text: impl Into<String>) -> Native {
    Ok(Reply::Problem(text.into()))
}

pub(crate) fn flag(flag: bool) -> Native {
    Ok(Reply::Result(LuaValue::Boolean(flag)))
}

/// Adds a native to the prelude's host table.
pub(crate) fn native<A: mlua::FromLuaMulti>(
    lua: &Lua,
    table: &Table,
    name: &str,
    host: &Rc<Host>,
    function: impl Fn(&Lua, &Host, A) -> Native + 'static,
) -> mlua::Result<()> {
    let host = Rc::clone(host);
    table.raw_set(name, lua.create_function(move |lua, args: A| function(lua, &host, args))?)
}

/// What Luau's own library gets from the host, so that it stays within its bounds.
pub(crate) fn library(lua: &Lua) -> mlua::Result<Table> {
    let table = lua.create_table()?;
    table.raw_set("find_plain", lua.create_function(find_plain)?)?;
    let is_native = |_: &Lua, function: Function| Ok(function.info().what == "C");
    table.raw_set("is_native", lua.create_function(is_native)?)?;
    Ok(table)
}

/// A plain search goes on after a pause when it has looked at so many bytes; no longer text is
/// searched for.
const SEARCH_BYTES_MAX: usize = 1 << 20;

/// `string.find` for plain text: the VM's own takes the product of both lengths, this one their sum.
fn find_plain(
    lua: &Lua,
    (text, wanted, init, _plain): (LuaString, LuaString, Option<f64>, LuaValue),
) -> mlua::Result<(Option<f64>, Option<f64>)> {
    let (text, wanted) = (text.as_bytes(), wanted.as_bytes());
    let length = i64::try_from(text.len()).unwrap_or(i64::MAX);
    #[expect(clippy::cast_possible_truncation, reason = "a cast saturates, and NaN is the start")]
    let init = init.map_or(1, |init| init as i64);
    let init = if init < 0 { init.saturating_add(length).saturating_add(1) } else { init };
    let skipped = usize::try_from(init.saturating_sub(1)).unwrap_or(0);
    if wanted.len() > SEARCH_BYTES_MAX {
        return Err(mlua::Error::runtime(format!(
            "string.find: the text to find has {} bytes, at most {SEARCH_BYTES_MAX}",
            wanted.len()
        )));
    }
    let finder = memmem::Finder::new(&wanted[..]);
    let mut found = None;
    let mut from = skipped;
    // Each piece reaches as far into the next one as a text that begins in it can.
    while let Some(rest) = text.get(from..).filter(|rest| rest.len() >= wanted.len()) {
        let piece = rest.get(..SEARCH_BYTES_MAX + wanted.len()).unwrap_or(rest);
        found = finder.find(piece).map(|at| from + at);
        if found.is_some() || piece.len() == rest.len() {
            break;
        }
        from += SEARCH_BYTES_MAX;
        pace::pause(lua)?;
    }
    #[expect(clippy::cast_precision_loss, reason = "no text is that long")]
    let place = |at: usize| (Some((at + 1) as f64), Some((at + wanted.len()) as f64));
    Ok(found.map_or((None, None), place))
}

/// Everything the prelude gets from the host.
pub(crate) fn table(lua: &Lua, host: &Rc<Host>) -> mlua::Result<Table> {
    let table = lua.create_table()?;
    let api = host.link.api;
    let actions = lua.create_table()?;
    for doc in api.actions {
        let call = format!("act.{}", doc.name);
        native(lua, &actions, doc.name, host, move |lua, host, given: MultiValue| {
            action(lua, host, doc, &call, given)
        })?;
    }
    table.raw_set("actions", actions)?;
    let queries = lua.create_table()?;
    for doc in api.queries {
        let call = format!("world.{}", doc.name);
        native(lua, &queries, doc.name, host, move |lua, host, given: MultiValue| {
            query(lua, host, doc, &call, given)
        })?;
    }
    table.raw_set("queries", queries)?;
    table.raw_set(
        "names",
        host.roster().agents.iter().map(|entry| entry.name.clone()).collect::<Vec<_>>(),
    )?;
    table.raw_set("fields", api.percept.iter().map(|field| field.name).collect::<Vec<_>>())?;
    native(lua, &table, "field", host, field)?;
    native(
        lua,
        &table,
        "agent",
        host,
        |_, host, (name, call): (LuaValue, String)| match find_agent(host, &call, &name) {
            Ok(agent) => Ok(Reply::Result(index_of(agent))),
            Err(reason) => problem(reason),
        },
    )?;
    native(lua, &table, "time_left", host, |_, host, _: MultiValue| {
        Ok(Reply::Result(LuaValue::Number(host.time_left())))
    })?;
    native(lua, &table, "random_float", host, |_, host, _: MultiValue| {
        Ok(Reply::Result(LuaValue::Number(host.roll(crate::dice::Dice::float))))
    })?;
    native(lua, &table, "random_int", host, random_int)?;
    native(lua, &table, "unknown", host, unknown)?;
    table.raw_set("most", lua.create_table_from(crate::host_api::most())?)?;
    native(lua, &table, "too_many", host, surplus)?;
    native(lua, &table, "note", host, |lua, host, error: LuaValue| {
        *host.place.borrow_mut() = crate::failure::current_place(lua);
        Ok(Reply::Result(error))
    })?;
    team_natives::add(lua, &table, host)?;
    explain::add(lua, &table, host)?;
    param::add(lua, &table, host)?;
    Ok(table)
}

/// The message about surplus arguments.
fn surplus(
    lua: &Lua,
    _: &Host,
    (call, most, given, first): (String, usize, usize, LuaValue),
) -> Native {
    let text = too_many(&call, most, given, Some(&first));
    Ok(Reply::Result(LuaValue::String(lua.create_string(text)?)))
}

/// The message about a misspelt name in one of the host's tables.
fn unknown(
    lua: &Lua,
    _: &Host,
    (noun, what, key, mut names): (String, String, LuaValue, Vec<String>),
) -> Native {
    names.sort_unstable();
    let name = match &key {
        LuaValue::String(name) => phalanx_game::excerpt(&name.as_bytes()),
        other => describe(other),
    };
    let meant = similar(&name, names.iter().map(String::as_str));
    let hint = meant.map(|meant| format!("; did you mean '{meant}'?")).unwrap_or_default();
    let text = format!("{noun}.{name}: there is no such {what}{hint}");
    Ok(Reply::Result(LuaValue::String(lua.create_string(text)?)))
}

/// The agent of that name, or what is wrong with the name.
pub(crate) fn find_agent(host: &Host, call: &str, name: &LuaValue) -> Result<AgentId, String> {
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

/// The prelude's index of an agent, from 1.
pub(crate) fn index_of(agent: AgentId) -> LuaValue {
    LuaValue::Number(f64::from(agent.0) + 1.0)
}

/// The agent of the prelude's index.
fn agent_at(index: &LuaValue) -> Option<AgentId> {
    let index = whole(index)?.checked_sub(1)?;
    u16::try_from(index).ok().map(AgentId)
}

fn action(
    lua: &Lua,
    host: &Host,
    doc: &'static ActionDoc,
    call: &str,
    given: MultiValue,
) -> Native {
    let given = given.into_vec();
    match host.checker().args(call, doc.params, &given) {
        Ok(args) => {
            let place = calling_line(lua, |file, line| (host.file(file), line));
            let said = Said::new(doc.name, args);
            let action: AnyUserData = lua.create_userdata(Action { said, place })?;
            Ok(Reply::Result(LuaValue::UserData(action)))
        }
        Err(reason) => problem(reason),
    }
}

/// The first argument is the prelude's index of the agent, or nil for the one who decides.
fn query(lua: &Lua, host: &Host, doc: &'static QueryDoc, call: &str, given: MultiValue) -> Native {
    let mut given = given.into_vec();
    let agent = match given.first() {
        None | Some(LuaValue::Nil) => host.call().agent,
        Some(index) => agent_at(index),
    };
    if !given.is_empty() {
        given.remove(0);
    }
    let Some(agent) = agent else {
        return problem(format!(
            "{call}: there is no agent here; use world.of(name).{}(…)",
            doc.name
        ));
    };
    let args = match host.checker().args(call, doc.params, &given) {
        Ok(args) => args,
        Err(reason) => return problem(reason),
    };
    match unpanicked(|| host.link.oracle.query(agent, doc.name, &args)) {
        Ok(Ok(answer)) => Ok(Reply::Result(plain::push(lua, &answer)?)),
        Ok(Err(error)) => problem(error.to_string()),
        Err(panic) => problem(format!("{call}: {panic}")),
    }
}

fn field(lua: &Lua, host: &Host, (index, name): (LuaValue, LuaValue)) -> Native {
    let Some(agent) = agent_at(&index) else { return NIL };
    let name = match &name {
        LuaValue::String(name) => name.as_bytes(),
        other => return problem(format!("percept: a field has a name, got {}", describe(other))),
    };
    let known = host.link.api.percept.iter().find(|field| field.name.as_bytes() == &name[..]);
    let Some(doc) = known else {
        let name = phalanx_game::excerpt(&name);
        let meant = similar(&name, host.link.api.percept.iter().map(|field| field.name));
        let hint = meant.map(|meant| format!("; did you mean '{meant}'?")).unwrap_or_default();
        return problem(format!("percept: there is no field '{name}'{hint}"));
    };
    match unpanicked(|| host.link.oracle.field(agent, doc.name)) {
        Ok(Some(value)) => Ok(Reply::Result(plain::push(lua, &value)?)),
        Ok(None) => NIL,
        Err(panic) => problem(format!("percept.{}: {panic}", doc.name)),
    }
}

/// Runs a read of the world; a panic in it costs this one decision. The world is only read, so
/// that nothing half-changed is left behind.
fn unpanicked<T>(read: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(read)).map_err(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        format!("the world panicked: {}", text.as_deref().unwrap_or("for no reason given"))
    })
}

fn random_int(_: &Lua, host: &Host, (low, high): (LuaValue, LuaValue)) -> Native {
    match (whole(&low), whole(&high)) {
        (Some(low), Some(high)) if low <= high => {
            #[expect(clippy::cast_precision_loss, reason = "whole numbers of scripts are doubles")]
            let drawn = host.roll(|dice| dice.int(low, high)) as f64;
            Ok(Reply::Result(LuaValue::Number(drawn)))
        }
        _other => problem(format!(
            "random: expected two whole numbers in ascending order, got {} and {}",
            describe(&low),
            describe(&high)
        )),
    }
}

/// A finite number, or what is wrong with it.
pub(crate) fn finite(call: &str, value: &LuaValue) -> Result<f64, String> {
    number(value)
        .filter(|num| num.is_finite())
        .ok_or_else(|| format!("{call}: expected a finite number, got {}", describe(value)))
}
