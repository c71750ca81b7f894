//! What the team believes and what scripts can ask, on maps laid out by hand.

use crate::common::stand;
use phalanx_game::{AgentId, Said, Turn, Value, World as _};
use phalanx_mars::action::Action;
use phalanx_mars::api::API;
use phalanx_mars::world::World;
use stand::*;

/// The worked example of section 9: G agents of ours on a and c, an enemy on h.
fn example() -> World {
    let mut world = world(2);
    let mut first = percept(0, "a");
    edges(
        &mut first,
        &[
            "a-b", "b-c", "c-d", "d-a", "e-a", "e-b", "e-f", "f-c", "f-d", "g-a", "g-h", "g-i",
            "i-h",
        ],
    );
    values(&mut first, &["a 3", "c 2", "e 10"]);
    entities(&mut first, &["a1 A a", "b1 B h"]);
    observe(&mut world, 0, first);
    observe(&mut world, 1, percept(0, "c"));
    world
}

#[test]
fn zones_are_those_of_the_worked_example() {
    let world = example();
    let zones = |own: &[&str], enemies: &[&str]| {
        let options = Value::map([("enemies", names(enemies)), ("vertices", true.into())]);
        let answer = ask(&world, "zones", &[names(own), options]);
        (int(&answer, "value"), int(&answer, "own"), int(&answer, "enemy"))
    };
    assert_eq!(zones(&["a", "c"], &["h"]), (18, 6, 1));
    assert_eq!(zones(&["a", "c"], &["h", "e"]), (7, 4, 2));
    assert_eq!(zones(&["a", "c"], &["h", "a"]), (0, 1, 1));
    assert_eq!(zones(&["a", "c"], &["h", "g"]), (18, 6, 3));
    let believed = ask(&world, "zones", &[Value::Nil, Value::map([("vertices", true.into())])]);
    assert_eq!(int(&believed, "value"), 18, "everybody where they are believed to be");
    let zones = believed.get("zones").unwrap().as_list().unwrap();
    let vertices = zones[0].get("vertices").unwrap();
    assert_eq!(vertices, &names(&["a", "b", "c", "d", "e", "f"]));
}

#[test]
fn disabled_agents_hold_nothing() {
    let mut world = example();
    let mut second = percept(1, "c");
    second.me.health = Some(0);
    entities(&mut second, &["b1 B h!"]);
    observe(&mut world, 1, second);
    // Without any enabled enemy the one enabled agent owns the whole map.
    assert_eq!(int(&ask(&world, "zones", &[]), "value"), 15 + 6);
    assert_eq!(ask(&world, "holding", &[]).as_list().unwrap().len(), 2);
    assert_eq!(column(&ask(&world, "agents", &[]), "vertex"), ["a", "c"]);
}

#[test]
fn what_a_place_is_worth_is_what_is_lost_without_it() {
    let world = example();
    let holding = ask(&world, "holding", &[]);
    let losses: Vec<i64> = holding.as_list().unwrap().iter().map(|row| int(row, "loss")).collect();
    assert_eq!(losses, [18, 0], "whoever stands on a holds all that lies behind it");
    let moves = ask(&world, "moves", &[]);
    assert_eq!(column(&moves, "name"), ["a", "b", "d", "e", "g"]);
    let values: Vec<i64> = moves.as_list().unwrap().iter().map(|row| int(row, "value")).collect();
    assert_eq!((values[0], values[4]), (18, 19));
    let there = Value::map([("others", names(&["f"])), ("enemies", names(&[]))]);
    let moves = ask(&world, "moves", &[there]);
    assert_eq!(int(&moves.as_list().unwrap()[0], "value"), 15 + 6);
}

#[test]
fn an_enemy_is_worth_what_both_sides_own_because_of_it() {
    let mut world = example();
    let mut second = percept(1, "a");
    // e breaks our zone; a second enemy on g holds a zone with h.
    entities(&mut second, &["b2 B e", "b3 B g", "b4 B d!"]);
    observe(&mut world, 0, second);
    let prey = ask(&world, "prey", &[]);
    let gain = |index: usize| int(&prey.as_list().unwrap()[index], "gain");
    assert_eq!(column(&prey, "name"), ["b1", "b2", "b3"], "the disabled one owns nothing");
    let value = |enemies: &[&str]| {
        let side = |own: &[&str], other: &[&str]| {
            let options = Value::map([("enemies", names(other))]);
            int(&ask(&world, "zones", &[names(own), options]), "value")
        };
        side(&["a", "c"], enemies) - side(enemies, &["a", "c"])
    };
    let now = value(&["h", "e", "g"]);
    assert_eq!(gain(0), value(&["e", "g"]) - now);
    assert_eq!(gain(1), value(&["h", "g"]) - now);
    assert_eq!(gain(2), value(&["h", "e"]) - now);
    assert!(gain(1) > gain(0).max(gain(2)), "{prey:?}");
}

