//! Folds equal fallbacks of a turn into one line, since one mistake often fails for many agents.

use phalanx_proto::v1::match_event::Kind;
use phalanx_proto::v1::{MatchEvent, TurnDone};

/// Holds the fallbacks of a turn until the turn is done.
#[derive(Debug, Default)]
pub(super) struct Fold {
    /// Equal ones are counted, so there are no more than the team has agents.
    held: Vec<(MatchEvent, u32)>,
}

impl Fold {
    /// Takes an event; returns the events that can be printed.
    pub(super) fn add(&mut self, event: MatchEvent) -> Vec<MatchEvent> {
        let same_turn = self.held.first().is_none_or(|(held, _)| held.turn == event.turn);
        match &event.kind {
            Some(Kind::Fallback(_)) => {
                let folded = if same_turn { Vec::new() } else { self.rest() };
                match self.held.iter_mut().find(|(held, _)| held.kind == event.kind) {
                    Some((_, count)) => *count += 1,
                    None => self.held.push((event, 1)),
                }
                folded
            }
            // Fallbacks of other agents may still come.
            Some(Kind::Decided(_)) if same_turn => vec![event],
            Some(_) | None => {
                let mut folded = self.rest();
                folded.push(event);
                folded
            }
        }
    }

    /// The events that are still held.
    pub(super) fn rest(&mut self) -> Vec<MatchEvent> {
        let each = std::mem::take(&mut self.held).into_iter().map(|(mut event, count)| {
            if count > 1 {
                event.agent = format!("{count} agents:");
            }
            event
        });
        each.collect()
    }
}

/// Whether the event is no problem: a turn in which each agent did what a script or an operator
/// wants, or a seat on its way to the referee that has not failed.
pub(super) fn is_quiet(event: &MatchEvent) -> bool {
    let went_well = |done: &TurnDone| {
        done.fallback == 0 && done.decided + done.ordered + done.held == done.asked
    };
    match &event.kind {
        Some(Kind::TurnDone(done)) => went_well(done),
        Some(Kind::SeatChanged(seat)) => seat.failures == 0 && seat.reason.is_empty(),
        Some(Kind::Held(_) | Kind::Ordered(_)) => true,
        Some(_) | None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use phalanx_proto::v1::{Fallback, SeatChanged, Turn};

    fn event(step: u32, agent: &str, kind: Kind) -> MatchEvent {
        let turn = Some(Turn { round: 0, step });
        MatchEvent { turn, agent: agent.into(), kind: Some(kind), ..MatchEvent::default() }
    }

    fn fallback(step: u32, agent: &str, reason: &str) -> MatchEvent {
        let fallback = Fallback { reason: reason.into(), ..Fallback::default() };
        event(step, agent, Kind::Fallback(fallback))
    }

    fn agents(folded: &[MatchEvent]) -> Vec<&str> {
        folded.iter().map(|event| event.agent.as_str()).collect()
    }

    #[test]
    fn equal_fallbacks_of_a_turn_are_one_line_and_others_stay() {
        let mut fold = Fold::default();
        for agent in ["a1", "a2", "a3"] {
            assert!(fold.add(fallback(7, agent, "oh")).is_empty());
        }
        assert!(fold.add(fallback(7, "a4", "ah")).is_empty());
        let done = TurnDone { asked: 4, fallback: 4, ..TurnDone::default() };
        let done = event(7, "", Kind::TurnDone(done));
        assert!(!is_quiet(&done));
        assert_eq!(agents(&fold.add(done)), ["3 agents:", "a4", ""]);
        assert!(fold.add(fallback(8, "a1", "oh")).is_empty());
        assert_eq!(agents(&fold.add(fallback(9, "a1", "oh"))), ["a1"]);
        assert_eq!(agents(&fold.rest()), ["a1"]);
    }

    #[test]
    fn a_turn_in_which_every_agent_did_what_was_wanted_is_quiet() {
        let done = TurnDone { asked: 15, decided: 15, ..TurnDone::default() };
        assert!(is_quiet(&event(1, "", Kind::TurnDone(done))));
        let done = TurnDone { asked: 15, decided: 14, ..TurnDone::default() };
        assert!(!is_quiet(&event(1, "", Kind::TurnDone(done))));
        let done = TurnDone { asked: 15, decided: 14, held: 1, ..TurnDone::default() };
        assert!(is_quiet(&event(1, "", Kind::TurnDone(done))), "an operator paused the other one");
    }

    #[test]
    fn a_seat_is_quiet_until_it_fails() {
        let seat = |failures| SeatChanged { seat: 3, failures, ..SeatChanged::default() };
        assert!(is_quiet(&event(1, "", Kind::SeatChanged(seat(0)))));
        assert!(!is_quiet(&event(1, "", Kind::SeatChanged(seat(2)))));
        assert!(!is_quiet(&fallback(1, "a1", "oh")));
    }
}
