//! The cost of the control API for a team that plays, and its speed meanwhile: calls per second,
//! and answer times of fifteen agents with calls at several rates and without, alternating; a
//! hundred followers of the match of whom ten never read; answer times under floods of hostile
//! callers; the daemon's time to readiness; its memory. The real daemon; referee and clients are
//! this process.
//!
//! `cargo bench -p phalanx --bench control [-- TURNS] [floods]`: with `floods` only these, about
//! three minutes with 2,000 turns for each row.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    clippy::disallowed_methods,
    reason = "a benchmark may fail loudly, and prints"
)]

#[path = "support/floods.rs"]
mod floods;
#[path = "support/referee.rs"]
mod referee;

use floods::Kind as Flood;
use hdrhistogram::Histogram;
use phalanx_proto::v1;
use phalanx_proto::v1::match_event::Kind;
use phalanx_proto::v1::matches_client::MatchesClient;
use phalanx_proto::v1::teams_client::TeamsClient;
use referee::{Referee, nanoseconds};
use std::net::{SocketAddr, TcpListener};
use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;
use tokio::task::JoinSet;
use tonic::Streaming;
use tonic::transport::{Channel, Endpoint};

const PHALANXD: &str = env!("CARGO_BIN_EXE_phalanxd");
const AGENTS: u16 = 15;
/// Turns of one row, half of them without calls.
const TURNS: u32 = 2_000;
const WARM_UP: u32 = 200;
/// Alternations of with and without, so that other load on the machine affects both.
const ROUNDS: u32 = 10;
/// From the begin of a turn to that of the next.
const PACE: Duration = Duration::from_millis(10);
/// Calls per second, of all clients together; 0: as many as they can.
const RATES: [u32; 7] = [50, 100, 200, 500, 1_000, 2_000, 0];
const CLIENTS: u32 = 4;
const FOLLOWERS: usize = 90;
const DEAF: usize = 10;
const STARTS: u32 = 30;

fn main() {
    let turns = std::env::args().filter_map(|arg| arg.parse().ok()).next().unwrap_or(TURNS);
    if std::env::args().any(|arg| arg == "floods") {
        let mut bench = Bench::new();
        bench.start();
        bench.play(WARM_UP);
        return flooded(&mut bench, turns);
    }
    let mut starts = Histogram::<u64>::new(3).unwrap();
    for _ in 0..STARTS {
        let bench = Bench::new();
        starts.record(nanoseconds(bench.ready)).unwrap();
    }
    let ready = |q| starts.value_at_quantile(q) as f64 / 1e6;
    println!(
        "start to READY=1, {STARTS} starts: p50 {:.1} ms, p99 {:.1} ms",
        ready(0.5),
        ready(0.99)
    );
    let mut bench = Bench::new();
    let idle = bench.resident();
    bench.start();
    bench.play(WARM_UP);
    println!("resident memory: {idle:.1} MiB idle, {:.1} MiB playing", bench.resident());
    under_calls(&mut bench, turns);
    followed(&mut bench, turns);
    flooded(&mut bench, turns);
}

/// Answer times in nanoseconds, since the last percept of their turn.
type Times = Histogram<u64>;

fn micros(times: &Times, q: f64) -> f64 {
    times.value_at_quantile(q) as f64 / 1e3
}

fn under_calls(bench: &mut Bench, turns: u32) {
    println!(
        "{AGENTS} agents, a turn every {PACE:?}; {CLIENTS} clients call ListTeams and GetTeam\n\
         {:>7} {:>7} {:>18} {:>22} {:>22} {:>13}",
        "asked/s", "calls/s", "call p50, p99", "answer p50, p99 alone", "with calls", "ratio"
    );
    for rate in RATES {
        let (mut alone, mut with) = (Times::new(3).unwrap(), Times::new(3).unwrap());
        let (mut calls, mut spent) = (Times::new(3).unwrap(), Duration::ZERO);
        for _ in 0..ROUNDS {
            alone.add(bench.play(turns / ROUNDS / 2)).unwrap();
            let load = Load::start(bench, rate);
            let begun = Instant::now();
            with.add(bench.play(turns / ROUNDS / 2)).unwrap();
            spent += begun.elapsed();
            calls.add(load.stop(bench)).unwrap();
        }
        let ratio = |q| micros(&with, q) / micros(&alone, q);
        println!(
            "{:>7} {:>7.0} {:>6.0} µs, {:>5.0} µs {:>8.0} µs, {:>6.0} µs {:>8.0} µs, {:>6.0} µs {:>6.2} {:>6.2}",
            if rate == 0 { "most".to_owned() } else { rate.to_string() },
            calls.len() as f64 / spent.as_secs_f64(),
            micros(&calls, 0.5),
            micros(&calls, 0.99),
            micros(&alone, 0.5),
            micros(&alone, 0.99),
            micros(&with, 0.5),
            micros(&with, 0.99),
            ratio(0.5),
            ratio(0.99)
        );
    }
}