#[test]
fn the_best_zone_of_two_agents_is_found_whatever_the_effort() {
    let world = example();
    let best = |count: i64, options: Value| {
        let answer = ask(&world, "best_zone", &[count.into(), options]);
        let vertices = answer.get("vertices").unwrap().as_list().unwrap().len();
        (int(&answer, "value"), vertices)
    };
    let pairs: Vec<(&str, &str)> = ["a", "b", "c", "d", "e", "f", "g", "i"]
        .iter()
        .flat_map(|one| ["a", "b", "c", "d", "e", "f", "g", "i"].map(|other| (*one, other)))
        .collect();
    let exhaustive = pairs
        .iter()
        .map(|(one, other)| int(&ask(&world, "zones", &[names(&[one, other])]), "value"));
    assert_eq!(best(2, Value::Nil), (exhaustive.max().unwrap(), 2));
    assert_eq!(best(2, Value::map([("effort", Value::Int(0))])).1, 1, "nothing left to look with");
    assert_eq!(best(0, Value::Nil), (0, 0));
    let beside_a = Value::map([("fixed", names(&["a"]))]);
    assert_eq!(best(1, beside_a), (20, 1), "an agent on i takes g between them");
    assert_eq!(best(2, Value::map([("within", names(&["a", "b"]))])), (18, 2));
    let alone = Value::map([("enemies", names(&[])), ("within", names(&["i"]))]);
    assert_eq!(best(1, alone), (15 + 6, 1), "nobody is there to disturb");
}

#[test]
fn the_best_zone_reports_its_effort_and_whom_it_could_not_place() {
    let world = example();
    let best = |count: i64, effort: i64| {
        let options = Value::map([("effort", Value::Int(effort))]);
        let answer = ask(&world, "best_zone", &[count.into(), options]);
        let placed = answer.get("vertices").unwrap().as_list().unwrap().len();
        (placed, int(&answer, "missing"), int(&answer, "spent"))
    };
    // However little effort there is, all agents get a part of it.
    for count in 1..=6_i64 {
        for effort in [count, 2 * count, 20, 100, 3000] {
            let (placed, missing, spent) = best(count, effort);
            assert_eq!((placed, missing), (usize::try_from(count).unwrap(), 0), "{count} {effort}");
            assert!((0..=effort).contains(&spent), "{count} {effort}: {spent}");
        }
    }
    assert_eq!(best(4, 0), (1, 3, 0), "only the place to begin at costs nothing");
    let (placed, missing, _) = best(20, 3000);
    assert_eq!(placed + usize::try_from(missing).unwrap(), 20, "the map has fewer vertices");
    assert!(missing > 0);
}

#[test]
fn a_placement_against_the_enemy_counts_what_it_loses() {
    let mut world = example();
    let mut second = percept(1, "a");
    // The enemy encloses i from g and h, and e is in our way.
    entities(&mut second, &["b2 B g"]);
    observe(&mut world, 0, second);
    let fixed = ("fixed", names(&["a", "c"]));
    let best = |against: bool| {
        let options = Value::map([fixed.clone(), ("against", against.into())]);
        let answer = ask(&world, "best_zone", &[1.into(), options]);
        int(&answer, "value")
    };
    let lead = |own: &[&str]| int(&ask(&world, "zones", &[names(own)]), "lead");
    let vertices = ["b", "d", "e", "f", "g", "h", "i"];
    let most = vertices.iter().map(|third| lead(&["a", "c", third])).max().unwrap();
    assert_eq!(best(true), most);
    assert_eq!(best(false), 18, "ours alone cannot grow");
}

/// A chain with a short dear way round: s -1- m -1- n -1- t, s -9- t; u hangs on t.
fn chain() -> World {
    let mut world = world(3);
    let mut first = percept(3, "s");
    edges(&mut first, &["s-m 1", "m-n 1", "n-t 1", "s-t 9", "t-u"]);
    values(&mut first, &["u 7"]);
    owners(&mut first, &["s A", "m none", "t B"]);
    first.me.vis_range = Some(2);
    entities(&mut first, &["a1 A s", "b5 B m", "b3 B t", "a9 A t", "b20 B s!"]);
    observe(&mut world, 0, first);
    world
}

