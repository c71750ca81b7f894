//! What a match leaves behind: the replay's lines and the result (spec section 10).

use super::agent::{ArenaAgent, Taint};
use super::options::{ArenaOptions, Mode};
use super::ratings::PlayerRating;
use crate::rules::PyNumber;
use crate::wire::text;
use phalanx_game::sorted::Order;
use phalanx_game::{Score, points_text};
use serde_json::{Map, Value};

/// The score of a disqualified agent.
pub(super) const TAINTED_SCORE: f64 = -10.0;

/// The score of one agent in a result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Points {
    pub(super) value: f64,
    pub(super) whole: bool,
}

fn points(out: &mut String, points: Points) {
    #[expect(clippy::cast_possible_truncation, reason = "whole scores are small")]
    let num = if points.whole {
        PyNumber::whole(points.value as i32)
    } else {
        PyNumber::float(points.value)
    };
    text::num(out, num);
}

/// One tick's line of a replay.
pub(super) fn replay_line(
    config: &str,
    epochs: u32,
    epoch: u32,
    state: &str,
    actions: &[Option<Value>],
    agents: &[ArenaAgent],
) -> String {
    let (mut said, mut ids) = (String::new(), String::new());
    text::list(&mut said, actions, |out, action| match action {
        Some(action) => text::value(out, action),
        None => out.push_str("{}"),
    });
    text::list(&mut ids, agents, |out, agent| text::string(out, &agent.id));
    let last = if epochs == 0 { "-1".to_owned() } else { epochs.to_string() };
    format!(
        "{{\"game_config\": {config}, \"epoch\": {epoch}, \"max_epoch\": {last}, \
         \"world_state\": {state}, \"agent_actions\": {said}, \"agent_ids\": {ids}}}\n"
    )
}

/// How a match ended, as an object's text.
pub(super) fn outcome(tainted: Option<Taint>, chess: Option<[&str; 3]>) -> String {
    let mut parts = Vec::new();
    let termination = chess.map_or("GAME_ENDED", |[termination, ..]| termination);
    let termination = if tainted.is_some() { "TAINTED" } else { termination };
    parts.push(format!("\"termination\": \"{termination}\""));
    if let Some([_, winner, result]) = chess {
        parts.push(format!("\"winner\": \"{winner}\", \"result\": \"{result}\""));
    }
    if let Some(taint) = tainted {
        parts.push(format!("\"tainted_reason\": \"{}\"", taint.word()));
    }
    format!("{{{}}}", parts.join(", "))
}

/// The result's line: scores best first.
pub(super) fn result(
    options: &ArenaOptions,
    agents: &[ArenaAgent],
    scores: &[Points],
    replay: Option<&str>,
    outcome: &str,
) -> String {
    let mut rows: Vec<(&ArenaAgent, Points)> = agents.iter().zip(scores.iter().copied()).collect();
    rows.order_by(|(_, a), (_, b)| b.value.total_cmp(&a.value));
    let mut out = "{\"scores\": ".to_owned();
    text::list(&mut out, rows, |out, (agent, score)| {
        out.push_str("{\"name\": ");
        text::value(out, &agent.name);
        out.push_str(", \"version\": ");
        text::value(out, &agent.version);
        out.push_str(", \"score\": ");
        points(out, score);
        out.push_str(", \"agent_id\": ");
        text::string(out, &agent.id);
        out.push_str(", \"agent_path\": ");
        let player = agent.player;
        let path = options.paths.get(player).or_else(|| options.players.get(player));
        text::string(out, path.map_or("", String::as_str));
        let taint = agent.tainted();
        out.push_str(if taint.is_some() { ", \"tainted\": true" } else { ", \"tainted\": false" });
        match taint {
            Some(taint) => {
                out.push_str(", \"tainted_reason\": ");
                text::string(out, taint.word());
            }
            None => out.push_str(", \"tainted_reason\": null"),
        }
        out.push('}');
    });
    out.push_str(", \"replay_file\": ");
    match replay {
        Some(name) => text::string(&mut out, name),
        None => out.push_str("null"),
    }
    let tainted = agents.iter().any(|agent| agent.tainted().is_some());
    out.push_str(&format!(", \"outcome\": {outcome}, \"has_tainted_agent\": {tainted}"));
    let mode = if options.fairness == crate::rules::catcher::Fairness::Strict {
        "strict"
    } else {
        "faithful"
    };
    out.push_str(&format!(", \"mode\": \"{mode}\", \"troubles\": "));
    let troubled = agents.iter().filter_map(|agent| Some((agent, agent.trouble.as_ref()?)));
    text::items(&mut out, ['{', '}'], troubled, |out, (agent, trouble)| {
        text::string(out, &agent.id);
        out.push_str(": ");
        text::string(out, trouble);
    });
    out.push_str("}\n");
    out
}

