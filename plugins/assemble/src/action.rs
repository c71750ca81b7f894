//! What an agent may say to the referee, and how the referee answers (spec section 10).

use phalanx_game::{ActionError, Said, Value};
use phalanx_grid::{Cell, Direction, Rotation};
use serde::{Deserialize, Serialize};
use std::fmt;

/// One action, with parameters that cannot be wrong in form: the original referee dies of a move,
/// attach, detach, rotate or request without parameter, so those cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Action {
    /// Does nothing.
    Skip,
    /// Goes one cell with everything attached.
    Move(Direction),
    /// Takes hold of the thing on that side.
    Attach(Direction),
    /// Lets go of the thing on that side.
    Detach(Direction),
    /// Turns everything attached about the agent.
    Rotate(Rotation),
    /// Links a block of one's own structure with a block of the partner's.
    Connect {
        /// The partner's name.
        agent: String,
        /// One's own block, relative.
        cell: Cell,
    },
    /// Cuts the link between two things of one's own structure.
    Disconnect {
        /// One end, relative.
        from: Cell,
        /// The other end, relative.
        to: Cell,
    },
    /// Lets the dispenser on that side produce a block.
    Request(Direction),
    /// Delivers a task by name.
    Submit(String),
    /// Clears (digs, shoots) about a relative cell; takes effect the third time in a row.
    Clear(Cell),
    /// Accepts a task by name, within two cells of a task board.
    Accept(String),
}

impl Action {
    /// The action's name on the wire and in scripts.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Skip => "skip",
            Self::Move(_) => "move",
            Self::Attach(_) => "attach",
            Self::Detach(_) => "detach",
            Self::Rotate(_) => "rotate",
            Self::Connect { .. } => "connect",
            Self::Disconnect { .. } => "disconnect",
            Self::Request(_) => "request",
            Self::Submit(_) => "submit",
            Self::Clear(_) => "clear",
            Self::Accept(_) => "accept",
        }
    }

    /// Where the agent goes if it succeeds; `None` when it stays.
    #[must_use]
    pub fn step(&self) -> Option<Cell> {
        match self {
            Self::Move(dir) => Some(dir.vector()),
            Self::Skip
            | Self::Attach(_)
            | Self::Detach(_)
            | Self::Rotate(_)
            | Self::Connect { .. }
            | Self::Disconnect { .. }
            | Self::Request(_)
            | Self::Submit(_)
            | Self::Clear(_)
            | Self::Accept(_) => None,
        }
    }

    /// The parameters as the wire has them.
    #[must_use]
    pub fn params(&self) -> Vec<String> {
        let cells = |cells: &[Cell]| -> Vec<String> {
            cells.iter().flat_map(|cell| [cell.x.to_string(), cell.y.to_string()]).collect()
        };
        match self {
            Self::Skip => Vec::new(),
            Self::Move(dir) | Self::Attach(dir) | Self::Detach(dir) | Self::Request(dir) => {
                vec![dir.letter().to_owned()]
            }
            Self::Rotate(rotation) => vec![rotation.word().to_owned()],
            Self::Connect { agent, cell } => {
                vec![agent.clone(), cell.x.to_string(), cell.y.to_string()]
            }
            Self::Disconnect { from, to } => cells(&[*from, *to]),
            Self::Clear(cell) => cells(&[*cell]),
            Self::Submit(task) | Self::Accept(task) => vec![task.clone()],
        }
    }

    /// The action of a name with parameters as the wire has them; `None` when they do not fit.
    #[must_use]
    pub fn from_wire(name: &str, params: &[String]) -> Option<Self> {
        let text = |index: usize| params.get(index).map(String::as_str);
        let dir = || text(0).and_then(Direction::parse);
        let cell = |index: usize| {
            let x = text(index)?.parse().ok()?;
            Some(Cell::new(x, text(index + 1)?.parse().ok()?))
        };
        Some(match name {
            "skip" => Self::Skip,
            "move" => Self::Move(dir()?),
            "attach" => Self::Attach(dir()?),
            "detach" => Self::Detach(dir()?),
            "rotate" => Self::Rotate(text(0).and_then(Rotation::parse)?),
            "connect" => Self::Connect { agent: text(0)?.to_owned(), cell: cell(1)? },
            "disconnect" => Self::Disconnect { from: cell(0)?, to: cell(2)? },
            "request" => Self::Request(dir()?),
            "submit" => Self::Submit(text(0)?.to_owned()),
            "clear" => Self::Clear(cell(0)?),
            "accept" => Self::Accept(text(0)?.to_owned()),
            _ => return None,
        })
    }

    /// Checks what a script said.
    ///
    /// # Errors
    /// When there is no such action or an argument does not fit; the reason names the argument,
    /// what was expected and what came.
    pub fn from_said(said: &Said) -> Result<Self, ActionError> {
        let args = ActionArgs { said };
        Ok(match said.action.as_ref() {
            "skip" => Self::Skip,
            "move" => Self::Move(args.direction(0)?),
            "attach" => Self::Attach(args.direction(0)?),
            "detach" => Self::Detach(args.direction(0)?),
            "rotate" => {
                let turn = args.text(0, "\"cw\" or \"ccw\"")?;
                let turn = Rotation::parse(turn);
                Self::Rotate(turn.ok_or_else(|| args.wrong(0, "\"cw\" or \"ccw\""))?)
            }
            "connect" => {
                let agent = args.text(0, "the name of an agent")?.to_owned();
                Self::Connect { agent, cell: args.cell(1)? }
            }
            "disconnect" => Self::Disconnect { from: args.cell(0)?, to: args.cell(2)? },
            "request" => Self::Request(args.direction(0)?),
            "submit" => Self::Submit(args.text(0, "the name of a task")?.to_owned()),
            "clear" => Self::Clear(args.cell(0)?),
            "accept" => Self::Accept(args.text(0, "the name of a task")?.to_owned()),
            other => {
                let reason = format!("Agents Assemble has no action {other:?}");
                return Err(ActionError { action: other.to_owned(), reason });
            }
        })
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut params = self.params();
        if let Self::Connect { agent: text, .. } | Self::Submit(text) | Self::Accept(text) = self
            && let Some(first) = params.first_mut()
        {
            *first = phalanx_game::argument(text).into_owned();
        }
        write!(f, "{}({})", self.name(), params.join(","))
    }
}

