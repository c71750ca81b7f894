//! Whole runs of a game that is a formula.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]
#![allow(clippy::cast_possible_truncation, reason = "numbers of a test are small")]

use phalanx_league::{
    Fixture, LeagueContestant, LeagueStoreError, ParamValues, PlayError, PlayMatch, RunOptions,
    Seeds, SprtOptions, TunedValue,
};
use phalanx_tune::{
    Dimension, DimensionKind, Fate, Objective, TuneEnd, TuneError, TuneOpponent, TunePlan,
    TuneProgress, TuneStore, TuneVerdict, json, markdown, run, show, table,
};
use rstest::rstest;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

fn num(name: &str, min: f64, max: f64, step: Option<f64>, log: bool) -> Dimension {
    Dimension { name: name.into(), kind: DimensionKind::Num { min, max, step, log } }
}

fn contestant(name: &str) -> LeagueContestant {
    let identity = format!("hash of {name}");
    LeagueContestant { name: name.into(), identity, source: String::new() }
}

/// Numbers with and without steps and logarithms, a choice and a switch.
fn plan(opponents: usize, objective: Objective) -> TunePlan {
    let words = ["rush", "farm", "wait"].map(str::to_owned).to_vec();
    let start = [
        ("depth", TunedValue::Num(1.0)),
        ("greed", TunedValue::Num(0.9)),
        ("mode", TunedValue::Text("wait".into())),
        ("nodes", TunedValue::Num(10.0)),
        ("shy", TunedValue::Bool(true)),
    ];
    let opponent =
        |number| TuneOpponent { player: contestant(&format!("other {number}")), weight: 1.0 };
    TunePlan {
        game: "toy".into(),
        game_files: None,
        setup: BTreeMap::from([("steps".into(), "9".into())]),
        strategy: contestant("mine"),
        opponents: (0..opponents).map(opponent).collect(),
        dimensions: vec![
            num("depth", 0.0, 12.0, Some(1.0), false),
            num("greed", 0.0, 1.0, None, false),
            Dimension { name: "mode".into(), kind: DimensionKind::Choice(words) },
            num("nodes", 1.0, 10_000.0, Some(1.0), true),
            Dimension { name: "shy".into(), kind: DimensionKind::Bool },
        ],
        start: start.map(|(name, value)| (name.to_owned(), value)).into(),
        objective,
        seeds: Seeds { first: 1, count: 16 },
        swap: true,
        budget: 8_000,
        test: Seeds { first: 1_000, count: 400 },
        sprt: SprtOptions::default(),
        seed: 1,
    }
}

fn number(values: &ParamValues, name: &str) -> f64 {
    let TunedValue::Num(number) = values[name] else { panic!("{name}: {:?}", values[name]) };
    number
}

/// How good values are, from 0 downwards: best with depth 7, greed 0.3, mode farm, nodes 500, not
/// shy.
fn goodness(values: &ParamValues) -> f64 {
    let depth = (number(values, "depth") - 7.0) / 12.0;
    let greed = number(values, "greed") - 0.3;
    let nodes = (number(values, "nodes") / 500.0).log10() / 4.0;
    let mode = f64::from(u8::from(values["mode"] != TunedValue::Text("farm".into())));
    let shy = f64::from(u8::from(values["shy"] != TunedValue::Bool(false)));
    -(depth * depth + greed * greed + nodes * nodes) - 0.2 * mode - 0.2 * shy
}

/// A number from 0 to 1 that depends on its input alone.
fn luck(seed: u64, salt: u64) -> f64 {
    let mut bits =
        seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ salt.wrapping_mul(0xD1B5_4A32_D192_ED03);
    bits ^= bits >> 31;
    bits = bits.wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^= bits >> 29;
    f64::from(u32::try_from(bits >> 40).unwrap()) / f64::from(1_u32 << 24)
}

/// Scores that grow with the goodness of the values and are blurred by luck.
struct Formula {
    noise: f64,
    /// Whether values matter.
    flat: bool,
}

const CLEAR: Formula = Formula { noise: 0.3, flat: false };

impl PlayMatch for Formula {
    fn play(&self, fixture: &Fixture, _stop: &AtomicBool) -> Result<Vec<i64>, PlayError> {
        let values = fixture.values.as_ref().unwrap();
        let good = if self.flat { -0.5 } else { goodness(values) };
        let salt = goodness(values).to_bits() ^ fixture.players.len() as u64;
        let map = luck(fixture.seed, 1);
        let own = good + self.noise * (luck(fixture.seed, salt) - 0.5) + map;
        let score = |value: f64| format!("{:.0}", value * 1_000.0).parse::<i64>().unwrap();
        let other = |player: usize| -0.2 * player as f64 + map;
        let one = |player: &usize| score(if *player == 0 { own } else { other(*player) });
        Ok(fixture.players.iter().map(one).collect())
    }
}

