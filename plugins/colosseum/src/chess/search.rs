//! Iterative alpha-beta search: the principal variation with a full window, the rest with an empty
//! one; unlikely moves less deep; captures to the end.

use super::judge;
use super::order::{self, QuietHistory, price};
use super::table::{Bound, PositionTable, TableEntry};
use cozy_chess::{Board, Move, Piece};

/// What a mate on the board is worth.
pub(super) const MATE: i32 = 30_000;

/// Worths beyond this are mates.
const MATE_NEAR: i32 = MATE - 1_000;

/// No line is longer, in half-moves.
const PLY_MAX: i32 = 96;

/// No search is deeper.
const DEPTH_MAX: i32 = 40;

/// What a capture may win beyond the piece, in a quiet position.
const DELTA: i32 = 180;

/// How far below the window a quiet move at the last depth is not tried any more.
const FUTILE: i32 = 160;

#[derive(Debug)]
pub(super) struct Search {
    budget: u32,
    nodes: u32,
    table: PositionTable,
    history: QuietHistory,
    killers: Vec<[Option<Move>; 2]>,
    /// Positions of the game, sorted, and of the line that is looked at.
    past: Vec<u64>,
    line: Vec<u64>,
    /// The best move of the root in this round.
    leader: Option<(Move, i32)>,
}

/// The part of a position's search that its moves share.
#[derive(Clone, Copy, Debug)]
struct Node {
    depth: i32,
    ply: i32,
    low: i32,
    high: i32,
    checked: bool,
    /// What it is worth as it is.
    quiet: i32,
}

impl Search {
    pub(super) fn new(mut past: Vec<u64>, budget: u32) -> Self {
        past.sort_unstable();
        Self {
            budget,
            nodes: 0,
            table: PositionTable::new(),
            history: QuietHistory::new(),
            killers: vec![[None; 2]; usize::try_from(PLY_MAX).unwrap_or_default() + 1],
            past,
            line: Vec::new(),
            leader: None,
        }
    }

    pub(super) fn nodes(&self) -> u32 {
        self.nodes
    }

    /// The best move, its worth, and the depth of the last search that was completed; `None`
    /// without a legal move.
    pub(super) fn best(&mut self, board: &Board) -> Option<(Move, i32, u32)> {
        let mut steps = order::all(board);
        order::sort(board, &mut steps, None, [None; 2], &self.history);
        let mut best = (*steps.first()?, judge::value(board), 0);
        for depth in 1..=DEPTH_MAX {
            self.leader = None;
            self.look(board, depth, 0, -MATE, MATE);
            // A round that was cut short still counts: it looks at the best move first.
            if let Some((step, worth)) = self.leader {
                let done = if self.spent() { best.2 } else { depth.unsigned_abs() };
                best = (step, worth, done);
            }
            if self.spent() || best.1.abs() > MATE_NEAR || steps.len() == 1 {
                break;
            }
        }
        Some(best)
    }

    fn spent(&self) -> bool {
        self.nodes >= self.budget
    }

    fn repeated(&self, hash: u64) -> bool {
        self.line.contains(&hash) || self.past.binary_search(&hash).is_ok()
    }

    /// What a position is worth for the side to move, between `low` and `high`.
    fn look(&mut self, board: &Board, depth: i32, ply: i32, low: i32, high: i32) -> i32 {
        let hash = board.hash();
        if ply > 0 && (self.repeated(hash) || judge::dead_draw(board) || drawn_out(board)) {
            return 0;
        }
        let checked = !board.checkers().is_empty();
        let depth = depth + i32::from(checked);
        if depth <= 0 || ply >= PLY_MAX {
            return self.settle(board, ply, low, high);
        }
        self.nodes += 1;
        let entry = self.table.get(hash);
        if let Some(worth) =
            entry.filter(|_| ply > 0).and_then(|e| usable(e, depth, ply, low, high))
        {
            return worth;
        }
        let node = Node { depth, ply, low, high, checked, quiet: judge::value(board) };
        if let Some(worth) = self.pass(board, node) {
            return worth;
        }
        self.line.push(hash);
        let found = self.moves(board, node, entry.and_then(|entry| entry.best));
        self.line.pop();
        let Some((best, worth)) = found else {
            // No legal move: mate or stalemate.
            return if checked { ply - MATE } else { 0 };
        };
        if !self.spent() {
            let bound = match worth {
                _ if worth >= high => Bound::Lower,
                _ if worth > low => Bound::Exact,
                _ => Bound::Upper,
            };
            let worth = stored(worth, ply);
            self.table.put(TableEntry { hash, depth, worth, bound, best });
        }
        worth
    }

    /// Lets the opponent move twice: a position that is too good even then needs no search.
    fn pass(&mut self, board: &Board, node: Node) -> Option<i32> {
        let Node { depth, ply, low, high, checked, quiet } = node;
        let officers = board.colors(board.side_to_move())
            & !(board.pieces(Piece::Pawn) | board.pieces(Piece::King));
        let idle = checked || depth < 3 || ply == 0 || quiet < high || high > MATE_NEAR;
        if idle || officers.is_empty() || high - low > 1 {
            return None;
        }
        let after = board.null_move()?;
        let worth = -self.look(&after, depth - 3 - depth / 4, ply + 1, -high, 1 - high);
        (worth >= high && !self.spent()).then_some(worth.min(MATE_NEAR))
    }

