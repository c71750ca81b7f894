//! A team that continues from a checkpoint.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::wildcard_enum_match_arm,
    reason = "a test may fail loudly"
)]

mod game;
mod team;

use game::Counting;
use phalanx_engine::{
    AddAgent, AlertKind, Carry, CheckpointError, Command, CommandRequest, Counters, Freezer, Input,
    JournalEvent, Scope, SetParam, SetRole, Steer, SteerAgent, Steering, examine, inspect,
};
use phalanx_game::{AgentId, DefaultCause, Event, Turn, Value};
use team::{Match, identity, roster};

const A: AgentId = AgentId(0);
const B: AgentId = AgentId(1);

/// A team of three that has played this many turns of a round.
fn played(turns: u32) -> Match {
    let mut match_ = Match::new(3);
    match_.begin(3, 0, "cup/1");
    for step in 1..=turns {
        match_.turn(3, 0, step);
    }
    match_.starts();
    match_
}

fn command(match_: &mut Match, command: impl Into<Command>) {
    match_.input(Input::Command(CommandRequest::new(1, "ann", command)));
}

/// The journal of a match without the entries that only a restored team has, and without seats.
fn decisions<const FIXED: bool>(match_: &Match<FIXED>) -> Vec<String> {
    let other = |event: &JournalEvent| {
        matches!(event, JournalEvent::Resumed { .. } | JournalEvent::Seat { .. })
    };
    let told = match_.journal.iter().filter(|entry| !other(&entry.event));
    told.map(|entry| format!("{entry:?}")).collect()
}

#[test]
fn a_restored_team_decides_as_the_one_that_went_on() {
    for at in 1..12 {
        let mut one = played(at);
        let mut other: Match = Match::resumed(3, one.frozen());
        (one.journal, one.said) = Default::default();
        other.begin(3, 0, "cup/1");
        for step in at + 1..at + 20 {
            one.turn(3, 0, step);
            other.turn(3, 0, step);
        }
        assert_eq!(one.said, other.said, "restored after turn {at}");
        assert_eq!(decisions(&one), decisions(&other));
        assert_eq!(one.snapshot.counters, other.snapshot.counters);
        assert_eq!((one.snapshot.tick, one.snapshot.score), (at as u64 + 19, other.snapshot.score));
        let keys = |page: phalanx_engine::BoardPage| {
            let item = |item: phalanx_engine::BoardItem| {
                let entry = item.entry.map(|entry| (entry.value, entry.written, entry.expires));
                (item.key, entry)
            };
            page.items.into_iter().map(item).collect::<Vec<_>>()
        };
        assert_eq!(keys(one.board()), keys(other.board()));
        assert_eq!(other.story(), [format!("0:{at} and 0 missed")]);
        assert_eq!(other.starts(), [""; 0], "agents that were there do not start again");
    }
}

#[test]
fn turns_that_went_by_are_told_and_so_is_what_an_earlier_life_counted() {
    let mut match_ = played(3);
    let counters = match_.snapshot.counters;
    assert_ne!(counters, Counters::default());
    let mut match_: Match = Match::resumed(3, match_.frozen());
    assert_eq!((match_.snapshot.counters, match_.snapshot.tick), (counters, 3));
    match_.begin(3, 0, "cup/1");
    assert_eq!(match_.story(), [""; 0], "it waits for the first percepts");
    match_.turn(3, 0, 9);
    assert_eq!(match_.story(), ["0:3 and 5 missed"]);
    assert_eq!(match_.said.len(), 3);
    let inherited = match_.snapshot.inherited;
    assert_eq!((inherited.tick, inherited.counters, match_.snapshot.tick), (3, counters, 4));
}

/// The first round is over, and the second one has begun.
fn in_second_round() -> Match {
    let mut match_ = played(2);
    for agent in (0..3).map(AgentId) {
        match_.event(agent, over(agent, 0));
    }
    match_.begin(3, 1, "cup/2");
    match_
}

