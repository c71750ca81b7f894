//! What the results add up to.

use crate::matrix::Matrix;
use crate::outcome::MatchOutcome;
use crate::rating::rate;
use crate::standing::{FailureReason, LeagueTable, RankedPlayer};
use crate::{Fixture, LeagueDefinition, Pairing, Sprt, SprtVerdict};

/// Different reasons of failed matches that are counted; matches that fail for others only raise
/// the number of failed ones.
const REASONS_MAX: usize = 64;
/// Reasons that a table lists.
const REASONS_SHOWN: usize = 3;

/// The sums over all results so far, which come in the order of the schedule.
#[derive(Clone, Debug)]
pub struct LeagueTally {
    plan: LeagueDefinition,
    played: u64,
    failed: u64,
    failures: Vec<FailureReason>,
    /// Games between two players that one of them won.
    wins: Matrix,
    draws: Matrix,
    sums: Vec<PlayerScores>,
    sprt: Option<Sprt>,
    /// What the running seed has brought so far.
    seed: Vec<(Vec<usize>, MatchOutcome)>,
}

/// The scores of one player.
#[derive(Clone, Copy, Debug, Default)]
struct PlayerScores {
    matches: u64,
    own: i128,
    against: i128,
}

impl LeagueTally {
    /// No results yet.
    #[must_use]
    pub fn new(plan: &LeagueDefinition) -> Self {
        let players = plan.players.len();
        Self {
            plan: plan.clone(),
            played: 0,
            failed: 0,
            failures: Vec::new(),
            wins: Matrix::zero(players),
            draws: Matrix::zero(players),
            sums: vec![PlayerScores::default(); players],
            sprt: plan.sprt.map(Sprt::new),
            seed: Vec::new(),
        }
    }

    /// Counts the next result of the schedule.
    pub fn add(&mut self, fixture: &Fixture, outcome: &MatchOutcome) {
        self.played += 1;
        match outcome {
            MatchOutcome::Failed(reason) => self.count_failure(reason),
            MatchOutcome::Scores(scores) => self.count(&fixture.players, scores),
        }
        self.seed.push((fixture.players.clone(), outcome.clone()));
        if self.played.is_multiple_of(self.plan.matches_per_seed()) {
            let seed = std::mem::take(&mut self.seed);
            if self.plan.pairing == Pairing::Alone {
                self.compare(&seed);
            }
            if let (Some(score), Some(sprt)) = (unit(&seed), &mut self.sprt) {
                sprt.add(score);
            }
        }
    }

    /// How many results were counted.
    #[must_use]
    pub fn played(&self) -> u64 {
        self.played
    }

    /// Whether enough has been played to stop before the end; only at the end of a seed.
    #[must_use]
    pub fn decided(&self) -> Option<SprtVerdict> {
        let between = self.seed.is_empty();
        self.sprt.filter(|_| between).and_then(|sprt| sprt.state().verdict)
    }

    /// What follows from the results so far.
    #[must_use]
    pub fn standing(&self) -> LeagueTable {
        let players = self.plan.players.len();
        let points = |one, other| self.wins.at(one, other) + self.draws.at(one, other) / 2.0;
        let ratings = rate(players, points);
        let row = |(index, rating)| {
            let over = |table: &Matrix| (0..players).map(|other| table.at(index, other)).sum();
            let lost = (0..players).map(|other| self.wins.at(other, index)).sum();
            let sums = self.sums.get(index).copied().unwrap_or_default();
            let player = self.plan.players.get(index);
            RankedPlayer {
                player: index,
                name: player.map(|player| player.name.clone()).unwrap_or_default(),
                rating,
                wins: whole(over(&self.wins)),
                draws: whole(over(&self.draws)),
                losses: whole(lost),
                matches: sums.matches,
                score_mean: mean(sums.own, sums.matches),
                against_mean: mean(sums.against, sums.matches),
            }
        };
        let mut rows: Vec<_> = ratings.into_iter().enumerate().map(row).collect();
        // Equal ratings stand in the order of the plan.
        rows.sort_by(|a, b| b.rating.elo.total_cmp(&a.rating.elo).then(a.player.cmp(&b.player)));
        LeagueTable {
            played: self.played,
            failed: self.failed,
            failures: self.most_frequent_failures(),
            total: self.plan.matches(),
            rows,
            sprt: self.sprt.map(|sprt| sprt.state()),
            decided: self.decided(),
        }
    }

