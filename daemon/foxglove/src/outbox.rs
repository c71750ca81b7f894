//! What waits for one client: bounded, and never waited for.

use crate::wire::SubscriptionId;
use phalanx_record::LiveMessage;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// Most messages that wait for a client.
const MESSAGES_MAX: usize = 8_192;
/// Most texts that wait for a client. A client that lets more wait is disconnected.
const TEXTS_MAX: usize = 1_024;
/// Most bytes of such texts. What a daemon with many teams tells a client at once fits.
const TEXT_BYTES_MAX: usize = 32 * 1024 * 1024;
/// What a message takes beside its data, in bytes.
const BASE: usize = 64;

/// Something that is on its way to a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Post {
    /// A text of the protocol: never left out.
    Text(String),
    /// A message of a channel.
    Data(SubscriptionId, LiveMessage),
}

/// What waits for a client, in order.
#[derive(Debug)]
pub(crate) struct Outbox {
    bytes_max: usize,
    inner: Mutex<OutboxQueue>,
    filled: Notify,
}

#[derive(Debug, Default)]
struct OutboxQueue {
    posts: VecDeque<Post>,
    messages: usize,
    bytes: usize,
    text_bytes: usize,
    /// Messages that were dropped and not reported yet.
    lost: u64,
    /// Nothing comes any more; what is there may still leave.
    closed: bool,
    /// It was given up.
    cut: bool,
}

/// What a client's task finds in it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum OutboxItem {
    Post(Post),
    /// Nothing now.
    Empty,
    /// Nothing, and nothing will come.
    Over,
}

fn weight(message: &LiveMessage) -> usize {
    BASE + message.data.len()
}

impl Outbox {
    /// An outbox with room for this many bytes of messages.
    pub(crate) fn new(bytes_max: usize) -> Self {
        Self { bytes_max, inner: Mutex::default(), filled: Notify::new() }
    }

    fn inner(&self) -> MutexGuard<'_, OutboxQueue> {
        // Each change is one step: it is whole even when its holder panicked.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a text. A client that lets too many wait is disconnected.
    pub(crate) fn text(&self, text: String) {
        let mut inner = self.inner();
        let texts = inner.posts.len() - inner.messages;
        if texts >= TEXTS_MAX || inner.text_bytes + text.len() > TEXT_BYTES_MAX {
            inner.cut = true;
        }
        if !inner.closed && !inner.cut {
            inner.text_bytes += text.len();
            inner.posts.push_back(Post::Text(text));
        }
        drop(inner);
        self.filled.notify_one();
    }

    /// A message. Where there is no room for it the oldest ones go; how many are lost.
    pub(crate) fn data(&self, subscription: SubscriptionId, message: LiveMessage) -> u64 {
        let mut inner = self.inner();
        if inner.closed || inner.cut {
            return 0;
        }
        let (weight, before) = (weight(&message), inner.lost);
        if weight > self.bytes_max {
            inner.lost += 1;
        } else {
            while inner.messages >= MESSAGES_MAX || inner.bytes + weight > self.bytes_max {
                inner.lose_oldest();
            }
            inner.messages += 1;
            inner.bytes += weight;
            inner.posts.push_back(Post::Data(subscription, message));
        }
        let lost = inner.lost - before;
        drop(inner);
        self.filled.notify_one();
        lost
    }

    /// Counts messages that were lost before they reached the outbox.
    pub(crate) fn missed(&self, messages: u64) {
        self.inner().lost += messages;
        self.filled.notify_one();
    }

    /// Whether messages were left out that the client does not know of: it reads too slowly.
    pub(crate) fn is_behind(&self) -> bool {
        self.inner().lost > 0
    }

    /// What waits under a subscription that ended is not wanted any more.
    pub(crate) fn forget(&self, subscription: SubscriptionId) {
        let mut inner = self.inner();
        let OutboxQueue { posts, messages, bytes, .. } = &mut *inner;
        posts.retain(|post| match post {
            Post::Data(of, message) if *of == subscription => {
                *messages -= 1;
                *bytes -= weight(message);
                false
            }
            Post::Data(..) | Post::Text(_) => true,
        });
    }

    /// The next thing.
    pub(crate) fn next(&self) -> OutboxItem {
        let mut inner = self.inner();
        if inner.cut {
            return OutboxItem::Over;
        }
        let Some(post) = inner.posts.pop_front() else {
            return if inner.closed { OutboxItem::Over } else { OutboxItem::Empty };
        };
        inner.took(&post);
        OutboxItem::Post(post)
    }