struct ActionArgs<'a> {
    said: &'a Said,
}

impl ActionArgs<'_> {
    fn wrong(&self, index: usize, expected: &str) -> ActionError {
        let got = match self.said.args.get(index) {
            None | Some(Value::Nil) => "nothing".to_owned(),
            Some(Value::Str(text)) => format!("{:?}", phalanx_game::excerpt(text.as_bytes())),
            Some(Value::Int(int)) => int.to_string(),
            Some(Value::Num(num)) => num.to_string(),
            Some(other @ (Value::Bool(_) | Value::List(_) | Value::Map(_))) => {
                format!("a {}", other.kind())
            }
        };
        let reason = format!("argument {}: expected {expected}, got {got}", index + 1);
        ActionError { action: self.said.action.to_string(), reason }
    }

    fn text(&self, index: usize, expected: &str) -> Result<&str, ActionError> {
        let text = self.said.args.get(index).and_then(Value::as_str);
        text.ok_or_else(|| self.wrong(index, expected))
    }

    fn direction(&self, index: usize) -> Result<Direction, ActionError> {
        let expected = "\"n\", \"s\", \"e\" or \"w\"";
        let letter = self.text(index, expected)?;
        Direction::parse(letter).ok_or_else(|| self.wrong(index, expected))
    }

    fn cell(&self, index: usize) -> Result<Cell, ActionError> {
        Ok(Cell::new(self.int(index)?, self.int(index + 1)?))
    }

    fn int(&self, index: usize) -> Result<i32, ActionError> {
        let int = self.said.args.get(index).and_then(Value::as_int);
        let int = int.and_then(|int| i32::try_from(int).ok());
        int.ok_or_else(|| self.wrong(index, "a whole number of cells"))
    }
}

