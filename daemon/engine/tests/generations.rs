//! Consecutive generations of a strategy: swaps, probation, and rollback.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "a test may fail loudly and looks at what it tests"
)]

#[path = "toy/actor.rs"]
mod actor;
#[path = "toy/game.rs"]
mod game;

use actor::{Manner, Match, staged};
use phalanx_engine::{
    Carry, Input, InstallStrategy, JournalEvent, Probation, RunScript, Scope, SetParam, Staged,
    TeamCommand, TeamOptions, Ticket,
};
use phalanx_game::{AgentId, DefaultCause, Event, Turn, Value};
use std::time::Duration;

/// Ten decisions are on probation; the third problem rolls a generation back.
fn watched(agents: u16) -> Match {
    let probation = Probation { decisions: 10, errors: 2 };
    Match::new(agents, TeamOptions { probation, ..TeamOptions::default() })
}

fn breaks() -> Manner {
    Manner { breaks: true, ..Manner::default() }
}

/// The result of a swap; `None` while it waits.
fn installed(match_: &Match, ticket: Ticket) -> Option<Result<(), String>> {
    match_.answers.iter().find(|(of, _)| *of == ticket).map(|(_, answer)| {
        InstallStrategy::answer(answer.clone()).map_err(|error| error.to_string())
    })
}

#[test]
fn a_generation_never_changes_in_the_middle_of_a_turn() {
    let mut match_ = watched(3);
    for agent in 0..3 {
        match_.ask(agent, 1);
    }
    while match_.said.is_empty() {
        assert!(match_.output());
    }
    let staged = staged(2, Manner::default());
    let ticket = match_.send("ann", InstallStrategy { staged, pinned: false });
    while match_.said.len() < 3 {
        assert!(match_.output());
        assert_eq!(installed(&match_, ticket), None);
    }
    match_.drain();
    assert_eq!((match_.take_said(), installed(&match_, ticket)), (vec![100; 3], Some(Ok(()))));
    match_.turn(2);
    assert_eq!(match_.take_said(), [200; 3]);
}

#[test]
fn no_turn_is_lost_when_every_turn_has_another_generation() {
    let mut match_ = watched(2);
    for step in 1..=200 {
        match_.turn(step);
        match_.install(staged(step + 1, Manner::default()), false);
    }
    let expected: Vec<_> = (1..=200).flat_map(|step| [step * 100; 2]).collect();
    assert_eq!(match_.said, expected);
    let counters = match_.snapshot().counters;
    assert_eq!((counters.asked, counters.decided, counters.fallback), (400, 400, 0));
}

#[test]
fn while_percepts_come_in_it_changes_only_if_that_takes_little_of_the_time_left() {
    for (cost, said) in [(100, 200), (101, 100)] {
        let mut match_ = watched(2);
        match_.ask(0, 1);
        match_.drain();
        let cost = Duration::from_millis(cost);
        match_.install(Staged { cost, ..staged(2, Manner::default()) }, false);
        match_.ask(1, 1);
        match_.drain();
        assert_eq!(match_.take_said(), [said; 2], "a second left, {cost:?} to load");
        match_.turn(2);
        assert_eq!(match_.take_said(), [200; 2], "between turns there is always room");
    }
}

/// A turn whose successor arrives before the team has finished it.
fn rush(match_: &mut Match, step: u32) {
    let said = match_.said.len();
    match_.ask(0, step);
    while match_.said.len() == said {
        assert!(match_.output());
    }
}

#[test]
fn turns_without_a_gap_keep_a_generation_waiting_but_not_for_ever() {
    let mut match_ = watched(1);
    rush(&mut match_, 1);
    let cost = Duration::from_millis(500);
    let staged_2 = Staged { cost, ..staged(2, Manner::default()) };
    match_.send("ann", InstallStrategy { staged: staged_2, pinned: true });
    for step in 2..=24 {
        rush(&mut match_, step);
    }
    assert_eq!(match_.take_said(), [vec![100; 20], vec![200; 4]].concat());
    match_.send("ann", InstallStrategy { staged: staged(3, breaks()), pinned: false });
    for step in 25..=50 {
        rush(&mut match_, step);
    }
    let said = [vec![0; 22], vec![200; 4]].concat();
    assert_eq!(match_.take_said(), said, "the third trouble, and twenty turns more");
}

#[test]
fn a_generation_that_waits_gives_way_to_a_newer_one() {
    let mut match_ = watched(1);
    let mut tickets = Vec::new();
    for number in [2, 3] {
        let staged = staged(number, Manner::default());
        tickets.push(match_.send("ann", InstallStrategy { staged, pinned: false }));
    }
    match_.drain();
    let replaced = "generation 2 never decided: generation 3 came before its turn";
    assert_eq!(installed(&match_, tickets[0]), Some(Err(replaced.into())));
    assert_eq!(installed(&match_, tickets[1]), Some(Ok(())));
    assert_eq!(match_.story(), ["3 | generation 3"]);
}

