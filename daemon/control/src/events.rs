//! Recent events of a team, an arena or a league, in a ring that all their streams read: one bound,
//! however many clients.

use crate::Feed;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// The events of one team, or of something else that streams follow.
#[derive(Debug)]
pub(crate) struct EventLog<T = Feed> {
    /// Tells cursors of another life of the daemon from ours.
    epoch: u64,
    capacity: usize,
    ring: Mutex<Ring<T>>,
    /// The number of the next event; changes wake the readers.
    head: watch::Sender<u64>,
}

#[derive(Debug)]
struct Ring<T> {
    /// The number of the oldest event that is still here.
    oldest: u64,
    items: VecDeque<T>,
    closed: bool,
}

/// What is at a place of the log.
#[derive(Debug, PartialEq)]
pub(crate) enum Slot<T = Feed> {
    /// An event.
    Event(T),
    /// Nothing yet.
    Later,
    /// It was here; this is the oldest that still is.
    Gone { oldest: u64 },
    /// Nothing will come any more.
    End,
}

/// Why a cursor is of no use.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum BadCursor {
    Malformed,
    /// Of another life of the daemon, or older than everything kept.
    Expired,
}

impl<T: Clone> EventLog<T> {
    pub(crate) fn new(epoch: u64, capacity: usize) -> Self {
        let head = watch::Sender::new(0);
        let ring = Ring { oldest: 0, items: VecDeque::new(), closed: false };
        Self { epoch, capacity: capacity.max(1), ring: Mutex::new(ring), head }
    }

    pub(crate) fn push(&self, item: T) {
        let head = {
            let mut ring = self.ring();
            ring.items.push_back(item);
            if ring.items.len() > self.capacity {
                ring.items.pop_front();
                ring.oldest += 1;
            }
            ring.head()
        };
        self.head.send_replace(head);
    }

    /// Nothing more will come.
    pub(crate) fn close(&self) {
        self.ring().closed = true;
        self.head.send_modify(|_| ());
    }

    pub(crate) fn at(&self, number: u64) -> Slot<T> {
        let ring = self.ring();
        if number < ring.oldest {
            return Slot::Gone { oldest: ring.oldest };
        }
        let item = usize::try_from(number - ring.oldest).ok().and_then(|at| ring.items.get(at));
        match item {
            Some(item) => Slot::Event(item.clone()),
            None if ring.closed => Slot::End,
            None => Slot::Later,
        }
    }

    pub(crate) fn head(&self) -> u64 {
        self.ring().head()
    }

    /// Wakes when something changed.
    pub(crate) fn wake(&self) -> watch::Receiver<u64> {
        self.head.subscribe()
    }

    pub(crate) fn cursor(&self, number: u64) -> String {
        format!("{:016x}.{number}", self.epoch)
    }

    /// The number of the oldest event that is still here, or of the first that will come.
    pub(crate) fn first(&self) -> u64 {
        self.ring().oldest
    }

    /// The number of the event after the one with this cursor.
    pub(crate) fn after(&self, cursor: &str) -> Result<u64, BadCursor> {
        let (epoch, number) = cursor.split_once('.').ok_or(BadCursor::Malformed)?;
        let plain = epoch.len() == 16 && number.bytes().all(|byte| byte.is_ascii_digit());
        let epoch = u64::from_str_radix(epoch, 16).map_err(|_| BadCursor::Malformed)?;
        let number: u64 = number.parse().map_err(|_| BadCursor::Malformed)?;
        let ring = self.ring();
        match () {
            () if !plain => Err(BadCursor::Malformed),
            () if epoch != self.epoch => Err(BadCursor::Expired),
            () if number >= ring.head() => Err(BadCursor::Malformed),
            () if number + 1 < ring.oldest => Err(BadCursor::Expired),
            () => Ok(number + 1),
        }
    }

    /// The cursor with which a stream would begin at the oldest event that is still here.
    pub(crate) fn oldest(&self) -> String {
        self.cursor(self.ring().oldest)
    }

    fn ring(&self) -> MutexGuard<'_, Ring<T>> {
        // A panic between two statements on a ring leaves it whole.
        self.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Ring<T> {
    fn head(&self) -> u64 {
        self.oldest + self.items.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_full_log_forgets_its_oldest_events() {
        let log = EventLog::new(7, 2);
        (1..=3).for_each(|count| log.push(Feed::Lost(count)));
        assert_eq!(log.at(0), Slot::Gone { oldest: 1 });
        assert_eq!(log.at(1), Slot::Event(Feed::Lost(2)));
        assert_eq!(log.at(3), Slot::Later);
        log.close();
        assert_eq!(log.at(3), Slot::End);
    }

    #[test]
    fn a_cursor_leads_to_the_event_after_it_while_that_is_kept() {
        let log = EventLog::new(7, 2);
        (1..=3).for_each(|count| log.push(Feed::Lost(count)));
        assert_eq!(log.after(&log.cursor(2)), Ok(3));
        assert_eq!(log.after(&log.cursor(0)), Ok(1));
        log.push(Feed::Lost(4));
        assert_eq!(log.after(&log.cursor(0)), Err(BadCursor::Expired));
        let other = EventLog::<Feed>::new(8, 2);
        assert_eq!(other.after(&log.cursor(2)), Err(BadCursor::Expired));
        let future = log.cursor(99);
        for bad in ["", ".", "7.1", "x", "0000000000000007.-1", "0000000000000007.+1", &future] {
            assert_eq!(log.after(bad), Err(BadCursor::Malformed), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn any_cursor_is_followed_or_refused(text in "\\PC{0,40}", digits in "[0-9a-f+.-]{0,40}") {
            let log = EventLog::new(7, 2);
            (1..=3).for_each(|count| log.push(Feed::Lost(count)));
            for cursor in [text, digits] {
                if let Ok(next) = log.after(&cursor) {
                    prop_assert!((1..=3).contains(&next));
                }
            }
        }
    }
}
