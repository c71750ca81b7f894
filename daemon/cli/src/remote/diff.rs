//! Differences between two versions of a strategy.

use crate::failure::refused;
use crate::paint::{Ink, Paint};
use anyhow::{Context, Result, anyhow};
use phalanx_control::client::Link;
use phalanx_games::shipped;
use phalanx_proto::v1::GetGenerationRequest;
use phalanx_proto::v1::strategies_client::StrategiesClient;
use serde_json::{Value, json};
use similar::TextDiff;
use std::collections::BTreeMap;
use std::path::Path;

/// Lines shown around a change.
const CONTEXT: usize = 3;
/// The name of a missing file in a diff.
const NOTHING: &str = "/dev/null";

/// One side of a comparison.
#[derive(Debug)]
pub(super) struct Side {
    /// Its name in the diff.
    pub(super) name: String,
    files: BTreeMap<String, String>,
}

/// A file that differs.
#[derive(Debug)]
pub(super) struct Change {
    path: String,
    kind: &'static str,
    unified: String,
}

/// The files of a generation.
pub(super) async fn generation(
    client: &mut StrategiesClient<Link>,
    team: &str,
    number: u32,
) -> Result<Side> {
    let request = GetGenerationRequest { name: format!("{team}/generations/{number}") };
    let answer =
        client.get_generation(request).await.map_err(|status| refused(&status))?.into_inner();
    let generation = answer.generation.context("the daemon's answer has no generation")?;
    let files = generation.files.into_iter().map(|file| (file.path, file.source));
    Ok(Side { name: format!("generation {number}"), files: files.collect() })
}

impl Side {
    /// The source of a file.
    pub(super) fn file(&self, path: &str) -> Option<&str> {
        self.files.get(path).map(String::as_str)
    }
}

/// The files of a folder, with the shared modules that a daemon would add.
pub(super) fn folder(dir: &Path) -> Result<Side> {
    let bundle = shipped::read(dir).map_err(|error| anyhow!("{error}"))?;
    let files = bundle.files().map(|(path, source)| (path.to_owned(), source.to_string()));
    Ok(Side { name: dir.display().to_string(), files: files.collect() })
}

/// The files that differ, in order of their paths.
pub(super) fn changes(old: &Side, new: &Side) -> Vec<Change> {
    let mut paths: Vec<_> = old.files.keys().chain(new.files.keys()).collect();
    paths.sort();
    paths.dedup();
    paths.into_iter().filter_map(|path| change(path, old, new)).collect()
}

fn change(path: &str, old: &Side, new: &Side) -> Option<Change> {
    let (before, after) = (old.files.get(path), new.files.get(path));
    if before == after {
        return None;
    }
    let named = |side: &Side, there: bool| {
        if there { format!("{path} ({})", side.name) } else { NOTHING.to_owned() }
    };
    let text = |side: Option<&String>| side.map_or("", String::as_str).to_owned();
    let (from, to) = (text(before), text(after));
    let unified = TextDiff::from_lines(&from, &to)
        .unified_diff()
        .context_radius(CONTEXT)
        .header(&named(old, before.is_some()), &named(new, after.is_some()))
        .to_string();
    let kind = match (before, after) {
        (None, _) => "added",
        (_, None) => "removed",
        (Some(_), Some(_)) => "changed",
    };
    Some(Change { path: path.to_owned(), kind, unified })
}

/// The diff as text: added lines are green, removed ones red.
pub(super) fn text(changes: &[Change], paint: Paint) -> String {
    let line = |line: &str| {
        let head = line.starts_with("--- ") || line.starts_with("+++ ");
        let ink = match line.as_bytes().first() {
            _ if head => Ink::Bold,
            Some(b'+') => Ink::Green,
            Some(b'-') => Ink::Red,
            Some(b'@') => Ink::Cyan,
            Some(_) | None => return format!("{line}\n"),
        };
        format!("{}\n", paint.ink(ink, line))
    };
    changes.iter().flat_map(|change| change.unified.lines()).map(line).collect()
}

/// The diff as JSON.
pub(super) fn json(old: &Side, new: &Side, changes: &[Change]) -> Value {
    let files: Vec<_> = changes
        .iter()
        .map(|change| json!({ "path": change.path, "kind": change.kind, "diff": change.unified }))
        .collect();
    json!({ "from": old.name, "to": new.name, "files": files })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(name: &str, files: &[(&str, &str)]) -> Side {
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
        Side { name: name.into(), files: files.collect() }
    }

    #[test]
    fn changed_added_and_removed_files_are_told_apart() {
        let old = side("generation 1", &[("a.luau", "x\n"), ("b.luau", "1\n"), ("c.luau", "=\n")]);
        let new = side("generation 2", &[("b.luau", "2\n"), ("c.luau", "=\n"), ("d.luau", "y\n")]);
        let changes = changes(&old, &new);
        let kinds: Vec<_> = changes.iter().map(|one| (one.path.as_str(), one.kind)).collect();
        assert_eq!(kinds, [("a.luau", "removed"), ("b.luau", "changed"), ("d.luau", "added")]);
        let text = text(&changes, Paint::none());
        assert!(text.contains("--- b.luau (generation 1)\n+++ b.luau (generation 2)\n"), "{text}");
        assert!(text.contains("\n-1\n+2\n"), "{text}");
        assert!(text.contains("--- /dev/null\n+++ d.luau (generation 2)\n"), "{text}");
    }
}
