//! The match configurations that ship load.

use phalanx_assemble::arena::ArenaConfig;
use std::path::Path;

#[test]
fn every_shipped_match_loads_with_its_simulations() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/arena/assemble");
    for (file, sizes) in [("contest.json", vec![15, 30, 50]), ("fifteen.json", vec![15])] {
        let config = ArenaConfig::load(&folder.join(file), &|path| std::fs::read(path)).unwrap();
        let largest = sizes.iter().copied().max().unwrap();
        assert_eq!(config.sims.len(), sizes.len(), "{file}");
        assert_eq!(config.accounts_per_team(), largest, "{file}");
    }
}
