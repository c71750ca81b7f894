//! Accounts, connections and logins (spec, section 4).

use super::act::Act;
use super::config::ArenaConfig;
use super::framing::Framing;
use super::message::{self, Packet};
use super::{AssembleArena, Launch, Phase};
use phalanx_game::{ConnectionId, Outgoing};
use std::collections::{BTreeMap, VecDeque};
use std::time::Instant;

/// An agent's account.
#[derive(Clone, Debug)]
pub(super) struct Account {
    pub(super) name: String,
    pub(super) team: usize,
    pub(super) connection: Option<ConnectionId>,
    /// The next action id: counts through the whole run.
    pub(super) next_id: u64,
    /// Id of the unanswered request.
    pub(super) pending: Option<u64>,
    pub(super) answer: Option<Act>,
    /// The running simulation's `sim-start`, if it takes part.
    pub(super) start: Option<Vec<u8>>,
    /// The unanswered request, kept if it may be sent again.
    pub(super) request: Vec<u8>,
}

/// Where a connection stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    /// Nothing heard yet.
    Fresh,
    /// Logged in.
    Known(usize),
    /// Never read again.
    Deaf,
}

#[derive(Clone, Debug)]
struct Connection {
    standing: Standing,
    framing: Framing,
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
            for number in 1..=config.accounts_per_team() {
                accounts.push(Account {
                    name: of.account(number),
                    team,
                    connection: None,
                    next_id: 0,
                    pending: None,
                    answer: None,
                    start: None,
                    request: Vec::new(),
                });
            }
        }
        let names = accounts
            .iter()
            .enumerate()
            .map(|(index, account)| (account.name.clone(), index))
            .collect();
        Self { accounts, out: VecDeque::new(), names, connections: BTreeMap::new() }
    }

    pub(super) fn join(&mut self, id: ConnectionId) {
        self.connections
            .insert(id, Connection { standing: Standing::Fresh, framing: Framing::default() });
    }

    pub(super) fn refuse(&mut self, id: ConnectionId) {
        self.out.push_back(Outgoing::Close(id));
    }

    pub(super) fn leave(&mut self, id: ConnectionId) {
        self.connections.remove(&id);
        // Whatever it was heard saying: an account must not wait behind a connection that is gone.
        for account in self.accounts.iter_mut().filter(|account| account.connection == Some(id)) {
            account.connection = None;
        }
    }

    fn close(&mut self, id: ConnectionId) {
        self.leave(id);
        self.out.push_back(Outgoing::Close(id));
    }

    /// The next packet of the bytes and the bytes after it; `None`: nobody reads them.
    pub(super) fn feed<'b>(
        &mut self,
        id: ConnectionId,
        bytes: &'b [u8],
        limit: usize,
    ) -> Option<(Option<Vec<u8>>, &'b [u8])> {
        let connection = self.connections.get_mut(&id)?;
        (connection.standing != Standing::Deaf).then(|| connection.framing.feed(bytes, limit))
    }

    pub(super) fn send(&mut self, account: usize, bytes: Vec<u8>) {
        if let Some(connection) = self.accounts.get(account).and_then(|account| account.connection)
        {
            self.out.push_back(Outgoing::Bytes(connection, bytes));
        }
    }

    /// Says `bye` to every account with a connection and closes all connections.
    pub(super) fn farewell(&mut self) {
        for account in 0..self.accounts.len() {
            self.send(account, message::bye());
        }
        let all: Vec<ConnectionId> = self.connections.keys().copied().collect();
        for id in all {
            self.close(id);
        }
    }

    fn everybody_is_there(&self) -> bool {
        self.accounts.iter().all(|account| account.connection.is_some())
    }

    fn hear(&mut self, id: ConnectionId, standing: Standing) {
        if let Some(connection) = self.connections.get_mut(&id) {
            connection.standing = standing;
        }
    }
}

impl AssembleArena {
    pub(super) fn packet(&mut self, id: ConnectionId, bytes: &[u8], now: Instant) {
        let Some(standing) = self.lobby.connections.get(&id).map(|connection| connection.standing)
        else {
            return;
        };
        match (standing, message::read(bytes)) {
            (Standing::Fresh, Packet::Auth { user, password }) => {
                self.login(id, &user, &password, now)
            }
            (Standing::Fresh, Packet::Status) => self.status(id, now),
            (Standing::Fresh, Packet::Action { .. } | Packet::Ignored | Packet::Broken) => {
                self.lobby.close(id)
            }
            (Standing::Known(account), Packet::Action { id, act }) => {
                self.answer(account, id, act, now)
            }
            (Standing::Known(_), Packet::Broken) if self.options.deaf_after_broken => {
                self.lobby.hear(id, Standing::Deaf);
            }
            (
                Standing::Known(_),
                Packet::Auth { .. } | Packet::Status | Packet::Ignored | Packet::Broken,
            )
            | (Standing::Deaf, _) => {}
        }
    }

    fn status(&mut self, id: ConnectionId, now: Instant) {
        let name = |team: &usize| self.config.teams.get(*team).map(|team| team.name.clone());
        let teams: Vec<String> = self.teams.iter().filter_map(name).collect();
        let sizes: Vec<usize> = self.config.sims.iter().map(|sim| sim.entities).collect();
        let current = self.current.map_or(-1, |index| i64::try_from(index).unwrap_or(i64::MAX));
        let response = message::status(&teams, &sizes, current, self.unix_ms(now));
        self.lobby.out.push_back(Outgoing::Bytes(id, response));
        self.lobby.hear(id, Standing::Deaf);
    }

    fn login(&mut self, id: ConnectionId, user: &str, password: &str, now: Instant) {
        let index = self.lobby.names.get(user).copied();
        let known = index.and_then(|index| {
            let team = self.lobby.accounts.get(index)?.team;
            self.config.teams.get(team)?.password.is(password).then_some(index)
        });
        self.lobby.out.push_back(Outgoing::Bytes(id, message::auth_response(known.is_some())));
        let Some(index) = known else {
            self.lobby.close(id);
            return;
        };
        if let Some(old) = self.lobby.accounts.get(index).and_then(|account| account.connection) {
            self.lobby.close(old);
        }
        self.lobby.hear(id, Standing::Known(index));
        let Some(account) = self.lobby.accounts.get_mut(index) else { return };
        account.connection = Some(id);
        let start = account.start.clone();
        let again = account.pending.is_some() && self.options.resend_request;
        let request = again.then(|| account.request.clone());
        for bytes in start.into_iter().chain(request) {
            self.lobby.send(index, bytes);
        }
        let launch = self.options.launch.unwrap_or(self.config.server.launch);
        let waiting = matches!(self.phase, Phase::Waiting(_));
        if waiting && launch == Launch::Complete && self.lobby.everybody_is_there() {
            self.start(now);
        }
    }

    /// The first answer with the pending id wins; all others are ignored.
    fn answer(&mut self, account: usize, id: i64, act: Act, now: Instant) {
        let Some(account) = self.lobby.accounts.get_mut(account) else { return };
        if account.pending.is_none() || account.pending != u64::try_from(id).ok() {
            return;
        }
        account.pending = None;
        account.answer = Some(act);
        let Some(game) = &mut self.game else { return };
        game.waiting = game.waiting.saturating_sub(1);
        if game.waiting == 0 {
            self.finish_step(now);
        }
    }
}
