//! Who meets whom, on which seeds.

use crate::SprtOptions;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Most players of a league.
pub const PLAYERS_MAX: usize = 32;
/// Most matches of a league.
pub const MATCHES_MAX: u64 = 100_000;
/// Longest name of a player, in characters.
pub const NAME_CHARS_MAX: usize = 64;
/// Most settings of the matches.
const SETUP_MAX: usize = 32;

/// A league before it is played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeagueDefinition {
    /// The game's name.
    pub game: String,
    /// What exactly the game is, if it is a folder: a hash over its files. A league goes on only
    /// with the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game_files: Option<String>,
    /// What the matches are set up with, in the caller's own words: variant, steps.
    #[serde(default)]
    pub setup: BTreeMap<String, String>,
    /// Who plays.
    pub players: Vec<LeagueContestant>,
    /// Who meets whom.
    pub pairing: Pairing,
    /// The seeds of the matches.
    pub seeds: Seeds,
    /// Whether each meeting is played twice, with the sides swapped.
    pub swap: bool,
    /// When to stop early; `None`: everything is played.
    #[serde(default)]
    pub sprt: Option<SprtOptions>,
}

/// One contestant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeagueContestant {
    /// What it is called; no two share a name.
    pub name: String,
    /// What exactly plays, in the caller's own words: a hash over a strategy's files. A league goes
    /// on only with the same.
    pub identity: String,
    /// Where it comes from, in the caller's own words: a folder. A league goes on wherever that is.
    #[serde(default)]
    pub source: String,
}

/// Who meets whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pairing {
    /// Everybody meets everybody.
    RoundRobin,
    /// The first player meets each of the others.
    FirstAgainstAll,
    /// Each plays alone; the higher score on the same seed wins.
    Alone,
}

/// Seeds that follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seeds {
    pub first: u64,
    /// How many.
    pub count: u32,
}

/// One match of a league, or of a search for better values: with the plan that it belongs to, it
/// determines the match.
#[derive(Clone, Debug, PartialEq)]
pub struct Fixture {
    /// Its place in the schedule, from 0.
    pub number: u64,
    pub seed: u64,
    /// Who plays, by place in [`LeagueDefinition::players`], in the order in which they sit down.
    pub players: Vec<usize>,
    /// Values of parameters with which the first player of the plan plays, instead of those of its
    /// own files; `None`: its own.
    pub values: Option<ParamValues>,
}

/// Values of parameters by their names.
pub type ParamValues = BTreeMap<String, TunedValue>;

/// The value of a parameter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum TunedValue {
    Bool(bool),
    Num(f64),
    Text(String),
}

impl LeagueDefinition {
    /// Everything that is wrong with the plan, one a line; empty when nothing is.
    #[must_use]
    pub fn mistakes(&self) -> Vec<String> {
        let mut mistakes = Vec::new();
        let least = 2;
        if !(least..=PLAYERS_MAX).contains(&self.players.len()) {
            let count = self.players.len();
            mistakes.push(format!(
                "a league needs {least} to {PLAYERS_MAX} strategies, and got {count}; for example \
                 --strategy mine --strategy shipped"
            ));
        }
        let mut names = BTreeSet::new();
        for LeagueContestant { name, .. } in &self.players {
            let long = name.chars().count() > NAME_CHARS_MAX;
            if name.is_empty() || long || name.chars().any(char::is_control) {
                let expected = format!("1 to {NAME_CHARS_MAX} printable characters");
                mistakes.push(format!("the name {name:?}: expected {expected}"));
            }
            if !names.insert(name) {
                mistakes.push(format!("two players are called {name:?}; give one another name"));
            }
        }
        if self.seeds.count == 0 || self.seeds.first.checked_add(self.seeds.count.into()).is_none()
        {
            mistakes.push("the seeds: expected at least one, and none beyond 2^64".to_owned());
        }
        if self.setup.len() > SETUP_MAX {
            mistakes.push(format!("more than {SETUP_MAX} settings of the matches"));
        }
        if self.matches() > MATCHES_MAX {
            let matches = self.matches();
            mistakes.push(format!("{matches} matches; at most {MATCHES_MAX} make a league"));
        }
        if let Some(sprt) = &self.sprt {
            mistakes.extend(sprt.mistakes());
            if self.players.len() != 2 {
                mistakes.push(format!(
                    "--sprt compares two strategies, and got {}",
                    self.players.len()
                ));
            }
        }
        mistakes
    }

    /// How many matches the whole schedule has.
    #[must_use]
    pub fn matches(&self) -> u64 {
        u64::from(self.seeds.count).saturating_mul(self.matches_per_seed())
    }

    /// The match at a place of the schedule; `None` behind its end.
    ///
    /// All meetings of a seed come before the next seed, and both sides of a meeting one after the
    /// other: so a league that is stopped early has played everybody equally often, give or take one
    /// seed.
    #[must_use]
    pub fn fixture(&self, number: u64) -> Option<Fixture> {
        if number >= self.matches() {
            return None;
        }
        let (round, rest) = (number / self.matches_per_seed(), number % self.matches_per_seed());
        let seed = self.seeds.first.checked_add(round)?;
        let mut players = self.meeting(rest / self.sides())?;
        if rest % self.sides() == 1 {
            players.reverse();
        }
        Some(Fixture { number, seed, players, values: None })
    }

    /// Matches of one seed.
    pub(crate) fn matches_per_seed(&self) -> u64 {
        self.meetings().saturating_mul(self.sides())
    }

    /// How often a meeting is played on each seed.
    fn sides(&self) -> u64 {
        if self.swap && self.pairing != Pairing::Alone { 2 } else { 1 }
    }

    fn meetings(&self) -> u64 {
        let players = self.players.len() as u64;
        match self.pairing {
            Pairing::RoundRobin => players * players.saturating_sub(1) / 2,
            Pairing::FirstAgainstAll => players.saturating_sub(1),
            Pairing::Alone => players,
        }
    }

    fn meeting(&self, number: u64) -> Option<Vec<usize>> {
        let number = usize::try_from(number).ok()?;
        let players = 0..self.players.len();
        match self.pairing {
            Pairing::RoundRobin => {
                let second = players.clone();
                let mut pairs =
                    players.flat_map(|a| second.clone().skip(a + 1).map(move |b| [a, b]));
                pairs.nth(number).map(|pair| pair.to_vec())
            }
            Pairing::FirstAgainstAll => players.skip(1).nth(number).map(|other| vec![0, other]),
            Pairing::Alone => Some(vec![number]),
        }
    }
}
