//! What happens in a step besides actions (spec, section 9).

use super::State;
use crate::arena::act::{Act, ResultCode};
use crate::arena::attach::AttachableKind;
use crate::arena::chance::{Chance, ClearEvent};
use crate::arena::grid::{ClearMarker, Pos, Terrain};
use phalanx_game::sorted::Order;

/// Events that near are marked as imminent.
const IMMINENT: i32 = 2;

impl State {
    /// Phase 1: markers, tasks, energy, rewards, events.
    pub fn begin_step(&mut self, chance: &mut dyn Chance) {
        self.step += 1;
        self.completed.clear();
        self.grid.clear_markers();
        let mut marks = std::mem::take(&mut self.clear_marks);
        // Cells of several agents' clears are collected as a set; events mark them once more.
        marks.order();
        marks.dedup();
        for pos in marks {
            self.grid.mark(pos, ClearMarker::Clear);
        }
        let types = i32::try_from(self.block_types.len()).unwrap_or(0);
        if let Some(new) = chance.task(self.step, &self.rules.tasks, types) {
            self.add_task(format!("task{}", self.tasks.len()), new);
        }
        for entity in &mut self.entities {
            entity.disabled = (entity.disabled - 1).max(0);
            entity.energy = (entity.energy + 1).min(self.rules.clear.max_energy);
        }
        for task in &mut self.tasks {
            task.reward = (task.reward * (100 - task.decay) / 100).max(task.floor);
        }
        let size = (self.grid.width(), self.grid.height());
        self.events.extend(chance.event(self.step, &self.rules.events, size));
        self.run_events(chance);
    }

    fn run_events(&mut self, chance: &mut dyn Chance) {
        for event in std::mem::take(&mut self.events) {
            if event.step <= self.step {
                self.strike(&event, chance);
                continue;
            }
            let near = event.step - self.step <= IMMINENT;
            let inside = if near { ClearMarker::Imminent } else { ClearMarker::Clear };
            for pos in self.grid.area(event.pos, event.radius + self.rules.events.perimeter) {
                let outside = self.grid.distance(event.pos, pos) > event.radius;
                self.grid.mark(pos, if outside { ClearMarker::Perimeter } else { inside });
            }
            self.events.push(event);
        }
    }

    fn strike(&mut self, event: &ClearEvent, chance: &mut dyn Chance) {
        let removed = self.clear_area(event.pos, event.radius);
        let rules = self.rules.events;
        for _ in 0..chance.debris(event, &rules, removed) {
            let grid = &self.grid;
            let spot = chance.spot(event, &rules, &|pos| grid.open(pos));
            let inside = |pos: &Pos| {
                (0..grid.width()).contains(&pos.x) && (0..grid.height()).contains(&pos.y)
            };
            let lands =
                |pos: &Pos| inside(pos) && grid.free(*pos) && grid.dispenser(*pos).is_none();
            if let Some(pos) = spot.filter(lands) {
                self.grid.set_terrain(pos, Terrain::Obstacle);
            }
        }
    }

    /// Clears an area; returns how many blocks and obstacles went (spec, section 10.9).
    pub(super) fn clear_area(&mut self, centre: Pos, radius: i32) -> i32 {
        let mut removed = 0;
        for pos in self.grid.area(centre, radius) {
            if self.grid.terrain(pos) == Terrain::Obstacle {
                self.grid.set_terrain(pos, Terrain::Empty);
                removed += 1;
            }
            let hit: Vec<_> = self.bodies.on(&self.grid, pos).collect();
            for id in hit {
                match self.bodies.get(id).kind {
                    AttachableKind::Block(_) => {
                        self.bodies.remove(&mut self.grid, id);
                        removed += 1;
                    }
                    AttachableKind::Entity { entity, .. } => {
                        self.bodies.unlink_all(id);
                        self.entities[entity].disabled = self.rules.clear.disable;
                    }
                }
            }
        }
        removed
    }

    /// Phase 2, first round: takes the actions, decides who fails without acting, and returns the
    /// order in which the entities act.
    pub fn admit(&mut self, acts: Vec<Act>, chance: &mut dyn Chance) -> Vec<usize> {
        let mut acts = acts.into_iter();
        for entity in &mut self.entities {
            entity.act = Some(acts.next().unwrap_or_else(Act::nothing));
            entity.result = None;
        }
        let order = chance.order(self.entities.len());
        for index in order.iter().copied() {
            let entity = &mut self.entities[index];
            if entity.disabled > 0 {
                entity.result = Some(ResultCode::FailedStatus);
            } else if chance.fails(index, self.rules.random_fail) {
                entity.result = Some(ResultCode::FailedRandom);
            }
        }
        order
    }
}
