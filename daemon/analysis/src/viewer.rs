//! `phalanx replay FILE`: a recorded match in the terminal, or turn by turn as text.
//!
//! ```text
//!  file ──► Reel (its turns) ──► Player (position, by keys and time) ──► draw
//!     └───► lines, without a terminal
//! ```

mod draw;
mod lines;
mod player;
mod reel;
mod show;
#[cfg(test)]
mod tests;

use crate::args::replay::ReplayArgs;
use crate::extracts::warn;
use crate::printed::Printed;
use crate::redecide;
use anyhow::{Result, bail};
use phalanx_cli::failure::misused;
use phalanx_cli::remote::ResultSink;
use phalanx_cli::terminal;
use player::Player;
use reel::Reel;

/// Shows a recording: full-screen on a terminal, otherwise turn by turn.
///
/// # Errors
/// When the file cannot be read, or has no such turn or agent.
pub fn run(args: &ReplayArgs) -> Result<()> {
    let file = redecide::open(&args.file, args.team.as_deref())?;
    if !(args.print.is_auto() && terminal::is_there()) {
        return lines::show(&file, args, &mut Printed::plain(&args.print));
    }
    let reel = Reel::load(&file);
    warn(&args.file, reel.damage);
    if reel.turns.is_empty() {
        bail!("{}: the recording contains no turn", args.file.display());
    }
    let mut player = Player::new(args.speed);
    if let Some(place) = args.at {
        player.at = reel.find(place).ok_or_else(|| reel.no_turn())?;
    }
    if let Some(name) = &args.agent {
        let index = reel.agents.iter().position(|known| known == name);
        player.agent = index.ok_or_else(|| stranger(name, &reel.agents))?;
        player.alone = true;
    }
    show::show(&reel, player)
}

/// Hands on a recording turn by turn.
///
/// # Errors
/// When the file cannot be read, has no such turn or agent, or the sink fails.
pub fn turns(args: &ReplayArgs, sink: &mut dyn ResultSink) -> Result<()> {
    lines::show(&redecide::open(&args.file, args.team.as_deref())?, args, sink)
}

/// The error for an agent that does not exist.
fn stranger(name: &str, known: &[String]) -> anyhow::Error {
    misused(format!("the recording has no agent {name:?}; there are {}", known.join(", ")))
}
