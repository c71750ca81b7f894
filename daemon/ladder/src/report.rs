//! What a ladder says: as a table, as JSON, in Markdown, as curves over the matches.

use crate::entry::LadderDefinition;
use crate::ladder::{HeadToHead, Ladder, LadderMatch, game_of};
use phalanx_league::{MatchOutcome, Rating, Strengths, cell, rounded};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// A strategy's place on the ladder.
#[derive(Clone, Debug, PartialEq)]
pub struct LadderRow {
    /// Its place in [`Ladder::entrants`].
    pub entrant: usize,
    pub rating: Rating,
    /// Its games against all others.
    pub games: HeadToHead,
    /// Its mean score, in the referee's points.
    pub score_mean: f64,
}

/// The rating of a strategy after some matches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatingPoint {
    /// Matches that were played until then.
    pub played: u64,
    pub rating: Rating,
}

impl LadderRow {
    /// Whether it has a game with a result. Without one, its rating is only where all begin.
    #[must_use]
    pub fn is_rated(&self) -> bool {
        self.games.won + self.games.drawn + self.games.lost > 0
    }

    /// Elo and its error; dashes without a game.
    fn rating_text(&self) -> [String; 2] {
        let Rating { elo, error, .. } = self.rating;
        let shown = |number: f64| if self.is_rated() { format!("{number:.1}") } else { "-".into() };
        [shown(elo), shown(error)]
    }
}

/// All versions, the best first; those without a game with a result come last.
#[must_use]
pub fn rows(ladder: &Ladder) -> Vec<LadderRow> {
    let ratings = ladder.strengths().ratings();
    let row = |(entrant, rating): (usize, Rating)| {
        let mut games = HeadToHead::default();
        for other in (0..ladder.entrants().len()).filter(|other| *other != entrant) {
            let with = ladder.between(entrant, other);
            games.won += with.won;
            games.drawn += with.drawn;
            games.lost += with.lost;
            games.failed += with.failed;
        }
        let one = ladder.entrants().get(entrant);
        let score_mean = one.map_or(0.0, |one| mean(one.score, one.matches));
        LadderRow { entrant, rating, games, score_mean }
    };
    let mut rows: Vec<_> = ratings.into_iter().enumerate().map(row).collect();
    // Equal ratings are in the order in which they came.
    rows.sort_by(|a, b| {
        let rated = b.is_rated().cmp(&a.is_rated());
        let elo = || b.rating.elo.total_cmp(&a.rating.elo);
        rated.then_with(elo).then(a.entrant.cmp(&b.entrant))
    });
    rows
}

/// The ratings of all versions after each of about `points` equal parts of the matches, in the order
/// of [`Ladder::entrants`]. A version has none before it was submitted.
#[must_use]
pub fn rating_series(ladder: &Ladder, points: usize) -> Vec<Vec<RatingPoint>> {
    let alone = ladder.definition().is_some_and(|definition| definition.alone);
    let mut series = vec![Vec::new(); ladder.entrants().len()];
    let played = ladder.played();
    let step = played.div_ceil(points.max(1)).max(2).next_multiple_of(2);
    let mut games: BTreeMap<(usize, usize), HeadToHead> = BTreeMap::new();
    for number in 0..played {
        if let Some((one, other, Some([own, against]))) = game_of(ladder.matches(), number, alone) {
            games.entry((one, other)).or_default().add(own, against);
        }
        let until = number + 1;
        if !until.is_multiple_of(step) && until != played {
            continue;
        }
        let there = |place: &usize| {
            ladder.entrants().get(*place).is_some_and(|one| one.since < until as u64)
        };
        let count = (0..series.len()).take_while(there).count();
        let between = |one, other| games.get(&(one, other)).copied().unwrap_or_default();
        let points =
            |one, other| between(one, other).points() + between(other, one).turned().points();
        let ratings = Strengths::of(count, points).ratings();
        for (line, rating) in series.iter_mut().zip(ratings) {
            line.push(RatingPoint { played: until as u64, rating });
        }
    }
    series
}

