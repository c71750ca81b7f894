//! The engine's own forward model, asked over an admin connection (spec section 9), for those who
//! would rather trust the engine than our copy of its rules. Questions are checked before they are
//! sent, since an engine dies of the wrong ones.

use crate::percept::Scene;
use crate::rules::{Board, Kind, Order, State};
use crate::wire::{self, Built, Message, RawAction};
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
pub struct Answer {
    /// The number of the question.
    pub sequence_id: u32,
    /// What does not change.
    pub board: Board,
    /// The state after one tick.
    pub state: State,
    /// Whether the game is over then.
    pub complete: bool,
}

#[derive(Serialize)]
struct Question {
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
pub fn question(scene: &Scene, orders: &[Order], sequence_id: u32) -> Result<Vec<u8>, Unasked> {
    for (_, entity) in scene.state.entities() {
        let owned = scene.state.units().iter().any(|unit| Some(unit.agent) == entity.agent);
        match entity.kind {
            Kind::Treasure => return Err(Unasked::Treasure),
            Kind::Bomb if !owned => return Err(Unasked::Ownerless),
            Kind::Metal
            | Kind::Wood
            | Kind::Ore
            | Kind::Bomb
            | Kind::Fire
            | Kind::Ammo
            | Kind::BlastUp
            | Kind::FreezeUp => {}
        }
    }
    let board = &scene.board;
    let listed = |order: &Order| {
        let agent_id = board.agent(order.agent)?.to_owned();
        let action = wire::raw_act(&board.unit(order.unit)?.name, order.act);
        Some(Listed { agent_id, action })
    };
    let question = Question {
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
pub fn answer(scene: &Scene, bytes: &[u8]) -> Result<Option<Answer>, ProtocolError> {
    let Message::Next(next) = wire::decode(bytes)? else { return Ok(None) };
    let wrong = |what: &str| ProtocolError::new("next_game_state", what.to_owned(), bytes);
    let built =
        wire::build(&next.next_state, &scene.board.params).map_err(|fault| wrong(&fault))?;
    let Built { board, state, .. } = built;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the cast saturates; a number that we never sent fits no question"
    )]
    let sequence_id = next.sequence_id as u32;
    Ok(Some(Answer { sequence_id, board, state, complete: next.is_complete }))
}
