//! What the clients really sent leads to what the engine really computed, refused orders included.
//! Frames that were recorded shortly before a tick may have reached the engine after it, and those
//! of different sockets in another order.

use super::support::{Line, RECORDINGS, Recording};
use phalanx_bomberland::rules::{GeneratedGame, OrderQueue, UnitOrder, generate, step};
use phalanx_bomberland::wire;
use serde_json::Value;
use std::collections::BTreeSet;

/// Most frames of a client that may arrive after the tick they belong to.
const SLIP_MAX: usize = 6;

type Game = (GeneratedGame, OrderQueue);

fn game(recording: &Recording, seeds: (u64, u64)) -> Game {
    let config = recording.config();
    let made = generate(&config.setup, config.params, seeds.0, seeds.1).unwrap();
    (made, OrderQueue::default())
}

fn order(game: &Game, line: &Line) -> Option<UnitOrder> {
    let board = &game.0.board;
    let packet = wire::agent_packet(&line.json(), false)?;
    let agent = board.find_agent(if line.conn == "agentA" { "a" } else { "b" })?;
    Some(UnitOrder { agent, unit: board.find_unit(&packet.unit)?, act: packet.act })
}

/// The game after a tick in which the last `slips` frames of each client came too late, with those
/// frames; `None` when its events are not the recorded ones.
fn attempt<'a>(
    game: &Game,
    waiting: &[&'a Line],
    slips: [usize; 2],
    tick: &Value,
) -> Option<(Game, Vec<&'a Line>)> {
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
    let (GeneratedGame { board, state, streams }, queue) = &mut next;
    step(board, state, streams, &mut queue.take(), &mut events);
    let told = events.iter().map(|event| serde_json::to_value(wire::encode_event(board, event)));
    let told: Vec<Value> = told.map(Result::unwrap).collect();
    let late = waiting.iter().zip(late).filter(|(_, late)| *late).map(|(line, _)| *line);
    (Value::Array(told) == tick["payload"]["events"]).then(|| (next, late.collect()))
}

/// Every way in which frames can have slipped that leads to the recorded tick. Equal events lead
/// to equal games, so only the frames that still wait differ.
fn explain<'a>(game: &mut Game, ways: &[Vec<&'a Line>], tick: &Value) -> Vec<Vec<&'a Line>> {
    let found = explain_in_order(game, ways, tick);
    if !found.is_empty() {
        return found;
    }
    let merged: Vec<_> = ways.iter().flat_map(|way| merges(way)).collect();
    explain_in_order(game, &merged, tick)
}

/// Every order in which the frames can have arrived: each socket keeps its own.
fn merges<'a>(waiting: &[&'a Line]) -> Vec<Vec<&'a Line>> {
    let (a, b): (Vec<&Line>, Vec<&Line>) =
        waiting.iter().copied().partition(|line| line.conn == "agentA");
    let total = a.len() + b.len();
    let chosen = (0_u32..1 << total).filter(|mask| mask.count_ones() as usize == a.len());
    chosen
        .map(|mask| {
            let (mut a, mut b) = (a.iter().copied(), b.iter().copied());
            let pick = |index: usize| if mask & (1 << index) == 0 { b.next() } else { a.next() };
            (0..total).filter_map(pick).collect()
        })
        .collect()
}

fn explain_in_order<'a>(
    game: &mut Game,
    ways: &[Vec<&'a Line>],
    tick: &Value,
) -> Vec<Vec<&'a Line>> {
    let slips = (0..=SLIP_MAX).flat_map(|a| (0..=SLIP_MAX).map(move |b| [a, b]));
    let (mut found, mut seen, mut next) = (Vec::new(), BTreeSet::new(), None);
    for (way, slips) in ways.iter().flat_map(|way| slips.clone().map(move |slips| (way, slips))) {
        let Some((after, late)) = attempt(game, way, slips, tick) else { continue };
        next.get_or_insert(after);
        if seen.insert(late.iter().map(|line| line.number).collect::<Vec<_>>()) {
            found.push(late);
        }
    }
    if let Some(next) = next {
        *game = next;
    }
    found
}

fn replay(recording: &Recording) {
    let Some(lines) = recording.lines() else { return };
    let mut game = game(recording, recording.seeds);
    let mut ways: Vec<Vec<&Line>> = vec![Vec::new()];
    let mut ticks = 0;
    for line in lines.iter().filter(|line| line.conn != "fwd-admin") {
        if line.dir == "c2s" && line.conn.starts_with("agent") {
            ways.iter_mut().for_each(|way| way.push(line));
        } else if line.is("admin", "c2s") && line.json()["type"] == "request_game_reset" {
            let json = line.json();
            let seed = |key: &str| json[key].as_u64().unwrap();
            game = self::game(recording, (seed("world_seed"), seed("prng_seed")));
            ways = vec![Vec::new()];
        } else if line.is("admin", "s2c") && line.json()["type"] == "tick" {
            ticks += 1;
            let tick = line.json();
            ways = explain(&mut game, &ways, &tick);
            let number = &tick["payload"]["tick"];
            assert!(!ways.is_empty(), "{}: no slip explains tick {number}", recording.file);
        }
    }
    assert!(ticks > 100, "{}: {ticks} ticks", recording.file);
}

#[test]
fn every_recorded_tick_follows_from_the_recorded_orders() {
    RECORDINGS.iter().for_each(replay);
}
