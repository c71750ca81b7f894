//! What a tune run is asked to do.

use crate::race::rungs;
use crate::space::Dimension;
use phalanx_league::{
    Fixture, LeagueContestant, NAME_CHARS_MAX, PLAYERS_MAX, ParamValues, Seeds, SprtOptions,
};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Most matches of a run.
pub const BUDGET_MAX: u64 = 1_000_000;
/// Most parameters that may vary at once.
pub const DIMENSIONS_MAX: usize = 64;
/// One in this many matches is kept for the final test.
const TEST_SHARE: u64 = 4;
/// Candidates that race against each other.
pub(crate) const BATCH: usize = 8;

/// A run before it is played. It determines the run, with what the matches give.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TunePlan {
    /// The game's name.
    pub game: String,
    /// What exactly the game is, if it is a folder: a hash over its files. A run goes on only with
    /// the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game_files: Option<String>,
    /// What the matches are set up with, in the caller's own words: variant, steps.
    #[serde(default)]
    pub setup: BTreeMap<String, String>,
    /// The strategy; its identity leaves the values of parameters out.
    pub strategy: LeagueContestant,
    /// The opponents; empty in a game for one.
    pub opponents: Vec<TuneOpponent>,
    /// Which parameters vary.
    pub dimensions: Vec<Dimension>,
    /// Their values before the search, with which the final test compares.
    pub start: ParamValues,
    pub objective: Objective,
    /// The seeds of the search.
    pub seeds: Seeds,
    /// Whether each meeting is played twice, with the sides swapped.
    pub swap: bool,
    /// Most matches, the final test included.
    pub budget: u64,
    /// The seeds of the final test, which the search never plays.
    pub test: Seeds,
    /// What the final test has to show.
    pub sprt: SprtOptions,
    /// Seed of the search's own random numbers.
    pub seed: u64,
}

/// An opponent of all candidates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TuneOpponent {
    pub player: LeagueContestant,
    /// How much it counts, against the other opponents.
    pub weight: f64,
}

/// What is to become better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Objective {
    /// The share of points: 1 for a match that was won, ½ for one that was drawn. In a game for one,
    /// a match is won with more points than the values at the start have on the same seed.
    Win,
    /// The mean score in the referee's points.
    Score,
    /// The lead in Elo points over each opponent, averaged over the opponents.
    Rating,
}

impl Objective {
    /// Its name on command lines.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Win => "win",
            Self::Score => "score",
            Self::Rating => "rating",
        }
    }
}

impl TunePlan {
    /// Everything that is wrong with the plan, one a line; empty when nothing is.
    #[must_use]
    pub fn mistakes(&self) -> Vec<String> {
        let mut mistakes = self.contestant_mistakes();
        mistakes.extend(self.dimension_mistakes());
        mistakes.extend(self.seed_mistakes());
        mistakes.extend(self.sprt.mistakes());
        if self.seeds.count > 0 && !(self.least_budget()..=BUDGET_MAX).contains(&self.budget) {
            let (budget, least) = (self.budget, self.least_budget());
            mistakes.push(format!(
                "a budget of {budget} matches: these seeds and opponents need at least {least}, \
                 and {BUDGET_MAX} is the most; the values at the start alone take {} matches, and \
                 a quarter of the budget is kept for the final test",
                self.start_matches()
            ));
        }
        mistakes
    }

    fn contestant_mistakes(&self) -> Vec<String> {
        let mut mistakes = Vec::new();
        let mut names = BTreeSet::new();
        let others = self.opponents.iter().map(|opponent| &opponent.player.name);
        for name in others.chain([&self.strategy.name]) {
            let long = name.chars().count() > NAME_CHARS_MAX;
            if name.is_empty() || long || name.chars().any(char::is_control) {
                let expected = format!("1 to {NAME_CHARS_MAX} printable characters");
                mistakes.push(format!("the name {name:?}: expected {expected}"));
            }
            if !names.insert(name) {
                mistakes.push(format!("two players are called {name:?}; write NAME=DIR"));
            }
        }
        if self.opponents.len() >= PLAYERS_MAX {
            mistakes.push(format!("more than {} opponents", PLAYERS_MAX - 1));
        }
        for TuneOpponent { player, weight } in &self.opponents {
            if !(weight.is_finite() && *weight > 0.0) {
                let name = &player.name;
                mistakes
                    .push(format!("the weight of {name}: expected a number above 0, got {weight}"));
            }
        }
        mistakes
    }

    fn dimension_mistakes(&self) -> Vec<String> {
        let mut mistakes = Vec::new();
        if !(1..=DIMENSIONS_MAX).contains(&self.dimensions.len()) {
            let count = self.dimensions.len();
            mistakes.push(format!("{count} parameters to vary; expected 1 to {DIMENSIONS_MAX}"));
        }
        let mut names = BTreeSet::new();
        for dimension in &self.dimensions {
            let name = &dimension.name;
            mistakes.extend(dimension.mistakes());
            if !names.insert(name) {
                mistakes.push(format!("parameter {name} is named twice"));
            }
            if self.start.get(name).and_then(|value| dimension.place_of(value)).is_none() {
                mistakes.push(format!("parameter {name} has no value to start from"));
            }
        }
        mistakes
    }

