//! The referee replays the recorded matches through its connections.

use super::support::{self, Line, RECORDINGS, Recording};
use phalanx_bomberland::arena::{ArenaOptions, BomberlandArena};
use phalanx_game::{Arena as _, ConnectionId, Origin, Outgoing};
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::Instant;

/// The referee with the recorder's connections.
struct Stage {
    arena: BomberlandArena,
    now: Instant,
    /// The newest connection of each name.
    named: BTreeMap<String, ConnectionId>,
    heard: BTreeMap<ConnectionId, Vec<Value>>,
}

impl Stage {
    fn new(recording: &Recording) -> Self {
        let now = Instant::now();
        let origin = Origin { instant: now, unix_ms: 0 };
        let arena = BomberlandArena::new(recording.config(), ArenaOptions::default(), origin);
        let (named, heard) = (BTreeMap::new(), BTreeMap::new());
        Self { arena: arena.unwrap(), now, named, heard }
    }

    fn open(&mut self, line: &Line) {
        self.named.insert(line.conn.clone(), ConnectionId(line.cid));
        self.arena.handle_request(ConnectionId(line.cid), &line.raw, self.now);
    }

    fn say(&mut self, conn: &str, frame: &str) {
        self.arena.handle_input(self.named[conn], frame.as_bytes(), self.now);
        while let Some(out) = self.arena.poll_transmit() {
            let Outgoing::Bytes(id, bytes) = out else { continue };
            let packet = serde_json::from_slice(&bytes).unwrap();
            self.heard.entry(id).or_default().push(support::without_ids(packet));
        }
    }

    /// Says what the recorded tick shows as done, and asks for the tick.
    fn replay(&mut self, tick: &Value) {
        for event in tick["payload"]["events"].as_array().unwrap() {
            if event["type"] == "unit" {
                let conn = if event["agent_id"] == "a" { "agentA" } else { "agentB" };
                self.say(conn, &event["data"].to_string());
            }
        }
        self.say("admin", r#"{"type":"request_tick"}"#);
    }
}

fn replay(recording: &Recording) {
    let Some(lines) = recording.lines() else { return };
    let mut stage = Stage::new(recording);
    let mut ends: Vec<i64> = Vec::new();
    let (mut last, mut expected) = (0, BTreeMap::<ConnectionId, Vec<Value>>::new());
    for line in lines.iter().filter(|line| line.conn != "fwd-admin") {
        let json = line.json();
        match (line.dir.as_str(), json["type"].as_str()) {
            ("open", _) => stage.open(line),
            ("c2s", Some("request_game_reset")) => stage.say("admin", &line.raw),
            ("s2c", Some("info")) => {}
            ("s2c", kind) => {
                if kind == Some("tick") && line.conn == "admin" {
                    stage.replay(&json);
                    last = json["payload"]["tick"].as_i64().unwrap();
                }
                if kind == Some("endgame_state") && line.conn == "admin" {
                    ends.push(last);
                }
                let id = ConnectionId(line.cid);
                expected.entry(id).or_default().push(support::without_ids(json));
            }
            _ => {}
        }
    }
    assert_eq!(ends, recording.last_ticks, "{}", recording.file);
    for (id, theirs) in &expected {
        let ours = stage.heard.get(id).map(Vec::as_slice).unwrap_or_default();
        for (index, (our, their)) in ours.iter().zip(theirs).enumerate() {
            assert_eq!(our, their, "{}, connection {id:?}, packet {index}", recording.file);
        }
        // The last frames to a client may have been lost with the recorded processes.
        assert!(ours.len() >= theirs.len(), "{}, {id:?}", recording.file);
        assert!(ours.len() <= theirs.len() + 1, "{}, {id:?}", recording.file);
    }
}

#[test]
fn every_recorded_packet_comes_out_again() {
    RECORDINGS.iter().for_each(replay);
}

/// Recording 08: refused connections and malformed input get the recorded silence.
#[test]
fn malformed_input_and_refused_clients_get_the_recorded_answers() {
    let Some(lines) = support::lines("08_malformed_and_connections") else { return };
    let recording = Recording {
        file: "08_malformed_and_connections",
        seeds: (1234, 1234),
        variables: "",
        last_ticks: &[],
    };
    let mut stage = Stage::new(&recording);
    let mut expected = BTreeMap::<ConnectionId, Vec<Value>>::new();
    for line in &lines {
        match line.dir.as_str() {
            "open" => stage.open(line),
            "c2s" => stage.say(&line.conn, &line.raw),
            "s2c" if line.json()["type"] != "info" => {
                let packet = support::without_ids(line.json());
                expected.entry(ConnectionId(line.cid)).or_default().push(packet);
            }
            _ => {}
        }
    }
    for (id, ours) in &stage.heard {
        let theirs = expected.get(id).map(Vec::as_slice).unwrap_or_default();
        for (index, (our, their)) in ours.iter().zip(theirs).enumerate() {
            assert_eq!(our, their, "connection {id:?}, packet {index}");
        }
        assert_eq!(ours.len(), theirs.len(), "connection {id:?}");
    }
    // The last request killed the original: a reset to the seed 14.
    assert!(stage.arena.trouble().is_some_and(|trouble| trouble.contains("14")));
    assert!(stage.arena.drops().len() >= 6, "{:?}", stage.arena.drops());
}
