//! What scripts can ask, on small worlds built from percepts.

use phalanx_assemble::Assemble;
use phalanx_assemble::action::Outcome;
use phalanx_assemble::percept::{
    Briefing, MarkerKind, Percept, Requirement, Task, Thing, ThingKind,
};
use phalanx_assemble::world::World;
use phalanx_game::{
    AgentId, Game as _, Kind, ParamDoc, Roster, RosterEntry, Said, Turn, Value, World as _,
};
use phalanx_grid::Cell;

const A: AgentId = AgentId(0);
const B: AgentId = AgentId(1);

#[test]
fn every_declared_query_is_answered_and_no_other() {
    let mut table = Table::new();
    table.step(&[(A, alone(&[])), (B, alone(&[]))]);
    for query in phalanx_assemble::api::API.queries {
        // With too few arguments an answer may be an error, but never "there is no such query".
        if let Err(error) = table.world.query(A, query.name, &[]) {
            assert!(error.reason.starts_with("argument "), "{}: {error}", query.name);
        }
    }
    assert!(table.world.query(A, "fly", &[]).is_err());
    assert!(table.world.query(AgentId(9), "here", &[]).is_ok_and(|value| value == Value::Nil));
}

#[test]
fn every_declared_action_is_built_from_what_a_script_says() {
    let table = Table::new();
    for action in phalanx_assemble::api::API.actions {
        let argument = |param: &ParamDoc| match param.kind {
            Kind::Word(words) => Value::from(words[0]),
            Kind::Int { .. } => Value::Int(2),
            Kind::Agent | Kind::Str => "b".into(),
            Kind::Bool | Kind::Num | Kind::Cell | Kind::List(_) | Kind::Table(_) | Kind::Any => {
                panic!("no action takes a {:?}", param.kind)
            }
        };
        let args: Vec<Value> = action.params.iter().map(argument).collect();
        let built = table.world.parse(A, &Said::new(action.name, args.clone())).unwrap();
        assert_eq!((built.name(), built.params().len()), (action.name, args.len()));
        if !args.is_empty() {
            assert!(table.world.parse(A, &Said::new(action.name, vec![])).is_err());
        }
    }
    assert_eq!(Assemble::describe(&table.world.fallback(A)), "skip()");
}

#[test]
fn every_declared_field_has_a_value() {
    let mut table = Table::new();
    table.step(&[(A, alone(&[]))]);
    for field in phalanx_assemble::api::API.percept {
        assert!(table.world.field(A, field.name).is_some(), "{}", field.name);
    }
    assert_eq!(table.world.field(A, "moon"), None);
    assert_eq!(table.world.field(B, "step"), None, "nothing perceived yet");
}

#[test]
fn agents_that_see_each_other_share_a_map() {
    let mut table = Table::new();
    // B is three cells east of A; each sees the other and the same obstacle between them.
    table.step(&[(A, alone(&[(3, 0)]).wall(1, 0)), (B, alone(&[(-3, 0)]).wall(-2, 0))]);
    let here = |agent| table.ask(agent, "here", &[]);
    assert_eq!(here(A).get("group"), here(B).get("group"));
    let x = |agent| here(agent).get("x").and_then(Value::as_int).unwrap();
    assert_eq!(x(B) - x(A), 3);
    let mates = table.ask(A, "agents", &[]);
    assert_eq!(mates.as_list().unwrap().len(), 2);
    assert_eq!(table.ask(A, "mate", &["b".into()]).get("distance"), Some(&Value::Int(3)));
}

#[test]
fn a_cell_noted_before_a_join_is_named_anew() {
    let mut table = Table::new();
    table.step(&[(A, alone(&[])), (B, alone(&[]))]);
    let old = table.ask(B, "here", &[]);
    assert_ne!(old.get("group"), table.ask(A, "here", &[]).get("group"));
    table.step(&[(A, alone(&[(0, 4)]).wall(0, 1)), (B, alone(&[(0, -4)]).wall(0, -3))]);
    let now = table.ask(B, "here", &[]);
    let group = old.get("group").cloned().unwrap();
    let named = table.ask(B, "rebase", &[Value::Int(0), Value::Int(0), group]);
    assert_eq!(named.as_cell(), now.as_cell(), "B has not moved");
    assert_eq!(table.ask(B, "rebase", &[0.into(), 0.into(), 77.into()]), Value::Nil);
}

