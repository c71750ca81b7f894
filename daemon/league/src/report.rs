//! What a league tells: as a table, as JSON, as a cross table in Markdown.

use crate::{FailureReason, LeagueDefinition, LeagueTable, LeagueTally, RankedPlayer, SprtVerdict};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// A table for terminals, many lines.
#[must_use]
pub fn table(standing: &LeagueTable) -> String {
    let mut out = String::new();
    let width = standing.rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0).max(6);
    let mut line = |text: String| writeln!(out, "{}", text.trim_end()).unwrap_or_default();
    line(format!(
        "{:>4}  {:<width$}  {:>7} {:>7}  {:>5} {:>5} {:>5}  {:>6}  {:>10}  {:>10}",
        "RANK", "PLAYER", "ELO", "±95%", "WON", "DRAWN", "LOST", "POINTS", "SCORE", "AGAINST"
    ));
    for (rank, row) in (1..).zip(&standing.rows) {
        line(format!(
            "{rank:>4}  {:<width$}  {:>7.1} {:>7.1}  {:>5} {:>5} {:>5}  {:>6}  {:>10.2}  {:>10.2}",
            row.name,
            row.rating.elo,
            row.rating.error,
            row.wins,
            row.draws,
            row.losses,
            share(row),
            row.score_mean,
            row.against_mean,
        ));
    }
    line(summary(standing));
    for failure in &standing.failures {
        line(failure_text(failure));
    }
    out
}

fn failure_text(failure: &FailureReason) -> String {
    let FailureReason { reason, count } = failure;
    let matches = if *count == 1 { "match" } else { "matches" };
    format!("{count} {matches} failed: {reason}")
}

/// How far it got and what was decided, one line.
fn summary(standing: &LeagueTable) -> String {
    let LeagueTable { played, failed, total, .. } = standing;
    let mut text = format!("{played} of {total} matches");
    if *failed > 0 {
        text.push_str(&format!(", {failed} failed and are not counted"));
    }
    if let Some(sprt) = &standing.sprt {
        let bounds = format!("{:.2} to {:.2}", sprt.lower, sprt.upper);
        let word = verdict_word(standing.decided).unwrap_or("undecided");
        text.push_str(&format!("; early stop: LLR {:.2} ({bounds}), {word}", sprt.llr));
    }
    text
}

fn verdict_word(verdict: Option<SprtVerdict>) -> Option<&'static str> {
    verdict.map(|verdict| match verdict {
        SprtVerdict::Better => "better",
        SprtVerdict::NotBetter => "not better",
    })
}

/// The share of points in percent; a dash before the first game.
fn share(row: &RankedPlayer) -> String {
    let games = row.wins + row.draws + row.losses;
    if games == 0 {
        return "-".to_owned();
    }
    #[expect(clippy::cast_precision_loss, reason = "a share for people")]
    let share = (2 * row.wins + row.draws) as f64 / (2 * games) as f64;
    format!("{:.1}%", share * 100.0)
}

/// Everything for programs.
#[must_use]
pub fn json(plan: &LeagueDefinition, tally: &LeagueTally) -> Value {
    let standing = tally.standing();
    let row = |row: &RankedPlayer| {
        json!({
            "name": row.name, "elo": rounded(row.rating.elo), "error": rounded(row.rating.error),
            "wins": row.wins, "draws": row.draws, "losses": row.losses, "matches": row.matches,
            "score_mean": rounded(row.score_mean), "against_mean": rounded(row.against_mean),
        })
    };
    let failure = |one: &FailureReason| json!({ "reason": one.reason, "count": one.count });
    let sprt = standing.sprt.map(|sprt| {
        json!({
            "llr": rounded(sprt.llr), "lower": rounded(sprt.lower), "upper": rounded(sprt.upper),
            "decided": verdict_word(standing.decided),
        })
    });
    json!({
        "game": plan.game, "setup": plan.setup, "matches": standing.total,
        "played": standing.played, "failed": standing.failed, "over": standing.is_over(),
        "failures": standing.failures.iter().map(failure).collect::<Vec<_>>(),
        "players": standing.rows.iter().map(row).collect::<Vec<_>>(), "sprt": sprt,
    })
}

/// Three digits behind the point: more would only be noise.
#[must_use]
pub fn rounded(value: f64) -> f64 {
    (value * 1_000.0).round() / 1_000.0
}

/// A page in Markdown: the ranking, and who did how against whom.
#[must_use]
pub fn markdown(plan: &LeagueDefinition, tally: &LeagueTally) -> String {
    let standing = tally.standing();
    let mut out = String::new();
    let mut line = |text: String| writeln!(out, "{text}").unwrap_or_default();
    line(format!("# League: {}\n", cell(&plan.game)));
    line(format!("{}.\n", summary(&standing)));
    for failure in &standing.failures {
        line(format!("- {}", cell(&failure_text(failure))));
    }
    if !standing.failures.is_empty() {
        line(String::new());
    }
    line(
        "| # | player | Elo | ± 95 % | won | drawn | lost | points | score | against |".to_owned(),
    );
    line("|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|".to_owned());
    for (rank, row) in (1..).zip(&standing.rows) {
        line(format!(
            "| {rank} | {} | {:.1} | {:.1} | {} | {} | {} | {} | {:.2} | {:.2} |",
            cell(&row.name),
            row.rating.elo,
            row.rating.error,
            row.wins,
            row.draws,
            row.losses,
            share(row),
            row.score_mean,
            row.against_mean,
        ));
    }
    line("\nWon, drawn and lost by the player of the row against that of the column:\n".to_owned());
    let names: Vec<_> = standing.rows.iter().map(|row| cell(&row.name)).collect();
    line(format!("| | {} |", names.join(" | ")));
    line(format!("|---{}|", "|:-:".repeat(names.len())));
    for (row, name) in standing.rows.iter().zip(&names) {
        let against = |column: &RankedPlayer| match column.player == row.player {
            true => "·".to_owned(),
            false => {
                tally.between(row.player, column.player).map(|count| count.to_string()).join("-")
            }
        };
        let cells: Vec<_> = standing.rows.iter().map(against).collect();
        line(format!("| {name} | {} |", cells.join(" | ")));
    }
    out
}

/// A text as it may stand in a Markdown table's cell.
#[must_use]
pub fn cell(text: &str) -> String {
    text.replace('\\', "\\\\").replace('|', "\\|")
}
