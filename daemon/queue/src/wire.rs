//! What travels: items, results, notes, and the subjects that they travel on.

use crate::BundleBytes;
use phalanx_league::{Fixture, MatchOutcome, ParamValues};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Raised when a message changes its meaning: other revisions refuse each other's items.
const REVISION: u32 = 1;
/// The stream with the items that no worker has finished.
pub(crate) const MATCHES: &str = "PHALANX_MATCHES";
/// The stream with the results that no coordinator has taken.
pub(crate) const RESULTS: &str = "PHALANX_RESULTS";
/// The consumer that all workers share.
pub(crate) const WORKERS: &str = "workers";
/// The bucket with the strategies.
pub(crate) const BUNDLES: &str = "phalanx_bundles";
/// The bucket with the leases of coordinators.
pub(crate) const LEASES: &str = "phalanx_leagues";

/// The version of the programs that both sides of a queue must have.
pub(crate) fn version(program: &str) -> String {
    format!("{program}/{REVISION}")
}

/// The version of the program in what [`version`] returned.
pub(crate) fn program(version: &str) -> &str {
    version.rsplit_once('/').map_or(version, |(program, _)| program)
}

/// Subjects of one run.
#[derive(Clone, Debug)]
pub(crate) struct RunSubjects(pub(crate) String);

impl RunSubjects {
    pub(crate) fn item(&self, number: u64) -> String {
        format!("phalanx.match.{}.{number}", self.0)
    }

    pub(crate) fn items(&self) -> String {
        format!("phalanx.match.{}.>", self.0)
    }

    pub(crate) fn result(&self, number: u64) -> String {
        format!("phalanx.result.{}.{number}", self.0)
    }

    pub(crate) fn results(&self) -> String {
        format!("phalanx.result.{}.>", self.0)
    }

    /// Notes are no part of a stream: a coordinator that is away does not need them.
    pub(crate) fn notes(&self) -> String {
        format!("phalanx.note.{}", self.0)
    }
}

/// The run and the number in the subject of an item.
pub(crate) fn item_of_subject(subject: &str) -> Option<(&str, u64)> {
    let (run, number) = subject.strip_prefix("phalanx.match.")?.split_once('.')?;
    Some((run, number.parse().ok()?))
}

/// The number in the subject of a result.
pub(crate) fn number_of_result(subject: &str) -> Option<u64> {
    let (_, number) = subject.strip_prefix("phalanx.result.")?.split_once('.')?;
    number.parse().ok()
}

/// Where a worker answers whether it is there.
pub(crate) fn worker_subject(worker: &str) -> String {
    format!("phalanx.worker.{worker}")
}

/// Where a coordinator answers whether it is there.
pub(crate) fn coordinator_subject(session: &str) -> String {
    format!("phalanx.coordinator.{session}")
}

/// A match to be played: everything that determines it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatchItem {
    /// The game's name.
    pub game: String,
    /// What the match is set up with, in the words of the league's plan.
    pub setup: BTreeMap<String, String>,
    /// The hashes of the bundles that play, in the order of the plan.
    pub bundles: Vec<String>,
    /// Who plays, by place in `bundles`, in the order in which they sit down.
    pub players: Vec<usize>,
    pub seed: u64,
    /// Values of parameters with which the first bundle plays; `None`: its own.
    pub values: Option<ParamValues>,
}

impl MatchItem {
    /// The item of a fixture whose players are places in these bundles; `None` if one is not there.
    #[must_use]
    pub fn new(
        game: &str,
        setup: &BTreeMap<String, String>,
        bundles: &[BundleBytes],
        fixture: &Fixture,
    ) -> Option<Self> {
        let mut seated = fixture.players.clone();
        seated.sort_unstable();
        seated.dedup();
        let hash = |place: &usize| bundles.get(*place).map(|bundle| bundle.hash.clone());
        let place = |player: &usize| seated.iter().position(|one| one == player);
        Some(Self {
            game: game.to_owned(),
            setup: setup.clone(),
            bundles: seated.iter().map(hash).collect::<Option<_>>()?,
            players: fixture.players.iter().map(place).collect::<Option<_>>()?,
            seed: fixture.seed,
            // The values are those of the plan's first player.
            values: fixture.values.clone().filter(|_| seated.first() == Some(&0)),
        })
    }

    /// Tells results of this match from those of any other one.
    pub(crate) fn fingerprint(&self) -> String {
        fingerprint(self)
    }

