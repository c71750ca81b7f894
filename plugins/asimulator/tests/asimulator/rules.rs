//! The game without connections: what actions do, and which worlds a class makes.

use phalanx_asimulator::rules::*;
use phalanx_game::sorted::SortedMap;
use proptest::prelude::*;

/// A world drawn row by row from the north; `@` is the start, a home if upper-case letters are.
fn map(rows: &[&str]) -> TileMap {
    let at = |row: usize, column: usize| Cell::new(column as i32, -(row as i32));
    let mut map = TileMap::new(rows[0].len() as u16, rows.len() as u16, at(rows.len() - 1, 0));
    let mut start = Cell::ZERO;
    for (row, line) in rows.iter().enumerate() {
        for (column, letter) in line.chars().enumerate() {
            let place = at(row, column);
            let tile = map.tile_mut(place).unwrap();
            match letter {
                '#' => tile.kind = TileKind::Wall,
                '~' => tile.kind = TileKind::Danger,
                'X' => (tile.kind, tile.enemy) = (TileKind::Danger, true),
                'E' => tile.enemy = true,
                '$' => tile.item = true,
                'H' => tile.home = true,
                '@' => (tile.home, start) = (true, place),
                '*' => start = place,
                _ => {}
            }
        }
    }
    map.centred(start)
}

fn rules() -> OpeningRules {
    OpeningRules {
        costs: Costs { advance: 2, left: 1, right: 3, grab: 1, neutralize: 10 },
        item_reward: 1000,
        neutralize_reward: 50,
        home_reward: 500,
        initial_score: -400,
        ammunition: Some(Ammunition { capacity: 1, initial: 1 }),
        cost_limit: Some(300),
        becomes_item: true,
        stops_at_first: true,
        ..OpeningRules::default()
    }
}

fn start(rules: OpeningRules, rows: &[&str]) -> Simulation {
    Simulation::new(rules, Terms::default(), map(rows)).0
}

/// Does actions by their letters; the last outcome.
fn acts(simulation: &mut Simulation, letters: &str) -> ActionOutcome {
    let act = |letter| match letter {
        'M' => TurnAction::Move,
        'L' => TurnAction::TurnLeft,
        'R' => TurnAction::TurnRight,
        'G' => TurnAction::Grab,
        'N' => TurnAction::Neutralize,
        _ => TurnAction::ShutOff,
    };
    letters.chars().map(|letter| simulation.act(act(letter))).last().unwrap()
}

#[test]
fn the_worked_example_goes_as_specified() {
    let (mut simulation, first) = Simulation::new(rules(), Terms::default(), map(&["~$#", "@.E"]));
    assert!(first.home && first.fear && !first.hostility);
    // After each action: x, y, heading, cost, score, ammunition.
    let expected = [
        ('M', (1, 0, Heading::East), (2, -402, 1)),
        ('N', (1, 0, Heading::East), (12, -362, 0)),
        ('M', (2, 0, Heading::East), (14, -364, 0)),
        ('G', (2, 0, Heading::East), (15, 635, 0)),
        ('M', (2, 0, Heading::East), (17, 633, 0)),
        ('L', (2, 0, Heading::North), (18, 632, 0)),
        ('L', (2, 0, Heading::West), (19, 631, 0)),
        ('M', (1, 0, Heading::West), (21, 629, 0)),
        ('R', (1, 0, Heading::North), (24, 626, 0)),
        ('M', (1, 1, Heading::North), (26, 624, 0)),
        ('G', (1, 1, Heading::North), (27, 1623, 0)),
        ('L', (1, 1, Heading::West), (28, 1622, 0)),
        ('L', (1, 1, Heading::South), (29, 1621, 0)),
        ('M', (1, 0, Heading::South), (31, 1619, 0)),
        ('R', (1, 0, Heading::West), (34, 1616, 0)),
        ('M', (0, 0, Heading::West), (36, 1614, 0)),
        ('S', (0, 0, Heading::West), (36, 2114, 0)),
    ];
    for (letter, (x, y, heading), (cost, score, shots)) in expected {
        acts(&mut simulation, &letter.to_string());
        assert_eq!(simulation.pose, Pose { at: Cell::new(x, y), heading }, "{letter}");
        assert_eq!((simulation.cost, simulation.score), (cost, score), "{letter}");
        assert_eq!(simulation.ammunition, Some(shots));
    }
    assert_eq!(
        (simulation.end, simulation.items, simulation.kills),
        (Some(EndReason::ShutOff), 2, 1)
    );
}