fn followed(bench: &mut Bench, turns: u32) {
    let alone = bench.play(turns);
    let before = bench.resident();
    let mut readers = JoinSet::new();
    for _ in 0..FOLLOWERS {
        let stream = bench.runtime.block_on(watch(bench.control, None));
        let last = bench.turn + turns - 1;
        readers.spawn_on(read(stream, last), bench.runtime.handle());
    }
    // Small windows: unread data waits at the daemon.
    let deaf: Vec<_> = (0..DEAF)
        .map(|_| bench.runtime.block_on(watch(bench.control, Some(u16::MAX.into()))))
        .collect();
    let with = bench.play(turns);
    let all = bench.runtime.block_on(readers.join_all());
    let complete = all.iter().filter(|&&seen| seen == u64::from(turns)).count();
    println!(
        "{FOLLOWERS} followers who read, {DEAF} who don't, {turns} turns: {complete} of {FOLLOWERS} \
         saw every turn end; answer p50 {:.0} µs, p99 {:.0} µs, alone {:.0} µs and {:.0} µs; memory \
         {before:.1} MiB before, {:.1} MiB then",
        micros(&with, 0.5),
        micros(&with, 0.99),
        micros(&alone, 0.5),
        micros(&alone, 0.99),
        bench.resident()
    );
    drop(deaf);
}

/// Under every flood the p99 of the answers stays below twice its value alone: the last column.
fn flooded(bench: &mut Bench, turns: u32) {
    println!(
        "{AGENTS} agents, a turn every {PACE:?}, under floods\n{:<22} {:>22} {:>22} {:>13}",
        "flood", "answer p50, p99 alone", "under the flood", "ratio"
    );
    for kind in Flood::ALL {
        let (mut alone, mut with) = (Times::new(3).unwrap(), Times::new(3).unwrap());
        for _ in 0..ROUNDS {
            alone.add(bench.play(turns / ROUNDS / 2)).unwrap();
            let mut flood = floods::start(kind, bench.control, bench.runtime.handle());
            with.add(bench.play(turns / ROUNDS / 2)).unwrap();
            bench.runtime.block_on(flood.shutdown());
        }
        let ratio = |q| micros(&with, q) / micros(&alone, q);
        println!(
            "{:<22} {:>8.0} µs, {:>6.0} µs {:>8.0} µs, {:>6.0} µs {:>6.2} {:>6.2}",
            kind.name(),
            micros(&alone, 0.5),
            micros(&alone, 0.99),
            micros(&with, 0.5),
            micros(&with, 0.99),
            ratio(0.5),
            ratio(0.99)
        );
    }
}

async fn connect(control: SocketAddr, window: Option<u32>) -> Channel {
    let endpoint = Endpoint::from_shared(format!("http://{control}")).unwrap();
    let endpoint = endpoint.initial_stream_window_size(window);
    endpoint.initial_connection_window_size(window).connect().await.unwrap()
}

async fn watch(control: SocketAddr, window: Option<u32>) -> Streaming<v1::WatchMatchResponse> {
    let mut client = MatchesClient::new(connect(control, window).await);
    let request = v1::WatchMatchRequest { team: "teams/A".to_owned(), ..Default::default() };
    client.watch_match(request).await.unwrap().into_inner()
}

/// The number of turns whose end a follower received, up to the last one.
async fn read(mut stream: Streaming<v1::WatchMatchResponse>, last: u32) -> u64 {
    let mut turns = 0;
    while let Ok(Some(answer)) = stream.message().await {
        let event = answer.event.unwrap();
        if let Some(Kind::TurnDone(_)) = event.kind {
            turns += 1;
            if event.turn.is_some_and(|turn| turn.step >= last) {
                break;
            }
        }
    }
    turns
}

/// Clients that call, each on a connection of its own.
struct Load {
    stop: Arc<AtomicBool>,
    clients: JoinSet<Times>,
}

