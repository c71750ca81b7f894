//! The team plays the round and the turn that most of its seats report.
use crate::actor::{Match, SECOND};
use crate::pass;
use phalanx_engine::{Input, JournalEvent, SeatState, TeamOptions};
use phalanx_game::sorted::SortedSet;
use phalanx_game::{AgentId, Event, Notice, SeatId, Turn};
use std::time::Duration;

/// The number that must not reach any world: it comes from elsewhere.
const FOREIGN: i64 = 666;

/// A report of a seat's session.
#[derive(Clone, Copy, Debug)]
enum Says {
    Start(u32),
    /// A request of this session's round and step, with a percept of the team's world.
    Ask(u32, u32),
    /// The same with a percept of another world.
    Foreign(u32, u32),
    End(u32),
    Out(u32),
}
use Says::{Ask, End, Foreign, Out, Start};

fn event(says: Says, agent: AgentId, match_: &Match) -> Event<(), i64> {
    let due = match_.now + SECOND;
    let asked =
        |round, step, percept| Event::Asked { turn: Turn::new(round, step), agent, due, percept };
    match says {
        Start(round) => Event::RoundStarted { agent, round, briefing: Some(()) },
        Ask(round, step) => asked(round, step, i64::from(step)),
        Foreign(round, step) => asked(round, step, FOREIGN),
        End(round) => Event::RoundOver { agent, round, score: 40, ranking: None },
        Out(round) => Event::Out { agent, round },
    }
}

/// A seat reports this, and the team handles it.
fn says(match_: &mut Match, agent: u16, all: &[Says]) {
    for says in all {
        let event = event(*says, AgentId(agent), match_);
        match_.event(AgentId(agent), event);
    }
}

/// The agents that decided since the last call.
fn decided(match_: &mut Match) -> Vec<u16> {
    let calls = match_.calls();
    calls.iter().filter_map(|call| call.strip_prefix("decide ")?.parse().ok()).collect()
}

/// The journal's messages about agents that are out of step.
fn named(match_: &Match) -> Vec<String> {
    let lines = match_.journal.iter().filter_map(|entry| match &entry.event {
        JournalEvent::Notice(Notice::Malformed(error)) => {
            Some(format!("{} {error}", entry.agent.clone().unwrap_or_default()))
        }
        _ => None,
    });
    lines.collect()
}

fn fresh(agents: u16) -> Match {
    Match::new(agents, TeamOptions::default())
}

fn lose(match_: &mut Match, seat: u16) {
    let state = SeatState::Connecting { failures: 1, reason: "reset".into() };
    match_.input(Input::Seat { seat: SeatId(seat), state });
}

/// The faults of a connection in turn 5: what its session reports then and in the later turns, and
/// its round at the end.
type Fault = (&'static str, [&'static [Says]; 5], u32);

