//! What the entries of a log add up to.

use crate::entry::{
    LadderDefinition, LadderEntry, LadderMeeting, LadderResult, LadderRound, Submission,
};
use crate::matchmaking::ROUND_MAX;
use phalanx_league::{MatchOutcome, Strengths};
use std::collections::BTreeMap;

/// Most versions of all strategies together.
pub const ENTRANTS_MAX: usize = 256;
/// Most matches of a ladder.
const MATCHES_MAX: usize = 1_000_000;
/// A strategy whose last matches failed, this many in a row, is not paired any more.
const FAILURES_MAX: u32 = 8;

/// A ladder so far.
#[derive(Clone, Debug, Default)]
pub struct Ladder {
    definition: Option<LadderDefinition>,
    entrants: Vec<Entrant>,
    matches: Vec<LadderMatch>,
    /// Matches with a result; they have one in the order of their numbers.
    played: usize,
    /// Matches among them that failed.
    failed: u64,
    /// What was expected of each meeting, in bits.
    bits: Vec<f64>,
    games: BTreeMap<(usize, usize), HeadToHead>,
}

/// A version of a strategy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entrant {
    pub submission: Submission,
    /// Matches that were on the schedule when it came.
    pub since: u64,
    /// Whether no later version of the strategy came.
    pub latest: bool,
    /// Matches that it played to their end.
    pub matches: u64,
    /// Matches that failed, for whatever reason.
    pub failed: u64,
    /// Failed matches since the last one that was played to its end.
    failures: u32,
    /// The reason of the last failure.
    pub trouble: Option<String>,
    /// Sum of its scores, in the referee's points.
    pub score: i128,
}

/// A match on the schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LadderMatch {
    pub seed: u64,
    /// Who plays, by place in [`Ladder::entrants`], in the order in which they sit down.
    pub players: Vec<usize>,
    /// How it ended; `None`: it was not played yet.
    pub outcome: Option<MatchOutcome>,
}

/// Games between two strategies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeadToHead {
    /// Won by the first one.
    pub won: u32,
    pub drawn: u32,
    pub lost: u32,
    /// Games without a result, since a match failed.
    pub failed: u32,
}

impl HeadToHead {
    /// The same from the other side.
    #[must_use]
    pub fn turned(self) -> Self {
        Self { won: self.lost, lost: self.won, ..self }
    }

    /// The first one's points: 1 a win, ½ a draw.
    #[must_use]
    pub fn points(self) -> f64 {
        f64::from(self.won) + f64::from(self.drawn) / 2.0
    }

    /// Counts a game.
    pub(crate) fn add(&mut self, own: i64, other: i64) {
        match own.cmp(&other) {
            std::cmp::Ordering::Greater => self.won += 1,
            std::cmp::Ordering::Less => self.lost += 1,
            std::cmp::Ordering::Equal => self.drawn += 1,
        }
    }
}

impl Entrant {
    /// `name@version`.
    #[must_use]
    pub fn id(&self) -> String {
        let Submission { name, version, .. } = &self.submission;
        format!("{name}@{version}")
    }

    /// Whether it is paired no more, since its matches failed.
    #[must_use]
    pub fn is_suspended(&self) -> bool {
        self.failures >= FAILURES_MAX
    }
}

impl Ladder {
    /// What is played; `None` before the first entry.
    #[must_use]
    pub fn definition(&self) -> Option<&LadderDefinition> {
        self.definition.as_ref()
    }

    /// All versions of all strategies, in the order in which they came.
    #[must_use]
    pub fn entrants(&self) -> &[Entrant] {
        &self.entrants
    }

    /// The whole schedule so far.
    #[must_use]
    pub fn matches(&self) -> &[LadderMatch] {
        &self.matches
    }

    /// How many matches have a result: those before this number.
    #[must_use]
    pub fn played(&self) -> usize {
        self.played
    }

    /// How many of them failed.
    #[must_use]
    pub fn failed(&self) -> u64 {
        self.failed
    }

