//! Everything that the prelude and the library of scripts get from the host.

use crate::args::too_many;
use crate::failure::current_place;
use crate::host::ScriptHost;
use crate::host_api::most;
use crate::natives::{Native, NativeReply, native};
use crate::plain::describe;
use crate::similar;
use crate::{explain, param, team_natives, world_natives};
use mlua::{Lua, Table, Value as LuaValue};
use phalanx_game::sorted::Order;
use std::rc::Rc;

/// Everything the prelude gets from the host.
pub(crate) fn table(lua: &Lua, host: &Rc<ScriptHost>) -> mlua::Result<Table> {
    let table = lua.create_table()?;
    world_natives::add(lua, &table, host)?;
    native(lua, &table, "unknown", host, unknown)?;
    table.raw_set("most", lua.create_table_from(most())?)?;
    native(lua, &table, "too_many", host, surplus)?;
    native(lua, &table, "note", host, |lua, host, error: LuaValue| {
        *host.place.borrow_mut() = current_place(lua);
        Ok(NativeReply::Result(error))
    })?;
    team_natives::add(lua, &table, host)?;
    explain::add(lua, &table, host)?;
    param::add(lua, &table, host)?;
    Ok(table)
}

/// The message about surplus arguments.
fn surplus(
    lua: &Lua,
    _: &ScriptHost,
    (call, most, given, first): (String, usize, usize, LuaValue),
) -> Native {
    let text = too_many(&call, most, given, Some(&first));
    Ok(NativeReply::Result(LuaValue::String(lua.create_string(text)?)))
}

/// The message about a misspelt name in one of the host's tables.
fn unknown(
    lua: &Lua,
    _: &ScriptHost,
    (noun, what, key, mut names): (String, String, LuaValue, Vec<String>),
) -> Native {
    names.order();
    let name = match &key {
        LuaValue::String(name) => phalanx_game::excerpt(&name.as_bytes()),
        other => describe(other),
    };
    let meant = similar(&name, names.iter().map(String::as_str));
    let hint = meant.map(|meant| format!("; did you mean '{meant}'?")).unwrap_or_default();
    let text = format!("{noun}.{name}: there is no such {what}{hint}");
    Ok(NativeReply::Result(LuaValue::String(lua.create_string(text)?)))
}
