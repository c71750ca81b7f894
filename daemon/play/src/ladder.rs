//! `phalanx ladder`: strategies that are submitted, matches between those that are least well known,
//! ratings.

mod copy;
mod matches;

use crate::args::{
    LadderHistoryArgs, LadderMatchArgs, LadderShowArgs, LadderSubmitArgs, LadderVerb,
};
use crate::league::{bar, in_usage, stop_at_interrupt};
use crate::progress::ProgressLines;
use crate::queue::check_installed;
use anyhow::{Context, Result, bail};
use indicatif::ProgressBar;
use matches::LadderPlayer;
use phalanx_cli::args::league::named;
use phalanx_cli::failure::{MatchInterrupted, misused};
use phalanx_ladder::{
    Ladder, LadderDefinition, LadderEvent, LadderOptions, LadderPlace, LadderStore,
};
use phalanx_league::{Fixture, LeagueEnd, MatchOutcome, PlayError, RunOptions};
use phalanx_queue::BundleBytes;
use phalanxd::bundle_matches::{BundleMatches, bundle_bytes, bundle_of_bytes};
use phalanxd::league_matches::{LeagueSetup, tried};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The folder with recordings.
const RECORDINGS: &str = "recordings";

/// Runs a verb.
///
/// # Errors
/// When the ladder cannot be read or written, or a strategy or an option does not fit it.
pub fn ladder(verb: &LadderVerb) -> Result<()> {
    match verb {
        LadderVerb::Submit(args) => submit(args),
        LadderVerb::Show(args) => show(args),
        LadderVerb::Match(args) => play(args),
        LadderVerb::History(args) => history(args),
        LadderVerb::Copy(args) => copy::copy(args),
    }
}

fn submit(args: &LadderSubmitArgs) -> Result<()> {
    let strategies: Vec<_> =
        args.strategies.iter().map(|text| named(text)).collect::<Result<_>>()?;
    let mut store = LadderStore::open(&args.server.place(&args.ladder)?)?;
    let mut submitted = Vec::new();
    for strategy in &strategies {
        let (definition, bundle) = prepared(args, store.ladder(), strategy).map_err(in_usage)?;
        let version = store.submit(&definition, &strategy.0, &bundle)?;
        let new = version.is_some();
        let place = store.ladder().find(&strategy.0).context("the strategy that was submitted")?;
        let id = store.ladder().entrants().get(place).map(phalanx_ladder::Entrant::id);
        submitted.push((id.unwrap_or_default(), new));
    }
    let value = |(id, new): &(String, bool)| json!({ "strategy": id, "new": new });
    let value = json!({ "submitted": submitted.iter().map(value).collect::<Vec<_>>() });
    args.print.tell(&value, || {
        let line = |(id, new): &(String, bool)| match new {
            true => format!("submitted {id}\n"),
            false => format!("{id} has these files already\n"),
        };
        submitted.iter().map(line).collect()
    })
}

/// What the ladder plays, and a strategy that passed its trial for that.
fn prepared(
    args: &LadderSubmitArgs,
    ladder: &Ladder,
    strategy: &(String, String),
) -> Result<(LadderDefinition, BundleBytes)> {
    let kept = ladder.definition();
    let game = match (args.game, kept) {
        (None, Some(kept)) => phalanx_games::game(&kept.game)?,
        (asked, _) => phalanx_games::game_of(asked, Some(Path::new(&strategy.1))),
    };
    check_installed(game)?;
    let asked = LeagueSetup::of_matches(game, args.variant.clone(), args.steps, args.worlds)?;
    let setup = match kept {
        Some(kept) if asked.is_empty() => kept.setup.clone(),
        Some(_) | None => asked,
    };
    let seed = args.seed.or(kept.map(|kept| kept.seed)).unwrap_or(1);
    let (bundle, alone) = tried(game, &setup, strategy, !args.tuned.no_tuned)?;
    let definition = LadderDefinition { game: game.to_owned(), setup, alone, seed };
    let bytes = bundle_bytes(&bundle).into();
    Ok((definition, BundleBytes { hash: bundle.hash().to_owned(), bytes }))
}

