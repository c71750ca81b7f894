//! A referee whose rules are a script.
//!
//! The host's side is the same for every game: it accepts logins, asks all agents of a step, waits
//! for their answers or the deadline, calls `step`, and repeats until `result` says that it is over.

use crate::Rules;
use crate::codec::{self, Frames};
use crate::manifest::Manifest;
use crate::mistake::Mistake;
use crate::picture;
use crate::state::ScriptState;
use crate::vm::{Arg, Module};
use phalanx_game::sorted::SortedMap;
use phalanx_game::{
    Arena, Artifact, ConnectionId, Outgoing, Picture, Roster, Score, Value, Verdict,
};
use phalanx_luau::failure::Failure;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Most notices that wait for the host.
const NOTICES_MAX: usize = 64;

/// The teams of a match and its length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArenaSetup {
    /// The seed of everything that is random.
    pub seed: u64,
    /// Steps of the match at most.
    pub steps: u32,
    /// The teams with the names of their agents.
    pub teams: Vec<(String, Vec<String>)>,
    /// The shortest step; 0 on virtual time.
    pub pace: Duration,
    /// The longest that the referee waits for answers.
    pub deadline: Duration,
}

#[derive(Debug)]
struct Connection {
    frames: Frames,
    /// The agents that logged in on it.
    agents: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Agents log in.
    Lobby,
    /// Agents were asked; their answers count until then.
    Asked {
        until: Instant,
    },
    /// The step is done, and the next one begins then.
    Resting {
        until: Instant,
    },
    Over,
}

/// The referee of a game that is written in Luau.
#[derive(Debug)]
pub struct ScriptedArena {
    rules: Arc<Rules>,
    setup: ArenaSetup,
    state: ScriptState,
    connections: SortedMap<ConnectionId, Connection>,
    phase: Phase,
    /// The agents that were asked and have not answered.
    waiting: Vec<String>,
    orders: SortedMap<String, Value>,
    began: Option<Instant>,
    step: u32,
    scores: Vec<i64>,
    outgoing: VecDeque<Outgoing>,
    notices: VecDeque<String>,
}

impl ScriptedArena {
    /// A referee that waits for the agents of its teams.
    ///
    /// # Errors
    /// When `arena.luau` is missing, does not load, or makes no state.
    pub fn new(rules: &Arc<Rules>, setup: ArenaSetup) -> Result<Self, Mistake> {
        let file = Module::Arena.file();
        if rules.folder.text(&file).is_none() {
            let what = "the game has no referee of its own: write one, or play on a server";
            return Err(Mistake::of_file(&file, what.to_owned()));
        }
        let state = ScriptState::made(&rules.folder, Module::Arena, "new", [told(&setup).into()]);
        state.plain().map_err(|failure| Mistake::of_failure(&file, failure))?;
        Ok(Self {
            rules: Arc::clone(rules),
            state,
            connections: SortedMap::new(),
            phase: Phase::Lobby,
            waiting: Vec::new(),
            orders: SortedMap::new(),
            began: None,
            step: 0,
            scores: vec![0; setup.teams.len()],
            outgoing: VecDeque::new(),
            notices: VecDeque::new(),
            setup,
        })
    }

    fn manifest(&self) -> &Manifest {
        &self.rules.manifest
    }

    fn failed(&mut self, failure: Failure) {
        if self.notices.len() < NOTICES_MAX {
            let mistake = Mistake::of_failure(&Module::Arena.file(), failure);
            self.notices.push_back(mistake.to_string());
        }
    }

    /// What a function that changes nothing answers; nil after a mistake, which is reported.
    fn ask(&mut self, function: &str, args: &[Arg]) -> Value {
        match self.state.ask(function, args) {
            Ok(answer) => answer.unwrap_or_default(),
            Err(failure) => {
                self.failed(failure);
                Value::Nil
            }
        }
    }

    fn send(&mut self, connection: ConnectionId, message: &Value) {
        if *message == Value::Nil {
            return;
        }
        match codec::encode(self.manifest(), message) {
            Ok(bytes) => self.outgoing.push_back(Outgoing::Bytes(connection, bytes)),
            Err(message) => self.failed(Failure { place: None, message, memory: false }),
        }
    }

    /// The connection of an agent.
    fn connection_of(&self, agent: &str) -> Option<ConnectionId> {
        let has = |connection: &Connection| connection.agents.iter().any(|name| name == agent);
        self.connections.iter().find(|(_, connection)| has(connection)).map(|(id, _)| *id)
    }

    fn agents(&self) -> Vec<String> {
        self.setup.teams.iter().flat_map(|(_, agents)| agents.iter().cloned()).collect()
    }

