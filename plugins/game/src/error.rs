//! What can go wrong at the border of a game.

use crate::{AgentId, Turn};

/// Longest excerpt of foreign input that an error or a journal line carries, in characters.
const EXCERPT_CHARS_MAX: usize = 80;

/// A printable piece of foreign bytes: at most 80 characters, control characters escaped.
#[must_use]
pub fn excerpt(bytes: &[u8]) -> String {
    let head = bytes.get(..bytes.len().min(EXCERPT_CHARS_MAX * 4)).unwrap_or(bytes);
    let text = String::from_utf8_lossy(head);
    let mut out: String =
        text.chars().flat_map(char::escape_debug).take(EXCERPT_CHARS_MAX).collect();
    if text.chars().count() > EXCERPT_CHARS_MAX || head.len() < bytes.len() {
        out.push('…');
    }
    out
}

/// The referee sent what its protocol does not allow.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: expected {expected}, got {got}")]
pub struct ProtocolError {
    /// Where: message kind, field, byte offset.
    pub place: String,
    /// What the protocol allows there.
    pub expected: String,
    /// An excerpt of what came, at most 80 characters.
    pub got: String,
}

impl ProtocolError {
    /// An error with an excerpt of the offending bytes.
    pub fn new(place: impl Into<String>, expected: impl Into<String>, got: &[u8]) -> Self {
        Self { place: place.into(), expected: expected.into(), got: excerpt(got) }
    }
}

/// An answer came when its turn was closed already: answered, defaulted or superseded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the answer for turn {turn} came after that turn was closed")]
pub struct Late {
    /// Who answered.
    pub agent: AgentId,
    /// For which turn.
    pub turn: Turn,
}

/// An action that a script said is not one of the game's, or its arguments do not fit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("act.{action}: {reason}")]
pub struct ActionError {
    /// The action's name as said.
    pub action: String,
    /// What was expected and what came.
    pub reason: String,
}

/// A native query was asked wrongly: a programmer's mistake, raised as a Lua error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("world.{query}: {reason}")]
pub struct QueryError {
    /// The query's name.
    pub query: String,
    /// What was expected and what came.
    pub reason: String,
}
