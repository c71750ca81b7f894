//! `phalanx strategy params`: what a strategy lets you set, without a daemon.

use crate::args::ParamsArgs;
use anyhow::{Context, Result};
use phalanx_cli::remote::{Table, tuned_origin, tuned_value, tuned_value_json};
use phalanx_engine::{ParamKind, ParamSpec};
use phalanx_games::shipped;
use phalanx_lua::{Limits, TUNED_FILE, Tuned, declared_params};
use serde_json::json;
use std::path::Path;
use std::sync::Arc;

/// Lists the parameters of a folder.
///
/// # Errors
/// When its files do not load, or standard output fails.
pub fn params(args: &ParamsArgs) -> Result<()> {
    let (json, text) = listed(&args.dir, args.game)?;
    args.print.tell(&json, || text)
}

/// The parameters of a folder, as JSON and as text.
///
/// # Errors
/// When its files do not load.
pub fn listed(dir: &Path, game: Option<&'static str>) -> Result<(serde_json::Value, String)> {
    let bundle = shipped::read(dir)?;
    let game = phalanx_games::game_of(game, Some(dir));
    let api = phalanx_games::api(game).context("an unknown game")?;
    let tuned = Arc::clone(bundle.tuned());
    // Loaded with the file first: a value that does not fit is an error.
    declared_params(api, Arc::new(bundle.clone()), Limits::default())?;
    let specs = declared_params(api, Arc::new(bundle.with_tuned(None)?), Limits::default())?;
    let json = json!({
        "params": specs.iter().map(|spec| row_json(spec, &tuned)).collect::<Vec<_>>(),
        "tuned": { "run": tuned.run, "matches": tuned.matches, "opponents": tuned.opponents },
    });
    Ok((json, text(&specs, &tuned)))
}

fn text(specs: &[ParamSpec], tuned: &Tuned) -> String {
    if specs.is_empty() {
        return "its files declare no parameters; `phalanx script api` shows how to".to_owned();
    }
    let mut table = Table::new(&["PARAMETER", "ACCEPTS", "DEFAULT", "TUNED", "MEANING"]);
    for spec in specs {
        table.row([
            spec.name.clone(),
            accepts(&spec.kind),
            tuned_value(&spec.default),
            tuned.value(&spec.name).map(tuned_value).unwrap_or_default(),
            spec.doc.clone(),
        ]);
    }
    let mut text = table.shown();
    if !tuned.values.is_empty() {
        text.push_str(&format!("\n{}", tuned_origin(tuned)));
    }
    for name in tuned.values.keys().filter(|name| specs.iter().all(|spec| spec.name != **name)) {
        text.push_str(&format!("\n{TUNED_FILE} has {name}, which no file declares when it loads"));
    }
    text
}

fn accepts(kind: &ParamKind) -> String {
    match kind {
        ParamKind::Num { log: true, .. } => format!("{kind}, by ratios"),
        ParamKind::Num { .. } | ParamKind::Bool | ParamKind::Text(_) => kind.to_string(),
    }
}

fn row_json(spec: &ParamSpec, tuned: &Tuned) -> serde_json::Value {
    let bound = |bound: f64| bound.is_finite().then_some(bound);
    let mut row = json!({
        "name": spec.name, "accepts": accepts(&spec.kind), "default": tuned_value_json(&spec.default),
        "tuned": tuned.value(&spec.name).map(tuned_value_json), "why": spec.doc,
    });
    let more = match &spec.kind {
        ParamKind::Num { min, max, whole, step, log } => json!({
            "kind": if *whole { "int" } else { "float" }, "min": bound(*min), "max": bound(*max),
            "step": step, "log": log,
        }),
        ParamKind::Bool => json!({ "kind": "bool" }),
        ParamKind::Text(words) if words.is_empty() => json!({ "kind": "text" }),
        ParamKind::Text(words) => json!({ "kind": "choice", "values": words }),
    };
    if let (Some(row), serde_json::Value::Object(more)) = (row.as_object_mut(), more) {
        row.extend(more);
    }
    row
}