#[test]
fn a_generation_that_does_not_load_changes_nothing_and_is_told() {
    let mut match_ = watched(1);
    let manner = Manner { loads: 0, greed_max: 1.0, ..Manner::default() };
    let ticket = match_.install(staged(2, manner), false);
    assert_eq!(installed(&match_, ticket), Some(Err("worker.luau:7: no decide".into())));
    assert_eq!(match_.story(), ["1 | file: worker.luau:7: no decide"]);
    match_.turn(1);
    assert_eq!(match_.take_said(), [100]);
    let snapshot = match_.snapshot();
    assert_eq!((snapshot.generation, snapshot.on_probation), (1, false));
    assert_eq!(snapshot.params.each().count(), 1, "its declarations are the old ones");
}

#[test]
fn one_that_fails_too_often_is_taken_back_with_the_memories_of_the_one_before() {
    let mut match_ = watched(1);
    match_.turn(1);
    match_.turn(2);
    match_.install(staged(2, breaks()), false);
    assert!(match_.snapshot().on_probation);
    match_.calls();
    for step in 3..=6 {
        match_.turn(step);
    }
    assert_eq!(match_.take_said(), [100, 100, 0, 0, 0, 100], "the third trouble is one too many");
    let reason = "3 errors and fallbacks in its first 3 decisions; \
                  the last: worker.luau:7: it broke";
    assert_eq!(match_.story(), ["2 | generation 2".into(), format!("1 | 2 back to 1: {reason}")]);
    assert!(match_.calls().contains(&"install 1 spare [Num(2.0)]".into()), "decided twice before");
    let snapshot = match_.snapshot();
    assert_eq!((snapshot.generation, snapshot.on_probation), (1, false));
}

#[test]
fn what_operators_set_before_counts_again_after_the_way_back() {
    let mut match_ = watched(1);
    let (name, value) = ("greed".to_owned(), Some(Value::Num(9.0)));
    match_.call(SetParam { name, scope: Scope::Team, value }).unwrap();
    match_.install(staged(2, Manner { greed_max: 3.0, ..breaks() }), false);
    for step in 1..=4 {
        match_.turn(step);
    }
    assert_eq!(match_.take_said(), [0, 0, 0, 109]);
}

#[test]
fn a_pinned_generation_is_never_taken_back() {
    let mut match_ = watched(1);
    match_.install(staged(2, breaks()), true);
    for step in 1..=20 {
        match_.turn(step);
    }
    assert_eq!(match_.story(), ["2 | generation 2 pinned"]);
    assert!(!match_.snapshot().on_probation);
}

#[test]
fn one_that_did_well_for_long_enough_stays_whatever_happens_later() {
    let mut match_ = watched(1);
    match_.install(staged(2, Manner::default()), false);
    for step in 1..=9 {
        match_.turn(step);
    }
    assert!(match_.snapshot().on_probation);
    match_.turn(10);
    assert!(!match_.snapshot().on_probation);
    for step in 11..=20 {
        defaulted(&mut match_, step);
    }
    assert_eq!(match_.snapshot().generation, 2);
}

#[test]
fn turns_that_nobody_decided_count_unless_they_are_older_than_the_generation() {
    let mut match_ = watched(1);
    match_.turn(5);
    match_.install(staged(2, Manner::default()), false);
    for step in 1..=5 {
        defaulted(&mut match_, step);
    }
    assert_eq!(match_.snapshot().generation, 2);
    match_.turn(6);
    for _ in 0..3 {
        defaulted(&mut match_, 6);
    }
    assert_eq!(match_.snapshot().generation, 1);
    let story = match_.story();
    assert!(story[1].contains("the last: no decision came in time"), "{story:?}");
}

#[test]
fn turns_that_the_referee_ended_too_early_count_and_broken_connections_do_not() {
    for (cause, generation) in [(DefaultCause::Superseded, 1), (DefaultCause::Disconnected, 2)] {
        let mut match_ = watched(1);
        match_.install(staged(2, Manner::default()), false);
        for step in 1..=3 {
            match_.turn(step);
            let (turn, agent) = (Turn::new(0, step), AgentId(0));
            match_.event(agent, Event::Defaulted { turn, agent, cause });
        }
        assert_eq!(match_.snapshot().generation, generation, "{cause}");
    }
}