    /// Whether a worker can make sense of it.
    pub(crate) fn is_sound(&self) -> bool {
        (1..=2).contains(&self.players.len())
            && self.bundles.len() <= self.players.len()
            && self.players.iter().all(|place| *place < self.bundles.len())
            && self.bundles.iter().all(|hash| is_hash(hash))
    }
}

/// The first 16 hexadecimal digits of the SHA-256 of a value's JSON.
pub(crate) fn fingerprint(value: &impl Serialize) -> String {
    // Numbers and texts always have a form in JSON.
    let digest = Sha256::digest(serde_json::to_vec(value).unwrap_or_default());
    digest.iter().take(8).fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap_or_default();
        text
    })
}

fn is_hash(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// An item on the queue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct QueuedItem {
    /// First, and read alone: the rest may be another version's.
    pub(crate) version: String,
    /// The coordinator that asks.
    pub(crate) session: String,
    /// How often it was put on the queue before, in this session.
    pub(crate) attempt: u32,
    #[serde(rename = "match")]
    pub(crate) item: MatchItem,
}

/// The part of an item that every version reads.
#[derive(Debug, Deserialize)]
pub(crate) struct ItemVersion {
    pub(crate) version: String,
    #[serde(default)]
    pub(crate) session: String,
    #[serde(default)]
    pub(crate) attempt: u32,
}

/// What became of an item.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ResultMessage {
    pub(crate) worker: String,
    pub(crate) version: String,
    /// The fingerprint of the item's match; empty if the worker could not read it.
    pub(crate) fingerprint: String,
    /// The attempt that it answers.
    pub(crate) attempt: u32,
    pub(crate) answer: WorkerAnswer,
}

/// What a worker says of an item.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum WorkerAnswer {
    /// The players' scores, in the order of the item.
    Scores(Vec<i64>),
    /// The match failed, as it would in one process.
    Failed(String),
    /// The match ended the process that played it.
    Died(String),
    /// The worker cannot play it: another version, or a bundle that is missing.
    Refused {
        reason: String,
        /// Whether the bundles should be uploaded again.
        bundles: bool,
    },
}

impl WorkerAnswer {
    /// How the match ended; `None` if it did not.
    pub(crate) fn outcome(&self, players: usize) -> Option<MatchOutcome> {
        match self {
            Self::Scores(scores) if scores.len() == players => {
                Some(MatchOutcome::Scores(scores.clone()))
            }
            Self::Failed(reason) => Some(MatchOutcome::failed(reason)),
            Self::Scores(_) | Self::Died(_) | Self::Refused { .. } => None,
        }
    }
}

/// What a worker says while it has an item.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct WorkerNote {
    pub(crate) worker: String,
    pub(crate) number: u64,
    pub(crate) event: NoteEvent,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum NoteEvent {
    /// It begins to play.
    Began,
    /// It stops and leaves the item to others.
    GaveBack,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item() -> MatchItem {
        MatchItem {
            game: "toy".into(),
            setup: BTreeMap::new(),
            bundles: vec!["a".repeat(64), "b".repeat(64)],
            players: vec![1, 0],
            seed: 7,
            values: None,
        }
    }

    #[test]
    fn the_number_of_a_match_is_in_its_subjects() {
        let subjects = RunSubjects("0f".into());
        assert_eq!(item_of_subject(&subjects.item(12)), Some(("0f", 12)));
        assert_eq!(number_of_result(&subjects.result(12)), Some(12));
        assert_eq!(item_of_subject("phalanx.match.0f.x"), None);
        assert_eq!(item_of_subject("other"), None);
    }

    #[test]
    fn matches_that_differ_have_other_fingerprints() {
        let other = MatchItem { seed: 8, ..item() };
        assert_eq!(item().fingerprint(), item().fingerprint());
        assert_ne!(item().fingerprint(), other.fingerprint());
    }

    #[test]
    fn an_item_that_names_bundles_wrongly_is_not_sound() {
        assert!(item().is_sound());
        assert!(!MatchItem { players: vec![0, 2], ..item() }.is_sound());
        assert!(!MatchItem { players: vec![], ..item() }.is_sound());
        assert!(!MatchItem { bundles: vec!["../x".into(), "b".repeat(64)], ..item() }.is_sound());
    }

    #[test]
    fn scores_count_only_if_every_player_has_one() {
        let scores = WorkerAnswer::Scores(vec![1, 2]);
        assert_eq!(scores.outcome(2), Some(MatchOutcome::Scores(vec![1, 2])));
        assert_eq!(scores.outcome(1), None);
        assert_eq!(WorkerAnswer::Died("killed".into()).outcome(2), None);
    }
}
