//! Positions and moves as text.

use super::{ChessBoard, ChessMove, ChessPiece, PieceKind};
use std::fmt;

fn letter((kind, white): ChessPiece) -> char {
    let letter = match kind {
        PieceKind::Pawn => 'p',
        PieceKind::Knight => 'n',
        PieceKind::Bishop => 'b',
        PieceKind::Rook => 'r',
        PieceKind::Queen => 'q',
        PieceKind::King => 'k',
    };
    if white { letter.to_ascii_uppercase() } else { letter }
}

fn name(square: usize) -> String {
    let part = |base: char, index: usize| {
        let index = u32::try_from(index).unwrap_or_default();
        char::from_u32(u32::from(base) + index).unwrap_or(base)
    };
    [part('a', square % 8), part('1', square / 8)].iter().collect()
}

impl fmt::Display for ChessMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", name(self.from), name(self.to))?;
        self.promotion.map_or(Ok(()), |kind| write!(f, "{}", letter((kind, false))))
    }
}

impl ChessBoard {
    /// The start of a game.
    pub(super) fn start() -> Self {
        use PieceKind::{Bishop, King, Knight, Pawn, Queen, Rook};
        let mut squares = [None; 64];
        let back = [Rook, Knight, Bishop, Queen, King, Bishop, Knight, Rook];
        for (index, square) in squares.iter_mut().enumerate() {
            let kind = back.get(index % 8).copied();
            *square = match index / 8 {
                0 => kind.map(|kind| (kind, true)),
                1 => Some((Pawn, true)),
                6 => Some((Pawn, false)),
                7 => kind.map(|kind| (kind, false)),
                _ => None,
            };
        }
        Self { squares, white: true, castling: [true; 4], passed: None, quiet: 0, number: 1 }
    }

    /// The position without its counters.
    pub(super) fn epd(&self) -> String {
        let mut out = String::new();
        for (index, row) in self.squares.chunks(8).rev().enumerate() {
            if index > 0 {
                out.push('/');
            }
            let mut empty = 0;
            for square in row {
                let Some(piece) = square else {
                    empty += 1;
                    continue;
                };
                if empty > 0 {
                    out.push_str(&empty.to_string());
                }
                empty = 0;
                out.push(letter(*piece));
            }
            if empty > 0 {
                out.push_str(&empty.to_string());
            }
        }
        out.push_str(if self.white { " w " } else { " b " });
        let rights = "KQkq".chars().zip(self.castling).filter(|(_, right)| *right);
        let rights: String = rights.map(|(letter, _)| letter).collect();
        out.push_str(if rights.is_empty() { "-" } else { &rights });
        out.push(' ');
        // The passed square is included only if a pawn can be captured there.
        let taken = |step: &ChessMove| {
            let pawn = self.at(step.from).is_some_and(|(kind, _)| kind == PieceKind::Pawn);
            pawn && Some(step.to) == self.passed && step.from % 8 != step.to % 8
        };
        let passed = self.passed.filter(|_| self.legal().iter().any(taken));
        out.push_str(&passed.map_or_else(|| "-".to_owned(), name));
        out
    }

    pub(super) fn fen(&self) -> String {
        format!("{} {} {}", self.epd(), self.quiet, self.number)
    }
}
