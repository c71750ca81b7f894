//! The belief of a daemon that is killed in mid-match and started again, while the process that the
//! referee talks to lives on.

use crate::arena::host::{Does, Player, play};
use phalanx_colosseum::action::{Action, ActorOrder};
use phalanx_colosseum::api::API;
use phalanx_colosseum::arena::{ArenaOptions, GameName};
use phalanx_colosseum::bridge::{Bridge, Write};
use phalanx_colosseum::percept::{MatchConfig, Percept, StateScene};
use phalanx_colosseum::rules::snake;
use phalanx_colosseum::session::Session;
use phalanx_colosseum::world::World;
use phalanx_game::{
    AgentId, Event, MarginLimits, Met, Roster, RosterEntry, Seat, SeatId, Session as _, Turn,
    World as _,
};
use phalanx_testkit::answers::{ArgumentSamples, answers};
use phalanx_testkit::saved::{damaged_beliefs_are_refused, saved_and_restored};
use serde_json::Value as Json;
use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

type Told = Event<MatchConfig, Percept>;

const ME: AgentId = AgentId(0);

/// The events that the daemon received, by line.
type Tape = Rc<RefCell<Vec<Vec<Told>>>>;

/// One agent: the process that the referee talks to, and the daemon behind it.
struct Agent {
    bridge: Bridge,
    session: Option<Session>,
    world: World,
    /// Ticks in which there is no daemon.
    outage: Range<u64>,
    tape: Tape,
    now: Instant,
}

impl Agent {
    fn new(outage: Range<u64>, tape: Tape) -> Self {
        let (bridge, world) = (Bridge::new("ours"), fresh());
        let mut agent = Self { bridge, session: None, world, outage, tape, now: Instant::now() };
        agent.come();
        agent
    }

    /// A daemon that knows nothing yet.
    fn come(&mut self) {
        let mut session = Session::new(&Seat {
            id: SeatId(0),
            agents: vec![(ME, "ours".to_owned())],
            user: String::new(),
            password: String::new(),
            turn_limit: Duration::from_secs(1),
            margin: MarginLimits::default(),
        });
        session.handle_connected(self.now);
        self.session = Some(session);
        self.bridge.handle_daemon();
    }

    fn hear(&mut self, line: &Json) -> Does {
        let epoch = line["epoch"].as_u64().unwrap_or(0);
        if self.session.is_some() && self.outage.contains(&epoch) {
            self.session = None;
            self.bridge.handle_daemon_lost();
        }
        if self.session.is_none() && epoch >= self.outage.end {
            self.come();
        }
        self.bridge.handle_referee(line.to_string().as_bytes(), self.now).unwrap();
        let mut told = Vec::new();
        let mut answer = Does::Waits;
        while let Some(write) = self.bridge.poll_write() {
            match write {
                Write::Referee(line) => {
                    let text = String::from_utf8(line).unwrap();
                    answer = Does::Says(text.trim_end().to_owned());
                }
                Write::Daemon(line) => told.extend(self.think(&line)),
                Write::Reconnect => panic!("a reconnect without a late daemon"),
                Write::Exit => answer = Does::Exits,
            }
        }
        self.tape.borrow_mut().push(told);
        answer
    }

    /// The daemon hears a line and answers it.
    fn think(&mut self, line: &[u8]) -> Vec<Told> {
        let Some(session) = &mut self.session else { return Vec::new() };
        session.handle_input(line, self.now).unwrap();
        let told: Vec<Told> = std::iter::from_fn(|| session.poll_event()).collect();
        hear(&mut self.world, &told);
        for told in &told {
            if let Event::Asked { turn, agent, .. } = told {
                session.handle_action(*turn, *agent, &decide(&self.world)).unwrap();
            }
        }
        while let Some(reply) = session.poll_transmit() {
            self.bridge.handle_reply(reply.strip_suffix(b"\n").unwrap());
        }
        told
    }
}

