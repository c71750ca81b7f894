//! Who plays in a demo, and what.

use super::setting::Setting;
use crate::cli::DemoArgs;
use crate::strategy::excerpt;
use crate::wire::{self, ArenaPlan, Start, TeamPlan};
use crate::{keepers, shipped};
use anyhow::{Context, Result, anyhow};
use phalanx_engine::TeamOptions;
use phalanx_game::{Arena, Origin};
use phalanx_lua::{Diagnostic, Limits, LoadError};
use phalanx_net::SeatOptions;
use phalanx_settings::ReloadSettings;
use phalanx_strategy::{Keeper, KeeperOptions};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// On virtual time a call may take this long, so that a busy machine does not change the match.
const PATIENCE: Duration = Duration::from_secs(1);
/// How long a strategy may take to load.
const LOAD_MAX: Duration = Duration::from_secs(10);
/// What the scripts of a team may use, as the daemon's settings have it.
const MEMORY_BYTES: usize = 64 << 20;
/// The name of the configuration that exists only in memory.
const CONFIG: &str = "demo";
/// The name by which the second team may be told to do nothing.
const IDLE: &str = "idle";

/// A match, ready to be played.
#[derive(Debug)]
pub(super) struct Cast {
    pub(super) game: &'static str,
    pub(super) teams: Vec<TeamPlan>,
    /// The keepers of the teams' strategies, in the same order.
    pub(super) keepers: Vec<Keeper>,
    setting: Setting,
}

impl Cast {
    pub(super) fn new(args: &DemoArgs) -> Result<Self> {
        let game = args.game.name();
        let setting = Setting::new(args)?;
        let opponent = args.opponent.as_deref();
        let (mut teams, mut keepers) = (Vec::new(), Vec::new());
        for (name, strategy) in [("A", args.strategy.as_deref()), ("B", opponent)] {
            let (team, keeper) = team(&setting, name, strategy, args)?;
            teams.push(team);
            keepers.push(keeper);
        }
        Ok(Self { game, teams, keepers, setting })
    }

    /// The referee.
    pub(super) fn arena(&self, origin: Origin) -> Result<Box<dyn Arena>> {
        let read = |path: &Path| {
            let known = path == Path::new(CONFIG);
            known.then(|| self.setting.config.clone().into_bytes()).ok_or_else(|| {
                std::io::Error::other("a demo's simulation stands in one file, without includes")
            })
        };
        let plan = ArenaPlan {
            config: Path::new(CONFIG),
            read: &read,
            origin,
            start: Start::Complete,
            pace: self.setting.pace,
        };
        Ok(wire::arena(self.game, &plan)?.0)
    }
}

fn team(
    setting: &Setting,
    name: &str,
    strategy: Option<&Path>,
    args: &DemoArgs,
) -> Result<(TeamPlan, Keeper)> {
    let game = args.game.name();
    let folder = strategy.filter(|path| *path != Path::new(IDLE));
    let bundle = match (strategy, folder) {
        (None, _) => shipped::strategy(game),
        (Some(_), None) => shipped::idle("worker", setting.idle_source()),
        (Some(_), Some(folder)) => shipped::read(folder),
    };
    let refused = |error: LoadError| mistakes(name, &error.diagnostics);
    let bundle = Arc::new(bundle.map_err(refused)?);
    let roster = setting.roster(name, &bundle)?;
    let limits = Limits { load: LOAD_MAX, memory_bytes: MEMORY_BYTES, ..Limits::default() };
    let patience = if args.fast { PATIENCE } else { TeamOptions::default().decide_max };
    let reload = ReloadSettings::default();
    let mut keeper = Keeper::open(KeeperOptions {
        team: name.to_owned(),
        game,
        api: wire::api(game).context("the game has no script interface")?,
        roster: Arc::new(roster.clone()),
        limits,
        decide_max: patience,
        folder: folder.map(Path::to_path_buf),
        read: keepers::reader(),
        complete: keepers::completer(),
        watch: folder.is_some() && !args.no_watch && !args.fast,
        settle: reload.settle,
        poll: reload.poll,
        keep: reload.keep,
        state: None,
        trial_max: reload.trial_max,
    });
    let (staged, _) =
        keeper.first(&bundle).map_err(|report| mistakes(name, &report.diagnostics))?;
    let options = TeamOptions { seed: args.seed, ..TeamOptions::default() };
    // On virtual time nobody brings anything new that would have to be rehearsed.
    let rehearsal_turns = if args.fast { 0 } else { reload.rehearsal_turns };
    let plan = TeamPlan {
        game: game.to_owned(),
        seats: setting.seats(&roster),
        roster,
        staged,
        limits,
        team: TeamOptions {
            decide_max: patience,
            plan_max: patience * 2,
            rehearsal_turns,
            ..options
        },
        seat: SeatOptions { seed: args.seed, ..SeatOptions::default() },
    };
    Ok((plan, keeper))
}

/// A strategy's mistakes as people read them, with excerpts.
fn mistakes(team: &str, findings: &[Diagnostic]) -> anyhow::Error {
    let text: Vec<_> = findings.iter().map(|one| excerpt(one).trim_end().to_owned()).collect();
    anyhow!("the strategy of team {team} cannot play\n{}", text.join("\n"))
}
