//! Maps by seed.

use super::golden;
use phalanx_mars::rules::map::{MapParams, StartMap};
use serde_json::{Value, json};

#[test]
fn maps_by_seed_are_the_original_ones() {
    for (name, seed, nodes) in golden::GAMES {
        let Some(golden) = golden::read(name) else { return };
        let params = MapParams { nodes, ..MapParams::default() };
        let ground = StartMap::draw(&params, seed, 20);
        assert_eq!(ground.seed, seed);
        for vertex in ground.map.vertices() {
            let expected = json!([vertex.value, vertex.at.0, vertex.at.1]);
            assert_eq!(golden.head["vertices"][&vertex.name], expected, "{name}: {}", vertex.name);
        }
        let vertices = golden.head["vertices"].as_object().expect("vertices");
        assert_eq!(ground.map.vertices().len(), vertices.len());
        let map = &ground.map;
        let edge = |edge: &phalanx_mars::rules::map::MapEdge| {
            json!([map.name(edge.a), map.name(edge.b), edge.weight])
        };
        let edges: Vec<Value> = map.edges().iter().map(edge).collect();
        assert_eq!(Value::from(edges), golden.head["edges"], "{name}");
        for (team, starts) in ["a", "b"].into_iter().zip(&ground.starts) {
            for (number, start) in (1..).zip(starts) {
                let there = &golden.states[0]["agents"][format!("{team}{number}")][0];
                assert_eq!(there, map.name(*start), "{name}: {team}{number}");
            }
        }
    }
}
