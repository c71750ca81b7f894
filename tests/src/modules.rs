//! Which files of a crate use which, read from their `use` declarations and paths.
//!
//! A file and the files of its submodules (`a.rs`, `a/b.rs`) are one module in parts, so arrows
//! between them do not count. A re-export leads to the file that it exports from.

use crate::{files, is, text};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The path of a module in its crate; empty: the root.
type Module = Vec<String>;

/// What a file names: the paths of its `use` declarations, and other paths.
#[derive(Debug, Default)]
struct Named {
    exported: Vec<Module>,
    imported: Vec<Module>,
    inline: Vec<Module>,
}

/// The files of a crate with what they name.
#[derive(Debug, Default)]
pub struct Modules(BTreeMap<Module, Named>);

impl Modules {
    /// Reads the sources of the crate in this folder, without its tests and programs.
    #[must_use]
    pub fn of(folder: &Path) -> Self {
        let sources = folder.join("src");
        let read = |path: &std::path::PathBuf| {
            let inside = path.strip_prefix(&sources).ok()?.with_extension("");
            let parts = inside.iter().map(|part| part.to_string_lossy().into_owned());
            let mut module: Module = parts.collect();
            module.retain(|part| part != "lib" && part != "main");
            let skipped =
                ["bin", "gen", "tests"].iter().any(|name| module.iter().any(|m| m == name));
            (is(path, &["rs"]) && !skipped).then(|| (module, named(&text(path))))
        };
        Self(files().iter().filter_map(read).collect())
    }

    /// Groups of files that need each other, with more files than this.
    #[must_use]
    pub fn cycles(&self, more_than: usize) -> Vec<Vec<String>> {
        let arrows: BTreeMap<_, _> =
            self.0.iter().map(|(module, named)| (module, self.used(module, named))).collect();
        let reach = |from: &Module| {
            let (mut seen, mut next) = (BTreeSet::new(), vec![from.clone()]);
            while let Some(at) = next.pop() {
                let fresh = arrows.get(&at).into_iter().flatten();
                next.extend(fresh.filter(|used| seen.insert((*used).clone())).cloned());
            }
            seen
        };
        let reached: BTreeMap<_, _> = self.0.keys().map(|module| (module, reach(module))).collect();
        let both = |a: &Module, b: &Module| {
            reached.get(a).is_some_and(|of| of.contains(b))
                && reached.get(b).is_some_and(|of| of.contains(a))
        };
        let group = |module: &Module| {
            let group = self.0.keys().filter(|other| both(module, other));
            group.map(|module| module.join("::")).collect::<Vec<_>>()
        };
        let groups: BTreeSet<_> = self.0.keys().map(group).collect();
        groups.into_iter().filter(|group| group.len() > more_than).collect()
    }

    /// The files that a file uses, except those of its own module.
    fn used(&self, module: &Module, named: &Named) -> BTreeSet<Module> {
        let imports: BTreeMap<_, _> = named
            .imported
            .iter()
            .filter_map(|path| self.absolute(module, path))
            .filter_map(|path| Some((path.last()?.clone(), path)))
            .collect();
        let inline = named.inline.iter().filter_map(|path| {
            let (first, rest) = path.split_first()?;
            match imports.get(first).filter(|import| self.0.contains_key(*import)) {
                Some(import) => Some([import.as_slice(), rest].concat()),
                None => self.absolute(module, path),
            }
        });
        // A module that is imported is used where its items are.
        let items = imports.values().filter(|import| !self.0.contains_key(*import)).cloned();
        let targets = items.chain(inline).filter_map(|path| self.home(&path, 0));
        targets.filter(|to| !to.starts_with(module) && !module.starts_with(to)).collect()
    }

    /// A path from the crate's root; `None`: it leads into another crate.
    fn absolute(&self, module: &Module, path: &[String]) -> Option<Module> {
        let (first, rest) = path.split_first()?;
        match first.as_str() {
            "crate" => Some(rest.to_vec()),
            "self" => Some([module.as_slice(), rest].concat()),
            "super" => {
                let (_, parent) = module.split_last()?;
                match rest.first().map(String::as_str) {
                    Some("super") => self.absolute(&parent.to_vec(), rest),
                    _ => Some([parent, rest].concat()),
                }
            }
            _ => {
                let child = [module.as_slice(), std::slice::from_ref(first)].concat();
                self.0.contains_key(&child).then(|| [module.as_slice(), path].concat())
            }
        }
    }

