//! Lines of a recorded journal, to be compared with those of today.

use phalanx_game::Turn;
use phalanx_net::{Decision, Line};
use phalanx_proto::v1::match_event::Kind;
use phalanx_proto::v1::{Decided, Fallback, MatchEvent, Ordered};

/// A line of a journal as the API tells it: that is how it is recorded.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Told(pub(super) MatchEvent);

impl Line for Told {
    fn turn(&self) -> Turn {
        let turn = self.0.turn.unwrap_or_default();
        Turn::new(turn.round, turn.step)
    }

    fn agent(&self) -> Option<&str> {
        Some(self.0.agent.as_str()).filter(|agent| !agent.is_empty())
    }

    fn is_like(&self, other: &Self) -> bool {
        let kind = |told: &Self| told.0.kind.as_ref().map(std::mem::discriminant);
        let alike = match (self.decision(), other.decision()) {
            (None, None) => kind(self) == kind(other),
            (decided, other) => decided.is_some() && other.is_some(),
        };
        alike && self.0.agent == other.0.agent
    }

    fn is_same(&self, other: &Self) -> bool {
        let (one, two) = (timeless(self), timeless(other));
        // A number that is none is equal to nothing, and told alike.
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

/// The line without what a clock told, and without its place in a log.
fn timeless(told: &Told) -> MatchEvent {
    let mut event = told.0.clone();
    event.cursor.clear();
    if let Some(Kind::Decided(Decided { spent, .. }) | Kind::Fallback(Fallback { spent, .. })) =
        &mut event.kind
    {
        *spent = None;
    } else if let Some(Kind::TurnDone(done)) = &mut event.kind {
        done.spent = None;
    }
    event
}