fn defaulted(match_: &mut Match, step: u32) {
    let (turn, agent, cause) = (Turn::new(0, step), AgentId(0), DefaultCause::NoDecision);
    match_.event(agent, Event::Defaulted { turn, agent, cause });
}

#[test]
fn the_way_back_leads_to_the_last_one_that_proved_itself() {
    let mut match_ = watched(1);
    match_.install(staged(2, Manner::default()), false);
    match_.turn(1);
    match_.install(staged(3, breaks()), false);
    for step in 2..=4 {
        match_.turn(step);
    }
    assert_eq!(match_.snapshot().generation, 1, "2 was on probation itself");
}

#[test]
fn one_that_cannot_be_taken_back_stays_and_that_is_told_loudly() {
    let mut match_ = watched(1);
    let once = Manner { loads: 1, ..Manner::default() };
    match_.install(staged(2, once), true);
    match_.install(staged(3, breaks()), false);
    for step in 1..=9 {
        match_.turn(step);
    }
    let story = match_.story();
    assert_eq!(story.len(), 3, "one entry: {story:?}");
    assert!(story[2].starts_with("3 | generation 3 stays, though it fails"), "{story:?}");
    assert!(story[2].ends_with("generation 2 does not load any more: worker.luau:7: no decide"));
}

#[test]
fn a_team_that_leaves_takes_no_new_generation() {
    let mut match_ = watched(1);
    match_.input(Input::Drain);
    let ticket = match_.install(staged(2, Manner::default()), false);
    assert_eq!(installed(&match_, ticket), Some(Err("the team is leaving".into())));
}

#[test]
fn every_line_of_the_journal_carries_the_generation_that_decided() {
    let mut match_ = watched(1);
    match_.turn(1);
    match_.install(staged(2, Manner::default()), false);
    match_.turn(2);
    let decided = match_.journal.iter().filter_map(|entry| match &entry.event {
        JournalEvent::Decided { action, reason, .. } => {
            let why = reason.as_ref().map(|reason| reason.text.clone()).unwrap_or_default();
            Some(format!("{} {action} {why}", entry.generation))
        }
        _ => None,
    });
    let decided: Vec<_> = decided.collect();
    assert_eq!(decided, ["1 say(100) as 1 does", "2 say(200) as 2 does"]);
    assert_eq!(match_.snapshot().agents[0].reason, "as 2 does");
}

#[test]
fn what_was_logged_before_a_swap_is_told_with_the_generation_that_logged_it() {
    let mut match_ = watched(1);
    match_.call(RunScript { agent: AgentId(0), code: "hello".to_owned() }).unwrap();
    match_.install(staged(2, Manner::default()), false);
    match_.turn(1);
    let logged = match_.journal.iter().filter_map(|entry| match &entry.event {
        JournalEvent::Log { text, .. } => Some((entry.generation, text.as_str())),
        _ => None,
    });
    assert_eq!(logged.collect::<Vec<_>>(), [(1, "hello")]);
}

#[test]
fn the_same_inputs_give_the_same_match() {
    let play = || {
        let mut match_ = watched(3);
        for step in 1..=30 {
            match_.turn(step);
            if step % 4 == 0 {
                let manner = if step % 8 == 0 { breaks() } else { Manner::default() };
                match_.install(staged(step, manner), step % 12 == 0);
            }
        }
        (match_.journal, match_.said, match_.snapshots)
    };
    let (one, other) = (play(), play());
    assert!(one == other, "one history for equal inputs");
    assert!(one.1.contains(&0) && one.1.contains(&400), "some of it was eventful");
}

#[test]
fn an_operator_goes_back_loosely_and_it_is_told_how() {
    let mut match_ = watched(1);
    match_.turn(1);
    match_.install(staged(2, breaks()), false);
    match_.turn(2);
    match_.calls();
    let note = "rolled back by anna".to_owned();
    let back = Staged { carry: Carry::Loose, note, ..staged(1, Manner::default()) };
    match_.install(back, false);
    match_.turn(3);
    let calls = match_.calls();
    assert_eq!(calls[0], "install 1 spare [Num(1.0)]", "{calls:?}");
    assert_eq!(match_.story()[1], "1 | generation 1 rolled back by anna");
    assert!(!match_.snapshot().on_probation, "it proved itself before");
}

#[test]
fn who_goes_back_to_what_is_not_at_hand_any_more_drops_what_does_not_fit() {
    let mut match_ = watched(1);
    match_.install(staged(2, Manner::default()), true);
    match_.calls();
    let back = Staged { carry: Carry::Loose, ..staged(1, Manner::default()) };
    match_.install(back, false);
    match_.turn(1);
    assert_eq!(match_.calls()[0], "install 1 spare []");
}
