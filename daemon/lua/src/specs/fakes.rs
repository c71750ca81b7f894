//! The natives behind `fake`: the agents that a spec lets play.

use super::compare::show;
use super::stage::{SpecStage, id, member, native, place_of};
use super::{FAKE_AGENTS_MAX, play, pretend, scene};
use crate::args::{number, text};
use crate::natives::{NIL, Native, NativeReply, problem};
use crate::plain;
use mlua::{Lua, Table, Value as LuaValue};
use std::rc::Rc;

/// Longest time that a spec may say is left.
const TIME_LEFT_MAX: f64 = 3600.0;
/// Longest name of a faked agent, in bytes.
const NAME_BYTES_MAX: usize = 100;

/// Adds the natives to the layer's host table.
pub(super) fn add(stage: &Rc<SpecStage>, table: &Table) -> mlua::Result<()> {
    table.raw_set("absent", &stage.absent)?;
    native(stage, table, "percept", pretend::percept)?;
    native(stage, table, "world", pretend::world)?;
    native(stage, table, "cast", cast)?;
    native(stage, table, "get", get)?;
    native(stage, table, "set", set)?;
    play::add(stage, table)?;
    scene::add(stage, table)
}

/// A new agent of the team.
fn cast(lua: &Lua, stage: &SpecStage, options: Table) -> Native {
    let index = stage.cast.borrow().len() + 1;
    if index > FAKE_AGENTS_MAX {
        return problem(format!("fake.agent: a spec has at most {FAKE_AGENTS_MAX} agents"));
    }
    let name = match named(stage, &options.raw_get("name")?, index) {
        Ok(name) => name,
        Err(reason) => return problem(reason),
    };
    let role: LuaValue = options.raw_get("role")?;
    let role = match known_role(stage, &role) {
        Ok(role) => role,
        Err(reason) => return problem(reason),
    };
    let data = lua.create_table()?;
    stage.join(&name, &role, data)?;
    stage.vm.set_memory(place_of(index), LuaValue::Table(lua.create_table()?))?;
    for key in ["percept", "world", "memory", "time_left"] {
        let value: LuaValue = options.raw_get(key)?;
        if key == "memory" && value.is_nil() {
            continue;
        }
        if let Err(reason) = put(lua, stage, index, key, &value)? {
            return problem(format!("fake.agent: {reason}"));
        }
    }
    Ok(NativeReply::Result(LuaValue::Number(place_of(index))))
}

fn named(stage: &SpecStage, given: &LuaValue, index: usize) -> Result<String, String> {
    let name = match given {
        LuaValue::Nil => format!("a{index}"),
        given => text(given, stage.host.limits.value)?
            .filter(|name| !name.is_empty() && name.len() <= NAME_BYTES_MAX)
            .ok_or_else(|| format!("fake.agent: name: expected a text, got {}", show(given)))?,
    };
    match stage.host.roster().find(&name) {
        None => Ok(name),
        Some(_) => Err(format!("fake.agent: there is an agent {name} already in this spec")),
    }
}

fn known_role(stage: &SpecStage, given: &LuaValue) -> Result<String, String> {
    if given.is_nil() {
        return Ok(String::new());
    }
    let role = text(given, stage.host.limits.value)?.unwrap_or_default();
    let roles = stage.host.roles.borrow();
    if roles.contains(&role) {
        return Ok(role);
    }
    Err(format!("role: {}", pretend::unknown("role", given, roles.iter().map(String::as_str))))
}

/// Sets what a spec may set of an agent.
fn put(
    lua: &Lua,
    stage: &SpecStage,
    index: usize,
    key: &str,
    value: &LuaValue,
) -> mlua::Result<Result<(), String>> {
    let Some(data) = member(stage, index).map(|member| member.data) else {
        return Ok(Err("there is no such agent in this spec".into()));
    };
    match key {
        "percept" => match pretend::filled(lua, stage, key, value)? {
            Ok(full) => data.raw_set(key, full)?,
            Err(reason) => return Ok(Err(reason)),
        },
        "world" => match pretend::answers(lua, stage, key, value)? {
            Ok(answers) => data.raw_set(key, answers)?,
            Err(reason) => return Ok(Err(reason)),
        },
        "memory" if value.is_table() => stage.vm.set_memory(place_of(index), value.clone())?,
        "memory" => return Ok(Err(format!("memory: expected a table, got {}", show(value)))),
        "time_left" => match number(value).or(value.is_nil().then_some(1.0)) {
            Some(left) if (0.0..=TIME_LEFT_MAX).contains(&left) => data.raw_set(key, left)?,
            _other => {
                let what = format!("time_left: expected seconds, got {}", show(value));
                return Ok(Err(what));
            }
        },
        _role => match known_role(stage, value) {
            Ok(role) => stage.host.link.shared.borrow_mut().set_role(id(index), &role),
            Err(reason) => return Ok(Err(reason)),
        },
    }
    Ok(Ok(()))
}

fn set(lua: &Lua, stage: &SpecStage, (index, key, value): (usize, String, LuaValue)) -> Native {
    match put(lua, stage, index, &key, &value)? {
        Ok(()) => NIL,
        Err(reason) => problem(format!("agent.{reason}")),
    }
}

fn get(lua: &Lua, stage: &SpecStage, (index, key): (usize, String)) -> Native {
    let Some(member) = member(stage, index) else {
        return problem("this agent belongs to another spec; fake it in before_each or in `it`");
    };
    let value = match key.as_str() {
        "name" => {
            let name = stage.host.roster().name(id(index)).to_owned();
            LuaValue::String(lua.create_string(name)?)
        }
        "role" => {
            let role = stage.host.link.shared.borrow().role(id(index)).to_owned();
            LuaValue::String(lua.create_string(role)?)
        }
        "memory" => stage.vm.memory(place_of(index))?,
        "log" => LuaValue::Table(lua.create_sequence_from(stage.lines_of(id(index)))?),
        "reason" => match member.reason {
            Some(reason) => {
                let table = lua.create_table()?;
                table.raw_set("text", reason.text)?;
                table.raw_set("data", plain::push(lua, &reason.data)?)?;
                LuaValue::Table(table)
            }
            None => LuaValue::Nil,
        },
        data => member.data.raw_get(data)?,
    };
    Ok(NativeReply::Result(value))
}
