//! What went into a team, as messages and back again: exactly, since decisions are computed from it.

mod beginning;
mod command;
mod input;
mod seat;
mod steps;
mod value;

pub(crate) use beginning::{beginning, beginning_from};
pub(crate) use command::plain;
pub(crate) use seat::{WireSeatAct, opened, seat_act, seat_step_from, wire_from};
pub(crate) use steps::{steps, steps_from};

use phalanx_engine::{Generation, Staged};
use phalanx_game::{AgentId, SeatId, Turn};
use phalanx_proto::v1;
use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Why a message says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it has no {0}")]
pub(crate) struct Lacking(pub(crate) &'static str);

pub(crate) type Read<T> = Result<T, Lacking>;

/// What a message must have.
fn need<T>(part: Option<T>, what: &'static str) -> Read<T> {
    part.ok_or(Lacking(what))
}

/// The instant from which a recording counts its times.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Epoch(pub(crate) Instant);

impl Epoch {
    /// Nanoseconds from the begin to an instant.
    pub(crate) fn nanos(self, at: Instant) -> i64 {
        let span = |span: Duration| i64::try_from(span.as_nanos()).unwrap_or(i64::MAX);
        match at.checked_duration_since(self.0) {
            Some(after) => span(after),
            None => -span(self.0.saturating_duration_since(at)),
        }
    }

    /// The instant this many nanoseconds after the begin; the begin, if no clock can show it.
    pub(crate) fn instant(self, nanos: i64) -> Instant {
        let span = Duration::from_nanos(nanos.unsigned_abs());
        let at = if nanos < 0 { self.0.checked_sub(span) } else { self.0.checked_add(span) };
        at.unwrap_or(self.0)
    }
}

/// Makes what a brain loads of a generation's recorded files: path and source, in the order of
/// their paths. `None`: the recording has none of it.
#[derive(Clone)]
pub struct Loader(Arc<Load>);

type Load =
    dyn Fn(&Generation, Option<&[(String, String)]>) -> Arc<dyn Any + Send + Sync> + Send + Sync;

impl Loader {
    /// A loader that does so.
    pub fn new(
        load: impl Fn(&Generation, Option<&[(String, String)]>) -> Arc<dyn Any + Send + Sync>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        Self(Arc::new(load))
    }

    pub(crate) fn code(
        &self,
        generation: &Generation,
        files: Option<&[(String, String)]>,
    ) -> Arc<dyn Any + Send + Sync> {
        (self.0)(generation, files)
    }
}

/// Loads nothing: for readers that only look at a recording.
impl Default for Loader {
    fn default() -> Self {
        Self::new(|_, _| Arc::new(()))
    }
}

impl fmt::Debug for Loader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Loader")
    }
}

/// What messages are read with.
pub(crate) struct Reading<'a> {
    pub(crate) epoch: Epoch,
    /// The code of a generation.
    pub(crate) code: &'a dyn Fn(&Generation) -> Arc<dyn Any + Send + Sync>,
}

impl Reading<'_> {
    fn staged(&self, message: v1::TapedStaged) -> Read<Staged> {
        beginning::staged_from(message, self.code)
    }
}

fn turn(turn: Turn) -> Option<v1::Turn> {
    Some(phalanx_convert::turn(turn))
}

fn turn_from(turn: Option<v1::Turn>) -> Turn {
    let turn = turn.unwrap_or_default();
    Turn::new(turn.round, turn.step)
}

fn agent(agent: AgentId) -> u32 {
    agent.0.into()
}

fn agent_from(agent: u32) -> Read<AgentId> {
    u16::try_from(agent).map(AgentId).map_err(|_| Lacking("possible agent"))
}

fn seat_from(seat: u32) -> Read<SeatId> {
    u16::try_from(seat).map(SeatId).map_err(|_| Lacking("possible seat"))
}

/// A length of time; the longest number also means anything longer.
fn nanos(span: Duration) -> u64 {
    u64::try_from(span.as_nanos()).unwrap_or(u64::MAX)
}

fn span(nanos: u64) -> Duration {
    if nanos == u64::MAX { Duration::MAX } else { Duration::from_nanos(nanos) }
}

#[cfg(test)]
mod tests;
