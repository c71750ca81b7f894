//! Beliefs of matches of our own arena, saved and restored in their middle, with and without turns
//! that were not seen.

use crate::common::played::{Done, Match, ResumeFrame};
use phalanx_assemble::action::Action;
use phalanx_assemble::percept::{Briefing, Percept};
use phalanx_assemble::world::World;
use phalanx_game::sorted::SortedMap;
use phalanx_game::{AgentId, Met, RosterEntry, Turn, Value, World as _};
use phalanx_grid::{Cell, FrameId};
use phalanx_testkit::saved::{damaged_beliefs_are_refused, saved_and_restored};
use std::collections::BTreeSet;

/// A team that plays, with what it believes.
#[derive(Clone)]
struct Played {
    game: Match,
    world: World,
    /// What to add to a frame's cells for the true ones, since the frame began: no later belief
    /// may contradict it.
    origins: SortedMap<FrameId, Cell>,
}

/// Which belief a daemon finds that was killed after the decisions of a turn had left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Found {
    /// The one after these decisions.
    Decided,
    /// The one before them.
    Asked,
    /// The one after the decisions of the turn before.
    TurnBefore,
}

impl Played {
    fn new(seed: u64, agents: usize, side: i32) -> Self {
        let game = Match::new(seed, agents, side, 750);
        let world = fresh(&game);
        let mut played = Self { game, world, origins: SortedMap::new() };
        for agent in played.game.roster().ids() {
            let briefing = played.game.briefing(agent);
            played.world.begin(0, agent, Some(&briefing));
        }
        played
    }

    fn until(mut self, step: u32) -> Self {
        while self.world.step() + 1 < step {
            self.step();
        }
        self
    }

    fn step(&mut self) {
        let heard = self.hear();
        let done = self.decide(&heard);
        self.game.execute(&done);
    }

    fn hear(&mut self) -> ResumeFrame {
        let heard = self.game.perceive();
        self.told(&heard);
        heard
    }

    /// Those of the team perceive that are in `heard`; nothing that they believe may be wrong.
    fn told(&mut self, heard: &ResumeFrame) {
        tell(&mut self.world, heard);
        for (agent, percept) in heard {
            let (frame, at) = self.world.position(*agent).unwrap();
            let origin = self.game.extent.wrap(self.game.place(*agent) - at);
            let known = *self.origins.entry(frame).or_insert(origin);
            let off = self.game.extent.delta(known, origin);
            assert_eq!(off, Cell::ZERO, "agent {} in step {}", agent.0, percept.step);
        }
    }

    fn decide(&mut self, heard: &ResumeFrame) -> Done {
        let done = self.game.decide(&self.world, heard);
        acted(&mut self.world, heard, &done);
        done
    }

    fn places(&self) -> SortedMap<AgentId, (FrameId, Cell)> {
        let ids = self.game.roster().ids();
        ids.map(|agent| (agent, self.world.position(agent).unwrap())).collect()
    }

    /// How many agents are in the group in which they were.
    fn at_home(&self, before: &SortedMap<AgentId, (FrameId, Cell)>) -> usize {
        let home = |(agent, place): &(&AgentId, &(FrameId, Cell))| {
            named(&self.world, **agent, **place).is_some()
        };
        before.iter().filter(home).count()
    }

    /// Agents whose structure is not believed as it is.
    fn wrong_bodies(&self) -> usize {
        let wrong = |agent: &AgentId| {
            let blocks = self.world.blocks(*agent).into_iter().map(|(cell, _)| cell);
            let crew = self.world.crew(*agent).into_iter().map(|(cell, _)| cell);
            blocks.chain(crew).collect::<BTreeSet<Cell>>() != self.game.body(*agent)
        };
        self.game.roster().ids().filter(wrong).count()
    }
}

fn fresh(game: &Match) -> World {
    World::new(&game.roster())
}

fn tell(world: &mut World, heard: &ResumeFrame) {
    let Some(step) = heard.values().map(|percept| percept.step).next() else { return };
    let turn = Turn::new(0, step);
    for (agent, percept) in heard {
        world.observe(turn, *agent, percept.clone());
    }
    world.settle(turn);
}

