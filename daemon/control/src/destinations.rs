//! Where operators may move teams. A seat sends its agent's password to the server that it connects
//! to, so a user who can choose the server can obtain the passwords.

use phalanx_settings::HostPattern;
use std::sync::{Arc, PoisonError, RwLock};

/// The servers of `control.move_hosts`. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct MoveHosts(Arc<RwLock<Vec<HostPattern>>>);

impl MoveHosts {
    /// Replaces the list of allowed servers.
    pub fn allow(&self, hosts: Vec<HostPattern>) {
        // The lock holds a complete list even after a panic.
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = hosts;
    }

    fn all(&self) -> Vec<HostPattern> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Where operators may move one team.
#[derive(Debug, Default)]
pub struct Destinations {
    hosts: MoveHosts,
    /// The team's own server, `host:port`; `None` for a team that waits for bridges.
    home: RwLock<Option<HostPattern>>,
}

impl Destinations {
    /// The destinations of a team whose settings name this server.
    #[must_use]
    pub fn new(hosts: MoveHosts, server: &str) -> Self {
        let destinations = Self { hosts, home: RwLock::default() };
        destinations.set_home(server);
        destinations
    }

    /// Sets the server that the team's settings name.
    pub fn set_home(&self, server: &str) {
        let home = server.parse().ok().filter(|_| server.contains(':'));
        *self.home.write().unwrap_or_else(PoisonError::into_inner) = home;
    }

    /// Whether an operator may move the team there; `host` has no brackets.
    #[must_use]
    pub fn allows(&self, host: &str, port: u16) -> bool {
        self.all().iter().any(|allowed| allowed.fits(host, port))
    }

    /// All of them as text.
    #[must_use]
    pub fn shown(&self) -> String {
        let all: Vec<_> = self.all().iter().map(ToString::to_string).collect();
        if all.is_empty() { "none".to_owned() } else { all.join(", ") }
    }

    fn all(&self) -> Vec<HostPattern> {
        let home = self.home.read().unwrap_or_else(PoisonError::into_inner).clone();
        home.into_iter().chain(self.hosts.all()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_reach_the_teams_own_server_and_the_listed_ones() {
        let hosts = MoveHosts::default();
        let team = Destinations::new(hosts.clone(), "127.0.0.1:12300");
        assert!(team.allows("127.0.0.1", 12300));
        // Another user of the same machine may own another port.
        assert!(!team.allows("127.0.0.1", 12301));
        assert!(!team.allows("attacker.example", 12300));
        assert_eq!(team.shown(), "127.0.0.1:12300");

        hosts.allow(vec!["backup.example".parse().expect("a host")]);
        assert!(team.allows("backup.example", 7) && !team.allows("attacker.example", 7));
        hosts.allow(Vec::new());
        assert!(!team.allows("backup.example", 7));

        team.set_home("finals.example:5");
        assert!(team.allows("finals.example", 5) && !team.allows("127.0.0.1", 12300));
        team.set_home("bridge");
        assert_eq!(team.shown(), "none");
    }
}
