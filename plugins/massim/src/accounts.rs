//! Accounts, connections and logins, on the referee's side.

use crate::config::{Password, TeamConfig};
use crate::framing::{ClientFrame, FrameReader};
use phalanx_game::sorted::SortedMap;
use phalanx_game::{ConnectionId, Outgoing};
use std::collections::VecDeque;
use std::time::Instant;

/// How well an account's client behaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClientConduct {
    /// Frames that could not be read, or were too long.
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
pub struct AgentAccount<Act> {
    /// Its name.
    pub name: String,
    /// The index of its team.
    pub team: usize,
    password: Password,
    /// Where its client is logged in.
    pub connection: Option<ConnectionId>,
    /// The next id; ids go on through the whole run.
    pub next_id: i64,
    /// Id of the unanswered request.
    pub awaited: Option<i64>,
    /// The answer in the running step.
    pub answer: Option<Act>,
    /// The running simulation's start message, if the account takes part.
    pub start: Option<Vec<u8>>,
    /// The running step's request, if a later login is to get it.
    pub queued: Option<Vec<u8>>,
    /// How well its client behaves.
    pub conduct: ClientConduct,
}

impl<Act> AgentAccount<Act> {
    /// Takes the next id.
    pub fn take_id(&mut self) -> i64 {
        let id = self.next_id;
        self.next_id = self.next_id.saturating_add(1);
        id
    }
}

/// What a connection has reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoginState {
    /// Connected; it must log in before that instant, if there is one.
    Fresh(Option<Instant>),
    /// Logged in to the account of that index.
    LoggedIn(usize),
    /// Never read again.
    Ignored,
}

#[derive(Clone, Debug)]
struct ClientConnection {
    state: LoginState,
    reader: FrameReader,
    /// Bad frames since the last good one.
    bad_frames: u32,
}

/// All accounts and connections.
#[derive(Debug)]
pub struct AccountTable<Act> {
    /// The accounts: all of the first team, then all of the second, and so on.
    pub accounts: Vec<AgentAccount<Act>>,
    /// What to do with connections next.
    pub out: VecDeque<Outgoing>,
    by_name: SortedMap<String, usize>,
    connections: SortedMap<ConnectionId, ClientConnection>,
}

impl<Act> AccountTable<Act> {
    /// The given number of accounts for each team, none of them logged in.
    #[must_use]
    pub fn new(teams: &[TeamConfig], per_team: usize) -> Self {
        let account = |team: usize, of: &TeamConfig, number| AgentAccount {
            name: of.account(number),
            team,
            password: of.password.clone(),
            connection: None,
            next_id: 0,
            awaited: None,
            answer: None,
            start: None,
            queued: None,
            conduct: ClientConduct::default(),
        };
        let numbers = |(team, of)| (1..=per_team).map(move |number| account(team, of, number));
        let accounts: Vec<_> = teams.iter().enumerate().flat_map(numbers).collect();
        let by_name = accounts.iter().enumerate();
        let by_name = by_name.map(|(index, account)| (account.name.clone(), index)).collect();
        Self { accounts, out: VecDeque::new(), by_name, connections: SortedMap::new() }
    }

    /// The account of that index.
    pub fn account(&mut self, index: usize) -> Option<&mut AgentAccount<Act>> {
        self.accounts.get_mut(index)
    }

    /// Adds a connection, which must log in before that instant.
    pub fn join(&mut self, id: ConnectionId, login_until: Option<Instant>) {
        let (state, reader) = (LoginState::Fresh(login_until), FrameReader::default());
        self.connections.insert(id, ClientConnection { state, reader, bad_frames: 0 });
    }

    /// Removes a connection.
    pub fn leave(&mut self, id: ConnectionId) {
        self.connections.remove(&id);
        self.log_out(id);
    }

    /// Sends nothing more to a connection. Its last frame can still be read.
    pub fn log_out(&mut self, id: ConnectionId) {
        for account in self.accounts.iter_mut().filter(|account| account.connection == Some(id)) {
            account.connection = None;
        }
    }

    /// Removes a connection and closes it.
    pub fn close(&mut self, id: ConnectionId) {
        self.leave(id);
        self.out.push_back(Outgoing::Close(id));
    }

    /// Sends `bye` to a connection that is logged in, and closes it.
    pub fn dismiss(&mut self, id: ConnectionId, bye: Vec<u8>) {
        if self.accounts.iter().any(|account| account.connection == Some(id)) {
            self.out.push_back(Outgoing::Bytes(id, bye));
        }
        self.close(id);
    }