fn acted(world: &mut World, heard: &ResumeFrame, done: &Done) {
    for (agent, action) in done {
        world.acted(Turn::new(0, heard[agent].step), *agent, action);
    }
}

/// The name that a cell of a group has in the agent's group; `None` when they are different.
fn named(world: &World, agent: AgentId, (frame, at): (FrameId, Cell)) -> Option<Cell> {
    let args = [Value::from(at.x), at.y.into(), frame.0.into()];
    world.query(agent, "rebase", &args).unwrap().as_cell().map(|(x, y)| Cell::new(x, y))
}

/// What scripts may hear of a belief, as text.
fn answers(world: &World, agent: AgentId) -> String {
    let mut text = String::new();
    for (name, args) in [
        ("here", vec![]),
        ("size", vec![]),
        ("agents", vec![]),
        ("attached", vec![]),
        ("tasks", vec![]),
        ("explore", vec![]),
        ("find", vec![Value::from("dispenser")]),
        ("find", vec!["goal".into()]),
        ("nearest", vec!["taskboard".into()]),
        ("rebase", vec![0.into(), 0.into(), 0.into()]),
    ] {
        text += &format!("{name}: {:?}\n", world.query(agent, name, &args));
    }
    text
}

#[test]
fn a_restored_belief_goes_on_as_if_nothing_had_happened() {
    for (seed, step) in [(1, 0), (2, 1), (3, 35), (4, 120)] {
        let mut played = Played::new(seed, 8, 30).until(step);
        let mut other = saved_and_restored(&played.world, fresh(&played.game));
        for _ in 0..25 {
            let heard = played.hear();
            tell(&mut other, &heard);
            assert!(other.save() == played.world.save(), "seed {seed}, from step {step}");
            for agent in heard.keys() {
                assert_eq!(answers(&other, *agent), answers(&played.world, *agent));
                assert_eq!(other.state(*agent), played.world.state(*agent));
            }
            assert_eq!(other.draw(), played.world.draw());
            let done = played.decide(&heard);
            acted(&mut other, &heard, &done);
            played.game.execute(&done);
        }
    }
}

#[test]
fn percepts_that_wait_are_saved_too() {
    let mut played = Played::new(5, 4, 30).until(10);
    let heard = played.game.perceive();
    let turn = Turn::new(0, 9);
    for (agent, percept) in &heard {
        played.world.observe(turn, *agent, percept.clone());
    }
    let mut other = saved_and_restored(&played.world, fresh(&played.game));
    played.world.settle(turn);
    other.settle(turn);
    assert!(other.save() == played.world.save());
}

/// One row of the outages: how many agents there were, and how many were in their group at once,
/// after five steps, after fifteen.
type Shares = [usize; 4];

/// The daemon was killed after the decisions of a step had left, and turns were lost.
fn outage(played: &Played, saved: &[u8], lost: usize) -> (Shares, usize) {
    let before = played.places();
    let mut played = played.clone();
    played.world = fresh(&played.game);
    played.world.restore(saved).unwrap();
    let maps: SortedMap<FrameId, (AgentId, Vec<Cell>)> = played
        .places()
        .into_iter()
        .map(|(agent, (frame, _))| (frame, (agent, known(&played.world, agent))))
        .collect();
    for _ in 0..lost {
        drop(played.game.perceive());
        played.game.execute(&Done::new());
    }
    let mut shares = [before.len(), 0, 0, 0];
    let mut wrong_bodies = 0;
    for step in 0..16 {
        let heard = played.hear();
        for (share, at) in [(1, 0), (2, 5), (3, 15)] {
            if step == at {
                shares[share] = played.at_home(&before);
            }
        }
        wrong_bodies += played.wrong_bodies();
        let done = played.decide(&heard);
        played.game.execute(&done);
    }
    for (frame, (agent, cells)) in maps {
        if named(&played.world, agent, (frame, Cell::ZERO)).is_some() {
            let now: BTreeSet<Cell> = known(&played.world, agent).into_iter().collect();
            let kept = |cell: &Cell| named(&played.world, agent, (frame, *cell));
            assert!(cells.iter().filter_map(kept).all(|cell| now.contains(&cell)));
        }
    }
    (shares, wrong_bodies)
}

