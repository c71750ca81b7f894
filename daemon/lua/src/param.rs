//! The native function behind `param`: what operators may set while a team plays.

use crate::args::{number, text};
use crate::host::ScriptHost;
use crate::natives::{Native, NativeReply, native, problem};
use crate::plain::{self, describe};
use crate::similar;
use mlua::{Lua, Table, Value as LuaValue};
use phalanx_engine::{PARAM_NAME_BYTES_MAX, ParamKind, ParamSpec};
use phalanx_game::Value;
use std::rc::Rc;

/// Most words that a parameter may have as values.
const WORDS_MAX: usize = 100;
/// What may stand in a declaration.
const KEYS: [&str; 6] = ["default", "min", "max", "whole", "values", "doc"];

/// Adds it to the prelude's host table.
pub(crate) fn add(lua: &Lua, table: &Table, host: &Rc<ScriptHost>) -> mlua::Result<()> {
    native(lua, table, "param", host, param)
}

fn param(lua: &Lua, host: &ScriptHost, (name, spec): (LuaValue, LuaValue)) -> Native {
    let read = name_of(host, &name).and_then(|name| {
        match &spec {
            LuaValue::Nil => {}
            LuaValue::Table(table) => declare(host, &name, table)?,
            other => {
                let got = describe(other);
                return Err(format!("param {name}: expected {{ default = … }}, got {got}"));
            }
        }
        value(host, &name)
    });
    match read {
        Ok(value) => Ok(NativeReply::Result(plain::push(lua, &value)?)),
        Err(reason) => problem(reason),
    }
}

/// The name, which operators write in a command line.
fn name_of(host: &ScriptHost, name: &LuaValue) -> Result<String, String> {
    let fits = |name: &String| {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        (1..=PARAM_NAME_BYTES_MAX).contains(&name.len()) && name.chars().all(plain)
    };
    text(name, host.limits.value)?.filter(fits).ok_or_else(|| {
        format!(
            "param: expected a name of at most {PARAM_NAME_BYTES_MAX} letters, digits, _ - and ., \
             got {}",
            describe(name)
        )
    })
}

fn value(host: &ScriptHost, name: &str) -> Result<Value, String> {
    let shared = host.link.shared.borrow();
    let agent = host.call().agent.map(|agent| (agent, shared.role(agent)));
    shared.params.value(name, agent).cloned().ok_or_else(|| {
        let known: Vec<_> = shared.params.each().map(|(spec, _)| spec.name.as_str()).collect();
        let meant = similar(name, known.iter().copied());
        let hint = meant.map(|meant| format!("; did you mean {meant:?}?")).unwrap_or_default();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        format!("param: no script declares {name:?}; there are: {known}{hint}")
    })
}

fn declare(host: &ScriptHost, name: &str, table: &Table) -> Result<(), String> {
    let of = |problem: String| format!("param {name}: {problem}");
    let spec = read(host, name, table).map_err(of)?;
    let mut shared = host.link.shared.borrow_mut();
    if shared.params.spec(name).is_some_and(|known| *known != spec) {
        return Err(of("is declared elsewhere in another way; declare it once, and read it with \
                       its name alone"
            .into()));
    }
    shared.params.declare(spec).map_err(|error| error.to_string())
}

fn read(host: &ScriptHost, name: &str, table: &Table) -> Result<ParamSpec, String> {
    known_keys(table, &KEYS)?;
    let get = |key: &str| table.raw_get::<LuaValue>(key).map_err(|error| error.to_string());
    let (min, max) = (bound("min", &get("min")?)?, bound("max", &get("max")?)?);
    let whole = match get("whole")? {
        LuaValue::Nil => None,
        LuaValue::Boolean(whole) => Some(whole),
        other => return Err(format!("whole: expected true or false, got {}", describe(&other))),
    };
    let words = words(host, &get("values")?)?;
    let default = get("default")?;
    let numeric = min.is_some() || max.is_some() || whole.is_some();
    let (kind, default) = match &default {
        LuaValue::Boolean(flag) if !numeric && words.is_none() => {
            (ParamKind::Bool, Value::Bool(*flag))
        }
        LuaValue::Number(_) | LuaValue::Integer(_) if words.is_none() => {
            let (min, max) = (min.unwrap_or(f64::NEG_INFINITY), max.unwrap_or(f64::INFINITY));
            if min > max {
                return Err(format!("min {min} is greater than max {max}"));
            }
            let whole = whole.unwrap_or(false);
            let default = number(&default).unwrap_or(f64::NAN);
            (ParamKind::Num { min, max, whole }, Value::Num(default))
        }
        LuaValue::String(_) if !numeric => {
            let default = text(&default, host.limits.value)?.unwrap_or_default();
            (ParamKind::Text(words.unwrap_or_default()), Value::from(default))
        }
        LuaValue::Boolean(_) | LuaValue::Number(_) | LuaValue::Integer(_) | LuaValue::String(_) => {
            return Err("min, max and whole are for numbers, values for texts".into());
        }
        other => {
            let got = describe(other);
            return Err(format!("default: expected a boolean, number or text, got {got}"));
        }
    };
    let doc = match get("doc")? {
        LuaValue::Nil => String::new(),
        doc => text(&doc, host.limits.value)?
            .ok_or_else(|| format!("doc: expected a text, got {}", describe(&doc)))?,
    };
    Ok(ParamSpec { name: name.to_owned(), kind, default, doc })
}

fn bound(key: &str, value: &LuaValue) -> Result<Option<f64>, String> {
    match (value, number(value)) {
        (LuaValue::Nil, _) => Ok(None),
        (_, Some(num)) if !num.is_nan() => Ok(Some(num)),
        (other, _) => Err(format!("{key}: expected a number, got {}", describe(other))),
    }
}

fn words(host: &ScriptHost, value: &LuaValue) -> Result<Option<Vec<String>>, String> {
    let list = match value {
        LuaValue::Nil => return Ok(None),
        LuaValue::Table(list) => list,
        other => return Err(format!("values: expected a list of texts, got {}", describe(other))),
    };
    let count = list.raw_len();
    if !(1..=WORDS_MAX).contains(&count) {
        return Err(format!("values: expected 1 to {WORDS_MAX} texts, got {count}"));
    }
    let word = |index: usize| {
        let word: LuaValue = list.raw_get(index).map_err(|error| error.to_string())?;
        text(&word, host.limits.value)?.ok_or_else(|| {
            format!("values: item {index}: expected a text, got {}", describe(&word))
        })
    };
    (1..=count).map(word).collect::<Result<_, _>>().map(Some)
}

/// A misspelt key would be ignored in silence.
pub(crate) fn known_keys(table: &Table, known: &[&str]) -> Result<(), String> {
    let mut unknown = None;
    let walked = table.for_each(|key: LuaValue, _: LuaValue| {
        let name = key.as_string().map(|name| phalanx_game::excerpt(&name.as_bytes()));
        if name.as_deref().is_some_and(|name| known.contains(&name)) {
            return Ok(());
        }
        unknown = Some((describe(&key), name));
        Err(mlua::Error::runtime("unknown key"))
    });
    if let Some((shown, name)) = unknown {
        let meant = similar(name.as_deref().unwrap_or_default(), known.iter().copied());
        let hint = meant.map(|meant| format!("; did you mean {meant:?}?")).unwrap_or_default();
        return Err(format!("unknown option {shown}; there are {}{hint}", known.join(", ")));
    }
    walked.map_err(|error| error.to_string())
}