    /// The team of a logged-in client, and its place in the team.
    #[must_use]
    pub fn player(&self, id: ConnectionId) -> Option<(usize, usize)> {
        let Some(LoginState::LoggedIn(index)) = self.state(id) else { return None };
        let team = self.accounts.get(index)?.team;
        let first = self.accounts.iter().position(|account| account.team == team)?;
        Some((team, index - first))
    }

    /// What a connection has reached; `None` for one that is gone.
    #[must_use]
    pub fn state(&self, id: ConnectionId) -> Option<LoginState> {
        self.connections.get(&id).map(|connection| connection.state)
    }

    /// Stops reading a connection.
    pub fn ignore(&mut self, id: ConnectionId) {
        self.set_state(id, LoginState::Ignored);
    }

    fn set_state(&mut self, id: ConnectionId, state: LoginState) {
        if let Some(connection) = self.connections.get_mut(&id) {
            connection.state = state;
        }
    }

    /// The frames that a connection's bytes complete; none of a connection that is not read.
    pub fn feed(&mut self, id: ConnectionId, bytes: &[u8], limit: usize) -> Vec<ClientFrame> {
        let connection = self.connections.get_mut(&id);
        let connection = connection.filter(|connection| connection.state != LoginState::Ignored);
        connection.map(|connection| connection.reader.feed(bytes, limit)).unwrap_or_default()
    }

    /// What a connection sent after its last whole frame.
    pub fn rest(&mut self, id: ConnectionId) -> Option<ClientFrame> {
        self.connections.get_mut(&id)?.reader.rest()
    }

    /// Notes a frame that could be read.
    pub fn good_frame(&mut self, id: ConnectionId) {
        if let Some(connection) = self.connections.get_mut(&id) {
            connection.bad_frames = 0;
        }
    }

    /// Notes a frame that could not be read, and returns how many came in a row.
    pub fn bad_frame(&mut self, id: ConnectionId) -> u32 {
        let Some(connection) = self.connections.get_mut(&id) else { return 0 };
        connection.bad_frames += 1;
        let (bad_frames, state) = (connection.bad_frames, connection.state);
        if let LoginState::LoggedIn(account) = state
            && let Some(account) = self.accounts.get_mut(account)
        {
            account.conduct.malformed = account.conduct.malformed.saturating_add(1);
        }
        bad_frames
    }

    /// The index of an account.
    #[must_use]
    pub fn find(&self, user: &str) -> Option<usize> {
        self.by_name.get(user).copied()
    }

    /// The index of the account that has this password.
    #[must_use]
    pub fn authenticate(&self, user: &str, password: &str) -> Option<usize> {
        let has_it = |account: &AgentAccount<Act>| account.password.is(password);
        self.find(user).filter(|index| self.accounts.get(*index).is_some_and(has_it))
    }

    /// Logs a connection in; another one of the same account is closed.
    pub fn log_in(&mut self, id: ConnectionId, index: usize) {
        if let Some(old) = self.accounts.get(index).and_then(|account| account.connection) {
            self.close(old);
        }
        self.set_state(id, LoginState::LoggedIn(index));
        if let Some(account) = self.accounts.get_mut(index) {
            account.connection = Some(id);
        }
    }

    /// Sends to an account's client, if it is logged in.
    pub fn send(&mut self, account: usize, bytes: Vec<u8>) {
        if let Some(connection) = self.accounts.get(account).and_then(|account| account.connection)
        {
            self.out.push_back(Outgoing::Bytes(connection, bytes));
        }
    }

    /// Whether all accounts are logged in.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.accounts.iter().all(|account| account.connection.is_some())
    }

    /// All connections.
    #[must_use]
    pub fn connections(&self) -> Vec<ConnectionId> {
        self.connections.keys().copied().collect()
    }

    /// When the first connection must have logged in.
    #[must_use]
    pub fn login_due(&self) -> Option<Instant> {
        let until = self.connections.values().filter_map(|connection| match connection.state {
            LoginState::Fresh(until) => until,
            LoginState::LoggedIn(_) | LoginState::Ignored => None,
        });
        until.min()
    }

    /// Closes the connections that did not log in in time.
    pub fn close_overdue(&mut self, now: Instant) {
        for id in self.connections() {
            if matches!(self.state(id), Some(LoginState::Fresh(Some(until))) if until <= now) {
                self.close(id);
            }
        }
    }
}
