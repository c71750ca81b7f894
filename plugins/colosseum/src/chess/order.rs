//! Moves and the order in which they are tried: the sooner a good one comes, the more of the others
//! need no look.

use cozy_chess::{BitBoard, Board, Color, Move, Piece, Square, get_pawn_attacks};

/// Squares and sides for which the success of quiet moves is kept.
const PLACES: usize = 2 * 64 * 64;

/// Order of the move from the table, of captures, and of quiet moves that cut off at this height.
const TABLE: i32 = 1 << 30;
const CAPTURE: i32 = 1 << 28;
const KILLER: i32 = 1 << 27;

/// Above this all counts are halved; it stays below the killers.
const HISTORY_MAX: i32 = 1 << 20;

/// What a piece is worth when it is exchanged.
pub(super) fn price(piece: Piece) -> i32 {
    match piece {
        Piece::Pawn => 100,
        Piece::Knight => 310,
        Piece::Bishop => 330,
        Piece::Rook => 500,
        Piece::Queen => 950,
        Piece::King => 5_000,
    }
}

/// All legal moves.
pub(super) fn all(board: &Board) -> Vec<Move> {
    let mut steps = Vec::with_capacity(48);
    board.generate_moves(|moves| {
        steps.extend(moves);
        false
    });
    steps
}

/// The legal moves that take something, and those that promote.
pub(super) fn loud(board: &Board) -> Vec<Move> {
    let enemies = board.colors(!board.side_to_move());
    let last = BitBoard(0xff00_0000_0000_00ff);
    let mut steps = Vec::with_capacity(16);
    board.generate_moves(|mut moves| {
        let goals = if moves.piece == Piece::Pawn { enemies | last } else { enemies };
        moves.to &= goals;
        steps.extend(moves);
        false
    });
    steps
}

/// What a move takes; pawns that are taken in passing are left out.
pub(super) fn taken(board: &Board, step: Move) -> Option<Piece> {
    board.piece_on(step.to).filter(|_| !board.colors(board.side_to_move()).has(step.to))
}

/// Whether a capture gives more than it takes, because a pawn guards what is taken.
pub(super) fn loses(board: &Board, step: Move) -> bool {
    let (Some(piece), Some(victim)) = (board.piece_on(step.from), taken(board, step)) else {
        return false;
    };
    let side = board.side_to_move();
    let guards = get_pawn_attacks(step.to, side) & board.colored_pieces(!side, Piece::Pawn);
    price(piece) > price(victim) + 50 && !guards.is_empty()
}

/// How often quiet moves were good.
#[derive(Debug)]
pub(super) struct QuietHistory {
    counts: Vec<i32>,
}

fn place(side: Color, step: Move) -> usize {
    (side as usize * Square::NUM + step.from as usize) * Square::NUM + step.to as usize
}

impl QuietHistory {
    pub(super) fn new() -> Self {
        Self { counts: vec![0; PLACES] }
    }

    fn of(&self, side: Color, step: Move) -> i32 {
        self.counts.get(place(side, step)).copied().unwrap_or_default()
    }

    /// Notes a quiet move that was good enough.
    pub(super) fn note(&mut self, side: Color, step: Move, depth: i32) {
        let Some(count) = self.counts.get_mut(place(side, step)) else { return };
        *count += depth * depth;
        if *count > HISTORY_MAX {
            self.counts.iter_mut().for_each(|count| *count /= 2);
        }
    }
}

/// Sorts moves, the most promising first. Equal ones stay in the order of their squares.
pub(super) fn sort(
    board: &Board,
    steps: &mut [Move],
    first: Option<Move>,
    killers: [Option<Move>; 2],
    history: &QuietHistory,
) {
    let side = board.side_to_move();
    steps.sort_by_cached_key(|step| {
        let promise = if Some(*step) == first {
            TABLE
        } else if let Some(victim) = taken(board, *step) {
            let piece = board.piece_on(step.from).map_or(0, price);
            CAPTURE + 10 * price(victim) - piece
        } else if step.promotion == Some(Piece::Queen) {
            CAPTURE
        } else if killers.contains(&Some(*step)) {
            KILLER
        } else {
            history.of(side, *step)
        };
        -promise
    });
}
