//! A team grows and shrinks in the middle of a match of MAPC 2020, over loopback: new agents play,
//! the others continue, and the map stays.

use phalanx_assemble::Assemble;
use phalanx_assemble::arena::config::Launch;
use phalanx_assemble::arena::{ArenaConfig, ArenaOptions, AssembleArena};
use phalanx_engine::{
    Ask, Brain, BrainError, CopyView, JournalEvent, Outcome, RoundResult, SeatState, Snapshot,
    Staged, TeamOptions, TurnDone,
};
use phalanx_game::{AgentId, MarginLimits, Oracle, Roster, RosterEntry, Said, Seat, SeatId, Value};
use phalanx_net::{
    AgentSpec, Endpoint, HostOptions, JournalItem, Listener, SeatOptions, TeamHandle, TeamSpec,
    origin, serve_arena,
};
use serde_json::json;
use std::path::Path;
use std::time::Duration;

/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);
/// The referee waits this long for missing agents.
const AGENT_TIMEOUT_MS: u64 = 400;
/// Agents of a team in this contest, and how many of them play at first.
const AGENTS: u16 = 15;
const FIRST: u16 = 12;

/// Walks a few steps in one direction, then in the next one.
struct Walker;

impl Brain for Walker {
    fn start(&mut self, _ask: &Ask<'_>) -> Outcome<()> {
        done(())
    }
    fn plan(&mut self, _ask: &Ask<'_>) -> Outcome<()> {
        done(())
    }
    fn decide(&mut self, ask: &Ask<'_>) -> Outcome<Said> {
        let leg = u32::from(ask.agent.0) + ask.turn.step / 4;
        let direction = ["n", "e", "s", "w"][usize::try_from(leg % 4).unwrap()];
        done(Said::new("move", vec![Value::from(direction)]))
    }
    fn finish(&mut self, _ask: &Ask<'_>, _result: RoundResult) -> Outcome<()> {
        done(())
    }
}

fn done<T>(value: T) -> Outcome<T> {
    Outcome::new(Ok(value), Duration::ZERO)
}

fn name(agent: u16) -> String {
    format!("agentA{}", agent + 1)
}

/// A referee that begins at once, with one team and the contest's first world.
fn arena() -> AssembleArena {
    let text = include_str!("../../../../deploy/arena/assemble/sim1.json");
    let mut sim: serde_json::Value = serde_json::from_str(text).unwrap();
    sim["randomFail"] = json!(0);
    let server = json!({
        "server": {
            "tournamentMode": "round-robin", "teamsPerMatch": 1, "launch": "key", "port": 0,
            "backlog": 100, "agentTimeout": AGENT_TIMEOUT_MS, "resultPath": "results",
            "logLevel": "normal", "logPath": "logs", "replayPath": "replays",
            "maxPacketLength": 65_536, "waitBetweenSimulations": 0,
        },
        "match": [sim],
        "teams": { "A": { "prefix": "agent", "password": "1" } },
    });
    let read = move |_: &Path| Ok(server.to_string().into_bytes());
    let config = ArenaConfig::load(Path::new("server.json"), &read).unwrap();
    let launch = Some(Launch::After(Duration::ZERO));
    AssembleArena::new(config, ArenaOptions { launch, ..ArenaOptions::default() }, origin())
}

async fn team(endpoint: Endpoint) -> TeamHandle {
    let entry = |agent| RosterEntry::new(name(agent), "worker");
    let margin = MarginLimits { min: Duration::from_millis(100), max: Duration::from_millis(200) };
    let seat = |agent| Seat {
        id: SeatId(agent),
        agents: vec![(AgentId(agent), name(agent))],
        user: name(agent),
        password: "1".into(),
        turn_limit: Duration::from_secs(4),
        margin,
    };
    let spec = TeamSpec {
        name: "A".to_owned(),
        game: Assemble,
        roster: Roster { team: "A".into(), agents: (0..FIRST).map(entry).collect() },
        seats: (0..FIRST).map(seat).collect(),
        endpoint,
        staged: Staged::default(),
        team: TeamOptions::default(),
        seat: SeatOptions::default(),
        recorder: None,
        checkpoints: None,
    };
    spec.build(|_, _: &Staged| Ok::<_, BrainError>(Walker)).await.unwrap().spawn()
}

async fn add(team: &TeamHandle, agent: u16) -> AgentId {
    let (role, password) = ("worker".to_owned(), "1".to_owned().into());
    let spec = AgentSpec { name: name(agent), role, user: None, password };
    team.add_agent(spec, "ann".into()).await.unwrap()
}

/// Waits for a snapshot.
async fn until(team: &TeamHandle, wanted: impl FnMut(&std::sync::Arc<Snapshot>) -> bool) {
    let mut snapshots = team.snapshots();
    let seen = tokio::time::timeout(PATIENCE, snapshots.wait_for(wanted)).await;
    drop(seen.expect("in time").unwrap());
}

