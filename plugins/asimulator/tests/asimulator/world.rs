//! What the world believes: compared with sums over everything that is possible, and with the truth.

use crate::common::stage::{ME, Stage, best, roster};
use phalanx_asimulator::arena::ArenaConfig;
use phalanx_asimulator::percept::{Opening, Percept};
use phalanx_asimulator::rules::*;
use phalanx_asimulator::session::{BoundsOption, ClientOptions, NeighbourhoodOption};
use phalanx_asimulator::wire::{AnnouncedTile, Dialect, KnownTile};
use phalanx_asimulator::world::{Beliefs, Evidence, Purpose, Rates, TileChart, World, infer};
use phalanx_game::{Turn, Value, World as _};
use proptest::prelude::*;
use std::sync::Arc;

const RATES: Rates = Rates { wall: 1e-12, danger: 0.2, enemy: 0.15, item: 0.1, home: 0.01 };

/// What a tile can be in a sum over everything.
const STATES: [(TileKind, bool); 5] = [
    (TileKind::Wall, false),
    (TileKind::Clear, false),
    (TileKind::Clear, true),
    (TileKind::Danger, false),
    (TileKind::Danger, true),
];

fn weight((kind, enemy): (TileKind, bool), rates: &Rates) -> f64 {
    let made = match kind {
        TileKind::Wall => return if enemy { 0.0 } else { rates.wall },
        TileKind::Clear => rates.clear(),
        TileKind::Danger => rates.danger,
    };
    made * if enemy { rates.enemy } else { 1.0 - rates.enemy }
}

/// The percepts at a tile.
fn menace(map: &TileMap, at: Cell) -> (bool, bool) {
    let around = || Neighbourhood::Four.around(at).map(|place| map.tile(place));
    (around().any(|tile| tile.enemy), around().any(|tile| tile.kind == TileKind::Danger))
}

/// A small world of which some clear tiles are known, with what one perceives there.
fn small(seed: u64, rates: &Rates, announce: bool) -> (TileMap, Opening) {
    let mut chance = WorldRng::new(seed, 0);
    let mut map = TileMap::new(3, 3, Cell::new(0, 0));
    let places: Vec<Cell> = map.iter().map(|(at, _)| at).collect();
    for at in &places {
        let mut drawn =
            chance.draw() * STATES.iter().map(|state| weight(*state, rates)).sum::<f64>();
        let state = STATES.into_iter().find(|state| {
            drawn -= weight(*state, rates);
            drawn < 0.0
        });
        let (kind, enemy) = state.filter(|_| *at != Cell::ZERO).unwrap_or((TileKind::Clear, false));
        *map.tile_mut(*at).unwrap() = Tile { kind, enemy, ..Tile::default() };
    }
    let known = |at: &Cell, chance: &mut WorldRng| {
        let tile = map.tile(*at);
        (tile.kind == TileKind::Clear && !tile.enemy && chance.happens(0.6)).then(|| {
            let (hostility, fear) = menace(&map, *at);
            let known = AnnouncedTile::Clear { home: false, item: false, hostility, fear };
            KnownTile { at: *at, known }
        })
    };
    let others = places.iter().filter(|at| **at != Cell::ZERO);
    let tiles = others.filter_map(|at| known(at, &mut chance)).collect();
    let bound = |value| Some(value);
    let bounds =
        Bounds { lower_x: bound(-1), upper_x: bound(3), lower_y: bound(-1), upper_y: bound(3) };
    let counts = AnnouncedCounts {
        enemies: announce.then(|| map.count(|tile| tile.enemy)),
        dangers: announce.then(|| map.count(|tile| tile.kind == TileKind::Danger)),
        ..AnnouncedCounts::default()
    };
    let (hostility, fear) = menace(&map, Cell::ZERO);
    let first = Senses { hostility, fear, ..Senses::default() };
    let rules = OpeningRules { bounds, counts, ..OpeningRules::default() };
    (map, Opening { rules, first, tiles, dialect: Dialect::default() })
}

