//! The result of a reload of the settings.

use crate::error::refuse_settings;
use phalanx_proto::v1;
use tonic::Status;

/// A key with a new value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingChange {
    /// The key, as a path.
    pub key: String,
    /// The previous value as text; empty if it was absent or is secret.
    pub before: String,
    /// The new value, in the same way.
    pub after: String,
}

/// A key that keeps its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingRefusal {
    /// The key, as a path; the file if it cannot be read at all.
    pub key: String,
    /// The reason, and what to do.
    pub reason: String,
}

/// The result of a reload of the settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reloaded {
    /// The changes, or what they would be if nothing were refused.
    pub changed: Vec<SettingChange>,
    /// The refused keys; if there is any, nothing has changed.
    pub refused: Vec<SettingRefusal>,
    /// The number of unchanged values.
    pub unchanged: usize,
}

impl Reloaded {
    /// The answer to the caller: a refusal is an error, unless the caller only wanted a check.
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
