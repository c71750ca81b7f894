//! Moves: from the highest square down, pieces before castling before pawns, as the original's
//! library lists them; in check the king's moves come first.

use super::{ChessBoard, ChessPiece, PieceKind};

/// One move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChessMove {
    /// The square that is left, from a1 = 0 to h8 = 63.
    pub from: usize,
    /// The square that is entered.
    pub to: usize,
    /// What a pawn becomes.
    pub promotion: Option<PieceKind>,
}

const STRAIGHT: [(i32, i32); 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];
const ASLANT: [(i32, i32); 4] = [(1, 1), (1, -1), (-1, -1), (-1, 1)];
const JUMPS: [(i32, i32); 8] =
    [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];
const PROMOTIONS: [PieceKind; 4] =
    [PieceKind::Queen, PieceKind::Rook, PieceKind::Bishop, PieceKind::Knight];

/// The square beside one, if it is on the board.
fn beside(square: usize, (columns, rows): (i32, i32)) -> Option<usize> {
    let column = i32::try_from(square % 8).ok()? + columns;
    let row = i32::try_from(square / 8).ok()? + rows;
    let inside = (0..8).contains(&column) && (0..8).contains(&row);
    inside.then(|| usize::try_from(row * 8 + column).ok()).flatten()
}

fn step(from: usize, to: usize) -> ChessMove {
    ChessMove { from, to, promotion: None }
}

impl ChessBoard {
    pub(super) fn at(&self, square: usize) -> Option<ChessPiece> {
        self.squares.get(square).copied().flatten()
    }

    fn put(&mut self, square: usize, piece: Option<ChessPiece>) {
        if let Some(place) = self.squares.get_mut(square) {
            *place = piece;
        }
    }

    fn ahead(&self) -> i32 {
        if self.white { 1 } else { -1 }
    }

    /// The squares that a piece attacks, highest first.
    fn attacks(&self, from: usize, (kind, white): ChessPiece) -> Vec<usize> {
        let mut found = Vec::new();
        let mut slide = |directions: &[(i32, i32)], far: bool| {
            for direction in directions {
                let mut at = from;
                while let Some(next) = beside(at, *direction) {
                    found.push(next);
                    at = next;
                    if !far || self.at(next).is_some() {
                        break;
                    }
                }
            }
        };
        match kind {
            PieceKind::Pawn => {
                let ahead = if white { 1 } else { -1 };
                slide(&[(1, ahead), (-1, ahead)], false);
            }
            PieceKind::Knight => slide(&JUMPS, false),
            PieceKind::Bishop => slide(&ASLANT, true),
            PieceKind::Rook => slide(&STRAIGHT, true),
            PieceKind::Queen => {
                slide(&STRAIGHT, true);
                slide(&ASLANT, true);
            }
            PieceKind::King => {
                slide(&STRAIGHT, false);
                slide(&ASLANT, false);
            }
        }
        found.sort_unstable_by(|a, b| b.cmp(a));
        found
    }

    /// Whether a side attacks a square.
    fn attacked(&self, square: usize, by_white: bool) -> bool {
        (0..64).any(|from| {
            let piece = self.at(from).filter(|(_, white)| *white == by_white);
            piece.is_some_and(|piece| self.attacks(from, piece).contains(&square))
        })
    }

    fn king(&self, white: bool) -> Option<usize> {
        (0..64).find(|square| self.at(*square) == Some((PieceKind::King, white)))
    }

    /// Whether a side's king is attacked.
    pub(super) fn checked(&self, white: bool) -> bool {
        self.king(white).is_some_and(|king| self.attacked(king, !white))
    }

    pub(super) fn legal(&self) -> Vec<ChessMove> {
        let mut steps = self.steps();
        if self.checked(self.white) {
            let king = |step: &ChessMove| self.at(step.from) != Some((PieceKind::King, self.white));
            steps.sort_by_key(king);
        }
        steps.retain(|step| !self.after(*step).checked(self.white));
        steps
    }

    /// The moves that the pieces can make, whatever becomes of the king.
    fn steps(&self) -> Vec<ChessMove> {
        let own = |square: &usize| self.at(*square).filter(|(_, white)| *white == self.white);
        let mut steps = Vec::new();
        let down = || (0..64_usize).rev();
        for from in down() {
            let Some(piece) = own(&from).filter(|(kind, _)| *kind != PieceKind::Pawn) else {
                continue;
            };
            let to = self.attacks(from, piece).into_iter().filter(|to| own(to).is_none());
            steps.extend(to.map(|to| step(from, to)));
        }
        self.castle(&mut steps);
        let pawns: Vec<usize> = down()
            .filter(|square| own(square).is_some_and(|(kind, _)| kind == PieceKind::Pawn))
            .collect();
        let captures = |from: usize| self.attacks(from, (PieceKind::Pawn, self.white));
        for from in &pawns {
            for to in captures(*from) {
                if self.at(to).is_some_and(|(_, white)| white != self.white) {
                    enter(&mut steps, *from, to);
                }
            }
        }
        self.advance(&pawns, &mut steps);
        if let Some(passed) = self.passed {
            let from = pawns.iter().filter(|from| captures(**from).contains(&passed));
            steps.extend(from.map(|from| step(*from, passed)));
        }
        steps
    }

