//! The JSON files of the history.

use super::{HistoryMarker, StoredGeneration};
use phalanx_engine::{Generation, StrategyOrigin};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The version of these files. A file of another version is foreign.
const FORMAT: u32 = 1;

/// `generation.json`.
#[derive(Serialize, Deserialize)]
struct GenerationFile {
    format: u32,
    team: String,
    number: u32,
    hash: String,
    accepted: String,
    origin: OriginFile,
    #[serde(default)]
    taken_back: String,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "lowercase")]
enum OriginFile {
    Start,
    File,
    Hangup,
    Api { user: String },
}

/// `now.json`.
#[derive(Serialize, Deserialize)]
struct MarkerFile {
    format: u32,
    team: String,
    last: u32,
    decided: Vec<u32>,
    pinned: bool,
    folder: String,
}

pub(super) fn entry_text(team: &str, entry: &StoredGeneration) -> serde_json::Result<String> {
    let Generation { number, hash, accepted, origin } = &*entry.generation;
    let origin = match origin {
        StrategyOrigin::Start => OriginFile::Start,
        StrategyOrigin::File => OriginFile::File,
        StrategyOrigin::Hangup => OriginFile::Hangup,
        StrategyOrigin::Api { user } => OriginFile::Api { user: user.clone() },
    };
    serde_json::to_string_pretty(&GenerationFile {
        format: FORMAT,
        team: team.into(),
        number: *number,
        hash: hash.clone(),
        accepted: humantime::format_rfc3339_nanos(*accepted).to_string(),
        origin,
        taken_back: entry.taken_back.clone(),
    })
}

/// The generation and how it was taken back.
pub(super) fn entry(team: &str, text: &str) -> Result<(Arc<Generation>, String), String> {
    let file: GenerationFile = serde_json::from_str(text).map_err(|error| error.to_string())?;
    belongs(team, file.format, &file.team)?;
    let accepted = humantime::parse_rfc3339(&file.accepted)
        .map_err(|error| format!("accepted: expected a time in RFC 3339: {error}"))?;
    let origin = match file.origin {
        OriginFile::Start => StrategyOrigin::Start,
        OriginFile::File => StrategyOrigin::File,
        OriginFile::Hangup => StrategyOrigin::Hangup,
        OriginFile::Api { user } => StrategyOrigin::Api { user },
    };
    let generation = Generation { number: file.number, hash: file.hash, accepted, origin };
    Ok((Arc::new(generation), file.taken_back))
}

pub(super) fn marker_text(team: &str, marker: &HistoryMarker) -> serde_json::Result<String> {
    let HistoryMarker { last, decided, pinned, folder } = marker.clone();
    let team = team.into();
    serde_json::to_string_pretty(&MarkerFile {
        format: FORMAT,
        team,
        last,
        decided,
        pinned,
        folder,
    })
}

pub(super) fn marker(team: &str, text: &str) -> Result<HistoryMarker, String> {
    let file: MarkerFile = serde_json::from_str(text).map_err(|error| error.to_string())?;
    belongs(team, file.format, &file.team)?;
    let MarkerFile { last, decided, pinned, folder, .. } = file;
    Ok(HistoryMarker { last, decided, pinned, folder })
}

fn belongs(team: &str, format: u32, of: &str) -> Result<(), String> {
    if format != FORMAT {
        return Err(format!("expected format {FORMAT}, got {format}"));
    }
    if of != team {
        return Err(format!("it belongs to team {of:.80?}"));
    }
    Ok(())
}
