//! Sorted maps and sets for few entries: agents, seats, names, roles.
//!
//! They have the methods of `BTreeMap` and `BTreeSet` and iterate in the same order, over one
//! sorted vector. For a team's maps that is as fast, and it compiles in a tenth of the time: the
//! standard library's trees were a fifth of all code that our crates gave the compiler. To insert
//! in the middle moves what is behind it, so take a `BTreeMap` for thousands of entries that come
//! in any order.

mod entry;
mod order;
mod set;

pub use entry::{Entry, OccupiedEntry, VacantEntry};
pub use order::Order;
pub use set::SortedSet;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Borrow;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Bound, Index, Range, RangeBounds};

/// A map in the order of its keys.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SortedMap<K, V> {
    /// In the order of the keys, each key once.
    entries: Vec<(K, V)>,
}

impl<K, V> SortedMap<K, V> {
    /// A map without entries.
    #[must_use]
    pub const fn new() -> Self {
        Self { entries: Vec::new() }
    }

    /// The number of entries.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether it has no entry.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Removes all entries.
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    /// The entries, in the order of their keys.
    pub fn iter(&self) -> Iter<'_, K, V> {
        Iter { entries: self.entries.iter() }
    }

    /// The entries, with values that may be changed.
    pub fn iter_mut(&mut self) -> IterMut<'_, K, V> {
        IterMut { entries: self.entries.iter_mut() }
    }

    /// The keys, in their order.
    pub fn keys(&self) -> Keys<'_, K, V> {
        Keys { entries: self.entries.iter() }
    }

    /// The values, in the order of their keys.
    pub fn values(&self) -> Values<'_, K, V> {
        Values { entries: self.entries.iter() }
    }

    /// The values, which may be changed.
    pub fn values_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut V> + ExactSizeIterator {
        self.entries.iter_mut().map(|(_, value)| value)
    }

    /// The keys, in their order.
    pub fn into_keys(self) -> impl DoubleEndedIterator<Item = K> + ExactSizeIterator {
        self.entries.into_iter().map(|(key, _)| key)
    }

    /// The values, in the order of their keys.
    pub fn into_values(self) -> impl DoubleEndedIterator<Item = V> + ExactSizeIterator {
        self.entries.into_iter().map(|(_, value)| value)
    }

    /// The entry with the lowest key.
    #[must_use]
    pub fn first_key_value(&self) -> Option<(&K, &V)> {
        self.entries.first().map(|(key, value)| (key, value))
    }

    /// The entry with the highest key.
    #[must_use]
    pub fn last_key_value(&self) -> Option<(&K, &V)> {
        self.entries.last().map(|(key, value)| (key, value))
    }

    /// Takes the entry with the lowest key.
    pub fn pop_first(&mut self) -> Option<(K, V)> {
        (!self.entries.is_empty()).then(|| self.entries.remove(0))
    }

    /// Takes the entry with the highest key.
    pub fn pop_last(&mut self) -> Option<(K, V)> {
        self.entries.pop()
    }

    /// Keeps the entries for which this is true.
    pub fn retain(&mut self, mut keep: impl FnMut(&K, &mut V) -> bool) {
        self.entries.retain_mut(|(key, value)| keep(key, value));
    }

    /// Takes the entries for which this is true.
    pub fn extract_if(
        &mut self,
        mut is_wanted: impl FnMut(&K, &mut V) -> bool,
    ) -> impl Iterator<Item = (K, V)> {
        self.entries.extract_if(.., move |(key, value)| is_wanted(key, value))
    }
}

impl<K: Ord, V> SortedMap<K, V> {
    /// The place of a key, or else where it belongs.
    fn place<Q: Ord + ?Sized>(&self, key: &Q) -> Result<usize, usize>
    where
        K: Borrow<Q>,
    {
        self.entries.binary_search_by(|(other, _)| other.borrow().cmp(key))
    }

    /// The value of a key.
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.get_key_value(key).map(|(_, value)| value)
    }

    /// The value of a key, and the key as it is stored.
    pub fn get_key_value<Q: Ord + ?Sized>(&self, key: &Q) -> Option<(&K, &V)>
    where
        K: Borrow<Q>,
    {
        let (key, value) = self.entries.get(self.place(key).ok()?)?;
        Some((key, value))
    }

    /// The value of a key, which may be changed.
    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        let place = self.place(key).ok()?;
        self.entries.get_mut(place).map(|(_, value)| value)
    }

    /// Whether it has this key.
    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.place(key).is_ok()
    }

    /// Sets the value of a key, and returns the one before. A key that is there already stays.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.place(&key) {
            Ok(place) => self.entries.get_mut(place).map(|(_, old)| std::mem::replace(old, value)),
            Err(place) => {
                self.entries.insert(place, (key, value));
                None
            }
        }
    }

    /// Removes a key, and returns its value.
    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.remove_entry(key).map(|(_, value)| value)
    }

    /// Removes a key, and returns it with its value.
    pub fn remove_entry<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<(K, V)>
    where
        K: Borrow<Q>,
    {
        self.place(key).ok().map(|place| self.entries.remove(place))
    }

    /// The place of a key, to look at or to fill.
    pub fn entry(&mut self, key: K) -> Entry<'_, K, V> {
        match self.place(&key) {
            Ok(place) => Entry::Occupied(OccupiedEntry::new(&mut self.entries, place)),
            Err(place) => Entry::Vacant(VacantEntry::new(&mut self.entries, place, key)),
        }
    }

    /// The entries between two keys.
    pub fn range<Q: Ord + ?Sized>(&self, range: impl RangeBounds<Q>) -> Iter<'_, K, V>
    where
        K: Borrow<Q>,
    {
        let entries = self.entries.get(self.places(&range)).unwrap_or_default();
        Iter { entries: entries.iter() }
    }

    /// Takes the entries from this key on.
    #[must_use]
    pub fn split_off<Q: Ord + ?Sized>(&mut self, key: &Q) -> Self
    where
        K: Borrow<Q>,
    {
        let place = self.place(key).unwrap_or_else(|place| place);
        Self { entries: self.entries.split_off(place) }
    }

    /// Moves all entries of another map into this one.
    pub fn append(&mut self, other: &mut Self) {
        self.extend(std::mem::take(&mut other.entries));
    }

    fn places<Q: Ord + ?Sized>(&self, range: &impl RangeBounds<Q>) -> Range<usize>
    where
        K: Borrow<Q>,
    {
        let of = |key: &Q, with: bool| match self.place(key) {
            Ok(place) => place + usize::from(with),
            Err(place) => place,
        };
        let start = match range.start_bound() {
            Bound::Included(key) => of(key, false),
            Bound::Excluded(key) => of(key, true),
            Bound::Unbounded => 0,
        };
        let end = match range.end_bound() {
            Bound::Included(key) => of(key, true),
            Bound::Excluded(key) => of(key, false),
            Bound::Unbounded => self.entries.len(),
        };
        start..end
    }
}

