//! Reloading the settings while a team plays: by SIGHUP and by `phalanx daemon reload`.

use crate::support::{
    Plain, Running, arena, arena_config, control, daemon, phalanx, settings, shown, stderr, stdout,
};
use serde_json::{Value, json};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::Output;
use tempfile::TempDir;

const SKIP: &str = "return { decide = function() return act.skip() end }\n";
const NORTH: &str = "return { decide = function() return act.move('n') end }\n";

#[test]
fn what_can_change_live_does_and_is_told() {
    let mut bench = Bench::new();
    bench.edit("[log]", "[alerts]\nstuck_turns = 9\n[limits]\ndecide_max = \"99ms\"\n[log]");
    let dry = bench.told(&["--dry-run"]);
    let keys = ["limits.decide_max", "alerts.stuck_turns"];
    assert_eq!(keys_of(&dry, "changed"), keys);
    assert_eq!(bench.told(&["--dry-run"]), dry, "a dry run changes nothing");
    let told = bench.told(&[]);
    assert_eq!(
        told["changed"][0],
        json!({
            "key": "limits.decide_max", "before": "250ms", "after": "99ms"
        })
    );
    assert!(told["unchanged_count"].as_i64() > Some(30), "{told}");
    // Both the team and the daemon log it.
    bench.daemon.lines_with(&[
        "decide_max 250ms → 99ms, stuck_turns 5 → 9, by ",
        "settings: limits.decide_max: 250ms → 99ms",
    ]);
    assert_eq!(bench.told(&[])["changed"], json!([]), "the second time there is nothing to do");
    bench.plays("skip");
}

#[test]
fn what_needs_a_restart_is_refused_by_key_and_nothing_changes() {
    let mut bench = Bench::new();
    bench.edit("[control]", "[control]\ntcp = \"127.0.0.1:0\"");
    bench.edit("[log]", "[limits]\ndecide_max = \"99ms\"\n[log]");
    let refused = bench.reload(&[]);
    assert_eq!(refused.status.code(), Some(2), "{}", stderr(&refused));
    let said = stderr(&refused);
    let reason = "control.tcp: is bound when the daemon starts; restart to change it";
    assert!(said.contains("SETTINGS_REFUSED") && said.contains(reason), "{said}");
    let dry = bench.reload(&["--dry-run"]);
    assert_eq!(dry.status.code(), Some(2), "a dry run has the exit code of the reload");
    assert!(stderr(&dry).contains("1 key"), "{}", stderr(&dry));
    let dry = serde_json::from_slice(&dry.stdout).unwrap();
    assert_eq!(keys_of(&dry, "refused"), ["control.tcp"]);
    assert_eq!(keys_of(&dry, "changed"), ["control.tcp", "limits.decide_max"], "nothing changed");
    bench.daemon.signal("HUP");
    let line = bench.daemon.line_with("refused new settings");
    assert!(line.contains("control.tcp") && line.contains("is bound"), "{line}");
    bench.daemon.line_with("the settings stay unchanged");
    bench.plays("skip");
}

#[test]
fn a_refused_agent_tries_its_corrected_password_at_once() {
    let mut bench = Bench::new();
    assert_eq!(bench.login("fail"), "secret-a");
    bench.daemon.line_with("login refused");
    bench.edit("secret-a", "corrected");
    let told = bench.told(&[]);
    assert_eq!(keys_of(&told, "changed"), ["teams[A].agents[agentA1].password"]);
    assert!(!told.to_string().contains("corrected"), "{told}");
    assert_eq!(bench.login("ok"), "corrected");
    bench.plays("skip");
    // An open connection stays; the next one logs in with the new password.
    bench.edit("corrected", "later");
    bench.told(&[]);
    bench.plays("skip");
    bench.seat.as_mut().unwrap().line = None;
    assert_eq!(bench.login("ok"), "later");
    bench.plays("skip");
    // An agent that is added without a password gets that of the first one.
    bench.agent(&["add", "A", "agentA2:worker"]);
    assert_eq!(bench.login("ok"), "later");
    // An agent that an operator removed needs no password.
    bench.agent(&["remove", "A/agentA1"]);
    bench.edit("later", "last");
    assert_eq!(keys_of(&bench.told(&[]), "changed"), ["teams[A].agents[agentA1].password"]);
}