/// The referee's word on an action (spec section 10).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outcome {
    /// No action yet: step 0.
    #[default]
    None,
    /// It worked.
    Success,
    /// The action's own reason.
    Failed,
    /// Bad luck.
    FailedRandom,
    /// Wrong parameters.
    FailedParameter,
    /// Something is in the way.
    FailedPath,
    /// The partner did not do its part.
    FailedPartner,
    /// The thing meant is not there.
    FailedTarget,
    /// The dispenser is covered.
    FailedBlocked,
    /// The agent is disabled.
    FailedStatus,
    /// Too little energy.
    FailedResources,
    /// Not the place for it.
    FailedLocation,
    /// The referee does not know the action.
    UnknownAction,
    /// A word that this program does not know.
    Unknown(String),
}

impl Outcome {
    const WORDS: [(&'static str, Self); 13] = [
        ("", Self::None),
        ("success", Self::Success),
        ("failed", Self::Failed),
        ("failed_random", Self::FailedRandom),
        ("failed_parameter", Self::FailedParameter),
        ("failed_path", Self::FailedPath),
        ("failed_partner", Self::FailedPartner),
        ("failed_target", Self::FailedTarget),
        ("failed_blocked", Self::FailedBlocked),
        ("failed_status", Self::FailedStatus),
        ("failed_resources", Self::FailedResources),
        ("failed_location", Self::FailedLocation),
        ("unknown_action", Self::UnknownAction),
    ];

    /// The outcome of that word; every word has one.
    #[must_use]
    pub fn parse(word: &str) -> Self {
        let known = Self::WORDS.into_iter().find(|(name, _)| *name == word);
        known.map_or_else(|| Self::Unknown(word.to_owned()), |(_, outcome)| outcome)
    }

    /// The referee's word.
    #[must_use]
    pub fn word(&self) -> &str {
        match self {
            Self::None => "",
            Self::Success => "success",
            Self::Failed => "failed",
            Self::FailedRandom => "failed_random",
            Self::FailedParameter => "failed_parameter",
            Self::FailedPath => "failed_path",
            Self::FailedPartner => "failed_partner",
            Self::FailedTarget => "failed_target",
            Self::FailedBlocked => "failed_blocked",
            Self::FailedStatus => "failed_status",
            Self::FailedResources => "failed_resources",
            Self::FailedLocation => "failed_location",
            Self::UnknownAction => "unknown_action",
            Self::Unknown(word) => word,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_result_code_keeps_its_word() {
        for (word, outcome) in Outcome::WORDS {
            assert_eq!((Outcome::parse(word), outcome.word()), (outcome.clone(), word));
        }
        assert_eq!(Outcome::parse("failed_moon").word(), "failed_moon");
    }

    #[test]
    fn a_wrong_argument_is_named_with_what_was_expected() {
        let cases: [(&'static str, Vec<Value>, &str); 6] = [
            ("move", vec![], "argument 1: expected \"n\", \"s\", \"e\" or \"w\", got nothing"),
            (
                "move",
                vec!["N".into()],
                "argument 1: expected \"n\", \"s\", \"e\" or \"w\", got \"N\"",
            ),
            ("rotate", vec![Value::Int(3)], "argument 1: expected \"cw\" or \"ccw\", got 3"),
            (
                "clear",
                vec![Value::Num(0.5), Value::Int(1)],
                "argument 1: expected a whole number of cells, got 0.5",
            ),
            (
                "connect",
                vec!["a".into(), Value::Int(1)],
                "argument 3: expected a whole number of cells, got nothing",
            ),
            ("fly", vec![], "Agents Assemble has no action \"fly\""),
        ];
        for (name, args, reason) in cases {
            assert_eq!(Action::from_said(&Said::new(name, args)).unwrap_err().reason, reason);
        }
    }
}
