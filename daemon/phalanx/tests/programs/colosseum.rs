//! `phalanx bridge` and `phalanx arena colosseum`: the real programs, started as a referee starts
//! its agents.

use crate::support::{PATIENCE, PHALANX, Running, daemon, phalanx, quiet, shown, stderr, stdout};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// The answer that only the daemon's script gives; the bridge itself plays the first legal move.
const PLAYS: &str = "return { decide = function() return act.play('d2d4') end }";
const FEN: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// Settings of a daemon whose teams wait for bridges: A with the agents a1 and a2, B with b1.
fn settings(dir: &Path, strategy: &str) -> PathBuf {
    let scripts = dir.join("strategy");
    std::fs::create_dir_all(&scripts).unwrap();
    std::fs::write(scripts.join("worker.luau"), strategy).unwrap();
    let team = |name: &str, prefix: &str, count: u32| {
        format!(
            "[[teams]]\nname = \"{name}\"\ngame = \"colosseum\"\nserver = \"bridge\"\n\
             strategy = \"strategy\"\nagents = {{ prefix = \"{prefix}\", count = {count} }}\n"
        )
    };
    let (dir_shown, teams) = (dir.display(), team("A", "a", 2) + &team("B", "b", 1));
    let text = format!(
        "[control]\nsocket = \"{dir_shown}/control.sock\"\n[log]\nformat = \"json\"\n{teams}"
    );
    let path = dir.join("phalanxd.toml");
    std::fs::write(&path, text).unwrap();
    path
}

pub(crate) fn bridge(dir: &Path, agent: &str) -> Command {
    let mut command = quiet(Command::new(PHALANX));
    let socket = dir.join("bridge.sock");
    command.env_remove("PHALANX_BRIDGE").args(["bridge", "--team", "A", "--agent", agent]);
    command.arg("--socket").arg(socket);
    command
}

