//! Coordinate frames that become one when an offset between them is known.

use crate::Cell;
use serde::{Deserialize, Serialize};

/// One coordinate frame. Ids are never used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct FrameId(pub u32);

/// Frames in groups: a union-find whose links carry offsets. A cell that was written down in any
/// frame, however old, can be named in the frame of its group's head.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Frames {
    /// For frame `i`: its parent and what to add to its cells; a head is its own parent.
    links: Vec<(FrameId, Cell)>,
}

impl Frames {
    /// A new frame that knows no other.
    pub fn add(&mut self) -> FrameId {
        let id = FrameId(u32::try_from(self.links.len()).unwrap_or(u32::MAX));
        self.links.push((id, Cell::ZERO));
        id
    }

    /// The head of a frame's group, and the offset to add to the frame's cells; `None` for an id
    /// that was never given out.
    #[must_use]
    pub fn head(&self, frame: FrameId) -> Option<(FrameId, Cell)> {
        let (mut at, mut sum) = (frame, Cell::ZERO);
        // Links point to heads or older heads; the count bounds the walk.
        for _ in 0..=self.links.len() {
            let (parent, offset) = *self.links.get(usize::try_from(at.0).ok()?)?;
            if parent == at {
                return Some((at, sum));
            }
            (at, sum) = (parent, sum + offset);
        }
        None
    }

    /// Puts the group of head `child` under head `parent`: a cell of `child` plus `offset` is that
    /// cell in `parent`. Returns whether both were heads of different groups.
    pub fn join(&mut self, child: FrameId, parent: FrameId, offset: Cell) -> bool {
        let is_head = |id| self.head(id).is_some_and(|(head, _)| head == id);
        if child == parent || !is_head(child) || !is_head(parent) {
            return false;
        }
        let Some(link) = usize::try_from(child.0).ok().and_then(|i| self.links.get_mut(i)) else {
            return false;
        };
        *link = (parent, offset);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_of_an_old_frame_is_found_through_two_joins() {
        let mut frames = Frames::default();
        let (a, b, c) = (frames.add(), frames.add(), frames.add());
        assert!(frames.join(a, b, Cell::new(3, 0)));
        assert!(frames.join(b, c, Cell::new(0, -2)));
        assert_eq!(frames.head(a), Some((c, Cell::new(3, -2))));
        assert_eq!(frames.head(c), Some((c, Cell::ZERO)));
    }

    #[test]
    fn only_heads_of_different_groups_join() {
        let mut frames = Frames::default();
        let (a, b) = (frames.add(), frames.add());
        assert!(!frames.join(a, a, Cell::ZERO));
        assert!(frames.join(a, b, Cell::new(1, 1)));
        assert!(!frames.join(b, a, Cell::new(1, 1)), "a is no head any more");
        assert_eq!(frames.head(FrameId(9)), None);
    }
}