fn play(store: &mut TuneStore, threads: usize, play: &dyn PlayMatch) -> (TuneEnd, TuneProgress) {
    let stop = AtomicBool::new(false);
    run(store, play, &RunOptions { threads, stop: &stop }, &mut |_| ()).unwrap()
}

fn lines(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("results.jsonl")).unwrap()
}

#[rstest]
#[case::alone(0, Objective::Score, -0.1)]
#[case::against_two(2, Objective::Win, -0.2)]
#[case::by_rating(2, Objective::Rating, -0.2)]
fn a_run_from_bad_values_comes_near_the_optimum_and_proves_it(
    #[case] opponents: usize,
    #[case] objective: Objective,
    // By wins and losses, candidates that win everything are equally good.
    #[case] near: f64,
) {
    let mut plan = plan(opponents, objective);
    plan.budget *= plan.opponents.len().max(1) as u64;
    let mut store = TuneStore::in_memory(plan.clone());
    let (end, progress) = play(&mut store, 2, &CLEAR);
    assert_eq!(end, TuneEnd::Over);
    let best = progress.best_values().unwrap();
    let (before, after) = (goodness(&plan.start), goodness(best));
    assert!(after > near, "from {before} to {after} with {best:?}");
    assert_eq!(best["mode"], TunedValue::Text("farm".into()));
    assert_eq!(best["shy"], TunedValue::Bool(false));
    assert_eq!(number(best, "depth").fract(), 0.0);
    assert_eq!(progress.verdict, Some(TuneVerdict::Better));
    assert_eq!(progress.proved(), Some(best));
    assert!(progress.played <= plan.budget, "{}", progress.played);
}

#[test]
fn a_game_for_one_is_won_with_more_points_than_the_start() {
    let plan = plan(0, Objective::Win);
    let (_, progress) = play(&mut TuneStore::in_memory(plan.clone()), 2, &CLEAR);
    assert_eq!(progress.verdict, Some(TuneVerdict::Better));
    let lead = progress.improvements.last().unwrap().lead;
    assert!((0.4..=0.5).contains(&lead.value), "from half of the points to nearly all: {lead:?}");
    assert!(goodness(progress.best_values().unwrap()) > goodness(&plan.start));
}

#[test]
fn racing_spends_few_matches_on_bad_candidates() {
    let plan = plan(0, Objective::Score);
    let mut store = TuneStore::in_memory(TunePlan { budget: 2_000, ..plan.clone() });
    let (_, progress) = play(&mut store, 2, &CLEAR);
    let dropped = progress.candidates.iter().filter(|one| matches!(one.fate, Fate::Dropped(_)));
    let early = progress.candidates.iter().filter(|one| one.fate == Fate::Dropped(2));
    assert!(dropped.count() * 10 > progress.candidates.len() * 7);
    assert!(early.count() * 10 > progress.candidates.len() * 4);
    let whole = progress.candidates.len() as u64 * u64::from(plan.seeds.count);
    assert!(progress.played * 2 < whole, "{} of {whole} matches", progress.played);
}

#[test]
fn where_values_do_not_matter_nothing_is_proved() {
    // Each plan has a false alarm with the probability alpha: five of a hundred.
    let flat = Formula { noise: 0.3, flat: true };
    let mut proved = 0;
    for seed in 0..20 {
        let first = 10_000 * (seed + 1);
        let plan = TunePlan {
            seed,
            budget: 1_500,
            seeds: Seeds { first, count: 16 },
            test: Seeds { first: first + 100, count: 400 },
            ..plan(0, Objective::Score)
        };
        let (_, progress) = play(&mut TuneStore::in_memory(plan), 2, &flat);
        proved += u32::from(progress.proved().is_some());
    }
    assert!(proved <= 3, "{proved} of 20");
}

