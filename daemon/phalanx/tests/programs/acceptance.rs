//! A whole match from an empty daemon to an empty daemon, with `phalanx` alone.

use crate::support::{
    PHALANX, Running, arena_config, control, daemon, phalanx, quiet, stderr, wait,
};
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread::JoinHandle;
use tempfile::TempDir;

/// Steps of the match: more than the number of steps in which agents are steered.
const STEPS: u32 = 80;
/// How long the referee waits for an answer, in milliseconds: an absent agent costs this each step.
const TURN_MS: u32 = 4_000;
/// The agent that the referee waits for in each step, while we pilot it and give no order.
const HOLDER: &str = "B/agentB2";
const EAST: &str = "return { decide = function() return act.move('e') end }\n";
const SIT: &str = "return { decide = function() return act.skip() end }\n";

/// Output and exit code of a command.
type Beside = JoinHandle<(String, Option<i32>)>;

/// A daemon that was started without teams, and the command line tool.
struct Desk {
    dir: TempDir,
    daemon: Running,
}

impl Desk {
    fn open() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let config = dir.path().join("phalanxd.toml");
        let socket = dir.path().join("control.sock");
        let text = format!("[control]\nsocket = {socket:?}\n[log]\nformat = \"json\"\n");
        std::fs::write(&config, text).unwrap();
        folder(dir.path(), "walk", EAST, SIT);
        folder(dir.path(), "sit", SIT, SIT);
        let mut daemon = daemon(&config);
        daemon.line_with("control API");
        Self { dir, daemon }
    }

    fn path(&self, name: &str) -> String {
        self.dir.path().join(name).to_str().unwrap().to_owned()
    }

    /// The output as JSON; the test fails if the command is refused.
    fn told(&self, words: &[&str]) -> Value {
        let output = phalanx(&[words, &["--control", &control(self.dir.path())]].concat());
        assert!(output.status.success(), "{words:?}: {}", stderr(&output));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    fn create(&self, team: &str, address: &str, more: &[&str]) -> Value {
        let secret = format!("{team}.secret");
        let password = format!("secret-{}\n", team.to_lowercase());
        std::fs::write(self.dir.path().join(&secret), password).unwrap();
        let (secret, strategy) = (self.path(&secret), self.path("walk"));
        let words = ["team", "create", team, "--game", "assemble", "--server", address];
        let play = ["--strategy", &strategy, "--role", "worker", "--password-file", &secret];
        self.told(&[&words[..], &play, more].concat())
    }

    /// A command that runs in the background.
    fn beside(&self, words: &[&str], input: Stdio) -> Running {
        let mut command = quiet(Command::new(PHALANX));
        command.args(words).args(["--output", "json", "--control", &control(self.dir.path())]);
        Running::start({
            command.stdin(input).stderr(Stdio::null());
            command
        })
    }

    /// A client that watches team A to its end; returns after its first event.
    fn watcher(&self) -> Beside {
        let mut watch = self.beside(&["match", "watch", "A"], Stdio::null());
        let (saw, seen) = mpsc::channel();
        let watcher = std::thread::spawn(move || {
            watch.line_with("board_set");
            saw.send(()).unwrap();
            watch.finish()
        });
        wait(|| {
            self.told(&["board", "set", "A", "seen", "true"]);
            seen.try_recv().ok()
        });
        watcher
    }

    /// Advances the match by one step.
    fn step(&self) {
        self.told(&["agent", "order", HOLDER, "skip"]);
    }

    /// Advances step by step until the agent's last action is this one.
    fn until(&self, agent: &str, action: &str) {
        wait(|| {
            self.step();
            (self.told(&["agent", "show", agent])["last_action"] == action).then_some(())
        });
    }

    fn mode(&self, agent: &str) -> Value {
        self.told(&["agent", "show", agent])["steering"]["mode"].clone()
    }
}

/// A strategy with the roles worker and scout.
fn folder(dir: &Path, name: &str, worker: &str, scout: &str) {
    let folder = dir.join(name);
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("worker.luau"), worker).unwrap();
    std::fs::write(folder.join("scout.luau"), scout).unwrap();
}