    /// Matches on the schedule that were not played yet.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.matches.len() - self.played
    }

    /// Meetings on the schedule.
    pub(crate) fn meetings(&self) -> u64 {
        self.bits.len() as u64
    }

    /// What the meeting of a match was expected to add, in bits.
    #[must_use]
    pub fn bits_of(&self, number: usize) -> f64 {
        self.bits.get(number / 2).copied().unwrap_or_default()
    }

    /// What one strategy achieved against another.
    #[must_use]
    pub fn between(&self, one: usize, other: usize) -> HeadToHead {
        let kept = |one, other| self.games.get(&(one, other)).copied().unwrap_or_default();
        if one < other { kept(one, other) } else { kept(other, one).turned() }
    }

    /// The strengths that follow from all games.
    #[must_use]
    pub fn strengths(&self) -> Strengths {
        Strengths::of(self.entrants.len(), |one, other| self.between(one, other).points())
    }

    /// The place of a version: `name@version`, or `name` for the latest one.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<usize> {
        self.entrants
            .iter()
            .position(|one| one.id() == id || (one.latest && one.submission.name == id))
    }

    /// The submission of these files under this name; `None` if its latest version has them.
    #[must_use]
    pub fn next_version(&self, name: &str, bundle: &str) -> Option<Submission> {
        let latest = self.find(name).and_then(|place| self.entrants.get(place));
        let same = latest.is_some_and(|one| one.submission.bundle == bundle);
        let version = latest.map_or(0, |one| one.submission.version) + 1;
        let (name, bundle) = (name.to_owned(), bundle.to_owned());
        (!same).then_some(Submission { name, version, bundle })
    }

    /// The entry for the outcome of the next match.
    #[must_use]
    pub fn result(&self, outcome: &MatchOutcome) -> Option<LadderResult> {
        let next = self.matches.get(self.played)?;
        let (scores, trouble) = match outcome {
            MatchOutcome::Scores(scores) => (Some(scores.clone()), None),
            MatchOutcome::Failed(reason) => (None, Some(reason.clone())),
        };
        let players = self.ids(&next.players);
        Some(LadderResult { number: self.played as u64, seed: next.seed, players, scores, trouble })
    }

    pub(crate) fn ids(&self, players: &[usize]) -> Vec<String> {
        players.iter().filter_map(|place| Some(self.entrants.get(*place)?.id())).collect()
    }

    /// Counts the next entry of the log.
    ///
    /// # Errors
    /// When it cannot follow the entries before it.
    pub fn apply(&mut self, entry: LadderEntry) -> Result<(), String> {
        match (entry, &self.definition) {
            (LadderEntry::Ladder(definition), None) => {
                self.definition = Some(definition);
                Ok(())
            }
            (LadderEntry::Ladder(_), Some(_)) => Err("a second beginning".to_owned()),
            (_, None) => Err("expected what the ladder plays first".to_owned()),
            (LadderEntry::Submit(submission), Some(_)) => self.submit(submission),
            (LadderEntry::Round(round), Some(_)) => self.schedule(round),
            (LadderEntry::Match(result), Some(definition)) => {
                let alone = definition.alone;
                self.count(&result, alone)
            }
        }
    }

    fn submit(&mut self, submission: Submission) -> Result<(), String> {
        if let Some(mistake) = submission.mistake() {
            return Err(mistake);
        }
        let before = self.find(&submission.name);
        let version = before.and_then(|place| self.entrants.get(place));
        let expected = version.map_or(0, |one| one.submission.version) + 1;
        if submission.version != expected {
            let Submission { name, version, .. } = submission;
            return Err(format!("{name}@{version}: expected version {expected}"));
        }
        if self.entrants.len() >= ENTRANTS_MAX {
            return Err(format!(
                "the ladder has {ENTRANTS_MAX} versions of strategies already, which is the most; \
                 begin another ladder"
            ));
        }
        if let Some(before) = before.and_then(|place| self.entrants.get_mut(place)) {
            before.latest = false;
        }
        self.entrants.push(Entrant {
            submission,
            since: self.matches.len() as u64,
            latest: true,
            matches: 0,
            failed: 0,
            failures: 0,
            trouble: None,
            score: 0,
        });
        Ok(())
    }

    fn schedule(&mut self, LadderRound { meetings }: LadderRound) -> Result<(), String> {
        if self.pending() > 0 {
            return Err(format!("a round while match {} has no result", self.played));
        }
        if meetings.is_empty() || meetings.len() > ROUND_MAX {
            return Err(format!("{} meetings; expected 1 to {ROUND_MAX}", meetings.len()));
        }
        if self.matches.len() + 2 * meetings.len() > MATCHES_MAX {
            return Err(format!("more than {MATCHES_MAX} matches; begin another ladder"));
        }
        let alone = self.definition.as_ref().is_some_and(|definition| definition.alone);
        for LadderMeeting { players, seed, bits } in meetings {
            let place = |id: &String| {
                // Not by the name alone: a meeting is between versions.
                let found = self.find(id).filter(|_| id.contains('@'));
                found.ok_or_else(|| format!("{id:?} was not submitted"))
            };
            let [one, other] = [place(&players[0])?, place(&players[1])?];
            if one == other {
                return Err(format!("{} meets itself", players[0]));
            }
            let sides =
                if alone { [vec![one], vec![other]] } else { [vec![one, other], vec![other, one]] };
            for players in sides {
                self.matches.push(LadderMatch { seed, players, outcome: None });
            }
            self.bits.push(bits);
        }
        Ok(())
    }

    fn count(&mut self, result: &LadderResult, alone: bool) -> Result<(), String> {
        let number = self.played as u64;
        let Some(next) = self.matches.get(self.played) else {
            return Err(format!(
                "a result of match {}, which is not on the schedule",
                result.number
            ));
        };
        let fits = result.number == number
            && result.seed == next.seed
            && result.players == self.ids(&next.players);
        if !fits {
            let players = self.ids(&next.players).join(" and ");
            return Err(format!("expected match {number} of {players} on seed {}", next.seed));
        }
        let outcome = result.outcome().ok_or("expected a score for each player, or a trouble")?;
        self.failed += u64::from(matches!(outcome, MatchOutcome::Failed(_)));
        let players = next.players.clone();
        for (seat, player) in players.iter().enumerate() {
            if let Some(entrant) = self.entrants.get_mut(*player) {
                entrant.see(seat, &outcome);
            }
        }
        if let Some(next) = self.matches.get_mut(self.played) {
            next.outcome = Some(outcome);
        }
        self.played += 1;
        self.compare(alone);
        Ok(())
    }

    /// Counts the game that the last match ended.
    fn compare(&mut self, alone: bool) {
        let Some(last) = self.played.checked_sub(1) else { return };
        if let Some((one, other, scores)) = game_of(&self.matches, last, alone) {
            let key = (one.min(other), one.max(other));
            let games = self.games.entry(key).or_default();
            match scores {
                Some([own, against]) if one < other => games.add(own, against),
                Some([own, against]) => games.add(against, own),
                None => games.failed += 1,
            }
        }
    }
}