    fn message(&mut self, id: ConnectionId, message: &Arg, now: Instant) {
        let agents = self.connections.get(&id).map(|connection| connection.agents.clone());
        match agents {
            Some(agents) if agents.is_empty() => self.login(id, message, now),
            Some(agents) => self.answer(&agents, message, now),
            None => {}
        }
    }

    /// A message of a connection without agents: `login` says whose it is.
    fn login(&mut self, id: ConnectionId, message: &Arg, now: Instant) {
        let login = self.ask("login", std::slice::from_ref(message));
        self.send(id, login.get("reply").unwrap_or(&Value::Nil));
        let Some(name) = login.get("name").and_then(Value::as_str) else { return };
        let of_team = self.setup.teams.iter().find(|(team, _)| team == name);
        let agents = match of_team {
            // A team of one agent may have the agent's name.
            Some((_, agents)) => agents.clone(),
            None if self.agents().iter().any(|agent| agent == name) => vec![name.to_owned()],
            None => {
                let what = format!("login named {name:?}, which is neither a team nor an agent");
                self.failed(Failure { place: None, message: what, memory: false });
                return;
            }
        };
        // The newest connection of an agent counts.
        for (other, connection) in &mut self.connections {
            connection.agents.retain(|agent| *other == id || !agents.contains(agent));
        }
        if let Some(connection) = self.connections.get_mut(&id) {
            connection.agents.clone_from(&agents);
        }
        match self.phase {
            Phase::Lobby if self.is_complete() => self.begin(now),
            Phase::Lobby => {}
            Phase::Asked { .. } | Phase::Resting { .. } | Phase::Over => {
                for agent in agents {
                    self.welcome(id, &agent);
                    if self.waiting.contains(&agent) {
                        self.request(&agent);
                    }
                }
            }
        }
    }

    fn is_complete(&self) -> bool {
        self.agents().iter().all(|agent| self.connection_of(agent).is_some())
    }

    fn welcome(&mut self, id: ConnectionId, agent: &str) {
        let message = self.ask("welcome", &[agent.to_owned().into()]);
        self.send(id, &message);
    }

    fn begin(&mut self, now: Instant) {
        self.began = Some(now);
        for agent in self.agents() {
            if let Some(id) = self.connection_of(&agent) {
                self.welcome(id, &agent);
            }
        }
        self.open(now);
    }

    /// Asks all agents of a step. One whose `request` is nil is not asked, and gets what `inform`
    /// returns.
    fn open(&mut self, now: Instant) {
        self.orders.clear();
        self.waiting.clear();
        self.phase = Phase::Asked { until: now + self.setup.deadline };
        for agent in self.agents() {
            if self.request(&agent) {
                self.waiting.push(agent);
            }
        }
        if self.waiting.is_empty() {
            self.close(now);
        }
    }

    /// Whether the agent is asked.
    fn request(&mut self, agent: &str) -> bool {
        let request = self.ask("request", &[agent.to_owned().into()]);
        let is_asked = request != Value::Nil;
        let message =
            if is_asked { request } else { self.ask("inform", &[agent.to_owned().into()]) };
        if let Some(id) = self.connection_of(agent) {
            self.send(id, &message);
        }
        is_asked
    }

    /// A message of agents that were asked: `reply` reads it.
    fn answer(&mut self, agents: &[String], message: &Arg, now: Instant) {
        if !matches!(self.phase, Phase::Asked { .. }) {
            return;
        }
        let first = agents.first().cloned().unwrap_or_default();
        let order = self.ask("reply", &[first.clone().into(), message.clone()]);
        if order == Value::Nil {
            return;
        }
        // On a connection with several agents the order names its agent.
        let named = order.get("agent").and_then(Value::as_str).map(str::to_owned);
        let agent = named.filter(|name| agents.contains(name)).unwrap_or(first);
        if let Some(index) = self.waiting.iter().position(|name| *name == agent) {
            self.waiting.remove(index);
            self.orders.insert(agent, order);
        }
        if self.waiting.is_empty() {
            self.close(now);
        }
    }

    /// All answers that will come are there: the rules decide.
    fn close(&mut self, now: Instant) {
        self.waiting.clear();
        let orders = std::mem::take(&mut self.orders);
        let orders = orders.into_iter().map(|(agent, order)| (agent.into(), order)).collect();
        if let Err(failure) = self.state.call("step", [Value::Map(orders).into()]).result {
            self.failed(failure);
        }
        self.step += 1;
        let result = self.ask("result", &[]);
        let scores = result.get("scores");
        let score = |(team, _): &(String, Vec<String>)| scores?.get(team)?.as_num();
        #[expect(clippy::cast_possible_truncation, reason = "the cast saturates")]
        let of = |team| score(team).unwrap_or(0.0).floor() as i64;
        self.scores = self.setup.teams.iter().map(of).collect();
        let is_over = result.get("over").and_then(Value::as_bool).unwrap_or(false);
        if is_over || self.step >= self.setup.steps {
            return self.end();
        }
        let next = self.began.unwrap_or(now) + self.setup.pace * self.step;
        if next <= now {
            self.open(now);
        } else {
            self.phase = Phase::Resting { until: next };
        }
    }

