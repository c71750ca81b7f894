//! `phalanx arena bomberland` against clients that know only the specification.

use crate::support::{phalanx, stderr};
use crate::web::{Mirror, SHORT, Web, arena, arena_config};
use serde_json::{Value, json};

const A: &str = "role=agent&agentId=agentA&name=test";
const B: &str = "role=agent&agentId=agentB&name=test";

#[test]
fn plain_web_socket_clients_play_and_watch_a_whole_game() {
    let dir = tempfile::tempdir().unwrap();
    let (mut arena, address) = arena(dir.path(), SHORT);
    let mut watcher = Web::connect(address, "role=spectator");
    let watched = watcher.next("game_state");
    let nobody = json!({ "id": 1, "role": "spectator", "agent_id": null });
    assert_eq!(watched["connection"], nobody);
    let players = [A, B].map(|query| {
        let client = Web::connect(address, query);
        std::thread::spawn(move || play(client))
    });
    let mut mirror = Mirror::new(&watched);
    let end = loop {
        let mut packet = watcher.receive().unwrap();
        match packet["type"].as_str().unwrap() {
            "tick" => mirror.apply(&packet["payload"]),
            "endgame_state" => break packet["payload"].take(),
            other => assert_eq!(other, "info"),
        }
    };
    assert_eq!(end["winning_agent_id"], mirror.winner());
    mirror.apply(&watcher.next("tick"));
    for player in players {
        let played = player.join().unwrap();
        assert_eq!(played.mirror, mirror, "players and spectators see the same");
        assert_eq!(played.winner, end["winning_agent_id"]);
        assert!(played.steps > 0, "no move was ever carried out");
    }
    arena.line_with("simulation 1 is over");

    // The referee stays: late clients receive the end, and an admin may start a new game.
    let mut admin = Web::connect(address, "role=admin");
    let late = admin.next("endgame_state");
    assert_eq!(late["winning_agent_id"], end["winning_agent_id"]);
    assert_eq!(late["initial_state"], end["initial_state"]);
    admin.send(&json!({ "type": "request_game_reset", "world_seed": 9, "prng_seed": 10 }));
    let anew = watcher.next("game_state");
    assert_eq!((&anew["tick"], anew["game_id"] == watched["game_id"]), (&json!(0), false));
    assert_eq!(anew["entities"], watched["entities"], "the same world seed");
    arena.signal("INT");
    let (said, code) = arena.finish();
    assert_eq!(code, Some(0), "{said}");

    let replay = std::fs::read(dir.path().join("replay.json")).unwrap();
    let replay: Value = serde_json::from_slice(&replay).unwrap();
    assert!(replay["type"] == "endgame_state" && replay["payload"] == end, "as it was sent");
    assert_eq!(replay["payload"]["initial_state"]["game_id"], watched["game_id"]);
}

/// What a player saw.
struct Played {
    mirror: Mirror,
    /// Own moves that the referee reported.
    steps: usize,
    winner: Value,
}

/// Walks about until the game is over.
fn play(mut client: Web) -> Played {
    let state = client.next("game_state");
    let own = state["connection"]["agent_id"].as_str().unwrap().to_owned();
    let (mut mirror, mut steps) = (Mirror::new(&state), 0);
    loop {
        let packet = client.receive().unwrap();
        match packet["type"].as_str().unwrap() {
            "tick" => {
                let tick = &packet["payload"];
                mirror.apply(tick);
                steps += moves(tick, &own);
                for unit in mirror.living(&own) {
                    let way = ["up", "left", "down", "right"]
                        [usize::try_from(mirror.tick / 2 % 4).unwrap()];
                    client.send(&json!({ "type": "move", "move": way, "unit_id": unit }));
                }
            }
            "endgame_state" => {
                mirror.apply(&client.next("tick"));
                let winner = packet["payload"]["winning_agent_id"].clone();
                return Played { mirror, steps, winner };
            }
            other => assert_eq!(other, "info"),
        }
    }
}

/// The number of an agent's moves in a tick.
fn moves(tick: &Value, agent: &str) -> usize {
    let events = tick["events"].as_array().unwrap().iter();
    let own = |event: &&Value| event["agent_id"] == agent && event["data"]["type"] == "move";
    events.filter(|event| event["type"] == "unit").filter(own).count()
}

