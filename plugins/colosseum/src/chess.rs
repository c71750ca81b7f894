//! A chess player: alpha-beta search with quiescence on the rules of `cozy-chess`, bounded by the
//! number of positions, so the same position and budget give the same move on every machine.
//!
//! - `judge`: what a position is worth. `order`: which moves are tried first. `table`: what is known
//!   about positions that come up again. `search`: the search.
//!
//! The referee does not use it: it lists legal moves in the original's order, see
//! [`ChessGame`](crate::rules::chess::ChessGame).

mod judge;
mod order;
mod search;
mod table;

use cozy_chess::{Board, util};
use search::Search;

/// Most positions that one search may look at: half a second of an optimised program.
pub const NODES_MAX: u32 = 500_000;

/// Positions that a search looks at if the caller does not say.
pub const NODES: u32 = 60_000;

/// Most positions of the past that a search is given.
pub const PAST_MAX: usize = 1_000;

/// What a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BestMove {
    /// In UCI notation.
    pub uci: String,
    /// For the side to move, in hundredths of a pawn; [`BestMove::MATE`] minus the half-moves to it
    /// for a mate.
    pub worth: i32,
    /// Half-moves of the deepest search that ended.
    pub depth: u32,
    /// Positions that were looked at.
    pub nodes: u32,
}

impl BestMove {
    /// What a mate on the board is worth.
    pub const MATE: i32 = search::MATE;
}

/// The best move of a position in FEN; `None` for a position that has none or cannot be. `past` has
/// positions of this game: a side that is better does not go back to one.
#[must_use]
pub fn best_move<'a>(
    fen: &str,
    past: impl Iterator<Item = &'a str>,
    nodes: u32,
) -> Option<BestMove> {
    let board = Board::from_fen(fen, false).ok()?;
    let past = past.take(PAST_MAX).filter_map(|fen| Board::from_fen(fen, false).ok());
    let past = past.map(|board| board.hash()).collect();
    let mut search = Search::new(past, nodes.min(NODES_MAX));
    let (step, worth, depth) = search.best(&board)?;
    let uci = util::display_uci_move(&board, step).to_string();
    Some(BestMove { uci, worth, depth, nodes: search.nodes() })
}

/// All legal moves of a position in UCI notation, in no particular order; `None` for a position
/// that cannot be.
#[must_use]
pub fn legal_moves(fen: &str) -> Option<Vec<String>> {
    let board = Board::from_fen(fen, false).ok()?;
    let steps = order::all(&board);
    Some(steps.into_iter().map(|step| util::display_uci_move(&board, step).to_string()).collect())
}
