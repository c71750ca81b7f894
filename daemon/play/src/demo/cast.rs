//! The teams of a demo and their strategies.

use crate::args::DemoArgs;
use anyhow::{Context, Result, bail};
use phalanx_chaos::{FaultLog, FaultPlan, disturb};
use phalanx_engine::TeamOptions;
use phalanx_game::{Arena, Origin};
use phalanx_games::TeamPlan;
use phalanx_games::demo::{DemoAsk, DemoStage, check_worlds};
use phalanx_strategy::Keeper;
use phalanxd::casting::{Casting, TriedStrategy};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// On virtual time a call may take this long, so that a busy machine does not change the match.
pub(crate) const PATIENCE: Duration = Duration::from_secs(1);

/// A match that is ready to be played.
#[derive(Debug)]
pub(super) struct Cast {
    pub(super) game: &'static str,
    pub(super) teams: Vec<TeamPlan>,
    /// The keepers of the teams' strategies, in the same order.
    pub(super) keepers: Vec<Keeper>,
    stage: DemoStage,
    faults: Option<FaultPlan>,
    seed: u64,
}

impl Cast {
    pub(super) fn new(args: &DemoArgs) -> Result<Self> {
        let game = phalanx_games::game_of(args.game, args.strategy.as_deref());
        let stage = phalanx_games::demo(game, &ask(args, game)?)?;
        let faults = args.faults.as_deref().map(|given| crate::faults::plan(given, game));
        let faults = faults.transpose()?;
        let opponent = args.opponent.as_deref();
        let (mut teams, mut keepers) = (Vec::new(), Vec::new());
        if stage.teams < 2 && opponent.is_some() {
            bail!("in {game} a team plays alone: omit --opponent");
        }
        let both = [("A", args.strategy.as_deref()), ("B", opponent)];
        for (name, strategy) in both.into_iter().take(stage.teams) {
            let (team, keeper) = team((game, &stage), name, strategy, args)?;
            teams.push(team);
            keepers.push(keeper);
        }
        Ok(Self { game, teams, keepers, stage, faults, seed: args.seed })
    }

    /// Builds the referee, behind a network of faults if there is a plan of them.
    pub(super) fn arena(&self, origin: Origin) -> Result<(Box<dyn Arena>, Option<FaultLog>)> {
        let arena = (self.stage.arena)(origin)?;
        let Some(plan) = &self.faults else { return Ok((arena, None)) };
        let (arena, log) = disturb(arena, self.game, plan, (self.seed, origin));
        Ok((arena, Some(log)))
    }
}

fn ask(args: &DemoArgs, game: &str) -> Result<DemoAsk> {
    let variants = phalanx_games::variants(game)?;
    if let Some(variant) = args.variant.as_deref().filter(|one| !variants.contains(one)) {
        let known = variants.join(", ");
        bail!("{game} has no variant {variant:?}; there are: {known}");
    }
    check_worlds(game, args.worlds)?;
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

fn team(
    (game, stage): (&'static str, &DemoStage),
    name: &str,
    strategy: Option<&Path>,
    args: &DemoArgs,
) -> Result<(TeamPlan, Keeper)> {
    let patience = if args.fast { PATIENCE } else { TeamOptions::default().decide_max };
    let watch = !args.no_watch && !args.fast;
    let tuned = !args.tuned.no_tuned;
    let casting = Casting { game, stage, fast: args.fast, patience, watch, tuned };
    let TriedStrategy { bundle, staged, keeper } = casting.clear(name, strategy)?;
    let plan = casting.plan(name, &bundle, staged, args.seed)?;
    Ok((plan, keeper))
}
