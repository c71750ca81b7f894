//! The configurations that ship load, and say what they promise.

use phalanx_asimulator::arena::ArenaConfig;
use phalanx_asimulator::rules::{FeatureRule, Preset};
use std::path::Path;

fn load(file: &str) -> ArenaConfig {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/arena/asimulator");
    ArenaConfig::load(&folder.join(file), &|path| std::fs::read(path)).unwrap()
}

#[test]
fn every_shipped_configuration_is_what_it_says() {
    for (file, preset) in [
        ("hazard.toml", Preset::Hazard12x12),
        ("einar.toml", Preset::EinarRoom),
        ("fire-brigade.toml", Preset::FireBrigade),
    ] {
        assert_eq!(load(file), ArenaConfig::preset(preset), "{file}");
    }
    let bind = ([127, 0, 0, 1], 7_000).into();
    let handbook = ArenaConfig { bind, ..ArenaConfig::preset(Preset::Wumpus4x4) };
    assert_eq!(load("handbook.toml"), handbook);
    let gunnar = ArenaConfig { simulations: 10, ..ArenaConfig::preset(Preset::Gunnar60x52) };
    assert_eq!(load("gunnar.toml"), gunnar);
}

#[test]
fn the_worlds_without_homes_have_none() {
    let homeless = load("homeless.toml").class;
    assert_eq!((homeless.shares.home, homeless.start_home), (0.0, false));
    assert_eq!((homeless.rules.home_reward, homeless.rules.recharge), (0, false));
    assert!(homeless.tiles.values().all(|tile| tile.home != FeatureRule::Yes));
    let with = Preset::Hazard12x12.class();
    assert_eq!((homeless.shares.wall, homeless.exact), (with.shares.wall, with.exact));
}

#[test]
fn a_file_that_is_missing_is_named() {
    let read = |path: &Path| std::fs::read(path);
    let missing = ArenaConfig::load(Path::new("no.toml"), &read).unwrap_err();
    assert!(missing.lines.iter().any(|line| line.contains("no.toml")), "{missing}");
}
