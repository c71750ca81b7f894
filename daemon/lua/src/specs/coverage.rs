//! Which lines of the strategy's files ran, as the VM counted them.

use super::FileCoverage;
use crate::Program;
use crate::spec_files::is_spec_file;
use mlua::chunk::ChunkMode;
use mlua::{Function, Lua};
use phalanx_game::sorted::SortedMap;

/// Counts by file.
pub(super) type Coverage = SortedMap<String, FileCoverage>;

/// Adds what the functions of a loaded file counted.
pub(super) fn add(coverage: &mut Coverage, path: &str, chunk: &Function) {
    let file = coverage.entry(path.to_owned()).or_default();
    chunk.coverage(|counted| {
        for (line, hits) in counted.hits.iter().enumerate() {
            // Lines without code are counted as -1.
            if let (Ok(line), Ok(hits)) = (u32::try_from(line), u64::try_from(*hits)) {
                *file.lines.entry(line).or_default() += hits;
            }
        }
    });
}

/// Adds the files that were never loaded: none of their lines ran.
pub(super) fn add_unloaded(coverage: &mut Coverage, program: &Program) {
    let lua = Lua::new();
    for (path, _) in program.bundle().files() {
        if is_spec_file(path) || coverage.contains_key(path) {
            continue;
        }
        let Some(code) = program.code(path) else { continue };
        if let Ok(chunk) = lua.load(code).set_mode(ChunkMode::Binary).into_function() {
            add(coverage, path, &chunk);
        }
    }
}
