//! A game with one line for each message: `welcome`, `refuse WHY`, `start`, `ask STEP MILLIS`,
//! `over SCORE`, `bye` from the referee; `hello NAME`, `do STEP WHAT`, `bye` from us.

use phalanx_engine::{Ask, Brain, BrainError, Outcome, RoundResult, Staged, TeamLink};
use phalanx_game::sorted::SortedSet;
use phalanx_game::{
    ActionDoc, ActionError, AgentId, AgentState, Api, Declaration, DefaultCause, Event, Framing,
    Game, Late, MarginLimits, Met, Notice, ProtocolError, QueryError, RestoreError, ResumeFrame,
    Roster, RosterEntry, Said, Seat, SeatId, Session, Turn, TurnGate, Value, World, freeze, thaw,
};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Longest line.
pub(crate) const LINE_BYTES_MAX: usize = 1_024;

#[derive(Clone, Debug)]
pub(crate) struct Toy;

pub(crate) type ToyEvent = Event<(), u32>;

const DIG: ActionDoc = ActionDoc { name: "dig", doc: "Digs.", params: &[] };
const REST: ActionDoc = ActionDoc { name: "rest", doc: "Does nothing.", params: &[] };

static DECLARATION: Declaration = Declaration {
    name: "toy",
    framing: Framing::Stream,
    api: Api { actions: &[DIG, REST], percept: &[], queries: &[] },
    keys: &[],
    layers: &[],
    fixed: None,
};

impl Game for Toy {
    type Briefing = ();
    type Percept = u32;
    type Action = String;
    type Session = ToySession;
    type World = ToyWorld;

    fn declaration(&self) -> &'static Declaration {
        &DECLARATION
    }

    fn session(&self, seat: &Seat) -> ToySession {
        ToySession {
            seat: seat.clone(),
            buffer: Vec::new(),
            gate: TurnGate::default(),
            round: 0,
            events: VecDeque::new(),
            out: VecDeque::new(),
            counts: Vec::new(),
            held: None,
        }
    }

    fn world(&self, _roster: &Roster) -> ToyWorld {
        ToyWorld::default()
    }

    fn describe(action: &String) -> String {
        action.clone()
    }
}

#[derive(Debug)]
pub(crate) struct ToySession {
    seat: Seat,
    buffer: Vec<u8>,
    gate: TurnGate,
    round: u32,
    events: VecDeque<ToyEvent>,
    out: VecDeque<Vec<u8>>,
    /// The referee's messages on this connection that still matter.
    counts: Vec<ResumeFrame>,
    /// A turn whose answer is sent when the referee says `release`.
    held: Option<Turn>,
}

impl ToySession {
    fn agent(&self) -> AgentId {
        self.seat.agents[0].0
    }

    fn say(&mut self, line: &str) {
        self.out.push_back(format!("{line}\n").into_bytes());
    }

    fn hear(&mut self, line: &str, now: Instant) {
        let agent = self.agent();
        let words: Vec<_> = line.split(' ').collect();
        if matches!(words.as_slice(), ["welcome" | "start"] | ["ask", ..]) {
            self.counts.retain(|heard| !heard.bytes.starts_with(words[0].as_bytes()));
            self.counts.push(ResumeFrame { at: now, bytes: format!("{line}\n").into_bytes() });
        }
        let event = match words.as_slice() {
            ["release"] => {
                let held = self.held.take().unwrap();
                return self.say(&format!("do {} later", held.step));
            }
            ["welcome"] => Event::Seated { agents: vec![agent] },
            ["refuse", reason] => Event::Refused { reason: (*reason).to_owned() },
            ["start"] => Event::RoundStarted { agent, round: self.round, briefing: Some(()) },
            ["ask", step, millis] => {
                let window = Duration::from_millis(millis.parse().unwrap());
                let turn = Turn::new(self.round, step.parse().unwrap());
                let due = now + window * 4 / 5;
                if let Some(old) = self.gate.open(agent, turn, due) {
                    let cause = DefaultCause::Superseded;
                    self.events.push_back(Event::Defaulted { turn: old.turn, agent, cause });
                }
                Event::Asked { turn, agent, due, percept: turn.step }
            }
            ["over", score] => {
                let (round, score) = (self.round, score.parse().unwrap());
                self.round += 1;
                Event::RoundOver { agent, round, score, ranking: None }
            }
            ["out"] => Event::Out { agent, round: self.round },
            ["bye"] => Event::MatchOver,
            ["boom"] => panic!("boom was said"),
            _ => {
                let error = ProtocolError::new("line", "a known word", line.as_bytes());
                Event::Notice(Notice::Malformed(error))
            }
        };
        self.events.push_back(event);
    }

