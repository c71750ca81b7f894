//! How a team ends its match, or its part in it.

use super::leave::Departure;
use crate::Ticket;

/// What is left to do before the team may go.
#[derive(Debug, Default)]
pub(super) struct Ending {
    /// The match is over for every agent.
    over: bool,
    drain: Drain,
    /// A departure that waits until every seat has hung up.
    departure: Option<Departure>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Drain {
    #[default]
    No,
    Asked,
    Reported,
}

impl Ending {
    /// Whether the match is over.
    pub(super) fn is_over(&self) -> bool {
        self.over
    }

    /// The match is over; false if that was known.
    pub(super) fn end_match(&mut self) -> bool {
        !std::mem::replace(&mut self.over, true)
    }

    /// Whether the team answers what is open and then goes.
    pub(super) fn is_draining(&self) -> bool {
        self.drain != Drain::No
    }

    /// Whether the team has answered everything and takes no more requests.
    pub(super) fn is_drained(&self) -> bool {
        self.drain == Drain::Reported
    }

    pub(super) fn begin_drain(&mut self) {
        if self.drain == Drain::No {
            self.drain = Drain::Asked;
        }
    }

    /// Whether the team has still to report that it answered everything.
    pub(super) fn has_to_report(&self) -> bool {
        self.drain == Drain::Asked
    }

    pub(super) fn reported(&mut self) {
        self.drain = Drain::Reported;
    }

    /// The team leaves as soon as it can; returns the departure whose place this one takes.
    pub(super) fn leave(&mut self, departure: Departure) -> Option<Ticket> {
        self.departure.replace(departure).map(|older| older.ticket)
    }

    pub(super) fn take_departure(&mut self) -> Option<Departure> {
        self.departure.take()
    }
}
