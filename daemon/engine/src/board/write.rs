//! Writes of operators to a board.

use super::read::etag;
use super::{Board, BoardError, BoardItem};
use phalanx_game::Value;

/// Most turns that an operator may give a value to live.
pub const EXPIRY_TURNS_MAX: u64 = 1_000_000;

/// A requested write. Returns what is under the key afterwards.
#[derive(Clone, Debug, PartialEq)]
pub struct BoardWrite {
    /// The key.
    pub key: String,
    /// The value; [`Value::Nil`] deletes.
    pub value: Value,
    /// Turns in which it can be read, the present one included; `None`: for ever.
    pub turns: Option<u64>,
    /// Only if the present value has this tag; `None`: in any case.
    pub etag: Option<String>,
    /// Only check whether it would be written.
    pub validate_only: bool,
}

/// Why nothing was written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BoardWriteError {
    /// A limit would be broken.
    #[error(transparent)]
    Limit(#[from] BoardError),
    /// There is no value to delete.
    #[error("the board has no value under {key:?}; `phalanx board list` shows its keys")]
    NotFound {
        /// The key.
        key: String,
    },
    /// The value was written since the caller read it.
    #[error("{key:?} has changed since you read it; read it again and repeat the write")]
    Changed {
        /// The key.
        key: String,
        /// The tag now; empty when there is no value.
        now: String,
    },
    /// The number of turns is out of range.
    #[error("a value lives for 1 to {EXPIRY_TURNS_MAX} turns, not {got}")]
    Turns {
        /// The requested number.
        got: u64,
    },
}

impl Board {
    /// Writes or deletes with `by` as the author. Returns what is under the key then, or would be: `None`
    /// after a deletion that leaves no claim.
    ///
    /// # Errors
    /// When a limit would be broken, the value was written meanwhile, or there is none to delete;
    /// the board is as it was.
    pub fn write(
        &mut self,
        write: &BoardWrite,
        by: &str,
    ) -> Result<Option<BoardItem>, BoardWriteError> {
        let BoardWrite { key, value, turns, .. } = write;
        let now = self.entry(key).map(etag).unwrap_or_default();
        if write.etag.as_ref().is_some_and(|expected| *expected != now) {
            return Err(BoardWriteError::Changed { key: key.clone(), now });
        }
        if *value == Value::Nil && self.entry(key).is_none() {
            return Err(BoardWriteError::NotFound { key: key.clone() });
        }
        if let Some(got) = turns.filter(|turns| !(1..=EXPIRY_TURNS_MAX).contains(turns)) {
            return Err(BoardWriteError::Turns { got });
        }
        if *value != Value::Nil {
            self.weight_with(key, value)?;
        }
        if !write.validate_only {
            self.set(key, value.clone(), by, *turns)?;
        }
        Ok(self.item(key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(key: &str, value: Value) -> BoardWrite {
        let key = key.to_owned();
        BoardWrite { key, value, turns: None, etag: None, validate_only: false }
    }

    #[test]
    fn a_tag_guards_against_what_was_written_meanwhile() {
        let mut board = Board::default();
        let first = board.write(&write("goal", Value::Int(1)), "ann").unwrap().unwrap();
        let guarded = BoardWrite { etag: Some(first.etag()), ..write("goal", Value::Int(2)) };
        board.set("goal", Value::Int(9), "a1", None).unwrap();
        let now = board.item("goal").unwrap().etag();
        let refused = BoardWriteError::Changed { key: "goal".into(), now: now.clone() };
        assert_eq!(board.write(&guarded, "ann"), Err(refused));
        let fresh = BoardWrite { etag: Some(now), ..guarded };
        let item = board.write(&fresh, "ann").unwrap().unwrap().entry.unwrap();
        assert_eq!((item.value, item.author.as_str()), (Value::Int(2), "ann"));
    }

    #[test]
    fn only_a_value_that_is_there_is_deleted() {
        let mut board = Board::default();
        let gone = board.write(&write("k", Value::Nil), "ann").unwrap_err();
        assert_eq!(gone, BoardWriteError::NotFound { key: "k".into() });
        board.set("k", Value::Int(1), "a1", None).unwrap();
        assert_eq!(board.write(&write("k", Value::Nil), "ann"), Ok(None));
        assert!(board.is_empty());
    }

    #[test]
    fn what_is_only_validated_changes_nothing_and_is_refused_alike() {
        let mut board = Board::default();
        let only = |write| BoardWrite { validate_only: true, ..write };
        assert_eq!(board.write(&only(write("k", Value::Int(1))), "ann"), Ok(None));
        assert!(board.is_empty());
        let long = only(write(&"k".repeat(201), Value::Int(1)));
        let refused = board.write(&long, "ann");
        assert!(matches!(refused, Err(BoardWriteError::Limit(BoardError::Key { .. }))));
        for got in [0, EXPIRY_TURNS_MAX + 1] {
            let write = BoardWrite { turns: Some(got), ..write("k", Value::Int(1)) };
            assert_eq!(board.write(&write, "ann"), Err(BoardWriteError::Turns { got }));
        }
    }
}