/// A referee that plays one agent: standard error runs into the same pipe, as in the original.
pub(crate) struct Referee {
    agent: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Referee {
    pub(crate) fn start(command: &Command) -> Self {
        let mut shell = quiet(Command::new("sh"));
        shell.arg("-c").arg(r#"exec "$0" "$@" 2>&1"#).arg(command.get_program());
        shell.args(command.get_args()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut agent = shell.spawn().unwrap();
        let (input, output) = (agent.stdin.take(), agent.stdout.take().unwrap());
        Self { agent, input, output: BufReader::new(output) }
    }

    /// One exchange; the line and its end are separate writes, as in the original.
    pub(crate) fn ask(&mut self, message: &Value) -> Value {
        self.tell(message);
        self.hear()
    }

    pub(crate) fn tell(&mut self, message: &Value) {
        let input = self.input.as_mut().unwrap();
        input.write_all(message.to_string().as_bytes()).unwrap();
        input.flush().unwrap();
        input.write_all(b"\n").unwrap();
    }

    pub(crate) fn hear(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{line:?}: {error}"))
    }

    /// The handshake of a chess match with this id.
    pub(crate) fn introduce(&mut self, id: &str) {
        let introduced = self.ask(&json!({ "set_agent_id": id }));
        assert_eq!(introduced["agent_id"], id);
        assert_eq!(self.ask(&json!({ "ping": "ping" }))["agent_id"], id);
        let config = json!({ "game_name": "chess", "update_mode": "ALTERNATING", "n_epochs": -1 });
        assert_eq!(self.ask(&json!({ "config": config }))["agent_id"], id);
    }

    /// The move in a position with two of its legal moves.
    pub(crate) fn moves(&mut self, epoch: u32) -> Value {
        let epd = FEN.trim_end_matches(" 0 1");
        let reply = self.ask(&json!({
            "fen": FEN, "epd": epd, "turn": true, "legal_moves": ["e2e4", "d2d4"],
            "last_move": null, "epoch": epoch, "agent_ids": ["x", "y"],
        }));
        reply["move"].clone()
    }

    /// Closes its input; returns the rest of its output and its exit code.
    fn leave(mut self) -> (String, Option<i32>) {
        drop(self.input.take());
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).unwrap();
        (rest, self.agent.wait().unwrap().code())
    }
}

impl Drop for Referee {
    fn drop(&mut self) {
        // It may have ended already.
        drop(self.agent.kill());
        drop(self.agent.wait());
    }
}

/// A daemon whose bridge socket is open, and whose log is unread.
pub(crate) fn open_daemon(config: &Path) -> Running {
    let mut daemon = daemon(config);
    daemon.line_with("control API");
    daemon
}

#[test]
fn a_bridge_without_a_daemon_answers_by_itself_and_says_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    let mut referee = Referee::start(&bridge(dir.path(), "a1"));
    let id = "ünï\u{1F40D}".repeat(50);
    referee.introduce(&id);
    assert_eq!(referee.ask(&json!({ "ping": "ping", "set_agent_id": "b" }))["agent_id"], "b");
    assert!(["e2e4", "d2d4"].map(Value::from).contains(&referee.moves(1)));
    let empty = json!({ "foods": [], "actors": [], "bases": [], "epoch": 2 });
    assert_eq!(referee.ask(&empty), json!({ "agent_id": "b", "actions": [] }));
    assert_eq!(referee.ask(&json!([1, 2])), json!({ "agent_id": "b" }));
    assert_eq!(referee.ask(&json!({ "stop": { "reason": "end_of_game" } }))["agent_id"], "b");
    assert_eq!(referee.leave(), (String::new(), Some(0)));

    // The end of its input ends it, too.
    assert_eq!(Referee::start(&bridge(dir.path(), "a1")).leave(), (String::new(), Some(0)));
    // So does a referee that no longer reads.
    let mut deaf = bridge(dir.path(), "a1");
    let mut deaf = deaf.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    drop(deaf.stdout.take());
    deaf.stdin.take().unwrap().write_all(b"{\"ping\": \"ping\"}\n").unwrap();
    assert_eq!(deaf.wait().unwrap().code(), Some(0));
}

#[test]
fn a_wrong_command_line_is_told_to_people_only() {
    let output = phalanx(&["bridge", "--team", "A"]);
    assert_eq!(output.status.code(), Some(64));
    assert_eq!((stdout(&output), stderr(&output)), (String::new(), String::new()));
    let help = phalanx(&["bridge", "--help"]);
    assert!(stdout(&help).contains("--agent"), "{}", stdout(&help));
}

#[test]
fn the_daemon_decides_is_away_and_comes_back_in_the_middle_of_a_match() {
    let dir = tempfile::tempdir().unwrap();
    let config = settings(dir.path(), PLAYS);
    let mut first = open_daemon(&config);
    let seat = &shown(dir.path())["agents"][0];
    let wish = "waits for its referee to start `phalanx bridge --team A --agent a1`";
    assert_eq!(seat["seat_reason"], wish, "{seat}");
    let mut referee = Referee::start(&bridge(dir.path(), "a1"));
    referee.introduce("x");
    first.line_with("seated");
    assert_eq!(referee.moves(1), "d2d4");
    first.terminate();
    assert_eq!(first.finish().1, Some(0));
    assert_eq!(referee.moves(2), "e2e4", "its own, since nobody else answers");
    let mut daemon = daemon(&config);
    daemon.line_with("seated");
    assert_eq!(referee.moves(3), "d2d4");
    referee.ask(&json!({ "stop": { "reason": "end_of_game" } }));
    assert_eq!(referee.leave(), (String::new(), Some(0)));
    // The seat continues with the next match.
    daemon.line_with("round over");
    let mut referee = Referee::start(&bridge(dir.path(), "a1"));
    referee.introduce("x");
    daemon.line_with("seated");
    assert_eq!(referee.moves(1), "d2d4");
}

#[test]
fn a_second_bridge_of_a_seat_plays_on_its_own() {
    let dir = tempfile::tempdir().unwrap();
    let mut daemon = open_daemon(&settings(dir.path(), PLAYS));
    let mut first = Referee::start(&bridge(dir.path(), "a1"));
    first.introduce("x");
    daemon.line_with("seated");
    let log = dir.path().join("bridge.log");
    let mut command = bridge(dir.path(), "a1");
    command.arg("--log").arg(&log);
    let mut second = Referee::start(&command);
    second.introduce("x");
    let refused = daemon.line_with("bridge refused");
    assert!(refused.contains("a1 of team A is connected already"), "{refused}");
    assert_eq!(second.moves(1), "e2e4");
    assert_eq!(first.moves(1), "d2d4");
    let said = std::fs::read_to_string(&log).unwrap();
    assert!(said.contains("a1 of team A is connected already"), "{said}");
    assert!(said.contains("once (1, the team's setting `matches`)"), "{said}");
    // When the first match ends, the daemon plays the second one.
    first.ask(&json!({ "stop": { "reason": "end_of_game" } }));
    is_served(&mut second);
    assert_eq!(second.leave(), (String::new(), Some(0)));
}

#[test]
fn matches_of_one_agent_are_played_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let config = settings(dir.path(), PLAYS);
    let text = std::fs::read_to_string(&config).unwrap();
    std::fs::write(&config, text.replacen("\"bridge\"", "\"bridge\"\nmatches = 2", 1)).unwrap();
    let mut daemon = open_daemon(&config);
    let [mut one, mut two] = ["x", "y"].map(|id| {
        let mut referee = Referee::start(&bridge(dir.path(), "a1"));
        referee.introduce(id);
        daemon.line_with("seated");
        referee
    });
    // Turn by turn, each in a match of its own.
    for epoch in 1..=3 {
        assert_eq!((one.moves(epoch), two.moves(epoch)), (json!("d2d4"), json!("d2d4")));
    }
    let control = format!("unix:{}/control.sock", dir.path().display());
    let listed = stdout(&phalanx(&["team", "list", "--control", &control]));
    assert!(listed.contains("\"A~2\"") && !listed.contains("A~3"), "{listed}");
    // At the limit, the third bridge plays by itself until another one has ended.
    let mut three = Referee::start(&bridge(dir.path(), "a1"));
    three.introduce("z");
    let refused = daemon.line_with("bridge refused");
    assert!(refused.contains("once (2, the team's setting `matches`)"), "{refused}");
    assert_eq!(three.moves(1), "e2e4");
    two.ask(&json!({ "stop": { "reason": "end_of_game" } }));
    is_served(&mut three);
    assert_eq!(one.moves(4), "d2d4");
}