/// The game that a match ends: both players, and their scores unless a match failed. `None` in games
/// for one while only the first of both has played.
pub(crate) fn game_of(
    matches: &[LadderMatch],
    number: usize,
    alone: bool,
) -> Option<(usize, usize, Option<[i64; 2]>)> {
    let scores = |number: usize| match matches.get(number)?.outcome.as_ref()? {
        MatchOutcome::Scores(scores) => Some(scores.clone()),
        MatchOutcome::Failed(_) => None,
    };
    if !alone {
        let (one, other) = pair(&matches.get(number)?.players)?;
        return Some((one, other, scores(number).and_then(|scores| pair(&scores)).map(Into::into)));
    }
    if number.is_multiple_of(2) {
        return None;
    }
    let player = |number: usize| matches.get(number)?.players.first().copied();
    let first = |number: usize| scores(number)?.first().copied();
    let both = first(number - 1).zip(first(number));
    Some((player(number - 1)?, player(number)?, both.map(Into::into)))
}

fn pair<T: Copy>(both: &[T]) -> Option<(T, T)> {
    match both {
        [one, other] => Some((*one, *other)),
        _ => None,
    }
}

impl Entrant {
    fn see(&mut self, seat: usize, outcome: &MatchOutcome) {
        match outcome {
            MatchOutcome::Scores(scores) => {
                self.matches += 1;
                self.failures = 0;
                self.score += i128::from(scores.get(seat).copied().unwrap_or_default());
            }
            MatchOutcome::Failed(reason) => {
                self.failed += 1;
                self.failures = self.failures.saturating_add(1);
                self.trouble = Some(reason.clone());
            }
        }
    }
}