#[test]
fn ways_save_steps_or_energy_or_the_time_of_both() {
    let world = chain();
    let path = |by: &str| {
        let options = Value::map([("by", by.to_owned().into()), ("vertices", true.into())]);
        let path = ask(&world, "path", &["u".into(), options]);
        (
            word(&path, "next").to_owned(),
            int(&path, "steps"),
            int(&path, "energy"),
            path.get("cost").unwrap().as_num().unwrap(),
            path.get("vertices").unwrap().as_list().unwrap().len(),
        )
    };
    // The edge to u was not surveyed: it counts 5.
    assert_eq!(path("steps"), ("t".into(), 2, 14, 2.01, 2));
    assert_eq!(path("energy"), ("m".into(), 4, 8, 8.0, 4));
    // A recharge gives 15: 14 energy are not worth two more steps.
    assert_eq!(path("time"), ("t".into(), 2, 14, 2.93, 2));
    let around = Value::map([("avoid", names(&["t"]))]);
    assert_eq!(ask(&world, "path", &["u".into(), around]), Value::Nil);
    assert_eq!(ask(&world, "path", &["nowhere".into()]), Value::Nil);
    assert_eq!(ask(&world, "path", &["s".into()]).get("next"), Some(&Value::Nil));
    assert_eq!(int(&ask(&world, "path", &["t".into()]), "weight"), 9);
    assert_eq!(ask(&world, "distance", &["u".into()]), Value::Int(2));
    assert_eq!(ask(&world, "distance", &["u".into(), "m".into()]), Value::Int(3));
    let closest = ask(&world, "closest", &[names(&["u", "n", "nowhere"])]);
    assert_eq!((word(&closest, "name"), int(&closest, "index")), ("n", 2));
}

#[test]
fn vertices_are_found_by_what_is_missing_nearest_first() {
    let world = chain();
    let find = |kind: &str| column(&ask(&world, "find", &[kind.to_owned().into()]), "name");
    assert_eq!(find("any"), ["s", "m", "t", "n", "u"]);
    assert_eq!(find("unprobed"), ["s", "m", "t", "n"]);
    // The agent sees two edges far: the edges of what is nearer are all known.
    assert_eq!(find("frontier"), ["n", "u"]);
    assert_eq!(find("unsurveyed"), ["t", "n", "u"]);
    assert_eq!(
        (find("own"), find("enemy"), find("free")),
        (vec!["s".into()], vec!["t".into()], vec!["m".into()])
    );
    assert_eq!(word(&ask(&world, "nearest", &["unsurveyed".into()]), "name"), "t");
    assert_eq!(column(&ask(&world, "find", &["any".into(), 2.into()]), "name"), ["s", "m"]);
    let vertex = ask(&world, "vertex", &["u".into()]);
    assert_eq!((int(&vertex, "value"), int(&vertex, "degree")), (7, 1));
    assert_eq!(vertex.get("owner"), Some(&Value::Nil));
    assert_eq!(ask(&world, "vertex", &["nowhere".into()]), Value::Nil);
    assert_eq!(column(&ask(&world, "neighbours", &[]), "name"), ["m", "t"]);
    assert_eq!(column(&ask(&world, "neighbours", &["t".into()]), "name"), ["u", "n", "s"]);
}

#[test]
fn cut_vertices_tell_what_lies_behind_them() {
    let world = chain();
    let cuts = ask(&world, "cuts", &[]);
    assert_eq!(column(&cuts, "name"), ["t"]);
    assert_eq!(
        (int(&cuts.as_list().unwrap()[0], "behind"), int(&cuts.as_list().unwrap()[0], "worth")),
        (1, 7)
    );
    let mut line = stand::world(1);
    let mut first = percept(0, "a");
    edges(&mut first, &["a-b", "b-c", "c-d", "d-e", "x-y", "y-z"]);
    observe(&mut line, 0, first);
    assert_eq!(column(&ask(&line, "cuts", &[]), "name"), ["c", "b", "d", "y"]);
    assert_eq!(column(&ask(&line, "cuts", &[2.into()]), "name"), ["c", "b"]);
}