/// The probabilities of danger, enemy and wall on each tile, by trying everything.
fn tried(opening: &Opening, rates: &Rates) -> Vec<(Cell, [f64; 3])> {
    let known = |at: Cell| at == Cell::ZERO || opening.tiles.iter().any(|tile| tile.at == at);
    let mut map = TileMap::new(3, 3, Cell::ZERO);
    let open: Vec<Cell> = map.iter().map(|(at, _)| at).filter(|at| !known(*at)).collect();
    let (mut sums, mut all) = (vec![[0.0; 3]; open.len()], 0.0);
    for mut code in 0..5_usize.pow(open.len() as u32) {
        let mut product = 1.0;
        for at in &open {
            let (kind, enemy) = STATES[code % 5];
            product *= weight((kind, enemy), rates);
            *map.tile_mut(*at).unwrap() = Tile { kind, enemy, ..Tile::default() };
            code /= 5;
        }
        if product == 0.0 || !fits(&map, opening) {
            continue;
        }
        all += product;
        for (at, sum) in open.iter().zip(&mut sums) {
            let tile = map.tile(*at);
            let is = [tile.kind == TileKind::Danger, tile.enemy, tile.kind == TileKind::Wall];
            for (sum, is) in sum.iter_mut().zip(is) {
                *sum += if is { product } else { 0.0 };
            }
        }
    }
    open.into_iter().zip(sums).map(|(at, sum)| (at, sum.map(|part| part / all))).collect()
}

/// Whether a world agrees with everything that the opening tells.
fn fits(map: &TileMap, opening: &Opening) -> bool {
    let first = opening.first;
    let told = opening.tiles.iter().map(|tile| match tile.known {
        AnnouncedTile::Clear { hostility, fear, .. } => (tile.at, (hostility, fear)),
        _ => panic!("only clear tiles are announced here"),
    });
    let counts = &opening.rules.counts;
    let enemies = map.count(|tile| tile.enemy);
    let dangers = map.count(|tile| tile.kind == TileKind::Danger);
    counts.enemies.is_none_or(|count| count == enemies)
        && counts.dangers.is_none_or(|count| count == dangers)
        && told
            .chain([(Cell::ZERO, (first.hostility, first.fear))])
            .all(|(at, told)| menace(map, at) == told)
}

fn believed(opening: &Opening, rates: &Rates) -> Beliefs {
    let chart = TileChart::new(opening, Some(true));
    let around = Neighbourhood::Four;
    infer(&Evidence { chart: &chart, rules: &opening.rules, around, rates })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn inference_is_the_sum_over_everything(seed in any::<u64>(), walls in any::<bool>()) {
        let rates = Rates { wall: if walls { 0.2 } else { 1e-12 }, ..RATES };
        let (_, opening) = small(seed, &rates, false);
        // Trying more than this takes long.
        prop_assume!(opening.tiles.len() >= 2);
        let beliefs = believed(&opening, &rates);
        prop_assert!(!beliefs.contradiction && !beliefs.rough && beliefs.closed);
        for (at, odds) in tried(&opening, &rates) {
            let tile = beliefs.at(at, &rates);
            for (got, want) in [tile.danger, tile.enemy, tile.wall].into_iter().zip(odds) {
                prop_assert!((got - want).abs() < 1e-9, "{at:?}: {tile:?} is not {odds:?}");
            }
        }
    }

    #[test]
    fn announced_numbers_are_used_exactly(seed in any::<u64>()) {
        let (_, opening) = small(seed, &RATES, true);
        prop_assume!(opening.tiles.len() >= 2);
        let beliefs = believed(&opening, &RATES);
        prop_assert!(!beliefs.contradiction);
        for (at, odds) in tried(&opening, &RATES) {
            let tile = beliefs.at(at, &RATES);
            for (got, want) in [tile.danger, tile.enemy].into_iter().zip(odds) {
                prop_assert!((got - want).abs() < 1e-6, "{at:?}: {tile:?} is not {odds:?}");
            }
        }
    }
}

