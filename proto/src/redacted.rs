//! How messages with passwords or tokens look in logs and panics: without them.

use crate::v1::{AgentSpec, ArenaFile, CreateTokenResponse, TeamSpec};
use std::fmt;

/// What stands in a secret's place.
fn redacted(secret: &str) -> &'static str {
    if secret.is_empty() { "" } else { "[redacted]" }
}

impl fmt::Debug for CreateTokenResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { token, text } = self;
        f.debug_struct("CreateTokenResponse")
            .field("token", token)
            .field("text", &redacted(text))
            .finish()
    }
}

impl fmt::Debug for AgentSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, user, password, role } = self;
        f.debug_struct("AgentSpec")
            .field("name", name)
            .field("user", user)
            .field("password", &redacted(password))
            .field("role", role)
            .finish()
    }
}

impl fmt::Debug for ArenaFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, content } = self;
        // A referee's configuration has the passwords of all accounts.
        f.debug_struct("ArenaFile").field("path", path).field("bytes", &content.len()).finish()
    }
}

impl fmt::Debug for TeamSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TeamSpec")
            .field("name", &self.name)
            .field("game", &self.game)
            .field("server", &self.server)
            .field("strategy", &self.strategy)
            .field("agents", &self.agents)
            .field("pattern", &self.pattern)
            .field("role", &self.role)
            .field("password", &redacted(&self.password))
            .field("seed", &self.seed)
            .field("deadline", &self.deadline)
            // A game may have secrets among its options.
            .field("options", &self.options.keys().collect::<Vec<_>>())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::v1::CreateTeamRequest;

    #[test]
    fn no_password_is_shown_wherever_the_message_stands() {
        let agent = AgentSpec { password: "planted-1".into(), ..AgentSpec::default() };
        let team = TeamSpec {
            agents: vec![agent],
            password: "planted-2".into(),
            options: [("key".to_owned(), "planted-3".to_owned())].into(),
            ..TeamSpec::default()
        };
        let request = CreateTeamRequest { team: Some(team), ..CreateTeamRequest::default() };
        let file = ArenaFile { path: "a.json".into(), content: b"planted-4".to_vec() };
        let shown = format!("{request:?} {file:?}");
        assert!(!shown.contains(&format!("{:?}", b"planted-4")), "{shown}");
        assert!(!shown.contains("planted") && shown.contains("[redacted]"), "{shown}");
        let made = CreateTokenResponse { text: "phx_planted".into(), ..Default::default() };
        let shown = format!("{made:?}");
        assert!(!shown.contains("planted") && shown.contains("[redacted]"), "{shown}");
    }
}
