//! Ticks per second of the referee with idle clients, through its connections; and a tick's way
//! through the client.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a benchmark may stop at the first surprise"
)]
#![allow(clippy::disallowed_methods, reason = "a benchmark has no other clock")]

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use phalanx_bomberland::action::Action;
use phalanx_bomberland::arena::{ArenaConfig, ArenaOptions, BomberlandArena};
use phalanx_bomberland::rules::UnitDirection;
use phalanx_bomberland::session::Session;
use phalanx_game::{
    AgentId, Arena as _, ConnectionId, Event, MarginLimits, Origin, Outgoing, Seat, SeatId,
    Session as _,
};
use std::time::{Duration, Instant};

fn arena(now: Instant) -> BomberlandArena {
    let options = ArenaOptions { seed: Some(9), ..ArenaOptions::default() };
    let config = ArenaConfig { ..ArenaConfig::default() };
    let mut arena =
        BomberlandArena::new(config, options, Origin { instant: now, unix_ms: 0 }).unwrap();
    for (id, user) in [(0, "agentA"), (1, "agentB")] {
        arena.handle_request(ConnectionId(id), &format!("/?role=agent&agentId={user}"), now);
    }
    arena
}

/// A whole game of idle clients; its ticks and bytes.
fn idle(now: Instant) -> (u32, usize) {
    let (mut arena, mut bytes) = (arena(now), 0);
    while !arena.verdict().over {
        let at = arena.poll_timeout().unwrap();
        arena.handle_timeout(at);
        while let Some(out) = arena.poll_transmit() {
            if let Outgoing::Bytes(_, packet) = out {
                bytes += packet.len();
            }
        }
    }
    (arena.verdict().step, bytes)
}

/// A client in its first running tick, and the packet of the next one.
fn client(now: Instant) -> (Session, Vec<u8>) {
    let mut session = Session::new(&Seat {
        id: SeatId(0),
        agents: (0..3).map(|n| (AgentId(n), format!("u{n}"))).collect(),
        user: "agentA".to_owned(),
        password: String::new(),
        turn_limit: Duration::from_millis(100),
        margin: MarginLimits::default(),
    });
    session.handle_connected(now);
    let mut arena = arena(now);
    let mut packets = Vec::new();
    while packets.len() < 6 {
        let at = arena.poll_timeout().unwrap();
        arena.handle_timeout(at);
        while let Some(out) = arena.poll_transmit() {
            if let Outgoing::Bytes(ConnectionId(0), packet) = out {
                packets.push(packet);
            }
        }
    }
    let last = packets.pop().unwrap();
    for packet in packets {
        session.handle_input(&packet, now).unwrap();
    }
    while session.poll_event().is_some() {}
    (session, last)
}

/// A tick comes in, three orders go out.
fn turn(session: &mut Session, packet: &[u8], now: Instant) -> usize {
    session.handle_input(packet, now).unwrap();
    while let Some(event) = session.poll_event() {
        if let Event::Asked { turn, agent, .. } = event {
            session.handle_action(turn, agent, &Action::Move(UnitDirection::Up)).unwrap();
        }
    }
    std::iter::from_fn(|| session.poll_transmit()).count()
}

fn benches(criterion: &mut Criterion) {
    let now = Instant::now();
    let mut group = criterion.benchmark_group("arena");
    let (ticks, _) = idle(now);
    group.throughput(Throughput::Elements(ticks.into())).sample_size(20);
    group.bench_function("idle clients", |bench| bench.iter(|| idle(now)));
    group.throughput(Throughput::Elements(1)).sample_size(50);
    group.bench_function("tick in, orders out", |bench| {
        bench.iter_batched(
            || client(now),
            |(mut session, packet)| turn(&mut session, &packet, now),
            BatchSize::SmallInput,
        );
    });
    group.finish();
}

criterion_group!(referee, benches);
criterion_main!(referee);