fn config(preset: Preset, simulations: u32, seed: u64) -> ArenaConfig {
    ArenaConfig { simulations, seed, ..ArenaConfig::preset(preset) }
}

/// What is called certain is true.
fn check_against_truth(stage: &Stage) {
    let (Some(truth), Some(beliefs)) = (stage.truth(), stage.world.beliefs()) else { return };
    assert!(!beliefs.contradiction);
    assert_eq!(stage.world.chart().unwrap().pose, truth.pose);
    for (at, belief) in beliefs.frame.cells().zip(&beliefs.tiles) {
        let tile = truth.map.tile(at);
        if belief.death == 0.0 {
            assert!(!tile.deadly(), "{at:?}: {belief:?} but {tile:?}");
        }
        if belief.death >= 1.0 {
            assert!(tile.deadly(), "{at:?}: {belief:?} but {tile:?}");
        }
        if let Some(kind) = belief.kind {
            assert_eq!(kind, tile.kind, "{at:?}");
        }
    }
}

#[test]
fn what_is_called_safe_is_safe_and_who_takes_no_risk_never_dies() {
    for (preset, worlds) in [(Preset::Wumpus4x4, 60), (Preset::Hazard12x12, 6)] {
        let mut stage = Stage::new(config(preset, worlds, 3), ClientOptions::default());
        stage.play(|stage| {
            check_against_truth(stage);
            let safe = stage.world.choices().into_iter().find(|choice| choice.death == 0.0);
            safe.map_or(TurnAction::ShutOff, |choice| choice.act)
        });
        let records = stage.records();
        assert_eq!(records.len(), worlds as usize);
        assert!(records.iter().all(|record| record[6] == "shut_off"), "{records:?}");
        assert!(!stage.told.iter().any(|event| matches!(event, phalanx_game::Event::Notice(_))));
    }
}

#[test]
fn the_same_seed_is_the_same_match() {
    let play = || {
        let mut stage = Stage::new(config(Preset::FireBrigade, 1, 5), ClientOptions::default());
        stage.play(best);
        stage.records()
    };
    assert_eq!(play(), play());
}

#[test]
fn a_limit_of_costs_is_kept_and_ends_at_home() {
    let mut stage = Stage::new(config(Preset::FireBrigade, 3, 1), ClientOptions::default());
    stage.play(|stage| {
        let safe = stage.world.choices().into_iter().find(|choice| choice.death == 0.0);
        safe.map_or(TurnAction::ShutOff, |choice| choice.act)
    });
    for record in stage.records() {
        let (score, cost): (i64, i64) = (record[1].parse().unwrap(), record[2].parse().unwrap());
        let (items, kills): (i64, i64) = (record[4].parse().unwrap(), record[5].parse().unwrap());
        assert!(cost <= 400, "{record:?}");
        assert_eq!(score, 100 * items + 30 * kills - cost + 500, "at home: {record:?}");
    }
}

/// A world as an agent meets it, in one simulation.
struct Solo {
    simulation: Simulation,
    world: World,
    ledger: ScoreAccount,
    senses: Senses,
    turn: Turn,
}

impl Solo {
    fn new(rules: OpeningRules, terms: Terms, map: TileMap, options: ClientOptions) -> Self {
        let (simulation, first) = Simulation::new(rules.clone(), terms, map);
        let mut world = World::new(&roster(), options);
        let (tiles, dialect) = (Vec::new(), Dialect::default());
        let opening = Arc::new(Opening { rules: rules.clone(), first, tiles, dialect });
        world.begin(0, ME, Some(&opening));
        let ledger = ScoreAccount::new(&rules, first);
        Self { simulation, world, ledger, senses: first, turn: Turn::new(0, 0) }
    }

