//! How long answers take, seen from the referee. Fifteen agents over loopback TCP; our daemon with a
//! trivial script beside the floor, a minimal blocking client that answers `skip` at once, without
//! reading what it was told.
//!
//! Two figures: last byte of the *last* percept out → each action's bytes in, which is what a team
//! that decides together can be asked for (the floor answers many agents before that byte); and
//! last byte of an agent's *own* percept out → its action's bytes in.
//!
//! `cargo bench -p phalanx --bench answer [-- TURNS]`
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a benchmark may fail loudly, and prints"
)]

use hdrhistogram::Histogram;
use phalanx::wire::{self, TeamPlan};
use phalanx_engine::{Generation, StrategyOrigin, TeamOptions};
use phalanx_game::{AgentId, MarginLimits, Roster, RosterEntry, Seat, SeatId};
use phalanx_lua::{Bundle, Limits};
use phalanx_net::{Endpoint, SeatOptions};
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::mpsc;
use std::time::{Duration, Instant};

const AGENTS: u16 = 15;
const TURNS: u32 = 3_000;
const WARM_UP: u32 = 200;

fn main() {
    let turns = std::env::args().filter_map(|arg| arg.parse().ok()).next().unwrap_or(TURNS);
    let clients = [
        ("minimal blocking client (floor)", measure(turns, floor)),
        ("phalanx, trivial script", measure(turns, daemon)),
    ];
    let bytes = request(0).len();
    println!(
        "answer times over loopback, {AGENTS} agents, {turns} turns, percepts of {bytes} bytes"
    );
    println!("{:<34} {:>23} {:>23}", "", "since the last percept", "since its own percept");
    println!("{:<34} {:>11} {:>11} {:>11} {:>11}", "", "p50", "p99", "p50", "p99");
    for (name, times) in &clients {
        let at = |times: &Histogram<u64>, q| format!("{} µs", times.value_at_quantile(q) / 1000);
        let (last, own) = (&times.last, &times.own);
        println!(
            "{name:<34} {:>11} {:>11} {:>11} {:>11}",
            at(last, 0.5),
            at(last, 0.99),
            at(own, 0.5),
            at(own, 0.99)
        );
    }
    let [(_, floor), (_, ours)] = &clients;
    let ratio = |q| ours.own.value_at_quantile(q) as f64 / floor.own.value_at_quantile(q) as f64;
    println!("ratio of the last two columns: {:.1} at p50, {:.1} at p99", ratio(0.5), ratio(0.99));
}

/// Answer times in nanoseconds.
struct Times {
    /// Since the last percept of the turn.
    last: Histogram<u64>,
    /// Since the agent's own.
    own: Histogram<u64>,
}

/// Plays the referee for one kind of client.
fn measure(turns: u32, start: fn(SocketAddr) -> Box<dyn std::any::Any>) -> Times {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let client = start(listener.local_addr().unwrap());
    let (arrived, arrivals) = mpsc::channel();
    let mut seats: Vec<TcpStream> =
        (0..AGENTS).map(|index| seat(&listener, index, &arrived)).collect();
    let mut times = Times { last: Histogram::new(3).unwrap(), own: Histogram::new(3).unwrap() };
    for turn in 0..turns + WARM_UP {
        let request = request(turn);
        let mut sent = Vec::new();
        for seat in &mut seats {
            seat.write_all(request.as_bytes()).unwrap();
            sent.push(Instant::now());
        }
        for _ in 0..AGENTS {
            let (index, at): (u16, Instant) =
                arrivals.recv_timeout(Duration::from_secs(5)).unwrap();
            if turn >= WARM_UP {
                let since = |then: Instant| {
                    u64::try_from(at.saturating_duration_since(then).as_nanos()).unwrap()
                };
                times.last.record(since(sent[usize::from(AGENTS) - 1])).unwrap();
                times.own.record(since(sent[usize::from(index)])).unwrap();
            }
        }
    }
    drop((seats, client));
    times
}