fn known(world: &World, agent: AgentId) -> Vec<Cell> {
    world.known(agent).map(|(cell, _, _)| cell).collect()
}

#[test]
fn an_outage_leaves_nobody_at_a_wrong_place_and_most_in_their_group() {
    let mut table: SortedMap<(Found, usize), (Shares, usize)> = SortedMap::new();
    let mut carried = 0;
    for (seed, step, agents, side) in
        [(0, 60, 8, 30), (1, 130, 8, 30), (2, 90, 8, 30), (3, 40, 8, 30), (4, 100, 10, 50)]
    {
        let mut played = Played::new(seed, agents, side).until(step);
        let heard = played.hear();
        let done = played.decide(&heard);
        let turn_before = played.world.save();
        played.game.execute(&done);
        let heard = played.hear();
        let asked = played.world.save();
        let done = played.decide(&heard);
        let decided = played.world.save();
        played.game.execute(&done);
        carried += heard.keys().map(|agent| played.world.blocks(*agent).len()).sum::<usize>();
        for (found, saved) in
            [(Found::Decided, decided), (Found::Asked, asked), (Found::TurnBefore, turn_before)]
        {
            for lost in [0, 1, 2, 5] {
                let (shares, bodies) = outage(&played, &saved, lost);
                let row = table.entry((found, lost)).or_default();
                row.0.iter_mut().zip(shares).for_each(|(sum, share)| *sum += share);
                row.1 += bodies;
            }
        }
    }
    assert!(carried > 10, "{carried} blocks");
    for ((found, lost), ([all, at_once, soon, later], bodies)) in table {
        println!(
            "{found:?}, {lost} turns lost: of {all} agents in their group at once {at_once}, after \
             5 steps {soon}, after 15 {later}; in these steps {bodies} structures wrong"
        );
        let surely = lost == 0 && found != Found::TurnBefore;
        assert!(at_once * 100 >= all * if surely { 100 } else { 75 }, "{found:?} {lost}");
        assert!(later * 100 >= all * 90, "{found:?} {lost}");
        assert!(bodies * 50 <= all * 16, "{found:?} {lost}");
    }
}

#[test]
fn agents_that_are_cut_off_for_a_while_find_back() {
    let (mut away, mut at_home) = (0, 0);
    for seed in 10..13 {
        let mut played = Played::new(seed, 8, 30).until(30);
        for step in 30..130 {
            let gone = |agent: &AgentId| (step + u32::from(agent.0) * 13) % 40 < 4;
            let back = |agent: &AgentId| (step + u32::from(agent.0) * 13) % 40 == 4;
            let before = played.places();
            let mut heard = played.game.perceive();
            heard.retain(|agent, _| !gone(agent));
            played.told(&heard);
            let returned = before.iter().filter(|(agent, _)| back(agent));
            let returned: SortedMap<_, _> = returned.map(|(agent, at)| (*agent, *at)).collect();
            (away, at_home) = (away + returned.len(), at_home + played.at_home(&returned));
            let done = played.decide(&heard);
            played.game.execute(&done);
        }
    }
    println!("{away} times away, {at_home} times in their group at once");
    assert!(away > 50 && at_home * 100 >= away * 85);
}

#[test]
fn a_damaged_belief_is_refused() {
    let played = Played::new(6, 3, 24).until(12);
    damaged_beliefs_are_refused(&played.world, &fresh(&played.game));
}

