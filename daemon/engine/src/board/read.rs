//! Reads a board from outside, a bounded piece at a time.

use super::{Board, load};
use crate::BoardEntry;
use phalanx_game::Value;
use std::collections::BTreeMap;
use std::fmt::{self, Write};

/// Most keys of one page.
pub const BOARD_PAGE_KEYS_MAX: usize = 1_000;
/// A page ends once its keys and values have this size, in the units of [`weight`](super::weight):
/// copying it takes well below a millisecond.
pub const BOARD_PAGE_WEIGHT_MAX: usize = 256 << 10;

/// A request to read a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BoardRead {
    /// This key.
    Key(String),
    /// The keys that begin with a prefix, in their order.
    Range {
        /// Their common beginning; empty: all.
        prefix: String,
        /// Only those after this one.
        after: Option<String>,
        /// The size of the page in keys; never more than [`BOARD_PAGE_KEYS_MAX`].
        max: usize,
    },
    /// The keys that changed after this revision, in the order of their last changes. Revision 0
    /// gives the whole board.
    Since(u64),
}

/// A piece of a board.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BoardPage {
    /// The answer is complete up to this revision of the board.
    pub revision: u64,
    /// The page is full and there is more: ask for the keys after the last one, or since
    /// [`revision`](Self::revision).
    pub more: bool,
    /// The board no longer knows which keys were deleted since that revision: from this page on,
    /// the answer lists all keys that are left.
    pub reset: bool,
    /// The keys that have a value or a holder.
    pub items: Vec<BoardItem>,
    /// Keys that have neither any more.
    pub gone: Vec<String>,
}

/// Everything that is stored under a key.
#[derive(Clone, Debug, PartialEq)]
pub struct BoardItem {
    /// The key.
    pub key: String,
    /// Its value; `None` when only a claim is on it.
    pub entry: Option<BoardEntry>,
    /// Turns in which the value can still be read, the present one included; `None`: for ever.
    pub turns_left: Option<u64>,
    /// Who holds the claim on it.
    pub holder: Option<String>,
}

impl BoardItem {
    /// Changes whenever the value is written; empty without a value.
    #[must_use]
    pub fn etag(&self) -> String {
        self.entry.as_ref().map(etag).unwrap_or_default()
    }
}

/// Two lives of a board may count the same revision, so the tag includes the content.
pub(super) fn etag(entry: &BoardEntry) -> String {
    let mut print = Print(0xcbf2_9ce4_8422_2325);
    let BoardEntry { value, author, written, turn, revision, expires } = entry;
    let told = (value, author, written, turn, expires);
    write!(print, "{told:?}").expect("it takes everything");
    format!("{revision:x}-{:016x}", print.0)
}

/// FNV-1a: stable over versions and machines.
struct Print(u64);

impl Write for Print {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
        Ok(())
    }
}

impl Board {
    /// A piece of the board.
    #[must_use]
    pub fn read(&self, read: &BoardRead) -> BoardPage {
        match read {
            BoardRead::Key(key) => BoardPage {
                revision: self.revision,
                items: self.item(key).into_iter().collect(),
                ..BoardPage::default()
            },
            BoardRead::Range { prefix, after, max } => {
                let from = after.as_deref().unwrap_or(prefix).max(prefix).to_owned();
                let begins = |key: &&String| key.starts_with(prefix.as_str());
                let fresh = |key: &&String| after.as_ref().is_none_or(|after| *key > after);
                let values = self.entries.range(from.clone()..).map(|(key, _)| key);
                let claims = self.claims.range(from..).map(|(key, _)| key);
                let (values, claims) = (values.take_while(begins), claims.take_while(begins));
                let keys = merged(values.filter(fresh), claims.filter(fresh));
                let mut page = BoardPage { revision: self.revision, ..BoardPage::default() };
                self.fill(&mut page, keys, (*max).min(BOARD_PAGE_KEYS_MAX));
                page
            }
            BoardRead::Since(revision) => self.since(*revision),
        }
    }

