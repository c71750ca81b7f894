//! A definitions file for luau-lsp: `declare` statements and exported types.

use super::{GENERATED, Language, SPEC_NAMES, Shapes};
use crate::host_api::{CLASSES, Function, Module, Param, modules};
use phalanx_game::Api;
use std::fmt::Write as _;

/// Type definitions of a game's script API for luau-lsp (`.d.luau`). Luau's own library is left
/// out: the language server knows it.
#[must_use]
pub fn types_luau(game: &str, api: &Api) -> String {
    let luau = Luau { shapes: Shapes::of(api) };
    let mut page = format!(
        "-- The script API of {game} for luau-lsp.\n-- {GENERATED}\n\n\
         --- What `decide` returns: made by the functions of `act`.\n\
         declare class Action\nend\n\n\
         export type Cell = {{ x: number, y: number }}\n"
    );
    for (name, fields) in luau.shapes.each() {
        luau.table(&mut page, name, "", fields.into_iter());
    }
    let percept = api.percept.iter().map(Param::field);
    luau.table(&mut page, "Percept", "What an agent sees.", percept);
    for class in CLASSES {
        let name = if matches!(class.name, "Result" | "Plan") {
            format!("{}Fields", class.name)
        } else {
            class.name.to_owned()
        };
        luau.table(&mut page, &name, class.doc, class.members());
    }
    for module in modules(api).iter().filter(|module| !module.library) {
        luau.module(&mut page, module);
    }
    page.push_str(
        "\nexport type Result = Me & ResultFields\nexport type Plan = Team & PlanFields\n",
    );
    page.push_str("\n--- In spec files.\n");
    for name in SPEC_NAMES {
        page.push_str(&format!("declare {name}: any\n"));
    }
    page
}

struct Luau {
    shapes: Shapes,
}

impl Luau {
    fn table(&self, page: &mut String, name: &str, doc: &str, fields: impl Iterator<Item = Param>) {
        let mut text = String::from("\n");
        comment(&mut text, "", doc);
        text.push_str(&format!("export type {name} = {{\n"));
        for field in fields {
            comment(&mut text, "    ", field.doc);
            // Writing to a string cannot fail.
            writeln!(text, "    {}: {},", field.name, self.maybe(&field)).unwrap_or_default();
        }
        page.push_str(&text);
        page.push_str("}\n");
    }

    fn module(&self, page: &mut String, module: &Module) {
        page.push('\n');
        if module.name.is_empty() {
            // The server follows `require` itself.
            for function in module.functions.iter().filter(|one| one.name != "require") {
                comment(page, "", function.doc);
                let Function { name, .. } = function;
                let (params, returns) = (self.params(function), self.returns(function));
                page.push_str(&format!("declare function {name}({params}): {returns}\n"));
            }
            return;
        }
        let kind = super::pascal(module.name);
        let mut own = String::new();
        comment(page, "", module.doc);
        page.push_str(&format!("export type {kind} = {{\n"));
        for function in module.functions.iter().filter(|function| function.name != "of") {
            self.member(page, function);
        }
        page.push_str("}\n");
        for function in module.functions.iter().filter(|function| function.name == "of") {
            self.member(&mut own, function);
        }
        let own = if own.is_empty() { own } else { format!(" & {{\n{own}}}") };
        page.push_str(&format!("declare {}: {kind}{own}\n", module.name));
    }

    fn member(&self, page: &mut String, function: &Function) {
        comment(page, "    ", function.doc);
        let (params, returns) = (self.params(function), self.returns(function));
        page.push_str(&format!("    {}: ({params}) -> {returns},\n", function.name));
    }

    fn params(&self, function: &Function) -> String {
        let mut params: Vec<_> = function
            .params
            .iter()
            .map(|param| format!("{}: {}", param.name, self.maybe(param)))
            .collect();
        params.extend(function.variadic.then(|| "...any".to_owned()));
        params.join(", ")
    }

    fn returns(&self, function: &Function) -> String {
        let kinds: Vec<_> = function.returns.iter().map(|kind| self.write(kind)).collect();
        match (kinds.as_slice(), function.fails) {
            ([one], true) => format!("({one}?, string?)"),
            ([one], false) => one.clone(),
            (many, _) => format!("({})", many.join(", ")),
        }
    }
}

impl Language for Luau {
    fn shapes(&self) -> &Shapes {
        &self.shapes
    }

    fn named(&self, name: &'static str) -> String {
        match name {
            "integer" => "number".into(),
            "table" => "{ [any]: any }".into(),
            "function" => "(...any) -> ...any".into(),
            "Clock" => "() -> number".into(),
            other => other.into(),
        }
    }

    fn list(&self, item: &str) -> String {
        format!("{{ {item} }}")
    }

    fn whole(&self) -> &'static str {
        "number"
    }
}

fn comment(page: &mut String, indent: &str, doc: &str) {
    if !doc.is_empty() {
        page.push_str(&format!("{indent}--- {doc}\n"));
    }
}
