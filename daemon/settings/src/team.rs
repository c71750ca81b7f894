//! Teams: each on its own, then all of them together.

use crate::node::{Data, Node};
use crate::section::{Expected, Section, describe, one_of};
use crate::{GameKeys, KeyDoc, Kind, OptionSettings, TeamSettings, agents, parse};
use std::collections::BTreeSet;

/// Most teams of one daemon.
pub const TEAMS_MAX: usize = 1_024;

pub(crate) fn teams(top: &Section<'_>, games: &[GameKeys]) -> Vec<TeamSettings> {
    let sections = top.sections("teams");
    if sections.len() > TEAMS_MAX {
        let expected = format!("at most {TEAMS_MAX} teams");
        top.reader.note(&top.origin, "teams", sections.len().to_string(), expected);
        return Vec::new();
    }
    let mut names = BTreeSet::new();
    let mut teams = Vec::new();
    for section in &sections {
        for team in instances(team(section, games)) {
            if !team.name.is_empty() && !names.insert(team.name.clone()) {
                let got = format!("{:?} again", team.name);
                section.reader.note(
                    &section.origin,
                    section.shown("name"),
                    got,
                    "a name of its own for each team",
                );
            }
            teams.push(team);
        }
    }
    if teams.len() > TEAMS_MAX {
        let expected = format!("at most {TEAMS_MAX} teams, one for each of their matches");
        top.reader.note(&top.origin, "teams", teams.len().to_string(), expected);
        return Vec::new();
    }
    teams
}

/// A team, and an instance of it for each further simultaneous match.
fn instances(team: TeamSettings) -> impl Iterator<Item = TeamSettings> {
    (1..=team.matches.max(1)).map(move |number| match number {
        1 => team.clone(),
        number => TeamSettings {
            name: format!("{}~{number}", team.name),
            instance_of: Some(team.name.clone()),
            ..team.clone()
        },
    })
}

pub(crate) fn team(section: &Section<'_>, games: &[GameKeys]) -> TeamSettings {
    let game = game(section, games);
    let known = games.iter().find(|known| known.name == game);
    let server: String = section.value("server", parse::server);
    TeamSettings {
        name: section.value("name", parse::text),
        options: options(section, known.map(|known| known.options)),
        game,
        matches: matches(section, &server),
        instance_of: None,
        server,
        strategy: section.value("strategy", parse::path),
        agents: agents::agents(section),
        seed: section.value("seed", parse::whole).unsigned_abs(),
        deadline: section.value("deadline", parse::duration),
        params: params(section),
    }
}

/// Values of parameters. Whether the strategy declares them is known when it is read.
fn params(section: &Section<'_>) -> toml::Table {
    let Some(node) = section.node("params") else { return toml::Table::new() };
    let (Data::Table(table), toml::Value::Table(read)) = (&node.data, node.to_toml()) else {
        section.refuse("params", node, "a table");
        return toml::Table::new();
    };
    for (name, node) in table {
        let plain = matches!(
            node.to_toml(),
            toml::Value::Boolean(_)
                | toml::Value::Integer(_)
                | toml::Value::Float(_)
                | toml::Value::String(_)
        );
        if !plain {
            let place = format!("{}.{name}", section.shown("params"));
            let expected = "a boolean, number or text".to_owned();
            section.reader.note(&node.origin, place, node.shown(), expected);
        }
    }
    read
}

/// The number of simultaneous matches, which is only allowed if the referee connects to us.
fn matches(section: &Section<'_>, server: &str) -> u16 {
    let matches = u16::try_from(section.value("matches", parse::whole)).unwrap_or(1);
    if matches > 1
        && server != parse::BRIDGE
        && let Some(node) = section.node("matches")
    {
        section.refuse("matches", node, "1, or server = \"bridge\"");
    }
    matches
}

fn game(section: &Section<'_>, games: &[GameKeys]) -> String {
    let game: String = section.value("game", parse::text);
    let names: Vec<&str> = games.iter().map(|known| known.name).collect();
    if let Some(node) = section.node("game")
        && !names.contains(&game.as_str())
    {
        section.refuse("game", node, one_of(&game, &names));
    }
    game
}

/// The options that the game declares itself; an unknown game was refused already.
fn options(section: &Section<'_>, known: Option<&'static [KeyDoc]>) -> OptionSettings {
    let Some(node) = section.node("options") else { return OptionSettings::default() };
    let (Data::Table(table), toml::Value::Table(read)) = (&node.data, node.to_toml()) else {
        section.refuse("options", node, "a table");
        return OptionSettings::default();
    };
    for (key, node) in known.into_iter().flat_map(|_| table) {
        let place = format!("{}.{key}", section.shown("options"));
        let known = known.unwrap_or_default();
        let note = |got: &str, expected| section.reader.note(&node.origin, &place, got, expected);
        match known.iter().find(|doc| doc.path == key) {
            None => {
                let names: Vec<&str> = known.iter().map(|doc| doc.path).collect();
                note("unknown option", one_of(key, &names));
            }
            Some(doc) => {
                if let Err(expected) = fits(node, doc.kind) {
                    let secret = doc.kind == Kind::Secret;
                    let got = if secret { "[redacted]".to_owned() } else { node.shown() };
                    note(&got, expected);
                }
            }
        }
    }
    let secret = known.unwrap_or_default().iter().filter(|doc| doc.kind == Kind::Secret);
    OptionSettings::new(read, secret.map(|doc| doc.path.to_owned()).collect())
}

/// Whether a value is of a kind; games only declare these kinds.
fn fits(node: &Node, kind: Kind) -> Result<(), Expected> {
    match kind {
        Kind::Text(_) | Kind::Name(_) => parse::text(node, kind).map(drop),
        Kind::Word(_) => parse::word(node, kind).map(drop),
        Kind::Whole(..) => parse::whole(node, kind).map(drop),
        Kind::Duration(..) => parse::duration(node, kind).map(drop),
        Kind::Secret => parse::secret(node, kind).map(drop),
        Kind::Share
        | Kind::Size(..)
        | Kind::Path
        | Kind::PathOrOff
        | Kind::Server
        | Kind::AddressOrOff
        | Kind::Mode
        | Kind::Filter
        | Kind::Origins
        | Kind::Hosts
        | Kind::Table => Err(describe(kind)),
    }
}