#[test]
fn bridges_find_their_door_before_strategies_are_tried() {
    let dir = tempfile::tempdir().unwrap();
    let (log, code) = daemon(&settings(dir.path(), "error('not today')")).finish();
    assert_eq!(code, Some(64), "{log}");
    let door = log.find("\"bridges\"").expect("the socket is bound");
    assert!(log.find("not today").is_some_and(|tried| door < tried), "{log}");
    assert!(!dir.path().join("bridge.sock").exists(), "it went with the daemon");
}

/// Waits until the daemon's script decides for it.
fn is_served(referee: &mut Referee) {
    let begun = Instant::now();
    let mut epoch = 2;
    while referee.moves(epoch) != "d2d4" {
        epoch += 1;
        assert!(begun.elapsed() < PATIENCE, "nobody but the bridge answers");
        // The bridge connects again after a pause; the referee need not ask meanwhile.
        std::thread::park_timeout(Duration::from_millis(20));
    }
}

/// An executable that starts a bridge. Another process writes it: a process that has it open for
/// writing must not be forked at that moment, or it cannot be executed.
fn wrapper(dir: &Path, team: &str, agent: &str) -> PathBuf {
    let path = dir.join(format!("{agent}.agent.py"));
    let socket = dir.join("bridge.sock");
    let script = format!(
        "#!/bin/sh\nexec {PHALANX} bridge --team {team} --agent {agent} --socket {} 2>/dev/null\n",
        socket.display()
    );
    let mut shell = quiet(Command::new("sh"));
    shell.arg("-c").arg("printf %s \"$1\" > \"$0\" && chmod +x \"$0\"").arg(&path).arg(script);
    assert!(shell.status().unwrap().success());
    path
}

