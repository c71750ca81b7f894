//! A match that is steered only through `phalanx`.

use crate::support::{
    PHALANX, Plain, Running, arena_config, control, daemon, phalanx, quiet, settings, stderr,
    stdout, wait,
};
use serde_json::{Value, json};
use std::io::Write;
use std::net::SocketAddr;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

const WALK: &str = "return { decide = function(me)\n  me.memory.steps = (me.memory.steps or 0) + 1\n  \
                    return act.move('e')\nend }\n";
const SIT: &str = "return { decide = function() return act.skip() end }\n";

/// A daemon with a team of two that plays and another team whose referee does not exist, and an
/// arena that waits for the opponents.
struct Bench {
    dir: TempDir,
    address: SocketAddr,
    _arena: Running,
    _daemon: Running,
}

impl Bench {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let mut command = quiet(Command::new(PHALANX));
        command.args(["arena", "assemble", "--listen", "127.0.0.1:0", "--start", "complete"]);
        command.args(["--pace", "20ms", "--output"]).arg(dir.path());
        command.arg("--config").arg(arena_config(dir.path(), 2, 4000, 4000));
        command.stderr(Stdio::null());
        let mut arena = Running::start(command);
        let line = arena.line_with("listens on");
        let address: SocketAddr = line.trim().rsplit(' ').next().unwrap().parse().unwrap();
        let strategy = dir.path().join("walk");
        std::fs::create_dir(&strategy).unwrap();
        std::fs::write(strategy.join("worker.luau"), WALK).unwrap();
        std::fs::write(strategy.join("scout.luau"), SIT).unwrap();
        std::fs::write(dir.path().join("b.secret"), "secret-b\n").unwrap();
        let nowhere = "127.0.0.1:1".parse().unwrap();
        let config = settings(dir.path(), nowhere, 1, SIT);
        let team = format!(
            "\n[[teams]]\nname = \"B\"\ngame = \"assemble\"\nserver = \"{address}\"\n\
             strategy = \"walk\"\n\
             agents = {{ prefix = \"agentB\", count = 2, password_file = \"b.secret\" }}\n"
        );
        let text = std::fs::read_to_string(&config).unwrap() + &team;
        std::fs::write(&config, text).unwrap();
        let mut daemon = daemon(&config);
        daemon.line_with("control API");
        Self { dir, address, _arena: arena, _daemon: daemon }
    }

    fn ask(&self, words: &[&str]) -> Output {
        phalanx(&[words, &["--control", &control(self.dir.path())]].concat())
    }

    /// The output as JSON; the test fails if the command is refused.
    fn told(&self, words: &[&str]) -> Value {
        let output = self.ask(words);
        assert!(output.status.success(), "{words:?}: {}", stderr(&output));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    fn refused(&self, words: &[&str], reason: &str) {
        let output = self.ask(words);
        assert_eq!(output.status.code(), Some(2), "{words:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(reason), "{words:?}: {}", stderr(&output));
    }

    fn create(&self, more: &[&str]) -> Output {
        let (server, strategy) = (self.address.to_string(), self.dir.path().join("walk"));
        let secret = self.dir.path().join("b.secret");
        let words = ["team", "create", "C", "--game", "assemble", "--server", &server];
        let agents = ["--agents", "agentB:2", "--password-file", secret.to_str().unwrap()];
        let strategy = ["--strategy", strategy.to_str().unwrap(), "--role", "worker"];
        self.ask(&[&words[..], &agents, &strategy, more].concat())
    }

    fn opponents_come(&self) {
        for number in 1..=2 {
            let mut opponent = Plain::connect(self.address);
            opponent.login(&format!("agentA{number}"), "secret-a");
            std::thread::spawn(move || opponent.skip_to_the_end());
        }
    }

    fn agent(&self, name: &str) -> Value {
        self.told(&["agent", "show", name])
    }

    fn until(&self, name: &str, seen: impl Fn(&Value) -> bool) {
        wait(|| seen(&self.agent(name)).then_some(()));
    }
}

#[test]
fn a_match_is_steered_only_by_commands() {
    let bench = Bench::new();
    let stopped = bench.told(&["team", "stop", "B"]);
    assert_eq!((&stopped["state"], &stopped["stopped"]), (&json!("stopped"), &json!(true)));
    let started = bench.told(&["team", "start", "B", "--wait=20s"]);
    assert_eq!((&started["seated_count"], &started["agent_count"]), (&json!(2), &json!(2)));
    bench.opponents_come();
    bench.until("agentB1", |agent| agent["last_action"] == "move(e)");

    bench.refused(&["agent", "role", "B/agentB1", "wizard"], "ROLE_NOT_FOUND");
    assert_eq!(bench.told(&["agent", "role", "B/agentB1", "scout"])["role"], "scout");
    bench.until("B/agentB1", |agent| agent["last_action"] == "skip()");
    let pinned = bench.told(&["agent", "pin", "agentB1", "move(s)", "--turns", "1000"]);
    assert_eq!(pinned["steering"]["order"], "move(\"s\")", "{pinned}");
    bench.until("agentB1", |agent| agent["last_action"] == "move(s)");
    let table = stdout(&bench.ask(&["team", "show", "B", "--output", "table"]));
    assert!(table.contains("pinned "), "{table}");
    bench.refused(&["agent", "pin", "agentB1", "fly(s)"], "ORDER_MALFORMED");
    assert_eq!(bench.told(&["agent", "release", "agentB1"])["steering"]["mode"], "script");
    assert_eq!(bench.told(&["agent", "pause", "agentB1"])["steering"]["mode"], "paused");
    bench.told(&["agent", "release", "agentB1"]);
    bench.refused(&["agent", "order", "agentB1", "move(n)"], "NOT_PILOTED");

    let folder = bench.dir.path().join("strategy");
    let folder = folder.to_str().unwrap();
    std::fs::write(bench.dir.path().join("strategy/scout.luau"), SIT).unwrap();
    let second = bench.told(&["strategy", "activate", "B", folder]);
    assert_eq!(second["generation"]["number"], 2, "{second}");
    bench.until("agentB2", |agent| agent["last_action"] == "skip()");
    bench.told(&["strategy", "rollback", "B"]);
    bench.until("agentB2", |agent| agent["last_action"] == "move(e)");

    let drained = bench.told(&["team", "drain", "B", "--grace", "5s"]);
    assert_eq!((&drained["state"], &drained["end"]), (&json!("over"), &json!("drained")));
}

#[test]
fn a_pilot_gives_orders_line_by_line_and_hands_the_agent_back() {
    let bench = Bench::new();
    bench.opponents_come();
    bench.until("agentB1", |agent| agent["last_action"] == "move(e)");
    let mut command = quiet(Command::new(PHALANX));
    command.args(["agent", "pilot", "B/agentB1", "--control", &control(bench.dir.path())]);
    let mut pilot = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A direction alone is a move, as everywhere in this game.
    pilot.stdin.take().unwrap().write_all(b"move(s)\nn\n\nskip\n").unwrap();
    let flown = pilot.wait_with_output().unwrap();
    assert!(flown.status.success(), "{}", stderr(&flown));
    let events = stdout(&flown);
    let events = events.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let ordered = events.filter(|event| event["kind"] == "ordered");
    let actions: Vec<_> = ordered.map(|event| event["details"]["action"].clone()).collect();
    assert_eq!(actions, ["move(s)", "move(n)", "skip()"]);
    assert_eq!(bench.agent("agentB1")["steering"]["mode"], "script");

    // The same with single commands.
    assert_eq!(bench.told(&["agent", "pilot", "agentB2", "--take"])["steering"]["mode"], "piloted");
    bench.told(&["agent", "order", "agentB2", "move(s)"]);
    bench.until("agentB2", |agent| agent["last_action"] == "move(s)");
    bench.told(&["agent", "release", "agentB2"]);

    let mut wrong = quiet(Command::new(PHALANX));
    wrong.args(["agent", "pilot", "B/agentB1", "--control", &control(bench.dir.path())]);
    let mut wrong =
        wrong.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    wrong.stdin.take().unwrap().write_all(b"fly(s)\n").unwrap();
    let wrong = wrong.wait_with_output().unwrap();
    assert_eq!(wrong.status.code(), Some(2), "{}", stderr(&wrong));
    assert_eq!(bench.agent("agentB1")["steering"]["mode"], "script", "handed back all the same");
}

#[test]
fn what_changed_meanwhile_is_not_changed_again_by_somebody_who_did_not_look() {
    let bench = Bench::new();
    bench.told(&["team", "stop", "B"]);
    let etag = bench.told(&["team", "show", "B"])["etag"].as_str().unwrap().to_owned();
    bench.told(&["team", "move", "B", "127.0.0.1:9", "--etag", &etag]);
    bench.refused(&["team", "move", "B", "127.0.0.1:2", "--etag", &etag], "ETAG_MISMATCH");
    let first = bench.told(&["team", "move", "B", "127.0.0.1:3", "--request-id", "r1"]);
    bench.told(&["team", "move", "B", "127.0.0.1:4"]);
    let again = bench.told(&["team", "move", "B", "127.0.0.1:3", "--request-id", "r1"]);
    assert_eq!(first, again);
    assert_eq!(bench.told(&["team", "show", "B"])["server"], "127.0.0.1:4", "done once");
    bench.refused(&["team", "move", "B", "127.0.0.1:5", "--request-id", "r1"], "REQUEST_ID_REUSED");
}

#[test]
fn somebody_who_waits_for_seats_that_never_come_is_told_why() {
    let bench = Bench::new();
    bench.told(&["team", "stop", "B"]);
    // No server listens there.
    let moved = bench.told(&["team", "move", "B", "127.0.0.1:1", "--forget-world"]);
    assert_eq!(moved["server"], "127.0.0.1:1");
    let late = bench.ask(&["team", "start", "B", "--wait=500ms"]);
    assert_eq!(late.status.code(), Some(1));
    let said = stderr(&late);
    assert!(said.contains("team B: 0 of 2 seats are seated: not within 500ms"), "{said}");
}

#[test]
fn a_team_is_made_and_deleted_by_commands() {
    let bench = Bench::new();
    bench.told(&["team", "stop", "B"]);
    let dry = bench.create(&["--dry-run"]);
    assert!(dry.status.success(), "{}", stderr(&dry));
    let dry: Value = serde_json::from_slice(&dry.stdout).unwrap();
    assert_eq!(dry["dry_run"], true, "{dry}");
    bench.refused(&["team", "show", "C"], "TEAM_NOT_FOUND");
    let made = bench.create(&["--wait=20s"]);
    assert!(made.status.success(), "{}", stderr(&made));
    assert!(!stdout(&made).contains("secret-b"), "{}", stdout(&made));
    let made: Value = serde_json::from_slice(&made.stdout).unwrap();
    assert_eq!((&made["name"], &made["seated_count"]), (&json!("C"), &json!(2)));
    let again = bench.create(&[]);
    assert_eq!(again.status.code(), Some(2));
    assert!(stderr(&again).contains("TEAM_EXISTS"), "{}", stderr(&again));
    bench.refused(&["team", "delete", "C"], "TEAM_PLAYS");
    bench.told(&["team", "drain", "C"]);
    assert_eq!(bench.told(&["team", "delete", "C"])["deleted"], "C");
    bench.refused(&["team", "show", "C"], "TEAM_NOT_FOUND");
}

#[test]
fn a_team_comes_from_a_file_as_the_daemon_has_them() {
    let bench = Bench::new();
    bench.told(&["team", "stop", "B"]);
    let file = bench.dir.path().join("team.toml");
    let text = format!(
        "[[teams]]\nname = \"C\"\ngame = \"assemble\"\nserver = \"{}\"\nstrategy = \"walk\"\n\
         agents = {{ prefix = \"agentB\", count = 2, password_file = \"b.secret\" }}\n",
        bench.address
    );
    std::fs::write(&file, &text).unwrap();
    let file = file.to_str().unwrap();
    let made = bench.told(&["team", "create", "-f", file, "--wait=20s"]);
    assert_eq!((&made["name"], &made["seated_count"]), (&json!("C"), &json!(2)));
    assert_eq!(made["agents"][1]["name"], "agentB2");
    std::fs::write(file, text.replace("server", "sever")).unwrap();
    let output = bench.ask(&["team", "create", "-f", file]);
    assert_eq!(output.status.code(), Some(64));
    assert!(stderr(&output).contains("sever"), "{}", stderr(&output));
    let both = bench.ask(&["team", "create", "-f", file, "--server", "x:1"]);
    assert_eq!(both.status.code(), Some(64));
}
