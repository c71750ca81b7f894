//! Symbols that show on the simulator's map what is believed.

use super::infer::Belief;
use super::{RunningSimulation, World};
use crate::action::MARKS_MAX;
use crate::rules::{Cell, TileKind};
use crate::wire::{DisplayMark, Symbol};

/// Less likely enemies and dangers are not shown.
const SHOWN_MIN: f64 = 0.01;

impl World {
    /// What the simulator must show differently from what it shows already.
    #[must_use]
    pub fn marks(&self) -> Vec<DisplayMark> {
        self.simulation.as_ref().map(RunningSimulation::marks).unwrap_or_default()
    }
}

impl RunningSimulation {
    fn marks(&self) -> Vec<DisplayMark> {
        let beliefs = &self.mind.beliefs;
        let tiles = beliefs.frame.cells().zip(&beliefs.tiles);
        let change = |(at, belief): (Cell, &Belief)| {
            // Only tiles next to visited ones differ from the rest of the unknown.
            let wanted = symbol(belief).filter(|_| self.near(at));
            let shown = self.shown.get(&at).copied();
            (wanted != shown).then_some(DisplayMark { at, symbol: wanted.unwrap_or(Symbol::None) })
        };
        tiles.filter_map(change).take(MARKS_MAX).collect()
    }

    fn near(&self, at: Cell) -> bool {
        let mut around = crate::rules::Neighbourhood::Four.around(at);
        around.any(|next| self.chart.fact(next).visited)
    }
}

fn symbol(belief: &Belief) -> Option<Symbol> {
    if belief.visited || belief.kind == Some(TileKind::Wall) {
        None
    } else if belief.danger >= 1.0 {
        Some(Symbol::Danger)
    } else if belief.enemy >= 1.0 {
        Some(Symbol::Enemy)
    } else if belief.danger.max(belief.enemy) < SHOWN_MIN {
        None
    } else if belief.danger >= belief.enemy {
        Some(Symbol::PossibleDanger)
    } else {
        Some(Symbol::PossibleEnemy)
    }
}
