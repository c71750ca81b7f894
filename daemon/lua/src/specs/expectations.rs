//! The natives behind `expect`, `describe` and `it`.

use super::compare::{self, compare, same_action, show};
use super::pretend::unknown;
use super::stage::{Failed, SpecStage, native, said};
use super::{CASES_MAX, SpecDifference};
use crate::action_value::ActionValue;
use crate::failure::{Failure, current_place, cut};
use crate::natives::{NIL, Native, NativeReply, flag, problem};
use mlua::{Lua, MultiValue, Table, Value as LuaValue};
use phalanx_game::Said;
use phalanx_game::sorted::Order;
use std::rc::Rc;

/// Longest message of an expectation, in characters.
const MESSAGE_CHARS_MAX: usize = 600;

/// Adds the natives to the layer's host table.
pub(super) fn add(stage: &Rc<SpecStage>, table: &Table) -> mlua::Result<()> {
    native(stage, table, "equal", |_, _, (expected, got): (LuaValue, LuaValue)| {
        match compare(&expected, &got) {
            Ok(found) => flag(found.count == 0),
            Err(reason) => problem(reason),
        }
    })?;
    native(stage, table, "same_action", |_, _, (a, b): (LuaValue, LuaValue)| {
        flag(same_action(&a, &b))
    })?;
    native(stage, table, "acts", acts)?;
    native(stage, table, "show", |lua, _, value: LuaValue| words(lua, &show(&value)))?;
    native(stage, table, "fail", fail)?;
    native(stage, table, "error_text", |lua, stage, raised: LuaValue| {
        let failure = Failure::from_value(&raised, stage.host.limits.message_chars);
        words(lua, &said(&failure))
    })?;
    native(stage, table, "unknown", no_such)?;
    native(stage, table, "line", |lua, _, _: MultiValue| {
        let line = current_place(lua).map_or(0, |(_, line)| line);
        Ok(NativeReply::Result(LuaValue::Number(f64::from(line))))
    })?;
    native(stage, table, "room", |lua, stage, declared: usize| {
        if declared < stage.room {
            return NIL;
        }
        words(lua, &format!("it: a strategy has at most {CASES_MAX} specs"))
    })?;
    native(stage, table, "note", |lua, stage, error: LuaValue| {
        *stage.note.borrow_mut() = current_place(lua);
        Ok(NativeReply::Result(error))
    })
}

fn words(lua: &Lua, text: &str) -> Native {
    Ok(NativeReply::Result(LuaValue::String(lua.create_string(text)?)))
}

/// An expectation failed: noted at once, so that no `pcall` hides it.
fn fail(
    lua: &Lua,
    stage: &SpecStage,
    (message, shown, expected, got): (String, bool, LuaValue, LuaValue),
) -> Native {
    let (mut diff, mut more): (Vec<SpecDifference>, usize) = (Vec::new(), 0);
    let tables = expected.is_table() && got.is_table();
    if let Ok(found) = compare(&expected, &got)
        && shown
        && tables
    {
        more = found.count - found.differences.len();
        diff = found.differences;
    }
    let message = cut(&message, MESSAGE_CHARS_MAX);
    let failed = Failed { message, place: current_place(lua), diff, more };
    stage.failure.borrow_mut().get_or_insert(failed);
    NIL
}

/// Whether the value is that action; what is wrong with the call; the expectation in words.
fn acts(lua: &Lua, stage: &SpecStage, args: MultiValue) -> mlua::Result<MultiValue> {
    use mlua::IntoLuaMulti as _;
    let mut args = args.into_iter();
    let value = args.next().unwrap_or(LuaValue::Nil);
    let name = args.next().unwrap_or(LuaValue::Nil);
    let given: Vec<LuaValue> = args.collect();
    let api = stage.host.link.api;
    let doc = name.as_string().and_then(|name| api.action(&name.to_string_lossy()));
    let Some(doc) = doc else {
        let what = unknown("action", &name, api.actions.iter().map(|action| action.name));
        return (false, format!("to_act: {what}")).into_lua_multi(lua);
    };
    let said =
        value.as_userdata().and_then(|data| Some(data.borrow::<ActionValue>().ok()?.said.clone()));
    if given.is_empty() {
        let acts = said.is_some_and(|said| said.action == doc.name);
        return (acts, LuaValue::Nil, format!("to act {}", doc.name)).into_lua_multi(lua);
    }
    match stage.host.checker().args(&format!("to_act: {}", doc.name), doc.params, &given) {
        Ok(args) => {
            let wanted = Said::new(doc.name, args);
            let words = format!("to act {}", compare::call(&wanted));
            (said == Some(wanted), LuaValue::Nil, words).into_lua_multi(lua)
        }
        Err(reason) => (false, reason).into_lua_multi(lua),
    }
}

/// The message about a name that is not there.
fn no_such(lua: &Lua, _: &SpecStage, (noun, key, names): (String, LuaValue, Table)) -> Native {
    let mut known = Vec::new();
    names.for_each(|name: LuaValue, _: LuaValue| {
        known.extend(name.as_string().map(mlua::LuaString::to_string_lossy));
        Ok(())
    })?;
    known.order();
    let what = unknown("name", &key, known.iter().map(String::as_str));
    words(lua, &format!("{noun}: {what}"))
}
