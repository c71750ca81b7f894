//! The world as it is, drawn in the terms of a team's belief.

use super::BomberlandArena;
use crate::rules::UnitIndex;
use crate::world::draw::{self, PART};
use phalanx_game::{Area, Body, Part, Picture, Shape};

/// The agent that counts as ours: the first of the verdict.
const OURS: u8 = 0;

pub(super) fn picture(arena: &BomberlandArena) -> Picture {
    let (board, state) = (&arena.play.game.board, &arena.play.game.state);
    let area = Area::new(0, 0, board.width().into(), board.height().into());
    let body = |(index, unit): (UnitIndex, &crate::rules::Unit)| {
        let team = arena.verdict.teams.get(usize::from(unit.agent));
        let team = team.map(|score| score.team.clone()).unwrap_or_default();
        Some(Body { team, ..draw::body(board, state, index, OURS)? })
    };
    let units = (0..=UnitIndex::MAX).zip(state.units());
    let part = Part {
        name: PART.to_owned(),
        shape: Shape::Grid { width: None, height: None, up: true },
        layers: vec![draw::things(board, state, area)],
        bodies: units.filter_map(body).collect(),
        facts: vec![("tick".into(), state.tick.to_string())],
        ..Part::default()
    };
    Picture::of(part).with_tables(draw::tables::tables(board, state, OURS))
}
