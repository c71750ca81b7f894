//! The belief of a daemon that is killed in mid-match and started again.

use crate::common::bout::{Bout, bout};
use phalanx_game::{AgentId, Met, Turn, Value, World as _};
use phalanx_mars::api::API;
use phalanx_mars::percept::{Briefing, Percept, ProbedVertex, SeenEdge, SurveyedEdge};
use phalanx_mars::world::World;
use phalanx_testkit::answers::{ArgumentSamples, answers};
use phalanx_testkit::saved::{damaged_beliefs_are_refused, saved_and_restored};

const STEPS: usize = 40;
const AGENTS: usize = 10;

/// Steps in which no agent of the team receives or sends anything.
const OUTAGE: std::ops::Range<usize> = 20..26;

fn played() -> Bout {
    bout(7, AGENTS, STEPS, 20..26)
}

/// The belief before a step.
fn until(bout: &Bout, step: usize) -> World {
    let mut world = bout.fresh();
    bout.join(&mut world);
    (0..step).for_each(|step| bout.hear(&mut world, step));
    world
}

fn told(world: &World, bout: &Bout) -> Vec<String> {
    let samples = ArgumentSamples {
        agents: &["a1", "a3", "a9", "b1"],
        texts: &["vertex3", "b5", "vertex17"],
        cells: &[],
        ints: &[2, 9, 40],
    };
    answers(world, &API, &bout.agents()[..2], samples)
}

#[test]
fn a_belief_that_was_restored_goes_on_as_the_one_that_was_saved() {
    let bout = played();
    for kill in [0, 1, 20] {
        let mut whole = until(&bout, kill);
        let mut restored = saved_and_restored(&whole, bout.fresh());
        bout.join(&mut restored);
        assert_eq!(told(&whole, &bout), told(&restored, &bout), "before step {kill}");
        for step in kill..STEPS {
            bout.hear(&mut whole, step);
            bout.hear(&mut restored, step);
            assert_eq!(whole.save(), restored.save(), "killed before {kill}, step {step}");
            if step % 13 == 0 {
                assert_eq!(told(&whole, &bout), told(&restored, &bout), "step {step}");
            }
        }
    }
}

#[test]
fn a_belief_goes_on_over_an_outage() {
    let bout = played();
    let before = until(&bout, OUTAGE.start);
    let mut world = saved_and_restored(&before, bout.fresh());
    for (agent, briefing) in bout.agents().into_iter().zip(&bout.briefings) {
        assert_eq!(world.recognize(agent, Met::Round(Some(briefing))), Ok(()));
    }
    bout.join(&mut world);
    for step in OUTAGE.end..STEPS {
        let turn = Turn::new(0, u32::try_from(step).unwrap());
        for (agent, percept) in bout.agents().into_iter().zip(&bout.percepts[step]) {
            assert_eq!(world.recognize(agent, Met::Turn(turn, percept)), Ok(()), "step {step}");
        }
        bout.hear(&mut world, step);
        nothing_is_forgotten(&before, &world, &bout);
        what_is_believed_is_true(&world, &bout, step);
    }
    assert!(!told(&world, &bout).is_empty());
}

fn ask(world: &World, name: &str, args: &[Value]) -> Value {
    world.query(AgentId(0), name, args).unwrap()
}

fn int(table: &Value, key: &str) -> Option<i64> {
    table.get(key).and_then(Value::as_int)
}

fn text<'a>(row: &'a Value, key: &str) -> &'a str {
    row.get(key).and_then(Value::as_str).unwrap()
}

fn vertices(bout: &Bout) -> impl Iterator<Item = (&str, i64)> {
    let map = &bout.truth[0].setting.map;
    map.vertices().iter().map(|vertex| (vertex.name.as_str(), i64::from(vertex.value)))
}

fn nothing_is_forgotten(before: &World, now: &World, bout: &Bout) {
    let names = |world: &World, query: &str, args: &[Value]| -> Vec<String> {
        let rows = ask(world, query, args);
        rows.as_list().unwrap().iter().map(|row| text(row, "name").to_owned()).collect()
    };
    for (name, _) in vertices(bout) {
        let args = [name.to_owned().into()];
        let [old, new] = [before, now].map(|world| ask(world, "vertex", &args));
        for key in ["value", "degree", "seen", "watched"] {
            assert!(int(&old, key) <= int(&new, key), "{name}: {key} of {old:?}, {new:?}");
        }
    }
    let [old, new] = [before, now].map(|world| names(world, "enemies", &[]));
    assert!(old.iter().all(|enemy| new.contains(enemy)), "{old:?} {new:?}");
    assert!(!old.is_empty());
    for key in ["known_edges", "surveyed", "probed"] {
        let [old, new] = [before, now].map(|world| int(&ask(world, "sim", &[]), key).unwrap());
        assert!(0 < old && old <= new, "{key}: {old}, {new}");
    }
}

fn what_is_believed_is_true(world: &World, bout: &Bout, step: usize) {
    let truth = &bout.truth[step];
    let at = |name: &str| {
        let body = &truth.agents[truth.setting.find(name).unwrap()];
        truth.setting.map.name(body.at)
    };
    for mate in ask(world, "agents", &[]).as_list().unwrap() {
        assert_eq!(text(mate, "vertex"), at(text(mate, "name")), "step {step}");
    }
    let fresh = Value::map([("fresh", Value::Int(0)), ("known", true.into())]);
    for enemy in ask(world, "enemies", &[fresh]).as_list().unwrap() {
        assert_eq!(text(enemy, "vertex"), at(text(enemy, "name")), "step {step}");
    }
    for (name, value) in vertices(bout) {
        let vertex = ask(world, "vertex", &[name.to_owned().into()]);
        assert!(int(&vertex, "value").is_none_or(|known| known == value), "{name}");
        let map = &truth.setting.map;
        let links = map.links().of(map.find(name).unwrap());
        if let Some(degree) = int(&vertex, "degree") {
            let all = i64::try_from(links.len()).unwrap();
            let complete = vertex.get("complete").and_then(Value::as_bool).unwrap();
            assert!(degree == all || (degree < all && !complete), "{name}: {vertex:?}");
        }
    }
}

