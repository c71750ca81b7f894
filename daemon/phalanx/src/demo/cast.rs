//! Who plays in a demo, and what.

use crate::cli::DemoArgs;
use crate::strategy::excerpt;
use crate::wire::demo::{DemoAsk, DemoStage};
use crate::wire::{self, TeamPlan};
use crate::{keepers, shipped};
use anyhow::{Context, Result, anyhow, bail};
use phalanx_engine::{Staged, TeamOptions};
use phalanx_game::{Arena, Origin, Roster, RosterEntry};
use phalanx_lua::{Bundle, Diagnostic, Limits, LoadError};
use phalanx_net::SeatOptions;
use phalanx_settings::ReloadSettings;
use phalanx_strategy::{Keeper, KeeperOptions};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// On virtual time a call may take this long, so that a busy machine does not change the match.
const PATIENCE: Duration = Duration::from_secs(1);
/// How long a strategy may take to load.
const LOAD_MAX: Duration = Duration::from_secs(10);
/// What the scripts of a team may use, as the daemon's settings have it.
const MEMORY_BYTES: usize = 64 << 20;
/// Where a strategy has a scout, one agent in so many is one.
const AGENTS_PER_SCOUT: usize = 7;
/// The name by which the second team may be told to do nothing.
const IDLE: &str = "idle";

/// A match, ready to be played.
#[derive(Debug)]
pub(super) struct Cast {
    pub(super) game: &'static str,
    pub(super) teams: Vec<TeamPlan>,
    /// The keepers of the teams' strategies, in the same order.
    pub(super) keepers: Vec<Keeper>,
    stage: DemoStage,
}

impl Cast {
    pub(super) fn new(args: &DemoArgs) -> Result<Self> {
        let game = wire::game_of(args.game, args.strategy.as_deref());
        let stage = wire::demo(game, &ask(args, game)?)?;
        let opponent = args.opponent.as_deref();
        let (mut teams, mut keepers) = (Vec::new(), Vec::new());
        if stage.teams < 2 && opponent.is_some() {
            bail!("in {game} a team plays alone: leave --opponent out");
        }
        let both = [("A", args.strategy.as_deref()), ("B", opponent)];
        for (name, strategy) in both.into_iter().take(stage.teams) {
            let (team, keeper) = team((game, &stage), name, strategy, args)?;
            teams.push(team);
            keepers.push(keeper);
        }
        Ok(Self { game, teams, keepers, stage })
    }

    /// The referee.
    pub(super) fn arena(&self, origin: Origin) -> Result<Box<dyn Arena>> {
        Ok((self.stage.arena)(origin)?)
    }
}

fn ask(args: &DemoArgs, game: &str) -> Result<DemoAsk> {
    let variants = wire::variants(game)?;
    if let Some(variant) = args.variant.as_deref().filter(|one| !variants.contains(one)) {
        let known = variants.join(", ");
        bail!("{game} has no variant {variant:?}; there are: {known}");
    }
    let read = |path: &PathBuf| {
        let text = std::fs::read_to_string(path);
        let text = text.with_context(|| format!("cannot read {}", path.display()))?;
        Ok::<_, anyhow::Error>((text, path.display().to_string()))
    };
    Ok(DemoAsk {
        seed: args.seed,
        steps: args.steps,
        fast: args.fast,
        pace: args.pace,
        worlds: args.worlds,
        variant: args.variant.clone(),
        settings: args.sim.as_ref().map(read).transpose()?,
    })
}

/// The agents of a team with their roles.
fn roster(stage: &DemoStage, team: &str, bundle: &Bundle) -> Result<Roster> {
    let roles: Vec<&str> = bundle.root_names().collect();
    let main = roles.iter().find(|role| **role == "worker").or_else(|| roles.first());
    let main = *main.ok_or_else(|| {
        anyhow!(
            "team {team}: the strategy has no role file; --strategy and --opponent name folders"
        )
    })?;
    let scouts = if roles.contains(&"scout") { stage.agents / AGENTS_PER_SCOUT } else { 0 };
    let entry = |index: usize| {
        let role = if index > stage.agents - scouts { "scout" } else { main };
        RosterEntry::new(stage.agent_name(team, index), role)
    };
    Ok(Roster { team: team.to_owned(), agents: (1..=stage.agents).map(entry).collect() })
}

