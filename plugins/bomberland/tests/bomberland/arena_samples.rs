//! The configurations that ship load, and say what they promise.

use phalanx_bomberland::arena::ArenaConfig;
use std::path::Path;

#[test]
fn every_shipped_configuration_is_what_it_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/arena/bomberland");
    let load = |file: &str| ArenaConfig::load(&folder.join(file), &|path| std::fs::read(path));
    assert_eq!(load("engine.env").unwrap(), ArenaConfig::default());
    assert_eq!(load("classic.env").unwrap(), ArenaConfig::classic());
    let missing = load("no.env").unwrap_err();
    assert!(missing.lines[0].contains("no.env"));
}