impl<K, V> Default for SortedMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for SortedMap<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<K: Ord, V> Extend<(K, V)> for SortedMap<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        for (key, value) in entries {
            // Entries mostly come in order.
            if self.entries.last().is_none_or(|(last, _)| *last < key) {
                self.entries.push((key, value));
            } else {
                self.insert(key, value);
            }
        }
    }
}

impl<'a, K: Ord + Copy, V: Copy> Extend<(&'a K, &'a V)> for SortedMap<K, V> {
    fn extend<I: IntoIterator<Item = (&'a K, &'a V)>>(&mut self, entries: I) {
        self.extend(entries.into_iter().map(|(key, value)| (*key, *value)));
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for SortedMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = Self::new();
        map.extend(entries);
        map
    }
}

impl<K: Ord, V, const N: usize> From<[(K, V); N]> for SortedMap<K, V> {
    fn from(entries: [(K, V); N]) -> Self {
        entries.into_iter().collect()
    }
}

impl<K: Ord + Borrow<Q>, Q: Ord + ?Sized, V> Index<&Q> for SortedMap<K, V> {
    type Output = V;

    /// # Panics
    /// When the key is not there.
    #[expect(clippy::expect_used, reason = "as with every Index")]
    fn index(&self, key: &Q) -> &V {
        self.get(key).expect("no entry for this key")
    }
}

impl<K, V> IntoIterator for SortedMap<K, V> {
    type Item = (K, V);
    type IntoIter = std::vec::IntoIter<(K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

impl<'a, K, V> IntoIterator for &'a SortedMap<K, V> {
    type Item = (&'a K, &'a V);
    type IntoIter = Iter<'a, K, V>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a, K, V> IntoIterator for &'a mut SortedMap<K, V> {
    type Item = (&'a K, &'a mut V);
    type IntoIter = IterMut<'a, K, V>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

impl<K: Serialize, V: Serialize> Serialize for SortedMap<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de, K: Deserialize<'de> + Ord, V: Deserialize<'de>> Deserialize<'de> for SortedMap<K, V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries<K, V>(PhantomData<(K, V)>);

        impl<'de, K: Deserialize<'de> + Ord, V: Deserialize<'de>> Visitor<'de> for Entries<K, V> {
            type Value = SortedMap<K, V>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
                let mut map = SortedMap::new();
                while let Some(entry) = access.next_entry()? {
                    map.extend([entry]);
                }
                Ok(map)
            }
        }

        deserializer.deserialize_map(Entries(PhantomData))
    }
}

/// Makes an iterator over entries from one over a slice.
macro_rules! iterator {
    ($(#[$about:meta])* $name:ident, $slice:ident, $item:ty, $entry:pat => $made:expr) => {
        $(#[$about])*
        #[derive(Debug)]
        pub struct $name<'a, K, V> {
            entries: std::slice::$slice<'a, (K, V)>,
        }

        impl<'a, K, V> Iterator for $name<'a, K, V> {
            type Item = $item;

            fn next(&mut self) -> Option<Self::Item> {
                self.entries.next().map(|$entry| $made)
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                self.entries.size_hint()
            }
        }

        impl<K, V> DoubleEndedIterator for $name<'_, K, V> {
            fn next_back(&mut self) -> Option<Self::Item> {
                self.entries.next_back().map(|$entry| $made)
            }
        }

        impl<K, V> ExactSizeIterator for $name<'_, K, V> {}
    };
}

iterator! {
    /// The entries of a map, in the order of their keys.
    Iter, Iter, (&'a K, &'a V), (key, value) => (key, value)
}
iterator! {
    /// The entries of a map, with values that may be changed.
    IterMut, IterMut, (&'a K, &'a mut V), (key, value) => (&*key, value)
}
iterator! {
    /// The keys of a map, in their order.
    Keys, Iter, &'a K, (key, _) => key
}
iterator! {
    /// The values of a map, in the order of their keys.
    Values, Iter, &'a V, (_, value) => value
}

impl<K, V> Clone for Iter<'_, K, V> {
    fn clone(&self) -> Self {
        Self { entries: self.entries.clone() }
    }
}

impl<K, V> Clone for Keys<'_, K, V> {
    fn clone(&self) -> Self {
        Self { entries: self.entries.clone() }
    }
}

impl<K, V> Clone for Values<'_, K, V> {
    fn clone(&self) -> Self {
        Self { entries: self.entries.clone() }
    }
}

#[cfg(test)]
mod tests;
