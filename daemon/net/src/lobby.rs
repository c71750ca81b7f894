//! Seats that wait for a referee: the referee starts an executable, the bridge, and the bridge
//! connects to the daemon's Unix socket. It names its seat, and is let in or refused with a reason.
//!
//! ```text
//! bridge                                   daemon
//!   phalanx-bridge 1 ⇥ TEAM ⇥ AGENT ─────────▶
//!   ◀───────────────────────────────── welcome   (from here on the referee's lines and our replies)
//!   ◀───────────────────── refused ⇥ REASON      (the bridge answers by itself and comes again)
//! ```

mod door;

pub use door::receive_bridges;

use crate::{Endpoint, Link};
use phalanx_game::sorted::SortedMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, oneshot};

/// The first word of a bridge, with the version of the protocol.
const HELLO: &str = "phalanx-bridge 1";
/// The answer to a bridge that is let in.
const WELCOME: &str = "welcome";
/// The first word of the answer to a bridge that is refused.
const REFUSED: &str = "refused";
/// Separates the parts of a line; no name contains it.
const SEPARATOR: char = '\t';
/// Longest first line, in bytes.
const HELLO_BYTES_MAX: usize = 1024;
/// How long a bridge waits for a seat whose last connection is ending.
const BUSY_MAX: Duration = Duration::from_millis(500);

/// The first line of a bridge, without its end.
#[must_use]
pub fn hello(team: &str, agent: &str) -> String {
    format!("{HELLO}{SEPARATOR}{team}{SEPARATOR}{agent}")
}

/// Parses the answer to the first line.
///
/// # Errors
/// Why the bridge was refused.
pub fn welcomed(line: &str) -> Result<(), String> {
    match line.split_once(SEPARATOR) {
        None if line == WELCOME => Ok(()),
        Some((REFUSED, reason)) => Err(reason.to_owned()),
        None | Some(_) => Err(format!(
            "the other end is not phalanxd: it sent {:?}",
            phalanx_game::excerpt(line.as_bytes())
        )),
    }
}

/// Where bridges find the waiting seats. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Lobby {
    seats: Arc<Mutex<WaitingSeats>>,
    /// Signals that a seat waits again.
    free: Arc<Notify>,
}

/// The seats of a team's instances, by instance name. The key is the team and the agent that
/// bridges ask for. Each instance plays a match of its own.
type WaitingSeats = SortedMap<(String, String), SortedMap<String, Arc<SeatSlot>>>;

/// One seat: takes the next connection while it waits for one.
#[derive(Debug, Default)]
struct SeatSlot {
    waiting: Mutex<Option<oneshot::Sender<Link>>>,
}

/// The endpoint of seats that wait for their referee.
#[derive(Clone, Debug)]
pub struct Awaited {
    lobby: Lobby,
    /// The team that bridges ask for.
    team: String,
    /// The instance of the team.
    instance: String,
}

impl fmt::Display for Awaited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "phalanx bridge --team {}", self.team)
    }
}

impl Lobby {
    /// The endpoint of an instance of a team with these agents. Bridges ask for the team, and get
    /// the first instance that plays no match.
    #[must_use]
    pub fn endpoint<'a>(
        &self,
        team: &str,
        instance: &str,
        agents: impl Iterator<Item = &'a str>,
    ) -> Endpoint {
        let mut seats = self.seats.lock().unwrap_or_else(PoisonError::into_inner);
        for agent in agents {
            let places = seats.entry((team.to_owned(), agent.to_owned())).or_default();
            places.entry(instance.to_owned()).or_default();
        }
        let (team, instance) = (team.to_owned(), instance.to_owned());
        Endpoint::Awaited(Awaited { lobby: self.clone(), team, instance })
    }

    fn places(&self, team: &str, agent: &str) -> Result<SortedMap<String, Arc<SeatSlot>>, String> {
        let seats = self.seats.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (team.to_owned(), agent.to_owned());
        let missing = || {
            let mut known = seats.keys().filter(|(known, _)| known == team).peekable();
            if known.peek().is_some() {
                let agents: Vec<_> = known.map(|(_, agent)| agent.as_str()).collect();
                return format!("team {team} has no agent {agent}; it has {}", agents.join(", "));
            }
            let mut teams: Vec<_> = seats.keys().map(|(team, _)| team.as_str()).collect();
            teams.dedup();
            format!("no team {team} waits for bridges; there are: {}", teams.join(", "))
        };
        seats.get(&key).cloned().ok_or_else(missing)
    }

    /// Finds the seat and takes its sender; waits a moment for a seat whose connection is ending.
    async fn admit(&self, team: &str, agent: &str) -> Result<oneshot::Sender<Link>, String> {
        let places = self.places(team, agent)?;
        let busy = || {
            format!(
                "{agent} of team {team} is connected already, in as many matches as it plays at \
                 once ({}, the team's setting `matches`): the bridge answers by itself until one of them ends",
                places.len()
            )
        };
        tokio::time::timeout(BUSY_MAX, self.take(&places)).await.map_err(|_| busy())
    }

    /// The first of these seats that waits, now or later.
    async fn take(&self, places: &SortedMap<String, Arc<SeatSlot>>) -> oneshot::Sender<Link> {
        loop {
            let freed = self.free.notified();
            tokio::pin!(freed);
            // From here on no notification is missed.
            freed.as_mut().enable();
            if let Some(waiting) = places.values().find_map(|place| place.take()) {
                return waiting;
            }
            freed.await;
        }
    }
}

impl SeatSlot {
    fn take(&self) -> Option<oneshot::Sender<Link>> {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).take();
        // A seat that stopped waiting has dropped the receiver.
        waiting.filter(|waiting| !waiting.is_closed())
    }
}

impl Awaited {
    /// What a person has to do to connect this seat.
    pub(crate) fn wish(&self, agent: &str) -> String {
        format!("waits for its referee to start `{self} --agent {agent}`")
    }

    /// Waits for the seat's next connection, however long it takes.
    pub(crate) async fn wait(&self, agent: &str) -> std::io::Result<Link> {
        let places = self.lobby.places(&self.team, agent).map_err(std::io::Error::other)?;
        let missing = || std::io::Error::other(format!("no seat of {}", self.instance));
        let place = places.get(&self.instance).ok_or_else(missing)?;
        loop {
            let (sender, link) = oneshot::channel();
            *place.waiting.lock().unwrap_or_else(PoisonError::into_inner) = Some(sender);
            self.lobby.free.notify_waiters();
            // The bridge may leave during its welcome: then wait again.
            if let Ok(link) = link.await {
                return Ok(link);
            }
        }
    }
}
