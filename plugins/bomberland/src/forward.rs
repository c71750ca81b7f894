//! The engine's own forward model, asked over an admin connection (spec section 9), for those who
//! would rather trust the engine than our copy of its rules. Questions are checked before they are
//! sent, since an engine dies of the wrong ones.

use crate::percept::TickScene;
use crate::rules::{EntityKind, GameBoard, GameState, UnitOrder};
use crate::wire::{self, BuiltState, RawAction, RefereePacket};
use phalanx_game::ProtocolError;
use serde::Serialize;

/// What an admin connection asks for.
pub const TARGET: &str = "/?role=admin&name=phalanx";

/// Why a question is not asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unasked {
    /// The engine knows no such thing.
    Treasure,
    /// A bomb whose owner has no unit.
    Ownerless,
}

/// The engine's answer.
#[derive(Clone, Debug)]
pub struct ForwardAnswer {
    /// The number of the question.
    pub sequence_id: u32,
    /// What does not change.
    pub board: GameBoard,
    /// The state after one tick.
    pub state: GameState,
    /// Whether the game is over then.
    pub complete: bool,
}

#[derive(Serialize)]
struct ForwardRequest {
    r#type: &'static str,
    sequence_id: u32,
    state: wire::Full,
    actions: Vec<Listed>,
}

#[derive(Serialize)]
struct Listed {
    agent_id: String,
    action: RawAction,
}

/// The packet that asks what comes of orders, in the order of their arrival.
///
/// # Errors
/// When the engine would die of the question.
pub fn question(
    scene: &TickScene,
    orders: &[UnitOrder],
    sequence_id: u32,
) -> Result<Vec<u8>, Unasked> {
    for (_, entity) in scene.state.entities() {
        let owned = scene.state.units().iter().any(|unit| Some(unit.agent) == entity.agent);
        match entity.kind {
            EntityKind::Treasure => return Err(Unasked::Treasure),
            EntityKind::Bomb if !owned => return Err(Unasked::Ownerless),
            EntityKind::Metal
            | EntityKind::Wood
            | EntityKind::Ore
            | EntityKind::Bomb
            | EntityKind::Fire
            | EntityKind::Ammo
            | EntityKind::BlastUp
            | EntityKind::FreezeUp => {}
        }
    }
    let board = &scene.board;
    let listed = |order: &UnitOrder| {
        let agent_id = board.agent(order.agent)?.to_owned();
        let action = wire::raw_act(&board.unit(order.unit)?.name, order.act);
        Some(Listed { agent_id, action })
    };
    let question = ForwardRequest {
        r#type: "evaluate_next_state",
        sequence_id,
        state: wire::encode_full(board, &scene.state, "forward", scene.tick_rate_hz),
        actions: orders.iter().filter_map(listed).collect(),
    };
    // Plain numbers, texts and lists always have a JSON form.
    Ok(serde_json::to_vec(&question).unwrap_or_default())
}

/// Reads a packet of an admin connection; `None` when it is no answer of the forward model.
///
/// # Errors
/// When it is an answer that cannot be played on.
pub fn answer(scene: &TickScene, bytes: &[u8]) -> Result<Option<ForwardAnswer>, ProtocolError> {
    let RefereePacket::Next(next) = wire::decode(bytes)? else { return Ok(None) };
    let wrong = |what: &str| ProtocolError::new("next_game_state", what.to_owned(), bytes);
    let built =
        wire::build(&next.next_state, &scene.board.params).map_err(|fault| wrong(&fault))?;
    let BuiltState { board, state, .. } = built;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the cast saturates; a number that we never sent fits no question"
    )]
    let sequence_id = next.sequence_id as u32;
    Ok(Some(ForwardAnswer { sequence_id, board, state, complete: next.is_complete }))
}
