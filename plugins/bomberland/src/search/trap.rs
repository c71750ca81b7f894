//! How badly first orders of a choice trap our units between their own bombs.

use super::position::Position;
use crate::rules::{UnitAction, UnitIndex};

/// Orders of our units that are carried out together.
type Acts = Vec<(UnitIndex, Option<UnitAction>)>;

/// What [`Position::trapped`] says of orders; many choices begin alike.
pub(super) struct Traps<'a, 'b> {
    root: &'a Position<'b>,
    known: Vec<(Acts, f64)>,
}

impl<'a, 'b> Traps<'a, 'b> {
    pub(super) fn new(root: &'a Position<'b>) -> Self {
        Self { root, known: Vec::new() }
    }

    /// The same of the first orders of plans that are chosen, one for each unit.
    pub(super) fn of<P>(
        &mut self,
        units: &[(UnitIndex, Vec<P>)],
        firsts: &[Vec<Option<UnitAction>>],
        choice: &[usize],
    ) -> f64 {
        let acts = units.iter().zip(firsts).zip(choice);
        let acts = acts.filter_map(|(((index, _), firsts), at)| Some((*index, *firsts.get(*at)?)));
        let acts: Acts = acts.collect();
        if let Some((_, trapped)) = self.known.iter().find(|(known, _)| *known == acts) {
            return *trapped;
        }
        let trapped = self.root.trapped(&acts);
        self.known.push((acts, trapped));
        trapped
    }
}
