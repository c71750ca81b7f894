//! A coordinator and workers with a real nats-server, and a game that is one line long.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

#[path = "support/nats.rs"]
mod nats;

use async_nats::jetstream;
use nats::NatsServer;
use phalanx_league::{
    Fixture, LeagueEnd, MatchOutcome, PlayError, PlayMatch, RunOptions, play_in_order,
};
use phalanx_queue::{
    BundleBytes, ItemEnd, MatchItem, PlayItem, QueueAddress, QueueError, QueueRun, QueuedMatches,
    WorkerOptions, WorkerTotals, run_worker,
};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;

/// Timeout of everything that the tests wait for. No test measures it.
const PATIENCE: Duration = Duration::from_secs(90);

/// A game in which the seed decides, and the seed 13 breaks a referee.
fn scores(seed: u64, players: usize) -> Vec<i64> {
    let score = |seat: u64| i64::try_from((seed * 7 + seat * 3) % 5).unwrap();
    (0..players as u64).map(score).collect()
}

/// The same in one process.
struct Here;

impl PlayMatch for Here {
    fn play(&self, fixture: &Fixture, _stop: &AtomicBool) -> Result<Vec<i64>, PlayError> {
        match fixture.seed {
            13 => Err(PlayError::Failed("a referee that breaks down".to_owned())),
            seed => Ok(scores(seed, fixture.players.len())),
        }
    }
}

/// What a worker's player does with a match.
type Play = Arc<dyn Fn(&MatchItem, &[BundleBytes]) -> Option<ItemEnd> + Send + Sync>;

/// Plays as it is told; `None` means for ever.
struct ToyPlayer(Play);

impl PlayItem for ToyPlayer {
    async fn play(&mut self, item: &MatchItem, bundles: &[BundleBytes]) -> ItemEnd {
        match (self.0)(item, bundles) {
            Some(end) => end,
            None => std::future::pending().await,
        }
    }
}

fn toy() -> Play {
    Arc::new(|item, _| {
        Some(match item.seed {
            13 => ItemEnd::Failed("a referee that breaks down".to_owned()),
            seed => ItemEnd::Scores(scores(seed, item.players.len())),
        })
    })
}

/// A worker in this process. To drop its runtime is to kill it: its connection ends without a word.
struct ToyWorker {
    runtime: Option<Runtime>,
    stop: watch::Sender<bool>,
    done: Option<tokio::task::JoinHandle<Result<WorkerTotals, QueueError>>>,
}

impl ToyWorker {
    fn start(server: &NatsServer, version: &str, play: Play) -> Self {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let (stop, stopped) = watch::channel(false);
        let options = WorkerOptions { version: version.to_owned(), threads: 2 };
        let address = address(server);
        let done = runtime.spawn(async move {
            let player = move || ToyPlayer(Arc::clone(&play));
            run_worker(&address, options, player, stopped, |_| ()).await
        });
        Self { runtime: Some(runtime), stop, done: Some(done) }
    }

    fn kill(mut self) {
        // A worker whose sender goes would stop in good order.
        std::mem::forget(self.stop.clone());
        self.runtime.take().unwrap().shutdown_background();
    }

    fn end(mut self) -> WorkerTotals {
        self.stop.send(true).unwrap();
        let done = self.done.take().unwrap();
        self.runtime.as_ref().unwrap().block_on(done).unwrap().unwrap()
    }
}

fn address(server: &NatsServer) -> QueueAddress {
    QueueAddress { url: server.url(), user: None, ca: None, certificate: None }
}

fn bundle(fill: char) -> BundleBytes {
    let hash: String = std::iter::repeat_n(fill, 64).collect();
    BundleBytes { hash, bytes: vec![fill as u8; 200_000].into() }
}

fn queue_run(name: &str) -> QueueRun {
    QueueRun {
        run: name.to_owned(),
        version: "1".to_owned(),
        game: "toy".to_owned(),
        setup: BTreeMap::new(),
        bundles: vec![bundle('a'), bundle('b')],
        refused_max: PATIENCE,
        folder: None,
    }
}

fn fixture(number: u64) -> Fixture {
    let players = if number.is_multiple_of(2) { vec![0, 1] } else { vec![1, 0] };
    Fixture { number, seed: number / 2 + 1, players, values: None }
}

type Results = Vec<(u64, MatchOutcome)>;

