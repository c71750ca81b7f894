//! `phalanx script`: documentation for authors of strategies.

use crate::args::ReferenceFormat;
use anyhow::{Context, Result};
use phalanx_cli::remote;
use std::path::Path;

/// Prints the reference of a game's script API.
///
/// # Errors
/// When the game has none, or it cannot be printed.
pub fn api(game: &str, format: ReferenceFormat) -> Result<()> {
    let api = phalanx_games::api(game).context("the game has no script API")?;
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
    let api = phalanx_games::api(game).context("the game has no script API")?;
    std::fs::create_dir_all(out).with_context(|| format!("cannot create {}", out.display()))?;
    for (name, text) in phalanx_games::definitions(game, api) {
        let path = out.join(name);
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        remote::print(&path.display().to_string())?;
    }
    Ok(())
}

/// Prints the functions that spec files may call.
///
/// # Errors
/// When it cannot be printed.
pub fn specs() -> Result<()> {
    remote::print(phalanx_lua::SPEC_REFERENCE)
}
