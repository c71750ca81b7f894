//! Sorted sets.

use super::{Keys, SortedMap};
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Borrow;
use std::fmt;
use std::marker::PhantomData;
use std::ops::RangeBounds;

/// A set in the order of its items.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SortedSet<T> {
    map: SortedMap<T, ()>,
}

impl<T> SortedSet<T> {
    /// A set without items.
    #[must_use]
    pub const fn new() -> Self {
        Self { map: SortedMap::new() }
    }

    /// The number of items.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.map.len()
    }

    /// Whether it has no item.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.map.is_empty()
    }

    /// Removes all items.
    pub fn clear(&mut self) {
        self.map.clear();
    }

    /// The items, in their order.
    pub fn iter(&self) -> Keys<'_, T, ()> {
        self.map.keys()
    }

    /// The lowest item.
    #[must_use]
    pub fn first(&self) -> Option<&T> {
        self.map.first_key_value().map(|(item, ())| item)
    }

    /// The highest item.
    #[must_use]
    pub fn last(&self) -> Option<&T> {
        self.map.last_key_value().map(|(item, ())| item)
    }

    /// Takes the lowest item.
    pub fn pop_first(&mut self) -> Option<T> {
        self.map.pop_first().map(|(item, ())| item)
    }

    /// Takes the highest item.
    pub fn pop_last(&mut self) -> Option<T> {
        self.map.pop_last().map(|(item, ())| item)
    }

    /// Keeps the items for which this is true.
    pub fn retain(&mut self, mut keep: impl FnMut(&T) -> bool) {
        self.map.retain(|item, ()| keep(item));
    }
}

impl<T: Ord> SortedSet<T> {
    /// Adds an item; false when it was there already.
    pub fn insert(&mut self, item: T) -> bool {
        self.map.insert(item, ()).is_none()
    }

    /// Removes an item; false when it was not there.
    pub fn remove<Q: Ord + ?Sized>(&mut self, item: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.map.remove(item).is_some()
    }

    /// Removes an item, and returns it.
    pub fn take<Q: Ord + ?Sized>(&mut self, item: &Q) -> Option<T>
    where
        T: Borrow<Q>,
    {
        self.map.remove_entry(item).map(|(item, ())| item)
    }

    /// The item as it is stored.
    pub fn get<Q: Ord + ?Sized>(&self, item: &Q) -> Option<&T>
    where
        T: Borrow<Q>,
    {
        self.map.get_key_value(item).map(|(item, ())| item)
    }

    /// Whether it has this item.
    pub fn contains<Q: Ord + ?Sized>(&self, item: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.map.contains_key(item)
    }

    /// The items between two.
    pub fn range<Q: Ord + ?Sized>(
        &self,
        range: impl RangeBounds<Q>,
    ) -> impl DoubleEndedIterator<Item = &T> + ExactSizeIterator
    where
        T: Borrow<Q>,
    {
        self.map.range(range).map(|(item, ())| item)
    }

    /// Takes the items from this one on.
    #[must_use]
    pub fn split_off<Q: Ord + ?Sized>(&mut self, item: &Q) -> Self
    where
        T: Borrow<Q>,
    {
        Self { map: self.map.split_off(item) }
    }

    /// The items that the other set does not have.
    pub fn difference<'a>(&'a self, other: &'a Self) -> impl DoubleEndedIterator<Item = &'a T> {
        self.iter().filter(|item| !other.contains(item))
    }

    /// The items that both sets have.
    pub fn intersection<'a>(&'a self, other: &'a Self) -> impl DoubleEndedIterator<Item = &'a T> {
        self.iter().filter(|item| other.contains(item))
    }

    /// Whether the other set has all these items.
    #[must_use]
    pub fn is_subset(&self, other: &Self) -> bool {
        self.iter().all(|item| other.contains(item))
    }
}

impl<T> Default for SortedSet<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: fmt::Debug> fmt::Debug for SortedSet<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl<T: Ord> Extend<T> for SortedSet<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        self.map.extend(items.into_iter().map(|item| (item, ())));
    }
}

impl<'a, T: Ord + Copy> Extend<&'a T> for SortedSet<T> {
    fn extend<I: IntoIterator<Item = &'a T>>(&mut self, items: I) {
        self.extend(items.into_iter().copied());
    }
}

impl<T: Ord> FromIterator<T> for SortedSet<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut set = Self::new();
        set.extend(items);
        set
    }
}

impl<T: Ord, const N: usize> From<[T; N]> for SortedSet<T> {
    fn from(items: [T; N]) -> Self {
        items.into_iter().collect()
    }
}

impl<T> IntoIterator for SortedSet<T> {
    type Item = T;
    type IntoIter = std::iter::Map<std::vec::IntoIter<(T, ())>, fn((T, ())) -> T>;

    fn into_iter(self) -> Self::IntoIter {
        self.map.into_iter().map(|(item, ())| item)
    }
}

impl<'a, T> IntoIterator for &'a SortedSet<T> {
    type Item = &'a T;
    type IntoIter = Keys<'a, T, ()>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T: Serialize> Serialize for SortedSet<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de, T: Deserialize<'de> + Ord> Deserialize<'de> for SortedSet<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Items<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de> + Ord> Visitor<'de> for Items<T> {
            type Value = SortedSet<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a sequence")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
                let mut set = SortedSet::new();
                while let Some(item) = access.next_element()? {
                    set.extend([item]);
                }
                Ok(set)
            }
        }

        deserializer.deserialize_seq(Items(PhantomData))
    }
}
