//! Teams: each on its own, then all of them together.

use crate::section::{Section, nearest};
use crate::{TeamSettings, agents, parse};
use std::collections::BTreeSet;

/// Most teams of one daemon.
const TEAMS_MAX: usize = 256;

pub(crate) fn teams(top: &Section<'_>, games: &[&str]) -> Vec<TeamSettings> {
    let sections = top.sections("teams");
    if sections.len() > TEAMS_MAX {
        let expected = format!("at most {TEAMS_MAX} teams");
        top.reader.note(&top.origin, "teams", sections.len().to_string(), expected);
        return Vec::new();
    }
    let mut names = BTreeSet::new();
    let mut teams = Vec::new();
    for section in &sections {
        let team = team(section, games);
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
    teams
}

fn team(section: &Section<'_>, games: &[&str]) -> TeamSettings {
    TeamSettings {
        name: section.value("name", parse::text),
        game: game(section, games),
        server: section.value("server", parse::server),
        strategy: section.value("strategy", parse::path),
        agents: agents::agents(section),
        seed: section.value("seed", parse::whole).unsigned_abs(),
        deadline: section.value("deadline", parse::duration),
        options: options(section),
    }
}

fn game(section: &Section<'_>, games: &[&str]) -> String {
    let game: String = section.value("game", parse::text);
    if let Some(node) = section.node("game")
        && !games.contains(&game.as_str())
    {
        let nearest = nearest(&game, games).unwrap_or_default();
        let all = games.join(", ");
        section.refuse("game", node, format!("one of {all}; the nearest is `{nearest}`"));
    }
    game
}

fn options(section: &Section<'_>) -> toml::Table {
    let Some(node) = section.node("options") else { return toml::Table::new() };
    if let toml::Value::Table(table) = node.to_toml() {
        return table;
    }
    section.refuse("options", node, "a table");
    toml::Table::new()
}
