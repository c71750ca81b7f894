//! The belief of a daemon that is killed and started again.

use crate::common::stage::{LINE, ME, Stage, Told, best, roster};
use phalanx_asimulator::action::Action;
use phalanx_asimulator::api::API;
use phalanx_asimulator::arena::ArenaConfig;
use phalanx_asimulator::percept::{Briefing, Percept};
use phalanx_asimulator::rules::{BoundsMean, Neighbourhood, Preset, TurnAction};
use phalanx_asimulator::session::{BoundsOption, ClientOptions, NeighbourhoodOption};
use phalanx_asimulator::world::World;
use phalanx_game::{Arena as _, Event, Met, Roster, RosterEntry, Session as _, Turn, World as _};
use phalanx_testkit::answers::{ArgumentSamples, answers};
use phalanx_testkit::saved::{damaged_beliefs_are_refused, saved_and_restored};

fn stage(preset: Preset, simulations: u32) -> Stage {
    let config = ArenaConfig { simulations, seed: 3, ..ArenaConfig::preset(preset) };
    Stage::new(config, ClientOptions::default())
}

fn fresh() -> World {
    World::new(&roster(), ClientOptions::default())
}

fn hear(world: &mut World, told: &[Told]) {
    for told in told {
        match told {
            Event::RoundStarted { agent, round, briefing } => {
                world.begin(*round, *agent, briefing.as_ref());
            }
            Event::Percept { turn, agent, percept } | Event::Asked { turn, agent, percept, .. } => {
                world.observe(*turn, *agent, *percept);
            }
            _ => {}
        }
    }
}

/// Does what the planner likes best, and shows what is believed.
fn act(stage: &mut Stage) -> Action {
    let mut action = Action::from(best(stage));
    action.notes.marks = stage.world.marks();
    stage.act(&action);
    action
}

fn learned(world: &World) -> Vec<String> {
    let samples = ArgumentSamples {
        agents: &["explorer1"],
        texts: &["north", "west"],
        cells: &[(0, 0)],
        ints: &[1, 3, -2],
    };
    answers(world, &API, &[ME], samples)
}

#[test]
fn a_belief_that_was_restored_goes_on_as_the_one_that_was_saved() {
    let cases =
        [(Preset::Wumpus4x4, 0, 40), (Preset::Hazard12x12, 30, 90), (Preset::FireBrigade, 60, 70)];
    let mut rounds = 0;
    for (preset, kill, end) in cases {
        let mut stage = stage(preset, 3);
        for _ in 0..kill {
            act(&mut stage);
        }
        let mut restored = saved_and_restored(&stage.world, fresh());
        assert_eq!(learned(&stage.world), learned(&restored), "killed before {kill}");
        for turn in kill..end {
            let action = act(&mut stage);
            restored.acted(Turn::new(0, turn), ME, &action);
            hear(&mut restored, &stage.told);
            assert_eq!(stage.world.save(), restored.save(), "killed before {kill}, turn {turn}");
            let started = |told: &&Told| matches!(told, Event::RoundStarted { .. });
            rounds += stage.told.iter().filter(started).count();
            if stage.closed {
                break;
            }
        }
        assert_eq!(learned(&stage.world), learned(&restored), "killed before {kill}");
    }
    assert!(rounds > 0, "a simulation ended and another one began");
}

#[test]
fn who_connects_again_meets_another_simulation_and_keeps_what_all_have_in_common() {
    let mut stage = stage(Preset::Hazard12x12, 3);
    for _ in 0..60 {
        act(&mut stage);
    }
    let mut restored = saved_and_restored(&stage.world, fresh());
    let rates = *restored.rates().unwrap();
    stage.arena.handle_leave(LINE, stage.now);
    stage.session.handle_disconnected(stage.now);
    stage.told.clear();
    stage.arena.handle_join(LINE, stage.now);
    stage.session.handle_connected(stage.now);
    stage.settle();
    let start = stage.told.iter().find_map(|told| match told {
        Event::RoundStarted { round, briefing, .. } => Some((*round, briefing.clone().unwrap())),
        _ => None,
    });
    let (round, opening) = start.unwrap();
    let refused = restored.recognize(ME, Met::Round(Some(&opening)));
    let reason = "a simulation ends with its connection: this is another one, of the same rules";
    assert_eq!(refused, Err(reason.to_owned()));
    assert!(restored.goes_on_in(ME, &opening));
    restored.begin(round, ME, Some(&opening));
    hear(&mut restored, &stage.told);
    assert_eq!(restored.save(), stage.world.save(), "as if only the connection had been lost");
    let now = *restored.rates().unwrap();
    assert!((now.wall - rates.wall).abs() < 0.05, "{now:?} {rates:?}");
    let mut new = fresh();
    new.begin(0, ME, Some(&opening));
    assert_ne!(now, *new.rates().unwrap(), "earlier simulations still teach");
    what_is_certain_is_true(&stage, &restored);
    act(&mut stage);
    hear(&mut restored, &stage.told);
    what_is_certain_is_true(&stage, &restored);
}

fn what_is_certain_is_true(stage: &Stage, world: &World) {
    let (truth, beliefs) = (stage.truth().unwrap(), world.beliefs().unwrap());
    assert_eq!(world.chart().unwrap().pose, truth.pose);
    for (at, belief) in beliefs.frame.cells().zip(&beliefs.tiles) {
        let deadly = truth.map.tile(at).deadly();
        assert!(belief.death > 0.0 || !deadly, "{at:?}: {belief:?}");
        assert!(belief.death < 1.0 || deadly, "{at:?}: {belief:?}");
    }
}

