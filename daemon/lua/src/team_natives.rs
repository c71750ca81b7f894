//! The native functions behind `board`, `team`, `log`, `metric` and `draw`.

use crate::args::{number, text, whole};
use crate::assign;
use crate::host::ScriptHost;
use crate::natives::{NIL, Native, NativeReply, find_agent, finite, flag, native, problem};
use crate::pace::Pace;
use crate::param::known_keys;
use crate::plain::{self, describe};
use crate::similar;
use mlua::{Lua, MultiValue, Table, Value as LuaValue};
use phalanx_engine::{
    BoardError, DebugMark, LOG_CHARS_MAX, LOG_LINES_MAX, Letter, LogLevel, LookKind,
};
use phalanx_game::{AgentId, Value};
use std::rc::Rc;

/// Most arguments of a debug mark.
const MARK_ARGS_MAX: usize = 8;

/// Adds them to the prelude's host table.
pub(crate) fn add(lua: &Lua, table: &Table, host: &Rc<ScriptHost>) -> mlua::Result<()> {
    native(lua, table, "board_get", host, board_get)?;
    native(lua, table, "board_set", host, board_set)?;
    native(lua, table, "board_add", host, board_add)?;
    native(lua, table, "board_each", host, board_each)?;
    native(lua, table, "board_claim", host, board_claim)?;
    native(lua, table, "board_release", host, board_release)?;
    native(lua, table, "board_holder", host, board_holder)?;
    native(lua, table, "all_agents", host, |lua, host, _: MultiValue| {
        let present: Vec<_> = host.roster().present().collect();
        agents(lua, host, present.into_iter())
    })?;
    native(lua, table, "agents", host, |lua, host, _: MultiValue| {
        agents(lua, host, host.present.borrow().iter().copied())
    })?;
    native(lua, table, "send", host, send)?;
    native(lua, table, "inbox", host, inbox)?;
    native(lua, table, "role", host, role)?;
    native(lua, table, "set_role", host, set_role)?;
    native(lua, table, "assign", host, |lua, _, costs| assigned(lua, costs))?;
    native(lua, table, "log", host, log)?;
    native(lua, table, "metric", host, metric)?;
    native(lua, table, "draw", host, draw)?;
    Ok(())
}

fn key(call: &str, host: &ScriptHost, key: &LuaValue) -> Result<String, String> {
    match text(key, host.limits.value) {
        Ok(Some(key)) => Ok(key),
        Ok(None) => Err(format!("{call}: expected a text as key, got {}", describe(key))),
        Err(reason) => Err(format!("{call}: {reason}")),
    }
}

/// `{ turns = n }`, or nil for ever.
fn turns(call: &str, options: &LuaValue) -> Result<Option<u64>, String> {
    let table = match options {
        LuaValue::Nil => return Ok(None),
        LuaValue::Table(table) => table,
        other => return Err(format!("{call}: expected {{ turns = n }}, got {}", describe(other))),
    };
    known_keys(table, &["turns"]).map_err(|problem| format!("{call}: {problem}"))?;
    let turns: LuaValue = table.raw_get("turns").unwrap_or(LuaValue::Nil);
    let count =
        whole(&turns).and_then(|turns| u64::try_from(turns).ok()).filter(|turns| *turns > 0);
    match (count, &turns) {
        (None, LuaValue::Nil) => Ok(None),
        (None, other) => {
            Err(format!("{call}: turns: expected a whole number from 1, got {}", describe(other)))
        }
        (count, _) => Ok(count),
    }
}

fn written(result: Result<(), BoardError>) -> Native {
    match result {
        Ok(()) => flag(true),
        Err(error) => Ok(NativeReply::Reason(error.to_string())),
    }
}

fn board_get(lua: &Lua, host: &ScriptHost, name: LuaValue) -> Native {
    let name = match key("board.get", host, &name) {
        Ok(name) => name,
        Err(reason) => return problem(reason),
    };
    // Cloned, since the conversion may run the collector and nothing may be borrowed then.
    let value = host.link.shared.borrow().board.get(&name).cloned();
    let got = match &value {
        Some(value) => plain::push(lua, value)?,
        None => LuaValue::Nil,
    };
    host.looked(LookKind::Value, name, value.unwrap_or_default());
    Ok(NativeReply::Result(got))
}

