//! Ways through space and time that are never where it burns.

use super::forecast::{Danger, Forecast, HORIZON};
use crate::percept::Scene;
use crate::rules::{Act, Cell, Direction, Order, UnitIndex};

/// A way out: one entry for each order from now on, `None` is to wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Escape {
    /// The orders.
    pub steps: Vec<Option<Direction>>,
    /// Where the way ends: nothing in sight burns there after that.
    pub to: Cell,
}

/// How a place in time was reached.
#[derive(Clone, Copy)]
struct Came {
    from: Cell,
    step: Option<Direction>,
}

struct Search<'a> {
    scene: &'a Scene,
    forecast: &'a Forecast,
    avoid: Danger,
    start: Cell,
    /// Per tick: how each cell was reached.
    layers: Vec<Vec<Option<Came>>>,
}

/// How often a way is looked for anew because walking it changed what burns.
const TRIES: u32 = 4;

/// The quickest way of a unit to a cell where nothing burns any more, never stepping where it
/// burns. `None` when there is none within the horizon.
#[must_use]
pub fn escape(
    scene: &Scene,
    forecast: &Forecast,
    unit: UnitIndex,
    avoid: Danger,
) -> Option<Escape> {
    let agent = scene.state.unit(unit)?.agent;
    let mut way = way_out(scene, forecast, unit, avoid)?;
    let mut seen = forecast.clone();
    for _ in 0..TRIES {
        let moves = (forecast.free_from()..).zip(&way.steps);
        let moves = moves.filter_map(|(at, step)| Some((at, Act::Move((*step)?))));
        let moves = moves.map(|(at, act)| (at, Order { agent, unit, act }));
        let plan: Vec<(u32, Order)> =
            forecast.first.map(|order| (1, order)).into_iter().chain(moves).collect();
        // Who only waits sees what was foreseen.
        if plan.is_empty() || seen.follow(scene, &plan) {
            return Some(way);
        }
        way = way_out(scene, &seen, unit, avoid)?;
    }
    None
}

/// The quickest way as far as a forecast tells.
fn way_out(scene: &Scene, forecast: &Forecast, unit: UnitIndex, avoid: Danger) -> Option<Escape> {
    let start = scene.state.unit(unit)?.cell;
    let from = forecast.free_from();
    // Before the first free order the unit stands where it is.
    if (1..=from).any(|ahead| forecast.danger(start, ahead) >= avoid) {
        return None;
    }
    let mut search = Search { scene, forecast, avoid, start, layers: Vec::new() };
    search.layers.push(vec![None; scene.state.len()]);
    let mut front = vec![start];
    for ahead in from..=HORIZON {
        let safe = |cell: &&Cell| forecast.first(**cell, avoid, ahead).is_none();
        if let Some(&to) = front.iter().find(safe) {
            return Some(Escape { steps: search.steps(to), to });
        }
        front = search.spread(&front, ahead + 1);
    }
    None
}

impl Search<'_> {
    /// The cells where the unit can be one tick later.
    fn spread(&mut self, front: &[Cell], ahead: u32) -> Vec<Cell> {
        let mut layer: Vec<Option<Came>> = vec![None; self.scene.state.len()];
        let mut next = Vec::new();
        for &from in front {
            let steps = std::iter::once(None).chain(Direction::ALL.map(Some));
            for step in steps {
                let Some(to) = self.enter(from, step) else { continue };
                if self.forecast.danger(to, ahead) >= self.avoid {
                    continue;
                }
                if let Some(slot) = layer.get_mut(usize::from(to)).filter(|slot| slot.is_none()) {
                    *slot = Some(Came { from, step });
                    next.push(to);
                }
            }
        }
        self.layers.push(layer);
        next
    }

    /// The cell that a step leads to. Others are taken to stay where they are.
    fn enter(&self, from: Cell, step: Option<Direction>) -> Option<Cell> {
        let Some(direction) = step else { return Some(from) };
        let ((x, y), (dx, dy)) = (self.scene.board.place(from), direction.vector());
        let to = self.scene.board.cell(x + dx, y + dy)?;
        let state = &self.scene.state;
        let blocked = state.entity(to).is_some_and(|entity| !entity.kind.walkable())
            || self.forecast.blocked.contains(&to)
            || (state.occupied(to) && to != self.start);
        (!blocked).then_some(to)
    }

    fn steps(&self, mut at: Cell) -> Vec<Option<Direction>> {
        let mut steps = Vec::new();
        for layer in self.layers.iter().skip(1).rev() {
            let Some(came) = layer.get(usize::from(at)).copied().flatten() else { break };
            steps.push(came.step);
            at = came.from;
        }
        steps.reverse();
        steps
    }
}