#[test]
fn a_sighting_that_can_be_two_agents_waits() {
    let mut table = Table::of(&["a", "b", "c", "d"]);
    let (c, d) = (AgentId(2), AgentId(3));
    // Two pairs on plain ground, far from each other: a sees b or d, which is not known.
    let (east, west) = (alone(&[(2, 0)]), alone(&[(-2, 0)]));
    let all = [(A, east.clone()), (B, west.clone()), (c, east.clone()), (d, west.clone())];
    table.step(&all);
    assert_eq!(table.world.counts().joins, 0);
    // An obstacle that only one pair sees tells them apart.
    table.step(&[
        (A, east.clone().wall(1, 1)),
        (B, west.clone().wall(-1, 1)),
        (c, east),
        (d, west),
    ]);
    assert_eq!(table.world.counts().joins, 2);
    assert_eq!(table.ask(A, "mate", &["b".into()]).get("distance"), Some(&Value::Int(2)));
    assert_eq!(table.ask(A, "mate", &["d".into()]), Value::Nil);
}

#[test]
fn a_missing_percept_makes_a_sighting_unproven() {
    let mut table = Table::of(&["a", "b", "c"]);
    table.step(&[(A, alone(&[(2, 0)])), (B, alone(&[(-2, 0)]))]);
    assert_eq!(table.world.counts().joins, 0, "it may have been c");
}

#[test]
fn a_path_goes_round_obstacles_or_through_them() {
    let mut table = Table::new();
    let wall = (-2..=2).fold(alone(&[]), |percept, y| percept.wall(2, y));
    table.step(&[(A, wall)]);
    let path = table.ask(A, "path", &[4.into(), 0.into()]);
    assert_eq!(path.get("complete"), Some(&Value::Bool(true)));
    assert_eq!(path.get("length"), Some(&Value::Int(10)), "{path:?}");
    let dig = Value::map([("dig", true.into())]);
    let path = table.ask(A, "path", &[4.into(), 0.into(), dig.clone()]);
    assert_eq!(path.get("length"), Some(&Value::Int(4)));
    table.step(&[(A, (-2..=2).fold(moved("e"), |percept, y| percept.wall(1, y)))]);
    let path = table.ask(A, "path", &[4.into(), 0.into(), dig]);
    assert_eq!(path.get("action").and_then(Value::as_str), Some("clear"));
    let (x, y) = path.as_cell().unwrap();
    let aim = Cell::new(x, y);
    assert_eq!((aim - Cell::new(1, 0)).norm(), 1, "reaches the obstacle ahead");
    assert!(aim.norm() >= 2, "does not reach the agent");
}

#[test]
fn a_way_clears_the_obstacle_that_a_turn_would_hit() {
    let mut table = Table::new();
    table.step(&[(A, alone(&[]))]);
    // The block hangs to the south; a quarter turn clockwise swings it onto the obstacle, and the
    // other three ways round are longer.
    let shut = |percept: Percept| percept.wall(-1, 0).wall(1, 0).wall(0, -1).wall(-1, 1);
    table.step(&[(A, shut(holding(0, 1)))]);
    let options = Value::map([("dig", true.into()), ("turns", 1.into())]);
    let path = table.ask(A, "path", &[0.into(), 0.into(), options]);
    assert_eq!(path.get("action").and_then(Value::as_str), Some("clear"), "{path:?}");
    assert_eq!(path.get("dir").and_then(Value::as_str), Some("cw"));
    let (x, y) = path.as_cell().unwrap();
    assert!((Cell::new(x, y) - Cell::new(-1, 0)).norm() <= 1, "reaches the obstacle");
    assert_eq!(table.ask(A, "can_rotate", &["cw".into()]), Value::Bool(false));
}

#[test]
fn walking_between_two_cells_does_not_depend_on_who_asks() {
    let mut table = Table::new();
    let wall = (-2..=2).fold(alone(&[(0, 3)]), |percept, y| percept.wall(2, y));
    let beside = (-3..=-1).fold(alone(&[(0, -3)]), |percept, y| percept.wall(2, y));
    table.step(&[(A, wall), (B, beside)]);
    let cells = |cells: &[(i32, i32)]| {
        Value::List(cells.iter().map(|(x, y)| Value::cell(*x, *y)).collect())
    };
    let ask = |agent, to| table.ask(agent, "between", &[1.into(), 0.into(), cells(to)]);
    let costs = ask(A, &[(1, 0), (1, 3), (3, 0), (0, 3)]);
    assert_eq!(costs, Value::List([0, 3, 8, 4].map(Value::Int).into()), "B is at (0, 3)");
    assert_eq!(ask(B, &[(1, 0), (1, 3), (3, 0), (0, 3)]), costs);
    assert_eq!(ask(A, &[(9000, 0)]), Value::List(vec![Value::Int(-1)]));
}

