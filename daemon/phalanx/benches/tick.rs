//! Answer times in Bomberland as the referee measures them: last byte of the tick packet out → the
//! third order in, over a loopback WebSocket, at 10 Hz and at 100 Hz. Our daemon with a trivial
//! script, compared with the floor: a minimal blocking client that sends three orders without
//! reading.
//!
//! The ticks are real: a game whose units cannot die, against an opponent that walks and bombs. The
//! referee has its own clock, while the packets are sent by the wall clock.
//!
//! `cargo bench -p phalanx --bench tick [-- SECONDS]`
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a benchmark may fail loudly, and prints"
)]

#[path = "support/team.rs"]
#[allow(dead_code, reason = "other benchmarks play other games")]
mod team;

use hdrhistogram::Histogram;
use phalanx_bomberland::arena::{ArenaConfig, ArenaOptions, BomberlandArena};
use phalanx_game::{
    AgentId, Arena as _, ConnectionId, MarginLimits, Origin, Outgoing, Roster, RosterEntry, Seat,
    SeatId,
};
use phalanx_net::Endpoint;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};
use tokio_tungstenite::tungstenite::{Message, WebSocket, accept, client};

const UNITS: u16 = 3;
const SECONDS: u32 = 15;
const WARM_UP: u32 = 20;
/// The connections of the measured client and of its opponent.
const CLIENT: ConnectionId = ConnectionId(0);
const OPPONENT: ConnectionId = ConnectionId(1);

/// No unit dies, freezes or burns: each tick has three orders.
const GAME: &str = "INITIAL_HP=1000000\nGAME_DURATION_TICKS=1000000\nGAME_START_DELAY_MS=0\n\
    BLAST_POWERUP_SPAWN_WEIGHTING=1\nFREEZE_POWERUP_SPAWN_WEIGHTING=0\n\
    OBJECT_DESTRUCTION_ITEM_DROP_PROBABILITY=0.1\n";

type Start = fn(SocketAddr) -> Box<dyn std::any::Any>;

fn main() {
    let seconds = std::env::args().filter_map(|arg| arg.parse().ok()).next().unwrap_or(SECONDS);
    println!("tick packet out → three orders in, {seconds} s each");
    println!("{:<34} {:>6} {:>9} {:>9} {:>12}", "", "Hz", "p50", "p99", "tick packet");
    let clients: [(&str, Start); 2] =
        [("minimal blocking client (floor)", floor), ("phalanx, trivial script", daemon)];
    for hz in [10, 100] {
        for (name, start) in clients {
            let (times, bytes) = measure(hz, seconds, start);
            let at = |q| format!("{} µs", times.value_at_quantile(q) / 1000);
            println!("{name:<34} {hz:>6} {:>9} {:>9} {bytes:>8} B", at(0.5), at(0.99));
        }
    }
}

/// Plays the referee for one kind of client: answer times in nanoseconds, and the mean size of a
/// tick packet.
fn measure(hz: u32, seconds: u32, start: Start) -> (Histogram<u64>, usize) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let client = start(listener.local_addr().unwrap());
    let (stream, _) = listener.accept().unwrap();
    stream.set_nodelay(true).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    let mut socket = accept(stream).unwrap();
    let mut game = Game::new(hz);
    for packet in game.joined() {
        socket.send(packet).unwrap();
    }
    let mut times = Histogram::new(3).unwrap();
    let (begun, mut bytes) = (Instant::now(), 0);
    for tick in 0..seconds * hz + WARM_UP {
        let due = begun + Duration::from_secs(1) * tick / hz;
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
        let packet = game.tick(tick);
        bytes += packet.len();
        socket.send(packet).unwrap();
        let sent = Instant::now();
        for _ in 0..UNITS {
            let order = socket.read().unwrap().into_data();
            game.arena.handle_input(CLIENT, &order, game.now);
        }
        if tick >= WARM_UP {
            times.record(u64::try_from(sent.elapsed().as_nanos()).unwrap()).unwrap();
        }
    }
    drop((socket, client));
    (times, bytes / usize::try_from(seconds * hz + WARM_UP).unwrap())
}