#[test]
fn a_restored_team_shows_turn_and_score_of_its_checkpoint_until_its_next_turn() {
    let mut match_ = in_second_round();
    match_.turn(3, 1, 4);
    let score = match_.snapshot.score;
    let shown = |match_: &Match| (match_.snapshot.turn, match_.snapshot.score);
    let mut match_: Match = Match::resumed(3, match_.frozen());
    assert_eq!(shown(&match_), (Turn::new(1, 4), score));
    match_.begin(3, 0, "cup/2");
    assert_eq!(shown(&match_), (Turn::new(1, 4), score), "it waits for the first percepts");
    match_.turn(3, 0, 5);
    assert_eq!(match_.snapshot.turn, Turn::new(1, 5));
}

#[test]
fn a_restored_team_in_another_match_shows_no_turn_of_its_checkpoint() {
    let mut match_: Match = Match::resumed(3, played(4).frozen());
    match_.begin(3, 0, "league/1");
    assert_eq!((match_.snapshot.turn, match_.snapshot.tick), (Turn::default(), 0));
}

#[test]
fn an_agent_that_is_new_is_started_and_the_others_are_not() {
    let mut match_ = Match::<false>::new(3);
    match_.begin(2, 0, "cup/1");
    match_.turn(2, 0, 1);
    let mut match_: Match = Match::resumed(3, match_.frozen());
    match_.begin(3, 0, "cup/1");
    match_.turn(3, 0, 2);
    assert_eq!(match_.starts(), ["start 2"]);
}

#[test]
fn sessions_that_count_anew_go_on_in_the_teams_round() {
    let mut match_ = in_second_round();
    match_.turn(3, 1, 1);
    let mut match_: Match = Match::resumed(3, match_.frozen());
    match_.begin(3, 0, "cup/2");
    match_.turn(3, 0, 2);
    assert_eq!(match_.story(), ["1:1 and 0 missed"]);
    assert_eq!(match_.snapshot.turn, Turn::new(1, 2));
    assert_eq!(match_.snapshot.rounds, [7], "the score of the first round");
}

fn over(agent: AgentId, round: u32) -> Event<String, i64> {
    Event::RoundOver { agent, round, score: 7, ranking: None }
}

#[test]
fn a_round_of_another_name_is_refused_and_nothing_is_kept() {
    let mut fresh = Match::<false>::new(3);
    let mut match_: Match = Match::resumed(3, played(5).frozen());
    for match_ in [&mut fresh, &mut match_] {
        match_.begin(3, 0, "friendly");
        for step in 0..9 {
            match_.turn(3, 0, step);
        }
    }
    assert_eq!(match_.story(), ["refused: the round is friendly, and was cup/1", "round"]);
    assert_eq!(fresh.said, match_.said);
    assert_eq!(match_.starts(), ["start 0", "start 1", "start 2"]);
    let (fresh, refused) = (&fresh.snapshot, &match_.snapshot);
    assert_eq!((fresh.counters, fresh.tick), (refused.counters, refused.tick));
    assert_eq!(refused.inherited, Default::default());
}

#[test]
fn a_percept_that_does_not_fit_refuses_even_what_others_recognized() {
    let mut fresh = Match::<false>::new(3);
    let mut match_: Match = Match::resumed(3, played(5).frozen());
    for match_ in [&mut fresh, &mut match_] {
        match_.begin(3, 0, "cup/1");
        match_.ask(A, Turn::new(0, 6), 6);
        match_.ask(B, Turn::new(0, 6), 1);
        match_.ask(AgentId(2), Turn::new(0, 6), 6);
        match_.drain();
        match_.turn(3, 0, 7);
    }
    assert_eq!(match_.story(), ["refused: the number is 1, and was 5", "round"]);
    assert_eq!(fresh.said, match_.said, "it heard all of it again");
    assert_eq!(match_.said.len(), 6);
    assert_eq!(fresh.snapshot.counters, match_.snapshot.counters);
}

#[test]
fn a_referee_that_begins_the_next_round_with_a_new_connection_finds_a_team_that_remembers() {
    let mut match_ = played(5);
    let mut match_: Match = Match::resumed(3, match_.frozen());
    match_.begin(3, 0, "cup/2");
    match_.turn(3, 0, 1);
    assert_eq!(match_.story(), ["0:5 and 0 missed", "round"]);
    assert_eq!(match_.snapshot.turn, Turn::new(1, 1));
    let memories = match_.checkpoint().freeze(&identity(), &mut Freezer::default());
    assert_eq!(inspect(&memories).unwrap().tick, 6, "it counts on");
    assert_eq!(match_.starts(), ["start 0", "start 1", "start 2"]);
}

