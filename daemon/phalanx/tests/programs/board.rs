//! A team's board and world, read and written from outside while it plays.

use crate::reload::Demo;
use crate::support::{PHALANX, Running, phalanx, quiet, stderr, stdout, wait};
use serde_json::{Value, json};
use std::process::Command;

/// Answers the operator's goal on the board.
const WORKER: &str = r#"
return { decide = function(me)
    board.set("seen", (board.get("seen") or 0) + 1)
    local goal = board.get("goal")
    if goal then
        board.set("answer/" .. me.name, goal.x + 1)
    end
    draw.text({ x = 0, y = 0 }, "here")
    return act.skip()
end }
"#;

#[test]
fn an_operator_and_scripts_talk_over_the_board() {
    let demo = Demo::open(WORKER);
    let follow = |args: &[&str]| {
        let mut command = quiet(Command::new(PHALANX));
        command.args(["board", "watch", "A", "--output", "table", "--control", &demo.control()]);
        Running::start({
            command.args(args);
            command
        })
    };
    let mut follower = follow(&["--prefix", "goal"]);
    follower.line_with("that was the board: 0 keys");
    let set = demo.told(&["board", "set", "A", "goal", r#"{"x": 4}"#]);
    assert_eq!((&set["key"], &set["value"]), (&json!("goal"), &json!({ "x": 4 })));
    assert!(follower.line_with("goal = ").contains(r#"{"x":4}"#));
    let answers = |entries: &Value| entries["entries"].as_array().map(Vec::len) == Some(2);
    let told =
        wait(|| Some(demo.told(&["board", "list", "A", "--prefix", "answer/"])).filter(answers));
    let first = &told["entries"][0];
    assert_eq!((&first["key"], &first["value"]), (&json!("answer/agentA1"), &json!(5)));
    assert_eq!(first["author"], json!("agentA1"));
    // A client with an old etag may not overwrite a newer value.
    let etag = set["etag"].as_str().unwrap();
    demo.told(&["board", "set", "A", "goal", r#"{"x": 9}"#, "--turns", "1000000"]);
    let stale = demo.ask(&["board", "set", "A", "goal", "1", "--etag", etag]);
    assert_eq!(stale.status.code(), Some(2), "{}", stderr(&stale));
    assert!(stderr(&stale).contains("has changed since you read it"), "{}", stderr(&stale));
    let checked = demo.told(&["board", "delete", "A", "goal", "--check-only"]);
    assert_eq!(checked["deleted"], json!(false));
    demo.told(&["board", "delete", "A", "goal"]);
    follower.line_with("board/goal is deleted");
    let gone = demo.ask(&["board", "get", "A", "goal"]);
    assert_eq!(gone.status.code(), Some(2));
    assert!(stderr(&gone).contains("phalanx board list TEAM"), "{}", stderr(&gone));
    let usage = phalanx(&["board", "set", "goal"]);
    assert_eq!(usage.status.code(), Some(64));
}

#[test]
fn a_world_is_drawn_for_people_and_programs() {
    let demo = Demo::open(WORKER);
    let world = demo.told(&["world", "show", "A"]);
    assert_eq!((&world["game"], &world["team"]), (&json!("assemble"), &json!("A")));
    let parts = world["parts"].as_array().unwrap();
    let bodies = parts.iter().flat_map(|part| part["bodies"].as_array().unwrap());
    let ours = bodies.filter(|body| body["side"] == "ours");
    let mut names: Vec<_> = ours.map(|body| (&body["name"], &body["role"])).collect();
    names.sort_by_key(|(name, _)| name.to_string());
    let worker = json!("worker");
    assert_eq!(names, [(&json!("agentA1"), &worker), (&json!("agentA2"), &worker)]);
    let layers = parts[0]["layers"].as_array().unwrap();
    assert_eq!(layers[0]["name"], json!("ground"));
    let cells = layers[0]["cells"].as_array().unwrap();
    assert!(cells.iter().any(|cell| *cell == json!(1)), "some ground is free");
    assert!(world["marks"].as_array().unwrap().iter().all(|mark| mark["shape"] == "text"));
    let shown = demo.ask(&["world", "show", "A", "--output", "table"]);
    let text = stdout(&shown);
    for expected in ["ground from (", "agentA1", ". free", "A "] {
        assert!(text.contains(expected), "{expected:?} is not in {text}");
    }
    let blocks = demo.ask(&["world", "show", "A", "--layer", "blocks", "--output", "table"]);
    assert!(stdout(&blocks).contains("blocks from ("), "{}", stdout(&blocks));
    let missing = demo.ask(&["world", "show", "A", "--layer", "moon"]);
    assert_eq!(missing.status.code(), Some(64));
    assert!(stderr(&missing).contains("there are: blocks, ground"), "{}", stderr(&missing));
}