const FAULTS: [Fault; 9] = [
    (
        "the id is one ahead",
        [
            &[Start(1), Foreign(1, 5)],
            &[Start(2), Ask(2, 6)],
            &[Ask(2, 7)],
            &[Ask(2, 8)],
            &[Ask(2, 9)],
        ],
        2,
    ),
    (
        "id and step are one ahead",
        [&[Foreign(0, 6)], &[], &[Ask(0, 7)], &[Ask(0, 8)], &[Ask(0, 9)]],
        0,
    ),
    (
        "id and step are far ahead",
        [&[Foreign(0, 500)], &[Start(1), Ask(1, 6)], &[Ask(1, 7)], &[Ask(1, 8)], &[Ask(1, 9)]],
        1,
    ),
    (
        "id and step are far behind",
        [
            &[Start(1), Foreign(1, 0)],
            &[Start(2), Ask(2, 6)],
            &[Ask(2, 7)],
            &[Ask(2, 8)],
            &[Ask(2, 9)],
        ],
        2,
    ),
    (
        "an end without a start",
        [&[End(0), Start(1), Ask(1, 5)], &[Ask(1, 6)], &[Ask(1, 7)], &[Ask(1, 8)], &[Ask(1, 9)]],
        1,
    ),
    (
        "an end and the start of another",
        [
            &[End(0), Start(1), Foreign(1, 0)],
            &[Start(2), Ask(2, 6)],
            &[Ask(2, 7)],
            &[Ask(2, 8)],
            &[Ask(2, 9)],
        ],
        2,
    ),
    (
        "two servers mixed",
        [
            &[Start(1), Foreign(1, 900), Start(2), Ask(2, 5)],
            &[Start(3), Foreign(3, 901), Start(4), Ask(4, 6)],
            &[Ask(4, 7)],
            &[Ask(4, 8)],
            &[Ask(4, 9)],
        ],
        4,
    ),
    (
        "many ends and starts",
        [
            &[End(0), Start(1), End(1), Start(2), End(2), Start(3), Ask(3, 5)],
            &[Ask(3, 6)],
            &[Ask(3, 7)],
            &[Ask(3, 8)],
            &[Ask(3, 9)],
        ],
        3,
    ),
    (
        "a duplicate start",
        [&[Start(0), Ask(0, 5)], &[Ask(0, 6)], &[Ask(0, 7)], &[Ask(0, 8)], &[Ask(0, 9)]],
        0,
    ),
];

#[test]
fn no_fault_of_one_seat_costs_another_a_turn_and_it_is_back_within_two() {
    for (fault, turns, last) in FAULTS {
        for (agents, odd) in [(3, 0), (3, 2), (15, 0), (15, 7), (15, 14)] {
            let context = format!("{fault}, seat {odd} of {agents}");
            let mut match_ = fresh(agents);
            let others: Vec<u16> = (0..agents).filter(|agent| *agent != odd).collect();
            for step in 0..5 {
                match_.turn(step);
            }
            decided(&mut match_);
            for (step, odd_says) in (5..).zip(turns) {
                for agent in 0..agents {
                    says(&mut match_, agent, if agent == odd { odd_says } else { &[] });
                    if agent != odd {
                        says(&mut match_, agent, &[Ask(0, step)]);
                    }
                }
                pass(&mut match_, Duration::from_millis(300));
                let mut who = decided(&mut match_);
                who.sort_unstable();
                let mut all = others.clone();
                if step >= 7 || who.contains(&odd) {
                    all.push(odd);
                    all.sort_unstable();
                }
                assert_eq!(who, all, "{context}, turn {step}");
                assert_eq!(match_.snapshot().turn, Turn::new(0, step), "{context}");
                let told: SortedSet<_> =
                    match_.snapshot().agents.iter().map(|agent| agent.summary.clone()).collect();
                assert!(!told.contains(&FOREIGN.to_string()), "{context}, turn {step}: {told:?}");
                pass(&mut match_, Duration::from_millis(50));
            }
            let named = named(&match_);
            let expected = usize::from(fault != "a duplicate start");
            assert_eq!(named.len(), expected, "{context}: {named:?}");
            assert!(named.iter().all(|line| line.starts_with(&format!("a{odd} "))), "{named:?}");
            // The real end and the next round bring them together again.
            for agent in 0..agents {
                says(&mut match_, agent, &[End(if agent == odd { last } else { 0 })]);
            }
            assert_eq!(match_.snapshot().rounds, [40], "{context}");
            for agent in 0..agents {
                let round = if agent == odd { last + 1 } else { 1 };
                says(&mut match_, agent, &[Start(round), Ask(round, 0)]);
            }
            assert_eq!(decided(&mut match_).len(), usize::from(agents), "{context}");
            assert_eq!(match_.snapshot().turn, Turn::new(1, 0), "{context}");
        }
    }
}

