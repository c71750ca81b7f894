//! Agents that come to a team later, and that leave it: what the world makes of them.

use crate::common::stand::{self, briefing, column, edges, entities, int, names, percept, values};
use phalanx_game::{AgentId, Roster, RosterEntry, Turn, Value, World as _};
use phalanx_mars::world::World;
use proptest::prelude::*;

/// Agents of the whole team.
const AGENTS: u16 = 5;
const TURNS: u32 = 20;
const VERTICES: [&str; 4] = ["a", "b", "c", "d"];

fn roster(agents: u16, gone: &[u16]) -> Roster {
    let entry = |index| {
        let entry = RosterEntry::new(format!("a{}", index + 1), "any");
        RosterEntry { gone: gone.contains(&index), ..entry }
    };
    Roster { team: "A".into(), agents: (0..agents).map(entry).collect() }
}

/// Where an agent is, whom it sees there, and how healthy it is; `None`: nothing is heard.
type ResumeFrame = Option<(usize, Vec<(usize, usize, bool)>, i32)>;

fn heard() -> impl Strategy<Value = ResumeFrame> {
    let seen = (0..8_usize, 0..VERTICES.len(), any::<bool>());
    let seen = prop::collection::vec(seen, 0..4);
    prop::option::weighted(0.8, (0..VERTICES.len(), seen, 0..4))
}

/// Plays a history in which agents from `late` on are heard from turn `from` on; the world meets
/// them there, or has known them from the beginning.
fn play(history: &[Vec<ResumeFrame>], late: u16, from: u32, enrolled: bool) -> World {
    let mut world = World::new(&roster(if enrolled { late } else { AGENTS }, &[]));
    for (step, heard) in (0_u32..).zip(history) {
        if step == from && enrolled {
            world.enroll(&roster(AGENTS, &[]));
        }
        let turn = Turn::new(0, step);
        let present = (0..AGENTS).filter(|agent| *agent < late || step >= from);
        for (agent, heard) in present.zip(heard) {
            let Some((at, seen, health)) = heard else { continue };
            world.begin(0, AgentId(agent), Some(&briefing("Explorer")));
            let mut percept = percept(step, VERTICES[*at]);
            percept.me.health = Some(*health);
            edges(&mut percept, &["a-b 2", "b-c", "c-d 1"]);
            let shown = |(who, at, down): &(usize, usize, bool)| {
                let (team, number) = if *who < 5 { ("A", who + 1) } else { ("B", who - 4) };
                let name = if team == "A" { "a" } else { "b" };
                let mark = if *down { "!" } else { "" };
                format!("{name}{number} {team} {}{mark}", VERTICES[*at])
            };
            let shown: Vec<String> = seen.iter().map(shown).collect();
            entities(&mut percept, &shown.iter().map(String::as_str).collect::<Vec<_>>());
            world.observe(turn, AgentId(agent), percept);
        }
        world.settle(turn);
    }
    world
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn who_is_enrolled_late_is_as_one_who_was_not_heard_of_yet(
        history in prop::collection::vec(
            prop::collection::vec(heard(), usize::from(AGENTS)), 2..TURNS as usize),
        late in 1..AGENTS,
        from in 1..TURNS,
    ) {
        let enrolled = format!("{:?}", play(&history, late, from, true));
        let mut known = play(&history, late, from, false);
        if u32::try_from(history.len()).unwrap() <= from {
            // No agent came: the teams differ by those without any percept.
            known.enroll(&roster(late, &[]));
        }
        prop_assert_eq!(enrolled, format!("{known:?}"));
    }
}

/// Agents on a and c, an enemy on h: the worked example of section 9.
fn example() -> World {
    let mut world = World::new(&roster(2, &[]));
    let mut first = percept(0, "a");
    let roads =
        ["a-b", "b-c", "c-d", "d-a", "e-a", "e-b", "e-f", "f-c", "f-d", "g-a", "g-h", "g-i", "i-h"];
    edges(&mut first, &roads);
    values(&mut first, &["a 3", "c 2", "e 10"]);
    entities(&mut first, &["a1 A a", "b1 B h"]);
    stand::observe(&mut world, 0, first);
    stand::observe(&mut world, 1, percept(0, "c"));
    world
}

/// An answer to the second agent, who stays.
fn ask(world: &World, name: &str, args: &[Value]) -> Value {
    world.query(AgentId(1), name, args).unwrap()
}

/// What it sees in a later step.
fn sees(world: &mut World, step: u32, list: &[&str]) {
    let mut now = percept(step, "c");
    entities(&mut now, list);
    stand::observe(world, 1, now);
}

fn value(world: &World) -> i64 {
    int(&ask(world, "zones", &[]), "value")
}

#[test]
fn nobody_counts_on_an_agent_that_is_gone_but_it_still_holds_its_vertex() {
    let mut world = example();
    assert_eq!(value(&world), 18);
    world.enroll(&roster(2, &[0]));
    assert_eq!(value(&world), 18, "the zone hangs on it, and is still ours");
    assert_eq!(column(&ask(&world, "agents", &[]), "name"), ["a2"]);
    assert_eq!(column(&ask(&world, "holding", &[]), "name"), ["a2"]);
    assert_eq!(ask(&world, "mate", &["a1".into()]), Value::Nil, "an expected failure");
    let sent = ask(&world, "deploy", &[names(&["a1", "a2"]), names(&["b", "d"])]);
    assert_eq!(sent.get("a1"), None, "it goes nowhere: {sent:?}");
    assert!(sent.get("a2").is_some(), "{sent:?}");
    assert_eq!(ask(&world, "enemies", &[]).as_list().unwrap().len(), 1, "it is no enemy");
}

#[test]
fn how_an_agent_is_that_is_gone_whoever_sees_it_knows() {
    let mut world = example();
    world.enroll(&roster(2, &[0]));
    sees(&mut world, 1, &["a1 A a!", "b1 B h"]);
    let alone = value(&world);
    assert!(alone < 18, "disabled it holds nothing: {alone}");
    sees(&mut world, 2, &["a1 A a", "b1 B h"]);
    assert_eq!(value(&world), 18, "repaired it does");
}

#[test]
fn an_agent_that_comes_back_counts_again() {
    let mut world = example();
    world.enroll(&roster(2, &[0]));
    world.enroll(&roster(2, &[]));
    assert_eq!(column(&ask(&world, "agents", &[]), "name"), ["a1", "a2"]);
    stand::observe(&mut world, 0, percept(3, "d"));
    assert_eq!(column(&ask(&world, "agents", &[]), "vertex"), ["d", "c"]);
}