fn arena(dir: &Path, config: &str) -> std::process::Output {
    let path = dir.join("arena.toml");
    std::fs::write(&path, config).unwrap();
    let paths = [path.to_str().unwrap(), dir.to_str().unwrap()];
    phalanx(&["arena", "colosseum", "--config", paths[0], "--output", paths[1]])
}

#[test]
fn an_arena_plays_a_round_robin_with_bridges() {
    let dir = tempfile::tempdir().unwrap();
    let strategy = "return { decide = function() return act.nothing() end }";
    let mut daemon = open_daemon(&settings(dir.path(), strategy));
    let entry = |team: &str, agent: &str| {
        let path = wrapper(dir.path(), team, agent);
        format!("[[agents]]\nname = \"{agent}\"\npath = \"{}\"\n", path.display())
    };
    let agents = entry("A", "a1") + &entry("B", "b1");
    let head = "mode = \"triple_round_robin\"\nrules = \"strict\"\nepochs = 30\n";
    let output = arena(dir.path(), &format!("{head}{agents}"));
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let said = stdout(&output);
    assert!(said.contains("PLAYER   ELO  POINTS"), "{said}");
    assert!(said.contains("a1      1200     1.5    0     3    0"), "{said}");
    assert_eq!(stderr(&output), "", "nobody broke a rule");
    let results = std::fs::read_to_string(dir.path().join("results.jsonl")).unwrap();
    for result in results.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        assert_eq!(result["outcome"]["termination"], "GAME_ENDED", "{result}");
        assert_eq!(
            (&result["mode"], &result["has_tainted_agent"]),
            (&json!("strict"), &json!(false))
        );
        let replay = dir.path().join(result["replay_file"].as_str().unwrap());
        assert_eq!(std::fs::read_to_string(replay).unwrap().lines().count(), 30);
    }
    for _ in 0..2 * 3 {
        daemon.line_with("round over");
    }
    let counters = &shown(dir.path())["counters"];
    let told = ["asked", "decided", "fallback", "late"].map(|key| counters[key].as_u64());
    assert_eq!(told, [Some(90), Some(90), Some(0), Some(0)], "{counters}");
}

#[test]
fn an_arena_names_who_breaks_which_rule_and_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let agents = concat!(env!("CARGO_MANIFEST_DIR"), "/../net/tests/agents");
    let players = ["good", "stray", "missing"].map(|name| {
        format!("[[agents]]\nname = \"{name}\"\npath = \"{agents}/{name}.agent.py\"\n")
    });
    let head = "mode = \"round_robin\"\nepochs = 5\nreplays = false\n";
    let output = arena(dir.path(), &format!("{head}{}", players.concat()));
    assert_eq!(output.status.code(), Some(0));
    let said = stderr(&output);
    assert!(said.contains("stray: out, INVALID_PAYLOAD"), "{said}");
    assert!(said.contains("Traceback of something"), "{said}");
    assert!(said.contains("missing: out, STARTUP_FAIL"), "{said}");
    let table = stdout(&output);
    let of =
        |name: &str| table.lines().rev().find(|line| line.starts_with(name)).unwrap().to_owned();
    assert!(of("good").contains(" 2.0    2     0    0"), "{table}");
    assert!(of("missing").contains(" 0.0    0     0    2"), "{table}");
}

#[test]
fn an_arena_says_why_it_would_not_start_an_agent() {
    let dir = tempfile::tempdir().unwrap();
    let output = arena(dir.path(), "agents = [\"bots/one.sh\"]\nmod = 1\n");
    assert_eq!(output.status.code(), Some(1));
    let said = stderr(&output);
    for part in ["arena.toml: agents[0].path", "agent.py", "arena.toml: mod: unknown key"] {
        assert!(said.contains(part), "{part} is missing in\n{said}");
    }
}
