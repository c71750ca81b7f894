//! The events of an arena for a follower: in order, bounded, and never a reason for the arena to
//! wait.

use phalanx_game::{ConnectionId, Verdict};
use tokio::sync::mpsc;

/// Events that wait for the follower; further ones are dropped and counted.
const EVENTS_MAX: usize = 1_024;

/// An event of an arena.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostEvent {
    /// A client connected.
    Connected {
        /// Its number, never used again in this arena.
        client: ConnectionId,
        /// Its address.
        peer: String,
    },
    /// The referee sent its first message to a client: it has read the login, or needs none.
    Greeted {
        /// Its number.
        client: ConnectionId,
    },
    /// A client has left.
    Left {
        /// Its number.
        client: ConnectionId,
        /// How it left.
        why: Leave,
    },
    /// The match made a step.
    Progress(Verdict),
    /// A message for people.
    Notice(String),
    /// The follower was too slow: this many events are missing here.
    Lost(u64),
}

/// Why a client left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leave {
    /// It closed the connection, or the network did.
    Gone,
    /// The referee closed the connection.
    Closed,
    /// It did not read its messages.
    Slow,
    /// It had not logged in and was replaced by another client.
    CrowdedOut,
    /// Its input could not be parsed.
    Broken,
}

/// The arena's end and the follower's end.
#[must_use]
pub fn host_feed() -> (HostEventSender, HostFeed) {
    let (sender, receiver) = mpsc::channel(EVENTS_MAX);
    (HostEventSender { sender, lost: 0 }, HostFeed(receiver))
}

/// The arena's end of a feed.
#[derive(Clone, Debug)]
pub struct HostEventSender {
    sender: mpsc::Sender<HostEvent>,
    lost: u64,
}

impl HostEventSender {
    /// Passes an event on, or counts it as lost when too many wait.
    pub fn tell(&mut self, event: HostEvent) {
        if self.lost > 0 {
            if self.sender.try_send(HostEvent::Lost(self.lost)).is_err() {
                self.lost += 1;
                return;
            }
            self.lost = 0;
        }
        if self.sender.try_send(event).is_err() {
            self.lost += 1;
        }
    }
}

/// The events of an arena, from its beginning to its end.
#[derive(Debug)]
pub struct HostFeed(mpsc::Receiver<HostEvent>);

impl HostFeed {
    /// The next event; `None` when the arena has ended.
    pub async fn next(&mut self) -> Option<HostEvent> {
        self.0.recv().await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_nobody_reads_in_time_is_counted_where_it_is_missing() {
        let (mut events, mut feed) = host_feed();
        let notice = |number: usize| HostEvent::Notice(number.to_string());
        (0..EVENTS_MAX + 3).for_each(|number| events.tell(notice(number)));
        assert_eq!(feed.next().await, Some(notice(0)));
        assert_eq!(feed.next().await, Some(notice(1)));
        events.tell(notice(9_999));
        drop(events);
        let mut last = Vec::new();
        while let Some(event) = feed.next().await {
            last.push(event);
        }
        assert!(last.ends_with(&[HostEvent::Lost(3), notice(9_999)]), "{:?}", last.last());
    }
}
