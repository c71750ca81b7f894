//! `phalanx why --file`: what an agent did in a turn of a recording, and what it rests on.

use super::{entries, open, warn, which};
use crate::cli::why::AgentTurn;
use crate::failure::misused;
use anyhow::Result;
use phalanx_exchange::{Turns, explain};
use phalanx_proto::v1::Explanation;
use std::path::Path;

/// What it did.
///
/// # Errors
/// When the file cannot be read, or has no such agent or turn.
pub(crate) fn why(path: &Path, what: &AgentTurn) -> Result<Explanation> {
    let file = open(path)?;
    let team = file.info().team.as_str();
    let agent = agent_of(team, &what.agent)?;
    let mut turns = Turns::new(entries(&file));
    let told = explain(turns.by_ref(), team, agent, which(what.turn));
    warn(path, turns.damage());
    Ok(told?)
}

/// The agent's name alone, where it is written with its team.
fn agent_of<'a>(team: &str, agent: &'a str) -> Result<&'a str> {
    match agent.split_once('/') {
        Some((of, _)) if of != team => {
            Err(misused(format!("the recording is of team {team}, not of {of}")))
        }
        Some((_, name)) => Ok(name),
        None => Ok(agent),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_may_be_named_with_its_team() {
        assert_eq!(agent_of("A", "A/agentA1").unwrap(), "agentA1");
        assert_eq!(agent_of("A", "agentA1").unwrap(), "agentA1");
        let error = agent_of("A", "B/agentB1").unwrap_err();
        assert_eq!(error.to_string(), "the recording is of team A, not of B");
    }
}
