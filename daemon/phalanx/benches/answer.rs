//! Answer times as the referee measures them. Fifteen agents over loopback TCP; our daemon with a
//! trivial script, compared with the floor: a minimal blocking client that answers `skip` at once,
//! without parsing its input.
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

#[path = "support/referee.rs"]
mod referee;
#[path = "support/team.rs"]
mod team;

use hdrhistogram::Histogram;
use phalanx_net::Endpoint;
use referee::{Referee, nanoseconds, request};
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};

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
    let mut referee = Referee::accept(&listener, AGENTS);
    let mut times = Times { last: Histogram::new(3).unwrap(), own: Histogram::new(3).unwrap() };
    for turn in 0..turns + WARM_UP {
        for (since_last, since_own) in referee.turn(turn) {
            if turn >= WARM_UP {
                times.last.record(nanoseconds(since_last)).unwrap();
                times.own.record(nanoseconds(since_own)).unwrap();
            }
        }
    }
    drop((referee, client));
    times
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
    let endpoint = Endpoint::tcp(address.ip().to_string(), address.port());
    team::play(team::skipping("assemble", AGENTS), endpoint)
}
