//! What a client says in its turn (spec section 6).

use super::opening::{decode_place, encode_place};
use super::{Dialect, FrontReader};
use crate::rules::{Cell, TurnAction};
use phalanx_game::ProtocolError;
use serde::{Deserialize, Serialize};

/// Longest text message, in bytes.
pub const TEXT_BYTES_MAX: usize = u16::MAX as usize;

/// A symbol on the simulator's map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Symbol {
    /// A number from 0 to 99.
    Number(u8),
    /// `#`
    Sign,
    /// `?`
    Question,
    /// `?!`
    Doubt,
    /// Cannot be reached.
    Unreachable,
    /// Does not matter.
    Irrelevant,
    /// There may be an enemy.
    PossibleEnemy,
    /// There is an enemy.
    Enemy,
    /// There may be a danger.
    PossibleDanger,
    /// There is a danger.
    Danger,
    /// The agent means to end the simulation there.
    PlanShutOff,
    /// Nothing: removes the symbol.
    None,
}

/// Symbols by name, with their codes; numbers are written as numbers.
const NAMED: [(Symbol, u8, &str); 11] = [
    (Symbol::Sign, 200, "sign"),
    (Symbol::Question, 201, "question"),
    (Symbol::Doubt, 202, "doubt"),
    (Symbol::Unreachable, 203, "unreachable"),
    (Symbol::Irrelevant, 204, "irrelevant"),
    (Symbol::PossibleEnemy, 205, "possible_enemy"),
    (Symbol::Enemy, 206, "enemy"),
    (Symbol::PossibleDanger, 207, "possible_danger"),
    (Symbol::Danger, 208, "danger"),
    (Symbol::PlanShutOff, 209, "plan_shut_off"),
    (Symbol::None, 254, "none"),
];

impl Symbol {
    /// The symbol of that name.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        NAMED.iter().find(|(.., name)| *name == word).map(|(symbol, ..)| *symbol)
    }

    /// Its name; `number` for all numbers.
    #[must_use]
    pub fn word(self) -> &'static str {
        NAMED.iter().find(|(symbol, ..)| *symbol == self).map_or("number", |(.., name)| name)
    }

    fn code(self) -> u8 {
        if let Self::Number(number) = self {
            return 100 + number.min(99);
        }
        NAMED.iter().find(|(symbol, ..)| *symbol == self).map_or(254, |row| row.1)
    }

    fn from_code(code: u8) -> Option<Self> {
        match code {
            100..=199 => Some(Self::Number(code - 100)),
            _ => NAMED.iter().find(|row| row.1 == code).map(|row| row.0),
        }
    }
}

/// A symbol for a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DisplayMark {
    /// Which tile.
    pub at: Cell,
    /// What.
    pub symbol: Symbol,
}

/// One request of a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientRequest {
    /// An action: ends the client's turn.
    Act(TurnAction),
    /// Removes all symbols.
    ClearMarks,
    /// Shows or removes a symbol.
    Mark(DisplayMark),
    /// A message for people, in an unspecified 8-bit encoding.
    Text(Vec<u8>),
}

/// Reads a request; how many bytes it takes. `None`: more bytes are needed.
///
/// # Errors
/// At a code that means nothing.
pub fn decode_request(
    bytes: &[u8],
    dialect: Dialect,
) -> Result<Option<(ClientRequest, usize)>, ProtocolError> {
    let mut reader = FrontReader { rest: bytes, dialect };
    let Some(code) = reader.u8() else { return Ok(None) };
    let act = TurnAction::ALL.get(usize::from(code)).copied().map(ClientRequest::Act);
    let request = match (act, code) {
        (Some(act), _) => Some(act),
        (None, 6) => Some(ClientRequest::ClearMarks),
        (None, 255) => text(&mut reader),
        (None, code) => match Symbol::from_code(code) {
            None => {
                let expected = "0 to 6, 100 to 209, 254 or 255";
                return Err(ProtocolError::new("request code", expected, &[code]));
            }
            Some(symbol) => reader.take::<2>().map(|place| {
                ClientRequest::Mark(DisplayMark { at: decode_place(place, dialect), symbol })
            }),
        },
    };
    Ok(request.map(|request| (request, bytes.len() - reader.rest.len())))
}

fn text(reader: &mut FrontReader<'_>) -> Option<ClientRequest> {
    let size = reader.u16()?;
    let (text, rest) = reader.rest.split_at_checked(size.into())?;
    reader.rest = rest;
    Some(ClientRequest::Text(text.to_vec()))
}

/// Writes a request. A symbol whose place does not fit is dropped, a longer text becomes several.
pub fn encode_request(request: &ClientRequest, dialect: Dialect, out: &mut Vec<u8>) {
    match request {
        ClientRequest::Act(act) => {
            let code = TurnAction::ALL.iter().position(|other| other == act);
            out.push(code.and_then(|code| u8::try_from(code).ok()).unwrap_or_default());
        }
        ClientRequest::ClearMarks => out.push(6),
        ClientRequest::Mark(mark) => {
            if let Some(place) = encode_place(mark.at, dialect) {
                out.push(mark.symbol.code());
                out.extend(place);
            }
        }
        ClientRequest::Text(text) if text.is_empty() => out.extend([255, 0, 0]),
        ClientRequest::Text(text) => {
            for piece in text.chunks(TEXT_BYTES_MAX) {
                out.push(255);
                dialect.put_u16(out, u16::try_from(piece.len()).unwrap_or_default());
                out.extend(piece);
            }
        }
    }
}
