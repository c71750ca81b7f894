//! How the matches of a league are played: each a referee and its teams on a virtual clock, in one
//! thread, from the seed alone.

use crate::cli::league::LeagueArgs;
use crate::demo::{Casting, Cleared, TeamSummary, beginning};
use crate::failure::misused;
use crate::wire;
use crate::wire::demo::{DemoAsk, DemoStage};
use anyhow::{Context, Result, anyhow};
use phalanx_engine::{Snapshot, Staged};
use phalanx_game::Verdict;
use phalanx_league::{Fixture, Pairing, Plan, Play, PlayError, Player, Seeds, SprtOptions};
use phalanx_lua::Bundle;
use phalanx_net::{Lockstep, LockstepEnd, LockstepOptions, Observer, now};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The teams of a match, in the order in which they sit down.
const TEAMS: [&str; 2] = ["A", "B"];
/// How long a decision may take: a machine that is busy with many matches must not change them.
const PATIENCE: Duration = Duration::from_secs(5);
/// How much lower than others a thread of a league stands with the system.
const NICENESS: i32 = 10;
/// The word for the strategy that travels in this program.
const SHIPPED: &str = "shipped";
/// The word for a strategy that does nothing.
const IDLE: &str = "idle";
/// The names of the settings in a plan.
const SETUP: [&str; 3] = ["variant", "steps", "worlds"];

/// What somebody wants played.
#[derive(Clone, Debug)]
pub(crate) struct Wish {
    pub(crate) game: &'static str,
    pub(crate) setup: BTreeMap<String, String>,
    /// Names with folders, or with the words `shipped` and `idle`.
    pub(crate) strategies: Vec<(String, String)>,
    pub(crate) first_against_all: bool,
    pub(crate) seeds: Seeds,
    pub(crate) swap: bool,
    pub(crate) sprt: Option<SprtOptions>,
}

impl Wish {
    /// What the command line wants.
    pub(crate) fn of(args: &LeagueArgs) -> Result<Self> {
        let strategies = args.strategies.iter().map(|text| named(text));
        let strategies = strategies.collect::<Result<Vec<_>>>()?;
        let first = strategies.first().map(|(_, source)| Path::new(source));
        let given = [
            args.variant.clone(),
            args.steps.map(|steps| steps.to_string()),
            args.worlds.map(|worlds| worlds.to_string()),
        ];
        let setup = SETUP.iter().zip(given);
        let setup = setup.filter_map(|(key, value)| Some(((*key).to_owned(), value?)));
        Ok(Self {
            game: wire::game_of(args.game, first),
            setup: setup.collect(),
            strategies,
            first_against_all: args.first_against_all,
            seeds: args.seeds,
            swap: !args.no_swap,
            sprt: args.sprt,
        })
    }

    /// Whether this stands for a strategy that needs no folder.
    pub(crate) fn is_word(source: &str) -> bool {
        [SHIPPED, IDLE].contains(&source)
    }

    /// What a plan that was kept wants.
    pub(crate) fn again(plan: &Plan) -> Result<Self> {
        let strategy = |player: &Player| (player.name.clone(), player.source.clone());
        Ok(Self {
            game: wire::game(&plan.game)?,
            setup: plan.setup.clone(),
            strategies: plan.players.iter().map(strategy).collect(),
            first_against_all: plan.pairing == Pairing::FirstAgainstAll,
            seeds: plan.seeds,
            swap: plan.swap,
            sprt: plan.sprt,
        })
    }
}

/// A name with a folder, from `name=folder` or `folder`.
fn named(text: &str) -> Result<(String, String)> {
    let (name, source) = match text.split_once('=') {
        Some((name, source)) => (name.to_owned(), source),
        None => {
            let path = Path::new(text);
            let name =
                path.file_name().or_else(|| path.components().next_back().map(|c| c.as_os_str()));
            (name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(), text)
        }
    };
    if name.is_empty() || source.is_empty() {
        return Err(misused(format!("--strategy {text:?}: expected a folder, or NAME=FOLDER")));
    }
    Ok((name, source.to_owned()))
}