fn team(
    (game, stage): (&'static str, &DemoStage),
    name: &str,
    strategy: Option<&Path>,
    args: &DemoArgs,
) -> Result<(TeamPlan, Keeper)> {
    let patience = if args.fast { PATIENCE } else { TeamOptions::default().decide_max };
    let watch = !args.no_watch && !args.fast;
    let casting = Casting { game, stage, fast: args.fast, patience, watch };
    let Cleared { bundle, staged, keeper } = casting.clear(name, strategy)?;
    let plan = casting.plan(name, &bundle, staged, args.seed)?;
    Ok((plan, keeper))
}

/// How strategies become teams of a match.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Casting<'a> {
    pub(crate) game: &'static str,
    pub(crate) stage: &'a DemoStage,
    /// On virtual time.
    pub(crate) fast: bool,
    /// How long a decision may take.
    pub(crate) patience: Duration,
    /// Whether the keeper watches the strategy's folder.
    pub(crate) watch: bool,
}

/// A strategy that passed its trial.
#[derive(Debug)]
pub(crate) struct Cleared {
    pub(crate) bundle: Arc<Bundle>,
    pub(crate) staged: Staged,
    pub(crate) keeper: Keeper,
}

impl Casting<'_> {
    /// Tries a strategy: a folder, `idle`, or the shipped one when none is named.
    pub(crate) fn clear(&self, name: &str, strategy: Option<&Path>) -> Result<Cleared> {
        let game = self.game;
        let folder = strategy.filter(|path| *path != Path::new(IDLE));
        let bundle = match (strategy, folder) {
            (None, _) => shipped::strategy(game),
            (Some(_), None) => shipped::idle("worker", self.stage.idle),
            (Some(_), Some(folder)) => shipped::read(folder),
        };
        let refused = |error: LoadError| mistakes(name, &error.diagnostics);
        let bundle = Arc::new(bundle.map_err(refused)?);
        let reload = ReloadSettings::default();
        let mut keeper = Keeper::open(KeeperOptions {
            team: name.to_owned(),
            game,
            api: wire::api(game).context("the game has no script interface")?,
            roster: Arc::new(roster(self.stage, name, &bundle)?),
            limits: limits(),
            decide_max: self.patience,
            folder: folder.map(Path::to_path_buf),
            read: keepers::reader(),
            complete: keepers::completer(),
            watch: folder.is_some() && self.watch,
            settle: reload.settle,
            poll: reload.poll,
            keep: reload.keep,
            state: None,
            trial_max: reload.trial_max,
        });
        let (staged, _) =
            keeper.first(&bundle).map_err(|report| mistakes(name, &report.diagnostics))?;
        Ok(Cleared { bundle, staged, keeper })
    }

    /// The plan of a team that plays this strategy.
    pub(crate) fn plan(
        &self,
        name: &str,
        bundle: &Bundle,
        staged: Staged,
        seed: u64,
    ) -> Result<TeamPlan> {
        let roster = roster(self.stage, name, bundle)?;
        let options = TeamOptions { seed, ..TeamOptions::default() };
        // On virtual time nobody brings anything new that would have to be rehearsed.
        let rehearsal_turns = if self.fast { 0 } else { ReloadSettings::default().rehearsal_turns };
        Ok(TeamPlan {
            game: self.game.to_owned(),
            options: self.stage.options.clone(),
            seats: self.stage.seats(&roster),
            roster,
            staged,
            limits: limits(),
            team: TeamOptions {
                decide_max: self.patience,
                plan_max: self.patience * 2,
                rehearsal_turns,
                ..options
            },
            seat: SeatOptions { seed, ..SeatOptions::default() },
            recorder: None,
            checkpoints: None,
        })
    }
}

/// What the scripts of a team may use.
fn limits() -> Limits {
    Limits { load: LOAD_MAX, memory_bytes: MEMORY_BYTES, ..Limits::default() }
}

/// A strategy's mistakes as people read them, with excerpts.
fn mistakes(team: &str, findings: &[Diagnostic]) -> anyhow::Error {
    let text: Vec<_> = findings.iter().map(|one| excerpt(one).trim_end().to_owned()).collect();
    anyhow!("the strategy of team {team} cannot play\n{}", text.join("\n"))
}
