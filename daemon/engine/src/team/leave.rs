//! The team leaves its referee and comes back, there or elsewhere.

use super::Team;
use super::crew::Member;
use super::quorum::Quorum;
use crate::{CommandError, JournalEvent, Keep, LeaveReferee, ReturnToReferee, SeatState, Ticket};
use phalanx_game::Game;

/// A departure that waits until every seat has hung up.
#[derive(Debug)]
pub(super) struct Departure {
    pub(super) ticket: Ticket,
    by: String,
    leave: LeaveReferee,
}

impl<G: Game> Team<G> {
    pub(super) fn leave(&mut self, ticket: Ticket, leave: LeaveReferee, by: String) {
        if let Some(older) = self.ending.leave(Departure { ticket, by, leave }) {
            let error = CommandError::Busy("another departure took this one's place".to_owned());
            self.answer::<LeaveReferee>(older, Err(error));
        }
    }

    pub(super) fn come_back(
        &mut self,
        ReturnToReferee { to }: ReturnToReferee,
        by: String,
    ) -> Result<(), CommandError> {
        if self.ending.is_draining() {
            return Err(CommandError::Leaving);
        }
        self.journal(None, JournalEvent::Returned { to, by });
        Ok(())
    }

    /// Leaves if it is to and every seat has hung up. False when there is nothing to do.
    pub(super) fn depart(&mut self) -> bool {
        let away =
            |member: &Member| matches!(member.shown.seat, SeatState::Stopped | SeatState::Closed);
        let ends = self.ending.is_draining();
        if !ends && !self.crew.present().all(away) {
            return false;
        }
        let over = self.crew.present().all(Member::is_closed);
        let Some(departure) = self.ending.take_departure() else { return false };
        let Departure { ticket, by, leave: LeaveReferee { to, keep } } = departure;
        let result = if ends {
            Err(CommandError::Leaving)
        } else if over {
            Err(CommandError::Over)
        } else {
            self.part_from_referee(keep);
            self.journal(None, JournalEvent::Left { to, keep, by });
            self.publish();
            Ok(())
        };
        self.answer::<LeaveReferee>(ticket, result);
        true
    }

    fn part_from_referee(&mut self, keep: Keep) {
        self.alerts.forget();
        if !keep.memory {
            self.resume.forget_memories();
            self.brain.forget();
        }
        if keep.world {
            return;
        }
        self.resume.stop();
        self.turns.leave();
        self.quorum = Quorum::default();
        *self.world.borrow_mut() = self.game.world(self.crew.roster());
        self.shared.borrow_mut().board.clear();
        self.observation.forget_scenes();
        self.crew.forget_match();
    }
}