#[test]
fn the_same_run_gives_the_same_bytes_on_any_number_of_threads() {
    let mut all = Vec::new();
    for threads in [1, 8] {
        let folder = tempfile::tempdir().unwrap();
        let plan = TunePlan { budget: 3_000, ..plan(2, Objective::Win) };
        let mut store = TuneStore::open(folder.path(), plan.clone()).unwrap();
        let (_, progress) = play(&mut store, threads, &CLEAR);
        let texts = [table(&plan, &progress), markdown(&plan, &progress)];
        all.push((lines(folder.path()), texts, json(&plan, &progress)));
    }
    assert_eq!(all[0], all[1]);
    let (lines, [table, markdown], json) = &all[0];
    let first = lines.lines().next().unwrap();
    assert_eq!(
        first,
        r#"{"candidate":0,"values":{"depth":1.0,"greed":0.9,"mode":"wait","nodes":10.0,"shy":true}}"#
    );
    let second = lines.lines().nth(1).unwrap();
    assert!(
        second.starts_with(r#"{"match":0,"candidate":0,"seed":1,"opponent":"other 0""#),
        "{second}"
    );
    assert!(table.contains("better, proved on fresh seeds"), "{table}");
    assert!(markdown.contains("| mode | wait | farm |"), "{markdown}");
    assert_eq!(json["verdict"], "better");
    assert_eq!(json["best"]["mode"], "farm");
    // Programs and people read the same error.
    let error = json["test"]["error"].as_f64().unwrap() * 100.0;
    assert!(table.contains(&format!("± {error:.1} %")), "{error}: {table}");
}

/// Stops the run from inside a match.
struct Stopping<'a> {
    left: AtomicU64,
    stop: &'a AtomicBool,
}

impl PlayMatch for Stopping<'_> {
    fn play(&self, fixture: &Fixture, stop: &AtomicBool) -> Result<Vec<i64>, PlayError> {
        if self.left.fetch_sub(1, Ordering::Relaxed) == 0 {
            self.stop.store(true, Ordering::Relaxed);
            return Err(PlayError::Stopped);
        }
        CLEAR.play(fixture, stop)
    }
}

#[test]
fn a_run_that_was_interrupted_anywhere_ends_with_the_same_bytes() {
    let plan = TunePlan { budget: 1_200, ..plan(0, Objective::Score) };
    let whole = tempfile::tempdir().unwrap();
    let mut store = TuneStore::open(whole.path(), plan.clone()).unwrap();
    let (_, wanted) = play(&mut store, 2, &CLEAR);
    let wanted = (lines(whole.path()), table(&plan, &wanted));

    let folder = tempfile::tempdir().unwrap();
    let mut interruptions = 0;
    loop {
        let stop = AtomicBool::new(false);
        let left = AtomicU64::new((luck(interruptions, 3) * 150.0) as u64);
        let mut store = TuneStore::open(folder.path(), plan.clone()).unwrap();
        let stopping = Stopping { left, stop: &stop };
        let options = RunOptions { threads: 2, stop: &stop };
        let (end, progress) = run(&mut store, &stopping, &options, &mut |_| ()).unwrap();
        drop(store);
        if end == TuneEnd::Over {
            assert_eq!((lines(folder.path()), table(&plan, &progress)), wanted);
            break;
        }
        // A look at it shows what was found, and leaves everything as it is.
        let before = lines(folder.path());
        let (end, seen) = show(&mut TuneStore::look(folder.path()).unwrap()).unwrap();
        assert_eq!((end, seen.played), (TuneEnd::Stopped, progress.played));
        assert_eq!(lines(folder.path()), before);
        // The machine stopped in the middle of a line.
        let cut = before.len() - (luck(interruptions, 4) * before.len().min(90) as f64) as usize;
        std::fs::write(folder.path().join("results.jsonl"), &before[..cut]).unwrap();
        interruptions += 1;
    }
    assert!(interruptions > 5, "{interruptions}");
    let (end, seen) = show(&mut TuneStore::look(folder.path()).unwrap()).unwrap();
    assert_eq!((end, table(&plan, &seen)), (TuneEnd::Over, wanted.1));
}