/// The table of a tournament.
pub(super) fn standings(options: &ArenaOptions, table: &[PlayerRating]) -> Vec<u8> {
    let mut rows: Vec<(&String, &PlayerRating)> = options.players.iter().zip(table).collect();
    rows.order_by_key(|(_, row)| -row.elo);
    let row = |(name, row): (&String, &PlayerRating)| {
        let mut map = Map::new();
        map.insert("name".to_owned(), name.as_str().into());
        map.insert("elo".to_owned(), row.elo.into());
        map.insert("points".to_owned(), row.points().into());
        map.insert("wins".to_owned(), row.wins.into());
        map.insert("draws".to_owned(), row.draws.into());
        map.insert("losses".to_owned(), row.losses.into());
        Value::Object(map)
    };
    let rows: Vec<Value> = rows.into_iter().map(row).collect();
    let mut out = String::new();
    text::value(&mut out, &Value::Array(rows));
    out.push('\n');
    out.into_bytes()
}

/// The results as text for people: each player's scores; in a tournament best first, with points
/// and rating.
pub(super) fn summary(options: &ArenaOptions, teams: &[Score], table: &[PlayerRating]) -> String {
    let mut rows: Vec<(&Score, &PlayerRating)> = teams.iter().zip(table).collect();
    let tournament = options.mode != Mode::Skirmish;
    if tournament {
        rows.order_by_key(|(_, row)| -row.elo);
    } else {
        rows.order_by_key(|(score, _)| score.in_halves().saturating_neg());
    }
    let width = rows.iter().map(|(score, _)| score.team.chars().count()).max().unwrap_or(0).max(6);
    let mut out = match tournament {
        true => format!("{:<width$}   ELO  POINTS  WON DRAWN LOST  MEAN SCORE\n", "PLAYER"),
        false => format!("{:<width$}  SCORE\n", "PLAYER"),
    };
    for (score, row) in rows {
        let name = &score.team;
        let line = if tournament {
            let (elo, points, won, drawn, lost) =
                (row.elo, row.points(), row.wins, row.draws, row.losses);
            let matches = i64::try_from(score.rounds.len()).unwrap_or(i64::MAX).max(1);
            let mean = points_text(score.in_halves() / matches);
            format!(
                "{name:<width$}  {elo:>4}  {points:>6.1}  {won:>3} {drawn:>5} {lost:>4}  {mean:>10}"
            )
        } else {
            format!("{name:<width$}  {:>5}", points_text(score.in_halves()))
        };
        out.push_str(&line);
        out.push('\n');
    }
    out
}

/// `yymmdd_HHMMSS` of a moment, in universal time.
pub(super) fn stamp(unix_ms: u64) -> String {
    let seconds = unix_ms / 1000;
    let (days, clock) = (seconds / 86_400, seconds % 86_400);
    // Days since 1 March of year 0, in the calendar's 400-year cycles (Howard Hinnant's method).
    let shifted = days + 719_468;
    let (era, day) = (shifted / 146_097, shifted % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let in_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * in_year + 2) / 153;
    let date = in_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + u64::from(month <= 2);
    let (hour, minute, second) = (clock / 3600, clock / 60 % 60, clock % 60);
    format!("{:02}{month:02}{date:02}_{hour:02}{minute:02}{second:02}", year % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_is_the_date_and_the_time() {
        assert_eq!(stamp(0), "700101_000000");
        assert_eq!(stamp(1_663_862_399_000), "220922_155959");
        assert_eq!(stamp(1_709_164_800_000), "240229_000000");
    }
}
