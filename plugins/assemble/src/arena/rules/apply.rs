//! Carries out what was judged.

use super::{Effect, Judgement, State};
use crate::arena::attach::AttachableKind;
use crate::arena::grid::Pos;

/// A clear action's area.
const CLEAR_RADIUS: i32 = 1;

impl State {
    /// Records the result and makes the change.
    pub fn apply(&mut self, entity: usize, judgement: Judgement) {
        let Judgement { code, effect, partner } = judgement;
        self.entities[entity].result = Some(code);
        if let Some((partner, code)) = partner {
            self.entities[partner].result = Some(code);
        }
        match effect {
            Effect::None => {}
            Effect::Relocate(moves) => self.bodies.relocate(&mut self.grid, &moves),
            Effect::Link(a, b) => self.bodies.link(a, b),
            Effect::Unlink(a, b) => self.bodies.unlink(a, b),
            Effect::Block(pos, kind) => {
                self.bodies.place(&mut self.grid, pos, AttachableKind::Block(kind));
            }
            Effect::Clear(target) => self.clear(entity, target),
            Effect::Accept(task) => {
                let name = self.tasks[task].name.clone();
                self.entities[entity].accepted = Some(name);
            }
            Effect::Deliver(task, blocks) => {
                for block in blocks {
                    self.bodies.remove(&mut self.grid, block);
                }
                let team = self.entities[entity].team;
                let task = &mut self.tasks[task];
                task.completed = true;
                self.teams[team].score += i64::from(task.reward);
                self.completed.push((task.name.clone(), team));
            }
        }
    }

    fn clear(&mut self, entity: usize, target: Pos) {
        let rules = self.rules.clear;
        let step = self.step;
        let actor = &mut self.entities[entity];
        // Three in a row means: the same absolute cell in consecutive steps.
        if actor.clear_cell != Some(target) || actor.clear_step != step - 1 {
            actor.clear_count = 0;
        }
        actor.clear_cell = Some(target);
        actor.clear_step = step;
        actor.clear_count += 1;
        if actor.clear_count >= rules.steps {
            actor.clear_count = 0;
            actor.energy -= rules.cost;
            self.clear_area(target, CLEAR_RADIUS);
        } else {
            self.clear_marks.extend(self.grid.area(target, CLEAR_RADIUS));
        }
    }
}
