//! What scripts say and ask, and laws that the rules keep.

use phalanx_colosseum::Colosseum;
use phalanx_colosseum::action::{Action, ActorOrder};
use phalanx_colosseum::api::API;
use phalanx_colosseum::percept::{MatchConfig, Percept, StateScene};
use phalanx_colosseum::rules::catcher::{CatcherCommand, CatcherRules, CatcherState, Fairness};
use phalanx_colosseum::rules::snake;
use phalanx_colosseum::rules::{GameRng, Id};
use phalanx_game::{AgentId, Game as _, Roster, Said, Turn, Value, World as _};
use proptest::prelude::*;
use std::sync::Arc;

const ME: AgentId = AgentId(0);

fn world(scene: StateScene) -> phalanx_colosseum::world::World {
    let mut world = Colosseum.world(&Roster { team: "t".to_owned(), agents: Vec::new() });
    let percept = Percept {
        epoch: 1,
        me: "A".into(),
        agents: Arc::from(["A".into(), "B".into()]),
        config: Arc::new(MatchConfig::default()),
        scene: Arc::new(scene),
    };
    world.observe(Turn::new(0, 1), ME, percept);
    world.settle(Turn::new(0, 1));
    world
}

fn plane(seed: u64) -> CatcherState {
    CatcherState::new(&["A".into(), "B".into()], &CatcherRules::default(), &mut GameRng::new(seed))
}

fn order(action: &'static str, actor: &str, target: &str) -> Value {
    Value::map([
        ("action", action.into()),
        ("actor", actor.to_owned().into()),
        ("target", target.to_owned().into()),
        ("x", Value::Num(1.0)),
        ("y", Value::Num(2.0)),
    ])
}

#[test]
fn orders_are_one_an_actor_and_to_own_things_only() {
    let state = plane(1);
    let (mine, theirs) = (state.actors[0].id.to_string(), state.actors[1].id.to_string());
    let base = state.bases[0].id.to_string();
    let world = world(StateScene::Catcher(state));
    let say = |orders: Vec<Value>| world.parse(ME, &Said::new("orders", vec![Value::List(orders)]));
    let both = say(vec![order("move", &mine, ""), order("spawn", "", &base)]).expect("fair");
    let Action::Orders(orders) = &both else { panic!("{both}") };
    assert_eq!(orders[0], ActorOrder::Move { actor: mine.as_str().into(), target: [1.0, 2.0] });
    let refused = |orders| say(orders).expect_err("unfair").reason;
    assert!(refused(vec![order("move", &theirs, "")]).contains("not ours"));
    assert!(refused(vec![order("move", &mine, ""); 2]).contains("already"));
    assert!(refused(vec![order("fly", &mine, "")]).contains("there is no order \"fly\""));
    // A spawn at a base that is gone would end the original: it is left out.
    assert_eq!(say(vec![order("spawn", "", "gone")]), Ok(Action::Orders(Vec::new())));
}

#[test]
fn every_declared_query_answers_in_its_game() {
    let scenes = [
        StateScene::Catcher(plane(2)),
        StateScene::Snake(snake::SnakeState::new(&["A".into(), "B".into()], &mut GameRng::new(2))),
    ];
    let actor = match &scenes[0] {
        StateScene::Catcher(state) => state.actors[0].id.to_string(),
        _ => String::new(),
    };
    let worlds = scenes.map(world);
    for query in API.queries {
        let args: Vec<Value> = query
            .params
            .iter()
            .map(|param| match param.name {
                "whose" => "all".into(),
                "kind" => "food".into(),
                "dir" => "up".into(),
                "actor" | "id" | "except" => actor.clone().into(),
                _ => Value::Num(5.0),
            })
            .collect();
        for world in &worlds {
            let answer = world.query(ME, query.name, &args);
            assert!(answer.is_ok(), "{}: {answer:?}", query.name);
        }
    }
    assert!(worlds[0].query(ME, "no_such", &[]).is_err());
    assert!(worlds[0].query(ME, "distance", &[]).is_err());
    let trips = worlds[0].query(ME, "trips", &[actor.into()]).expect("an answer");
    assert_eq!(trips.as_list().map(<[Value]>::len), Some(12));
}

fn food_in_play(state: &CatcherState) -> f64 {
    let entities = state.actors.iter().chain(&state.bases).map(|one| one.food.get());
    entities.chain(state.foods.iter().map(|food| food.quantity.get())).sum()
}

fn commands(seed: u64, state: &CatcherState) -> Vec<CatcherCommand> {
    let mut chance = GameRng::new(seed);
    let mut pick = |ids: Vec<Id>| ids.get(chance.below(ids.len())).cloned().unwrap_or("x".into());
    let mut commands = Vec::new();
    for number in 0..12 {
        let actor = pick(state.actors.iter().map(|one| one.id.clone()).collect());
        let base = pick(state.bases.iter().map(|one| one.id.clone()).collect());
        let food = pick(state.foods.iter().map(|one| one.id.clone()).collect());
        let at = state.foods.iter().find(|one| one.id == food).map(|one| one.position);
        commands.push(match number % 6 {
            0 => CatcherCommand::Move { actor, target: at },
            1 => CatcherCommand::Take { actor, food },
            2 => CatcherCommand::Deposit { actor, base },
            3 => CatcherCommand::Attack { actor, target: base },
            4 => CatcherCommand::Heal { actor, base },
            _ => CatcherCommand::Spawn { base: Some(base) },
        });
    }
    commands
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn actions_create_no_food_and_strict_ones_touch_no_foreign_actor(seed: u64) {
        let (rules, mut chance) = (CatcherRules::default(), GameRng::new(seed));
        let mut state = plane(seed);
        for tick in 0..30 {
            state.resolve(&rules);
            if state.bases.is_empty() || state.actors.is_empty() {
                break;
            }
            state.grow(&rules, &mut chance);
            let before = state.clone();
            let commands = commands(seed ^ tick, &state);
            let sender = Id::from("A");
            let done = state.execute(&sender, &commands, &rules, Fairness::Strict, &mut chance);
            prop_assert!(done.is_ok());
            prop_assert!(food_in_play(&state) <= food_in_play(&before) + 1e-9);
            for (one, then) in state.actors.iter().zip(&before.actors) {
                prop_assert!(*one.owner == *"A" || one.position == then.position);
                prop_assert!(one.health.get() <= one.max_health.get());
            }
        }
    }

    #[test]
    fn collisions_never_create_food(seed: u64) {
        let mut state = plane(seed);
        let mut chance = GameRng::new(seed);
        let like = state.actors[0].clone();
        for _ in 0..10 {
            let mut one = like.clone();
            one.id = chance.name();
            one.position = [chance.between(0.0, 3.0), chance.between(0.0, 3.0)];
            one.food = phalanx_colosseum::rules::PyNumber::float(chance.between(0.0, 9.0));
            state.actors.push(one);
        }
        let before = food_in_play(&state);
        state.resolve(&CatcherRules::default());
        prop_assert!(food_in_play(&state) <= before + 1e-9);
        prop_assert!(!state.actors.is_empty());
    }
}