    fn default_all(&mut self, gone: Vec<phalanx_game::Expired>, cause: DefaultCause) {
        for expired in gone {
            let (turn, agent) = (expired.turn, expired.agent);
            if cause == DefaultCause::NoDecision {
                self.say(&format!("do {} rest", turn.step));
            }
            self.events.push_back(Event::Defaulted { turn, agent, cause });
        }
    }
}

impl Session for ToySession {
    type Briefing = ();
    type Percept = u32;
    type Action = String;

    fn handle_connected(&mut self, _now: Instant) {
        let hello = format!("hello {}", self.seat.user);
        self.say(&hello);
    }

    fn handle_disconnected(&mut self, _now: Instant) {
        self.buffer.clear();
        self.out.clear();
        self.counts.clear();
        let open = self.gate.close_all();
        self.default_all(open, DefaultCause::Disconnected);
    }

    fn handle_input(&mut self, bytes: &[u8], now: Instant) -> Result<(), ProtocolError> {
        self.buffer.extend_from_slice(bytes);
        while let Some(end) = self.buffer.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.buffer.drain(..=end).collect();
            let text = String::from_utf8_lossy(&line).trim_end().to_owned();
            self.hear(&text, now);
        }
        if self.buffer.len() > LINE_BYTES_MAX {
            let got = std::mem::take(&mut self.buffer);
            return Err(ProtocolError::new("line", "at most 1024 bytes", &got));
        }
        Ok(())
    }

    fn handle_action(&mut self, turn: Turn, agent: AgentId, action: &String) -> Result<(), Late> {
        self.gate.answer(agent, turn)?;
        match action.as_str() {
            // Nothing is sent, as in games where silence is an answer.
            "wait" => {}
            "later" => self.held = Some(turn),
            _ => self.say(&format!("do {} {action}", turn.step)),
        }
        Ok(())
    }

    fn holds(&self, _agent: AgentId) -> bool {
        self.held.is_some()
    }

    fn handle_timeout(&mut self, now: Instant) {
        let gone = self.gate.expire(now);
        self.default_all(gone, DefaultCause::NoDecision);
    }

    fn handle_shutdown(&mut self, _now: Instant) {
        let open = self.gate.close_all();
        self.default_all(open, DefaultCause::NoDecision);
        self.say("bye");
    }

    fn poll_transmit(&mut self) -> Option<Vec<u8>> {
        self.out.pop_front()
    }

    fn poll_event(&mut self) -> Option<ToyEvent> {
        self.events.pop_front()
    }

    fn poll_timeout(&self) -> Option<Instant> {
        self.gate.next_due()
    }

    fn round_trip(&self) -> Option<Duration> {
        None
    }

    fn resume_frames(&self) -> Option<Vec<ResumeFrame>> {
        let is_open = self.gate.next_due().is_some();
        let counts = self.counts.iter().filter(|heard| is_open || !heard.bytes.starts_with(b"ask"));
        let partial = ResumeFrame { at: self.counts.last()?.at, bytes: self.buffer.clone() };
        Some(counts.cloned().chain([partial]).collect())
    }
}

/// The steps in which any agent was asked.
#[derive(Clone, Debug, Default)]
pub(crate) struct ToyWorld(SortedSet<u32>);

