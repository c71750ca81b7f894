//! A standard library for selene, the lint of Lua.

use crate::host_api::{Function, Param, Type, modules};
use phalanx_game::{Api, Kind};
use serde_json::{Map, Value, json};

/// What spec files find besides.
pub const SPEC_NAMES: &[&str] = &["describe", "it", "before_each", "after_each", "expect", "fake"];

/// What scripts of a game find in their environment, as selene reads it. It is complete: nothing
/// else is there. [`SPEC_NAMES`] are in it, for repositories that lint all files alike.
#[must_use]
pub fn selene_library(game: &str, api: &Api) -> Value {
    let mut globals = Map::new();
    for module in modules(api) {
        let path = |name: &str| {
            let dot = if module.name.is_empty() { "" } else { "." };
            format!("{}{dot}{name}", module.name)
        };
        for (name, _) in &module.constants {
            // The table of globals is not checked further.
            let any = *name == "_G";
            let kind =
                if any { json!({ "any": true }) } else { json!({ "property": "read-only" }) };
            globals.insert(path(name), kind);
        }
        for function in &module.functions {
            // An action or an answer that is not used is a forgotten `return`.
            let must_use = matches!(module.name, "act" | "world");
            let known = json!({ "args": args(function), "must_use": must_use });
            globals.insert(path(function.name), known);
        }
    }
    globals.extend(SPEC_NAMES.iter().map(|name| ((*name).to_owned(), json!({ "any": true }))));
    json!({ "name": format!("phalanx-{game}"), "lua_versions": ["luau"], "globals": globals })
}

fn args(function: &Function) -> Vec<Value> {
    let more = function.variadic.then(|| json!({ "required": false, "type": "..." }));
    function.params.iter().map(arg).chain(more).collect()
}

fn arg(param: &Param) -> Value {
    // A value that may be nil may also be left out, as the prelude does.
    match param.optional {
        true => json!({ "required": false, "type": kind(&param.kind) }),
        false => json!({ "type": kind(&param.kind) }),
    }
}

fn kind(kind: &Type) -> Value {
    match kind {
        Type::Game(Kind::Bool) => "bool".into(),
        Type::Game(Kind::Int { .. } | Kind::Num) => "number".into(),
        Type::Game(Kind::Str | Kind::Agent) => "string".into(),
        Type::Game(Kind::Word(words)) => json!(words),
        Type::Game(Kind::Cell | Kind::List(_) | Kind::Table(_)) | Type::List(_) => "table".into(),
        Type::Game(Kind::Any) => "any".into(),
        Type::Maybe(inner) => self::kind(inner),
        Type::Named(name) => match *name {
            "string" => "string".into(),
            "number" | "integer" => "number".into(),
            "boolean" => "bool".into(),
            "function" => "function".into(),
            "table" | "Expiry" | "ParamSpec" => "table".into(),
            _other => "any".into(),
        },
    }
}
