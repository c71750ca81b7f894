//! What a position is worth: pieces, where they are, pawns, kings. Each part has one number for the
//! middle of a game and one for its end, which are mixed by the pieces that are left.

use cozy_chess::{
    BitBoard, Board, Color, File, Piece, Rank, Square, get_bishop_moves, get_king_moves,
    get_knight_moves, get_pawn_attacks, get_rook_moves,
};
use std::ops::{Add, AddAssign, Sub};

/// Hundredths of a pawn, in the middle of a game and at its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Worth {
    middle: i32,
    end: i32,
}

const fn worth(middle: i32, end: i32) -> Worth {
    Worth { middle, end }
}

impl Add for Worth {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        worth(self.middle + other.middle, self.end + other.end)
    }
}

impl Sub for Worth {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        worth(self.middle - other.middle, self.end - other.end)
    }
}

impl AddAssign for Worth {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Worth {
    fn times(self, count: i32) -> Self {
        worth(self.middle * count, self.end * count)
    }
}

/// The share of the middle game that each piece keeps; all together are [`PHASE_MAX`].
const PHASE_MAX: i32 = 24;

/// A pawn that no enemy pawn can stop, by the rows that it has gone.
const PASSED: [Worth; 8] = [
    worth(0, 0),
    worth(2, 8),
    worth(4, 12),
    worth(8, 28),
    worth(22, 55),
    worth(50, 100),
    worth(90, 160),
    worth(0, 0),
];

/// Any pawn, by the rows that it has gone.
const ADVANCED: [Worth; 8] = [
    worth(0, 0),
    worth(0, 0),
    worth(3, 3),
    worth(8, 8),
    worth(16, 16),
    worth(25, 28),
    worth(35, 45),
    worth(0, 0),
];

const ISOLATED: Worth = worth(-12, -14);
const DOUBLED: Worth = worth(-8, -18);
const BISHOPS: Worth = worth(28, 45);
const OPEN_FILE: Worth = worth(22, 8);
const HALF_OPEN_FILE: Worth = worth(10, 6);
const SHIELD: Worth = worth(11, 0);
const TO_MOVE: i32 = 12;

/// Hits beside a king, weighed by the piece.
const ASSAULT: [i32; 6] = [0, 9, 8, 11, 16, 0];

fn pieces(piece: Piece) -> (Worth, i32) {
    match piece {
        Piece::Pawn => (worth(88, 112), 0),
        Piece::Knight => (worth(325, 305), 1),
        Piece::Bishop => (worth(338, 322), 1),
        Piece::Rook => (worth(478, 530), 2),
        Piece::Queen => (worth(985, 965), 4),
        Piece::King => (worth(0, 0), 0),
    }
}

fn small(count: usize) -> i32 {
    i32::try_from(count).unwrap_or_default()
}

fn count(squares: BitBoard) -> i32 {
    i32::try_from(squares.len()).unwrap_or_default()
}

/// 0 in the corners to 6 in the middle.
fn middle(square: Square) -> i32 {
    let off = |line: usize| (2 * small(line) - 7).abs();
    (14 - off(square.file() as usize) - off(square.rank() as usize)) / 2
}

/// King's moves from one square to another.
fn apart(a: Square, b: Square) -> i32 {
    let far = |a: usize, b: usize| small(a.abs_diff(b));
    far(a.file() as usize, b.file() as usize).max(far(a.rank() as usize, b.rank() as usize))
}

/// One side's view of the board.
struct Side<'a> {
    board: &'a Board,
    color: Color,
    own_pawns: BitBoard,
    enemy_pawns: BitBoard,
    /// What pieces can use: not own pieces, not what enemy pawns hit.
    open: BitBoard,
    /// Around the enemy's king.
    ring: BitBoard,
}

impl<'a> Side<'a> {
    fn new(board: &'a Board, color: Color) -> Self {
        let enemy_pawns = board.colored_pieces(!color, Piece::Pawn);
        let hit = enemy_pawns
            .iter()
            .fold(BitBoard::EMPTY, |hit, pawn| hit | get_pawn_attacks(pawn, !color));
        Self {
            board,
            color,
            own_pawns: board.colored_pieces(color, Piece::Pawn),
            enemy_pawns,
            open: !(board.colors(color) | hit),
            ring: get_king_moves(board.king(!color)),
        }
    }

    fn worth(&self) -> Worth {
        let mut sum = Worth::default();
        let mut assault = 0;
        for piece in Piece::ALL {
            for square in self.board.colored_pieces(self.color, piece) {
                sum += pieces(piece).0 + self.placed(piece, square);
                let hits = count(self.reach(piece, square) & self.ring);
                assault += hits * ASSAULT.get(piece as usize).copied().unwrap_or_default();
            }
        }
        if self.board.colored_pieces(self.color, Piece::Bishop).len() > 1 {
            sum += BISHOPS;
        }
        // Many who hit beside a king are worth more than each alone.
        sum + worth((assault * assault / 40).min(400), 0)
    }

