//! The configurations that ship load, and say what they promise.

use phalanx_mars::arena::ArenaConfig;
use phalanx_testkit::mangle::Mangler;
use std::path::Path;

fn text(file: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/arena/mars");
    std::fs::read_to_string(folder.join(file)).expect("a file")
}

fn load(file: &str) -> ArenaConfig {
    ArenaConfig::read(&text(file)).unwrap_or_else(|error| panic!("{file}:\n{error}"))
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

#[test]
fn a_damaged_file_is_read_or_refused_with_a_reason() {
    let good = text("contest.toml");
    let mut mangler = Mangler::new(1);
    let (mut read, mut refused) = (0, 0);
    for _ in 0..500 {
        let damaged = mangler.mangle(good.as_bytes());
        match ArenaConfig::read(&String::from_utf8_lossy(&damaged)) {
            Ok(config) => {
                assert!(config.teams.len() >= 2 && !config.sims.is_empty());
                read += 1;
            }
            Err(error) => {
                assert!(!error.to_string().is_empty());
                refused += 1;
            }
        }
    }
    assert!(read > 0 && refused > 0, "{read} {refused}");
}
