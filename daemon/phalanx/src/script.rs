//! `phalanx script`: help for those who write strategies.

use crate::wire;
use anyhow::{Context, Result};
use std::io::Write;

/// Prints the reference page of a game's script API.
///
/// # Errors
/// When the game has none, or standard output is closed.
pub fn api(game: &str) -> Result<()> {
    let api = wire::api(game).context("the game has no script API")?;
    let page = phalanx_lua::reference(game, api);
    std::io::stdout().write_all(page.as_bytes()).context("cannot print")
}
