//! How one match ended, in memory and as a line of a file.

use crate::{Fixture, LeagueDefinition};
use serde::{Deserialize, Serialize};

/// Longest reason of a match that failed, in characters.
pub const TROUBLE_CHARS_MAX: usize = 300;

/// How a match ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MatchOutcome {
    /// The scores of the players, in the fixture's order.
    Scores(Vec<i64>),
    /// It failed and is not counted for any player.
    Failed(String),
}

impl MatchOutcome {
    /// A failure, with its reason cut to one bounded line.
    #[must_use]
    pub fn failed(reason: &str) -> Self {
        let line = reason.chars().map(|c| if c.is_control() { ' ' } else { c });
        Self::Failed(line.take(TROUBLE_CHARS_MAX).collect())
    }
}

/// A line of the results. It holds no time: the same league gives the same lines.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ResultLine {
    #[serde(rename = "match")]
    number: u64,
    seed: u64,
    players: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scores: Option<Vec<i64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trouble: Option<String>,
}

/// The line that keeps this outcome, with its end.
pub(crate) fn write(plan: &LeagueDefinition, fixture: &Fixture, outcome: &MatchOutcome) -> String {
    let (scores, trouble) = match outcome {
        MatchOutcome::Scores(scores) => (Some(scores.clone()), None),
        MatchOutcome::Failed(reason) => (None, Some(reason.clone())),
    };
    let players = names(plan, fixture);
    let line = ResultLine { number: fixture.number, seed: fixture.seed, players, scores, trouble };
    // Numbers and texts always have a form in JSON.
    serde_json::to_string(&line).unwrap_or_default() + "\n"
}

/// The outcome that a line keeps, which must be the one of this fixture.
pub(crate) fn read(
    plan: &LeagueDefinition,
    fixture: &Fixture,
    line: &str,
) -> Result<MatchOutcome, String> {
    let ResultLine { number, seed, players, scores, trouble } =
        serde_json::from_str(line).map_err(|error| error.to_string())?;
    if (number, seed) != (fixture.number, fixture.seed) || players != names(plan, fixture) {
        let expected = format!("match {} on seed {}", fixture.number, fixture.seed);
        return Err(format!("expected {expected} between {:?}", names(plan, fixture)));
    }
    match (scores, trouble) {
        (Some(scores), None) if scores.len() == players.len() => Ok(MatchOutcome::Scores(scores)),
        (None, Some(trouble)) => Ok(MatchOutcome::failed(&trouble)),
        (Some(_) | None, _) => Err("expected a score for each player, or a trouble".to_owned()),
    }
}

/// The names of a fixture's players, in its order.
pub(crate) fn names(plan: &LeagueDefinition, fixture: &Fixture) -> Vec<String> {
    let name = |index: &usize| plan.players.get(*index).map(|player| player.name.clone());
    fixture.players.iter().filter_map(name).collect()
}
