//! Turns without an answer, as the referee sees them.

use crate::ledger::SeatKey;
use phalanx_game::sorted::SortedMap;
use serde::Serialize;
use std::time::Instant;

/// The turns of a team in a round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct MissFigures {
    /// The team, counted from 0.
    pub team: usize,
    /// The round.
    pub round: u32,
    /// Turns of its agents.
    pub turns: u64,
    /// Those without an answer before the deadline, for whatever reason.
    pub missed: u64,
}

/// Counts turns by team and round, in games whose requests have ids.
#[derive(Debug, Default)]
pub(crate) struct Misses {
    figures: SortedMap<(usize, u32), MissFigures>,
    seats: SortedMap<SeatKey, SeatTurn>,
    /// The place of the match: round and step.
    place: (u32, u32),
}

/// The running turn of a seat.
#[derive(Debug)]
struct SeatTurn {
    /// The request that is not answered, and its deadline.
    open: Option<(i64, Instant)>,
    /// Where the referee asked it last.
    asked: (u32, u32),
}

impl Misses {
    /// The referee asks a seat.
    pub(crate) fn asked(&mut self, key: SeatKey, id: i64, due: Instant) {
        let place = self.place;
        let turn = SeatTurn { open: Some((id, due)), asked: place };
        // After a new login it gets the same request again.
        if self.seats.get(&key).is_none_or(|turn| turn.asked != place) {
            self.seats.insert(key, turn);
            self.of(key.0).turns += 1;
        }
    }

    /// An answer reaches the referee.
    pub(crate) fn answered(&mut self, key: SeatKey, id: i64, now: Instant) {
        if let Some(turn) = self.seats.get_mut(&key)
            && turn.open.is_some_and(|(open, due)| open == id && now <= due)
        {
            turn.open = None;
        }
    }

    /// The match moves to a place. Open requests were missed; so was a step in which the referee
    /// could not ask, for want of a connection.
    pub(crate) fn moved(&mut self, place: (u32, u32)) {
        let (before, mut silent, mut absent) = (self.place, Vec::new(), Vec::new());
        for (key, turn) in &mut self.seats {
            if turn.open.take().is_some() {
                silent.push(key.0);
            } else if place.1 > 0 && turn.asked.0 == before.0 && turn.asked != before {
                absent.push(key.0);
            }
        }
        silent.into_iter().for_each(|team| self.of(team).missed += 1);
        for team in absent {
            let figures = self.of(team);
            (figures.turns, figures.missed) = (figures.turns + 1, figures.missed + 1);
        }
        self.place = place;
    }

    fn of(&mut self, team: usize) -> &mut MissFigures {
        let round = self.place.0;
        let empty = MissFigures { team, round, ..MissFigures::default() };
        self.figures.entry((team, round)).or_insert(empty)
    }

    /// What was counted so far.
    pub(crate) fn figures(&self) -> Vec<MissFigures> {
        self.figures.values().copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_turn_is_missed_without_an_answer_and_without_a_connection() {
        let (mut misses, now) = (Misses::default(), Instant::now());
        let due = now + Duration::from_secs(4);
        misses.moved((1, 0));
        for seat in 0..3 {
            misses.asked((0, seat), 7, due);
        }
        // The same request after a new login.
        misses.asked((0, 1), 7, due);
        misses.answered((0, 0), 7, now);
        misses.answered((0, 1), 7, due);
        // Another turn's answer, and one that is late.
        misses.answered((0, 2), 6, now);
        misses.answered((0, 2), 7, due + Duration::from_millis(1));
        misses.moved((1, 1));
        misses.asked((0, 0), 8, due);
        misses.answered((0, 0), 8, now);
        misses.asked((0, 1), 8, due);
        misses.answered((0, 1), 8, now);
        // The third one has no connection in this step.
        misses.moved((1, 2));
        misses.moved((2, 0));
        let wanted = MissFigures { team: 0, round: 1, turns: 6, missed: 2 };
        assert_eq!(misses.figures(), [wanted]);
    }
}
