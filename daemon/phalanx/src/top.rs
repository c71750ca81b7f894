//! `phalanx top`: the cockpit in the terminal: teams, agents, map and events of a running daemon.
//!
//! ```text
//!  daemon ──streams, answers──► Heard ─┐
//!                                      ├──► Cockpit ──► draw
//!  terminal ──────keys─────────────────┘       │
//!  daemon ◄─────────────────────────── Wish ◄──┘
//! ```

mod agents;
mod cockpit;
mod daemon;
mod draw;
mod feed;
mod follow;
mod heat;
mod keys;
mod margin;
mod overview;
mod show;
#[cfg(test)]
mod tests;
mod track;

use crate::cli::top::TopArgs;
use crate::failure::misused;
use crate::terminal;
use anyhow::Result;

/// Shows the cockpit until somebody leaves.
///
/// # Errors
/// When no terminal is there, no daemon answers at first, it refuses or has no such team, or the
/// terminal fails. A daemon that goes later is waited for.
pub fn run(args: &TopArgs) -> Result<()> {
    show::show(args)
}

/// Where nothing can be drawn it is told what prints the same.
fn need_terminal(args: &TopArgs) -> Result<()> {
    let why = match args.remote.print.is_auto() {
        true if terminal::is_there() => return Ok(()),
        true => "top needs a terminal",
        false => "top draws and prints nothing",
    };
    let team = args.team.as_deref().unwrap_or("TEAM");
    Err(misused(format!(
        "{why}; `phalanx team show {team}`, `phalanx world show {team}` and `phalanx match watch \
         {team}` print what it shows, as text or JSON"
    )))
}
