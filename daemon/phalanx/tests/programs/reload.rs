//! Strategies that change while a match is played, from outside.

use crate::support::{
    Running, arena_config, control, daemon, phalanx, quiet, settings, stderr, stdout, wait,
};
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const SKIP: &str = "return { decide = function() return act.skip() end }\n";
const NORTH: &str = "return { decide = function() return act.move(\"n\") end }\n";
const BROKEN: &str = "local a = 1\nreturn { decide = function() retrun a end }\n";

/// A demo of two agents per side with a strategy of our own.
pub(crate) struct Demo {
    dir: TempDir,
    running: Running,
}

impl Demo {
    fn start(worker: &str, args: &[&str]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let config = std::fs::read(arena_config(dir.path(), 2, 100_000, 4000)).unwrap();
        let config: Value = serde_json::from_slice(&config).unwrap();
        std::fs::write(dir.path().join("sim.json"), config["match"][0].to_string()).unwrap();
        std::fs::create_dir(dir.path().join("mine")).unwrap();
        std::fs::write(dir.path().join("mine/worker.luau"), worker).unwrap();
        let mut command = quiet(Command::new("sh"));
        command.arg("-c").arg(r#"exec "$0" "$@" 2>&1"#).arg(crate::support::PHALANX);
        command.args(["demo", "--opponent", "idle", "--strategy", "mine", "--sim", "sim.json"]);
        command.args(args).current_dir(dir.path()).env("XDG_STATE_HOME", dir.path());
        command.env_remove("RUNTIME_DIRECTORY").env_remove("XDG_RUNTIME_DIR");
        Self { running: Running::start(command), dir }
    }

    /// A demo whose control socket is open.
    pub(crate) fn open(worker: &str) -> Self {
        let mut demo = Self::start(worker, &["--pace", "20ms"]);
        demo.running.line_with("watch it: phalanx match watch A");
        demo.until(|team| team["counters"]["decided"].as_u64() > Some(0));
        demo
    }

    pub(crate) fn control(&self) -> String {
        format!("unix:{}/phalanx/control.sock", self.dir.path().display())
    }

    pub(crate) fn ask(&self, args: &[&str]) -> Output {
        phalanx(&[args, &["--control", &self.control()]].concat())
    }

    pub(crate) fn told(&self, args: &[&str]) -> Value {
        let output = self.ask(&[args, &["--output", "json"]].concat());
        assert!(output.status.success(), "{args:?}: {}", stderr(&output));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    fn save(&self, worker: &str) {
        std::fs::write(self.dir.path().join("mine/worker.luau"), worker).unwrap();
    }

    /// Waits until team A matches the condition.
    fn until(&self, condition: impl Fn(&Value) -> bool) -> Value {
        wait(|| Some(self.told(&["team", "show", "A"])).filter(&condition))
    }

    fn watch(&self, args: &[&str]) -> Running {
        let mut command = quiet(Command::new(crate::support::PHALANX));
        command.args(["match", "watch", "A", "--output", "table", "--control", &self.control()]);
        command.args(args);
        Running::start(command)
    }

    fn generation(&self) -> u64 {
        self.told(&["strategy", "show", "A"])["generation"]["number"].as_u64().unwrap()
    }

    /// Checks that no turn was lost.
    fn no_gap(&self) {
        let counters = &self.told(&["team", "show", "A"])["counters"];
        assert_eq!((&counters["late"], &counters["fallback"]), (&json!(0), &json!(0)));
    }
}

#[test]
fn a_broken_file_is_told_with_its_line_and_the_mend_plays() {
    let mut demo = Demo::open(SKIP);
    let mut watch = demo.watch(&[]);
    watch.line_with("asked 2");
    demo.save(BROKEN);
    assert!(demo.running.line_with("worker.luau:2").contains("worker.luau:2"));
    watch.line_with("the strategy was refused (file); generation 1 plays on");
    assert!(watch.line_with("worker.luau:2").contains("worker.luau:2"));
    let shown = demo.told(&["strategy", "show", "A"]);
    assert_eq!(
        (&shown["generation"]["number"], &shown["last_trial"]["passed"]),
        (&json!(1), &json!(false))
    );
    demo.save(NORTH);
    demo.running.line_with("generation 2 (file) decides");
    watch.line_with("generation 2 (file) decides from here on");
    demo.until(|team| team["generation"] == 2 && team["agents"][0]["last_action"] == "move(n)");
    demo.no_gap();
}

#[test]
fn history_diff_and_rollback_lead_back() {
    let demo = Demo::open(SKIP);
    demo.save(NORTH);
    demo.until(|team| team["generation"] == 2);
    let history = demo.told(&["strategy", "history", "A"]);
    let numbers: Vec<_> = history["generations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["number"].as_u64().unwrap(), one["active"].as_bool().unwrap()))
        .collect();
    assert_eq!(numbers, [(2, true), (1, false)], "{history}");
    let diff = stdout(&demo.ask(&["strategy", "diff", "A", "--output", "table"]));
    assert!(diff.contains("-return { decide = function() return act.skip() end }"), "{diff}");
    assert!(diff.contains("+return { decide = function() return act.move(\"n\") end }"), "{diff}");
    let back = demo.told(&["strategy", "rollback", "A"]);
    let number = back["generation"]["number"].as_u64().unwrap();
    demo.until(|team| {
        team["generation"].as_u64() == Some(number) && team["agents"][0]["last_action"] == "skip()"
    });
    demo.no_gap();
}

#[test]
fn a_pinned_generation_stays_while_files_are_tried_and_told() {
    let demo = Demo::open(SKIP);
    assert_eq!(demo.told(&["strategy", "pin", "A"])["pinned"], true);
    let before = demo.told(&["strategy", "show", "A"])["last_trial"]["hash"].clone();
    demo.save(NORTH);
    wait(|| {
        let trial = &demo.told(&["strategy", "show", "A"])["last_trial"];
        (trial["hash"] != before && trial["passed"] == true).then_some(())
    });
    assert_eq!(demo.generation(), 1);
    demo.told(&["strategy", "unpin", "A"]);
    wait(|| {
        let activated = demo.ask(&["strategy", "activate", "A"]);
        (activated.status.success() || demo.generation() == 2).then_some(())
    });
    demo.until(|team| team["generation"] == 2);
    demo.no_gap();
}

#[test]
fn a_parameter_changes_what_is_decided_from_the_next_turn_on() {
    let script = "param('heading', { default = 'n', values = { 'n', 's' }, doc = 'where to' })\n\
                  return { decide = function() return act.move(param('heading')) end }\n";
    let demo = Demo::open(script);
    let mut watch = demo.watch(&["--decisions"]);
    watch.line_with("move(n)");
    let listed = demo.told(&["param", "list", "A"]);
    assert_eq!(listed["params"][0]["name"], "heading", "{listed}");
    demo.told(&["param", "set", "A", "heading", "s"]);
    assert!(watch.line_with("heading = ").contains("(was not set), by "));
    watch.line_with("move(s)");
    let wrong = demo.ask(&["param", "set", "A", "heading", "up"]);
    assert!(stderr(&wrong).contains("one of n, s"), "{}", stderr(&wrong));
    demo.told(&["param", "reset", "A", "heading"]);
    watch.line_with("move(n)");
}

#[test]
fn a_look_at_an_agent_changes_nothing_unless_it_is_live() {
    let demo = Demo::open(SKIP);
    let mut watch = demo.watch(&[]);
    watch.line_with("asked 2");
    let eval = |args: &[&str]| demo.told(&[&["agent", "eval", "A/agentA1"], args].concat());
    assert_eq!(eval(&["1 + 1"])["text"], "2");
    eval(&["me.memory.mark = 5"]);
    assert_eq!(eval(&["me.memory.mark"])["text"], "nil");
    eval(&["me.memory.mark = 5", "--live"]);
    assert!(watch.line_with("ran in the living VM: me.memory.mark = 5").contains("agentA1"));
    wait(|| (eval(&["me.memory.mark"])["text"] == "5").then_some(()));
    let failed = demo.ask(&["agent", "eval", "A", "agentA1", "nil + 1"]);
    assert_eq!(failed.status.code(), Some(1));
    demo.no_gap();
}

#[test]
fn a_generation_that_fails_is_taken_back_by_itself() {
    let mut demo = Demo::open(SKIP);
    // It passes its trial: no trial rehearses this number of decisions in one VM.
    demo.save(
        "local decided = 0\nreturn { decide = function()\n    decided += 1\n    \
         if decided > 30 then error('worn out') end\n    return act.skip()\nend }\n",
    );
    demo.running.line_with("generation 2 (file) decides");
    let line = demo.running.line_with("generation 2 was taken back");
    assert!(line.contains("worn out") && line.contains("generation 1 decides again"), "{line}");
    demo.until(|team| team["generation"] == 1);
    let history = demo.told(&["strategy", "history", "A"]);
    let bad = &history["generations"][0];
    assert!(bad["taken_back"].as_str().unwrap().contains("worn out"), "{history}");
    let shown = stdout(&demo.ask(&["strategy", "show", "A", "--output", "table"]));
    let line = shown.lines().find(|line| line.starts_with("generation 2 (file, ")).unwrap();
    assert!(
        line.contains("does not play: it was taken back: ") && line.contains("worn out"),
        "{line}"
    );
}

#[test]
fn a_profile_shows_the_calls_of_each_role_and_writes_folded_stacks() {
    let demo = Demo::open(SKIP);
    let file = demo.dir.path().join("a.folded");
    let args = ["strategy", "profile", "A", "--turns", "10", "--folded", file.to_str().unwrap()];
    let profile = demo.told(&args);
    assert_eq!(profile["turns"], 10, "{profile}");
    let calls = profile["calls"].as_array().unwrap();
    let decide = calls.iter().find(|call| call["call"] == "decide").unwrap();
    assert_eq!((&decide["role"], &decide["count"]), (&json!("worker"), &json!(20)), "{decide}");
    let folded = std::fs::read_to_string(&file).unwrap();
    assert!(folded.lines().all(|line| line.rsplit_once(' ').unwrap().1.parse::<u64>().is_ok()));
}

#[test]
fn a_hangup_reloads_where_nothing_is_watched() {
    let dir = tempfile::tempdir().unwrap();
    let config = settings(dir.path(), "127.0.0.1:1".parse().unwrap(), 2, SKIP);
    let mut daemon = no_watch(&config);
    daemon.line_with("control API");
    let worker = dir.path().join("strategy/worker.luau");
    std::fs::write(&worker, BROKEN).unwrap();
    daemon.signal("HUP");
    assert!(daemon.line_with("worker.luau:2").contains("worker.luau:2"));
    std::fs::write(&worker, NORTH).unwrap();
    daemon.signal("HUP");
    let line = daemon.line_with("decides from here on");
    assert!(line.contains("SIGHUP"), "{line}");
    let shown =
        phalanx(&["strategy", "show", "--output", "json", "--control", &control(dir.path())]);
    let shown: Value = serde_json::from_slice(&shown.stdout).unwrap();
    assert_eq!((&shown["generation"]["number"], &shown["watching"]), (&json!(2), &json!(false)));
    daemon.terminate();
    assert_eq!(daemon.finish().1, Some(0));
}

#[test]
fn tuned_values_are_shown_with_their_run_and_a_setting_ignores_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let config = settings(dir.path(), "127.0.0.1:1".parse().unwrap(), 2, SKIP);
    let tuned = "run = 'r7'\nmatches = 400\nopponents = ['shipped']\n[values]\ngreed = 0.75\n";
    std::fs::write(dir.path().join("strategy/tuned.toml"), tuned).unwrap();
    let show = |config: &Path, form: &str| {
        let mut daemon = daemon(config);
        daemon.line_with("control API");
        let words = ["strategy", "show", "--output", form, "--control", &control(dir.path())];
        let shown = phalanx(&words);
        daemon.terminate();
        assert_eq!(daemon.finish().1, Some(0));
        stdout(&shown)
    };
    let shown: Value = serde_json::from_str(&show(&config, "json")).unwrap();
    let values = json!({ "greed": 0.75 });
    let want = json!({ "run": "r7", "matches": 400, "opponents": ["shipped"], "values": values });
    assert_eq!(shown["tuned"], want, "{shown}");
    let text = show(&config, "table");
    assert!(
        text.contains("tuned.toml: 400 matches of run r7 against shipped\n  greed = 0.75"),
        "{text}"
    );
    let settings = std::fs::read_to_string(&config).unwrap();
    std::fs::write(&config, format!("{settings}\n[reload]\ntuned = \"off\"\n")).unwrap();
    let shown: Value = serde_json::from_str(&show(&config, "json")).unwrap();
    assert_eq!(shown["tuned"], Value::Null, "{shown}");
}

fn no_watch(config: &Path) -> Running {
    let text = std::fs::read_to_string(config).unwrap();
    std::fs::write(config, format!("{text}\n[reload]\nwatch = \"off\"\n")).unwrap();
    daemon(config)
}

/// Every 200 ms for a thousand turns, over loopback TCP.
#[test]
#[expect(clippy::disallowed_methods, reason = "the time between two reloads is what is tested")]
fn a_thousand_turns_of_reloading_lose_none() {
    let mut demo = Demo::start(SKIP, &["--steps", "1000", "--pace", "8ms", "--no-watch"]);
    demo.running.line_with("watch it: phalanx match watch A");
    let mut reloads = 0;
    loop {
        let next = Instant::now() + Duration::from_millis(200);
        demo.save(if reloads % 2 == 0 { NORTH } else { SKIP });
        let activated = demo.ask(&["strategy", "activate", "A"]);
        if !activated.status.success() {
            // The match is over, and the socket is closed.
            break;
        }
        reloads += 1;
        std::thread::sleep(next.saturating_duration_since(Instant::now()));
    }
    let (said, code) = demo.running.finish();
    assert_eq!(code, Some(0), "{said}");
    assert!(reloads >= 10, "only {reloads} reloads: {said}");
    let row: Vec<_> =
        said.lines().find(|line| line.starts_with("A ")).unwrap().split_whitespace().collect();
    assert_eq!(
        &row[2..6],
        ["2000", "0", "0", "0"],
        "decided, fallback, late, script errors: {said}"
    );
}

#[test]
fn what_cannot_be_done_says_why_and_what_to_do() {
    let demo = Demo::open(SKIP);
    let here = demo.control();
    let nowhere = format!("unix:{}/no.sock", demo.dir.path().display());
    let mine = demo.dir.path().join("mine/worker.luau");
    let mine = mine.to_str().unwrap();
    let table: &[(&[&str], &str, i32, &str)] = &[
        (&["strategy", "show"], &nowhere, 1, "no daemon answers at unix:"),
        (&["strategy", "show", "C"], &here, 2, "TEAM_NOT_FOUND"),
        (&["strategy", "show"], &here, 64, "which team? There are A, B"),
        (&["param", "set", "A", "restlessness"], &here, 64, "VALUE is missing after the team A"),
        (&["param", "reset", "A"], &here, 64, "usage: phalanx param reset [TEAM] NAME"),
        (&["agent", "repl", "A"], &here, 64, "AGENT is missing after the team A"),
        (&["agent", "eval", "A", "agentA1"], &here, 64, "CODE is missing after the team A"),
        (&["param", "set", "greed", "1"], &here, 64, "which team? There are A, B; usage:"),
        (&["strategy", "profile", "A", "--folded", "/nope/x"], &here, 1, "cannot write /nope/x"),
        (&["strategy", "rollback", "A"], &here, 2, "NOTHING_TO_ROLL_BACK"),
        (&["strategy", "rollback", "A", "77"], &here, 2, "GENERATION_NOT_FOUND"),
        (&["strategy", "rollback", "A", "x"], &here, 64, "\"x\" is not a generation"),
        (&["strategy", "activate", "A", "99"], &here, 64, "phalanx strategy rollback A 99"),
        (&["strategy", "diff", "A"], &here, 1, "no generation before"),
        (&["strategy", "activate", "B"], &here, 2, "NO_FOLDER"),
        (&["strategy", "activate", "A", "/nowhere"], &here, 1, "/nowhere"),
        (&["strategy", "activate", "A", mine], &here, 1, "worker.luau"),
        (&["param", "set", "A", "greed", "1"], &here, 2, "PARAM_NOT_FOUND"),
        (&["param", "reset", "A", "greed", "--role", "pilot"], &here, 2, "NOT_FOUND"),
        (&["agent", "eval", "A", "agentX", "1"], &here, 2, "AGENT_NOT_FOUND"),
        (&["agent", "repl", "A", "agentX"], &here, 2, "AGENT_NOT_FOUND"),
    ];
    let mut wrong = Vec::new();
    for (args, control, code, expected) in table {
        let output = phalanx(&[*args, &["--control", control]].concat());
        let said = stderr(&output);
        if output.status.code() != Some(*code) || !said.contains(expected) {
            wrong.push(format!("{args:?}: {:?}, {said}", output.status.code()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_watcher_of_a_daemon_that_dies_is_told_so_in_a_sentence() {
    let demo = Demo::open(SKIP);
    let mut command = quiet(Command::new("sh"));
    command.arg("-c").arg(r#"exec "$0" "$@" 2>&1"#).arg(crate::support::PHALANX);
    command.args(["match", "watch", "A", "--output", "table", "--control", &demo.control()]);
    let mut watch = Running::start(command);
    watch.line_with("asked 2");
    demo.running.signal("KILL");
    let (said, code) = watch.finish();
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("phalanx: the daemon has gone"), "{said}");
}

#[test]
fn an_interrupted_demo_sums_up_its_troubles() {
    let script = "return { decide = function() error('oh') end }\n";
    let mut demo = Demo::start(script, &["--pace", "1ms"]);
    demo.running.line_with("worker.luau:1: oh (32 times by now)");
    demo.running.signal("INT");
    let (said, code) = demo.running.finish();
    assert_eq!(code, Some(130), "{said}");
    assert!(said.contains("times: ") && said.contains("interrupted"), "{said}");
}

#[test]
fn a_strategy_is_tried_and_activated_from_another_folder() {
    let demo = Demo::open(SKIP);
    let other = demo.dir.path().join("other");
    std::fs::create_dir(&other).unwrap();
    std::fs::write(other.join("worker.luau"), NORTH).unwrap();
    let folder = other.to_str().unwrap();
    let tried = demo.told(&["strategy", "check", folder, "--team", "A"]);
    assert_eq!(tried["passed"], true, "{tried}");
    let tried = demo.told(&["strategy", "activate", "A", folder, "--check-only"]);
    assert_eq!((&tried["passed"], demo.generation()), (&json!(true), 1), "{tried}");
    demo.told(&["agent", "eval", "A", "agentA1", "me.memory.mark = 5", "--live"]);
    let mark = || demo.told(&["agent", "eval", "A", "agentA1", "me.memory.mark"])["text"].clone();
    wait(|| (mark() == "5").then_some(()));
    let activated = demo.told(&["strategy", "activate", "A", folder, "--reset-memory"]);
    assert_eq!(activated["generation"]["number"], 2, "{activated}");
    demo.until(|team| team["generation"] == 2 && team["agents"][0]["last_action"] == "move(n)");
    assert_eq!(mark(), "nil");
    std::fs::write(other.join("worker.luau"), BROKEN).unwrap();
    let tried = demo.ask(&["strategy", "check", folder, "--team", "A"]);
    assert_eq!(tried.status.code(), Some(1));
    assert!(stdout(&tried).contains("worker.luau"), "{}", stdout(&tried));
    let refused = demo.ask(&["strategy", "activate", "A", folder, "--check-only"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("worker.luau:2"), "{}", stderr(&refused));
    demo.no_gap();
}

#[test]
fn all_mistakes_of_a_refused_strategy_are_told_however_many() {
    let demo = Demo::open(SKIP);
    let other = demo.dir.path().join("other");
    std::fs::create_dir(&other).unwrap();
    for number in 0..100 {
        std::fs::write(other.join(format!("role{number}.luau")), BROKEN).unwrap();
    }
    let refused = demo.ask(&["strategy", "activate", "A", other.to_str().unwrap()]);
    let said = stderr(&refused);
    for number in 0..100 {
        assert!(said.contains(&format!("role{number}.luau:2")), "{number}: {said}");
    }
}

#[test]
fn interrupted_a_verb_says_that_it_has_no_answer() {
    let demo = Demo::open(SKIP);
    let mut command = quiet(Command::new("sh"));
    command.arg("-c").arg(r#"exec "$0" "$@" 2>&1"#).arg(crate::support::PHALANX);
    command.args(["strategy", "profile", "A", "--turns", "1000", "--control", &demo.control()]);
    let mut profile = Running::start(command);
    profile.line_with("measuring 1000 turns");
    profile.signal("INT");
    let (said, code) = profile.finish();
    assert_eq!(code, Some(130), "{said}");
    assert!(said.contains("interrupted"), "{said}");
}
