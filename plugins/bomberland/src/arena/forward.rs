//! The forward model that any engine offers to admins (spec section 9): one tick of a given state.

use crate::rules::{
    CellEntity, EntityKind, GameParams, GameState, OrderQueue, Streams, TickChance as _, UnitOrder,
    step,
};
use crate::wire::{self, BuiltState, Evaluation, Full, RawNumber};
use serde::Serialize;

/// How a state is rebuilt from a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ForwardMode {
    /// Clocks, hits and diameters as they were sent.
    #[default]
    Exact,
    /// As the engine does, which loses some of them.
    Engine,
}

/// Answers requests.
#[derive(Clone, Copy, Debug)]
pub struct Evaluator {
    /// What the state does not tell.
    pub params: GameParams,
    /// How states are rebuilt.
    pub mode: ForwardMode,
}

#[derive(Serialize)]
struct ForwardPacket<E: Serialize> {
    r#type: &'static str,
    payload: Payload<E>,
}

#[derive(Serialize)]
struct Payload<E: Serialize> {
    next_state: Full,
    is_complete: bool,
    tick_result: TickResult<E>,
    sequence_id: RawNumber,
}

#[derive(Serialize)]
struct TickResult<E: Serialize> {
    tick: i32,
    events: Vec<E>,
}

impl Evaluator {
    /// The packet that answers a request; `seed` is for what chance decides.
    ///
    /// # Errors
    /// Why the engine would die of the request.
    pub fn answer(&self, request: &Evaluation, seed: u32) -> Result<Vec<u8>, String> {
        let built = wire::build(&request.state, &self.params)?;
        if let Some(complaint) = built.complaints.first() {
            return Err(complaint.clone());
        }
        let BuiltState { board, state: sent, .. } = built;
        let mut streams = Streams::shared(board.cells(), seed);
        let mut state =
            GameState::new(board.width(), board.height(), sent.tick, sent.units().to_vec());
        for (cell, entity) in sent.entities() {
            streams.take(cell);
            state.put(cell, self.rebuilt(&sent, entity)?);
        }
        let mut queue = OrderQueue::default();
        for (agent, packet) in &request.actions {
            let (Some(agent), Some(unit)) =
                (board.find_agent(agent), board.find_unit(&packet.unit))
            else {
                continue;
            };
            // Orders that are refused leave no trace in the answer, as in a game.
            queue.push(&state, UnitOrder { agent, unit, act: packet.act }).ok();
        }
        let mut events = Vec::new();
        step(&board, &mut state, &mut streams, &mut queue.take(), &mut events);
        let hz = request.state.config.tick_rate_hz.0;
        let answer = ForwardPacket {
            r#type: "next_game_state",
            payload: Payload {
                next_state: wire::encode_full(&board, &state, &request.state.game_id, hz),
                is_complete: state.complete(),
                tick_result: TickResult {
                    tick: state.tick,
                    events: events.iter().map(|event| wire::encode_event(&board, event)).collect(),
                },
                sequence_id: RawNumber(request.sequence_id),
            },
        };
        serde_json::to_vec(&answer).map_err(|error| error.to_string())
    }

    fn rebuilt(&self, state: &GameState, sent: &CellEntity) -> Result<CellEntity, String> {
        let mut entity = *sent;
        let hp = match sent.kind {
            EntityKind::Ore => Some(3),
            EntityKind::Wood
            | EntityKind::Bomb
            | EntityKind::Ammo
            | EntityKind::BlastUp
            | EntityKind::FreezeUp => Some(1),
            EntityKind::Metal | EntityKind::Fire => None,
            EntityKind::Treasure => return Err("treasure is not in the game".to_owned()),
        };
        entity.hp = sent.hp.or(hp);
        if sent.kind == EntityKind::Bomb {
            let owner = state.units().iter().find(|unit| Some(unit.agent) == sent.agent);
            let owner = owner.ok_or_else(|| "a bomb without an agent that has units".to_owned())?;
            entity.diameter = sent.diameter.or(Some(owner.diameter));
            if self.mode == ForwardMode::Engine {
                entity.diameter = Some(owner.diameter);
                entity.expires = Some(sent.created + self.params.fuse);
            }
        }
        if self.mode == ForwardMode::Exact {
            return Ok(entity);
        }
        entity.hp = hp;
        match sent.kind {
            EntityKind::Ammo => entity.expires = Some(sent.created + self.params.ammo_duration),
            EntityKind::BlastUp | EntityKind::FreezeUp => {
                entity.created = state.tick;
                entity.expires = Some(state.tick + self.params.powerup_duration);
            }
            EntityKind::Metal
            | EntityKind::Wood
            | EntityKind::Ore
            | EntityKind::Bomb
            | EntityKind::Fire
            | EntityKind::Treasure => {}
        }
        Ok(entity)
    }
}
