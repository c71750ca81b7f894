//! `phalanx script`: help for those who write strategies.

use crate::cli::strategy::ReferenceFormat;
use crate::{remote, wire};
use anyhow::{Context, Result};
use phalanx_game::Api;
use std::path::Path;

/// The file of the type definitions.
pub(crate) const DEFINITIONS: &str = "phalanx.d.luau";

/// Prints the reference of a game's script API.
///
/// # Errors
/// When the game has none, or it cannot be printed.
pub fn api(game: &str, format: ReferenceFormat) -> Result<()> {
    let api = wire::api(game).context("the game has no script API")?;
    let page = match format {
        ReferenceFormat::Markdown => phalanx_lua::reference(game, api),
        ReferenceFormat::Json => phalanx_lua::reference_json(game, api),
    };
    remote::print(&page)
}

/// Writes the type definitions of a game's script API into a folder.
///
/// # Errors
/// When the game has none, or a file cannot be written.
pub fn types(game: &str, out: &Path) -> Result<()> {
    let api = wire::api(game).context("the game has no script API")?;
    std::fs::create_dir_all(out).with_context(|| format!("cannot make {}", out.display()))?;
    for (name, text) in definitions(game, api) {
        let path = out.join(name);
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        remote::print(&path.display().to_string())?;
    }
    Ok(())
}

/// Prints what spec files may call.
///
/// # Errors
/// When it cannot be printed.
pub fn specs() -> Result<()> {
    remote::print(phalanx_lua::SPEC_REFERENCE)
}

/// The files of the type definitions: for luau-lsp and for lua-language-server.
pub(crate) fn definitions(game: &str, api: &Api) -> [(&'static str, String); 2] {
    [
        (DEFINITIONS, phalanx_lua::types_luau(game, api)),
        ("phalanx.lua", phalanx_lua::types_luacats(game, api)),
    ]
}
