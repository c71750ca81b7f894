//! Which simulation a message belongs to (spec sections 3 and 4).
//!
//! After a reconnect the referee repeats the start message of the running simulation, with the same
//! id: the simulation goes on. Another id is another simulation, whose beginning or predecessor's
//! end was missed. A referee that was started anew begins with the same ids: its steps go back.
//! Inside a simulation the id of a request less its step stays the same, which tells simulations
//! apart when no start message came.

use crate::percept::Briefing;

/// What is remembered of the account's simulations, through all connections.
#[derive(Clone, Debug, Default)]
pub(super) struct Rounds {
    /// The round that runs now.
    live: Option<u32>,
    /// The number of the next new round.
    next: u32,
    /// The request's id less its step, where ids are numbers.
    base: Option<i64>,
    /// The step of its last request.
    step: Option<u32>,
    /// The start message of the running round.
    briefing: Option<Briefing>,
    /// A start message during a round: the next request decides whether it is a new one.
    repeated: Option<Briefing>,
}

/// A round to be announced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Begun {
    pub(super) round: u32,
    pub(super) briefing: Option<Briefing>,
    /// It is a new one; otherwise its start message came late.
    pub(super) anew: bool,
}

impl Rounds {
    /// A start message came.
    pub(super) fn sim_start(&mut self, briefing: Briefing) -> Option<Begun> {
        let other = |known: &Briefing| {
            !known.id.is_empty() && !briefing.id.is_empty() && known.id != briefing.id
        };
        if self.live.is_none() || self.briefing.as_ref().is_some_and(other) {
            return Some(self.start(Some(briefing)));
        }
        self.repeated = Some(briefing);
        None
    }

    /// A request came: its round, and what is to be announced before it.
    pub(super) fn request(&mut self, id: &str, step: u32) -> (u32, Option<Begun>) {
        let base = id.parse::<i64>().ok().and_then(|id| id.checked_sub(i64::from(step)));
        let follows = self.base.zip(base).is_none_or(|(known, new)| known == new);
        // The same step again is a request repeated, an earlier one is another simulation.
        let forward = self.step.is_none_or(|known| step >= known);
        let repeated = self.repeated.take();
        let (round, begun) = match self.live {
            Some(round) if follows && forward => (round, self.adopt(round, repeated)),
            Some(_) | None => {
                let begun = self.start(repeated);
                (begun.round, Some(begun))
            }
        };
        self.base = self.base.or(base);
        self.step = Some(step);
        (round, begun)
    }

    /// The running simulation ended.
    pub(super) fn end(&mut self) -> Option<u32> {
        let round = self.live.take()?;
        *self = Self { next: self.next, ..Self::default() };
        Some(round)
    }

    fn start(&mut self, briefing: Option<Briefing>) -> Begun {
        let round = self.next;
        let next = round.saturating_add(1);
        *self = Self { live: Some(round), next, briefing: briefing.clone(), ..Self::default() };
        Begun { round, briefing, anew: true }
    }

    fn adopt(&mut self, round: u32, repeated: Option<Briefing>) -> Option<Begun> {
        if repeated.is_none() || repeated == self.briefing {
            return None;
        }
        self.briefing.clone_from(&repeated);
        Some(Begun { round, briefing: repeated, anew: false })
    }
}
