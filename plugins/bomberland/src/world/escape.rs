//! Ways through space and time that are never where it burns.

use super::forecast::{DangerForecast, DangerLevel, HORIZON};
use crate::percept::TickScene;
use crate::rules::{CellIndex, UnitAction, UnitDirection, UnitIndex, UnitOrder};

/// A way out: one entry for each order from now on, `None` is to wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EscapeRoute {
    /// The orders.
    pub steps: Vec<Option<UnitDirection>>,
    /// Where the way ends: nothing in sight burns there after that.
    pub to: CellIndex,
}

/// How a place in time was reached.
#[derive(Clone, Copy)]
struct ReachedFrom {
    from: CellIndex,
    step: Option<UnitDirection>,
}

struct EscapeSearch<'a> {
    scene: &'a TickScene,
    forecast: &'a DangerForecast,
    avoid: DangerLevel,
    start: CellIndex,
    /// Per tick: how each cell was reached.
    layers: Vec<Vec<Option<ReachedFrom>>>,
}

/// How often a way is looked for anew because walking it changed what burns.
const TRIES: u32 = 4;

/// The quickest way of a unit to a cell where nothing burns any more, never stepping where it
/// burns. `None` when there is none within the horizon.
#[must_use]
pub fn escape(
    scene: &TickScene,
    forecast: &DangerForecast,
    unit: UnitIndex,
    avoid: DangerLevel,
) -> Option<EscapeRoute> {
    let agent = scene.state.unit(unit)?.agent;
    let mut way = way_out(scene, forecast, unit, avoid)?;
    let mut seen = forecast.clone();
    for _ in 0..TRIES {
        let moves = (forecast.free_from()..).zip(&way.steps);
        let moves = moves.filter_map(|(at, step)| Some((at, UnitAction::Move((*step)?))));
        let moves = moves.map(|(at, act)| (at, UnitOrder { agent, unit, act }));
        let plan: Vec<(u32, UnitOrder)> =
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
fn way_out(
    scene: &TickScene,
    forecast: &DangerForecast,
    unit: UnitIndex,
    avoid: DangerLevel,
) -> Option<EscapeRoute> {
    let start = scene.state.unit(unit)?.cell;
    let from = forecast.free_from();
    // Before its first free order the unit stays in its cell.
    if (1..=from).any(|ahead| forecast.danger(start, ahead) >= avoid) {
        return None;
    }
    let mut search = EscapeSearch { scene, forecast, avoid, start, layers: Vec::new() };
    search.layers.push(vec![None; scene.state.len()]);
    let mut front = vec![start];
    for ahead in from..=HORIZON {
        let safe = |cell: &&CellIndex| forecast.first(**cell, avoid, ahead).is_none();
        if let Some(&to) = front.iter().find(safe) {
            return Some(EscapeRoute { steps: search.steps(to), to });
        }
        front = search.spread(&front, ahead + 1);
    }
    None
}

impl EscapeSearch<'_> {
    /// The cells where the unit can be one tick later.
    fn spread(&mut self, front: &[CellIndex], ahead: u32) -> Vec<CellIndex> {
        let mut layer: Vec<Option<ReachedFrom>> = vec![None; self.scene.state.len()];
        let mut next = Vec::new();
        for &from in front {
            let steps = std::iter::once(None).chain(UnitDirection::ALL.map(Some));
            for step in steps {
                let Some(to) = self.enter(from, step) else { continue };
                if self.forecast.danger(to, ahead) >= self.avoid {
                    continue;
                }
                if let Some(slot) = layer.get_mut(usize::from(to)).filter(|slot| slot.is_none()) {
                    *slot = Some(ReachedFrom { from, step });
                    next.push(to);
                }
            }
        }
        self.layers.push(layer);
        next
    }

    /// The cell that a step leads to. Others are taken to stay where they are.
    fn enter(&self, from: CellIndex, step: Option<UnitDirection>) -> Option<CellIndex> {
        let Some(direction) = step else { return Some(from) };
        let ((x, y), (dx, dy)) = (self.scene.board.place(from), direction.vector());
        let to = self.scene.board.cell(x + dx, y + dy)?;
        let state = &self.scene.state;
        let blocked = state.entity(to).is_some_and(|entity| !entity.kind.walkable())
            || self.forecast.blocked.contains(&to)
            || (state.occupied(to) && to != self.start);
        (!blocked).then_some(to)
    }

    fn steps(&self, mut at: CellIndex) -> Vec<Option<UnitDirection>> {
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
