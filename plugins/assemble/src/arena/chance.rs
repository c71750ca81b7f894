//! Where chance decides. The rules ask a [`Chance`]; the referee answers with its generator, a
//! conformance test with what a replay recorded.

use super::config::{EventRules, TaskRules};
use super::grid::Pos;
use phalanx_game::sorted::SortedMap;
use phalanx_massim::JavaRandom;
use std::fmt::Debug;

/// Requirements by cell, relative to the submitting agent: sorted by x, then y.
pub type Requirements = SortedMap<(i32, i32), u8>;

/// How often the original tries to find a place for a new obstacle.
const DEBRIS_TRIES: u32 = 50;

/// What a new task is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewTask {
    /// Steps that it lives.
    pub duration: i32,
    /// Its shape.
    pub requirements: Requirements,
    /// Percent of the reward that each step takes.
    pub decay: i32,
}

/// A clear event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClearEvent {
    /// Centre.
    pub pos: Pos,
    /// Manhattan radius of the cleared area.
    pub radius: i32,
    /// The step in which it takes effect.
    pub step: i32,
}

/// All that is left to chance after the map is made, in the order of section 9.
pub trait Chance: Debug {
    /// The step's new task, if there is one; `types` block types exist.
    fn task(&mut self, step: i32, rules: &TaskRules, types: i32) -> Option<NewTask>;
    /// The step's new clear event, if there is one.
    fn event(&mut self, step: i32, rules: &EventRules, size: (i32, i32)) -> Option<ClearEvent>;
    /// How many obstacles an event tries to leave, when it removed that many things.
    fn debris(&mut self, event: &ClearEvent, rules: &EventRules, removed: i32) -> i32;
    /// Where the next of them goes: an open cell, maybe beyond the edge; `None`: no place found.
    fn spot(
        &mut self,
        event: &ClearEvent,
        rules: &EventRules,
        open: &dyn Fn(Pos) -> bool,
    ) -> Option<Pos>;
    /// The order in which entities act.
    fn order(&mut self, entities: usize) -> Vec<usize>;
    /// Whether that entity's action fails by bad luck.
    fn fails(&mut self, entity: usize, percent: i32) -> bool;
}

impl Chance for JavaRandom {
    fn task(&mut self, _step: i32, rules: &TaskRules, types: i32) -> Option<NewTask> {
        if self.unit() >= rules.probability {
            return None;
        }
        let duration = self.between(rules.duration);
        let size = self.between(rules.size);
        let mut requirements = Requirements::new();
        let mut last = (0, 1);
        requirements.insert(last, draw_type(self, types));
        for _ in 1..size {
            let kind = draw_type(self, types);
            let side = self.unit();
            last = if side <= 0.3 {
                (last.0 - 1, last.1)
            } else if side <= 0.6 {
                (last.0 + 1, last.1)
            } else {
                (last.0, last.1 + 1)
            };
            requirements.insert(last, kind);
        }
        let decay = self.between(rules.reward_decay);
        Some(NewTask { duration, requirements, decay })
    }

    fn event(&mut self, step: i32, rules: &EventRules, size: (i32, i32)) -> Option<ClearEvent> {
        if self.below(100) >= rules.chance {
            return None;
        }
        let pos = Pos { x: self.below(size.0), y: self.below(size.1) };
        let radius = self.between(rules.radius);
        Some(ClearEvent { pos, radius, step: step + rules.warning })
    }

    fn debris(&mut self, _event: &ClearEvent, rules: &EventRules, removed: i32) -> i32 {
        self.between(rules.create) + removed
    }

    fn spot(
        &mut self,
        event: &ClearEvent,
        rules: &EventRules,
        open: &dyn Fn(Pos) -> bool,
    ) -> Option<Pos> {
        let reach = event.radius + rules.perimeter;
        for _ in 0..DEBRIS_TRIES {
            let dx = self.below(reach + 1);
            let dy = self.below(reach + 1);
            let x = if self.unit() < 0.5 { event.pos.x + dx } else { event.pos.x - dx };
            let y = if self.unit() < 0.5 { event.pos.y + dy } else { event.pos.y - dy };
            if open(Pos { x, y }) {
                return Some(Pos { x, y });
            }
        }
        None
    }

    fn order(&mut self, entities: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..entities).collect();
        self.shuffle(&mut order);
        order
    }

    fn fails(&mut self, _entity: usize, percent: i32) -> bool {
        self.below(100) < percent
    }
}

fn draw_type(random: &mut JavaRandom, types: i32) -> u8 {
    u8::try_from(random.below(types)).unwrap_or(0)
}
