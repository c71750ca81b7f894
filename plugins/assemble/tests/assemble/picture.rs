//! The belief as people see it: small worlds as text, and any percept at all.

use phalanx_assemble::percept::{Briefing, MarkerKind, Percept, Thing, ThingKind};
use phalanx_assemble::world::World;
use phalanx_game::{AgentId, PICTURE_CELLS_MAX, Picture, Roster, RosterEntry, Turn, World as _};
use phalanx_grid::Cell;
use phalanx_testkit::picture::text;
use proptest::prelude::*;

fn world(vision: i32) -> World {
    let agents = ["a", "b"].map(|name| RosterEntry::new(name, "worker")).to_vec();
    let mut world = World::new(&Roster { team: "A".into(), agents });
    for id in 0..2 {
        let briefing =
            Briefing { team: "A".into(), team_size: 2, steps: 100, vision, ..Briefing::default() };
        world.begin(0, AgentId(id), Some(&briefing));
    }
    world
}

fn see(world: &mut World, step: u32, percepts: [Percept; 2]) {
    let turn = Turn::new(0, step);
    for (id, percept) in (0..).zip(percepts) {
        world.observe(turn, AgentId(id), Percept { step, ..percept });
    }
    world.settle(turn);
}

fn thing(x: i32, y: i32, kind: ThingKind) -> Thing {
    Thing { cell: Cell::new(x, y), kind }
}

/// What an agent sees among these things, with an obstacle.
fn scene(things: Vec<Thing>, wall: (i32, i32)) -> Percept {
    let own = thing(0, 0, ThingKind::Entity("A".into()));
    let things = things.into_iter().chain([own]).collect();
    let obstacles = vec![Cell::new(wall.0, wall.1)];
    Percept { energy: 300, things, obstacles, goals: vec![Cell::new(0, 1)], ..Percept::default() }
}

#[test]
fn maps_that_are_not_joined_are_parts_of_their_own() {
    let mut world = world(2);
    assert_eq!(world.draw(), world.draw());
    let first = vec![
        thing(1, 0, ThingKind::Dispenser("b1".into())),
        thing(-1, 0, ThingKind::Block("b0".into())),
        thing(0, -1, ThingKind::Marker(MarkerKind::ClearImmediate)),
    ];
    let mut busy = scene(first, (1, 1));
    (busy.disabled, busy.task) = (true, "task3".into());
    let second =
        vec![thing(0, -2, ThingKind::Entity("B".into())), thing(-2, 0, ThingKind::Taskboard)];
    see(&mut world, 0, [busy, scene(second, (-1, 1))]);
    insta::assert_snapshot!(text(&world.draw()));
}

#[test]
fn joined_maps_are_one_part() {
    let mut world = world(3);
    let mate = |x| vec![thing(x, 0, ThingKind::Entity("A".into()))];
    see(&mut world, 0, [scene(mate(3), (1, 0)), scene(mate(-3), (-2, 0))]);
    insta::assert_snapshot!(text(&world.draw()));
}

fn any_cell() -> impl Strategy<Value = Cell> {
    let side = || prop_oneof![-6..6_i32, any::<i32>()];
    (side(), side()).prop_map(|(x, y)| Cell::new(x, y))
}

fn any_kind() -> impl Strategy<Value = ThingKind> {
    let text = || "[AB]|b[0-3]|\\PC{0,200}";
    prop_oneof![
        text().prop_map(ThingKind::Entity),
        text().prop_map(ThingKind::Block),
        text().prop_map(ThingKind::Dispenser),
        Just(ThingKind::Taskboard),
        Just(ThingKind::Marker(MarkerKind::Clear)),
    ]
}

fn any_percept() -> impl Strategy<Value = Percept> {
    let things = prop::collection::vec((any_cell(), any_kind()), 0..12);
    let cells = || prop::collection::vec(any_cell(), 0..6);
    (things, cells(), cells(), cells(), any::<i64>()).prop_map(
        |(things, goals, obstacles, attached, energy)| Percept {
            energy,
            things: things.into_iter().map(|(cell, kind)| Thing { cell, kind }).collect(),
            goals,
            obstacles,
            attached,
            ..Percept::default()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_percept_can_be_drawn(
        percepts in prop::collection::vec((any_percept(), any_percept()), 1..6),
        vision in 0..8_i32,
    ) {
        let mut world = world(vision);
        for (step, (one, other)) in (0..).zip(percepts) {
            see(&mut world, step, [one, other]);
            let picture = world.draw().bounded();
            let layers = picture.parts.iter().flat_map(|part| &part.layers);
            prop_assert!(layers.clone().all(|layer| layer.cells.len() == layer.area.cells()));
            prop_assert!(layers.map(|layer| layer.cells.len()).sum::<usize>() <= PICTURE_CELLS_MAX);
            prop_assert_eq!(world.draw().bounded(), picture);
        }
        prop_assert_ne!(world.draw(), Picture::default());
    }
}