#[test]
fn a_whole_match_from_an_empty_daemon_by_nothing_but_commands() {
    let desk = Desk::open();
    assert_eq!(desk.told(&["team", "list"])["teams"], json!([]));
    let events = set_up(&desk);
    steer(&desk);
    fly(&desk);
    roll_back(&desk);
    look_and_write(&desk);
    finish(&desk);
    let (told, code) = events.join().unwrap();
    assert_eq!(code, Some(0), "{told}");
    judge(&told);
    clear(&desk);
    desk.daemon.terminate();
    let (log, code) = desk.daemon.finish();
    assert_eq!(code, Some(0), "{log}");
    assert!(!log.contains("secret-"), "{log}");
}

/// A referee, two teams, and a client that watches; the match begins when the last agent joins.
fn set_up(desk: &Desk) -> Beside {
    let config = arena_config(desk.dir.path(), 2, STEPS, TURN_MS);
    let config = config.to_str().unwrap();
    let arena = desk.told(&["arena", "start", "assemble", "--config", config, "--begin=complete"]);
    let address = arena["address"].as_str().unwrap();
    let made = desk.create("A", address, &["--agent", "agentA1", "--stopped"]);
    assert_eq!((&made["state"], &made["agent_count"]), (&json!("stopped"), &json!(1)));
    let events = desk.watcher();
    let started = desk.told(&["team", "start", "A", "--wait=30s"]);
    assert_eq!(started["seated_count"], 1, "{started}");
    let made = desk.create("B", address, &["--agents", "agentB:2", "--wait=30s"]);
    assert_eq!((&made["name"], &made["seated_count"]), (&json!("B"), &json!(2)));
    let held = desk.told(&["agent", "pilot", HOLDER, "--take", "--lease", "1000"]);
    assert_eq!(held["steering"]["mode"], "piloted");
    assert_eq!(desk.told(&["arena", "show", "assemble-1"])["state"], "waiting");
    desk.told(&["agent", "add", "A", "agentA2"]);
    desk.until("A/agentA2", "move(e)");
    events
}

fn steer(desk: &Desk) {
    assert_eq!(desk.told(&["agent", "role", "A/agentA1", "scout"])["role"], "scout");
    desk.until("A/agentA1", "skip()");
    let pinned = desk.told(&["agent", "pin", "agentA1", "move(s)", "--turns", "1000"]);
    assert_eq!(pinned["steering"]["mode"], "pinned", "{pinned}");
    desk.until("A/agentA1", "move(s)");
    assert_eq!(desk.told(&["agent", "release", "agentA1"])["steering"]["mode"], "script");
    desk.until("A/agentA1", "skip()");
}

/// Gives two orders through a pipe, one per turn.
fn fly(desk: &Desk) {
    std::fs::write(desk.dir.path().join("orders"), "move(n)\nmove(w)\n").unwrap();
    let orders = std::fs::File::open(desk.dir.path().join("orders")).unwrap();
    let pilot = desk.beside(&["agent", "pilot", "A/agentA1"], orders.into());
    let pilot = std::thread::spawn(|| pilot.finish());
    wait(|| {
        desk.step();
        pilot.is_finished().then_some(())
    });
    let (told, code) = pilot.join().unwrap();
    assert_eq!((actions(&told), code), (vec!["move(n)".into(), "move(w)".into()], Some(0)));
    assert_eq!(desk.mode("A/agentA1"), "script", "handed back");
}

fn roll_back(desk: &Desk) {
    let second = desk.told(&["strategy", "activate", "A", &desk.path("sit")]);
    assert_eq!(second["generation"]["number"], 2, "{second}");
    desk.until("A/agentA2", "skip()");
    desk.told(&["strategy", "rollback", "A"]);
    desk.until("A/agentA2", "move(e)");
}

