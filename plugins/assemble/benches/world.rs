//! What it costs to keep a copy of the world after a turn, to draw it, and to save it: teams late in
//! a match, on a map that they have walked for hundreds of steps.
#![allow(clippy::unwrap_used, reason = "a benchmark may stop at the first surprise")]
#![allow(clippy::print_stdout, reason = "the size of what is saved is measured, too")]
#![allow(clippy::disallowed_methods, reason = "a benchmark has no other clock")]

use criterion::{Criterion, criterion_group, criterion_main};
use phalanx_assemble::action::Action;
use phalanx_assemble::arena::{ArenaConfig, ArenaOptions, AssembleArena};
use phalanx_assemble::wire::{self, Message};
use phalanx_assemble::world::World;
use phalanx_game::sorted::SortedMap;
use phalanx_game::{
    AgentId, Arena as _, ConnectionId, Origin, Outgoing, Roster, RosterEntry, Turn, World as _,
};
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

/// The organisers' sample values for that many agents on a square map.
fn config(agents: u16, side: u32, steps: u32) -> ArenaConfig {
    let text = include_str!("../tests/assemble/arena_conformance/minimal.json")
        .replace("\"instructions\": []", "\"instructions\": [[\"cave\", 0.45, 9, 5, 4]]")
        .replace("\"standard\": 5", &format!("\"standard\": {agents}"))
        .replace("\"steps\": 40", &format!("\"steps\": {}", steps + 50))
        .replace(
            "\"width\": 30, \"height\": 24",
            &format!("\"width\": {side}, \"height\": {side}"),
        );
    ArenaConfig::load(Path::new("c.json"), &|_: &Path| Ok(text.clone().into_bytes())).unwrap()
}

/// An agent walks some steps in one direction, then in the next.
fn heading(agent: AgentId, step: u32) -> &'static str {
    let leg = step / 9 + u32::from(agent.0);
    match (leg * 7 + u32::from(agent.0)) % 4 {
        0 => "n",
        1 => "e",
        2 => "s",
        _ => "w",
    }
}

/// The first team's world after that many steps of walking.
fn walked(agents: u16, side: u32, steps: u32) -> World {
    let (config, now) = (config(agents, side, steps), Instant::now());
    let options = ArenaOptions { replays: false, results: false, ..ArenaOptions::default() };
    let origin = Origin { instant: now, unix_ms: 0 };
    let mut arena = AssembleArena::new(config.clone(), options, origin);
    let mut agents = SortedMap::new();
    let mut connections = (0..).map(ConnectionId);
    for (team, password) in config.teams.iter().zip(["1", "2"]) {
        for number in 1..=config.accounts_per_team() {
            let connection = connections.next().unwrap();
            let user = team.account(number);
            arena.handle_join(connection, now);
            let login = format!(
                "{{\"type\":\"auth-request\",\"content\":{{\"user\":\"{user}\",\"pw\":\"{password}\"}}}}\0"
            );
            arena.handle_input(connection, login.as_bytes(), now);
            if password == "1" {
                agents.insert(connection, (AgentId(u16::try_from(agents.len()).unwrap()), user));
            }
        }
    }
    let entry = |(_, user): &(AgentId, String)| RosterEntry::new(user.clone(), "w");
    let roster = Roster {
        team: config.teams.first().unwrap().name.clone(),
        agents: agents.values().map(entry).collect(),
    };
    let mut world = World::new(&roster);
    arena.start(now);
    while arena.verdict().step < steps {
        walk(&mut arena, &agents, &mut world, now);
        arena.handle_timeout(now);
    }
    world
}

/// Everybody answers what was asked; the team's world hears of it.
fn walk(
    arena: &mut AssembleArena,
    agents: &SortedMap<ConnectionId, (AgentId, String)>,
    world: &mut World,
    now: Instant,
) {
    let mut asked = Vec::new();
    while let Some(out) = arena.poll_transmit() {
        let Outgoing::Bytes(connection, bytes) = out else { continue };
        let message = wire::decode(bytes.strip_suffix(b"\0").unwrap_or(&bytes)).unwrap();
        let agent = agents.get(&connection).map(|(agent, _)| *agent);
        match (message, agent) {
            (Message::SimStart(briefing), Some(agent)) => world.begin(0, agent, Some(&briefing)),
            (Message::RequestAction(request), agent) => {
                let step = request.percept.step;
                asked.push((connection, request.id, agent, step));
                if let Some(agent) = agent {
                    world.observe(Turn::new(0, step), agent, request.percept);
                }
            }
            _ => {}
        }
    }
    let Some((.., step)) = asked.first().copied() else { return };
    world.settle(Turn::new(0, step));
    for (connection, id, agent, step) in asked {
        let to = agent.map_or("n", |agent| heading(agent, step));
        if let Some(agent) = agent {
            let action = Action::from_wire("move", &[to.to_owned()]).unwrap();
            world.acted(Turn::new(0, step), agent, &action);
        }
        let answer = format!(
            "{{\"type\":\"action\",\"content\":{{\"id\":{id},\"type\":\"move\",\"p\":[\"{to}\"]}}}}\0"
        );
        arena.handle_input(connection, answer.as_bytes(), now);
    }
}

fn benches(criterion: &mut Criterion) {
    let world = walked(15, 70, 700);
    let known: usize =
        (0..15).map(AgentId).map(|agent| world.known(agent).count()).max().unwrap_or(0);
    assert!(known > 1_000, "only {known} cells are known: nobody walked");
    criterion.bench_function("world/copy, 15 agents, 700 steps", |bench| {
        bench.iter(|| black_box(&world).clone())
    });
    criterion.bench_function("world/draw, 15 agents, 700 steps", |bench| {
        bench.iter(|| black_box(&world).draw().bounded())
    });
    for (agents, side) in [(15, 70), (50, 100)] {
        let world = walked(agents, side, 500);
        let saved = world.save();
        println!("saved after 500 steps with {agents} agents: {} bytes", saved.len());
        criterion.bench_function(&format!("world/copy, {agents} agents, 500 steps"), |bench| {
            bench.iter(|| black_box(&world).clone());
        });
        criterion.bench_function(&format!("world/save, {agents} agents, 500 steps"), |bench| {
            bench.iter(|| black_box(&world).save());
        });
        criterion.bench_function(&format!("world/restore, {agents} agents, 500 steps"), |bench| {
            bench.iter(|| world.clone().restore(black_box(&saved)).is_ok());
        });
    }
}

criterion_group!(world, benches);
criterion_main!(world);
