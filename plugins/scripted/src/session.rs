//! A connection whose protocol is a script.
//!
//! The script reports what happened (`ask`, `started`, …). Everything about time is done here: the
//! fallback of each request is encoded when the script reports the request, so it leaves in time
//! whatever the script does later.

use crate::Rules;
use crate::codec::{self, Frames};
use crate::manifest::Manifest;
use crate::mistake::Mistake;
use crate::natives::Report;
use crate::percept::{Percept, Reported};
use crate::state::{Called, ScriptState};
use crate::vm::{Arg, Module};
use phalanx_game::sorted::SortedMap;
use phalanx_game::{
    AgentId, DeadlineClock, DefaultCause, Event, Late, Margin, Notice, ProtocolError, Said, Seat,
    Session, Turn, TurnGate, Value,
};
use phalanx_luau::failure::Failure;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// An open request.
#[derive(Debug)]
struct Request {
    /// What `encode` gets of it.
    ask: Value,
    /// The fallback, ready to be sent; `None`: it could not be encoded.
    fallback: Option<Vec<u8>>,
}

/// The session of a game that is written in Luau.
#[derive(Debug)]
pub struct ScriptedSession {
    rules: Arc<Rules>,
    seat: Seat,
    state: ScriptState,
    /// The account has another password than the state knows.
    is_outdated: bool,
    frames: Frames,
    gate: TurnGate,
    margin: Margin,
    deadlines: DeadlineClock,
    requests: SortedMap<AgentId, Request>,
    /// The game's fallback, as `encode` gets it.
    fallback: Value,
    /// The session's count of rounds, by agent.
    rounds: SortedMap<AgentId, u32>,
    /// The referee accepted the login of this connection.
    is_seated: bool,
    is_over: bool,
    hangup: Option<String>,
    transmits: VecDeque<Vec<u8>>,
    events: VecDeque<Event<Value, Percept>>,
}

/// The state that the script makes for a seat.
fn opened(rules: &Rules, seat: &Seat) -> ScriptState {
    let agents = seat.agents.iter().map(|(_, name)| Value::from(name.clone()));
    let account = Value::map([
        ("user", seat.user.clone().into()),
        ("password", seat.password.clone().into()),
        ("agents", Value::List(agents.collect())),
    ]);
    ScriptState::made(&rules.folder, Module::Session, "open", [account.into()])
}

impl ScriptedSession {
    pub(crate) fn new(rules: &Arc<Rules>, seat: &Seat) -> Self {
        Self {
            rules: Arc::clone(rules),
            state: opened(rules, seat),
            is_outdated: false,
            frames: Frames::new(&rules.manifest),
            gate: TurnGate::default(),
            margin: Margin::new(seat.margin),
            deadlines: DeadlineClock::default(),
            requests: SortedMap::new(),
            fallback: order_value(&rules.manifest.fallback),
            rounds: SortedMap::new(),
            is_seated: false,
            is_over: false,
            hangup: None,
            transmits: VecDeque::new(),
            events: VecDeque::new(),
            seat: seat.clone(),
        }
    }

    /// Why the script makes no state for a connection, if it makes none.
    pub(crate) fn problem(&self) -> Option<Notice> {
        self.state.plain().err().map(|failure| notice(Module::Session, failure))
    }

    fn manifest(&self) -> &Manifest {
        &self.rules.manifest
    }

    /// Calls a function of the script and does what it reports.
    fn call(&mut self, function: &'static str, args: impl Into<Arc<[Arg]>>, now: Instant) {
        let Called { result, reports } = self.state.call(function, args);
        for report in reports {
            let name = report.name;
            if let Err(what) = self.report(report, now) {
                let message = format!("{name}: {what}");
                self.mistake(Failure { place: None, message, memory: false });
            }
        }
        if let Err(failure) = result {
            self.mistake(failure);
        }
    }

