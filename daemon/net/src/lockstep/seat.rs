//! A seat of a team on a virtual clock: its session and its connection.

use crate::Recorder;
use crate::session_driver::SessionDriver;
use crate::tape::SeatTape;
use phalanx_engine::SeatState;
use phalanx_game::{ConnectionId, Game, Seat};
use std::sync::Arc;
use std::time::Instant;

pub(super) struct LockstepSeat<G: Game> {
    pub(super) driver: SessionDriver<G>,
    pub(super) connection: Option<ConnectionId>,
    pub(super) connect_at: Option<Instant>,
}

impl<G: Game> LockstepSeat<G> {
    /// Moves the session's output to the arena's queue.
    pub(super) fn post(&mut self, answers: &mut Vec<(ConnectionId, Vec<u8>)>) {
        while let Some(message) = self.driver.outbox.pop_front() {
            if let Some(connection) = self.connection {
                answers.push((connection, message));
            }
        }
        self.driver.outbox_bytes = 0;
    }

    /// Hangs up for good, or until the team is started again.
    pub(super) fn leave(&mut self, state: SeatState, now: Instant) -> Option<ConnectionId> {
        self.driver.disconnected(now);
        self.driver.set_state(state);
        self.connect_at = None;
        self.connection.take()
    }

    /// Its agent was removed, or its match is over.
    pub(super) fn is_closed(&self) -> bool {
        *self.driver.state() == SeatState::Closed
    }

    pub(super) fn lose(
        &mut self,
        reason: &str,
        now: Instant,
        again: Instant,
    ) -> Option<ConnectionId> {
        self.driver.disconnected(now);
        if self.driver.over {
            self.driver.set_state(SeatState::Closed);
        } else {
            if !self.driver.refused {
                let reason = reason.to_owned();
                self.driver.set_state(SeatState::Connecting { failures: 1, reason });
            }
            self.connect_at = Some(again);
        }
        self.connection.take()
    }
}

/// The sessions of a team; they connect at `again`.
pub(super) fn lockstep_seats<G: Game>(
    game: &G,
    seats: &[Seat],
    recorder: Option<&Arc<dyn Recorder>>,
    again: Instant,
) -> Vec<LockstepSeat<G>> {
    let place = |seat: &Seat| {
        let mut driver = SessionDriver::new(seat.id, game.session(seat));
        let open = |recorder: &Arc<dyn Recorder>| SeatTape::open(Arc::clone(recorder), seat, again);
        driver.tape = recorder.map(open);
        LockstepSeat { driver, connection: None, connect_at: Some(again) }
    };
    seats.iter().map(place).collect()
}
