//! What is the matter with agents.

use crate::paint::{Ink, Paint};
use phalanx_proto::v1::Agent;

/// Why seats are disconnected and turns fell back: one line per reason, since one mistake often
/// fails for many agents.
pub(super) fn troubles(agents: &[Agent], paint: Paint) -> String {
    let seats = grouped(agents, |agent| &agent.seat_reason);
    let turns = grouped(agents, |agent| &agent.trouble);
    let line = |what: &str, (reason, who): (&str, Vec<&str>)| {
        let who = match who.as_slice() {
            [first, .., last] => format!("{first} to {last} ({})", who.len()),
            [..] => who.join(", "),
        };
        format!("\n{} {who}: {reason}", paint.ink(Ink::Red, what))
    };
    let seats = seats.into_iter().map(|group| line("SEAT", group));
    seats.chain(turns.into_iter().map(|group| line("TROUBLE", group))).collect()
}

fn grouped(agents: &[Agent], reason: fn(&Agent) -> &String) -> Vec<(&str, Vec<&str>)> {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for agent in agents.iter().filter(|agent| !reason(agent).is_empty()) {
        match groups.iter_mut().find(|(known, _)| known == reason(agent)) {
            Some((_, who)) => who.push(&agent.name),
            None => groups.push((reason(agent), vec![&agent.name])),
        }
    }
    groups
}
