//! The agents of a team: a list or a pattern, their roles and passwords.

use crate::keys::NAME_CHARS_MAX;
use crate::node::{Data, Node};
use crate::section::{Section, describe, one_of};
use crate::{AgentSettings, Kind, parse, secret};
use secrecy::SecretString;
use std::collections::BTreeSet;

/// Most agents of one team.
const AGENTS_MAX: usize = 1000;

/// An agent that may still get the team's role and password.
struct DraftAgent {
    name: String,
    user: Option<String>,
    password: Option<SecretString>,
    role: Option<String>,
}

pub(crate) fn agents(team: &Section<'_>) -> Vec<AgentSettings> {
    let mut drafts = match team.node("agents") {
        Some(node) if matches!(node.data, Data::Table(_)) => pattern(&team.section("agents")),
        Some(_) => listed(team),
        None => missing(team),
    };
    deal_roles(team, &mut drafts);
    let role: String = team.value("role", parse::text);
    let password = secret::password(team).unwrap_or_default();
    let finish = |draft: DraftAgent| AgentSettings {
        user: draft.user.unwrap_or_else(|| draft.name.clone()),
        name: draft.name,
        password: draft.password.unwrap_or_else(|| password.clone()),
        role: draft.role.unwrap_or_else(|| role.clone()),
    };
    drafts.into_iter().map(finish).collect()
}

fn missing(team: &Section<'_>) -> Vec<DraftAgent> {
    let expected = "{ prefix = \"agentA\", count = 15, password = \"1\" }, or a list of tables";
    team.reader.note(&team.origin, team.shown("agents"), "missing", expected);
    Vec::new()
}

fn pattern(section: &Section<'_>) -> Vec<DraftAgent> {
    let prefix: String = section.value("prefix", parse::text);
    let count = section.value("count", parse::whole);
    let first = section.value("first", parse::whole);
    let password = secret::password(section);
    let draft = |number| DraftAgent {
        name: format!("{prefix}{number}"),
        user: None,
        password: password.clone(),
        role: None,
    };
    (first..first.saturating_add(count)).map(draft).collect()
}

fn listed(team: &Section<'_>) -> Vec<DraftAgent> {
    let sections = team.sections("agents");
    if let Some(node) = team.node("agents")
        && let Data::List(list) = &node.data
        && !(1..=AGENTS_MAX).contains(&list.len())
    {
        team.refuse("agents", node, format!("1 to {AGENTS_MAX} agents"));
        return Vec::new();
    }
    let mut names = BTreeSet::new();
    let mut drafts = Vec::new();
    for section in &sections {
        let name: String = section.value("name", parse::text);
        if let Some(node) = section.node("name")
            && !name.is_empty()
            && !names.insert(name.clone())
        {
            section.refuse("name", node, "a name of its own for each agent of the team");
        }
        drafts.push(DraftAgent {
            name,
            user: section.optional("user", parse::text),
            password: secret::password(section),
            role: section.optional("role", parse::text),
        });
    }
    drafts
}

/// Assigns the roles of `roles` to agents without their own role.
fn deal_roles(team: &Section<'_>, drafts: &mut [DraftAgent]) {
    let Some(node) = team.node("roles") else { return };
    match &node.data {
        Data::Table(table) => {
            for (agent, role) in table {
                deal_by_name(team, drafts, agent, role);
            }
        }
        Data::List(_) => deal_in_order(team, drafts),
        Data::Text(_) | Data::Whole(_) | Data::Num(_) | Data::Bool(_) => {
            team.refuse("roles", node, "{ agentA1 = \"scout\" } or [{ role = …, count = … }]");
        }
    }
}

fn deal_by_name(team: &Section<'_>, drafts: &mut [DraftAgent], agent: &str, node: &Node) {
    let place = format!("{}.{agent}", team.shown("roles"));
    let kind = Kind::Name(NAME_CHARS_MAX);
    let Ok(role) = parse::text(node, kind) else {
        team.reader.note(&node.origin, place, node.shown(), describe(kind));
        return;
    };
    if let Some(draft) = drafts.iter_mut().find(|draft| draft.name == agent) {
        draft.role.get_or_insert(role);
        return;
    }
    let names: Vec<_> = drafts.iter().map(|draft| draft.name.as_str()).collect();
    team.reader.note(&node.origin, place, "unknown agent", one_of(agent, &names));
}

fn deal_in_order(team: &Section<'_>, drafts: &mut [DraftAgent]) {
    let total = drafts.len();
    let mut free = drafts.iter_mut().filter(|draft| draft.role.is_none());
    let mut asked = 0_usize;
    for section in team.sections("roles") {
        let role: String = section.value("role", parse::text);
        let count = usize::try_from(section.value("count", parse::whole)).unwrap_or(0);
        asked = asked.saturating_add(count);
        for draft in free.by_ref().take(count) {
            draft.role = Some(role.clone());
        }
    }
    if asked > total
        && let Some(node) = team.node("roles")
    {
        let expected = format!("roles for at most {total} agents, not for {asked}");
        team.refuse("roles", node, expected);
    }
}
