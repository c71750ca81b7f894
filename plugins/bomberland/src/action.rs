//! Actions of a unit (spec sections 3 and 7.6). The fallback is to do nothing.

use crate::rules::{UnitAction, UnitDirection};
use phalanx_game::{ActionError, Said, Value};
use std::fmt;

/// One answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action {
    /// Stays where it is; nothing is sent.
    Wait,
    /// Goes one cell.
    Move(UnitDirection),
    /// Puts a bomb into the unit's own cell.
    Bomb,
    /// Sets off its own bomb in a cell.
    Detonate {
        /// Column.
        x: i32,
        /// Row.
        y: i32,
    },
}

impl Action {
    /// The order in the rules' types; `None` for the one that is not sent.
    #[must_use]
    pub fn act(self) -> Option<UnitAction> {
        match self {
            Self::Wait => None,
            Self::Move(direction) => Some(UnitAction::Move(direction)),
            Self::Bomb => Some(UnitAction::Bomb),
            Self::Detonate { x, y } => Some(UnitAction::Detonate(x.into(), y.into())),
        }
    }

    /// The action of an order; `None` for a detonation outside of whole cells.
    pub(crate) fn from_act(act: UnitAction) -> Option<Self> {
        Some(match act {
            UnitAction::Move(direction) => Self::Move(direction),
            UnitAction::Bomb => Self::Bomb,
            UnitAction::Detonate(x, y) => {
                let cell = |number: f64| {
                    let int = Value::Num(number).as_int()?;
                    i32::try_from(int).ok()
                };
                Self::Detonate { x: cell(x)?, y: cell(y)? }
            }
        })
    }

    /// Checks what a script said.
    ///
    /// # Errors
    /// When there is no such action or an argument does not fit.
    pub fn from_said(said: &Said) -> Result<Self, ActionError> {
        Self::parse(&said.action, &said.args)
            .map_err(|reason| ActionError { action: said.action.to_string(), reason })
    }

    /// The action of that name with those arguments, or what is wrong with it.
    pub(crate) fn parse(name: &str, args: &[Value]) -> Result<Self, String> {
        let arg = |index: usize| args.get(index).unwrap_or(&Value::Nil);
        let wrong = |index: usize, expected: &str| {
            let got = match arg(index) {
                Value::Nil => "nothing".to_owned(),
                Value::Str(text) => format!("{:?}", phalanx_game::excerpt(text.as_bytes())),
                Value::Int(int) => int.to_string(),
                Value::Num(num) => num.to_string(),
                other @ (Value::Bool(_) | Value::List(_) | Value::Map(_)) => {
                    format!("a {}", other.kind())
                }
            };
            format!("argument {}: expected {expected}, got {got}", index + 1)
        };
        let int = |index: usize| {
            let int = arg(index).as_int().and_then(|int| i32::try_from(int).ok());
            int.ok_or_else(|| wrong(index, "a whole number of cells"))
        };
        Ok(match name {
            "wait" => Self::Wait,
            "move" => {
                let direction = arg(0).as_str().and_then(UnitDirection::parse);
                let expected = "\"up\", \"down\", \"left\" or \"right\"";
                Self::Move(direction.ok_or_else(|| wrong(0, expected))?)
            }
            "bomb" => Self::Bomb,
            "detonate" => Self::Detonate { x: int(0)?, y: int(1)? },
            other => return Err(format!("Bomberland has no action {other:?}")),
        })
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wait => f.write_str("wait()"),
            Self::Move(direction) => write!(f, "move({})", direction.word()),
            Self::Bomb => f.write_str("bomb()"),
            Self::Detonate { x, y } => write!(f, "detonate({x},{y})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_argument_is_named_with_what_was_expected() {
        let said = |name: &'static str, args| Action::from_said(&Said::new(name, args));
        assert_eq!(
            said("move", vec!["UP".into()]).unwrap_err().reason,
            "argument 1: expected \"up\", \"down\", \"left\" or \"right\", got \"UP\""
        );
        assert_eq!(
            said("detonate", vec![Value::Int(3), Value::Num(0.5)]).unwrap_err().reason,
            "argument 2: expected a whole number of cells, got 0.5"
        );
        let detonate = Ok(Action::Detonate { x: 3, y: 4 });
        assert_eq!(said("detonate", vec![Value::Int(3), Value::Int(4)]), detonate);
        assert!(said("fly", vec![]).is_err());
    }
}
