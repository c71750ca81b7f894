//! Agents that come to a team later, and that leave it: what the world makes of them.

use phalanx_assemble::action::{Action, Outcome};
use phalanx_assemble::percept::{Briefing, Percept, Thing, ThingKind};
use phalanx_assemble::world::World;
use phalanx_game::{AgentId, Roster, RosterEntry, Said, Turn, Value, World as _};
use phalanx_grid::Cell;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Agents of the whole team.
const AGENTS: u16 = 6;
const TURNS: u32 = 24;

fn roster(agents: u16, gone: &[u16]) -> Roster {
    let entry = |index| {
        let entry = RosterEntry::new(format!("a{index}"), "worker");
        RosterEntry { gone: gone.contains(&index), ..entry }
    };
    Roster { team: "A".into(), agents: (0..agents).map(entry).collect() }
}

fn briefing(agent: u16, size: u32) -> Briefing {
    Briefing {
        time: 0,
        name: format!("a{agent}"),
        team: "A".into(),
        team_size: size,
        steps: 100,
        vision: 5,
    }
}

/// What an agent perceives: walls, team mates, and what its last action was.
fn percept(step: u32, walls: &[(i32, i32)], mates: &[(i32, i32)], last: Option<&str>) -> Percept {
    let entity = |(x, y): &(i32, i32)| Thing {
        cell: Cell::new(*x, *y),
        kind: ThingKind::Entity("A".into()),
    };
    Percept {
        step,
        energy: 300,
        last_action: if last.is_some() { "move" } else { "skip" }.into(),
        last_result: Outcome::Success,
        last_params: last.map(str::to_owned).into_iter().collect(),
        things: mates.iter().chain(&[(0, 0)]).map(entity).collect(),
        obstacles: walls.iter().map(|(x, y)| Cell::new(*x, *y)).collect(),
        ..Percept::default()
    }
}

