//! What a demo is about, by game: the referee's configuration, how many play, who sits where.

use crate::cli::{DemoArgs, DemoGame};
use crate::wire;
use anyhow::{Context, Result, anyhow, bail};
use phalanx_game::{AgentId, MarginLimits, Roster, RosterEntry, Seat, SeatId};
use phalanx_lua::Bundle;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::time::Duration;

/// The contest's first simulation: 70 × 70 cells, 15 agents a team.
const SIM1: &str = include_str!("../../../../deploy/arena/assemble/sim1.json");
/// How long the referee waits for answers, as in the contest.
const AGENT_TIMEOUT_MS: u64 = 4_000;
/// The shortest step of Agents Assemble in real time: people are to see something.
const PACE: Duration = Duration::from_millis(40);
/// Where a strategy has a scout, one agent in so many is one.
const AGENTS_PER_SCOUT: usize = 7;
/// Most agents of a team in a demo.
const AGENTS_MAX: u64 = 200;

/// Bomberland as its engine plays it today.
const ENGINE: &str = include_str!("../../../../deploy/arena/bomberland/engine.env");
/// How long a tick of Bomberland is by the clock that the referee keeps.
const TICK: Duration = Duration::from_millis(100);

/// A match without its players.
#[derive(Debug)]
pub(super) struct Setting {
    game: DemoGame,
    /// The referee's configuration in the organisers' format.
    pub(super) config: String,
    /// Agents of a team.
    pub(super) agents: usize,
    /// The shortest time of a step.
    pub(super) pace: Duration,
}

impl Setting {
    pub(super) fn new(args: &DemoArgs) -> Result<Self> {
        match args.game {
            DemoGame::Assemble => assemble(args),
            DemoGame::Bomberland => bomberland(args),
        }
    }

    /// What the team that does nothing plays.
    pub(super) fn idle_source(&self) -> &'static str {
        match self.game {
            DemoGame::Assemble => "return { decide = function() return act.skip() end }",
            DemoGame::Bomberland => "return { decide = function() return act.wait() end }",
        }
    }

    /// The agents of a team with their roles.
    pub(super) fn roster(&self, team: &str, bundle: &Bundle) -> Result<Roster> {
        let roles: Vec<&str> = bundle.root_names().collect();
        let main = roles.iter().find(|role| **role == "worker").or_else(|| roles.first());
        let main = *main.ok_or_else(|| {
            anyhow!(
                "team {team}: the strategy has no role file; --strategy and --opponent name folders"
            )
        })?;
        let scouts = if roles.contains(&"scout") { self.agents / AGENTS_PER_SCOUT } else { 0 };
        let entry = |index: usize| RosterEntry {
            name: format!("agent{team}{index}"),
            role: if index > self.agents - scouts { "scout" } else { main }.to_owned(),
        };
        Ok(Roster { team: team.to_owned(), agents: (1..=self.agents).map(entry).collect() })
    }

    /// The connections of a team: one an agent, or one for all.
    pub(super) fn seats(&self, roster: &Roster) -> Vec<Seat> {
        let named = |agent: AgentId| (agent, roster.name(agent).to_owned());
        let seat = |id, user: &str, agents, turn_limit| Seat {
            id,
            agents,
            user: user.to_owned(),
            password: "demo".to_owned(),
            turn_limit,
            margin: MarginLimits::default(),
        };
        let timeout = Duration::from_millis(AGENT_TIMEOUT_MS);
        match self.game {
            DemoGame::Assemble => {
                let place = |(agent, id): (AgentId, u16)| {
                    seat(SeatId(id), roster.name(agent), vec![named(agent)], timeout)
                };
                roster.ids().zip(0..).map(place).collect()
            }
            DemoGame::Bomberland => {
                vec![seat(SeatId(0), &roster.team, roster.ids().map(named).collect(), TICK)]
            }
        }
    }
}

fn assemble(args: &DemoArgs) -> Result<Setting> {
    let sim = simulation(args)?;
    let pace = if args.fast { Duration::ZERO } else { args.pace.unwrap_or(PACE) };
    let config = server(&sim).to_string();
    Ok(Setting { game: DemoGame::Assemble, config, agents: agents(&sim)?, pace })
}

fn settings(args: &DemoArgs, default: &str) -> Result<String> {
    match &args.sim {
        None => Ok(default.to_owned()),
        Some(path) => {
            std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
        }
    }
}

fn simulation(args: &DemoArgs) -> Result<Value> {
    let text = settings(args, SIM1)?;
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

/// Later lines win: what the demo must have stands at the end.
fn bomberland(args: &DemoArgs) -> Result<Setting> {
    let mut config = settings(args, ENGINE)?;
    let mut set = |name: &str, value: &str| {
        // Writing to a string cannot fail.
        write!(config, "\n{name}={value}").unwrap_or_default();
    };
    set("AGENT_SECRET_ID_MAP", r#"{"A":"a","B":"b"}"#);
    set("TOTAL_AGENTS", "2");
    set("TRAINING_MODE_ENABLED", "0");
    set("WORLD_SEED", &args.seed.to_string());
    set("PRNG_SEED", &args.seed.to_string());
    if let Some(steps) = args.steps {
        set("GAME_DURATION_TICKS", &steps.to_string());
    }
    if args.fast {
        // Ticks are what counts; with the engine's tenth of a second a script that a busy machine
        // holds up would lose its turn, and the match would be another one.
        set("TICK_RATE_HZ", "1");
    }
    let agents = wire::bomberland_units(&config)?;
    let pace = if args.fast { None } else { args.pace };
    Ok(Setting { game: DemoGame::Bomberland, config, agents, pace: pace.unwrap_or(Duration::ZERO) })
}
