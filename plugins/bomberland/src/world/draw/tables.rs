//! What the team watches: units with their lives, bombs with their fuses, and what lies about.

use crate::rules::{
    AgentIndex, CellEntity, CellIndex, EntityKind, GameBoard, GameState, UnitIndex,
};
use phalanx_game::{Place, Row, Table, Tone};

/// The three tables of a moment. `ours`: which agent counts as our own.
pub(crate) fn tables(board: &GameBoard, state: &GameState, ours: AgentIndex) -> [Table; 3] {
    let moment = Moment { board, state, ours };
    [moment.units(), moment.bombs(), moment.items()]
}

struct Moment<'a> {
    board: &'a GameBoard,
    state: &'a GameState,
    ours: AgentIndex,
}

impl Moment<'_> {
    fn units(&self) -> Table {
        let rows = (0..=UnitIndex::MAX).zip(self.state.units()).map(|(index, unit)| {
            let name = self.name(Some(index));
            let numbers = [unit.hp, unit.bombs, unit.diameter].map(|number| number.to_string());
            let words = [name.clone(), self.team(Some(unit.agent))];
            let cells = words.into_iter().chain(numbers).chain([self.condition(index)]);
            let tone = if unit.alive() { self.tone(Some(unit.agent)) } else { Tone::Other };
            Row::new(tone, cells).at(super::PART, self.place(unit.cell)).about(name)
        });
        let columns = [
            ("unit", ""),
            ("of", ""),
            ("lives", ""),
            ("bombs", ""),
            ("blast", "cells"),
            ("is", ""),
        ];
        Table::new("units", &columns).with_rows(rows)
    }

    fn condition(&self, index: UnitIndex) -> String {
        let Some(unit) = self.state.unit(index) else { return String::new() };
        let tick = self.state.tick;
        if !unit.alive() {
            "dead".to_owned()
        } else if unit.frozen(tick) && tick > 0 {
            format!("frozen until tick {:.0}", unit.stunned)
        } else if unit.invulnerable > tick {
            format!("invulnerable until tick {}", unit.invulnerable)
        } else {
            "alive".to_owned()
        }
    }

    fn bombs(&self) -> Table {
        let of_kind = |entity: &CellEntity| entity.kind == EntityKind::Bomb;
        let rows = self.soonest(of_kind).into_iter().map(|(cell, bomb)| {
            let diameter = bomb.diameter.map(|cells| cells.to_string()).unwrap_or_default();
            let owner = self.name(bomb.unit);
            let cells = [owner.clone(), self.team(bomb.agent), self.left(&bomb), diameter];
            let row = Row::new(Tone::Danger, cells).about(owner);
            row.at(super::PART, self.place(cell))
        });
        let columns = [("of", ""), ("team", ""), ("fuse", "ticks"), ("blast", "cells")];
        Table::new("bombs", &columns).with_rows(rows)
    }

    fn items(&self) -> Table {
        let of_kind = |entity: &CellEntity| entity.kind.item();
        let rows = self.soonest(of_kind).into_iter().map(|(cell, item)| {
            let kind = match item.kind {
                EntityKind::BlastUp => "blast powerup",
                EntityKind::FreezeUp => "freeze powerup",
                EntityKind::Ammo
                | EntityKind::Metal
                | EntityKind::Wood
                | EntityKind::Ore
                | EntityKind::Bomb
                | EntityKind::Fire
                | EntityKind::Treasure => "ammunition",
            };
            let cells = [kind.to_owned(), self.left(&item)];
            Row::new(Tone::Resource, cells).at(super::PART, self.place(cell))
        });
        Table::new("items", &[("item", ""), ("left", "ticks")]).with_rows(rows)
    }

    /// What ends first comes first.
    fn soonest(&self, wanted: impl Fn(&CellEntity) -> bool) -> Vec<(CellIndex, CellEntity)> {
        let all = self.state.entities().map(|(cell, entity)| (cell, *entity));
        let mut found: Vec<_> = all.filter(|(_, entity)| wanted(entity)).collect();
        found.sort_by_key(|(cell, entity)| (entity.expires.unwrap_or(i32::MAX), *cell));
        found
    }

    /// Ticks until it ends.
    fn left(&self, entity: &CellEntity) -> String {
        let left = entity.expires.map(|end| end.saturating_sub(self.state.tick).max(0));
        left.map(|ticks| ticks.to_string()).unwrap_or_default()
    }

    fn name(&self, unit: Option<UnitIndex>) -> String {
        let unit = unit.and_then(|unit| self.board.unit(unit));
        unit.map(|unit| unit.name.clone()).unwrap_or_default()
    }

    fn team(&self, agent: Option<AgentIndex>) -> String {
        agent.and_then(|agent| self.board.agent(agent)).unwrap_or_default().to_owned()
    }

    fn tone(&self, agent: Option<AgentIndex>) -> Tone {
        if agent == Some(self.ours) { Tone::Ours } else { Tone::Theirs }
    }

    fn place(&self, cell: CellIndex) -> Place {
        let (x, y) = self.board.place(cell);
        Place::Cell(x, y)
    }
}
