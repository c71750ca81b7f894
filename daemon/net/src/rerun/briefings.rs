//! The briefings of rounds that a team received: a team that begins again after a panic receives
//! them once more.

use phalanx_game::sorted::SortedMap;
use phalanx_game::{AgentId, Event, Game};

#[derive(Debug)]
pub(super) struct Briefings<G: Game> {
    /// The last round of each agent, with its briefing.
    last: SortedMap<AgentId, (u32, G::Briefing)>,
    /// The team receives these once more.
    again: SortedMap<AgentId, u32>,
}

impl<G: Game> Default for Briefings<G> {
    fn default() -> Self {
        Self { last: SortedMap::new(), again: SortedMap::new() }
    }
}

impl<G: Game> Briefings<G> {
    /// The team received the start of a round.
    pub(super) fn note(&mut self, event: &Event<G::Briefing, G::Percept>) {
        if let Event::RoundStarted { agent, round, briefing: Some(briefing) } = event {
            self.last.insert(*agent, (*round, briefing.clone()));
            self.again.remove(agent);
        }
    }

    /// A fresh team begins that has no briefings.
    pub(super) fn tell_again(&mut self) {
        self.again = self.last.iter().map(|(agent, (round, _))| (*agent, *round)).collect();
    }

    /// Whether the event repeats the start of a round that the previous team knew.
    pub(super) fn is_repeated(&self, event: &Event<(), ()>) -> bool {
        if let Event::RoundStarted { agent, round, briefing: Some(()) } = event {
            return self.again.get(agent) == Some(round);
        }
        false
    }

    /// The briefing of that round.
    pub(super) fn again(
        &mut self,
        event: &Event<(), ()>,
    ) -> Option<Event<G::Briefing, G::Percept>> {
        if !self.is_repeated(event) {
            return None;
        }
        let Event::RoundStarted { agent, round, .. } = event else { return None };
        self.again.remove(agent);
        let (_, briefing) = self.last.get(agent)?;
        let briefing = Some(briefing.clone());
        Some(Event::RoundStarted { agent: *agent, round: *round, briefing })
    }
}
