//! How many teams of fifteen agents one daemon plays at a turn a second before a turn is late: the
//! real daemon with one settings file, and its processor time, memory and threads.
//!
//! The referee is a process of its own, whose processor time is a column of its own: it sends the
//! percepts of a match that was recorded with the shipped strategy, so the daemon reads, joins and
//! decides what it does in a contest. First some turns are played as fast as they are answered, so
//! that maps are joined and tasks run; then one a second is measured. Teams begin at different
//! instants of the second.
//!
//! `cargo bench -p phalanx --bench scale [-- trivial|shipped] [TEAMS …]`; without a number of teams
//! it doubles them until an answer is late, and then closes in. `SCALE_PHALANXD=PATH` measures the
//! daemon of another build, to compare.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a benchmark may fail loudly, and prints"
)]

#[path = "support/crowd.rs"]
mod crowd;
#[path = "support/tape.rs"]
mod tape;

use crowd::Load;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

const PHALANXD: &str = env!("CARGO_BIN_EXE_phalanxd");
/// Makes this program the referee; the numbers of a load follow.
const REFEREE: &str = "referee";
const AGENTS: usize = 15;
/// The first number of teams that is tried.
const TEAMS: usize = 67;
/// More than these are not tried: the daemon plays no more.
const TEAMS_MAX: usize = 1_024;
const WARM_UP: usize = 60;
const TURNS: usize = 30;
/// Two numbers of teams this near to each other are not told apart.
const PRECISION: f64 = 1.1;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let mut numbers = args.iter().filter_map(|arg| arg.parse().ok());
    if args.iter().any(|arg| arg == REFEREE) {
        let mut number = || numbers.next().unwrap();
        return crowd::main(Load { teams: number(), warm_up: number(), turns: number() });
    }
    let strategies = ["trivial", "shipped"];
    let chosen: Vec<_> =
        strategies.into_iter().filter(|name| args.iter().any(|arg| arg == name)).collect();
    let numbers: Vec<usize> = numbers.collect();
    println!(
        "a turn a second after {WARM_UP} turns of warm-up, {TURNS} turns\n\
         {:<9} {:>6} {:>7} {:>8} {:>9} {:>9} {:>9} {:>8} {:>8} {:>9} {:>8}",
        "script",
        "teams",
        "agents",
        "not ours",
        "p50 ms",
        "p99 ms",
        "max ms",
        "cores",
        "referee",
        "kB/agent",
        "threads"
    );
    for strategy in if chosen.is_empty() { strategies.to_vec() } else { chosen } {
        if numbers.is_empty() {
            search(strategy);
        }
        for teams in &numbers {
            measure(strategy, *teams);
        }
    }
}

/// Finds the least number of teams with a late answer.
fn search(strategy: &str) {
    let (mut good, mut bad) = (0, TEAMS);
    while bad <= TEAMS_MAX && measure(strategy, bad) {
        (good, bad) = (bad, 2 * bad);
    }
    if bad > TEAMS_MAX {
        return println!("{strategy}: no turn is late with {good} teams");
    }
    while good > 0 && bad as f64 > good as f64 * PRECISION {
        let middle = usize::midpoint(good, bad);
        if measure(strategy, middle) { good = middle } else { bad = middle }
    }
    println!("{strategy}: the first turn is late with {bad} teams ({} agents)", bad * AGENTS);
}

/// Measures one number of teams; whether every answer was the scripts' and in time.
fn measure(strategy: &str, teams: usize) -> bool {
    let dir = tempfile::tempdir().unwrap();
    let (mut referee, lines) = referee(teams);
    let ports: Vec<u16> = serde_json::from_value(lines.recv().unwrap()).unwrap();
    let mut daemon = daemon(dir.path(), strategy, &ports);
    assert_eq!(wait(&lines, &mut daemon), "playing");
    let (before, begun) = (Usage::of(&daemon, &referee), Instant::now());
    let counted = outcomes(dir.path());
    let figures = wait(&lines, &mut daemon);
    let (after, spent) = (Usage::of(&daemon, &referee), begun.elapsed());
    let not_ours = outcomes(dir.path()) - counted + figures["missing"].as_u64().unwrap();
    let share = |before: Duration, after: Duration| {
        (after.saturating_sub(before)).as_secs_f64() / spent.as_secs_f64()
    };
    let ms = |name: &str| figures[name].as_u64().unwrap() as f64 / 1000.0;
    println!(
        "{strategy:<9} {teams:>6} {:>7} {not_ours:>8} {:>9.1} {:>9.1} {:>9.1} {:>8.2} {:>8.2} {:>9.0} {:>8}",
        teams * AGENTS,
        ms("p50_us"),
        ms("p99_us"),
        ms("max_us"),
        share(before.daemon, after.daemon),
        share(before.referee, after.referee),
        after.resident_kb as f64 / (teams * AGENTS) as f64,
        after.threads
    );
    for child in [&mut daemon, &mut referee] {
        child.kill().unwrap_or_default();
        child.wait().unwrap();
    }
    not_ours == 0
}

