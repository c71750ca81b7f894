//! The belief of a daemon that is killed in mid-game and started again.

use crate::common::stage::{Stage, Told, session};
use phalanx_bomberland::action::Action;
use phalanx_bomberland::api::API;
use phalanx_bomberland::percept::{Briefing, Percept, TickScene};
use phalanx_bomberland::rules::{CellEntity, EntityKind, UnitDirection};
use phalanx_bomberland::wire;
use phalanx_bomberland::world::World;
use phalanx_game::{
    AgentId, Arena as _, ConnectionId, Event, Met, Roster, RosterEntry, Session as _, Turn, Value,
    World as _,
};
use phalanx_testkit::answers::{ArgumentSamples, answers};
use phalanx_testkit::mangle::Mangler;
use phalanx_testkit::saved::{damaged_beliefs_are_refused, saved_and_restored};
use std::sync::Arc;

/// Rules that are not the engine's defaults, and units that live long.
const GAME: &str = "BOMB_DURATION_TICKS=12\nBLAST_DURATION_TICKS=7\nINVULNERABILITY_TICKS=9\n\
                    INITIAL_HP=20\nGAME_DURATION_TICKS=100\nOBJECT_DESTRUCTION_ITEM_DROP_PROBABILITY=0.9";

/// A game in which both players do this and that, from the first player's side.
struct Game {
    stage: Stage,
    chance: Mangler,
}

impl Game {
    fn new() -> Self {
        Self { stage: Stage::new(GAME, 1, &["agentA", "agentB"]), chance: Mangler::new(9) }
    }

    /// Plays until a tick; returns the events of the first player.
    fn until(&mut self, tick: i32) -> Vec<Told> {
        let mut heard = Vec::new();
        while self.tick() < tick {
            self.stage.pass();
            for player in 0..self.stage.clients.len() {
                let told = std::mem::take(&mut self.stage.told[player]);
                for told in &told {
                    if let Event::Asked { turn, agent, .. } = told {
                        let action = match self.chance.below(5) {
                            0 => Action::Bomb,
                            way => Action::Move(UnitDirection::ALL[way % 4]),
                        };
                        self.stage.clients[player].handle_action(*turn, *agent, &action).ok();
                    }
                }
                if player == 0 {
                    heard.extend(told);
                }
            }
            self.stage.settle();
        }
        heard
    }

    /// The tick of the second player, who stays.
    fn tick(&self) -> i32 {
        self.scene(1).map_or(0, |scene| scene.state.tick)
    }

    fn scene(&self, player: usize) -> Option<TickScene> {
        self.stage.clients[player].scene()
    }

    /// Kills the first player's daemon and starts it again after this number of ticks.
    fn outage(&mut self, ticks: i32) -> Vec<Told> {
        self.stage.arena.handle_leave(ConnectionId(0), self.stage.now);
        self.stage.clients[0] = session("agentA");
        self.until(self.tick() + ticks);
        self.stage.connect(0, 2);
        self.stage.settle();
        std::mem::take(&mut self.stage.told[0])
    }
}

fn fresh() -> World {
    let agents = (0..3).map(|n| RosterEntry::new(format!("u{n}"), "any")).collect();
    World::new(&Roster { team: "a".to_owned(), agents })
}

fn hear(world: &mut World, told: &[Told]) {
    for told in told {
        match told {
            Event::RoundStarted { agent, round, briefing } => {
                world.begin(*round, *agent, briefing.as_ref());
            }
            Event::Percept { turn, agent, percept } | Event::Asked { turn, agent, percept, .. } => {
                world.observe(*turn, *agent, percept.clone());
                world.settle(*turn);
            }
            Event::Seated { .. }
            | Event::Refused { .. }
            | Event::Defaulted { .. }
            | Event::Notice(_)
            | Event::Out { .. }
            | Event::RoundOver { .. }
            | Event::MatchOver => {}
        }
    }
}

fn learned(world: &World) -> Vec<String> {
    let samples = ArgumentSamples {
        agents: &["u0", "u1", "u2"],
        texts: &["c", "wood", "up"],
        cells: &[(0, 0), (7, 7), (3, 12)],
        ints: &[3, 7, 11],
    };
    answers(world, &API, &[AgentId(0), AgentId(2)], samples)
}

#[test]
fn a_belief_that_was_restored_goes_on_as_the_one_that_was_saved() {
    for kill in [0, 1, 40] {
        let mut game = Game::new();
        let mut whole = fresh();
        hear(&mut whole, &game.until(kill));
        let mut restored = saved_and_restored(&whole, fresh());
        assert_eq!(learned(&whole), learned(&restored), "tick {kill}");
        while game.tick() < 110 {
            let told = game.until(game.tick() + 1);
            hear(&mut whole, &told);
            hear(&mut restored, &told);
            assert_eq!(whole.save(), restored.save(), "killed in {kill}, tick {}", game.tick());
            if game.tick() % 30 == 0 {
                assert_eq!(learned(&whole), learned(&restored), "tick {}", game.tick());
            }
        }
    }
}