    fn mistake(&mut self, failure: Failure) {
        self.events.push_back(Event::Notice(notice(Module::Session, failure)));
    }

    fn report(&mut self, report: Report, now: Instant) -> Result<(), String> {
        let Report { name, args, percept } = report;
        let mut args = args.into_iter();
        let mut first = args.next().unwrap_or_default();
        let second = args.next().unwrap_or_default();
        let percept =
            percept.map_or_else(|| take(&mut first, "percept").into(), Reported::into_percept);
        let first = &first;
        let text = || first.as_str().unwrap_or("no reason given").to_owned();
        match name {
            "send" => self.transmits.push_back(codec::encode(self.manifest(), first)?),
            "seated" => self.seated(),
            "refused" => self.events.push_back(Event::Refused { reason: text() }),
            "started" => {
                let agent = self.agent(first)?;
                self.started(agent, first.get("briefing").cloned());
            }
            "ask" => self.asked(first, percept, now)?,
            "percept" => {
                let (agent, turn) = self.turn(first)?;
                self.events.push_back(Event::Percept { turn, agent, percept });
            }
            "out" => self.out(first)?,
            "ended" => self.ended(first)?,
            "finished" => {
                self.close_all(DefaultCause::Superseded);
                self.is_over = true;
                self.events.push_back(Event::MatchOver);
            }
            "unknown" => self.events.push_back(Event::Notice(Notice::Unknown { kind: text() })),
            "malformed" => {
                let got = second.as_str().unwrap_or_default();
                let error = ProtocolError::new("a message", text(), got.as_bytes());
                self.events.push_back(Event::Notice(Notice::Malformed(error)));
            }
            "answer_lost" => {
                let step = first.as_int().and_then(|step| u32::try_from(step).ok());
                let round = self.rounds.values().copied().max().unwrap_or(0);
                let turn = Turn::new(round, step.ok_or("expected a step")?);
                self.margin.missed();
                self.events.push_back(Event::Notice(Notice::AnswerLost { turn }));
            }
            "hang_up" => self.hangup = Some(text()),
            other => return Err(format!("{other} is no report")),
        }
        Ok(())
    }

    fn seated(&mut self) {
        self.is_seated = true;
        let agents = self.seat.agents.iter().map(|(agent, _)| *agent).collect();
        self.events.push_back(Event::Seated { agents });
    }

    /// The agent that a report names; the only one of the seat if it names none.
    fn agent(&self, report: &Value) -> Result<AgentId, String> {
        let agents = &self.seat.agents;
        match (report.get("agent").and_then(Value::as_str), agents.as_slice()) {
            (None, [(agent, _)]) => Ok(*agent),
            (None, _) => Err("name the agent: this connection has several".to_owned()),
            (Some(name), _) => agents
                .iter()
                .find(|(_, known)| known == name)
                .map(|(agent, _)| *agent)
                .ok_or_else(|| format!("this connection has no agent {name:?}")),
        }
    }

    fn turn(&mut self, report: &Value) -> Result<(AgentId, Turn), String> {
        let agent = self.agent(report)?;
        let step = report.get("step").and_then(Value::as_int);
        let step = step.and_then(|step| u32::try_from(step).ok());
        let step = step.ok_or("expected step, a whole number from 0")?;
        // A reconnect may meet a round in its middle.
        if !self.rounds.contains_key(&agent) {
            self.started(agent, None);
        }
        Ok((agent, Turn::new(self.rounds.get(&agent).copied().unwrap_or(0), step)))
    }

    fn started(&mut self, agent: AgentId, briefing: Option<Value>) {
        self.supersede(agent);
        let round = self.rounds.get(&agent).map_or(0, |round| round + 1);
        self.rounds.insert(agent, round);
        self.events.push_back(Event::RoundStarted { agent, round, briefing });
    }

