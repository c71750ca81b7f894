//! Connections that go from one process to the next: the referee notices nothing.
//!
//! A seat that leaves can give its connection away instead of saying goodbye, once all that it had to
//! write is written. What the referee said and still counts goes with it, for a session that begins
//! with nothing ([`Session::retold`]); what comes meanwhile waits in the system's buffers. Only plain
//! TCP goes over: a WebSocket's half-read frames and a bridge's process do not.
//!
//! [`Session::retold`]: phalanx_game::Session::retold

use crate::clock::{now, wall};
use phalanx_game::Heard;
use std::net::TcpStream;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// Of one connection no more than so many bytes are heard again.
const HEARD_BYTES_MAX: usize = 16 << 20;

/// A seat's connection on its way to another process.
#[derive(Debug)]
pub struct HandedSeat {
    /// The account, or the agent's name where the game has none.
    pub seat: String,
    /// Where the referee is, as the endpoint names it.
    pub server: String,
    /// The connection.
    pub stream: TcpStream,
    /// What the referee said, and when.
    pub heard: Vec<(SystemTime, Vec<u8>)>,
}

/// Where seats that leave put their connections.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shelf(Arc<Mutex<Vec<HandedSeat>>>);

impl Shelf {
    pub(crate) fn put(&self, handed: HandedSeat) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(handed);
    }

    pub(crate) fn take(&self) -> Vec<HandedSeat> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// As the next process can read it: its clock counts from elsewhere.
pub(crate) fn packed(heard: Vec<Heard>) -> Vec<(SystemTime, Vec<u8>)> {
    let (instant, time) = (now(), wall());
    let packed = |Heard { at, bytes }: Heard| {
        let age = instant.saturating_duration_since(at);
        (time.checked_sub(age).unwrap_or(time), bytes)
    };
    heard.into_iter().map(packed).collect()
}

/// As this process counts time. What came in the future, by a clock that was set back, came now.
pub(crate) fn unpacked(heard: Vec<(SystemTime, Vec<u8>)>) -> Option<Vec<Heard>> {
    let bytes: usize = heard.iter().map(|(_, bytes)| bytes.len()).sum();
    let (instant, time) = (now(), wall());
    let unpacked = |(at, bytes): (SystemTime, Vec<u8>)| {
        let age = time.duration_since(at).unwrap_or(Duration::ZERO);
        Heard { at: earlier(instant, age), bytes }
    };
    (bytes <= HEARD_BYTES_MAX).then(|| heard.into_iter().map(unpacked).collect())
}

fn earlier(instant: Instant, age: Duration) -> Instant {
    // A machine may have started later than that.
    instant.checked_sub(age).unwrap_or(instant)
}