#[test]
fn the_time_until_a_clear_follows_from_its_markers() {
    let mut table = Table::new();
    let plus = |x: i32, y: i32| Cell::new(x, y).diamond(1).collect::<Vec<_>>();
    // An event to the west with its rim, an agent's clear to the east.
    let event: Vec<Cell> = Cell::new(-3, 0).diamond(2).collect();
    let seen = event.iter().fold(alone(&[]), |percept, cell| percept.mark(*cell, CLEAR));
    let seen = seen.mark(Cell::new(0, 0), MarkerKind::ClearPerimeter);
    let seen = plus(4, 0).iter().fold(seen, |percept, cell| percept.mark(*cell, CLEAR));
    table.step(&[(A, seen)]);
    let hit_in = |table: &Table, x: i32, y: i32| table.ask(A, "hit_in", &[x.into(), y.into()]);
    assert_eq!(hit_in(&table, -3, 0), Value::Int(3), "inside an event");
    assert_eq!(hit_in(&table, -1, 0), Value::Int(3), "at its rim");
    assert_eq!(hit_in(&table, 4, 0), Value::Int(1), "an agent may clear at once");
    assert_eq!(hit_in(&table, 0, 0), Value::Nil, "beside the event");
    let soon = alone(&[]).mark(Cell::new(1, 0), MarkerKind::ClearImmediate);
    table.step(&[(A, soon)]);
    assert_eq!(hit_in(&table, 1, 0), Value::Int(1));
    assert_eq!(hit_in(&table, -3, 0), Value::Nil, "the marker is gone");
}

#[test]
fn shelter_is_where_nothing_that_is_carried_is_hit() {
    let mut table = Table::new();
    table.step(&[(A, alone(&[]))]);
    assert_eq!(table.ask(A, "body_hit_in", &[]), Value::Nil);
    // Only the block, to the south, is threatened; to the east everything is, to the west nothing.
    let marked = [(0, 1), (1, 0), (1, 1), (2, 0), (2, 1)];
    let seen = marked.iter().fold(holding(0, 1).wall(0, -1), |percept, (x, y)| {
        percept.mark(Cell::new(*x, *y), MarkerKind::ClearImmediate)
    });
    table.step(&[(A, seen)]);
    assert_eq!(table.ask(A, "body_hit_in", &[]), Value::Int(1));
    let way = table.ask(A, "shelter", &[]);
    assert_eq!(way.get("complete"), Some(&Value::Bool(true)));
    assert_eq!(way.get("length"), Some(&Value::Int(1)), "{way:?}");
    let (action, dir) = (way.get("action"), way.get("dir"));
    let words = (action.and_then(Value::as_str), dir.and_then(Value::as_str));
    let west = [(Some("move"), Some("w")), (Some("rotate"), Some("cw"))];
    assert!(west.contains(&words), "the block comes to the west: {way:?}");
}

#[test]
fn what_was_attached_turns_and_fits() {
    let mut table = Table::new();
    let task = Task {
        name: "t".into(),
        deadline: 90,
        reward: 10,
        requirements: vec![Requirement { cell: Cell::new(0, 1), kind: "b0".into() }],
    };
    let mut holding = holding(1, 0);
    holding.tasks.push(task);
    table.step(&[(A, alone(&[]))]);
    table.step(&[(A, holding)]);
    let parts = table.ask(A, "attached", &[]);
    assert_eq!(parts.as_list().unwrap()[0].as_cell(), Some((1, 0)));
    assert_eq!(table.ask(A, "fit", &["gone".into()]), Value::Nil, "an expected failure");
    let fit = table.ask(A, "fit", &["t".into()]);
    assert_eq!(fit.get("complete"), Some(&Value::Bool(true)));
    assert_eq!(fit.get("rotate").and_then(Value::as_str), Some("cw"));
    assert_eq!(table.ask(A, "can_rotate", &["cw".into()]), Value::Bool(true));
    assert_eq!(table.world.state(A).summary, "(0, 0) carrying b0");
}

#[test]
fn blocks_that_were_let_go_together_are_linked_until_one_is_gone() {
    let mut table = Table::new();
    let two = |percept: Percept| {
        let blocks = [1, 2].map(|x| thing(x, 0, ThingKind::Block("b0".into())));
        Percept { things: [alone(&[]).things, blocks.to_vec()].concat(), ..percept }
    };
    let hung = Percept { attached: vec![Cell::new(1, 0), Cell::new(2, 0)], ..holding(1, 0) };
    table.step(&[(A, two(alone(&[])))]);
    table.step(&[(A, two(hung))]);
    let linked = |table: &Table| table.ask(A, "linked", &[1, 0, 2, 0].map(Value::Int));
    assert_eq!(linked(&table), Value::Bool(true), "parts of the structure");
    table.step(&[(A, two(did("detach", &["e"])))]);
    assert_eq!(table.ask(A, "attached", &[]), Value::List(vec![]));
    assert_eq!(linked(&table), Value::Bool(true), "loose blocks");
    table.step(&[(A, two(alone(&[])))]);
    assert_eq!(linked(&table), Value::Bool(true), "seen again");
    table.step(&[(A, alone(&[]))]);
    table.step(&[(A, two(alone(&[])))]);
    assert_eq!(linked(&table), Value::Bool(false), "other blocks");
}

