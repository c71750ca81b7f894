//! Accounts, connections and logins (spec, sections 4 and 5).

use super::config::ArenaConfig;
use super::framing::{Frame, Framing};
use crate::rules::Act;
use phalanx_game::{ConnectionId, Outgoing};
use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

/// How long a new connection may take to log in.
pub(super) const LOGIN_TIME: Duration = Duration::from_secs(30);
/// Connections beyond one for each account that may be open at once.
const STRANGERS_MAX: usize = 64;
/// So many bad frames in a row close a connection.
const BAD_FRAMES_MAX: u32 = 64;

/// How well an account's client behaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Manners {
    /// Frames that were no XML, or too long.
    pub malformed: u64,
    /// Answers to requests that were answered or over already.
    pub late: u64,
    /// Answers with an id that no request ever had, or with none.
    pub unknown_ids: u64,
    /// Requests without an answer in time.
    pub silent: u64,
}

/// An agent's account.
#[derive(Clone, Debug)]
pub(super) struct Account {
    pub(super) name: String,
    pub(super) team: usize,
    pub(super) connection: Option<ConnectionId>,
    /// Counts the messages of this account through the whole run; the next one's number.
    pub(super) next_id: i64,
    /// Number of the request that waits for its answer.
    pub(super) awaited: Option<i64>,
    pub(super) answer: Option<Act>,
    /// The running simulation's start, if the account takes part.
    pub(super) start: Option<Vec<u8>>,
    /// The running step's request, if nobody was there to get it.
    pub(super) queued: Option<Vec<u8>>,
    pub(super) manners: Manners,
}

impl Account {
    /// The number of the next message.
    pub(super) fn number(&mut self) -> i64 {
        let number = self.next_id;
        self.next_id = self.next_id.saturating_add(1);
        number
    }
}

/// Where a connection stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Nothing heard yet; until then it must log in.
    Fresh(Instant),
    /// Logged in.
    Known(usize),
    /// Never read again.
    Deaf,
}

#[derive(Clone, Debug)]
struct Connection {
    place: Place,
    framing: Framing,
    /// Bad frames since the last good one.
    bad: u32,
}

/// Who is there.
#[derive(Debug)]
pub(super) struct Lobby {
    pub(super) accounts: Vec<Account>,
    pub(super) out: VecDeque<Outgoing>,
    names: BTreeMap<String, usize>,
    connections: BTreeMap<ConnectionId, Connection>,
}

impl Lobby {
    pub(super) fn new(config: &ArenaConfig) -> Self {
        let mut accounts = Vec::new();
        for (team, of) in config.teams.iter().enumerate() {
            accounts.extend((1..=config.agents).map(|number| Account {
                name: of.account(number),
                team,
                connection: None,
                next_id: 0,
                awaited: None,
                answer: None,
                start: None,
                queued: None,
                manners: Manners::default(),
            }));
        }
        let names = accounts.iter().enumerate().map(|(id, account)| (account.name.clone(), id));
        let names = names.collect();
        Self { accounts, out: VecDeque::new(), names, connections: BTreeMap::new() }
    }

    pub(super) fn join(&mut self, id: ConnectionId, now: Instant) {
        if self.connections.len() >= self.accounts.len().saturating_add(STRANGERS_MAX) {
            self.out.push_back(Outgoing::Close(id));
            return;
        }
        let place = Place::Fresh(now + LOGIN_TIME);
        self.connections.insert(id, Connection { place, framing: Framing::default(), bad: 0 });
    }

    /// Forgets a connection.
    pub(super) fn leave(&mut self, id: ConnectionId) {
        self.connections.remove(&id);
        self.unseat(id);
    }

    /// Sends nothing more to a connection.
    pub(super) fn unseat(&mut self, id: ConnectionId) {
        for account in self.accounts.iter_mut().filter(|account| account.connection == Some(id)) {
            account.connection = None;
        }
    }

    pub(super) fn close(&mut self, id: ConnectionId) {
        self.leave(id);
        self.out.push_back(Outgoing::Close(id));
    }

    pub(super) fn place(&self, id: ConnectionId) -> Option<Place> {
        self.connections.get(&id).map(|connection| connection.place)
    }

    pub(super) fn put(&mut self, id: ConnectionId, place: Place) {
        if let Some(connection) = self.connections.get_mut(&id) {
            connection.place = place;
        }
    }

    /// The next frame of the bytes and the bytes after it; `None`: nobody reads them.
    pub(super) fn feed<'b>(
        &mut self,
        id: ConnectionId,
        bytes: &'b [u8],
        limit: usize,
    ) -> Option<(Option<Frame>, &'b [u8])> {
        let connection = self.connections.get_mut(&id)?;
        (connection.place != Place::Deaf).then(|| connection.framing.feed(bytes, limit))
    }

    /// What a connection sent after its last whole frame.
    pub(super) fn rest(&mut self, id: ConnectionId) -> Option<Frame> {
        self.connections.get_mut(&id)?.framing.rest()
    }

    /// Notes a good frame.
    pub(super) fn good(&mut self, id: ConnectionId) {
        if let Some(connection) = self.connections.get_mut(&id) {
            connection.bad = 0;
        }
    }

    /// Notes a bad frame; whether the connection has sent too many.
    pub(super) fn bad(&mut self, id: ConnectionId) -> bool {
        let Some(connection) = self.connections.get_mut(&id) else { return false };
        connection.bad += 1;
        let (bad, place) = (connection.bad, connection.place);
        if let Place::Known(account) = place
            && let Some(account) = self.accounts.get_mut(account)
        {
            account.manners.malformed = account.manners.malformed.saturating_add(1);
        }
        bad >= BAD_FRAMES_MAX
    }

    pub(super) fn find(&self, user: &str) -> Option<usize> {
        self.names.get(user).copied()
    }

    /// Sends to an account's client, if there is one.
    pub(super) fn send(&mut self, account: usize, bytes: Vec<u8>) {
        if let Some(connection) = self.accounts.get(account).and_then(|account| account.connection)
        {
            self.out.push_back(Outgoing::Bytes(connection, bytes));
        }
    }

    pub(super) fn everybody_is_there(&self) -> bool {
        self.accounts.iter().all(|account| account.connection.is_some())
    }

    /// All connections.
    pub(super) fn all(&self) -> Vec<ConnectionId> {
        self.connections.keys().copied().collect()
    }

    /// When the first of those who have not logged in must be gone.
    pub(super) fn patience(&self) -> Option<Instant> {
        let fresh = self.connections.values().filter_map(|connection| match connection.place {
            Place::Fresh(until) => Some(until),
            Place::Known(_) | Place::Deaf => None,
        });
        fresh.min()
    }

    /// Closes the connections that did not log in in time.
    pub(super) fn close_silent(&mut self, now: Instant) {
        for id in self.all() {
            if matches!(self.place(id), Some(Place::Fresh(until)) if until <= now) {
                self.close(id);
            }
        }
    }
}
