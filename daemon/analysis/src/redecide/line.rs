//! Compares lines of a recorded journal with those of the new run.

use phalanx_game::Turn;
use phalanx_net::{Decision, Line};
use phalanx_proto::v1::match_event::Kind;
use phalanx_proto::v1::{Decided, Fallback, Grounds, MatchEvent, Ordered};

/// A line of a journal in the form of the API, which is also the recorded form.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct EventLine(pub(super) MatchEvent);

impl Line for EventLine {
    fn turn(&self) -> Turn {
        let turn = self.0.turn.unwrap_or_default();
        Turn::new(turn.round, turn.step)
    }

    fn agent(&self) -> Option<&str> {
        Some(self.0.agent.as_str()).filter(|agent| !agent.is_empty())
    }

    fn is_like(&self, other: &Self) -> bool {
        let kind = |line: &Self| line.0.kind.as_ref().map(std::mem::discriminant);
        let alike = match (self.decision(), other.decision()) {
            (None, None) => kind(self) == kind(other),
            (decided, other) => decided.is_some() && other.is_some(),
        };
        alike && same_agent(&self.0, &other.0)
    }

    fn is_same(&self, other: &Self) -> bool {
        let (mut one, mut two) = (timeless(self), timeless(other));
        // Recordings until November 2026 do not say where a reason was given.
        if let (Some(one), Some(two)) = (grounds(&mut one), grounds(&mut two))
            && (one.reason_file.is_empty() || two.reason_file.is_empty())
        {
            for grounds in [one, two] {
                (grounds.reason_file, grounds.reason_line) = (String::new(), 0);
            }
        }
        if same_agent(&one, &two) {
            two.agent.clone_from(&one.agent);
        }
        // NaN does not equal itself, but has the same debug text.
        one == two || format!("{one:?}") == format!("{two:?}")
    }

    fn decision(&self) -> Option<Decision<'_>> {
        let Some(kind) = &self.0.kind else { return None };
        if let Kind::Decided(Decided { action, role, reason, .. }) = kind {
            return Some(Decision { role, action: Some(action), reason });
        }
        if let Kind::Fallback(Fallback { role, reason, .. }) = kind {
            return Some(Decision { role, action: None, reason });
        }
        if let Kind::Ordered(Ordered { action, by, .. }) = kind {
            return Some(Decision { role: "", action: Some(action), reason: by });
        }
        let Kind::Held(held) = kind else { return None };
        Some(Decision { role: "", action: None, reason: &held.by })
    }

    fn is_failure(&self) -> bool {
        matches!(self.0.kind, Some(Kind::Fallback(_) | Kind::ScriptError(_)))
    }

    fn ends_turn(&self) -> bool {
        matches!(self.0.kind, Some(Kind::TurnDone(_)))
    }
}

/// Whether both are about the same agent. Recordings until November 2026 do not name the agent of a
/// seat; its number is enough to compare it.
fn same_agent(one: &MatchEvent, two: &MatchEvent) -> bool {
    let unnamed = one.agent.is_empty() || two.agent.is_empty();
    let of_seat = |event: &MatchEvent| matches!(event.kind, Some(Kind::SeatChanged(_)));
    one.agent == two.agent || (unnamed && of_seat(one) && of_seat(two))
}

fn grounds(event: &mut MatchEvent) -> Option<&mut Grounds> {
    let Some(Kind::Decided(Decided { grounds, .. }) | Kind::Fallback(Fallback { grounds, .. })) =
        &mut event.kind
    else {
        return None;
    };
    grounds.as_mut()
}

/// The line without what a clock measured, without its place in a log, and without its words: they
/// say nothing that its fields do not, and older recordings lack them.
fn timeless(line: &EventLine) -> MatchEvent {
    let MatchEvent { turn, agent, kind, generation, .. } = line.0.clone();
    let mut event = MatchEvent { turn, agent, kind, generation, ..MatchEvent::default() };
    if let Some(Kind::Decided(Decided { spent, .. }) | Kind::Fallback(Fallback { spent, .. })) =
        &mut event.kind
    {
        *spent = None;
    } else if let Some(Kind::TurnDone(done)) = &mut event.kind {
        done.spent = None;
    }
    event
}

#[cfg(test)]
mod tests {
    use super::*;
    use phalanx_proto::v1::{Late, SeatChanged};

    #[test]
    fn seats_of_older_recordings_have_no_agent() {
        let line = |agent: &str, kind| {
            EventLine(MatchEvent {
                agent: agent.to_owned(),
                kind: Some(kind),
                ..MatchEvent::default()
            })
        };
        let seat = |agent, seat| {
            line(agent, Kind::SeatChanged(SeatChanged { seat, ..Default::default() }))
        };
        let late = |agent| line(agent, Kind::Late(Late {}));
        for (one, two, like, same) in [
            (seat("", 3), seat("agentA4", 3), true, true),
            (seat("agentA4", 3), seat("", 3), true, true),
            (seat("", 3), seat("agentA5", 4), true, false),
            (seat("agentA4", 3), seat("agentA5", 3), false, false),
            (late(""), late("agentA4"), false, false),
            (late("agentA4"), late("agentA4"), true, true),
        ] {
            assert_eq!((one.is_like(&two), one.is_same(&two)), (like, same), "{one:?} {two:?}");
        }
    }
}