    fn reach(&self, piece: Piece, square: Square) -> BitBoard {
        let all = self.board.occupied();
        match piece {
            Piece::Knight => get_knight_moves(square),
            Piece::Bishop => get_bishop_moves(square, all),
            Piece::Rook => get_rook_moves(square, all),
            Piece::Queen => get_bishop_moves(square, all) | get_rook_moves(square, all),
            Piece::Pawn | Piece::King => BitBoard::EMPTY,
        }
    }

    fn placed(&self, piece: Piece, square: Square) -> Worth {
        let free = count(self.reach(piece, square) & self.open);
        match piece {
            Piece::Pawn => self.pawn(square),
            Piece::Knight => worth(4, 4).times(free - 4) + worth(5, 4).times(middle(square) - 3),
            Piece::Bishop => worth(4, 4).times(free - 6) + worth(2, 2).times(middle(square) - 3),
            Piece::Rook => worth(2, 4).times(free - 7) + self.file(square),
            Piece::Queen => worth(1, 3).times(free - 13) + worth(0, 3).times(middle(square) - 3),
            Piece::King => self.king(square),
        }
    }

    fn pawn(&self, square: Square) -> Worth {
        let (file, row) = (square.file(), square.rank().relative_to(self.color) as usize);
        let ahead = Rank::ALL.into_iter().filter(|rank| {
            (*rank as usize > square.rank() as usize) == (self.color == Color::White)
                && *rank != square.rank()
        });
        let ahead = ahead.fold(BitBoard::EMPTY, |rows, rank| rows | rank.bitboard());
        let lane = file.bitboard() | file.adjacent();
        let at = |table: &[Worth; 8]| table.get(row).copied().unwrap_or_default();
        let mut sum = at(&ADVANCED);
        if (lane & ahead & self.enemy_pawns).is_empty() {
            sum += at(&PASSED);
        }
        if (file.adjacent() & self.own_pawns).is_empty() {
            sum += ISOLATED;
        }
        if !(file.bitboard() & ahead & self.own_pawns).is_empty() {
            sum += DOUBLED;
        }
        if matches!(file, File::D | File::E) && row >= 3 {
            sum += worth(14, 0);
        }
        sum
    }

    fn file(&self, square: Square) -> Worth {
        let file = square.file().bitboard();
        match ((file & self.own_pawns).is_empty(), (file & self.enemy_pawns).is_empty()) {
            (true, true) => OPEN_FILE,
            (true, false) => HALF_OPEN_FILE,
            (false, _) => Worth::default(),
        }
    }

    /// At home behind its pawns while there are many pieces, in the middle later.
    fn king(&self, square: Square) -> Worth {
        let around = get_king_moves(square);
        let shield = around.iter().fold(around, |wide, next| wide | get_king_moves(next));
        let row = small(square.rank().relative_to(self.color) as usize);
        SHIELD.times(count(shield & self.own_pawns).min(4))
            + worth(-10, 9).times(middle(square))
            + worth(-14, 0).times(row)
    }
}

/// A side without pieces is driven to the edge, with the other king beside it.
fn hunt(board: &Board, winner: Color) -> i32 {
    let (mine, other) = (board.king(winner), board.king(!winner));
    14 * (6 - middle(other)) + 8 * (7 - apart(mine, other))
}

fn lone(board: &Board, color: Color) -> bool {
    board.colors(color).len() == 1
}

/// Whether neither side can mate with what it has: no pawns, and at most one light piece.
pub(super) fn dead_draw(board: &Board) -> bool {
    let heavy = board.pieces(Piece::Pawn) | board.pieces(Piece::Rook) | board.pieces(Piece::Queen);
    heavy.is_empty() && board.occupied().len() <= 3
}

/// What a position is worth for the side to move, in hundredths of a pawn.
pub(super) fn value(board: &Board) -> i32 {
    let phase: i32 =
        Piece::ALL.into_iter().map(|piece| pieces(piece).1 * count(board.pieces(piece))).sum();
    let phase = phase.min(PHASE_MAX);
    let sum = Side::new(board, Color::White).worth() - Side::new(board, Color::Black).worth();
    let mut mixed = (sum.middle * phase + sum.end * (PHASE_MAX - phase)) / PHASE_MAX;
    if lone(board, Color::Black) {
        mixed += hunt(board, Color::White);
    }
    if lone(board, Color::White) {
        mixed -= hunt(board, Color::Black);
    }
    TO_MOVE + if board.side_to_move() == Color::White { mixed } else { -mixed }
}
