//! What goes wrong for the agents of a team: one line for each cause, since one mistake often fails
//! for many agents.

use super::steered::alert_word;
use crate::paint::{Ink, Paint};
use phalanx_proto::v1::{Agent, Alert};

/// Alerts with the same cause.
pub(crate) struct AlertGroup<'a> {
    /// The one that began first.
    pub(crate) first: &'a Alert,
    /// The agents that they are about; empty if it is about none.
    agents: Vec<&'a str>,
    /// How many they are.
    pub(crate) count: usize,
}

impl AlertGroup<'_> {
    /// Its subject: `silent agent agentA1 to agentA15 (15)`.
    pub(crate) fn subject(&self) -> String {
        let what = alert_word(self.first.kind()).replace('_', " ");
        if self.agents.is_empty() { what } else { format!("{what} {}", names(&self.agents)) }
    }
}

/// The alerts by cause.
pub(crate) fn alert_groups(alerts: &[Alert]) -> Vec<AlertGroup<'_>> {
    let groups = grouped(alerts, |alert| (alert.kind(), alert.text.as_str()));
    groups.into_iter().filter_map(|(_, alerts)| alert_group(alerts)).collect()
}

fn alert_group(alerts: Vec<&Alert>) -> Option<AlertGroup<'_>> {
    let agents = alerts.iter().map(|alert| alert.agent.as_str());
    let (agents, count) = (agents.filter(|agent| !agent.is_empty()).collect(), alerts.len());
    let first = alerts.into_iter().min_by_key(|alert| alert.since_tick)?;
    Some(AlertGroup { first, agents, count })
}

/// Alerts that have begun and not ended, a line for each cause.
pub(super) fn alerts(alerts: &[Alert], paint: Paint) -> String {
    let line = |group: AlertGroup<'_>| {
        let head = paint.ink(Ink::Red, &format!("ALERT {}", group.subject()));
        let since = group.first.since.map(|since| format!(" since {}:{}", since.round, since.step));
        format!("{head}{}: {}\n", since.unwrap_or_default(), group.first.text)
    };
    alert_groups(alerts).into_iter().map(line).collect()
}

/// Why seats are disconnected and turns fell back.
pub(super) fn troubles(agents: &[Agent], paint: Paint) -> String {
    let lines = |what: &str, reason: fn(&Agent) -> &String| {
        let troubled = agents.iter().filter(|agent| !reason(agent).is_empty());
        let groups = grouped(troubled, |agent| reason(agent).as_str());
        let line = |(reason, who): (&str, Vec<&Agent>)| {
            let who: Vec<_> = who.iter().map(|agent| agent.name.as_str()).collect();
            format!("\n{} {}: {reason}", paint.ink(Ink::Red, what), names(&who))
        };
        groups.into_iter().map(line).collect::<String>()
    };
    lines("SEAT", |agent| &agent.seat_reason) + &lines("TROUBLE", |agent| &agent.trouble)
}

/// The names of one or many agents.
fn names(who: &[&str]) -> String {
    match who {
        [first, .., last] => format!("{first} to {last} ({})", who.len()),
        [..] => who.concat(),
    }
}

fn grouped<'a, T, K: PartialEq>(
    items: impl IntoIterator<Item = &'a T>,
    key: impl Fn(&'a T) -> K,
) -> Vec<(K, Vec<&'a T>)> {
    let mut groups: Vec<(K, Vec<&T>)> = Vec::new();
    for item in items {
        let key = key(item);
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, items)) => items.push(item),
            None => groups.push((key, vec![item])),
        }
    }
    groups
}
