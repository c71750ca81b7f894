//! Operators read and write a team's board, and read drawings of the world.

use crate::actor::Match;
use phalanx_engine::{
    BoardPage, BoardRead, BoardWrite, BoardWriteError, CommandError, DrawWorld, Drawing,
    JournalEvent, TeamOptions,
};
use phalanx_game::{Turn, Value};

fn team() -> Match {
    Match::new(1, TeamOptions::default())
}

fn wish(key: &str, value: i64) -> BoardWrite {
    let (key, value) = (key.to_owned(), Value::Int(value));
    BoardWrite { key, value, turns: None, etag: None, validate_only: false }
}

fn read(match_: &mut Match, read: BoardRead) -> BoardPage {
    match_.call(read).unwrap()
}

#[test]
fn an_operators_value_is_on_the_board_in_the_journal_and_in_the_snapshots_count() {
    let mut match_ = team();
    match_.turn(7);
    let before = match_.snapshot().board_revision;
    let item = match_.call(wish("goal", 3)).unwrap().unwrap();
    let entry = item.entry.unwrap();
    assert_eq!((entry.author.as_str(), entry.turn), ("ann", Turn::new(0, 7)));
    assert_eq!(match_.snapshot().board_revision, before + 1);
    match_.call(BoardWrite { value: Value::Nil, ..wish("goal", 0) }).unwrap();
    assert_eq!(read(&mut match_, BoardRead::Key("goal".into())).items, []);
    let told = match_.journal.iter().filter_map(|entry| match &entry.event {
        JournalEvent::BoardSet { key, value, by, .. } => Some(format!("{by} {key} {value:?}")),
        _ => None,
    });
    assert_eq!(told.collect::<Vec<_>>(), ["ann goal Int(3)", "ann goal Nil"]);
}

#[test]
fn what_is_refused_or_only_validated_leaves_no_trace() {
    let mut match_ = team();
    let lines = match_.journal.len();
    let only = BoardWrite { validate_only: true, ..wish("goal", 3) };
    assert_eq!(match_.call(only), Ok(None));
    let stale = BoardWrite { etag: Some("old".into()), ..wish("goal", 3) };
    let refused = match_.call(stale).unwrap_err();
    assert!(matches!(refused, CommandError::Board(BoardWriteError::Changed { .. })));
    assert_eq!(match_.journal.len(), lines);
    assert_eq!(read(&mut match_, BoardRead::Since(0)).items, []);
}

#[test]
fn a_board_is_not_written_while_agents_decide() {
    let mut match_ = Match::new(2, TeamOptions::default());
    match_.ask(0, 1);
    match_.ask(1, 1);
    while match_.said.is_empty() {
        assert!(match_.output());
    }
    match_.send("ann", wish("goal", 1));
    assert!(match_.output());
    assert_eq!(match_.answers.len(), 0, "the second agent decides first");
    match_.drain();
    assert!(match_.answered::<BoardWrite>().1.unwrap().is_some());
}

#[test]
fn the_world_is_drawn_when_somebody_asks() {
    let mut match_ = team();
    match_.turn(3);
    let Drawing { turn, tick, roles, picture, .. } = *match_.call(DrawWorld).unwrap();
    assert_eq!(
        (turn, tick, roles.as_slice()),
        (Turn::new(0, 3), 1, ["worker".to_owned()].as_slice())
    );
    assert!(picture.parts.is_empty(), "the toy has no picture");
}
