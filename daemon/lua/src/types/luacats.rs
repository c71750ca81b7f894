//! A meta file for lua-language-server: annotations in the LuaCATS notation.

use super::{GENERATED, Language, SPEC_NAMES, Shapes};
use crate::host_api::{CLASSES, Function, LUA51, Module, Param, modules};
use phalanx_game::Api;

/// Type definitions of a game's script API for lua-language-server. What plain Lua 5.1 has is left
/// out, since the server knows it; the rest of Luau's library is in.
#[must_use]
pub fn types_luacats(game: &str, api: &Api) -> String {
    let cats = LuaCats { shapes: Shapes::of(api) };
    let mut page = format!(
        "---@meta\n-- The script API of {game} for lua-language-server.\n-- {GENERATED}\n\n\
         ---What `decide` returns: made by the functions of `act`.\n---@class Action\n\n\
         ---@class Cell\n---@field x integer\n---@field y integer\n"
    );
    for (name, fields) in cats.shapes.each() {
        cats.class(&mut page, name, "", fields.into_iter());
    }
    let percept = api.percept.iter().map(Param::field);
    cats.class(&mut page, "Percept", "What an agent sees.", percept);
    for class in CLASSES {
        let base = match class.name {
            "Result" => "Result: Me",
            "Plan" => "Plan: Team",
            other => other,
        };
        cats.class(&mut page, base, class.doc, class.members());
    }
    for module in modules(api) {
        cats.module(&mut page, &module);
    }
    page.push_str("\n-- In spec files.\n");
    for name in SPEC_NAMES {
        page.push_str(&format!("\n---@type any\n{name} = nil\n"));
    }
    page
}

struct LuaCats {
    shapes: Shapes,
}

impl LuaCats {
    fn class(&self, page: &mut String, name: &str, doc: &str, fields: impl Iterator<Item = Param>) {
        page.push('\n');
        comment(page, doc);
        page.push_str(&format!("---@class {name}\n"));
        for field in fields {
            let kind = self.maybe(&field);
            page.push_str(&format!("---@field {} {kind} {}\n", field.name, field.doc));
        }
    }

    fn module(&self, page: &mut String, module: &Module) {
        let known = |name: &str| {
            let path = path(module.name, name);
            module.library && LUA51.iter().any(|line| line.split(' ').any(|known| known == path))
        };
        if !module.name.is_empty() && !module.names().any(known) {
            page.push('\n');
            comment(page, module.doc);
            let class = super::pascal(module.name);
            let base = if module.name == "world" { ": WorldQueries" } else { "" };
            if module.name == "world" {
                page.push_str("---@class WorldQueries\nlocal queries = {}\n\n");
            }
            page.push_str(&format!("---@class {class}{base}\n{} = {{}}\n", module.name));
        }
        for (name, kind) in module.constants.iter().filter(|(name, _)| !known(name)) {
            let kind = self.write(kind);
            page.push_str(&format!("\n---@type {kind}\n{} = nil\n", path(module.name, name)));
        }
        for function in module.functions.iter().filter(|function| !known(function.name)) {
            let query = module.name == "world" && function.name != "of";
            self.function(page, if query { "queries" } else { module.name }, function);
        }
    }

    fn function(&self, page: &mut String, module: &str, function: &Function) {
        page.push('\n');
        comment(page, function.doc);
        let mut names: Vec<&str> = Vec::new();
        for param in &function.params {
            let optional = if param.optional { "?" } else { "" };
            let kind = self.write(&param.kind);
            let line = format!("---@param {}{optional} {kind} {}", param.name, param.doc);
            page.push_str(line.trim_end());
            page.push('\n');
            names.push(param.name);
        }
        if function.variadic {
            page.push_str("---@param ... any\n");
            names.push("...");
        }
        for kind in &function.returns {
            let maybe = if function.fails { "?" } else { "" };
            page.push_str(&format!("---@return {}{maybe}\n", self.write(kind)));
        }
        if function.fails {
            page.push_str("---@return string? reason\n");
        }
        let path = path(module, function.name);
        page.push_str(&format!("function {path}({}) end\n", names.join(", ")));
    }
}

impl Language for LuaCats {
    fn shapes(&self) -> &Shapes {
        &self.shapes
    }

    fn named(&self, name: &'static str) -> String {
        match name {
            "Clock" => "fun(): number".into(),
            "World" => "WorldQueries".into(),
            "buffer" | "vector" => "userdata".into(),
            other => other.into(),
        }
    }

    fn list(&self, item: &str) -> String {
        format!("{item}[]")
    }

    fn whole(&self) -> &'static str {
        "integer"
    }
}

fn path(module: &str, name: &str) -> String {
    if module.is_empty() { name.to_owned() } else { format!("{module}.{name}") }
}

fn comment(page: &mut String, doc: &str) {
    if !doc.is_empty() {
        page.push_str(&format!("---{doc}\n"));
    }
}
