//! A host on a virtual clock: agents are closures that answer lines.

use phalanx_colosseum::arena::{ArenaOptions, ColosseumArena};
use phalanx_game::sorted::SortedMap;
use phalanx_game::{Arena as _, ConnectionId, Origin, Outgoing};
use serde_json::Value;
use std::time::{Duration, Instant};

/// What an agent does with a line.
#[derive(Clone, Debug)]
pub(crate) enum Does {
    /// Writes this, with a line end.
    Says(String),
    /// Writes this so much later.
    SaysLate(String, Duration),
    /// Nothing.
    Waits,
    /// Ends.
    Exits,
}

/// An agent.
pub(crate) type Player = Box<dyn FnMut(&Value) -> Does>;

/// What came of it.
#[derive(Debug)]
pub(crate) struct Played {
    pub(crate) result: Value,
    pub(crate) results: Vec<String>,
    pub(crate) replay: Vec<Value>,
    pub(crate) artifacts: SortedMap<String, Vec<u8>>,
    pub(crate) arena: ColosseumArena,
    pub(crate) lasted: Duration,
}

/// Answers everything well; states with what `play` adds to the id.
pub(crate) fn good(mut play: impl FnMut(&Value, u64) -> String + 'static) -> Player {
    let mut id = String::new();
    Box::new(move |line| {
        if let Some(given) = line["set_agent_id"].as_str() {
            id = given.to_owned();
        }
        let own = format!("\"agent_id\": {}", Value::from(id.clone()));
        if line.get("stop").is_some() {
            return Does::Exits;
        }
        Does::Says(match line["epoch"].as_u64() {
            Some(epoch) => format!("{{{own}, {}}}", play(line, epoch)),
            None => format!("{{{own}, \"agent_name\": \"n\", \"pong\": 1}}"),
        })
    })
}

/// As [`good`], but does what `odd` says instead where that is something.
pub(crate) fn odd(mut odd: impl FnMut(u64) -> Option<Does> + 'static) -> Player {
    let mut usual = good(|_, _| "\"actions\": []".to_owned());
    Box::new(move |line| {
        let does = usual(line);
        line["epoch"].as_u64().and_then(&mut odd).unwrap_or(does)
    })
}

/// Plays all matches; `seat` makes the agent of a player.
pub(crate) fn play(options: ArenaOptions, mut seat: impl FnMut(usize) -> Player) -> Played {
    let start = Instant::now();
    let mut now = start;
    let origin = Origin { instant: start, unix_ms: 1_663_862_399_000 };
    let mut arena = ColosseumArena::new(options, origin).expect("options that fit");
    let mut players: SortedMap<u64, (Player, Vec<u8>)> = SortedMap::new();
    let mut late: Vec<(Instant, u64, String)> = Vec::new();
    let mut next = 0;
    let mut artifacts = SortedMap::new();
    loop {
        while let Some(player) = arena.wanted().first().copied() {
            players.insert(next, (seat(player), Vec::new()));
            arena.handle_join(ConnectionId(next), now);
            next += 1;
        }
        while let Some(artifact) = arena.poll_artifact() {
            artifacts.insert(artifact.path, artifact.bytes);
        }
        match arena.poll_transmit() {
            Some(Outgoing::Close(ConnectionId(id))) => drop(players.remove(&id)),
            Some(Outgoing::Bytes(ConnectionId(id), bytes)) => {
                let Some((player, buffer)) = players.get_mut(&id) else { continue };
                buffer.extend(bytes);
                if buffer.last() != Some(&b'\n') {
                    continue;
                }
                let line: Value = serde_json::from_slice(&std::mem::take(buffer)).expect("JSON");
                match player(&line) {
                    // An agent that is late with one line sends its next line after it.
                    Does::Says(text) if late.iter().any(|(_, busy, _)| *busy == id) => {
                        late.push((late.last().map_or(now, |(at, ..)| *at), id, text));
                    }
                    Does::Says(text) => {
                        let bytes = format!("{text}\n").into_bytes();
                        arena.handle_input(ConnectionId(id), &bytes, now);
                    }
                    Does::SaysLate(text, after) => late.push((now + after, id, text)),
                    Does::Waits => {}
                    Does::Exits => {
                        players.remove(&id);
                        arena.handle_leave(ConnectionId(id), now);
                    }
                }
            }
            None if arena.verdict().over => break,
            None => {
                late.sort_by_key(|(at, ..)| *at);
                let due = arena.poll_timeout().expect("somebody is waited for");
                if late.first().is_some_and(|(at, ..)| *at <= due) {
                    let (at, id, text) = late.remove(0);
                    now = at;
                    arena.handle_input(ConnectionId(id), format!("{text}\n").as_bytes(), now);
                } else {
                    now = due;
                    arena.handle_timeout(now);
                }
            }
        }
    }
    let results = arena.results().to_vec();
    let result: Value = serde_json::from_str(results.last().expect("a result")).expect("JSON");
    let replay = result["replay_file"].as_str().and_then(|name| artifacts.get(name));
    let replay = replay.map(|bytes| String::from_utf8(bytes.clone()).expect("UTF-8"));
    let replay = replay.unwrap_or_default();
    let replay = replay.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    Played { result, results, replay, artifacts, arena, lasted: now - start }
}
