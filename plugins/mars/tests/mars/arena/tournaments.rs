//! Whole runs: simulations, matches, results, and clients that walk.

use super::host::{Host, action, attribute, element, elements, is, of};
use phalanx_game::sorted::SortedMap;
use phalanx_game::{Arena as _, ConnectionId};
use phalanx_mars::arena::ArenaOptions;
use phalanx_testkit::mangle::Mangler;
use serde_json::Value;

/// Answers requests until nothing comes any more; what each connection got, types in a row.
fn play(
    host: &mut Host,
    ids: &[ConnectionId],
    mut decide: impl FnMut(&str) -> (String, String),
) -> SortedMap<ConnectionId, Vec<String>> {
    let mut heard: SortedMap<ConnectionId, Vec<String>> = SortedMap::new();
    while !host.arena.verdict().over {
        for id in ids {
            for frame in host.frames(*id) {
                if is(&frame, "request-action") {
                    let (kind, param) = decide(&frame);
                    host.say(*id, &action(of(&frame, "perception", "id"), &kind, &param));
                }
                heard.entry(*id).or_default().push(frame);
            }
        }
        host.wait(std::time::Duration::from_millis(100));
    }
    for id in ids {
        let rest = host.frames(*id);
        heard.entry(*id).or_default().extend(rest);
    }
    heard
}

fn skip(_: &str) -> (String, String) {
    ("skip".to_owned(), String::new())
}

/// Walks along some visible edge, surveys, probes, attacks whom it sees, or rests.
fn wanderer(seed: u64) -> impl FnMut(&str) -> (String, String) {
    let mut chance = Mangler::new(seed);
    move |frame| {
        let position = of(frame, "self", "position");
        let energy: i32 = of(frame, "self", "energy").parse().unwrap();
        let ways: Vec<&str> = elements(frame, "visibleEdge")
            .filter_map(|edge| {
                let ends = [attribute(edge, "node1")?, attribute(edge, "node2")?];
                let other = ends.iter().find(|end| **end != position)?;
                ends.contains(&position).then_some(*other)
            })
            .collect();
        let others: Vec<&str> =
            elements(frame, "visibleEntity").filter_map(|one| attribute(one, "name")).collect();
        let (kind, param) = match chance.below(8) {
            _ if energy < 9 => ("recharge", ""),
            0 => ("survey", ""),
            1 => ("probe", ""),
            2 => ("attack", others[chance.below(others.len())]),
            3 => ("inspect", ""),
            4 => ("parry", ""),
            _ => ("goto", ways[chance.below(ways.len())]),
        };
        (kind.to_owned(), param.to_owned())
    }
}

fn results(host: &Host) -> Value {
    serde_json::from_slice(&host.artifacts["results.json"]).expect("JSON")
}

#[test]
fn a_run_has_all_its_messages_with_running_numbers() {
    let config =
        "agents = 2\nsteps = 3\nseed = 1\n[map]\nnodes = 40\n[[simulations]]\n[[simulations]]";
    let mut host = Host::new(config, ArenaOptions::default());
    let ids = host.login_all(2);
    let heard = play(&mut host, &ids, skip);
    for frames in heard.values() {
        let types: Vec<&str> = frames.iter().map(|f| of(f, "message", "type")).collect();
        let simulation =
            ["sim-start", "request-action", "request-action", "request-action", "sim-end"];
        assert_eq!(types, [&["auth-response"][..], &simulation, &simulation, &["bye"]].concat());
        let numbers = |name: &'static str| {
            let has = frames.iter().filter(move |frame| element(frame, name).is_some());
            has.map(|frame| of(frame, name, "id").to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(numbers("perception"), ["1", "2", "3", "6", "7", "8"]);
        let starts = frames.iter().filter(|frame| is(frame, "sim-start"));
        let starts: Vec<&str> = starts.map(|frame| of(frame, "simulation", "id")).collect();
        assert_eq!(starts, ["0", "5"], "steps + 2");
    }
    assert!(ids.iter().all(|id| host.is_closed(*id)));
    let late = host.login("a1");
    let types: Vec<String> =
        host.frames(late).iter().map(|f| of(f, "message", "type").to_owned()).collect();
    assert_eq!(types, ["auth-response", "bye"]);
    assert!(host.is_closed(late));
}

#[test]
fn equal_teams_draw() {
    let config = "agents = 2\nsteps = 3\nseed = 1\n[map]\nnodes = 40\n[[simulations]]";
    let mut host = Host::new(config, ArenaOptions::default());
    let ids = host.login_all(2);
    let heard = play(&mut host, &ids, skip);
    for frames in heard.values() {
        let end = frames.iter().find(|frame| is(frame, "sim-end")).unwrap();
        assert_eq!(of(end, "sim-result", "ranking"), "1");
    }
    let results = results(&host);
    assert_eq!(results["simulations"][0]["winner"], Value::Null);
    assert_eq!(results["table"][0]["points"], 1);
}

#[test]
fn clients_that_know_only_the_specification_play_a_whole_simulation() {
    let config = "steps = 60\nseed = 11\n[map]\nnodes = 150\n[[simulations]]";
    let mut host = Host::new(config, ArenaOptions::default());
    let ids = host.login_all(20);
    let mut walks = wanderer(5);
    let heard = play(&mut host, &ids, |frame| match of(frame, "self", "maxEnergy") {
        "20" | "30" | "35" => walks(frame),
        _ => skip(frame),
    });
    let mut actions: SortedMap<(String, String), usize> = SortedMap::new();
    for frame in heard.values().flatten().filter(|frame| is(frame, "request-action")) {
        let told = |key| of(frame, "self", key).to_owned();
        *actions.entry((told("lastAction"), told("lastActionResult"))).or_default() += 1;
    }
    for (kind, result) in [
        ("goto", "successful"),
        ("survey", "successful"),
        ("probe", "successful"),
        ("attack", "successful"),
        ("inspect", "failed_role"),
        ("recharge", "successful"),
        ("skip", "failed_random"),
    ] {
        assert!(actions.contains_key(&(kind.to_owned(), result.to_owned())), "{kind} {result}");
    }
    let verdict = host.arena.verdict();
    let results = results(&host);
    let simulation = &results["simulations"][0];
    assert_eq!((&simulation["vertices"], &simulation["seed"]), (&150.into(), &11.into()));
    for (team, first) in verdict.teams.iter().zip([ids[0], ids[20]]) {
        let end = heard[&first].iter().find(|frame| is(frame, "sim-end")).unwrap();
        assert_eq!(of(end, "sim-result", "score"), team.rounds[0].to_string());
        assert_eq!(simulation["scores"][&team.team], team.rounds[0]);
        assert!(team.rounds[0] > 60, "{verdict:?}");
    }
    let tape = String::from_utf8(host.artifacts["simulation_1.jsonl"].clone()).unwrap();
    let lines: Vec<Value> = tape.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 62, "the map and all states");
    assert_eq!(lines[61]["teams"]["A"]["score"], verdict.teams[0].rounds[0]);
}

