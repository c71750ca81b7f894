//! The blackboard: keyed values that scripts, operators and dashboards read and write.

mod read;
mod saved;
mod write;

pub use read::{BOARD_PAGE_KEYS_MAX, BOARD_PAGE_WEIGHT_MAX, BoardItem, BoardPage, BoardRead};
pub(crate) use saved::{BoardParts, ClaimPart};
pub use write::{BoardWrite, BoardWriteError, EXPIRY_TURNS_MAX};

use phalanx_game::{Turn, Value};
use std::collections::{BTreeMap, VecDeque};

/// This many deleted keys are remembered for readers that follow the changes.
const GONE_MAX: usize = 1_024;

/// Bounds of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoardLimits {
    /// Most keys.
    pub keys_max: usize,
    /// Longest key, in bytes.
    pub key_bytes_max: usize,
    /// Largest value, in [`weight`] units (roughly bytes).
    pub value_weight_max: usize,
    /// Largest sum over all keys and values, in the same units.
    pub total_weight_max: usize,
}

impl Default for BoardLimits {
    fn default() -> Self {
        Self {
            keys_max: 10_000,
            key_bytes_max: 200,
            value_weight_max: 64 << 10,
            total_weight_max: 16 << 20,
        }
    }
}

/// A value and its origin.
#[derive(Clone, Debug, PartialEq)]
pub struct BoardEntry {
    /// The value.
    pub value: Value,
    /// Who wrote it: an agent's name, `team`, or an operator.
    pub author: String,
    /// The tick in which it was written.
    pub written: u64,
    /// The turn in which it was written.
    pub turn: Turn,
    /// The board's revision after that.
    pub revision: u64,
    /// The last tick in which it can be read; `None`: for ever.
    pub expires: Option<u64>,
}

/// Why a write was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BoardError {
    /// The board is full.
    #[error("the board holds {0} keys, the most it may; delete some, or write with an expiry")]
    Full(usize),
    /// All values together are too large.
    #[error(
        "the board holds values of a total size of at most {0}; delete some, or write with an expiry"
    )]
    Total(usize),
    /// The key is too long.
    #[error("a board key has at most {max} bytes, this one has {got}")]
    Key {
        /// The limit.
        max: usize,
        /// The length.
        got: usize,
    },
    /// The value is too large.
    #[error("a board value has a size of at most {max}, this one has {got}")]
    Value {
        /// The limit.
        max: usize,
        /// The size.
        got: usize,
    },
}

/// A team's blackboard. It is ordered, so that equal histories give equal reads.
#[derive(Clone, Debug, Default)]
pub struct Board {
    entries: BTreeMap<String, BoardEntry>,
    claims: BTreeMap<String, BoardClaim>,
    limits: BoardLimits,
    tick: u64,
    turn: Turn,
    /// Sum of [`load`] over the entries.
    weight: usize,
    /// Counts all changes.
    revision: u64,
    /// The last keys that lost their value or their claim, with the revision after that.
    gone: VecDeque<(u64, String)>,
    /// Deletions up to this revision are no longer known.
    forgotten: u64,
}

/// An agent works on the thing that the key names.
#[derive(Clone, Debug)]
struct BoardClaim {
    holder: String,
    expires: Option<u64>,
    revision: u64,
}

/// The size of a value, roughly in bytes; limits use this unit.
#[must_use]
pub fn weight(value: &Value) -> usize {
    match value {
        Value::Nil | Value::Bool(_) | Value::Int(_) | Value::Num(_) => 8,
        Value::Str(text) => 8 + text.len(),
        Value::List(list) => 8 + list.iter().map(weight).sum::<usize>(),
        Value::Map(map) => {
            8 + map.iter().map(|(key, value)| key.len() + weight(value)).sum::<usize>()
        }
    }
}

/// The share of an entry in the board's total size.
fn load(key: &str, value: &Value) -> usize {
    key.len() + weight(value)
}

impl Board {
    /// An empty board with these limits.
    #[must_use]
    pub fn new(limits: BoardLimits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// An empty board that continues the count of changes: a reader that followed an earlier board
    /// learns that all its keys are gone.
    #[must_use]
    pub fn after(self, revision: u64) -> Self {
        Self { revision, forgotten: revision, ..self }
    }

    /// Begins a turn and drops what expired before it.
    pub fn advance(&mut self, tick: u64) {
        self.tick = tick;
        let alive = |expires: Option<u64>| expires.is_none_or(|last| last >= tick);
        let expired = self.entries.extract_if(.., |_, entry| !alive(entry.expires));
        let expired: Vec<_> = expired.collect();
        self.weight -= expired.iter().map(|(key, entry)| load(key, &entry.value)).sum::<usize>();
        let released: Vec<_> =
            self.claims.extract_if(.., |_, claim| !alive(claim.expires)).collect();
        let keys = expired.into_iter().map(|(key, _)| key);
        for key in keys.chain(released.into_iter().map(|(key, _)| key)) {
            self.went(key);
        }
    }

    /// Sets the turn of the following writes.
    pub fn at(&mut self, turn: Turn) {
        self.turn = turn;
    }

    /// The number of changes so far.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.revision
    }