    fn act(&mut self, act: TurnAction) -> Option<EndReason> {
        let outcome = self.simulation.act(act);
        self.ledger.book(&self.simulation.rules, act, self.senses, outcome.senses);
        self.senses = outcome.senses;
        self.turn.step += 1;
        let percept = Percept { senses: outcome.senses, after: Some(act), ledger: self.ledger };
        self.world.observe(self.turn, ME, percept);
        outcome.end
    }

    fn ask(&self, query: &str, args: &[Value]) -> Value {
        self.world.query(ME, query, args).unwrap()
    }

    fn num(&self, x: i32, y: i32, field: &str) -> f64 {
        let tile = self.ask("tile", &[x.into(), y.into()]);
        tile.get(field).and_then(Value::as_num).unwrap()
    }
}

fn open_field(side: u16) -> TileMap {
    TileMap::new(side, side, Cell::ZERO)
}

fn plain_rules(side: i8) -> OpeningRules {
    OpeningRules {
        bounds: Bounds {
            lower_x: Some(-1),
            upper_x: Some(side),
            lower_y: Some(-1),
            upper_y: Some(side),
        },
        costs: Costs { advance: 1, left: 1, right: 1, grab: 1, neutralize: 1 },
        item_reward: 100,
        neutralize_reward: 30,
        stops_at_first: true,
        ..OpeningRules::default()
    }
}

fn known_border() -> ClientOptions {
    ClientOptions { bounds: BoundsOption::Always(BoundsMean::Border), ..ClientOptions::default() }
}

#[test]
fn one_candidate_left_is_certain() {
    let mut map = open_field(4);
    map.tile_mut(Cell::new(2, 0)).unwrap().kind = TileKind::Danger;
    let mut solo = Solo::new(plain_rules(4), Terms::default(), map, known_border());
    assert_eq!(solo.num(1, 0, "death"), 0.0, "no fear at the start");
    solo.act(TurnAction::Move);
    assert!(solo.senses.fear);
    let (east, north) = (solo.num(2, 0, "danger"), solo.num(1, 1, "danger"));
    assert!(east > 0.4 && (east - north).abs() < 1e-9, "{east} {north}");
    for act in [
        TurnAction::TurnLeft,
        TurnAction::TurnLeft,
        TurnAction::Move,
        TurnAction::TurnRight,
        TurnAction::Move,
    ] {
        solo.act(act);
    }
    assert_eq!(solo.simulation.pose.at, Cell::new(0, 1));
    assert_eq!((solo.num(1, 1, "danger"), solo.num(2, 0, "danger")), (0.0, 1.0));
    let tile = solo.ask("tile", &[2.into(), 0.into()]);
    assert_eq!(tile.get("type").and_then(Value::as_str), Some("danger"));
}

#[test]
fn a_shot_that_hits_makes_old_hostility_stale_and_a_miss_clears_the_line() {
    let mut map = open_field(4);
    map.tile_mut(Cell::new(1, 0)).unwrap().enemy = true;
    let mut solo = Solo::new(plain_rules(4), Terms::default(), map.clone(), known_border());
    assert!(solo.num(1, 0, "enemy") > 0.4 && solo.num(0, 1, "enemy") > 0.4);
    solo.act(TurnAction::Neutralize);
    assert!(solo.senses.neutralized && !solo.senses.hostility);
    assert_eq!((solo.num(1, 0, "enemy"), solo.num(0, 1, "enemy")), (0.0, 0.0));
    let mut solo = Solo::new(plain_rules(4), Terms::default(), map, known_border());
    solo.act(TurnAction::TurnLeft);
    solo.act(TurnAction::Neutralize);
    assert!(!solo.senses.neutralized);
    assert_eq!((solo.num(0, 1, "enemy"), solo.num(1, 0, "enemy")), (0.0, 1.0));
    // From here on a shot hits for certain.
    let choices = solo.world.choices();
    let shot = choices.iter().find(|choice| choice.purpose == Purpose::Shoot).unwrap();
    assert_eq!((shot.hit, shot.at, shot.cost), (1.0, Cell::new(1, 0), 2));
}

