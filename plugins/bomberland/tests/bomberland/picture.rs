//! The newest scene as people see it: a small map as text, and games in their middle.

use phalanx_bomberland::Bomberland;
use phalanx_bomberland::percept::{Percept, TickScene};
use phalanx_bomberland::rules::{
    CellEntity, EntityKind, GameBoard, GameParams, GameState, Unit, UnitName,
};
use phalanx_game::{AgentId, Game as _, Picture, Roster, RosterEntry, Turn, World as _};
use phalanx_testkit::picture::text;
use proptest::prelude::*;
use std::sync::Arc;

fn unit(cell: u16, agent: u8, hp: i32) -> Unit {
    Unit { cell, agent, hp, bombs: 2, diameter: 3, invulnerable: 0, stunned: 0.0 }
}

fn drawn(board: GameBoard, state: GameState) -> Picture {
    let agents = vec![RosterEntry::new("u0", "unit")];
    let mut world = Bomberland.world(&Roster { team: "us".into(), agents });
    let scene = TickScene {
        board: Arc::new(board),
        state,
        events: Vec::new(),
        agent: 0,
        tick_rate_hz: 10.0,
    };
    let percept = Percept { scene: Arc::new(scene), unit: Some(0), done: None };
    world.observe(Turn::new(0, 1), AgentId(0), percept);
    assert_eq!(world.draw(), world.draw());
    world.draw()
}

fn board((width, height): (u16, u16)) -> GameBoard {
    let name = |name: &str, agent| UnitName { name: name.to_owned(), agent };
    let agents = vec!["a".to_owned(), "b".to_owned()];
    let units = vec![name("c", 0), name("d", 1)];
    GameBoard::new((width, height), GameParams::default(), agents, units)
}

#[test]
fn a_map_shows_things_danger_and_units_with_the_highest_row_first() {
    let mut state = GameState::new(4, 3, 20, vec![unit(0, 0, 3), unit(7, 1, 0)]);
    let bomb = CellEntity {
        expires: Some(30),
        diameter: Some(3),
        unit: Some(1),
        agent: Some(1),
        ..CellEntity::new(EntityKind::Bomb, 0)
    };
    state.put(1, bomb);
    state.put(3, CellEntity::new(EntityKind::Metal, 0));
    state.put(10, CellEntity::new(EntityKind::Fire, 0));
    state.put(11, CellEntity::new(EntityKind::Ammo, 0));
    insta::assert_snapshot!(text(&drawn(board((4, 3)), state)));
}

proptest! {
    #[test]
    fn any_scene_can_be_drawn(
        width in 0..40_u16,
        height in 0..40_u16,
        things in prop::collection::vec((any::<u16>(), 0..9_usize, any::<i32>(), any::<i32>()), 0..40),
        places in (any::<u16>(), any::<u16>()),
        tick: i32,
    ) {
        let board = board((width, height));
        let units = vec![unit(places.0, 0, 1), unit(places.1, 1, tick)];
        let mut state = GameState::new(width, height, tick, units);
        for (cell, kind, expires, diameter) in things {
            let kind = *EntityKind::ALL.get(kind).unwrap();
            let (expires, diameter) = (Some(expires), Some(diameter % 20));
            if usize::from(cell) < state.len() {
                state.put(cell, CellEntity { expires, diameter, ..CellEntity::new(kind, tick) });
            }
        }
        let picture = drawn(board, state).bounded();
        let layers = picture.parts.iter().flat_map(|part| &part.layers);
        prop_assert!(layers.into_iter().all(|layer| layer.cells.len() == layer.area.cells()));
    }
}