/// Gathers food with every actor; in the other games what harms least.
fn decide(world: &World) -> Action {
    let percept = world.percept(ME).unwrap();
    let StateScene::Catcher(state) = &*percept.scene else { return world.fallback(ME) };
    let order = |actor: &phalanx_colosseum::rules::catcher::CatcherEntity| {
        let food = state.foods.first()?;
        let near =
            (food.position[0] - actor.position[0]).hypot(food.position[1] - actor.position[1]);
        let (actor, target) = (actor.id.clone(), food.position);
        let food = food.id.clone();
        Some(if near < 0.9 {
            ActorOrder::Take { actor, food }
        } else {
            ActorOrder::Move { actor, target }
        })
    };
    let own = state.actors.iter().filter(|actor| actor.owner == percept.me);
    Action::Orders(own.filter_map(order).collect())
}

fn fresh() -> World {
    let agents = vec![RosterEntry::new("ours", "any")];
    World::new(&Roster { team: "t".to_owned(), agents })
}

fn hear(world: &mut World, told: &[Told]) {
    for told in told {
        match told {
            Event::RoundStarted { agent, round, briefing } => {
                world.begin(*round, *agent, briefing.as_ref());
            }
            Event::Asked { turn, agent, percept, .. } => {
                world.observe(*turn, *agent, percept.clone());
                world.settle(*turn);
            }
            _ => {}
        }
    }
}

/// A match of some ticks from the first agent's side: the events of its daemon.
fn recorded(game: GameName, seed: u64, outage: Range<u64>) -> Vec<Vec<Told>> {
    let tape = Tape::default();
    // Chess takes no number of ticks; idle kings would go on for long.
    let epochs = (game != GameName::Chess).then_some(40);
    let options = ArenaOptions { game, seed, epochs, ..ArenaOptions::default() };
    let ours = Rc::clone(&tape);
    play(options, move |player| -> Player {
        let tape = if player == 0 { Rc::clone(&ours) } else { Tape::default() };
        let mut agent = Agent::new(if player == 0 { outage.clone() } else { 0..0 }, tape);
        Box::new(move |line| agent.hear(line))
    });
    tape.take()
}

fn learned(world: &World) -> Vec<String> {
    let percept = world.percept(ME);
    let actor = percept.and_then(|percept| match &*percept.scene {
        StateScene::Catcher(state) => state.actors.first().map(|actor| actor.id.to_string()),
        _ => None,
    });
    let actor = actor.unwrap_or_default();
    let samples = ArgumentSamples {
        agents: &["ours"],
        texts: &[&actor, "up", "food"],
        cells: &[(3, 3), (9, 0)],
        ints: &[0, 5],
    };
    answers(world, &API, &[ME], samples)
}

#[test]
fn a_belief_that_was_restored_goes_on_as_the_one_that_was_saved() {
    for game in GameName::ALL {
        let tape = recorded(game, 5, 0..0);
        for kill in [0, 1, 3, tape.len() / 2] {
            let mut whole = fresh();
            tape[..kill].iter().for_each(|told| hear(&mut whole, told));
            let mut restored = saved_and_restored(&whole, fresh());
            assert_eq!(learned(&whole), learned(&restored), "{game:?} before {kill}");
            for told in tape[kill..].iter().take(40) {
                hear(&mut whole, told);
                hear(&mut restored, told);
                assert_eq!(whole.save(), restored.save(), "{game:?} before {kill}");
                assert_eq!(learned(&whole), learned(&restored), "{game:?} before {kill}");
            }
        }
    }
}

