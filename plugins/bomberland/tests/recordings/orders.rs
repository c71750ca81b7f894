//! What the clients really sent leads to what the engine really computed, refused orders included.
//! Frames that were recorded shortly before a tick may have reached the engine after it.

use super::support::{Line, RECORDINGS, Recording};
use phalanx_bomberland::rules::{Generated, Order, Queue, generate, step};
use phalanx_bomberland::wire;
use serde_json::Value;

/// At most so many frames of a client slip behind a tick.
const SLIP_MAX: usize = 8;

type Game = (Generated, Queue);

fn game(recording: &Recording, seeds: (u64, u64)) -> Game {
    let config = recording.config();
    let made = generate(&config.setup, config.params, seeds.0, seeds.1).unwrap();
    (made, Queue::default())
}

fn order(game: &Game, line: &Line) -> Option<Order> {
    let board = &game.0.board;
    let packet = wire::agent_packet(&line.json(), false)?;
    let agent = board.find_agent(if line.conn == "agentA" { "a" } else { "b" })?;
    Some(Order { agent, unit: board.find_unit(&packet.unit)?, act: packet.act })
}

/// The game after a tick in which the last `slips` frames of each client came too late; `None`
/// when its events are not the recorded ones.
fn attempt(game: &Game, waiting: &[&Line], slips: [usize; 2], tick: &Value) -> Option<(Game, Vec<bool>)> {
    let mut next = game.clone();
    let mut late = vec![false; waiting.len()];
    for (conn, slip) in ["agentA", "agentB"].into_iter().zip(slips) {
        let of = (0..waiting.len()).rev().filter(|index| waiting[*index].conn == conn);
        of.take(slip).for_each(|index| late[index] = true);
    }
    for (line, _) in waiting.iter().zip(&late).filter(|(_, late)| !**late) {
        if let Some(order) = order(&next, line) {
            next.1.push(&next.0.state, order).ok();
        }
    }
    let mut events = Vec::new();
    let (Generated { board, state, streams }, queue) = &mut next;
    step(board, state, streams, &mut queue.take(), &mut events);
    let told = events.iter().map(|event| serde_json::to_value(wire::encode_event(board, event)));
    let told: Vec<Value> = told.map(Result::unwrap).collect();
    (Value::Array(told) == tick["payload"]["events"]).then_some((next, late))
}

fn replay(recording: &Recording) {
    let Some(lines) = recording.lines() else { return };
    let mut game = game(recording, recording.seeds);
    let mut waiting: Vec<&Line> = Vec::new();
    let mut ticks = 0;
    for line in lines.iter().filter(|line| line.conn != "fwd-admin") {
        if line.dir == "c2s" && line.conn.starts_with("agent") {
            waiting.push(line);
        } else if line.is("admin", "c2s") && line.json()["type"] == "request_game_reset" {
            let json = line.json();
            let seed = |key: &str| json[key].as_u64().unwrap();
            game = self::game(recording, (seed("world_seed"), seed("prng_seed")));
            waiting.clear();
        } else if line.is("admin", "s2c") && line.json()["type"] == "tick" {
            ticks += 1;
            let tick = line.json();
            let slips = (0..=2 * SLIP_MAX).flat_map(|sum| {
                (0..=sum).filter(move |a| *a <= SLIP_MAX && sum - a <= SLIP_MAX)
                    .map(move |a| [a, sum - a])
            });
            let found = slips.into_iter().find_map(|slips| attempt(&game, &waiting, slips, &tick));
            let (next, late) = found.unwrap_or_else(|| {
                panic!("{}: no slip explains tick {}", recording.file, tick["payload"]["tick"])
            });
            game = next;
            let mut late = late.into_iter();
            waiting.retain(|_| late.next().unwrap());
        }
    }
    assert!(ticks > 100, "{}: {ticks} ticks", recording.file);
}

#[test]
fn every_recorded_tick_follows_from_the_recorded_orders() {
    RECORDINGS.iter().for_each(replay);
}