    /// How many messages were lost since this was asked last.
    pub(crate) fn take_lost(&self) -> u64 {
        std::mem::take(&mut self.inner().lost)
    }

    /// Waits until there may be something.
    pub(crate) async fn filled(&self) {
        self.filled.notified().await;
    }

    /// Nothing comes any more.
    pub(crate) fn close(&self) {
        self.inner().closed = true;
        self.filled.notify_one();
    }
}

impl OutboxQueue {
    fn took(&mut self, post: &Post) {
        match post {
            Post::Data(_, message) => {
                self.messages -= 1;
                self.bytes -= weight(message);
            }
            Post::Text(text) => self.text_bytes -= text.len(),
        }
    }

    fn lose_oldest(&mut self) {
        let oldest = self.posts.iter().position(|post| matches!(post, Post::Data(..)));
        if let Some(post) = oldest.and_then(|index| self.posts.remove(index)) {
            self.took(&post);
            self.lost += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use phalanx_record::Channel;

    fn message(time: u64, bytes: usize) -> LiveMessage {
        LiveMessage { channel: Channel::Journal, log_time: time, data: vec![0; bytes].into() }
    }

    /// The times of the messages, and `T` for each text.
    fn shown(outbox: &Outbox) -> String {
        let mut said = Vec::new();
        while let OutboxItem::Post(post) = outbox.next() {
            said.push(match post {
                Post::Text(_) => "T".to_owned(),
                Post::Data(of, message) => format!("{of}:{}", message.log_time),
            });
        }
        said.join(" ")
    }

    #[test]
    fn where_there_is_no_room_the_oldest_messages_go_and_texts_stay() {
        let outbox = Outbox::new(4 * (BASE + 10));
        outbox.text("hello".into());
        for time in 1..=4 {
            assert_eq!(outbox.data(1, message(time, 10)), 0);
        }
        outbox.text("more".into());
        assert_eq!(outbox.data(1, message(5, 10)), 1);
        assert_eq!(outbox.data(1, message(6, BASE + 20)), 2);
        assert_eq!(outbox.data(1, message(7, 5 * BASE)), 1, "it never fits");
        assert_eq!(outbox.take_lost(), 4);
        assert_eq!(outbox.take_lost(), 0);
        assert_eq!(shown(&outbox), "T 1:4 T 1:5 1:6");
        assert_eq!(outbox.next(), OutboxItem::Empty);
    }

    #[test]
    fn many_small_messages_are_bounded_too() {
        let outbox = Outbox::new(usize::MAX);
        let lost: u64 = (0..10_000).map(|time| outbox.data(1, message(time, 0))).sum();
        assert_eq!(lost, 10_000 - MESSAGES_MAX as u64);
    }

    #[test]
    fn what_waits_for_an_ended_subscription_is_not_sent() {
        let outbox = Outbox::new(3 * (BASE + 10));
        for (subscription, time) in [(1, 1), (2, 2), (1, 3)] {
            outbox.data(subscription, message(time, 10));
        }
        outbox.forget(1);
        assert_eq!(outbox.data(2, message(4, 10)) + outbox.data(2, message(5, 10)), 0);
        assert_eq!(shown(&outbox), "2:2 2:4 2:5");
    }

    #[test]
    fn a_closed_outbox_is_emptied_first_and_one_full_of_texts_is_given_up() {
        let outbox = Outbox::new(1 << 10);
        outbox.text("last".into());
        outbox.close();
        outbox.text("too late".into());
        assert_eq!(outbox.data(1, message(1, 1)), 0);
        assert_eq!(outbox.next(), OutboxItem::Post(Post::Text("last".into())));
        assert_eq!(outbox.next(), OutboxItem::Over);
        let full = Outbox::new(1 << 10);
        (0..=TEXTS_MAX).for_each(|_| full.text("?".into()));
        assert_eq!(full.next(), OutboxItem::Over);
        let full = Outbox::new(1 << 10);
        let long = || "?".repeat(TEXT_BYTES_MAX / 2);
        full.text(long());
        full.text(long());
        assert_eq!(full.next(), OutboxItem::Post(Post::Text(long())), "they fit");
        full.text(long());
        assert_eq!(full.next(), OutboxItem::Post(Post::Text(long())), "what was read makes room");
        full.text(long());
        full.text("one too many".into());
        assert_eq!(full.next(), OutboxItem::Over);
    }
}
