//! Who waits for which answer of a team: one bounded table between callers and the team's thread.

use phalanx_engine::{Answer, Command, CommandError, CommandReply, FinalView, Ticket};
use phalanx_game::sorted::SortedMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use tokio::sync::oneshot;

/// Most operators' requests that wait for their answers at a time, over all callers of a team.
pub const REQUESTS_MAX: usize = 64;
/// The ticket of requests that the team's thread makes itself: no caller waits for the answer.
pub(crate) const OWN_TICKET: Ticket = 0;

/// All open requests of a team.
#[derive(Debug, Default)]
pub(crate) struct Tickets {
    table: Mutex<Table>,
    /// What answers readers once the team has ended.
    final_view: OnceLock<FinalView>,
}

#[derive(Debug, Default)]
struct Table {
    last: Ticket,
    open: SortedMap<Ticket, oneshot::Sender<Answer>>,
    closed: bool,
}

/// One caller's place in the table; dropped, it leaves nothing behind.
#[derive(Debug)]
pub(crate) struct Claim {
    ticket: Ticket,
    answer: oneshot::Receiver<Answer>,
    tickets: Arc<Tickets>,
}

impl Tickets {
    /// A new ticket.
    pub(crate) fn claim(self: &Arc<Self>) -> Result<Claim, CommandError> {
        let mut table = self.table();
        if table.closed {
            return Err(CommandError::Ended);
        }
        if table.open.len() >= REQUESTS_MAX {
            return Err(CommandError::busy());
        }
        table.last += 1;
        let (ticket, (sender, answer)) = (table.last, oneshot::channel());
        table.open.insert(ticket, sender);
        Ok(Claim { ticket, answer, tickets: Arc::clone(self) })
    }

    /// Hands an answer to the caller that waits for it.
    pub(crate) fn answer(&self, ticket: Ticket, answer: Answer) {
        let caller = self.table().open.remove(&ticket);
        if let Some(caller) = caller {
            // A caller that went away in this moment does not want it any more.
            drop(caller.send(answer));
        }
    }

    fn forget(&self, ticket: Ticket) {
        self.table().open.remove(&ticket);
    }

    /// The team ends: this is what readers see from now on.
    pub(crate) fn keep(&self, view: FinalView) {
        // A team ends once.
        drop(self.final_view.set(view));
    }

    /// The reply of a team that has ended, if the command only reads.
    pub(crate) fn final_reply(&self, command: &Command) -> Option<CommandReply> {
        self.final_view.get()?.reply(command)
    }

    /// No request will be handed to the team any more.
    pub(crate) fn close(&self) {
        let mut table = self.table();
        table.closed = true;
        table.open.clear();
    }

    /// How many callers wait.
    #[cfg(any(test, feature = "puppet"))]
    pub(crate) fn waiting(&self) -> usize {
        self.table().open.len()
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        // Each change is one step: a table is whole even when its holder panicked.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Claim {
    pub(crate) fn ticket(&self) -> Ticket {
        self.ticket
    }

    /// Waits for the answer. `Busy` if the team lost the command in a restart.
    pub(crate) async fn answer(mut self) -> Answer {
        match (&mut self.answer).await {
            Ok(answer) => answer,
            Err(_) if self.tickets.table().closed => Err(CommandError::Ended),
            Err(_) => Err(CommandError::busy()),
        }
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.tickets.forget(self.ticket);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_bounded_and_a_caller_that_leaves_makes_room() {
        let tickets = Arc::new(Tickets::default());
        let mut claims: Vec<_> = (0..REQUESTS_MAX).map(|_| tickets.claim().unwrap()).collect();
        assert_eq!(tickets.claim().unwrap_err(), CommandError::busy());
        claims.pop();
        assert!(tickets.claim().is_ok());
        drop(claims);
        assert_eq!(tickets.waiting(), 0);
    }

    #[tokio::test]
    async fn who_waits_when_the_team_ends_is_told() {
        let tickets = Arc::new(Tickets::default());
        let (lost, waiting) = (tickets.claim().unwrap(), tickets.claim().unwrap());
        tickets.forget(lost.ticket());
        assert_eq!(lost.answer().await.unwrap_err(), CommandError::busy());
        tickets.close();
        assert_eq!(waiting.answer().await.unwrap_err(), CommandError::Ended);
        assert_eq!(tickets.claim().unwrap_err(), CommandError::Ended);
    }
}
