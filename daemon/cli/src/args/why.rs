//! The command line of `why`.

use super::Look;
use clap::Args;
use std::path::PathBuf;
use std::str::FromStr;

/// `phalanx why`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  phalanx why A/agentA1            the agent's last decision
  phalanx why A/agentA1@-3         its decision three turns before that
  phalanx why A/agentA1@118        its decision in step 118 of the last round with that step
  phalanx why A/agentA1@2:118      its decision in step 118 of round 2; the first round is 0
  phalanx why agentA1 --watch=1s   its last decision, repeated every second
  phalanx why agentA1@118 --file match.mcap
                                   its decision in a recorded match

The daemon keeps a team's last 300 turns, fewer if they are large; a recording has all of them.")]
pub struct WhyArgs {
    /// The agent, and the turn: STEP, ROUND:STEP, or -N for N turns back [default: its last turn].
    #[arg(value_name = "TEAM/AGENT[@TURN]")]
    pub what: AgentTurn,
    /// Read this recording instead of asking a daemon; any file of a recording in several parts.
    #[arg(long, value_name = "FILE", conflicts_with = "watch")]
    pub file: Option<PathBuf>,
    #[command(flatten)]
    pub look: Look,
}

/// An agent in a turn, as typed on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentTurn {
    /// The agent, with its team or without.
    pub agent: String,
    pub turn: TurnWord,
}

/// A turn, as typed on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnWord {
    /// This many of the agent's turns before its last one.
    Ago(u32),
    /// The referee's step, in a round or in the last round with that step.
    Step(Option<u32>, u32),
}

impl FromStr for AgentTurn {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let Some((agent, turn)) = text.rsplit_once('@') else {
            return Ok(Self { agent: text.to_owned(), turn: TurnWord::Ago(0) });
        };
        let number = |word: &str| word.parse::<u32>().ok();
        // A point is easier to type.
        let known = match turn.split_once(['.', ':']) {
            Some((round, step)) => {
                number(round).zip(number(step)).map(|(round, step)| (Some(round), step))
            }
            None => number(turn).map(|step| (None, step)),
        };
        let step = known.map(|(round, step)| TurnWord::Step(round, step));
        let ago = || turn.strip_prefix('-').and_then(number).map(TurnWord::Ago);
        let turn = step.or_else(ago).ok_or_else(|| {
            format!("{turn:?} is not a turn; expected STEP, ROUND:STEP or -N for N turns back")
        })?;
        Ok(Self { agent: agent.to_owned(), turn })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_is_a_step_a_round_with_a_step_or_so_many_turns_back() {
        let turn = |text: &str| text.parse::<AgentTurn>().map(|read| (read.agent, read.turn));
        let expected = [
            ("A/a1", TurnWord::Ago(0)),
            ("A/a1@-3", TurnWord::Ago(3)),
            ("A/a1@118", TurnWord::Step(None, 118)),
            ("A/a1@2:118", TurnWord::Step(Some(2), 118)),
            ("A/a1@2.118", TurnWord::Step(Some(2), 118)),
        ];
        for (text, meant) in expected {
            assert_eq!(turn(text), Ok(("A/a1".to_owned(), meant)), "{text}");
        }
        for bad in ["A/a1@", "A/a1@x", "A/a1@1.", "A/a1@--1", "A/a1@-1.2", "A/a1@99999999999"] {
            assert!(turn(bad).unwrap_err().contains("ROUND:STEP"), "{bad}");
        }
    }
}