    fn asked(&mut self, report: &Value, percept: Percept, now: Instant) -> Result<(), String> {
        // A referee that asks has accepted the login, even if its answer to it was lost.
        if !self.is_seated {
            self.seated();
        }
        let (agent, turn) = self.turn(report)?;
        if self.gate.open_turn(agent) == Some(turn) {
            // A referee may repeat a pending request after a login; the first one counts.
            return Ok(());
        }
        let name = self.seat.agents.iter().find(|(id, _)| *id == agent);
        let name = name.map_or_else(String::new, |(_, name)| name.clone());
        let ask = Value::map([
            ("agent", name.into()),
            ("step", turn.step.into()),
            ("tag", report.get("tag").cloned().unwrap_or_default()),
        ]);
        let ms = |key| report.get(key).and_then(Value::as_int);
        let times = (ms("sent"), ms("deadline"));
        let due = self.deadlines.due(times, self.seat.turn_limit, &self.margin, now);
        let fallback = match self.encoded(&ask, &self.fallback) {
            Ok(bytes) => Some(bytes),
            Err(failure) => {
                self.mistake(failure);
                None
            }
        };
        if let Some(old) = self.gate.open(agent, turn, due) {
            self.defaulted(agent, old.turn, DefaultCause::Superseded);
        }
        self.requests.insert(agent, Request { ask, fallback });
        self.events.push_back(Event::Asked { turn, agent, due, percept });
        Ok(())
    }

    /// An answer as bytes.
    fn encoded(&self, ask: &Value, order: &Value) -> Result<Vec<u8>, Failure> {
        let failed = |message: String| Failure {
            place: Some((Module::Session.file(), 1)),
            message,
            memory: false,
        };
        let message = self.state.pure("encode", &[ask, order])?;
        let message = message.ok_or_else(|| failed("the function encode is missing".to_owned()))?;
        codec::encode(self.manifest(), &message).map_err(|what| {
            failed(format!("encode returned a message that cannot be sent: {what}"))
        })
    }

    /// The agent that a report names is not asked again in its round, whose number is returned too.
    fn leaves(&mut self, report: &Value) -> Result<(AgentId, u32), String> {
        let agent = self.agent(report)?;
        self.supersede(agent);
        Ok((agent, self.rounds.get(&agent).copied().unwrap_or(0)))
    }

    fn out(&mut self, report: &Value) -> Result<(), String> {
        let (agent, round) = self.leaves(report)?;
        self.events.push_back(Event::Out { agent, round });
        Ok(())
    }

    fn ended(&mut self, report: &Value) -> Result<(), String> {
        let (agent, round) = self.leaves(report)?;
        let number = |key| report.get(key).and_then(Value::as_num);
        #[expect(clippy::cast_possible_truncation, reason = "the cast saturates")]
        let score = number("score").unwrap_or(0.0) as i64;
        let ranking = report.get("ranking").and_then(Value::as_int);
        let ranking = ranking.and_then(|ranking| u32::try_from(ranking).ok());
        self.events.push_back(Event::RoundOver { agent, round, score, ranking });
        Ok(())
    }

    fn supersede(&mut self, agent: AgentId) {
        if let Some(turn) = self.gate.open_turn(agent)
            && self.gate.answer(agent, turn).is_ok()
        {
            self.requests.remove(&agent);
            self.defaulted(agent, turn, DefaultCause::Superseded);
        }
    }

    fn defaulted(&mut self, agent: AgentId, turn: Turn, cause: DefaultCause) {
        self.events.push_back(Event::Defaulted { turn, agent, cause });
    }

    fn close_all(&mut self, cause: DefaultCause) {
        for gone in self.gate.close_all() {
            self.requests.remove(&gone.agent);
            self.defaulted(gone.agent, gone.turn, cause);
        }
    }

    /// Sends the fallback of a request that closed.
    fn fall_back(&mut self, agent: AgentId) {
        let fallback = self.requests.remove(&agent).and_then(|request| request.fallback);
        self.transmits.extend(fallback);
    }
}

