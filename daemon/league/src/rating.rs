//! Ratings on the Elo scale, by the model of Bradley and Terry.
//!
//! Player i, of strength θᵢ, beats player j with probability σ(θᵢ − θⱼ), where σ(x) = 1 / (1 + e⁻ˣ);
//! a draw counts as half a win for both. The strengths are those under which the results are most
//! likely. Unlike ratings that are updated match by match they do not depend on the order of the
//! matches. To give a player that won everything a finite strength, each player gets one drawn game
//! against an average player: with twenty games that hardly shows, with two it keeps claims modest.
//!
//! The likelihood is concave, so Newton's method finds its only maximum: with expected points
//! pᵢⱼ = σ(θᵢ − θⱼ), games nᵢⱼ and points sᵢ,
//!
//! ```text
//! gradient gᵢ = sᵢ − Σⱼ nᵢⱼ pᵢⱼ + (½ − σ(θᵢ))
//! information Iᵢᵢ = Σⱼ nᵢⱼ pᵢⱼ (1 − pᵢⱼ) + σ(θᵢ)(1 − σ(θᵢ)),   Iᵢⱼ = − nᵢⱼ pᵢⱼ (1 − pᵢⱼ)
//! ```
//!
//! The inverse of the information is the covariance of the strengths; moved so that the mean of all
//! strengths is 0 it gives each one's error. A strength of ln 10 is 400 points on the Elo scale, and an
//! error is given for 95 of 100 cases. Games of one seed are not quite independent, so errors are
//! rather a little too small where sides are swapped on equal maps.

use crate::matrix::Matrix;

/// Points on the Elo scale of one unit of strength: 400 / ln 10.
const ELO: f64 = 400.0 / std::f64::consts::LN_10;
/// 95 % of a normal distribution lie within this number of standard deviations.
const DEVIATIONS: f64 = 1.959_963_984_540_054;
/// Steps of Newton's method at most; a handful is usual.
const STEPS_MAX: usize = 100;
/// Furthest that a strength moves in one step.
const STEP_MAX: f64 = 2.0;
/// A step that is smaller than this is none.
const STEP_MIN: f64 = 1e-10;

/// How strong a player is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    /// Points on the Elo scale; the mean of all players is 0.
    pub elo: f64,
    /// In 95 of 100 cases the true rating is within this of `elo`.
    pub error: f64,
}

/// The ratings of all players. `points(i, j)` is what player i won against player j: 1 a win, ½ a
/// draw.
#[must_use]
pub fn rate(players: usize, points: impl Fn(usize, usize) -> f64) -> Vec<Rating> {
    Strengths::of(players, points).ratings()
}

/// The strengths of all players, with what is known of them.
#[derive(Clone, Debug)]
pub struct Strengths {
    strengths: Vec<f64>,
    covariance: Matrix,
}

impl Strengths {
    /// The strengths under which these points are most likely; see [`rate`].
    #[must_use]
    pub fn of(players: usize, points: impl Fn(usize, usize) -> f64) -> Self {
        let points = table(players, points);
        let mut strengths = vec![0.0; players];
        let mut covariance = information(&points, &strengths).inverse();
        for _ in 0..STEPS_MAX {
            let step = covariance.times(&gradient(&points, &strengths));
            let largest = step.iter().fold(0.0_f64, |largest, part| largest.max(part.abs()));
            let scale = if largest > STEP_MAX { STEP_MAX / largest } else { 1.0 };
            strengths.iter_mut().zip(&step).for_each(|(strength, part)| *strength += part * scale);
            covariance = information(&points, &strengths).inverse();
            if largest < STEP_MIN {
                break;
            }
        }
        Self { strengths, covariance }
    }

    /// The strengths on the Elo scale, with errors.
    #[must_use]
    pub fn ratings(&self) -> Vec<Rating> {
        let mean = mean(self.strengths.iter().copied());
        let deviations = deviations(&self.covariance);
        let rating = |(strength, deviation): (&f64, f64)| Rating {
            elo: (strength - mean) * ELO,
            error: deviation * DEVIATIONS * ELO,
        };
        self.strengths.iter().zip(deviations).map(rating).collect()
    }