/// What an agent hears in a turn; `None`: nothing.
type ResumeFrame = Option<(Vec<(i32, i32)>, Vec<(i32, i32)>, Option<&'static str>)>;

fn heard() -> impl Strategy<Value = ResumeFrame> {
    let cells = |most| prop::collection::vec((-4..=4, -1..=1), 0..most);
    let last = prop::option::of(prop::sample::select(vec!["n", "e", "s", "w"]));
    prop::option::weighted(0.8, (cells(4), cells(3), last))
}

/// Plays a history in which agents from `late` on are heard from turn `from` on; the world meets
/// them there, or has known them from the beginning. Each hears the size of the team before its
/// first percept: where no referee says it, all of the roster count.
fn play(history: &[Vec<ResumeFrame>], late: u16, from: u32, enrolled: bool) -> World {
    let mut world = World::new(&roster(if enrolled { late } else { AGENTS }, &[]));
    let mut met = BTreeSet::new();
    for (step, heard) in (0_u32..).zip(history) {
        if step == from && enrolled {
            world.enroll(&roster(AGENTS, &[]));
        }
        let turn = Turn::new(0, step);
        let present = (0..AGENTS).filter(|agent| *agent < late || step >= from);
        for (agent, heard) in present.zip(heard) {
            let Some((walls, mates, last)) = heard else { continue };
            if met.insert(agent) {
                world.begin(0, AgentId(agent), Some(&briefing(agent, AGENTS.into())));
            }
            world.observe(turn, AgentId(agent), percept(step, walls, mates, *last));
        }
        world.settle(turn);
        for agent in (0..AGENTS).filter(|agent| *agent < late || step >= from) {
            let said = Said::new("move", vec!["n".into()]);
            let action: Action = world.parse(AgentId(agent), &said).unwrap();
            world.acted(turn, AgentId(agent), &action);
        }
    }
    world
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn who_is_enrolled_late_is_as_one_who_was_not_heard_of_yet(
        history in prop::collection::vec(
            prop::collection::vec(heard(), usize::from(AGENTS)), 2..TURNS as usize),
        late in 1..AGENTS,
        from in 1..TURNS,
    ) {
        let enrolled = format!("{:?}", play(&history, late, from, true));
        let mut known = play(&history, late, from, false);
        if u32::try_from(history.len()).unwrap() <= from {
            // No agent came: the teams differ by those without any percept.
            known.enroll(&roster(late, &[]));
        }
        prop_assert_eq!(enrolled, format!("{known:?}"));
    }
}

/// Two agents side by side in one group; b holds a block that it attached.
fn pair() -> World {
    let mut world = World::new(&roster(2, &[]));
    let step = |world: &mut World, step: u32, east: Percept, west: Percept| {
        for (agent, percept) in [(0, east), (1, west)] {
            world.observe(Turn::new(0, step), AgentId(agent), percept);
        }
        world.settle(Turn::new(0, step));
    };
    for agent in 0..2 {
        world.begin(0, AgentId(agent), Some(&briefing(agent, 2)));
    }
    let (east, west) =
        (percept(0, &[(1, 0)], &[(3, 0)], None), percept(0, &[(-2, 0)], &[(-3, 0)], None));
    step(&mut world, 0, east, west);
    let east = percept(1, &[(1, 0)], &[(3, 0)], None);
    let mut west = percept(1, &[(-2, 0)], &[(-3, 0)], None);
    (west.last_action, west.last_params) = ("attach".into(), vec!["e".into()]);
    let block = Thing { cell: Cell::new(1, 0), kind: ThingKind::Block("b0".into()) };
    west.things.push(block.clone());
    west.attached.push(block.cell);
    let mut east = east;
    east.things.push(Thing { cell: Cell::new(4, 0), ..block });
    east.attached.push(Cell::new(4, 0));
    step(&mut world, 1, east, west);
    world
}

fn ask(world: &World, agent: u16, name: &str, args: &[Value]) -> Value {
    world.query(AgentId(agent), name, args).unwrap()
}

fn mates(world: &World) -> Vec<String> {
    let list = ask(world, 0, "agents", &[]);
    let name = |mate: &Value| mate.get("name").unwrap().as_str().unwrap().to_owned();
    list.as_list().unwrap().iter().map(name).collect()
}

#[test]
fn nobody_counts_on_an_agent_that_is_gone_but_it_still_stands_there() {
    let mut world = pair();
    let known = format!("{:?}", ask(&world, 0, "find", &["obstacle".into()]));
    assert_eq!(mates(&world), ["a0", "a1"]);
    let place = ask(&world, 0, "mate", &["a1".into()]);
    let (x, y) = place.as_cell().unwrap();
    world.enroll(&roster(2, &[1]));
    assert_eq!(mates(&world), ["a0"]);
    assert_eq!(ask(&world, 0, "mate", &["a1".into()]), Value::Nil, "an expected failure");
    assert_eq!(ask(&world, 0, "free", &[x.into(), y.into()]), Value::Bool(false));
    assert_eq!(world.blocks(AgentId(1)).len(), 1, "what hung on it hangs on it");
    let now = format!("{:?}", ask(&world, 0, "find", &["obstacle".into()]));
    assert_eq!(now, known, "the map stays");
    let named = world.query(AgentId(0), "mate", &["a7".into()]);
    assert!(named.is_err(), "a stranger is a mistake of the script's");
}

#[test]
fn an_agent_that_comes_back_is_where_it_was_left() {
    let mut world = pair();
    let place = ask(&world, 0, "mate", &["a1".into()]).as_cell();
    world.enroll(&roster(2, &[1]));
    for step in 2..5 {
        world.observe(Turn::new(0, step), AgentId(0), percept(step, &[(1, 0)], &[(3, 0)], None));
        world.settle(Turn::new(0, step));
    }
    world.enroll(&roster(2, &[]));
    assert_eq!(mates(&world), ["a0", "a1"]);
    assert_eq!(ask(&world, 0, "mate", &["a1".into()]).as_cell(), place);
}

#[test]
fn a_sighting_may_be_an_agent_that_is_gone() {
    // The referee does not say how many the team has: all of the roster count, gone or not.
    let mut world = World::new(&roster(3, &[]));
    for agent in 0..3 {
        world.begin(0, AgentId(agent), Some(&briefing(agent, 0)));
    }
    world.enroll(&roster(3, &[2]));
    for step in 0..2 {
        for (agent, mate) in [(0, (2, 0)), (1, (-2, 0))] {
            let percept = percept(step, &[], &[mate], None);
            world.observe(Turn::new(0, step), AgentId(agent), percept);
        }
        world.settle(Turn::new(0, step));
    }
    assert_eq!(world.counts().joins, 0, "it may have been the one that is gone");
}
