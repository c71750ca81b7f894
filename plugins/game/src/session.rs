//! The client's side of one connection, as a state machine.

use crate::{AgentId, Event, Late, MarginLimits, Origin, ProtocolError, ResumeFrame, SeatId, Turn};
use std::fmt::Debug;
use std::time::{Duration, Instant};

/// How a transport cuts what it carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// A stream of bytes: `handle_input` gets pieces of any size, the session finds the frames.
    Stream,
    /// Whole messages: one `handle_input` each.
    Message,
}

/// What a session must know about its place in the team.
#[derive(Clone)]
pub struct Seat {
    /// Which connection.
    pub id: SeatId,
    /// The agents that this connection carries, with the names by which the referee knows them.
    pub agents: Vec<(AgentId, String)>,
    /// The account's name, where the game has accounts.
    pub user: String,
    /// The account's password; never printed.
    pub password: String,
    /// How long a turn lasts where the referee does not say.
    pub turn_limit: Duration,
    /// Bounds of the safety margin before a deadline.
    pub margin: MarginLimits,
}

impl Debug for Seat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Seat")
            .field("id", &self.id)
            .field("agents", &self.agents)
            .field("user", &self.user)
            .field("password", &"[redacted]")
            .field("turn_limit", &self.turn_limit)
            .field("margin", &self.margin)
            .finish()
    }
}

/// The protocol of one seat. It outlives its connections, since some referees expect a client to
/// remember (MAPC 2020: a reconnect may come back without a start message).
///
/// After every `handle_*` call drain `poll_transmit` and `poll_event`, then ask `poll_timeout`.
pub trait Session: Debug + Send {
    /// What the referee says when a round starts.
    type Briefing: Debug + Send;
    /// What the referee tells an agent in a turn.
    type Percept: Debug + Send;
    /// What an agent may do.
    type Action: Clone + Debug + Send;

    /// The path with its query that a connection asks for, where the transport has one.
    #[must_use]
    fn target(&self) -> String {
        "/".to_owned()
    }

    /// The account has another password: the next login uses it. Games without passwords need none.
    fn set_password(&mut self, _password: &str) {}

    /// A connection is open: log in.
    fn handle_connected(&mut self, now: Instant);

    /// The connection is gone: open turns close as [`DefaultCause::Disconnected`], partial frames
    /// are forgotten.
    ///
    /// [`DefaultCause::Disconnected`]: crate::DefaultCause::Disconnected
    fn handle_disconnected(&mut self, now: Instant);

    /// Bytes arrived, cut as the game's [`Framing`] says. A message that is malformed on its own
    /// becomes a [`Notice`](crate::Notice) and the rest is read.
    ///
    /// # Errors
    /// When framing is lost or a limit is broken: the caller closes the connection and reconnects.
    fn handle_input(&mut self, bytes: &[u8], now: Instant) -> Result<(), ProtocolError>;

    /// The team decided.
    ///
    /// # Errors
    /// [`Late`] when that turn is closed; nothing is sent then.
    fn handle_action(
        &mut self,
        turn: Turn,
        agent: AgentId,
        action: &Self::Action,
    ) -> Result<(), Late>;

    /// Whether an accepted action of this agent is not sent yet, because the order of messages
    /// matters to the referee. An accepted action for which nothing is sent, and that is not held,
    /// is the answer in itself: to say nothing.
    #[must_use]
    fn holds(&self, _agent: AgentId) -> bool {
        false
    }

    /// The instant of `poll_timeout` has come: answer what is due.
    fn handle_timeout(&mut self, now: Instant);

    /// We leave: say goodbye where the protocol has a word for it. Open turns are answered first.
    fn handle_shutdown(&mut self, now: Instant);

    /// The next bytes to write (one message, framed). Call again after every `handle_*`.
    #[must_use]
    fn poll_transmit(&mut self) -> Option<Vec<u8>>;

    /// The next event for the team. Call again after every `handle_*`.
    #[must_use]
    fn poll_event(&mut self) -> Option<Event<Self::Briefing, Self::Percept>>;

    /// Returns once that the connection must be closed and opened again, because the referee has
    /// gone silent without closing it. Call again after every `handle_*`.
    #[must_use]
    fn poll_hangup(&mut self) -> Option<String> {
        None
    }

    /// When `handle_timeout` must be called at the latest. Ask again after every `handle_*`.
    #[must_use]
    fn poll_timeout(&self) -> Option<Instant>;

    /// The smoothed round trip to the referee, once measured.
    #[must_use]
    fn round_trip(&self) -> Option<Duration>;

    /// What the referee's clock showed, by its last message that tells the time, and when that
    /// message arrived; `None` where the protocol tells none, or nothing has come yet. Nothing is
    /// decided by it: people look at it.
    #[must_use]
    fn referee_clock(&self) -> Option<Origin> {
        None
    }

    /// The bytes that a fresh session of the same seat must receive, right after
    /// `handle_connected`, to continue on the same connection in another process. What the fresh
    /// session would send while it reads them was sent before, and is dropped. `None`: the session
    /// cannot be continued now.
    #[must_use]
    fn resume_frames(&self) -> Option<Vec<ResumeFrame>> {
        None
    }
}