#[test]
fn between_two_rounds_there_is_nothing_to_recognize() {
    let mut match_ = played(5);
    for agent in (0..3).map(AgentId) {
        match_.event(agent, over(agent, 0));
    }
    let mut match_: Match = Match::resumed(3, match_.frozen());
    match_.begin(3, 0, "whatever");
    match_.turn(3, 0, 1);
    assert_eq!(match_.story(), ["round"]);
    assert_eq!((match_.snapshot.turn, match_.snapshot.tick), (Turn::new(1, 1), 6));
    assert_eq!(match_.snapshot.rounds, [7]);
}

#[test]
fn what_operators_did_comes_back_with_its_authors() {
    let mut match_ = played(3);
    let by = || "ann".to_owned();
    let (carry, scope) = (Carry::Strict, Scope::Agent(B));
    let (name, value) = ("greed".to_owned(), Some(Value::Int(50)));
    command(&mut match_, SetParam { name, scope, value });
    command(&mut match_, SetRole { agent: A, role: "scout".into(), carry });
    command(&mut match_, SteerAgent { agent: A, steer: Steer::Pause });
    let before = match_.snapshot.clone();
    let match_: Match = Match::resumed(3, match_.frozen());
    let after = &match_.snapshot;
    assert_eq!(after.agents[0].steering, Steering::Paused { by: by() });
    assert_eq!(after.agents[0].role, "scout");
    assert_eq!(after.agents[0].last_action, before.agents[0].last_action);
    assert_eq!(after.params.value("greed", Some((B, "worker"))), Some(&Value::Num(50.0)));
    assert_eq!(after.params.value("greed", None), Some(&Value::Int(0)));
}

#[test]
fn a_refused_checkpoint_leaves_what_operators_did_since() {
    let mut match_ = played(3);
    command(&mut match_, SteerAgent { agent: A, steer: Steer::Pause });
    let steering = vec![Steering::Script, Steering::Paused { by: "bob".into() }];
    let checkpoint = Some(match_.frozen().into());
    let mut match_ = Match::<false>::of(3, checkpoint, steering);
    assert_eq!(match_.snapshot.agents[0].steering.word(), "paused");
    match_.begin(3, 0, "friendly");
    let words: Vec<_> = match_.snapshot.agents.iter().map(|one| one.steering.word()).collect();
    assert_eq!(words, ["script", "paused", "script"]);
}

#[test]
fn silent_turns_and_alerts_go_on() {
    let mut match_ = played(1);
    for step in 2..9 {
        match_.ask(A, Turn::new(0, step), 0);
        match_.ask(AgentId(2), Turn::new(0, step), 0);
        let (turn, cause) = (Turn::new(0, step), DefaultCause::NoDecision);
        match_.event(B, Event::Defaulted { turn, agent: B, cause });
        match_.now += team::SECOND;
        match_.team.handle_timeout(match_.now);
        match_.drain();
    }
    let (silent, alerts) = (match_.snapshot.agents[1].silent_turns, match_.snapshot.alerts.clone());
    assert!(silent >= 5, "{silent}");
    assert_eq!(alerts[0].kind, AlertKind::SilentAgent);
    let match_: Match = Match::resumed(3, match_.frozen());
    assert_eq!(match_.snapshot.agents[1].silent_turns, silent);
    assert_eq!(match_.snapshot.alerts, alerts);
    assert!(match_.story().is_empty());
}

#[test]
fn a_checkpoint_says_of_itself_what_it_is() {
    let mut match_ = played(4);
    let found = inspect(&match_.frozen()).unwrap();
    assert_eq!(found.identity, identity());
    assert_eq!((found.turn, found.tick, found.generation), (Turn::new(0, 4), 4, 1));
    assert_eq!(found.agents, ["a0", "a1", "a2"]);
}

