//! The time from a saved file to its first decision. A demo plays in real time; the bench saves a
//! file repeatedly and waits until the journal has a decision of the new generation.
//!
//! The time has three parts: files have to be unchanged for `reload.settle` (300 ms), the trial,
//! and the swap with the wait for the next decision. The last two are measured separately, through
//! the control API's way, which has no settling time.
//!
//! `cargo bench -p phalanx --bench reload [-- RELOADS]`
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a benchmark may fail loudly, and prints"
)]

use hdrhistogram::Histogram;
use phalanx_engine::{JournalEvent, StrategyOrigin, TeamOptions};
use phalanx_game::{MarginLimits, Roster, RosterEntry, Seat, SeatId};
use phalanx_games::shipped;
use phalanx_games::{ArenaPlan, Start, TeamPlan};
use phalanx_lua::Limits;
use phalanx_net::{
    Endpoint, HostOptions, JournalItem, JournalStream, Listener, SeatOptions, TeamHandle, origin,
    serve_arena,
};
use phalanx_strategy::{Activation, Keeper, KeeperHandle, KeeperOptions, RequestedSource};
use phalanxd::keepers;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

const AGENTS: u16 = 15;
const RELOADS: u32 = 40;
/// A step takes at least this long, so that turns go on while files are saved.
const PACE: Duration = Duration::from_millis(20);

fn main() {
    let reloads = std::env::args().filter_map(|arg| arg.parse().ok()).next().unwrap_or(RELOADS);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(measure(reloads));
}

async fn measure(reloads: u32) {
    let dir = tempfile::tempdir().unwrap();
    copy(dir.path());
    let config = configuration();
    let read = move |_: &Path| Ok(config.clone().into_bytes());
    let plan = ArenaPlan {
        config: Path::new("arena.json"),
        read: &read,
        origin: origin(),
        start: Start::Complete,
        pace: PACE,
    };
    let (arena, _) = phalanx_games::arena("assemble", &plan).unwrap();
    let listener = Listener::bind(("127.0.0.1", 0)).await.unwrap();
    let arena = serve_arena(arena, listener, HostOptions::default());
    let address = arena.address().unwrap();
    let endpoint = Endpoint::tcp(address.ip().to_string(), address.port());
    let (ours, keeper) = team("A", Some(dir.path()), &endpoint).await;
    let other = team("B", None, &endpoint).await;
    let mut journal = ours.journal().unwrap();
    decided_by(&mut journal, 1).await;

    let (mut saved, mut trials, mut installs) = (times(), times(), times());
    for reload in 0..reloads {
        let next = ours.snapshot().generation + 1;
        change(dir.path(), reload);
        let begun = Instant::now();
        decided_by(&mut journal, next).await;
        record(&mut saved, begun.elapsed());
    }
    for reload in reloads..2 * reloads {
        let next = ours.snapshot().generation + 1;
        let files = files(&change_text(reload));
        let begun = Instant::now();
        let origin = StrategyOrigin::Api { user: "bench".into() };
        let activated =
            keeper.activate(RequestedSource::Files(files), origin, Activation::default()).await;
        let (_, trialled) = activated.unwrap();
        let trial = trialled.report.spent;
        decided_by(&mut journal, next).await;
        record(&mut trials, trial);
        record(&mut installs, begun.elapsed().saturating_sub(trial));
    }
    let counters = ours.snapshot().counters;
    println!("{reloads} reloads of the shipped strategy, {AGENTS} agents a side over loopback TCP");
    println!("{:<48} {:>9} {:>9}", "", "p50", "p99");
    print_row("file saved -> first decision (settle 300 ms)", &saved);
    print_row("  of it: trial with lint, specs, rehearsal", &trials);
    print_row("  of it: swap and wait for the next decision", &installs);
    println!("turns late {}, fallbacks {}", counters.late, counters.fallback);
    drop((other, arena));
}

fn times() -> Histogram<u64> {
    Histogram::new(3).unwrap()
}

fn record(times: &mut Histogram<u64>, spent: Duration) {
    times.record(u64::try_from(spent.as_micros()).unwrap()).unwrap();
}

fn print_row(name: &str, times: &Histogram<u64>) {
    let at = |quantile| {
        let micros = times.value_at_quantile(quantile);
        format!("{}.{} ms", micros / 1000, micros % 1000 / 100)
    };
    println!("{name:<48} {:>9} {:>9}", at(0.5), at(0.99));
}

