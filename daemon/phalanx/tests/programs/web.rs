//! Bomberland clients that know only the specification: JSON texts over a WebSocket, and the game
//! that a client builds from them.

use crate::support::{PHALANX, Running, quiet};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use tokio_tungstenite::tungstenite::{Error, Message, WebSocket, accept, client};

/// Timeout of the tests.
const PATIENCE: Duration = Duration::from_secs(30);

/// A game that is over after some 250 short ticks, whatever its players do.
pub(crate) const SHORT: &str = "TICK_RATE_HZ=100\nGAME_START_DELAY_MS=0\nGAME_DURATION_TICKS=20\n\
    FIRE_SPAWN_INTERVAL_TICKS=1\nWORLD_SEED=9\nPRNG_SEED=9\n";

/// Writes a referee's settings.
pub(crate) fn arena_config(dir: &Path, text: &str) -> PathBuf {
    let path = dir.join("arena.env");
    std::fs::write(&path, text).unwrap();
    path
}

/// A referee, and its address; its warnings can be read as if they were its standard output.
pub(crate) fn arena(dir: &Path, text: &str) -> (Running, SocketAddr) {
    arena_at(dir, text, "127.0.0.1:0")
}

/// [`arena`] at a given address.
pub(crate) fn arena_at(dir: &Path, text: &str, listen: &str) -> (Running, SocketAddr) {
    let config = arena_config(dir, text);
    let mut shell = quiet(Command::new("sh"));
    shell.args(["-c", r#"exec "$0" "$@" 2>&1"#, PHALANX, "arena", "bomberland"]);
    shell.args(["--listen", listen, "--config"]).arg(config).arg("--output").arg(dir);
    let mut arena = Running::start(shell);
    let line = arena.line_with("listens on");
    let address = line.trim().rsplit(' ').next().unwrap().parse().unwrap();
    (arena, address)
}

/// One end of a WebSocket.
pub(crate) struct Web {
    socket: WebSocket<TcpStream>,
}

impl Web {
    /// A client with the parameters of the specification, for example `role=spectator`.
    pub(crate) fn connect(address: SocketAddr, query: &str) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let (socket, _) = client(format!("ws://{address}/?{query}"), stream).unwrap();
        Self { socket }
    }

    /// The other side: a referee of the test.
    pub(crate) fn over(stream: TcpStream) -> Self {
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        Self { socket: accept(stream).unwrap() }
    }

    pub(crate) fn send(&mut self, packet: &Value) {
        self.socket.send(Message::text(packet.to_string())).unwrap();
    }

    /// The next packet; `None` when the connection is closed.
    pub(crate) fn receive(&mut self) -> Option<Value> {
        loop {
            match self.socket.read() {
                Ok(Message::Text(text)) => return Some(serde_json::from_str(&text).unwrap()),
                Ok(Message::Close(_)) | Err(Error::ConnectionClosed | Error::Protocol(_)) => {
                    return None;
                }
                Ok(_) => {}
                Err(error) => panic!("nothing came: {error}"),
            }
        }
    }

    /// The payload of the next packet of a type; skips others.
    pub(crate) fn next(&mut self, kind: &str) -> Value {
        loop {
            let mut packet = self.receive().unwrap();
            if packet["type"] == kind {
                return packet["payload"].take();
            }
        }
    }
}

/// The game as a client sees it that applies the packets in order.
#[derive(Debug, PartialEq)]
pub(crate) struct Mirror {
    pub(crate) tick: u64,
    /// By unit.
    pub(crate) units: BTreeMap<String, Value>,
    /// By position, x first.
    pub(crate) entities: BTreeMap<(u64, u64), Value>,
}

impl Mirror {
    /// From a full state.
    pub(crate) fn new(state: &Value) -> Self {
        let entities = state["entities"].as_array().unwrap().iter();
        let units = state["unit_state"].as_object().unwrap().iter();
        Self {
            tick: state["tick"].as_u64().unwrap(),
            units: units.map(|(id, unit)| (id.clone(), unit.clone())).collect(),
            entities: entities
                .map(|one| (place(&json!([one["x"], one["y"]])), one.clone()))
                .collect(),
        }
    }

    /// A tick's events, in their order.
    pub(crate) fn apply(&mut self, tick: &Value) {
        self.tick += 1;
        assert_eq!(tick["tick"], self.tick, "no tick is left out");
        for event in tick["events"].as_array().unwrap() {
            let data = &event["data"];
            match event["type"].as_str().unwrap() {
                "unit" if data["type"] == "move" => self.step(data),
                "unit" => {}
                "unit_state" => {
                    let id = data["unit_id"].as_str().unwrap();
                    self.units.insert(id.to_owned(), data.clone());
                }
                "entity_spawned" => {
                    self.entities.insert(place(&json!([data["x"], data["y"]])), data.clone());
                }
                "entity_expired" => drop(self.entities.remove(&place(data))),
                "entity_state" => {
                    let place = place(&event["coordinates"]);
                    self.entities.insert(place, event["updated_entity"].clone());
                }
                other => panic!("an event called {other}"),
            }
        }
    }

    fn step(&mut self, order: &Value) {
        let unit = self.units.get_mut(order["unit_id"].as_str().unwrap()).unwrap();
        let (x, y) = place(&unit["coordinates"]);
        unit["coordinates"] = match order["move"].as_str().unwrap() {
            "up" => json!([x, y + 1]),
            "down" => json!([x, y - 1]),
            "left" => json!([x - 1, y]),
            "right" => json!([x + 1, y]),
            other => panic!("a move called {other}"),
        };
    }

    /// The living units of an agent.
    pub(crate) fn living(&self, agent: &str) -> Vec<&str> {
        let units = self.units.iter();
        let own = units.filter(|(_, unit)| unit["agent_id"] == agent);
        own.filter(|(_, unit)| unit["hp"].as_i64() > Some(0)).map(|(id, _)| id.as_str()).collect()
    }

    /// The only agent with living units, as the end of a game names it.
    pub(crate) fn winner(&self) -> Value {
        match (self.living("a").is_empty(), self.living("b").is_empty()) {
            (false, true) => json!("a"),
            (true, false) => json!("b"),
            (true, true) => Value::Null,
            (false, false) => panic!("both agents have units: {self:?}"),
        }
    }
}

fn place(coordinates: &Value) -> (u64, u64) {
    (coordinates[0].as_u64().unwrap(), coordinates[1].as_u64().unwrap())
}