#[test]
fn in_training_an_admin_asks_for_each_tick_and_for_what_would_be() {
    let dir = tempfile::tempdir().unwrap();
    let text = "TRAINING_MODE_ENABLED=1\nWORLD_SEED=9\nPRNG_SEED=9\n";
    let (_arena, address) = arena(dir.path(), text);
    let mut a = Web::connect(address, A);
    let state = a.next("game_state");
    let mut b = Web::connect(address, B);
    b.next("game_state");
    let mut admin = Web::connect(address, "role=admin");
    admin.next("game_state");
    let mut mirror = Mirror::new(&state);
    let ask = json!({ "type": "request_tick" });
    admin.send(&ask);
    mirror.apply(&a.next("tick"));
    // Orders count from the first tick on; the second one of a unit does not count.
    a.send(&json!({ "type": "bomb", "unit_id": "c" }));
    a.send(&json!({ "type": "move", "move": "up", "unit_id": "c" }));
    a.send(&json!({ "type": "bomb", "unit_id": "d" }));
    let bombs = wait_for_bombs(&mut admin, &mut a, &mut mirror, &ask);
    assert_eq!(bombs, ["c"], "own units only, and the first order only");

    // A late client receives the same state as the others.
    let mut late = Web::connect(address, "role=spectator");
    let told = late.next("game_state");
    assert_eq!(Mirror::new(&told), mirror);

    // The forward model answers on the same connection, and does not touch the game.
    let mut question = told;
    question.as_object_mut().unwrap().remove("connection");
    let bad =
        json!({ "type": "evaluate_next_state", "sequence_id": 6, "state": {}, "actions": [] });
    admin.send(&bad);
    let action = json!({ "type": "bomb", "unit_id": "d" });
    admin.send(&json!({
        "type": "evaluate_next_state", "sequence_id": 7.5, "state": question,
        "actions": [{ "agent_id": "b", "action": action }]
    }));
    let answer = admin.next("next_game_state");
    assert_eq!((&answer["sequence_id"], &answer["is_complete"]), (&json!(7.5), &json!(false)));
    let mut ahead = Mirror::new(&question);
    ahead.apply(&answer["tick_result"]);
    assert_eq!(Mirror::new(&answer["next_state"]), ahead);
    admin.send(&ask);
    let tick = late.next("tick");
    assert_eq!(tick["tick"], mirror.tick + 1, "an evaluation is no tick");
}

/// Requests ticks until one reports bombs; returns the units that laid them.
fn wait_for_bombs(admin: &mut Web, a: &mut Web, mirror: &mut Mirror, ask: &Value) -> Vec<String> {
    loop {
        admin.send(ask);
        let tick = a.next("tick");
        mirror.apply(&tick);
        let events = tick["events"].as_array().unwrap().iter();
        let bombs: Vec<_> = events
            .filter(|event| event["data"]["type"] == "bomb")
            .map(|event| event["data"]["unit_id"].as_str().unwrap().to_owned())
            .collect();
        if !bombs.is_empty() {
            return bombs;
        }
    }
}

#[test]
fn the_operator_hears_who_is_refused_and_who_breaks_the_rules() {
    let dir = tempfile::tempdir().unwrap();
    let (mut arena, address) = arena(dir.path(), "ADMIN_ROLE_ENABLED=0\n");
    let mut a = Web::connect(address, A);
    a.next("game_state");
    let strangers = [
        ("role=agent&agentId=hunter2", "its agentId is not in AGENT_SECRET_ID_MAP"),
        (A, "its agentId is connected already"),
        ("role=admin", "ADMIN_ROLE_ENABLED is 0"),
        ("role=Agent&agentId=agentB", "role is none of agent, spectator, admin"),
        ("name=x", "no role in its request"),
    ];
    for (query, reason) in strangers {
        let _stranger = Web::connect(address, query);
        let line = arena.line_with("a client: ");
        assert!(line.contains(reason) && !line.contains("hunter2"), "{line}");
    }
    a.send(&json!({ "type": "move", "move": "north", "unit_id": "c" }));
    assert!(arena.line_with("agent a: ").contains("not an agent's packet"));
    a.send(&json!({ "type": "move", "move": "up", "unit_id": "d" }));
    assert!(arena.line_with("agent a: ").contains("a unit that it does not have"));
    assert_eq!(a.next("info")["message"], "Waiting for agents to connect 1 of 2");
}

#[test]
fn a_referee_s_settings_with_mistakes_are_all_listed_with_file_and_name() {
    let dir = tempfile::tempdir().unwrap();
    let refused = |text: &str| {
        let path = arena_config(dir.path(), text);
        let output = phalanx(&["arena", "bomberland", "--config", path.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        stderr(&output)
    };
    let said =
        refused("TICK_RATE=5\nMAP_WIDTH=wide\nnonsense\nTOTAL_AGENTS=3\nAMMO_SPAWN_WEIGHTING=1");
    for part in [
        "arena.env: TICK_RATE is no variable of the engine; did you mean TICK_RATE_HZ?",
        "arena.env: MAP_WIDTH = \"wide\"",
        "arena.env: line 3: expected NAME=value",
        "arena.env: TOTAL_AGENTS = 3",
        "must sum to exactly 1",
    ] {
        assert!(said.contains(part), "{part} is missing in\n{said}");
    }
    // A seed of which no map can be made, after three attempts.
    assert!(refused("WORLD_SEED=14\n").contains("14"));
}
