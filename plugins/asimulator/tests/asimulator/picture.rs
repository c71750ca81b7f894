//! The belief as people see it: a small world as text, and whole matches.

use crate::common::stage::{Stage, best};
use phalanx_asimulator::arena::ArenaConfig;
use phalanx_asimulator::rules::{Preset, TurnAction};
use phalanx_asimulator::session::ClientOptions;
use phalanx_game::{Picture, World as _};
use phalanx_testkit::picture::text;

fn config(simulations: u32, seed: u64) -> ArenaConfig {
    ArenaConfig { simulations, seed, ..ArenaConfig::preset(Preset::Hazard12x12) }
}

#[test]
fn a_world_shows_ground_risks_and_the_agent_with_north_up() {
    let mut stage = Stage::new(config(1, 5), ClientOptions::default());
    for _ in 0..4 {
        let act = best(&stage);
        stage.act(&act.into());
    }
    let mut picture = stage.world.draw();
    // The risks of every tile in sight are many numbers: two layers show how they look.
    let part = picture.parts.first_mut().unwrap();
    part.layers.retain(|layer| ["ground", "death"].contains(&layer.name.as_ref()));
    insta::assert_snapshot!(text(&picture));
}

#[test]
fn every_moment_of_a_match_can_be_drawn_and_the_same_twice() {
    // Turns, walks, bumps and shots, wherever they lead.
    let acts = [
        TurnAction::Move,
        TurnAction::TurnLeft,
        TurnAction::Move,
        TurnAction::Neutralize,
        TurnAction::Grab,
        TurnAction::TurnRight,
    ];
    for seed in 0..6 {
        let config = ArenaConfig { max_actions: 25, ..config(2, seed) };
        let mut stage = Stage::new(config, ClientOptions::default());
        let (mut drawn, mut turn) = (0, usize::try_from(seed).unwrap());
        stage.play(|stage| {
            turn += 1;
            let picture = stage.world.draw().bounded();
            assert_eq!(stage.world.draw().bounded(), picture);
            assert!(!picture.cut);
            drawn += usize::from(picture != Picture::default());
            *acts.get(turn * turn % acts.len()).unwrap()
        });
        assert!(drawn > 1, "{drawn}");
    }
}
