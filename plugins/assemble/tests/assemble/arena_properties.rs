//! Whatever agents do, the referee keeps what the rules keep; whatever bytes come, it goes on.

use phalanx_assemble::arena::act::{Act, ActionKind};
use phalanx_assemble::arena::attach::AttachableKind;
use phalanx_assemble::arena::config::ArenaConfig;
use phalanx_assemble::arena::grid::Terrain;
use phalanx_assemble::arena::{ArenaOptions, AssembleArena, PerceptWriter, Simulation, State};
use phalanx_game::sorted::SortedMap;
use phalanx_game::{Arena as _, ConnectionId, Origin};
use proptest::prelude::*;
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

fn config() -> ArenaConfig {
    let text = include_str!("arena_conformance/minimal.json");
    ArenaConfig::load(Path::new("c.json"), &|_: &Path| Ok(text.as_bytes().to_vec())).unwrap()
}

fn simulation(seed: i64, side: i32) -> Simulation {
    let config = config();
    let mut sim = config.sims[0].clone();
    (sim.grid.width, sim.grid.height) = (side, side + 2);
    let names = |team: usize| (1..=5).map(|number| config.teams[team].account(number)).collect();
    let teams = [0, 1].map(|team| (config.teams[team].name.clone(), names(team)));
    Simulation::new(&Arc::new(sim), &teams, seed)
}

fn act() -> impl Strategy<Value = Act> {
    let direction =
        prop::sample::select(vec!["n", "s", "e", "w", "x"]).prop_map(|text| vec![text.to_owned()]);
    let cell = (-6..=6i32, -6..=6i32).prop_map(|(x, y)| vec![x.to_string(), y.to_string()]);
    let near = (-1..=1i32, -1..=1i32, -1..=1i32, -1..=1i32);
    let pair = near.clone().prop_map(|(a, b, c, d)| [a, b, c, d].map(|n| n.to_string()).to_vec());
    let partner = (1..=5, near)
        .prop_map(|(n, (x, y, ..))| vec![format!("agentA{n}"), x.to_string(), y.to_string()]);
    let task = (0..6).prop_map(|n| vec![format!("task{n}")]);
    prop_oneof![
        4 => direction.clone().prop_map(|params| Act::new("move", params)),
        2 => direction.clone().prop_map(|params| Act::new("attach", params)),
        1 => direction.clone().prop_map(|params| Act::new("detach", params)),
        3 => direction.prop_map(|params| Act::new("request", params)),
        1 => prop::bool::ANY.prop_map(|cw| Act::new("rotate", vec![if cw { "cw" } else { "ccw" }.to_owned()])),
        1 => partner.prop_map(|params| Act::new("connect", params)),
        1 => pair.prop_map(|params| Act::new("disconnect", params)),
        1 => cell.prop_map(|params| Act::new("clear", params)),
        1 => task.clone().prop_map(|params| Act::new("accept", params)),
        1 => task.prop_map(|params| Act::new("submit", params)),
        1 => prop::collection::vec("[a-z0-9+-]{0,4}", 0..5).prop_map(|params| Act::new("move", params)),
        1 => Just(Act::new("connect", Vec::new())),
    ]
}

fn blocks(state: &State) -> usize {
    state.bodies.iter().filter(|(_, body)| matches!(body.kind, AttachableKind::Block(_))).count()
}