#[test]
fn damage_anywhere_refuses_all_of_it() {
    let bytes = played(7).frozen();
    let fine = |bytes: &[u8]| examine(&Counting::<false>, &roster(3), bytes).is_ok();
    assert!(fine(&bytes));
    for at in 0..bytes.len() {
        assert!(!fine(&bytes[..at]), "cut at {at}");
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x10;
        assert!(!fine(&damaged), "flipped at {at}");
    }
    assert!(!fine(&[bytes.as_slice(), &[0]].concat()));
}

#[test]
fn a_team_with_a_damaged_checkpoint_begins_anew_and_says_why() {
    let mut bytes = played(7).frozen();
    bytes[100] ^= 1;
    let mut match_: Match = Match::resumed(3, bytes);
    assert_eq!(match_.story(), ["refused: it is damaged: its checksum does not match"]);
    match_.begin(3, 0, "cup/1");
    match_.turn(3, 0, 8);
    assert_eq!((match_.snapshot.tick, match_.said.len()), (1, 3));
}

#[test]
fn what_is_of_others_is_refused_with_the_reason() {
    let bytes = played(2).frozen();
    let why = |bytes: &[u8], agents| {
        examine(&Counting::<false>, &roster(agents), bytes).unwrap_err().to_string()
    };
    assert_eq!(why(b"", 3), "it is damaged: it is empty");
    assert_eq!(why(b"PK\x03\x04 and more", 3), "it is no checkpoint");
    let mut other = bytes.clone();
    other[8] = 9;
    assert_eq!(why(&other, 3), "it is written in format 9, this program reads 1");
    let mut named = roster(3);
    named.agents[1].name = "bob".into();
    let error = examine(&Counting::<false>, &named, &bytes).unwrap_err();
    let (found, name) = ("a1".to_owned(), "bob".to_owned());
    assert_eq!(error, CheckpointError::Agents { place: 2, found, name });
    let error = examine(&Counting::<true>, &roster(2), &bytes).unwrap_err();
    assert_eq!(error, CheckpointError::Size { found: 3, agents: 2 });
}

#[test]
fn whoever_came_while_it_played_keeps_its_place_and_is_gone() {
    let bytes = played(3).frozen();
    let mut match_: Match = Match::resumed(2, bytes);
    let told = match_.roster.take().unwrap();
    assert_eq!((told.agents.len(), told.present().count()), (3, 2));
    assert!(match_.snapshot.agents[2].gone);
    match_.begin(2, 0, "cup/1");
    match_.turn(2, 0, 4);
    assert_eq!(match_.said.len(), 2);
    command(&mut match_, AddAgent { name: "a2".to_owned(), role: "worker".to_owned() });
    assert!(match_.snapshot.agents[2..].iter().all(|agent| !agent.gone && agent.name == "a2"));
}

#[test]
fn what_did_not_change_is_written_as_before() {
    let mut match_ = played(3);
    let mut freezer = Freezer::default();
    let first = match_.checkpoint().freeze(&identity(), &mut freezer);
    let again = match_.checkpoint().freeze(&identity(), &mut freezer);
    assert_eq!(first, again);
    match_.turn(3, 0, 4);
    let next = match_.checkpoint().freeze(&identity(), &mut freezer);
    assert_ne!(next, first);
    assert_eq!(next, match_.frozen(), "as if nothing had been written before");
}

#[test]
fn a_checkpoint_is_taken_between_turns_alone() {
    let mut match_ = Match::<false>::new(3);
    assert!(match_.team.checkpoint().is_none(), "before the first turn");
    match_.begin(3, 0, "cup/1");
    match_.ask(A, Turn::new(0, 1), 1);
    match_.drain();
    assert!(match_.team.checkpoint().is_none(), "while percepts are missing");
    match_.turn(3, 0, 2);
    assert!(match_.team.checkpoint().is_some());
    let bytes = match_.frozen();
    let mut resumed: Match = Match::resumed(3, bytes);
    resumed.begin(3, 0, "cup/1");
    assert!(resumed.team.checkpoint().is_none(), "while it waits to be recognized");
    for agent in (0..3).map(AgentId) {
        match_.event(agent, Event::MatchOver);
    }
    assert!(match_.team.checkpoint().is_none(), "after the match");
}
