//! The organisers' sample files load unchanged.

use super::support;
use phalanx_assemble::arena::config::{ArenaConfig, Launch, Tournament};
use phalanx_testkit::traces;
use std::path::Path;
use std::time::Duration;

#[test]
fn every_server_file_of_the_package_loads() {
    let expected = [
        ("AutoLaunch", 3, 2, 50, Launch::After(Duration::from_secs(5))),
        ("SampleConfig", 3, 2, 50, Launch::Key),
        ("SampleConfig2", 6, 2, 100, Launch::Key),
        ("SampleQualification", 2, 1, 50, Launch::Key),
        ("SimpleConfig", 1, 1, 15, Launch::Key),
    ];
    for (name, sims, teams, accounts, launch) in expected {
        let Some(config) = support::config(&format!("mapc2020/config/{name}.json")) else { return };
        assert_eq!(config.sims.len(), sims, "{name}");
        assert_eq!(config.teams.len(), teams, "{name}");
        assert!(config.accounts_per_team() <= accounts && config.accounts_per_team() > 0, "{name}");
        assert_eq!(config.server.launch, launch, "{name}");
        assert_eq!(config.server.tournament, Tournament::RoundRobin, "{name}");
        assert_eq!(config.server.agent_timeout, Duration::from_secs(4), "{name}");
    }
}

#[test]
fn every_simulation_file_of_the_package_loads() {
    for folder in ["sim", "sim-test"] {
        let Some(path) = traces::path(&format!("mapc2020/config/{folder}")) else { return };
        let mut count = 0;
        for entry in std::fs::read_dir(path).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let sim = support::sim(&format!("mapc2020/config/{folder}/{name}")).unwrap();
            assert!(sim.steps > 0, "{name}");
            count += 1;
        }
        assert!(count >= 6, "{folder}");
    }
}

#[test]
fn the_packages_map_images_are_terrain() {
    for (name, size) in [("test", 400), ("test40x40", 1600)] {
        let Some(path) = traces::path(&format!("mapc2020/config/maps/{name}.bmp")) else { return };
        let text = minimal()
            .replace("\"instructions\": []", "\"instructions\": [], \"file\": \"map.bmp\"");
        let read = |asked: &Path| {
            if asked.ends_with("map.bmp") {
                std::fs::read(&path)
            } else {
                Ok(text.clone().into_bytes())
            }
        };
        let config = ArenaConfig::load(Path::new("conf.json"), &read).unwrap();
        let cells = config.sims[0].grid.image.len();
        assert!(cells > 0 && cells <= size, "{name}: {cells} cells");
    }
}

#[test]
fn no_message_shows_a_password() {
    let mut value: serde_json::Value = serde_json::from_str(&minimal()).unwrap();
    value["teams"]["A"]["password"] = serde_json::json!(4711);
    let read = |_: &Path| Ok(value.to_string().into_bytes());
    let error = ArenaConfig::load(Path::new("conf.json"), &read).unwrap_err().to_string();
    assert!(error.contains("teams.A.password: a text expected, in quotes"), "{error}");
    assert!(!error.contains("4711"), "{error}");
}

/// A whole configuration in one file.
pub(crate) fn minimal() -> String {
    include_str!("minimal.json").to_owned()
}