#[test]
fn the_journal_names_what_is_out_of_step_and_what_the_others_report() {
    let mut match_ = fresh(3);
    match_.turn(4);
    says(&mut match_, 1, &[Start(1), Foreign(1, 9)]);
    says(&mut match_, 0, &[Ask(0, 5)]);
    says(&mut match_, 2, &[Ask(0, 5)]);
    let line = "a1 request: expected step 5, as 2 agents report, got step 9 of another round";
    assert_eq!(named(&match_), [line]);
    assert_eq!(match_.snapshot().counters.malformed, 1);
    says(&mut match_, 1, &[Foreign(1, 10)]);
    says(&mut match_, 0, &[Ask(0, 6)]);
    says(&mut match_, 2, &[Ask(0, 6)]);
    assert_eq!(named(&match_).len(), 1, "once for all that it says elsewhere");
}

#[test]
fn one_seat_is_its_own_majority() {
    let mut match_ = fresh(1);
    for (all, turn) in [
        (&[Ask(0, 3)][..], Turn::new(0, 3)),
        (&[Ask(0, 4)], Turn::new(0, 4)),
        (&[Ask(0, 90)], Turn::new(0, 90)),
        (&[Start(1), Ask(1, 7)], Turn::new(1, 7)),
        (&[End(1), Start(2), Ask(2, 0)], Turn::new(2, 0)),
    ] {
        says(&mut match_, 0, all);
        assert_eq!((decided(&mut match_), match_.snapshot().turn), (vec![0], turn), "{all:?}");
    }
    assert_eq!(named(&match_), [""; 0]);
}

#[test]
fn of_two_seats_the_newer_round_counts_and_the_other_one_comes_along_within_two_turns() {
    let mut match_ = fresh(2);
    match_.turn(4);
    decided(&mut match_);
    says(&mut match_, 0, &[End(0), Start(1)]);
    for (step, who) in [(5, &[0][..]), (6, &[0]), (7, &[0, 1])] {
        says(&mut match_, 0, &[Ask(1, step)]);
        says(&mut match_, 1, &[Ask(0, step)]);
        pass(&mut match_, SECOND / 2);
        assert_eq!(decided(&mut match_), who, "turn {step}");
    }
    assert_eq!(match_.snapshot().turn, Turn::new(1, 7));
}

/// Seats come to a round one after the other, in any order, and every agent plays its first turn.
#[test]
fn a_new_round_is_met_in_any_order() {
    let both: [(u16, &[Says]); 3] = [(0, &[End(0), Start(1), Ask(1, 0)]); 3];
    let apart: [&[(u16, &[Says])]; 4] = [
        // One seat after the other.
        &[(0, both[0].1), (1, both[1].1), (2, both[2].1)],
        // All ends first, then all starts.
        &[
            (0, &[End(0)]),
            (1, &[End(0)]),
            (2, &[End(0)]),
            (0, &[Start(1), Ask(1, 0)]),
            (1, &[Start(1), Ask(1, 0)]),
            (2, &[Start(1), Ask(1, 0)]),
        ],
        // The last seat reports its end late, when a round has begun.
        &[(0, both[0].1), (1, both[1].1), (2, &[End(0)]), (2, &[Start(1)]), (2, &[Ask(1, 0)])],
        // No seat reported an end.
        &[(0, &[Start(1), Ask(1, 0)]), (1, &[Start(1), Ask(1, 0)]), (2, &[Start(1), Ask(1, 0)])],
    ];
    for order in apart {
        let mut match_ = fresh(3);
        match_.turn(9);
        decided(&mut match_);
        for (agent, all) in order {
            says(&mut match_, *agent, all);
        }
        let mut who = decided(&mut match_);
        who.sort_unstable();
        assert_eq!(who, [0, 1, 2], "{order:?}");
        assert_eq!(match_.snapshot().turn, Turn::new(1, 0), "{order:?}");
        assert_eq!(named(&match_), [""; 0], "{order:?}");
    }
}

#[test]
fn the_first_turn_of_a_round_is_the_one_that_most_seats_report() {
    for odd in 0..3 {
        let mut match_ = fresh(3);
        for agent in 0..3 {
            let request = if agent == odd { Foreign(0, 500) } else { Ask(0, 0) };
            says(&mut match_, agent, &[request]);
        }
        pass(&mut match_, SECOND / 2);
        let who: Vec<_> = (0..3).filter(|agent| *agent != odd).collect();
        assert_eq!(decided(&mut match_), who);
        assert_eq!(match_.snapshot().turn, Turn::new(0, 0));
        assert_eq!(match_.snapshot().agents[usize::from(odd)].summary, "");
    }
}