fn board_set(
    _: &Lua,
    host: &ScriptHost,
    (name, value, options): (LuaValue, LuaValue, LuaValue),
) -> Native {
    let call = "board.set";
    let read = key(call, host, &name).and_then(|name| {
        let value = plain::read_value(&value, host.limits.value)
            .map_err(|culprit| format!("{call}: {culprit}"))?;
        Ok((name, value, turns(call, &options)?))
    });
    match read {
        Ok((name, value, turns)) => {
            written(host.link.shared.borrow_mut().board.set(&name, value, &host.author(), turns))
        }
        Err(reason) => problem(reason),
    }
}

fn board_add(_: &Lua, host: &ScriptHost, (name, amount): (LuaValue, LuaValue)) -> Native {
    let call = "board.add";
    let read = key(call, host, &name).and_then(|name| {
        let amount = finite(call, &amount)?;
        let shared = host.link.shared.borrow();
        match shared.board.get(&name).map(|value| (value, value.as_num())) {
            Some((_, None)) => Err(format!("{call}: {name:?} holds no number")),
            Some((_, Some(old))) if !(old + amount).is_finite() => {
                Err(format!("{call}: {name:?} holds {old}; with {amount} more it is infinite"))
            }
            Some((_, Some(_))) | None => Ok((name, amount)),
        }
    });
    match read {
        Ok((name, amount)) => {
            let sum = host.link.shared.borrow_mut().board.add(&name, amount, &host.author());
            match sum {
                Ok(sum) => Ok(NativeReply::Result(LuaValue::Number(sum))),
                Err(error) => Ok(NativeReply::Reason(error.to_string())),
            }
        }
        Err(reason) => problem(reason),
    }
}

fn board_each(lua: &Lua, host: &ScriptHost, prefix: LuaValue) -> Native {
    let prefix = match &prefix {
        LuaValue::Nil => Ok(String::new()),
        prefix => key("board.each", host, prefix),
    };
    let prefix = match prefix {
        Ok(prefix) => prefix,
        Err(reason) => return problem(reason),
    };
    let keys: Vec<String> = {
        let shared = host.link.shared.borrow();
        shared.board.each(&prefix).map(|(key, _)| key.to_owned()).collect()
    };
    // One value at a time: a full board is far larger than what a VM may hold.
    let list = lua.create_table_with_capacity(keys.len(), 0)?;
    let mut pace = Pace::default();
    for key in keys {
        let Some(entry) = host.link.shared.borrow().board.entry(&key).cloned() else { continue };
        let item = lua.create_table_with_capacity(0, 3)?;
        item.raw_set("key", key.as_str())?;
        item.raw_set("value", plain::push_paced(lua, &entry.value, &mut pace)?)?;
        host.looked(LookKind::Value, key, entry.value);
        item.raw_set("author", entry.author)?;
        list.raw_push(item)?;
    }
    Ok(NativeReply::Result(LuaValue::Table(list)))
}

fn board_claim(_: &Lua, host: &ScriptHost, (name, options): (LuaValue, LuaValue)) -> Native {
    let call = "board.claim";
    let read = key(call, host, &name).and_then(|name| Ok((name, turns(call, &options)?)));
    match read {
        Ok((name, turns)) => {
            let claimed = host.link.shared.borrow_mut().board.claim(&name, &host.author(), turns);
            match claimed {
                Ok(claimed) => {
                    host.looked(LookKind::Claim, name, Value::Bool(claimed));
                    flag(claimed)
                }
                Err(error) => Ok(NativeReply::Reason(error.to_string())),
            }
        }
        Err(reason) => problem(reason),
    }
}

fn board_release(_: &Lua, host: &ScriptHost, name: LuaValue) -> Native {
    match key("board.release", host, &name) {
        Ok(name) => flag(host.link.shared.borrow_mut().board.release(&name, &host.author())),
        Err(reason) => problem(reason),
    }
}