/// Plays the matches from one number to another.
fn play(matches: &dyn PlayMatch, numbers: std::ops::Range<u64>, stop: &AtomicBool) -> Results {
    let mut results = Vec::new();
    let of = |number| (number < numbers.end).then(|| fixture(number));
    let options = RunOptions { threads: 16, stop };
    let mut keep = |fixture: &Fixture, outcome: &MatchOutcome| {
        results.push((fixture.number, outcome.clone()));
        Ok::<_, QueueError>(ControlFlow::Continue(()))
    };
    let end = play_in_order(numbers.start, &of, matches, &options, &mut keep).unwrap();
    assert!(end == LeagueEnd::Over || stop.load(Ordering::Relaxed));
    results
}

fn expected(numbers: std::ops::Range<u64>) -> Results {
    play(&Here, numbers, &AtomicBool::new(false))
}

/// The lines that a coordinator says.
#[derive(Clone)]
struct Said(Arc<Mutex<Vec<String>>>, Sender<String>);

impl Said {
    fn new() -> (Self, Receiver<String>) {
        let (sender, lines) = channel();
        (Self(Arc::default(), sender), lines)
    }

    fn all(&self) -> String {
        self.0.lock().unwrap().join("\n")
    }
}

fn open(server: &NatsServer, name: &str, said: &Said) -> Result<QueuedMatches, QueueError> {
    open_run(server, queue_run(name), said)
}

fn open_run(server: &NatsServer, run: QueueRun, said: &Said) -> Result<QueuedMatches, QueueError> {
    let said = said.clone();
    QueuedMatches::open(&address(server), run, &AtomicBool::new(false), move |line| {
        said.0.lock().unwrap().push(line.to_owned());
        // The test may not listen.
        drop(said.1.send(line.to_owned()));
    })
}

/// Waits for a line.
fn line_with(lines: &Receiver<String>, text: &str) -> String {
    loop {
        let line = lines.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("it never said {text}"));
        if line.contains(text) {
            return line;
        }
    }
}

/// Plays in a thread of its own.
fn in_background(matches: QueuedMatches, numbers: std::ops::Range<u64>) -> JoinHandle<Results> {
    std::thread::spawn(move || {
        let results = play(&matches, numbers, &AtomicBool::new(false));
        matches.end(true).unwrap();
        results
    })
}

#[test]
fn a_league_on_a_queue_gives_the_results_of_one_process() {
    let Some(server) = NatsServer::start() else { return };
    let (said, _lines) = Said::new();
    let matches = open(&server, "same", &said).unwrap();
    let got: Arc<Mutex<Vec<BundleBytes>>> = Arc::default();
    let workers = [(); 2].map(|()| {
        let (got, toy) = (Arc::clone(&got), toy());
        ToyWorker::start(
            &server,
            "1",
            Arc::new(move |item, bundles| {
                *got.lock().unwrap() = bundles.to_vec();
                toy(item, bundles)
            }),
        )
    });
    let results = play(&matches, 0..60, &AtomicBool::new(false));
    matches.end(true).unwrap();
    assert_eq!(results, expected(0..60));
    let played: u64 = workers.into_iter().map(|worker| worker.end().played).sum();
    assert_eq!(played, 60);
    // The bundles arrive as they were sent, in the order of the plan.
    assert_eq!(*got.lock().unwrap(), [bundle('a'), bundle('b')]);
    assert_eq!(said.all(), "");
}

#[test]
fn a_second_coordinator_is_refused_and_takes_over_when_the_first_is_gone() {
    let Some(server) = NatsServer::start() else { return };
    let (said, _lines) = Said::new();
    let first = open(&server, "lease", &said).unwrap();
    let refused = open(&server, "lease", &said).unwrap_err().to_string();
    let first_process = format!("process {}", std::process::id());
    assert!(refused.contains(&first_process) && refused.contains("wait for it"), "{refused}");
    let other = open(&server, "other", &said).unwrap();
    other.end(true).unwrap();
    // Without `end`, as if it had been killed.
    drop(first);
    open(&server, "lease", &said).unwrap().end(true).unwrap();
    open(&server, "lease", &said).unwrap().end(true).unwrap();
}

#[test]
fn a_worker_of_another_version_refuses_and_the_coordinator_shows_why() {
    let Some(server) = NatsServer::start() else { return };
    let (said, lines) = Said::new();
    let running = in_background(open(&server, "version", &said).unwrap(), 0..4);
    let foreign = ToyWorker::start(&server, "2", toy());
    let line = line_with(&lines, "refused");
    assert!(line.contains("the worker has version 2/") && line.contains("the league 1/"), "{line}");
    assert!(line.contains("install the same build"), "{line}");
    let own = ToyWorker::start(&server, "1", toy());
    assert_eq!(running.join().unwrap(), expected(0..4));
    let (foreign, own) = (foreign.end(), own.end());
    assert_eq!((foreign.played, own.played), (0, 4));
    assert!(foreign.refused >= 1);
}