    /// Wins, draws and losses of one player against another.
    #[must_use]
    pub fn between(&self, one: usize, other: usize) -> [u64; 3] {
        let cells = [self.wins.at(one, other), self.draws.at(one, other), self.wins.at(other, one)];
        cells.map(whole)
    }

    fn count_failure(&mut self, reason: &str) {
        self.failed += 1;
        if let Some(known) = self.failures.iter_mut().find(|one| one.reason == reason) {
            known.count += 1;
        } else if self.failures.len() < REASONS_MAX {
            self.failures.push(FailureReason { reason: reason.to_owned(), count: 1 });
        }
    }

    fn most_frequent_failures(&self) -> Vec<FailureReason> {
        let mut failures = self.failures.clone();
        // Equally frequent ones stay in the order in which they came.
        failures.sort_by_key(|one| std::cmp::Reverse(one.count));
        failures.truncate(REASONS_SHOWN);
        failures
    }

    fn count(&mut self, players: &[usize], scores: &[i64]) {
        for (place, (player, own)) in players.iter().zip(scores).enumerate() {
            let others = scores.iter().enumerate().filter(|(other, _)| *other != place);
            let against: i128 = others.map(|(_, score)| i128::from(*score)).sum();
            if let Some(sums) = self.sums.get_mut(*player) {
                sums.matches += 1;
                sums.own += i128::from(*own);
                sums.against += against;
            }
        }
        if let ([one, other], [own, against]) = (players, scores) {
            self.meet((*one, *own), (*other, *against));
        }
    }

    /// In games for one: everybody against everybody by what they scored on the same seed.
    fn compare(&mut self, seed: &[(Vec<usize>, MatchOutcome)]) {
        let alone =
            |(players, outcome): &(Vec<usize>, MatchOutcome)| match (players.as_slice(), outcome) {
                ([player], MatchOutcome::Scores(scores)) => Some((*player, *scores.first()?)),
                (_, MatchOutcome::Scores(_) | MatchOutcome::Failed(_)) => None,
            };
        let scored: Vec<_> = seed.iter().filter_map(alone).collect();
        for (place, one) in scored.iter().enumerate() {
            for other in scored.iter().skip(place + 1) {
                self.meet(*one, *other);
            }
        }
    }

    fn meet(&mut self, (one, own): (usize, i64), (other, against): (usize, i64)) {
        match own.cmp(&against) {
            std::cmp::Ordering::Greater => self.wins.add(one, other, 1.0),
            std::cmp::Ordering::Less => self.wins.add(other, one, 1.0),
            std::cmp::Ordering::Equal => {
                self.draws.add(one, other, 1.0);
                self.draws.add(other, one, 1.0);
            }
        }
    }
}

/// The first player's share of a seed's points between two; `None` when a match of it failed: half a
/// pair would favour a side.
fn unit(seed: &[(Vec<usize>, MatchOutcome)]) -> Option<f64> {
    let (mut own, mut games) = (0.0, 0.0);
    let mut alone = [None; 2];
    for (players, outcome) in seed {
        let MatchOutcome::Scores(scores) = outcome else { return None };
        match (players.as_slice(), scores.as_slice()) {
            ([0, _], [first, second]) | ([_, 0], [second, first]) => {
                own += share(*first, *second);
                games += 1.0;
            }
            ([player], [score]) => *alone.get_mut(*player)? = Some(*score),
            _ => return None,
        }
    }
    if let [Some(first), Some(second)] = alone {
        return Some(share(first, second));
    }
    (games > 0.0).then(|| own / games)
}

fn share(own: i64, against: i64) -> f64 {
    match own.cmp(&against) {
        std::cmp::Ordering::Greater => 1.0,
        std::cmp::Ordering::Equal => 0.5,
        std::cmp::Ordering::Less => 0.0,
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "counts of games: whole, never negative, far below the largest exact number"
)]
fn whole(count: f64) -> u64 {
    count.round() as u64
}

#[expect(clippy::cast_precision_loss, reason = "a mean for people")]
fn mean(sum: i128, count: u64) -> f64 {
    if count == 0 { 0.0 } else { sum as f64 / count as f64 }
}
