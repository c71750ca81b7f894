//! How many matches a coordinator passes on, with players that do nothing, and what it costs:
//!
//! ```sh
//! cargo bench -p phalanx-queue --bench scale -- --workers 1000 --matches 1000000
//! cargo bench -p phalanx-queue --bench scale -- --workers 100 --processes 4 --kills 20
//! ```
//!
//! The workers run in processes of their own, so that the memory is the coordinator's alone. With
//! `--kills`, processes of workers and the server are killed at random times, and started again; each
//! match has to count once, with the result of its own seed.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a measurement may panic and prints"
)]

#[path = "../tests/support/nats.rs"]
mod nats;

use async_nats::jetstream;
use nats::NatsServer;
use phalanx_league::{Fixture, MatchOutcome, RunOptions, play_in_order};
use phalanx_queue::{
    BundleBytes, ItemEnd, MatchItem, PlayItem, QueueAddress, QueueRun, QueuedMatches,
    WorkerOptions, run_worker,
};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::ops::ControlFlow;
use std::process::{Child, Command};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Results of which the server keeps copies, to see what they take.
const KEPT: u64 = 100_000;
const WORKERS: &str = "--as-workers";

/// Knows the result before the match.
struct Fake;

impl PlayItem for Fake {
    async fn play(&mut self, item: &MatchItem, _bundles: &[BundleBytes]) -> ItemEnd {
        ItemEnd::Scores(scores(item.seed, item.players.len()))
    }
}

/// Differs between seeds, so that a result of another match is seen.
fn scores(seed: u64, players: usize) -> Vec<i64> {
    (0..players as u64).map(|seat| i64::try_from((seed * 7 + seat) % 10_000).unwrap()).collect()
}

fn address(url: &str) -> QueueAddress {
    QueueAddress { url: url.to_owned(), user: None, ca: None, certificate: None }
}

/// The value of an option.
fn option(words: &[String], name: &str, usual: u64) -> u64 {
    let place = words.iter().position(|word| word == name);
    place.and_then(|place| words.get(place + 1)?.parse().ok()).unwrap_or(usual)
}

fn main() {
    let words: Vec<_> = std::env::args().collect();
    if let Some(url) = words.iter().skip_while(|word| *word != WORKERS).nth(1) {
        return workers(url, option(&words, "--workers", 1));
    }
    // `cargo test` runs benches, too, with little.
    let bench = words.iter().any(|word| word == "--bench");
    let workers = option(&words, "--workers", if bench { 100 } else { 2 });
    let matches = option(&words, "--matches", if bench { 100_000 } else { 50 });
    let window = option(&words, "--window", (workers * 2).clamp(16, 2_048));
    let Some(mut server) = NatsServer::start() else { return };
    let processes = option(&words, "--processes", 1).clamp(1, workers);
    let kills = option(&words, "--kills", u64::from(!bench));
    let mut fleet = Fleet::start(&server.url(), workers / processes, processes);
    let (url, over) = (server.url(), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let (fleet, server, over) = (&mut fleet, &mut server, &over);
        let killer = scope.spawn(move || fleet.disturb(server, kills, over));
        coordinate(&url, matches, usize::try_from(window).unwrap());
        over.store(true, Ordering::Relaxed);
        let (workers, servers) = killer.join().unwrap();
        println!("killed {workers} times a process of workers, {servers} times the server");
    });
    drop(fleet);
    storage(&server, if bench { KEPT } else { 10 });
}

/// Workers in several processes; killed when it is dropped.
struct Fleet {
    url: String,
    /// Workers in each process.
    each: u64,
    processes: Vec<Child>,
}

impl Fleet {
    fn start(url: &str, each: u64, processes: u64) -> Self {
        let mut fleet = Self { url: url.to_owned(), each, processes: Vec::new() };
        for _ in 0..processes {
            fleet.processes.push(fleet.process());
        }
        fleet
    }

    fn process(&self) -> Child {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args([WORKERS, &self.url, "--workers", &self.each.to_string()]);
        command.spawn().unwrap()
    }

