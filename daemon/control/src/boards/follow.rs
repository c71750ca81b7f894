//! Followed boards: one task and one mirror for each, however many clients.
//!
//! Once a turn the mirror takes the changes; a board without followers costs nothing.

use crate::ServedTeam;
use crate::feeds::{Feed, Feeds};
use phalanx_engine::{BoardItem, BoardPage, BoardRead, CommandError, Snapshot};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Bound;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::sync::watch;

/// How long to wait before a busy team is asked again.
const BUSY_PAUSE: Duration = Duration::from_millis(50);

/// All followed boards.
#[derive(Debug)]
pub(super) struct BoardFollowers {
    changes_max: usize,
    feeds: Feeds<BoardMirror>,
}

/// A copy of the board from the last read.
#[derive(Debug)]
pub(super) struct BoardMirror {
    pub(super) team: String,
    state: Mutex<MirrorState>,
    /// Wakes the readers.
    head: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct MirrorState {
    /// Distinguishes the cursors of one mirror from those of another.
    epoch: u64,
    changes_max: usize,
    items: BTreeMap<String, (u64, Arc<BoardItem>)>,
    /// The changed keys, oldest first; their values are in `items`.
    changes: VecDeque<String>,
    /// The number of the oldest change.
    oldest: u64,
    /// The turns begun in the match at the last read.
    tick: u64,
    synced: bool,
    ended: bool,
}

/// A position in the changes.
#[derive(Debug)]
pub(super) enum MirrorChange {
    /// The entry changed.
    Item(Arc<BoardItem>),
    /// The key has neither value nor claim any more.
    Gone(String),
    /// The key changed again later, so there is nothing to send here.
    Nothing,
    /// There is no such change yet.
    Later,
    /// The change was dropped: the reader is too slow.
    Lost,
    /// The team has ended.
    End,
}

impl BoardFollowers {
    pub(super) fn new(changes_max: usize) -> Self {
        Self { changes_max: changes_max.max(1), feeds: Feeds::default() }
    }

    /// The team's board, which is followed from now on.
    pub(super) fn feed(&self, team: &Arc<ServedTeam>) -> Arc<Feed<BoardMirror>> {
        self.feeds.feed(team.name(), || {
            let mirror = Arc::new(BoardMirror::new(team.name(), self.changes_max));
            let task = tokio::spawn(follow(Arc::clone(team), Arc::clone(&mirror)));
            (mirror, task.abort_handle())
        })
    }
}

impl BoardMirror {
    fn new(team: &str, changes_max: usize) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let epoch = u64::try_from(now.as_nanos()).unwrap_or(u64::MAX);
        let state = Mutex::new(MirrorState { epoch, changes_max, ..MirrorState::default() });
        Self { team: team.to_owned(), state, head: watch::Sender::new(0) }
    }

    /// Wakes after each change.
    pub(super) fn wake(&self) -> watch::Receiver<u64> {
        self.head.subscribe()
    }

    /// The number of the next change, once the board was read; `None`: not yet.
    pub(super) fn synced(&self) -> Option<u64> {
        let state = self.state();
        state.synced.then(|| state.head())
    }

    /// Whether the team has ended.
    pub(super) fn ended(&self) -> bool {
        self.state().ended
    }

    /// The first entry after this key whose key begins with the prefix.
    pub(super) fn entry_after(&self, after: Option<&str>, prefix: &str) -> Option<BoardItem> {
        let state = self.state();
        let from = after.map_or(Bound::Included(prefix), Bound::Excluded);
        let (key, (_, item)) = state.items.range::<str, _>((from, Bound::Unbounded)).next()?;
        key.starts_with(prefix).then(|| state.aged(item))
    }

    /// The change at this position.
    pub(super) fn at(&self, number: u64) -> MirrorChange {
        let state = self.state();
        if number < state.oldest {
            return MirrorChange::Lost;
        }
        let place = usize::try_from(number - state.oldest).ok();
        match place.and_then(|place| state.changes.get(place)) {
            None if state.ended => MirrorChange::End,
            None => MirrorChange::Later,
            Some(key) => match state.items.get(key) {
                None => MirrorChange::Gone(key.clone()),
                Some((last, item)) if *last == number => {
                    MirrorChange::Item(Arc::new(state.aged(item)))
                }
                Some(_) => MirrorChange::Nothing,
            },
        }
    }

    /// The cursor from which a stream continues.
    pub(super) fn cursor(&self, next: u64) -> String {
        format!("{:016x}.{next}", self.state().epoch)
    }

    /// The position of a cursor; `None` if it belongs to another mirror or is too old.
    pub(super) fn place(&self, epoch: u64, next: u64) -> Option<u64> {
        let state = self.state();
        let known = epoch == state.epoch && next >= state.oldest && next <= state.head();
        known.then_some(next)
    }

    fn state(&self) -> MutexGuard<'_, MirrorState> {
        // After a panic between two statements, the next read repairs the mirror.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self) {
        let head = self.state().head();
        self.head.send_replace(head);
    }
}