#[test]
fn a_run_that_every_worker_refuses_warns_and_ends_with_the_reasons() {
    let Some(server) = NatsServer::start() else { return };
    let (said, lines) = Said::new();
    let run = QueueRun { refused_max: Duration::from_secs(20), ..queue_run("refused") };
    let matches = open_run(&server, run, &said).unwrap();
    let workers = [(); 2].map(|()| ToyWorker::start(&server, "2", toy()));
    let running = std::thread::spawn(move || {
        let of = |number| (number < 4).then(|| fixture(number));
        let options = RunOptions { threads: 4, stop: &AtomicBool::new(false) };
        let mut keep = |_: &Fixture, _: &MatchOutcome| panic!("a match that was refused counted");
        let end = play_in_order::<QueueError>(0, &of, &matches, &options, &mut keep).unwrap();
        (end, matches.end(false).unwrap_err())
    });
    let warning = line_with(&lines, "this run ends in");
    assert!(warning.contains("the worker has version 2/"), "{warning}");
    let (end, why) = running.join().unwrap();
    assert_eq!(end, LeagueEnd::Stopped, "it can go on with other workers");
    let why = why.to_string();
    assert!(matches!(why.matches("install the same build").count(), 1), "{why}");
    assert!(why.contains("every worker refuses") && why.contains("run the command again"), "{why}");
    assert!(said.all().matches("this run ends in").count() >= 3, "{}", said.all());
    workers.into_iter().for_each(|worker| assert_eq!(worker.end().played, 0));
}

#[test]
fn a_match_that_ends_its_process_twice_is_set_aside_and_named() {
    let Some(server) = NatsServer::start() else { return };
    let (said, lines) = Said::new();
    let running = in_background(open(&server, "deadly", &said).unwrap(), 0..6);
    let toy = toy();
    let deadly: Play = Arc::new(move |item, bundles| match item.seed {
        2 => Some(ItemEnd::Died("signal 9".to_owned())),
        _ => toy(item, bundles),
    });
    let worker = ToyWorker::start(&server, "1", deadly);
    let line = line_with(&lines, "match 2 is set aside");
    assert!(line.contains("signal 9"), "{line}");
    let aside = MatchOutcome::Failed("set aside: it ended 2 workers".to_owned());
    let results = running.join().unwrap();
    assert_eq!((&results[2].1, &results[3].1), (&aside, &aside));
    assert_eq!(results[4], expected(0..6)[4]);
    // Both matches of that seed, twice each.
    assert_eq!(worker.end().played, 4 + 4);
}

#[test]
fn a_match_that_kills_two_workers_is_set_aside_and_others_are_played_again() {
    let Some(server) = NatsServer::start() else { return };
    let (said, lines) = Said::new();
    let running = in_background(open(&server, "killer", &said).unwrap(), 0..10);
    let (began, begun) = channel();
    let began = Mutex::new(began);
    let toy = toy();
    // The test kills the worker while it plays the match 4, the first one of the seed 3.
    let deadly: Play = Arc::new(move |item, bundles| {
        if item.seed == 3 && item.players == [0, 1] {
            began.lock().unwrap().send(()).unwrap_or_default();
            return None;
        }
        toy(item, bundles)
    });
    for _ in 0..2 {
        let worker = ToyWorker::start(&server, "1", Arc::clone(&deadly));
        begun.recv_timeout(PATIENCE).unwrap();
        worker.kill();
    }
    let line = line_with(&lines, "is set aside");
    assert!(line.starts_with("match 4 is set aside: it ended the workers "), "{line}");
    let survivor = ToyWorker::start(&server, "1", deadly);
    let mut results = running.join().unwrap();
    let aside = MatchOutcome::Failed("set aside: it ended 2 workers".to_owned());
    assert_eq!(results.remove(4), (4, aside));
    let mut rest = expected(0..10);
    rest.remove(4);
    assert_eq!(results, rest);
    survivor.end();
}

#[test]
fn a_server_that_is_killed_loses_nothing_and_counts_nothing_twice() {
    let Some(mut server) = NatsServer::start() else { return };
    let (said, lines) = Said::new();
    let played = Arc::new(AtomicU64::new(0));
    let (count, own) = (Arc::clone(&played), toy());
    let slow: Play = Arc::new(move |item, bundles| {
        count.fetch_add(1, Ordering::Relaxed);
        own(item, bundles)
    });
    let running = in_background(open(&server, "restart", &said).unwrap(), 0..400);
    let worker = ToyWorker::start(&server, "1", Arc::clone(&slow));
    while played.load(Ordering::Relaxed) < 40 {
        std::thread::yield_now();
    }
    server.restart();
    line_with(&lines, "lost the server");
    line_with(&lines, "is back");
    assert_eq!(running.join().unwrap(), expected(0..400));
    worker.end();
}

