//! Arenas and their events as text and as JSON.

use super::super::word;
use phalanx_proto::v1::arena_event::Kind;
use phalanx_proto::v1::{self, ArenaState};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Prefix of an arena's resource name.
pub(super) const ARENAS: &str = "arenas/";

pub(super) fn short(name: &str) -> &str {
    name.strip_prefix(ARENAS).unwrap_or(name)
}

pub(super) fn id(arena: &v1::Arena) -> &str {
    short(&arena.name)
}

pub(super) fn runs(arena: &v1::Arena) -> bool {
    matches!(arena.state(), ArenaState::Waiting | ArenaState::Playing)
}

pub(super) fn state(arena: &v1::Arena) -> String {
    word(arena.state().as_str_name(), "ARENA_STATE_")
}

pub(super) fn step(arena: &v1::Arena) -> String {
    arena
        .verdict
        .as_ref()
        .filter(|verdict| verdict.round > 0)
        .map_or_else(|| "-".to_owned(), turn_of)
}

/// The turn, and the round's last step if it has one: `0:75/300`. A verdict counts rounds from 1.
fn turn_of(verdict: &v1::ArenaVerdict) -> String {
    let turn = format!("{}:{}", verdict.round.saturating_sub(1), verdict.step);
    if verdict.steps > 0 { format!("{turn}/{}", verdict.steps) } else { turn }
}

pub(super) fn scores(arena: &v1::Arena) -> String {
    arena.verdict.as_ref().map(scores_of).unwrap_or_default()
}

fn scores_of(verdict: &v1::ArenaVerdict) -> String {
    let score = |score: &v1::ArenaScore| format!("{} {:?}", score.team, score.rounds);
    verdict.scores.iter().map(score).collect::<Vec<_>>().join(", ")
}

/// Everything about an arena, in several lines.
pub(super) fn text(arena: &v1::Arena) -> String {
    let mut out = String::new();
    let mut line = |text: String| writeln!(out, "{text}").unwrap_or_default();
    line(format!("arena {}: {} at {}, {}", id(arena), arena.game, arena.address, state(arena)));
    if !arena.variant.is_empty() {
        line(format!("variant {}, seed {}", arena.variant, arena.seed));
    }
    line(format!("step {}, scores {}", step(arena), scores(arena)));
    line(format!("{} clients, started by {}", arena.client_count, arena.started_by));
    for side in &arena.sides {
        let names = abridged(&side.accounts);
        let password = match side.password.as_str() {
            "" => String::new(),
            password => format!(", password {password}"),
        };
        line(format!("team {}: accounts {names}{password}", side.team));
    }
    for (what, value) in
        [("files in", &arena.files), ("trouble:", &arena.trouble), ("", &arena.summary)]
    {
        if !value.is_empty() {
            line(format!("{what} {value}").trim().to_owned());
        }
    }
    out
}

/// Shortens a long list of names to its first and last.
fn abridged(names: &[String]) -> String {
    match names {
        [first, .., last] if names.len() > 3 => format!("{first} … {last}"),
        names => names.join(", "),
    }
}

pub(super) fn json(arena: &v1::Arena) -> Value {
    let side = |side: &v1::ArenaSide| {
        json!({
            "team": side.team, "accounts": side.accounts, "password": side.password,
            "agents": side.agents,
        })
    };
    json!({
        "name": id(arena), "game": arena.game, "variant": arena.variant, "seed": arena.seed,
        "address": arena.address, "state": state(arena),
        "verdict": verdict_json(&arena.verdict.clone().unwrap_or_default()),
        "clients": arena.client_count,
        "sides": arena.sides.iter().map(side).collect::<Vec<_>>(),
        "summary": arena.summary, "trouble": arena.trouble, "started_by": arena.started_by,
        "files": arena.files,
    })
}

fn verdict_json(verdict: &v1::ArenaVerdict) -> Value {
    let score = |score: &v1::ArenaScore| json!({ "team": score.team, "rounds": score.rounds });
    json!({
        "round": verdict.round, "step": verdict.step, "steps": verdict.steps,
        "scores": verdict.scores.iter().map(score).collect::<Vec<_>>(),
    })
}

pub(super) fn event_text(event: &v1::ArenaEvent) -> String {
    match &event.kind {
        Some(Kind::Verdict(verdict)) => {
            format!("turn {}: {}", turn_of(verdict), scores_of(verdict))
        }
        Some(Kind::ClientCame(came)) => format!("client {} came from {}", came.client, came.peer),
        Some(Kind::ClientGreeted(greeted)) => format!("client {} was accepted", greeted.client),
        Some(Kind::ClientLeft(left)) => format!("client {} left: {}", left.client, leave(left)),
        Some(Kind::Notice(notice)) => format!("notice: {}", notice.text),
        Some(Kind::Ended(ended)) => {
            let arena = ended.arena.clone().unwrap_or_default();
            format!("ended, {}: {}\n{}", state(&arena), scores(&arena), arena.summary)
                .trim_end()
                .to_owned()
        }
        Some(Kind::EventsLost(lost)) => format!("{} events were lost", lost.count),
        None => "an event that this version of phalanx does not know".to_owned(),
    }
}

pub(super) fn event_json(event: &v1::ArenaEvent) -> Value {
    let (kind, body) = match &event.kind {
        Some(Kind::Verdict(verdict)) => ("verdict", verdict_json(verdict)),
        Some(Kind::ClientCame(came)) => {
            ("client_came", json!({ "client": came.client, "peer": came.peer }))
        }
        Some(Kind::ClientGreeted(greeted)) => {
            ("client_greeted", json!({ "client": greeted.client }))
        }
        Some(Kind::ClientLeft(left)) => {
            ("client_left", json!({ "client": left.client, "reason": leave(left) }))
        }
        Some(Kind::Notice(notice)) => ("notice", json!({ "text": notice.text })),
        Some(Kind::Ended(ended)) => ("ended", json(&ended.arena.clone().unwrap_or_default())),
        Some(Kind::EventsLost(lost)) => ("events_lost", json!({ "count": lost.count })),
        None => ("unknown", Value::Null),
    };
    json!({ "cursor": event.cursor, "kind": kind, kind: body })
}

fn leave(left: &v1::ArenaClientLeft) -> String {
    word(left.reason().as_str_name(), "ARENA_LEAVE_")
}
