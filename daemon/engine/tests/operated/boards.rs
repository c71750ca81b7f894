//! What operators do with a team's board, and how the world is drawn for them.

use crate::actor::Match;
use phalanx_engine::{
    Answer, BoardItem, BoardPage, BoardRead, BoardWrite, BoardWriteError, Drawing, Input,
    JournalEvent, TeamOptions,
};
use phalanx_game::{Turn, Value};

fn team() -> Match {
    Match::new(1, TeamOptions::default())
}

fn wish(key: &str, value: i64) -> BoardWrite {
    let (key, by) = (key.to_owned(), "ann".to_owned());
    BoardWrite { key, value: Value::Int(value), turns: None, etag: None, validate_only: false, by }
}

fn write(match_: &mut Match, write: BoardWrite) -> Result<Option<BoardItem>, BoardWriteError> {
    let ticket = match_.ticket();
    match_.input(Input::WriteBoard { ticket, write });
    let Answer::Written(result) = match_.answers.pop().unwrap().1 else { panic!() };
    result
}

fn read(match_: &mut Match, read: BoardRead) -> BoardPage {
    let ticket = match_.ticket();
    match_.input(Input::ReadBoard { ticket, read });
    let Answer::Board(page) = match_.answers.pop().unwrap().1 else { panic!() };
    *page
}

#[test]
fn an_operators_value_is_on_the_board_in_the_journal_and_in_the_snapshots_count() {
    let mut match_ = team();
    match_.turn(7);
    let before = match_.snapshot().board_revision;
    let item = write(&mut match_, wish("goal", 3)).unwrap().unwrap();
    let entry = item.entry.unwrap();
    assert_eq!((entry.author.as_str(), entry.turn), ("ann", Turn::new(0, 7)));
    assert_eq!(match_.snapshot().board_revision, before + 1);
    write(&mut match_, BoardWrite { value: Value::Nil, ..wish("goal", 0) }).unwrap();
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
    assert_eq!(write(&mut match_, only), Ok(None));
    let stale = BoardWrite { etag: Some("old".into()), ..wish("goal", 3) };
    assert!(matches!(write(&mut match_, stale), Err(BoardWriteError::Changed { .. })));
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
    let ticket = match_.ticket();
    match_.team.handle(Input::WriteBoard { ticket, write: wish("goal", 1) }, match_.now);
    assert!(match_.output());
    assert_eq!(match_.answers.len(), 0, "the second agent decides first");
    match_.drain();
    assert!(matches!(match_.answers.pop().unwrap().1, Answer::Written(Ok(Some(_)))));
}

#[test]
fn the_world_is_drawn_when_somebody_asks() {
    let mut match_ = team();
    match_.turn(3);
    let ticket = match_.ticket();
    match_.input(Input::Draw { ticket });
    let Answer::Drawn(drawing) = match_.answers.pop().unwrap().1 else { panic!() };
    let Drawing { turn, tick, roles, picture, .. } = *drawing;
    assert_eq!(
        (turn, tick, roles.as_slice()),
        (Turn::new(0, 3), 1, ["worker".to_owned()].as_slice())
    );
    assert!(picture.parts.is_empty(), "the toy has no picture");
}
