//! Daemons that are killed during a match and started again: their knowledge survives.

mod bench;
mod games;
mod refused;
mod truth;

use crate::support::{Opponents, Running, arena, arena_config, phalanx, stderr};
use bench::{Bench, assemble, number};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use truth::Picture;

/// Agents of each team.
const AGENTS: u32 = 4;
/// Steps of the match.
const STEPS: u64 = 44;
/// How long the referee waits for an answer, in milliseconds: an absent agent costs this each step.
const TURN_MS: u32 = 4_000;

/// Walks at random, and counts its turns in memory, where the count must survive.
const WANDERS: &str = r#"
return { decide = function(me)
    me.memory.turns = (me.memory.turns or 0) + 1
    board.set("turns/" .. me.name, me.memory.turns)
    return act.move(rng.pick({ "n", "e", "s", "w" }))
end }
"#;

/// A match that does not advance until we let the opponents answer.
struct Match {
    bench: Bench,
    arena: Running,
    opponents: Opponents,
    /// The step in which the opponents wait.
    step: u64,
    /// Steps in which the team may have missed its answer.
    away: BTreeSet<u64>,
    /// The team's maps, by step.
    pictures: BTreeMap<u64, Picture>,
}

impl Match {
    fn begin() -> Self {
        let bench = Bench::new(WANDERS);
        let steps = u32::try_from(STEPS).unwrap();
        let config = arena_config(bench.path(), AGENTS, steps, TURN_MS);
        let text = std::fs::read_to_string(&config).unwrap();
        let caves = r#""instructions": [["cave", 0.45, 9, 5, 4]]"#;
        std::fs::write(&config, text.replace(r#""instructions": []"#, caves)).unwrap();
        let (arena, address) = arena(&config);
        let mut bench = bench.settled(&assemble(address, AGENTS));
        bench.start();
        let opponents = Opponents::join(address, AGENTS);
        let step = opponents.asked();
        let (away, pictures) = Default::default();
        let mut match_ = Self { bench, arena, opponents, step, away, pictures };
        match_.stands();
        match_
    }

    /// The team has answered, and its checkpoint is written.
    fn stands(&mut self) {
        let step = u32::try_from(self.step).unwrap();
        self.bench.kept(|found| found.turn.step >= step);
    }

    fn turns(&mut self, turns: u64) {
        for _ in 0..turns {
            self.opponents.play(1);
            self.step = self.opponents.asked();
        }
        self.stands();
        self.pictures.insert(self.step, Picture::of(&self.bench.world()));
    }

    /// Everything that the team knows and shows.
    fn known(&self) -> (Value, BTreeMap<String, Value>) {
        (self.bench.world(), self.bench.board())
    }

    /// Starts a new daemon, and waits until its agents are connected.
    fn started(&mut self) {
        self.bench.start();
        self.bench.seated();
    }

    fn resumed(&mut self) -> u64 {
        let line = self.bench.line_with("resumed");
        number(&line, "resumed", "missed").unwrap()
    }

    /// The team has answered and waits: no turn is missed.
    fn killed_between_turns(&mut self) {
        let before = self.known();
        self.bench.kill();
        self.bench.start();
        assert_eq!(self.known(), before, "before the referee said anything");
        self.bench.seated();
        self.turns(1);
        assert_eq!(self.resumed(), 0);
        let turns = self.bench.board();
        assert!(before.1.iter().all(|(key, count)| turns[key].as_u64() > count.as_u64()));
    }

    /// It may be about to read, to decide, to answer, or to write a checkpoint.
    fn killed_in_a_turn(&mut self) {
        self.opponents.play(1);
        self.bench.kill();
        self.away.insert(self.opponents.asked());
        self.started();
        self.turns(1);
        assert!(self.resumed() <= 1);
    }

    /// Lets steps pass without it.
    fn killed_for(&mut self, steps: u64) {
        self.bench.kill();
        for _ in 0..steps {
            self.opponents.play(1);
            self.away.insert(self.opponents.asked());
        }
        // The referee does not repeat the requests of the running step.
        self.started();
        self.turns(1);
        assert_eq!(self.resumed(), steps);
    }

    /// Plays to the end; returns the referee's replay.
    fn finish(mut self) -> (Self, BTreeMap<i64, Value>) {
        self.turns(STEPS - 1 - self.step);
        let counters = self.bench.shown()["counters"].clone();
        assert_eq!(counters["decided"], counters["asked"], "{counters}");
        assert_eq!((&counters["late"], &counters["fallback"]), (&json!(0), &json!(0)));
        self.opponents.play(1);
        let (log, code) = self.bench.ended();
        assert_eq!(code, Some(0), "{log}");
        assert!(log.contains("every match is over"), "{log}");
        assert_eq!(self.bench.files(), [""; 0], "there is nothing to go on with any more");
        self.arena.line_with("over");
        let states = truth::replay(self.bench.path());
        (self, states)
    }
}

#[test]
fn killed_ten_times_in_a_match_it_keeps_its_map_and_misses_only_what_it_was_away_for() {
    let mut match_ = Match::begin();
    for kill in 0..10 {
        match_.turns(1 + kill % 3);
        match kill {
            2 | 5 | 9 => match_.killed_in_a_turn(),
            7 => match_.killed_for(1),
            _ => match_.killed_between_turns(),
        }
    }
    let (match_, states) = match_.finish();
    let missed = truth::unanswered(&states, "A");
    assert!(missed.is_subset(&match_.away), "{missed:?}, and was away in {:?}", match_.away);
    for (step, picture) in &match_.pictures {
        picture.holds_in(&states[&(i64::try_from(*step).unwrap() - 1)]);
    }
    for (before, after) in match_.pictures.values().zip(match_.pictures.values().skip(1)) {
        assert!(after.keeps(before), "{after:?} after {before:?}");
    }
}

#[test]
fn what_operators_did_and_the_generation_that_played_go_on() {
    let mut match_ = Match::begin();
    let control = match_.bench.control();
    let told = |words: &[&str]| {
        let output = phalanx(&[words, &["--control", &control]].concat());
        assert!(output.status.success(), "{words:?}: {}", stderr(&output));
    };
    told(&["agent", "pause", "A/agentA2"]);
    told(&["board", "set", "A", "goal", r#"{"x": 4}"#]);
    match_.turns(2);
    match_.bench.kill();
    // Half an edit: the folder differs from the strategy that plays.
    match_.bench.save("return { decide = function() retrun 1 end }");
    match_.started();
    match_.turns(1);
    assert_eq!(match_.resumed(), 0);
    let shown = match_.bench.shown();
    assert_eq!(shown["agents"][1]["steering"]["mode"], "paused", "{shown}");
    assert_eq!(match_.bench.board()["goal"]["x"], 4);
    assert_eq!(shown["generation"], 1, "{shown}");
}
