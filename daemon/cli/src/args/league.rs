//! The command lines of the verbs around the leagues of a daemon.

use super::{Look, Remote, games};
use crate::failure::misused;
use anyhow::Result;
use clap::{Args, Subcommand};
use phalanx_league::{Seeds, SprtOptions};
use std::ffi::OsString;
use std::path::Path;

#[derive(Debug, Subcommand)]
pub enum RemoteLeagueVerb {
    /// Start a league inside a running daemon, which plays it on virtual time with low priority.
    /// The strategies are folders on the daemon's machine.
    #[command(after_help = "\
Examples:
  phalanx league create --name night --strategy mine --strategy shipped --seeds 1..500
  phalanx league watch night")]
    Create(CreateArgs),
    /// List the leagues of a running daemon, one line each.
    List(Look),
    /// Show the table of a league.
    Show(ShowLeagueArgs),
    /// Follow the results of a league until it ends.
    Watch(LeagueNameArgs),
    /// Stop a league; its results stay, and you can resume it.
    Cancel(LeagueNameArgs),
    /// Resume a league after its last result.
    Resume(LeagueNameArgs),
    /// Delete a league and its results.
    Delete(LeagueNameArgs),
}

/// `phalanx league create`.
#[derive(Args, Clone, Debug)]
pub struct CreateArgs {
    /// A name for the league [default: `league` with a number].
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    #[command(flatten)]
    pub league: LeagueArgs,
    /// Only check the plan and the strategies.
    #[arg(long, visible_alias = "dry-run")]
    pub check: bool,
    #[command(flatten)]
    pub remote: Remote,
}

/// `phalanx league show`.
#[derive(Args, Clone, Debug)]
pub struct ShowLeagueArgs {
    /// The league's name [default: the only one, or the one that is running].
    pub name: Option<String>,
    #[command(flatten)]
    pub look: Look,
}

/// Arguments of a verb about one league.
#[derive(Args, Clone, Debug)]
pub struct LeagueNameArgs {
    /// The league's name [default: the only one, or the one that is running].
    pub name: Option<String>,
    #[command(flatten)]
    pub remote: Remote,
}

/// What is played in a league.
#[derive(Args, Clone, Debug)]
pub struct LeagueArgs {
    /// The game [default: the one that the first strategy is for, else assemble].
    #[arg(long, value_parser = games())]
    pub game: Option<&'static str>,
    /// A strategy, given at least twice: a folder, `shipped` or `idle`; write NAME=DIR to name it
    /// [default: the folder's name].
    #[arg(long = "strategy", value_name = "[NAME=]DIR", required = true)]
    pub strategies: Vec<String>,
    /// The seeds of the matches, both ends included.
    #[arg(long, value_name = "A..B", value_parser = seeds, default_value = "1..10")]
    pub seeds: Seeds,
    /// Play only the first strategy against each of the others.
    #[arg(long)]
    pub first_against_all: bool,
    /// Play each pairing once per seed instead of once on each side.
    #[arg(long)]
    pub no_swap: bool,
    /// Stop as soon as a sequential test shows whether the first of two strategies is better: elo0
    /// and elo1 are the two hypotheses in Elo points, alpha and beta the error probabilities.
    #[arg(long, value_name = "elo0=0,elo1=50,alpha=0.05,beta=0.05", num_args = 0..=1,
        require_equals = true, default_missing_value = "", value_parser = sprt)]
    pub sprt: Option<SprtOptions>,
    /// A variant of the game, as in `phalanx demo` [default: the first one].
    #[arg(long, value_name = "NAME")]
    pub variant: Option<String>,
    /// Number of steps of a match [default: the game's own number].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub steps: Option<u32>,
    /// Number of worlds of a match, in asimulator [default: 100].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub worlds: Option<u32>,
}

impl LeagueArgs {
    /// Names with folders, or with `shipped` and `idle`.
    ///
    /// # Errors
    /// When a name or a folder is empty.
    pub fn players(&self) -> Result<Vec<(String, String)>> {
        self.strategies.iter().map(|text| named(text)).collect()
    }

    /// The game of these players.
    #[must_use]
    pub fn game_of(&self, players: &[(String, String)]) -> &'static str {
        phalanx_games::game_of(self.game, players.first().map(|(_, source)| Path::new(source)))
    }
}