#[test]
fn a_belief_goes_on_over_an_outage_when_the_process_introduces_the_new_daemon() {
    for game in GameName::ALL {
        let tape = recorded(game, 5, 3..7);
        let back = tape.iter().rposition(Vec::is_empty).unwrap() + 1;
        let mut world = fresh();
        tape[..back].iter().for_each(|told| hear(&mut world, told));
        let before = world.percept(ME).unwrap().clone();
        let mut world = saved_and_restored(&world, fresh());
        let mut kinds = Vec::new();
        for told in &tape[back] {
            kinds.push(match told {
                Event::Seated { .. } => "seated",
                Event::RoundStarted { agent, briefing, .. } => {
                    let met = Met::Round(briefing.as_ref());
                    assert_eq!(world.recognize(*agent, met), Ok(()), "{game:?}");
                    "started"
                }
                Event::Asked { turn, agent, percept, .. } => {
                    let met = Met::Turn(*turn, percept);
                    assert_eq!(world.recognize(*agent, met), Ok(()), "{game:?}");
                    "asked"
                }
                other => panic!("{game:?}: {other:?}"),
            });
        }
        assert_eq!(kinds, ["seated", "started", "asked"], "{game:?}");
        hear(&mut world, &tape[back]);
        let now = world.percept(ME).unwrap();
        assert!(now.epoch >= 7 && before.epoch < 3, "{game:?}: {}, {}", before.epoch, now.epoch);
        assert_eq!((&now.config, &now.agents), (&before.config, &before.agents), "{game:?}");
        let whole = recorded(game, 5, 0..0);
        let start = asked(&whole, 1).config.clone();
        assert_eq!(now.config, start, "{game:?}: the settings are those of the start");
        assert!(!learned(&world).is_empty());
    }
}

/// The percept of a tick.
fn asked(tape: &[Vec<Told>], epoch: u32) -> &Percept {
    let percept = tape.iter().flatten().find_map(|told| match told {
        Event::Asked { percept, .. } => Some(percept).filter(|percept| percept.epoch >= epoch),
        _ => None,
    });
    percept.unwrap()
}

#[test]
fn damaged_bytes_are_no_belief() {
    for game in GameName::ALL {
        let mut world = fresh();
        recorded(game, 5, 0..0)[..5].iter().for_each(|told| hear(&mut world, told));
        damaged_beliefs_are_refused(&world, &fresh());
    }
}

#[test]
fn what_damaged_bytes_say_can_be_lived_with() {
    for game in GameName::ALL {
        let tape = recorded(game, 5, 0..0);
        let mut world = fresh();
        tape[..6].iter().for_each(|told| hear(&mut world, told));
        let saved = world.save();
        let mut taken = 0;
        for at in (0..saved.len()).step_by(3) {
            let mut bytes = saved.clone();
            bytes[at] = bytes[at].wrapping_add(1);
            let mut world = fresh();
            if world.restore(&bytes).is_ok() {
                taken += 1;
                assert!(taken % 20 != 0 || !learned(&world).is_empty());
                hear(&mut world, &tape[6]);
            }
        }
        assert!(taken > 30, "{game:?} {taken}");
    }
}

#[test]
fn numbers_that_no_line_can_have_are_refused() {
    let tape = recorded(GameName::Snake, 5, 0..0);
    let odd = |change: fn(&mut snake::SnakeState, &mut MatchConfig)| {
        let mut percept = asked(&tape, 1).clone();
        let StateScene::Snake(mut state) = StateScene::clone(&percept.scene) else {
            panic!("no snake")
        };
        let mut config = MatchConfig::clone(&percept.config);
        change(&mut state, &mut config);
        (percept.scene, percept.config) = (Arc::new(StateScene::Snake(state)), Arc::new(config));
        let mut world = fresh();
        world.observe(Turn::new(0, 1), ME, percept);
        fresh().restore(&world.save()).is_err()
    };
    assert!(!odd(|_, _| {}));
    assert!(odd(|state, _| state.size = [i32::MAX, 10]));
    assert!(odd(|state, _| state.snakes[0].eaten = i64::MIN));
    assert!(odd(|state, _| state.foods.push([0, 1_000_000])));
    assert!(odd(|_, config| config.rules.actor_speed = f64::NAN));
    assert!(odd(|_, config| config.step_limit = Some(f64::INFINITY)));
}

#[test]
fn a_belief_of_another_team_is_refused() {
    let agents = vec![RosterEntry::new("ours", "any"), RosterEntry::new("more", "any")];
    let mut other = World::new(&Roster { team: "t".to_owned(), agents });
    let error = other.restore(&fresh().save()).unwrap_err();
    assert_eq!(error.to_string(), "the saved belief is of the agents ours, not of ours, more");
}

