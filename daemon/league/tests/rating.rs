//! The maths: ratings and the early stop, against values that were worked out elsewhere.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

use phalanx_league::{Rating, Sprt, SprtOptions, SprtVerdict, Strengths, rate};
use proptest::prelude::*;
use rstest::rstest;

fn rate_table(points: &[Vec<f64>]) -> Vec<Rating> {
    rate(points.len(), |one, other| points[one][other])
}

#[rstest]
// 400 · log10(s / (1 − s)) for the share s of many games; the one drawn game that each is given pulls
// a little towards the middle.
#[case(0.5, 0.0)]
#[case(0.640_065, 100.0)]
#[case(0.75, 190.848_5)]
#[case(0.909_091, 400.0)]
fn the_share_of_points_between_two_is_their_distance(#[case] share: f64, #[case] distance: f64) {
    let games = 100_000.0;
    let ratings = rate_table(&[vec![0.0, share * games], vec![(1.0 - share) * games, 0.0]]);
    let found = ratings[0].elo - ratings[1].elo;
    assert!((found - distance).abs() < 0.05, "{found} for {distance}");
}

#[test]
fn the_error_is_the_one_of_the_normal_approximation() {
    // Information of a difference: n p (1 − p) = 7.5, hence a deviation of 0.36515 in strength,
    // half of it for each, 1.96 of them in 95 of 100 cases: 62.2 points.
    let ratings = rate_table(&[vec![0.0, 30.0], vec![10.0, 0.0]]);
    assert!((ratings[0].error - 62.2).abs() < 3.0, "{ratings:?}");
    assert!((ratings[0].error - ratings[1].error).abs() < 1e-9);
}

#[test]
fn whoever_won_everything_has_a_finite_rating_and_a_wide_error() {
    let few = rate_table(&[vec![0.0, 2.0], vec![0.0, 0.0]]);
    let many = rate_table(&[vec![0.0, 40.0], vec![0.0, 0.0]]);
    assert!(few[0].elo > 0.0 && few[0].elo < many[0].elo && many[0].elo < 1_500.0);
    assert!(few[0].error > few[0].elo, "two games prove nothing: {few:?}");
    let none = rate_table(&[vec![0.0, 0.0], vec![0.0, 0.0]]);
    assert_eq!((none[0].elo, none[1].elo), (0.0, 0.0));
}

#[test]
fn what_games_are_expected_to_say_is_what_they_take_from_the_uncertainty() {
    // Nothing is known but the drawn game against an average player: each strength has the variance
    // 1 / ¼, the difference 8. Two even games have the information 2 · ¼: ½ log₂(1 + 0.5 · 8).
    let none = Strengths::of(3, |_, _| 0.0);
    assert!((none.expected_bits(0, 1, 2.0) - 0.5 * 5.0_f64.log2()).abs() < 1e-9);
    // A drawn pair that was played is the same as one that was planned.
    let drawn = |one, other| if one + other == 1 { 1.0 } else { 0.0 };
    let played = Strengths::of(3, drawn);
    let mut planned = none.clone();
    planned.plan(0, 1, 2.0);
    for (one, other) in [(0, 1), (0, 2), (1, 2)] {
        let (a, b) =
            (played.expected_bits(one, other, 2.0), planned.expected_bits(one, other, 2.0));
        assert!((a - b).abs() < 1e-9, "{one} {other}: {a} {b}");
    }
    // The pair that was played says less than before, and less than one with the third player.
    assert!(played.expected_bits(0, 1, 2.0) < none.expected_bits(0, 1, 2.0));
    assert!(played.expected_bits(0, 1, 2.0) < played.expected_bits(0, 2, 2.0));
    // A pair whose order is clear says less than an even one.
    let clear = Strengths::of(2, |one, _| if one == 0 { 40.0 } else { 0.0 });
    let even = Strengths::of(2, |_, _| 20.0);
    assert!(clear.expected_bits(0, 1, 2.0) < even.expected_bits(0, 1, 2.0));
}

/// Points of some games between up to five players.
fn results() -> impl Strategy<Value = Vec<Vec<f64>>> {
    (2_usize..6).prop_flat_map(|players| {
        let cell = (0_u32..40).prop_map(|halves| f64::from(halves) / 2.0);
        prop::collection::vec(prop::collection::vec(cell, players), players)
    })
}