#[test]
fn fear_without_a_candidate_teaches_the_wider_neighbourhood() {
    let mut map = open_field(4);
    map.tile_mut(Cell::new(1, 1)).unwrap().kind = TileKind::Danger;
    let terms = Terms { neighbourhood: Neighbourhood::Eight, ..Terms::default() };
    let mut solo = Solo::new(plain_rules(4), terms, map, known_border());
    // Both neighbours of the start turn out to be clear, though Fear is perceived there.
    for act in [
        TurnAction::Move,
        TurnAction::TurnLeft,
        TurnAction::TurnLeft,
        TurnAction::Move,
        TurnAction::TurnRight,
        TurnAction::Move,
    ] {
        assert_eq!(solo.act(act), None);
    }
    assert!(!solo.world.beliefs().unwrap().contradiction);
    assert_eq!(solo.num(1, 1, "danger"), 1.0);
    let never = NeighbourhoodOption::Always(Neighbourhood::Four);
    let mut map = open_field(2);
    map.tile_mut(Cell::new(1, 1)).unwrap().kind = TileKind::Danger;
    let options = ClientOptions { neighbourhood: never, ..known_border() };
    let mut solo = Solo::new(plain_rules(2), terms, map, options);
    for act in [
        TurnAction::Move,
        TurnAction::TurnLeft,
        TurnAction::TurnLeft,
        TurnAction::Move,
        TurnAction::TurnRight,
        TurnAction::Move,
    ] {
        solo.act(act);
    }
    assert!(solo.world.beliefs().unwrap().contradiction, "reported, and the game goes on");
    assert!(!solo.world.choices().is_empty());
}

#[test]
fn a_bump_teaches_what_bounds_mean() {
    let learn = ClientOptions::default();
    let mut solo = Solo::new(plain_rules(3), Terms::default(), open_field(3), learn);
    assert!(solo.num(-1, 0, "wall") > 0.5 && solo.num(-1, 0, "wall") < 1.0);
    for act in [TurnAction::TurnLeft, TurnAction::TurnLeft, TurnAction::Move] {
        solo.act(act);
    }
    assert_eq!(solo.num(0, -1, "wall"), 1.0, "the other bounds are border, too");
    // Bounds that name the outermost inner tiles: the start lies on one.
    let mut rules = plain_rules(3);
    rules.bounds =
        Bounds { lower_x: Some(0), upper_x: Some(2), lower_y: Some(0), upper_y: Some(2) };
    let solo = Solo::new(rules, Terms::default(), open_field(3), learn);
    assert!(solo.num(2, 2, "wall") < 0.5);
    assert_eq!(solo.num(3, 0, "wall"), 1.0);
}

#[test]
fn an_announced_number_of_items_tells_when_to_stop() {
    let mut map = open_field(4);
    map.tile_mut(Cell::new(1, 0)).unwrap().item = true;
    map.tile_mut(Cell::ZERO).unwrap().home = true;
    let mut rules = plain_rules(4);
    (rules.counts.items, rules.counts.enemies, rules.home_reward) = (Some(1), Some(0), 500);
    let mut solo = Solo::new(rules, Terms::default(), map, known_border());
    assert!(solo.num(3, 3, "item") > 0.05);
    let mut purposes = Vec::new();
    loop {
        let choice = solo.world.choices()[0];
        purposes.push(choice.purpose);
        if solo.act(choice.act).is_some() {
            break;
        }
    }
    use Purpose::{Explore, Grab, Home, Stop};
    assert_eq!(purposes, [Explore, Grab, Home, Home, Home, Stop]);
    assert_eq!(solo.simulation.score, 100 + 500 - 5);
}