#[test]
fn a_folder_is_for_one_run_and_results_that_do_not_fit_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let plan = TunePlan { budget: 1_200, ..plan(0, Objective::Score) };
    let mut store = TuneStore::open(folder.path(), plan.clone()).unwrap();
    let busy = TuneStore::open(folder.path(), plan.clone()).unwrap_err();
    assert!(matches!(busy, LeagueStoreError::InUse { .. }), "{busy}");
    play(&mut store, 2, &CLEAR);
    drop(store);
    let changed = |change: &dyn Fn(&mut TunePlan)| {
        let mut other = plan.clone();
        change(&mut other);
        TuneStore::open(folder.path(), other).unwrap_err().to_string()
    };
    for (refused, want) in [
        (changed(&|plan| plan.strategy.identity = "new".into()), "the files of mine were other"),
        (changed(&|plan| plan.budget = 1_300), "budget"),
        (changed(&|plan| plan.seed = 2), "seeds"),
        (changed(&|plan| drop(plan.dimensions.pop())), "its parameters are depth"),
        (changed(&|plan| drop(plan.start.remove("shy"))), "other values"),
    ] {
        assert!(refused.contains("holds another tune run") && refused.contains(want), "{refused}");
    }
    let of_files = |files: &str| TunePlan { game_files: Some(files.into()), ..plan.clone() };
    let scripted = tempfile::tempdir().unwrap();
    drop(TuneStore::open(scripted.path(), of_files("a hash")).unwrap());
    drop(TuneStore::open(scripted.path(), of_files("a hash")).unwrap());
    let refused = TuneStore::open(scripted.path(), of_files("other")).unwrap_err().to_string();
    assert!(refused.contains("the files of the game toy were other ones"), "{refused}");
    // A run of a program that did not keep the hash goes on.
    drop(TuneStore::open(folder.path(), of_files("a hash")).unwrap());
    let whole = lines(folder.path());
    let good: Vec<&str> = whole.lines().collect();
    for (line, want) in [
        ("nonsense", "line 2: expected"),
        (good[2], "line 2: expected match 0 of candidate 0 on seed 1"),
        (r#"{"match":0,"candidate":0,"seed":1,"scores":[1,2]}"#, "line 2: expected a score"),
    ] {
        let path = folder.path().join("results.jsonl");
        std::fs::write(&path, format!("{}\n{line}\n", good[0])).unwrap();
        let mut store = TuneStore::look(folder.path()).unwrap();
        let refused = show(&mut store).unwrap_err().to_string();
        assert!(refused.contains("results.jsonl, line 2"), "{refused}");
        assert!(refused.contains(want), "{refused}");
    }
    let missing = TuneStore::look(&folder.path().join("none")).unwrap_err().to_string();
    assert!(missing.contains("tune.json"), "{missing}");
}

/// Cannot play shy strategies, nor anybody on seed 3.
struct Broken {
    all: bool,
}

impl PlayMatch for Broken {
    fn play(&self, fixture: &Fixture, stop: &AtomicBool) -> Result<Vec<i64>, PlayError> {
        let shy = fixture.values.as_ref().unwrap()["shy"] == TunedValue::Bool(false);
        if self.all || shy || fixture.seed == 3 {
            return Err(PlayError::Failed("the referee broke down".into()));
        }
        CLEAR.play(fixture, stop)
    }
}

#[test]
fn candidates_that_cannot_play_go_and_broken_seeds_are_left_out_for_all() {
    let plan = TunePlan { budget: 2_000, ..plan(0, Objective::Score) };
    let (_, progress) = play(&mut TuneStore::in_memory(plan.clone()), 2, &Broken { all: false });
    assert_eq!(progress.best_values().unwrap()["shy"], TunedValue::Bool(true));
    assert_eq!(progress.verdict, Some(TuneVerdict::Better), "the other parameters improve");
    let bold =
        progress.candidates.iter().filter(|one| one.values["shy"] == TunedValue::Bool(false));
    let fates: Vec<Fate> = bold.map(|one| one.fate).collect();
    assert!(!fates.is_empty());
    assert!(fates.iter().all(|fate| matches!(fate, Fate::Failed)), "{fates:?}");

    let mut store = TuneStore::in_memory(plan);
    let stop = AtomicBool::new(false);
    let options = RunOptions { threads: 2, stop: &stop };
    let error = run(&mut store, &Broken { all: true }, &options, &mut |_| ()).unwrap_err();
    assert!(matches!(error, TuneError::Unplayable(_)), "{error}");
    assert!(error.to_string().ends_with("the referee broke down"), "{error}");
}

#[test]
fn a_plan_names_all_its_mistakes() {
    let good = plan(1, Objective::Win);
    assert_eq!(good.mistakes(), [""; 0]);
    let of = |change: &dyn Fn(&mut TunePlan)| {
        let mut plan = good.clone();
        change(&mut plan);
        plan.mistakes().join("\n")
    };
    for (mistakes, want) in [
        (
            of(&|plan| plan.budget = 40),
            "a budget of 40 matches: these seeds and opponents need at least",
        ),
        (of(&|plan| plan.test.first = 8), "the final test has seeds of the search"),
        (of(&|plan| plan.opponents[0].weight = -1.0), "the weight of other 0"),
        (of(&|plan| plan.opponents[0].player.name = "mine".into()), "two players are called"),
        (of(&|plan| plan.dimensions.clear()), "0 parameters to vary"),
        (of(&|plan| plan.start.clear()), "parameter depth has no value to start from"),
        (of(&|plan| plan.seeds.count = 0), "the seeds: expected at least one"),
        (of(&|plan| plan.sprt.alpha = 2.0), "alpha = 2"),
    ] {
        assert!(mistakes.contains(want), "{mistakes}");
    }
}
