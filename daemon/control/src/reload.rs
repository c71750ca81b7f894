//! What comes of reading the settings again.

use crate::error::refuse_settings;
use phalanx_proto::v1;
use tonic::Status;

/// A key of the settings with another value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingChange {
    /// The key, as a path.
    pub key: String,
    /// The value before, as people read it; empty where there was none, or it is secret.
    pub before: String,
    /// The value from then on, likewise.
    pub after: String,
}

/// A key of the settings that keeps its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingRefusal {
    /// The key, as a path; the file where it cannot be read at all.
    pub key: String,
    /// Why, and what to do.
    pub reason: String,
}

/// What came of reading the settings again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reloaded {
    /// What changed, or would if nothing were refused.
    pub changed: Vec<SettingChange>,
    /// What cannot change; where there is any, nothing has changed.
    pub refused: Vec<SettingRefusal>,
    /// How many values are as they were.
    pub unchanged: usize,
}

impl Reloaded {
    /// As callers get it: a refusal is an error, unless only what would happen was asked.
    pub(crate) fn answer(self, validate_only: bool) -> Result<v1::ReloadSettingsResponse, Status> {
        let Self { changed, refused, unchanged } = self;
        if !refused.is_empty() && !validate_only {
            return Err(refuse_settings(&refused));
        }
        let change =
            |SettingChange { key, before, after }| v1::SettingChange { key, before, after };
        let refusal = |SettingRefusal { key, reason }| v1::SettingRefusal { key, reason };
        Ok(v1::ReloadSettingsResponse {
            changed: changed.into_iter().map(change).collect(),
            refused: refused.into_iter().map(refusal).collect(),
            unchanged_count: i32::try_from(unchanged).unwrap_or(i32::MAX),
        })
    }
}
