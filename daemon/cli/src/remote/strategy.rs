//! The verbs that show and change what a team plays.

use super::progress::spun;
use super::report::{self, TrialText};
use super::table::terminal_width;
use super::tuned::{tuned_json, tuned_text};
use super::values::{moment, short_moment};
use super::{Shown, Table, look, run, short, split_numbers, strategies, team_name};
use crate::args::strategy::{ActivateArgs, DiffArgs, LookArgs, RollbackArgs, TeamArgs};
use crate::args::{OutputArgs, Remote};
use crate::failure::{answered, misused, refused};
use crate::paint::{Ink, Paint};
use anyhow::{Context, Error, Result, anyhow};
use phalanx_control::client::Link;
use phalanx_control::client::{explain, findings};
use phalanx_lua::{Bundle, TUNED_FILE, Tuned};
use phalanx_proto::v1::strategies_client::StrategiesClient;
use phalanx_proto::v1::{
    ActivateStrategyRequest, CheckStrategyRequest, Generation, GetStrategyRequest,
    ListGenerationsRequest, PinStrategyRequest, RollBackStrategyRequest, Strategy, StrategyFile,
    StrategyFiles, TrialReport, UnpinStrategyRequest,
};
use serde_json::{Value, json};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::SystemTime;
use tonic::Status;

/// Characters of a hash that are printed.
const HASH_SHOWN: usize = 12;

/// `phalanx strategy show`.
///
/// # Errors
/// When no daemon answers, or there is no such team.
pub fn show(args: &LookArgs) -> Result<()> {
    look(&args.look, async |channel| {
        let team = team_name(&channel, args.team.as_deref()).await?;
        let request = GetStrategyRequest { name: format!("{team}/strategy") };
        let mut client = strategies(channel);
        let answer = client.get_strategy(request).await.map_err(|status| refused(&status))?;
        let strategy = answer.into_inner().strategy;
        let generation = strategy.as_ref().and_then(|strategy| strategy.generation.as_ref());
        let tuned = match generation {
            Some(generation) => tuned(&mut client, &team, generation.number).await?,
            None => None,
        };
        let newer = newer(&mut client, &team, generation.map_or(0, |it| it.number)).await?;
        let mut shown = shown(strategy)?;
        if let Some(newer) = &newer {
            append(&mut shown, "newer", generation_json(newer), &newer_text(newer));
        }
        if let Some(tuned) = &tuned {
            append(&mut shown, "tuned", tuned_json(tuned), &tuned_text(tuned));
        }
        Ok(shown)
    })
}

/// Adds a part, below a free line.
fn append(shown: &mut Shown, key: &str, json: Value, text: &str) {
    if let Some(all) = shown.json.as_object_mut() {
        all.insert(key.to_owned(), json);
    }
    shown.text = format!("{}\n\n{text}", shown.text.trim_end());
}

/// The newest generation, if an older one decides.
async fn newer(
    client: &mut StrategiesClient<Link>,
    team: &str,
    active: u32,
) -> Result<Option<Generation>> {
    let (parent, page_token) = (team.to_owned(), String::new());
    let request = ListGenerationsRequest { parent, page_size: 1, page_token };
    let page = client.list_generations(request).await.map_err(|status| refused(&status))?;
    Ok(page.into_inner().generations.into_iter().find(|newest| newest.number > active))
}

fn newer_text(newer: &Generation) -> String {
    let why = match newer.taken_back.as_str() {
        "" => "a rollback chose the older one".to_owned(),
        reason => format!("it was taken back: {reason}"),
    };
    let Generation { number, origin, .. } = newer;
    format!("generation {number} ({origin}, {}) does not play: {why}", moment(newer.accept_time))
}

/// The `tuned.toml` of a generation.
async fn tuned(
    client: &mut StrategiesClient<Link>,
    team: &str,
    number: u32,
) -> Result<Option<Tuned>> {
    let side = super::diff::generation(client, team, number).await?;
    let file = side.file(TUNED_FILE).map(Arc::from);
    // The daemon read it before it accepted the generation.
    Ok(file.and_then(|file| Tuned::read(&file).ok()))
}

/// `phalanx strategy pin` and `unpin`.
///
/// # Errors
/// When no daemon answers, or it refuses.
pub fn pin(args: &TeamArgs, pinned: bool) -> Result<()> {
    run(&args.remote, async |channel| {
        let team = team_name(&channel, args.team.as_deref()).await?;
        let mut client = strategies(channel);
        let strategy = if pinned {
            let answer =
                client.pin_strategy(PinStrategyRequest { team, ..Default::default() }).await;
            answer.map_err(|status| refused(&status))?.into_inner().strategy
        } else {
            let answer =
                client.unpin_strategy(UnpinStrategyRequest { team, ..Default::default() }).await;
            answer.map_err(|status| refused(&status))?.into_inner().strategy
        };
        let shown = shown(strategy)?;
        args.remote.print.tell(&shown.json, || shown.text)
    })
}