#[test]
fn a_belief_goes_on_over_an_outage_with_the_rules_that_it_had_learned() {
    let mut game = Game::new();
    let mut before = fresh();
    hear(&mut before, &game.until(60));
    let mut world = saved_and_restored(&before, fresh());
    let told = game.outage(6);
    let met: Vec<_> = told.iter().map(|told| recognized(&world, told)).collect();
    assert!(met.len() >= 6 && met.iter().all(Result::is_ok), "{met:?}");
    hear(&mut world, &told);
    let state = |scene: &TickScene| wire::encode_full(&scene.board, &scene.state, "", 10.0);
    let truth = game.scene(1).unwrap();
    assert_eq!(state(world.scene().unwrap()), state(&truth), "nothing is hidden");
    let rules = |world: &World| world.query(AgentId(0), "rules", &[]).unwrap();
    assert_eq!(rules(&world), rules(&before));
    let int = |key| rules(&world).get(key).and_then(Value::as_int);
    let known = ["fuse", "blast_duration", "invulnerability"].map(int);
    assert_eq!(known, [Some(12), Some(7), Some(9)]);
    assert!(!learned(&world).is_empty());
}

/// Whether the belief recognises the event as part of its own game.
fn recognized(world: &World, told: &Told) -> Result<(), String> {
    match told {
        Event::RoundStarted { agent, briefing, .. } => {
            world.recognize(*agent, Met::Round(briefing.as_ref()))
        }
        Event::Percept { turn, agent, percept } | Event::Asked { turn, agent, percept, .. } => {
            world.recognize(*agent, Met::Turn(*turn, percept))
        }
        Event::Seated { .. } => Ok(()),
        other @ (Event::Refused { .. }
        | Event::Defaulted { .. }
        | Event::Notice(_)
        | Event::Out { .. }
        | Event::RoundOver { .. }
        | Event::MatchOver) => panic!("{other:?}"),
    }
}

#[test]
fn damaged_bytes_are_no_belief() {
    let mut game = Game::new();
    let mut world = fresh();
    hear(&mut world, &game.until(20));
    damaged_beliefs_are_refused(&world, &fresh());
}

#[test]
fn what_damaged_bytes_say_can_be_lived_with() {
    let mut game = Game::new();
    let mut world = fresh();
    hear(&mut world, &game.until(30));
    let (saved, told) = (world.save(), game.until(32));
    let mut taken = 0;
    for at in (0..saved.len()).step_by(3) {
        let mut bytes = saved.clone();
        bytes[at] = bytes[at].wrapping_add(1);
        let mut world = fresh();
        if world.restore(&bytes).is_err() {
            continue;
        }
        taken += 1;
        if taken % 20 == 0 {
            assert!(!learned(&world).is_empty());
        }
        hear(&mut world, &told);
    }
    assert!(taken > 100, "{taken}");
}

#[test]
fn numbers_that_no_game_has_are_refused() {
    let mut game = Game::new();
    let mut world = fresh();
    hear(&mut world, &game.until(10));
    let odd = |change: fn(&mut TickScene)| {
        let mut world = world.clone();
        let mut scene = TickScene::clone(world.scene().unwrap());
        change(&mut scene);
        let percept = Percept { scene: Arc::new(scene), unit: Some(0), done: None };
        world.observe(Turn::new(0, 10), AgentId(0), percept);
        fresh().restore(&world.save()).map_err(|error| error.to_string())
    };
    let damaged = |what: &str| Err(format!("the saved belief is damaged: it has {what}"));
    let scene = damaged("a scene that no game has");
    assert_eq!(odd(|_| {}), Ok(()));
    assert_eq!(odd(|scene| scene.state.tick = i32::MAX), scene);
    assert_eq!(odd(|scene| scene.tick_rate_hz = f64::NAN), scene);
    assert_eq!(odd(|scene| scene.state.unit_mut(0).unwrap().cell = 225), scene);
    assert_eq!(odd(|scene| scene.state.unit_mut(0).unwrap().stunned = f64::INFINITY), scene);
    let bomb = |scene: &mut TickScene| {
        let bomb = CellEntity { diameter: Some(i32::MIN), ..CellEntity::new(EntityKind::Bomb, 1) };
        scene.state.put(0, bomb);
    };
    assert_eq!(odd(bomb), scene);
    let owner = |scene: &mut TickScene| {
        scene.state.put(0, CellEntity { unit: Some(6), ..CellEntity::new(EntityKind::Bomb, 1) });
    };
    assert_eq!(odd(owner), scene);
    let fuse = |scene: &mut TickScene| Arc::make_mut(&mut scene.board).params.fuse = i32::MAX;
    assert_eq!(odd(fuse), damaged("rules that no game has"));
}