    /// Everything that is stored under a key; `None` if nothing is.
    #[must_use]
    pub fn item(&self, key: &str) -> Option<BoardItem> {
        let (entry, holder) = (self.entry(key).cloned(), self.holder(key).map(str::to_owned));
        if entry.is_none() && holder.is_none() {
            return None;
        }
        let last = entry.as_ref().and_then(|entry| entry.expires);
        let turns_left = last.map(|last| last.saturating_sub(self.tick).saturating_add(1));
        Some(BoardItem { key: key.to_owned(), entry, turns_left, holder })
    }

    fn since(&self, revision: u64) -> BoardPage {
        let reset = revision < self.forgotten || revision > self.revision;
        let from = if reset { 0 } else { revision };
        // The last change of each key.
        let mut changed = BTreeMap::new();
        let gone = self.gone.iter().map(|(at, key)| (key, *at));
        let values = self.entries.iter().map(|(key, entry)| (key, entry.revision));
        let claims = self.claims.iter().map(|(key, claim)| (key, claim.revision));
        for (key, at) in gone.chain(values).chain(claims).filter(|(_, at)| *at > from) {
            let last = changed.entry(key).or_insert(at);
            *last = at.max(*last);
        }
        let mut changed: Vec<_> = changed.into_iter().map(|(key, at)| (at, key)).collect();
        changed.sort_unstable();
        let mut page = BoardPage { reset, ..BoardPage::default() };
        let told = self.fill(&mut page, changed.iter().map(|(_, key)| *key), BOARD_PAGE_KEYS_MAX);
        let last = told.checked_sub(1).and_then(|last| changed.get(last));
        page.revision = match last {
            Some((at, _)) if page.more => *at,
            Some(_) | None => self.revision,
        };
        page
    }

    /// Adds these keys while there is room; returns how many it added.
    fn fill<'a>(
        &self,
        page: &mut BoardPage,
        keys: impl Iterator<Item = &'a String>,
        max: usize,
    ) -> usize {
        let (mut count, mut size) = (0, 0);
        for key in keys {
            if count >= max || size >= BOARD_PAGE_WEIGHT_MAX {
                page.more = true;
                break;
            }
            count += 1;
            match self.item(key) {
                Some(item) => {
                    let value = item.entry.as_ref().map_or(&Value::Nil, |entry| &entry.value);
                    size += load(key, value);
                    page.items.push(item);
                }
                None => page.gone.push(key.clone()),
            }
        }
        count
    }
}