fn shown(strategy: Option<Strategy>) -> Result<Shown> {
    let strategy = strategy.context("the daemon's answer has no strategy")?;
    let generation = strategy.generation.clone().unwrap_or_default();
    let json = json!({
        "team": team_of(&strategy.name), "generation": generation_json(&generation),
        "pinned": strategy.pinned, "on_probation": strategy.on_probation,
        "folder": strategy.folder, "watching": strategy.watching,
        "last_trial": strategy.last_trial.as_ref().map(report::json),
    });
    Ok(Shown { json, text: text(&strategy, &generation) })
}

fn text(strategy: &Strategy, generation: &Generation) -> String {
    let folder = match (strategy.folder.as_str(), strategy.watching) {
        ("", _) => "built into the program".to_owned(),
        (folder, true) => format!("from {folder}, watched"),
        (folder, false) => format!("from {folder}, not watched"),
    };
    let mut state = Vec::new();
    state.extend(strategy.pinned.then_some("pinned"));
    state.extend(strategy.on_probation.then_some("on probation"));
    let state = if state.is_empty() { String::new() } else { format!(", {}", state.join(", ")) };
    let mut text = format!(
        "team {}: generation {}{state}, by {} at {}\n{} files, hash {}, {folder}",
        team_of(&strategy.name),
        generation.number,
        generation.origin,
        moment(generation.accept_time),
        generation.file_count,
        hash(generation),
    );
    if let Some(report) = &strategy.last_trial {
        let by = if report.origin.is_empty() { "a check" } else { &report.origin };
        let trial = TrialText { report, paint: Paint::stdout() };
        text.push_str(&format!("\n\nthe last trial ({by}, {}):\n{trial}", moment(report.time)));
    }
    text
}

/// `phalanx strategy history`.
///
/// # Errors
/// When no daemon answers, or there is no such team.
pub fn history(args: &LookArgs) -> Result<()> {
    look(&args.look, async |channel| {
        let parent = team_name(&channel, args.team.as_deref()).await?;
        let generations = generations(channel, &parent).await?;
        let all: Vec<_> = generations.iter().map(generation_json).collect();
        let json = json!({ "team": short(&parent), "generations": all });
        let text = table(&generations, SystemTime::now(), terminal_width());
        Ok(Shown { json, text })
    })
}

/// The generations, in a terminal of this width. Reasons that do not fit into the table are below it.
fn table(generations: &[Generation], now: SystemTime, width: Option<usize>) -> String {
    let whole = columns(generations, now, true);
    if whole.fits(width) {
        return whole.text(width, Paint::stdout());
    }
    let mut text = columns(generations, now, false).text(width, Paint::stdout());
    for Generation { number, taken_back, .. } in generations {
        if !taken_back.is_empty() {
            let reason = taken_back.replace(['\n', '\r', '\t'], " ");
            text.push_str(&format!("\ngeneration {number} was taken back: {reason}"));
        }
    }
    text
}

fn columns(generations: &[Generation], now: SystemTime, reasons: bool) -> Table<7> {
    let mut table =
        Table::new(&["GENERATION", "DECIDES", "ACCEPTED", "BY", "FILES", "HASH", "TAKEN BACK"]);
    for generation in generations {
        table.row([
            generation.number.to_string(),
            if generation.active { "now".into() } else { String::new() },
            short_moment(generation.accept_time, now),
            generation.origin.clone(),
            generation.file_count.to_string(),
            hash(generation),
            if reasons { generation.taken_back.clone() } else { String::new() },
        ]);
    }
    table
}

/// All generations that the daemon keeps, newest first.
pub(super) async fn generations(channel: Link, parent: &str) -> Result<Vec<Generation>> {
    let mut client = strategies(channel);
    let (mut all, mut page_token) = (Vec::new(), String::new());
    loop {
        let request =
            ListGenerationsRequest { parent: parent.to_owned(), page_size: 0, page_token };
        let page = client.list_generations(request).await;
        let page = page.map_err(|status| refused(&status))?.into_inner();
        all.extend(page.generations);
        page_token = page.next_page_token;
        if page_token.is_empty() {
            return Ok(all);
        }
    }
}

