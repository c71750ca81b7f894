//! Worlds by seed.

use super::support;
use phalanx_bomberland::rules::generate;
use phalanx_bomberland::wire;
use serde_json::Value;

#[test]
fn every_recorded_world_comes_out_of_its_seed() {
    let Some(lines) = support::lines("maps.jsonl.gz") else { return };
    assert!(lines.len() > 200);
    for line in &lines {
        let fixture: Value = serde_json::from_str(line).unwrap();
        let config = support::config(&fixture["env"]);
        let seed = fixture["world_seed"].as_u64().unwrap();
        let made = generate(&config.setup, config.params, seed, 0);
        if fixture["state"].is_null() {
            assert!(made.is_err(), "world seed {seed} {} is refused", fixture["env"]);
            continue;
        }
        let theirs = support::state(line);
        let made = made.unwrap_or_else(|error| panic!("{}: {error}", fixture["env"]));
        let ours = wire::encode_full(&made.board, &made.state, "", 10.0);
        assert_eq!(ours, theirs, "world seed {seed} {}", fixture["env"]);
    }
}
