//! What the rules keep, whatever the map, the actions and the luck.

use phalanx_game::sorted::SortedSet;
use phalanx_mars::rules::map::{GraphMap, MapParams, StartMap};
use phalanx_mars::rules::sight::Sights;
use phalanx_mars::rules::zone::{AgentCounts, Painter, ZoneOwner, Zones, total};
use phalanx_mars::rules::{Act, Adjacency, MarsRules, MarsVerb, MatchSide, State, StepLuck};
use phalanx_massim::JavaRandom;
use proptest::prelude::*;

const AGENTS: u32 = 10;

fn params() -> impl Strategy<Value = MapParams> {
    (4..160u32, 2..12u32, 2..12u32, 0..3u32, 0..3u32).prop_map(
        |(nodes, width, height, random_weight, gradient_weight)| MapParams {
            nodes,
            grid_width: 2 * width + 1,
            grid_height: 2 * height + 1,
            random_weight,
            gradient_weight,
            ..MapParams::default()
        },
    )
}

fn begin(params: &MapParams, seed: i64, rules: MarsRules) -> State {
    let names = |prefix: &str| (1..=AGENTS).map(|number| format!("{prefix}{number}")).collect();
    let ground = StartMap::draw(params, seed, AGENTS);
    State::new(ground, [("A".to_owned(), names("a")), ("B".to_owned(), names("b"))], rules)
}

/// An action that often makes sense.
fn act(state: &State, agent: usize, random: &mut JavaRandom) -> Act {
    let map = &state.setting.map;
    let at = state.agents[agent].at;
    let verb = MarsVerb::ALL[random.below(10) as usize];
    let param = match verb {
        MarsVerb::Goto => {
            let near = map.links().of(at);
            let next = near.get(random.below(u32::try_from(near.len()).unwrap()) as usize);
            next.map_or("", |next| map.name(*next)).to_owned()
        }
        MarsVerb::Attack | MarsVerb::Repair => {
            let here = (0..state.agents.len()).filter(|other| state.agents[*other].at == at);
            let here: Vec<usize> = here.collect();
            let target = here[random.below(u32::try_from(here.len()).unwrap()) as usize];
            state.setting.people[target].name.clone()
        }
        MarsVerb::Buy => ["battery", "sensor", "shield", "sabotageDevice", "x"]
            [random.below(5) as usize]
            .to_owned(),
        _ => String::new(),
    };
    if random.below(20) == 0 { Act::nothing() } else { Act::new(verb.word(), &param) }
}

fn play(state: &mut State, random: &mut JavaRandom) {
    let count = state.agents.len();
    let acts = (0..count).map(|agent| act(state, agent, random)).collect();
    let luck = StepLuck::draw(random, count, state.setting.rules.random_fail_percent);
    state.advance(acts, &luck);
}

fn check_step(before: &State, after: &State) {
    assert_eq!(after.step, before.step + 1);
    for (old, new) in before.agents.iter().zip(&after.agents) {
        assert!((0..=new.max_health).contains(&new.health), "{new:?}");
        assert!((0..=new.max_energy.max(old.energy)).contains(&new.energy), "{new:?}");
        assert!(new.at == old.at || new.last.is(MarsVerb::Goto));
        let weight = after.setting.map.weight(old.at, new.at);
        assert!(new.at == old.at || weight.is_some_and(|weight| weight <= old.energy));
    }
    for (side, (old, new)) in MatchSide::BOTH.into_iter().zip(before.teams.iter().zip(&after.teams))
    {
        assert_eq!(new.step_score, new.zones_score + new.money);
        assert_eq!(new.score, old.score + new.step_score);
        let earned = i64::try_from(new.achievements.len()).unwrap() * 2;
        assert_eq!(new.money, earned - new.used_money);
        assert!(new.money >= 0);
        let names: SortedSet<String> = new.achievements.iter().map(ToString::to_string).collect();
        assert_eq!(names.len(), new.achievements.len(), "each only once");
        assert_eq!(new.zones_score, side.of(&after.zones).total());
    }
}