fn board_holder(lua: &Lua, host: &ScriptHost, name: LuaValue) -> Native {
    match key("board.holder", host, &name) {
        Ok(name) => {
            let holder = host.link.shared.borrow().board.holder(&name).map(str::to_owned);
            let got = match &holder {
                Some(holder) => LuaValue::String(lua.create_string(holder)?),
                None => LuaValue::Nil,
            };
            host.looked(LookKind::Holder, name, Value::from(holder));
            Ok(NativeReply::Result(got))
        }
        Err(reason) => problem(reason),
    }
}

fn agents(lua: &Lua, host: &ScriptHost, ids: impl Iterator<Item = AgentId>) -> Native {
    let list = lua.create_table()?;
    for id in ids {
        let entry = lua.create_table_with_capacity(0, 2)?;
        let name = host.roster().name(id).to_owned();
        entry.raw_set("name", name)?;
        let role = host.link.shared.borrow().role(id).to_owned();
        entry.raw_set("role", role)?;
        list.raw_push(entry)?;
    }
    Ok(NativeReply::Result(LuaValue::Table(list)))
}

fn send(_: &Lua, host: &ScriptHost, (name, body): (LuaValue, LuaValue)) -> Native {
    let read = find_agent(host, "team.send", &name).and_then(|to| {
        let body = plain::read_value(&body, host.limits.value)
            .map_err(|culprit| format!("team.send: {culprit}"))?;
        Ok((to, Letter { from: host.author().to_owned(), body }))
    });
    match read {
        Ok((to, _)) if !host.roster().is_present(to) => Ok(NativeReply::Reason(format!(
            "{} is not of the team any more",
            host.roster().name(to)
        ))),
        Ok((to, letter)) => {
            if host.link.shared.borrow_mut().send(to, letter) {
                return flag(true);
            }
            Ok(NativeReply::Reason("too many letters were sent in this turn".into()))
        }
        Err(reason) => problem(reason),
    }
}

fn inbox(lua: &Lua, host: &ScriptHost, _: MultiValue) -> Native {
    let Some(agent) = host.call().agent else {
        return problem("team.inbox: there is no agent here; letters are read in decide");
    };
    let letters = host.link.shared.borrow_mut().take_inbox(agent);
    let list = lua.create_table_with_capacity(letters.len(), 0)?;
    let mut pace = Pace::default();
    for letter in letters {
        let entry = lua.create_table_with_capacity(0, 2)?;
        entry.raw_set("from", letter.from)?;
        entry.raw_set("body", plain::push_paced(lua, &letter.body, &mut pace)?)?;
        list.raw_push(entry)?;
    }
    Ok(NativeReply::Result(LuaValue::Table(list)))
}

fn role(lua: &Lua, host: &ScriptHost, name: LuaValue) -> Native {
    match find_agent(host, "team.role", &name) {
        Ok(agent) => {
            let role = host.link.shared.borrow().role(agent).to_owned();
            Ok(NativeReply::Result(LuaValue::String(lua.create_string(role)?)))
        }
        Err(reason) => problem(reason),
    }
}

fn set_role(_: &Lua, host: &ScriptHost, (name, role): (LuaValue, LuaValue)) -> Native {
    let call = "team.set_role";
    let read = find_agent(host, call, &name).and_then(|agent| {
        let wanted = text(&role, host.limits.value)?.unwrap_or_default();
        let roles = host.roles.borrow();
        if roles.contains(&wanted) {
            return Ok((agent, wanted));
        }
        let names: Vec<_> = roles.iter().map(String::as_str).collect();
        let meant = similar(&wanted, names.iter().copied());
        let hint = meant.map(|meant| format!("; did you mean {meant:?}?")).unwrap_or_default();
        let known = names.join(", ");
        Err(format!("{call}: there is no role {}; there are {known}{hint}", describe(&role)))
    });
    match read {
        Ok((agent, role)) => {
            host.link.shared.borrow_mut().set_role(agent, &role);
            NIL
        }
        Err(reason) => problem(reason),
    }
}