#[test]
fn enemies_are_remembered_where_they_were_seen_until_somebody_looks_again() {
    let mut world = chain();
    let names_of =
        |world: &World, options: Value| column(&ask(world, "enemies", &[options]), "name");
    assert_eq!(
        names_of(&world, Value::Nil),
        ["b20", "b3", "b5"],
        "a9 is a friend that nobody told of"
    );
    // b5 left m, b3 is still on t; no agent looks at either.
    let mut later = percept(9, "u");
    later.me.vis_range = Some(1);
    entities(&mut later, &["a2 A u", "b3 B t"]);
    observe(&mut world, 1, later);
    let b5 = ask(&world, "enemy", &["b5".into()]);
    assert_eq!(
        (word(&b5, "vertex"), int(&b5, "seen"), b5.get("gone")),
        ("m", 3, Some(&false.into()))
    );
    observe(&mut world, 0, percept(10, "m"));
    assert_eq!(ask(&world, "enemy", &["b5".into()]).get("gone"), Some(&true.into()));
    let known = Value::map([("known", true.into())]);
    assert_eq!(names_of(&world, known), ["b3"], "b20 is gone from s too");
    assert_eq!(names_of(&world, Value::map([("fresh", Value::Int(1))])), ["b3"]);
    assert_eq!(ask(&world, "enemy", &["a9".into()]), Value::Nil);
    // An old percept that comes late changes nothing.
    let mut late = percept(4, "s");
    entities(&mut late, &["b3 B s"]);
    observe(&mut world, 2, late);
    assert_eq!(word(&ask(&world, "enemy", &["b3".into()]), "vertex"), "t");
}

#[test]
fn roles_of_enemies_are_guessed_by_number_until_they_are_inspected() {
    let mut world = chain();
    let roles = |world: &World, name: &str| {
        let enemy = ask(world, "enemy", &[name.to_owned().into()]);
        (enemy.get("role").cloned(), word(&enemy, "guess").to_owned())
    };
    assert_eq!(roles(&world, "b3"), (Some(Value::Nil), "Repairer".into()));
    assert_eq!(roles(&world, "b20"), (Some(Value::Nil), "Inspector".into()));
    let threat = |world: &World, at: &str| {
        let threat = ask(world, "threat", &[at.to_owned().into()]);
        (int(&threat, "damage"), int(&threat, "damage_near"))
    };
    assert_eq!((threat(&world, "m"), threat(&world, "n")), ((3, 0), (0, 3)));
    assert_eq!(threat(&world, "t"), (0, 0), "a repairer hurts nobody");
    let mut second = percept(4, "s");
    second.inspected = vec![saboteur("b3", "t")];
    observe(&mut world, 0, second);
    assert_eq!(roles(&world, "b3"), (Some("Saboteur".into()), "Saboteur".into()));
    assert_eq!((threat(&world, "t"), threat(&world, "s").1), ((5, 0), 5));
    let mut strangers = percept(5, "s");
    entities(&mut strangers, &["odd B n"]);
    observe(&mut world, 0, strangers);
    assert_eq!(threat(&world, "n").0, 3, "a stranger may be a saboteur");
}

#[test]
fn agents_are_sent_so_that_all_ways_together_are_short() {
    let mut world = chain();
    observe(&mut world, 1, percept(3, "n"));
    let deploy = |by: Value| {
        let (agents, vertices) = (names(&["a1", "a2"]), names(&["t", "m", "u"]));
        ask(&world, "deploy", &[agents, vertices, by])
    };
    let pairs = Value::map([("a1", "m".into()), ("a2", "t".into())]);
    assert_eq!((deploy(Value::Nil), deploy("energy".into())), (pairs.clone(), pairs));
    let nowhere = ask(&world, "deploy", &[names(&["a1", "a3"]), names(&["nowhere"])]);
    assert_eq!(nowhere, Value::Map(Vec::new()));
    let costs = Value::List(vec![
        Value::List(vec![1.into(), 2.into()]),
        Value::List(vec![1.into(), Value::Num(2.5)]),
        Value::List(vec![false.into(), false.into()]),
    ]);
    let jobs = ask(&world, "assign", &[costs]);
    assert_eq!(jobs, Value::List(vec![2.into(), 1.into(), 0.into()]));
}

#[test]
fn the_team_and_the_simulation_are_known_to_all() {
    let mut world = stand::world(2);
    world.begin(0, AgentId(0), Some(&briefing("Explorer")));
    let mut first = percept(0, "a");
    first.team.achievements = vec!["area10".into(), "proved5".into()];
    first.team.zones_score = Some(5);
    edges(&mut first, &["a-b 2", "b-c"]);
    values(&mut first, &["a 4"]);
    entities(&mut first, &["a1 Reds a"]);
    observe(&mut world, 0, first);
    let mut second = percept(1, "b");
    second.team.achievements = vec!["area10".into(), "inspected5".into()];
    second.team.money = None;
    observe(&mut world, 1, second);
    let team = ask(&world, "team", &[]);
    assert_eq!((word(&team, "name"), int(&team, "money"), int(&team, "score")), ("Reds", 6, 1));
    assert_eq!(team.get("achievements"), Some(&names(&["area10", "inspected5", "proved5"])));
    assert_eq!(int(&team, "zones_score"), 5, "what was not told again stands");
    let sim = ask(&world, "sim", &[]);
    assert_eq!(
        (int(&sim, "steps"), int(&sim, "vertices"), word(&sim, "role")),
        (750, 200, "Explorer")
    );
    assert_eq!((int(&sim, "known_vertices"), int(&sim, "known_edges")), (3, 2));
    assert_eq!((int(&sim, "probed"), int(&sim, "surveyed"), int(&sim, "worth")), (1, 1, 6));
    assert_eq!(world.score(), Some(1));
    assert_eq!(world.state(AgentId(0)).summary, "a health 3/4 energy 20/30");
    assert_eq!(word(&ask(&world, "mate", &["a2".into()]), "vertex"), "b");
}

