//! What the agent does in a turn, and what it shows meanwhile (spec section 6).

use crate::rules::{Cell, TurnAction};
use crate::wire::{ClientRequest, DisplayMark, Symbol, TEXT_BYTES_MAX};
use phalanx_game::{ActionError, Said, Value};
use std::fmt;

/// Most symbols that are sent in one turn.
pub const MARKS_MAX: usize = 4096;

/// Longest text of one turn, in characters.
pub const TEXT_CHARS_MAX: usize = 4096;

/// Debug output on the simulator's display: without any effect on the world.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DisplayNotes {
    /// Remove all symbols first.
    pub clear: bool,
    /// Symbols to show or to remove.
    pub marks: Vec<DisplayMark>,
    /// A line of text, in Latin-1 on the wire.
    pub text: Option<String>,
}

impl DisplayNotes {
    /// The text, if any.
    pub(crate) fn text(&self) -> &str {
        self.text.as_deref().unwrap_or_default()
    }
}

/// One turn's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    /// What the agent does.
    pub act: TurnAction,
    /// What it shows.
    pub notes: DisplayNotes,
    /// The agent shuts off since it cannot play by these rules.
    pub refusal: bool,
}

impl From<TurnAction> for Action {
    fn from(act: TurnAction) -> Self {
        Self { act, notes: DisplayNotes::default(), refusal: false }
    }
}

impl Action {
    /// What goes over the wire, in this order; the action is last.
    #[must_use]
    pub fn requests(&self) -> Vec<ClientRequest> {
        let clear = self.notes.clear.then_some(ClientRequest::ClearMarks);
        let marks = self.notes.marks.iter().map(|mark| ClientRequest::Mark(*mark));
        let text = self.notes.text.as_deref().map(|text| ClientRequest::Text(latin(text)));
        let all = clear.into_iter().chain(marks).chain(text);
        all.chain([ClientRequest::Act(self.act)]).collect()
    }

    /// Checks what a script said.
    ///
    /// # Errors
    /// When there is no such action or an argument does not fit.
    pub fn from_said(said: &Said) -> Result<Self, ActionError> {
        Self::parse(&said.action, &said.args)
            .map_err(|reason| ActionError { action: said.action.to_string(), reason })
    }

    fn parse(name: &str, args: &[Value]) -> Result<Self, String> {
        let first = args.first().unwrap_or(&Value::Nil);
        if name == "refuse" {
            let reason = first.as_str().ok_or("argument 1: expected a text, the reason")?;
            let text = Some(reason.chars().take(TEXT_CHARS_MAX).collect());
            let notes = DisplayNotes { text, ..DisplayNotes::default() };
            return Ok(Self { act: TurnAction::ShutOff, notes, refusal: true });
        }
        let act =
            TurnAction::parse(name).ok_or_else(|| format!("Asimulator has no action {name:?}"))?;
        Ok(Self { act, notes: notes(first)?, refusal: false })
    }
}

/// Characters that Latin-1 lacks become question marks.
fn latin(text: &str) -> Vec<u8> {
    let byte = |letter: char| u8::try_from(u32::from(letter)).unwrap_or(b'?');
    text.chars().take(TEXT_BYTES_MAX).map(byte).collect()
}

fn notes(value: &Value) -> Result<DisplayNotes, String> {
    if *value == Value::Nil {
        return Ok(DisplayNotes::default());
    }
    let Value::Map(pairs) = value else {
        return Err(format!("argument 1: expected a table or nil, got a {}", value.kind()));
    };
    let mut notes = DisplayNotes::default();
    for (key, value) in pairs {
        match key.as_ref() {
            "clear" => notes.clear = value.as_bool().ok_or("clear: expected true or false")?,
            "say" => {
                let text = value.as_str().ok_or("say: expected a text")?;
                notes.text = Some(text.chars().take(TEXT_CHARS_MAX).collect());
            }
            "marks" => notes.marks = marks(value)?,
            other => return Err(format!("notes: expected marks, clear or say, got {other:?}")),
        }
    }
    Ok(notes)
}

fn marks(value: &Value) -> Result<Vec<DisplayMark>, String> {
    // An empty Lua table may come as a map.
    if matches!(value, Value::Map(pairs) if pairs.is_empty()) {
        return Ok(Vec::new());
    }
    let list = value.as_list().ok_or("marks: expected a list")?;
    if list.len() > MARKS_MAX {
        return Err(format!("marks: at most {MARKS_MAX}, got {}", list.len()));
    }
    (1..).zip(list).map(|(number, value)| mark(number, value)).collect()
}

fn mark(number: usize, value: &Value) -> Result<DisplayMark, String> {
    let (x, y) = value.as_cell().ok_or_else(|| format!("marks[{number}]: expected x and y"))?;
    let symbol = value.get("symbol").unwrap_or(&Value::Nil);
    let numbered = symbol.as_int().and_then(|int| u8::try_from(int).ok());
    let numbered = numbered.filter(|number| *number < 100).map(Symbol::Number);
    let symbol = numbered.or_else(|| symbol.as_str().and_then(Symbol::parse));
    let symbol = symbol.ok_or_else(|| {
        format!("marks[{number}].symbol: expected a number from 0 to 99 or a symbol's name")
    })?;
    Ok(DisplayMark { at: Cell::new(x, y), symbol })
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.refusal {
            return write!(f, "refuse({})", phalanx_game::quoted(self.notes.text()));
        }
        write!(f, "{}()", self.act.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(name: &'static str, args: Vec<Value>) -> Result<Action, String> {
        Action::from_said(&Said::new(name, args)).map_err(|error| error.reason)
    }

    #[test]
    fn notes_go_out_before_the_action() {
        let marks = Value::List(vec![Value::map([
            ("x", Value::Int(-3)),
            ("y", Value::Int(4)),
            ("symbol", Value::Int(7)),
        ])]);
        let notes = Value::map([("marks", marks), ("say", "näch".into()), ("clear", true.into())]);
        let action = said("move", vec![notes]).unwrap();
        let mark = DisplayMark { at: Cell::new(-3, 4), symbol: Symbol::Number(7) };
        let text = ClientRequest::Text(b"n\xE4ch".to_vec());
        let all = [
            ClientRequest::ClearMarks,
            ClientRequest::Mark(mark),
            text,
            ClientRequest::Act(TurnAction::Move),
        ];
        assert_eq!(action.requests(), all);
    }

    #[test]
    fn a_wrong_argument_is_named() {
        assert!(said("fly", vec![]).unwrap_err().contains("fly"));
        assert!(said("grab", vec![Value::Int(1)]).unwrap_err().contains("got a number"));
        let odd = Value::map([("x", 1.into()), ("y", 1.into()), ("symbol", "skull".into())]);
        let notes = Value::map([("marks", Value::List(vec![odd]))]);
        assert!(said("grab", vec![notes]).unwrap_err().contains("marks[1].symbol"));
        assert!(said("refuse", vec![]).is_err());
    }

    #[test]
    fn a_refusal_says_why_and_shuts_off() {
        let action = said("refuse", vec!["no homes".into()]).unwrap();
        let text = ClientRequest::Text(b"no homes".to_vec());
        assert_eq!(action.requests(), [text, ClientRequest::Act(TurnAction::ShutOff)]);
        assert_eq!(action.to_string(), "refuse(\"no homes\")");
    }
}
