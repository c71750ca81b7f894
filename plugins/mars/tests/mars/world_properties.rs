//! Answers of the world on maps of any shape, beside slow and plain ways to find them.

use crate::common::stand::{self, ask, column, edges, int, names, observe, percept, values};
use phalanx_game::Value;
use phalanx_mars::world::World;
use proptest::prelude::*;

const VERTICES: usize = 9;

fn name(vertex: usize) -> String {
    format!("v{vertex}")
}

/// Edges with weights; vertices that no edge has do not exist.
type Map = Vec<(usize, usize, i64)>;

fn any_map() -> impl Strategy<Value = Map> {
    let edge = (0..VERTICES, 0..VERTICES, 1..10_i64).prop_filter("a loop", |(a, b, _)| a != b);
    prop::collection::vec(edge, 1..20).prop_map(|mut map| {
        map.iter_mut().for_each(|edge| *edge = (edge.0.min(edge.1), edge.0.max(edge.1), edge.2));
        map.sort_unstable();
        map.dedup_by_key(|edge| (edge.0, edge.1));
        map
    })
}

/// An agent at the first end of the first edge and knows everything.
fn world(map: &Map) -> World {
    let mut world = stand::world(1);
    let mut first = percept(0, &name(map[0].0));
    let list: Vec<String> =
        map.iter().map(|(a, b, weight)| format!("{}-{} {weight}", name(*a), name(*b))).collect();
    edges(&mut first, &list.iter().map(String::as_str).collect::<Vec<_>>());
    let list: Vec<String> = (0..VERTICES).map(|at| format!("{} {}", name(at), at + 1)).collect();
    values(&mut first, &list.iter().map(String::as_str).collect::<Vec<_>>());
    observe(&mut world, 0, first);
    world
}

/// What can be reached from a vertex without another one.
fn reach(map: &Map, from: usize, without: Option<usize>) -> Vec<usize> {
    let mut reached = vec![from];
    let mut at = 0;
    while at < reached.len() {
        for (a, b, _) in map {
            for (here, there) in [(*a, *b), (*b, *a)] {
                let open = Some(there) != without && !reached.contains(&there);
                if here == reached[at] && open {
                    reached.push(there);
                }
            }
        }
        at += 1;
    }
    reached
}

/// Least energy of a way, by trying every edge as often as there are vertices.
fn energy(map: &Map, from: usize, to: usize) -> Option<i64> {
    let mut least = [None; VERTICES];
    least[from] = Some(0);
    for _ in 0..VERTICES {
        for (a, b, weight) in map {
            for (here, there) in [(*a, *b), (*b, *a)] {
                if let Some(known) = least[here] {
                    let new: i64 = known + weight;
                    least[there] = Some(least[there].map_or(new, |old: i64| old.min(new)));
                }
            }
        }
    }
    least[to]
}

proptest! {
    #[test]
    fn ways_of_least_energy_are_just_that(map in any_map(), to in 0..VERTICES) {
        let world = world(&map);
        let by = Value::map([("by", "energy".into()), ("vertices", true.into())]);
        let path = ask(&world, "path", &[name(to).into(), by]);
        let expected = energy(&map, map[0].0, to);
        prop_assert_eq!(path.get("energy").and_then(Value::as_int), expected);
        if expected.is_some() {
            let way = path.get("vertices").unwrap().as_list().unwrap();
            prop_assert_eq!(Some(way.len() as i64), path.get("steps").unwrap().as_int());
            prop_assert_eq!(way.last().map_or(to == map[0].0, |last| *last == name(to).into()), true);
        }
    }

    #[test]
    fn cut_vertices_are_those_without_which_somebody_is_cut_off(map in any_map()) {
        let world = world(&map);
        let mut told = column(&ask(&world, "cuts", &[]), "name");
        told.sort();
        let cuts = (0..VERTICES).filter(|vertex| {
            let mut others = reach(&map, *vertex, None);
            others.retain(|other| other != vertex);
            let first = others.first().copied();
            first.is_some_and(|first| reach(&map, first, Some(*vertex)).len() < others.len())
        });
        prop_assert_eq!(told, cuts.map(name).collect::<Vec<_>>());
    }

    #[test]
    fn a_placement_is_worth_what_its_search_says(
        map in any_map(),
        count in 1..5_i64,
        effort in 0..300_i64,
        against in any::<bool>(),
        enemy in 0..VERTICES,
    ) {
        let world = world(&map);
        let enemies = ("enemies", names(&[&name(enemy)]));
        let options = [enemies.clone(), ("effort", effort.into()), ("against", against.into())];
        let best = ask(&world, "best_zone", &[count.into(), Value::map(options)]);
        let vertices = best.get("vertices").unwrap().clone();
        prop_assert!(vertices.as_list().unwrap().len() as i64 <= count);
        let zones = ask(&world, "zones", &[vertices, Value::map([enemies])]);
        let key = if against { "lead" } else { "value" };
        prop_assert_eq!(int(&best, "value"), int(&zones, key));
    }
}
