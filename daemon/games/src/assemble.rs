//! The wiring of MAPC 2020, Agents Assemble II.

use super::demo::{Connections, DemoAsk, DemoStage, PASSWORD};
use super::plugin::{GameSetup, Plugin};
use super::replays::{self, ReplayForm};
use super::{ArenaPlan, GameOptions, Start, WireError};
use phalanx_assemble::Assemble;
use phalanx_assemble::arena::config::Launch;
use phalanx_assemble::arena::{ArenaConfig, ArenaOptions, AssembleArena};
use phalanx_game::Arena;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// The contest's first simulation: 70 × 70 cells, 15 agents per team.
const SIM1: &str = include_str!("../../../deploy/arena/assemble/sim1.json");
/// The contest's last simulation: 50 agents per team.
const SIM3: &str = include_str!("../../../deploy/arena/assemble/sim3.json");
/// How long the referee waits for answers, as in the contest.
const AGENT_TIMEOUT_MS: u64 = 4_000;
/// The shortest step of a demo in real time, so that people can follow.
const PACE: Duration = Duration::from_millis(200);
/// Agents per team in a demo, at most.
const AGENTS_MAX: u64 = 200;
/// The name of the configuration, which exists only in memory.
const CONFIG: &str = "demo.json";

pub(super) struct Wiring;

impl Plugin for Wiring {
    type Game = Assemble;

    fn game(&self, _: &GameOptions) -> Assemble {
        Assemble
    }
}

impl GameSetup for Wiring {
    fn about(&self) -> &'static str {
        "MAPC 2020, Agents Assemble II: JSON over TCP, port 12300 unless the file says otherwise"
    }

    fn replay(&self) -> Option<&'static ReplayForm> {
        Some(&replays::massim::FORM)
    }

    fn variants(&self) -> &'static [&'static str] {
        &["sim1"]
    }

    fn pace(&self, _variant: Option<&str>) -> Duration {
        PACE
    }

    fn launch_key(&self) -> Option<&'static str> {
        Some("launch")
    }

    fn arena(&self, plan: &ArenaPlan<'_>) -> Result<(Box<dyn Arena>, u16), WireError> {
        let config = ArenaConfig::load(plan.config, plan.read)
            .map_err(|error| WireError::Arena(error.to_string()))?;
        let port = config.server.port;
        let launch = match plan.start {
            Start::File => None,
            Start::Now => Some(Launch::After(Duration::ZERO)),
            Start::Complete => Some(Launch::Complete),
        };
        let options = ArenaOptions { launch, pace: plan.pace, ..ArenaOptions::default() };
        Ok((Box::new(AssembleArena::new(config, options, plan.origin)), port))
    }

    fn demo(&self, ask: &DemoAsk) -> Result<DemoStage, WireError> {
        let sim = simulation(ask)?;
        let agents = agents(ask, &sim)?;
        let pace = ask.pace(self.pace(ask.variant.as_deref()));
        let config = server(&sim).to_string();
        let read = move |path: &Path| {
            let known = path == Path::new(CONFIG);
            known.then(|| config.clone().into_bytes()).ok_or_else(|| {
                std::io::Error::other("a demo's simulation must be one file, without includes")
            })
        };
        Ok(DemoStage {
            arena: Box::new(move |origin| {
                let config = Path::new(CONFIG);
                let start = Start::Complete;
                Ok(Wiring.arena(&ArenaPlan { config, read: &read, origin, start, pace })?.0)
            }),
            teams: 2,
            options: GameOptions::new(),
            agents,
            connections: Connections::Agents,
            turn_limit: Duration::from_millis(AGENT_TIMEOUT_MS),
            idle: "return { decide = function() return act.skip() end }",
        })
    }

    fn load(&self, ask: &DemoAsk) -> Result<DemoStage, WireError> {
        let settings = Some((SIM3.to_owned(), "sim3.json".to_owned()));
        self.demo(&DemoAsk { settings, ..ask.clone() })
    }
}

fn simulation(ask: &DemoAsk) -> Result<Value, WireError> {
    let mut sim: Value = serde_json::from_str(&ask.settings_or(SIM1))
        .map_err(|error| ask.refuse(&format!("is not JSON: {error}")))?;
    let keys = sim.as_object_mut();
    let keys = keys.ok_or_else(|| ask.refuse("a simulation is a JSON object"))?;
    keys.insert("randomSeed".into(), json!(ask.seed));
    if let Some(steps) = ask.steps {
        keys.insert("steps".into(), json!(steps));
    }
    Ok(sim)
}

fn agents(ask: &DemoAsk, sim: &Value) -> Result<usize, WireError> {
    let entities = sim.get("entities").and_then(Value::as_object).ok_or_else(|| {
        ask.refuse("a demo needs one simulation, with `entities`; is this a server configuration?")
    })?;
    let count: u64 = entities.values().filter_map(Value::as_u64).sum();
    match usize::try_from(count) {
        Ok(agents) if (1..=AGENTS_MAX).contains(&count) => Ok(agents),
        _ => Err(ask.refuse(&format!(
            "the simulation has {count} agents per team; a demo plays with 1 to {AGENTS_MAX}"
        ))),
    }
}

/// The referee's configuration in the organisers' format.
fn server(sim: &Value) -> Value {
    let account = json!({ "prefix": "agent", "password": PASSWORD });
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
