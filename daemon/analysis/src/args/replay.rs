//! The command line of `replay`.

use clap::Args;
use phalanx_cli::args::OutputArgs;
use phalanx_game::Turn;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// `phalanx replay`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  phalanx replay A.mcap
      show the match in the terminal, ? lists the keys; elsewhere print it turn by turn
  phalanx replay A.mcap --at 2:118 --agent agentA1
      begin at step 118 of round 2 and follow one agent
  phalanx replay A.mcap --decide
      decide the match again; the same strategy decides the same, byte for byte
  phalanx replay A.mcap --decide --strategy mine
      give the recorded turns to another strategy, and list every decision that differs
  phalanx replay A.mcap --decide --until 118 --repl --agent agentA1
      stop before that agent decides in step 118, and run what you type in its view
  phalanx replay A.mcap --decide --break 'me.percept.energy < 30'
      stop at a prompt wherever that is true in an agent's view; without a terminal, list the places
  phalanx replay recordings --team A --decide --output json | jq 'select(.kind == \"summary\")'
      take the newest recording of a team in a folder; print JSON lines, the last one a summary

Another strategy sees the results of the recorded actions, not of its own. The more its decisions
differ, the less the later ones mean. TURN is STEP, or ROUND:STEP with rounds from 0.

Exit codes: 0 no decision differs; 1 a decision differs, or the recording lacks data that decisions
need; 64 wrong command line.")]
pub struct ReplayArgs {
    /// The recording: any of its files, or a folder, of which the newest recording is taken.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Consider only recordings of this team.
    #[arg(long, value_name = "NAME")]
    pub team: Option<String>,
    /// Begin at this turn: STEP or ROUND:STEP.
    #[arg(long, value_name = "TURN", conflicts_with = "decide")]
    pub at: Option<TurnPlace>,
    /// Playback speed in a terminal, 0.125 to 128 times the original.
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, value_parser = speed,
        conflicts_with = "decide")]
    pub speed: f64,
    /// Decide the match again from the recorded data, at full speed, and compare.
    #[arg(long)]
    pub decide: bool,
    /// Decide with this strategy, a folder of Lua files or `shipped` [default: the recorded one].
    #[arg(long, value_name = "DIR", requires = "decide")]
    pub strategy: Option<PathBuf>,
    /// Stop before this turn is decided.
    #[arg(long, value_name = "TURN", requires = "decide")]
    pub until: Option<TurnPlace>,
    /// Run what you type in the agent's view where it stops; without a terminal, lines of standard
    /// input.
    #[arg(long, requires_all = ["decide", "agent"])]
    pub repl: bool,
    /// Stop wherever this expression is true in an agent's view, right before it decides.
    #[arg(long = "break", value_name = "EXPR", requires = "decide")]
    pub stop_where: Option<String>,
    /// Show only this agent, or decide only in its view.
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// Print at most this many differences in tables; 0 prints all of them.
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub limit: u64,
    #[command(flatten)]
    pub print: OutputArgs,
}

/// The slowest and the fastest playback speed.
pub(crate) const SPEEDS: (f64, f64) = (0.125, 128.0);

fn speed(text: &str) -> Result<f64, String> {
    let (slowest, fastest) = SPEEDS;
    let speed = text.parse::<f64>().ok().filter(|speed| (slowest..=fastest).contains(speed));
    speed.ok_or_else(|| format!("expected a number from {slowest} to {fastest}"))
}

/// A turn of a recording, as typed on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TurnPlace {
    /// The round; `None`: the first round that reaches the step.
    pub round: Option<u32>,
    /// The step, as the referee counts.
    pub step: u32,
}

impl TurnPlace {
    /// Whether `turn` is this one.
    #[must_use]
    pub fn is_at(self, turn: Turn) -> bool {
        turn.step == self.step && self.round.is_none_or(|round| turn.round == round)
    }

    /// Whether `turn` is this one or a later one.
    #[must_use]
    pub fn is_reached(self, turn: Turn) -> bool {
        self.is_at(turn) || self.is_over(turn)
    }

    /// Whether `turn` is later than this one.
    #[must_use]
    pub fn is_over(self, turn: Turn) -> bool {
        match self.round {
            None => turn.step > self.step,
            Some(round) => (turn.round, turn.step) > (round, self.step),
        }
    }
}

impl fmt::Display for TurnPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.round {
            None => write!(f, "{}", self.step),
            Some(round) => write!(f, "{round}:{}", self.step),
        }
    }
}

impl FromStr for TurnPlace {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = |word: &str| word.parse::<u32>().ok();
        // A point is easier to type.
        let known = match text.split_once(['.', ':']) {
            Some((round, step)) => number(round).zip(number(step)),
            None => return number(text).map(|step| Self { round: None, step }).ok_or_else(wrong),
        };
        known.map(|(round, step)| Self { round: Some(round), step }).ok_or_else(wrong)
    }
}

fn wrong() -> String {
    "expected STEP or ROUND:STEP, for example 118 or 2:118".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_is_a_step_or_a_round_with_a_step() {
        let turn = |text: &str| text.parse::<TurnPlace>().map(|turn| (turn.round, turn.step));
        assert_eq!(turn("118"), Ok((None, 118)));
        assert_eq!(turn("2.118"), Ok((Some(2), 118)));
        assert_eq!(turn("2:118"), Ok((Some(2), 118)));
        for bad in ["", "x", "-1", "1.", ".1", "1.2.3", "99999999999"] {
            assert!(turn(bad).unwrap_err().contains("ROUND:STEP"), "{bad}");
        }
    }

    #[test]
    fn a_speed_is_within_reason() {
        assert_eq!(speed("0.5"), Ok(0.5));
        for bad in ["0", "-1", "1000", "fast", "NaN"] {
            assert!(speed(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_turn_is_reached_in_it_and_behind_it() {
        let reached = |place: &str, round, step| {
            place.parse::<TurnPlace>().unwrap().is_reached(Turn::new(round, step))
        };
        assert!(reached("5", 0, 5) && reached("5", 1, 7) && !reached("5", 0, 4));
        assert!(!reached("5", 1, 3), "a later round begins anew");
        assert!(reached("1.5", 1, 5) && reached("1.5", 2, 0) && !reached("1.5", 0, 9));
    }
}