/// Two sorted lists as one, each key once.
fn merged<'a>(
    left: impl Iterator<Item = &'a String>,
    right: impl Iterator<Item = &'a String>,
) -> impl Iterator<Item = &'a String> {
    let (mut left, mut right) = (left.peekable(), right.peekable());
    std::iter::from_fn(move || match (left.peek(), right.peek()) {
        (Some(a), Some(b)) if a == b => {
            right.next();
            left.next()
        }
        (Some(a), Some(b)) if a < b => left.next(),
        (Some(_), None) => left.next(),
        (_, Some(_)) => right.next(),
        (None, None) => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BoardLimits;

    fn board() -> Board {
        let mut board = Board::new(BoardLimits::default());
        board.advance(1);
        board
    }

    fn keys(page: &BoardPage) -> Vec<&str> {
        page.items.iter().map(|item| item.key.as_str()).collect()
    }

    #[test]
    fn a_range_has_values_and_claims_in_order_and_goes_on_after_a_key() {
        let mut board = board();
        for key in ["b/2", "a", "b/3", "c"] {
            board.set(key, Value::Int(1), "a1", None).unwrap();
        }
        board.claim("b/1", "a1", None).unwrap();
        board.claim("b/3", "a2", None).unwrap();
        let range = |after: Option<&str>, max| {
            let (prefix, after) = ("b/".to_owned(), after.map(str::to_owned));
            board.read(&BoardRead::Range { prefix, after, max })
        };
        let first = range(None, 2);
        assert_eq!((keys(&first), first.more), (vec!["b/1", "b/2"], true));
        let rest = range(Some("b/2"), 2);
        assert_eq!((keys(&rest), rest.more), (vec!["b/3"], false));
        assert_eq!(rest.items[0].holder.as_deref(), Some("a2"));
        assert_eq!(first.items[0].entry, None);
        assert_eq!(keys(&range(Some("a"), 9)), ["b/1", "b/2", "b/3"], "the prefix counts");
    }

    #[test]
    fn changes_are_told_once_each_and_in_order() {
        let mut board = board();
        board.set("x", Value::Int(1), "a1", None).unwrap();
        board.set("y", Value::Int(1), "a1", Some(1)).unwrap();
        board.claim("z", "a1", None).unwrap();
        let all = board.read(&BoardRead::Since(0));
        assert_eq!((keys(&all), all.revision, all.reset), (vec!["x", "y", "z"], 3, false));
        assert_eq!(all.items[1].turns_left, Some(1));
        board.set("x", Value::Int(2), "a2", None).unwrap();
        board.advance(2);
        board.set("z", Value::Int(3), "a2", None).unwrap();
        board.release("z", "a1");
        let next = board.read(&BoardRead::Since(all.revision));
        assert_eq!((keys(&next), next.gone.clone()), (vec!["x", "z"], vec!["y".to_owned()]));
        assert_eq!(next.items[1].holder, None);
        assert_eq!(board.read(&BoardRead::Since(next.revision)).items, []);
    }

    #[test]
    fn who_followed_what_is_forgotten_is_told_everything_again() {
        let mut board = board();
        board.set("old", Value::Int(1), "a1", None).unwrap();
        let seen = board.revision();
        board.clear();
        board.set("new", Value::Int(1), "a1", None).unwrap();
        let page = board.read(&BoardRead::Since(seen));
        assert!(page.reset);
        assert_eq!(keys(&page), ["new"]);
        let ahead = board.read(&BoardRead::Since(1_000));
        assert!(ahead.reset, "a board that never counted so far");
        for number in 0..2_000 {
            let key = format!("k{number}");
            board.set(&key, Value::Int(1), "a1", None).unwrap();
            board.set(&key, Value::Nil, "a1", None).unwrap();
        }
        assert!(board.read(&BoardRead::Since(page.revision)).reset);
        let later = Board::new(BoardLimits::default()).after(1 << 32);
        assert!(later.read(&BoardRead::Since(page.revision)).reset);
    }

    #[test]
    fn a_large_board_comes_in_pages_that_together_are_all_of_it() {
        let mut board = board();
        for number in 0..3_000 {
            let size = if number % 100 == 0 { 60_000 } else { 10 };
            let value = Value::text("x".repeat(size));
            board.set(&format!("k{number:04}"), value, "a1", None).unwrap();
        }
        let (mut seen, mut revision, mut pages) = (0, 0, 0);
        loop {
            let page = board.read(&BoardRead::Since(revision));
            let size: usize = page
                .items
                .iter()
                .map(|item| load(&item.key, &item.entry.as_ref().unwrap().value))
                .sum();
            assert!(size < BOARD_PAGE_WEIGHT_MAX + (64 << 10));
            seen += page.items.len();
            pages += 1;
            revision = page.revision;
            if !page.more {
                break;
            }
        }
        assert_eq!(seen, 3_000);
        assert!(pages > 3, "{pages}");
    }

    #[test]
    fn a_tag_changes_with_each_writing() {
        let mut board = board();
        let mut tags = std::collections::BTreeSet::new();
        for value in [1, 1, 2] {
            board.set("k", Value::Int(value), "a1", None).unwrap();
            tags.insert(board.item("k").unwrap().etag());
        }
        let mut other = Board::new(BoardLimits::default());
        other.set("k", Value::Int(9), "a1", None).unwrap();
        tags.insert(other.item("k").unwrap().etag());
        assert_eq!(tags.len(), 4, "{tags:?}");
        board.set("k", Value::Nil, "a1", None).unwrap();
        board.claim("k", "a1", None).unwrap();
        assert_eq!(board.item("k").unwrap().etag(), "");
    }
}
