//! Who plays in a demo, and what.

use crate::cli::DemoArgs;
use crate::strategy::excerpt;
use crate::wire::{self, ArenaPlan, Start, TeamPlan};
use crate::{keepers, shipped};
use anyhow::{Context, Result, anyhow, bail};
use phalanx_engine::TeamOptions;
use phalanx_game::{AgentId, Arena, MarginLimits, Origin, Roster, RosterEntry, Seat, SeatId};
use phalanx_lua::{Bundle, Diagnostic, Limits, LoadError};
use phalanx_net::SeatOptions;
use phalanx_settings::ReloadSettings;
use phalanx_strategy::{Keeper, KeeperOptions};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// The contest's first simulation: 70 × 70 cells, 15 agents a team.
const SIM1: &str = include_str!("../../../../deploy/arena/assemble/sim1.json");
/// How long the referee waits for answers, as in the contest.
const AGENT_TIMEOUT_MS: u64 = 4_000;
/// On virtual time a call may take this long, so that a busy machine does not change the match.
const PATIENCE: Duration = Duration::from_secs(1);
/// How long a strategy may take to load.
const LOAD_MAX: Duration = Duration::from_secs(10);
/// What the scripts of a team may use, as the daemon's settings have it.
const MEMORY_BYTES: usize = 64 << 20;
/// Where a strategy has a scout, one agent in so many is one.
const AGENTS_PER_SCOUT: usize = 7;
/// Most agents of a team in a demo.
const AGENTS_MAX: u64 = 200;

/// The name of the configuration that exists only in memory.
const CONFIG: &str = "demo.json";
/// The name by which the second team may be told to do nothing.
const IDLE: &str = "idle";

/// A match, ready to be played.
#[derive(Debug)]
pub(super) struct Cast {
    pub(super) game: &'static str,
    pub(super) teams: Vec<TeamPlan>,
    /// The keepers of the teams' strategies, in the same order.
    pub(super) keepers: Vec<Keeper>,
    config: String,
    pace: Duration,
}

impl Cast {
    pub(super) fn new(args: &DemoArgs) -> Result<Self> {
        let game = args.game.name();
        let sim = simulation(args)?;
        let count = agents(&sim)?;
        let opponent = args.opponent.as_deref();
        let (mut teams, mut keepers) = (Vec::new(), Vec::new());
        for (name, strategy) in [("A", args.strategy.as_deref()), ("B", opponent)] {
            let (team, keeper) = team(game, name, strategy, count, args)?;
            teams.push(team);
            keepers.push(keeper);
        }
        let pace = if args.fast { Duration::ZERO } else { args.pace };
        Ok(Self { game, teams, keepers, config: server(&sim).to_string(), pace })
    }

    /// The referee.
    pub(super) fn arena(&self, origin: Origin) -> Result<Box<dyn Arena>> {
        let read = |path: &Path| {
            let known = path == Path::new(CONFIG);
            known.then(|| self.config.clone().into_bytes()).ok_or_else(|| {
                std::io::Error::other("a demo's simulation stands in one file, without includes")
            })
        };
        let plan = ArenaPlan {
            config: Path::new(CONFIG),
            read: &read,
            origin,
            start: Start::Complete,
            pace: self.pace,
        };
        Ok(wire::arena(self.game, &plan)?.0)
    }
}

fn simulation(args: &DemoArgs) -> Result<Value> {
    let text = match &args.sim {
        None => SIM1.to_owned(),
        Some(path) => std::fs::read_to_string(path)
            .with_context(|| format!("cannot read {}", path.display()))?,
    };
    let mut sim: Value = serde_json::from_str(&text).with_context(|| {
        let file = args.sim.as_deref().map(|path| path.display().to_string());
        format!("{} is not JSON", file.unwrap_or_default())
    })?;
    let Some(keys) = sim.as_object_mut() else { bail!("a simulation is a JSON object") };
    keys.insert("randomSeed".into(), json!(args.seed));
    if let Some(steps) = args.steps {
        keys.insert("steps".into(), json!(steps));
    }
    Ok(sim)
}

fn agents(sim: &Value) -> Result<usize> {
    let entities = sim.get("entities").and_then(Value::as_object);
    let count: u64 = entities
        .ok_or_else(|| {
            anyhow!("--sim wants one simulation, with `entities`; is this a server configuration?")
        })?
        .values()
        .filter_map(Value::as_u64)
        .sum();
    match usize::try_from(count) {
        Ok(agents) if (1..=AGENTS_MAX).contains(&count) => Ok(agents),
        _ => bail!("the simulation has {count} agents a team; a demo plays with 1 to {AGENTS_MAX}"),
    }
}

/// The referee's configuration in the organisers' format.
fn server(sim: &Value) -> Value {
    let account = json!({ "prefix": "agent", "password": "demo" });
    json!({
        "server": {
            "tournamentMode": "round-robin", "teamsPerMatch": 2, "launch": "key", "port": 0,
            "backlog": 100, "agentTimeout": AGENT_TIMEOUT_MS, "resultPath": "results",
            "logLevel": "normal", "logPath": "logs", "replayPath": "replays",
            "maxPacketLength": 65_536, "waitBetweenSimulations": 0,
        },
        "match": [sim],
        "teams": { "A": account, "B": account },
    })
}

fn team(
    game: &'static str,
    name: &str,
    strategy: Option<&Path>,
    count: usize,
    args: &DemoArgs,
) -> Result<(TeamPlan, Keeper)> {
    let folder = strategy.filter(|path| *path != Path::new(IDLE));
    let bundle = match (strategy, folder) {
        (None, _) => shipped::strategy(game),
        (Some(_), None) => shipped::idle("worker"),
        (Some(_), Some(folder)) => shipped::read(folder),
    };
    let refused = |error: LoadError| mistakes(name, &error.diagnostics);
    let bundle = Arc::new(bundle.map_err(refused)?);
    let roster = roster(name, &bundle, count)?;
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
        seats: seats(&roster),
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

fn roster(team: &str, bundle: &Bundle, count: usize) -> Result<Roster> {
    let roles: Vec<&str> = bundle.root_names().collect();
    let main = roles.iter().find(|role| **role == "worker").or_else(|| roles.first());
    let main = *main.ok_or_else(|| anyhow!("team {team}: the strategy has no role file"))?;
    let scouts = if roles.contains(&"scout") { count / AGENTS_PER_SCOUT } else { 0 };
    let entry = |index: usize| RosterEntry {
        name: format!("agent{team}{index}"),
        role: if index > count - scouts { "scout" } else { main }.to_owned(),
    };
    Ok(Roster { team: team.to_owned(), agents: (1..=count).map(entry).collect() })
}

fn seats(roster: &Roster) -> Vec<Seat> {
    let seat = |(agent, index): (AgentId, u16)| Seat {
        id: SeatId(index),
        agents: vec![(agent, roster.name(agent).to_owned())],
        user: roster.name(agent).to_owned(),
        password: "demo".to_owned(),
        turn_limit: Duration::from_millis(AGENT_TIMEOUT_MS),
        margin: MarginLimits::default(),
    };
    roster.ids().zip(0..).map(seat).collect()
}
