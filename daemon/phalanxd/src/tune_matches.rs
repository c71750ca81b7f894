//! What a tune run is made of: a strategy's parameters become axes of a search, and folders become
//! players. Its matches are those of a league.

use crate::league_matches::{
    Contestant, Matches, UnfitLeague, ask, enter, try_bundle, with_values,
};
use anyhow::{Context, Result, bail};
use phalanx_engine::{ParamKind, ParamSpec};
use phalanx_game::Value;
use phalanx_games::shipped::{self, is_word};
use phalanx_league::{LeagueContestant, ParamValues, Seeds, SprtOptions, TunedValue};
use phalanx_lua::{Bundle, Limits, Tuned, declared_params, similar};
use phalanx_tune::{Dimension, DimensionKind, Objective, TuneOpponent, TunePlan};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// What is to be tuned, and how.
#[derive(Clone, Debug)]
pub struct TuneSetup {
    pub game: &'static str,
    /// The settings of matches, as in [`LeagueSetup`](crate::league_matches::LeagueSetup).
    pub setup: BTreeMap<String, String>,
    /// The strategy's name and folder.
    pub strategy: (String, String),
    /// Names with folders, or with `shipped` and `idle`.
    pub opponents: Vec<(String, String)>,
    /// A weight for each opponent; none: all count the same.
    pub weights: Vec<f64>,
    /// Whether the values of `tuned.toml` count.
    pub tuned: bool,
    /// Parameters that vary; none: all that can.
    pub params: Vec<String>,
    /// `None`: the mean score in games for one, and the share of points in others.
    pub objective: Option<Objective>,
    pub seeds: Seeds,
    pub swap: bool,
    pub budget: u64,
    /// Seeds of the final test; `None`: those after the search's.
    pub test: Option<Seeds>,
    pub sprt: SprtOptions,
    pub seed: u64,
}

/// A run that is ready.
#[derive(Debug)]
pub struct PreparedTune {
    pub plan: TunePlan,
    pub matches: Matches,
    /// Parameters that stay as they are, since no range of theirs is declared.
    pub fixed: Vec<String>,
    /// The strategy with its values at the start.
    bundle: Arc<Bundle>,
}

/// Reads and tries the strategies; returns the plan and what plays it.
///
/// # Errors
/// When a strategy is invalid, or the plan has mistakes: all of them.
pub fn prepare(setup: &TuneSetup) -> Result<PreparedTune> {
    let game = setup.game;
    let (name, source) = &setup.strategy;
    // Before advice about a game that it may not be for.
    if !is_word(source) && !Path::new(source).is_dir() {
        bail!("player {name}: {source}: there is no such folder");
    }
    let demo = ask(game, &setup.setup)?;
    let stage = phalanx_games::demo(game, &demo)?;
    check_players(setup, stage.teams)?;
    let (strategy, own) = enter(game, &stage, &setup.strategy, setup.tuned)?;
    let specs = specs(game, &own)?;
    let (dimensions, fixed) = dimensions(setup, &specs)?;
    let strategy = LeagueContestant { identity: plain_hash(&own.bundle)?, ..strategy };
    let bundle = Arc::clone(&own.bundle);
    let (mut opponents, mut contestants) = (Vec::new(), vec![own]);
    for (index, opponent) in setup.opponents.iter().enumerate() {
        let (player, contestant) = enter(game, &stage, opponent, setup.tuned)?;
        let weight = setup.weights.get(index).copied().unwrap_or(1.0);
        opponents.push(TuneOpponent { player, weight });
        contestants.push(contestant);
    }
    let alone = if opponents.is_empty() { Objective::Score } else { Objective::Win };
    let start = dimensions.iter().filter_map(|dimension| start(dimension, &specs)).collect();
    let mut plan = TunePlan {
        game: game.to_owned(),
        game_files: phalanx_games::files_hash(game).map(str::to_owned),
        setup: setup.setup.clone(),
        strategy,
        opponents,
        dimensions,
        start,
        objective: setup.objective.unwrap_or(alone),
        seeds: setup.seeds,
        swap: setup.swap,
        budget: setup.budget,
        test: setup.seeds,
        sprt: setup.sprt,
        seed: setup.seed,
    };
    plan.test = setup.test.unwrap_or_else(|| plan.usual_test());
    match plan.mistakes().as_slice() {
        [] => {
            let matches = Matches::new(game, demo, contestants);
            Ok(PreparedTune { plan, matches, fixed, bundle })
        }
        mistakes => Err(UnfitLeague(mistakes.join("\n")).into()),
    }
}

impl PreparedTune {
    /// The `tuned.toml` with values that were proved.
    #[must_use]
    pub fn tuned(&self, values: &ParamValues, played: u64) -> Tuned {
        let name = |opponent: &TuneOpponent| opponent.player.name.clone();
        let mut tuned = Tuned {
            run: self.plan.id(),
            matches: played,
            opponents: self.plan.opponents.iter().map(name).collect(),
            values: self.bundle.tuned().values.clone(),
        };
        let values = values.iter().map(|(name, value)| (name.clone(), game_value(value)));
        tuned.values.extend(values);
        tuned
    }

