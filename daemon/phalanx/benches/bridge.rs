//! The cost of the bridge for a Colosseum agent: its start, the round trip of a state through
//! bridge, daemon and script, and matches per minute of the arena with two spawned bridges. Real
//! programs.
//!
//! `cargo bench -p phalanx --bench bridge [-- TURNS]`
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    clippy::disallowed_methods,
    reason = "a benchmark may fail loudly, and prints"
)]

use hdrhistogram::Histogram;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const PHALANX: &str = env!("CARGO_BIN_EXE_phalanx");
const PHALANXD: &str = env!("CARGO_BIN_EXE_phalanxd");
const TURNS: u32 = 5_000;
const WARM_UP: u32 = 200;
const STARTS: u32 = 100;
const MATCHES: u32 = 6;
const TICKS: u32 = 1_000;
/// One tick of a match of two, with ten sources.
const FOODS: usize = 10;

fn main() {
    let turns = std::env::args().filter_map(|arg| arg.parse().ok()).next().unwrap_or(TURNS);
    let dir = tempfile::tempdir().unwrap();
    let (dir, mut daemon) = (dir.path(), daemon(dir.path()));
    print("start to first reply, with daemon", &starts(dir));
    print(&format!("state in to reply out, {turns} turns"), &round_trips(dir, turns));
    let spent = matches(dir);
    let seconds = spent.as_secs_f64();
    println!(
        "arena with two bridges: {MATCHES} matches of {TICKS} ticks in {seconds:.1} s, {:.0} ticks/s, \
         {:.1} whole matches (10 000 ticks) a minute",
        f64::from(MATCHES * TICKS) / seconds,
        f64::from(MATCHES * TICKS) / 10_000.0 / seconds * 60.0,
    );
    daemon.kill().unwrap();
    daemon.wait().unwrap();
}

fn print(what: &str, times: &Histogram<u64>) {
    let at = |q| times.value_at_quantile(q);
    println!("{what}: p50 {} µs, p99 {} µs, max {} µs", at(0.5), at(0.99), times.max());
}

/// A daemon with the teams A and B, an agent each, that waits for bridges.
fn daemon(dir: &Path) -> Child {
    std::fs::create_dir(dir.join("strategy")).unwrap();
    let script = "return { decide = function() return act.nothing() end }";
    std::fs::write(dir.join("strategy/worker.luau"), script).unwrap();
    let team = |name: &str| {
        format!(
            "[[teams]]\nname = \"{name}\"\ngame = \"colosseum\"\nserver = \"bridge\"\n\
             strategy = \"strategy\"\nagents = {{ prefix = \"{name}\", count = 1 }}\n"
        )
    };
    let shown = dir.display();
    let head = format!("[control]\nsocket = \"{shown}/control.sock\"\n[log]\nfilter = \"info\"\n");
    let config = dir.join("phalanxd.toml");
    std::fs::write(&config, head + &team("A") + &team("B")).unwrap();
    let mut command = Command::new(PHALANXD);
    let mut child = command.arg("--config").arg(config).stderr(Stdio::piped()).spawn().unwrap();
    let mut log = BufReader::new(child.stderr.take().unwrap()).lines();
    log.find(|line| line.as_ref().unwrap().contains("control API")).unwrap().unwrap();
    // Keep reading, or it would block.
    std::thread::spawn(move || log.for_each(drop));
    child
}

/// A bridge of that team, as a referee sees it.
struct Bridge {
    child: Child,
    input: std::process::ChildStdin,
    output: BufReader<std::process::ChildStdout>,
}

impl Bridge {
    fn start(dir: &Path, team: &str) -> Self {
        let mut command = Command::new(PHALANX);
        command.args(["bridge", "--team", team, "--agent", &format!("{team}1"), "--socket"]);
        command.arg(dir.join("bridge.sock")).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self { child, input, output }
    }

    fn ask(&mut self, line: &str) -> String {
        self.input.write_all(line.as_bytes()).unwrap();
        self.input.write_all(b"\n").unwrap();
        let mut reply = String::new();
        self.output.read_line(&mut reply).unwrap();
        reply
    }

    fn stop(mut self) {
        self.ask("{\"stop\": {\"reason\": \"end_of_game\"}}");
        self.child.wait().unwrap();
    }
}

fn micros(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_micros()).unwrap()
}

fn starts(dir: &Path) -> Histogram<u64> {
    let mut times = Histogram::new(3).unwrap();
    for _ in 0..STARTS {
        let begun = Instant::now();
        let mut bridge = Bridge::start(dir, "A");
        bridge.ask("{\"set_agent_id\": \"x\"}");
        times.record(micros(begun)).unwrap();
        bridge.stop();
    }
    times
}

fn round_trips(dir: &Path, turns: u32) -> Histogram<u64> {
    let mut times = Histogram::new(3).unwrap();
    let mut bridge = Bridge::start(dir, "A");
    bridge.ask("{\"set_agent_id\": \"x\"}");
    bridge.ask("{\"config\": {\"game_name\": \"food_catcher\", \"n_epochs\": 1000000}}");
    for epoch in 1..=turns + WARM_UP {
        let state = state(epoch);
        let begun = Instant::now();
        bridge.ask(&state);
        if epoch > WARM_UP {
            times.record(micros(begun)).unwrap();
        }
    }
    bridge.stop();
    times
}

fn state(epoch: u32) -> String {
    let food = r#"{"position": [12.25, 3.5], "quantity": 17.5, "id": "a1B2c3"}"#;
    let unit = |id: &str, owner: &str| {
        format!(
            "{{\"position\": [6.0, 6.0], \"id\": \"{id}\", \"owner_id\": \"{owner}\", \"food\": 0, \
             \"health\": 50, \"max_health\": 50}}"
        )
    };
    let both = |a: &str, b: &str| [unit(a, "x"), unit(b, "y")].join(", ");
    let foods = [food; FOODS].join(", ");
    let (actors, bases) = (both("aaaaaa", "bbbbbb"), both("cccccc", "dddddd"));
    format!(
        "{{\"foods\": [{foods}], \"actors\": [{actors}], \"bases\": [{bases}], \
         \"dead_entities\": [], \"epoch\": {epoch}, \"agent_ids\": [\"x\", \"y\"]}}"
    )
}

/// How long the arena takes for all matches.
fn matches(dir: &Path) -> Duration {
    let mut config = format!("mode = \"round_robin\"\nepochs = {TICKS}\nreplays = false\n");
    for team in ["A", "B"] {
        use std::os::unix::fs::PermissionsExt;
        let path = dir.join(format!("{team}.agent.py"));
        let socket = dir.join("bridge.sock");
        let script = format!(
            "#!/bin/sh\nexec {PHALANX} bridge --team {team} --agent {team}1 --socket {}\n",
            socket.display()
        );
        std::fs::write(&path, script).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        config += &format!("[[agents]]\nname = \"{team}\"\npath = \"{}\"\n", path.display());
    }
    let file = dir.join("arena.toml");
    std::fs::write(&file, config).unwrap();
    let begun = Instant::now();
    for _ in 0..MATCHES {
        let mut command = Command::new(PHALANX);
        command.args(["arena", "colosseum", "--output"]).arg(dir).arg("--config").arg(&file);
        assert!(command.stdout(Stdio::null()).status().unwrap().success());
    }
    begun.elapsed()
}
