//! `phalanx recording list`.

use super::{progress, shown};
use crate::args::recording::ListRecordingsArgs;
use anyhow::{Context, Result};
use phalanx_cli::remote::{Table, bytes, list_recordings, time};
use phalanx_record::{EXTENSION, RecordingFile, Summary};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A recording in a folder, or a file that cannot be read as one.
enum Found {
    Recording(Box<RecordingFile>, Summary),
    Unreadable(PathBuf, String),
}

pub(super) fn run(args: &ListRecordingsArgs) -> Result<()> {
    let Some(dir) = &args.dir else { return list_recordings(&args.remote) };
    let (what, print) = (format!("reading {}", dir.display()), &args.remote.print);
    let found = progress::meanwhile(print, what, || find(dir))?;
    let json = json!({ "recordings": found.iter().map(json_of).collect::<Vec<_>>() });
    print.tell(&json, || table(&found))
}

/// All recordings of a folder, by their begins; files that cannot be read come last.
fn find(dir: &Path) -> Result<Vec<Found>> {
    let said = || format!("cannot read {}", dir.display());
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(dir).with_context(said)? {
        let path = entry.with_context(said)?.path();
        if path.extension().is_some_and(|ending| ending == EXTENSION) && path.is_file() {
            paths.push(path);
        }
    }
    paths.sort();
    let (mut recordings, mut rest) = (BTreeMap::new(), Vec::new());
    let mut seen: Vec<PathBuf> = Vec::new();
    for path in paths {
        if seen.contains(&path) {
            continue;
        }
        match RecordingFile::open(&path) {
            Ok(file) => {
                seen.extend(file.files().values().cloned());
                let summary = file.overview();
                let found = Found::Recording(Box::new(file), summary);
                recordings.insert((begin_of(&found), path), found);
            }
            Err(error) => rest.push(Found::Unreadable(path, error.to_string())),
        }
    }
    Ok(recordings.into_values().chain(rest).collect())
}

fn begin_of(found: &Found) -> u64 {
    match found {
        Found::Recording(file, _) => file.begin_nanos(),
        Found::Unreadable(..) => u64::MAX,
    }
}

fn table(found: &[Found]) -> String {
    let head = &["RECORDING", "TEAM", "GAME", "BEGIN", "TIME", "TURNS", "SIZE", "STATE", "WHY"];
    let mut table = Table::new(head).spare(8);
    for found in found {
        match found {
            Found::Recording(file, summary) => {
                let info = file.info();
                table.row([
                    info.id.clone(),
                    info.team.clone(),
                    info.game.clone(),
                    shown::begin(info),
                    time(std::time::Duration::from_secs(summary.duration.as_secs())),
                    if summary.whole { summary.turns.to_string() } else { String::new() },
                    bytes(summary.file_bytes),
                    shown::state(summary).to_owned(),
                    info.cause.clone(),
                ]);
            }
            Found::Unreadable(path, why) => {
                let name = shown::files(std::iter::once(path)).concat();
                let none = String::new;
                let state = "unreadable".to_owned();
                table.row([
                    name,
                    none(),
                    none(),
                    none(),
                    none(),
                    none(),
                    none(),
                    state,
                    why.clone(),
                ]);
            }
        }
    }
    table.shown()
}

fn json_of(found: &Found) -> Value {
    match found {
        Found::Recording(file, summary) => {
            let mut output = shown::info_json(file.info());
            output.insert("state".into(), shown::state(summary).into());
            output.insert("seconds".into(), summary.duration.as_secs_f64().into());
            let turns = summary.whole.then_some(summary.turns);
            output.insert("turns".into(), turns.into());
            output.insert("file_bytes".into(), summary.file_bytes.into());
            let paths = file.files().values().map(|path| path.display().to_string());
            output.insert("files".into(), paths.collect());
            output.into()
        }
        Found::Unreadable(path, why) => {
            json!({ "state": "unreadable", "why": why, "files": [path.display().to_string()] })
        }
    }
}
