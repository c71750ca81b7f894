//! The referee's sessions and its clock.

use phalanx_bomberland::arena::{ArenaConfig, ArenaOptions, BomberlandArena};
use phalanx_game::{Arena as _, ConnectionId, Origin, Outgoing};
use serde_json::Value;
use std::time::{Duration, Instant};

const A: &str = "/?role=agent&agentId=agentA";
const B: &str = "/?role=agent&agentId=agentB";

fn arena(text: &str, options: ArenaOptions) -> (BomberlandArena, Instant) {
    let now = Instant::now();
    let config = ArenaConfig::parse(text).unwrap();
    let origin = Origin { instant: now, unix_ms: 1_700_000_000_000 };
    (BomberlandArena::new(config, options, origin).unwrap(), now)
}

fn seeded(seed: u64) -> ArenaOptions {
    ArenaOptions { seed: Some(seed), ..ArenaOptions::default() }
}

/// What went out, as connection and type; `close` for a closed connection.
fn out(arena: &mut BomberlandArena) -> Vec<(u64, String)> {
    std::iter::from_fn(|| arena.poll_transmit())
        .map(|out| match out {
            Outgoing::Bytes(ConnectionId(id), bytes) => {
                let packet: Value = serde_json::from_slice(&bytes).unwrap();
                (id, packet["type"].as_str().unwrap().to_owned())
            }
            Outgoing::Close(ConnectionId(id)) => (id, "close".to_owned()),
        })
        .collect()
}

fn told(list: &[(u64, &str)]) -> Vec<(u64, String)> {
    list.iter().map(|(id, kind)| (*id, (*kind).to_owned())).collect()
}

/// Runs the clock to the end of the game; the instant of the end.
fn run(arena: &mut BomberlandArena) -> Instant {
    let mut now = arena.poll_timeout().unwrap();
    while !arena.verdict().over {
        now = arena.poll_timeout().unwrap();
        arena.handle_timeout(now);
    }
    now
}

#[test]
fn the_clock_starts_after_the_countdown_and_ticks_at_its_rate() {
    let (mut arena, start) = arena("", seeded(9));
    arena.handle_request(ConnectionId(1), A, start);
    assert_eq!(out(&mut arena), told(&[(1, "game_state")]));
    let at = |ms: u64| start + Duration::from_millis(ms);
    assert_eq!(arena.poll_timeout(), Some(at(1000)));
    arena.handle_timeout(at(1000));
    assert_eq!(out(&mut arena), told(&[(1, "info")]));
    arena.handle_request(ConnectionId(2), B, at(1500));
    assert_eq!(out(&mut arena), told(&[(2, "game_state")]));
    let mut ticks = Vec::new();
    while ticks.len() < 3 {
        let now = arena.poll_timeout().unwrap();
        arena.handle_timeout(now);
        if out(&mut arena) == told(&[(1, "tick"), (2, "tick")]) {
            ticks.push(now.duration_since(start).as_millis());
        }
    }
    // Seen at 2000, counted down to 4000, then a tick each tenth of a second.
    assert_eq!(ticks, [4100, 4200, 4300]);
    assert_eq!(arena.turn_limit(), Duration::from_millis(100));
}

#[test]
fn agents_hear_first_then_admins_then_spectators() {
    let (mut arena, now) = arena("TRAINING_MODE_ENABLED=1", seeded(9));
    for (id, target) in [(1, "/?role=spectator"), (2, "/?role=admin"), (3, B), (4, A)] {
        arena.handle_request(ConnectionId(id), target, now);
    }
    out(&mut arena);
    let tick = br#"{"type":"request_tick"}"#;
    arena.handle_input(ConnectionId(2), tick, now);
    assert_eq!(out(&mut arena), told(&[(3, "tick"), (4, "tick"), (2, "tick"), (1, "tick")]));
    // A client that leaves does not close other connections.
    arena.handle_leave(ConnectionId(1), now);
    arena.handle_input(ConnectionId(2), tick, now);
    assert_eq!(out(&mut arena), told(&[(3, "tick"), (4, "tick"), (2, "tick")]));
    arena.handle_leave(ConnectionId(4), now);
    arena.handle_input(ConnectionId(2), tick, now);
    assert_eq!(out(&mut arena), [], "no tick while an agent is missing");
    arena.handle_request(ConnectionId(5), A, now);
    arena.handle_input(ConnectionId(2), tick, now);
    assert_eq!(out(&mut arena)[0], (5, "game_state".to_owned()));
}