fn show(args: &LadderShowArgs) -> Result<()> {
    let store = LadderStore::reopen(&args.server.place(&args.ladder)?)?;
    if let Some(path) = &args.markdown {
        std::fs::write(path, phalanx_ladder::markdown(store.ladder()))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    let text = || phalanx_ladder::table(store.ladder(), args.all_versions);
    args.print.tell(&phalanx_ladder::json(store.ladder()), text)
}

fn play(args: &LadderMatchArgs) -> Result<()> {
    let mut store = LadderStore::reopen(&args.server.place(&args.ladder)?)?;
    store.lead()?;
    let stop = Arc::new(AtomicBool::new(false));
    stop_at_interrupt(&stop);
    let pending = store.ladder().pending() as u64;
    let total = pending + args.matches.next_multiple_of(2);
    let bar = bar(&args.print, total, 0);
    let player = LadderPlayer::new(args, store.ladder(), bar.as_ref(), &stop)?;
    let threads = player.threads(args);
    let asked = LadderOptions {
        matches: args.matches,
        round: usize::from(args.round),
        all_versions: args.all_versions,
    };
    let options = RunOptions { threads, stop: &stop };
    let (mut lines, mut played) = (ProgressLines::new(total.to_string()), 0);
    let ended = store.play(
        asked,
        player.play(),
        &options,
        &mut |bundle| Ok(player.add(bundle)?),
        &mut |event| {
            watch(bar.as_ref(), event);
            played += 1;
            lines.went_on(played);
        },
    );
    let why = player.end(matches!(ended, Ok(LeagueEnd::Over)));
    if let Some(bar) = &bar {
        bar.finish_and_clear();
    }
    let end = ended?;
    let text = || phalanx_ladder::table(store.ladder(), args.all_versions);
    args.print.tell(&phalanx_ladder::json(store.ladder()), text)?;
    why?;
    match end {
        LeagueEnd::Over => Ok(()),
        LeagueEnd::Stopped => Err(MatchInterrupted.into()),
    }
}

fn watch(bar: Option<&ProgressBar>, event: &LadderEvent<'_>) {
    let Some(bar) = bar else { return };
    if let Some(trouble) = &event.result.trouble {
        bar.println(format!("match {} failed: {trouble}", event.result.number));
    }
    bar.inc(1);
    bar.set_message(event.result.players.join(" : "));
}

fn history(args: &LadderHistoryArgs) -> Result<()> {
    let store = LadderStore::reopen(&args.server.place(&args.ladder)?)?;
    let ladder = store.ladder();
    if let Some(number) = args.record {
        return record(args, &store, number);
    }
    let strategy = match &args.strategy {
        Some(id) => Some(ladder.find(id).ok_or_else(|| unknown(ladder, id))?),
        None => None,
    };
    let past = phalanx_ladder::history(ladder, strategy, args.last);
    let value = json!({ "matches": past.iter().map(|(_, value)| value).collect::<Vec<_>>() });
    let line = |(line, _): &(String, serde_json::Value)| format!("{line}\n");
    args.print.tell(&value, || past.iter().map(line).collect())
}

fn unknown(ladder: &Ladder, id: &str) -> anyhow::Error {
    let all: Vec<_> = ladder.entrants().iter().map(phalanx_ladder::Entrant::id).collect();
    misused(format!("no strategy {id:?} was submitted; there are: {}", all.join(", ")))
}

/// Plays a match again, and records it.
fn record(args: &LadderHistoryArgs, store: &LadderStore, number: u64) -> Result<()> {
    let folder = match (&args.out, args.server.place(&args.ladder)?) {
        (Some(out), _) => out.clone(),
        (None, LadderPlace::Folder(ladder)) => ladder.join(RECORDINGS),
        (None, LadderPlace::Bucket { .. }) => PathBuf::from(RECORDINGS),
    };
    let (scores, files) = replayed(store, number, &folder.join(format!("match-{number}")))?;
    let files: Vec<_> = files.iter().map(|file| file.display().to_string()).collect();
    let value = json!({ "match": number, "scores": scores, "recordings": files });
    args.print.tell(&value, || files.iter().map(|file| format!("{file}\n")).collect())
}

/// Plays a match again; its scores must be those of the ladder.
fn replayed(
    store: &LadderStore,
    number: u64,
    folder: &Path,
) -> Result<(Vec<i64>, Vec<std::path::PathBuf>)> {
    let ladder = store.ladder();
    let played = usize::try_from(number).ok().and_then(|number| ladder.matches().get(number));
    let Some((one, outcome)) = played.and_then(|one| Some((one, one.outcome.as_ref()?))) else {
        return Err(misused(format!(
            "match {number} was not played; there are those from 0 to {}",
            ladder.played().saturating_sub(1)
        )));
    };
    let definition = ladder.definition().context("what the ladder plays")?;
    let mut matches = BundleMatches::default();
    let mut hashes: Vec<String> = Vec::new();
    for player in &one.players {
        let entrant = ladder.entrants().get(*player).context("a strategy of the match")?;
        let bundle = store.log().fetch(&entrant.submission.bundle)?;
        matches.keep(bundle_of_bytes(&bundle.bytes, &bundle.hash)?);
        hashes.push(bundle.hash);
    }
    let between = matches.between(&definition.game, &definition.setup, &hashes)?;
    let players = (0..hashes.len()).collect();
    let fixture = Fixture { number, seed: one.seed, players, values: None };
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let stop = Arc::new(AtomicBool::new(false));
    stop_at_interrupt(&stop);
    match (between.record(&fixture, folder, &stop), outcome) {
        (Err(PlayError::Stopped), _) => Err(MatchInterrupted.into()),
        (Err(PlayError::Failed(why)), _) => bail!("match {number} failed again: {why}"),
        (Ok((scores, files)), MatchOutcome::Scores(kept)) if scores != *kept => bail!(
            "match {number} ended {scores:?} and not {kept:?} as on the ladder: another version of \
             this program played it; the recordings are {files:?}"
        ),
        (Ok(recorded), _) => Ok(recorded),
    }
}
