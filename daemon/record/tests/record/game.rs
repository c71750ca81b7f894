//! A match of MAPC 2020 on a virtual clock, and recorders for tests.

use phalanx_assemble::Assemble;
use phalanx_assemble::arena::config::Launch;
use phalanx_assemble::arena::{ArenaConfig, ArenaOptions, AssembleArena};
use phalanx_engine::{
    Ask, Brain, BrainError, Generation, Outcome, Staged, StrategyOrigin, TeamOptions,
};
use phalanx_game::{AgentId, MarginLimits, Origin, Roster, RosterEntry, Said, Seat, SeatId, Value};
use phalanx_net::{Appetite, Lockstep, LockstepEnd, LockstepOptions, Recorder, Taped, now, origin};
use phalanx_record::{Bundler, RecordingInfo, RecordingOptions};
use serde_json::json;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

/// Longer than a disk takes on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// Walks a few steps in one direction, then in the next one.
struct Walker;

impl Brain for Walker {
    fn decide(&mut self, ask: &Ask<'_>) -> Outcome<Said> {
        let leg = u32::from(ask.agent.0) + ask.turn.step / 4;
        let direction = ["n", "e", "s", "w"][usize::try_from(leg % 4).unwrap()];
        Outcome::new(Ok(Said::new("move", vec![Value::from(direction)])), Duration::ZERO)
    }
}

fn name(agent: u16) -> String {
    format!("agentA{}", agent + 1)
}

/// A strategy of two files.
pub(crate) fn staged() -> Staged {
    let generation = Generation {
        number: 1,
        hash: "5ca1ab1e".repeat(8),
        accepted: SystemTime::UNIX_EPOCH,
        origin: StrategyOrigin::Start,
    };
    Staged { generation: Arc::new(generation), ..Staged::default() }
}

pub(crate) fn files() -> Vec<(String, String)> {
    let file = |path: &str, source: &str| (path.to_owned(), source.to_owned());
    vec![file("team.lua", "return {}"), file("worker.lua", "return { decide = walk }")]
}

/// Plays a match of one team of 15 agents.
pub(crate) fn play(steps: u32, recorder: Arc<dyn Recorder>) {
    let text = include_str!("../../../../deploy/arena/assemble/sim1.json");
    let mut sim: serde_json::Value = serde_json::from_str(text).unwrap();
    sim["steps"] = json!(steps);
    let server = json!({
        "server": {
            "tournamentMode": "round-robin", "teamsPerMatch": 1, "launch": "key", "port": 0,
            "backlog": 100, "agentTimeout": 4_000, "resultPath": "results",
            "logLevel": "normal", "logPath": "logs", "replayPath": "replays",
            "maxPacketLength": 65_536, "waitBetweenSimulations": 0,
        },
        "match": [sim],
        "teams": { "A": { "prefix": "agent", "password": "1" } },
    });
    let read = move |_: &Path| Ok(server.to_string().into_bytes());
    let config = ArenaConfig::load(Path::new("server.json"), &read).unwrap();
    let launch = Some(Launch::After(Duration::ZERO));
    let options = ArenaOptions { launch, ..ArenaOptions::default() };
    let arena = AssembleArena::new(config, options, origin());
    let mut lockstep = Lockstep::new(Box::new(arena), now(), LockstepOptions::default());
    lockstep.record_next(recorder);
    let entry = |agent| RosterEntry::new(name(agent), "worker");
    let seat = |agent| Seat {
        id: SeatId(agent),
        agents: vec![(AgentId(agent), name(agent))],
        user: name(agent),
        password: "1".into(),
        turn_limit: Duration::from_secs(4),
        margin: MarginLimits::default(),
    };
    let roster = Roster { team: "A".into(), agents: (0..15).map(entry).collect() };
    let seats: Vec<_> = (0..15).map(seat).collect();
    let brain = |_, _: &Staged| Ok::<_, BrainError>(Walker);
    let team = TeamOptions { seed: 7, ..TeamOptions::default() };
    lockstep.add_team(&Assemble, Arc::new(roster), &seats, team, staged(), brain).unwrap();
    assert_eq!(lockstep.run(&mut ()), LockstepEnd::Over);
}

/// The description of a recording that begins now.
pub(crate) fn info() -> RecordingInfo {
    RecordingInfo {
        team: "A".into(),
        game: "assemble".into(),
        server: "localhost:12300".into(),
        seed: 7,
        game_options: [("protocol_revision".to_owned(), "r2".to_owned())].into(),
        script_memory_bytes: 32 << 20,
        program_version: "0.1.0".into(),
        begun: Origin { instant: now(), unix_ms: 1_795_311_000_250 },
    }
}

/// Options for a folder, with the strategy's files.
pub(crate) fn options(folder: &Path) -> RecordingOptions {
    RecordingOptions { bundler: Bundler::new(|_| Some(files())), ..RecordingOptions::new(folder) }
}

/// Keeps everything in memory, and passes it on.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    pub(crate) entries: Mutex<Vec<(Instant, Taped)>>,
    pub(crate) next: Option<Arc<dyn Recorder>>,
}

impl Recorder for Kept {
    fn put(&self, at: Instant, what: Taped) {
        if let Some(next) = &self.next {
            next.put(at, what.clone());
        }
        self.entries.lock().unwrap().push((at, what));
    }

    fn appetite(&self) -> Appetite {
        Appetite::Everything
    }
}