/// Reads and tries the strategies: the plan, and what plays it.
///
/// # Errors
/// When a strategy may not play, or the plan has mistakes: all of them.
pub(crate) fn prepare(wish: &Wish) -> Result<(Plan, Matches)> {
    let ask = ask(wish)?;
    let stage = wire::demo(wish.game, &ask)?;
    let (mut players, mut contestants) = (Vec::new(), Vec::new());
    for (name, source) in &wish.strategies {
        let folder = (source != SHIPPED).then(|| PathBuf::from(source));
        let cleared = casting(wish.game, &stage).clear(TEAMS[0], folder.as_deref());
        let Cleared { bundle, staged, .. } = cleared.with_context(|| format!("player {name}"))?;
        let identity = bundle.hash().to_owned();
        players.push(Player { name: name.clone(), identity, source: source.clone() });
        contestants.push(Contestant { bundle, staged });
    }
    let pairing = match (stage.teams, wish.first_against_all) {
        (..2, _) => Pairing::Alone,
        (_, true) => Pairing::FirstAgainstAll,
        (_, false) => Pairing::RoundRobin,
    };
    let plan = Plan {
        game: wish.game.to_owned(),
        setup: wish.setup.clone(),
        players,
        pairing,
        seeds: wish.seeds,
        swap: wish.swap && pairing != Pairing::Alone,
        sprt: wish.sprt,
    };
    match plan.mistakes().as_slice() {
        [] => Ok((plan, Matches { game: wish.game, ask, contestants })),
        mistakes => Err(misused(mistakes.join("\n"))),
    }
}

fn ask(wish: &Wish) -> Result<DemoAsk> {
    let word = |key: &str| wish.setup.get(key);
    let number = |key: &str| {
        let read = |text: &String| text.parse::<u32>().map_err(|_| anyhow!("{key} = {text:?}"));
        word(key).map(read).transpose()
    };
    let variants = wire::variants(wish.game)?;
    if let Some(variant) = word("variant").filter(|one| !variants.contains(&one.as_str())) {
        let known = variants.join(", ");
        let game = wish.game;
        return Err(misused(format!("{game} has no variant {variant:?}; there are: {known}")));
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

fn casting<'a>(game: &'static str, stage: &'a DemoStage) -> Casting<'a> {
    Casting { game, stage, fast: true, patience: PATIENCE, watch: false }
}

/// Plays the matches of a league.
#[derive(Debug)]
pub(crate) struct Matches {
    game: &'static str,
    ask: DemoAsk,
    contestants: Vec<Contestant>,
}

/// One strategy that passed its trial.
#[derive(Debug)]
struct Contestant {
    bundle: Arc<Bundle>,
    staged: Staged,
}

impl Play for Matches {
    fn play(&self, fixture: &Fixture, stop: &AtomicBool) -> Result<Vec<i64>, PlayError> {
        let failed = |error: anyhow::Error| PlayError::Failed(format!("{error:#}"));
        let mut lockstep = self.set_up(fixture).map_err(failed)?;
        match lockstep.run(&mut Watch { stop }) {
            LockstepEnd::Stopped => Err(PlayError::Stopped),
            LockstepEnd::Stuck => {
                let at = lockstep.verdict();
                Err(PlayError::Failed(format!("stuck in round {} step {}", at.round, at.step)))
            }
            LockstepEnd::Over => {
                let verdict = lockstep.verdict();
                let teams = TEAMS.iter().take(fixture.players.len());
                let score =
                    |name: &&str| TeamSummary::new(name, verdict, &Snapshot::default()).score;
                Ok(teams.map(score).collect())
            }
        }
    }

    fn begin(&self) {
        // A thread of equal rank plays as well: it only is less polite.
        if let Err(error) = rustix::process::nice(NICENESS) {
            tracing::warn!(%error, "a thread of a league keeps its priority");
        }
    }
}

impl Matches {
    fn set_up(&self, fixture: &Fixture) -> Result<Lockstep> {
        let ask = DemoAsk { seed: fixture.seed, ..self.ask.clone() };
        let stage = wire::demo(self.game, &ask)?;
        let begun = now();
        let arena = (stage.arena)(beginning(begun, fixture.seed))?;
        let mut lockstep = Lockstep::new(arena, begun, LockstepOptions::default());
        for (team, player) in TEAMS.iter().zip(&fixture.players) {
            let contestant = self.contestants.get(*player).context("a player that is not there")?;
            let Contestant { bundle, staged } = contestant;
            let casting = casting(self.game, &stage);
            let plan = casting.plan(team, bundle, staged.clone(), fixture.seed)?;
            wire::join(&mut lockstep, &plan)?;
        }
        Ok(lockstep)
    }
}

/// Looks at each step whether the league goes on.
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