#[test]
fn a_belief_of_another_team_is_refused() {
    let agents = ["u0", "u1"].map(|name| RosterEntry::new(name, "any")).to_vec();
    let mut other = World::new(&Roster { team: "a".to_owned(), agents });
    let error = other.restore(&fresh().save()).unwrap_err();
    assert_eq!(error.to_string(), "the saved belief is of the agents u0, u1, u2, not of u0, u1");
}

#[test]
fn the_same_game_is_recognized_and_others_are_not() {
    let mut game = Game::new();
    let mut world = fresh();
    let told = game.until(10);
    hear(&mut world, &told);
    let start = told.iter().find_map(|told| {
        if let Event::RoundStarted { briefing, .. } = told { briefing.clone() } else { None }
    });
    let start = start.unwrap();
    assert_eq!(world.recognize(AgentId(0), Met::Round(None)), Ok(()));
    assert_eq!(fresh().recognize(AgentId(0), Met::Round(Some(&start))), Ok(()));
    let check = |change: fn(&mut Briefing), reason: &str| {
        let mut met = start.clone();
        change(&mut met);
        let told = world.recognize(AgentId(0), Met::Round(Some(&met))).err().unwrap_or_default();
        assert!(told.starts_with(reason) && reason.is_empty() == told.is_empty(), "{told}");
    };
    check(|_| {}, "");
    check(|met| met.game_id = String::new(), "");
    check(|met| met.game_id = "x".to_owned(), "the game is x, and was ");
    check(|met| met.agent = "b".to_owned(), "we play as \"b\", and were \"a\"");
    check(|met| met.unit = Some("e".to_owned()), "the agent's unit is e, and was c");
    check(|met| met.unit = None, "the agent's unit is none, and was c");
}

#[test]
fn states_that_cannot_follow_are_not_recognized() {
    let mut game = Game::new();
    let mut world = fresh();
    hear(&mut world, &game.until(30));
    let check = |change: fn(&mut TickScene), reason: &str| {
        let mut scene = TickScene::clone(world.scene().unwrap());
        change(&mut scene);
        let turn = Turn::new(0, u32::try_from(scene.state.tick).unwrap());
        let percept = Percept { scene: Arc::new(scene), unit: Some(0), done: None };
        let told = world.recognize(AgentId(0), Met::Turn(turn, &percept)).err().unwrap_or_default();
        assert!(told.starts_with(reason) && reason.is_empty() == told.is_empty(), "{told}");
    };
    check(|_| {}, "");
    check(|scene| scene.state.tick += 20, "");
    check(|scene| scene.state.tick -= 1, "tick 29 is past: tick 30 was seen before");
    check(|scene| scene.state.unit_mut(0).unwrap().hp += 1, "unit c has ");
    let fire = |scene: &mut TickScene| Arc::make_mut(&mut scene.board).params.game_duration = 5;
    check(fire, "the fire begins in tick 5, every 2 ticks a cell");
    check(|scene| scene.agent = 1, "agents or units have other names");
    let far = |scene: &mut TickScene| {
        let unit = scene.state.unit_mut(0).unwrap();
        unit.cell = if unit.cell < 100 { 224 } else { 0 };
    };
    check(far, "unit c is at (");
    let built = |scene: &mut TickScene| {
        let free = (0..225).find(|cell| scene.state.entity(*cell).is_none()).unwrap();
        scene.state.put(free, CellEntity::new(EntityKind::Wood, 0));
    };
    check(built, "there is a block at (");
    let gone = |scene: &mut TickScene| {
        let metal = scene.state.entities().find(|(_, entity)| entity.kind == EntityKind::Metal);
        let (cell, _) = metal.unwrap();
        scene.state.remove(cell);
    };
    check(gone, "there is no metal at (");
}

#[test]
fn another_match_is_not_recognized() {
    let mut one = Game::new();
    let mut world = fresh();
    hear(&mut world, &one.until(30));
    let stage = Stage::new(GAME, 2, &["agentA", "agentB"]);
    let mut other = Game { stage, chance: Mangler::new(9) };
    // Ids of games are drawn from the time; here both began at the same.
    let told = other
        .until(40)
        .into_iter()
        .filter(|told| matches!(told, Event::Percept { .. } | Event::Asked { .. }));
    let met: Vec<_> = told.map(|told| recognized(&world, &told)).collect();
    assert!(met.len() > 100 && met.iter().all(Result::is_err), "{met:?}");
}
