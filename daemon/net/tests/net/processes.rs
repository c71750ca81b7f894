//! The arena's host starts its players: real processes, the agents of `tests/agents`, against the
//! referee of Colosseum.

use crate::referee::Client;
use phalanx_colosseum::arena::{ArenaOptions, ColosseumArena, Mode};
use phalanx_net::{
    ArenaEnd, ArenaHandle, Endpoint, HostOptions, Listener, Player, PlayerProcesses, Stderr,
    memory, origin, serve_arena,
};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Duration;

const AGENTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/agents");

/// A referee for players of these names, with files below a folder.
struct Stage {
    options: ArenaOptions,
    host: HostOptions,
    folder: tempfile::TempDir,
}

impl Stage {
    /// `NAME.agent.py` of our agents; a dot is a player that connects by itself.
    fn new(players: &[&str]) -> Self {
        let program = |name: &str| Path::new(AGENTS).join(format!("{name}.agent.py"));
        let player = |name: &&str| Player {
            name: (*name).to_owned(),
            program: (*name != ".").then(|| program(name)),
        };
        let folder = tempfile::tempdir().unwrap();
        let cast = PlayerProcesses {
            players: players.iter().map(player).collect(),
            stderr: Stderr::Merged,
        };
        let host = HostOptions {
            player_processes: Some(cast),
            artifacts: Some(folder.path().to_owned()),
            ..HostOptions::default()
        };
        let players = players.iter().map(|name| (*name).to_owned()).collect();
        let options = ArenaOptions { players, epochs: Some(4), ..ArenaOptions::default() };
        Self { options, host, folder }
    }

    fn open(&self, listener: Listener) -> ArenaHandle {
        let arena = ColosseumArena::new(self.options.clone(), origin()).unwrap();
        serve_arena(Box::new(arena), listener, self.host.clone())
    }

    /// Plays to the end; the result of each match.
    async fn play(&self) -> Vec<Value> {
        let report = self.open(Listener::Closed).ended().await;
        assert_eq!(report.end, ArenaEnd::Over);
        self.results()
    }

    fn results(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.folder.path().join("results.jsonl")).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// A player's entry in a result.
fn score<'a>(result: &'a Value, player: &str) -> &'a Value {
    let scores = result["scores"].as_array().unwrap();
    scores.iter().find(|score| score["agent_path"] == player).unwrap()
}

/// Plays one match of that player against a good one. Returns why it was disqualified, if it was.
async fn reason(stage: &Stage, player: &str) -> Value {
    let results = stage.play().await;
    assert_eq!(score(&results[0], "good")["score"], 0, "{results:?}");
    score(&results[0], player)["tainted_reason"].clone()
}

#[tokio::test]
async fn a_round_robin_is_played_with_new_processes_for_each_match() {
    let mut stage = Stage::new(&["good", "lingers"]);
    stage.options.mode = Mode::RoundRobin(2);
    stage.options.message_limit = Duration::from_secs(2);
    stage.host.linger = Duration::from_millis(50);
    let results = stage.play().await;
    assert_eq!(results.len(), 2);
    for result in &results {
        assert_eq!(result["outcome"]["termination"], "GAME_ENDED", "{result}");
        // The players run in our folder.
        let here = std::env::current_dir().unwrap();
        assert_eq!(score(result, "good")["name"].as_str().map(PathBuf::from), Some(here));
    }
    let process = |result: &Value, player| score(result, player)["version"].clone();
    assert_ne!(process(&results[0], "good"), process(&results[1], "good"));
    // Processes that did not end by themselves were killed and reaped before the report.
    for result in &results {
        let process = process(result, "lingers");
        assert!(!Path::new("/proc").join(process.as_str().unwrap()).exists(), "{process} lives");
    }
}

#[tokio::test]
async fn a_crash_costs_an_error_a_tick_until_the_eleventh() {
    let mut stage = Stage::new(&["good", "crash"]);
    stage.options.epochs = Some(100);
    assert_eq!(reason(&stage, "crash").await, "TOO_MANY_ERRORS");
    let replay = stage.results()[0]["replay_file"].as_str().unwrap().to_owned();
    let replay = std::fs::read_to_string(stage.folder.path().join(replay)).unwrap();
    assert_eq!(replay.lines().count(), 13, "the crash was in tick 3");
}