#[test]
fn the_same_settings_are_recognized_and_others_are_not() {
    let tape = recorded(GameName::FoodCatcher, 5, 0..0);
    let mut world = fresh();
    tape[..9].iter().for_each(|told| hear(&mut world, told));
    let config = &asked(&tape, 1).config;
    assert_eq!(fresh().recognize(ME, Met::Round(Some(config))), Ok(()));
    assert_eq!(world.recognize(ME, Met::Round(None)), Ok(()));
    let check = |change: fn(&mut MatchConfig), reason: &str| {
        let mut met = MatchConfig::clone(config);
        change(&mut met);
        let told = world.recognize(ME, Met::Round(Some(&met))).err().unwrap_or_default();
        assert_eq!(told, reason);
    };
    check(|_| {}, "");
    check(|met| met.game = "snake".to_owned(), "the game is snake, and was food_catcher");
    check(|met| met.epochs = 7, "the match has 7 ticks, the saved one 40");
    check(|met| met.rules.actor_damage += 1, "the game has other numbers");
}

#[test]
fn states_that_cannot_follow_are_not_recognized() {
    for (game, other) in [
        (GameName::FoodCatcher, GameName::Snake),
        (GameName::CherryPicker, GameName::Snake),
        (GameName::Snake, GameName::Chess),
        (GameName::Chess, GameName::FoodCatcher),
    ] {
        let tape = recorded(game, 5, 0..0);
        let mut world = fresh();
        let percept = asked(&tape, 9);
        let turn = Turn::new(0, percept.epoch);
        world.observe(turn, ME, percept.clone());
        let meet = |met: &Percept| {
            world.recognize(ME, Met::Turn(Turn::new(0, met.epoch), met)).err().unwrap_or_default()
        };
        assert_eq!(meet(percept), "", "{game:?}");
        let past = format!("tick 1 is past: tick {} was seen before", percept.epoch);
        assert_eq!(meet(&Percept { epoch: 1, ..percept.clone() }), past);
        let me = Percept { me: "another".into(), ..percept.clone() };
        assert!(meet(&me).starts_with("our id is \"another\", and was"));
        let agents = Percept { agents: Arc::from([]), ..percept.clone() };
        assert_eq!(meet(&agents), "others play than before");
        let scene = asked(&recorded(other, 5, 0..0), 9).scene.clone();
        assert_eq!(meet(&Percept { scene, ..percept.clone() }), "another game is played");
        let scene = Arc::new(impossible(&percept.scene));
        assert_ne!(meet(&Percept { scene, ..percept.clone() }), "", "{game:?}");
        // Another match has other ids, so nothing of it fits.
        assert!(meet(asked(&recorded(game, 6, 0..0), 9)).starts_with("our id is"), "{game:?}");
    }
}

/// What cannot come of a scene.
fn impossible(scene: &StateScene) -> StateScene {
    let mut scene = scene.clone();
    match &mut scene {
        StateScene::Catcher(state) => state.bases[0].id = "new".into(),
        StateScene::Snake(state) => state.snakes[0].eaten -= 1,
        StateScene::Chess(scene) => scene.white = !scene.white,
        StateScene::Other => {}
    }
    scene
}

#[test]
fn the_dead_stay_dead() {
    let tape = recorded(GameName::FoodCatcher, 5, 0..0);
    let met = asked(&tape, 5);
    let mut known = met.clone();
    let StateScene::Catcher(mut state) = StateScene::clone(&known.scene) else {
        panic!("another game")
    };
    let dead = state.actors[0].clone();
    state.dead.push(dead);
    known.scene = Arc::new(StateScene::Catcher(state));
    let mut world = fresh();
    world.observe(Turn::new(0, 5), ME, known);
    let told = world.recognize(ME, Met::Turn(Turn::new(0, 5), met));
    assert_eq!(told, Err("who was dead is not dead any more".to_owned()));
}