#[test]
fn an_opening_in_the_same_round_is_another_simulation_all_the_same() {
    let mut stage = stage(Preset::Wumpus4x4, 2);
    let opening = opening(&stage);
    let before = stage.world.save();
    stage.world.begin(0, ME, Some(&opening));
    assert_eq!(stage.world.save(), before, "no action yet, so nothing changed");
    stage.act(&TurnAction::TurnLeft.into());
    stage.world.begin(0, ME, None);
    assert_eq!(stage.world.field(ME, "after"), Some("turn_left".into()));
    // A seat that was made anew counts its rounds from the beginning.
    stage.world.begin(0, ME, Some(&opening));
    assert_eq!(stage.world.field(ME, "after"), Some(phalanx_game::Value::Nil));
}

#[test]
fn a_team_that_is_made_anew_in_the_middle_of_a_simulation_goes_on_with_it() {
    let mut stage = stage(Preset::Hazard12x12, 3);
    let opening = opening(&stage);
    for _ in 0..10 {
        act(&mut stage);
    }
    let mut restored = saved_and_restored(&stage.world, fresh());
    assert_eq!(restored.recognize(ME, Met::Round(Some(&opening))), Ok(()));
    restored.begin(0, ME, Some(&opening));
    assert_eq!(restored.save(), stage.world.save());
    act(&mut stage);
    hear(&mut restored, &stage.told);
    what_is_certain_is_true(&stage, &restored);
    // The next opening is one of another simulation.
    restored.begin(0, ME, Some(&opening));
    assert_ne!(restored.save(), stage.world.save());
}

fn opening(stage: &Stage) -> Briefing {
    let start = stage.told.iter().find_map(|told| match told {
        Event::RoundStarted { briefing, .. } => briefing.clone(),
        _ => None,
    });
    start.unwrap()
}

#[test]
fn a_percept_that_is_heard_again_moves_nobody() {
    let mut stage = stage(Preset::Hazard12x12, 1);
    for _ in 0..10 {
        act(&mut stage);
    }
    let saved = stage.world.save();
    let told = std::mem::take(&mut stage.told);
    hear(&mut stage.world, &told);
    assert_eq!(stage.world.save(), saved);
}

#[test]
fn only_the_same_simulation_is_recognized() {
    let mut stage = stage(Preset::Hazard12x12, 1);
    let opening = opening(&stage);
    let meet = |world: &World, met: Met<'_, Briefing, Percept>| {
        world.recognize(ME, met).err().unwrap_or_default()
    };
    assert_eq!(meet(&fresh(), Met::Round(Some(&opening))), "");
    assert_eq!(meet(&stage.world, Met::Round(Some(&opening))), "", "no action yet");
    for _ in 0..10 {
        act(&mut stage);
    }
    let (world, last) = (stage.world.clone(), stage.told.last().unwrap().clone());
    let Event::Asked { percept, .. } = last else { panic!("{last:?}") };
    assert_eq!(meet(&world, Met::Round(None)), "", "the same connection goes on");
    let mut other = opening.as_ref().clone();
    other.rules.item_reward += 1;
    let reason = "a simulation ends with its connection: this is another one, of other rules";
    assert_eq!(meet(&world, Met::Round(Some(&other.clone().into()))), reason);
    assert!(!world.goes_on_in(ME, &other.into()));
    let turn = |step| Turn::new(0, step);
    assert_eq!(meet(&world, Met::Turn(turn(10), &percept)), "");
    assert_eq!(meet(&world, Met::Turn(turn(11), &percept)), "");
    let reason = "step 9 is past: step 10 was seen before";
    assert_eq!(meet(&world, Met::Turn(turn(9), &percept)), reason);
    let reason = "step 12 does not follow on step 10: the agent has moved";
    assert_eq!(meet(&world, Met::Turn(turn(12), &percept)), reason);
    let changed = Percept { after: Some(TurnAction::ShutOff), ..percept };
    let reason = "step 10 was seen before, and was another one";
    assert_eq!(meet(&world, Met::Turn(turn(10), &changed)), reason);
}

#[test]
fn damaged_bytes_are_no_belief() {
    let mut stage = stage(Preset::Wumpus4x4, 1);
    act(&mut stage);
    damaged_beliefs_are_refused(&stage.world, &fresh());
}

#[test]
fn what_damaged_bytes_say_can_be_lived_with() {
    let mut stage = stage(Preset::Hazard12x12, 1);
    for _ in 0..30 {
        act(&mut stage);
    }
    let saved = stage.world.save();
    act(&mut stage);
    let mut taken = 0;
    for at in (0..saved.len()).step_by(3) {
        let mut bytes = saved.clone();
        bytes[at] = bytes[at].wrapping_add(1);
        let mut world = fresh();
        if world.restore(&bytes).is_ok() {
            taken += 1;
            hear(&mut world, &stage.told);
            assert!(taken % 40 != 0 || !learned(&world).is_empty());
        }
    }
    assert!(taken > 50, "{taken}");
}

#[test]
fn a_belief_of_another_agent_is_refused_and_settings_count_more_than_what_was_learned() {
    let mut stage = stage(Preset::Hazard12x12, 1);
    for _ in 0..30 {
        act(&mut stage);
    }
    let saved = stage.world.save();
    let agents = vec![RosterEntry::new("explorer2", "explorer")];
    let other = Roster { team: "us".to_owned(), agents };
    let error = World::new(&other, ClientOptions::default()).restore(&saved).unwrap_err();
    assert_eq!(error.to_string(), "the saved belief is of agent explorer1, not of explorer2");
    let options = ClientOptions {
        bounds: BoundsOption::Always(BoundsMean::Interior),
        neighbourhood: NeighbourhoodOption::Always(Neighbourhood::Eight),
        ..ClientOptions::default()
    };
    let mut world = World::new(&roster(), options);
    world.restore(&saved).unwrap();
    assert_ne!(world.save(), saved);
}
