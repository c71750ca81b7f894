//! The configurations that ship load, and say what they promise.

use phalanx_mars::arena::ArenaConfig;
use std::path::Path;

fn load(file: &str) -> ArenaConfig {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/arena/mars");
    let text = std::fs::read_to_string(folder.join(file)).expect("a file");
    ArenaConfig::read(&text).unwrap_or_else(|error| panic!("{file}:\n{error}"))
}

#[test]
fn the_contest_is_the_default_on_the_organisers_maps() {
    let contest = load("contest.toml");
    let nodes: Vec<u32> = contest.sims.iter().map(|sim| sim.map.nodes).collect();
    assert_eq!(nodes, [300, 240, 200]);
    let mut plain = contest;
    plain.sims.iter_mut().for_each(|sim| sim.map.nodes = 200);
    assert_eq!(plain, ArenaConfig::default());
}

#[test]
fn the_quick_one_needs_no_clock() {
    let quick = load("quick.toml");
    assert!(quick.server.lockstep && quick.server.pause.is_zero());
    let sims: Vec<_> = quick.sims.iter().map(|sim| (sim.steps, sim.map.nodes, sim.seed)).collect();
    assert_eq!(sims, [(100, 150, Some(77))]);
}
