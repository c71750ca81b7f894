//! `phalanx why --file`: explains an agent's action in a turn of a recording.

use super::{open, turns, warn, which};
use anyhow::Result;
use phalanx_cli::args::why::{AgentTurn, WhyArgs};
use phalanx_cli::failure::misused;
use phalanx_cli::remote;
use phalanx_exchange::explain;
use phalanx_proto::v1::Explanation;
use std::path::Path;

/// `phalanx why --file`.
///
/// # Errors
/// When the file cannot be read, or has no such agent or turn.
pub fn why(path: &Path, args: &WhyArgs) -> Result<()> {
    remote::explain(&explanation(path, &args.what)?, &args.look.remote.print)
}

/// The reasons for an agent's action in a turn of a recording.
///
/// # Errors
/// When the file cannot be read, or has no such agent or turn.
pub fn explanation(path: &Path, what: &AgentTurn) -> Result<Explanation> {
    let file = open(path)?;
    let team = file.info().team.as_str();
    let agent = agent_of(team, &what.agent)?;
    let mut turns = turns(&file);
    let output = explain(turns.by_ref(), team, agent, which(what.turn));
    warn(path, turns.damage());
    Ok(output?)
}

/// The agent's name without its team.
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
