//! The team leaves its referee and comes back, there or elsewhere.

use super::quorum::Quorum;
use super::{Drain, Member, Team};
use crate::{Answer, Brain, JournalEvent, Keep, SeatState, SteerError, Ticket};
use phalanx_game::Game;

/// A departure that waits until every seat has hung up.
#[derive(Debug)]
pub(super) struct Departure {
    pub(super) ticket: Ticket,
    pub(super) to: Option<String>,
    pub(super) keep: Keep,
    pub(super) by: String,
}

impl<G: Game, B: Brain> Team<G, B> {
    pub(super) fn leave(&mut self, departure: Departure) {
        if let Some(older) = self.departure.replace(departure) {
            let error = SteerError::Busy("another departure took this one's place".to_owned());
            self.answer(older.ticket, Answer::Course(Err(error)));
        }
    }

    pub(super) fn come_back(&mut self, ticket: Ticket, to: String, by: String) {
        let result = if self.drain == Drain::No {
            self.journal(None, JournalEvent::Returned { to, by });
            Ok(())
        } else {
            Err(SteerError::Leaving)
        };
        self.answer(ticket, Answer::Course(result));
    }

    /// Leaves if it is to and every seat has hung up. False when there is nothing to do.
    pub(super) fn depart(&mut self) -> bool {
        let away =
            |member: &Member| matches!(member.shown.seat, SeatState::Stopped | SeatState::Closed);
        let closed = |member: &Member| member.shown.seat == SeatState::Closed;
        let ends = self.drain != Drain::No;
        if !ends && !self.present_members().all(away) {
            return false;
        }
        let over = self.present_members().all(closed);
        let Some(departure) = self.departure.take() else { return false };
        let Departure { ticket, to, keep, by } = departure;
        let result = if ends {
            Err(SteerError::Leaving)
        } else if over {
            Err(SteerError::Over)
        } else {
            self.part_from_referee(keep);
            self.journal(None, JournalEvent::Left { to, keep, by });
            self.publish();
            Ok(())
        };
        self.answer(ticket, Answer::Course(result));
        true
    }

    fn part_from_referee(&mut self, keep: Keep) {
        self.alerts.forget();
        if !keep.memory {
            self.unread = None;
            self.brain.forget();
        }
        if keep.world {
            return;
        }
        self.resuming = None;
        self.open = None;
        self.rounds.leave();
        self.quorum = Quorum::default();
        *self.world.borrow_mut() = self.game.world(&self.roster);
        self.shared.borrow_mut().board.clear();
        self.scenes.clear();
        self.scene_kept = None;
        for member in &mut self.members {
            (member.expected, member.late) = (false, None);
            member.answers.clear();
        }
    }
}
