//! Worlds regenerated from the seed are those of the original, cell by cell.

use phalanx_assemble::arena::act::Act;
use phalanx_assemble::arena::{PerceptWriter, SimConfig, Simulation};
use phalanx_testkit::traces;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

fn load(name: &str) -> Option<(Simulation, Value)> {
    let golden: Value = serde_json::from_slice(&traces::bytes(name)?).unwrap();
    let config = golden["config"].to_string();
    let read = |_: &Path| Ok(config.clone().into_bytes());
    let config = SimConfig::load(Path::new("golden.json"), &read)
        .unwrap_or_else(|error| panic!("{name}:\n{error}"));
    let names =
        |team: &str| (1..=config.entities).map(|number| format!("agent{team}{number}")).collect();
    let teams = ["A", "B"].map(|team| (team.to_owned(), names(team)));
    let seed = config.seed.unwrap();
    Some((Simulation::new(&Arc::new(config), &teams, seed), golden))
}

fn assert_world(sim: &Simulation, golden: &Value) {
    let state = &sim.state;
    let width = usize::try_from(state.grid.width()).unwrap();
    let row = |row: &[phalanx_assemble::arena::grid::Terrain]| -> String {
        row.iter().map(|terrain| char::from(b'0' + terrain.code())).collect()
    };
    let rows: Vec<String> = state.grid.terrains().chunks(width).map(row).collect();
    assert_eq!(json!(rows), golden["rows"], "terrain");
    for (index, entity) in state.entities.iter().enumerate() {
        let pos = state.place(index);
        let shared = format!("agentA{}", entity.number);
        assert_eq!(json!([pos.x, pos.y]), golden["agents"][shared], "{}", entity.name);
    }
    let mut dispensers: Vec<_> =
        state.dispensers.iter().map(|(_, pos, kind)| (pos.x, pos.y, format!("b{kind}"))).collect();
    dispensers.sort();
    assert_eq!(json!(dispensers), golden["dispensers"], "dispensers");
    let mut boards: Vec<_> = state.boards.iter().map(|pos| (pos.x, pos.y)).collect();
    boards.sort_unstable();
    assert_eq!(json!(boards), golden["taskboards"], "task boards");
}

#[test]
fn the_world_of_a_seed_is_that_of_the_original() {
    for name in ["mapc2020/golden/sim1_seed17.json", "mapc2020/golden/sim1_noevents_seed23.json"] {
        let Some((sim, golden)) = load(name) else { return };
        assert_world(&sim, &golden);
    }
}

#[test]
fn all_tasks_of_the_first_sixty_steps_are_those_of_the_original() {
    let Some((mut sim, golden)) = load("mapc2020/golden/sim1_noevents_seed23.json") else { return };
    let expected = golden["tasks"].as_object().unwrap();
    let mut seen = 0;
    while !sim.over() {
        sim.begin_step();
        let step = sim.state.step;
        let percept: Value =
            serde_json::from_slice(&PerceptWriter::new(&sim.state).json(0)).unwrap();
        for task in percept["tasks"].as_array().unwrap() {
            let expected = &expected[task["name"].as_str().unwrap()];
            if expected["step"] != step {
                continue;
            }
            let part = |part: &Value| json!([part["x"], part["y"], part["type"]]);
            let parts: Vec<Value> =
                task["requirements"].as_array().unwrap().iter().map(part).collect();
            assert_eq!(json!(parts), expected["requirements"], "{task}");
            assert_eq!(task["deadline"], expected["deadline"], "{task}");
            assert_eq!(task["reward"], expected["reward_shown"], "{task}");
            seen += 1;
        }
        sim.execute(vec![Act::new("skip", Vec::new()); 30]);
    }
    assert_eq!(seen, expected.len());
    assert!(seen > 10);
}