/// Takes a value out of a map; nil if it has none.
fn take(map: &mut Value, key: &str) -> Value {
    let Value::Map(pairs) = map else { return Value::Nil };
    let found = pairs.iter_mut().find(|(name, _)| name == key);
    found.map(|(_, value)| std::mem::take(value)).unwrap_or_default()
}

/// An order as the scripts of a game see it.
pub(crate) fn order_value(order: &Said) -> Value {
    Value::map([
        ("name", order.action.clone().into_owned().into()),
        ("args", Value::List(order.args.clone())),
    ])
}

impl Session for ScriptedSession {
    type Briefing = Value;
    type Percept = Percept;
    type Action = Said;

    fn set_password(&mut self, password: &str) {
        password.clone_into(&mut self.seat.password);
        self.is_outdated = true;
    }

    fn handle_connected(&mut self, now: Instant) {
        if std::mem::take(&mut self.is_outdated) {
            self.state = opened(&self.rules, &self.seat);
        }
        self.frames.clear();
        self.deadlines.reset();
        (self.is_seated, self.hangup) = (false, None);
        self.call("connected", [], now);
    }

    fn handle_disconnected(&mut self, now: Instant) {
        self.frames.clear();
        self.close_all(DefaultCause::Disconnected);
        self.call("disconnected", [], now);
    }

    fn handle_input(&mut self, bytes: &[u8], now: Instant) -> Result<(), ProtocolError> {
        for frame in self.frames.feed(bytes)? {
            if self.is_over {
                break;
            }
            match codec::decode(self.manifest().encoding, &frame) {
                Ok(Some(message)) => self.call("message", [message], now),
                Ok(None) => {}
                Err(error) => self.events.push_back(Event::Notice(Notice::Malformed(error))),
            }
        }
        Ok(())
    }

    fn handle_action(&mut self, turn: Turn, agent: AgentId, action: &Said) -> Result<(), Late> {
        self.gate.answer(agent, turn)?;
        let Some(request) = self.requests.get(&agent) else { return Ok(()) };
        if request.fallback.is_some() && *action == self.manifest().fallback {
            self.fall_back(agent);
            return Ok(());
        }
        match self.encoded(&request.ask, &order_value(action)) {
            Ok(bytes) => {
                self.requests.remove(&agent);
                self.transmits.push_back(bytes);
            }
            Err(failure) => {
                self.fall_back(agent);
                self.mistake(failure);
            }
        }
        Ok(())
    }

    fn handle_timeout(&mut self, now: Instant) {
        for gone in self.gate.expire(now) {
            self.fall_back(gone.agent);
            self.defaulted(gone.agent, gone.turn, DefaultCause::NoDecision);
        }
    }

    fn handle_shutdown(&mut self, now: Instant) {
        for gone in self.gate.close_all() {
            self.fall_back(gone.agent);
            self.defaulted(gone.agent, gone.turn, DefaultCause::NoDecision);
        }
        self.call("goodbye", [], now);
    }

    fn poll_transmit(&mut self) -> Option<Vec<u8>> {
        self.transmits.pop_front()
    }

    fn poll_event(&mut self) -> Option<Event<Value, Percept>> {
        self.events.pop_front()
    }

    fn poll_hangup(&mut self) -> Option<String> {
        self.hangup.take()
    }

    fn poll_timeout(&self) -> Option<Instant> {
        self.gate.next_due()
    }

    fn round_trip(&self) -> Option<Duration> {
        self.margin.round_trip()
    }
}

/// A mistake as the journal shows it.
pub(crate) fn notice(module: Module, failure: Failure) -> Notice {
    let mistake = Mistake::of_failure(&module.file(), failure);
    let place = match mistake.line {
        Some(line) => format!("{}:{line}", mistake.file),
        None => mistake.file,
    };
    Notice::Fault { place, what: mistake.what }
}