#[test]
fn actions_that_cost_nothing_lead_somewhere_all_the_same() {
    for (advance, turn) in [(0, 0), (1, 0), (0, 1)] {
        let mut map = open_field(5);
        map.tile_mut(Cell::new(4, 4)).unwrap().item = true;
        let mut rules = plain_rules(5);
        rules.costs = Costs { advance, left: turn, right: turn, ..Costs::default() };
        (rules.counts.items, rules.counts.enemies) = (Some(1), Some(0));
        let mut solo = Solo::new(rules, Terms::default(), map, known_border());
        while solo.act(solo.world.choices()[0].act).is_none() {
            assert!(solo.simulation.actions < 200);
        }
        assert_eq!(solo.simulation.items, 1);
    }
}

#[test]
fn death_is_free_only_without_a_home() {
    // A corridor: the way on is as likely deadly as not.
    let corridor = |home: bool| {
        let mut map = TileMap::new(30, 1, Cell::ZERO);
        map.tile_mut(Cell::new(3, 0)).unwrap().kind = TileKind::Danger;
        map.tile_mut(Cell::ZERO).unwrap().home = home;
        let mut rules = plain_rules(30);
        rules.bounds.upper_y = Some(1);
        rules.counts.dangers = Some(1);
        rules.home_reward = if home { 500 } else { 0 };
        rules.counts.enemies = Some(0);
        let mut solo = Solo::new(rules, Terms::default(), map, known_border());
        solo.act(TurnAction::Move);
        solo.act(TurnAction::Move);
        assert!(solo.senses.fear);
        solo.world.choices()[0].purpose
    };
    assert_eq!(corridor(true), Purpose::Home);
    // For certain it is a danger, so there is nothing to win either.
    assert_eq!(corridor(false), Purpose::Stop);
}

#[test]
fn queries_say_what_they_expect() {
    let solo = Solo::new(plain_rules(4), Terms::default(), open_field(4), known_border());
    let ask = |name: &str, args: &[Value]| solo.world.query(ME, name, args);
    for (name, args, word) in [
        ("tile", vec![Value::Int(1)], "argument 2"),
        ("tile", vec!["x".into(), Value::Int(1)], "argument 1"),
        ("options", vec![Value::Int(0)], "from 1 to 200"),
        ("best", vec![Value::Num(1.5)], "from 0 to 1"),
        ("route", vec![Value::Int(1), Value::Int(1), "up".into()], "\"east\""),
        ("fly", vec![], "no such query"),
    ] {
        let error = ask(name, &args).unwrap_err();
        assert!(error.reason.contains(word), "{name}: {error}");
    }
    let way = ask("route", &[Value::Int(0), Value::Int(0), "west".into()]).unwrap();
    assert_eq!(way.get("cost").and_then(Value::as_int), Some(2));
    assert_eq!(ask("route", &[Value::Int(9), Value::Int(9)]), Ok(Value::Nil));
    for query in phalanx_asimulator::api::API.queries {
        let empty = World::new(&roster(), ClientOptions::default());
        assert_eq!(empty.query(ME, query.name, &[]), Ok(Value::Nil), "{}", query.name);
        let args = [Value::Int(1), Value::Int(1)];
        let args = if query.params.len() > 1 { &args[..] } else { &[] };
        assert!(ask(query.name, args).is_ok(), "{}", query.name);
    }
    for field in phalanx_asimulator::api::API.percept {
        assert!(solo.world.field(ME, field.name).is_some(), "{}", field.name);
    }
}

#[test]
fn marks_show_only_what_changed() {
    let mut map = open_field(4);
    map.tile_mut(Cell::new(1, 0)).unwrap().kind = TileKind::Danger;
    let mut solo = Solo::new(plain_rules(4), Terms::default(), map, known_border());
    let marks = solo.world.marks();
    assert_eq!(marks.len(), 2, "both neighbours are suspects");
    let notes = phalanx_asimulator::action::DisplayNotes { marks, ..Default::default() };
    let action =
        phalanx_asimulator::action::Action { act: TurnAction::TurnLeft, notes, refusal: false };
    solo.world.acted(solo.turn, ME, &action);
    assert_eq!(solo.world.marks(), []);
    assert_eq!(solo.ask("marks", &[]), Value::List(Vec::new()));
}