fn assigned(lua: &Lua, costs: LuaValue) -> Native {
    let costs = match matrix(&costs) {
        Ok(costs) => costs,
        Err(reason) => return problem(format!("team.assign: {reason}")),
    };
    let chosen = assign::assign(&costs);
    let list = lua.create_table_with_capacity(chosen.len(), 0)?;
    for (row, column) in chosen.into_iter().enumerate() {
        if let Some(column) = column {
            list.raw_set(row + 1, column + 1)?;
        }
    }
    Ok(NativeReply::Result(LuaValue::Table(list)))
}

fn matrix(costs: &LuaValue) -> Result<Vec<Vec<f64>>, String> {
    let expected = "expected a list of rows, each a list of as many costs";
    let rows = costs.as_table().ok_or_else(|| format!("{expected}, got {}", describe(costs)))?;
    let count = rows.raw_len();
    let side = assign::SIDE_MAX;
    if count > side {
        return Err(format!("takes at most {side} rows, got {count}"));
    }
    let mut matrix: Vec<Vec<f64>> = Vec::with_capacity(count);
    for row in 1..=count {
        let line: LuaValue = rows.raw_get(row).map_err(|error| error.to_string())?;
        let line = line
            .as_table()
            .ok_or_else(|| format!("{expected}; row {row} is {}", describe(&line)))?;
        let width = line.raw_len();
        if width > side {
            return Err(format!("takes at most {side} columns, row {row} has {width}"));
        }
        if matrix.first().is_some_and(|first| first.len() != width) {
            return Err(format!("{expected}; row {row} has another length than row 1"));
        }
        let mut costs = Vec::with_capacity(width);
        for column in 1..=width {
            let cost: LuaValue = line.raw_get(column).map_err(|error| error.to_string())?;
            let cost = number(&cost).filter(|cost| !cost.is_nan() && *cost != f64::NEG_INFINITY);
            costs.push(cost.ok_or_else(|| format!("row {row}, column {column} is not a number"))?);
        }
        matrix.push(costs);
    }
    Ok(matrix)
}

fn log(_: &Lua, host: &ScriptHost, (level, line): (String, mlua::LuaString)) -> Native {
    let level = match level.as_str() {
        "debug" => LogLevel::Debug,
        "warn" => LogLevel::Warn,
        "error" => LogLevel::Error,
        _info => LogLevel::Info,
    };
    let line = line.to_string_lossy();
    if let Some(lines) = host.captured.borrow_mut().as_mut() {
        // The last line tells that there were more.
        if lines.len() < LOG_LINES_MAX {
            lines.push(line.chars().take(LOG_CHARS_MAX).collect());
        } else if lines.len() == LOG_LINES_MAX {
            lines.push("…".into());
        }
        return NIL;
    }
    host.link.shared.borrow_mut().log(host.call().agent, level, &line);
    NIL
}

fn metric(_: &Lua, host: &ScriptHost, (name, value): (LuaValue, LuaValue)) -> Native {
    let call = "metric";
    let read = key(call, host, &name).and_then(|name| Ok((name, finite(call, &value)?)));
    match read {
        Ok((name, value)) => flag(host.link.shared.borrow_mut().metric(&name, value)),
        Err(reason) => problem(reason),
    }
}

fn draw(_: &Lua, host: &ScriptHost, args: MultiValue) -> Native {
    let mut args = args.into_iter();
    let shape = match args.next() {
        Some(LuaValue::String(shape)) => shape.to_string_lossy(),
        _other => return NIL,
    };
    let call = format!("draw.{shape}");
    if args.len() > MARK_ARGS_MAX {
        return problem(format!("{call}: takes at most {MARK_ARGS_MAX} arguments"));
    }
    let read: Result<Vec<Value>, _> =
        args.map(|arg| plain::read_value(&arg, host.limits.value)).collect();
    match read {
        Ok(args) => {
            let mark = DebugMark { agent: host.call().agent, shape, args };
            flag(host.link.shared.borrow_mut().draw(mark))
        }
        Err(culprit) => problem(format!("{call}: {culprit}")),
    }
}
