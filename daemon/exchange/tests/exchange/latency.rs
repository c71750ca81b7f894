//! Where the time of a turn went.

use crate::support::{Tape, done, turn};
use phalanx_engine::{CallKind, TapedCall, TapedInput, TeamAct, TeamStep};
use phalanx_exchange::{Latency, TurnStage};
use phalanx_game::{AgentId, Event, SeatId, Turn};
use phalanx_net::{Message, SeatAct, Taped};
use phalanx_record::Recorded;
use std::time::Duration;

/// A turn of two agents, each at its own seat, from `begin` on, in microseconds: requests after 0 and
/// 100, understood after 20 each, handed after 30 each, settled at 200, planned for 50, two decisions
/// of 100 and 300, written at 700.
fn plays(tape: &mut Tape, begin: i64, step: u32) {
    for (seat, after) in [(0, 0), (1, 100)] {
        at_seat(tape, begin + after, seat, SeatAct::Received([1].as_slice().into()));
        at_seat(tape, begin + after + 20, seat, SeatAct::Parsed);
    }
    let asked = |seat: u16, micros: i64| asked(tape, begin + micros, seat, step);
    let call = |call, agent: Option<u16>, micros: i64, spent: u64| {
        let spent = Duration::from_micros(spent);
        let act = TeamAct::Called(TapedCall {
            call,
            agent: agent.map(AgentId),
            spent,
            budget: spent,
            reads: Vec::new(),
            stopped: None,
            stopped_after: None,
        });
        TeamStep { at: tape.instant(begin + micros), act }
    };
    let steps = vec![
        asked(0, 30),
        asked(1, 130),
        call(CallKind::Plan, None, 200, 50),
        call(CallKind::Decide, Some(0), 250, 100),
        call(CallKind::Decide, Some(1), 350, 300),
    ];
    tape.put_at(begin + 650, Recorded::Taped(Taped::Steps(steps)));
    for seat in [0, 1] {
        let act = SeatAct::Acted { turn: Turn::new(0, step), agent: AgentId(seat) };
        at_seat(tape, begin + 660, seat, act);
        at_seat(tape, begin + 660, seat, SeatAct::Sent(Message::Plain([2].as_slice().into())));
    }
    tape.event(turn(0, step), "", done(2));
    for seat in [0, 1] {
        at_seat(tape, begin + 700, seat, SeatAct::Written);
    }
}

/// The team's thread hears that the agent of that seat is asked.
fn asked(tape: &Tape, micros: i64, seat: u16, step: u32) -> TeamStep {
    let due = tape.instant(micros + 4_000_000);
    let (turn, agent, percept) = (Turn::new(0, step), AgentId(seat), ());
    let event = Event::Asked { turn, agent, due, percept };
    let act = TeamAct::Handled(TapedInput::Event { seat: SeatId(seat), event });
    TeamStep { at: tape.instant(micros), act }
}

fn at_seat(tape: &mut Tape, micros: i64, seat: u16, act: SeatAct) {
    tape.put_at(micros, Recorded::Taped(Taped::Seat { seat: SeatId(seat), act }));
}

fn measured(tape: &Tape) -> Latency {
    Latency::of(tape.entries.clone().into_iter())
}

fn micros(span: Option<Duration>) -> Option<u128> {
    span.map(|span| span.as_micros())
}

#[test]
fn the_stages_of_a_turn_follow_each_other_without_gaps() {
    let mut tape = Tape::new();
    for step in 0..4 {
        plays(&mut tape, i64::from(step) * 10_000, step);
    }
    let latency = measured(&tape);
    assert_eq!(latency.turns.len(), 4);
    let expected = [
        (TurnStage::Received, Some(100)),
        (TurnStage::Parsed, Some(20)),
        (TurnStage::Handed, Some(10)),
        (TurnStage::Settled, Some(70)),
        (TurnStage::Planned, Some(50)),
        (TurnStage::Decided, Some(400)),
        (TurnStage::Written, Some(50)),
        (TurnStage::Referee, Some(9_300)),
    ];
    for (index, times) in latency.turns.iter().enumerate() {
        for (stage, span) in expected {
            let span = span.filter(|_| index < 3 || stage != TurnStage::Referee);
            assert_eq!(micros(times.span(stage)), span, "turn {index}, {stage:?}");
        }
        assert_eq!(micros(times.answer), Some(700));
        assert_eq!((times.agents, times.turn.step), (2, u32::try_from(index).unwrap()));
        assert_eq!(times.slowest, Some(("1".to_owned(), Duration::from_micros(300))));
    }
}