#[test]
fn a_seat_that_is_slow_by_a_turn_is_no_fault() {
    let mut match_ = fresh(3);
    match_.turn(4);
    decided(&mut match_);
    for step in 5..9 {
        says(&mut match_, 0, &[Ask(0, step)]);
        says(&mut match_, 1, &[Ask(0, step)]);
        says(&mut match_, 2, &[Ask(0, step - 1)]);
        pass(&mut match_, SECOND / 2);
        assert_eq!(decided(&mut match_), [0, 1], "turn {step}");
    }
    says(&mut match_, 2, &[Ask(0, 8)]);
    assert_eq!((decided(&mut match_), named(&match_)), (vec![2], vec![]));
}

#[test]
fn seats_that_were_all_cut_off_go_on_wherever_the_first_of_them_finds_the_round() {
    let mut match_ = fresh(3);
    match_.turn(4);
    for seat in 0..3 {
        lose(&mut match_, seat);
    }
    decided(&mut match_);
    match_.seat(AgentId(1));
    says(&mut match_, 1, &[Ask(0, 16)]);
    assert_eq!(decided(&mut match_), [1]);
    for agent in [2, 0] {
        match_.seat(AgentId(agent));
        says(&mut match_, agent, &[Ask(0, 16)]);
    }
    assert_eq!((decided(&mut match_), named(&match_)), (vec![2, 0], vec![]));
}

#[test]
fn turns_that_all_seats_missed_are_skipped() {
    let mut match_ = fresh(3);
    match_.turn(4);
    decided(&mut match_);
    for agent in 0..3 {
        says(&mut match_, agent, &[Ask(0, 30)]);
    }
    assert_eq!((decided(&mut match_), named(&match_)), (vec![0, 1, 2], vec![]));
}

#[test]
fn a_seat_goes_on_alone_when_the_others_have_been_silent_for_their_turn() {
    let mut match_ = fresh(3);
    match_.turn(4);
    decided(&mut match_);
    for step in 5..9 {
        pass(&mut match_, SECOND);
        says(&mut match_, 0, &[Ask(0, step)]);
        pass(&mut match_, SECOND / 2);
        assert_eq!(decided(&mut match_), [0], "turn {step}");
    }
}

#[test]
fn a_turn_does_not_wait_for_agents_that_are_out() {
    let mut match_ = fresh(3);
    match_.turn(4);
    decided(&mut match_);
    says(&mut match_, 1, &[Out(0)]);
    says(&mut match_, 2, &[Out(7)]);
    says(&mut match_, 0, &[Ask(0, 5)]);
    assert_eq!(decided(&mut match_), [0; 0], "seat 2 was out in another round");
    says(&mut match_, 2, &[Out(0)]);
    assert_eq!(decided(&mut match_), [0]);
    for step in 6..9 {
        says(&mut match_, 0, &[Ask(0, step)]);
        assert_eq!(decided(&mut match_), [0], "turn {step}");
    }
    // A referee that asks again has taken it back.
    says(&mut match_, 1, &[Ask(0, 8)]);
    assert_eq!(decided(&mut match_), [1]);
    says(&mut match_, 0, &[Ask(0, 9)]);
    assert_eq!(decided(&mut match_), [0; 0], "it waits for seat 1");
    says(&mut match_, 1, &[Ask(0, 9)]);
    assert_eq!(decided(&mut match_), [0, 1]);
    // All of them play the next round.
    for agent in 0..3 {
        says(&mut match_, agent, &[End(0), Start(1), Ask(1, 0)]);
    }
    assert_eq!((decided(&mut match_), named(&match_)), (vec![0, 1, 2], vec![]));
}

