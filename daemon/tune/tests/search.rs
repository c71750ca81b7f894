//! The optimiser on functions whose optimum is known, and races whose winner is known.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

use phalanx_league::{LeagueContestant, ParamValues, Seeds, SprtOptions, TunedValue};
use phalanx_tune::{
    Dimension, DimensionKind, Objective, PairedLead, Racer, TpeSearch, TunePlan, survivors,
};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rstest::rstest;

fn plan(kinds: &[(&str, DimensionKind, TunedValue)], seed: u64) -> TunePlan {
    let dimension = |(name, kind, _): &(&str, DimensionKind, TunedValue)| Dimension {
        name: (*name).to_owned(),
        kind: kind.clone(),
    };
    let strategy =
        LeagueContestant { name: "mine".into(), identity: "hash".into(), source: String::new() };
    TunePlan {
        game: "toy".into(),
        game_files: None,
        setup: Default::default(),
        strategy,
        opponents: Vec::new(),
        dimensions: kinds.iter().map(dimension).collect(),
        start: kinds.iter().map(|(name, _, start)| ((*name).to_owned(), start.clone())).collect(),
        objective: Objective::Score,
        seeds: Seeds { first: 1, count: 1 },
        swap: false,
        budget: 1_000,
        test: Seeds { first: 2, count: 1 },
        sprt: SprtOptions::default(),
        seed,
    }
}

fn float(min: f64, max: f64, step: Option<f64>, log: bool) -> DimensionKind {
    DimensionKind::Num { min, max, step, log }
}

fn number(values: &ParamValues, name: &str) -> f64 {
    let TunedValue::Num(number) = values[name] else { panic!("{name}: {:?}", values[name]) };
    number
}

/// The least value of a function, after batches of eight.
fn least(plan: &TunePlan, batches: usize, function: &dyn Fn(&ParamValues) -> f64) -> f64 {
    let mut search = TpeSearch::new(plan).unwrap();
    let mut least = f64::INFINITY;
    for _ in 0..batches {
        for values in search.ask(8) {
            let value = function(&values);
            least = least.min(value);
            search.tell(&values, -value);
        }
    }
    least
}

fn two(seed: u64, log: bool) -> TunePlan {
    let (min, max) = if log { (0.001, 1_000.0) } else { (-5.0, 5.0) };
    let kind = || float(min, max, None, log);
    plan(&[("x", kind(), TunedValue::Num(max)), ("y", kind(), TunedValue::Num(max))], seed)
}

#[rstest]
fn a_sphere_and_a_valley_are_descended(#[values(1, 2, 3)] seed: u64) {
    let at = |values: &ParamValues| (number(values, "x"), number(values, "y"));
    let sphere = least(&two(seed, false), 40, &|values| {
        let (x, y) = at(values);
        (x - 1.0).powi(2) + (y + 2.0).powi(2)
    });
    assert!(sphere < 0.05, "{sphere}");
    let branin = least(&two(seed, false), 40, &|values| {
        // Branin's function, moved from [-5, 10] x [0, 15]; its least value is 0.397887.
        let (x, y) = (number(values, "x") * 1.5 + 2.5, number(values, "y") * 1.5 + 7.5);
        let pi = std::f64::consts::PI;
        let square = y - 5.1 / (4.0 * pi * pi) * x * x + 5.0 / pi * x - 6.0;
        square * square + 10.0 * (1.0 - 1.0 / (8.0 * pi)) * x.cos() + 10.0
    });
    assert!(branin < 0.75, "{branin}");
}

#[rstest]
fn a_logarithmic_scale_finds_small_numbers(#[values(1, 2, 3)] seed: u64) {
    let far = least(&two(seed, true), 30, &|values| {
        let distance = |name: &str| (number(values, name) / 0.02).log10();
        distance("x").powi(2) + distance("y").powi(2)
    });
    assert!(far < 0.05, "{far}");
}

