//! Connections that one process hands to the next, without the referee noticing.
//!
//! A seat that leaves can hand its connection over instead of logging out, once its outbox is
//! written. The referee's messages that still matter go with it, so that a fresh session can catch
//! up ([`Session::resume_frames`]); later bytes wait in the system's buffers. Only plain TCP can be handed
//! over: half-read frames of a WebSocket and the process of a bridge cannot.
//!
//! [`Session::resume_frames`]: phalanx_game::Session::resume_frames

use crate::clock::{now, wall};
use phalanx_game::ResumeFrame;
use std::net::TcpStream;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// At most this many bytes of one connection are replayed.
const HEARD_BYTES_MAX: usize = 16 << 20;

/// A seat's connection that is handed to another process.
#[derive(Debug)]
pub struct HandedSeat {
    /// The account, or the agent's name if the game has no accounts.
    pub seat: String,
    /// The referee's address, as the endpoint names it.
    pub server: String,
    /// The connection.
    pub stream: TcpStream,
    /// The referee's messages, with their times.
    pub heard: Vec<(SystemTime, Vec<u8>)>,
}

/// Collects the connections of seats that leave.
#[derive(Clone, Debug, Default)]
pub(crate) struct HandedConnections(Arc<Mutex<Vec<HandedSeat>>>);

impl HandedConnections {
    pub(crate) fn put(&self, handed: HandedSeat) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(handed);
    }

    pub(crate) fn take(&self) -> Vec<HandedSeat> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// With wall-clock times, since the next process has another monotonic clock.
pub(crate) fn packed(heard: Vec<ResumeFrame>) -> Vec<(SystemTime, Vec<u8>)> {
    let (instant, time) = (now(), wall());
    let packed = |ResumeFrame { at, bytes }: ResumeFrame| {
        let age = instant.saturating_duration_since(at);
        (time.checked_sub(age).unwrap_or(time), bytes)
    };
    heard.into_iter().map(packed).collect()
}

/// With this process's instants. A time in the future, by a clock that was set back, becomes now.
pub(crate) fn unpacked(heard: Vec<(SystemTime, Vec<u8>)>) -> Option<Vec<ResumeFrame>> {
    let bytes: usize = heard.iter().map(|(_, bytes)| bytes.len()).sum();
    let (instant, time) = (now(), wall());
    let unpacked = |(at, bytes): (SystemTime, Vec<u8>)| {
        let age = time.duration_since(at).unwrap_or(Duration::ZERO);
        ResumeFrame { at: earlier(instant, age), bytes }
    };
    (bytes <= HEARD_BYTES_MAX).then(|| heard.into_iter().map(unpacked).collect())
}

fn earlier(instant: Instant, age: Duration) -> Instant {
    // The machine may have started after that time.
    instant.checked_sub(age).unwrap_or(instant)
}