#[test]
fn a_value_that_was_not_told_stands_as_before() {
    let mut world = chain();
    let mut next = percept(4, "");
    (next.me.energy, next.me.health) = (None, Some(0));
    observe(&mut world, 0, next);
    let field = |name: &str| world.field(AgentId(0), name).unwrap();
    assert_eq!((field("energy"), field("position")), (Value::Int(20), "s".into()));
    assert_eq!(field("disabled"), true.into());
    assert_eq!(world.field(AgentId(0), "nonsense"), None);
    assert_eq!(world.field(AgentId(1), "energy"), None);
}

#[test]
fn another_round_is_another_map() {
    let mut world = chain();
    world.begin(1, AgentId(0), Some(&briefing("Sentinel")));
    assert_eq!(int(&ask(&world, "sim", &[]), "known_vertices"), 0);
    assert_eq!(ask(&world, "here", &[]), Value::Nil);
    world.observe(Turn::new(1, 0), AgentId(0), percept(0, "s"));
    world.begin(1, AgentId(1), None);
    assert_eq!(word(&ask(&world, "sim", &[]), "role"), "Sentinel");
}

#[test]
fn every_declared_name_is_answered_also_before_the_first_percept() {
    for known in [stand::world(1), chain()] {
        for query in API.queries {
            let args = match query.name {
                "find" | "nearest" => vec!["any".into()],
                "path" | "distance" => vec!["s".into()],
                "mate" => vec!["a1".into()],
                "enemy" => vec!["b5".into()],
                "closest" => vec![names(&["s"])],
                "assign" => vec![Value::List(Vec::new())],
                "deploy" => vec![names(&["a1"]), names(&["s"])],
                "best_zone" => vec![3.into()],
                _ => Vec::new(),
            };
            known.query(AgentId(0), query.name, &args).unwrap();
        }
    }
    let world = chain();
    for field in API.percept {
        assert!(world.field(AgentId(0), field.name).is_some(), "{}", field.name);
    }
    for action in API.actions {
        let args = action.params.iter().map(|_| "shield".into()).collect();
        let said = Said::new(action.name, args);
        assert_eq!(world.parse(AgentId(0), &said).unwrap().name(), action.name);
    }
    assert_eq!(world.fallback(AgentId(0)), Action::Recharge);
}

#[test]
fn wrong_questions_say_what_was_expected() {
    let world = chain();
    let cases: [(&str, Vec<Value>, &str); 10] = [
        ("fly", vec![], "there is no such query"),
        ("find", vec!["gold".into()], "argument 1: expected \"unprobed\", \"unsurveyed\""),
        (
            "find",
            vec!["any".into(), (-1).into()],
            "argument 2: expected a whole number, not negative, got number",
        ),
        ("vertex", vec![7.into()], "argument 1: expected the name of a vertex, got number"),
        (
            "path",
            vec!["u".into(), Value::map([("by", "luck".into())])],
            "argument 2: expected by = \"steps\", \"energy\" or \"time\", got table",
        ),
        ("path", vec!["u".into(), 3.into()], "argument 2: expected a table of options, got number"),
        (
            "mate",
            vec!["b5".into()],
            "argument 1: expected the name of an agent of the team, got string",
        ),
        (
            "deploy",
            vec![names(&["b5"]), names(&["s"])],
            "argument 1: expected names of agents of the team, got list",
        ),
        (
            "zones",
            vec![Value::List(vec![1.into()])],
            "argument 1: expected a list of at most 4096 names, got list",
        ),
        ("best_zone", vec![], "argument 1: expected how many agents, got nil"),
    ];
    for (name, args, reason) in cases {
        let error = world.query(AgentId(0), name, &args).unwrap_err();
        assert!(error.reason.starts_with(reason), "{name}: {}", error.reason);
    }
}
