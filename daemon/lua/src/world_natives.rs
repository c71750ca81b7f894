//! The native functions behind `act`, `world` and `percept`, and those for time and randomness.

use crate::action_value::ActionValue;
use crate::args::whole;
use crate::dice::ScriptRng;
use crate::failure::calling_line;
use crate::host::ScriptHost;
use crate::natives::{NIL, Native, NativeReply, find_agent, native, problem};
use crate::plain::{self, describe};
use crate::similar;
use mlua::{AnyUserData, Lua, MultiValue, Table, Value as LuaValue};
use phalanx_game::{ActionDoc, AgentId, QueryDoc, Said};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

/// Adds them to the prelude's host table.
pub(crate) fn add(lua: &Lua, table: &Table, host: &Rc<ScriptHost>) -> mlua::Result<()> {
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
    native(lua, table, "field", host, field)?;
    native(
        lua,
        table,
        "agent",
        host,
        |_, host, (name, call): (LuaValue, String)| match find_agent(host, &call, &name) {
            Ok(agent) => Ok(NativeReply::Result(index_of(agent))),
            Err(reason) => problem(reason),
        },
    )?;
    native(lua, table, "time_left", host, |_, host, _: MultiValue| {
        Ok(NativeReply::Result(LuaValue::Number(host.time_left())))
    })?;
    native(lua, table, "random_float", host, |_, host, _: MultiValue| {
        Ok(NativeReply::Result(LuaValue::Number(host.roll(ScriptRng::float))))
    })?;
    native(lua, table, "random_int", host, random_int)?;
    Ok(())
}

/// The prelude's index of an agent, from 1.
fn index_of(agent: AgentId) -> LuaValue {
    LuaValue::Number(f64::from(agent.0) + 1.0)
}

/// The agent of the prelude's index.
fn agent_at(index: &LuaValue) -> Option<AgentId> {
    let index = whole(index)?.checked_sub(1)?;
    u16::try_from(index).ok().map(AgentId)
}

fn action(
    lua: &Lua,
    host: &ScriptHost,
    doc: &'static ActionDoc,
    call: &str,
    given: MultiValue,
) -> Native {
    let given = given.into_vec();
    match host.checker().args(call, doc.params, &given) {
        Ok(args) => {
            let place = calling_line(lua, |file, line| (host.file(file), line));
            let said = Said::new(doc.name, args);
            let action: AnyUserData = lua.create_userdata(ActionValue { said, place })?;
            Ok(NativeReply::Result(LuaValue::UserData(action)))
        }
        Err(reason) => problem(reason),
    }
}

/// The first argument is the prelude's index of the agent, or nil for the one who decides.
fn query(
    lua: &Lua,
    host: &ScriptHost,
    doc: &'static QueryDoc,
    call: &str,
    given: MultiValue,
) -> Native {
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
        Ok(Ok(answer)) => Ok(NativeReply::Result(plain::push(lua, &answer)?)),
        Ok(Err(error)) => problem(error.to_string()),
        Err(panic) => problem(format!("{call}: {panic}")),
    }
}

fn field(lua: &Lua, host: &ScriptHost, (index, name): (LuaValue, LuaValue)) -> Native {
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
        Ok(Some(value)) => Ok(NativeReply::Result(plain::push(lua, &value)?)),
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

fn random_int(_: &Lua, host: &ScriptHost, (low, high): (LuaValue, LuaValue)) -> Native {
    match (whole(&low), whole(&high)) {
        (Some(low), Some(high)) if low <= high => {
            #[expect(clippy::cast_precision_loss, reason = "whole numbers of scripts are doubles")]
            let drawn = host.roll(|dice| dice.int(low, high)) as f64;
            Ok(NativeReply::Result(LuaValue::Number(drawn)))
        }
        _other => problem(format!(
            "random: expected two whole numbers in ascending order, got {} and {}",
            describe(&low),
            describe(&high)
        )),
    }
}