#[test]
fn who_is_left_plays_on_when_the_others_fall_silent_one_after_the_other() {
    let mut match_ = fresh(4);
    match_.turn(4);
    decided(&mut match_);
    for (step, left) in [(5, 4), (6, 3), (7, 2), (8, 1), (9, 1), (10, 1)] {
        for agent in 0..left {
            says(&mut match_, agent, &[Ask(0, step)]);
        }
        // Long enough for stragglers, and much less than a turn may last.
        pass(&mut match_, SECOND / 4);
        assert_eq!(decided(&mut match_), (0..left).collect::<Vec<_>>(), "turn {step}");
    }
}

#[test]
fn when_most_seats_are_led_astray_the_team_comes_back_with_them() {
    let mut match_ = fresh(3);
    match_.turn(4);
    decided(&mut match_);
    for agent in 0..2 {
        says(&mut match_, agent, &[Ask(0, 500)]);
    }
    pass(&mut match_, SECOND / 4);
    assert_eq!((decided(&mut match_), match_.snapshot().turn.step), (vec![0, 1], 500));
    for agent in [2, 0, 1] {
        says(&mut match_, agent, &[Ask(0, 5)]);
    }
    let mut who = decided(&mut match_);
    who.sort_unstable();
    assert_eq!((who, match_.snapshot().turn.step), (vec![0, 1, 2], 5));
}

#[test]
fn a_request_that_comes_too_early_waits_for_the_others_to_decide() {
    let mut match_ = fresh(3);
    match_.turn(4);
    decided(&mut match_);
    says(&mut match_, 0, &[Ask(0, 5), Ask(0, 6)]);
    assert_eq!(decided(&mut match_), [0; 0], "the others were not asked in turn 5 yet");
    says(&mut match_, 1, &[Ask(0, 5)]);
    says(&mut match_, 2, &[Ask(0, 5)]);
    assert_eq!(decided(&mut match_)[..3], [0, 1, 2]);
    says(&mut match_, 1, &[Ask(0, 6)]);
    says(&mut match_, 2, &[Ask(0, 6)]);
    assert_eq!(decided(&mut match_).len(), 3);
    assert_eq!(match_.snapshot().turn.step, 6);
}

#[test]
fn a_deadline_in_the_past_takes_no_time_from_the_others() {
    for odd in 0..3 {
        let mut match_ = fresh(3);
        match_.turn(4);
        match_.calls();
        for agent in 0..3 {
            let past = if agent == odd { SECOND } else { Duration::ZERO };
            let (turn, due) = (Turn::new(0, 5), match_.now + SECOND - past);
            let event = Event::Asked { turn, agent: AgentId(agent), due, percept: 5 };
            match_.event(AgentId(agent), event);
            match_.team.handle_timeout(match_.now);
            match_.drain();
        }
        let others: Vec<String> =
            (0..3).filter(|agent| *agent != odd).map(|agent| format!("decide {agent}")).collect();
        assert_eq!(match_.calls(), [&["plan".to_owned()][..], &others].concat(), "seat {odd}");
    }
}

#[test]
fn a_seat_that_is_lost_elsewhere_does_not_end_a_round_that_only_begins() {
    let mut match_ = fresh(3);
    match_.turn(4);
    says(&mut match_, 0, &[Start(1), Foreign(1, 70)]);
    for agent in [1, 2] {
        says(&mut match_, agent, &[Ask(0, 5)]);
    }
    for agent in [1, 2] {
        says(&mut match_, agent, &[End(0)]);
    }
    decided(&mut match_);
    // The next round has begun for one seat; the isolated one continues.
    says(&mut match_, 1, &[Start(1)]);
    says(&mut match_, 0, &[Foreign(1, 71), Foreign(1, 72)]);
    says(&mut match_, 1, &[Ask(1, 0)]);
    says(&mut match_, 2, &[Start(1), Ask(1, 0)]);
    pass(&mut match_, SECOND / 2);
    assert_eq!((decided(&mut match_), match_.snapshot().turn), (vec![1, 2], Turn::new(1, 0)));
}