fn look_and_write(desk: &Desk) {
    desk.told(&["board", "set", "A", "goal", r#"{"x": 4}"#]);
    assert_eq!(desk.told(&["board", "get", "A", "goal"])["value"], json!({ "x": 4 }));
    let world = desk.told(&["world", "show", "A"]);
    assert_eq!((&world["game"], &world["team"]), (&json!("assemble"), &json!("A")));
    let parts = world["parts"].as_array().unwrap();
    let bodies = parts.iter().flat_map(|part| part["bodies"].as_array().unwrap());
    assert_eq!(bodies.filter(|body| body["side"] == "ours").count(), 2, "{world}");
}

/// An agent leaves its team and returns; near the end the other team leaves the match, and the last
/// step is played without it.
fn finish(desk: &Desk) {
    desk.told(&["agent", "remove", "A/agentA2"]);
    assert_eq!(desk.told(&["team", "show", "A"])["agent_count"], 1);
    desk.told(&["agent", "add", "A", "agentA2"]);
    desk.until("A/agentA2", "move(e)");
    wait(|| {
        desk.step();
        let step = desk.told(&["team", "show", "A"])["turn"]["step"].as_u64().unwrap();
        (step + 2 >= u64::from(STEPS)).then_some(())
    });
    let drained = desk.told(&["team", "drain", "B", "--grace", "10s"]);
    assert_eq!((&drained["state"], &drained["end"]), (&json!("over"), &json!("drained")));
    let shown = wait(|| {
        Some(desk.told(&["arena", "show", "assemble-1"])).filter(|shown| shown["state"] == "over")
    });
    assert_eq!(shown["verdict"]["step"], STEPS, "{shown}");
}

/// Checks the output of the client that watched from before the first turn.
fn judge(told: &str) {
    let events: Vec<Value> = told.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |kind: &str| -> Vec<&Value> {
        let these = events.iter().filter(|event| event["kind"] == kind);
        these.map(|event| &event["details"]).collect()
    };
    for kind in ["returned", "agent_removed", "match_over"] {
        assert_eq!(of(kind).len(), 1, "{kind}: {told}");
    }
    let added: Vec<_> = of("agent_added").iter().map(|one| one["again"].clone()).collect();
    assert_eq!(added, [false, true]);
    let role = of("role_set");
    assert_eq!(
        (role.len(), &role[0]["before"], &role[0]["role"]),
        (1, &json!("worker"), &json!("scout"))
    );
    let ordered = of("ordered");
    let ordered = |pinned: bool| ordered.iter().filter(move |one| one["pinned"] == pinned);
    assert!(ordered(true).count() >= 1 && ordered(true).all(|one| one["action"] == "move(s)"));
    assert_eq!(
        ordered(false).map(|one| &one["action"]).collect::<Vec<_>>(),
        ["move(n)", "move(w)"]
    );
    let modes: Vec<_> = of("steered").iter().map(|one| one["steering"]["mode"].clone()).collect();
    assert_eq!(modes, ["pinned", "script", "piloted", "piloted", "piloted", "script"]);
    let generations = of("generation_activated");
    let numbers: Vec<_> = generations.iter().map(|one| &one["generation"]["number"]).collect();
    assert_eq!(numbers, [2, 1], "rolled back");
    let board = of("board_set");
    assert_eq!(board.iter().filter(|one| one["key"] == "goal").count(), 1);
    for kind in ["fallback", "script_error", "late", "generation_taken_back", "events_lost"] {
        assert!(of(kind).is_empty(), "{kind}: {told}");
    }
    assert_eq!(events.last().unwrap()["kind"], "match_over");
}

/// Deletes the teams, and stops the referee.
fn clear(desk: &Desk) {
    for team in ["A", "B"] {
        assert_eq!(desk.told(&["team", "delete", team])["deleted"], team);
    }
    assert_eq!(desk.told(&["team", "list"])["teams"], json!([]));
    let next = desk.told(&["arena", "start", "assemble", "--steps", "3", "--name", "next"]);
    assert_eq!(next["state"], "waiting");
    assert_eq!(desk.told(&["arena", "stop", "next"])["state"], "stopped");
}

fn actions(told: &str) -> Vec<Value> {
    let events = told.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let ordered = events.filter(|event| event["kind"] == "ordered");
    ordered.map(|event| event["details"]["action"].clone()).collect()
}