proptest! {
    #[test]
    fn ratings_sum_to_zero_and_do_not_care_who_is_listed_first(points in results()) {
        let ratings = rate_table(&points);
        let sum: f64 = ratings.iter().map(|rating| rating.elo).sum();
        prop_assert!(sum.abs() < 1e-6, "{sum}");
        let players = points.len();
        let turned: Vec<Vec<f64>> = (0..players)
            .map(|one| {
                (0..players).map(|other| points[players - 1 - one][players - 1 - other]).collect()
            })
            .collect();
        for (one, other) in ratings.iter().zip(rate_table(&turned).iter().rev()) {
            prop_assert!((one.elo - other.elo).abs() < 1e-6, "{one:?} {other:?}");
            prop_assert!((one.error - other.error).abs() < 1e-6, "{one:?} {other:?}");
        }
    }

    #[test]
    fn one_more_win_raises_the_winner_and_only_costs_others(points in results()) {
        let before = rate_table(&points);
        let mut more = points.clone();
        more[0][1] += 1.0;
        let after = rate_table(&more);
        prop_assert!(after[0].elo > before[0].elo);
        prop_assert!(after[1].elo < before[1].elo);
        let moved: f64 = after.iter().zip(&before).map(|(a, b)| a.elo - b.elo).sum();
        prop_assert!(moved.abs() < 1e-6, "what one gains the others lose: {moved}");
    }

    #[test]
    fn a_test_does_not_care_about_the_order(mut scores in prop::collection::vec(0_u8..5, 1..60)) {
        let state = |scores: &[u8]| {
            let mut sprt = Sprt::new(SprtOptions::default());
            scores.iter().for_each(|score| sprt.add(f64::from(*score) / 4.0));
            sprt.state().llr
        };
        let before = state(&scores);
        scores.reverse();
        prop_assert!((before - state(&scores)).abs() < 1e-9);
    }
}

#[test]
fn the_bounds_are_walds() {
    let state = Sprt::new(SprtOptions::default()).state();
    assert!((state.upper - 2.944_439).abs() < 1e-6 && (state.lower + 2.944_439).abs() < 1e-6);
    let options = SprtOptions { alpha: 0.01, beta: 0.1, ..SprtOptions::default() };
    let state = Sprt::new(options).state();
    assert!((state.upper - 4.499_810).abs() < 1e-6 && (state.lower + 2.292_535).abs() < 1e-6);
    assert_eq!((state.llr, state.verdict), (0.0, None));
}

#[rstest]
// Wald's own ratio for wins and losses: W ln(s₁ / s₀) + L ln((1 − s₁) / (1 − s₀)), s₁ = 0.571463.
#[case(60, 40, 1.846)]
#[case(55, 45, 0.408)]
#[case(50, 50, -1.031)]
#[case(120, 80, 3.692)]
fn the_ratio_is_close_to_walds_for_wins_and_losses(
    #[case] wins: u32,
    #[case] losses: u32,
    #[case] wald: f64,
) {
    let mut sprt = Sprt::new(SprtOptions::default());
    (0..wins).for_each(|_| sprt.add(1.0));
    (0..losses).for_each(|_| sprt.add(0.0));
    let llr = sprt.state().llr;
    assert!((llr - wald).abs() < 0.15, "{llr} for {wald}");
}

#[test]
fn a_few_equal_results_are_not_certain_and_many_are() {
    let mut sprt = Sprt::new(SprtOptions::default());
    let mut units = 0;
    while sprt.state().verdict.is_none() {
        sprt.add(1.0);
        units += 1;
    }
    assert!((6..=20).contains(&units), "{units}");
    assert_eq!(sprt.state().verdict, Some(SprtVerdict::Better));
}

/// Ends a test on players of whom the first wins a game with this probability; what was decided.
fn decide(probability: f64, dice: &mut u64) -> SprtVerdict {
    let mut sprt = Sprt::new(SprtOptions::default());
    loop {
        // A simple generator of our own: the test is the same everywhere.
        *dice =
            dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let drawn = f64::from(u32::try_from(*dice >> 32).unwrap()) / f64::from(u32::MAX);
        sprt.add(if drawn < probability { 1.0 } else { 0.0 });
        if let Some(verdict) = sprt.state().verdict {
            return verdict;
        }
    }
}

#[test]
fn errors_are_about_as_rare_as_was_asked_for() {
    let mut dice = 1;
    let runs = 1_000;
    let mut better = |probability| {
        (0..runs).filter(|_| decide(probability, &mut dice) == SprtVerdict::Better).count()
    };
    let (equal, ahead) = (better(0.5), better(0.571_463));
    assert!(equal <= 70, "{equal} of {runs} equal players were taken for better");
    assert!(ahead >= 930, "{ahead} of {runs} better players were taken for such");
}
