//! One game that is being played, and its packets.

use super::config::ArenaConfig;
use super::lobby::{ClientRole, LobbyClient};
use crate::rules::{
    GeneratedGame, OrderQueue, OrderRefusal, UnitOrder, Unmakeable, generate, step,
};
use crate::wire::{self, ActPacket, Full};
use serde::Serialize;

/// A game from its seeds.
#[derive(Debug)]
pub(super) struct SeededGame {
    pub(super) game: GeneratedGame,
    queue: OrderQueue,
    game_id: String,
    tick_rate_hz: u32,
    initial: Full,
    /// The ticks that had events, as JSON, with commas between them.
    history: Vec<u8>,
}

#[derive(Serialize)]
struct OutgoingPacket<'a, P: Serialize> {
    r#type: &'a str,
    payload: P,
}

#[derive(Serialize)]
struct OutgoingTick<E: Serialize> {
    tick: i32,
    events: Vec<E>,
}

#[derive(Serialize)]
struct Info {
    message: String,
}

fn packet<P: Serialize>(kind: &str, payload: P) -> Vec<u8> {
    // Plain numbers, texts and lists always have a JSON form.
    serde_json::to_vec(&OutgoingPacket { r#type: kind, payload }).unwrap_or_default()
}

/// The word while agents are missing.
pub(super) fn info(there: usize, wanted: usize) -> Vec<u8> {
    let message = format!("Waiting for agents to connect {there} of {wanted}");
    packet("info", Info { message })
}

impl SeededGame {
    pub(super) fn new(
        config: &ArenaConfig,
        world_seed: u64,
        prng_seed: u64,
        game_id: String,
    ) -> Result<Self, Unmakeable> {
        let game = generate(&config.setup, config.params, world_seed, prng_seed)?;
        let tick_rate_hz = config.server.tick_rate_hz;
        let initial = wire::encode_full(&game.board, &game.state, &game_id, tick_rate_hz.into());
        let (queue, history) = (OrderQueue::default(), Vec::new());
        Ok(Self { game, queue, game_id, tick_rate_hz, initial, history })
    }

    /// The full state for one client.
    pub(super) fn game_state(&self, connection: &LobbyClient) -> Vec<u8> {
        let hz = self.tick_rate_hz.into();
        let mut full = wire::encode_full(&self.game.board, &self.game.state, &self.game_id, hz);
        full.connection = Some(wire::RawConnection {
            id: connection.number,
            role: connection.role.word().to_owned(),
            agent_id: match &connection.role {
                ClientRole::Agent(id) => Some(id.clone()),
                ClientRole::Admin | ClientRole::Spectator | ClientRole::Silent => None,
            },
        });
        packet("game_state", full)
    }

    /// An agent's order; why it is dropped otherwise.
    pub(super) fn order(&mut self, agent: &str, packet: &ActPacket) -> Result<(), OrderRefusal> {
        let board = &self.game.board;
        let (Some(agent), Some(unit)) = (board.find_agent(agent), board.find_unit(&packet.unit))
        else {
            return Err(OrderRefusal::NotYours);
        };
        self.queue.push(&self.game.state, UnitOrder { agent, unit, act: packet.act })
    }

    /// Computes a tick; its packet comes back.
    pub(super) fn tick(&mut self) -> Vec<u8> {
        let GeneratedGame { board, state, streams } = &mut self.game;
        let mut events = Vec::new();
        step(board, state, streams, &mut self.queue.take(), &mut events);
        let eventful = !events.is_empty();
        let events = events.iter().map(|event| wire::encode_event(board, event)).collect();
        let payload = OutgoingTick { tick: state.tick, events };
        if eventful {
            if !self.history.is_empty() {
                self.history.push(b',');
            }
            self.history.extend(serde_json::to_vec(&payload).unwrap_or_default());
        }
        packet("tick", payload)
    }

    /// The winner's id; `None` where no unit lives, or units of both agents.
    pub(super) fn winner(&self) -> Option<&str> {
        let state = &self.game.state;
        let leader = state.complete().then(|| state.leader());
        leader.flatten().and_then(|agent| self.game.board.agent(agent))
    }

    /// The packet of the end, which is the replay as well.
    pub(super) fn end(&self) -> Vec<u8> {
        let json = |value: &dyn Fn() -> serde_json::Result<Vec<u8>>| value().unwrap_or_default();
        let mut bytes = br#"{"type":"endgame_state","payload":{"initial_state":"#.to_vec();
        bytes.extend(json(&|| serde_json::to_vec(&self.initial)));
        bytes.extend_from_slice(br#","history":["#);
        bytes.extend_from_slice(&self.history);
        bytes.extend_from_slice(br#"],"winning_agent_id":"#);
        bytes.extend(json(&|| serde_json::to_vec(&self.winner())));
        bytes.extend_from_slice(b"}}");
        bytes
    }
}
