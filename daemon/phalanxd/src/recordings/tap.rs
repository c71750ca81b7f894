//! Passes a team's entries to its recorder, and notices the team's end and its problems.

use super::flight::Flight;
use phalanx_engine::{JournalEvent, SeatState};
use phalanx_game::SeatId;
use phalanx_game::sorted::SortedSet;
use phalanx_net::{Appetite, Recorder, Taped};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use tokio_util::sync::CancellationToken;

/// Signals that a team has ended.
#[derive(Debug, Default)]
pub(super) struct Ends(CancellationToken);

impl Ends {
    pub(super) fn token(&self) -> &CancellationToken {
        &self.0
    }
}

/// Forwards every entry.
#[derive(Debug)]
pub(super) struct Tap {
    next: Arc<dyn Recorder>,
    ends: Arc<Ends>,
    flight: Option<Arc<Flight>>,
    /// The team has begun before.
    begun: AtomicBool,
    /// Seats that are connected to their referee.
    seated: Mutex<SortedSet<SeatId>>,
}

impl Tap {
    pub(super) fn new(next: Arc<dyn Recorder>, ends: Arc<Ends>) -> Self {
        Self { next, ends, flight: None, begun: AtomicBool::default(), seated: Mutex::default() }
    }

    /// [`Tap`] that reports problems to the flight recorder.
    pub(super) fn watching(next: Arc<dyn Recorder>, ends: Arc<Ends>, flight: Arc<Flight>) -> Self {
        Self { flight: Some(flight), ..Self::new(next, ends) }
    }

    /// The problem that an entry shows; `None`: none.
    fn trouble(&self, what: &Taped) -> Option<String> {
        if let Taped::Began(_) = what {
            let again = self.begun.swap(true, Ordering::AcqRel);
            return again.then(|| "the team's thread failed and was restarted".to_owned());
        }
        let Taped::Journal(entry) = what else { return None };
        let turn = entry.turn;
        if let JournalEvent::AlertBegan { alert, text } = &entry.event {
            return Some(format!("alert {alert} in turn {turn}: {text}"));
        }
        if let JournalEvent::Defaulted { cause } = &entry.event {
            return Some(format!("no answer in turn {turn}: {cause}"));
        }
        if let JournalEvent::Seat { seat, state } = &entry.event {
            let mut seated = self.seated.lock().unwrap_or_else(PoisonError::into_inner);
            if *state == SeatState::Seated {
                seated.insert(*seat);
            } else if seated.remove(seat)
                && let SeatState::Connecting { reason, .. } | SeatState::Refused { reason } = state
            {
                let who = match &entry.agent {
                    Some(agent) => agent.clone(),
                    None => format!("seat {}", seat.0),
                };
                return Some(format!("{who} lost its referee: {reason}"));
            }
        }
        None
    }
}

impl Recorder for Tap {
    fn put(&self, at: Instant, what: Taped) {
        let cause = self.flight.as_ref().and_then(|_| self.trouble(&what));
        let over = matches!(what, Taped::Ended);
        self.next.put(at, what);
        if let (Some(flight), Some(cause)) = (&self.flight, cause) {
            flight.trouble(cause);
        }
        if over {
            self.ends.0.cancel();
        }
    }

    fn appetite(&self) -> Appetite {
        self.next.appetite()
    }

    fn trouble(&self) -> Option<String> {
        self.next.trouble()
    }
}
