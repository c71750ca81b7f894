//! A referee of fifteen-agent turns for benchmarks: it sends every agent its percept and notes when
//! each answer arrives.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Longest wait for an answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// One match of one team.
pub(crate) struct Referee {
    seats: Vec<TcpStream>,
    arrivals: mpsc::Receiver<(u16, Instant)>,
}

impl Referee {
    /// Waits for all agents of a team, and starts the simulation.
    pub(crate) fn accept(listener: &TcpListener, agents: u16) -> Self {
        let start = r#"{"type":"sim-start","content":{"time":1,"percept":{"name":"a","team":"A","teamSize":15,"steps":1000000,"vision":5}}}"#;
        Self::accept_with(listener, agents, |_| format!("{start}\0"))
    }

    /// The same with these messages that start the simulation, by the agent's number.
    pub(crate) fn accept_with(
        listener: &TcpListener,
        agents: u16,
        start: impl Fn(u16) -> String,
    ) -> Self {
        let (arrived, arrivals) = mpsc::channel();
        let seats =
            (0..agents).map(|index| seat(listener, index, &start(index), &arrived)).collect();
        Self { seats, arrivals }
    }

    /// Plays a turn: how long each answer took, in the order of their arrival, since the last byte
    /// of the last agent's percept was sent and since that of the agent's own.
    pub(crate) fn turn(&mut self, turn: u32) -> Vec<(Duration, Duration)> {
        let request = request(turn);
        self.ask(|_| &request)
    }

    /// The same with a request for each agent, by its number.
    pub(crate) fn ask<T: AsRef<str>>(
        &mut self,
        request: impl Fn(u16) -> T,
    ) -> Vec<(Duration, Duration)> {
        let mut sent = Vec::new();
        for (index, seat) in (0..).zip(&mut self.seats) {
            seat.write_all(request(index).as_ref().as_bytes()).unwrap();
            sent.push(Instant::now());
        }
        let last = sent.last().copied().unwrap();
        let answer = |_: &Instant| {
            let (index, at): (u16, Instant) = self.arrivals.recv_timeout(PATIENCE).unwrap();
            let own = sent.get(usize::from(index)).copied().unwrap();
            (at.saturating_duration_since(last), at.saturating_duration_since(own))
        };
        sent.iter().map(answer).collect()
    }
}

/// Converts a time for a histogram.
pub(crate) fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap()
}

/// Accepts one agent, logs it in, starts the simulation; its answers' arrivals go to the channel.
fn seat(
    listener: &TcpListener,
    index: u16,
    start: &str,
    arrived: &mpsc::Sender<(u16, Instant)>,
) -> TcpStream {
    let (mut stream, _) = listener.accept().unwrap();
    stream.set_nodelay(true).unwrap();
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut bytes = Vec::new();
    reader.read_until(0, &mut bytes).unwrap();
    let ok = r#"{"type":"auth-response","content":{"result":"ok"}}"#;
    stream.write_all(format!("{ok}\0{start}").as_bytes()).unwrap();
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
pub(crate) fn request(turn: u32) -> String {
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