#[test]
fn a_server_that_lost_its_store_gets_everything_again() {
    let Some(mut server) = NatsServer::start() else { return };
    let (said, lines) = Said::new();
    let (began, begun) = channel();
    let (began, count, own) = (Mutex::new(began), AtomicU64::new(0), toy());
    // From the tenth match on, the worker waits until the server is gone.
    let held: Play = Arc::new(move |item, bundles| {
        if count.fetch_add(1, Ordering::Relaxed) == 10 {
            began.lock().unwrap().send(()).unwrap();
            return None;
        }
        own(item, bundles)
    });
    let running = in_background(open(&server, "lost", &said).unwrap(), 0..60);
    let first = ToyWorker::start(&server, "1", held);
    begun.recv_timeout(PATIENCE).unwrap();
    server.lose_store();
    line_with(&lines, "lost the server");
    first.kill();
    // It has no strategies: they are uploaded again, too.
    let second = ToyWorker::start(&server, "1", toy());
    assert_eq!(running.join().unwrap(), expected(0..60));
    second.end();
}

#[test]
fn a_strategy_that_is_too_large_is_refused_before_anything_is_queued() {
    let Some(server) = NatsServer::start() else { return };
    let large = BundleBytes {
        hash: "c".repeat(64),
        bytes: vec![b'c'; phalanx_queue::BUNDLE_BYTES_MAX + 1].into(),
    };
    let run = QueueRun { bundles: vec![bundle('a'), large], ..queue_run("large") };
    let opened = QueuedMatches::open(&address(&server), run, &AtomicBool::new(false), |_| ());
    let refused = opened.unwrap_err().to_string();
    assert!(refused.contains(&"c".repeat(64)) && refused.contains("at most"), "{refused}");
}

#[test]
fn a_full_queue_of_matches_is_named_and_goes_on_when_there_is_room() {
    let Some(server) = NatsServer::start() else { return };
    let (said, lines) = Said::new();
    let matches = open(&server, "full", &said).unwrap();
    let runtime = Runtime::new().unwrap();
    // The operator of the server allows few messages.
    let limit = async |most: i64| {
        let client = async_nats::connect(server.url()).await.unwrap();
        let jetstream = jetstream::new(client);
        let mut stream = jetstream.get_stream("PHALANX_MATCHES").await.unwrap();
        let config = stream.info().await.unwrap().config.clone();
        let config = jetstream::stream::Config { max_messages: most, ..config };
        jetstream.update_stream(config).await.unwrap();
    };
    runtime.block_on(limit(4));
    let running = in_background(matches, 0..40);
    let line = line_with(&lines, "cannot queue a match");
    assert!(line.contains("the queue is full"), "{line}");
    let worker = ToyWorker::start(&server, "1", toy());
    assert_eq!(running.join().unwrap(), expected(0..40));
    worker.end();
}

#[test]
fn what_is_no_result_is_named_and_dropped() {
    let Some(server) = NatsServer::start() else { return };
    let (said, lines) = Said::new();
    let running = in_background(open(&server, "odd", &said).unwrap(), 0..4);
    let result = |fingerprint: &str, version: &str| {
        format!(
            r#"{{"worker":"w","version":"{version}","fingerprint":"{fingerprint}","attempt":0,"answer":{{"scores":[9,9]}}}}"#
        )
    };
    let runtime = Runtime::new().unwrap();
    runtime.block_on(async {
        let client = async_nats::connect(server.url()).await.unwrap();
        let jetstream = jetstream::new(client);
        let send = async |subject: &str, text: String| {
            let subject = format!("phalanx.result.odd.{subject}");
            jetstream.publish(subject, text.into()).await.unwrap().await.unwrap();
        };
        send("1", "no JSON".to_owned()).await;
        send("x", result("0", "1/1")).await;
        send("99999", result("0", "1/1")).await;
        send("2", result("0123456789abcdef", "1/1")).await;
        send("3", result("0123456789abcdef", "0/1")).await;
    });
    line_with(&lines, "phalanx.result.odd.1 that is no result");
    line_with(&lines, "phalanx.result.odd.x that is no result");
    line_with(&lines, "a result for match 2 that answers another match");
    line_with(&lines, "a result of version 0/1; this is 1/1");
    let worker = ToyWorker::start(&server, "1", toy());
    assert_eq!(running.join().unwrap(), expected(0..4));
    worker.end();
}

