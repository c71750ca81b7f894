//! Recorded simulations, executed step by step: no difference in results, places, structures,
//! blocks, terrain, energy, tasks and scores; and the percepts that agents got on the way.

use super::retrace::{initial, retrace};
use super::support;
use phalanx_assemble::arena::{PerceptWriter, Simulation, State};
use std::sync::Arc;

/// Retraces a replay of that configuration and returns its last state.
fn retraced(replay: &str, sim: &str, look: impl FnMut(&State)) -> Option<State> {
    let record = support::replay(replay)?;
    let config = if sim.ends_with(".config.json") {
        support::config(sim)?.sims[0].clone()
    } else {
        support::sim(sim)?
    };
    let state = initial(&record, config);
    Some(
        retrace(&record, state, look).unwrap_or_else(|difference| panic!("{replay}: {difference}")),
    )
}

const CONTEST: &str = "mapc2020/config/sim/contest2021-like-15.json";

#[test]
fn the_contest_game_that_ended_353_to_10_is_reproduced() {
    let Some(state) = retraced("mapc2020/replay/contest_GOAL-DTU_353.tar.gz", CONTEST, |_| {})
    else {
        return;
    };
    let scores: Vec<i64> = state.teams.iter().map(|team| team.score).collect();
    assert!(scores.contains(&353) && scores.contains(&10), "{scores:?}");
    assert_eq!(state.step, 749);
}

#[test]
fn the_contest_game_that_ended_160_to_12_is_reproduced() {
    let Some(state) = retraced("mapc2020/replay/contest_MLFC_160.tar.gz", CONTEST, |_| {}) else {
        return;
    };
    let scores: Vec<i64> = state.teams.iter().map(|team| team.score).collect();
    assert!(scores.contains(&160) && scores.contains(&12), "{scores:?}");
    assert_eq!(state.step, 749);
}

/// Retraces a run whose traffic was recorded too, and compares every percept on the way.
fn with_percepts(run: &str, replay: &str, count: usize) {
    let Some(expected) = support::percepts(&format!("mapc2020/{run}.jsonl.gz")) else { return };
    let mut compared = 0;
    let look = |state: &State| {
        let percepts = PerceptWriter::new(state);
        for (index, entity) in state.entities.iter().enumerate() {
            let Some(expected) = expected.get(&(entity.name.clone(), state.step)) else { continue };
            let got = support::normal(serde_json::from_slice(&percepts.json(index)).unwrap());
            support::assert_same(
                &got,
                expected,
                &format!("{} before step {}", entity.name, state.step),
            );
            compared += 1;
        }
    };
    retraced(
        &format!("mapc2020/replay/{replay}.tar.gz"),
        &format!("mapc2020/{run}.config.json"),
        look,
    )
    .unwrap();
    assert_eq!(compared, count);
}

#[test]
fn the_random_walk_with_every_action_is_reproduced_with_its_percepts() {
    with_percepts("mixed_150steps_seed7", "mixed_seed7_replay", 150 * 15);
}

#[test]
fn the_teams_whole_game_is_reproduced_with_its_percepts() {
    with_percepts("team_750steps_seed42", "team_seed42_replay", 750 * 15);
}

#[test]
fn the_scripted_run_is_reproduced_from_its_seed_and_setup() {
    let Some(record) = support::replay("mapc2020/replay/rules_replay.tar.gz") else { return };
    let config = support::config("mapc2020/rules/config.json").unwrap();
    let sim =
        Simulation::new(&Arc::new(config.sims[0].clone()), &super::retrace::teams(&record), 11);
    let differences = super::retrace::differences(&sim.state, &record.frames[&-1]);
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    let end =
        retrace(&record, sim.state, |_| {}).unwrap_or_else(|difference| panic!("{difference}"));
    assert_eq!(end.step, 31);
}
