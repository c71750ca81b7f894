//! Plays the matches of a league: each is a referee and its teams on a virtual clock, in one
//! thread, determined by the seed alone.

use crate::casting::{Casting, TriedStrategy, beginning, limits, score_of};
use crate::recordings::{Making, Patient, info};
use crate::tune_matches::game_value;
use anyhow::{Context, Result, anyhow};
use phalanx_engine::{Generation, Staged};
use phalanx_game::sorted::SortedMap;
use phalanx_game::{Score, Verdict};
use phalanx_games::WireError;
use phalanx_games::demo::{DemoAsk, DemoStage, check_worlds};
use phalanx_games::shipped::SHIPPED;
use phalanx_league::{
    Fixture, LeagueContestant, LeagueDefinition, Pairing, ParamValues, PlayError, PlayMatch, Seeds,
    SprtOptions,
};
use phalanx_lua::{Bundle, LoadError, Program, Tuned, declared_params};
use phalanx_net::{Lockstep, LockstepEnd, LockstepOptions, Observer, now};
use phalanx_record::Recording;
use phalanx_settings::RecordingSettings;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The teams of a match, in the order of their sides.
const TEAMS: [&str; 2] = ["A", "B"];
/// How long a decision may take: long enough that a busy machine does not change the match.
const PATIENCE: Duration = Duration::from_secs(5);
/// Candidates with values of their own that are kept ready: a batch and the best one, many times.
const CANDIDATES_MAX: usize = 64;
/// The referee's address, in recordings.
const SERVER: &str = "league";
/// How long writing the last pieces of a recording may take.
const RECORDING_MAX: Duration = Duration::from_secs(60);
/// Nice value of a league's threads: their priority is lower.
const NICENESS: i32 = 10;

/// The setup makes no league, though each part of it can be read.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{0}")]
pub struct UnfitLeague(pub(crate) String);

/// What is to be played.
#[derive(Clone, Debug)]
pub struct LeagueSetup {
    pub game: &'static str,
    pub setup: BTreeMap<String, String>,
    /// Names with folders, or with `shipped` and `idle`.
    pub strategies: Vec<(String, String)>,
    /// Whether the values of `tuned.toml` count.
    pub tuned: bool,
    pub first_against_all: bool,
    pub seeds: Seeds,
    pub swap: bool,
    pub sprt: Option<SprtOptions>,
}

impl LeagueSetup {
    /// The settings of matches by their names in a plan.
    ///
    /// # Errors
    /// When the game has no such setting.
    pub fn of_matches(
        game: &str,
        variant: Option<String>,
        steps: Option<u32>,
        worlds: Option<u32>,
    ) -> Result<BTreeMap<String, String>, WireError> {
        check_worlds(game, worlds)?;
        let number = |number: u32| number.to_string();
        let given =
            [("variant", variant), ("steps", steps.map(number)), ("worlds", worlds.map(number))];
        let given = given.into_iter();
        Ok(given.filter_map(|(key, value)| Some((key.to_owned(), value?))).collect())
    }

    /// The setup of a plan that was kept.
    pub fn again(plan: &LeagueDefinition) -> Result<Self> {
        let strategy = |player: &LeagueContestant| (player.name.clone(), player.source.clone());
        Ok(Self {
            game: phalanx_games::game(&plan.game)?,
            setup: plan.setup.clone(),
            strategies: plan.players.iter().map(strategy).collect(),
            tuned: true,
            first_against_all: plan.pairing == Pairing::FirstAgainstAll,
            seeds: plan.seeds,
            swap: plan.swap,
            sprt: plan.sprt,
        })
    }
}

/// One match per core; one core is left to others.
#[must_use]
pub fn usual_threads() -> usize {
    std::thread::available_parallelism().map_or(1, NonZeroUsize::get).saturating_sub(1).max(1)
}

