//! Tools that play: a match, a league, a tune run.

use crate::answer::Answer;
use crate::arguments::arguments;
use crate::call::Work;
use crate::places::Places;
use crate::sandbox::{Existing, Sandbox};
use anyhow::{Context, Result, anyhow, bail};
use phalanx_cli::args::league::{seeds, sprt};
use phalanx_games::shipped::SHIPPED;
use phalanx_league::{LeagueStore, ParamValues, RunOptions, Seeds, SprtOptions};
use phalanx_lua::TUNED_FILE;
use phalanx_play::args::DemoArgs;
use phalanx_play::demo;
use phalanx_tune::TuneStore;
use phalanxd::league_matches::{LeagueSetup, usual_threads};
use phalanxd::tune_matches::{PreparedTune, TuneSetup};
use phalanxd::{league_matches, tune_matches};
use std::path::{Path, PathBuf};

/// Most steps of a match.
const STEPS_MAX: u32 = 10_000;
/// Most worlds of a match.
const WORLDS_MAX: u32 = 1_000;
/// Most matches of a league or a tune run.
const MATCHES_MAX: u64 = 10_000;
/// The folder of recordings, below the one that may be written.
const RECORDINGS: &str = "recordings";

pub(super) const DEMO: &str = "\
Play one match on virtual time: scores, what decided it, fallbacks and script errors of each team. \
The same seed gives the same match. With record = true (only with --allow-write) it is recorded for \
why, replay and diff.";

arguments! {
    pub(super) struct DemoToolArgs {
        /// The first team's strategy: a folder, or `shipped` [default: shipped].
        strategy: Option<String>,
        /// The second team's strategy: a folder, `shipped` or `idle` [default: shipped].
        opponent: Option<String>,
        /// The game [default: the one that the strategy is for].
        game: Option<String>,
        /// Seed of the map and of all random numbers [default: 1].
        seed: Option<u64>,
        /// Number of steps, at most 10000 [default: as in the contest].
        steps: Option<u32>,
        /// Number of worlds, in asimulator, at most 1000 [default: 100].
        worlds: Option<u32>,
        /// A variant of the game [default: the first one].
        variant: Option<String>,
        /// Ignore the values in tuned.toml.
        #[serde(default)]
        no_tuned: bool,
        /// Record both teams into the folder `recordings`.
        #[serde(default)]
        record: bool,
    }
}

pub(super) fn demo(places: &Places, args: DemoToolArgs, work: &Work) -> Result<Answer> {
    let folder = |text: Option<&str>| match text {
        None => Ok(None),
        Some(text) if text == SHIPPED => Ok(None),
        Some(text) => anyhow::Ok(Some(PathBuf::from(places.strategy(text)?.1))),
    };
    let mut demo = DemoArgs::fast();
    demo.strategy = folder(args.strategy.as_deref())?;
    demo.opponent = folder(args.opponent.as_deref())?;
    demo.game = places.game(args.game.as_deref())?;
    demo.seed = args.seed.unwrap_or(1);
    demo.steps = most("steps", args.steps, STEPS_MAX)?;
    demo.worlds = most("worlds", args.worlds, WORLDS_MAX)?;
    demo.variant = args.variant;
    demo.tuned.no_tuned = args.no_tuned;
    demo.json = true;
    let sandbox = args.record.then(|| places.sandbox()).transpose()?;
    let films = sandbox.map(|_| tempfile::tempdir()).transpose().context("no temporary folder")?;
    demo.record = films.as_ref().map(|films| films.path().to_owned());
    let mut summary = demo::trial(&demo, &mut |step, steps| work.went_on(step, steps, "steps"))?;
    if let Some(sandbox) = sandbox {
        let kept = summary.recordings.iter().map(|file| keep(sandbox, Path::new(file)));
        summary.recordings = kept.collect::<Result<_>>()?;
    }
    let mut text = summary.text();
    for trouble in &summary.troubles {
        text.push_str(&format!("{trouble}\n"));
    }
    Ok(Answer::with(text, serde_json::to_value(&summary)?))
}

/// A number within its bound.
fn most(name: &str, asked: Option<u32>, most: u32) -> Result<Option<u32>> {
    match asked {
        Some(asked) if asked == 0 || asked > most => {
            bail!("{name} = {asked}: expected 1 to {most}")
        }
        asked => Ok(asked),
    }
}

