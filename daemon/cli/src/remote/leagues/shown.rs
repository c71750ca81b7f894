//! Leagues and their results as text and as JSON.

use super::super::{Table, counted, word};
use phalanx_proto::v1;
use phalanx_proto::v1::league_event::Kind;
use serde_json::{Value, json};

/// Prefix of a league's resource name.
pub(super) const LEAGUES: &str = "leagues/";

/// Workers that text names; the others are counted.
const WORKERS_SHOWN: usize = 8;

pub(super) fn short(name: &str) -> &str {
    name.strip_prefix(LEAGUES).unwrap_or(name)
}

pub(super) fn id(league: &v1::League) -> &str {
    short(&league.name)
}

pub(super) fn state(league: &v1::League) -> String {
    word(league.state().as_str_name(), "LEAGUE_STATE_")
}

/// A league with its table.
pub(super) fn text(league: &v1::League) -> String {
    let standing = league.standing.clone().unwrap_or_default();
    let game = league.plan.as_ref().map(|plan| plan.game.as_str()).unwrap_or_default();
    let mut head = format!(
        "league {}: {game}, {}, {} of {} matches",
        id(league),
        state(league),
        standing.played,
        standing.total
    );
    if standing.failed > 0 {
        head.push_str(&format!(", {} failed", standing.failed));
    }
    if let Some(sprt) = &standing.sprt {
        let verdict = verdict(sprt);
        head.push_str(&format!(
            "\nearly stop: LLR {:.2} ({:.2} to {:.2}), {verdict}",
            sprt.llr, sprt.lower, sprt.upper
        ));
    }
    if !league.workers.is_empty() {
        let worker = |one: &v1::QueueWorker| format!("{} ({})", one.name, one.matches);
        let some: Vec<_> = league.workers.iter().take(WORKERS_SHOWN).map(worker).collect();
        let rest = league.workers.len() - some.len();
        let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
        let count = counted(league.workers.len(), "worker");
        head.push_str(&format!("\n{count} (matches): {}{more}", some.join(", ")));
    }
    if !league.folder.is_empty() {
        head.push_str(&format!("\nanother process keeps it in {}", league.folder));
    }
    if !league.trouble.is_empty() {
        head.push_str(&format!("\ntrouble: {}", league.trouble));
    }
    let mut table =
        Table::new(&["PLAYER", "ELO", "±95%", "WON", "DRAWN", "LOST", "SCORE", "AGAINST"]);
    for row in &standing.rows {
        table.row([
            row.player.clone(),
            format!("{:.1}", row.elo),
            format!("{:.1}", row.error),
            row.wins.to_string(),
            row.draws.to_string(),
            row.losses.to_string(),
            format!("{:.2}", row.score_mean),
            format!("{:.2}", row.against_mean),
        ]);
    }
    format!("{head}\n{}", table.shown())
}

fn verdict(sprt: &v1::LeagueSprtState) -> &'static str {
    match sprt.verdict() {
        v1::LeagueVerdict::Unspecified => "undecided",
        v1::LeagueVerdict::NotBetter => "not better",
        v1::LeagueVerdict::Better => "better",
    }
}

pub(super) fn json(league: &v1::League) -> Value {
    let plan = league.plan.clone().unwrap_or_default();
    let player =
        |player: &v1::LeaguePlayer| json!({ "name": player.name, "strategy": player.strategy });
    let worker = |one: &v1::QueueWorker| json!({ "name": one.name, "version": one.version, "matches": one.matches });
    json!({
        "name": id(league), "state": state(league), "trouble": league.trouble,
        "created_by": league.created_by, "folder": league.folder,
        "workers": league.workers.iter().map(worker).collect::<Vec<_>>(),
        "plan": {
            "game": plan.game, "variant": plan.variant, "steps": plan.steps,
            "worlds": plan.worlds, "players": plan.players.iter().map(player).collect::<Vec<_>>(),
            "first_against_all": plan.first_against_all, "first_seed": plan.first_seed,
            "seed_count": plan.seed_count, "swap": !plan.no_swap,
        },
        "standing": standing_json(&league.standing.clone().unwrap_or_default()),
    })
}

fn standing_json(standing: &v1::LeagueStanding) -> Value {
    let row = |row: &v1::LeagueRow| {
        json!({
            "name": row.player, "elo": row.elo, "error": row.error, "wins": row.wins,
            "draws": row.draws, "losses": row.losses, "matches": row.matches,
            "score_mean": row.score_mean, "against_mean": row.against_mean,
        })
    };
    let sprt = standing.sprt.as_ref().map(|sprt| {
        json!({
            "llr": sprt.llr, "lower": sprt.lower, "upper": sprt.upper, "verdict": verdict(sprt),
        })
    });
    json!({
        "played": standing.played, "failed": standing.failed, "total": standing.total,
        "players": standing.rows.iter().map(row).collect::<Vec<_>>(), "sprt": sprt,
    })
}

pub(super) fn event_text(event: &v1::LeagueEvent) -> String {
    match &event.kind {
        Some(Kind::Result(result)) => {
            let standing = result.standing.clone().unwrap_or_default();
            let who = result.players.join(" - ");
            let how = match result.trouble.as_str() {
                "" => format!("{:?}", result.scores),
                trouble => format!("failed: {trouble}"),
            };
            let lead = standing.rows.first().map_or_else(String::new, |row| {
                format!("; {} leads, {:+.0} ±{:.0}", row.player, row.elo, row.error)
            });
            let place = format!("{}/{}", standing.played, standing.total);
            let by = match result.workers {
                0 => String::new(),
                count => format!("; {}", counted(count, "worker")),
            };
            format!("{place:>11}  seed {:<6} {who}: {how}{lead}{by}", result.seed)
        }
        Some(Kind::Ended(ended)) => text(&ended.league.clone().unwrap_or_default()),
        Some(Kind::EventsLost(lost)) => format!("{} events were lost", lost.count),
        None => "an event that this version of phalanx does not know".to_owned(),
    }
}

pub(super) fn event_json(event: &v1::LeagueEvent) -> Value {
    let (kind, body) = match &event.kind {
        Some(Kind::Result(result)) => (
            "result",
            json!({
                "number": result.number, "seed": result.seed, "players": result.players,
                "scores": result.scores, "trouble": result.trouble, "workers": result.workers,
                "standing": standing_json(&result.standing.clone().unwrap_or_default()),
            }),
        ),
        Some(Kind::Ended(ended)) => ("ended", json(&ended.league.clone().unwrap_or_default())),
        Some(Kind::EventsLost(lost)) => ("events_lost", json!({ "count": lost.count })),
        None => ("unknown", Value::Null),
    };
    json!({ "cursor": event.cursor, "kind": kind, kind: body })
}