/// Parses `name=folder` or `folder`.
///
/// # Errors
/// When a name or a folder is empty.
pub fn named(text: &str) -> Result<(String, String)> {
    let (name, source) = match text.split_once('=') {
        Some((name, source)) => (name.to_owned(), source),
        None => {
            let name = folder_name(Path::new(text));
            (name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(), text)
        }
    };
    if name.is_empty() || source.is_empty() {
        return Err(misused(format!("{text:?}: expected a folder, or NAME=FOLDER")));
    }
    Ok((name, source.to_owned()))
}

/// The name of a folder, also of `.` and `..`.
fn folder_name(path: &Path) -> Option<OsString> {
    if let Some(name) = path.file_name() {
        return Some(name.to_owned());
    }
    let whole = path.canonicalize().ok();
    let name = whole.as_deref().and_then(Path::file_name);
    let word = || path.components().next_back().map(|last| last.as_os_str());
    name.or_else(word).map(ToOwned::to_owned)
}

/// Parses `3..20` or `7`.
///
/// # Errors
/// What was expected.
pub fn seeds(text: &str) -> std::result::Result<Seeds, String> {
    let expected = || format!("{text:?}: expected two numbers such as 1..20, or one");
    let number = |text: &str| text.parse::<u64>().map_err(|_| expected());
    let (first, last) = match text.split_once("..") {
        Some((first, last)) => (number(first)?, number(last.trim_start_matches('='))?),
        None => (number(text)?, number(text)?),
    };
    let count = last.checked_sub(first).and_then(|rest| u32::try_from(rest).ok()?.checked_add(1));
    let backwards = || format!("{text:?}: the first seed is larger than the last: {last}..{first}");
    let many = || format!("{text:?}: expected at most {} seeds", u32::MAX);
    let none = || if last < first { backwards() } else { many() };
    Ok(Seeds { first, count: count.ok_or_else(none)? })
}

/// Parses `elo1=30,alpha=0.1`; a missing key keeps its default.
///
/// # Errors
/// What was expected.
pub fn sprt(text: &str) -> std::result::Result<SprtOptions, String> {
    let mut options = SprtOptions::default();
    for part in text.split(',').filter(|part| !part.is_empty()) {
        let known = "expected elo0=, elo1=, alpha= or beta= with a number";
        let (key, value) = part.split_once('=').ok_or_else(|| format!("{part:?}: {known}"))?;
        let value = value.parse::<f64>().map_err(|_| format!("{part:?}: {known}"))?;
        match key {
            "elo0" => options.elo0 = value,
            "elo1" => options.elo1 = value,
            "alpha" => options.alpha = value,
            "beta" => options.beta = value,
            _ => return Err(format!("{part:?}: {known}")),
        }
    }
    Ok(options)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_read_to_the_last_one() {
        assert_eq!(seeds("1..20"), Ok(Seeds { first: 1, count: 20 }));
        assert_eq!(seeds("7"), Ok(Seeds { first: 7, count: 1 }));
        for bad in ["", "..", "5..1", "1..99999999999", "a..b", "-1..3"] {
            assert!(seeds(bad).is_err(), "{bad}");
        }
        let many = seeds("1..1000000000000").unwrap_err();
        assert!(many.ends_with("expected at most 4294967295 seeds"), "{many}");
    }

    #[test]
    fn a_strategy_in_the_current_folder_has_the_name_of_the_folder() {
        let here = std::env::current_dir().unwrap();
        let name = here.file_name().unwrap().to_string_lossy().into_owned();
        assert_eq!(named(".").unwrap(), (name.clone(), ".".to_owned()));
        assert_eq!(named("./src/..").unwrap().0, name);
        assert_eq!(named("../mine").unwrap().0, "mine");
        assert_eq!(named("me=.").unwrap().0, "me");
        assert!(named("").is_err());
    }

    #[test]
    fn what_an_early_stop_does_not_say_is_as_usual() {
        assert_eq!(sprt(""), Ok(SprtOptions::default()));
        let read = sprt("elo1=20,alpha=0.01").unwrap();
        assert_eq!((read.elo0, read.elo1, read.alpha, read.beta), (0.0, 20.0, 0.01, 0.05));
        assert!(sprt("elo2=1").is_err() && sprt("elo1").is_err() && sprt("elo1=x").is_err());
    }
}
