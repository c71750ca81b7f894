//! The harmless answer of each game: nothing, a move that does not kill, a legal move.

use crate::action::Action;
use crate::percept::{Percept, StateScene};
use crate::rules::snake::{SnakeDirection, SnakeState};

pub(crate) fn fallback(percept: &Percept) -> Action {
    match &*percept.scene {
        StateScene::Catcher(_) | StateScene::Other => Action::Nothing,
        StateScene::Snake(state) => {
            safest(state, &percept.me).map_or(Action::Nothing, Action::Turn)
        }
        StateScene::Chess(scene) => {
            let first = scene.legal_moves.first();
            first.map_or(Action::Nothing, |uci| Action::Play(uci.to_string()))
        }
    }
}

/// A direction into a free cell with as many free ones around it as can be.
fn safest(state: &SnakeState, me: &str) -> Option<SnakeDirection> {
    let own = state.snakes.iter().find(|snake| &*snake.agent == me && snake.alive)?;
    let head = own.head()?;
    let taken = |cell: [i32; 2]| {
        !state.inside(cell)
            || state.snakes.iter().any(|snake| snake.alive && snake.body.contains(&cell))
    };
    let room = |from: [i32; 2]| {
        SnakeDirection::ALL.iter().filter(|direction| !taken(direction.from(from))).count()
    };
    let open = SnakeDirection::ALL.into_iter().filter(|direction| !taken(direction.from(head)));
    open.max_by_key(|direction| room(direction.from(head)))
}
