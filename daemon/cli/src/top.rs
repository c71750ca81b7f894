//! `phalanx top`: a full-screen view of a running daemon's teams, agents, map and events.
//!
//! ```text
//!  daemon ──streams, answers──► Heard ─┐
//!                                      ├──► Cockpit ──► draw
//!  terminal ──────keys─────────────────┘       │
//!  daemon ◄─────────────────────────── UserRequest ◄──┘
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

use crate::args::top::TopArgs;
use crate::failure::misused;
use crate::terminal;
use anyhow::Result;

/// Shows the view until the user quits.
///
/// # Errors
/// When there is no terminal, no daemon answers at first, it refuses or has no such team, or the
/// terminal fails. If the daemon goes away later, the view waits for it.
pub fn run(args: &TopArgs) -> Result<()> {
    show::show(args)
}

/// The error without a terminal names the verbs that print the same data.
fn need_terminal(args: &TopArgs) -> Result<()> {
    let why = match args.remote.print.is_auto() {
        true if terminal::is_there() => return Ok(()),
        true => "top needs a terminal",
        false => "top has no printed form",
    };
    let team = args.team.as_deref().unwrap_or("TEAM");
    Err(misused(format!(
        "{why}; `phalanx team show {team}`, `phalanx world show {team}` and `phalanx match watch \
         {team}` print what it shows, as text or JSON"
    )))
}
