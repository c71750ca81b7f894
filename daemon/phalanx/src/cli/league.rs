//! The command line of `phalanx league`.

use super::{Look, OutputArgs, Remote, games};
use clap::{Args, Subcommand};
use phalanx_league::{Seeds, SprtOptions};
use std::path::PathBuf;

/// `phalanx league`.
#[derive(Debug, Subcommand)]
pub enum LeagueVerb {
    /// Play a league here, on virtual time, and print its table.
    Run(Box<RunArgs>),
    /// Leagues of a daemon.
    #[command(flatten)]
    There(Box<RemoteLeagueVerb>),
}

/// What can be done with the leagues of a daemon.
#[derive(Debug, Subcommand)]
pub enum RemoteLeagueVerb {
    /// Begin a league inside a running daemon, which plays it on virtual time with low priority. Its
    /// strategies are folders on the daemon's machine.
    #[command(after_help = "\
Examples:
  phalanx league create --name night --strategy mine --strategy shipped --seeds 1..500
  phalanx league watch night")]
    Create(CreateArgs),
    /// One line for each league of a running daemon.
    List(Look),
    /// One league: its table.
    Show(ShowLeagueArgs),
    /// Follow the results of a league until it ends.
    Watch(LeagueNameArgs),
    /// Stop a league; its results stay, and it can go on.
    Cancel(LeagueNameArgs),
    /// Let a league go on where its results end.
    Resume(LeagueNameArgs),
    /// Remove a league with its results.
    Delete(LeagueNameArgs),
}

/// `phalanx league create`.
#[derive(Args, Clone, Debug)]
pub struct CreateArgs {
    /// What to call it [default: `league` with a number].
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// What plays and how.
    #[command(flatten)]
    pub league: LeagueArgs,
    /// Only check plan and strategies.
    #[arg(long)]
    pub check: bool,
    /// Where and how.
    #[command(flatten)]
    pub remote: Remote,
}

/// `phalanx league show`.
#[derive(Args, Clone, Debug)]
pub struct ShowLeagueArgs {
    /// Its name [default: the only one, or the one that is played].
    pub name: Option<String>,
    /// Where and how.
    #[command(flatten)]
    pub look: Look,
}

/// A verb about one league.
#[derive(Args, Clone, Debug)]
pub struct LeagueNameArgs {
    /// Its name [default: the only one, or the one that is played].
    pub name: Option<String>,
    /// Where and how.
    #[command(flatten)]
    pub remote: Remote,
}

/// `phalanx league run`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  phalanx league run --strategy mine --strategy old=../old --seeds 1..20
  phalanx league run --game bomberland --strategy mine --strategy shipped --seeds 1..200 --sprt
  phalanx league run --strategy mine --strategy shipped --folder night    the same again goes on

The table has ratings on the Elo scale with their errors (in 95 of 100 cases the true rating is that
close). With --folder results are kept as lines of JSON; ctrl-c stops, and the same command goes on.")]
pub struct RunArgs {
    /// What plays and how.
    #[command(flatten)]
    pub league: LeagueArgs,
    /// Matches at once [default: one a core, less one].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub threads: Option<u16>,
    /// Keep results in this folder, and go on with what it holds.
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// Also write the table, and who did how against whom, to this file in Markdown.
    #[arg(long, value_name = "FILE")]
    pub markdown: Option<PathBuf>,
    /// How to print.
    #[command(flatten)]
    pub print: OutputArgs,
}

/// What a league is.
#[derive(Args, Clone, Debug)]
pub struct LeagueArgs {
    /// Which game [default: the one that the first strategy is for, else assemble].
    #[arg(long, value_parser = games())]
    pub game: Option<&'static str>,
    /// Who plays, at least two of them: a folder, `shipped` or `idle`; its name stands before a `=`
    /// [default: the folder's name].
    #[arg(long = "strategy", value_name = "[NAME=]DIR", required = true)]
    pub strategies: Vec<String>,
    /// The seeds of the matches, from the first to the last.
    #[arg(long, value_name = "A..B", value_parser = seeds, default_value = "1..10")]
    pub seeds: Seeds,
    /// Only the first strategy meets the others.
    #[arg(long)]
    pub first_against_all: bool,
    /// Play each meeting once on each seed, not on both sides.
    #[arg(long)]
    pub no_swap: bool,
    /// Stop as soon as it is clear whether the first of two strategies is better: it is elo0 or elo1
    /// points ahead, and errors have probabilities alpha and beta.
    #[arg(long, value_name = "elo0=0,elo1=50,alpha=0.05,beta=0.05", num_args = 0..=1,
        require_equals = true, default_missing_value = "", value_parser = sprt)]
    pub sprt: Option<SprtOptions>,
    /// A flavour of the game, as in `phalanx demo` [default: the first one].
    #[arg(long, value_name = "NAME")]
    pub variant: Option<String>,
    /// How many steps a match has [default: the game's own number].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub steps: Option<u32>,
    /// How many worlds a match has, in asimulator [default: 100].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub worlds: Option<u32>,
}

/// Reads `3..20` or `7`.
fn seeds(text: &str) -> Result<Seeds, String> {
    let expected = || format!("{text:?}: expected two numbers such as 1..20, or one");
    let number = |text: &str| text.parse::<u64>().map_err(|_| expected());
    let (first, last) = match text.split_once("..") {
        Some((first, last)) => (number(first)?, number(last.trim_start_matches('='))?),
        None => (number(text)?, number(text)?),
    };
    let count = last.checked_sub(first).and_then(|rest| u32::try_from(rest).ok()?.checked_add(1));
    Ok(Seeds { first, count: count.ok_or_else(expected)? })
}

/// Reads `elo1=30,alpha=0.1`; what is left out is as usual.
fn sprt(text: &str) -> Result<SprtOptions, String> {
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
    }

    #[test]
    fn what_an_early_stop_does_not_say_is_as_usual() {
        assert_eq!(sprt(""), Ok(SprtOptions::default()));
        let read = sprt("elo1=20,alpha=0.01").unwrap();
        assert_eq!((read.elo0, read.elo1, read.alpha, read.beta), (0.0, 20.0, 0.01, 0.05));
        assert!(sprt("elo2=1").is_err() && sprt("elo1").is_err() && sprt("elo1=x").is_err());
    }
}
