//! Maps that are drawn by hand, for specifications.

use super::position::Position;
use super::terrain::Terrain;
use crate::rules::{
    AgentIndex, CellEntity, EntityKind, GameBoard, GameParams, GameState, Unit, UnitIndex, UnitName,
};

/// The tick of a map.
pub(super) const NOW: i32 = 10;

/// A map, the highest row first: `#` metal, `!` a freeze powerup, `B` a bomb of our unit `C` that
/// goes off in the tick after the next, `E` its mate, `D` and `F` enemies.
pub(super) fn map(rows: &[&str], params: GameParams) -> (GameBoard, GameState) {
    let size = (u16::try_from(rows[0].len()).unwrap(), u16::try_from(rows.len()).unwrap());
    let cells: Vec<(u16, char)> =
        (0..).zip(rows.iter().rev().flat_map(|row| row.chars())).collect();
    let agent = |sign: char| u8::from("DF".contains(sign));
    let bodies = "CDEF".chars().filter(|sign| cells.iter().any(|(_, it)| it == sign));
    let bodies: Vec<char> = bodies.collect();
    let unit = |sign: &char| Unit {
        cell: cells.iter().find(|(_, it)| it == sign).unwrap().0,
        agent: agent(*sign),
        hp: 3,
        bombs: 9,
        diameter: 3,
        invulnerable: 0,
        stunned: 0.0,
    };
    let name = |sign: &char| UnitName { name: sign.to_string(), agent: agent(*sign) };
    let agents = vec!["a".to_owned(), "b".to_owned()];
    let names = bodies.iter().map(name).collect();
    let board = GameBoard::new(size, params, agents, names);
    let units = bodies.iter().map(unit).collect();
    let mut state = GameState::new(size.0, size.1, NOW, units);
    for (cell, sign) in &cells {
        let (kind, expires) = match sign {
            '#' => (EntityKind::Metal, None),
            '!' => (EntityKind::FreezeUp, Some(NOW + 40)),
            'B' => (EntityKind::Bomb, Some(NOW + 2)),
            _ => continue,
        };
        let mut entity = CellEntity { expires, ..CellEntity::new(kind, 0) };
        if kind == EntityKind::Bomb {
            (entity.unit, entity.agent, entity.diameter) = (Some(0), Some(0), Some(3));
        }
        state.put(*cell, entity);
    }
    (board, state)
}

/// Whether unit 0, of agent 0, may put a bomb.
pub(super) fn may_bomb(board: &GameBoard, state: &GameState) -> bool {
    Position::new(board, &Terrain::new(board), 0, state).harmless_bomb(0)
}

/// A bomb that its unit can set off now and whose fuse ends late.
pub(super) fn armed(unit: UnitIndex, agent: AgentIndex, diameter: i32) -> CellEntity {
    CellEntity {
        unit: Some(unit),
        agent: Some(agent),
        diameter: Some(diameter),
        hp: Some(1),
        expires: Some(NOW + 30),
        ..CellEntity::new(EntityKind::Bomb, 0)
    }
}