/// `phalanx strategy diff`.
///
/// # Errors
/// When no daemon answers, or there are no such generations.
pub fn diff(args: &DiffArgs) -> Result<()> {
    let (team, numbers) = split_numbers(&args.words)?;
    run(&args.remote, async |channel| {
        let parent = team_name(&channel, team).await?;
        let all = generations(channel.clone(), &parent).await?;
        let active = all.iter().find(|generation| generation.active);
        let active = active.context("no generation is active yet")?.number;
        let before = all.iter().map(|generation| generation.number).filter(|n| *n < active).max();
        let (from, to) = match (numbers.as_slice(), &args.folder) {
            ([], Some(_)) => (active, None),
            ([from], Some(_)) => (*from, None),
            ([..], Some(_)) => return Err(misused("--folder takes only one generation")),
            ([], None) => {
                (before.context("there is no generation before the active one")?, Some(active))
            }
            ([from], None) => (*from, Some(active)),
            ([from, to, ..], None) => (*from, Some(*to)),
        };
        let mut client = strategies(channel);
        let old = super::diff::generation(&mut client, &parent, from).await?;
        let new = match (to, &args.folder) {
            (Some(to), _) => super::diff::generation(&mut client, &parent, to).await?,
            (None, Some(folder)) => super::diff::folder(folder)?,
            (None, None) => return Err(misused("nothing to compare with")),
        };
        let changes = super::diff::changes(&old, &new);
        args.remote.print.tell(&super::diff::json(&old, &new, &changes), || {
            match changes.as_slice() {
                [] => format!("{} and {} are equal", old.name, new.name),
                changes => super::diff::text(changes, Paint::stdout()),
            }
        })
    })
}

/// `phalanx strategy rollback`.
///
/// # Errors
/// When no daemon answers, or it refuses.
pub fn roll_back(args: &RollbackArgs) -> Result<()> {
    let (team, numbers) = split_numbers(&args.words)?;
    let generation = match numbers.as_slice() {
        [] => 0,
        [one] => *one,
        [..] => return Err(misused("name only one generation")),
    };
    run(&args.remote, async |channel| {
        let team = team_name(&channel, team).await?;
        let request = RollBackStrategyRequest {
            team: team.clone(),
            generation,
            reset_memory: args.reset_memory,
            ..Default::default()
        };
        let mut client = strategies(channel);
        let answer = match client.roll_back_strategy(request).await {
            Ok(answer) => answer.into_inner(),
            Err(status) => return Err(turned_down(&mut client, &team, &status).await),
        };
        decides(&team, answer.generation, None, &args.remote.print)
    })
}

/// `phalanx strategy activate`.
///
/// # Errors
/// When no daemon answers, the folder cannot be read, or the strategy is refused.
pub fn activate(args: &ActivateArgs) -> Result<()> {
    let (team, folder) = team_and_folder(&args.words);
    let number = folder.and_then(Path::to_str).filter(|word| word.parse::<u32>().is_ok());
    if let (Some(number), Some(false)) = (number, folder.map(Path::exists)) {
        let back = format!("phalanx strategy rollback {} {number}", team.unwrap_or("TEAM"));
        return Err(misused(format!("activate takes a folder; `{back}` returns to a generation")));
    }
    let files = folder.map(files).transpose()?;
    run(&args.remote, async |channel| {
        let team = team_name(&channel, team).await?;
        let request = ActivateStrategyRequest {
            team: team.clone(),
            files,
            reset_memory: args.reset_memory,
            validate_only: args.check_only,
            ..Default::default()
        };
        let mut client = strategies(channel);
        let trying = format!("trying the strategy for team {} …", short(&team));
        let answer = match spun(trying, client.activate_strategy(request)).await {
            Ok(answer) => answer.into_inner(),
            Err(status) => return Err(turned_down(&mut client, &team, &status).await),
        };
        if args.check_only {
            return tell_trial(&answer.report.unwrap_or_default(), &args.remote.print);
        }
        decides(&team, answer.generation, answer.report.as_ref(), &args.remote.print)
    })
}

