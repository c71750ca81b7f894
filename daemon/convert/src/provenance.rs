//! What decisions are based on, and their results.

use crate::{duration, event, turn, value};
use phalanx_engine::{
    BoardLook, Explained, JournalEntry, JournalEvent, LookKind, Provenance, Reason,
};
use phalanx_game::Value;
use phalanx_proto::v1;
use phalanx_proto::v1::match_event::Kind;
use std::sync::Arc;

/// Explains a turn of the agent with that resource name.
#[must_use]
pub fn explanation(team: &str, agent: String, explained: &Explained) -> v1::Explanation {
    let Explained { turn: at, generation, percept, events, result, answered } = explained;
    let of_journal = |entry: &Arc<JournalEntry>| event(team, String::new(), entry);
    v1::Explanation {
        agent,
        turn: Some(turn(*at)),
        generation: *generation,
        percept: percept.clone(),
        events: events.iter().map(of_journal).collect(),
        result: result.clone(),
        result_turn: answered.map(turn),
    }
}

/// A script's decision or failure; `None` for any other event.
#[must_use]
pub fn kind(generation: u32, event: &JournalEvent) -> Option<Kind> {
    if let JournalEvent::Decided { action, role, reason, spent, grounds: rests } = event {
        return Some(Kind::Decided(v1::Decided {
            action: action.clone(),
            role: role.clone(),
            generation,
            spent: Some(duration(*spent)),
            reason: reason_text(reason.as_ref()),
            reason_data: reason_data(reason.as_ref()),
            grounds: grounds(rests),
        }));
    }
    let JournalEvent::Fallback { reason, role, explained, spent, grounds: rests } = event else {
        return None;
    };
    Some(Kind::Fallback(v1::Fallback {
        reason: reason.clone(),
        role: role.clone(),
        generation,
        explained: reason_text(explained.as_ref()),
        spent: Some(duration(*spent)),
        grounds: grounds(rests),
    }))
}

fn reason_text(reason: Option<&Reason>) -> String {
    reason.map(|reason| reason.text.clone()).unwrap_or_default()
}

fn reason_data(reason: Option<&Reason>) -> Option<prost_types::Value> {
    let data = &reason?.data;
    (*data != Value::Nil).then(|| value::to_api(data))
}

/// `None` if nothing is known.
fn grounds(grounds: &Provenance) -> Option<v1::Grounds> {
    let Provenance { place, explained, board } = grounds;
    if *grounds == Provenance::default() {
        return None;
    }
    let (file, line) = named(place.as_ref());
    let (reason_file, reason_line) = named(explained.as_ref());
    let (board, board_more) = (board.looks().iter().map(look).collect(), board.more());
    Some(v1::Grounds { file, line, board, board_more, reason_file, reason_line })
}

/// File and line; empty and 0 if they are not known.
fn named(place: Option<&(Arc<str>, u32)>) -> (String, u32) {
    place.map(|(file, line)| (file.to_string(), *line)).unwrap_or_default()
}

fn look(look: &BoardLook) -> v1::BoardLook {
    let BoardLook { key, kind, got, cut } = look;
    let kind = match kind {
        LookKind::Value => v1::BoardLookKind::Value,
        LookKind::Holder => v1::BoardLookKind::Holder,
        LookKind::Claim => v1::BoardLookKind::Claim,
    };
    v1::BoardLook { key: key.clone(), kind: kind.into(), got: Some(value::to_api(got)), cut: *cut }
}
