//! `phalanx game`: games that are a folder.

use crate::args::{DemoArgs, GameTestArgs, GameVerb};
use crate::demo;
use crate::files::{Mode, write_new};
use anyhow::{Context, Result, bail};
use phalanx_cli::failure::misused;
use phalanx_cli::remote::print;
use phalanx_cli::terminal::ending;
use phalanx_game::{ActionDoc, Api, Kind, ParamDoc};
use phalanx_games::shipped;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Runs a verb.
///
/// # Errors
/// When a game has mistakes, or a file cannot be written.
pub fn game(verb: &GameVerb) -> Result<()> {
    match verb {
        GameVerb::New { name, dir } => new(name, dir.as_deref()),
        GameVerb::Check { dir, print } => {
            let game = phalanx_games::load_folder(dir)?;
            let json = serde_json::json!({ "game": game, "mistakes": [] });
            print.tell(&json, || format!("{game}: no mistakes\n"))
        }
        GameVerb::Test(args) => test(args),
        GameVerb::Show { game } => print(&sheet(game)?),
        GameVerb::List(output) => {
            let games = phalanx_games::installed();
            let json: serde_json::Value = games
                .iter()
                .map(|(name, about)| serde_json::json!({ "game": name, "about": about }))
                .collect();
            output.tell(&json, || {
                games.iter().map(|(name, about)| format!("{name:12} {about}\n")).collect()
            })
        }
    }
}

fn new(name: &str, dir: Option<&Path>) -> Result<()> {
    phalanx_games::check_name(name).map_err(misused)?;
    let dir = dir.map_or_else(|| PathBuf::from(name), Path::to_path_buf);
    let shown = dir.display();
    if std::fs::read_dir(&dir).is_ok_and(|mut entries| entries.next().is_some()) {
        bail!("{shown} is not empty; choose another folder with --dir");
    }
    let files = shipped::game_template(name);
    for (path, text) in &files {
        let path = dir.join(path);
        let folder = path.parent().unwrap_or(&dir);
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
        write_new(&path, text, Mode::Shared)?;
    }
    let at = if shown.to_string().contains('/') { String::new() } else { "./".to_owned() };
    print(&format!(
        "created {shown} with {} files; next steps:\n  phalanx game check {shown}\n  \
         phalanx game test {shown}\n  phalanx demo --game {at}{shown}\n",
        files.len()
    ))
}

fn test(args: &GameTestArgs) -> Result<()> {
    let game = phalanx_games::load_folder(&args.dir)?;
    let mut line = DemoArgs::fast();
    line.game = Some(game);
    (line.steps, line.seed) = (args.steps, args.seed);
    let summary = demo::trial(&line, &mut |_, _| !ending::is_due())?;
    print(&summary.text())?;
    if summary.notices > 0 {
        bail!(
            "the referee reported {} mistakes: the lines above the result say which",
            summary.notices
        );
    }
    for team in &summary.teams {
        let (name, troubles) = (
            &team.name,
            [
                (team.fallback, "fallbacks"),
                (team.late, "late answers"),
                (team.script_errors, "errors of the strategy"),
                (team.malformed, "messages or calls of the game's scripts that failed"),
            ],
        );
        if let Some((count, what)) = troubles.into_iter().find(|(count, _)| *count > 0) {
            bail!("team {name} had {count} {what}: the lines above the result say which");
        }
    }
    Ok(())
}

/// What a game declares, for people.
fn sheet(game: &str) -> Result<String> {
    let api: &Api = phalanx_games::api(game).context("the game has no script API")?;
    let mut text = format!("{game}: {}\n", phalanx_games::about(game));
    for (name, fact) in phalanx_games::facts(game) {
        writeln!(text, "  {name}: {fact}").unwrap_or_default();
    }
    text += "\nActions\n";
    // Writing to a string cannot fail.
    for ActionDoc { name, doc, params } in api.actions {
        let params: Vec<_> = params.iter().map(param).collect();
        writeln!(text, "  {name}({})  {doc}", params.join(", ")).unwrap_or_default();
    }
    writeln!(text, "\nPercept").unwrap_or_default();
    for field in api.percept {
        writeln!(text, "  {} ({})  {}", field.name, kind(&field.kind), field.doc)
            .unwrap_or_default();
    }
    writeln!(text, "\nQueries").unwrap_or_default();
    for query in api.queries {
        let params: Vec<_> = query.params.iter().map(param).collect();
        let params = params.join(", ");
        writeln!(text, "  world.{}({params})  {}", query.name, query.doc).unwrap_or_default();
    }
    Ok(text)
}

fn param(param: &ParamDoc) -> String {
    format!("{}{}", param.name, if param.optional { "?" } else { "" })
}

fn kind(kind: &Kind) -> String {
    phalanx_game::expectation(kind)
}
