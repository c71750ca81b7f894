//! chess (spec section 9): legal moves in the original's order, positions as it prints them, and
//! the ends that it knows (those that a player would have to claim do not end a game).

mod moves;
mod text;

pub use moves::ChessMove;

/// The order is that of `pnbrqk`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceKind {
    /// Goes ahead, takes aslant.
    Pawn,
    /// Jumps.
    Knight,
    /// Slides aslant.
    Bishop,
    /// Slides straight.
    Rook,
    /// Slides both ways.
    Queen,
    /// Must not be taken.
    King,
}

/// A piece: its kind, and whether it is white.
pub(crate) type ChessPiece = (PieceKind, bool);

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChessEnd {
    /// The side to move lost.
    Checkmate,
    /// No legal move, no check.
    Stalemate,
    /// Neither side has enough pieces left for a mate.
    InsufficientMaterial,
    /// 75 moves of each side without a capture or a pawn's move.
    SeventyfiveMoves,
    /// A position for the fifth time.
    FivefoldRepetition,
}

impl ChessEnd {
    /// Its name in results.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Checkmate => "CHECKMATE",
            Self::Stalemate => "STALEMATE",
            Self::InsufficientMaterial => "INSUFFICIENT_MATERIAL",
            Self::SeventyfiveMoves => "SEVENTYFIVE_MOVES",
            Self::FivefoldRepetition => "FIVEFOLD_REPETITION",
        }
    }
}

/// A position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ChessBoard {
    /// From a1 over h1 to h8.
    pub(crate) squares: [Option<ChessPiece>; 64],
    /// Whether white is to move.
    pub(crate) white: bool,
    /// White's rights on the king's and the queen's side, then black's.
    pub(crate) castling: [bool; 4],
    /// The square that a pawn has just jumped over.
    pub(crate) passed: Option<usize>,
    pub(crate) quiet: u32,
    pub(crate) number: u32,
}

#[derive(Clone, Debug)]
pub struct ChessGame {
    board: ChessBoard,
    /// Positions that can come again, as they are printed without counters.
    seen: Vec<String>,
    last: Option<String>,
}

impl Default for ChessGame {
    fn default() -> Self {
        let board = ChessBoard::start();
        let seen = vec![board.epd()];
        Self { board, seen, last: None }
    }
}

impl ChessGame {
    /// Whether white is to move.
    #[must_use]
    pub fn white(&self) -> bool {
        self.board.white
    }

    /// The legal moves, in UCI notation and the original's order.
    #[must_use]
    pub fn legal_moves(&self) -> Vec<String> {
        self.board.legal().iter().map(ToString::to_string).collect()
    }

    /// The position with its counters.
    #[must_use]
    pub fn fen(&self) -> String {
        self.board.fen()
    }

    /// Plays a move, if it is legal.
    pub fn play(&mut self, uci: &str) -> bool {
        let Some(step) = self.board.legal().into_iter().find(|step| step.to_string() == uci) else {
            return false;
        };
        self.board = self.board.after(step);
        if self.board.quiet == 0 {
            // What was before a capture or a pawn's move never comes again.
            self.seen.clear();
        }
        self.seen.push(self.board.epd());
        self.last = Some(uci.to_owned());
        true
    }

    /// How the game ended, if it did.
    #[must_use]
    pub fn end(&self) -> Option<ChessEnd> {
        let stuck = self.board.legal().is_empty();
        let now = self.board.epd();
        if stuck && self.board.checked(self.board.white) {
            Some(ChessEnd::Checkmate)
        } else if [true, false].iter().all(|white| self.board.cannot_mate(*white)) {
            Some(ChessEnd::InsufficientMaterial)
        } else if stuck {
            Some(ChessEnd::Stalemate)
        } else if self.board.quiet >= 150 {
            Some(ChessEnd::SeventyfiveMoves)
        } else if self.seen.iter().filter(|position| **position == now).count() >= 5 {
            Some(ChessEnd::FivefoldRepetition)
        } else {
            None
        }
    }

    /// Writes the keys of the state, without the braces around them.
    pub fn write(&self, out: &mut String) {
        use crate::wire::text;
        out.push_str("\"fen\": ");
        text::string(out, &self.fen());
        out.push_str(", \"epd\": ");
        text::string(out, &self.board.epd());
        out.push_str(if self.board.white { ", \"turn\": true" } else { ", \"turn\": false" });
        out.push_str(", \"legal_moves\": ");
        text::list(out, self.legal_moves(), |out, uci| text::string(out, &uci));
        out.push_str(", \"last_move\": ");
        match &self.last {
            Some(uci) => text::string(out, uci),
            None => out.push_str("null"),
        }
    }
}
