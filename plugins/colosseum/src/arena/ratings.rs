//! Tournaments: who meets whom, and the table (spec section 11).

use super::options::Mode;

/// A player's rating before its first match.
const START: i32 = 1200;

/// How far one match moves a rating.
const K: f64 = 24.0;

/// The matches of a tournament, each with its players in the order of their seats.
#[must_use]
pub fn schedule(mode: Mode, players: usize) -> Vec<Vec<usize>> {
    match mode {
        Mode::Skirmish => vec![(0..players).collect()],
        Mode::RoundRobin(rounds) => {
            let pairs = (0..players).flat_map(|a| (a + 1..players).map(move |b| vec![a, b]));
            let pairs: Vec<Vec<usize>> = pairs.collect();
            (0..rounds).flat_map(|_| pairs.clone()).collect()
        }
    }
}

/// One player's row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlayerRating {
    /// The rating.
    pub elo: i32,
    /// Matches won.
    pub wins: u32,
    /// Matches drawn.
    pub draws: u32,
    /// Matches lost.
    pub losses: u32,
}

impl Default for PlayerRating {
    fn default() -> Self {
        Self { elo: START, wins: 0, draws: 0, losses: 0 }
    }
}

impl PlayerRating {
    /// Points: 1 a win, half a draw.
    #[must_use]
    pub fn points(&self) -> f64 {
        f64::from(self.wins) + f64::from(self.draws) / 2.0
    }

    fn count(&mut self, score: f64) {
        if score > 0.75 {
            self.wins += 1;
        } else if score > 0.25 {
            self.draws += 1;
        } else {
            self.losses += 1;
        }
    }
}

/// A match between two: the first one's score is 1, ½ or 0.
pub fn rate(first: &mut PlayerRating, second: &mut PlayerRating, score: f64) {
    let expected = |own: i32, other: i32| 1.0 / (1.0 + 10_f64.powf(f64::from(other - own) / 400.0));
    #[expect(clippy::cast_possible_truncation, reason = "at most 24 up or down")]
    let gain = |own: i32, other: i32, score: f64| {
        (K * (score - expected(own, other))).round_ties_even() as i32
    };
    let (a, b) = (first.elo, second.elo);
    first.elo += gain(a, b, score);
    second.elo += gain(b, a, 1.0 - score);
    first.count(score);
    second.count(1.0 - score);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_meets_once_a_round_in_the_order_of_the_players() {
        let matches = schedule(Mode::RoundRobin(2), 3);
        let round = [vec![0, 1], vec![0, 2], vec![1, 2]];
        assert_eq!(matches, [round.clone(), round].concat());
        assert_eq!(schedule(Mode::Skirmish, 4), [vec![0, 1, 2, 3]]);
    }

    #[test]
    fn ratings_move_by_half_of_k_between_equals() {
        let (mut a, mut b) = (PlayerRating::default(), PlayerRating::default());
        rate(&mut a, &mut b, 1.0);
        assert_eq!((a.elo, b.elo, a.wins, b.losses), (1212, 1188, 1, 1));
        rate(&mut a, &mut b, 0.5);
        assert_eq!((a.elo, b.elo), (1211, 1189));
        assert_eq!((a.points(), b.points()), (1.5, 0.5));
    }
}
