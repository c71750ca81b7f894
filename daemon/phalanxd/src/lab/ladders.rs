//! A ladder as the control API shows it.

use super::recorded::ladder_recordings;
use super::workers;
use phalanx_control::LadderMatchAsk;
use phalanx_ladder::{
    FollowedLadder, Ladder, LadderMatch, LadderRow, RatingPoint, rating_series, rows,
};
use phalanx_league::MatchOutcome;
use phalanx_metrics::LabSample;
use phalanx_proto::v1;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Points of the curves, and those of a ladder with many strategies: a point takes time that grows
/// with the third power of their number.
const POINTS: (usize, usize) = (60, 12);
/// Strategies of a large ladder.
const LARGE: usize = 64;
/// Curves are computed anew after this part of the matches.
const STALE: usize = 100;

/// A ladder of another process.
#[derive(Debug)]
pub(super) struct ShownLadder {
    id: String,
    /// `None` on a server.
    folder: Option<PathBuf>,
    kept: Mutex<Kept>,
}

#[derive(Debug)]
struct Kept {
    followed: FollowedLadder,
    /// Why its newest entries cannot be read.
    trouble: String,
    /// Workers of a queue that lately played for it.
    workers: Vec<v1::QueueWorker>,
    rows: Option<AsOf<Vec<LadderRow>>>,
    /// The curves.
    series: Option<AsOf<Vec<Vec<RatingPoint>>>>,
}

/// Something that was computed after this many matches of this many strategies.
#[derive(Debug)]
struct AsOf<T> {
    played: usize,
    strategies: usize,
    value: T,
}

impl ShownLadder {
    /// The ladder of a folder; nothing is read yet.
    pub(super) fn new(id: &str, folder: &Path) -> Self {
        Self::of(id, Some(folder.to_owned()), FollowedLadder::new(folder))
    }

    /// A ladder of a server; nothing is read yet.
    pub(super) fn on_server(id: &str) -> Self {
        Self::of(id, None, FollowedLadder::on_server(id))
    }

    fn of(id: &str, folder: Option<PathBuf>, followed: FollowedLadder) -> Self {
        let (trouble, workers) = (String::new(), Vec::new());
        let kept = Kept { followed, trouble, workers, rows: None, series: None };
        Self { id: id.to_owned(), folder, kept: Mutex::new(kept) }
    }

    /// Whether a server keeps it.
    pub(super) fn is_on_server(&self) -> bool {
        self.folder.is_none()
    }

    /// Counts entries that were read from the server.
    pub(super) fn add(&self, lines: &[String]) {
        let mut kept = self.kept();
        if let Err(error) = kept.followed.add(lines) {
            kept.trouble = error.to_string();
        }
    }

    /// Notes who plays a ladder of the server.
    pub(super) fn set_player(&self, player: Option<String>) {
        self.kept().followed.set_player(player);
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        // What is kept is computed anew where it does not fit.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads what is new. Blocks.
    pub(super) fn read(&self) {
        let playing = self.folder.as_ref().filter(|_| self.kept().followed.player().is_some());
        let found = playing.map(|folder| workers(folder)).unwrap_or_default();
        let mut kept = self.kept();
        kept.workers = found;
        match kept.followed.read() {
            Err(error) => kept.trouble = error.to_string(),
            Ok(()) if kept.followed.is_broken() => {}
            Ok(()) => kept.trouble.clear(),
        }
    }

    /// How far it is, for the metrics.
    pub(super) fn sample(&self) -> LabSample<'_> {
        let kept = self.kept();
        let ladder = kept.followed.ladder();
        LabSample {
            kind: "ladder",
            name: &self.id,
            played: ladder.played() as u64,
            failed: ladder.failed(),
            planned: ladder.matches().len() as u64,
            playing: kept.followed.player().is_some(),
            workers: kept.workers.len() as u64,
        }
    }

    /// The ladder without its rows.
    pub(super) fn summary(&self) -> v1::Ladder {
        self.head(&self.kept())
    }

    fn head(&self, kept: &Kept) -> v1::Ladder {
        let ladder = kept.followed.ladder();
        let definition = ladder.definition();
        v1::Ladder {
            name: format!("ladders/{}", self.id),
            game: definition.map(|one| one.game.clone()).unwrap_or_default(),
            setup: definition.map(|one| one.setup.clone()).unwrap_or_default(),
            alone: definition.is_some_and(|one| one.alone),
            played: ladder.played() as u64,
            pending: ladder.pending() as u64,
            player: kept.followed.player().unwrap_or_default(),
            rows: Vec::new(),
            trouble: kept.trouble.clone(),
            workers: kept.workers.clone(),
        }
    }

    /// Everything but the matches.
    pub(super) fn shown(&self) -> v1::GetLadderResponse {
        let mut kept = self.kept();
        kept.refresh();
        let ladder = kept.followed.ladder();
        let rows = kept.rows.as_ref().map(|one| one.value.as_slice()).unwrap_or_default();
        let series = kept.series.as_ref().map(|one| one.value.as_slice()).unwrap_or_default();
        let line = |row: &LadderRow| {
            let points = series.get(row.entrant).into_iter().flatten();
            v1::LadderSeries { points: points.map(point).collect() }
        };
        let ladder_row = |one: &LadderRow| row(ladder, one);
        v1::GetLadderResponse {
            ladder: Some(v1::Ladder {
                rows: rows.iter().filter_map(ladder_row).collect(),
                ..self.head(&kept)
            }),
            pairs: pairs(ladder, rows),
            series: rows.iter().map(line).collect(),
        }
    }

