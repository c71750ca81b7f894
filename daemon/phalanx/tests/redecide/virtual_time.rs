//! Matches on virtual time: small ones of all games, with the shipped strategies.

use crate::support::{Kept, again, ask, same, staged, team};
use phalanx_engine::{JournalEntry, JournalEvent};
use phalanx_game::Verdict;
use phalanx_games::TeamPlan;
use phalanx_games::shipped;
use phalanx_lua::Bundle;
use phalanx_net::{
    Decision, Line, LineDifference, Lockstep, LockstepEnd, LockstepOptions, Observer, Question,
    RerunOptions, Share, Tally, Taped, now, origin,
};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

/// Plays a whole match of a game; returns the recordings of its teams.
fn played(
    game: &str,
    variant: Option<&str>,
    steps: u32,
    bundle: &Bundle,
    roles: &[&str],
) -> Vec<(TeamPlan, Arc<Kept>)> {
    let stage = phalanx_games::demo(game, &ask(variant, steps)).unwrap();
    let begun = origin();
    let arena = (stage.arena)(begun).unwrap();
    let mut lockstep = Lockstep::new(arena, now(), LockstepOptions::default());
    let names = ["A", "B"].into_iter().take(stage.teams);
    let teams: Vec<_> = names.map(|name| team(game, &stage, name, bundle, roles)).collect();
    for (plan, _) in &teams {
        phalanx_games::join(&mut lockstep, plan).unwrap();
    }
    assert_eq!(lockstep.run(&mut ()), LockstepEnd::Over, "{game}");
    teams
}

/// How often a team ends and resumes.
const RESTARTS: u64 = 3;

/// Interrupts a match after every fifth step.
struct Now;