#[test]
fn who_is_refused_hears_nothing() {
    let patience = Duration::from_secs(3);
    let text = "ADMIN_ROLE_ENABLED=0\nAGENT_SECRET_ID_MAP=x,y\nCLOSE_REFUSED_MS=3000";
    let (mut arena, now) = arena(text, seeded(9));
    arena.handle_request(ConnectionId(1), "/?role=agent&agentId=x", now);
    out(&mut arena);
    for (id, target) in [
        (2, "/?role=agent&agentId=x"),
        (3, A),
        (4, "/?role=agent"),
        (5, "/?role=admin"),
        (6, "/?role=Agent&agentId=y"),
    ] {
        arena.handle_request(ConnectionId(id), target, now);
        arena.handle_input(ConnectionId(id), br#"{"type":"bomb","unit_id":"c"}"#, now);
        assert_eq!(out(&mut arena), [], "{target}");
    }
    arena.handle_request(ConnectionId(7), "/", now);
    arena.handle_join(ConnectionId(8), now);
    assert_eq!(out(&mut arena), told(&[(7, "close"), (8, "close")]));
    arena.handle_timeout(now + patience);
    let closed: Vec<_> = out(&mut arena).into_iter().filter(|(_, kind)| kind == "close").collect();
    assert_eq!(
        closed,
        told(&[(2, "close"), (3, "close"), (4, "close"), (5, "close"), (6, "close")])
    );
}

#[test]
fn the_end_is_told_once_with_a_replay_and_one_more_tick() {
    let (mut arena, now) = arena("SHUTDOWN_ON_GAME_END_ENABLED=1\nINITIAL_HP=1", seeded(9));
    arena.handle_request(ConnectionId(1), A, now);
    arena.handle_request(ConnectionId(2), B, now);
    let end = run(&mut arena);
    let all: Vec<_> = std::iter::from_fn(|| arena.poll_transmit()).collect();
    let last: Vec<&Outgoing> = all.iter().rev().take(4).collect();
    let Outgoing::Bytes(_, packet) = last[3] else { panic!("{:?}", last[3]) };
    assert!(packet.starts_with(br#"{"type":"endgame_state""#));
    assert!(matches!(last[0], Outgoing::Bytes(_, tick) if tick.starts_with(br#"{"type":"tick""#)));
    let replay = arena.poll_artifact().unwrap();
    assert_eq!((replay.path.as_str(), &replay.bytes), ("replay.json", packet));
    assert_eq!(arena.poll_artifact(), None);
    let verdict = arena.verdict();
    assert_eq!(verdict.teams.iter().map(|team| team.rounds.len()).collect::<Vec<_>>(), [1, 1]);
    let packet: Value = serde_json::from_slice(packet).unwrap();
    let winner = packet["payload"]["winning_agent_id"].as_str();
    let winners = verdict.teams.iter().map(|team| team.rounds[0]);
    assert_eq!(
        winners.collect::<Vec<_>>(),
        [i64::from(winner == Some("a")), i64::from(winner == Some("b"))]
    );
    let history = packet["payload"]["history"].as_array().unwrap();
    assert!(history.iter().all(|tick| !tick["events"].as_array().unwrap().is_empty()));
    arena.handle_request(ConnectionId(3), "/?role=spectator", end);
    assert_eq!(out(&mut arena), told(&[(3, "endgame_state")]));
    assert_eq!(arena.poll_timeout(), Some(end + Duration::from_secs(5)));
    arena.handle_timeout(end + Duration::from_secs(5));
    assert_eq!(out(&mut arena), told(&[(1, "close"), (2, "close"), (3, "close")]));
    assert_eq!(arena.poll_timeout(), None);
}

#[test]
fn a_game_that_nothing_ends_is_a_draw() {
    // The ring takes a cell where the ticks since its beginning are a multiple of the interval, so
    // it takes only the first one here.
    let (mut arena, now) = arena("FIRE_SPAWN_INTERVAL_TICKS=0.7", seeded(9));
    arena.handle_request(ConnectionId(1), A, now);
    arena.handle_request(ConnectionId(2), B, now);
    run(&mut arena);
    let verdict = arena.verdict();
    let scores: Vec<&[i64]> = verdict.teams.iter().map(|team| &*team.rounds).collect();
    assert_eq!(scores, [[0], [0]]);
    // All 225 cells were due after 158 ticks; a minute of the engine's clock later it is over.
    assert_eq!(verdict.step, 200 + 158 + 600 + 2);
}

#[test]
fn the_same_seed_ends_the_same_and_chance_finds_a_usable_one() {
    let play = |options: ArenaOptions| {
        let (mut arena, now) = arena("", options);
        arena.handle_request(ConnectionId(1), A, now);
        arena.handle_request(ConnectionId(2), B, now);
        run(&mut arena);
        (arena.verdict(), arena.seeds(), arena.draw(false))
    };
    assert_eq!(play(seeded(7)), play(seeded(7)));
    let (.., picture) = play(ArenaOptions::default());
    assert!(picture.contains("▲▲"), "the ring of fire has come:\n{picture}");
    let now = Instant::now();
    let origin = Origin { instant: now, unix_ms: 0 };
    let error = BomberlandArena::new(ArenaConfig::default(), seeded(14), origin).unwrap_err();
    assert_eq!(error.world_seed, 14);
}

#[test]
fn when_not_all_come_in_the_grace_period_who_came_wins() {
    let (mut arena, now) = arena("TOURNAMENT_AGENT_CONNECTION_GRACE_PERIOD_MS=2500", seeded(9));
    arena.handle_request(ConnectionId(1), B, now);
    run(&mut arena);
    let rounds: Vec<_> = arena.verdict().teams.into_iter().map(|team| team.rounds).collect();
    assert_eq!(rounds, [[0], [1]]);
    let last = out(&mut arena).pop();
    assert_eq!(last, Some((1, "close".to_owned())));
}

#[test]
fn a_reset_without_seeds_takes_the_first_ones_again() {
    let (mut arena, now) = arena("TRAINING_MODE_ENABLED=1", seeded(9));
    for (id, target) in [(1, A), (2, B), (3, "/?role=admin")] {
        arena.handle_request(ConnectionId(id), target, now);
    }
    let first = arena.state().clone();
    let say = |arena: &mut BomberlandArena, frame: &str| {
        arena.handle_input(ConnectionId(3), frame.as_bytes(), now);
    };
    say(&mut arena, r#"{"type":"request_tick"}"#);
    say(&mut arena, r#"{"type":"request_game_reset","world_seed":5,"prng_seed":6}"#);
    assert_ne!(arena.state(), &first);
    say(&mut arena, r#"{"type":"request_game_reset"}"#);
    assert_eq!(arena.state(), &first);
    say(&mut arena, r#"{"type":"request_game_reset","world_seed":14}"#);
    assert_eq!(arena.state(), &first, "the old game goes on where no world can be made");
    assert!(arena.trouble().is_some());
}

#[test]
fn long_frames_are_not_read() {
    let (mut arena, now) = arena("", seeded(9));
    arena.handle_request(ConnectionId(1), A, now);
    let long = vec![b' '; phalanx_bomberland::arena::AGENT_BYTES_MAX + 1];
    arena.handle_input(ConnectionId(1), &long, now);
    assert_eq!(arena.drops().get("frame too long"), Some(&1));
}