#[test]
fn what_is_not_recorded_is_not_invented() {
    let mut tape = Tape::new();
    plays(&mut tape, 0, 0);
    let is_written = |entry: &Recorded| {
        matches!(entry, Recorded::Taped(Taped::Seat { act: SeatAct::Written, .. }))
    };
    tape.entries.retain(|entry| !is_written(&entry.as_ref().unwrap().what));
    let latency = measured(&tape);
    let times = &latency.turns[0];
    assert_eq!((times.answer, times.span(TurnStage::Written)), (None, None));
    assert_eq!(times.span(TurnStage::Referee), None);
    assert_eq!(micros(times.span(TurnStage::Decided)), Some(400));
    assert_eq!(latency.answers().count, 0);
    assert!(latency.worst(3).is_empty());
}

#[test]
fn an_answer_that_needs_no_message_is_given_when_it_is_decided() {
    let mut tape = Tape::new();
    plays(&mut tape, 0, 0);
    let is_sent = |entry: &Recorded| {
        matches!(entry, Recorded::Taped(Taped::Seat { act: SeatAct::Sent(_), .. }))
    };
    tape.entries.retain(|entry| !is_sent(&entry.as_ref().unwrap().what));
    let latency = measured(&tape);
    assert_eq!(micros(latency.turns[0].answer), Some(660));
    assert_eq!(micros(latency.turns[0].span(TurnStage::Written)), Some(10));
}

#[test]
fn the_worst_turns_are_listed_and_the_distribution_is_exact() {
    let mut tape = Tape::new();
    for step in 0..100 {
        plays(&mut tape, i64::from(step) * 10_000, step);
    }
    let mut latency = measured(&tape);
    for (index, times) in (1..).zip(&mut latency.turns) {
        times.answer = Some(Duration::from_millis(index));
    }
    let answers = latency.answers();
    let millis = [answers.p50, answers.p90, answers.p99, answers.max].map(|at| at.as_millis());
    assert_eq!((answers.count, millis), (100, [50, 90, 99, 100]));
    let ranges: Vec<_> =
        answers.ranges.iter().map(|(end, count)| (end.as_millis(), *count)).collect();
    assert_eq!(ranges, [(1, 1), (2, 1), (5, 3), (10, 5), (20, 10), (50, 30), (100, 50)]);
    let worst: Vec<_> = latency.worst(2).iter().map(|times| times.turn.step).collect();
    assert_eq!(worst, [99, 98]);
}

#[test]
fn a_request_that_comes_while_the_team_decides_belongs_to_the_next_turn() {
    let mut tape = Tape::new();
    plays(&mut tape, 0, 0);
    // The referee does not wait: seat 0 hears of turn 1 before turn 0 is through.
    let through = tape
        .entries
        .iter()
        .position(|entry| matches!(entry.as_ref().unwrap().what, Recorded::Event(_)));
    let rest = tape.entries.split_off(through.unwrap());
    at_seat(&mut tape, 600, 0, SeatAct::Received([1].as_slice().into()));
    let steps = vec![asked(&tape, 620, 0, 1)];
    tape.put_at(650, Recorded::Taped(Taped::Steps(steps)));
    tape.entries.extend(rest);
    plays(&mut tape, 10_000, 1);
    let latency = measured(&tape);
    let first = &latency.turns[0];
    assert_eq!((first.agents, micros(first.span(TurnStage::Received))), (2, Some(100)));
    assert_eq!(micros(first.answer), Some(700));
    assert_eq!(latency.turns[1].agents, 2);
}
