//! What belongs to a turn comes together.

use crate::support::{Tape, done, turn};
use phalanx_exchange::DeedKind;
use phalanx_proto::v1;
use phalanx_proto::v1::match_event::Kind;
use phalanx_record::{DamageCause, Recorded, RecordingDamage};

#[test]
fn the_answer_to_an_action_stands_in_the_turn_of_the_action() {
    let mut tape = Tape::new();
    tape.plays(turn(0, 1), &["a", "b"], "");
    tape.plays(turn(0, 2), &["a"], "success");
    tape.plays(turn(0, 4), &["a", "b"], "failed_path");
    let turns = tape.turns();
    assert_eq!(turns.len(), 3);
    let of = |at: usize, name: &str| {
        let own = turns[at].agent(name).unwrap();
        (own.result.as_str(), own.answered.map(|turn| turn.step))
    };
    assert_eq!(of(0, "a"), ("success", Some(2)));
    assert_eq!(of(0, "b"), ("failed_path", Some(4)), "it was not asked in between");
    assert_eq!(of(1, "a"), ("failed_path", Some(4)));
    assert_eq!(of(2, "a"), ("", None), "no answer yet");
    let own = turns[0].agent("a").unwrap();
    assert_eq!((own.percept.as_str(), own.role.as_str()), ("stands at 1", "worker"));
    assert_eq!(turns[0].score, Some(60));
}

#[test]
fn an_answer_is_not_given_to_a_turn_of_another_round_or_across_a_gap() {
    let mut tape = Tape::new();
    tape.plays(turn(0, 1), &["a"], "").plays(turn(1, 0), &["a"], "success");
    let gap = |topic: &str| {
        let channel = v1::GapChannel { channel: topic.to_owned(), count: 1 };
        Recorded::Gap(Box::new(v1::Gap { channels: vec![channel], ..v1::Gap::default() }))
    };
    tape.put(gap("/world"));
    tape.plays(turn(1, 1), &["a"], "success");
    tape.put(gap("/journal"));
    tape.plays(turn(1, 5), &["a"], "success");
    tape.entries.push(Err(RecordingDamage {
        part: 1,
        at: 0,
        bytes: 0,
        wrong: DamageCause::Checksum,
    }));
    tape.plays(turn(1, 9), &["a"], "success");
    let turns = tape.turns();
    let answered: Vec<_> =
        turns.iter().map(|turn| turn.agents[0].answered.map(|turn| turn.step)).collect();
    assert_eq!(answered, [None, Some(1), None, None, None]);
    let gaps: Vec<_> = turns.iter().map(|turn| turn.after_gap).collect();
    assert_eq!(gaps, [false, false, false, true, true]);
}

#[test]
fn what_comes_later_is_told_in_its_turn() {
    let mut tape = Tape::new();
    tape.plays(turn(0, 1), &["a"], "");
    tape.event(turn(0, 2), "a", crate::support::decided("move(n)"));
    tape.event(turn(0, 1), "a", Kind::Late(v1::Late {}));
    tape.event(turn(0, 2), "", done(1));
    let turns = tape.turns();
    let first = turns[0].agents[0].deed().unwrap();
    assert!(first.late && turns[0].is_trouble());
    assert_eq!((first.kind, first.action), (DeedKind::Decided, "move(1)"));
    assert!(!turns[1].is_trouble());
}

#[test]
fn deeds_tell_how_an_agent_came_to_its_action() {
    let fallback = v1::Fallback { reason: "worker.luau:9: no".into(), ..v1::Fallback::default() };
    let ordered = v1::Ordered { action: "skip".into(), by: "ann".into(), pinned: false };
    let table = [
        (Kind::Fallback(fallback), DeedKind::Fallback, "", true),
        (Kind::Ordered(ordered), DeedKind::Ordered, "skip", false),
        (Kind::Held(v1::Held { by: "ann".into(), piloted: false }), DeedKind::Held, "", false),
        (Kind::Defaulted(v1::Defaulted { cause: 1 }), DeedKind::Defaulted, "", true),
    ];
    for (kind, expected, action, trouble) in table {
        let mut tape = Tape::new();
        tape.event(turn(0, 1), "a", kind).event(turn(0, 1), "", done(1));
        let turns = tape.turns();
        let deed = turns[0].agents[0].deed().unwrap();
        assert_eq!((deed.kind, deed.action), (expected, action));
        assert_eq!(turns[0].is_trouble(), trouble, "{expected:?}");
    }
}

#[test]
fn events_between_turns_are_kept_with_the_turn_before_or_the_first_one() {
    let mut tape = Tape::new();
    tape.event(turn(0, 0), "", Kind::RoundStarted(v1::RoundStarted {}));
    tape.plays(turn(0, 1), &["a"], "");
    tape.event(turn(0, 1), "", Kind::RoundOver(v1::RoundOver { score: 60, ranking: None }));
    let turns = tape.turns();
    assert_eq!(turns.len(), 1);
    assert!(matches!(turns[0].events[0].kind, Some(Kind::RoundStarted(_))));
    assert!(matches!(turns[0].events[1].kind, Some(Kind::RoundOver(_))));
}

#[test]
fn pictures_and_boards_stand_with_their_turns() {
    let mut tape = Tape::new();
    tape.plays(turn(0, 1), &["a"], "").plays(turn(0, 2), &["a"], "");
    let world = v1::World { turn: Some(turn(0, 2)), tick: 2, ..v1::World::default() };
    tape.put(Recorded::World(Box::new(world)));
    let board = v1::BoardChanges { turn: Some(turn(0, 1)), ..v1::BoardChanges::default() };
    tape.put(Recorded::Board(Box::new(board)));
    let turns = tape.turns();
    assert!(turns[0].world.is_none() && turns[1].world.as_ref().unwrap().tick == 2);
    assert_eq!((turns[0].board.len(), turns[1].board.len()), (1, 0));
}
