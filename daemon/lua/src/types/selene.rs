//! A standard library for selene, the lint of Lua.

use super::GENERATED;
use crate::host_api::{Function, Param, Type, modules};
use phalanx_game::{Api, Kind};

/// What spec files find besides.
pub const SPEC_NAMES: &[&str] = &["describe", "it", "before_each", "after_each", "expect", "fake"];

/// What scripts of a game find in their environment, as selene reads it (YAML). It is complete:
/// nothing else is there. [`SPEC_NAMES`] are in it, for repositories that lint all files alike.
#[must_use]
pub fn selene_library(game: &str, api: &Api) -> String {
    let mut page = format!(
        "# What strategies for {game} find in their environment.\n# {GENERATED}\n\
         name: phalanx-{game}\nlua_versions: [luau]\nglobals:\n"
    );
    for module in modules(api) {
        let path = |name: &str| {
            let dot = if module.name.is_empty() { "" } else { "." };
            format!("{}{dot}{name}", module.name)
        };
        for (name, _) in &module.constants {
            // Nobody checks what hangs on the table of globals.
            let kind = if *name == "_G" { "any: true" } else { "property: read-only" };
            page.push_str(&format!("  {}: {{ {kind} }}\n", path(name)));
        }
        // An action or an answer that nobody takes is a forgotten `return`.
        let must_use = matches!(module.name, "act" | "world");
        for function in &module.functions {
            page.push_str(&format!("  {}:\n", path(function.name)));
            if must_use {
                page.push_str("    must_use: true\n");
            }
            page.push_str(&args(function));
        }
    }
    for name in SPEC_NAMES {
        page.push_str(&format!("  {name}: {{ any: true }}\n"));
    }
    page
}

fn args(function: &Function) -> String {
    if function.params.is_empty() && !function.variadic {
        return "    args: []\n".into();
    }
    let mut text = String::from("    args:\n");
    for param in &function.params {
        text.push_str(&format!("      - {{ {}type: {} }}\n", required(param), kind(&param.kind)));
    }
    if function.variadic {
        text.push_str("      - { required: false, type: \"...\" }\n");
    }
    text
}

fn required(param: &Param) -> &'static str {
    // A value that may be nil may also be left out, as the prelude does.
    if param.optional { "required: false, " } else { "" }
}

fn kind(kind: &Type) -> String {
    match kind {
        Type::Game(Kind::Bool) => "bool".into(),
        Type::Game(Kind::Int { .. } | Kind::Num) => "number".into(),
        Type::Game(Kind::Str | Kind::Agent) => "string".into(),
        Type::Game(Kind::Word(words)) => {
            let quoted: Vec<_> = words.iter().map(|word| format!("\"{word}\"")).collect();
            format!("[{}]", quoted.join(", "))
        }
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
