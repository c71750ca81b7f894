//! Which simulation a message belongs to.
//!
//! After a reconnect the referee may repeat the start message of the running simulation, and may
//! leave it out: the next request decides. Ids go on through all simulations, so the id of a request
//! less its step stays the same within a simulation and changes with the next one. Steps never go
//! back, except when the referee itself was restarted.

/// The start message of a simulation.
pub trait StartMessage: Clone + PartialEq {
    /// Whether this message alone shows another simulation than the one that `known` started.
    fn is_of_another_round(&self, known: &Self) -> bool;

    /// Whether an equal message may start another simulation, after a restart of the referee.
    const CAN_RECUR: bool;
}

/// The simulations of an account, through all its connections.
#[derive(Clone, Debug)]
pub struct RoundTracker<S> {
    /// The running round.
    running: Option<u32>,
    /// The number of the next new round.
    next: u32,
    /// The id of the round's requests less their step, where ids are numbers.
    base: Option<i64>,
    /// The step of its last request.
    step: Option<u32>,
    /// The start message of the running round.
    start: Option<S>,
    /// A start message during a round: the next request decides whether it is a new one.
    undecided: Option<S>,
}

/// A round to announce.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoundStart<S> {
    /// Its number.
    pub round: u32,
    /// Its start message, if one came.
    pub start: Option<S>,
    /// False when the round was announced before and its start message came late.
    pub is_new: bool,
}

impl<S> Default for RoundTracker<S> {
    fn default() -> Self {
        Self { running: None, next: 0, base: None, step: None, start: None, undecided: None }
    }
}

impl<S: StartMessage> RoundTracker<S> {
    /// Takes a start message.
    pub fn sim_start(&mut self, start: S) -> Option<RoundStart<S>> {
        let known = self.start.as_ref();
        if self.running.is_none() || known.is_some_and(|known| start.is_of_another_round(known)) {
            return Some(self.begin(Some(start)));
        }
        if S::CAN_RECUR || known != Some(&start) {
            self.undecided = Some(start);
        }
        None
    }

    /// Takes a request. Returns its round, and the round to announce before it.
    pub fn request(&mut self, base: Option<i64>, step: u32) -> (u32, Option<RoundStart<S>>) {
        let follows = self.base.zip(base).is_none_or(|(known, new)| known == new);
        // The same step again is a repeated request, an earlier one is another simulation.
        let forward = self.step.is_none_or(|known| step >= known);
        let undecided = self.undecided.take();
        let (round, start) = match self.running {
            Some(round) if follows && forward => (round, self.adopt(round, undecided)),
            Some(_) | None => {
                let start = self.begin(undecided);
                (start.round, Some(start))
            }
        };
        self.base = self.base.or(base);
        self.step = Some(step);
        (round, start)
    }

    /// Ends the running simulation and returns its number.
    pub fn end(&mut self) -> Option<u32> {
        let round = self.running.take()?;
        *self = Self { next: self.next, ..Self::default() };
        Some(round)
    }

    fn begin(&mut self, start: Option<S>) -> RoundStart<S> {
        let round = self.next;
        let next = round.saturating_add(1);
        *self = Self { running: Some(round), next, start: start.clone(), ..Self::default() };
        RoundStart { round, start, is_new: true }
    }

    fn adopt(&mut self, round: u32, late: Option<S>) -> Option<RoundStart<S>> {
        if late.is_none() || late == self.start {
            return None;
        }
        self.start.clone_from(&late);
        Some(RoundStart { round, start: late, is_new: false })
    }
}
