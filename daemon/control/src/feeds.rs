//! State that many clients follow: made for the first client, dropped with the last.

use phalanx_game::sorted::SortedMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use tokio::task::AbortHandle;

/// One feed for each team.
#[derive(Debug)]
pub(crate) struct Feeds<T> {
    known: Mutex<SortedMap<String, Weak<Feed<T>>>>,
}

/// What is followed, and the task that keeps it fresh: both end when the last reference is dropped.
#[derive(Debug)]
pub(crate) struct Feed<T> {
    pub(crate) shown: Arc<T>,
    task: AbortHandle,
}

impl<T> Default for Feeds<T> {
    fn default() -> Self {
        Self { known: Mutex::default() }
    }
}

impl<T> Feeds<T> {
    /// The feed of that name. It is made anew when it has no reference or its task has ended: a
    /// team that came back under the name of one that ended is another one.
    pub(crate) fn feed(
        &self,
        name: &str,
        make: impl FnOnce() -> (Arc<T>, AbortHandle),
    ) -> Arc<Feed<T>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|_, feed| feed.strong_count() > 0);
        let held = known.get(name).and_then(Weak::upgrade);
        if let Some(feed) = held.filter(|feed| !feed.task.is_finished()) {
            return feed;
        }
        let (shown, task) = make();
        let feed = Arc::new(Feed { shown, task });
        known.insert(name.to_owned(), Arc::downgrade(&feed));
        feed
    }
}

impl<T> Drop for Feed<T> {
    fn drop(&mut self) {
        self.task.abort();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_feed_is_shared_while_somebody_holds_it() {
        let feeds = Feeds::default();
        let make = |number: u32| {
            let (shown, running) = (Arc::new(number), Arc::new(()));
            let held = Arc::clone(&running);
            let task = tokio::spawn(async move {
                let _held = held;
                std::future::pending::<()>().await;
            });
            (running, (shown, task.abort_handle()))
        };
        let (running, first) = make(1);
        let feed = feeds.feed("A", || first);
        let (_, second) = make(2);
        assert_eq!(*feeds.feed("A", || second).shown, 1);
        drop(feed);
        while Arc::strong_count(&running) > 1 {
            tokio::task::yield_now().await;
        }
        let (_, third) = make(3);
        assert_eq!(*feeds.feed("A", || third).shown, 3);
    }
}
