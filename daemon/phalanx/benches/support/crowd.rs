//! A referee of many teams at once, in a process of its own: it sends what was recorded of one match
//! and notes when the answers arrive. One thread, next to no work: it parses no percept and plays no
//! game.

use crate::tape::Tape;
use hdrhistogram::Histogram;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::{Value, json};
use std::io::Write as _;
use std::rc::Rc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::tcp::OwnedWriteHalf;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Barrier, mpsc};
use tokio::task::{LocalSet, spawn_local};
use tokio::time::{Instant, sleep_until, timeout, timeout_at};

/// Time between two turns of a team, and for their answers.
const TURN: Duration = Duration::from_secs(1);
/// Time for an answer before the measurement begins.
const PATIENCE: Duration = Duration::from_secs(60);

/// The amount of load.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Load {
    pub(crate) teams: usize,
    /// Turns before the measurement, one after the other as fast as they are answered.
    pub(crate) warm_up: usize,
    /// Turns that are measured, one a second for each team.
    pub(crate) turns: usize,
}

/// What one team needs.
struct Table {
    tape: Rc<Tape>,
    load: Load,
    seats: Vec<OwnedWriteHalf>,
    answers: mpsc::Receiver<(usize, usize)>,
    times: Histogram<u64>,
    missing: u64,
}

/// Plays the referee: prints the ports, then a line when all teams are there and warmed up, then the
/// figures.
pub(crate) fn main(load: Load) {
    let most = getrlimit(Resource::Nofile).maximum;
    setrlimit(Resource::Nofile, Rlimit { current: most, maximum: most }).unwrap();
    let steps = u32::try_from(load.warm_up + load.turns + 2).unwrap();
    let tape = Rc::new(Tape::play(steps));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    LocalSet::new().block_on(&runtime, serve(tape, load));
}

async fn serve(tape: Rc<Tape>, load: Load) {
    let mut listeners = Vec::new();
    for _ in 0..load.teams {
        listeners.push(TcpListener::bind("127.0.0.1:0").await.unwrap());
    }
    let ports: Vec<u16> =
        listeners.iter().map(|listener| listener.local_addr().unwrap().port()).collect();
    say(&json!(ports));
    let ready = Rc::new(Barrier::new(load.teams + 1));
    let teams: Vec<_> = listeners
        .into_iter()
        .enumerate()
        .map(|(team, listener)| {
            let (tape, ready) = (Rc::clone(&tape), Rc::clone(&ready));
            spawn_local(play(tape, load, listener, ready, team))
        })
        .collect();
    ready.wait().await;
    say(&json!("playing"));
    let (mut times, mut missing) = (empty(), 0);
    for team in teams {
        let table = team.await.unwrap();
        times.add(table.times).unwrap();
        missing += table.missing;
    }
    let at = |quantile| times.value_at_quantile(quantile);
    say(&json!({ "p50_us": at(0.5), "p99_us": at(0.99), "max_us": at(1.0), "missing": missing }));
}

/// A line for the process that started this one.
fn say(line: &Value) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").unwrap();
    out.flush().unwrap();
}

fn empty() -> Histogram<u64> {
    Histogram::new(3).unwrap()
}

async fn play(
    tape: Rc<Tape>,
    load: Load,
    listener: TcpListener,
    ready: Rc<Barrier>,
    team: usize,
) -> Table {
    let mut table = Table::seated(tape, load, &listener).await;
    for turn in 0..load.warm_up {
        table.turn(turn, Instant::now() + PATIENCE, false).await;
    }
    ready.wait().await;
    // Matches do not begin in the same instant.
    let share = u32::try_from(team).unwrap() * TURN / u32::try_from(load.teams).unwrap();
    let mut begin = Instant::now() + share;
    for turn in load.warm_up..load.warm_up + load.turns {
        sleep_until(begin).await;
        begin += TURN;
        table.turn(turn, begin, true).await;
    }
    table
}

impl Table {
    /// Waits for all agents of a team, and starts the simulation.
    async fn seated(tape: Rc<Tape>, load: Load, listener: &TcpListener) -> Self {
        let agents = tape.users.len();
        let (heard, answers) = mpsc::channel(4 * agents);
        let mut seats: Vec<Option<OwnedWriteHalf>> = (0..agents).map(|_| None).collect();
        while seats.iter().any(Option::is_none) {
            let (stream, _) = listener.accept().await.unwrap();
            let (agent, seat) = seated(&tape, stream, heard.clone()).await;
            seats[agent] = Some(seat);
        }
        let seats = seats.into_iter().flatten().collect();
        Self { tape, load, seats, answers, times: empty(), missing: 0 }
    }

    /// Asks all agents, and waits for their answers until `end`.
    async fn turn(&mut self, turn: usize, end: Instant, measured: bool) {
        let left = end.saturating_duration_since(Instant::now());
        let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis();
        let times = (time, time + left.as_millis());
        let step = turn.min(self.tape.requests.len() - 1);
        for (agent, seat) in self.seats.iter_mut().enumerate() {
            let request = self.tape.request((step, agent), turn, times);
            seat.write_all(&request).await.unwrap();
        }
        let sent = Instant::now();
        let mut waiting = self.seats.len();
        while waiting > 0 {
            let Ok(answer) = timeout_at(end, self.answers.recv()).await else { break };
            let (_, id) = answer.unwrap();
            // An answer to an earlier turn was counted as missing.
            if id != turn {
                continue;
            }
            waiting -= 1;
            if measured {
                self.times.record(u64::try_from(sent.elapsed().as_micros()).unwrap()).unwrap();
            }
        }
        if measured {
            self.missing += waiting as u64;
        } else {
            assert_eq!(waiting, 0, "no answer within {PATIENCE:?} ({:?})", self.load);
        }
    }
}

/// Logs an agent in and starts its simulation; its answers go to the channel, with their ids.
async fn seated(
    tape: &Tape,
    stream: TcpStream,
    heard: mpsc::Sender<(usize, usize)>,
) -> (usize, OwnedWriteHalf) {
    stream.set_nodelay(true).unwrap();
    let (reader, mut writer) = stream.into_split();
    let mut reader = BufReader::with_capacity(1024, reader);
    let mut bytes = Vec::new();
    timeout(PATIENCE, reader.read_until(0, &mut bytes)).await.unwrap().unwrap();
    let login: Value = serde_json::from_slice(bytes.strip_suffix(&[0]).unwrap()).unwrap();
    let user = login["content"]["user"].as_str().unwrap();
    let agent = tape.users.iter().position(|known| known == user).unwrap();
    let ok = br#"{"type":"auth-response","content":{"result":"ok"}}"#;
    let start = &tape.starts[agent];
    writer.write_all(&[ok, &[0][..], start, &[0]].concat()).await.unwrap();
    spawn_local(async move {
        bytes.clear();
        while reader.read_until(0, &mut bytes).await.is_ok_and(|count| count > 0) {
            if heard.send((agent, id_of(&bytes))).await.is_err() {
                return;
            }
            bytes.clear();
        }
    });
    (agent, writer)
}

/// The request that an answer names.
fn id_of(answer: &[u8]) -> usize {
    let text = std::str::from_utf8(answer).unwrap();
    let (_, rest) = text.split_once(r#""id":"#).unwrap();
    let digits = rest.split(|letter: char| !letter.is_ascii_digit()).next().unwrap();
    digits.parse().unwrap()
}
