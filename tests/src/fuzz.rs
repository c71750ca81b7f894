//! What fuzzers throw bytes at: everything of ours that reads from a socket, the methods of the
//! control API, what scripts can call, and the files that people send each other.
//!
//! `tests/fuzz` holds the fuzzer's programs and the corpus; `tests/corpus.rs` replays the corpus
//! with every run of the tests. A target takes any bytes and returns how far they got, so that a
//! corpus which is refused at the door does not pass for one.
//!
//! Input is one stream, or pieces with [`CUT`] between them: messages, or what different clients
//! say. In pieces for a referee the first byte chooses the client.

mod folders;
mod grpc;
mod natives;
mod seats;
mod services;
mod stages;
mod talk;

pub use talk::conversations;

/// The first words of the targets that are no game's: the target's name and the bytes.
#[must_use]
pub fn first_words() -> Vec<(&'static str, Vec<u8>)> {
    grpc::seeds().into_iter().map(|bytes| ("grpc", bytes)).collect()
}

use crate::fuzz::seats::{Heard, hear};
use phalanx_colosseum::bridge::Bridge;
use phalanx_game::{Arena, ConnectionId, Framing, Game, Origin, Outgoing, Roster, RosterEntry};
use std::time::{Duration, Instant};

/// Separates two pieces; it never occurs in UTF-8.
pub const CUT: &[u8] = b"\xFF\xFE";

/// Longest input that is looked at, in bytes: below every limit of a single message.
const INPUT_BYTES_MAX: usize = 32 << 10;
/// How the same stream comes in pieces the second time: nothing may depend on that.
const PIECE_BYTES: usize = 7;
/// How many timeouts of a referee are handled after the last input.
const TIMEOUTS_MAX: usize = 8;
/// Clients of a referee.
const CLIENTS: u64 = 4;

/// One decoder.
#[derive(Debug)]
pub struct Target {
    /// Its name: that of the fuzzer's program and of the corpus' folder.
    pub name: &'static str,
    /// Reads the bytes; the number of things that they made happen.
    pub run: fn(&[u8]) -> usize,
}

/// All decoders.
pub const TARGETS: &[Target] = &[
    Target { name: "assemble_session", run: session::<phalanx_assemble::Assemble> },
    Target { name: "assemble_arena", run: |bytes| arena(stages::assemble, bytes) },
    Target { name: "mars_session", run: session::<phalanx_mars::Mars> },
    Target { name: "mars_arena", run: |bytes| arena(stages::mars, bytes) },
    Target { name: "bomberland_session", run: session::<phalanx_bomberland::Bomberland> },
    Target { name: "bomberland_arena", run: |bytes| arena(stages::bomberland, bytes) },
    Target { name: "colosseum_session", run: session::<phalanx_colosseum::Colosseum> },
    Target { name: "colosseum_arena", run: |bytes| arena(stages::colosseum, bytes) },
    Target { name: "colosseum_bridge", run: bridge },
    Target { name: "asimulator_session", run: session::<phalanx_asimulator::Asimulator> },
    Target { name: "asimulator_arena", run: |bytes| arena(stages::asimulator, bytes) },
    Target { name: "mapc2022_session", run: |bytes| hear_session(folders::mapc2022(), bytes) },
    Target { name: "tron_session", run: |bytes| hear_session(folders::tron(), bytes) },
    Target { name: "tron_arena", run: |bytes| arena(folders::tron_arena, bytes) },
    Target { name: "orders", run: orders },
    Target { name: "tokens", run: tokens },
    Target { name: "grpc", run: grpc::grpc },
    Target { name: "natives", run: natives::natives },
    Target { name: "scenarios", run: scenarios },
];

/// Runs the target of that name.
///
/// # Panics
/// When there is none, or when the bytes break it: that is what fuzzers look for.
#[expect(clippy::panic, reason = "a fuzzer's program without target cannot go on")]
pub fn run(name: &str, bytes: &[u8]) -> usize {
    match TARGETS.iter().find(|target| target.name == name) {
        Some(target) => (target.run)(bytes),
        None => panic!("there is no target {name}"),
    }
}

fn bounded(bytes: &[u8]) -> &[u8] {
    bytes.get(..INPUT_BYTES_MAX).unwrap_or(bytes)
}

/// The pieces of an input.
fn pieces(mut bytes: &[u8]) -> Vec<&[u8]> {
    let mut pieces = Vec::new();
    while let Some(at) = bytes.windows(CUT.len()).position(|window| window == CUT) {
        let (piece, rest) = bytes.split_at(at);
        pieces.push(piece);
        bytes = rest.strip_prefix(CUT).unwrap_or(rest);
    }
    pieces.push(bytes);
    pieces
}