/// The referee, on a clock of its own.
struct Game {
    arena: BomberlandArena,
    now: Instant,
}

impl Game {
    fn new(hz: u32) -> Self {
        let now = Instant::now();
        let config = ArenaConfig::parse(&format!("{GAME}TICK_RATE_HZ={hz}\n")).unwrap();
        let options = ArenaOptions { seed: Some(9), ..ArenaOptions::default() };
        let origin = Origin { instant: now, unix_ms: 0 };
        let mut arena = BomberlandArena::new(config, options, origin).unwrap();
        for (id, name) in [(CLIENT, "agentA"), (OPPONENT, "agentB")] {
            arena.handle_request(id, &format!("/?role=agent&agentId={name}"), now);
        }
        Self { arena, now }
    }

    /// The packets to the client, by kind: the state on joining, then ticks.
    fn told(&mut self) -> Vec<Message> {
        std::iter::from_fn(|| self.arena.poll_transmit())
            .filter_map(|out| match out {
                Outgoing::Bytes(CLIENT, bytes) => {
                    Some(Message::text(String::from_utf8(bytes).unwrap()))
                }
                Outgoing::Bytes(..) | Outgoing::Close(_) => None,
            })
            .collect()
    }

    /// Orders are allowed only after the first tick.
    fn joined(&mut self) -> Vec<Message> {
        self.told()
    }

    fn step(&mut self) {
        let before = self.arena.state().tick;
        while self.arena.state().tick == before {
            self.now = self.arena.poll_timeout().unwrap();
            self.arena.handle_timeout(self.now);
        }
    }

    /// The next tick's packet; the opponent walks about and lays bombs.
    fn tick(&mut self, number: u32) -> Message {
        let way = ["up", "left", "down", "right"][number as usize / 5 % 4];
        for unit in ["d", "f", "h"] {
            let order = match number % 7 {
                0 => format!(r#"{{"type":"bomb","unit_id":"{unit}"}}"#),
                _ => format!(r#"{{"type":"move","move":"{way}","unit_id":"{unit}"}}"#),
            };
            self.arena.handle_input(OPPONENT, order.as_bytes(), self.now);
        }
        self.step();
        self.told().pop().unwrap()
    }
}

/// One blocking socket that sends the same three orders at each packet except the first.
fn floor(address: SocketAddr) -> Box<dyn std::any::Any> {
    std::thread::spawn(move || {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        let (mut socket, _): (WebSocket<TcpStream>, _) =
            client(format!("ws://{address}/"), stream).unwrap();
        let orders = ["c", "e", "g"]
            .map(|unit| format!(r#"{{"type":"move","move":"up","unit_id":"{unit}"}}"#));
        socket.read().unwrap();
        while socket.read().is_ok_and(|packet| !packet.is_close()) {
            for order in &orders {
                socket.write(Message::text(order.as_str())).unwrap();
            }
            socket.flush().unwrap();
        }
    });
    Box::new(())
}

/// A team of the daemon, with a script that always walks up.
fn daemon(address: SocketAddr) -> Box<dyn std::any::Any> {
    let script = "return { decide = function() return act.move('up') end }";
    let name = |index: u16| format!("A{index}");
    let entry = |index| RosterEntry::new(name(index), "worker");
    let seat = Seat {
        id: SeatId(0),
        agents: (0..UNITS).map(|index| (AgentId(index), name(index))).collect(),
        user: "A".into(),
        password: "agentA".into(),
        turn_limit: Duration::from_millis(100),
        margin: MarginLimits::default(),
    };
    let roster = Roster { team: "A".into(), agents: (0..UNITS).map(entry).collect() };
    let endpoint = Endpoint::web_socket(address.ip().to_string(), address.port());
    team::play(team::plan("bomberland", vec![seat], roster, script), endpoint)
}
