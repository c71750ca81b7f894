//! What an agent may say to the referee, and how the referee answers (spec sections 3 and 8).

use crate::rules::{MarsVerb, Outcome, Upgrade};
use phalanx_game::{ActionError, Said, Value};
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;
use std::fmt;

/// Longest name in an action, in characters: real ones have 12, a frame of ours must stay small.
pub const NAME_CHARS_MAX: usize = 256;

/// One action. Names are written as the original referee wants them: lower case, since it dies of
/// most others.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Does nothing.
    Skip,
    /// Regains energy, unless attacked in this step.
    Recharge,
    /// Goes to a neighbouring vertex.
    Goto(SmolStr),
    /// Learns the value of the own vertex.
    Probe,
    /// Learns the weights of all edges of the own vertex.
    Survey,
    /// Learns the internals of enemies on the own and on neighbouring vertices.
    Inspect,
    /// Hurts an agent on the own vertex.
    Attack(SmolStr),
    /// Is not hurt in this step.
    Parry,
    /// Makes another agent on the own vertex whole again.
    Repair(SmolStr),
    /// Buys an upgrade.
    Buy(Upgrade),
}

impl Action {
    /// What it tries to do.
    #[must_use]
    pub fn verb(&self) -> MarsVerb {
        match self {
            Self::Skip => MarsVerb::Skip,
            Self::Recharge => MarsVerb::Recharge,
            Self::Goto(_) => MarsVerb::Goto,
            Self::Probe => MarsVerb::Probe,
            Self::Survey => MarsVerb::Survey,
            Self::Inspect => MarsVerb::Inspect,
            Self::Attack(_) => MarsVerb::Attack,
            Self::Parry => MarsVerb::Parry,
            Self::Repair(_) => MarsVerb::Repair,
            Self::Buy(_) => MarsVerb::Buy,
        }
    }

    /// The action's name on the wire and in scripts.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.verb().word()
    }

    /// The parameter as the wire has it; empty when there is none.
    #[must_use]
    pub fn param(&self) -> &str {
        match self {
            Self::Goto(name) | Self::Attack(name) | Self::Repair(name) => name,
            Self::Buy(item) => item.word(),
            Self::Skip
            | Self::Recharge
            | Self::Probe
            | Self::Survey
            | Self::Inspect
            | Self::Parry => "",
        }
    }

    /// The action of a name with its parameter as the wire has them, in any case of letters; `None`
    /// for an action or an item that does not exist. Parameters that an action does not have are
    /// ignored.
    #[must_use]
    pub fn from_wire(name: &str, param: &str) -> Option<Self> {
        let target = || SmolStr::new(param);
        Some(match MarsVerb::parse(name)? {
            MarsVerb::Skip => Self::Skip,
            MarsVerb::Recharge => Self::Recharge,
            MarsVerb::Goto => Self::Goto(target()),
            MarsVerb::Probe => Self::Probe,
            MarsVerb::Survey => Self::Survey,
            MarsVerb::Inspect => Self::Inspect,
            MarsVerb::Attack => Self::Attack(target()),
            MarsVerb::Parry => Self::Parry,
            MarsVerb::Repair => Self::Repair(target()),
            MarsVerb::Buy => Self::Buy(Upgrade::parse(param)?),
        })
    }

    /// Checks what a script said.
    ///
    /// # Errors
    /// When there is no such action or the argument does not fit; the reason says what was
    /// expected and what came.
    pub fn from_said(said: &Said) -> Result<Self, ActionError> {
        Ok(match said.action.as_ref() {
            "skip" => Self::Skip,
            "recharge" => Self::Recharge,
            "goto" => Self::Goto(name(said, "the name of a vertex")?),
            "probe" => Self::Probe,
            "survey" => Self::Survey,
            "inspect" => Self::Inspect,
            "attack" => Self::Attack(name(said, "the name of an agent")?),
            "parry" => Self::Parry,
            "repair" => Self::Repair(name(said, "the name of an agent")?),
            "buy" => Self::Buy(item(said)?),
            other => {
                let reason = format!("Agents on Mars has no action {other:?}");
                return Err(ActionError { action: other.to_owned(), reason });
            }
        })
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.param() {
            "" => write!(f, "{}()", self.name()),
            param => write!(f, "{}({})", self.name(), phalanx_game::argument(param)),
        }
    }
}

fn name(said: &Said, expected: &str) -> Result<SmolStr, ActionError> {
    let text = said.args.first().and_then(Value::as_str).filter(|text| !text.is_empty());
    let text = text.ok_or_else(|| wrong(said, expected))?;
    if text.chars().count() > NAME_CHARS_MAX {
        return Err(wrong(said, &format!("{expected} of at most {NAME_CHARS_MAX} characters")));
    }
    Ok(SmolStr::new(text))
}

fn item(said: &Said) -> Result<Upgrade, ActionError> {
    let word = said.args.first().and_then(Value::as_str);
    let expected = "\"battery\", \"sensor\", \"shield\" or \"sabotageDevice\"";
    word.and_then(Upgrade::parse).ok_or_else(|| wrong(said, expected))
}

