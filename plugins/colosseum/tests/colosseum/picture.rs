//! The newest scenes as people see them: each game as text, and any state at all.

use phalanx_colosseum::Colosseum;
use phalanx_colosseum::percept::{ChessScene, MatchConfig, Percept, StateScene};
use phalanx_colosseum::rules::catcher::{CatcherEntity, CatcherState, Food};
use phalanx_colosseum::rules::{PyNumber, snake};
use phalanx_game::{AgentId, Game as _, Picture, Roster, Turn, World as _};
use phalanx_testkit::picture::text;
use proptest::prelude::*;
use serde_json::{Map, Value as Json, json};
use std::sync::Arc;

fn drawn(scenes: Vec<(&str, StateScene)>) -> Picture {
    let mut world = Colosseum.world(&Roster { team: "t".to_owned(), agents: Vec::new() });
    for (id, (me, scene)) in (0..).zip(scenes) {
        let percept = Percept {
            epoch: 7,
            me: me.into(),
            agents: Arc::from(["A".into(), "B".into()]),
            config: Arc::new(MatchConfig::default()),
            scene: Arc::new(scene),
        };
        world.observe(Turn::new(0, 7), AgentId(id), percept);
    }
    // What is no number is no place: it is left out.
    let picture = world.draw().bounded();
    assert_eq!(world.draw().bounded(), picture);
    picture
}

fn actor(id: &str, owner: &str, position: [f64; 2]) -> CatcherEntity {
    CatcherEntity {
        id: id.into(),
        owner: owner.into(),
        position,
        food: PyNumber::whole(2),
        health: PyNumber::whole(5),
        max_health: PyNumber::whole(5),
    }
}

#[test]
fn a_plane_has_food_bases_and_actors() {
    let food = |x| Food { id: "f1".into(), position: [x, 2.0], quantity: PyNumber::float(3.5) };
    let state = CatcherState {
        foods: vec![food(1.5), food(f64::NAN)],
        actors: vec![actor("a1", "A", [4.0, 4.25]), actor("b1", "B", [9.0, 1.0])],
        bases: vec![actor("base", "A", [0.0, 0.0])],
        ..CatcherState::default()
    };
    let other = CatcherState { foods: vec![food(8.0)], ..CatcherState::default() };
    // In cherry_picker everybody has a world.
    let scenes = vec![("A", StateScene::Catcher(state)), ("B", StateScene::Catcher(other))];
    insta::assert_snapshot!(text(&drawn(scenes)));
}

#[test]
fn a_grid_has_snakes_and_food() {
    let state = json!({
        "agent_ids": ["A", "B"], "foods": [[0, 0]], "grid": { "width": 5, "height": 4 },
        "snakes": {
            "A": { "alive": true, "positions": [[1, 1], [1, 2], [2, 2]] },
            "B": { "alive": false, "positions": [[3, 0], [4, 0]] },
        },
    });
    let state = snake::SnakeState::read(state.as_object().unwrap());
    insta::assert_snapshot!(text(&drawn(vec![("A", StateScene::Snake(state))])));
}

#[test]
fn a_board_has_pieces_of_both_sides() {
    let fen = "r3k2r/ppp5/8/3P4/8/8/PP6/R3K2R w KQkq - 0 9".to_owned();
    let last_move = Some("d7d5".to_owned());
    let chess = ChessScene { fen, white: true, last_move, ..ChessScene::default() };
    insta::assert_snapshot!(text(&drawn(vec![("A", StateScene::Chess(chess))])));
}

/// Any JSON that is built as one of the games' states is.
fn any_state() -> impl Strategy<Value = Map<String, Json>> {
    let number =
        || prop_oneof![any::<f64>().prop_map(Json::from), (-9..99_i64).prop_map(Json::from)];
    let pair = || prop::collection::vec(number(), 0..4).prop_map(Json::from);
    let things = || {
        let thing = (pair(), prop::collection::vec(pair(), 0..5), number(), "[AB]|\\PC{0,9}");
        let thing = thing.prop_map(|(position, positions, number, id)| {
            json!({
                "id": id, "owner_id": id, "owner": id, "position": position,
                "positions": positions, "alive": true, "quantity": number, "food": number,
                "health": number, "max_health": number,
            })
        });
        prop::collection::vec(thing, 2..4)
    };
    let fen = "[pnbrqkPNBRQK1-9/ ]{0,60}|\\PC{0,60}";
    (0..3_u8, things(), things(), pair(), number(), fen).prop_map(
        |(game, one, other, cell, size, fen)| {
            let state = match game {
                0 => json!({ "actors": one, "bases": other, "foods": one }),
                1 => json!({
                    "agent_ids": ["A", "B"], "snakes": { "A": one[0], "B": other[0] },
                    "foods": [cell], "grid": { "width": size, "height": size },
                }),
                _ => json!({ "fen": fen, "turn": true, "legal_moves": [] }),
            };
            state.as_object().cloned().unwrap_or_default()
        },
    )
}

proptest! {
    #[test]
    fn any_state_can_be_drawn(one in any_state(), other in any_state()) {
        let picture = drawn(vec![("A", StateScene::read(&one)), ("B", StateScene::read(&other))]);
        let layers = picture.parts.iter().flat_map(|part| &part.layers);
        prop_assert!(layers.into_iter().all(|layer| layer.cells.len() == layer.area.cells()));
        prop_assert!(!picture.parts.is_empty());
    }
}
