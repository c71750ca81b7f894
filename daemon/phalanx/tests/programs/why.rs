//! `phalanx why` while the match is played.

use crate::reload::Demo;
use crate::support::{phalanx, stderr, stdout, wait};
use serde_json::{Value, json};

/// Decides by a value on the board, and explains it.
const WORKER: &str = r#"
return { decide = function(me)
    board.set("goal", { x = 4 })
    local goal = board.get("goal")
    explain("the goal is east", { x = goal.x })
    return act.skip()
end }
"#;

#[test]
fn a_decision_of_a_living_match_is_explained() {
    let demo = Demo::open(WORKER);
    let whole = |told: &Value| !told["result_turn"].is_null() && told["percept"] != json!("");
    let told = wait(|| {
        let asked = demo.ask(&["why", "A/agentA1@-2", "--output", "json"]);
        serde_json::from_slice(&asked.stdout).ok().filter(whole)
    });
    assert_eq!((&told["agent"], &told["generation"]), (&json!("A/agentA1"), &json!(1)));
    assert_eq!(told["result"], json!("success"), "{told}");
    let events = told["events"].as_array().unwrap();
    let decided = events.iter().find(|event| event["kind"] == "decided").unwrap();
    let details = &decided["details"];
    assert_eq!(
        (&details["action"], &details["place"]),
        (&json!("skip()"), &json!("worker.luau:6"))
    );
    assert_eq!(details["reason"], json!("the goal is east"));
    let look = json!({ "key": "goal", "kind": "value", "got": { "x": 4 }, "cut": false });
    assert_eq!(details["board"], json!([look]));
    let turn = format!("A/agentA1@{}.{}", told["round"], told["step"]);
    let page = stdout(&demo.ask(&["why", &turn, "--output", "table"]));
    for expected in [
        "decided   skip() (worker, ",
        "reason    the goal is east\n          x  4\n",
        "made in   worker.luau:6",
        "read      goal = {\"x\":4}",
        "answer    success (in turn 0:",
    ] {
        assert!(page.contains(expected), "{expected:?} is not in {page}");
    }
    let future = demo.ask(&["why", "A/agentA1@99999"]);
    assert_eq!(future.status.code(), Some(2), "{}", stderr(&future));
    let refusal = stderr(&future);
    assert!(refusal.contains("this turn is not kept; the kept turns are 0:"), "{refusal}");
    assert!(refusal.contains("phalanx why AGENT"), "{refusal}");
    let odd = phalanx(&["why", "A/agentA1@soon"]);
    assert_eq!(odd.status.code(), Some(64));
    assert!(stderr(&odd).contains("\"soon\" is not a turn"), "{}", stderr(&odd));
}