impl MirrorState {
    fn head(&self) -> u64 {
        self.oldest + self.changes.len() as u64
    }

    fn changed(&mut self, key: String) {
        self.changes.push_back(key);
        if self.changes.len() > self.changes_max {
            self.changes.pop_front();
            self.oldest += 1;
        }
    }

    /// The entry with its current number of turns left.
    fn aged(&self, item: &BoardItem) -> BoardItem {
        let last = item.entry.as_ref().and_then(|entry| entry.expires);
        let turns_left = last.map(|last| last.saturating_sub(self.tick).saturating_add(1));
        BoardItem { turns_left, ..item.clone() }
    }

    /// Takes the result of a read. `stale` are the keys that a complete read has not listed.
    fn take(&mut self, page: BoardPage, stale: &mut BTreeSet<String>) {
        if page.reset {
            *stale = self.items.keys().cloned().collect();
        }
        for item in page.items {
            stale.remove(&item.key);
            let known = self.items.get(&item.key);
            if known.is_some_and(|(_, known)| same(known, &item)) {
                continue;
            }
            let (key, number) = (item.key.clone(), self.head());
            self.items.insert(key.clone(), (number, Arc::new(item)));
            self.changed(key);
        }
        let stale = if page.more { BTreeSet::new() } else { std::mem::take(stale) };
        for key in page.gone.into_iter().chain(stale) {
            if self.items.remove(&key).is_some() {
                self.changed(key);
            }
        }
    }
}

/// Whether nothing changed except the turns that are left.
fn same(known: &BoardItem, item: &BoardItem) -> bool {
    known.entry == item.entry && known.holder == item.holder
}

async fn follow(team: Arc<ServedTeam>, mirror: Arc<BoardMirror>) {
    let mut snapshots = team.handle.snapshots();
    let mut revision = 0;
    loop {
        let Snapshot { board_revision, tick, .. } = **snapshots.borrow_and_update();
        mirror.state().tick = tick;
        if !mirror.state().synced || board_revision != revision {
            match catch_up(team.as_ref(), &mirror, &mut revision).await {
                Ok(()) => {}
                Err(CommandError::Ended) => break,
                Err(_) => {
                    tokio::time::sleep(BUSY_PAUSE).await;
                    continue;
                }
            }
            mirror.state().synced = true;
            mirror.tell();
        }
        if snapshots.changed().await.is_err() {
            break;
        }
    }
    mirror.state().ended = true;
    mirror.tell();
}

/// Reads all changes since this revision.
async fn catch_up(
    team: &ServedTeam,
    mirror: &BoardMirror,
    revision: &mut u64,
) -> Result<(), CommandError> {
    let mut stale = BTreeSet::new();
    loop {
        let page = team.handle.call(BoardRead::Since(*revision), "").await?;
        let more = page.more;
        *revision = page.revision;
        mirror.state().take(page, &mut stale);
        if !more {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use phalanx_engine::{Board, BoardLimits};
    use phalanx_game::Value;

    /// Updates a mirror from a board.
    fn look(state: &mut MirrorState, board: &Board, revision: &mut u64) {
        let mut stale = BTreeSet::new();
        loop {
            let page = board.read(&BoardRead::Since(*revision));
            let more = page.more;
            *revision = page.revision;
            state.take(page, &mut stale);
            if !more {
                return;
            }
        }
    }

    #[test]
    fn a_copy_follows_values_claims_deletions_and_a_cleared_board() {
        let (mut state, mut revision) =
            (MirrorState { changes_max: 100, ..MirrorState::default() }, 0);
        let mut board = Board::new(BoardLimits::default());
        for number in 0..2_500 {
            board.set(&format!("k{number}"), Value::Int(number), "a1", None).unwrap();
        }
        look(&mut state, &board, &mut revision);
        assert_eq!((state.items.len(), state.head(), state.changes.len()), (2_500, 2_500, 100));
        board.set("k7", Value::Nil, "a1", None).unwrap();
        board.claim("k8", "a2", None).unwrap();
        look(&mut state, &board, &mut revision);
        assert_eq!((state.items.len(), state.head()), (2_499, 2_502));
        look(&mut state, &board, &mut revision);
        assert_eq!(state.head(), 2_502, "nothing changed");
        board.clear();
        board.set("k8", Value::Int(1), "a1", None).unwrap();
        look(&mut state, &board, &mut revision);
        assert_eq!(state.items.keys().collect::<Vec<_>>(), ["k8"]);
    }

    #[test]
    fn a_board_that_tells_all_again_without_news_is_no_news() {
        let (mut state, mut revision) =
            (MirrorState { changes_max: 9, ..MirrorState::default() }, 0);
        let mut board = Board::new(BoardLimits::default()).after(5);
        board.set("k", Value::Int(1), "a1", None).unwrap();
        look(&mut state, &board, &mut revision);
        revision = 1_000;
        look(&mut state, &board, &mut revision);
        assert_eq!((state.head(), revision), (1, 6));
    }
}
