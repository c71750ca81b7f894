//! The span of a turn: from the first request for action to the last answer, for logs and traces.

use phalanx_engine::{Input, JournalEvent};
use phalanx_game::{Event, Game, Turn};
use tracing::Span;
use tracing::field::Empty;

/// The running turn as a span; between turns there is none.
#[derive(Debug, Default)]
pub(crate) struct TurnSpan {
    /// The last begun turn in the sessions' count.
    last: Option<Turn>,
    span: Option<Span>,
}

impl TurnSpan {
    /// Notes an input on its way to the team: the first request of a turn begins the span.
    pub(crate) fn note<G: Game>(&mut self, input: &Input<G>) {
        if let Input::Event { event: Event::Asked { turn, .. }, .. } = input
            && self.last != Some(*turn)
        {
            self.last = Some(*turn);
            self.span = Some(tracing::info_span!(
                "turn",
                %turn,
                asked = Empty,
                decided = Empty,
                fallback = Empty,
                script_us = Empty
            ));
        }
    }

    /// Notes a journal entry: the last answer ends the span.
    pub(crate) fn journaled(&mut self, event: &JournalEvent) {
        if let JournalEvent::TurnDone(done) = event
            && let Some(span) = self.span.take()
        {
            span.record("asked", done.asked);
            span.record("decided", done.decided);
            span.record("fallback", done.fallback);
            span.record("script_us", done.script_us);
        }
    }

    /// Works inside the span, if there is one.
    pub(crate) fn within<T>(&self, work: impl FnOnce() -> T) -> T {
        match &self.span {
            Some(span) => span.in_scope(work),
            None => work(),
        }
    }
}