/// Reads and tries the strategies; returns the plan and what plays it.
///
/// # Errors
/// When a strategy is invalid, or the plan has mistakes: all of them.
pub fn prepare(setup: &LeagueSetup) -> Result<(LeagueDefinition, Matches)> {
    let ask = ask(setup.game, &setup.setup)?;
    let stage = phalanx_games::demo(setup.game, &ask)?;
    let (mut players, mut contestants) = (Vec::new(), Vec::new());
    for strategy in &setup.strategies {
        let (player, contestant) = enter(setup.game, &stage, strategy, setup.tuned)?;
        players.push(player);
        contestants.push(contestant);
    }
    let pairing = match (stage.teams, setup.first_against_all) {
        (..2, _) => Pairing::Alone,
        (_, true) => Pairing::FirstAgainstAll,
        (_, false) => Pairing::RoundRobin,
    };
    let plan = LeagueDefinition {
        game: setup.game.to_owned(),
        game_files: phalanx_games::files_hash(setup.game).map(str::to_owned),
        setup: setup.setup.clone(),
        players,
        pairing,
        seeds: setup.seeds,
        swap: setup.swap && pairing != Pairing::Alone,
        sprt: setup.sprt,
    };
    match plan.mistakes().as_slice() {
        [] => Ok((plan, Matches::new(setup.game, ask, contestants))),
        mistakes => Err(UnfitLeague(mistakes.join("\n")).into()),
    }
}

/// Reads and tries a strategy.
pub(crate) fn enter(
    game: &'static str,
    stage: &DemoStage,
    (name, source): &(String, String),
    tuned: bool,
) -> Result<(LeagueContestant, Contestant)> {
    let folder = (source != SHIPPED).then(|| PathBuf::from(source));
    let cleared = casting(game, stage, tuned).clear(TEAMS[0], folder.as_deref());
    let TriedStrategy { bundle, staged, .. } = cleared.with_context(|| format!("player {name}"))?;
    let identity = bundle.hash().to_owned();
    let player = LeagueContestant { name: name.clone(), identity, source: source.clone() };
    Ok((player, Contestant { bundle, staged }))
}

/// Reads and tries a strategy: a folder, `shipped` or `idle`. Returns it, and whether a team of this
/// game plays alone.
///
/// # Errors
/// When it cannot play, or the game cannot be set up like that.
pub fn tried(
    game: &'static str,
    setup: &BTreeMap<String, String>,
    strategy: &(String, String),
    tuned: bool,
) -> Result<(Arc<Bundle>, bool)> {
    let stage = phalanx_games::demo(game, &ask(game, setup)?)?;
    let (_, contestant) = enter(game, &stage, strategy, tuned)?;
    Ok((contestant.bundle, stage.teams < 2))
}

/// What matches of a game are set up with.
pub(crate) fn ask(game: &str, setup: &BTreeMap<String, String>) -> Result<DemoAsk> {
    let word = |key: &str| setup.get(key);
    let number = |key: &str| {
        let read = |text: &String| text.parse::<u32>().map_err(|_| anyhow!("{key} = {text:?}"));
        word(key).map(read).transpose()
    };
    let variants = phalanx_games::variants(game)?;
    if let Some(variant) = word("variant").filter(|one| !variants.contains(&one.as_str())) {
        let known = variants.join(", ");
        let text = format!("{game} has no variant {variant:?}; there are: {known}");
        return Err(UnfitLeague(text).into());
    }
    Ok(DemoAsk {
        seed: 0,
        steps: number("steps")?,
        fast: true,
        pace: None,
        worlds: number("worlds")?,
        variant: word("variant").cloned(),
        settings: None,
    })
}

fn casting<'a>(game: &'static str, stage: &'a DemoStage, tuned: bool) -> Casting<'a> {
    Casting { game, stage, fast: true, patience: PATIENCE, watch: false, tuned }
}

