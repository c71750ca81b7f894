//! What a team of each game looks like in the settings: the samples of this repository.

use super::SAMPLES;
use toml::{Table, Value};

/// The server if a sample names none: the default of the settings.
const SERVER: &str = "127.0.0.1:12300";

/// A team of the settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SampleTeam {
    /// The team's name at the referee.
    pub name: String,
    /// The referee's address, or `bridge`.
    pub server: String,
    /// How the names of the agents begin.
    pub prefix: String,
    /// How many agents the team has.
    pub agents: u16,
    /// The accounts' password, in games whose accounts have one.
    pub password: Option<String>,
    /// The options that only this game has, as TOML.
    pub options: Option<String>,
}

/// The first team of the game's sample.
#[must_use]
pub fn sample(game: &str) -> Option<SampleTeam> {
    let (_, text) = SAMPLES.iter().find(|(name, _)| *name == game)?;
    let table: Table = text.parse().ok()?;
    let team = table.get("teams")?.as_array()?.first()?.as_table()?;
    let agents = team.get("agents")?.as_table()?;
    let text = |table: &Table, key: &str| table.get(key).and_then(Value::as_str).map(str::to_owned);
    Some(SampleTeam {
        name: text(team, "name")?,
        server: text(team, "server").unwrap_or_else(|| SERVER.to_owned()),
        prefix: text(agents, "prefix")?,
        agents: u16::try_from(agents.get("count")?.as_integer()?).ok()?,
        password: text(agents, "password"),
        options: team.get("options").map(ToString::to_string),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_game_has_a_sample() {
        for game in crate::GAMES {
            assert!(sample(game).is_some(), "{game}");
        }
        let team = sample("assemble").unwrap();
        assert_eq!(
            (team.prefix.as_str(), team.agents, team.password),
            ("agentA", 15, Some("1".into()))
        );
        assert_eq!(sample("colosseum").unwrap().server, "bridge");
    }
}