/// All vertices within that many edges.
fn within(map: &GraphMap, from: u32, range: i32) -> SortedSet<u32> {
    let mut near = SortedSet::from([from]);
    for _ in 0..range {
        let more: Vec<u32> = near.iter().flat_map(|v| map.links().of(*v)).copied().collect();
        near.extend(more);
    }
    near
}

fn check_sight(state: &State) {
    let sights = Sights::new(state);
    for (id, agent) in state.agents.iter().enumerate() {
        let sight = sights.of(id).unwrap();
        let side = state.setting.side(id);
        let zone = side.of(&state.zones).at(agent.at);
        let members = |other: &usize| {
            let at = state.agents[*other].at;
            state.setting.side(*other) == side && side.of(&state.zones).at(at) == zone
        };
        let sharing: Vec<usize> = match zone {
            Some(_) => (0..state.agents.len()).filter(members).collect(),
            None => vec![id],
        };
        let mut vertices = SortedSet::new();
        let mut edges = SortedSet::new();
        let mut seen = SortedSet::new();
        let inside = |vertex: u32| zone.is_some() && side.of(&state.zones).at(vertex) == zone;
        for other in sharing {
            let body = &state.agents[other];
            let own = within(&state.setting.map, body.at, body.vis_range);
            let nearer = within(&state.setting.map, body.at, body.vis_range - 1);
            seen.extend(
                (0u32..).zip(&state.agents).filter(|(_, a)| own.contains(&a.at)).map(|s| s.0),
            );
            edges.extend(nearer.iter().flat_map(|v| state.setting.map.edges_of(*v)).copied());
            vertices.extend(own);
        }
        let count = u32::try_from(state.setting.map.vertices().len()).unwrap();
        vertices.extend((0..count).filter(|vertex| inside(*vertex)));
        let all = (0u32..).zip(state.setting.map.edges());
        edges.extend(all.filter(|(_, e)| inside(e.a) && inside(e.b)).map(|(number, _)| number));
        assert_eq!(sight.vertices.iter().collect::<SortedSet<_>>(), vertices);
        assert_eq!(sight.edges.iter().collect::<SortedSet<_>>(), edges);
        assert_eq!(sight.agents.iter().collect::<SortedSet<_>>(), seen);
    }
}