#[test]
fn entering_a_danger_or_an_enemy_is_death_and_death_says_end_alone() {
    for rows in [&["*~"], &["*E"], &["*X"]] {
        let mut simulation = start(rules(), rows);
        let outcome = acts(&mut simulation, "M");
        assert_eq!(outcome.end, Some(EndReason::Death));
        assert_eq!(outcome.senses, Senses { end: true, ..Senses::default() });
        assert_eq!(simulation.score, -402, "no reward for a home");
    }
}

#[test]
fn dying_on_a_home_is_not_being_at_home() {
    let mut world = map(&["*H"]);
    world.tile_mut(Cell::new(1, 0)).unwrap().enemy = true;
    let (mut simulation, _) = Simulation::new(rules(), Terms::default(), world);
    acts(&mut simulation, "M");
    assert_eq!((simulation.end, simulation.score), (Some(EndReason::Death), -402));
}

#[test]
fn a_shot_passes_dangers_and_stops_at_walls() {
    let mut simulation = start(rules(), &["*~.E"]);
    assert!(acts(&mut simulation, "N").senses.neutralized);
    let mut simulation = start(rules(), &["*#.E"]);
    assert!(!acts(&mut simulation, "N").senses.neutralized);
}

#[test]
fn a_shot_stops_at_the_first_enemy_or_takes_all_within_range() {
    let rows = &["*EXE"];
    let mut first = start(rules(), rows);
    acts(&mut first, "N");
    assert_eq!((first.kills, first.score), (1, -360));
    let all = OpeningRules { stops_at_first: false, ..rules() };
    let mut all = start(all, rows);
    acts(&mut all, "N");
    assert_eq!((all.kills, all.score), (3, -260), "a reward for each");
    let near = OpeningRules { stops_at_first: false, range: 2, ..rules() };
    let mut near = start(near, rows);
    acts(&mut near, "N");
    assert_eq!(near.kills, 2);
}

#[test]
fn an_enemy_on_a_danger_leaves_no_item() {
    let mut simulation = start(rules(), &["*X"]);
    acts(&mut simulation, "N");
    let tile = simulation.map.tile(Cell::new(1, 0));
    assert!(!tile.enemy && !tile.item && tile.kind == TileKind::Danger);
    let mut simulation = start(OpeningRules { becomes_item: false, ..rules() }, &["*E"]);
    acts(&mut simulation, "N");
    assert!(!simulation.map.tile(Cell::new(1, 0)).item);
}

#[test]
fn without_ammunition_a_shot_only_costs() {
    let mut simulation = start(rules(), &["*.E"]);
    let ammunition = Some(Ammunition { capacity: 1, initial: 0 });
    let mut empty = start(OpeningRules { ammunition, ..rules() }, &["*.E"]);
    assert!(!acts(&mut empty, "N").senses.neutralized);
    assert_eq!((empty.kills, empty.cost), (0, 10));
    acts(&mut simulation, "N");
    assert_eq!(simulation.ammunition, Some(0));
}

#[test]
fn homes_recharge_to_the_capacity_even_downwards() {
    let ammunition = Some(Ammunition { capacity: 2, initial: 5 });
    let rules = OpeningRules { recharge: true, ammunition, ..rules() };
    let home = start(rules.clone(), &["@."]);
    assert_eq!(home.ammunition, Some(2), "at the start");
    let mut away = start(rules, &["*.H"]);
    assert_eq!(away.ammunition, Some(5));
    acts(&mut away, "NMM");
    assert_eq!(away.ammunition, Some(2));
}

#[test]
fn useless_actions_cost_in_full() {
    let mut simulation = start(rules(), &["*"]);
    assert!(acts(&mut simulation, "M").senses.bump);
    acts(&mut simulation, "G");
    assert_eq!((simulation.cost, simulation.items), (3, 0));
}