    /// What `games` games between two players are expected to add to what is known of all strengths,
    /// in bits: ½ log₂(1 + w v), where w = games · p (1 − p) is the information of the games and v
    /// the variance of the difference of both strengths.
    #[must_use]
    pub fn expected_bits(&self, one: usize, other: usize, games: f64) -> f64 {
        let covariance = |a: usize, b: usize| self.covariance.at(a, b);
        let variance = covariance(one, one) + covariance(other, other)
            - covariance(one, other)
            - covariance(other, one);
        0.5 * (1.0 + games * self.game_variance(one, other) * variance).log2()
    }

    /// Counts games whose results are not there yet: they will make the players better known,
    /// whatever comes out. The strengths stay.
    pub fn plan(&mut self, one: usize, other: usize, games: f64) {
        let weight = games * self.game_variance(one, other);
        let covariance = |row, player| self.covariance.at(row, player);
        let rows = 0..self.covariance.size();
        let column: Vec<f64> =
            rows.map(|row| covariance(row, one) - covariance(row, other)).collect();
        let at = |place: usize| column.get(place).copied().unwrap_or_default();
        // The inverse after a change of rank one (Sherman and Morrison).
        let factor = weight / (1.0 + weight * (at(one) - at(other)));
        for row in 0..self.covariance.size() {
            for place in 0..self.covariance.size() {
                self.covariance.add(row, place, -factor * at(row) * at(place));
            }
        }
    }

    fn game_variance(&self, one: usize, other: usize) -> f64 {
        let strength = |player: usize| self.strengths.get(player).copied().unwrap_or_default();
        spread(strength(one) - strength(other))
    }
}

fn table(players: usize, points: impl Fn(usize, usize) -> f64) -> Matrix {
    let mut table = Matrix::zero(players);
    for one in 0..players {
        for other in (0..players).filter(|other| *other != one) {
            table.add(one, other, points(one, other));
        }
    }
    table
}

fn gradient(points: &Matrix, strengths: &[f64]) -> Vec<f64> {
    let part = |(one, strength): (usize, &f64)| {
        let surprise = |(other, against): (usize, &f64)| {
            let games = points.at(one, other) + points.at(other, one);
            points.at(one, other) - games * expected(strength - against)
        };
        let surprises: f64 = strengths.iter().enumerate().map(surprise).sum();
        surprises + 0.5 - expected(*strength)
    };
    strengths.iter().enumerate().map(part).collect()
}

fn information(points: &Matrix, strengths: &[f64]) -> Matrix {
    let mut information = Matrix::zero(points.size());
    for (one, strength) in strengths.iter().enumerate() {
        information.add(one, one, spread(*strength));
        for (other, against) in strengths.iter().enumerate().filter(|(other, _)| *other != one) {
            let games = points.at(one, other) + points.at(other, one);
            let known = games * spread(strength - against);
            information.add(one, one, known);
            information.add(one, other, -known);
        }
    }
    information
}

/// The deviations of strengths that are measured from their mean: the diagonal of C V Cᵀ, where C
/// takes the mean away.
fn deviations(covariance: &Matrix) -> Vec<f64> {
    let players = covariance.size();
    let row = |row| mean((0..players).map(|column| covariance.at(row, column)));
    let rows: Vec<f64> = (0..players).map(row).collect();
    let all = mean(rows.iter().copied());
    let deviation = |(player, row): (usize, &f64)| {
        (covariance.at(player, player) - 2.0 * row + all).max(0.0).sqrt()
    };
    rows.iter().enumerate().map(deviation).collect()
}

/// σ: what a player is expected to win of one game.
fn expected(ahead: f64) -> f64 {
    1.0 / (1.0 + (-ahead).exp())
}

/// The variance of one game.
fn spread(ahead: f64) -> f64 {
    expected(ahead) * expected(-ahead)
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    if count > 0.0 { sum / count } else { 0.0 }
}