#[test]
fn bundles_that_the_server_lost_are_uploaded_again() {
    let Some(server) = NatsServer::start() else { return };
    let (said, lines) = Said::new();
    let running = in_background(open(&server, "bundles", &said).unwrap(), 0..2);
    let runtime = Runtime::new().unwrap();
    runtime.block_on(async {
        let client = async_nats::connect(server.url()).await.unwrap();
        let store = jetstream::new(client).get_object_store("phalanx_bundles").await.unwrap();
        store.delete(bundle('b').hash).await.unwrap();
    });
    let worker = ToyWorker::start(&server, "1", toy());
    line_with(&lines, "it is not on the server");
    assert_eq!(running.join().unwrap(), expected(0..2));
    worker.end();
}

#[test]
fn a_full_server_is_named_and_a_run_can_be_stopped_while_it_waits() {
    let settings = "jetstream { store_dir: \"STORE\", max_file_store: 300KB }";
    let Some(server) = NatsServer::with(settings) else { return };
    let stop = Arc::new(AtomicBool::new(false));
    let (line, lines) = channel();
    let at_line = Arc::clone(&stop);
    let opened = QueuedMatches::open(&address(&server), queue_run("full"), &stop, move |text| {
        at_line.store(true, Ordering::Relaxed);
        line.send(text.to_owned()).unwrap();
    });
    let refused = opened.unwrap_err().to_string();
    let said = lines.recv_timeout(PATIENCE).unwrap();
    assert!(said.contains("cannot store a strategy") && said.contains("max_file_store"), "{said}");
    assert!(refused.contains("cannot store a strategy"), "{refused}");
}

#[test]
fn a_server_that_cannot_be_used_is_named_with_what_to_do() {
    let (said, _lines) = Said::new();
    let Some(mut server) = NatsServer::with("") else { return };
    let refused = open(&server, "x", &said).unwrap_err().to_string();
    assert!(refused.contains("--jetstream"), "{refused}");
    server.kill();
    let refused = open(&server, "x", &said).unwrap_err().to_string();
    assert!(
        refused.contains(&server.url()) && refused.contains("no nats-server answers"),
        "{refused}"
    );
    let settings = "jetstream { store_dir: \"STORE\" }\nauthorization { user: me, password: pass }";
    let Some(server) = NatsServer::with(settings) else { return };
    let refused = open(&server, "x", &said).unwrap_err().to_string();
    assert!(refused.contains("refuses these credentials"), "{refused}");
    let password = server.folder().join("password");
    std::fs::write(&password, "pass\n").unwrap();
    let user = Some(("me".to_owned(), password));
    let address = QueueAddress { user, ..address(&server) };
    let opened = QueuedMatches::open(&address, queue_run("x"), &AtomicBool::new(false), |_| ());
    opened.unwrap().end(true).unwrap();
}

#[test]
fn a_run_that_was_stopped_leaves_nothing_on_the_queue() {
    let Some(server) = NatsServer::start() else { return };
    let (said, _lines) = Said::new();
    let matches = open(&server, "stopped", &said).unwrap();
    let (began, begun) = channel();
    let began = Mutex::new(began);
    let worker = ToyWorker::start(
        &server,
        "1",
        Arc::new(move |_, _| {
            began.lock().unwrap().send(()).unwrap_or_default();
            None
        }),
    );
    let stop = Arc::new(AtomicBool::new(false));
    let at_match = Arc::clone(&stop);
    let stopper = std::thread::spawn(move || {
        begun.recv_timeout(PATIENCE).unwrap();
        at_match.store(true, Ordering::Relaxed);
    });
    assert_eq!(play(&matches, 0..100, &stop), []);
    stopper.join().unwrap();
    matches.end(false).unwrap();
    let runtime = Runtime::new().unwrap();
    let left = runtime.block_on(async {
        let client = async_nats::connect(server.url()).await.unwrap();
        let mut stream = jetstream::new(client).get_stream("PHALANX_MATCHES").await.unwrap();
        stream.info().await.unwrap().state.messages
    });
    assert_eq!(left, 0);
    worker.end();
    // It goes on afterwards.
    let matches = open(&server, "stopped", &said).unwrap();
    let worker = ToyWorker::start(&server, "1", toy());
    assert_eq!(play(&matches, 0..8, &AtomicBool::new(false)), expected(0..8));
    matches.end(true).unwrap();
    worker.end();
}