    fn next_revision(&mut self) -> u64 {
        self.revision += 1;
        self.revision
    }

    /// Notes that a key lost its value or its claim.
    fn went(&mut self, key: String) {
        let revision = self.next_revision();
        self.gone.push_back((revision, key));
        if self.gone.len() > GONE_MAX {
            self.forgotten = self.gone.pop_front().map_or(self.forgotten, |(lost, _)| lost);
        }
    }

    /// The value under a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.entries.get(key).map(|entry| &entry.value)
    }

    /// The entry under a key.
    #[must_use]
    pub fn entry(&self, key: &str) -> Option<&BoardEntry> {
        self.entries.get(key)
    }

    /// Writes a value for this number of turns (the current one included), or for ever. `Nil`
    /// deletes.
    ///
    /// # Errors
    /// When a limit would be broken; the old value stays.
    pub fn set(
        &mut self,
        key: &str,
        value: Value,
        author: &str,
        turns: Option<u64>,
    ) -> Result<(), BoardError> {
        if value == Value::Nil {
            if let Some((key, entry)) = self.entries.remove_entry(key) {
                self.weight -= load(&key, &entry.value);
                self.went(key);
            }
            return Ok(());
        }
        self.weight = self.weight_with(key, &value)?;
        let entry = BoardEntry {
            value,
            author: author.to_owned(),
            written: self.tick,
            turn: self.turn,
            revision: self.next_revision(),
            expires: self.last_tick(turns),
        };
        self.entries.insert(key.to_owned(), entry);
        Ok(())
    }

    /// The board's total with this value under this key, if the limits allow it.
    fn weight_with(&self, key: &str, value: &Value) -> Result<usize, BoardError> {
        self.check(key, value)?;
        let old = self.entries.get(key).map_or(0, |entry| load(key, &entry.value));
        let total = self.weight - old + load(key, value);
        if total > self.limits.total_weight_max {
            return Err(BoardError::Total(self.limits.total_weight_max));
        }
        Ok(total)
    }

    /// Adds to a number (absent counts as 0) and returns the sum.
    ///
    /// # Errors
    /// When a limit would be broken.
    pub fn add(&mut self, key: &str, amount: f64, author: &str) -> Result<f64, BoardError> {
        let sum = self.get(key).and_then(Value::as_num).unwrap_or(0.0) + amount;
        self.set(key, Value::Num(sum), author, None)?;
        Ok(sum)
    }

    /// All entries whose key starts with `prefix`, in order of the keys.
    pub fn each<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (&'a str, &'a BoardEntry)> {
        self.entries
            .range(prefix.to_owned()..)
            .take_while(move |(key, _)| key.starts_with(prefix))
            .map(|(key, entry)| (key.as_str(), entry))
    }

    /// Takes the claim on `key` for this number of turns, or for ever. Returns true if `holder` has
    /// it now.
    ///
    /// # Errors
    /// When a limit would be broken.
    pub fn claim(
        &mut self,
        key: &str,
        holder: &str,
        turns: Option<u64>,
    ) -> Result<bool, BoardError> {
        match self.claims.get(key) {
            Some(claim) if claim.holder != holder => Ok(false),
            known => {
                if known.is_none() {
                    self.check(key, &Value::Nil)?;
                }
                let (holder, expires) = (holder.to_owned(), self.last_tick(turns));
                let claim = BoardClaim { holder, expires, revision: self.next_revision() };
                self.claims.insert(key.to_owned(), claim);
                Ok(true)
            }
        }
    }

    /// Releases a claim; false if `holder` did not have it.
    pub fn release(&mut self, key: &str, holder: &str) -> bool {
        let held = self.claims.get(key).is_some_and(|claim| claim.holder == holder);
        if held {
            self.claims.remove(key);
            self.went(key.to_owned());
        }
        held
    }

    /// Releases all claims of a holder.
    pub fn release_all(&mut self, holder: &str) {
        let released = self.claims.extract_if(.., |_, claim| claim.holder == holder);
        let released: Vec<_> = released.map(|(key, _)| key).collect();
        released.into_iter().for_each(|key| self.went(key));
    }

    /// The holder of the claim on a key.
    #[must_use]
    pub fn holder(&self, key: &str) -> Option<&str> {
        self.claims.get(key).map(|claim| claim.holder.as_str())
    }

    /// The number of keys with a value.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// No key has a value.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Deletes all values and claims, for a new round.
    pub fn clear(&mut self) {
        self.entries.clear();
        self.weight = 0;
        self.claims.clear();
        self.gone.clear();
        self.forgotten = self.next_revision();
    }

    fn last_tick(&self, turns: Option<u64>) -> Option<u64> {
        turns.map(|turns| self.tick.saturating_add(turns.saturating_sub(1)))
    }

    fn check(&self, key: &str, value: &Value) -> Result<(), BoardError> {
        let limits = self.limits;
        let (bytes, size) = (key.len(), weight(value));
        if bytes > limits.key_bytes_max {
            return Err(BoardError::Key { max: limits.key_bytes_max, got: bytes });
        }
        if size > limits.value_weight_max {
            return Err(BoardError::Value { max: limits.value_weight_max, got: size });
        }
        let keys = self.entries.len() + self.claims.len();
        if keys >= limits.keys_max && !self.entries.contains_key(key) {
            return Err(BoardError::Full(limits.keys_max));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board() -> Board {
        let mut board = Board::new(BoardLimits {
            keys_max: 3,
            key_bytes_max: 8,
            value_weight_max: 100,
            total_weight_max: 150,
        });
        board.advance(1);
        board
    }

    #[test]
    fn a_value_with_an_expiry_lives_that_many_turns() {
        let mut board = board();
        board.set("goal", Value::Int(1), "a1", Some(2)).unwrap();
        board.advance(2);
        assert_eq!(board.get("goal"), Some(&Value::Int(1)));
        board.advance(3);
        assert_eq!(board.get("goal"), None);
    }

    #[test]
    fn a_claim_has_one_holder_until_released() {
        let mut board = board();
        assert_eq!(board.claim("task3", "a1", None), Ok(true));
        assert_eq!(board.claim("task3", "a2", None), Ok(false));
        assert!(!board.release("task3", "a2"));
        assert!(board.release("task3", "a1"));
        assert_eq!(board.claim("task3", "a2", None), Ok(true));
        assert_eq!(board.holder("task3"), Some("a2"));
    }

    #[test]
    fn setting_nil_deletes() {
        let mut board = board();
        board.set("k", Value::Bool(true), "a1", None).unwrap();
        board.set("k", Value::Nil, "a1", None).unwrap();
        assert!(board.is_empty());
    }

    #[test]
    fn limits_refuse_and_keep_the_old_value() {
        let mut board = board();
        board.set("k", Value::Int(1), "a1", None).unwrap();
        let long = Value::text("x".repeat(200));
        assert!(matches!(board.set("k", long, "a1", None), Err(BoardError::Value { .. })));
        assert_eq!(board.get("k"), Some(&Value::Int(1)));
        assert!(matches!(board.claim("a very long key", "a1", None), Err(BoardError::Key { .. })));
        board.set("l", Value::Int(1), "a1", None).unwrap();
        board.set("m", Value::Int(1), "a1", None).unwrap();
        assert_eq!(board.set("n", Value::Int(1), "a1", None), Err(BoardError::Full(3)));
        assert_eq!(board.set("m", Value::Int(2), "a1", None), Ok(()));
    }

    #[test]
    fn the_sum_of_all_values_is_limited_and_what_goes_makes_room() {
        let (mut board, text) = (board(), || Value::text("x".repeat(80)));
        board.set("a", text(), "a1", Some(1)).unwrap();
        assert_eq!(board.set("b", text(), "a1", None), Err(BoardError::Total(150)));
        board.set("a", text(), "a1", Some(1)).unwrap();
        board.advance(2);
        board.set("b", text(), "a1", None).unwrap();
        board.set("b", Value::Nil, "a1", None).unwrap();
        board.set("c", text(), "a1", None).unwrap();
        board.clear();
        assert_eq!(board.set("d", text(), "a1", None), Ok(()));
    }

    #[test]
    fn each_walks_a_prefix_in_order() {
        let mut board = board();
        for key in ["b/2", "a", "b/1"] {
            board.set(key, Value::Bool(true), "a1", None).unwrap();
        }
        let keys: Vec<_> = board.each("b/").map(|(key, _)| key).collect();
        assert_eq!(keys, ["b/1", "b/2"]);
    }
}
