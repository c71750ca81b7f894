//! What people copy from us works: sample configurations and the pieces in documents.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use phalanx_e2e::{files, is, root, text};
use phalanx_settings::{Environment, Settings, SettingsErrors, Sources, load};
use std::path::{Path, PathBuf};

#[test]
fn every_sample_configuration_loads() {
    let samples = samples();
    assert!(samples.len() >= 3, "{samples:?}");
    for sample in samples {
        let loaded = read(&root().join(&sample));
        assert!(loaded.is_ok(), "{}: {}", sample.display(), loaded.unwrap_err());
    }
}

#[test]
fn a_strategy_that_a_sample_names_by_a_relative_path_is_there() {
    for sample in samples() {
        for team in read(&root().join(&sample)).unwrap().teams {
            let ships = team.strategy.starts_with(root()) && !sample.ends_with("all-keys.toml");
            let roles: Vec<_> = team.agents.iter().map(|agent| &agent.role).collect();
            let is_there = |role: &&String| team.strategy.join(format!("{role}.luau")).is_file();
            let there = !roles.is_empty() && roles.iter().all(is_there);
            assert!(!ships || there, "{}: {}", sample.display(), team.strategy.display());
        }
    }
}

#[test]
fn every_configuration_in_a_document_loads() {
    let folder = tempfile::tempdir().unwrap();
    for page in files().into_iter().filter(|path| is(path, &["md"])) {
        for (number, block) in (1..).zip(blocks(&text(&page), "toml")) {
            if !block.contains("[[teams]]") {
                continue;
            }
            let file = folder.path().join("page.toml");
            std::fs::write(&file, &block).unwrap();
            let loaded = read(&file);
            let place = format!("{}, block {number}", page.display());
            assert!(loaded.is_ok(), "{place}: {}", loaded.unwrap_err());
        }
    }
}

fn samples() -> Vec<PathBuf> {
    let folder = Path::new("deploy/config");
    files().into_iter().filter(|path| path.starts_with(folder) && is(path, &["toml"])).collect()
}

/// Loads a file as the service manager would start the daemon: with a credential and a folder for
/// sockets.
fn read(file: &Path) -> Result<Settings, SettingsErrors> {
    let credentials = tempfile::tempdir().unwrap();
    std::fs::write(credentials.path().join("agents"), "secret").unwrap();
    let place = credentials.path().to_string_lossy().into_owned();
    // Games that are folders of this repository are named in documents, too.
    phalanx_games::search([root().join("plugins")]);
    let games = phalanx_games::keys();
    let environment: Environment =
        [("CREDENTIALS_DIRECTORY", place.as_str()), ("RUNTIME_DIRECTORY", place.as_str())]
            .into_iter()
            .collect();
    load(&Sources { file, environment: &environment, overrides: &[], games: &games })
}

/// The code blocks of a language in a page.
fn blocks(page: &str, language: &str) -> Vec<String> {
    let open = format!("```{language}\n");
    let parts = page.split(&open).skip(1);
    parts.filter_map(|part| part.split("```").next()).map(str::to_owned).collect()
}
