//! Every tick of long games with arbitrary actions.

use super::support;
use phalanx_bomberland::rules::{GeneratedGame, OrderQueue, generate, step};
use phalanx_bomberland::wire;
use serde_json::Value;

#[test]
fn every_fuzzed_tick_is_the_same_event_for_event() {
    let Some(lines) = support::lines("tick_fuzz.jsonl.gz") else { return };
    let mut game: Option<(GeneratedGame, OrderQueue, String)> = None;
    let (mut ticks, mut ends) = (0, 0);
    for line in &lines {
        let fixture: Value = serde_json::from_str(line).unwrap();
        match fixture["kind"].as_str().unwrap() {
            "game" => {
                let config = support::config(&fixture["env"]);
                let seed = |key: &str| fixture[key].as_u64().unwrap();
                let made =
                    generate(&config.setup, config.params, seed("world_seed"), seed("prng_seed"));
                let name = format!("world seed {}", seed("world_seed"));
                game = Some((made.unwrap(), OrderQueue::default(), name));
            }
            "tick" => {
                let (game, queue, name) = game.as_mut().unwrap();
                ticks += 1;
                tick(game, queue, name, &fixture, line);
            }
            _ => {
                let (game, ..) = game.as_ref().unwrap();
                ends += 1;
                assert_eq!(game.state.complete(), fixture["is_complete"].as_bool().unwrap());
                let winner = game.state.leader().and_then(|agent| game.board.agent(agent));
                assert_eq!(winner, fixture["winning_agent_id"].as_str());
            }
        }
    }
    assert!(ticks > 3500 && ends > 8, "{ticks} ticks of {ends} games are not the whole fixture");
}

fn tick(game: &mut GeneratedGame, queue: &mut OrderQueue, name: &str, fixture: &Value, line: &str) {
    for order in support::orders(&game.board, &fixture["actions"]) {
        // The engine drops the others without a word, too.
        queue.push(&game.state, order).ok();
    }
    let mut events = Vec::new();
    let GeneratedGame { board, state, streams } = game;
    step(board, state, streams, &mut queue.take(), &mut events);
    let result = &fixture["tick_result"];
    let what = format!("{name}, tick {}", state.tick);
    assert_eq!(i64::from(state.tick), result["tick"].as_i64().unwrap());
    support::assert_events(&support::told(board, &events), &result["events"], &what);
    if !fixture["state"].is_null() {
        let theirs = support::state(line);
        let ours = wire::encode_full(board, state, &theirs.game_id, 10.0);
        assert_eq!(ours, theirs, "{what}");
    }
}