#[rstest]
fn whole_numbers_choices_and_switches_are_found_exactly(#[values(1, 2, 3)] seed: u64) {
    let words = ["a", "b", "c", "d", "e"].map(str::to_owned).to_vec();
    let plan = plan(
        &[
            ("count", float(0.0, 40.0, Some(1.0), false), TunedValue::Num(40.0)),
            ("flag", DimensionKind::Bool, TunedValue::Bool(false)),
            ("word", DimensionKind::Choice(words), TunedValue::Text("a".into())),
            ("size", float(1.0, 1024.0, Some(1.0), true), TunedValue::Num(1024.0)),
        ],
        seed,
    );
    let value = |values: &ParamValues| {
        let flag = f64::from(u8::from(values["flag"] != TunedValue::Bool(true)));
        let word = f64::from(u8::from(values["word"] != TunedValue::Text("d".into())));
        let size = (number(values, "size") / 16.0).log2().abs();
        (number(values, "count") - 13.0).abs() / 10.0 + flag + word + size / 3.0
    };
    let least = least(&plan, 40, &value);
    assert!(least < 0.25, "{least}");
}

#[test]
fn the_same_seed_asks_for_the_same_and_nothing_twice() {
    let plan = plan(
        &[
            ("count", float(0.0, 5.0, Some(1.0), false), TunedValue::Num(0.0)),
            ("flag", DimensionKind::Bool, TunedValue::Bool(false)),
        ],
        7,
    );
    let all = |mut search: TpeSearch| {
        let mut all = vec![plan.start.clone()];
        loop {
            let batch = search.ask(8);
            if batch.is_empty() {
                return all;
            }
            for values in &batch {
                search.tell(values, number(values, "count"));
            }
            all.extend(batch);
        }
    };
    let asked = all(TpeSearch::new(&plan).unwrap());
    assert_eq!(asked, all(TpeSearch::new(&plan).unwrap()));
    for (index, values) in asked.iter().enumerate() {
        assert!(!asked[..index].contains(values), "{values:?} twice");
    }
    // A search that finds nothing new in fifty draws may miss one or two.
    assert!(asked.len() >= 10 && asked.len() <= 12, "{} of 12", asked.len());
}

/// Eight candidates of which one is better by nearly as much as the luck of a single seed.
#[test]
fn a_race_keeps_the_best_with_high_probability_and_drops_the_worst_early() {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let strengths = [1.0, 0.1, 0.0, 0.0, -0.1, -0.3, -0.6, -0.9];
    let (mut kept, mut matches) = (0, 0);
    for _ in 0..500 {
        let mut racing: Vec<usize> = (0..strengths.len()).collect();
        let mut scores = vec![Vec::new(); strengths.len()];
        for (index, rung) in [4, 8, 16, 32].into_iter().enumerate() {
            for candidate in &racing {
                while scores[*candidate].len() < rung {
                    // Twelve uniform numbers make a normal one.
                    let normal: f64 = (0..12).map(|_| random.random::<f64>()).sum::<f64>() - 6.0;
                    scores[*candidate].push(strengths[*candidate] + normal);
                    matches += 1;
                }
            }
            let racer = |candidate: &usize| {
                let (seeds, scores) = (rung as f64, &scores[*candidate]);
                let value = scores.iter().sum::<f64>() / seeds;
                let squares: f64 = scores.iter().map(|score| (score - value).powi(2)).sum();
                let error = (squares / (seeds - 1.0) / seeds).sqrt();
                Racer { candidate: *candidate, lead: PairedLead { value, error, seeds: rung } }
            };
            let racers: Vec<Racer> = racing.iter().map(racer).collect();
            racing = survivors(&racers, index == 3);
        }
        kept += u32::from(racing.first() == Some(&0));
    }
    assert!(kept > 450, "{kept} of 500");
    assert!(matches < 500 * 8 * 32 / 3, "{matches}");
}
