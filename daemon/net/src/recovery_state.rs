//! What a fresh team needs after its predecessor panicked: seats, logins, rounds.

use phalanx_engine::{Command, CommandRequest, Input, SeatState};
use phalanx_game::sorted::SortedMap;
use phalanx_game::{AgentId, Event, Game, SeatId};

/// The lasting effects of all inputs so far, at most one entry for each seat or agent and kind.
#[derive(Debug)]
pub(crate) struct RecoveryState<G: Game> {
    seats: SortedMap<SeatId, SeatState>,
    seated: SortedMap<SeatId, Vec<AgentId>>,
    rounds: SortedMap<AgentId, Round<G>>,
    over: SortedMap<SeatId, ()>,
    draining: bool,
}

#[derive(Debug)]
struct Round<G: Game> {
    seat: SeatId,
    round: u32,
    briefing: Option<G::Briefing>,
    out: bool,
}

impl<G: Game> Default for RecoveryState<G> {
    fn default() -> Self {
        Self {
            seats: SortedMap::new(),
            seated: SortedMap::new(),
            rounds: SortedMap::new(),
            over: SortedMap::new(),
            draining: false,
        }
    }
}

impl<G: Game> RecoveryState<G> {
    /// Notes an input on its way to the team.
    pub(crate) fn note(&mut self, input: &Input<G>) {
        match input {
            Input::Seat { seat, state } => {
                if *state != SeatState::Seated {
                    self.seated.remove(seat);
                }
                if *state != SeatState::Closed {
                    // Opened again, for an agent that was added again.
                    self.over.remove(seat);
                }
                self.seats.insert(*seat, state.clone());
            }
            Input::Event { seat, event } => self.note_event(*seat, event),
            // Another match begins.
            Input::Command(CommandRequest { command: Command::LeaveReferee(leave), .. })
                if !leave.keep.world =>
            {
                self.rounds.clear();
            }
            Input::Drain => self.draining = true,
            Input::Late { .. } | Input::Command(_) | Input::Restarted { .. } => {}
        }
    }

    fn note_event(&mut self, seat: SeatId, event: &Event<G::Briefing, G::Percept>) {
        match event {
            Event::Seated { agents } => {
                self.seated.insert(seat, agents.clone());
            }
            Event::RoundStarted { agent, round, briefing } => {
                let (round, briefing) = (*round, briefing.clone());
                self.rounds.insert(*agent, Round { seat, round, briefing, out: false });
            }
            Event::Out { agent, round } => {
                if let Some(known) = self.rounds.get_mut(agent)
                    && known.round == *round
                {
                    known.out = true;
                }
            }
            Event::RoundOver { agent, .. } => {
                self.rounds.remove(agent);
            }
            Event::MatchOver => {
                self.over.insert(seat, ());
            }
            Event::Refused { .. }
            | Event::Percept { .. }
            | Event::Asked { .. }
            | Event::Defaulted { .. }
            | Event::Notice(_) => {}
        }
    }

    /// The inputs that bring a fresh team to the same state, in the protocol's order.
    pub(crate) fn replay(&self) -> Vec<Input<G>> {
        let mut inputs = Vec::new();
        let seats = self.seats.iter();
        inputs.extend(seats.map(|(seat, state)| Input::Seat { seat: *seat, state: state.clone() }));
        let seated = self.seated.iter();
        inputs.extend(seated.map(|(seat, agents)| Input::Event {
            seat: *seat,
            event: Event::Seated { agents: agents.clone() },
        }));
        inputs.extend(self.rounds.iter().map(|(agent, round)| Input::Event {
            seat: round.seat,
            event: Event::RoundStarted {
                agent: *agent,
                round: round.round,
                briefing: round.briefing.clone(),
            },
        }));
        let out = self.rounds.iter().filter(|(_, round)| round.out);
        inputs.extend(out.map(|(agent, Round { seat, round, .. })| Input::Event {
            seat: *seat,
            event: Event::Out { agent: *agent, round: *round },
        }));
        let over = self.over.keys();
        inputs.extend(over.map(|seat| Input::Event { seat: *seat, event: Event::MatchOver }));
        inputs.extend(self.draining.then_some(Input::Drain));
        inputs
    }
}
