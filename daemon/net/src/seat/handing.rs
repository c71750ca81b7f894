//! How a seat takes over the connection of another process, and how it gives its own away.

use super::{Line, Open, SeatTask, seat_name};
use crate::clock::now;
use crate::handed::{HandedSeat, packed, unpacked};
use crate::pipe::{Pipe, Reader, given_away};
use phalanx_engine::SeatState;
use phalanx_game::{Game, Session};

impl<G: Game> SeatTask<G> {
    /// Goes on with the connection of another process.
    pub(super) fn adopt(&mut self, handed: HandedSeat) {
        let now = now();
        let HandedSeat { stream, heard, .. } = handed;
        let pipe = match Pipe::adopted(stream) {
            Ok(pipe) => pipe,
            Err(error) => {
                tracing::warn!(%error, "the connection that was handed over is of no use");
                return;
            }
        };
        tracing::info!(peer = pipe.peer, "goes on with the connection that was handed over");
        self.open(pipe, now);
        let heard = unpacked(heard).unwrap_or_default();
        let told = self.desk.adopted(heard, now);
        if let Err(error) = told {
            self.lost(&error.to_string());
        } else if *self.desk.state() != SeatState::Seated {
            self.lost("what the process before left with the connection does not seat the agent");
        }
    }

    /// Gives the connection to the next process. One that cannot go says goodbye.
    pub(super) fn give_away(&mut self) {
        self.giving = false;
        let heard = self.desk.session.retold();
        let shelf = self.course.borrow().shelf.clone();
        let Line::Open(Open { reader, writer, .. }) =
            std::mem::replace(&mut self.line, Line::Stopped)
        else {
            return;
        };
        match given_away(reader, writer) {
            Ok(Some(stream)) => {
                let (seat, server) =
                    (seat_name(&self.seat), self.course.borrow().endpoint.to_string());
                let heard = packed(heard.unwrap_or_default());
                shelf.inspect(|shelf| shelf.put(HandedSeat { seat, server, stream, heard }));
            }
            Ok(None) => {}
            Err(error) => tracing::warn!(%error, "the connection cannot be handed over"),
        }
        // Nobody is left to hear what the seat knows.
        self.desk.inputs.clear();
        self.close();
    }

    /// Whether the connection is to go, and can.
    pub(super) fn may_give(&self) -> bool {
        let Line::Open(Open { reader: Reader::Tcp(_), .. }) = &self.line else { return false };
        self.course.borrow().shelf.is_some() && self.desk.session.retold().is_some()
    }
}