#[test]
fn limits_end_a_simulation_and_pay_for_a_home() {
    let tight = OpeningRules { cost_limit: Some(4), ..rules() };
    let mut simulation = start(tight, &["@."]);
    assert_eq!(acts(&mut simulation, "M").end, None);
    acts(&mut simulation, "LL");
    assert_eq!((simulation.end, simulation.score), (Some(EndReason::CostLimit), -404));
    let target = OpeningRules { score_limit: Some(500), ..rules() };
    let mut simulation = start(target, &["H*$"]);
    let outcome = acts(&mut simulation, "MG");
    assert_eq!(outcome.end, Some(EndReason::ScoreLimit));
    let floor = OpeningRules { score_limit: Some(-401), ..rules() };
    let terms = Terms { score_limit: ScoreLimitMode::Lower, ..Terms::default() };
    let (mut simulation, _) = Simulation::new(floor, terms, map(&["@."]));
    let outcome = acts(&mut simulation, "L");
    assert_eq!((outcome.end, simulation.score), (Some(EndReason::ScoreLimit), 99), "paid at home");
}

#[test]
fn after_the_end_nothing_happens() {
    let mut simulation = start(rules(), &["@$"]);
    acts(&mut simulation, "S");
    let score = simulation.score;
    assert!(acts(&mut simulation, "MG").senses.end);
    assert_eq!((simulation.score, simulation.items), (score, 0));
}

#[test]
fn corners_count_only_in_the_wider_neighbourhood() {
    let menace = |neighbourhood| {
        let terms = Terms { neighbourhood, ..Terms::default() };
        let (_, first) = Simulation::new(rules(), terms, map(&[".~", "*."]));
        first.fear
    };
    assert!(!menace(Neighbourhood::Four) && menace(Neighbourhood::Eight));
}

fn made(class: &WorldClass, seed: u64) -> GeneratedWorld {
    generate(class, BoundsMean::Border, &mut WorldRng::new(seed, 0)).unwrap()
}

#[test]
fn the_handbooks_example_has_what_it_announces() {
    let class = Preset::Wumpus4x4.class();
    for seed in 0..50 {
        let world = made(&class, seed);
        assert_eq!((world.rules.counts.items, world.rules.counts.enemies), (Some(1), Some(1)));
        assert_eq!((world.map.columns(), world.map.rows()), (4, 4));
        let start = world.map.tile(Cell::ZERO);
        assert!(start.home && start.kind == TileKind::Clear && !start.enemy);
        assert_eq!(world.map.border(), (Cell::new(-1, -1), Cell::new(4, 4)), "south-west corner");
        assert_eq!(world.rules.heading, Heading::East);
        assert_eq!(world.map.count(|tile| tile.kind == TileKind::Wall), 0);
    }
}

#[test]
fn one_seed_is_one_world_and_numbers_are_different_worlds() {
    for preset in Preset::ALL {
        let class = preset.class();
        assert_eq!(class.check(), Ok(()));
        let draw = |number| {
            let mut chance = WorldRng::new(7, number);
            generate(&class, BoundsMean::Border, &mut chance).unwrap()
        };
        let (one, again, other) = (draw(0), draw(0), draw(1));
        assert_eq!((&one.map, &one.rules), (&again.map, &again.rules));
        assert_ne!(one.map, other.map, "{}", preset.word());
        assert_eq!(Preset::parse(preset.word()), Some(preset));
    }
}

#[test]
fn shares_are_met_on_average() {
    let class = Preset::Hazard12x12.class();
    let (mut walls, mut items, mut clears) = (0, 0, 0);
    for seed in 0..200 {
        let map = made(&class, seed).map;
        walls += u32::from(map.count(|tile| tile.kind == TileKind::Wall));
        clears += u32::from(map.count(|tile| tile.kind == TileKind::Clear));
        items += u32::from(map.count(|tile| tile.item));
    }
    let near = |part: u32, all: u32, share: f64| {
        let got = f64::from(part) / f64::from(all);
        assert!((got - share).abs() < 0.01, "{got} is not {share}");
    };
    near(walls, 200 * 144, 0.1);
    near(items, clears, 0.12);
}

