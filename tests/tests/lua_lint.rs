//! What ships in Lua passes every lint of selene, matters of taste included. The settings stand in
//! `tests/lint/<game>.toml`; strategies of others are held to less.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use phalanx_e2e::{files, is, root, text};
use selene_lib::lints::Severity;
use selene_lib::standard_library::StandardLibrary;
use selene_lib::{Checker, CheckerConfig};
use std::path::{Path, PathBuf};

/// The lint of one game's scripts.
struct Lint {
    game: String,
    checker: Checker<toml::Value>,
    library: StandardLibrary,
}

impl Lint {
    fn read(settings: &Path) -> Self {
        let game = settings.file_stem().unwrap().to_string_lossy().into_owned();
        let config: CheckerConfig<toml::Value> = toml::from_str(&text(settings)).unwrap();
        let library = settings.with_file_name(format!("{}.yml", config.std()));
        let library: StandardLibrary = serde_saphyr::from_str(&text(&library)).unwrap();
        Self { game, checker: Checker::new(config, library.clone()).unwrap(), library }
    }

    /// The findings for a source, one line each.
    fn findings(&self, place: &str, source: &str) -> Vec<String> {
        let parsed = full_moon::parse_fallible(source, self.library.lua_version().0);
        let broken = parsed.errors().iter().map(|error| format!("{place}: {error}"));
        let mut findings: Vec<_> = broken.collect();
        for found in self.checker.test_on(parsed.ast()) {
            if found.severity != Severity::Allow {
                let (start, _) = found.diagnostic.primary_label.range;
                let before = source.get(..start as usize).unwrap_or_default();
                let line = before.matches('\n').count() + 1;
                let (code, message) = (found.diagnostic.code, found.diagnostic.message);
                findings.push(format!("{place}:{line}: {message} [{code}]"));
            }
        }
        findings
    }

    /// The folders whose files are this game's. Modules that all strategies share know no game:
    /// the first one's library will do.
    fn folders(&self) -> Vec<PathBuf> {
        let scripts = Path::new("scripts");
        let shared = (self.game == "assemble").then(|| scripts.join("lib"));
        let below = ["", "templates", "opponents"].map(|kind| scripts.join(kind).join(&self.game));
        let older = scripts.join("opponents").join(format!("{}-rules", self.game));
        below.into_iter().chain([older]).chain(shared).collect()
    }
}

fn lints() -> Vec<Lint> {
    let settings = files().into_iter().filter(|path| path.starts_with("tests/lint"));
    settings.filter(|path| is(path, &["toml"])).map(|path| Lint::read(&path)).collect()
}

#[test]
fn every_script_that_ships_passes_the_lint() {
    let lints = lints();
    let mut looked = Vec::new();
    let mut findings = Vec::new();
    for lint in &lints {
        let mine = lint.folders();
        for file in files().into_iter().filter(|path| is(path, &["lua", "luau"])) {
            if mine.iter().any(|folder| file.starts_with(folder)) {
                findings.extend(lint.findings(&file.display().to_string(), &text(&file)));
                looked.push(file);
            }
        }
    }
    assert!(findings.is_empty(), "{}", findings.join("\n"));
    let ships = |path: &PathBuf| path.starts_with("scripts") && !path.starts_with("scripts/types");
    let missed: Vec<_> = files()
        .into_iter()
        .filter(|path| is(path, &["lua", "luau"]) && ships(path) && !looked.contains(path))
        .collect();
    assert!(missed.is_empty(), "no lint looks at {missed:?}");
    assert!(root().join("scripts").is_dir() && !lints.is_empty());
}

/// The scripts of a page: each begins with the name of its file, and before it the folder of its
/// game where that is not Agents Assemble.
#[test]
fn every_script_in_the_manual_passes_the_lint() {
    let lints = lints();
    let (mut findings, mut looked) = (Vec::new(), 0);
    let own = |path: &PathBuf| path.starts_with("deploy/manual") || path == Path::new("README.md");
    for path in files().into_iter().filter(|path| own(path) && is(path, &["md"])) {
        let page = text(&path);
        let blocks = page.split("```lua\n").skip(1).filter_map(|part| part.split("```").next());
        for block in blocks {
            let name = block.lines().next().unwrap_or_default();
            assert!(name.starts_with("-- "), "{}: a script without a name", path.display());
            let folder = |lint: &&Lint| name.starts_with(&format!("-- {}/", lint.game));
            let assemble = || lints.iter().find(|lint| lint.game == "assemble");
            let lint = lints.iter().find(folder).or_else(assemble).unwrap();
            findings.extend(lint.findings(&format!("{}: {name}", path.display()), block));
            looked += 1;
        }
    }
    assert!(findings.is_empty(), "{}", findings.join("\n"));
    assert!(looked > 10, "{looked} scripts");
}

#[test]
fn the_lint_finds_what_it_should() {
    for lint in lints() {
        for (source, code) in [
            ("return nobody", "undefined_variable"),
            ("local kept = 1\nreturn 2", "unused_variable"),
            ("local a = 1\nlocal a = 2\nreturn a", "shadowing"),
        ] {
            let findings = lint.findings("x.luau", source);
            assert!(findings.iter().any(|line| line.contains(code)), "{}: {findings:?}", lint.game);
        }
        assert!(!lint.findings("x.luau", "return (").is_empty(), "{}", lint.game);
        assert_eq!(lint.findings("x.luau", "return { 1 }"), Vec::<String>::new());
    }
}