/// Copies a recording to where it may be written.
fn keep(sandbox: &Sandbox, film: &Path) -> Result<String> {
    let name = film.file_name().context("a recording without a name")?;
    let mut bytes = std::fs::File::open(film).context("cannot read the recording")?;
    let path = Path::new(RECORDINGS).join(name);
    Ok(sandbox.write(&path, &mut bytes, Existing::Refuse)?.display().to_string())
}

pub(super) const LEAGUE: &str = "\
Play many matches between strategies on the same seeds and both sides, and rate them on the Elo \
scale with 95 % errors. With sprt it stops as soon as it is clear whether the first of two is better.";

arguments! {
    pub(super) struct LeagueToolArgs {
        /// Two or more strategies: folders, `shipped` or `idle`; NAME=FOLDER names one.
        strategies: Vec<String>,
        /// The game [default: the one that the first strategy is for].
        game: Option<String>,
        /// The seeds, both ends included [default: 1..10].
        seeds: Option<String>,
        /// Play only the first strategy against each of the others.
        #[serde(default)]
        first_against_all: bool,
        /// Play each pairing once per seed instead of once on each side.
        #[serde(default)]
        no_swap: bool,
        /// Stop early by a sequential test: true, or elo0=0,elo1=50,alpha=0.05,beta=0.05.
        sprt: Option<String>,
        /// Number of steps of a match, at most 10000 [default: as in the contest].
        steps: Option<u32>,
        /// Number of worlds of a match, in asimulator, at most 1000 [default: 100].
        worlds: Option<u32>,
        /// A variant of the game [default: the first one].
        variant: Option<String>,
        /// Ignore the values in tuned.toml.
        #[serde(default)]
        no_tuned: bool,
    }
}

pub(super) fn league(places: &Places, args: LeagueToolArgs, work: &Work) -> Result<Answer> {
    let strategies = args.strategies.iter().map(|text| places.strategy(text));
    let strategies = strategies.collect::<Result<Vec<_>>>()?;
    let first = strategies.first().context("strategies: name two or more")?;
    let game = places.game_of(args.game.as_deref(), &first.1)?;
    let (steps, worlds) =
        (most("steps", args.steps, STEPS_MAX)?, most("worlds", args.worlds, WORLDS_MAX)?);
    let setup = LeagueSetup {
        game,
        setup: LeagueSetup::of_matches(game, args.variant, steps, worlds)?,
        strategies,
        tuned: !args.no_tuned,
        first_against_all: args.first_against_all,
        seeds: some_seeds(args.seeds.as_deref().unwrap_or("1..10"))?,
        swap: !args.no_swap,
        sprt: args.sprt.as_deref().map(test).transpose()?,
    };
    let (plan, matches) = league_matches::prepare(&setup)?;
    let total = plan.matches();
    if total > MATCHES_MAX {
        bail!("{total} matches: expected at most {MATCHES_MAX}; ask for fewer seeds or strategies");
    }
    let mut store = LeagueStore::in_memory(plan);
    let options = RunOptions { threads: usual_threads(), stop: work.stop() };
    phalanx_league::run(&mut store, &matches, &options, &mut |event| {
        let lead = event.standing.rows.first();
        let lead = lead.map(|row| format!("{} {:+.0}", row.name, row.rating.elo));
        work.went_on(event.standing.played, total, lead.unwrap_or_default());
    })?;
    let (plan, tally) = (store.plan(), store.tally());
    let text = phalanx_league::table(&tally.standing());
    Ok(Answer::with(text, phalanx_league::json(plan, tally)))
}

fn some_seeds(text: &str) -> Result<Seeds> {
    seeds(text).map_err(|error| anyhow!("seeds: {error}"))
}

fn test(text: &str) -> Result<SprtOptions> {
    let text = if text == "true" { "" } else { text };
    sprt(text).map_err(|error| anyhow!("sprt: {error}"))
}

pub(super) const TUNE: &str = "\
Search better values for a strategy's parameters by playing, and prove them on fresh seeds with a \
sequential test. With --allow-write, proven values are written into the strategy's tuned.toml, whose \
values replace the defaults wherever the strategy plays; otherwise the text of that file is returned.";

