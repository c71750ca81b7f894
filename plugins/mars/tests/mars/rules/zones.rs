//! The worked example of the specification with its variants.

use super::table::map;
use phalanx_mars::rules::MatchSide;
use phalanx_mars::rules::map::GraphMap;
use phalanx_mars::rules::zone::{Painter, Zones};

fn example() -> GraphMap {
    let values =
        [("a", 3), ("b", 5), ("c", 2), ("d", 1), ("e", 10), ("f", 7), ("g", 4), ("h", 2), ("i", 1)];
    map(&values, "ab bc cd da ea eb ef fc fd ga gh gi ih")
}

/// Colours of all vertices, and what the zones are worth. The first team has probed a, c and e.
fn zones(first: &str, second: &str) -> (String, [i64; 2]) {
    let map = example();
    let mut standing = vec![[0u16; 2]; 9];
    for (side, agents) in [first, second].into_iter().enumerate() {
        for vertex in agents.split(' ').filter(|vertex| !vertex.is_empty()) {
            standing[map.find(vertex).unwrap() as usize][side] += 1;
        }
    }
    let owners = Painter::new().paint(map.links(), &standing).to_vec();
    let colour = |owner: &Option<MatchSide>| match owner {
        Some(MatchSide::A) => 'G',
        Some(MatchSide::B) => 'R',
        None => '-',
    };
    let worth = |side: MatchSide| -> Vec<i32> {
        let probed = |name: &str| side == MatchSide::A && ["a", "c", "e"].contains(&name);
        let vertices = map.vertices().iter();
        vertices.map(|v| if probed(&v.name) { v.value } else { 1 }).collect()
    };
    let total = |side| Zones::new(map.links(), &owners, side, &worth(side)).total();
    (owners.iter().map(colour).collect(), MatchSide::BOTH.map(total))
}

#[test]
fn the_worked_example_and_its_variants() {
    //                                             abcdefghi
    assert_eq!(zones("a c", "h"), ("GGGGGG-R-".to_owned(), [18, 0]));
    assert_eq!(zones("a c", "h e"), ("GGGGR--R-".to_owned(), [7, 0]), "an enemy on e");
    assert_eq!(zones("a c", "h a"), ("--G----R-".to_owned(), [0, 0]), "an enemy beside a's agent");
    assert_eq!(zones("a c", "h g"), ("GGGGGGRRR".to_owned(), [18, 3]), "a second enemy on g");
}

#[test]
fn an_empty_map_belongs_to_nobody_and_a_lone_agent_to_nothing_but_its_reach() {
    assert_eq!(zones("", ""), ("---------".to_owned(), [0, 0]));
    assert_eq!(zones("a", ""), ("GGGGGGGGG".to_owned(), [21, 0]), "nobody else can come");
    assert_eq!(zones("a a", "a"), ("GGGGGGGGG".to_owned(), [21, 0]), "the most, strictly");
    assert_eq!(zones("a", "a"), ("---------".to_owned(), [0, 0]), "a tie bounds nothing");
}

#[test]
fn members_know_their_zone() {
    let map = example();
    let mut standing = vec![[0u16; 2]; 9];
    for vertex in ["a", "c"] {
        standing[map.find(vertex).unwrap() as usize][0] = 1;
    }
    standing[map.find("h").unwrap() as usize][1] = 1;
    let owners = Painter::new().paint(map.links(), &standing).to_vec();
    let zones = Zones::new(map.links(), &owners, MatchSide::A, &[1; 9]);
    assert_eq!(zones.values, [6]);
    assert_eq!(zones.value_at(map.find("f").unwrap()), 6);
    assert_eq!(zones.value_at(map.find("g").unwrap()), 0);
    let single = Zones::new(map.links(), &owners, MatchSide::B, &[1; 9]);
    assert_eq!((single.total(), single.best()), (0, 0));
    assert_eq!(single.at(map.find("h").unwrap()), None, "one vertex is no zone");
}
