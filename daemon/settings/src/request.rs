//! A team from a request to a running daemon, checked by the same rules as a section `[[teams]]` of
//! a file.

pub use crate::team::TEAMS_MAX;

use crate::keys::KEYS;
use crate::node::{Data, Node, Origin};
use crate::section::{Reader, Section};
use crate::{Environment, GameKeys, Kind, SettingsErrors, SettingsMistake, TeamSettings, parse};
use secrecy::{ExposeSecret, SecretString};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

/// The team's path among the keys.
const PLACE: &str = "teams[0]";

/// A team as a request describes it; empty texts are absent keys.
#[derive(Clone, Debug, Default)]
pub struct TeamRequest {
    /// `teams[].name`.
    pub name: String,
    /// `teams[].game`.
    pub game: String,
    /// `teams[].server`.
    pub server: String,
    /// `teams[].strategy`; an absolute path.
    pub strategy: String,
    /// `teams[].agents`.
    pub agents: AgentsRequest,
    /// `teams[].role`.
    pub role: String,
    /// `teams[].password`.
    pub password: Option<SecretString>,
    /// `teams[].seed`.
    pub seed: u64,
    /// `teams[].deadline`.
    pub deadline: Option<Duration>,
    /// `teams[].options`, each as text.
    pub options: BTreeMap<String, SecretString>,
}

/// The agents of such a team.
#[derive(Clone, Debug)]
pub enum AgentsRequest {
    /// A list.
    List(Vec<AgentRequest>),
    /// Names that differ in a number.
    Pattern {
        /// The text before the number.
        prefix: String,
        /// The count.
        count: u32,
        /// The first number; `None`: the default.
        first: Option<u32>,
    },
}

impl Default for AgentsRequest {
    fn default() -> Self {
        Self::List(Vec::new())
    }
}

/// One agent of such a team; empty texts are absent keys.
#[derive(Clone, Debug, Default)]
pub struct AgentRequest {
    /// `teams[].agents[].name`.
    pub name: String,
    /// `teams[].agents[].user`.
    pub user: String,
    /// `teams[].agents[].password`.
    pub password: Option<SecretString>,
    /// `teams[].agents[].role`.
    pub role: String,
}

/// Checks a team from a request.
///
/// # Errors
/// Every mistake, with its key relative to the team: `agents[3].name`; never a password.
pub fn team(request: &TeamRequest, games: &[GameKeys]) -> Result<TeamSettings, SettingsErrors> {
    let environment = Environment::default();
    let reader = Reader::new(&KEYS, &environment);
    let node = Builder::default().team(request);
    let section = Section::open(&reader, "teams[]".to_owned(), PLACE.to_owned(), &node);
    let settings = crate::team::team(&section, games);
    // An empty path is reported as missing already.
    if !request.strategy.is_empty() && !settings.strategy.is_absolute() {
        let got = format!("{:?}", request.strategy);
        reader.note(&section.origin, section.shown("strategy"), got, "an absolute path");
    }
    reader.finish(settings).map_err(|errors| {
        let inside = |mistake: SettingsMistake| {
            let key = mistake.key.strip_prefix(PLACE).map(|key| key.trim_start_matches('.'));
            SettingsMistake { key: key.unwrap_or(&mistake.key).to_owned(), ..mistake }
        };
        SettingsErrors { mistakes: errors.mistakes.into_iter().map(inside).collect() }
    })
}

/// Checks a referee's address as `teams[].server` is checked.
///
/// # Errors
/// The expected form.
pub fn server(text: &str) -> Result<String, String> {
    parse::server(&Builder::default().text(text), Kind::Server)
}

/// Makes values whose origin is the request.
struct Builder(Rc<Origin>);

impl Default for Builder {
    fn default() -> Self {
        Self(Rc::new(Origin::Request))
    }
}

impl Builder {
    fn node(&self, data: Data) -> Node {
        Node { origin: Rc::clone(&self.0), data }
    }

    fn text(&self, text: &str) -> Node {
        self.node(Data::Text(text.to_owned()))
    }