/// Starts this program as the referee; returns what it says, too.
fn referee(teams: usize) -> (Child, mpsc::Receiver<Value>) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([REFEREE, &teams.to_string(), &WARM_UP.to_string(), &TURNS.to_string()]);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let (said, heard) = mpsc::channel();
    std::thread::spawn(move || {
        for line in lines.map_while(Result::ok) {
            said.send(serde_json::from_str(&line).unwrap()).unwrap_or_default();
        }
    });
    (child, heard)
}

/// The referee's next line; it waits for ever for a daemon that has ended.
fn wait(lines: &mpsc::Receiver<Value>, daemon: &mut Child) -> Value {
    loop {
        match lines.recv_timeout(Duration::from_secs(1)) {
            Ok(line) => return line,
            Err(mpsc::RecvTimeoutError::Disconnected) => panic!("the referee ended"),
            Err(mpsc::RecvTimeoutError::Timeout) => {
                let ended = daemon.try_wait().unwrap();
                assert!(ended.is_none(), "the daemon ended: {ended:?}");
            }
        }
    }
}

/// A daemon that plays one team at each port.
fn daemon(dir: &Path, strategy: &str, ports: &[u16]) -> Child {
    let trivial = dir.join("trivial");
    std::fs::create_dir(&trivial).unwrap();
    for role in ["worker", "scout"] {
        let script = "return { decide = function() return act.skip() end }";
        std::fs::write(trivial.join(format!("{role}.luau")), script).unwrap();
    }
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/assemble");
    let scripts = if strategy == "shipped" { Path::new(shipped) } else { &trivial };
    let mut text = format!(
        "[control]\nsocket = \"{0}/control.sock\"\n[bridge]\nsocket = \"off\"\n",
        dir.display()
    );
    for (number, port) in ports.iter().enumerate() {
        text += &format!(
            "[[teams]]\nname = \"A{number}\"\ngame = \"assemble\"\nserver = \"127.0.0.1:{port}\"\n\
             strategy = \"{}\"\nroles = [{{ role = \"scout\", count = 2 }}]\n\
             agents = {{ prefix = \"agentA\", count = {AGENTS}, password = \"1\" }}\n",
            scripts.display()
        );
    }
    let path = dir.join("phalanxd.toml");
    std::fs::write(&path, text).unwrap();
    let program = std::env::var_os("SCALE_PHALANXD").unwrap_or_else(|| PHALANXD.into());
    let mut command = Command::new(program);
    command.arg("--config").arg(&path).env_remove("NOTIFY_SOCKET");
    command.stdin(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Answers so far that were not a script's decision in time, of all teams.
fn outcomes(dir: &Path) -> u64 {
    let mut stream = UnixStream::connect(dir.join("control.sock")).unwrap();
    let request = b"GET /metrics HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
    stream.write_all(request).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let actions = text.lines().filter(|line| line.starts_with("phalanx_actions_total{"));
    let (ours, others): (Vec<_>, Vec<_>) =
        actions.partition(|line| line.contains("outcome=\"decided\""));
    assert!(!ours.is_empty(), "the daemon has no figures: {text}");
    let number = |line: &str| line.rsplit(' ').next().unwrap().parse::<f64>().unwrap();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts")]
    let others = others.into_iter().map(number).sum::<f64>() as u64;
    others
}

/// What the daemon and the referee have used.
struct Usage {
    daemon: Duration,
    referee: Duration,
    resident_kb: u64,
    threads: u64,
}

impl Usage {
    fn of(daemon: &Child, referee: &Child) -> Self {
        let status = std::fs::read_to_string(format!("/proc/{}/status", daemon.id())).unwrap();
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
            line.split_whitespace().next().unwrap().parse().unwrap()
        };
        Self {
            daemon: spent(daemon),
            referee: spent(referee),
            resident_kb: field("VmRSS:"),
            threads: field("Threads:"),
        }
    }
}

/// Processor time of a process so far.
fn spent(process: &Child) -> Duration {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", process.id())).unwrap();
    // The fields after the name in brackets; user and system time are fields 14 and 15, in
    // hundredths.
    let (_, fields) = stat.rsplit_once(") ").unwrap();
    let ticks = fields.split(' ').skip(11).take(2).map(|ticks| ticks.parse::<u64>().unwrap());
    Duration::from_millis(10 * ticks.sum::<u64>())
}
