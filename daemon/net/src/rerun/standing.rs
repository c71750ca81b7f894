//! The briefings of rounds that a team was told of: a team that begins again after a panic is told
//! of them once more.

use phalanx_game::{AgentId, Event, Game};
use std::collections::BTreeMap;

#[derive(Debug)]
pub(super) struct Briefings<G: Game> {
    /// The last round of each agent, and what its referee said.
    last: BTreeMap<AgentId, (u32, G::Briefing)>,
    /// Of these the team is told once more.
    again: BTreeMap<AgentId, u32>,
}

impl<G: Game> Default for Briefings<G> {
    fn default() -> Self {
        Self { last: BTreeMap::new(), again: BTreeMap::new() }
    }
}

impl<G: Game> Briefings<G> {
    /// The team was told of a round.
    pub(super) fn note(&mut self, event: &Event<G::Briefing, G::Percept>) {
        if let Event::RoundStarted { agent, round, briefing: Some(briefing) } = event {
            self.last.insert(*agent, (*round, briefing.clone()));
            self.again.remove(agent);
        }
    }

    /// A team begins that knows of none of them.
    pub(super) fn tell_again(&mut self) {
        self.again = self.last.iter().map(|(agent, (round, _))| (*agent, *round)).collect();
    }

    /// Whether the event tells a fresh team of a round that the one before knew.
    pub(super) fn is_told_again(&self, event: &Event<(), ()>) -> bool {
        if let Event::RoundStarted { agent, round, briefing: Some(()) } = event {
            return self.again.get(agent) == Some(round);
        }
        false
    }

    /// What the referee said of that round.
    pub(super) fn again(
        &mut self,
        event: &Event<(), ()>,
    ) -> Option<Event<G::Briefing, G::Percept>> {
        if !self.is_told_again(event) {
            return None;
        }
        let Event::RoundStarted { agent, round, .. } = event else { return None };
        self.again.remove(agent);
        let (_, briefing) = self.last.get(agent)?;
        let briefing = Some(briefing.clone());
        Some(Event::RoundStarted { agent: *agent, round: *round, briefing })
    }
}
