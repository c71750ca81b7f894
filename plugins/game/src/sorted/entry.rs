//! Places of a sorted map.

use std::fmt;

/// The place of a key: with a value, or where one can be put.
pub enum Entry<'a, K, V> {
    /// The key is there.
    Occupied(OccupiedEntry<'a, K, V>),
    /// It is not.
    Vacant(VacantEntry<'a, K, V>),
}

/// A key that is there.
pub struct OccupiedEntry<'a, K, V> {
    entries: &'a mut Vec<(K, V)>,
    /// Where it is: always below the number of entries.
    place: usize,
}

/// A key that is not there.
pub struct VacantEntry<'a, K, V> {
    entries: &'a mut Vec<(K, V)>,
    /// Where it belongs: at most the number of entries.
    place: usize,
    key: K,
}

impl<'a, K, V> Entry<'a, K, V> {
    /// The value, or this one, which is put there.
    pub fn or_insert(self, value: V) -> &'a mut V {
        match self {
            Self::Occupied(entry) => entry.into_mut(),
            Self::Vacant(entry) => entry.insert(value),
        }
    }

    /// The value, or the one that is made and put there.
    pub fn or_insert_with(self, make: impl FnOnce() -> V) -> &'a mut V {
        match self {
            Self::Occupied(entry) => entry.into_mut(),
            Self::Vacant(entry) => entry.insert(make()),
        }
    }

    /// The value, or the one that is made for the key and put there.
    pub fn or_insert_with_key(self, make: impl FnOnce(&K) -> V) -> &'a mut V {
        match self {
            Self::Occupied(entry) => entry.into_mut(),
            Self::Vacant(entry) => {
                let value = make(entry.key());
                entry.insert(value)
            }
        }
    }

    /// The value, or its default, which is put there.
    pub fn or_default(self) -> &'a mut V
    where
        V: Default,
    {
        self.or_insert_with(V::default)
    }
}

#[expect(clippy::indexing_slicing, reason = "an occupied place is one of the vector's")]
impl<'a, K, V> OccupiedEntry<'a, K, V> {
    pub(super) fn new(entries: &'a mut Vec<(K, V)>, place: usize) -> Self {
        Self { entries, place }
    }

    /// The key.
    #[must_use]
    pub fn key(&self) -> &K {
        &self.entries[self.place].0
    }

    /// The value.
    #[must_use]
    pub fn get(&self) -> &V {
        &self.entries[self.place].1
    }

    /// The value, which may be changed.
    pub fn get_mut(&mut self) -> &mut V {
        &mut self.entries[self.place].1
    }

    /// The value, for as long as the map is borrowed.
    #[must_use]
    pub fn into_mut(self) -> &'a mut V {
        &mut self.entries[self.place].1
    }

    /// Replaces the value, and returns the one before.
    pub fn insert(&mut self, value: V) -> V {
        std::mem::replace(self.get_mut(), value)
    }

    /// Removes the entry, and returns its value.
    pub fn remove(self) -> V {
        self.entries.remove(self.place).1
    }
}

impl<'a, K, V> VacantEntry<'a, K, V> {
    pub(super) fn new(entries: &'a mut Vec<(K, V)>, place: usize, key: K) -> Self {
        Self { entries, place, key }
    }

    /// The key.
    #[must_use]
    pub fn key(&self) -> &K {
        &self.key
    }

    /// Puts a value there.
    #[expect(clippy::indexing_slicing, reason = "the place was just filled")]
    pub fn insert(self, value: V) -> &'a mut V {
        let Self { entries, place, key } = self;
        entries.insert(place, (key, value));
        &mut entries[place].1
    }
}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for Entry<'_, K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Occupied(entry) => entry.fmt(f),
            Self::Vacant(entry) => entry.fmt(f),
        }
    }
}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for OccupiedEntry<'_, K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OccupiedEntry").field(self.key()).field(self.get()).finish()
    }
}

impl<K: fmt::Debug, V> fmt::Debug for VacantEntry<'_, K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("VacantEntry").field(&self.key).finish()
    }
}