/// Links are mutual and only between neighbours; every entity exists once; no structure is larger
/// than allowed; nothing is on an obstacle or on another thing. Agents that start on one cell
/// are excepted: there, and wherever they go together when they hold the same block. `starts` has
/// the cell of each.
fn check(state: &State, starts: &[usize]) {
    let mut on: SortedMap<usize, Vec<&AttachableKind>> = SortedMap::new();
    for (id, body) in state.bodies.iter() {
        on.entry(state.grid.index(body.pos)).or_default().push(&body.kind);
        assert!(state.bodies.on(&state.grid, body.pos).any(|other| other == id));
        for link in &body.links {
            assert!(state.bodies.linked(*link, id), "links are mutual");
            assert!(
                state.bodies.neighbours(&state.grid, id, *link),
                "links are between neighbours"
            );
        }
        assert!(state.bodies.structure(id).len() <= state.rules.attach_limit);
        assert!(state.grid.terrain(body.pos) != Terrain::Obstacle);
    }
    let start = |kind: &AttachableKind| match kind {
        AttachableKind::Entity { entity, .. } => Some(starts[*entity]),
        AttachableKind::Block(_) => None,
    };
    for (cell, all) in on {
        let together =
            start(all[0]).is_some() && all.iter().all(|kind| start(kind) == start(all[0]));
        assert!(all.len() == 1 || starts.contains(&cell) || together, "{all:?} on cell {cell}");
    }
    let entities = state
        .bodies
        .iter()
        .filter(|(_, body)| matches!(body.kind, AttachableKind::Entity { .. }))
        .count();
    assert_eq!(entities, state.entities.len());
    for entity in &state.entities {
        assert!((0..=state.rules.clear.max_energy).contains(&entity.energy));
        assert!((0..=state.rules.clear.disable).contains(&entity.disabled));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_rules_keep_what_they_keep(
        seed in 0..1000i64,
        side in 6..16i32,
        steps in prop::collection::vec(prop::collection::vec(act(), 10), 1..40),
    ) {
        let mut sim = simulation(seed, side);
        let starts: Vec<usize> = (0..10).map(|entity| sim.state.grid.index(sim.state.place(entity))).collect();
        check(&sim.state, &starts);
        for acts in steps {
            sim.begin_step();
            check(&sim.state, &starts);
            let percepts = PerceptWriter::new(&sim.state);
            for entity in 0..10 {
                let percept: Value = serde_json::from_slice(&percepts.json(entity)).unwrap();
                prop_assert!(percept["things"].as_array().unwrap().iter().any(|thing| thing["x"] == 0 && thing["y"] == 0));
            }
            let (before, score) = (blocks(&sim.state), sim.state.teams[0].score + sim.state.teams[1].score);
            sim.execute(acts);
            check(&sim.state, &starts);
            let worked = |verb: ActionKind| {
                let did = |act: &Option<Act>| act.as_ref().is_some_and(|act| act.verb == verb);
                sim.state.entities.iter().filter(|e| did(&e.act) && e.result.is_some_and(|code| code.text() == "success")).count()
            };
            let after = blocks(&sim.state);
            prop_assert!(after <= before + worked(ActionKind::Request), "only dispensers make blocks");
            if worked(ActionKind::Clear) == 0 && worked(ActionKind::Submit) == 0 {
                prop_assert_eq!(after, before + worked(ActionKind::Request), "only clears and submits take blocks");
            }
            let now = sim.state.teams[0].score + sim.state.teams[1].score;
            prop_assert!(now == score || worked(ActionKind::Submit) > 0, "only submits score");
        }
    }

    #[test]
    fn any_bytes_leave_the_arena_alive(chunks in prop::collection::vec((0..3u64, prop::collection::vec(any::<u8>(), 0..200)), 0..40)) {
        let now = Instant::now();
        let mut arena = AssembleArena::new(config(), ArenaOptions::default(), Origin { instant: now, unix_ms: 0 });
        for id in 0..3 {
            arena.handle_join(ConnectionId(id), now);
        }
        let login = b"{\"type\":\"auth-request\",\"content\":{\"user\":\"agentA1\",\"pw\":\"1\"}}\0";
        arena.handle_input(ConnectionId(0), login, now);
        arena.start(now);
        for (id, bytes) in chunks {
            arena.handle_input(ConnectionId(id), &bytes, now);
        }
        while arena.poll_transmit().is_some() {}
        arena.handle_timeout(arena.poll_timeout().unwrap());
        prop_assert_eq!(arena.verdict().step, 1);
    }

    #[test]
    fn any_text_as_configuration_is_an_answer_and_no_panic(text in "\\PC{0,200}") {
        let loaded = ArenaConfig::load(Path::new("c.json"), &|_: &Path| Ok(text.clone().into_bytes()));
        prop_assert!(loaded.is_err());
    }
}