/// The ladder as a table for terminals, many lines. Earlier versions are in it if `all`.
#[must_use]
pub fn table(ladder: &Ladder, all: bool) -> String {
    let mut out = String::new();
    let mut line = |text: String| writeln!(out, "{}", text.trim_end()).unwrap_or_default();
    let rows = rows(ladder);
    let shown = || rows.iter().filter(|row| all || is_latest(ladder, row));
    let width = shown().map(|row| id(ladder, row).chars().count()).max().unwrap_or(0).max(8);
    line(format!(
        "{:>4}  {:<width$}  {:>7} {:>7}  {:>5} {:>5} {:>5}  {:>7} {:>6}  {:>10}",
        "RANK", "STRATEGY", "ELO", "±95%", "WON", "DRAWN", "LOST", "MATCHES", "FAILED", "SCORE"
    ));
    for (rank, row) in (1..).zip(shown()) {
        let Some(entrant) = ladder.entrants().get(row.entrant) else { continue };
        let note = if entrant.is_suspended() { "  suspended" } else { "" };
        let note = if entrant.latest { note } else { "  earlier version" };
        let [elo, error] = row.rating_text();
        line(format!(
            "{rank:>4}  {:<width$}  {elo:>7} {error:>7}  {:>5} {:>5} {:>5}  {:>7} {:>6}  {:>10.2}{note}",
            entrant.id(),
            row.games.won,
            row.games.drawn,
            row.games.lost,
            entrant.matches,
            entrant.failed,
            row.score_mean,
        ));
    }
    line(summary(ladder));
    for entrant in ladder.entrants().iter().filter(|one| one.is_suspended()) {
        let why = entrant.trouble.as_deref().unwrap_or_default();
        line(format!("{} plays no more, since its last matches failed: {why}", entrant.id()));
    }
    out
}

fn summary(ladder: &Ladder) -> String {
    let game = ladder.definition().map_or("", |definition| definition.game.as_str());
    let played = ladder.played();
    let mut text = format!("{game}, {played} matches");
    if ladder.pending() > 0 {
        text.push_str(&format!(", {} of a round that was begun", ladder.pending()));
    }
    text
}

/// Everything for programs, without the matches.
#[must_use]
pub fn json(ladder: &Ladder) -> Value {
    let row = |(rank, row): (usize, &LadderRow)| {
        let entrant = ladder.entrants().get(row.entrant)?;
        Some(json!({
            "rank": rank, "strategy": entrant.id(), "name": entrant.submission.name,
            "version": entrant.submission.version, "bundle": entrant.submission.bundle,
            "latest": entrant.latest, "suspended": entrant.is_suspended(),
            "elo": rounded(row.rating.elo), "error": rounded(row.rating.error),
            "wins": row.games.won, "draws": row.games.drawn, "losses": row.games.lost,
            "matches": entrant.matches, "failed": entrant.failed, "trouble": entrant.trouble,
            "score_mean": rounded(row.score_mean), "since": entrant.since,
        }))
    };
    let rows = rows(ladder);
    let (game, setup, seed) = match ladder.definition() {
        Some(LadderDefinition { game, setup, seed, .. }) => (game.clone(), setup.clone(), *seed),
        None => Default::default(),
    };
    let against = |one: &LadderRow| -> Value {
        let with = |other: &&LadderRow| {
            let HeadToHead { won, drawn, lost, .. } = ladder.between(one.entrant, other.entrant);
            (won + drawn + lost > 0).then(|| (id(ladder, other), json!([won, drawn, lost])))
        };
        Value::Object(rows.iter().filter_map(|other| with(&other)).collect())
    };
    let head_to_head: serde_json::Map<_, _> =
        rows.iter().map(|one| (id(ladder, one), against(one))).collect();
    json!({
        "game": game, "setup": setup, "seed": seed, "played": ladder.played(),
        "pending": ladder.pending(),
        "strategies": (1..).zip(&rows).filter_map(row).collect::<Vec<_>>(),
        "head_to_head": head_to_head,
    })
}

