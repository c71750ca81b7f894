//! What a decision is based on, stored with it: the place in the strategy where the action was
//! made, and what the script read from the board.

use crate::weight;
use phalanx_game::Value;
use std::fmt::{self, Write};
use std::sync::Arc;

/// Most board reads that are kept of one decision; further ones are counted.
pub const BOARD_LOOKS_MAX: usize = 32;
/// Largest sum of their keys and values, in the board's units of weight; what does not fit is
/// counted. The limit is small, since journals and recordings keep thousands of decisions.
pub const BOARD_LOOKS_WEIGHT_MAX: usize = 4 << 10;
/// A value larger than this, in the same units, is cut to the beginning of its text.
const VALUE_WEIGHT_MAX: usize = 512;
/// Characters of that text.
const VALUE_CHARS_MAX: usize = 200;

/// What a decision is based on, as far as the brain knows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Provenance {
    /// File inside the strategy and line from 1: where the returned action was made, or where the
    /// decision failed.
    pub place: Option<(Arc<str>, u32)>,
    /// The same of the call of `explain` that gave the reason.
    pub explained: Option<(Arc<str>, u32)>,
    /// The board reads of the script while it decided.
    pub board: BoardLooks,
}

/// The kind of a board read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LookKind {
    /// The value under a key.
    Value,
    /// The holder of a key.
    Holder,
    /// Whether the agent got a key that it tried to claim.
    Claim,
}

/// One board read.
#[derive(Clone, Debug, PartialEq)]
pub struct BoardLook {
    /// The key.
    pub key: String,
    /// What was asked.
    pub kind: LookKind,
    /// What the script got; [`Value::Nil`] if there was nothing.
    pub got: Value,
    /// The value was too large: `got` is the beginning of its text.
    pub cut: bool,
}

/// Board reads, each key and kind once, with the first answer. Bounded by [`BOARD_LOOKS_MAX`] and
/// [`BOARD_LOOKS_WEIGHT_MAX`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BoardLooks {
    looks: Vec<BoardLook>,
    weight: usize,
    more: u32,
}

impl BoardLooks {
    /// The reads in the script's order.
    #[must_use]
    pub fn looks(&self) -> &[BoardLook] {
        &self.looks
    }

    /// The number of reads that did not fit.
    #[must_use]
    pub fn more(&self) -> u32 {
        self.more
    }

    /// The sum of keys and values, in the board's units of weight.
    #[must_use]
    pub fn weight(&self) -> usize {
        self.weight
    }

    /// Keeps a read. Repeating a read of the same key and kind allocates nothing.
    pub fn note(&mut self, kind: LookKind, key: String, got: Value) {
        if self.looks.iter().any(|look| look.kind == kind && look.key == key) {
            return;
        }
        let cut = weight(&got) > VALUE_WEIGHT_MAX;
        let got = if cut { Value::text(beginning(&got)) } else { got };
        let heavier = self.weight + key.len() + weight(&got);
        if self.looks.len() >= BOARD_LOOKS_MAX || heavier > BOARD_LOOKS_WEIGHT_MAX {
            self.more = self.more.saturating_add(1);
            return;
        }
        self.weight = heavier;
        self.looks.push(BoardLook { key, kind, got, cut });
    }
}

/// The first characters of a value's text. The rest of a large value is not visited.
fn beginning(value: &Value) -> String {
    let mut text = TruncatedText { text: String::new(), left: VALUE_CHARS_MAX };
    // Writing stops with an error when the text is full.
    text.value(value).ok();
    text.text.push('…');
    text.text
}

struct TruncatedText {
    text: String,
    left: usize,
}

impl Write for TruncatedText {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for letter in text.chars() {
            self.left = self.left.checked_sub(1).ok_or(fmt::Error)?;
            self.text.push(letter);
        }
        Ok(())
    }
}

impl TruncatedText {
    fn value(&mut self, value: &Value) -> fmt::Result {
        match value {
            Value::Nil => self.write_str("nil"),
            Value::Bool(flag) => write!(self, "{flag}"),
            Value::Int(int) => write!(self, "{int}"),
            Value::Num(num) => write!(self, "{num}"),
            Value::Str(text) => self.write_str(text),
            Value::List(list) => {
                self.write_str("[")?;
                for (index, item) in list.iter().enumerate() {
                    self.write_str(if index == 0 { "" } else { ", " })?;
                    self.value(item)?;
                }
                self.write_str("]")
            }
            Value::Map(map) => {
                self.write_str("{")?;
                for (index, (key, item)) in map.iter().enumerate() {
                    self.write_str(if index == 0 { "" } else { ", " })?;
                    self.write_str(key)?;
                    self.write_str(" = ")?;
                    self.value(item)?;
                }
                self.write_str("}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noted(looks: impl IntoIterator<Item = (LookKind, String, Value)>) -> BoardLooks {
        let mut board = BoardLooks::default();
        looks.into_iter().for_each(|(kind, key, got)| board.note(kind, key, got));
        board
    }

    #[test]
    fn each_key_is_kept_once_with_the_first_answer() {
        let look = |kind, value: i32| (kind, "goal".to_owned(), Value::from(value));
        let board = noted([
            look(LookKind::Value, 1),
            look(LookKind::Value, 2),
            (LookKind::Holder, "goal".to_owned(), Value::Nil),
        ]);
        let kept: Vec<_> = board.looks().iter().map(|look| (look.kind, &look.got)).collect();
        assert_eq!(kept, [(LookKind::Value, &Value::Int(1)), (LookKind::Holder, &Value::Nil)]);
        assert_eq!(board.more(), 0);
    }

    #[test]
    fn a_script_that_reads_the_whole_board_keeps_a_bounded_part_of_it() {
        let key = |number: usize| format!("key {number}");
        let many = noted((0..500).map(|at| (LookKind::Value, key(at), Value::Int(1))));
        assert_eq!((many.looks().len(), many.more()), (BOARD_LOOKS_MAX, 500 - 32));
        let text = || Value::text("x".repeat(500));
        let heavy = noted((0..20).map(|at| (LookKind::Value, key(at), text())));
        assert!(heavy.weight() <= BOARD_LOOKS_WEIGHT_MAX, "{}", heavy.weight());
        assert!(heavy.looks().len() < 20 && heavy.more() > 0);
    }

    #[test]
    fn of_a_large_value_the_beginning_is_kept() {
        let cell = || Value::cell(3, -4);
        let large = Value::List((0..100).map(|_| cell()).collect());
        let board = noted([(LookKind::Value, "all".to_owned(), large)]);
        let look = board.looks().first().unwrap();
        let text = look.got.as_str().unwrap();
        assert!(look.cut && text.starts_with("[{x = 3, y = -4}, {x = 3"), "{text}");
        assert_eq!(text.chars().count(), VALUE_CHARS_MAX + 1);
        let small = noted([(LookKind::Value, "one".to_owned(), cell())]);
        assert_eq!(small.looks().first().map(|look| (&look.got, look.cut)), Some((&cell(), false)));
    }
}
