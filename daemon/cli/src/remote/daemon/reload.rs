//! `phalanx daemon reload`.

use crate::args::Remote;
use crate::failure::{Refused, refused};
use crate::remote::{counted, run};
use anyhow::Result;
use phalanx_proto::v1::daemon_client::DaemonClient;
use phalanx_proto::v1::{ReloadSettingsRequest, ReloadSettingsResponse, SettingChange};
use serde_json::{Value, json};
use std::collections::HashMap;

/// `phalanx daemon reload`.
///
/// # Errors
/// When no daemon answers, or it refuses.
pub(super) fn reload(validate_only: bool, remote: &Remote) -> Result<()> {
    run(remote, async |link| {
        let request = ReloadSettingsRequest { validate_only };
        let answer = DaemonClient::new(link).reload_settings(request).await;
        let answer = answer.map_err(|status| refused(&status))?.into_inner();
        remote.print.tell(&json_of(&answer), || text_of(&answer, validate_only))?;
        if answer.refused.is_empty() {
            return Ok(());
        }
        // The exit code of a reload.
        let text = format!("a reload would be refused: {}", counted(answer.refused.len(), "key"));
        let (reason, metadata) = ("SETTINGS_REFUSED".to_owned(), HashMap::new());
        Err(Refused { text, reason, metadata }.into())
    })
}

fn json_of(answer: &ReloadSettingsResponse) -> Value {
    let changed: Vec<_> = answer
        .changed
        .iter()
        .map(|one| json!({ "key": one.key, "before": one.before, "after": one.after }))
        .collect();
    let refused: Vec<_> =
        answer.refused.iter().map(|one| json!({ "key": one.key, "reason": one.reason })).collect();
    json!({ "changed": changed, "refused": refused, "unchanged_count": answer.unchanged_count })
}

fn text_of(answer: &ReloadSettingsResponse, validate_only: bool) -> String {
    let mut lines: Vec<String> = answer.changed.iter().map(change).collect();
    let refusals = answer.refused.iter();
    lines.extend(refusals.map(|one| format!("✗ {}: {}", one.key, one.reason)));
    let (changed, unchanged) = (answer.changed.len(), answer.unchanged_count);
    lines.push(match (validate_only, answer.refused.len()) {
        (false, _) => format!("{changed} changed, {unchanged} unchanged"),
        (true, 0) => format!("{changed} would change, {unchanged} would stay unchanged"),
        (true, refused) => format!("{refused} cannot change, so no setting would"),
    });
    lines.join("\n")
}

fn change(SettingChange { key, before, after }: &SettingChange) -> String {
    match (before.as_str(), after.as_str()) {
        ("", "") => format!("  {key}"),
        (before, "") => format!("  {key}: {before} removed"),
        ("", after) => format!("  {key}: {after} added"),
        (before, after) => format!("  {key}: {before} → {after}"),
    }
}
