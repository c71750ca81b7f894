//! How a seat takes over the connection of another process, and hands its own over.

use super::{Line, Open, SeatTask, seat_name};
use crate::clock::now;
use crate::handed::{HandedSeat, packed, unpacked};
use crate::pipe::{Pipe, Reader, given_away};
use phalanx_engine::SeatState;
use phalanx_game::{Game, Session};

impl<G: Game> SeatTask<G> {
    /// Continues on the connection of another process.
    pub(super) fn adopt(&mut self, handed: HandedSeat) {
        let now = now();
        let HandedSeat { stream, heard, .. } = handed;
        let pipe = match Pipe::adopted(stream) {
            Ok(pipe) => pipe,
            Err(error) => {
                tracing::warn!(%error, "cannot use the connection that was handed over");
                return;
            }
        };
        tracing::info!(
            peer = pipe.peer,
            "the seat continues on the connection that was handed over"
        );
        self.open(pipe, now);
        let heard = unpacked(heard).unwrap_or_default();
        let adopted = self.driver.adopted(heard, now);
        if let Err(error) = adopted {
            self.lost(&error.to_string());
        } else if *self.driver.state() != SeatState::Seated {
            self.lost("the messages handed over with the connection do not log the agent in");
        }
    }

    /// Hands the connection to the next process. If that is not possible, the seat logs out.
    pub(super) fn give_away(&mut self) {
        self.giving = false;
        let heard = self.driver.session.resume_frames();
        let connections = self.target.borrow().connections.clone();
        let Line::Open(Open { reader, writer, .. }) =
            std::mem::replace(&mut self.line, Line::Stopped)
        else {
            return;
        };
        match given_away(reader, writer) {
            Ok(Some(stream)) => {
                let (seat, server) =
                    (seat_name(&self.seat), self.target.borrow().endpoint.to_string());
                let heard = packed(heard.unwrap_or_default());
                connections.inspect(|connections| {
                    connections.put(HandedSeat { seat, server, stream, heard })
                });
            }
            Ok(None) => {}
            Err(error) => tracing::warn!(%error, "the connection cannot be handed over"),
        }
        // The team is gone, so the events of the seat have no receiver.
        self.driver.inputs.clear();
        self.close();
    }

    /// Whether the connection is to be handed over, and can be.
    pub(super) fn may_give(&self) -> bool {
        let Line::Open(Open { reader: Reader::Tcp(_), .. }) = &self.line else { return false };
        self.target.borrow().connections.is_some() && self.driver.session.resume_frames().is_some()
    }
}