/// The colouring as the document words it: slow and plain.
fn document(links: &Adjacency, standing: &[AgentCounts]) -> Vec<ZoneOwner> {
    let count = u32::try_from(links.len()).unwrap();
    let most = |[a, b]: [usize; 2]| match a.cmp(&b) {
        std::cmp::Ordering::Greater => Some((MatchSide::A, a)),
        std::cmp::Ordering::Less => Some((MatchSide::B, b)),
        std::cmp::Ordering::Equal => None,
    };
    let here = |vertex: u32| standing[vertex as usize].map(usize::from);
    let empty = |vertex: u32| here(vertex) == [0, 0];
    let first: Vec<ZoneOwner> = (0..count).map(|v| most(here(v)).map(|(side, _)| side)).collect();
    let around = |vertex: u32, side: MatchSide| {
        links.of(vertex).iter().filter(|next| first[**next as usize] == Some(side)).count()
    };
    let second: Vec<ZoneOwner> = (0..count)
        .map(|vertex| {
            let counts = MatchSide::BOTH.map(|side| around(vertex, side));
            let wins = most(counts).filter(|(_, count)| *count >= 2).map(|(side, _)| side);
            if empty(vertex) { wins } else { first[vertex as usize] }
        })
        .collect();
    // Everything that can be reached over empty vertices without a colour, and what ends the way.
    let third = |vertex: u32| {
        let open = |v: u32| empty(v) && second[v as usize].is_none();
        if !open(vertex) {
            return second[vertex as usize];
        }
        let (mut reached, mut border) = (SortedSet::from([vertex]), SortedSet::new());
        let mut new = vec![vertex];
        while let Some(next) = new.pop() {
            for far in links.of(next).iter().copied() {
                if !open(far) {
                    border.insert(second[far as usize]);
                } else if reached.insert(far) {
                    new.push(far);
                }
            }
        }
        if border.len() == 1 { border.into_iter().next().flatten() } else { None }
    };
    (0..count).map(third).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn maps_are_mirrored_whole_and_in_bounds(params in params(), seed: i64) {
        let ground = StartMap::draw(&params, seed, AGENTS);
        let map = &ground.map;
        let width = i32::try_from(params.grid_width + 1).unwrap() * 100;
        let at = |vertex: u32| map.vertices()[vertex as usize].at;
        let image = |vertex: u32| {
            let (x, y) = at(vertex);
            (0u32..).zip(map.vertices()).find(|(_, v)| v.at == (width - x, y)).unwrap().0
        };
        prop_assert_eq!(map.vertices().len() % 2, 0);
        for (vertex, of) in (0u32..).zip(map.vertices()) {
            prop_assert!((1..=10).contains(&of.value));
            prop_assert_eq!(map.vertices()[image(vertex) as usize].value, of.value);
        }
        for edge in map.edges() {
            prop_assert!((1..=9).contains(&edge.weight));
            prop_assert_eq!(map.weight(image(edge.a), image(edge.b)), Some(edge.weight));
        }
        let [red, blue] = &ground.starts;
        prop_assert!(red.iter().zip(blue).all(|(red, blue)| image(*red) == *blue));
        prop_assert!(map.is_connected());
    }

    #[test]
    fn every_step_keeps_the_books(params in params(), seed: i64, luck: i64) {
        let rules = MarsRules { random_fail_percent: 5, ..MarsRules::default() };
        let mut state = begin(&params, seed, rules);
        let mut random = JavaRandom::mixed(luck, 0);
        for _ in 0..25 {
            let before = state.clone();
            play(&mut state, &mut random);
            check_step(&before, &state);
        }
        check_sight(&state);
    }

    #[test]
    fn colours_are_those_of_the_document(
        params in params(),
        seed: i64,
        places in prop::collection::vec((0..160u32, prop::bool::ANY), 0..60),
    ) {
        let ground = StartMap::draw(&params, seed, 1);
        let links = ground.map.links();
        let mut standing = vec![[0u16; 2]; links.len()];
        for (place, second) in places {
            standing[place as usize % links.len()][usize::from(second)] += 1;
        }
        let owners = Painter::new().paint(links, &standing).to_vec();
        prop_assert_eq!(&owners, &document(links, &standing));
        let swapped: Vec<AgentCounts> = standing.iter().map(|[a, b]| [*b, *a]).collect();
        let mirrored: Vec<ZoneOwner> = owners.iter().map(|owner| owner.map(MatchSide::other)).collect();
        prop_assert_eq!(Painter::new().paint(links, &swapped).to_vec(), mirrored);
        let worth: Vec<i32> = ground.map.vertices().iter().map(|vertex| vertex.value).collect();
        for side in MatchSide::BOTH {
            let zones = Zones::new(links, &owners, side, &worth);
            prop_assert_eq!(zones.total(), total(links, &owners, side, &worth));
            prop_assert!(zones.best() <= zones.total());
            for (vertex, zone) in (0u32..).zip(&zones.of) {
                let near = links.of(vertex).iter().any(|next| owners[*next as usize] == Some(side));
                prop_assert_eq!(zone.is_some(), owners[vertex as usize] == Some(side) && near);
            }
        }
    }

    #[test]
    fn the_same_seeds_give_the_same_states(params in params(), seed: i64, luck: i64) {
        let run = || {
            let mut state = begin(&params, seed, MarsRules::default());
            let mut random = JavaRandom::mixed(luck, 0);
            for _ in 0..10 {
                play(&mut state, &mut random);
            }
            (state.agents, state.teams, state.owners)
        };
        prop_assert_eq!(run(), run());
    }
}
