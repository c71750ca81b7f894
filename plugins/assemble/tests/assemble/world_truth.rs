//! The belief against what the real server knew: recorded percepts go in, positions, structures,
//! maps and the torus' size come out and are compared with the replay, step by step.
//!
//! Needs `PHALANX_TRACES`; skips with a line otherwise.

use crate::common::truth::{State, Truth};
use phalanx_assemble::action::Action;
use phalanx_assemble::percept::{Briefing, Percept};
use phalanx_assemble::wire::{self, Message};
use phalanx_assemble::world::World;
use phalanx_game::sorted::SortedMap;
use phalanx_game::{AgentId, Roster, RosterEntry, Turn, World as _};
use phalanx_grid::{Cell, FrameId};
use phalanx_testkit::traces::{self, TraceDirection};

/// One simulation as a team saw it.
#[derive(Default)]
struct Recorded {
    briefings: SortedMap<AgentId, Briefing>,
    percepts: SortedMap<u32, SortedMap<AgentId, Percept>>,
    sent: SortedMap<u32, SortedMap<AgentId, Action>>,
}

struct Recording {
    roster: Roster,
    rounds: Vec<Recorded>,
}

fn record(name: &str, team: &str) -> Option<Recording> {
    let lines = traces::lines(name)?;
    let prefix = format!("agent{team}");
    let mut names: Vec<String> = lines
        .iter()
        .filter(|line| line.agent.starts_with(&prefix))
        .map(|line| line.agent.clone())
        .collect();
    names.sort_by_key(|name| name[prefix.len()..].parse::<u32>().unwrap());
    names.dedup();
    let agents = names.iter().map(|name| RosterEntry::new(name.clone(), "w"));
    let roster = Roster { team: team.to_owned(), agents: agents.collect() };
    let mut rounds: Vec<Recorded> = Vec::new();
    let mut round_of: SortedMap<AgentId, usize> = SortedMap::new();
    for line in lines {
        let Some(agent) = roster.find(&line.agent) else { continue };
        if line.direction == TraceDirection::Out {
            let json: serde_json::Value = serde_json::from_str(&line.message).unwrap();
            let (Some(index), content) = (round_of.get(&agent), &json["content"]) else { continue };
            let round = &mut rounds[*index];
            let Some(step) = round.percepts.keys().next_back().copied() else { continue };
            let params = content["p"].as_array().cloned().unwrap_or_default();
            let params: Vec<String> =
                params.iter().filter_map(|param| param.as_str().map(str::to_owned)).collect();
            let action = content["type"].as_str().and_then(|kind| Action::from_wire(kind, &params));
            if let Some(action) = action {
                round.sent.entry(step).or_default().insert(agent, action);
            }
            continue;
        }
        match wire::decode(line.message.as_bytes()).unwrap() {
            Message::SimStart(briefing) => {
                let index = round_of.get(&agent).map_or(0, |index| index + 1);
                round_of.insert(agent, index);
                if rounds.len() <= index {
                    rounds.push(Recorded::default());
                }
                rounds[index].briefings.insert(agent, briefing);
            }
            Message::RequestAction(request) => {
                let round = &mut rounds[round_of[&agent]];
                let step = round.percepts.entry(request.percept.step).or_default();
                step.insert(agent, request.percept);
            }
            Message::AuthResponse { .. }
            | Message::SimEnd { .. }
            | Message::Bye
            | Message::StatusResponse(_)
            | Message::Unknown { .. } => {}
        }
    }
    Some(Recording { roster, rounds })
}

/// Feeds a simulation to a world; after each settled step `check` looks at it.
fn feed(
    recording: &Recording,
    index: usize,
    hears: impl Fn(u32, AgentId) -> bool,
    mut check: impl FnMut(u32, &World),
) -> World {
    let mut world = World::new(&recording.roster);
    let round = u32::try_from(index).unwrap();
    let recorded = &recording.rounds[index];
    for (agent, briefing) in &recorded.briefings {
        world.begin(round, *agent, Some(briefing));
    }
    for (step, percepts) in &recorded.percepts {
        let turn = Turn::new(round, *step);
        for (agent, percept) in percepts {
            if hears(*step, *agent) {
                world.observe(turn, *agent, percept.clone());
            }
        }
        world.settle(turn);
        check(*step, &world);
        for (agent, action) in recorded.sent.get(step).into_iter().flatten() {
            world.acted(turn, *agent, action);
        }
    }
    world
}

/// Whether the believed positions of all agents of one group differ as the true ones do.
fn positions_agree(
    recording: &Recording,
    world: &World,
    truth: (&Truth, &State),
    heard: impl Fn(AgentId) -> bool,
) -> usize {
    let (truth, state) = truth;
    let mut anchors: SortedMap<FrameId, (AgentId, Cell)> = SortedMap::new();
    for agent in recording.roster.ids().filter(|agent| heard(*agent)) {
        let Some((frame, at)) = world.position(agent) else { continue };
        let real = state.entities[recording.roster.name(agent)].at;
        let shift = truth.extent.wrap(real - at);
        let (first, known) = *anchors.entry(frame).or_insert((agent, shift));
        assert!(
            truth.extent.same(known, shift),
            "{} and {} of one group are {:?} apart from the truth",
            recording.roster.name(first),
            recording.roster.name(agent),
            truth.extent.delta(known, shift),
        );
    }
    anchors.len()
}

