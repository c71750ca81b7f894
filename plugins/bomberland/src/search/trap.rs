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

    pub(super) fn of(&mut self, acts: Acts) -> f64 {
        if let Some((_, trapped)) = self.known.iter().find(|(known, _)| *known == acts) {
            return *trapped;
        }
        let trapped = self.root.trapped(&acts);
        self.known.push((acts, trapped));
        trapped
    }
}