impl Load {
    fn start(bench: &Bench, rate: u32) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let mut clients = JoinSet::new();
        let every = Duration::from_secs(1).checked_mul(CLIENTS).unwrap().checked_div(rate);
        for _ in 0..CLIENTS {
            let channel = bench.runtime.block_on(connect(bench.control, None));
            let client = call(channel, every, Arc::clone(&stop));
            clients.spawn_on(client, bench.runtime.handle());
        }
        Self { stop, clients }
    }

    fn stop(self, bench: &Bench) -> Times {
        self.stop.store(true, Ordering::Relaxed);
        let mut all = Times::new(3).unwrap();
        for times in bench.runtime.block_on(self.clients.join_all()) {
            all.add(times).unwrap();
        }
        all
    }
}

/// Calls until stopped, at an interval or one after the other. A call that had to wait for the one
/// before is measured from when it was due.
async fn call(channel: Channel, every: Option<Duration>, stop: Arc<AtomicBool>) -> Times {
    let mut teams = TeamsClient::new(channel);
    let mut times = Times::new(3).unwrap();
    let mut due = every.map(tokio::time::interval);
    for number in 0_u32.. {
        let since = match &mut due {
            Some(due) => due.tick().await.into_std(),
            None => Instant::now(),
        };
        if stop.load(Ordering::Relaxed) {
            break;
        }
        if number % 2 == 0 {
            teams.list_teams(v1::ListTeamsRequest::default()).await.unwrap();
        } else {
            teams.get_team(v1::GetTeamRequest { name: "teams/A".to_owned() }).await.unwrap();
        }
        times.record(nanoseconds(since.elapsed())).unwrap();
    }
    times
}

/// A daemon, its referee, and the runtime of its clients.
struct Bench {
    daemon: Child,
    ready: Duration,
    control: SocketAddr,
    listener: TcpListener,
    referee: Option<Referee>,
    turn: u32,
    runtime: Runtime,
    _dir: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        // Free a moment ago.
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let control = free.local_addr().unwrap();
        drop(free);
        let config = settings(dir.path(), listener.local_addr().unwrap(), control);
        let notify = dir.path().join("notify");
        let manager = UnixDatagram::bind(&notify).unwrap();
        let begun = Instant::now();
        let mut command = Command::new(PHALANXD);
        command.args(["--config", &config]).env("NOTIFY_SOCKET", &notify);
        let daemon = command.stdin(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let mut message = [0; 4096];
        let mut is_ready = || {
            let bytes = manager.recv(&mut message).unwrap();
            String::from_utf8_lossy(message.get(..bytes).unwrap()).contains("READY=1")
        };
        while !is_ready() {}
        let ready = begun.elapsed();
        // The daemon must not wait for us when it sends more.
        drop(manager);
        let mut runtime = tokio::runtime::Builder::new_multi_thread();
        let runtime = runtime.worker_threads(1).enable_all().build().unwrap();
        Self { daemon, ready, control, listener, referee: None, turn: 0, runtime, _dir: dir }
    }

    fn start(&mut self) {
        self.referee = Some(Referee::accept(&self.listener, AGENTS));
    }

    fn play(&mut self, turns: u32) -> Times {
        let mut times = Times::new(3).unwrap();
        for _ in 0..turns {
            let next = Instant::now() + PACE;
            for (since_last, _) in self.referee.as_mut().unwrap().turn(self.turn) {
                times.record(nanoseconds(since_last)).unwrap();
            }
            self.turn += 1;
            std::thread::sleep(next.saturating_duration_since(Instant::now()));
        }
        times
    }

    /// Memory of the daemon, in MiB.
    fn resident(&self) -> f64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.daemon.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().strip_suffix("kB").unwrap().trim().parse::<f64>().unwrap() / 1024.0
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        self.daemon.kill().unwrap();
        self.daemon.wait().unwrap();
    }
}

fn settings(dir: &Path, server: SocketAddr, control: SocketAddr) -> String {
    std::fs::create_dir(dir.join("strategy")).unwrap();
    let script = "return { decide = function() return act.skip() end }";
    std::fs::write(dir.join("strategy/worker.luau"), script).unwrap();
    let text = format!(
        "[control]\nsocket = \"off\"\ntcp = \"{control}\"\n[bridge]\nsocket = \"off\"\n\
         [[teams]]\nname = \"A\"\ngame = \"assemble\"\nserver = \"{server}\"\n\
         strategy = \"strategy\"\nagents = {{ prefix = \"agentA\", count = {AGENTS} }}\n"
    );
    let path = dir.join("phalanxd.toml");
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}