#[test]
fn damaged_bytes_are_no_belief() {
    let bout = bout(3, 2, 6, 0..0);
    damaged_beliefs_are_refused(&until(&bout, 6), &bout.fresh());
}

#[test]
fn what_damaged_bytes_say_can_be_lived_with() {
    let bout = bout(3, 2, 8, 0..0);
    let saved = until(&bout, 6).save();
    let mut taken = 0;
    for at in (0..saved.len()).step_by(23) {
        let mut bytes = saved.clone();
        bytes[at] = bytes[at].wrapping_add(1);
        let mut world = bout.fresh();
        if world.restore(&bytes).is_err() {
            continue;
        }
        taken += 1;
        bout.join(&mut world);
        (6..8).for_each(|step| bout.hear(&mut world, step));
        assert!(!told(&world, &bout).is_empty());
    }
    assert!(taken > 0);
}

#[test]
fn a_belief_of_another_team_is_refused() {
    let small = bout(3, 2, 2, 0..0);
    let large = bout(3, 3, 2, 0..0);
    let mut fresh = large.fresh();
    let error = fresh.restore(&until(&small, 2).save()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the saved belief is of another team: of \"?\" instead of \"a3\""
    );
    assert_eq!(fresh.save(), large.fresh().save());
}

#[test]
fn the_same_simulation_is_recognized_and_others_are_not() {
    let bout = bout(3, 2, 8, 0..0);
    let world = until(&bout, 6);
    let check = |change: fn(&mut Briefing), reason: &str| {
        let mut met = bout.briefings[0].clone();
        change(&mut met);
        let reason = if reason.is_empty() { Ok(()) } else { Err(reason.to_owned()) };
        assert_eq!(world.recognize(AgentId(0), Met::Round(Some(&met))), reason);
    };
    assert_eq!(world.recognize(AgentId(0), Met::Round(None)), Ok(()));
    check(|_| {}, "");
    check(|met| (met.edges, met.id) = (None, "".into()), "");
    check(|met| met.id = "102".into(), "the simulation's id is \"102\", and was \"0\"");
    check(
        |met| met.role = "Saboteur".into(),
        "the agent's role is \"Saboteur\", and was \"Explorer\"",
    );
    check(|met| met.steps = Some(750), "the simulation has 750 steps, the saved one has 8");
    check(|met| met.vertices = Some(61), "the simulation has 61 vertices, the saved one has 60");
}

#[test]
fn an_earlier_step_and_another_map_are_not_recognized() {
    let bout = bout(3, 2, 30, 0..0);
    let world = until(&bout, 28);
    let check = |step: usize, change: fn(&mut Percept), reason: &str| {
        let mut met = bout.percepts[step][0].clone();
        change(&mut met);
        let turn = Turn::new(0, met.step);
        let told = world.recognize(AgentId(0), Met::Turn(turn, &met));
        let told = told.err().unwrap_or_default();
        assert!(told.contains(reason) && reason.is_empty() == told.is_empty(), "{step}: {told}");
    };
    check(27, |_| {}, "");
    check(28, |_| {}, "");
    check(29, |_| {}, "");
    check(26, |_| {}, "step 26 is past: step 27 was seen before");
    check(29, |met| met.team.score = Some(0), "the team's score is 0, and was");
    let value = |met: &mut Percept| {
        let seen = met.vertices.iter().map(|vertex| vertex.name.clone());
        met.probed = seen.map(|name| ProbedVertex { name, value: Some(77) }).collect();
    };
    check(29, value, "it is another map: vertex");
    let weight = |met: &mut Percept| {
        let ends = met.edges.iter().map(|edge| (edge.node1.clone(), edge.node2.clone()));
        let weigh = |(node1, node2)| SurveyedEdge { node1, node2, weight: Some(77) };
        met.surveyed = ends.map(weigh).collect();
    };
    check(29, weight, "it is another map: the way from");
    let edge = |met: &mut Percept| {
        let edge = SeenEdge { node1: met.me.position.clone(), node2: "moon".into() };
        met.edges.push(edge);
    };
    check(27, edge, "it is another map: there is a way from");
}

#[test]
fn a_belief_of_nothing_yet_meets_any_simulation() {
    let bout = bout(3, 2, 2, 0..0);
    let world = saved_and_restored(&bout.fresh(), bout.fresh());
    assert_eq!(world.recognize(AgentId(0), Met::Round(Some(&bout.briefings[0]))), Ok(()));
    let turn = Turn::new(0, 1);
    assert_eq!(world.recognize(AgentId(0), Met::Turn(turn, &bout.percepts[1][0])), Ok(()));
}

#[test]
fn another_match_is_told_by_its_map() {
    let [one, other] = [3, 4].map(|seed| bout(seed, 4, 12, 0..0));
    let world = until(&one, 8);
    assert_eq!(world.recognize(AgentId(0), Met::Round(Some(&one.briefings[0]))), Ok(()));
    let turn = Turn::new(0, 11);
    let met = one.agents().into_iter().zip(&other.percepts[11]);
    let refused = met.filter(|(agent, met)| world.recognize(*agent, Met::Turn(turn, met)).is_err());
    assert!(
        refused.count() > 0,
        "nothing is on the map of another match where it is on this one's"
    );
}
