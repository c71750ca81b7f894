//! The game of one match behind one face: who is asked what, and what the replies do.

use super::options::{ArenaOptions, GameName};
use crate::percept::number;
use crate::rules::catcher::{self, CatcherCommand, CatcherEntity, CatcherRules, Fairness};
use crate::rules::{Fatal, GameRng, Id, chess, snake};
use crate::wire::text;
use phalanx_game::sorted::SortedMap;
use serde_json::Value;

/// The game's world.
#[derive(Clone, Debug)]
pub(super) enum TableWorld {
    Catcher(catcher::CatcherState),
    /// One for each agent.
    Isolated(Vec<catcher::CatcherState>),
    Snake(snake::SnakeState),
    Chess {
        game: Box<chess::ChessGame>,
        /// The agent that plays white.
        white: usize,
    },
}

/// What the replies of a tick did wrong.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ReplyErrors {
    /// Payloads that the original would die of, by agent.
    pub(super) fatal: Vec<(usize, Fatal)>,
    /// Actions that strict rules refused, by agent.
    pub(super) refused: Vec<(usize, usize)>,
}

/// A running game.
#[derive(Clone, Debug)]
pub(super) struct GameTable {
    world: TableWorld,
    rules: CatcherRules,
    fairness: Fairness,
    agents: Vec<Id>,
    chance: GameRng,
    epoch: u32,
    epochs: u32,
    /// The text of `agent_ids`, which every line has.
    ids: String,
    /// The keys of the common state, printed once a tick.
    keys: String,
}