    /// Pawns go ahead: all single steps, then all double ones.
    fn advance(&self, pawns: &[usize], steps: &mut Vec<ChessMove>) {
        let free =
            |from: usize| beside(from, (0, self.ahead())).filter(|to| self.at(*to).is_none());
        let once = pawns.iter().filter_map(|from| Some((*from, free(*from)?)));
        let once: Vec<(usize, usize)> = once.collect();
        for (from, to) in &once {
            enter(steps, *from, *to);
        }
        let home = if self.white { 1 } else { 6 };
        for (from, to) in once.iter().filter(|(from, _)| from / 8 == home) {
            steps.extend(free(*to).map(|to| step(*from, to)));
        }
    }

    fn castle(&self, steps: &mut Vec<ChessMove>) {
        let (row, rights) = if self.white { (0, 0) } else { (56, 2) };
        let right = |index: usize| self.castling.get(rights + index).copied().unwrap_or(false);
        let empty = |squares: &[usize]| squares.iter().all(|to| self.at(row + to).is_none());
        let safe =
            |squares: &[usize]| squares.iter().all(|to| !self.attacked(row + to, !self.white));
        if right(0) && empty(&[5, 6]) && safe(&[4, 5, 6]) {
            steps.push(step(row + 4, row + 6));
        }
        if right(1) && empty(&[1, 2, 3]) && safe(&[4, 3, 2]) {
            steps.push(step(row + 4, row + 2));
        }
    }

    /// The position after a move.
    pub(super) fn after(&self, ChessMove { from, to, promotion }: ChessMove) -> Self {
        let mut board = self.clone();
        let Some((kind, white)) = self.at(from) else { return board };
        let aslant = from % 8 != to % 8;
        let quiet = kind != PieceKind::Pawn && self.at(to).is_none();
        board.put(from, None);
        board.put(to, Some((promotion.unwrap_or(kind), white)));
        if kind == PieceKind::Pawn && aslant && self.at(to).is_none() {
            board.put(from / 8 * 8 + to % 8, None);
        }
        if kind == PieceKind::King && from.abs_diff(to) == 2 {
            let (corner, beside) = if to > from { (to + 1, to - 1) } else { (to - 2, to + 1) };
            board.put(corner, None);
            board.put(beside, Some((PieceKind::Rook, white)));
        }
        for (right, squares) in board.castling.iter_mut().zip([[4, 7], [4, 0], [60, 63], [60, 56]])
        {
            *right &= !squares.contains(&from) && !squares.contains(&to);
        }
        let jumped = kind == PieceKind::Pawn && from.abs_diff(to) == 16;
        board.passed = jumped.then_some(usize::midpoint(from, to));
        board.quiet = if quiet { self.quiet.saturating_add(1) } else { 0 };
        board.number = self.number.saturating_add(u32::from(!self.white));
        board.white = !self.white;
        board
    }

    /// Whether a side could not mate even with the other's help.
    pub(super) fn cannot_mate(&self, white: bool) -> bool {
        let all = || {
            self.squares.iter().copied().enumerate().filter_map(|(at, piece)| Some((at, piece?)))
        };
        let own = |kind: PieceKind| all().any(|(_, piece)| piece == (kind, white));
        if own(PieceKind::Pawn) || own(PieceKind::Rook) || own(PieceKind::Queen) {
            return false;
        }
        let foreign = |kinds: &[PieceKind]| {
            all().any(|(_, (kind, side))| side != white && !kinds.contains(&kind))
        };
        if own(PieceKind::Knight) {
            let count = all().filter(|(_, (_, side))| *side == white).count();
            return count <= 2 && !foreign(&[PieceKind::King, PieceKind::Queen]);
        }
        if own(PieceKind::Bishop) {
            let shades = all().filter(|(_, (kind, _))| *kind == PieceKind::Bishop);
            let mut shades = shades.map(|(at, _)| (at / 8 + at % 8) % 2);
            let first = shades.next();
            let same = shades.all(|shade| Some(shade) == first);
            let helper =
                all().any(|(_, (kind, _))| matches!(kind, PieceKind::Pawn | PieceKind::Knight));
            return same && !helper;
        }
        true
    }
}

/// A pawn's move, with all that it may become.
fn enter(steps: &mut Vec<ChessMove>, from: usize, to: usize) {
    if matches!(to / 8, 0 | 7) {
        let become_one = |kind| ChessMove { from, to, promotion: Some(kind) };
        steps.extend(PROMOTIONS.map(become_one));
    } else {
        steps.push(step(from, to));
    }
}
