//! Beliefs of matches of our own arena, saved and restored in their middle, with and without turns
//! that nobody saw.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may die of a surprise")]

#[path = "common/played.rs"]
mod played;

use phalanx_assemble::world::World;
use phalanx_game::{AgentId, Turn, Value, World as _};
use phalanx_grid::{Cell, FrameId};
use phalanx_testkit::saved::{damaged_beliefs_are_refused, saved_and_restored};
use played::{Done, Heard, Match};
use std::collections::BTreeMap;

/// When the last belief of a daemon was saved that was killed during a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Checkpoint {
    /// After the turn's decisions.
    Decided,
    /// Before the turn's decisions, which left nevertheless.
    Asked,
    /// After the decisions of the turn before.
    TurnBefore,
}

/// A team that plays, with what it believes.
#[derive(Clone)]
struct Played {
    game: Match,
    world: World,
    /// Where each frame begins, from the first agent that was in it; proves that no later belief
    /// contradicts an earlier one.
    origins: BTreeMap<FrameId, Cell>,
    wrong: Vec<String>,
    bodies: usize,
}

impl Played {
    fn new(seed: u64, agents: usize, side: i32) -> Self {
        let game = Match::new(seed, agents, side, 750);
        let roster = game.roster();
        let mut world = World::new(&roster);
        for agent in roster.ids() {
            world.begin(0, agent, Some(&game.briefing(agent)));
        }
        Self { game, world, origins: BTreeMap::new(), wrong: Vec::new(), bodies: 0 }
    }

    fn hear(&mut self) -> Heard {
        let heard = self.game.perceive();
        tell(&mut self.world, &heard);
        self.compare(&heard);
        heard
    }

    fn decide(&mut self, heard: &Heard) -> Done {
        let done = self.game.decide(&self.world, heard);
        acted(&mut self.world, heard, &done);
        done
    }

    fn step(&mut self) {
        let heard = self.hear();
        let done = self.decide(&heard);
        self.game.execute(&done);
    }

    /// Compares positions and structures with the truth.
    fn compare(&mut self, heard: &Heard) {
        for (agent, percept) in heard {
            let (frame, at) = self.world.position(*agent).unwrap();
            let origin = self.game.extent.wrap(self.game.place(*agent) - at);
            let known = *self.origins.entry(frame).or_insert(origin);
            if known != origin {
                let off = self.game.extent.delta(known, origin);
                self.wrong.push(format!("agent {} in step {}: {off:?}", agent.0, percept.step));
            }
            let mut believed: Vec<Cell> =
                self.world.blocks(*agent).iter().map(|(cell, _)| *cell).collect();
            believed.extend(self.world.crew(*agent).iter().map(|(cell, _)| *cell));
            let real = self.game.body(*agent);
            if std::env::var("DBG").is_ok() && (percept.step > 130 && agent.0 == std::env::var("AG").map_or(99, |s| s.parse().unwrap()) || known != origin) { println!("   T step {} agent {} frame {frame:?} at {at:?} wrong {:?} body {believed:?} real {real:?} last {} {:?} {:?} counts {:?}", percept.step, agent.0, self.game.extent.delta(known, origin), percept.last_action, percept.last_params, percept.last_result, self.world.counts()); }
            let same = believed.len() == real.len() && believed.iter().all(|cell| real.contains(cell));
            self.bodies += usize::from(!same);
        }
    }
}

fn tell(world: &mut World, heard: &Heard) {
    let Some(step) = heard.values().map(|percept| percept.step).next() else { return };
    let turn = Turn::new(0, step);
    for (agent, percept) in heard {
        world.observe(turn, *agent, percept.clone());
    }
    world.settle(turn);
}

fn acted(world: &mut World, heard: &Heard, done: &Done) {
    for (agent, action) in done {
        world.acted(Turn::new(0, heard[agent].step), *agent, action);
    }
}

/// The name that a cell of a group has in the agent's group; `None` when they are different.
fn named(world: &World, agent: AgentId, (frame, at): (FrameId, Cell)) -> Option<Cell> {
    let args = [Value::from(at.x), at.y.into(), frame.0.into()];
    world.query(agent, "rebase", &args).unwrap().as_cell().map(|(x, y)| Cell::new(x, y))
}