impl World for ToyWorld {
    type Briefing = ();
    type Percept = u32;
    type Action = String;

    fn begin(&mut self, _round: u32, _agent: AgentId, _briefing: Option<&()>) {}
    fn observe(&mut self, _turn: Turn, _agent: AgentId, step: u32) {
        self.0.insert(step);
    }
    fn settle(&mut self, _turn: Turn) {}
    fn acted(&mut self, _turn: Turn, _agent: AgentId, _action: &String) {}
    fn field(&self, _agent: AgentId, name: &str) -> Option<Value> {
        let steps = self.0.iter().map(|step| Value::from(*step)).collect();
        (name == "steps").then_some(Value::List(steps))
    }
    fn query(&self, _agent: AgentId, name: &str, _: &[Value]) -> Result<Value, QueryError> {
        Err(QueryError { query: name.into(), reason: "there are none".into() })
    }
    fn parse(&self, _agent: AgentId, said: &Said) -> Result<String, ActionError> {
        Ok(said.action.clone().into_owned())
    }
    fn fallback(&self, _agent: AgentId) -> String {
        "rest".into()
    }
    fn score(&self) -> Option<i64> {
        None
    }
    fn state(&self, _agent: AgentId) -> AgentState {
        AgentState::default()
    }
    fn save(&self) -> Vec<u8> {
        freeze(1, &self.0)
    }
    fn restore(&mut self, saved: &[u8]) -> Result<(), RestoreError> {
        self.0 = thaw(1, saved)?;
        Ok(())
    }
    fn recognize(&self, _agent: AgentId, met: Met<'_, (), u32>) -> Result<(), String> {
        match met {
            Met::Turn(_, step) if self.0.iter().any(|known| known > step) => {
                Err(format!("step {step} is past"))
            }
            Met::Turn(..) | Met::Round(_) => Ok(()),
        }
    }
}

/// A brain from a closure: agent and turn in, action out.
pub(crate) struct ToyBrain<F>(pub(crate) F);

impl<F: FnMut(AgentId, Turn) -> String> Brain for ToyBrain<F> {
    fn start(&mut self, _ask: &Ask<'_>) -> Outcome<()> {
        done(())
    }
    fn plan(&mut self, _ask: &Ask<'_>) -> Outcome<()> {
        done(())
    }
    fn decide(&mut self, ask: &Ask<'_>) -> Outcome<Said> {
        done(Said::new((self.0)(ask.agent, ask.turn), Vec::new()))
    }
    fn finish(&mut self, _ask: &Ask<'_>, _result: RoundResult) -> Outcome<()> {
        done(())
    }
    fn generation(&self) -> u32 {
        1
    }
}

fn done<T>(value: T) -> Outcome<T> {
    Outcome::new(Ok(value), Duration::ZERO)
}

/// A factory of such brains, called again after a panic.
pub(crate) fn brains<F>(
    decide: F,
) -> impl FnMut(TeamLink, &Staged) -> Result<ToyBrain<F>, BrainError> + Clone + Send + 'static
where
    F: FnMut(AgentId, Turn) -> String + Clone + Send + 'static,
{
    move |_link, _staged| Ok(ToyBrain(decide.clone()))
}

/// A team of this many agents, one seat each: `red0`, `red1`…
pub(crate) fn squad(team: &str, agents: u16) -> (Roster, Vec<Seat>) {
    let name = |index: u16| format!("{team}{index}");
    let entry = |index| RosterEntry::new(name(index), "worker");
    let seat = |index| Seat {
        id: SeatId(index),
        agents: vec![(AgentId(index), name(index))],
        user: name(index),
        password: "secret".into(),
        turn_limit: Duration::from_secs(1),
        margin: MarginLimits::default(),
    };
    let roster = Roster { team: team.into(), agents: (0..agents).map(entry).collect() };
    (roster, (0..agents).map(seat).collect())
}
