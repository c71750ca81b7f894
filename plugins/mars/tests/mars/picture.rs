//! The belief as people see it: a small graph as text, and any percept at all.

use crate::common::stand::{edges, entities, observe, owners, percept, values, world};
use phalanx_game::{PICTURE_THINGS_MAX, Picture, World as _};
use phalanx_testkit::picture::text;
use proptest::prelude::*;

#[test]
fn a_graph_shows_values_owners_zones_and_everybody_who_was_seen() {
    let mut world = world(2);
    let mut first = percept(4, "a");
    edges(&mut first, &["a-b 3", "b-c", "c-a", "c-d 9"]);
    values(&mut first, &["a 3", "c 2"]);
    entities(&mut first, &["a1 A a", "b1 B d", "b4 B c!"]);
    owners(&mut first, &["a A", "b none", "d B"]);
    observe(&mut world, 0, first);
    let mut second = percept(4, "b");
    second.me.health = Some(0);
    observe(&mut world, 1, second);
    assert_eq!(world.draw(), world.draw());
    insta::assert_snapshot!(text(&world.draw()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_percept_can_be_drawn(
        ends in prop::collection::vec(("[a-e]", "[a-e]|\\PC{1,90}", any::<i32>()), 0..12),
        seen in prop::collection::vec(("[a-e]", "[AB]|\\PC{0,9}", "b[0-9]{1,3}|\\PC{0,200}"), 0..8),
        place in "[a-e]|\\PC{0,9}",
        health in proptest::option::of(any::<i32>()),
    ) {
        use phalanx_mars::percept::{ProbedVertex, SeenEntity, SurveyedEdge};
        let mut world = world(1);
        let mut any = percept(0, &place);
        any.me.health = health;
        for (one, other, weight) in &ends {
            let (node1, node2) = (one.as_str().into(), other.as_str().into());
            any.surveyed.push(SurveyedEdge { node1, node2, weight: Some(*weight) });
            any.probed.push(ProbedVertex { name: one.as_str().into(), value: Some(*weight) });
        }
        for (node, team, name) in &seen {
            let [node, team, name] = [node, team, name].map(|text| text.as_str().into());
            any.entities.push(SeenEntity { name, team, node, disabled: false });
        }
        observe(&mut world, 0, any);
        let picture = world.draw().bounded();
        let part = picture.parts.first().unwrap();
        prop_assert!(part.nodes.len() <= PICTURE_THINGS_MAX);
        let known = |node: u32| (node as usize) < part.nodes.len();
        prop_assert!(part.edges.iter().all(|edge| known(edge.a) && known(edge.b) && edge.a < edge.b));
        prop_assert_eq!(&world.draw().bounded(), &picture);
        prop_assert_ne!(&picture, &Picture::default());
    }
}
