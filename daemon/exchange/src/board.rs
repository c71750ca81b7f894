//! What is on a team's board, from the changes that a recording has.

use crate::rows::plain;
use phalanx_proto::v1;
use serde_json::Value as Json;
use std::collections::BTreeMap;

/// The values on a board by their keys; claims have none.
#[derive(Clone, Debug, Default)]
pub struct BoardState {
    values: BTreeMap<String, Json>,
}

impl BoardState {
    pub fn apply(&mut self, changes: &v1::BoardChanges) {
        if changes.reset {
            self.values.clear();
        }
        for key in &changes.gone {
            self.values.remove(key);
        }
        for entry in &changes.entries {
            match &entry.value {
                Some(value) => self.values.insert(entry.key.clone(), plain(value)),
                None => self.values.remove(&entry.key),
            };
        }
    }

    /// A JSON object with the keys in their order.
    #[must_use]
    pub fn json(&self) -> String {
        // Texts as keys always have a form in JSON.
        serde_json::to_string(&self.values).unwrap_or_default()
    }
}
