//! The reference as JSON, for tools.

use crate::host_api::{CLASSES, Function, Module, Param, Type, modules};
use phalanx_game::{Api, Kind};
use serde_json::{Value, json};

/// The version of the schema; it grows when a field changes its meaning or goes.
const SCHEMA: u32 = 1;

/// The script API of a game as JSON.
///
/// The object has `schema` (1), `game`, `percept` (fields of `me.percept`), `classes` (tables with
/// known fields: `name`, `doc`, `fields`) and `modules` (`name`, `doc`, `library` for Luau's own,
/// `functions`, `constants`; a nameless module holds global functions). A function has `name`,
/// `doc`, `params`, `variadic`, `returns` (a list of types) and `fails` (it may answer
/// `nil, reason`). Parameters and fields have `name`, `type`, `optional`, `doc`. A type is an
/// object with `kind`: `boolean`, `integer` (with `min`, `max`), `number`, `string`, `word` (with
/// `words`), `cell`, `agent`, `list` (with `of`), `table` (with `fields`), `any`, `maybe` (with
/// `of`), or `named` (with `name`: a class or a type of Luau).
#[must_use]
pub fn reference_json(game: &str, api: &Api) -> String {
    let fields = |fields: Vec<Param>| fields.iter().map(param).collect::<Vec<_>>();
    let classes = CLASSES.iter().map(|class| {
        let fields = fields(class.members().collect());
        json!({ "name": class.name, "doc": class.doc, "fields": fields })
    });
    let page = json!({
        "schema": SCHEMA,
        "game": game,
        "percept": fields(api.percept.iter().map(Param::field).collect()),
        "classes": classes.collect::<Vec<_>>(),
        "modules": modules(api).iter().map(module).collect::<Vec<_>>(),
    });
    format!("{page:#}")
}

fn module(module: &Module) -> Value {
    let constants = module.constants.iter();
    let constants = constants.map(|(name, kind)| json!({ "name": name, "type": shape(kind) }));
    json!({
        "name": module.name,
        "doc": module.doc,
        "library": module.library,
        "functions": module.functions.iter().map(function).collect::<Vec<_>>(),
        "constants": constants.collect::<Vec<_>>(),
    })
}

fn function(function: &Function) -> Value {
    json!({
        "name": function.name,
        "doc": function.doc,
        "params": function.params.iter().map(param).collect::<Vec<_>>(),
        "variadic": function.variadic,
        "returns": function.returns.iter().map(shape).collect::<Vec<_>>(),
        "fails": function.fails,
    })
}

fn param(param: &Param) -> Value {
    json!({
        "name": param.name,
        "type": shape(&param.kind),
        "optional": param.optional,
        "doc": param.doc,
    })
}

fn shape(kind: &Type) -> Value {
    match kind {
        Type::Game(kind) => game(kind),
        Type::Named(name) => json!({ "kind": "named", "name": name }),
        Type::List(of) => json!({ "kind": "list", "of": shape(of) }),
        Type::Maybe(of) => json!({ "kind": "maybe", "of": shape(of) }),
    }
}

fn game(kind: &Kind) -> Value {
    match kind {
        Kind::Bool => json!({ "kind": "boolean" }),
        Kind::Int { min, max } => json!({ "kind": "integer", "min": min, "max": max }),
        Kind::Num => json!({ "kind": "number" }),
        Kind::Str => json!({ "kind": "string" }),
        Kind::Word(words) => json!({ "kind": "word", "words": words }),
        Kind::Cell => json!({ "kind": "cell" }),
        Kind::Agent => json!({ "kind": "agent" }),
        Kind::List(of) => json!({ "kind": "list", "of": game(of) }),
        Kind::Table(fields) => {
            let fields: Vec<_> = fields.iter().map(|field| param(&Param::field(field))).collect();
            json!({ "kind": "table", "fields": fields })
        }
        Kind::Any => json!({ "kind": "any" }),
    }
}
