//! Connections and roles (spec sections 1 and 10).

use super::config::EngineConfig;
use phalanx_game::{ConnectionId, Outgoing};
use std::collections::VecDeque;
use std::time::Instant;

/// What a connection may do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ClientRole {
    /// Plays as this agent.
    Agent(String),
    /// Steps, resets, asks the forward model.
    Admin,
    /// Watches.
    Spectator,
    /// Was refused: hears nothing and is never read.
    Silent,
}

impl ClientRole {
    /// The role's name on the wire.
    pub(super) fn word(&self) -> &'static str {
        match self {
            Self::Agent(_) => "agent",
            Self::Admin => "admin",
            Self::Spectator => "spectator",
            Self::Silent => "",
        }
    }

    /// The place in a broadcast.
    fn rank(&self) -> u8 {
        match self {
            Self::Agent(_) => 0,
            Self::Admin => 1,
            Self::Spectator => 2,
            Self::Silent => 3,
        }
    }
}

/// One client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LobbyClient {
    pub(super) id: ConnectionId,
    /// The engine's number for it.
    pub(super) number: u64,
    pub(super) role: ClientRole,
    pub(super) since: Instant,
}

/// How an attempt to connect ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Admission {
    /// It is in.
    In(LobbyClient),
    /// It is not, for this reason; the wire stays silent about it.
    Refused(&'static str),
}

/// Who is there, and what waits to be sent.
#[derive(Debug, Default)]
pub(super) struct ClientLobby {
    connections: Vec<LobbyClient>,
    count: u64,
    pub(super) out: VecDeque<Outgoing>,
}

impl ClientLobby {
    /// Admits a client by the target of its request. Without a role it is closed at once; who is
    /// refused otherwise stays connected and hears nothing.
    pub(super) fn join(
        &mut self,
        id: ConnectionId,
        target: &str,
        server: &EngineConfig,
        now: Instant,
    ) -> Admission {
        self.count += 1;
        let query = Query::parse(target);
        let Some(role) = query.get("role").filter(|role| !role.is_empty()) else {
            self.out.push_back(Outgoing::Close(id));
            return Admission::Refused("closed: no role in its request");
        };
        let role = match role {
            "agent" => self.agent(&query, server).map(ClientRole::Agent),
            "admin" if server.admin => Ok(ClientRole::Admin),
            "admin" => Err("refused: ADMIN_ROLE_ENABLED is 0"),
            "spectator" => Ok(ClientRole::Spectator),
            _ => Err("refused: role is none of agent, spectator, admin"),
        };
        let (role, refusal) =
            role.map_or_else(|why| (ClientRole::Silent, Some(why)), |role| (role, None));
        let connection = LobbyClient { id, number: self.count, role, since: now };
        self.connections.push(connection.clone());
        // Agents first, then admins, then spectators, each in the order of their coming.
        self.connections.sort_by_key(|connection| (connection.role.rank(), connection.number));
        refusal.map_or(Admission::In(connection), Admission::Refused)
    }

    /// The agent whose secret the query knows, unless it is there already.
    fn agent(&self, query: &Query, server: &EngineConfig) -> Result<String, &'static str> {
        let secret = query.get("agentId").ok_or("refused: no agentId in its request")?;
        let known = server.secrets.iter().find(|(known, _)| known == secret);
        let (_, id) = known.ok_or("refused: its agentId is not in AGENT_SECRET_ID_MAP")?;
        let there = ClientRole::Agent(id.clone());
        let free = self.connections.iter().all(|connection| connection.role != there);
        if free { Ok(id.clone()) } else { Err("refused: its agentId is connected already") }
    }

    pub(super) fn leave(&mut self, id: ConnectionId) {
        self.connections.retain(|connection| connection.id != id);
    }

    pub(super) fn find(&self, id: ConnectionId) -> Option<&LobbyClient> {
        self.connections.iter().find(|connection| connection.id == id)
    }

    /// The clients that hear broadcasts, in their order.
    pub(super) fn listeners(&self) -> impl Iterator<Item = &LobbyClient> {
        self.connections.iter().filter(|connection| connection.role != ClientRole::Silent)
    }

    /// How many agents are there.
    pub(super) fn agents(&self) -> usize {
        let agents = self.connections.iter();
        agents.filter(|connection| matches!(connection.role, ClientRole::Agent(_))).count()
    }

    /// Whether that agent is there.
    pub(super) fn has_agent(&self, id: &str) -> bool {
        self.connections
            .iter()
            .any(|there| matches!(&there.role, ClientRole::Agent(agent) if agent == id))
    }

    pub(super) fn send(&mut self, id: ConnectionId, bytes: Vec<u8>) {
        self.out.push_back(Outgoing::Bytes(id, bytes));
    }

    pub(super) fn broadcast(&mut self, bytes: &[u8]) {
        let listeners: Vec<ConnectionId> = self.listeners().map(|there| there.id).collect();
        for id in listeners {
            self.send(id, bytes.to_vec());
        }
    }

    pub(super) fn close_all(&mut self) {
        for connection in std::mem::take(&mut self.connections) {
            self.out.push_back(Outgoing::Close(connection.id));
        }
    }

    /// Closes the refused ones that came before an instant.
    pub(super) fn close_refused(&mut self, before: Instant) {
        let old = |there: &LobbyClient| there.role == ClientRole::Silent && there.since <= before;
        let gone: Vec<ConnectionId> =
            self.connections.iter().filter(|there| old(there)).map(|there| there.id).collect();
        for id in gone {
            self.leave(id);
            self.out.push_back(Outgoing::Close(id));
        }
    }

    /// When the oldest refused client came.
    pub(super) fn oldest_refused(&self) -> Option<Instant> {
        let refused = self.connections.iter().filter(|there| there.role == ClientRole::Silent);
        refused.map(|there| there.since).min()
    }
}

/// The parameters of a target: everything after the leading slash is read as a query string.
struct Query(Vec<(String, String)>);

impl Query {
    fn parse(target: &str) -> Self {
        let rest = target.strip_prefix('/').unwrap_or(target);
        let rest = rest.strip_prefix(['?', '#', '&']).unwrap_or(rest);
        let pair = |part: &str| {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            (unescaped(key), unescaped(value))
        };
        Self(rest.split('&').filter(|part| !part.is_empty()).map(pair).collect())
    }

    fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }
}

/// Plus signs and percent signs of a query string resolved.
fn unescaped(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, behind)) = rest.split_first() {
        rest = behind;
        let code = behind.get(..2).and_then(|code| std::str::from_utf8(code).ok());
        match (byte, code.and_then(|code| u8::from_str_radix(code, 16).ok())) {
            (b'+', _) => bytes.push(b' '),
            (b'%', Some(code)) => {
                bytes.push(code);
                rest = behind.get(2..).unwrap_or_default();
            }
            _ => bytes.push(byte),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_path_is_a_query() {
        let role = |target: &str| Query::parse(target).get("role").map(str::to_owned);
        assert_eq!(role("/?name=x&role=agent").as_deref(), Some("agent"));
        assert_eq!(role("/role=spectator").as_deref(), Some("spectator"));
        assert_eq!(role("/game?role=agent"), None);
        assert_eq!(role("/?role=ad%6Din%zz+").as_deref(), Some("admin%zz "));
    }
}
