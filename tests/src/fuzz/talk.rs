//! Whole conversations of our sessions with our referees: what a corpus begins with.

use super::seats::seat;
use super::{CUT, folders, roster, stages};
use phalanx_game::{
    AgentId, Arena, ConnectionId, Event, Framing, Game, Origin, Outgoing, Seat, Session, World,
};
use std::time::Instant;

/// Exchanges that are kept.
const EXCHANGES_MAX: usize = 12;
/// The players of a match.
const PLAYERS: u64 = 2;

/// What was said in a match of each game: the target's name and the bytes.
#[must_use]
pub fn conversations() -> Vec<(&'static str, Vec<u8>)> {
    let mut all = Vec::new();
    let mut add = |session, arena, (heard, said): (Vec<u8>, Vec<u8>)| {
        all.extend([(session, heard), (arena, said)]);
    };
    let assemble = talk(&phalanx_assemble::Assemble, stages::assemble, ["agentA1", "agentB1"]);
    add("assemble_session", "assemble_arena", assemble);
    let mars = talk(&phalanx_mars::Mars, stages::mars, ["a1", "b1"]);
    add("mars_session", "mars_arena", mars);
    let bomberland = talk(&phalanx_bomberland::Bomberland, stages::bomberland, ["A", "B"]);
    add("bomberland_session", "bomberland_arena", bomberland);
    let colosseum = talk(&phalanx_colosseum::Colosseum, stages::colosseum, ["A", "B"]);
    add("colosseum_session", "colosseum_arena", colosseum);
    let asimulator =
        talk(&phalanx_asimulator::Asimulator::default(), stages::asimulator, ["A", "B"]);
    add("asimulator_session", "asimulator_arena", asimulator);
    let tron = talk(folders::tron(), folders::tron_arena, ["A", "B"]);
    add("tron_session", "tron_arena", tron);
    all.push(("mapc2022_session", folders::mapc2022_referee()));
    all
}

/// What the first player heard, and what both said.
fn talk<G: Game>(
    game: &G,
    stage: fn(Origin) -> Box<dyn Arena>,
    players: [&str; 2],
) -> (Vec<u8>, Vec<u8>) {
    let framing = game.declaration().framing;
    let mut now = Instant::now();
    let mut arena = stage(Origin { instant: now, unix_ms: 1_600_000_000_000 });
    let mut sessions = players.map(|name| {
        let agents = vec![(AgentId(0), name.to_owned())];
        let session = game.session(&Seat { user: name.to_owned(), agents, ..seat() });
        (session, game.world(&roster()))
    });
    for (id, (session, _)) in (0..PLAYERS).zip(&mut sessions) {
        arena.handle_request(ConnectionId(id), stages::target(id), now);
        session.handle_connected(now);
    }
    let (mut heard, mut said) = (Vec::new(), Vec::new());
    let join = |to: &mut Vec<u8>, bytes: &[u8]| {
        if framing == Framing::Message && !to.is_empty() {
            to.extend_from_slice(CUT);
        }
        to.extend_from_slice(bytes);
    };
    for _ in 0..EXCHANGES_MAX {
        while let Some(out) = arena.poll_transmit() {
            let Outgoing::Bytes(ConnectionId(id), bytes) = out else { continue };
            let Some((session, world)) =
                usize::try_from(id).ok().and_then(|id| sessions.get_mut(id))
            else {
                continue;
            };
            if id == 0 {
                join(&mut heard, &bytes);
            }
            // What is not understood is what a corpus is for.
            drop(session.handle_input(&bytes, now));
            answer::<G>(session, world);
        }
        let mut quiet = true;
        for (id, (session, _)) in (0..PLAYERS).zip(&mut sessions) {
            while let Some(bytes) = session.poll_transmit() {
                quiet = false;
                if !said.is_empty() {
                    said.extend_from_slice(CUT);
                }
                said.extend(u8::try_from(id));
                said.extend_from_slice(&bytes);
                arena.handle_input(ConnectionId(id), &bytes, now);
            }
        }
        if quiet {
            let Some(next) = arena.poll_timeout() else { break };
            now = next.max(now);
            arena.handle_timeout(now);
        }
    }
    (heard, said)
}

/// Tells the world what is new and answers what is asked with the harmless action.
fn answer<G: Game>(session: &mut G::Session, world: &mut G::World) {
    while let Some(event) = session.poll_event() {
        match event {
            Event::RoundStarted { agent, round, briefing } => {
                world.begin(round, agent, briefing.as_ref());
            }
            Event::Asked { turn, agent, percept, .. } => {
                world.observe(turn, agent, percept);
                world.settle(turn);
                let action = world.fallback(agent);
                session.handle_action(turn, agent, &action).unwrap_or_default();
            }
            Event::Seated { .. }
            | Event::Refused { .. }
            | Event::Percept { .. }
            | Event::Defaulted { .. }
            | Event::Notice(_)
            | Event::Out { .. }
            | Event::RoundOver { .. }
            | Event::MatchOver => {}
        }
    }
}