    /// A table of the entries that are not empty.
    fn table<'a>(&self, pairs: impl IntoIterator<Item = (&'a str, Option<Node>)>) -> Node {
        let there = pairs.into_iter().filter_map(|(key, node)| Some((key.to_owned(), node?)));
        self.node(Data::Table(there.collect()))
    }

    fn given(&self, text: &str) -> Option<Node> {
        (!text.is_empty()).then(|| self.text(text))
    }

    fn secret(&self, secret: Option<&SecretString>) -> Option<Node> {
        secret.map(|secret| self.text(secret.expose_secret()))
    }

    fn team(&self, request: &TeamRequest) -> Node {
        let time = |time: Duration| self.text(&humantime::format_duration(time).to_string());
        let options = request.options.iter();
        let options = options.map(|(key, text)| (key.as_str(), self.secret(Some(text))));
        self.table([
            ("name", self.given(&request.name)),
            ("game", self.given(&request.game)),
            ("server", self.given(&request.server)),
            ("strategy", self.given(&request.strategy)),
            ("agents", Some(self.agents(&request.agents))),
            ("role", self.given(&request.role)),
            ("password", self.secret(request.password.as_ref())),
            ("seed", Some(self.text(&request.seed.to_string()))),
            ("deadline", request.deadline.map(time)),
            ("options", Some(self.table(options))),
        ])
    }

    fn agents(&self, agents: &AgentsRequest) -> Node {
        match agents {
            AgentsRequest::List(agents) => {
                let agent = |agent: &AgentRequest| {
                    self.table([
                        ("name", self.given(&agent.name)),
                        ("user", self.given(&agent.user)),
                        ("password", self.secret(agent.password.as_ref())),
                        ("role", self.given(&agent.role)),
                    ])
                };
                self.node(Data::List(agents.iter().map(agent).collect()))
            }
            AgentsRequest::Pattern { prefix, count, first } => {
                let number = |number: u32| self.text(&number.to_string());
                self.table([
                    ("prefix", self.given(prefix)),
                    ("count", Some(number(*count))),
                    ("first", first.map(number)),
                ])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAMES: &[GameKeys] = &[GameKeys { name: "toy", options: &[] }];

    fn good() -> TeamRequest {
        TeamRequest {
            name: "A".into(),
            game: "toy".into(),
            server: "10.0.0.1:12300".into(),
            strategy: "/srv/strategy".into(),
            agents: AgentsRequest::Pattern { prefix: "a".into(), count: 2, first: Some(3) },
            password: Some("planted".into()),
            seed: 7,
            deadline: Some(Duration::from_millis(400)),
            ..TeamRequest::default()
        }
    }

    fn wrong(request: &TeamRequest) -> Vec<(String, String)> {
        let errors = team(request, GAMES).unwrap_err();
        let shown = errors.to_string();
        assert!(!shown.contains("planted"), "{shown}");
        errors.mistakes.into_iter().map(|mistake| (mistake.key, mistake.got)).collect()
    }

    #[test]
    fn a_team_of_a_request_is_one_of_a_file() {
        let settings = team(&good(), GAMES).unwrap();
        assert_eq!((settings.name.as_str(), settings.seed), ("A", 7));
        assert_eq!(settings.deadline, Duration::from_millis(400));
        let agents: Vec<_> = settings
            .agents
            .iter()
            .map(|agent| (agent.name.as_str(), agent.role.as_str()))
            .collect();
        assert_eq!(agents, [("a3", "worker"), ("a4", "worker")]);
        assert!(settings.agents.iter().all(|agent| agent.password.expose_secret() == "planted"));
    }

    #[test]
    fn agents_one_by_one_have_what_is_theirs() {
        let agent = AgentRequest {
            name: "x".into(),
            user: "account".into(),
            role: "scout".into(),
            password: None,
        };
        let request = TeamRequest { agents: AgentsRequest::List(vec![agent]), ..good() };
        let settings = team(&request, GAMES).unwrap();
        let agent = settings.agents.first().unwrap();
        assert_eq!((agent.user.as_str(), agent.role.as_str()), ("account", "scout"));
    }

    #[test]
    fn all_mistakes_are_told_at_once_by_field_and_without_secrets() {
        let found = wrong(&TeamRequest::default());
        let keys: Vec<_> = found.iter().map(|(key, _)| key.as_str()).collect();
        assert_eq!(keys, ["game", "name", "strategy", "agents"]);
        let twice = AgentRequest { name: "x".into(), ..AgentRequest::default() };
        let slash = AgentRequest { name: "a/b".into(), ..AgentRequest::default() };
        let request = TeamRequest {
            server: "nowhere".into(),
            strategy: "relative".into(),
            agents: AgentsRequest::List(vec![twice.clone(), twice, slash]),
            seed: u64::MAX,
            deadline: Some(Duration::ZERO),
            options: [("unknown".to_owned(), SecretString::from("planted"))].into(),
            ..good()
        };
        let mut keys: Vec<_> = wrong(&request).into_iter().map(|(key, _)| key).collect();
        keys.sort();
        let expected = [
            "agents[1].name",
            "agents[2].name",
            "deadline",
            "options.unknown",
            "seed",
            "server",
            "strategy",
        ];
        assert_eq!(keys, expected);
    }

    #[test]
    fn an_address_is_checked_as_in_a_file() {
        assert_eq!(server("[::1]:5").as_deref(), Ok("[::1]:5"));
        for bad in ["", "host", "host:0", "ho st:1", "host:70000", "\0:1"] {
            assert!(server(bad).is_err(), "{bad:?}");
        }
    }
}
