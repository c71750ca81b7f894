//! `phalanx arena assemble` against clients that know only the specification.

use crate::support::{Plain, arena, arena_config, phalanx, stderr, stdout};
use serde_json::json;

#[test]
fn a_plain_socket_client_plays_a_whole_match() {
    let dir = tempfile::tempdir().unwrap();
    let (arena, address) = arena(&arena_config(dir.path(), 2, 5, 4000));
    let players: Vec<_> = ["agentA1", "agentA2", "agentB1", "agentB2"]
        .into_iter()
        .map(|user| {
            let mut client = Plain::connect(address);
            let password = if user.contains('A') { "secret-a" } else { "secret-b" };
            let answer = client.login(user, password);
            assert_eq!(answer, json!({ "type": "auth-response", "content": { "result": "ok" } }));
            std::thread::spawn(move || client.skip_to_the_end())
        })
        .collect();
    for player in players {
        assert_eq!(player.join().unwrap(), [0]);
    }
    let (said, code) = arena.finish();
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("over: A [0], B [0]"), "{said}");
    let results = std::fs::read_dir(dir.path().join("results")).unwrap().count();
    assert_eq!(results, 1, "one result file");
}

#[test]
fn what_the_specification_promises_about_messages() {
    let dir = tempfile::tempdir().unwrap();
    let (_arena, address) = arena(&arena_config(dir.path(), 1, 5, 4000));
    let mut status = Plain::connect(address);
    status.send(&json!({ "type": "status-request", "content": {} }));
    let answer = status.receive().unwrap();
    assert_eq!(answer["content"]["teamSizes"], json!([1]));
    assert_eq!(answer["content"]["currentSimulation"], -1);

    let mut wrong = Plain::connect(address);
    let answer = wrong.login("agentA1", "wrong");
    assert_eq!(answer["content"]["result"], "fail");
    assert_eq!(wrong.receive(), None, "the connection is closed at once");

    let mut a = Plain::connect(address);
    a.login("agentA1", "secret-a");
    let mut b = Plain::connect(address);
    b.login("agentB1", "secret-b");
    let start = a.receive().unwrap();
    assert_eq!(start["type"], "sim-start");
    assert_eq!(start["content"]["percept"]["teamSize"], 1);
    let request = a.receive().unwrap();
    assert_eq!(
        (&request["type"], &request["content"]["id"]),
        (&json!("request-action"), &json!(0))
    );
    let percept = &request["content"]["percept"];
    for key in ["score", "lastAction", "energy", "things", "terrain", "tasks", "attached", "task"] {
        assert!(!percept[key].is_null(), "{key} is missing");
    }
    assert!(start["content"]["time"].as_u64() <= request["content"]["deadline"].as_u64());
}

#[test]
fn a_configuration_with_mistakes_lists_all_of_them() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("arena.json");
    let broken = r#"{ "server": { "port": "x" }, "match": [ { "steps": -1 } ], "teams": {} }"#;
    std::fs::write(&path, broken).unwrap();
    let output = phalanx(&["arena", "assemble", "--config", path.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    let said = stderr(&output);
    for key in ["port", "agentTimeout", "steps", "grid"] {
        assert!(said.contains(key), "{key} is not named in\n{said}");
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_refused_before_the_match() {
    let dir = tempfile::tempdir().unwrap();
    let config = arena_config(dir.path(), 1, 5, 4000);
    // No user can create a folder below a file.
    let output = config.join("results");
    let args = ["arena", "assemble", "--listen", "127.0.0.1:0", "--start", "complete"];
    let files = ["--config", config.to_str().unwrap(), "--output", output.to_str().unwrap()];
    let refused = phalanx(&[&args[..], &files].concat());
    assert_eq!(refused.status.code(), Some(1), "{}", stdout(&refused));
    let said = stderr(&refused);
    assert!(said.contains(&format!("cannot write to {}: ", output.display())), "{said}");
    assert!(said.contains("; choose another folder with --output"), "{said}");
    assert_eq!(stdout(&refused), "");
}