/// Tries a strategy that came from elsewhere.
pub(crate) fn enter_bundle(
    game: &'static str,
    stage: &DemoStage,
    bundle: Bundle,
) -> Result<Contestant> {
    let cleared = casting(game, stage, true).clear_bundle(TEAMS[0], bundle, None)?;
    Ok(Contestant { bundle: cleared.bundle, staged: cleared.staged })
}

/// Tries a strategy with all its specs, as it would play from its folder.
pub(crate) fn try_bundle(game: &'static str, stage: &DemoStage, bundle: Bundle) -> Result<()> {
    casting(game, stage, true).clear_bundle(TEAMS[0], bundle, None).map(drop)
}

/// Plays the matches of a league.
#[derive(Debug)]
pub struct Matches {
    game: &'static str,
    ask: DemoAsk,
    contestants: Vec<Contestant>,
    /// The first contestant with values of parameters of its matches, by the values.
    candidates: Mutex<SortedMap<String, Contestant>>,
}

/// One strategy that passed its trial.
#[derive(Clone, Debug)]
pub(crate) struct Contestant {
    pub(crate) bundle: Arc<Bundle>,
    staged: Staged,
}

impl PlayMatch for Matches {
    fn play(&self, fixture: &Fixture, stop: &AtomicBool) -> Result<Vec<i64>, PlayError> {
        let mut lockstep = self.set_up(fixture, None).map_err(unplayed)?.0;
        finish(&mut lockstep, fixture, stop)
    }

    fn begin(&self) {
        // A thread with normal priority works as well; it only competes with others.
        if let Err(error) = rustix::process::nice(NICENESS) {
            tracing::warn!(%error, "cannot lower the priority of a league's thread");
        }
    }
}

/// Plays a match to its end.
fn finish(
    lockstep: &mut Lockstep,
    fixture: &Fixture,
    stop: &AtomicBool,
) -> Result<Vec<i64>, PlayError> {
    match lockstep.run(&mut Watch { stop }) {
        LockstepEnd::Stopped => Err(PlayError::Stopped),
        LockstepEnd::Stuck => {
            let at = lockstep.verdict();
            Err(PlayError::Failed(format!("stuck in round {} step {}", at.round, at.step)))
        }
        LockstepEnd::Over => {
            let verdict = lockstep.verdict();
            let teams = TEAMS.iter().take(fixture.players.len());
            let halves = |name: &&str| score_of(verdict, name).map_or(0, Score::in_halves);
            let score = |name: &&str| halves(name).div_euclid(2);
            Ok(teams.map(score).collect())
        }
    }
}

fn unplayed(error: anyhow::Error) -> PlayError {
    PlayError::Failed(format!("{error:#}"))
}

impl Matches {
    pub(crate) fn new(game: &'static str, ask: DemoAsk, contestants: Vec<Contestant>) -> Self {
        Self { game, ask, contestants, candidates: Mutex::default() }
    }

    /// The strategies of the plan's players, in its order.
    pub fn bundles(&self) -> impl Iterator<Item = &Arc<Bundle>> {
        self.contestants.iter().map(|contestant| &contestant.bundle)
    }

    /// A player of a match; the first one plays with the match's own values.
    fn contestant(&self, player: usize, values: Option<&ParamValues>) -> Result<Contestant> {
        let own = self.contestants.get(player).context("a player that is not there")?;
        let Some(values) = values.filter(|_| player == 0) else { return Ok(own.clone()) };
        // Values always have a form in JSON.
        let key = serde_json::to_string(values).unwrap_or_default();
        let known = || self.candidates.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(candidate) = known().get(&key) {
            return Ok(candidate.clone());
        }
        let candidate = own.with_values(self.game, values)?;
        let mut known = known();
        if known.len() >= CANDIDATES_MAX {
            known.clear();
        }
        known.insert(key, candidate.clone());
        Ok(candidate)
    }