    /// Matches that were played, the newest first.
    pub(super) fn matches(&self, ask: &LadderMatchAsk) -> Vec<v1::LadderMatch> {
        let kept = self.kept();
        let ladder = kept.followed.ladder();
        let before = ask.before.and_then(|before| usize::try_from(before).ok());
        let end = before.map_or(ladder.played(), |before| before.min(ladder.played()));
        let Some(players) = places(ladder, &ask.players) else { return Vec::new() };
        let alone = ladder.definition().is_some_and(|definition| definition.alone);
        let wanted = |number: &usize| {
            let one = players_of(ladder, *number);
            // In games for one, both matches of a meeting are compared.
            let other = if alone { players_of(ladder, number ^ 1) } else { &[] };
            players.iter().all(|player| one.contains(player) || other.contains(player))
        };
        let numbers: Vec<usize> = (0..end).rev().filter(wanted).take(ask.count).collect();
        let found = numbers
            .into_iter()
            .filter_map(|number| Some(self.one(ladder, number, ladder.matches().get(number)?)));
        found.collect()
    }

    fn one(&self, ladder: &Ladder, number: usize, one: &LadderMatch) -> v1::LadderMatch {
        let id = |place: &usize| ladder.entrants().get(*place).map(phalanx_ladder::Entrant::id);
        let (scores, trouble) = match &one.outcome {
            Some(MatchOutcome::Scores(scores)) => (scores.clone(), String::new()),
            Some(MatchOutcome::Failed(reason)) => (Vec::new(), reason.clone()),
            None => (Vec::new(), String::new()),
        };
        let folder = self.folder.as_deref();
        let recordings = folder.map(|folder| ladder_recordings(folder, &self.id, number as u64));
        let recordings = recordings.unwrap_or_default();
        v1::LadderMatch {
            number: number as u64,
            seed: one.seed,
            players: one.players.iter().filter_map(id).collect(),
            scores,
            trouble,
            bits: ladder.bits_of(number),
            recordings: recordings.iter().map(|one| format!("recordings/{}", one.id())).collect(),
        }
    }
}

impl Kept {
    /// Computes the rows, and the curves where they are older than a part of the matches.
    fn refresh(&mut self) {
        let ladder = self.followed.ladder();
        let (played, strategies) = (ladder.played(), ladder.entrants().len());
        let same = |rows: &AsOf<_>| rows.played == played && rows.strategies == strategies;
        if !self.rows.as_ref().is_some_and(same) {
            self.rows = Some(AsOf { played, strategies, value: rows(ladder) });
        }
        let fresh = |series: &AsOf<_>| {
            let more = played.checked_sub(series.played);
            series.strategies == strategies && more.is_some_and(|more| more <= played / STALE)
        };
        if !self.series.as_ref().is_some_and(fresh) {
            let (many, few) = POINTS;
            let points = if strategies > LARGE { few } else { many };
            let value = rating_series(ladder, points);
            self.series = Some(AsOf { played, strategies, value });
        }
    }
}

/// The places of all these strategies; `None` if one is not on the ladder.
fn places(ladder: &Ladder, ids: &[String]) -> Option<Vec<usize>> {
    ids.iter().map(|id| ladder.find(id)).collect()
}

fn players_of(ladder: &Ladder, number: usize) -> &[usize] {
    ladder.matches().get(number).map(|one| one.players.as_slice()).unwrap_or_default()
}

fn row(ladder: &Ladder, row: &LadderRow) -> Option<v1::LadderRow> {
    let entrant = ladder.entrants().get(row.entrant)?;
    Some(v1::LadderRow {
        strategy: entrant.id(),
        latest: entrant.latest,
        suspended: entrant.is_suspended(),
        elo: row.rating.elo,
        error: row.rating.error,
        wins: row.games.won.into(),
        draws: row.games.drawn.into(),
        losses: row.games.lost.into(),
        matches: entrant.matches,
        failed: entrant.failed,
        trouble: entrant.trouble.clone().unwrap_or_default(),
        score_mean: row.score_mean,
        since: entrant.since,
    })
}

fn pairs(ladder: &Ladder, rows: &[LadderRow]) -> Vec<v1::LadderPair> {
    let mut pairs = Vec::new();
    for (row, one) in (0..).zip(rows) {
        for (against, other) in (0..).zip(rows).skip(row as usize + 1) {
            let games = ladder.between(one.entrant, other.entrant);
            let (wins, draws, losses) = (games.won.into(), games.drawn.into(), games.lost.into());
            if wins + draws + losses > 0 {
                pairs.push(v1::LadderPair { row, against, wins, draws, losses });
            }
        }
    }
    pairs
}

fn point(point: &RatingPoint) -> v1::LadderPoint {
    v1::LadderPoint { played: point.played, elo: point.rating.elo, error: point.rating.error }
}