/// How many of something each agent has.
type AgentCounts = (&'static str, Vec<i64>);

impl GameTable {
    /// What shows how the match went, besides the score.
    pub(super) fn tallies(&self) -> Vec<AgentCounts> {
        match &self.world {
            TableWorld::Catcher(state) => {
                let of = |all: &[CatcherEntity]| {
                    let own = |agent: &Id| all.iter().filter(|one| one.owner == *agent).count();
                    self.agents.iter().map(|agent| count(own(agent))).collect()
                };
                vec![("actors alive", of(&state.actors)), ("killed by others", of(&state.dead))]
            }
            TableWorld::Isolated(states) => {
                let alive = states.iter().map(|state| count(state.actors.len()));
                vec![("actors alive", alive.collect())]
            }
            TableWorld::Snake(state) => {
                let of = |value: fn(&snake::Snake) -> i64| state.snakes.iter().map(value).collect();
                vec![
                    ("food eaten", of(|snake| snake.eaten)),
                    ("length", of(|snake| count(snake.body.len()))),
                ]
            }
            TableWorld::Chess { .. } => Vec::new(),
        }
    }

    pub(super) fn new(options: &ArenaOptions, agents: &[Id], mut chance: GameRng) -> Self {
        let rules = options.game.rules();
        let world = match options.game {
            GameName::FoodCatcher => {
                TableWorld::Catcher(catcher::CatcherState::new(agents, &rules, &mut chance))
            }
            GameName::CherryPicker => {
                let alone = |agent: &Id| {
                    catcher::CatcherState::new(std::slice::from_ref(agent), &rules, &mut chance)
                };
                TableWorld::Isolated(agents.iter().map(alone).collect())
            }
            GameName::Snake => TableWorld::Snake(snake::SnakeState::new(agents, &mut chance)),
            GameName::Chess => TableWorld::Chess { game: Box::default(), white: chance.below(2) },
        };
        let mut ids = String::new();
        text::list(&mut ids, agents, |out, id| text::string(out, id));
        Self {
            world,
            rules,
            fairness: options.fairness,
            agents: agents.to_vec(),
            chance,
            epoch: 0,
            epochs: options.epochs(),
            ids,
            keys: String::new(),
        }
    }

    pub(super) fn world(&self) -> &TableWorld {
        &self.world
    }

    /// The agents' ids, in their order.
    pub(super) fn agents(&self) -> &[Id] {
        &self.agents
    }

    /// Columns and rows of the plane.
    pub(super) fn plane(&self) -> [f64; 2] {
        [self.rules.grid_width, self.rules.grid_height]
    }

    pub(super) fn epoch(&self) -> u32 {
        self.epoch
    }

    /// Begins a tick: deaths take effect, the state is fixed. Who is asked, in order.
    pub(super) fn begin(&mut self) -> Vec<usize> {
        self.epoch = self.epoch.saturating_add(1);
        self.keys.clear();
        match &mut self.world {
            TableWorld::Catcher(state) => {
                state.resolve(&self.rules);
                state.write(&mut self.keys);
            }
            TableWorld::Isolated(states) => {
                for state in states {
                    state.resolve(&self.rules);
                }
            }
            TableWorld::Snake(state) => state.write(&mut self.keys),
            TableWorld::Chess { game, .. } => game.write(&mut self.keys),
        }
        self.mover().map_or_else(|| (0..self.agents.len()).collect(), |mover| vec![mover])
    }

    /// Whose turn it is, where agents take turns.
    fn mover(&self) -> Option<usize> {
        match &self.world {
            TableWorld::Chess { game, white } => {
                Some(if game.white() { *white } else { 1 - *white })
            }
            TableWorld::Catcher(_) | TableWorld::Isolated(_) | TableWorld::Snake(_) => None,
        }
    }

    /// How a game of chess ended: termination, winner, result. A disqualified agent loses it.
    pub(super) fn chess(&self, tainted: &[bool]) -> Option<[&'static str; 3]> {
        let TableWorld::Chess { game, white } = &self.world else { return None };
        let out = |agent: usize| tainted.get(agent).copied().unwrap_or(false);
        let end = game.end();
        let lost = match (out(*white), out(1 - *white)) {
            (true, true) => None,
            (true, false) => Some(true),
            (false, true) => Some(false),
            (false, false) => (end == Some(chess::ChessEnd::Checkmate)).then_some(game.white()),
        };
        let [winner, result] = match lost {
            None => ["DRAW", "1/2-1/2"],
            Some(true) => ["BLACK", "0-1"],
            Some(false) => ["WHITE", "1-0"],
        };
        Some([end.map_or("GAME_ENDED", chess::ChessEnd::word), winner, result])
    }

    /// The state as JSON from the view of one agent.
    pub(super) fn state(&self, agent: usize) -> String {
        let (epoch, ids, keys) = (self.epoch, &self.ids, &self.keys);
        match &self.world {
            TableWorld::Catcher(_) | TableWorld::Snake(_) | TableWorld::Chess { .. } => {
                format!("{{{keys}, \"epoch\": {epoch}, \"agent_ids\": {ids}}}")
            }
            TableWorld::Isolated(states) => {
                let mut keys = String::new();
                if let Some(state) = states.get(agent) {
                    state.write(&mut keys);
                }
                format!("{{\"epoch\": {epoch}, \"agent_ids\": {ids}, {keys}}}")
            }
        }
    }

    /// The state as replays have it.
    pub(super) fn public_state(&self) -> String {
        match &self.world {
            TableWorld::Catcher(_) | TableWorld::Snake(_) | TableWorld::Chess { .. } => {
                self.state(0)
            }
            TableWorld::Isolated(_) => "{}".to_owned(),
        }
    }

    /// Ends a tick with the payloads of those that were asked, in their order.
    pub(super) fn end(&mut self, payloads: &[Option<Value>]) -> ReplyErrors {
        let mut damage = ReplyErrors::default();
        let mover = self.mover().unwrap_or_default();
        let Self { world, rules, fairness, agents, chance, .. } = self;
        match world {
            TableWorld::Catcher(state) => {
                state.grow(rules, chance);
                let mut order: Vec<usize> = (0..agents.len()).collect();
                chance.shuffle(&mut order);
                for index in order {
                    let payload = payloads.get(index).and_then(Option::as_ref);
                    let (Some(payload), Some(agent)) = (payload, agents.get(index)) else {
                        continue;
                    };
                    let done = execute(state, agent, payload, rules, *fairness, chance);
                    damage.note(index, done);
                }
            }
            TableWorld::Isolated(states) => {
                for (index, (state, agent)) in states.iter_mut().zip(agents).enumerate() {
                    // A world without a valid reply does not change in this tick.
                    let Some(payload) = payloads.get(index).and_then(Option::as_ref) else {
                        continue;
                    };
                    state.grow(rules, chance);
                    let done = execute(state, agent, payload, rules, *fairness, chance);
                    damage.note(index, done);
                }
            }
            TableWorld::Snake(state) => {
                let mut moves = SortedMap::new();
                for (index, (payload, agent)) in payloads.iter().zip(agents).enumerate() {
                    match payload.as_ref().and_then(|payload| payload.get("move")) {
                        None | Some(Value::Null) => {}
                        Some(Value::String(word)) => {
                            moves.insert(agent.clone(), snake::Move::parse(word));
                        }
                        Some(_) => damage.fatal.push((index, Fatal("move is no text".to_owned()))),
                    }
                }
                state.step(&moves, chance);
            }
            TableWorld::Chess { game, .. } => {
                let payload = payloads.first().and_then(Option::as_ref);
                let uci = payload.and_then(|payload| payload.get("move")).and_then(Value::as_str);
                if !uci.is_some_and(|uci| game.play(uci)) {
                    let said = phalanx_game::excerpt(uci.unwrap_or_default().as_bytes());
                    damage.fatal.push((mover, Fatal(format!("{said:?} is no legal move"))));
                }
            }
        }
        damage
    }

    /// Whether the game's rules end it here; `tainted` agents count in some.
    pub(super) fn finished(&self, tainted: usize) -> bool {
        let over = self.epochs > 0 && self.epoch >= self.epochs;
        match &self.world {
            TableWorld::Catcher(_) | TableWorld::Isolated(_) => over,
            TableWorld::Snake(state) => over || state.finished() || tainted >= 2,
            TableWorld::Chess { game, .. } => over || game.end().is_some(),
        }
    }

    /// An agent's score, as results print it.
    pub(super) fn score(&self, index: usize, tainted: &[bool]) -> (f64, bool) {
        let agent = self.agents.get(index).map(|id| &**id).unwrap_or_default();
        match &self.world {
            TableWorld::Catcher(state) => whole(state.score(agent)),
            TableWorld::Isolated(states) => {
                states.get(index).map_or((0.0, true), |state| whole(state.score(agent)))
            }
            TableWorld::Snake(state) => {
                let snake = state.snakes.get(index);
                (snake.map_or(0.0, |snake| number(snake.score())), true)
            }
            TableWorld::Chess { white, .. } => {
                let winner = self.chess(tainted).map(|[_, winner, _]| winner);
                match winner {
                    Some("WHITE") => (f64::from(u8::from(index == *white)), true),
                    Some("BLACK") => (f64::from(u8::from(index != *white)), true),
                    Some(_) | None => (0.5, false),
                }
            }
        }
    }
}

fn whole(num: crate::rules::PyNumber) -> (f64, bool) {
    (num.get(), num.is_whole())
}

fn execute(
    state: &mut catcher::CatcherState,
    agent: &Id,
    payload: &Value,
    rules: &CatcherRules,
    fairness: Fairness,
    chance: &mut GameRng,
) -> Result<usize, Fatal> {
    let commands = CatcherCommand::read_all(payload)?;
    Ok(state.execute(agent, &commands, rules, fairness, chance)?.len())
}

impl ReplyErrors {
    fn note(&mut self, index: usize, done: Result<usize, Fatal>) {
        match done {
            Ok(0) => {}
            Ok(refused) => self.refused.push((index, refused)),
            Err(fatal) => self.fatal.push((index, fatal)),
        }
    }
}

fn count(items: usize) -> i64 {
    i64::try_from(items).unwrap_or(i64::MAX)
}