#[test]
fn a_new_round_forgets_the_old_one() {
    let mut table = Table::new();
    table.step(&[(A, alone(&[]).wall(1, 0))]);
    table.world.begin(1, A, None);
    assert_eq!(table.ask(A, "cell", &[1.into(), 0.into()]), Value::Nil);
    assert_eq!(table.ask(A, "find", &["obstacle".into()]), Value::List(vec![]));
}

#[test]
fn what_is_asked_wrongly_says_what_was_expected() {
    let mut table = Table::new();
    table.step(&[(A, alone(&[]))]);
    let cases: [(&str, Vec<Value>, &str); 5] = [
        ("path", vec!["here".into()], "argument 1: expected a whole number, got string"),
        ("find", vec!["gold".into()], "argument 1: expected \"dispenser\""),
        ("mate", vec!["zeus".into()], "argument 1: expected the name of an agent of the team"),
        ("distances", vec![Value::Int(1)], "argument 1: expected a list of at most 1024 cells"),
        ("can_move", vec!["up".into()], "argument 1: expected \"n\", \"s\", \"e\" or \"w\""),
    ];
    for (name, args, reason) in cases {
        let error = table.world.query(A, name, &args).unwrap_err();
        assert!(error.reason.starts_with(reason), "{error}");
    }
}

/// A world and its clock.
struct Table {
    world: World,
    step: u32,
}

impl Table {
    fn new() -> Self {
        Self::of(&["a", "b"])
    }

    fn of(names: &[&str]) -> Self {
        let entry = |name: &&str| RosterEntry::new(*name, "worker");
        let agents: Vec<_> = names.iter().map(entry).collect();
        let size = u32::try_from(agents.len()).unwrap();
        let mut world = World::new(&Roster { team: "A".into(), agents: agents.clone() });
        for (id, agent) in (0..).zip(agents) {
            let briefing = Briefing {
                time: 0,
                name: agent.name,
                team: "A".into(),
                team_size: size,
                steps: 100,
                vision: 5,
            };
            world.begin(0, AgentId(id), Some(&briefing));
        }
        Self { world, step: 0 }
    }

    fn step(&mut self, percepts: &[(AgentId, Percept)]) {
        let turn = Turn::new(0, self.step);
        for (agent, percept) in percepts {
            let percept = Percept { step: self.step, ..percept.clone() };
            self.world.observe(turn, *agent, percept);
        }
        self.world.settle(turn);
        self.step += 1;
    }

    fn ask(&self, agent: AgentId, name: &str, args: &[Value]) -> Value {
        self.world.query(agent, name, args).unwrap()
    }
}

const CLEAR: MarkerKind = MarkerKind::Clear;

trait Build {
    fn wall(self, x: i32, y: i32) -> Self;
    fn mark(self, cell: Cell, kind: MarkerKind) -> Self;
}

impl Build for Percept {
    fn wall(mut self, x: i32, y: i32) -> Self {
        self.obstacles.push(Cell::new(x, y));
        self
    }

    fn mark(mut self, cell: Cell, kind: MarkerKind) -> Self {
        self.things.push(thing(cell.x, cell.y, ThingKind::Marker(kind)));
        self
    }
}

/// What an agent sees that has just attached a block beside it.
fn holding(x: i32, y: i32) -> Percept {
    let dir = if x == 0 { "s" } else { "e" };
    let mut percept = did("attach", &[dir]);
    percept.things.push(thing(x, y, ThingKind::Block("b0".into())));
    percept.attached.push(Cell::new(x, y));
    percept
}

fn thing(x: i32, y: i32, kind: ThingKind) -> Thing {
    Thing { cell: Cell::new(x, y), kind }
}

/// What an agent sees that has skipped, with team mates at the cells.
fn alone(mates: &[(i32, i32)]) -> Percept {
    let entity = |(x, y): &(i32, i32)| thing(*x, *y, ThingKind::Entity("A".into()));
    let things = mates.iter().chain(&[(0, 0)]).map(entity).collect();
    Percept { energy: 300, things, ..did("skip", &[]) }
}

fn moved(dir: &str) -> Percept {
    Percept { last_action: "move".into(), last_params: vec![dir.into()], ..alone(&[]) }
}

fn did(action: &str, params: &[&str]) -> Percept {
    Percept {
        energy: 300,
        last_action: action.into(),
        last_result: Outcome::Success,
        last_params: params.iter().map(|param| (*param).to_owned()).collect(),
        things: vec![thing(0, 0, ThingKind::Entity("A".into()))],
        ..Percept::default()
    }
}
