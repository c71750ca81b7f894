//! The rule vectors: a state, what was said, the state after one tick.

use phalanx_colosseum::rules::catcher::{CatcherCommand, CatcherRules, CatcherState, Fairness};
use phalanx_colosseum::rules::{GameRng, Id, snake};
use phalanx_game::sorted::SortedMap;
use phalanx_testkit::traces;
use serde_json::{Map, Value, json};

fn vectors(name: &str) -> Option<Value> {
    let bytes = traces::bytes(&format!("colosseum/{name}.json"))?;
    Some(serde_json::from_slice(&bytes).expect("JSON"))
}

fn object(value: &Value) -> &Map<String, Value> {
    value.as_object().expect("an object")
}

/// The state after the case's tick, with new things named as the vectors do, and how many sources
/// came; `None` when the original dies.
fn catcher(case: &Value) -> Option<(CatcherState, usize)> {
    let (rules, mut chance) = (CatcherRules::default(), GameRng::new(1));
    let mut state = CatcherState::read(object(&case["before"]));
    let known: Vec<Id> = state.foods.iter().map(|food| food.id.clone()).collect();
    let actors: Vec<Id> = state.actors.iter().map(|actor| actor.id.clone()).collect();
    state.grow(&rules, &mut chance);
    for payload in case["agent_actions"].as_array().expect("payloads") {
        let sender = Id::from(payload["agent_id"].as_str().expect("an id"));
        if !["A", "B"].contains(&&*sender) {
            continue;
        }
        let commands = CatcherCommand::read_all(payload).ok()?;
        state.execute(&sender, &commands, &rules, Fairness::Loose, &mut chance).ok()?;
    }
    state.resolve(&rules);
    let before = state.foods.len();
    state.foods.retain(|food| known.contains(&food.id));
    for actor in &mut state.actors {
        if !actors.contains(&actor.id) {
            actor.id = "NEW".into();
        }
    }
    let came = before - state.foods.len();
    Some((state, came))
}

#[test]
fn food_catcher_cases() {
    let Some(vectors) = vectors("rules_food_catcher") else { return };
    let cases = vectors["cases"].as_array().expect("cases");
    for case in cases {
        let name = case["name"].as_str().expect("a name");
        let Some((state, came)) = catcher(case) else {
            assert!(case["engine_crash"].is_string(), "{name}: only ours dies");
            continue;
        };
        assert!(case["engine_crash"].is_null(), "{name}: only the original dies");
        let mut text = String::new();
        state.write(&mut text);
        let ours: Value = serde_json::from_str(&format!("{{{text}}}")).expect("JSON");
        assert_eq!(ours, case["after"], "{name}");
        assert_eq!(json!(came), case["new_food_sources"], "{name}");
    }
    println!("{} cases of food_catcher equal", cases.len());
    assert!(cases.len() > 30);
}

fn cells(value: &Value) -> Vec<[i32; 2]> {
    serde_json::from_value(value.clone()).expect("cells")
}

fn snakes(before: &Value) -> snake::SnakeState {
    let snakes = object(&before["snakes"]).iter();
    let snakes = snakes.map(|(id, body)| snake::Snake::new(id.as_str().into(), cells(body)));
    snake::SnakeState {
        snakes: snakes.collect(),
        foods: cells(&before["foods"]),
        size: [snake::SIZE; 2],
    }
}

#[test]
fn snake_cases() {
    let Some(vectors) = vectors("rules_snake") else { return };
    let cases = vectors["cases"].as_array().expect("cases");
    for case in cases {
        let name = case["name"].as_str().expect("a name");
        let mut state = snakes(&case["before"]);
        assert_eq!(json!(state.rows()), case["grid_before"], "{name}: grid before");
        for tick in case["ticks"].as_array().expect("ticks") {
            let said = object(&tick["moves"]).iter();
            let moves: SortedMap<Id, snake::Move> = said
                .filter_map(|(id, word)| {
                    Some((Id::from(id.as_str()), snake::Move::parse(word.as_str()?)))
                })
                .collect();
            state.advance(&moves);
            let after = &tick["after"];
            let mut text = String::new();
            state.write(&mut text);
            let ours: Value = serde_json::from_str(&format!("{{{text}}}")).expect("JSON");
            for key in ["score", "snakes", "foods"] {
                assert_eq!(ours[key], after[key], "{name}: {key}");
            }
            if !after["grid_string"].is_null() {
                assert_eq!(ours["grid"]["grid_string"], after["grid_string"], "{name}");
            }
            assert_eq!(state.foods.is_empty(), tick["new_foods"] != 0, "{name}");
            assert_eq!(json!(state.finished()), tick["finished"], "{name}");
        }
    }
    println!("{} cases of snake equal", cases.len());
    assert!(cases.len() > 14);
}