#[test]
fn a_seed_decides_everything() {
    let record = |seed: i64, clients: u64| {
        let config = "agents = 10\nsteps = 30\n[map]\nnodes = 60\n[[simulations]]\n[[simulations]]";
        let options = ArenaOptions { seed: Some(seed), ..ArenaOptions::default() };
        let mut host = Host::new(config, options);
        let ids = host.login_all(10);
        play(&mut host, &ids, wanderer(clients));
        host.artifacts
    };
    let first = record(1, 9);
    assert_eq!(first, record(1, 9));
    assert_ne!(first["simulation_1.jsonl"], first["simulation_2.jsonl"]);
    assert_eq!(first.len(), 3);
    let next = record(2, 9);
    let map = |bytes: &[u8]| bytes.split(|byte| *byte == b'\n').next().unwrap().to_vec();
    assert_eq!(
        map(&next["simulation_1.jsonl"]),
        map(&first["simulation_2.jsonl"]),
        "the next simulation has the next seed"
    );
}

#[test]
fn every_pair_of_teams_meets_once() {
    let config = "agents = 1\nsteps = 2\nseed = 1\nstart = \"complete\"\n[map]\nnodes = 40\n\
                  [[simulations]]\n[[simulations]]\n\
                  [[teams]]\nname = \"A\"\n[[teams]]\nname = \"B\"\n[[teams]]\nname = \"C\"\n";
    let mut host = Host::new(config, ArenaOptions::default());
    let mut ids = host.login_all(1);
    assert_eq!(host.arena.verdict().round, 0, "C is missing");
    ids.push(host.login("c1"));
    // C probes, and so it earns more.
    let heard = play(&mut host, &ids, |frame| {
        let probes = elements(frame, "visibleEntity").any(|one| one.contains("name=\"c1\""));
        (if probes { "survey" } else { "skip" }.to_owned(), String::new())
    });
    let verdict = host.arena.verdict();
    assert_eq!((verdict.round, verdict.over), (6, true));
    assert!(verdict.teams.iter().all(|team| team.rounds.len() == 4));
    assert!(heard.values().all(|frames| is(frames.last().unwrap(), "bye")));
    let results = results(&host);
    let met = |index: usize| {
        let scores = results["simulations"][index]["scores"].as_object().unwrap();
        scores.keys().cloned().collect::<Vec<_>>().concat()
    };
    assert_eq!([0, 1, 2, 3, 4, 5].map(met), ["AB", "AB", "AC", "AC", "BC", "BC"]);
    let table = results["table"].as_array().unwrap();
    let points: i64 = table.iter().map(|row| row["points"].as_i64().unwrap()).sum();
    let draws = table.iter().map(|row| row["drawn"].as_i64().unwrap()).sum::<i64>() / 2;
    assert_eq!(points, 3 * (6 - draws) + 2 * draws);
    assert!(host.arena.summary().contains("1. "), "{}", host.arena.summary());
}
