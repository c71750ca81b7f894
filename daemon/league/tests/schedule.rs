//! Who meets whom: as tables, and as properties of any plan.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use phalanx_league::{LeagueContestant, LeagueDefinition, Pairing, Seeds, SprtOptions};
use proptest::prelude::*;
use rstest::rstest;
use std::collections::BTreeMap;

fn plan(players: usize, pairing: Pairing, seeds: u32, swap: bool) -> LeagueDefinition {
    let player = |index| LeagueContestant {
        name: format!("p{index}"),
        identity: String::new(),
        source: String::new(),
    };
    LeagueDefinition {
        game: "toy".into(),
        game_files: None,
        setup: BTreeMap::new(),
        players: (0..players).map(player).collect(),
        pairing,
        seeds: Seeds { first: 7, count: seeds },
        swap,
        sprt: None,
    }
}

/// The schedule as text: `seed: players`.
fn schedule(plan: &LeagueDefinition) -> Vec<String> {
    let all = (0..).map_while(|number| plan.fixture(number));
    all.map(|fixture| format!("{}:{:?}", fixture.seed, fixture.players)).collect()
}

#[rstest]
#[case(plan(3, Pairing::RoundRobin, 1, false), &["7:[0, 1]", "7:[0, 2]", "7:[1, 2]"])]
#[case(plan(2, Pairing::RoundRobin, 2, true), &["7:[0, 1]", "7:[1, 0]", "8:[0, 1]", "8:[1, 0]"])]
#[case(plan(3, Pairing::FirstAgainstAll, 1, true), &["7:[0, 1]", "7:[1, 0]", "7:[0, 2]", "7:[2, 0]"])]
#[case(plan(2, Pairing::Alone, 2, true), &["7:[0]", "7:[1]", "8:[0]", "8:[1]"])]
fn a_schedule_is_seed_by_seed_and_side_by_side(
    #[case] plan: LeagueDefinition,
    #[case] expected: &[&str],
) {
    assert_eq!(schedule(&plan), expected);
}

proptest! {
    #[test]
    fn everybody_meets_everybody_equally_often(
        players in 2_usize..7, seeds in 1_u32..4, swap: bool,
    ) {
        let plan = plan(players, Pairing::RoundRobin, seeds, swap);
        let mut meetings: BTreeMap<(usize, usize), u64> = BTreeMap::new();
        let mut first = vec![0_i64; players];
        for fixture in (0..plan.matches()).map(|number| plan.fixture(number).unwrap()) {
            let [one, other] = fixture.players.as_slice() else { panic!("{fixture:?}") };
            *meetings.entry((*one.min(other), *one.max(other))).or_default() += 1;
            *first.get_mut(*one).unwrap() += 1;
            *first.get_mut(*other).unwrap() -= 1;
        }
        prop_assert_eq!(plan.fixture(plan.matches()), None);
        prop_assert_eq!(meetings.len(), players * (players - 1) / 2);
        let each = u64::from(seeds) * if swap { 2 } else { 1 };
        prop_assert!(meetings.values().all(|count| *count == each));
        prop_assert!(!swap || first.iter().all(|surplus| *surplus == 0), "sides are even");
    }
}

#[test]
fn all_mistakes_of_a_plan_are_told_at_once() {
    let good = plan(2, Pairing::RoundRobin, 1, true);
    assert_eq!(good.mistakes(), Vec::<String>::new());
    let mut bad = plan(3, Pairing::RoundRobin, 0, true);
    bad.players.first_mut().unwrap().name = "p1".into();
    bad.players.last_mut().unwrap().name = "a\nb".into();
    bad.sprt = Some(SprtOptions { elo0: 5.0, elo1: 5.0, alpha: 0.0, beta: 0.7 });
    let told = bad.mistakes().join("\n");
    for part in [
        "\"p1\"",
        "printable",
        "seeds",
        "elo0 = 5",
        "alpha",
        "beta",
        "--sprt compares two strategies, and got 3",
    ] {
        assert!(told.contains(part), "{part} is missing in\n{told}");
    }
    let huge = plan(32, Pairing::RoundRobin, u32::MAX, true);
    assert!(huge.mistakes().join("\n").contains("at most 100000"));
}