    /// The file in which the item of this path is, through up to a few re-exports.
    fn home(&self, path: &[String], hops: usize) -> Option<Module> {
        let known = |length: &usize| path.get(..*length).is_some_and(|at| self.0.contains_key(at));
        let length = (0..=path.len()).rev().find(known)?;
        let (module, item) = path.split_at(length);
        let exported = item.first().filter(|_| hops < 4).and_then(|name| {
            let exports = &self.0.get(module)?.exported;
            exports.iter().find(|export| export.last() == Some(name))
        });
        match exported {
            Some(export) => self.home(&self.absolute(&module.to_vec(), export)?, hops + 1),
            None => Some(module.to_vec()),
        }
    }
}

/// What a source names, without its comments and its tests.
fn named(source: &str) -> Named {
    let product = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let plain: Vec<_> =
        product.lines().map(|line| line.split("//").next().unwrap_or_default()).collect();
    let mut named = Named::default();
    for statement in plain.join("\n").split_inclusive(';') {
        let statement = statement.trim_end_matches(';');
        let (before, declared) = match statement.rfind("use ") {
            Some(at) if is_declared(statement, at) => statement.split_at(at),
            _ => (statement, ""),
        };
        named.inline.extend(paths(before));
        let declared = declared.trim_start_matches("use ");
        let public = before.lines().next_back().is_some_and(|line| line.trim().starts_with("pub"));
        let into = if public { &mut named.exported } else { &mut named.imported };
        into.extend(expanded(declared).iter().map(|path| split(path)));
    }
    named
}

/// Whether the `use` at this place begins a declaration.
fn is_declared(statement: &str, at: usize) -> bool {
    let line = statement.get(..at).unwrap_or_default().lines().next_back().unwrap_or_default();
    let line =
        if statement.get(..at).is_some_and(|before| before.ends_with('\n')) { "" } else { line };
    line.trim().is_empty() || line.trim().starts_with("pub")
}

/// The single paths of `a::{b, c::{d, e}}`.
fn expanded(tree: &str) -> Vec<String> {
    let Some((prefix, rest)) = tree.split_once('{') else {
        let path = tree.split(" as ").next().unwrap_or_default().trim();
        return if path.is_empty() { Vec::new() } else { vec![path.to_owned()] };
    };
    let (mut depth, mut parts) = (0_u32, vec![String::new()]);
    for letter in rest.trim_end().trim_end_matches('}').chars() {
        match letter {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        match (letter, depth, parts.last_mut()) {
            (',', 0, _) => parts.push(String::new()),
            (_, _, Some(part)) => part.push(letter),
            (_, _, None) => {}
        }
    }
    let whole = |part: &String| expanded(&format!("{}{}", prefix.trim(), part.trim()));
    parts.iter().filter(|part| !part.trim().is_empty()).flat_map(whole).collect()
}

/// The paths in a piece of code, as far as they can lead to modules.
fn paths(code: &str) -> Vec<Module> {
    let words = code.split(|letter: char| !(letter.is_alphanumeric() || "_:".contains(letter)));
    let paths = words.filter(|word| word.contains("::") && !word.starts_with(':'));
    paths.filter(|word| word.starts_with(|c: char| c.is_ascii_lowercase())).map(split).collect()
}

fn split(path: &str) -> Module {
    let parts = path.split("::").map(str::trim).filter(|part| !part.is_empty() && *part != "self");
    let mut module: Module = parts.map(str::to_owned).collect();
    if path.starts_with("self::") {
        module.insert(0, "self".to_owned());
    }
    module
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crate_of(files: &[(&str, &str)]) -> Modules {
        let module = |path: &str| split(path);
        Modules(files.iter().map(|(path, source)| (module(path), named(source))).collect())
    }

    #[test]
    fn a_cycle_is_found_through_imports_paths_and_exports() {
        let modules = crate_of(&[
            ("", "pub use b::Item;\nmod a;"),
            ("a", "use crate::{\n    Item,\n    x::{self, Y},\n};"),
            ("b", "use super::c;\nfn f() { c::g() }"),
            ("c", "fn g() { crate::a::h() } // crate::x::y"),
            ("x", "use std::fmt;\n#[cfg(test)]\nmod tests {\n    use crate::a;\n}"),
        ]);
        assert_eq!(modules.cycles(2), [["a", "b", "c"]]);
        assert!(modules.cycles(3).is_empty());
    }

    #[test]
    fn a_module_and_its_parts_are_no_cycle() {
        let parts = [("a", "mod b;\nuse b::B;\nfn f() { b::g() }"), ("a::b", "use super::A;")];
        assert!(crate_of(&parts).cycles(1).is_empty());
    }
}
