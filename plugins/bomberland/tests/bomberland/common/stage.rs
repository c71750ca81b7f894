//! A referee and clients on a virtual clock.

use phalanx_bomberland::arena::{ArenaConfig, ArenaOptions, BomberlandArena};
use phalanx_bomberland::percept::{Briefing, Percept};
use phalanx_bomberland::session::Session;
use phalanx_game::{
    AgentId, Arena as _, ConnectionId, Event, MarginLimits, Origin, Outgoing, Seat, SeatId,
    Session as _,
};
use std::time::{Duration, Instant};

pub(crate) type Told = Event<Briefing, Percept>;

/// A session for a user; the admin has no agents.
pub(crate) fn session(user: &str) -> Session {
    let agents = if user.starts_with("agent") { 3 } else { 0 };
    Session::new(&Seat {
        id: SeatId(0),
        agents: (0..agents).map(|n| (AgentId(n), format!("u{n}"))).collect(),
        user: user.to_owned(),
        password: String::new(),
        turn_limit: Duration::from_millis(100),
        margin: MarginLimits::default(),
    })
}

/// A referee for a configuration text.
pub(crate) fn arena(text: &str, seed: u64, now: Instant) -> BomberlandArena {
    let options = ArenaOptions { seed: Some(seed), stay: true };
    let config = ArenaConfig::parse(text).unwrap();
    BomberlandArena::new(config, options, Origin { instant: now, unix_ms: 0 }).unwrap()
}

/// A referee with its clients, each on one connection.
pub(crate) struct Stage {
    pub(crate) arena: BomberlandArena,
    pub(crate) clients: Vec<Session>,
    /// Events of each client that the test has not read yet.
    pub(crate) told: Vec<Vec<Told>>,
    /// Every packet of the referee.
    pub(crate) packets: Vec<Vec<u8>>,
    pub(crate) now: Instant,
}

impl Stage {
    pub(crate) fn new(text: &str, seed: u64, users: &[&str]) -> Self {
        let now = Instant::now();
        let clients: Vec<Session> = users.iter().map(|user| session(user)).collect();
        let told = users.iter().map(|_| Vec::new()).collect();
        let arena = arena(text, seed, now);
        let mut stage = Self { arena, clients, told, packets: Vec::new(), now };
        for index in 0..users.len() {
            stage.connect(index, u64::try_from(index).unwrap());
        }
        stage.settle();
        stage
    }

    pub(crate) fn connect(&mut self, client: usize, connection: u64) {
        assert_eq!(usize::try_from(connection).unwrap() % self.clients.len(), client);
        let target = self.clients[client].target();
        self.clients[client].handle_connected(self.now);
        self.arena.handle_request(ConnectionId(connection), &target, self.now);
    }

    /// Carries everything that waits from one side to the other.
    pub(crate) fn settle(&mut self) {
        loop {
            let mut moved = false;
            while let Some(out) = self.arena.poll_transmit() {
                moved = true;
                let Outgoing::Bytes(ConnectionId(id), bytes) = out else { continue };
                let client = usize::try_from(id).unwrap() % self.clients.len();
                self.packets.push(bytes.clone());
                self.clients[client].handle_input(&bytes, self.now).unwrap();
            }
            for (index, client) in self.clients.iter_mut().enumerate() {
                self.told[index].extend(std::iter::from_fn(|| client.poll_event()));
                while let Some(bytes) = client.poll_transmit() {
                    moved = true;
                    let id = ConnectionId(u64::try_from(index).unwrap());
                    self.arena.handle_input(id, &bytes, self.now);
                }
            }
            if !moved {
                return;
            }
        }
    }

    /// Time passes to the next thing that happens.
    pub(crate) fn pass(&mut self) {
        let clients = self.clients.iter().filter_map(Session::poll_timeout);
        let next = clients.chain(self.arena.poll_timeout()).min().unwrap();
        self.now = next.max(self.now);
        self.arena.handle_timeout(self.now);
        let now = self.now;
        self.clients.iter_mut().for_each(|client| client.handle_timeout(now));
        self.settle();
    }

    /// Time passes until a client is asked; the questions are taken.
    pub(crate) fn until_asked(&mut self, client: usize) -> Vec<Told> {
        for _ in 0..1000 {
            let asked = |event: &Told| matches!(event, Event::Asked { .. });
            if self.told[client].iter().any(asked) {
                let all = std::mem::take(&mut self.told[client]);
                return all.into_iter().filter(asked).collect();
            }
            self.pass();
        }
        panic!("client {client} was not asked");
    }
}