    fn end(&mut self) {
        self.phase = Phase::Over;
        for agent in self.agents() {
            let message = self.ask("farewell", &[agent.clone().into()]);
            if let Some(id) = self.connection_of(&agent) {
                self.send(id, &message);
            }
        }
        let all = self.connections.keys().copied().map(Outgoing::Close);
        self.outgoing.extend(all);
    }
}

fn told(setup: &ArenaSetup) -> Value {
    let team = |(name, agents): &(String, Vec<String>)| {
        Value::map([("name", name.clone().into()), ("agents", Value::from(agents.clone()))])
    };
    // Scripts count in doubles: the seed keeps 53 bits.
    let seed = i64::try_from(setup.seed & ((1 << 53) - 1)).unwrap_or(0);
    Value::map([
        ("seed", Value::Int(seed)),
        ("steps", setup.steps.into()),
        ("teams", Value::List(setup.teams.iter().map(team).collect())),
    ])
}

impl Arena for ScriptedArena {
    fn handle_join(&mut self, connection: ConnectionId, _now: Instant) {
        let frames = Frames::new(self.manifest());
        self.connections.insert(connection, Connection { frames, agents: Vec::new() });
        // Protocols in which the referee speaks first.
        let greeting = self.ask("greeting", &[]);
        self.send(connection, &greeting);
    }

    fn handle_input(&mut self, id: ConnectionId, bytes: &[u8], now: Instant) {
        let Some(connection) = self.connections.get_mut(&id) else { return };
        let frames = match connection.frames.feed(bytes) {
            Ok(frames) => frames,
            Err(error) => {
                self.notices.push_back(error.to_string());
                self.outgoing.push_back(Outgoing::Close(id));
                return;
            }
        };
        for frame in frames {
            match codec::decode(self.manifest().encoding, &frame) {
                Ok(Some(message)) => self.message(id, &message, now),
                Ok(None) => {}
                Err(error) if self.notices.len() < NOTICES_MAX => {
                    self.notices.push_back(error.to_string());
                }
                Err(_) => {}
            }
        }
    }

    fn handle_leave(&mut self, connection: ConnectionId, _now: Instant) {
        self.connections.remove(&connection);
    }

    fn handle_start(&mut self, now: Instant) {
        if self.phase == Phase::Lobby {
            self.begin(now);
        }
    }

    fn handle_timeout(&mut self, now: Instant) {
        match self.phase {
            Phase::Asked { until } if until <= now => self.close(now),
            Phase::Resting { until } if until <= now => self.open(now),
            Phase::Lobby | Phase::Asked { .. } | Phase::Resting { .. } | Phase::Over => {}
        }
    }

    fn poll_transmit(&mut self) -> Option<Outgoing> {
        self.outgoing.pop_front()
    }

    fn poll_artifact(&mut self) -> Option<Artifact> {
        None
    }

    fn poll_notice(&mut self) -> Option<String> {
        self.notices.pop_front()
    }

    fn poll_timeout(&self) -> Option<Instant> {
        match self.phase {
            Phase::Asked { until } | Phase::Resting { until } => Some(until),
            Phase::Lobby | Phase::Over => None,
        }
    }

    fn verdict(&self) -> Verdict {
        let teams = self.setup.teams.iter().zip(&self.scores);
        let score = |((team, _), points): (&(String, Vec<String>), &i64)| Score {
            team: team.clone(),
            rounds: if self.began.is_some() { vec![*points] } else { Vec::new() },
            halves: 0,
        };
        Verdict {
            over: self.phase == Phase::Over,
            round: u32::from(self.began.is_some()),
            step: self.step,
            steps: self.setup.steps,
            teams: teams.map(score).collect(),
        }
    }

    fn truth(&self) -> Picture {
        let drawn = self.state.ask("draw", &[]).ok().flatten().unwrap_or_default();
        // Bodies have the names that teams know them by; none of them is of a roster.
        let roster = Roster { team: String::new(), agents: Vec::new() };
        picture::read(&drawn, self.manifest(), &roster)
    }

    fn turn_limit(&self) -> Duration {
        self.setup.deadline
    }
}