#[test]
fn settings_with_mistakes_change_nothing() {
    let mut bench = Bench::new();
    bench.edit("[log]", "[limits]\ndecide_max = \"99\"\nplan = 1\n[log]");
    let said = stderr(&bench.reload(&[]));
    assert!(said.contains("limits.decide_max") && said.contains("limits.plan"), "{said}");
    std::fs::remove_file(&bench.config).unwrap();
    std::fs::create_dir(&bench.config).unwrap();
    let refused = bench.reload(&[]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("not a file"), "{}", stderr(&refused));
    bench.daemon.signal("HUP");
    bench.daemon.line_with("the settings stay unchanged");
    bench.plays("skip");
}

#[test]
fn a_hangup_reads_settings_and_another_folder_plays() {
    let mut bench = Bench::new();
    let other = bench.dir.path().join("other");
    std::fs::create_dir(&other).unwrap();
    std::fs::write(other.join("worker.luau"), NORTH).unwrap();
    bench.edit("strategy = \"strategy\"", "strategy = \"other\"");
    bench.daemon.signal("HUP");
    bench.daemon.line_with("settings: teams[A].strategy: ");
    bench.daemon.line_with("after SIGHUP");
    bench.plays("move");
    assert_eq!(shown(bench.dir.path())["generation"], 2);
}

#[test]
fn a_folder_whose_strategy_does_not_pass_is_refused() {
    let mut bench = Bench::new();
    let other = bench.dir.path().join("other");
    std::fs::create_dir(&other).unwrap();
    std::fs::write(other.join("worker.luau"), "return {").unwrap();
    bench.edit("strategy = \"strategy\"", "strategy = \"other\"");
    let said = stderr(&bench.reload(&[]));
    assert!(said.contains("teams[A].strategy") && said.contains("worker.luau:1"), "{said}");
    bench.plays("skip");
}

#[test]
fn agents_come_and_go_with_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let (_arena, address) = arena(&arena_config(dir.path(), 3, 5, 4000));
    let config = settings(dir.path(), address, 2, SKIP);
    let mut bench = Bench { daemon: daemon(&config), dir, config, seat: None };
    bench.daemon.line_with("control API");
    bench.edit("count = 2", "count = 3");
    let told = bench.told(&[]);
    assert_eq!(
        told["changed"][0],
        json!({
            "key": "teams[A].agents", "before": "", "after": "agentA3"
        })
    );
    assert_eq!(names(&bench), ["agentA1", "agentA2", "agentA3"]);
    bench.edit("count = 3", "count = 1");
    assert_eq!(bench.told(&[])["changed"].as_array().unwrap().len(), 2);
    assert_eq!(names(&bench), ["agentA1"]);
}

#[test]
fn a_step_that_fails_takes_those_before_it_back() {
    let mut bench = Bench::unwatched();
    // The new role passes its trial, but refuses the agent's memory.
    let own = "return { decide = function(me) me.memory.n = 1 return act.skip() end }\n";
    let other = "return { memory = 2, decide = function() return act.move('n') end }\n";
    std::fs::write(bench.dir.path().join("strategy/scout.luau"), other).unwrap();
    std::fs::write(bench.dir.path().join("strategy/worker.luau"), own).unwrap();
    bench.daemon.signal("HUP");
    bench.daemon.line_with("after SIGHUP");
    bench.plays("skip");
    bench.edit("role = \"worker\"", "role = \"scout\"");
    bench.edit("[log]", "[limits]\ndecide_max = \"99ms\"\n[log]");
    let refused = bench.reload(&[]);
    assert_eq!(refused.status.code(), Some(2), "{}", stdout(&refused));
    let said = stderr(&refused);
    assert!(said.contains("teams[A].agents[agentA1].role"), "{said}");
    // The team and the reloader log it, in any order.
    bench.daemon.lines_with(&[
        "decide_max 250ms → 99ms",
        "decide_max 99ms → 250ms",
        "the settings stay unchanged",
    ]);
    bench.plays("skip");
}