/// The team of every session.
fn roster() -> Roster {
    let agent = |name: &str| RosterEntry::new(name, "worker");
    Roster { team: "A".to_owned(), agents: vec![agent("agentA1"), agent("agentA2")] }
}

/// A referee speaks to our session, and its world is asked everything that scripts may ask.
fn session<G: Game + Default>(bytes: &[u8]) -> usize {
    hear_session(&G::default(), bytes)
}

fn hear_session<G: Game>(game: &G, bytes: &[u8]) -> usize {
    let bytes = bounded(bytes);
    let answered = match game.declaration().framing {
        Framing::Message => hear(game, &pieces(bytes), Heard::Answered),
        Framing::Stream => {
            let whole = hear(game, &[bytes], Heard::Silent);
            let cut: Vec<_> = bytes.chunks(PIECE_BYTES).collect();
            assert_eq!(whole, hear(game, &cut, Heard::Silent), "pieces change the meaning");
            hear(game, &cut, Heard::Answered)
        }
    };
    answered.len()
}

/// Clients speak to our referee.
fn arena(stage: fn(Origin) -> Box<dyn Arena>, bytes: &[u8]) -> usize {
    let mut now = Instant::now();
    let mut arena = stage(Origin { instant: now, unix_ms: 1_600_000_000_000 });
    for id in 0..CLIENTS {
        arena.handle_request(ConnectionId(id), stages::target(id), now);
    }
    let mut told = 0;
    for piece in pieces(bounded(bytes)) {
        let (id, words) = piece.split_first().map_or((0, piece), |(first, rest)| (*first, rest));
        let client = ConnectionId(u64::from(id) % CLIENTS);
        match id >> 4 {
            0xE => arena.handle_request(client, &String::from_utf8_lossy(words), now),
            0xD => arena.handle_leave(client, now),
            _ => arena.handle_input(client, words, now),
        }
        told += drain(arena.as_mut());
    }
    arena.handle_start(now);
    for _ in 0..TIMEOUTS_MAX {
        told += drain(arena.as_mut());
        let Some(next) = arena.poll_timeout() else { break };
        now = next.max(now);
        arena.handle_timeout(now);
    }
    for id in 0..CLIENTS {
        arena.handle_leave(ConnectionId(id), now + Duration::from_secs(1));
    }
    told + drain(arena.as_mut())
}

/// Takes everything that a referee has to send; counts what it sent to clients.
fn drain(arena: &mut dyn Arena) -> usize {
    let mut told = 0;
    while let Some(out) = arena.poll_transmit() {
        told += usize::from(matches!(out, Outgoing::Bytes(..)));
    }
    while arena.poll_artifact().is_some() || arena.poll_notice().is_some() {}
    drop((arena.verdict(), arena.summary(), arena.draw(false)));
    told
}

/// Referee and daemon speak to the executable of an agent: lines of the daemon begin with a `D`.
fn bridge(bytes: &[u8]) -> usize {
    let mut now = Instant::now();
    let mut bridge = Bridge::new("agentA1");
    let mut told = 0;
    for line in bounded(bytes).split(|byte| *byte == b'\n') {
        match line.strip_prefix(b"D") {
            Some(b"+") => bridge.handle_daemon(),
            Some(b"-") => bridge.handle_daemon_lost(),
            Some(line) => bridge.handle_reply(line),
            None => told += usize::from(bridge.handle_referee(line, now).is_ok()),
        }
        if let Some(next) = bridge.poll_timeout() {
            now = next.max(now);
            bridge.handle_timeout(now);
        }
        while bridge.poll_write().is_some() {
            told += 1;
        }
    }
    told
}

/// An operator's order as text: what is read is written as text that reads the same.
fn orders(bytes: &[u8]) -> usize {
    let Ok(text) = std::str::from_utf8(bounded(bytes)) else { return 0 };
    let Ok(said) = phalanx_engine::read_order(text) else { return 0 };
    let written = phalanx_engine::write_order(&said);
    let again = phalanx_engine::read_order(&written);
    assert_eq!(again.as_ref(), Ok(&said), "{written:?}");
    1
}

/// A scenario file: what is read is written as text that reads the same.
fn scenarios(bytes: &[u8]) -> usize {
    let Ok(text) = std::str::from_utf8(bounded(bytes)) else { return 0 };
    let Ok(scenario) = phalanx_chaos::Scenario::read(text, "scenario.toml") else { return 0 };
    let written = scenario.text();
    let again = phalanx_chaos::Scenario::read(&written, "scenario.toml");
    assert_eq!(again.as_ref(), Ok(&scenario), "{written}");
    1
}

/// The token of a caller.
fn tokens(bytes: &[u8]) -> usize {
    let Ok(text) = std::str::from_utf8(bytes) else { return 0 };
    usize::from(phalanx_access::AccessToken::parse(text).is_ok())
}
