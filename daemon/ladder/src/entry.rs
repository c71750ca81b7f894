//! The entries of a ladder's log, and what makes one valid by itself.

use phalanx_league::MatchOutcome;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Longest name of a strategy, in characters.
const NAME_CHARS_MAX: usize = 64;
/// Largest strategy, in bytes of its files as JSON: a hundred times a shipped one. A ladder keeps
/// all versions.
pub const SUBMISSION_BYTES_MAX: usize = 4 << 20;

/// An entry of a ladder's log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LadderEntry {
    /// What is played; the first entry, and no other one.
    Ladder(LadderDefinition),
    /// A strategy, or another version of one.
    Submit(Submission),
    /// The matches that come next.
    Round(LadderRound),
    /// How the next match ended.
    Match(LadderResult),
}

/// What a ladder plays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LadderDefinition {
    /// The game's name.
    pub game: String,
    /// What matches are set up with, in the caller's own words: variant, steps.
    #[serde(default)]
    pub setup: BTreeMap<String, String>,
    /// Whether a team plays alone: then the higher score on the same seed wins.
    pub alone: bool,
    /// The seed of the first meeting, and of the choice between pairings that are equally good.
    pub seed: u64,
}

/// A version of a strategy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Submission {
    pub name: String,
    /// Its version, from 1.
    pub version: u32,
    /// The hash of its files.
    pub bundle: String,
}

/// Meetings that are chosen together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LadderRound {
    pub meetings: Vec<LadderMeeting>,
}

/// Two matches between two strategies on one seed: one on each side; in games for one, one each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LadderMeeting {
    /// Both strategies, as `name@version`.
    pub players: [String; 2],
    pub seed: u64,
    /// What the meeting was expected to add to what is known of the strengths, in bits.
    pub bits: f64,
}

/// How a match ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LadderResult {
    /// Its place among all matches, from 0.
    pub number: u64,
    pub seed: u64,
    /// Who played, as `name@version`, in the order in which they sat down.
    pub players: Vec<String>,
    /// The scores of the players, in the same order; `None` if the match failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scores: Option<Vec<i64>>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
}

impl LadderEntry {
    /// The line that keeps it, without its end.
    #[must_use]
    pub fn line(&self) -> String {
        // Numbers and texts always have a form in JSON.
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl Submission {
    /// What is wrong with it by itself.
    #[must_use]
    pub fn mistake(&self) -> Option<String> {
        if !is_name(&self.name) {
            return Some(format!(
                "the name {:?}: expected 1 to {NAME_CHARS_MAX} of the characters a to z, A to Z, 0 \
                 to 9, `-`, `_` and `.`, beginning with a letter or a digit; write NAME=DIR",
                self.name
            ));
        }
        let hash = self.bundle.len() == 64 && self.bundle.bytes().all(|b| b.is_ascii_hexdigit());
        (!hash).then(|| format!("{:?} is no hash of a strategy", self.bundle))
    }
}

fn is_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || ['-', '_', '.'].contains(&c);
    name.len() <= NAME_CHARS_MAX
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(plain)
}

impl LadderResult {
    /// The outcome; `None` if it has neither scores nor a trouble, or both.
    #[must_use]
    pub fn outcome(&self) -> Option<MatchOutcome> {
        match (&self.scores, &self.trouble) {
            (Some(scores), None) if scores.len() == self.players.len() => {
                Some(MatchOutcome::Scores(scores.clone()))
            }
            (None, Some(trouble)) => Some(MatchOutcome::failed(trouble)),
            (Some(_) | None, _) => None,
        }
    }
}