/// Waits until this generation, or a later one, has decided.
async fn decided_by(journal: &mut JournalStream, generation: u32) {
    let decided = async {
        while let Some(item) = journal.next().await {
            if let JournalItem::Entry(entry) = item
                && entry.generation >= generation
                && matches!(entry.event, JournalEvent::Decided { .. })
            {
                return;
            }
        }
        panic!("the match ended");
    };
    tokio::time::timeout(Duration::from_secs(30), decided).await.unwrap();
}

fn copy(dir: &Path) {
    for (path, source) in files("") {
        let path = dir.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, source).unwrap();
    }
}

/// The shipped strategy with its specs, and a text appended to its worker.
fn files(end: &str) -> Vec<(String, String)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/assemble");
    let bundle = shipped::read(Path::new(folder)).unwrap();
    let file = |(path, source): (&str, &Arc<str>)| {
        let end = if path == "worker.luau" { end } else { "" };
        (path.to_owned(), format!("{source}{end}"))
    };
    bundle.files().map(file).collect()
}

fn change_text(reload: u32) -> String {
    format!("-- change {reload}\n")
}

fn change(dir: &Path, reload: u32) {
    let worker = files(&change_text(reload)).into_iter().find(|(path, _)| path == "worker.luau");
    std::fs::write(dir.join("worker.luau"), worker.unwrap().1).unwrap();
}

async fn team(
    name: &str,
    folder: Option<&Path>,
    endpoint: &Endpoint,
) -> (TeamHandle, KeeperHandle) {
    let scouts = if folder.is_some() { 2 } else { 0 };
    let roles = |index| if index < scouts { "scout" } else { "worker" };
    let entry = |index| RosterEntry::new(format!("agent{name}{}", index + 1), roles(index));
    let roster = Roster { team: name.into(), agents: (0..AGENTS).map(entry).collect() };
    let limits = Limits::default();
    let team = TeamOptions::default();
    let mut keeper = Keeper::open(KeeperOptions {
        team: name.into(),
        game: "assemble",
        api: phalanx_games::api("assemble").unwrap(),
        roster: Arc::new(roster.clone()),
        limits,
        decide_max: team.decide_max,
        folder: folder.map(Path::to_path_buf),
        read: keepers::reader(true),
        complete: keepers::completer(),
        watch: folder.is_some(),
        settle: Duration::from_millis(300),
        poll: Duration::from_secs(2),
        keep: 20,
        state: None,
        trial_max: Duration::from_secs(30),
    });
    let bundle = match folder {
        Some(folder) => shipped::read(folder).unwrap(),
        None => {
            shipped::idle("worker", "return { decide = function() return act.skip() end }").unwrap()
        }
    };
    let (staged, _) = keeper.first(&Arc::new(bundle)).unwrap();
    let seats = roster.ids().zip(0..).map(|(agent, index)| Seat {
        id: SeatId(index),
        agents: vec![(agent, roster.name(agent).to_owned())],
        user: roster.name(agent).to_owned(),
        password: "1".into(),
        turn_limit: Duration::from_secs(4),
        margin: MarginLimits::default(),
    });
    let plan = TeamPlan {
        options: phalanx_games::GameOptions::new(),
        game: "assemble".into(),
        seats: seats.collect(),
        roster,
        staged,
        limits,
        team,
        seat: SeatOptions::default(),
        recorder: None,
        checkpoints: None,
    };
    let handle = phalanx_games::build(plan, endpoint.clone()).await.unwrap().spawn();
    let keeper = keeper.spawn(handle.clone());
    (handle, keeper)
}

/// The contest's first simulation, without a fixed number of steps.
fn configuration() -> String {
    let sim = include_str!("../../../deploy/arena/assemble/sim1.json");
    let mut sim: serde_json::Value = serde_json::from_str(sim).unwrap();
    sim.as_object_mut().unwrap().insert("steps".into(), 1_000_000.into());
    let account = serde_json::json!({ "prefix": "agent", "password": "1" });
    serde_json::json!({
        "server": {
            "tournamentMode": "round-robin", "teamsPerMatch": 2, "launch": "key", "port": 0,
            "backlog": 100, "agentTimeout": 4000, "resultPath": "results", "logLevel": "normal",
            "logPath": "logs", "replayPath": "replays", "maxPacketLength": 65_536,
            "waitBetweenSimulations": 0,
        },
        "match": [sim],
        "teams": { "A": account, "B": account },
    })
    .to_string()
}