/// Accepts one agent, logs it in, starts the simulation; its answers' arrivals go to the channel.
fn seat(listener: &TcpListener, index: u16, arrived: &mpsc::Sender<(u16, Instant)>) -> TcpStream {
    let (mut stream, _) = listener.accept().unwrap();
    stream.set_nodelay(true).unwrap();
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut bytes = Vec::new();
    reader.read_until(0, &mut bytes).unwrap();
    let start = r#"{"type":"sim-start","content":{"time":1,"percept":{"name":"a","team":"A","teamSize":15,"steps":1000000,"vision":5}}}"#;
    let ok = r#"{"type":"auth-response","content":{"result":"ok"}}"#;
    stream.write_all(format!("{ok}\0{start}\0").as_bytes()).unwrap();
    let arrived = arrived.clone();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        while reader.read_until(0, &mut bytes).is_ok_and(|count| count > 0) {
            if arrived.send((index, Instant::now())).is_err() {
                return;
            }
            bytes.clear();
        }
    });
    stream
}

/// A request of about the contest's mean size.
fn request(turn: u32) -> String {
    let things: Vec<_> = (-5..=5)
        .map(|x: i32| format!(r#"{{"x":{x},"y":{},"type":"block","details":"b1"}}"#, 5 - x.abs()))
        .collect();
    let cells: Vec<_> = (-5..=5).map(|x: i32| format!("[{x},{}]", x.abs() - 5)).collect();
    let tasks: Vec<_> = (0..8)
        .map(|task| {
            format!(
                r#"{{"name":"task{task}","deadline":{},"reward":39,"requirements":[{{"x":0,"y":1,"type":"b1","details":""}},{{"x":0,"y":2,"type":"b0","details":""}}]}}"#,
                turn + 100
            )
        })
        .collect();
    format!(
        r#"{{"type":"request-action","content":{{"id":{turn},"time":1000,"deadline":5000,"step":{turn},"percept":{{"score":0,"lastAction":"skip","lastActionResult":"success","lastActionParams":[],"energy":300,"disabled":false,"task":"","attached":[],"things":[{{"x":0,"y":0,"type":"entity","details":"A"}},{}],"terrain":{{"obstacle":[{}]}},"tasks":[{}]}}}}}}{}"#,
        things.join(","),
        cells.join(","),
        tasks.join(","),
        '\0'
    )
}

/// Fifteen threads, each with one blocking socket and one answer.
fn floor(address: SocketAddr) -> Box<dyn std::any::Any> {
    for _ in 0..AGENTS {
        std::thread::spawn(move || {
            let mut stream = TcpStream::connect(address).unwrap();
            stream.set_nodelay(true).unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            stream.write_all(b"{\"type\":\"auth-request\"}\0").unwrap();
            let (mut bytes, mut id) = (Vec::new(), 0);
            while reader.read_until(0, &mut bytes).is_ok_and(|count| count > 0) {
                if bytes.starts_with(b"{\"type\":\"request-action\"") {
                    let skip = format!(
                        "{{\"type\":\"action\",\"content\":{{\"id\":{id},\"type\":\"skip\",\"p\":[]}}}}\0"
                    );
                    if stream.write_all(skip.as_bytes()).is_err() {
                        return;
                    }
                    id += 1;
                }
                bytes.clear();
            }
        });
    }
    Box::new(())
}

/// A team of the daemon, with a script that always skips.
fn daemon(address: SocketAddr) -> Box<dyn std::any::Any> {
    let script = "return { decide = function() return act.skip() end }";
    let bundle = Arc::new(Bundle::from_files([("worker.luau", script)]).unwrap());
    let entry = |index| RosterEntry { name: format!("agentA{index}"), role: "worker".into() };
    let roster = Roster { team: "A".into(), agents: (0..AGENTS).map(entry).collect() };
    let seat = |index: u16| Seat {
        id: SeatId(index),
        agents: vec![(AgentId(index), format!("agentA{index}"))],
        user: format!("agentA{index}"),
        password: "1".into(),
        turn_limit: Duration::from_secs(4),
        margin: MarginLimits::default(),
    };
    let generation = Arc::new(Generation {
        number: 1,
        hash: bundle.hash().to_owned(),
        accepted: std::time::SystemTime::now(),
        origin: StrategyOrigin::Start,
    });
    let plan = TeamPlan {
        options: wire::GameOptions::new(),
        game: "assemble".into(),
        seats: (0..AGENTS).map(seat).collect(),
        roster,
        staged: phalanx_lua::stage(bundle, generation).unwrap(),
        limits: Limits::default(),
        team: TeamOptions::default(),
        seat: SeatOptions::default(),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let endpoint = Endpoint::Tcp { host: address.ip().to_string(), port: address.port() };
    let team = runtime.block_on(async {
        let built = wire::build(plan, endpoint).await.unwrap();
        built.spawn()
    });
    Box::new((team, runtime))
}
