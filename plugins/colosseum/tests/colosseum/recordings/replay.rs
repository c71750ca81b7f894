//! From each recorded state, with the recorded replies, to the next one.

use super::read::{recording, turns};
use phalanx_colosseum::rules::catcher::{CatcherCommand, CatcherRules, CatcherState, Fairness};
use phalanx_colosseum::rules::snake;
use phalanx_colosseum::rules::{GameRng, Id};
use phalanx_game::sorted::SortedMap;
use serde_json::Value;

fn world(state: &Value) -> CatcherState {
    CatcherState::read(state.as_object().expect("a state"))
}

fn text(state: &CatcherState) -> String {
    let mut out = String::new();
    state.write(&mut out);
    out
}

/// The world after a tick with these payloads in this order, but without new sources.
fn next(before: &CatcherState, payloads: &[&Value], rules: &CatcherRules) -> CatcherState {
    let mut state = before.clone();
    state.ripen();
    for payload in payloads {
        let sender = Id::from(payload["agent_id"].as_str().unwrap_or_default());
        let commands = CatcherCommand::read_all(payload).expect("actions");
        let chance = &mut GameRng::new(1);
        state.execute(&sender, &commands, rules, Fairness::Loose, chance).expect("harmless");
    }
    state.resolve(rules);
    state
}

/// Takes new names and new sources from the recorded world; how many sources came.
fn adopt(ours: &mut CatcherState, recorded: &CatcherState) -> usize {
    for (one, other) in ours.actors.iter_mut().zip(&recorded.actors).rev() {
        one.id = other.id.clone();
    }
    let known = ours.foods.len();
    ours.foods.extend(recorded.foods.iter().skip(known).cloned());
    ours.foods.len() - known
}

fn expect_next(
    before: &CatcherState,
    payloads: &[&Value],
    after: &CatcherState,
    rules: &CatcherRules,
    place: &str,
) {
    let orders: Vec<Vec<&Value>> = match payloads {
        [a, b] => vec![vec![a, b], vec![b, a]],
        other => vec![other.to_vec()],
    };
    let mut tries: Vec<String> = Vec::new();
    for order in orders {
        let mut ours = next(before, &order, rules);
        let kept = ours.foods.len();
        let came = adopt(&mut ours, after);
        let missing = rules.max_food_sources.saturating_sub(kept);
        assert_eq!(came, missing.div_ceil(4) * 4, "{place}: new sources");
        tries.push(text(&ours));
    }
    let recorded = text(after);
    assert!(tries.contains(&recorded), "{place}:\n{}\n{recorded}", tries[0]);
}

#[test]
fn food_catcher_with_both_sides_recorded() {
    let names = ["food_catcher_s1_agent0_greedy", "food_catcher_s1_agent1_exterminator"];
    let [Some(one), Some(other)] = names.map(recording) else { return };
    let (one, other) = (turns(&one), turns(&other));
    let mut count = 0;
    for (((state, a), (same, b)), (after, _)) in one.iter().zip(&other).zip(one.iter().skip(1)) {
        assert_eq!(state, same, "both see the same");
        let place = format!("s1 epoch {}", state["epoch"]);
        expect_next(&world(state), &[a, b], &world(after), &CatcherRules::default(), &place);
        count += 1;
    }
    println!("{count} transitions of food_catcher equal");
    assert_eq!(count, 119);
}

#[test]
fn cherry_picker_worlds() {
    let mut count = 0;
    for name in &super::ALL[..3] {
        let Some(recording) = recording(name) else { return };
        let turns = turns(&recording);
        for ((state, reply), (after, _)) in turns.iter().zip(turns.iter().skip(1)) {
            let place = format!("{name} epoch {}", state["epoch"]);
            let rules = CatcherRules::cherry_picker();
            expect_next(&world(state), &[reply], &world(after), &rules, &place);
            count += 1;
        }
    }
    println!("{count} transitions of cherry_picker equal");
    assert_eq!(count, 79 + 79 + 59);
}

#[test]
fn snake_with_both_sides_recorded() {
    let mut count = 0;
    for names in [
        ["snake_s2_agent0_manhattan", "snake_s2_agent1_node-bot"],
        ["snake_s3_agent0_random_but_better", "snake_s3_agent1_random"],
    ] {
        let [Some(one), Some(other)] = names.map(recording) else { return };
        let (one, other) = (turns(&one), turns(&other));
        let mut ours = snake::SnakeState::read(one[0].0.as_object().expect("a state"));
        for (((state, a), (_, b)), (after, _)) in one.iter().zip(&other).zip(one.iter().skip(1)) {
            let said = |reply: &Value| {
                let word = reply["move"].as_str().unwrap_or_default();
                (Id::from(reply["agent_id"].as_str().expect("an id")), snake::Move::parse(word))
            };
            ours.advance(&SortedMap::from([said(a), said(b)]));
            let recorded = snake::SnakeState::read(after.as_object().expect("a state"));
            if ours.foods.is_empty() {
                assert!(recorded.foods.len() <= snake::FOOD_TRIES);
                ours.foods = recorded.foods;
            }
            let mut text = String::new();
            ours.write(&mut text);
            let place = format!("{} epoch {}", names[0], state["epoch"]);
            let printed: Value = serde_json::from_str(&format!("{{{text}}}")).expect("JSON");
            for key in ["score", "snakes", "foods", "grid"] {
                assert_eq!(printed[key], after[key], "{place}: {key}");
            }
            count += 1;
        }
    }
    println!("{count} transitions of snake equal");
    assert_eq!(count, 45);
}
