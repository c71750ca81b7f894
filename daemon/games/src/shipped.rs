//! The strategies and shared Lua modules that are built into the programs.

use super::STRATEGIES;
use include_dir::{Dir, File, include_dir};
use phalanx_game::sorted::SortedMap;
use phalanx_lua::{Bundle, LIB_FOLDER, LoadError, SPEC_FOLDER, TUNED_FILE};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// The word for the strategy that travels inside the programs.
pub const SHIPPED: &str = "shipped";
/// The name of a strategy that does nothing.
pub const IDLE: &str = "idle";

/// Whether this is the word for a strategy that needs no folder.
#[must_use]
pub fn is_word(source: &str) -> bool {
    [SHIPPED, IDLE].contains(&source)
}

/// The modules that all strategies share.
static MODULES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../scripts/lib");

/// Files of a new strategy: a folder for each game.
static TEMPLATES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../scripts/templates");

/// The files of a new game.
static GAME_TEMPLATE: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../plugins/template");

/// The name of the template, which is a game itself; its files use the word for nothing else.
const GAME_NAME: &str = "template";

/// The files of a new game of this name, by path.
#[must_use]
pub fn game_template(name: &str) -> BTreeMap<String, String> {
    let texts = texts(&GAME_TEMPLATE).into_iter();
    texts.map(|(path, text)| (path, text.replace(GAME_NAME, name))).collect()
}

/// The shipped strategy of a game, without its specs, which only this repository runs.
///
/// # Errors
/// When there is none for that game.
pub fn strategy(game: &str) -> Result<Bundle, LoadError> {
    if let Some(bundle) = crate::scripted::strategy(game) {
        return bundle;
    }
    let folder = STRATEGIES.iter().find(|(name, _)| *name == game);
    let mut files = folder.map(|(_, folder)| scripts(folder)).unwrap_or_default();
    files.retain(|path, _| !of_specs(path));
    Bundle::from_files(with_lib(files))
}

fn of_specs(path: &str) -> bool {
    path.strip_prefix(SPEC_FOLDER).is_some_and(|rest| rest.starts_with('/'))
}

/// A strategy from a folder, completed with the shared modules that it does not have.
///
/// # Errors
/// All mistakes in the folder.
pub fn read(dir: &Path) -> Result<Bundle, LoadError> {
    complete(&Bundle::read(dir, &[])?)
}

/// A strategy as it plays when the values of its `tuned.toml` count, or without that file.
///
/// # Errors
/// Never for a strategy that was read; the type is that of the other functions.
pub fn with_tuned_values(bundle: Bundle, count: bool) -> Result<Bundle, LoadError> {
    let leave = count || bundle.source(TUNED_FILE).is_none();
    if leave { Ok(bundle) } else { bundle.with_tuned(None) }
}

/// Whether a folder holds shared modules, by its name.
#[must_use]
pub fn is_modules(dir: &Path) -> bool {
    let really = dir.canonicalize().unwrap_or_else(|_| dir.to_path_buf());
    really.file_name().is_some_and(|name| name == LIB_FOLDER)
}

/// A folder of shared modules, to run its specs; completed with the built-in modules.
///
/// # Errors
/// All mistakes of the folder.
pub fn read_modules(dir: &Path) -> Result<Bundle, LoadError> {
    complete(&Bundle::read_modules(dir)?)
}

/// A strategy completed with the shared modules that it does not have.
///
/// # Errors
/// When there are too many files then.
pub fn complete(own: &Bundle) -> Result<Bundle, LoadError> {
    let files = own.files().map(|(path, source)| (path.to_owned(), source.clone()));
    Bundle::from_files(with_lib(files.collect()))
}

/// The files of a game's template, by path; none when there is no template.
#[must_use]
pub fn template(game: &str) -> BTreeMap<String, String> {
    if let Some(Ok(bundle)) = crate::scripted::strategy(game) {
        let own = bundle.files().filter(|(path, _)| !path.starts_with(LIB_FOLDER));
        return own.map(|(path, text)| (path.to_owned(), text.to_string())).collect();
    }
    let prefix = format!("{game}/");
    let texts = texts(&TEMPLATES).into_iter();
    texts
        .filter_map(|(path, text)| Some((path.strip_prefix(&prefix)?.to_owned(), text.to_owned())))
        .collect()
}

/// A team that only does what `source` says: the opponent for first tries.
///
/// # Errors
/// Never for our own sources; the type is that of the other functions.
pub fn idle(role: &str, source: &str) -> Result<Bundle, LoadError> {
    Bundle::from_files([(format!("{role}.luau"), source)])
}

/// The texts of a folder that is built into the program, and of the folders in it, by path.
fn texts(dir: &'static Dir<'static>) -> Vec<(String, &'static str)> {
    let text = |file: &'static File<'static>| {
        Some((file.path().to_str()?.to_owned(), file.contents_utf8()?))
    };
    let inside = dir.dirs().flat_map(texts);
    dir.files().filter_map(text).chain(inside).collect()
}

/// Scripts and tuned values of a folder that is built into the program, by path.
fn scripts(dir: &'static Dir<'static>) -> SortedMap<String, Arc<str>> {
    let is_script = |path: &str| path.ends_with(".luau") || path.ends_with(".lua");
    let wanted = |path: &str| is_script(path) || path == TUNED_FILE;
    let texts = texts(dir).into_iter().filter(|(path, _)| wanted(path));
    texts.map(|(path, text)| (path, text.into())).collect()
}

fn with_lib(mut files: SortedMap<String, Arc<str>>) -> SortedMap<String, Arc<str>> {
    let stem = |path: &str| path.rsplit_once('.').map_or(path, |(stem, _)| stem).to_owned();
    let own: Vec<String> = files.keys().map(|path| stem(path)).collect();
    for (path, source) in scripts(&MODULES) {
        // The specs of the shared modules are left out, too.
        if of_specs(&path) {
            continue;
        }
        let path = format!("{LIB_FOLDER}/{path}");
        if !own.contains(&stem(&path)) {
            files.insert(path, source);
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_strategy_comes_with_the_shared_modules() {
        let bundle = strategy("assemble").unwrap();
        assert!(bundle.resolve("team").is_some());
        assert!(bundle.resolve("worker").is_some());
        assert!(bundle.resolve("lib/geo").is_some());
        assert!(bundle.files().all(|(path, _)| !path.contains("spec")));
    }

    #[test]
    fn a_strategy_of_its_own_keeps_its_own_module() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("lib")).unwrap();
        std::fs::write(dir.path().join("lib/geo.lua"), "return 1").unwrap();
        std::fs::write(dir.path().join("worker.lua"), "return {}").unwrap();
        let bundle = read(dir.path()).unwrap();
        assert_eq!(bundle.resolve("lib/geo"), Some("lib/geo.lua"));
    }
}
