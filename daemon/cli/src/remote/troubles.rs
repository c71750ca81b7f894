//! What goes wrong for the agents of a team: one line for each cause, since one mistake often fails
//! for many agents.

use super::steered::alert_word;
use crate::paint::{Ink, Paint};
use phalanx_proto::v1::{Agent, Alert, SeatState};

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
    let seats = seat_groups(agents).into_iter().map(|group| {
        let advice = if group.refused { "; check account and password" } else { "" };
        format!("\n{} {}{advice}", paint.ink(Ink::Red, "SEAT"), group.text())
    });
    let troubled = agents.iter().filter(|agent| !agent.trouble.is_empty());
    let groups = grouped(troubled, |agent| agent.trouble.as_str());
    let fallbacks = groups.into_iter().map(|(trouble, who)| {
        let who: Vec<_> = who.iter().map(|agent| agent.name.as_str()).collect();
        format!("\n{} {}: {trouble}", paint.ink(Ink::Red, "TROUBLE"), names(&who))
    });
    seats.chain(fallbacks).collect()
}

/// Agents whose seats are disconnected for the same reason.
#[derive(Clone, Debug)]
pub(super) struct SeatGroup<'a> {
    /// Their names, in the order of the roster.
    agents: Vec<&'a str>,
    /// The first agent's reason; the others' differ only in the agent's name.
    reason: &'a str,
    /// The referee refuses the login.
    pub(super) refused: bool,
}

impl SeatGroup<'_> {
    /// `agentA1 to agentA15 (15): connection refused`.
    #[must_use]
    pub(super) fn text(&self) -> String {
        format!("{}: {}", names(&self.agents), self.reason)
    }
}

/// The agents whose seats are disconnected, by reason.
#[must_use]
pub(super) fn seat_groups(agents: &[Agent]) -> Vec<SeatGroup<'_>> {
    let away = agents.iter().filter(|agent| !agent.seat_reason.is_empty());
    let groups = grouped(away, |agent| {
        let refused = agent.seat_state() == SeatState::Refused;
        // The reason of a refused login names the agent's account.
        (refused, agent.seat_reason.replace(&format!("{:?}", agent.name), ""))
    });
    groups.into_iter().filter_map(|((refused, _), agents)| seat_group(refused, &agents)).collect()
}

fn seat_group<'a>(refused: bool, agents: &[&'a Agent]) -> Option<SeatGroup<'a>> {
    let reason = agents.first()?.seat_reason.as_str();
    let agents = agents.iter().map(|agent| agent.name.as_str()).collect();
    Some(SeatGroup { agents, reason, refused })
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