/// `phalanx strategy check --team TEAM`; the exit code.
///
/// # Errors
/// When no daemon answers, or the folder cannot be read.
pub fn check(folder: Option<&Path>, team: &str, remote: &Remote) -> Result<ExitCode> {
    let files = folder.map(files).transpose()?;
    run(remote, async |channel| {
        let team = team_name(&channel, Some(team)).await?;
        let request = CheckStrategyRequest { team, files };
        let trying = format!("trying the strategy for team {} …", short(&request.team));
        let mut client = strategies(channel);
        let answer = spun(trying, client.check_strategy(request)).await;
        let answer = answer.map_err(|status| refused(&status))?;
        let report = answer.into_inner().report.unwrap_or_default();
        tell_trial(&report, &remote.print)?;
        Ok(if report.passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    })
}

/// A single word that contains a `/` or begins with a `.` is a folder.
fn team_and_folder(words: &[String]) -> (Option<&str>, Option<&Path>) {
    let is_folder =
        |word: &str| word.starts_with('.') || (word.contains('/') && !word.starts_with("teams/"));
    match words {
        [] => (None, None),
        [one] if is_folder(one) => (None, Some(Path::new(one))),
        [team] => (Some(team), None),
        [team, folder, ..] => (Some(team), Some(Path::new(folder))),
    }
}

fn files(folder: &Path) -> Result<StrategyFiles> {
    let bundle = Bundle::read(folder, &[]).map_err(|error| anyhow!("{error}"))?;
    let file = |(path, source): (&str, &std::sync::Arc<str>)| StrategyFile {
        path: path.to_owned(),
        source: source.to_string(),
    };
    Ok(StrategyFiles { files: bundle.files().map(file).collect() })
}

fn tell_trial(report: &TrialReport, print: &OutputArgs) -> Result<()> {
    print.tell(&report::json(report), || TrialText { report, paint: Paint::stdout() }.to_string())
}

fn decides(
    team: &str,
    generation: Option<Generation>,
    report: Option<&TrialReport>,
    print: &OutputArgs,
) -> Result<()> {
    let generation = generation.context("the daemon's answer has no generation")?;
    let answer = json!({
        "team": short(team), "generation": generation_json(&generation),
        "report": report.map(report::json),
    });
    print.tell(&answer, || {
        let paint = Paint::stdout();
        let trial = report.map(|report| format!("{}\n", TrialText { report, paint }));
        let number = paint.ink(Ink::Green, &format!("generation {}", generation.number));
        let trial = trial.unwrap_or_default();
        format!("{trial}{number} decides for team {} from its next turn on", short(team))
    })
}

/// The error for a refused strategy, with all findings; other errors are one line.
async fn turned_down(client: &mut StrategiesClient<Link>, team: &str, status: &Status) -> Error {
    match findings(client, team, status).await {
        Some(report) => {
            let text = TrialText { report: &report, paint: Paint::stderr() };
            answered(status, format!("{}\n{text}", explain(status)))
        }
        None => refused(status),
    }
}

fn generation_json(generation: &Generation) -> Value {
    json!({
        "number": generation.number, "hash": generation.hash,
        "accept_time": moment(generation.accept_time), "origin": generation.origin,
        "active": generation.active, "taken_back": generation.taken_back,
        "file_count": generation.file_count,
    })
}

fn hash(generation: &Generation) -> String {
    generation.hash.chars().take(HASH_SHOWN).collect()
}

/// `teams/A/strategy` → `A`.
fn team_of(name: &str) -> &str {
    short(name).split('/').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lone_word_is_a_folder_when_it_looks_like_one() {
        let output = |words: &[&str]| {
            let words: Vec<_> = words.iter().map(|&word| word.to_owned()).collect();
            let (team, folder) = team_and_folder(&words);
            (team.map(str::to_owned), folder.map(Path::to_path_buf))
        };
        assert_eq!(output(&["A"]), (Some("A".into()), None));
        assert_eq!(output(&["./A"]), (None, Some("./A".into())));
        assert_eq!(output(&["."]), (None, Some(".".into())));
        assert_eq!(output(&["teams/A"]), (Some("teams/A".into()), None));
        assert_eq!(output(&["A", "mine"]), (Some("A".into()), Some("mine".into())));
    }

    #[test]
    fn a_history_keeps_times_and_reasons_in_eighty_columns() {
        let now = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(3 * 86_400);
        let at = |seconds| Some(prost_types::Timestamp { seconds, nanos: 0 });
        let reason = "12 of 15 agents fell back in 3 turns: worker.luau:42: attempt to index nil";
        let generation = |number, seconds, taken_back: &str| Generation {
            number,
            accept_time: at(seconds),
            origin: "folder watch".into(),
            file_count: 4,
            hash: "0123456789abcdef".into(),
            taken_back: taken_back.into(),
            ..Generation::default()
        };
        let all = [
            generation(3, 3 * 86_400 + 14_645, reason),
            Generation { active: true, ..generation(2, 3 * 86_400 + 60, "") },
            generation(1, 86_399, ""),
        ];
        let expected = "\
GENERATION  DECIDES  ACCEPTED          BY            FILES  HASH
3                    04:04:05          folder watch  4      0123456789ab
2           now      00:01:00          folder watch  4      0123456789ab
1                    1970-01-01 23:59  folder watch  4      0123456789ab
generation 3 was taken back: 12 of 15 agents fell back in 3 turns: worker.luau:42: attempt to index \
nil";
        assert_eq!(table(&all, now, Some(80)), expected);
        let wide = table(&all, now, None);
        assert!(wide.lines().nth(1).is_some_and(|line| line.ends_with(reason)), "{wide}");
        assert_eq!(wide.lines().count(), 4);
    }
}