    fn seed_mistakes(&self) -> Vec<String> {
        let mut mistakes = Vec::new();
        for (what, seeds) in [("the seeds", self.seeds), ("the seeds of the test", self.test)] {
            if seeds.count == 0 || seeds.first.checked_add(seeds.count.into()).is_none() {
                mistakes.push(format!("{what}: expected at least one, and none beyond 2^64"));
            }
        }
        let end = |seeds: Seeds| seeds.first.saturating_add(seeds.count.into());
        if self.seeds.first < end(self.test) && self.test.first < end(self.seeds) {
            mistakes.push(
                "the final test has seeds of the search: it would prove nothing; give other ones"
                    .to_owned(),
            );
        }
        mistakes
    }

    /// A short name that this plan alone has.
    #[must_use]
    pub fn id(&self) -> String {
        // Numbers and texts always have a form in JSON.
        let digest = Sha256::digest(serde_json::to_vec(self).unwrap_or_default());
        digest.iter().take(5).fold(String::new(), |mut id, byte| {
            write!(id, "{byte:02x}").unwrap_or_default();
            id
        })
    }

    /// In what the plan that a folder keeps differs from this one; where players come from is no
    /// difference.
    #[must_use]
    pub fn difference(&self, kept: &Self) -> Option<String> {
        let names = |plan: &Self| {
            let others = plan.opponents.iter().map(|one| one.player.name.clone());
            [plan.strategy.name.clone()].into_iter().chain(others).collect::<Vec<_>>()
        };
        let identities = |plan: &Self| {
            let others = plan.opponents.iter().map(|one| one.player.identity.clone());
            [plan.strategy.identity.clone()].into_iter().chain(others).collect::<Vec<_>>()
        };
        if kept.game != self.game {
            return Some(format!("its game is {}", kept.game));
        }
        // A run from before this was kept goes on.
        if kept.game_files.is_some() && kept.game_files != self.game_files {
            return Some(format!("the files of the game {} were other ones", kept.game));
        }
        if names(kept) != names(self) {
            return Some(format!("its players are {}", names(kept).join(", ")));
        }
        let (old, new) = (identities(kept), identities(self));
        let mut pairs = old.iter().zip(&new).zip(names(kept));
        if let Some((_, name)) = pairs.find(|((old, new), _)| old != new) {
            return Some(format!("the files of {name} were other ones"));
        }
        if kept.dimensions != self.dimensions {
            let names: Vec<_> = kept.dimensions.iter().map(|one| one.name.as_str()).collect();
            return Some(format!("its parameters are {}, in their ranges then", names.join(", ")));
        }
        if kept.start != self.start {
            return Some("it started from other values".to_owned());
        }
        if kept.setup != self.setup {
            return Some(format!("its matches are set up with {:?}", kept.setup));
        }
        let rest = |plan: &Self| {
            let weights: Vec<_> = plan.opponents.iter().map(|one| one.weight).collect();
            let matches = (plan.seeds, plan.test, plan.swap, plan.budget);
            (weights, plan.objective, matches, plan.sprt, plan.seed)
        };
        let other = rest(kept) != rest(self);
        other.then(|| {
            let what = "seeds, budget, objective, weights or the final test are other ones";
            format!("{what}; its budget is {}", kept.budget)
        })
    }

    /// The seeds of a final test by default: those after the search's, as many as the budget
    /// can pay for.
    #[must_use]
    pub fn usual_test(&self) -> Seeds {
        let most = self.budget / (2 * count(self.cells()));
        let first = self.seeds.first.saturating_add(self.seeds.count.into());
        Seeds { first, count: u32::try_from(most).unwrap_or(u32::MAX).max(1) }
    }

    /// How often a meeting is played on each seed.
    pub(crate) fn sides(&self) -> usize {
        if self.swap && !self.opponents.is_empty() { 2 } else { 1 }
    }

    /// Matches of a candidate on each seed.
    pub(crate) fn cells(&self) -> usize {
        self.opponents.len().max(1) * self.sides()
    }

    pub(crate) fn weight(&self, opponent: usize) -> f64 {
        self.opponents.get(opponent).map_or(1.0, |opponent| opponent.weight)
    }

    pub(crate) fn weight_of_cell(&self, cell: usize) -> f64 {
        self.weight(cell / self.sides())
    }

    /// Whether the strategy sits on the second side.
    pub(crate) fn is_swapped(&self, cell: usize) -> bool {
        cell % self.sides() == 1
    }

    pub(crate) fn opponent_of_cell(&self, cell: usize) -> Option<&TuneOpponent> {
        self.opponents.get(cell / self.sides())
    }

    /// A match of the strategy with these values.
    pub(crate) fn fixture(
        &self,
        number: u64,
        seed: u64,
        cell: usize,
        values: &ParamValues,
    ) -> Fixture {
        let mut players = vec![0];
        if !self.opponents.is_empty() {
            players.push(1 + cell / self.sides());
        }
        if self.is_swapped(cell) {
            players.reverse();
        }
        Fixture { number, seed, players, values: Some(values.clone()) }
    }

    /// Matches that the values at the start take.
    fn start_matches(&self) -> u64 {
        u64::from(self.seeds.count).saturating_mul(count(self.cells()))
    }

    /// Most matches of the search.
    pub(crate) fn search_budget(&self) -> u64 {
        self.budget - self.budget / TEST_SHARE
    }

    /// The start, and one candidate up to the end of its race.
    fn least_budget(&self) -> u64 {
        let first = rungs(self.seeds.count).first().copied().unwrap_or(1);
        let batch = u64::from(first) * count(self.cells()) * count(BATCH);
        let search = self.start_matches().saturating_add(batch.max(self.start_matches()));
        search.saturating_mul(TEST_SHARE).div_ceil(TEST_SHARE - 1)
    }
}

pub(crate) fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