/// How many cells the agent's group believes wrongly among those that it sees in this step.
fn map_errors(recording: &Recording, world: &World, step: u32, truth: (&Truth, &State)) -> usize {
    let (truth, state) = truth;
    let mut errors = 0;
    for agent in recording.roster.ids() {
        let Some((_, at)) = world.position(agent) else { continue };
        let shift = state.entities[recording.roster.name(agent)].at - at;
        for (cell, obstacle, seen) in world.known(agent) {
            let real = truth.extent.wrap(cell + shift);
            let row = &state.cells[usize::try_from(real.y).unwrap()];
            let is = row[usize::try_from(real.x).unwrap()] == 2;
            errors += usize::from(seen == step && is != obstacle);
        }
    }
    errors
}

/// Agents whose believed structure is not the true one.
fn wrong_bodies<'a>(
    recording: &'a Recording,
    world: &World,
    (truth, state): (&Truth, &State),
) -> Vec<&'a str> {
    let wrong = |agent: &AgentId| {
        let entity = &state.entities[recording.roster.name(*agent)];
        let relative = |cell: &Cell| truth.extent.delta(entity.at, *cell);
        let mut real: Vec<Cell> = entity.attached.iter().map(relative).collect();
        real.sort_unstable();
        let mut believed: Vec<Cell> = world.blocks(*agent).iter().map(|(cell, _)| *cell).collect();
        believed.extend(world.crew(*agent).iter().map(|(cell, _)| *cell));
        believed.sort_unstable();
        real != believed
    };
    let agents = recording.roster.ids().filter(wrong);
    agents.map(|agent| recording.roster.name(agent)).collect()
}

/// Follows who is believed to carry what. The percept of a step shows what the step's events did
/// first, the replay does not: a difference may last one step, not two.
#[derive(Default)]
struct Bodies<'a> {
    wrong: Vec<&'a str>,
    steps: usize,
}

impl<'a> Bodies<'a> {
    fn check(&mut self, now: Vec<&'a str>, step: u32) {
        let lasting = now.iter().find(|name| self.wrong.contains(name));
        assert_eq!(lasting, None, "wrong for a second step at {step}");
        self.steps += now.len();
        self.wrong = now;
    }
}

const TEAM: &str = "mapc2020/team_750steps_seed42.jsonl.gz";
const TEAM_REPLAY: &str = "mapc2020/replay/team_seed42_replay.tar.gz";
const MIXED: &str = "mapc2020/mixed_150steps_seed7.jsonl.gz";
const MIXED_REPLAY: &str = "mapc2020/replay/mixed_seed7_replay.tar.gz";

#[test]
fn a_whole_simulation_is_believed_as_it_was() {
    let (Some(recording), Some(truth)) = (record(TEAM, "B"), Truth::load(TEAM_REPLAY)) else {
        return;
    };
    let (mut groups, mut wrong, mut bodies) = (Vec::new(), 0, Bodies::default());
    let mut measured = None;
    let world = feed(
        &recording,
        0,
        |_, _| true,
        |step, world| {
            let state = &truth.states[&(i64::from(step) - 1)];
            groups.push(positions_agree(&recording, world, (&truth, state), |_| true));
            if world.extent() == truth.extent && measured.is_none() {
                measured = Some(step);
            }
            if step % 10 == 0 {
                wrong += map_errors(&recording, world, step, (&truth, state));
            }
            bodies.check(wrong_bodies(&recording, world, (&truth, state)), step);
        },
    );
    let joined = groups.iter().position(|groups| *groups == 1);
    println!(
        "one group from step {joined:?}, torus from {measured:?}, {:?}, {wrong} cells changed by \
         events, structures one step late {}",
        world.counts(),
        bodies.steps,
    );
    assert_eq!(world.extent(), truth.extent);
    assert_eq!((groups.last(), world.counts().lost), (Some(&1), 0));
    assert!(joined.is_some_and(|step| step < 100));
    assert!(wrong < 50, "events change few cells: {wrong}");
    assert!(bodies.steps < 10, "{}", bodies.steps);
}

#[test]
fn random_walkers_are_believed_as_they_were() {
    let (Some(recording), Some(truth)) = (record(MIXED, "A"), Truth::load(MIXED_REPLAY)) else {
        return;
    };
    let (mut groups, mut bodies) = (0, Bodies::default());
    let world = feed(
        &recording,
        0,
        |_, _| true,
        |step, world| {
            let state = &truth.states[&(i64::from(step) - 1)];
            groups = positions_agree(&recording, world, (&truth, state), |_| true);
            bodies.check(wrong_bodies(&recording, world, (&truth, state)), step);
        },
    );
    println!("{groups} groups, {:?}, late {}", world.counts(), bodies.steps);
    assert!(groups < 5 && world.counts().lost == 0);
}

#[test]
fn missing_percepts_never_join_wrong_frames() {
    for (name, team, replay) in [(TEAM, "B", TEAM_REPLAY), (MIXED, "A", MIXED_REPLAY)] {
        let (Some(recording), Some(truth)) = (record(name, team), Truth::load(replay)) else {
            return;
        };
        for seed in 0..2 {
            let deaf = |step: u32, agent: AgentId| {
                // Each agent is away for ten steps out of forty, at times of its own; and single
                // percepts are lost.
                let phase = step + u32::from(agent.0) * (7 + seed);
                phase % 40 < 10 || (phase * 31 + seed).is_multiple_of(23)
            };
            let mut groups = 0;
            let hears = |step, agent| !deaf(step, agent);
            let world = feed(&recording, 0, hears, |step, world| {
                let state = &truth.states[&(i64::from(step) - 1)];
                let heard = |agent| hears(step, agent);
                groups = positions_agree(&recording, world, (&truth, state), heard);
            });
            println!("{name} seed {seed}: {groups} groups, {:?}", world.counts());
            assert!(world.counts().joins > 0);
        }
    }
}
