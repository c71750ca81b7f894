//! Matches between strategies that travelled as bundles: what a worker plays.

use crate::league_matches::{Contestant, Matches, ask, enter_bundle};
use anyhow::{Context, Result, bail};
use phalanx_game::sorted::SortedMap;
use phalanx_lua::Bundle;
use std::collections::BTreeMap;

/// Groups of players whose matches are kept ready.
const GROUPS_MAX: usize = 16;

/// A strategy as it travels: its files, as JSON.
#[must_use]
pub fn bundle_bytes(bundle: &Bundle) -> Vec<u8> {
    let files: SortedMap<_, _> = bundle.files().map(|(path, text)| (path, text.as_ref())).collect();
    // Texts always have a form in JSON.
    serde_json::to_vec(&files).unwrap_or_default()
}

/// The strategy that travelled under this hash. Nothing is written to a drive, and paths that leave
/// the strategy are refused.
///
/// # Errors
/// When the bytes are not that strategy.
pub fn bundle_of_bytes(bytes: &[u8], hash: &str) -> Result<Bundle> {
    let files: BTreeMap<String, String> =
        serde_json::from_slice(bytes).with_context(|| format!("strategy {hash} is malformed"))?;
    let bundle = Bundle::from_files(files);
    let bundle = bundle.with_context(|| format!("strategy {hash} cannot be read"))?;
    if bundle.hash() != hash {
        bail!("strategy {hash} has other files than its hash says");
    }
    Ok(bundle)
}

/// Strategies that passed their trial here, by their hashes, and the matches between them.
#[derive(Debug, Default)]
pub struct BundleMatches {
    bundles: SortedMap<String, Bundle>,
    contestants: SortedMap<String, Contestant>,
    groups: SortedMap<String, Matches>,
}

impl BundleMatches {
    /// Keeps a strategy for the matches that follow.
    pub fn keep(&mut self, bundle: Bundle) {
        self.bundles.insert(bundle.hash().to_owned(), bundle);
    }

    /// The matches between these strategies, which [`BundleMatches::keep`] got before.
    ///
    /// # Errors
    /// When the game is unknown, a strategy is missing, or it fails its trial.
    pub fn between(
        &mut self,
        game: &str,
        setup: &BTreeMap<String, String>,
        hashes: &[String],
    ) -> Result<&Matches> {
        // Texts always have a form in JSON.
        let key =
            |hashes: &[String]| serde_json::to_string(&(game, setup, hashes)).unwrap_or_default();
        let group = key(hashes);
        if !self.groups.contains_key(&group) {
            let game = phalanx_games::game(game)?;
            let demo = ask(game, setup)?;
            let stage = phalanx_games::demo(game, &demo)?;
            let mut contestants = Vec::with_capacity(hashes.len());
            for hash in hashes {
                let own = key(std::slice::from_ref(hash));
                if !self.contestants.contains_key(&own) {
                    let bundle = self.bundles.get(hash);
                    let bundle = bundle.with_context(|| format!("strategy {hash} is missing"))?;
                    let contestant = enter_bundle(game, &stage, bundle.clone())?;
                    self.contestants.insert(own.clone(), contestant);
                }
                contestants.extend(self.contestants.get(&own).cloned());
            }
            if self.groups.len() >= GROUPS_MAX {
                self.groups.clear();
            }
            self.groups.insert(group.clone(), Matches::new(game, demo, contestants));
        }
        self.groups.get(&group).context("the matches of these players")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(files: &str, hash: &str) -> String {
        format!("{:#}", bundle_of_bytes(files.as_bytes(), hash).unwrap_err())
    }

    #[test]
    fn a_strategy_travels_whole() {
        let files = [("worker.luau", "return {}"), ("lib/geo.luau", "return { x = 'ü\n' }")];
        let bundle = Bundle::from_files(files).unwrap();
        assert_eq!(bundle_of_bytes(&bundle_bytes(&bundle), bundle.hash()).unwrap(), bundle);
    }

    #[test]
    fn a_bundle_with_paths_that_leave_it_or_with_other_files_is_refused() {
        let hash = "0".repeat(64);
        for path in
            ["../../etc/cron.d/x.luau", "/etc/x.luau", "a/../x.luau", "worker.sh", ".x.luau"]
        {
            let files = serde_json::json!({ path: "return {}" }).to_string();
            assert!(refused(&files, &hash).contains("cannot be read"), "{path}");
        }
        assert!(refused("[]", &hash).contains("malformed"));
        let other = refused(r#"{"worker.luau": "return {}"}"#, &hash);
        assert!(other.contains("other files than its hash says"), "{other}");
    }
}