#[test]
fn a_team_is_moved_to_its_new_referee() {
    let mut bench = Bench::new();
    bench.seat();
    let there = TcpListener::bind("127.0.0.1:0").unwrap();
    let text = std::fs::read_to_string(&bench.config).unwrap();
    let server = text.lines().find(|line| line.starts_with("server")).unwrap().to_owned();
    bench.edit(&server, &format!("server = \"{}\"", there.local_addr().unwrap()));
    let told = bench.told(&[]);
    assert_eq!(keys_of(&told, "changed"), ["teams[A].server"]);
    bench.seat = Some(Seat { referee: there, line: None });
    bench.plays("skip");
}

/// A daemon with one agent; the test plays the referee.
struct Bench {
    daemon: Running,
    dir: TempDir,
    config: PathBuf,
    seat: Option<Seat>,
}

struct Seat {
    referee: TcpListener,
    line: Option<(Plain, i64)>,
}

impl Bench {
    fn new() -> Self {
        Self::with("")
    }

    /// The daemon does not watch the strategy, since a watcher may react before the signal.
    fn unwatched() -> Self {
        Self::with("[reload]\nwatch = \"off\"\n")
    }

    fn with(more: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let referee = TcpListener::bind("127.0.0.1:0").unwrap();
        let config = settings(dir.path(), referee.local_addr().unwrap(), 1, SKIP);
        let text = std::fs::read_to_string(&config).unwrap();
        std::fs::write(&config, format!("{more}{text}")).unwrap();
        let mut daemon = daemon(&config);
        daemon.line_with("control API");
        Self { daemon, dir, config, seat: Some(Seat { referee, line: None }) }
    }

    /// Changes the settings file.
    fn edit(&mut self, from: &str, to: &str) {
        let text = std::fs::read_to_string(&self.config).unwrap();
        assert!(text.contains(from), "{from}");
        std::fs::write(&self.config, text.replacen(from, to, 1)).unwrap();
    }

    fn reload(&self, args: &[&str]) -> Output {
        let control = control(self.dir.path());
        phalanx(&[&["daemon", "reload", "--output", "json", "--control", &control], args].concat())
    }

    fn agent(&self, args: &[&str]) {
        let control = control(self.dir.path());
        let output = phalanx(&[&["agent"], args, &["--control", &control]].concat());
        assert!(output.status.success(), "{}", stderr(&output));
    }

    fn told(&self, args: &[&str]) -> Value {
        let output = self.reload(args);
        assert!(output.status.success(), "{}", stderr(&output));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// Answers the seat's next login with this result, and returns the login's password.
    fn login(&mut self, result: &str) -> Value {
        let seat = self.seat.as_mut().unwrap();
        let mut plain = Plain::over(seat.referee.accept().unwrap().0);
        let login = plain.receive().unwrap();
        assert_eq!(login["type"], "auth-request");
        plain.send(&json!({ "type": "auth-response", "content": { "result": result } }));
        seat.line = Some((plain, 0));
        login["content"]["pw"].clone()
    }

    /// The seat's connection, logged in.
    fn seat(&mut self) -> &mut (Plain, i64) {
        if self.seat.as_ref().unwrap().line.is_none() {
            self.login("ok");
        }
        self.seat.as_mut().unwrap().line.as_mut().unwrap()
    }

    /// Checks that the next turn gets this action, in time.
    fn plays(&mut self, action: &str) {
        let (plain, id) = self.seat();
        let percept = json!({ "lastAction": "skip" });
        let content = json!({
            "id": *id, "time": 1000, "deadline": 61_000, "step": *id, "percept": percept
        });
        plain.send(&json!({ "type": "request-action", "content": content }));
        let answer = plain.receive().unwrap();
        assert_eq!(
            (&answer["content"]["id"], &answer["content"]["type"]),
            (&json!(*id), &json!(action))
        );
        *id += 1;
        let counters = &shown(self.dir.path())["counters"];
        assert_eq!(
            (&counters["late"], &counters["fallback"]),
            (&json!(0), &json!(0)),
            "{counters}"
        );
    }
}

fn keys_of(told: &Value, list: &str) -> Vec<String> {
    let entries = told[list].as_array().unwrap();
    entries.iter().map(|one| one["key"].as_str().unwrap().to_owned()).collect()
}

fn names(bench: &Bench) -> Vec<String> {
    let team = shown(bench.dir.path());
    let agents = team["agents"].as_array().unwrap();
    agents.iter().map(|agent| agent["name"].as_str().unwrap().to_owned()).collect()
}