arguments! {
    pub(super) struct TuneToolArgs {
        /// The strategy's folder; NAME=FOLDER names it.
        strategy: String,
        /// Whom all candidates play against: folders, `shipped` or `idle`; none in games for one.
        #[serde(default)]
        opponents: Vec<String>,
        /// How much each opponent counts [default: all the same].
        #[serde(default)]
        weights: Vec<f64>,
        /// The game [default: the one that the strategy is for].
        game: Option<String>,
        /// The seeds of the search, both ends included [default: 1..10].
        seeds: Option<String>,
        /// Most matches, the final test included, at most 10000 [default: 500].
        budget: Option<u64>,
        /// Parameters that may vary [default: all with a range].
        #[serde(default)]
        params: Vec<String>,
        /// Number of steps of a match, at most 10000 [default: as in the contest].
        steps: Option<u32>,
        /// Number of worlds of a match, in asimulator, at most 1000 [default: 100].
        worlds: Option<u32>,
        /// A variant of the game [default: the first one].
        variant: Option<String>,
        /// What the final test has to show [default: elo0=0,elo1=50,alpha=0.05,beta=0.05].
        sprt: Option<String>,
    }
}

pub(super) fn tune(places: &Places, args: TuneToolArgs, work: &Work) -> Result<Answer> {
    let budget = args.budget.unwrap_or(500);
    if budget > MATCHES_MAX {
        bail!("budget = {budget}: expected at most {MATCHES_MAX} matches");
    }
    let strategy = places.strategy(&args.strategy)?;
    let source = PathBuf::from(&strategy.1);
    // Before the matches, so that they are not played in vain.
    if places.is_writable() {
        places.sandbox()?.inside(&source.join(TUNED_FILE)).context("the strategy to tune")?;
    }
    let opponents = args.opponents.iter().map(|text| places.strategy(text));
    let (steps, worlds) =
        (most("steps", args.steps, STEPS_MAX)?, most("worlds", args.worlds, WORLDS_MAX)?);
    let game = places.game_of(args.game.as_deref(), &strategy.1)?;
    let prepared = tune_matches::prepare(&TuneSetup {
        game,
        setup: LeagueSetup::of_matches(game, args.variant, steps, worlds)?,
        strategy,
        opponents: opponents.collect::<Result<_>>()?,
        weights: args.weights,
        tuned: true,
        params: args.params,
        objective: None,
        seeds: some_seeds(args.seeds.as_deref().unwrap_or("1..10"))?,
        swap: true,
        budget,
        test: None,
        sprt: test(args.sprt.as_deref().unwrap_or_default())?,
        seed: 1,
    })?;
    let mut store = TuneStore::in_memory(prepared.plan.clone());
    let options = RunOptions { threads: usual_threads(), stop: work.stop() };
    let (_, progress) = phalanx_tune::run(&mut store, &prepared.matches, &options, &mut |event| {
        let progress = event.progress;
        let text = match &progress.test {
            Some(_) => "final test".to_owned(),
            None => format!("{} candidates", progress.candidates.len()),
        };
        work.went_on(progress.played, budget, text);
    })?;
    let plan = &prepared.plan;
    let answer =
        Answer::with(phalanx_tune::table(plan, &progress), phalanx_tune::json(plan, &progress));
    Ok(match progress.proved() {
        Some(values) => answer.note(&proved(places, &prepared, &source, values, progress.played)?),
        None => answer,
    })
}

/// Writes proven values where that is allowed, or returns them.
fn proved(
    places: &Places,
    prepared: &PreparedTune,
    source: &Path,
    values: &ParamValues,
    played: u64,
) -> Result<String> {
    let text = prepared.tuned(values, played).text();
    if !places.is_writable() {
        return Ok(format!("to use the values, write this into {TUNED_FILE}:\n{text}"));
    }
    if let Err(why) = prepared.try_in_folder(source, values) {
        return Ok(format!("{TUNED_FILE} was not written: {why:#}\nits text:\n{text}"));
    }
    let path = source.join(TUNED_FILE);
    let path = places.sandbox()?.write(&path, &mut text.as_bytes(), Existing::Replace)?;
    Ok(format!("wrote {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_bounds() {
        assert_eq!(most("steps", None, 9).unwrap(), None);
        assert_eq!(most("steps", Some(9), 9).unwrap(), Some(9));
        for bad in [0, 10] {
            let error = most("steps", Some(bad), 9).unwrap_err().to_string();
            assert_eq!(error, format!("steps = {bad}: expected 1 to 9"));
        }
    }
}