/// Waits until this turn is over.
async fn turn(team: &TeamHandle, tick: u64) {
    until(team, |snapshot| snapshot.tick > tick).await;
}

/// The outcome of the next whole turn with this many agents.
async fn whole_turn(team: &TeamHandle, agents: u32) -> TurnDone {
    let mut journal = team.journal().unwrap();
    let wanted = async {
        loop {
            let Some(JournalItem::Entry(entry)) = journal.next().await else { continue };
            if let JournalEvent::TurnDone(done) = entry.event
                && done.asked == agents
            {
                return done;
            }
        }
    };
    tokio::time::timeout(PATIENCE, wanted).await.expect("in time")
}

/// The position of an agent, by the world of the newest copy that is at least this new.
struct Sight {
    world: std::sync::Arc<dyn Oracle + Send + Sync>,
}

impl Sight {
    async fn since(team: &TeamHandle, tick: u64) -> Self {
        let mut snapshots = team.snapshots();
        loop {
            let view = team.call(CopyView, "").await.unwrap();
            match view.scenes.last() {
                Some(scene) if scene.tick >= tick => return Self { world: scene.oracle.clone() },
                Some(_) | None => snapshots.changed().await.unwrap(),
            }
        }
    }

    fn ask(&self, agent: u16, query: &str, args: &[Value]) -> Value {
        self.world.query(AgentId(agent), query, args).unwrap()
    }

    /// x, y and group, as arguments of `rebase`.
    fn here(&self, agent: u16) -> Vec<Value> {
        let here = self.ask(agent, "here", &[]);
        ["x", "y", "group"].map(|field| here.get(field).unwrap().clone()).into()
    }

    /// Whether the map of an agent's group still contains a place that it knew before.
    fn knows(&self, agent: u16, place: &[Value]) -> bool {
        let Some((x, y)) = self.ask(agent, "rebase", place).as_cell() else { return false };
        self.ask(agent, "cell", &[Value::from(x), Value::from(y)]) != Value::Nil
    }

    fn mates(&self, agent: u16) -> Vec<String> {
        let mates = self.ask(agent, "agents", &[]);
        let name = |mate: &Value| mate.get("name").unwrap().as_str().unwrap().to_owned();
        mates.as_list().unwrap().iter().map(name).collect()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_come_and_one_goes_in_the_middle_of_a_match_and_the_map_stays() {
    let listener = Listener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.address().unwrap().port();
    let _arena = serve_arena(Box::new(arena()), listener, HostOptions::default());
    let team = team(Endpoint::tcp("127.0.0.1", port)).await;
    turn(&team, 6).await;
    let early = Sight::since(&team, 6).await;
    let places: Vec<_> = (0..FIRST).map(|agent| early.here(agent)).collect();

    for agent in FIRST..AGENTS {
        assert_eq!(add(&team, agent).await, AgentId(agent));
    }
    let full = whole_turn(&team, u32::from(AGENTS)).await;
    assert!(full.decided > u32::from(FIRST), "those who came decide too: {full:?}");
    let tick = team.snapshot().tick;
    turn(&team, tick + 20).await;
    let grown = Sight::since(&team, tick + 20).await;
    for (agent, place) in (0..FIRST).zip(&places) {
        assert!(grown.knows(agent, place), "agent {agent} forgot {place:?}");
    }
    for agent in FIRST..AGENTS {
        assert_ne!(grown.here(agent)[2], Value::Nil, "agent {agent} is somewhere");
    }

    let gone = 4;
    team.remove_agent(AgentId(gone), "ann".into()).await.unwrap();
    assert_eq!(team.seat_of(AgentId(gone)).unwrap().borrow().state, SeatState::Closed);
    assert_eq!(team.seats().len(), usize::from(AGENTS) - 1);
    let without = whole_turn(&team, u32::from(AGENTS) - 1).await;
    assert!(without.decided > u32::from(FIRST), "the others play on: {without:?}");
    let tick = team.snapshot().tick;
    turn(&team, tick + 3).await;
    let shrunk = Sight::since(&team, tick + 3).await;
    for (agent, place) in (0..FIRST).zip(&places) {
        assert!(shrunk.knows(agent, place), "agent {agent} forgot {place:?}");
    }
    let mates: Vec<_> = (0..AGENTS).flat_map(|agent| shrunk.mates(agent)).collect();
    assert!(!mates.contains(&name(gone)), "it is not a team mate any more");

    assert_eq!(add(&team, gone).await, AgentId(gone), "its old id");
    let full = whole_turn(&team, u32::from(AGENTS)).await;
    assert!(full.decided > u32::from(FIRST), "{full:?}");
    // The journal has a turn before the snapshot does.
    let again = Sight::since(&team, team.snapshot().tick + 1).await;
    assert!(again.mates(gone).contains(&name(gone)), "it is among those who count");
    let report = team.drain(Duration::from_secs(5)).await;
    assert_eq!(report.stragglers, [""; 0]);
}