/// The matches that a strategy played, or all, the newest last; at most `last` of them. Each has a
/// line for terminals and a value for programs.
#[must_use]
pub fn history(ladder: &Ladder, strategy: Option<usize>, last: usize) -> Vec<(String, Value)> {
    let matches = ladder.matches().iter().take(ladder.played()).enumerate();
    let wanted = |one: &LadderMatch| strategy.is_none_or(|place| one.players.contains(&place));
    let mut shown: Vec<_> = matches.rev().filter(|(_, one)| wanted(one)).take(last).collect();
    shown.reverse();
    shown.into_iter().map(|(number, one)| past(ladder, number, one)).collect()
}

fn past(ladder: &Ladder, number: usize, one: &LadderMatch) -> (String, Value) {
    let players = ladder.ids(&one.players);
    let (scores, trouble) = match &one.outcome {
        Some(MatchOutcome::Scores(scores)) => (Some(scores), None),
        Some(MatchOutcome::Failed(reason)) => (None, Some(reason)),
        None => (None, None),
    };
    let sides: Vec<String> = match scores {
        Some(scores) => {
            players.iter().zip(scores).map(|(id, score)| format!("{id} {score}")).collect()
        }
        None => players.clone(),
    };
    let bits = ladder.bits_of(number);
    let mut line = format!("{number:>7}  seed {:<8} {}", one.seed, sides.join(" : "));
    if let Some(trouble) = trouble {
        line.push_str(&format!("  failed: {trouble}"));
    }
    let value = json!({
        "match": number, "seed": one.seed, "players": players, "scores": scores,
        "trouble": trouble, "bits": bits,
    });
    (line, value)
}

/// A page in Markdown: the ranking, and how everybody did against whom.
#[must_use]
pub fn markdown(ladder: &Ladder) -> String {
    let mut out = String::new();
    let mut line = |text: String| writeln!(out, "{text}").unwrap_or_default();
    let rows = rows(ladder);
    line(format!("# Ladder: {}\n", cell(&summary(ladder))));
    line("| # | strategy | Elo | ± 95 % | won | drawn | lost | matches | failed |".to_owned());
    line("|--:|---|--:|--:|--:|--:|--:|--:|--:|".to_owned());
    for (rank, row) in (1..).zip(&rows) {
        let Some(entrant) = ladder.entrants().get(row.entrant) else { continue };
        let [elo, error] = row.rating_text();
        line(format!(
            "| {rank} | {} | {elo} | {error} | {} | {} | {} | {} | {} |",
            cell(&entrant.id()),
            row.games.won,
            row.games.drawn,
            row.games.lost,
            entrant.matches,
            entrant.failed,
        ));
    }
    line(
        "\nWon, drawn and lost by the strategy of the row against that of the column:\n".to_owned(),
    );
    let names: Vec<_> = rows.iter().map(|row| cell(&id(ladder, row))).collect();
    line(format!("| | {} |", names.join(" | ")));
    line(format!("|---{}|", "|:-:".repeat(names.len())));
    for (row, name) in rows.iter().zip(&names) {
        let against = |column: &LadderRow| {
            let HeadToHead { won, drawn, lost, .. } = ladder.between(row.entrant, column.entrant);
            if won + drawn + lost == 0 { "·".to_owned() } else { format!("{won}-{drawn}-{lost}") }
        };
        let cells: Vec<_> = rows.iter().map(against).collect();
        line(format!("| {name} | {} |", cells.join(" | ")));
    }
    out
}

fn id(ladder: &Ladder, row: &LadderRow) -> String {
    ladder.ids(&[row.entrant]).concat()
}

fn is_latest(ladder: &Ladder, row: &LadderRow) -> bool {
    ladder.entrants().get(row.entrant).is_some_and(|one| one.latest)
}

#[expect(clippy::cast_precision_loss, reason = "a mean for people")]
fn mean(sum: i128, count: u64) -> f64 {
    if count == 0 { 0.0 } else { sum as f64 / count as f64 }
}
