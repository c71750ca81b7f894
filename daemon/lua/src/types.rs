//! Type definitions for editors and the lint, from the one declaration.

mod luacats;
mod luau;
mod selene;

use crate::host_api::{Param, Type};
use phalanx_game::{Api, FieldDoc, Kind};

pub use luacats::types_luacats;
pub use luau::types_luau;
pub use selene::{SPEC_NAMES, selene_library};

/// Says of a generated file where it comes from.
const GENERATED: &str =
    "Generated from the declaration that the scripts are checked by: do not edit.";

/// The tables with known fields that a game declares, each under one name. Equal tables share the
/// name of the first.
#[derive(Debug, Default)]
struct Shapes {
    tables: Vec<(String, &'static [FieldDoc])>,
}

impl Shapes {
    fn of(api: &Api) -> Self {
        let mut shapes = Self::default();
        for query in api.queries {
            let name = format!("World{}", pascal(query.name));
            shapes.add(&name, &query.returns);
            for param in query.params {
                shapes.add(&format!("{name}{}", pascal(param.name)), &param.kind);
            }
        }
        for action in api.actions {
            for param in action.params {
                let name = format!("Act{}{}", pascal(action.name), pascal(param.name));
                shapes.add(&name, &param.kind);
            }
        }
        for field in api.percept {
            shapes.add(&format!("Percept{}", pascal(field.name)), &field.kind);
        }
        shapes
    }

    fn add(&mut self, name: &str, kind: &Kind) {
        match kind {
            Kind::List(item) => self.add(name.strip_suffix('s').unwrap_or(name), item),
            Kind::Table(fields) if self.name(fields).is_none() => {
                self.tables.push((name.to_owned(), fields));
                for field in *fields {
                    self.add(&format!("{name}{}", pascal(field.name)), &field.kind);
                }
            }
            Kind::Table(_)
            | Kind::Bool
            | Kind::Int { .. }
            | Kind::Num
            | Kind::Str
            | Kind::Word(_)
            | Kind::Cell
            | Kind::Agent
            | Kind::Any => {}
        }
    }

    fn name(&self, fields: &[FieldDoc]) -> Option<&str> {
        let same = |known: &[FieldDoc]| format!("{known:?}") == format!("{fields:?}");
        self.tables.iter().find(|(_, known)| same(known)).map(|(name, _)| name.as_str())
    }

    /// Name, fields.
    fn each(&self) -> impl Iterator<Item = (&str, Vec<Param>)> {
        self.tables
            .iter()
            .map(|(name, fields)| (name.as_str(), fields.iter().map(Param::field).collect()))
    }
}

/// How an editor's language writes types.
trait Language {
    fn shapes(&self) -> &Shapes;
    fn named(&self, name: &'static str) -> String;
    fn list(&self, item: &str) -> String;
    fn whole(&self) -> &'static str;

    fn word(&self, words: &[&str]) -> String {
        let quoted: Vec<_> = words.iter().map(|word| format!("\"{word}\"")).collect();
        format!("({})", quoted.join(" | "))
    }

    fn write(&self, kind: &Type) -> String {
        match kind {
            Type::Game(kind) => self.game(kind),
            Type::Named(name) => self.named(name),
            Type::List(item) => self.list(&self.write(item)),
            Type::Maybe(inner) => {
                let inner = self.write(inner);
                if inner == "any" { inner } else { format!("{inner}?") }
            }
        }
    }

    fn game(&self, kind: &Kind) -> String {
        match kind {
            Kind::Bool => "boolean".into(),
            Kind::Int { .. } => self.whole().into(),
            Kind::Num => "number".into(),
            Kind::Str | Kind::Agent => "string".into(),
            Kind::Word(words) => self.word(words),
            Kind::Cell => "Cell".into(),
            Kind::List(item) => self.list(&self.game(item)),
            Kind::Table(fields) => self.shapes().name(fields).unwrap_or("any").into(),
            Kind::Any => "any".into(),
        }
    }

    /// What may be left out or nil.
    fn maybe(&self, param: &Param) -> String {
        let kind = self.write(&param.kind);
        if param.optional && kind != "any" { format!("{kind}?") } else { kind }
    }
}

/// `can_move` → `CanMove`.
fn pascal(name: &str) -> String {
    let upper = |part: &str| {
        let mut chars = part.chars();
        chars.next().map(|first| first.to_ascii_uppercase().to_string() + chars.as_str())
    };
    name.split('_').filter_map(upper).collect()
}
