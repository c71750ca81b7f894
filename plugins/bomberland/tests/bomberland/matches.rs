//! Whole games on a virtual clock: a careful player that only uses what scripts may ask.

use crate::common::stage::{Stage, Told};
use phalanx_bomberland::action::Action;
use phalanx_bomberland::world::World;
use phalanx_game::{AgentId, Event, Roster, RosterEntry, Said, Session as _, Value, World as _};

/// A player and what it believes.
struct Player {
    world: World,
}

impl Player {
    fn new() -> Self {
        let agent = |n| RosterEntry::new(format!("u{n}"), "careful");
        let roster = Roster { team: "a".to_owned(), agents: (0..3).map(agent).collect() };
        Self { world: World::new(&roster) }
    }

    fn ask(&self, agent: AgentId, query: &str, args: &[Value]) -> Value {
        self.world.query(agent, query, args).unwrap()
    }

    fn int(&self, agent: AgentId, field: &str) -> i64 {
        self.world.field(agent, field).and_then(|value| value.as_int()).unwrap()
    }

    /// Away from danger first; then towards the nearest enemy, through blocks.
    fn decide(&self, agent: AgentId) -> Said {
        let (x, y) = (self.int(agent, "x"), self.int(agent, "y"));
        let wait = Said::new("wait", vec![]);
        let step = |way: &Value| match way.get("dir").and_then(Value::as_str) {
            Some("wait") | None => wait.clone(),
            Some(dir) => Said::new("move", vec![Value::from(dir.to_owned())]),
        };
        let danger = |x: i64, y: i64| {
            self.ask(agent, "danger", &[Value::Int(x), Value::Int(y)]).as_int().unwrap_or(2)
        };
        if danger(x, y) > 0 {
            let way = self.ask(agent, "escape", &[]);
            let way = if way == Value::Nil {
                self.ask(agent, "escape", &[Value::Nil, true.into()])
            } else {
                way
            };
            return step(&way);
        }
        let enemies = self.ask(agent, "enemies", &[]);
        let near = enemies
            .as_list()
            .unwrap()
            .iter()
            .filter_map(Value::as_cell)
            .min_by_key(|(ex, ey)| (i64::from(*ex) - x).abs() + (i64::from(*ey) - y).abs());
        let Some((ex, ey)) = near else { return wait };
        let goals = [(1, 0), (-1, 0), (0, 1), (0, -1)].map(|(dx, dy)| (ex + dx, ey + dy));
        let way = goals
            .into_iter()
            .filter_map(|(gx, gy)| {
                let to = [gx.into(), gy.into(), Value::Int(8)];
                let way = self.ask(agent, "path", &to);
                Some((way.get("cost")?.as_int()?, way))
            })
            .min_by_key(|(cost, _)| *cost);
        let Some((_, way)) = way else { return wait };
        let first = way.get("steps").and_then(Value::as_list).and_then(<[Value]>::first);
        let blocked = first.is_none_or(|step| step.get("block").is_some());
        if blocked {
            let out = self.ask(agent, "escape", &[true.into()]);
            return if out == Value::Nil { wait } else { Said::new("bomb", vec![]) };
        }
        let (nx, ny) = first.and_then(Value::as_cell).unwrap();
        if danger(nx.into(), ny.into()) > 0 { wait } else { step(&way) }
    }

    fn hear(&mut self, told: &Told) {
        match told {
            Event::RoundStarted { agent, round, briefing } => {
                self.world.begin(*round, *agent, briefing.as_ref());
            }
            Event::Percept { turn, agent, percept } | Event::Asked { turn, agent, percept, .. } => {
                self.world.observe(*turn, *agent, percept.clone());
            }
            Event::Seated { .. }
            | Event::Refused { .. }
            | Event::Defaulted { .. }
            | Event::Notice(_)
            | Event::Out { .. }
            | Event::RoundOver { .. }
            | Event::MatchOver => {}
        }
    }
}

/// Plays the first client against an idle second one; its score and its living units.
fn play(seed: u64) -> (i64, usize) {
    let mut stage = Stage::new("", seed, &["agentA", "agentB"]);
    let mut player = Player::new();
    for _ in 0..20_000 {
        let told = std::mem::take(&mut stage.told[0]);
        told.iter().for_each(|told| player.hear(told));
        for told in &told {
            if let Event::RoundOver { score, .. } = told {
                let scene = stage.clients[0].scene().unwrap();
                let units = scene.state.units().iter();
                return (*score, units.filter(|unit| unit.agent == 0 && unit.alive()).count());
            }
            if let Event::Asked { turn, agent, .. } = told {
                let action: Action = player.world.parse(*agent, &player.decide(*agent)).unwrap();
                // It is asked anew where a tick came in between.
                stage.clients[0].handle_action(*turn, *agent, &action).ok();
            }
        }
        stage.settle();
        stage.pass();
    }
    panic!("the game of seed {seed} does not end");
}

#[test]
fn a_careful_player_beats_an_idle_one() {
    for seed in [1, 2, 3, 4] {
        assert_eq!(play(seed).0, 1, "seed {seed}");
    }
}
