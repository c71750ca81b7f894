//! Recent events of a team, an arena or a league, in a ring that all their streams read: one bound
//! for any number of clients.

use phalanx_net::JournalItem;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// The events of one team, or of something else that has streams.
#[derive(Debug)]
pub(crate) struct EventLog<T = JournalItem> {
    /// Distinguishes cursors of an earlier daemon process from ours.
    epoch: u64,
    capacity: usize,
    ring: Mutex<EventRing<T>>,
    /// The number of the next event; changes wake the readers.
    head: watch::Sender<u64>,
}

#[derive(Debug)]
struct EventRing<T> {
    /// The number of the oldest kept event.
    oldest: u64,
    items: VecDeque<T>,
    closed: bool,
}

/// A position in the log.
#[derive(Debug, PartialEq)]
pub(crate) enum LogSlot<T = JournalItem> {
    /// An event.
    Event(T),
    /// There is no such event yet.
    Later,
    /// The event was dropped; this is the oldest kept one.
    Gone { oldest: u64 },
    /// There will be no further event.
    End,
}

/// Why a cursor is invalid.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum BadCursor {
    Malformed,
    /// From an earlier daemon process, or older than all kept events.
    Expired,
}

impl<T: Clone> EventLog<T> {
    pub(crate) fn new(epoch: u64, capacity: usize) -> Self {
        let head = watch::Sender::new(0);
        let ring = EventRing { oldest: 0, items: VecDeque::new(), closed: false };
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

    /// Ends the log.
    pub(crate) fn close(&self) {
        self.ring().closed = true;
        self.head.send_modify(|_| ());
    }

    pub(crate) fn at(&self, number: u64) -> LogSlot<T> {
        let ring = self.ring();
        if number < ring.oldest {
            return LogSlot::Gone { oldest: ring.oldest };
        }
        let item = usize::try_from(number - ring.oldest).ok().and_then(|at| ring.items.get(at));
        match item {
            Some(item) => LogSlot::Event(item.clone()),
            None if ring.closed => LogSlot::End,
            None => LogSlot::Later,
        }
    }

    pub(crate) fn head(&self) -> u64 {
        self.ring().head()
    }

    /// Wakes after each change.
    pub(crate) fn wake(&self) -> watch::Receiver<u64> {
        self.head.subscribe()
    }

    pub(crate) fn cursor(&self, number: u64) -> String {
        format!("{:016x}.{number}", self.epoch)
    }

    /// The number of the oldest kept event, or of the next one if there is none.
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

    /// A cursor from which a stream begins at the oldest kept event.
    pub(crate) fn oldest(&self) -> String {
        self.cursor(self.ring().oldest)
    }

    fn ring(&self) -> MutexGuard<'_, EventRing<T>> {
        // A panic between two statements leaves the ring intact.
        self.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> EventRing<T> {
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
        (1..=3).for_each(|count| log.push(JournalItem::Dropped(count)));
        assert_eq!(log.at(0), LogSlot::Gone { oldest: 1 });
        assert_eq!(log.at(1), LogSlot::Event(JournalItem::Dropped(2)));
        assert_eq!(log.at(3), LogSlot::Later);
        log.close();
        assert_eq!(log.at(3), LogSlot::End);
    }

    #[test]
    fn a_cursor_leads_to_the_event_after_it_while_that_is_kept() {
        let log = EventLog::new(7, 2);
        (1..=3).for_each(|count| log.push(JournalItem::Dropped(count)));
        assert_eq!(log.after(&log.cursor(2)), Ok(3));
        assert_eq!(log.after(&log.cursor(0)), Ok(1));
        log.push(JournalItem::Dropped(4));
        assert_eq!(log.after(&log.cursor(0)), Err(BadCursor::Expired));
        let other = EventLog::<JournalItem>::new(8, 2);
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
            (1..=3).for_each(|count| log.push(JournalItem::Dropped(count)));
            for cursor in [text, digits] {
                if let Ok(next) = log.after(&cursor) {
                    prop_assert!((1..=3).contains(&next));
                }
            }
        }
    }
}
