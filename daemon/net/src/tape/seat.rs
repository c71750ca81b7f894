//! A seat's side of a recording.

use super::{Message, Recorder, SeatAct, Taped};
use phalanx_game::{Seat, SeatId};
use std::sync::Arc;
use std::time::Instant;

/// A seat's side of a recording. The session driver writes everything that the session receives to
/// it.
#[derive(Clone, Debug)]
pub(crate) struct SeatTape {
    seat: SeatId,
    recorder: Arc<dyn Recorder>,
    /// Messages before the login is accepted may hold a password.
    secret: bool,
}

impl SeatTape {
    /// Records the seat.
    pub(crate) fn open(recorder: Arc<dyn Recorder>, seat: &Seat, at: Instant) -> Self {
        let secret = !seat.password.is_empty();
        let shared = Seat { password: String::new(), ..seat.clone() };
        recorder.put(at, Taped::SeatOpened(Box::new(shared)));
        Self { seat: seat.id, recorder, secret }
    }

    pub(crate) fn put(&self, at: Instant, act: SeatAct) {
        self.recorder.put(at, Taped::Seat { seat: self.seat, act });
    }

    pub(crate) fn sent(&self, at: Instant, message: &[u8], seated: bool) {
        let message = if self.secret && !seated {
            Message::Secret(message.len())
        } else {
            Message::Plain(message.into())
        };
        self.put(at, SeatAct::Sent(message));
    }
}
