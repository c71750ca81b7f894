//! Stable sorts that are compiled once.

use std::cmp::Ordering;

/// Stable sorts of a slice, with the results of the standard library's.
///
/// That one is compiled for every type of item and every comparison: these sort the places of the
/// items with code that exists once, and then move the items. A comparison costs a call through a
/// pointer, so keep the standard library's for thousands of items and inside searches.
pub trait Order<T> {
    /// Sorts by the items themselves.
    fn order(&mut self)
    where
        T: Ord;

    /// Sorts by a comparison.
    fn order_by(&mut self, compare: impl FnMut(&T, &T) -> Ordering);

    /// Sorts by a key of each item.
    fn order_by_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K);
}

impl<T> Order<T> for [T] {
    fn order(&mut self)
    where
        T: Ord,
    {
        self.order_by(T::cmp);
    }

    #[expect(clippy::indexing_slicing, reason = "places are those of the slice")]
    fn order_by(&mut self, mut compare: impl FnMut(&T, &T) -> Ordering) {
        if self.len() < 2 {
            return;
        }
        let mut places = places(self.len(), &mut |a, b| compare(&self[a], &self[b]));
        // Follows each circle of items that take each other's places.
        for first in 0..self.len() {
            let mut at = first;
            loop {
                let from = std::mem::replace(&mut places[at], at);
                if from == first {
                    break;
                }
                self.swap(at, from);
                at = from;
            }
        }
    }

    fn order_by_key<K: Ord>(&mut self, mut key: impl FnMut(&T) -> K) {
        self.order_by(|a, b| key(a).cmp(&key(b)));
    }
}

/// Which item belongs to each place.
#[inline(never)]
fn places(count: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut places: Vec<_> = (0..count).collect();
    places.sort_by(|a, b| compare(*a, *b));
    places
}
