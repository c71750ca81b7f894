//! How many matches a coordinator passes on, with players that do nothing, and what it costs:
//!
//! ```sh
//! cargo bench -p phalanx-queue --bench scale -- --workers 1000 --matches 1000000
//! ```
//!
//! The workers run in a process of their own, so that the memory is the coordinator's alone.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a measurement may panic and prints")]

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
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;
use tokio::sync::watch;

/// Results of which the server keeps copies, to see what they take.
const KEPT: u64 = 100_000;
const WORKERS: &str = "--as-workers";

/// Knows the result before the match.
struct Fake;

impl PlayItem for Fake {
    async fn play(&mut self, item: &MatchItem, _bundles: &[BundleBytes]) -> ItemEnd {
        ItemEnd::Scores(item.players.iter().map(|_| 1234).collect())
    }
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
    let Some(server) = NatsServer::start() else { return };
    let mut fleet = Command::new(std::env::current_exe().unwrap());
    fleet.args([WORKERS, &server.url(), "--workers", &workers.to_string()]);
    let mut fleet = fleet.spawn().unwrap();
    coordinate(&server, matches, usize::try_from(window).unwrap());
    fleet.kill().unwrap();
    fleet.wait().unwrap();
    storage(&server, if bench { KEPT } else { 10 });
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

fn coordinate(server: &NatsServer, matches: u64, window: usize) {
    let bundle = |fill: &str| BundleBytes { hash: fill.repeat(64), bytes: Arc::from([0; 60_000]) };
    let run = QueueRun {
        run: "scale".to_owned(),
        version: "0".to_owned(),
        game: "assemble".to_owned(),
        setup: BTreeMap::from([("steps".to_owned(), "750".to_owned())]),
        bundles: vec![bundle("a"), bundle("b")],
    };
    let stop = AtomicBool::new(false);
    let queue = QueuedMatches::open(&address(&server.url()), run, &stop, |line| println!("{line}"));
    let queue = queue.unwrap();
    let fixture = |number: u64| {
        let players = if number.is_multiple_of(2) { vec![0, 1] } else { vec![1, 0] };
        (number < matches).then_some(Fixture { number, seed: number / 2, players, values: None })
    };
    let (mut counted, begun) = (0_u64, Instant::now());
    let mut keep = |_: &Fixture, outcome: &MatchOutcome| {
        assert_eq!(*outcome, MatchOutcome::Scores(vec![1234, 1234]));
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