impl Observer for Now {
    fn step(&mut self, verdict: &Verdict) -> ControlFlow<()> {
        if verdict.step % 5 == 4 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// The same match, in which the first team ends repeatedly, and resumes from a checkpoint.
fn interrupted(game: &str, variant: Option<&str>, steps: u32, roles: &[&str]) {
    let stage = phalanx_games::demo(game, &ask(variant, steps)).unwrap();
    let arena = (stage.arena)(origin()).unwrap();
    let mut lockstep = Lockstep::new(arena, now(), LockstepOptions::default());
    let bundle = shipped::strategy(game).unwrap();
    let names = ["A", "B"].into_iter().take(stage.teams);
    let teams: Vec<_> = names.map(|name| team(game, &stage, name, &bundle, roles)).collect();
    for (plan, _) in &teams {
        phalanx_games::join(&mut lockstep, plan).unwrap();
    }
    let mut restarts = 0;
    while restarts < RESTARTS && lockstep.run(&mut Now) == LockstepEnd::Stopped {
        restarts += u64::from(lockstep.restart(0).unwrap());
    }
    lockstep.run(&mut Now);
    drop(lockstep);
    let (plan, kept) = &teams[0];
    let found = same(plan, kept);
    assert!(restarts > 0 && found.trouble.restarts == restarts, "{game}: {restarts}");
    let went_on = kept.entries().iter().any(|(_, what)| {
        matches!(what, Taped::Journal(entry) if matches!(entry.event, JournalEvent::Resumed { .. }))
    });
    assert!(went_on, "{game}");
}

/// Plays a match of a game and decides it again: all teams are the same.
fn check(game: &str, variant: Option<&str>, steps: u32, roles: &[&str]) -> Vec<Tally> {
    let bundle = shipped::strategy(game).unwrap();
    let teams = played(game, variant, steps, &bundle, roles);
    let tallies: Vec<_> = teams.iter().map(|(plan, kept)| same(plan, kept).tally).collect();
    for tally in &tallies {
        assert_eq!((tally.errors_recorded, tally.errors_now), (0, 0), "{game}: {tally:?}");
    }
    tallies
}

#[test]
fn agents_assemble_comes_out_as_it_was() {
    let tallies = check("assemble", None, 40, &["worker", "worker", "scout"]);
    assert!(tallies.iter().all(|tally| tally.decisions.all >= 40 * 15), "{tallies:?}");
}

#[test]
fn agents_on_mars_come_out_as_they_were() {
    check("mars", None, 30, &["explorer", "inspector", "repairer", "saboteur", "sentinel"]);
}

#[test]
fn bomberland_comes_out_as_it_was() {
    check("bomberland", None, 80, &["hunter"]);
}

#[test]
fn the_games_of_colosseum_come_out_as_they_were() {
    for variant in ["food_catcher", "cherry_picker", "snake", "chess"] {
        check("colosseum", Some(variant), 20, &["player"]);
    }
}

#[test]
fn asimulator_comes_out_as_it_was() {
    check("asimulator", None, 60, &["explorer"]);
}

#[test]
fn a_team_that_went_on_from_checkpoints_comes_out_as_it_was() {
    interrupted("assemble", None, 20, &["worker", "worker", "scout"]);
    interrupted("mars", None, 20, &["explorer", "inspector", "repairer", "saboteur", "sentinel"]);
    interrupted("bomberland", None, 40, &["hunter"]);
    interrupted("colosseum", Some("food_catcher"), 20, &["player"]);
    interrupted("asimulator", None, 60, &["explorer"]);
}

#[test]
fn another_strategy_is_told_by_agent_and_turn_with_both_reasons() {
    let bundle = |source: &str| Bundle::from_files([("worker.luau", source)]).unwrap();
    let goes = "return { decide = function(me) explain('as always') return act.move('n') end }";
    let waits = "return { decide = function(me)
        if me.turn % 4 == 3 then explain('every fourth turn') return act.skip() end
        return act.move('n')
    end }";
    let teams = played("assemble", None, 12, &bundle(goes), &["worker"]);
    let (plan, kept) = &teams[0];
    let other = Some(staged(2, &bundle(waits)));
    let found = again(plan, kept, RerunOptions { other, watcher: None });
    assert_eq!(found.tally.decisions, Share { all: 12 * 15, differ: 3 * 15 });
    assert_eq!(found.tally.by_role["worker"], found.tally.decisions);
    assert_eq!(found.tally.by_agent["agentA7"].differ, 3);
    let LineDifference { turn, recorded, now } = &found.journal[0];
    let told = |line: &Option<JournalEntry>| {
        let line = line.as_ref().unwrap();
        let Decision { action, reason, .. } = line.decision().unwrap();
        format!("{} {} {reason}", line.agent().unwrap(), action.unwrap())
    };
    assert_eq!(turn.step, 3);
    assert_eq!(told(recorded), "agentA1 move(n) as always");
    assert_eq!(told(now), "agentA1 skip() every fourth turn");
}

#[test]
fn whoever_looks_on_sees_what_the_agent_sees_and_changes_nothing() {
    let source = "return { decide = function(me)
        me.memory.count = (me.memory.count or 0) + 1
        return act.skip()
    end }";
    let bundle = Bundle::from_files([("worker.luau", source)]).unwrap();
    let teams = played("assemble", None, 6, &bundle, &["worker"]);
    let (plan, kept) = &teams[0];
    let seen = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&seen);
    let watcher = Box::new(move |question: &mut Question<'_, '_>| {
        let code = "me.name, me.memory.count, world.here ~= nil";
        if question.agent == "agentA3" {
            let ran = question.brain.run(&question.ask, code);
            noted.lock().unwrap().push(ran.result.unwrap().text.replace('\n', " "));
        }
        ControlFlow::Continue(())
    });
    let found = again(plan, kept, RerunOptions { other: None, watcher: Some(watcher) });
    assert_eq!((found.journal.as_slice(), found.tally.decisions.all), (&[][..], 6 * 15));
    let seen = seen.lock().unwrap();
    let ends = (seen.len(), seen[0].as_str(), seen[5].as_str());
    assert_eq!(ends, (6, "\"agentA3\" nil true", "\"agentA3\" 5 true"));
}
