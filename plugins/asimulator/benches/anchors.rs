//! The reference numbers of the specification (section 12.6), played with the planner's own choice:
//! mean scores over thousands of worlds, and how long they take. `cargo bench -p phalanx-asimulator
//! --bench anchors -- wumpus hazard` plays some of them, the variable `SEED` chooses other worlds.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    clippy::wildcard_enum_match_arm,
    reason = "a benchmark reports to people and may stop at the first surprise"
)]
#![allow(clippy::disallowed_methods, reason = "a benchmark has no other clock")]

#[path = "../tests/asimulator/common/stage.rs"]
#[allow(dead_code, unreachable_pub, reason = "tests use the rest of it")]
mod stage;

use phalanx_asimulator::arena::ArenaConfig;
use phalanx_asimulator::rules::{Neighbourhood, Preset, TurnAction};
use phalanx_asimulator::session::ClientOptions;
use phalanx_asimulator::world::{Evidence, infer};
use stage::{Stage, best};
use std::hint::black_box;
use std::time::{Duration, Instant};

fn play(name: &str, config: ArenaConfig, choose: fn(&Stage) -> TurnAction) {
    let worlds = config.simulations;
    let began = Instant::now();
    let mut stage = Stage::new(config, ClientOptions::default());
    let (mut choosing, mut inferring) = (Vec::new(), Vec::new());
    let mut aside = Duration::ZERO;
    while !stage.closed {
        let started = Instant::now();
        let act = choose(&stage);
        choosing.push(started.elapsed());
        let started = Instant::now();
        conclude(&stage);
        inferring.push(started.elapsed());
        aside += started.elapsed();
        stage.act(&act.into());
    }
    let rate = f64::from(worlds) / (began.elapsed() - aside).as_secs_f64();
    println!("{name}: {worlds} worlds, {rate:.0} a second");
    println!("a choice: {}; an inference: {}", shares(choosing), shares(inferring));
    println!("{}", summary(&stage));
}

/// What the arena sums up.
fn summary(stage: &Stage) -> String {
    let file = stage.files.iter().find(|(path, _)| path.ends_with("summary.json"));
    String::from_utf8(file.unwrap().1.clone()).unwrap()
}

/// The classes of the specification's reference numbers.
fn without_homes(mut config: ArenaConfig) -> ArenaConfig {
    let class = &mut config.class;
    class.start_home = false;
    class.shares.home = 0.0;
    class.rules.home_reward = 0;
    class.rules.recharge = false;
    config
}

/// The best option without any risk.
fn careful(stage: &Stage) -> TurnAction {
    let choices = stage.world.choices();
    choices
        .iter()
        .find(|choice| choice.death == 0.0)
        .map_or(TurnAction::ShutOff, |choice| choice.act)
}

/// Infers once more what the world has inferred.
fn conclude(stage: &Stage) {
    let (Some(chart), Some(rates)) = (stage.world.chart(), stage.world.rates()) else { return };
    let rules = &stage.truth().unwrap().rules;
    let around = Neighbourhood::Four;
    black_box(infer(&Evidence { chart, rules, around, rates }));
}

fn shares(mut times: Vec<Duration>) -> String {
    times.sort_unstable();
    let at = |share: usize| times[times.len() * share / 1000];
    format!("p50 {:?}, p99 {:?}, p99.9 {:?}", at(500), at(990), at(999))
}

fn main() {
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    let seed = std::env::var("SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let preset =
        |preset, simulations| ArenaConfig { simulations, seed, ..ArenaConfig::preset(preset) };
    let mut walls = preset(Preset::Gunnar60x52, 200);
    (walls.class.columns, walls.class.rows) = (20, 20);
    let all = [
        ("wumpus-4x4", preset(Preset::Wumpus4x4, 3000)),
        ("hazard-12x12", preset(Preset::Hazard12x12, 400)),
        ("hazard-12x12 without homes", without_homes(preset(Preset::Hazard12x12, 400))),
        ("walls-20x20", walls),
        ("gunnar-60x52", preset(Preset::Gunnar60x52, 3)),
        ("fire-brigade", preset(Preset::FireBrigade, 200)),
        ("einar-room", preset(Preset::EinarRoom, 200)),
    ];
    for (name, config) in all {
        if wanted.is_empty() || wanted.iter().any(|one| name.contains(one.as_str())) {
            play(name, config, best);
        }
    }
    // An agent that takes no risk never dies.
    if wanted.is_empty() || wanted.iter().any(|one| one == "careful") {
        play("careful, wumpus-4x4", preset(Preset::Wumpus4x4, 10_000), careful);
        play("careful, hazard-12x12", preset(Preset::Hazard12x12, 400), careful);
    }
}