fn wrong(said: &Said, expected: &str) -> ActionError {
    let got = match said.args.first() {
        None | Some(Value::Nil) => "nothing".to_owned(),
        Some(Value::Str(text)) => format!("{:?}", phalanx_game::excerpt(text.as_bytes())),
        Some(Value::Int(int)) => int.to_string(),
        Some(Value::Num(num)) => num.to_string(),
        Some(other @ (Value::Bool(_) | Value::List(_) | Value::Map(_))) => {
            format!("a {}", other.kind())
        }
    };
    let reason = format!("argument 1: expected {expected}, got {got}");
    ActionError { action: said.action.to_string(), reason }
}

/// The referee's result of an action: in the words of 2012, and where they differ of 2011 and
/// 2013 too.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Feedback {
    /// No result has come yet.
    #[default]
    None,
    /// A word of 2012.
    Known(Outcome),
    /// 2011: the victim parried.
    Parried,
    /// 2011: nothing has the name in the parameter.
    WrongParameter,
    /// 2013: beyond the visibility range.
    FailedOutOfRange,
    /// 2013: within the visibility range, but not lucky enough.
    FailedInRange,
    /// 2013: no way leads there.
    FailedUnreachable,
    /// A word that this program does not know.
    Unknown(SmolStr),
}

impl Feedback {
    /// The feedback of that word; every word has one. The scenario document's `failed_parry` is
    /// what the referee calls `failed_parried`.
    #[must_use]
    pub fn parse(word: &str) -> Self {
        if let Some(outcome) = Outcome::parse(word) {
            return Self::Known(outcome);
        }
        match word {
            "" => Self::None,
            "failed_parry" => Self::Known(Outcome::FailedParried),
            "parried" => Self::Parried,
            "wrongParameter" => Self::WrongParameter,
            "failed_out_of_range" => Self::FailedOutOfRange,
            "failed_in_range" => Self::FailedInRange,
            "failed_unreachable" => Self::FailedUnreachable,
            other => Self::Unknown(SmolStr::new(other)),
        }
    }

    /// The referee's word.
    #[must_use]
    pub fn word(&self) -> &str {
        match self {
            Self::None => "",
            Self::Known(outcome) => outcome.word(),
            Self::Parried => "parried",
            Self::WrongParameter => "wrongParameter",
            Self::FailedOutOfRange => "failed_out_of_range",
            Self::FailedInRange => "failed_in_range",
            Self::FailedUnreachable => "failed_unreachable",
            Self::Unknown(word) => word,
        }
    }

    /// Whether the action had no effect: every word that begins with `failed`, and what 2011 called
    /// `parried` and `wrongParameter`. A useless parry did not fail.
    #[must_use]
    pub fn failed(&self) -> bool {
        matches!(self, Self::Parried | Self::WrongParameter) || self.word().starts_with("failed")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_result_keeps_its_word() {
        let words = Outcome::ALL.into_iter().map(Outcome::word);
        let others = ["", "parried", "wrongParameter", "failed_in_range", "failed_moon"];
        for word in words.chain(others) {
            assert_eq!(Feedback::parse(word).word(), word);
        }
        assert_eq!(Feedback::parse("failed_parry"), Feedback::Known(Outcome::FailedParried));
        assert_eq!(Feedback::parse("failed_moon"), Feedback::Unknown("failed_moon".into()));
    }

    #[test]
    fn results_of_all_editions_are_failures_or_not() {
        for (word, failed) in [
            ("successful", false),
            ("useless", false),
            ("", false),
            ("failed", true),
            ("failed_attacked", true),
            ("failed_of_some_later_edition", true),
            ("parried", true),
            ("wrongParameter", true),
        ] {
            assert_eq!(Feedback::parse(word).failed(), failed, "{word}");
        }
    }

    #[test]
    fn names_of_actions_are_read_in_any_case_and_written_in_one() {
        let action = Action::from_wire("ReCharge", "vertex1").unwrap();
        assert_eq!((action.name(), action.param()), ("recharge", ""));
        let action = Action::from_wire("buy", "SABOTAGEdevice").unwrap();
        assert_eq!((action.name(), action.param()), ("buy", "sabotageDevice"));
        assert_eq!(Action::from_wire("buy", "rocket"), None);
        assert_eq!(Action::from_wire("noAction", ""), None);
        assert_eq!(Action::Goto("vertex7".into()).to_string(), "goto(vertex7)");
    }

    #[test]
    fn a_wrong_argument_is_named_with_what_was_expected() {
        let long = "v".repeat(NAME_CHARS_MAX + 1);
        let cases: [(&'static str, Vec<Value>, &str); 6] = [
            ("goto", vec![], "argument 1: expected the name of a vertex, got nothing"),
            ("goto", vec![Value::Int(3)], "argument 1: expected the name of a vertex, got 3"),
            ("attack", vec!["".into()], "argument 1: expected the name of an agent, got \"\""),
            (
                "buy",
                vec!["gun".into()],
                "argument 1: expected \"battery\", \"sensor\", \"shield\" or \"sabotageDevice\", got \"gun\"",
            ),
            ("fly", vec![], "Agents on Mars has no action \"fly\""),
            (
                "repair",
                vec![long.into()],
                "argument 1: expected the name of an agent of at most 256 characters, got",
            ),
        ];
        for (name, args, reason) in cases {
            let error = Action::from_said(&Said::new(name, args)).unwrap_err();
            assert!(error.reason.starts_with(reason), "{}", error.reason);
        }
    }
}