#[test]
fn baseline() {
    for seed in 0..std::env::var("SEEDS").map_or(2, |s| s.parse().unwrap()) {
        let env = |name: &str, or: u64| std::env::var(name).map_or(or, |s| s.parse().unwrap());
        let mut played = Played::new(seed, env("AGENTS", 15) as usize, env("SIDE", 70) as i32);
        for _ in 0..300 {
            played.step();
        }
        println!("{seed}: {:?} wrong {:?} bodies {} carried {}", played.world.counts(), played.wrong.len(), played.bodies, played.game.carried());
        println!("{:?}", played.wrong.iter().take(5).collect::<Vec<_>>());
    }
}

#[test]
fn outage() {
    let env = |name: &str, or: u64| std::env::var(name).map_or(or, |s| s.parse().unwrap());
    let (agents, side) = (usize::try_from(env("AGENTS", 15)).unwrap(), i32::try_from(env("SIDE", 70)).unwrap());
    let mut table: BTreeMap<String, [usize; 9]> = BTreeMap::new();
    for seed in env("FROM", 0)..env("SEEDS", 2) {
        let mut played = Played::new(seed, agents, side);
        for kill in [40, 70, 100, 130, 160, 200] {
            while played.world.step() + 2 < kill { played.step(); }
            if !played.wrong.is_empty() { println!("wrong before {seed} {kill}"); break; }
            let mut played = played.clone();
            let heard = played.hear();
            let done = played.decide(&heard);
            let earlier = played.world.save();
            played.game.execute(&done);
            let heard = played.hear();
            let asked = played.world.save();
            let done = played.decide(&heard);
            let decided = played.world.save();
            played.game.execute(&done);
            let before: BTreeMap<AgentId, (FrameId, Cell)> = played.game.roster().ids().map(|a| (a, played.world.position(a).unwrap())).collect();
            let old = played.world.counts();
            for (checkpoint, saved) in [(Checkpoint::Decided, decided), (Checkpoint::Asked, asked), (Checkpoint::TurnBefore, earlier)] {
            for lost in [0, 1, 2, 5] {
                if std::env::var("ONLY").is_ok_and(|only| only != format!("{checkpoint:?} {lost}")) { continue; }
                let mut played = played.clone();
                let mut world = World::new(&played.game.roster());
                world.restore(&saved).unwrap();
                played.world = world;
                for _ in 0..lost {
                    drop(played.game.perceive());
                    played.game.execute(&Done::new());
                }
                played.wrong.clear();
                played.bodies = 0;
                if std::env::var("DBG").is_ok() { for a in played.game.roster().ids() { let (f, at) = played.world.position(a).unwrap(); let true_at = played.game.extent.wrap(played.game.place(a) - played.origins[&f]); println!("true {} step +{:?} from believed before, crew {:?}", a.0, played.game.extent.delta(at, true_at), played.world.crew(a)); } }
                played.step();
                let kept = |p: &Played| before.iter().filter(|(a, b)| named(&p.world, **a, **b).is_some()).count();
                let row = table.entry(format!("{checkpoint:?} {lost}")).or_default();
                row[0] += before.len();
                row[1] += kept(&played);
                row[6] += played.bodies;
                for _ in 0..5 { played.step(); }
                row[2] += kept(&played);
                row[7] += usize::from(played.bodies > 0);
                for _ in 0..10 { played.step(); }
                row[3] += kept(&played);
                for _ in 0..env("MORE", 5) { played.step(); }
                row[4] += kept(&played);
                row[5] += played.wrong.len();
                row[8] += (played.world.counts().lost - old.lost) as usize;
                if !played.wrong.is_empty() { println!("  {checkpoint:?} {lost} seed {seed} kill {kill} {:?}", played.wrong.first()); }
            }
            }
        }
    }
    for (name, row) in table {
        println!("{name:>12}: of {:4} at once {:4} after 5 {:4} 15 {:4} more {:4} wrong {:3} bodies {} ({}) lost {}", row[0], row[1], row[2], row[3], row[4], row[5], row[6], row[7], row[8]);
    }
}
