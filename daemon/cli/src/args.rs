//! The command lines of the verbs that ask a running daemon: names, defaults, help. What all of them
//! share is in [`remote`]. The verbs that steer teams and agents have theirs next to what they do.

pub mod arena;
pub mod board;
pub mod context;
pub mod daemon;
pub mod league;
pub mod recording;
pub mod remote;
pub mod strategy;
pub mod team;
pub mod top;
pub mod why;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Args, Subcommand};
pub use remote::{Form, Look, OutputArgs, Remote};
use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

/// Reads the name of a game, or the path to the folder of one.
#[derive(Clone, Copy, Debug)]
struct GameParser;

impl TypedValueParser for GameParser {
    type Value = &'static str;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<&'static str, clap::Error> {
        let name = value.to_string_lossy();
        let game = if phalanx_games::is_path(&name) {
            phalanx_games::load_folder(Path::new(name.as_ref()))
        } else {
            phalanx_games::game(&name)
        };
        game.map_err(|error| {
            let name = arg.map_or_else(|| "the game".to_owned(), ToString::to_string);
            let text = format!("invalid value for '{name}': {error}\n");
            clap::Error::raw(ErrorKind::ValueValidation, text).with_cmd(command)
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(phalanx_games::GAMES.iter().map(PossibleValue::new)))
    }
}

/// Reads the name of a game.
#[must_use]
pub fn games() -> impl TypedValueParser<Value = &'static str> {
    GameParser
}

/// `phalanx token`.
#[derive(Debug, Subcommand)]
pub enum TokenVerb {
    /// Create a token and print it. It is printed only this once: the daemon does not keep it.
    #[command(after_help = "\
Example:
  phalanx token create dashboard --role viewer --life 7days > dashboard.token
  phalanx team list --control https://host:7420 --token-file dashboard.token")]
    Create {
        /// A name for lists and the audit log.
        name: String,
        /// What the token allows: a viewer reads, an operator also steers, an admin also manages
        /// tokens.
        #[arg(long, default_value = "viewer")]
        role: phalanx_control::Role,
        /// How long the token is valid, for example 12h or 7days [default: until it is revoked].
        #[arg(long, value_name = "DURATION", value_parser = duration)]
        life: Option<Duration>,
        /// Where and how.
        #[command(flatten)]
        remote: Remote,
    },
    /// List all tokens with their roles and expiry dates, without their secrets.
    List(Look),
    /// Revoke a token for good.
    Revoke {
        /// The token's id, see `phalanx token list`.
        id: String,
        /// Where and how.
        #[command(flatten)]
        remote: Remote,
    },
    /// Print the name and role that the daemon knows you by.
    Whoami(Remote),
}

/// `phalanx match`.
#[derive(Debug, Subcommand)]
pub enum MatchVerb {
    /// Follow a team's match: turns, fallbacks, script errors, scores, changes of the strategy.
    Watch(WatchArgs),
}

/// `phalanx match watch`.
#[derive(Args, Clone, Debug)]
pub struct WatchArgs {
    /// The team's name [default: the only team].
    pub name: Option<String>,
    /// Show every decision and its reason, not only turns and problems.
    #[arg(long)]
    pub decisions: bool,
    /// Leave out what went well: turns without a fallback, and seats that connect.
    #[arg(long, conflicts_with = "decisions")]
    pub trouble: bool,
    /// Go on when the daemon comes back, after a restart for example.
    #[arg(long)]
    pub retry: bool,
    /// Where and how.
    #[command(flatten)]
    pub remote: Remote,
}

/// Reads a time with a unit.
///
/// # Errors
/// When the unit is missing, or it is no time.
pub fn duration(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text).map_err(|error| format!("{error}; for example 40ms or 2s"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pace_needs_a_unit() {
        assert!(duration("40").is_err());
        assert_eq!(duration("40ms"), Ok(Duration::from_millis(40)));
    }
}
