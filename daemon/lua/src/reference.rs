//! The reference of the script API: the host's own part, and what the game declares.

mod json;

use crate::host_api::{CLASSES, Function, Type, modules};
use phalanx_game::{ActionDoc, Api, FieldDoc, Kind, ParamDoc};
use std::fmt::Write as _;

pub use json::reference_json;

/// What a strategy is, before the lists.
const INTRODUCTION: &str = include_str!("reference.md");

/// The page for a game, as Markdown.
#[must_use]
pub fn reference(game: &str, api: &Api) -> String {
    let mut page = INTRODUCTION.replace("{game}", game).replace("{idle}", &idle(api));
    host(&mut page, api);
    let mut out = |text: String| {
        // Writing to a string cannot fail.
        writeln!(page, "{text}").unwrap_or_default();
    };
    out("\n## Actions\n\n`decide` returns one of these.\n".into());
    for action in api.actions {
        let signature = signature("act", action.name, action.params);
        out(format!("- `{signature}`: {}{}", action.doc, notes(action.params)));
    }
    out("\n## Percept\n\nFields of `me.percept`, converted when they are read.\n".into());
    for field in api.percept {
        let inside = fields(&field.kind, "  ");
        out(format!("- `{}`: {}. {}{inside}", field.name, kind(&field.kind), field.doc));
    }
    out("\n## World\n".into());
    out(
        "Queries answered natively from the team's joined map, for the agent that decides, or for \
         any agent by `world.of(name)`.\n"
            .into(),
    );
    for query in api.queries {
        let signature = signature("world", query.name, query.params);
        let returns = kind(&query.returns);
        let inside = fields(&query.returns, "  ");
        let notes = notes(query.params);
        let answer = if inside.is_empty() { "" } else { "\n  - Answers:" };
        let inside = inside.replace("\n  ", "\n    ");
        out(format!("- `{signature}` → {returns}: {}{notes}{answer}{inside}", query.doc));
    }
    page
}

/// The first action that wants no argument.
fn idle(api: &Api) -> String {
    let bare = |action: &&ActionDoc| action.params.iter().all(|param| param.optional);
    let name = api.actions.iter().find(bare).map_or("skip", |action| action.name);
    format!("act.{name}()")
}

/// The host's own part.
fn host(page: &mut String, api: &Api) {
    for class in CLASSES {
        let (title, doc) = match class.name {
            "Me" => ("me", "What `decide(me)` gets; `start(sim)` gets the same."),
            "Result" => ("result", class.doc),
            "Plan" => ("team in plan", class.doc),
            _plain => continue,
        };
        page.push_str(&format!("\n## {title}\n\n{doc}\n\n"));
        for field in class.members() {
            page.push_str(&format!("- `{}`: {}\n", field.name, field.doc));
        }
    }
    for module in modules(api).iter().filter(|module| !module.library) {
        if matches!(module.name, "act" | "world") {
            continue;
        }
        let title = if module.name.is_empty() { "Single functions" } else { module.name };
        page.push_str(&format!("\n## {title}\n\n"));
        if !module.name.is_empty() {
            page.push_str(&format!("{}\n\n", module.doc));
        }
        for function in &module.functions {
            page.push_str(&line(function, module.name));
        }
    }
    page.push_str("\n## Luau's library\n\nWhat the sandbox leaves of it:\n\n");
    for module in modules(api).iter().filter(|module| module.library) {
        let names: Vec<_> = module.names().map(|name| format!("`{name}`")).collect();
        let title = if module.name.is_empty() { "globals" } else { module.name };
        page.push_str(&format!("- {title}: {}\n", names.join(", ")));
    }
}

fn line(function: &Function, module: &str) -> String {
    let failure = if function.fails { " `nil, reason` when it cannot." } else { "" };
    let mut text = format!("- `{}`: {}{failure}\n", function.signature(module), function.doc);
    let named = function.params.iter().filter_map(|param| match &param.kind {
        Type::Named(name) => Some(*name),
        Type::Game(_) | Type::List(_) | Type::Maybe(_) => None,
    });
    for class in CLASSES.iter().filter(|class| named.clone().any(|name| name == class.name)) {
        for field in class.members() {
            text.push_str(&format!("  - `{}`: {}\n", field.name, field.doc));
        }
    }
    text
}

fn signature(table: &str, name: &str, params: &[ParamDoc]) -> String {
    let names: Vec<_> = params
        .iter()
        .map(|param| format!("{}{}", param.name, if param.optional { "?" } else { "" }))
        .collect();
    format!("{table}.{name}({})", names.join(", "))
}

/// One line for each parameter, below the signature.
fn notes(params: &[ParamDoc]) -> String {
    let note = |param: &ParamDoc| {
        let optional = if param.optional { ", optional" } else { "" };
        let inside = fields(&param.kind, "    ");
        format!("\n  - `{}`: {}{optional}. {}{inside}", param.name, kind(&param.kind), param.doc)
    };
    params.iter().map(note).collect()
}

/// One line for each field of a table, or of the tables of a list.
fn fields(kind_of: &Kind, indent: &str) -> String {
    match kind_of {
        Kind::Table(list) => list
            .iter()
            .map(|field| {
                let inside = fields(&field.kind, &format!("{indent}  "));
                let what = kind(&field.kind);
                format!("\n{indent}- `{}`: {what}. {}{inside}", field.name, field.doc)
            })
            .collect(),
        Kind::List(inner) => fields(inner, indent),
        Kind::Bool
        | Kind::Int { .. }
        | Kind::Num
        | Kind::Str
        | Kind::Word(_)
        | Kind::Cell
        | Kind::Agent
        | Kind::Any => String::new(),
    }
}

fn kind(kind_of: &Kind) -> String {
    match kind_of {
        Kind::Bool => "boolean".into(),
        Kind::Int { min: 0, max } if *max >= i64::from(i32::MAX) => "whole number from 0".into(),
        Kind::Int { min, .. } if *min <= i64::from(i32::MIN) => "whole number".into(),
        Kind::Int { min, max } => format!("whole number {min} to {max}"),
        Kind::Num => "number".into(),
        Kind::Str => "string".into(),
        Kind::Word(words) => {
            let quoted: Vec<_> = words.iter().map(|word| format!("`\"{word}\"`")).collect();
            quoted.join(" or ")
        }
        Kind::Cell => "`{x, y}`".into(),
        Kind::Agent => "name of an agent of the team".into(),
        Kind::List(inner) => format!("list of {}", kind(inner)),
        Kind::Table(fields) => table(fields),
        Kind::Any => "any plain value".into(),
    }
}

fn table(fields: &[FieldDoc]) -> String {
    let names: Vec<_> = fields.iter().map(|field| field.name).collect();
    format!("`{{{}}}`", names.join(", "))
}
