//! The native function behind `param`: what operators may set while a team plays.

use crate::args::{number, text};
use crate::host::ScriptHost;
use crate::natives::{Native, NativeReply, native, problem};
use crate::plain::{self, describe};
use crate::similar;
use crate::tuned::TUNED_FILE;
use mlua::{Lua, Table, Value as LuaValue};
use phalanx_engine::{PARAM_NAME_BYTES_MAX, ParamKind, ParamSpec};
use phalanx_game::Value;
use std::rc::Rc;

/// Most words that a parameter may have as values.
const WORDS_MAX: usize = 100;
/// The keys of a declaration. `whole` and `doc` are older names: `kind = "int"` and `why`.
const KEYS: [&str; 10] =
    ["default", "min", "max", "step", "kind", "log", "values", "why", "whole", "doc"];

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
    let keys = Keys { host, table };
    let default = keys.get("default")?;
    let words = words(host, &keys.get("values")?)?;
    let (kind, default) = match &default {
        LuaValue::Boolean(flag) => {
            keys.only("a boolean", &["kind"])?;
            (ParamKind::Bool, Value::Bool(*flag))
        }
        LuaValue::Number(_) | LuaValue::Integer(_) => {
            keys.only("a number", &["kind", "min", "max", "step", "log", "whole"])?;
            (keys.number_kind()?, Value::Num(number(&default).unwrap_or(f64::NAN)))
        }
        LuaValue::String(_) => {
            keys.only("a text", &["kind", "values"])?;
            let default = text(&default, host.limits.value)?.unwrap_or_default();
            (ParamKind::Text(words.unwrap_or_default()), Value::from(default))
        }
        other => {
            let got = describe(other);
            return Err(format!("default: expected a boolean, number or text, got {got}"));
        }
    };
    keys.fits(&kind)?;
    let doc = keys.text("why")?.map_or_else(|| keys.text("doc"), |why| Ok(Some(why)))?;
    let mut spec = ParamSpec { name: name.to_owned(), kind, default, doc: doc.unwrap_or_default() };
    // In its stored form; one that does not fit is an error of the declaration.
    spec.default = spec.check(&spec.default).unwrap_or(spec.default);
    if let Some(tuned) = host.tuned.borrow().value(name) {
        let checked = spec.check(tuned);
        spec.default = checked.map_err(|error| format!("{TUNED_FILE}: {error}"))?;
    }
    Ok(spec)
}

/// The table of a declaration.
struct Keys<'a> {
    host: &'a ScriptHost,
    table: &'a Table,
}

impl Keys<'_> {
    fn get(&self, key: &str) -> Result<LuaValue, String> {
        self.table.raw_get::<LuaValue>(key).map_err(|error| error.to_string())
    }

    fn flag(&self, key: &str) -> Result<bool, String> {
        match self.get(key)? {
            LuaValue::Nil => Ok(false),
            LuaValue::Boolean(flag) => Ok(flag),
            other => Err(format!("{key}: expected true or false, got {}", describe(&other))),
        }
    }

    fn text(&self, key: &str) -> Result<Option<String>, String> {
        let value = self.get(key)?;
        if value.is_nil() {
            return Ok(None);
        }
        let read = text(&value, self.host.limits.value)?;
        read.map(Some).ok_or_else(|| format!("{key}: expected a text, got {}", describe(&value)))
    }

    /// Refuses keys that mean nothing for this kind of default.
    fn only(&self, kind: &str, allowed: &[&str]) -> Result<(), String> {
        let common = ["default", "why", "doc"];
        for key in KEYS.iter().filter(|key| !common.contains(key) && !allowed.contains(key)) {
            if !self.get(key)?.is_nil() {
                return Err(format!("{key} does not fit a default that is {kind}"));
            }
        }
        Ok(())
    }

    fn number_kind(&self) -> Result<ParamKind, String> {
        let bounds = (bound("min", &self.get("min")?)?, bound("max", &self.get("max")?)?);
        let (min, max) = (bounds.0.unwrap_or(f64::NEG_INFINITY), bounds.1.unwrap_or(f64::INFINITY));
        if min > max {
            return Err(format!("min {min} is greater than max {max}"));
        }
        let step = bound("step", &self.get("step")?)?;
        if let Some(step) = step.filter(|step| !(step.is_finite() && *step > 0.0)) {
            return Err(format!("step: expected a number above 0, got {step}"));
        }
        let log = self.flag("log")?;
        if log && (min <= 0.0 || !max.is_finite()) {
            return Err("log: expected a min above 0 and a max".into());
        }
        let whole = self.flag("whole")? || self.text("kind")?.as_deref() == Some("int");
        Ok(ParamKind::Num { min, max, whole, step, log })
    }

    /// The written `kind`, which may be omitted, is the one that follows from the rest.
    fn fits(&self, kind: &ParamKind) -> Result<(), String> {
        let name = match kind {
            ParamKind::Bool => "bool",
            ParamKind::Num { whole: true, .. } => "int",
            ParamKind::Num { whole: false, .. } => "float",
            ParamKind::Text(words) if words.is_empty() => "text",
            ParamKind::Text(_) => "choice",
        };
        match self.text("kind")? {
            Some(written) if written != name => {
                Err(format!("kind: expected {name:?} with these values, got {written:?}"))
            }
            Some(_) | None => Ok(()),
        }
    }
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