    /// Plays a match and records each of its teams into a folder. Returns the scores and the files,
    /// in the order of the teams.
    ///
    /// # Errors
    /// When the match was stopped, cannot be played to its end, or a recording is incomplete.
    pub fn record(
        &self,
        fixture: &Fixture,
        folder: &Path,
        stop: &AtomicBool,
    ) -> Result<(Vec<i64>, Vec<PathBuf>), PlayError> {
        let (mut lockstep, recordings) = self.set_up(fixture, Some(folder)).map_err(unplayed)?;
        let scores = finish(&mut lockstep, fixture, stop);
        // Each team's last entries are written when it ends.
        drop(lockstep);
        let mut files = Vec::new();
        for recording in recordings {
            let status = recording.finish(RECORDING_MAX);
            let late = (!status.over).then(|| "the disk is too slow".to_owned());
            if let Some(trouble) = status.trouble.or(late) {
                return Err(PlayError::Failed(format!("the recording is incomplete: {trouble}")));
            }
            files.push(status.path);
        }
        Ok((scores?, files))
    }

    /// A match that is ready, with its recordings into this folder, if there is one.
    fn set_up(
        &self,
        fixture: &Fixture,
        folder: Option<&Path>,
    ) -> Result<(Lockstep, Vec<Arc<Recording>>)> {
        let ask = DemoAsk { seed: fixture.seed, ..self.ask.clone() };
        let stage = phalanx_games::demo(self.game, &ask)?;
        let begun = now();
        let origin = beginning(begun, fixture.seed);
        let arena = (stage.arena)(origin)?;
        let mut lockstep = Lockstep::new(arena, begun, LockstepOptions::default());
        let mut recordings = Vec::new();
        for (team, player) in TEAMS.iter().zip(&fixture.players) {
            let Contestant { bundle, staged } =
                self.contestant(*player, fixture.values.as_ref())?;
            let casting = casting(self.game, &stage, true);
            let mut plan = casting.plan(team, &bundle, staged, fixture.seed)?;
            if let Some(folder) = folder {
                let making = Making::of(&RecordingSettings::default(), folder);
                let recording = making.file(info(&plan, SERVER, origin));
                let recording = recording.context("cannot start the thread of a recording")?;
                plan.recorder = Some(Arc::new(Patient(Arc::clone(&recording))));
                recordings.push(recording);
            }
            phalanx_games::join(&mut lockstep, &plan)?;
        }
        Ok((lockstep, recordings))
    }
}

impl Contestant {
    /// The strategy with other values of parameters. Its files passed their trial; whether they
    /// still load with these values is looked at again.
    fn with_values(&self, game: &str, values: &ParamValues) -> Result<Self> {
        let bundle = Arc::new(with_values(&self.bundle, values)?);
        let api = phalanx_games::api(game).context("the game has no script API")?;
        declared_params(api, Arc::clone(&bundle), limits())?;
        let (program, _) = Program::compile(Arc::clone(&bundle));
        let hash = bundle.hash().to_owned();
        let generation = Generation { hash, ..(*self.staged.generation).clone() };
        let staged = Arc::new(program).staged(Arc::new(generation), self.staged.cost);
        Ok(Self { bundle, staged })
    }
}

/// A strategy with these values, besides those of its `tuned.toml`.
pub(crate) fn with_values(bundle: &Bundle, values: &ParamValues) -> Result<Bundle, LoadError> {
    let mut tuned = Tuned::clone(bundle.tuned());
    let values = values.iter().map(|(name, value)| (name.clone(), game_value(value)));
    tuned.values.extend(values);
    bundle.with_tuned(Some(&tuned))
}

/// Checks at each step whether the league continues.
struct Watch<'a> {
    stop: &'a AtomicBool,
}

impl Observer for Watch<'_> {
    fn step(&mut self, _verdict: &Verdict) -> ControlFlow<()> {
        if self.stop.load(Ordering::Relaxed) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}
