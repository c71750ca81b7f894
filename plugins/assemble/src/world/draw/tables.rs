//! What the team works on: tasks with the agents that accepted them, and the places that it knows.

use crate::percept::{Percept, Requirement};
use crate::world::World;
use phalanx_game::sorted::{Order, SortedMap};
use phalanx_game::{Place, Row, Table, Tone};
use phalanx_grid::{Cell, FrameId};

/// The columns of the tasks, in the belief and in the truth.
pub(crate) const TASK_COLUMNS: [(&str, &str); 6] = [
    ("task", ""),
    ("blocks", ""),
    ("reward", "points"),
    ("deadline", "step"),
    ("left", "steps"),
    ("accepted by", ""),
];
/// A task that ends in so few steps is shown as urgent.
const URGENT_STEPS: i64 = 20;

/// A task as a row shows it.
pub(crate) struct TaskRow<'a> {
    pub(crate) name: &'a str,
    /// How many of each type: `b0, 2 b1`.
    pub(crate) blocks: String,
    pub(crate) reward: i64,
    pub(crate) deadline: i64,
    /// The names of those who accepted it.
    pub(crate) by: Vec<&'a str>,
}

impl TaskRow<'_> {
    pub(crate) fn row(self, step: i64) -> Row {
        let left = self.deadline - step;
        let tone = match (self.by.is_empty(), left < URGENT_STEPS) {
            (false, false) => Tone::Ours,
            (_, true) => Tone::Danger,
            (true, false) => Tone::Goal,
        };
        let first = self.by.first().copied().unwrap_or_default();
        let numbers = [self.reward, self.deadline, left].map(|number| number.to_string());
        let names = [self.name.to_owned(), self.blocks];
        let cells = names.into_iter().chain(numbers).chain([self.by.join(", ")]);
        Row::new(tone, cells).about(first)
    }
}

/// How many blocks of each type: `b0, 2 b1`.
fn blocks(requirements: &[Requirement]) -> String {
    counted(requirements.iter().map(|want| want.kind.as_str()))
}

/// Each word once, with its number before it: `b0, 2 b1`.
pub(crate) fn counted<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let mut counts: SortedMap<&str, u32> = SortedMap::new();
    for word in words {
        *counts.entry(word).or_default() += 1;
    }
    let parts = counts.into_iter().map(|(word, count)| match count {
        1 => word.to_owned(),
        count => format!("{count} {word}"),
    });
    parts.collect::<Vec<_>>().join(", ")
}

/// `parts`: the names of the drawn maps.
pub(super) fn tables(world: &World, parts: &SortedMap<FrameId, String>) -> Vec<Table> {
    let percepts: Vec<(&str, &Percept)> = world
        .minds
        .keys()
        .filter_map(|agent| Some((world.roster.name(*agent), world.percept(*agent)?)))
        .collect();
    if percepts.is_empty() {
        return Vec::new();
    }
    vec![tasks(world, &percepts), places(world, parts)]
}

fn tasks(world: &World, percepts: &[(&str, &Percept)]) -> Table {
    let step = world.step();
    // Every agent of a step perceives the same tasks.
    let newest = percepts.iter().max_by_key(|(_, percept)| percept.step);
    let open = newest.into_iter().flat_map(|(_, percept)| &percept.tasks);
    let mut open: Vec<_> = open.filter(|task| task.deadline >= step).collect();
    open.order_by_key(|task| (task.deadline, &task.name));
    let rows = open.into_iter().map(|task| {
        let accepted = percepts.iter().filter(|(_, percept)| percept.task == task.name);
        let shown = TaskRow {
            name: &task.name,
            blocks: blocks(&task.requirements),
            reward: task.reward,
            deadline: task.deadline.into(),
            by: accepted.map(|(name, _)| *name).collect(),
        };
        shown.row(step.into())
    });
    Table::new("tasks", &TASK_COLUMNS).with_rows(rows)
}

/// One kind of place on one map: how many are known, and the first.
type Known<'a> = SortedMap<(&'a str, String), (usize, Cell)>;

fn places(world: &World, parts: &SortedMap<FrameId, String>) -> Table {
    let mut known = Known::new();
    for (frame, part) in parts {
        let Some(chart) = world.charts.get(frame) else { continue };
        let mut add = |kind: String, cell: Cell| {
            known.entry((part, kind)).or_insert((0, cell)).0 += 1;
        };
        chart.goals.iter().for_each(|cell| add("goal".to_owned(), *cell));
        chart.boards.iter().for_each(|cell| add("taskboard".to_owned(), *cell));
        for (cell, kind) in &chart.dispensers {
            add(format!("dispenser of {}", world.types.name(*kind)), *cell);
        }
    }
    let rows = known.into_iter().map(|((part, kind), (count, first))| {
        let tone = if kind.starts_with("dispenser") { Tone::Resource } else { Tone::Goal };
        let cells = [kind, count.to_string(), part.to_owned()];
        Row::new(tone, cells).at(part, Place::Cell(first.x, first.y))
    });
    Table::new("places", &[("kind", ""), ("known", "cells"), ("map", "")]).with_rows(rows)
}