#[tokio::test]
async fn a_stray_line_disqualifies_unless_errors_are_kept_apart() {
    let stage = Stage::new(&["stray", "good"]);
    assert_eq!(reason(&stage, "stray").await, "INVALID_PAYLOAD");
    let troubles = stage.results()[0]["troubles"].to_string();
    assert!(troubles.contains("Traceback of something"), "{troubles}");
    let mut stage = Stage::new(&["stray", "good"]);
    stage.options = stage.options.strict();
    stage.host.player_processes.as_mut().unwrap().stderr = Stderr::Reported;
    assert_eq!(reason(&stage, "stray").await, Value::Null);
}

#[tokio::test]
async fn a_foreign_id_disqualifies() {
    let stage = Stage::new(&["good", "spoof"]);
    assert_eq!(reason(&stage, "spoof").await, "AGENT_ID_SPOOFING");
}

#[tokio::test]
async fn what_cannot_be_executed_has_failed_to_start() {
    let stage = Stage::new(&["missing", "good"]);
    assert_eq!(reason(&stage, "missing").await, "STARTUP_FAIL");
    let mut stage = Stage::new(&["good", "play"]);
    let player = stage.host.player_processes.as_mut().unwrap().players.last_mut().unwrap();
    // A folder is not a program either.
    player.program = Some(AGENTS.into());
    assert_eq!(reason(&stage, "play").await, "STARTUP_FAIL");
}

#[tokio::test]
async fn silence_is_waited_for_and_the_match_goes_on() {
    let mut stage = Stage::new(&["silent", "good"]);
    stage.options.epochs = Some(2);
    stage.options.message_limit = Duration::from_secs(2);
    assert_eq!(reason(&stage, "silent").await, Value::Null);
    assert_eq!(stage.results()[0]["outcome"]["termination"], "GAME_ENDED");
}

#[tokio::test]
async fn a_player_may_connect_and_is_let_in_when_it_is_wanted() {
    let (dialer, listener) = memory();
    let mut stage = Stage::new(&["good", "."]);
    stage.options.epochs = Some(1);
    let endpoint = Endpoint::Memory(dialer);
    let mut player = Client::new(endpoint.connect(Duration::from_secs(5)).await.unwrap());
    let arena = stage.open(Listener::Memory(listener));
    let line = player.hear().await.unwrap();
    let id = line.strip_prefix("{\"set_agent_id\": \"").unwrap().trim_end_matches("\"}").to_owned();
    let own = format!("\"agent_id\": \"{id}\"");
    player.say(&format!("{{{own}, \"agent_name\": \"me\"}}")).await;
    player.says("{\"ping\": \"ping\"}").await;
    player.say(&format!("{{{own}, \"pong\": 1}}")).await;
    assert!(player.hear().await.unwrap().starts_with("{\"config\": "));
    player.say("{}").await;
    assert!(player.hear().await.unwrap().contains("\"epoch\": 1"));
    player.say(&format!("{{{own}, \"actions\": []}}")).await;
    assert!(player.hear().await.unwrap().starts_with("{\"stop\": "));
    drop(player);
    assert_eq!(arena.ended().await.end, ArenaEnd::Over);
    let results = stage.results();
    assert_eq!(score(&results[0], ".")["name"], "me", "{results:?}");
    assert_eq!(results[0]["has_tainted_agent"], false);
}

/// The number of processes with this text on their command line.
fn running(text: &str) -> usize {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let lines =
        processes.flat_map(|process| std::fs::read_to_string(process.path().join("cmdline")));
    lines.filter(|line| line.contains(text)).count()
}

#[tokio::test]
async fn an_arena_that_is_stopped_leaves_no_process() {
    let mut stage = Stage::new(&["silent", "lingers"]);
    stage.host.linger = Duration::from_millis(50);
    // A path of its own, so that other tests' processes do not count.
    let own = "tests/agents/../agents/./";
    let detour = PathBuf::from(AGENTS.replace("tests/agents", own));
    for player in &mut stage.host.player_processes.as_mut().unwrap().players {
        player.program = Some(detour.join(format!("{}.agent.py", player.name)));
    }
    let arena = stage.open(Listener::Closed);
    arena.verdicts().wait_for(|verdict| verdict.step == 1).await.unwrap();
    assert_eq!(running(own), 2);
    arena.stop();
    assert_eq!(arena.ended().await.end, ArenaEnd::Stopped);
    assert_eq!(running(own), 0);
}