    /// Why a strategy with these values would not be accepted from its folder, or why the folder is
    /// no longer what was tuned; nothing when all is well.
    ///
    /// # Errors
    /// That reason.
    pub fn try_in_folder(&self, folder: &Path, values: &ParamValues) -> Result<()> {
        let now = shipped::read(folder)?;
        if plain_hash(&now)? != self.plan.strategy.identity {
            bail!("its files were changed while it was tuned");
        }
        let bundle = with_values(&self.bundle, values)?;
        let game = phalanx_games::game(&self.plan.game)?;
        let stage = phalanx_games::demo(game, &ask(game, &self.plan.setup)?)?;
        try_bundle(game, &stage, bundle)
    }
}

/// The hash of a strategy without its `tuned.toml`.
fn plain_hash(bundle: &Bundle) -> Result<String> {
    Ok(bundle.with_tuned(None)?.hash().to_owned())
}

fn check_players(setup: &TuneSetup, teams: usize) -> Result<()> {
    let game = setup.game;
    let problem = if is_word(&setup.strategy.1) {
        Some("tune writes what it finds into the strategy's folder: name a folder".to_owned())
    } else if teams < 2 && !setup.opponents.is_empty() {
        Some(format!("in {game} a team plays alone: omit --opponent"))
    } else if teams >= 2 && setup.opponents.is_empty() {
        Some(format!("{game} is played against somebody: add --opponent shipped, or a folder"))
    } else if !setup.weights.is_empty() && setup.weights.len() != setup.opponents.len() {
        let (weights, opponents) = (setup.weights.len(), setup.opponents.len());
        Some(format!("--weights: {weights} for {opponents} opponents; expected one for each"))
    } else {
        None
    };
    problem.map_or(Ok(()), |problem| Err(UnfitLeague(problem).into()))
}

/// The parameters with the values that the strategy plays with.
fn specs(game: &str, own: &Contestant) -> Result<Vec<ParamSpec>> {
    let api = phalanx_games::api(game).context("the game has no script API")?;
    Ok(declared_params(api, Arc::clone(&own.bundle), Limits::default())?)
}

/// What varies, and the names of what cannot.
fn dimensions(setup: &TuneSetup, specs: &[ParamSpec]) -> Result<(Vec<Dimension>, Vec<String>)> {
    let unfit = |text: String| Err(UnfitLeague(text).into());
    let known = || specs.iter().map(|spec| spec.name.as_str());
    for name in &setup.params {
        let Some(spec) = specs.iter().find(|spec| spec.name == *name) else {
            let meant = similar(name, known()).map(|meant| format!("; did you mean {meant:?}?"));
            let all: Vec<_> = known().collect();
            let all = if all.is_empty() { "none".to_owned() } else { all.join(", ") };
            let meant = meant.unwrap_or_default();
            return unfit(format!(
                "--params: no script declares {name:?}; there are: {all}{meant}"
            ));
        };
        if dimension(spec).is_none() {
            return unfit(format!("--params {name}: {}", why_fixed(spec)));
        }
    }
    let wanted = |spec: &&ParamSpec| setup.params.is_empty() || setup.params.contains(&spec.name);
    let (mut dimensions, mut fixed) = (Vec::new(), Vec::new());
    for spec in specs.iter().filter(wanted) {
        match dimension(spec) {
            Some(dimension) => dimensions.push(dimension),
            None => fixed.push(spec.name.clone()),
        }
    }
    if dimensions.is_empty() {
        return unfit(format!(
            "{} declares no parameter that can vary: a number with min and max, a choice with \
             values, or a boolean; `phalanx strategy params {}` lists what there is",
            setup.strategy.0, setup.strategy.1
        ));
    }
    Ok((dimensions, fixed))
}

/// The axis of a parameter; `None` where a search would not know where to look.
fn dimension(spec: &ParamSpec) -> Option<Dimension> {
    let kind = match &spec.kind {
        ParamKind::Bool => DimensionKind::Bool,
        ParamKind::Num { min, max, whole, step, log } => {
            if !(max - min).is_finite() || min >= max {
                return None;
            }
            let step = step.or(whole.then_some(1.0));
            // Whole numbers begin at the first one of the range.
            let whole_from = if *whole { min.ceil() } else { *min };
            DimensionKind::Num { min: whole_from, max: *max, step, log: *log }
        }
        ParamKind::Text(words) if words.len() < 2 => return None,
        ParamKind::Text(words) => DimensionKind::Choice(words.clone()),
    };
    Some(Dimension { name: spec.name.clone(), kind })
}

fn why_fixed(spec: &ParamSpec) -> String {
    let what = match &spec.kind {
        ParamKind::Num { .. } => "declare its min and max",
        ParamKind::Text(_) => "declare its values, two or more",
        ParamKind::Bool => "it cannot vary",
    };
    format!("it accepts {}, and a search would not know where to look; {what}", spec.kind)
}

fn start(dimension: &Dimension, specs: &[ParamSpec]) -> Option<(String, TunedValue)> {
    let spec = specs.iter().find(|spec| spec.name == dimension.name)?;
    let value = match &spec.default {
        Value::Bool(flag) => TunedValue::Bool(*flag),
        Value::Str(text) => TunedValue::Text(text.to_string()),
        Value::Int(_) | Value::Num(_) => TunedValue::Num(spec.default.as_num()?),
        Value::Nil | Value::List(_) | Value::Map(_) => return None,
    };
    Some((spec.name.clone(), value))
}

/// A value as scripts know it.
pub(crate) fn game_value(value: &TunedValue) -> Value {
    match value {
        TunedValue::Bool(flag) => Value::Bool(*flag),
        TunedValue::Num(number) => Value::Num(*number),
        TunedValue::Text(text) => Value::from(text.clone()),
    }
}