    /// Tries all moves; `None` when there is none.
    fn moves(
        &mut self,
        board: &Board,
        node: Node,
        first: Option<Move>,
    ) -> Option<(Option<Move>, i32)> {
        let mut steps = order::all(board);
        if steps.is_empty() {
            return None;
        }
        let killers = self.killers_at(node.ply);
        order::sort(board, &mut steps, first, killers, &self.history);
        let (mut low, mut best, mut most) = (node.low, None, -MATE);
        for (index, step) in steps.into_iter().enumerate() {
            let loud = order::taken(board, step).is_some() || step.promotion.is_some();
            let futile = node.depth == 1 && !node.checked && node.quiet + FUTILE <= low;
            if futile && !loud && index > 0 && most > -MATE_NEAR {
                continue;
            }
            let worth = self.try_move(board, step, Node { low, ..node }, (index, loud));
            if self.spent() && !(node.ply == 0 && index == 0) {
                break;
            }
            if worth > most {
                (most, best) = (worth, Some(step));
                if node.ply == 0 {
                    self.leader = Some((step, worth));
                }
            }
            low = low.max(worth);
            if low >= node.high {
                if !loud {
                    self.note(board, step, node);
                }
                break;
            }
        }
        Some((best, most))
    }

    fn try_move(
        &mut self,
        board: &Board,
        step: Move,
        node: Node,
        (index, loud): (usize, bool),
    ) -> i32 {
        let Node { depth, ply, low, high, checked, .. } = node;
        let mut after = board.clone();
        after.play_unchecked(step);
        if index == 0 {
            return -self.look(&after, depth - 1, ply + 1, -high, -low);
        }
        let late = depth >= 3 && index >= 4 && !loud && !checked && after.checkers().is_empty();
        let less = i32::from(late) + i32::from(late && index >= 12) + i32::from(late && depth >= 7);
        let mut worth = -self.look(&after, depth - 1 - less, ply + 1, -low - 1, -low);
        if worth > low && less > 0 {
            worth = -self.look(&after, depth - 1, ply + 1, -low - 1, -low);
        }
        if worth > low && worth < high {
            worth = -self.look(&after, depth - 1, ply + 1, -high, -low);
        }
        worth
    }

    fn killers_at(&self, ply: i32) -> [Option<Move>; 2] {
        let place = usize::try_from(ply).unwrap_or_default();
        self.killers.get(place).copied().unwrap_or_default()
    }

    /// Remembers a quiet move that was good enough.
    fn note(&mut self, board: &Board, step: Move, node: Node) {
        self.history.note(board.side_to_move(), step, node.depth);
        let place = usize::try_from(node.ply).unwrap_or_default();
        if let Some(killers) = self.killers.get_mut(place)
            && killers[0] != Some(step)
        {
            *killers = [Some(step), killers[0]];
        }
    }

    /// Goes on with captures and promotions only, or with every move out of check.
    fn settle(&mut self, board: &Board, ply: i32, mut low: i32, high: i32) -> i32 {
        self.nodes += 1;
        let quiet = judge::value(board);
        if ply >= PLY_MAX || self.spent() {
            return quiet;
        }
        let checked = !board.checkers().is_empty();
        let mut best = if checked { ply - MATE } else { quiet };
        if best >= high {
            return best;
        }
        low = low.max(best);
        let mut steps = if checked { order::all(board) } else { order::loud(board) };
        order::sort(board, &mut steps, None, [None; 2], &self.history);
        for step in steps {
            let prize =
                order::taken(board, step).map_or(0, price) + step.promotion.map_or(0, price);
            if !checked && (quiet + prize + DELTA <= low || order::loses(board, step)) {
                continue;
            }
            let mut after = board.clone();
            after.play_unchecked(step);
            let worth = -self.settle(&after, ply + 1, -high, -low);
            best = best.max(worth);
            low = low.max(worth);
            if low >= high {
                break;
            }
        }
        best
    }
}

/// Fifty moves of each side without progress; not at the limit of the counter, where the referee
/// has not ended the game yet.
fn drawn_out(board: &Board) -> bool {
    board.halfmove_clock() == 99
}

/// Mates are stored by their distance from the position, not from the root.
fn stored(worth: i32, ply: i32) -> i32 {
    match worth {
        _ if worth > MATE_NEAR => worth + ply,
        _ if worth < -MATE_NEAR => worth - ply,
        _ => worth,
    }
}

/// The worth of an entry, if it settles a search of this depth and window.
fn usable(entry: TableEntry, depth: i32, ply: i32, low: i32, high: i32) -> Option<i32> {
    let worth = match entry.worth {
        worth if worth > MATE_NEAR => worth - ply,
        worth if worth < -MATE_NEAR => worth + ply,
        worth => worth,
    };
    let settles = match entry.bound {
        Bound::Exact => true,
        Bound::Lower => worth >= high,
        Bound::Upper => worth <= low,
    };
    (settles && entry.depth >= depth).then_some(worth)
}
