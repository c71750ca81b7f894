//! The referee's files that ship.

use phalanx_colosseum::arena::config::ArenaConfig;
use std::path::Path;

#[test]
fn every_shipped_file_loads_and_names_files_that_are_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = 0;
    for entry in std::fs::read_dir(root.join("deploy/arena/colosseum")).expect("the folder") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("text");
        let config = ArenaConfig::read(&text).unwrap_or_else(|error| panic!("{path:?}: {error}"));
        for program in config.paths.iter().flatten() {
            assert!(root.join(program).is_file(), "{path:?} names {program}");
        }
        found += 1;
    }
    assert!(found > 0, "no file");
}