#[test]
fn numbers_that_do_not_fit_are_refused_or_cut() {
    let mut class = Preset::Wumpus4x4.class();
    class.exact.items = 40;
    let mut chance = WorldRng::new(1, 0);
    let error = generate(&class, BoundsMean::Border, &mut chance).unwrap_err();
    assert!(error.to_string().contains("random_items: 40 do not fit"), "{error}");
    class.shortage = Shortage::Clamp;
    let world = made(&class, 1);
    let clear = world.map.count(|tile| tile.kind == TileKind::Clear);
    assert_eq!(world.rules.counts.items, Some(clear));
}

#[test]
fn fixed_tiles_stay_as_they_are() {
    let mut class = Preset::Hazard12x12.class();
    let tile = TileTemplate {
        kind: TemplateKind::Danger,
        enemy: FeatureRule::Yes,
        ..TileTemplate::default()
    };
    class.tiles = SortedMap::from([((3, 2), tile)]);
    class.start = Some(StartTile { x: 5, y: 4, heading: None });
    for seed in 0..20 {
        // Two columns to the west and two rows to the north.
        let tile = made(&class, seed).map.tile(Cell::new(-2, 2));
        assert!(tile.kind == TileKind::Danger && tile.enemy);
    }
}

#[test]
fn a_start_by_luck_never_looks_at_a_bound() {
    let class = Preset::Hazard12x12.class();
    for seed in 0..200 {
        let world = made(&class, seed);
        let ahead = Pose { at: Cell::ZERO, heading: world.rules.heading }.ahead();
        assert!(!world.rules.bounds.touches(ahead), "seed {seed}");
    }
}

#[test]
fn enough_items_can_be_asked_for() {
    let mut class = Preset::Wumpus4x4.class();
    class.reachable_items = 1;
    class.exact.dangers = 8;
    for seed in 0..20 {
        made(&class, seed);
    }
    class.exact.items = 0;
    let error = generate(&class, BoundsMean::Border, &mut WorldRng::new(1, 0)).unwrap_err();
    assert!(matches!(error, GenerateError::Unreachable { wanted: 1 }));
}

#[test]
fn mistakes_of_a_class_are_listed_together() {
    let mut class = Preset::Wumpus4x4.class();
    class.columns = 128;
    class.shares.wall = 1.5;
    class.start = Some(StartTile { x: 1, y: 9, heading: None });
    class.rules.cost_limit = Some(0);
    let lines = class.check().unwrap_err().lines;
    for word in ["columns", "wall_probability", "exceed 1", "(1, 9)", "cost_limit"] {
        assert!(lines.iter().any(|line| line.contains(word)), "{word}: {lines:?}");
    }
}

proptest! {
    /// Items on the map and items grabbed, enemies and kills: nothing appears or vanishes.
    #[test]
    fn nothing_is_lost(seed in any::<u64>(), moves in proptest::collection::vec(0..6_usize, 1..200)) {
        let mut class = Preset::Hazard12x12.class();
        class.rules.becomes_item = false;
        let world = made(&class, seed);
        let (mut simulation, first) = Simulation::new(world.rules, Terms::default(), world.map);
        let all = |simulation: &Simulation| {
            let map = &simulation.map;
            (u32::from(map.count(|tile| tile.item)) + simulation.items,
             u32::from(map.count(|tile| tile.enemy)) + simulation.kills)
        };
        let before = all(&simulation);
        let (mut ledger, mut senses) = (ScoreAccount::new(&simulation.rules, first), first);
        for index in moves.into_iter().map(|index| if index == 0 { 1 } else { index }) {
            let outcome = simulation.act(TurnAction::ALL[index]);
            ledger.book(&simulation.rules, TurnAction::ALL[index], senses, outcome.senses);
            senses = outcome.senses;
            prop_assert_eq!(all(&simulation), before);
            prop_assert_eq!((ledger.cost, ledger.score), (simulation.cost, simulation.score));
            if outcome.end.is_some() {
                break;
            }
            prop_assert_eq!(ledger.ammunition, simulation.ammunition);
        }
    }
}