    /// Kills something now and then, in one of four cases the server; returns how often each.
    fn disturb(&mut self, server: &mut NatsServer, kills: u64, over: &AtomicBool) -> (u64, u64) {
        let (mut killed, mut random) = ((0, 0), 0x9e37_79b9_7f4a_7c15_u64);
        let mut next = |below: u64| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random % below
        };
        for _ in 0..kills {
            let due = Instant::now() + Duration::from_millis(500 + next(5_000));
            while Instant::now() < due {
                if over.load(Ordering::Relaxed) {
                    return killed;
                }
                std::thread::park_timeout(Duration::from_millis(50));
            }
            if next(4) == 0 {
                server.restart();
                killed.1 += 1;
                continue;
            }
            let place = usize::try_from(next(self.processes.len() as u64)).unwrap();
            let next_process = self.process();
            let mut process = std::mem::replace(&mut self.processes[place], next_process);
            process.kill().unwrap();
            process.wait().unwrap();
            killed.0 += 1;
        }
        killed
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        for process in &mut self.processes {
            process.kill().unwrap();
            process.wait().unwrap();
        }
    }
}

/// Many workers in this process, each with a connection of its own.
fn workers(url: &str, count: u64) {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let (_stop, stopped) = watch::channel(false);
    runtime.block_on(async {
        let mut all = tokio::task::JoinSet::new();
        for _ in 0..count {
            let (address, stopped) = (address(url), stopped.clone());
            let options = WorkerOptions { version: "0".to_owned(), threads: 1 };
            all.spawn(async move { run_worker(&address, options, || Fake, stopped, |_| ()).await });
        }
        all.join_all().await;
    });
}

fn coordinate(url: &str, matches: u64, window: usize) {
    let bundle = |fill: &str| BundleBytes { hash: fill.repeat(64), bytes: Arc::from([0; 60_000]) };
    let run = QueueRun {
        run: "scale".to_owned(),
        version: "0".to_owned(),
        game: "assemble".to_owned(),
        setup: BTreeMap::from([("steps".to_owned(), "750".to_owned())]),
        bundles: vec![bundle("a"), bundle("b")],
        refused_max: Duration::from_mins(5),
        folder: None,
    };
    let stop = AtomicBool::new(false);
    let queue = QueuedMatches::open(&address(url), run, &stop, |line| println!("{line}"));
    let queue = queue.unwrap();
    let fixture = |number: u64| {
        let players = if number.is_multiple_of(2) { vec![0, 1] } else { vec![1, 0] };
        (number < matches).then_some(Fixture { number, seed: number / 2, players, values: None })
    };
    let (mut counted, mut aside, begun) = (0_u64, 0_u64, Instant::now());
    let mut keep = |fixture: &Fixture, outcome: &MatchOutcome| {
        assert_eq!(fixture.number, counted);
        match outcome {
            // It was unlucky twice: workers were killed while they had it.
            MatchOutcome::Failed(reason) if reason.starts_with("set aside") => aside += 1,
            MatchOutcome::Failed(_) | MatchOutcome::Scores(_) => {
                assert_eq!(*outcome, MatchOutcome::Scores(scores(fixture.seed, 2)));
            }
        }
        counted += 1;
        Ok::<_, Infallible>(ControlFlow::Continue(()))
    };
    let options = RunOptions { threads: window, stop: &stop };
    play_in_order(0, &fixture, &queue, &options, &mut keep).unwrap();
    let time = begun.elapsed();
    assert_eq!(counted, matches);
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let memory = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
    println!("{matches} matches, {window} in flight: {:.1} s", time.as_secs_f64());
    println!("each counted once, with the result of its seed; {aside} set aside");
    println!(
        "{:.0} matches a second",
        f64::from(u32::try_from(matches).unwrap()) / time.as_secs_f64()
    );
    println!("coordinator, most memory: {}", memory.trim_start_matches("VmHWM:").trim());
    queue.end(true).unwrap();
}

/// What results take that no coordinator has taken.
fn storage(server: &NatsServer, count: u64) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let client = async_nats::connect(server.url()).await.unwrap();
        let jetstream = jetstream::new(client);
        let text = r#"{"worker":"a-machine-12345-0123456789abcdefghijkl","version":"0.1.0/1","fingerprint":"0123456789abcdef","attempt":0,"answer":{"scores":[1234,1234]}}"#;
        for number in 0..count {
            let subject = format!("phalanx.result.0123456789abcdef.{number}");
            let message = jetstream::message::PublishMessage::build()
                .payload(text.into())
                .message_id(format!("0123456789abcdefghijkl.{number}.0."));
            let sent = jetstream.send_publish(subject, message).await.unwrap();
            if number + 1 == count || number.is_multiple_of(1_000) {
                sent.await.unwrap();
            }
        }
        let mut stream = jetstream.get_stream("PHALANX_RESULTS").await.unwrap();
        let state = &stream.info().await.unwrap().state;
        let each = state.bytes / state.messages;
        println!("{} results on the server: {each} bytes each", state.messages);
    });
}