#[test]
fn whatever_is_taken_over_can_be_played_on() {
    let mut played = Played::new(7, 4, 24).until(40);
    let saved = played.world.save();
    let heard: Vec<ResumeFrame> = (0..2)
        .map(|_| {
            let heard = played.game.perceive();
            played.game.execute(&Done::new());
            heard
        })
        .collect();
    let mut taken_over = 0;
    for at in (0..saved.len()).step_by(11) {
        let mut bytes = saved.clone();
        bytes[at] = bytes[at].wrapping_add(1 + u8::try_from(at % 251).unwrap());
        let mut world = fresh(&played.game);
        if world.restore(&bytes).is_err() {
            continue;
        }
        taken_over += 1;
        for heard in &heard {
            tell(&mut world, heard);
            for agent in heard.keys() {
                drop(world.state(*agent));
                world.acted(Turn::new(0, heard[agent].step), *agent, &Action::Skip);
            }
        }
        drop((answers(&world, AgentId(1)), world.draw().bounded(), world.save()));
    }
    assert!(taken_over > 50, "{taken_over}");
}

#[test]
fn a_belief_of_another_team_is_refused() {
    let played = Played::new(8, 4, 24).until(5);
    let saved = played.world.save();
    let mut roster = played.game.roster();
    roster.agents.push(RosterEntry::new("agentA9", "w"));
    let mut larger = World::new(&roster);
    larger.restore(&saved).unwrap();
    assert_eq!(larger.position(AgentId(2)), played.world.position(AgentId(2)));
    roster.agents.swap(0, 1);
    let error = World::new(&roster).restore(&saved).unwrap_err().to_string();
    assert_eq!(error, "its agent 0 is \"agentA1\", this team has another one there");
    roster.agents.clear();
    assert!(World::new(&roster).restore(&saved).is_err());
    roster = played.game.roster();
    roster.team = "B".to_owned();
    let error = World::new(&roster).restore(&saved).unwrap_err().to_string();
    assert_eq!(error, "it is of the team \"A\", this is \"B\"");
}

/// Makes one thing otherwise.
type Change<T> = fn(&mut T);

#[test]
fn only_the_same_simulation_is_recognized() {
    let mut played = Played::new(9, 4, 24).until(60);
    let heard = played.hear();
    let agent = AgentId(1);
    let world = saved_and_restored(&played.world, fresh(&played.game));
    let meets = |change: Change<Briefing>| {
        let mut briefing = played.game.briefing(agent);
        change(&mut briefing);
        world.recognize(agent, Met::Round(Some(&briefing)))
    };
    assert_eq!(meets(|_| ()), Ok(()));
    assert_eq!(world.recognize(agent, Met::Round(None)), Ok(()), "the referee may not tell it");
    let starts: [(Change<Briefing>, &str); 6] = [
        (|start| start.time += 1, "start in Unix milliseconds"),
        (|start| start.steps = 500, "steps: 750 before, 500 now"),
        (|start| start.team_size = 15, "agents of the team: 4 before, 15 now"),
        (|start| start.vision = 6, "cells that agents see far: 5 before, 6 now"),
        (|start| start.team = "B".into(), "the team was \"A\", it is \"B\""),
        (|start| start.name = "agentA1".into(), "the referee calls agentA2 \"agentA1\""),
    ];
    for (change, reason) in starts {
        assert!(meets(change).unwrap_err().contains(reason), "{reason}");
    }
    let perceives = |change: Change<Percept>| {
        let mut percept = heard[&agent].clone();
        change(&mut percept);
        world.recognize(agent, Met::Turn(Turn::new(0, percept.step), &percept))
    };
    assert!(!heard[&agent].tasks.is_empty());
    assert_eq!(perceives(|_| ()), Ok(()), "a request may be repeated");
    assert_eq!(perceives(|percept| percept.step += 30), Ok(()));
    let percepts: [(Change<Percept>, &str); 4] = [
        (|percept| percept.step -= 1, "step 59 is past, the last one was 60"),
        (|percept| percept.step = 750, "step 750 of a simulation of 750 steps"),
        (|percept| percept.score -= 1, "the score fell from 0 to -1"),
        (|percept| percept.tasks[0].deadline += 1, "is another task than before"),
    ];
    for (change, reason) in percepts {
        assert!(perceives(change).unwrap_err().contains(reason), "{reason}");
    }
}
