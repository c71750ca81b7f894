//! The shipped explorer plays whole simulations of Asimulator on a virtual clock.
//!
//! `ASIMULATOR_WORLDS=3000 cargo test -p phalanx-lua --test asimulator -- --nocapture` plays this
//! number of worlds of each class and prints the mean scores.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a test stops at the first surprise, and its scores are small"
)]

use phalanx_asimulator::Asimulator;
use phalanx_asimulator::arena::{ArenaConfig, AsimulatorArena};
use phalanx_asimulator::rules::Preset;
use phalanx_engine::{BrainError, BrainErrorKind, Counters, Generation, TeamOptions};
use phalanx_game::{AgentId, MarginLimits, Origin, Roster, RosterEntry, Seat, SeatId};
use phalanx_lua::{Bundle, Limits, LuaBrain, stage};
use phalanx_net::{Lockstep, LockstepEnd, LockstepOptions, now};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// Longer than any decision takes on a busy machine.
const AMPLE: Duration = Duration::from_secs(60);

/// Scores in the order of the worlds, and how the answers came about.
fn play(config: ArenaConfig) -> (Vec<i64>, Counters) {
    let origin = Origin { instant: now(), unix_ms: 0 };
    let arena = Box::new(AsimulatorArena::new(config, origin).unwrap());
    // In pieces of three bytes: openings are cut in every place.
    let options = LockstepOptions { chunk_bytes: Some(3), ..LockstepOptions::default() };
    let mut lockstep = Lockstep::new(arena, origin.instant, options);
    let name = "explorer1".to_owned();
    let agents = vec![RosterEntry::new(name.clone(), "explorer")];
    let roster = Arc::new(Roster { team: "us".to_owned(), agents });
    let seat = Seat {
        id: SeatId(0),
        agents: vec![(AgentId(0), name)],
        user: String::new(),
        password: String::new(),
        turn_limit: AMPLE,
        margin: MarginLimits::default(),
    };
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts");
    let bundle = Bundle::read(&scripts.join("asimulator"), &[&scripts.join("lib")]).unwrap();
    let generation = Generation {
        number: 1,
        hash: bundle.hash().to_owned(),
        accepted: SystemTime::UNIX_EPOCH,
        origin: Default::default(),
    };
    let staged = stage(Arc::new(bundle), Arc::new(generation)).unwrap();
    let team = TeamOptions { decide_max: AMPLE, rehearsal_turns: 0, ..TeamOptions::default() };
    let limits = Limits::default();
    let brain = move |link, staged: &_| {
        LuaBrain::new(link, staged, limits)
            .map_err(|error| BrainError::without_place(BrainErrorKind::Script, error.to_string()))
    };
    lockstep.add_team(&Asimulator::default(), roster, &[seat], team, staged, brain).unwrap();
    assert_eq!(lockstep.run(&mut ()), LockstepEnd::Over);
    let counters = lockstep.snapshot(0).unwrap().counters;
    (lockstep.verdict().teams[0].rounds.clone(), counters)
}

/// Plays some worlds of a class: nothing goes wrong, and the mean score is at least this.
fn check(name: &str, mut config: ArenaConfig, worlds: u32, least: f64) {
    let wanted = std::env::var("ASIMULATOR_WORLDS").ok().and_then(|worlds| worlds.parse().ok());
    config.simulations = wanted.unwrap_or(worlds);
    let (scores, counters) = play(config.clone());
    assert_eq!((counters.fallback, counters.late, counters.script_errors), (0, 0, 0));
    assert_eq!((counters.decided, counters.malformed), (counters.asked, 0), "{name}");
    assert_eq!(scores.len(), config.simulations as usize);
    let mean = scores.iter().sum::<i64>() as f64 / scores.len() as f64;
    println!("{name}: {} worlds, mean score {mean:.1}", scores.len());
    assert!(mean > least, "{name}: {mean}");
}

#[test]
fn the_handbooks_worlds_earn_what_the_reference_earns() {
    check("wumpus-4x4", ArenaConfig::preset(Preset::Wumpus4x4), 200, 300.0);
}

#[test]
fn worlds_with_hazards_earn_more_than_the_reference() {
    check("hazard-12x12", ArenaConfig::preset(Preset::Hazard12x12), 8, 1116.0);
}

#[test]
fn worlds_without_homes_earn_more_than_the_reference() {
    let mut config = ArenaConfig::preset(Preset::Hazard12x12);
    config.class.start_home = false;
    config.class.shares.home = 0.0;
    (config.class.rules.home_reward, config.class.rules.recharge) = (0, false);
    check("hazard-12x12 without homes", config, 8, 764.0);
}

#[test]
fn the_same_seed_is_the_same_match() {
    let config = ArenaConfig { simulations: 1, ..ArenaConfig::preset(Preset::FireBrigade) };
    assert_eq!(play(config.clone()).0, play(config).0);
}
