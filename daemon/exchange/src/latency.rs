//! Where the time of each turn went: from the referee's bytes to our answer, and to the referee's
//! next bytes.
//!
//! ```text
//!  seat    received ─ parsed                                        written        received
//!  team                       handed ─ settled ─ planned ─ decided
//!  referee                                                                referee
//! ```
//!
//! What is not measured: how long bytes lay in the system before the seat read them, how long they
//! travelled, and what of the referee's time was its own. [`TurnStage::Written`] ends when the system has
//! the bytes, not when the referee has them.

use phalanx_engine::{CallKind, TapedCall, TapedInput, TeamAct, TeamStep};
use phalanx_game::{AgentId, Event, SeatId, Turn};
use phalanx_net::{SeatAct, Taped};
use phalanx_proto::v1;
use phalanx_proto::v1::match_event::Kind;
use phalanx_record::{Entry, Recorded, RecordingDamage};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::{Duration, Instant};

/// Most turns that are measured.
pub const LATENCY_TURNS_MAX: usize = 200_000;
/// Reads of a seat that are remembered until the team hears of them.
const READS_MAX: usize = 64;
/// Answers at seats that are remembered until their turn is through.
const ANSWERS_MAX: usize = 8_192;
/// Agents of a turn that are measured.
const ASKS_MAX: usize = 8_192;
/// A turn is measured this many turns later: its answers are written by then.
const HELD_TURNS: usize = 2;
/// Upper ends of the histogram's ranges, in microseconds: 1, 2, 5, 10 … up to 50 s.
const RANGES: [u64; 24] = [
    1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000,
    200_000, 500_000, 1_000_000, 2_000_000, 5_000_000, 10_000_000, 20_000_000, 50_000_000,
];

/// A part of a turn's time. They follow each other without gaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TurnStage {
    /// From the first agent's request to the last one's.
    Received,
    /// Until the last request is understood.
    Parsed,
    /// Until the team's thread has it.
    Handed,
    /// Until the world is settled: maps are joined, stragglers waited for.
    Settled,
    /// The strategy's `plan`.
    Planned,
    /// Until the last agent's `decide` is done.
    Decided,
    /// Until the system has the last answer.
    Written,
    /// Until the first request of the next turn is here: the referee, the other teams, the network.
    Referee,
}

impl TurnStage {
    /// All, in order.
    pub const ALL: [Self; 8] = [
        Self::Received,
        Self::Parsed,
        Self::Handed,
        Self::Settled,
        Self::Planned,
        Self::Decided,
        Self::Written,
        Self::Referee,
    ];

    /// In one word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Received => "received",
            Self::Parsed => "parsed",
            Self::Handed => "handed",
            Self::Settled => "settled",
            Self::Planned => "planned",
            Self::Decided => "decided",
            Self::Written => "written",
            Self::Referee => "referee",
        }
    }

    /// What it is, for people.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Received => "first request to last request",
            Self::Parsed => "the last request is understood",
            Self::Handed => "the team's thread has it",
            Self::Settled => "maps are joined, stragglers waited for",
            Self::Planned => "plan() of the strategy",
            Self::Decided => "decide() of every agent",
            Self::Written => "the system has the last answer",
            Self::Referee => "referee, other teams and network until the next request",
        }
    }
}

/// Where the time of a turn went.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TurnTimes {
    /// Which turn.
    pub turn: v1::Turn,
    /// When its first request came, in nanoseconds after the recording's begin.
    pub nanos: i64,
    /// Agents that were asked.
    pub agents: u64,
    /// By stage, in the order of [`TurnStage::ALL`]; `None`: the recording does not tell.
    pub spans: [Option<Duration>; TurnStage::ALL.len()],
    /// From the first request to the last answer; `None`: no answer was written.
    pub answer: Option<Duration>,
    /// Who thought longest, and for how long.
    pub slowest: Option<(String, Duration)>,
}

impl TurnTimes {
    /// The time of a stage; `None`: the recording does not tell.
    #[must_use]
    pub fn span(&self, stage: TurnStage) -> Option<Duration> {
        self.spans
            .iter()
            .zip(TurnStage::ALL)
            .find(|(_, at)| *at == stage)
            .and_then(|(span, _)| *span)
    }
}

/// Where the time of all turns went.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Latency {
    /// Turn by turn, in order.
    pub turns: Vec<TurnTimes>,
    /// Turns beyond [`LATENCY_TURNS_MAX`].
    pub left_out: u64,
    /// Pieces that could not be read.
    pub damage: u64,
}

/// How a time is distributed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Distribution {
    /// How many were measured.
    pub count: u64,
    /// Half of them were not longer.
    pub p50: Duration,
    /// Nine of ten were not longer.
    pub p90: Duration,
    /// 99 of a hundred were not longer.
    pub p99: Duration,
    /// The longest.
    pub max: Duration,
    /// How many were in which range, by its upper end, from the first range that has any to the last
    /// one. What is longer than 50 s is in the last one.
    pub ranges: Vec<(Duration, u64)>,
}

impl Distribution {
    fn of(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        let Some(max) = times.last().copied() else { return Self::default() };
        // The smallest time that `percent` % of the samples do not exceed.
        let at = |percent: usize| {
            let rank = (times.len() * percent).div_ceil(100).max(1);
            times.get(rank - 1).copied().unwrap_or(max)
        };
        let mut ranges = RANGES.map(|micros| (Duration::from_micros(micros), 0_u64));
        for time in &times {
            let last = ranges.len() - 1;
            let index = ranges.partition_point(|(end, _)| end < time).min(last);
            if let Some((_, count)) = ranges.get_mut(index) {
                *count += 1;
            }
        }
        let some = |(_, count): &(Duration, u64)| *count > 0;
        let first = ranges.iter().position(some).unwrap_or_default();
        let last = ranges.iter().rposition(some).unwrap_or_default();
        let ranges = ranges.get(first..=last).unwrap_or_default().to_vec();
        let count = times.len() as u64;
        Self { count, p50: at(50), p90: at(90), p99: at(99), max, ranges }
    }
}

impl Latency {
    /// Measures the entries of a recording.
    pub fn of(entries: impl Iterator<Item = Result<Entry, RecordingDamage>>) -> Self {
        let mut meter = LatencyMeter::default();
        for entry in entries {
            match entry {
                Ok(entry) => meter.read(entry),
                Err(_) => meter.latency.damage += 1,
            }
        }
        while !meter.closed.is_empty() {
            meter.measure();
        }
        meter.latency
    }

    /// How the time of a stage is distributed.
    #[must_use]
    pub fn stage(&self, stage: TurnStage) -> Distribution {
        Distribution::of(self.turns.iter().filter_map(|turn| turn.span(stage)).collect())
    }

    /// How the time from the first request to the last answer is distributed.
    #[must_use]
    pub fn answers(&self) -> Distribution {
        Distribution::of(self.turns.iter().filter_map(|turn| turn.answer).collect())
    }

    /// The turns that took longest to answer, the longest first.
    #[must_use]
    pub fn worst(&self, count: usize) -> Vec<&TurnTimes> {
        let mut worst: Vec<_> = self.turns.iter().filter(|turn| turn.answer.is_some()).collect();
        worst.sort_by_key(|turn| std::cmp::Reverse(turn.answer));
        worst.truncate(count);
        worst
    }
}

/// An agent was asked.
#[derive(Clone, Copy, Debug)]
struct AgentAsk {
    seat: SeatId,
    agent: AgentId,
    /// In the session's count.
    turn: Turn,
    received: i64,
    parsed: i64,
    handed: i64,
}

/// A turn of the team as far as it is known.
#[derive(Clone, Debug, Default)]
struct UnfinishedTurn {
    asks: Vec<AgentAsk>,
    /// Begin and end of `plan`.
    plan: Option<(i64, i64)>,
    /// Begin of the first `decide`, end of the last one.
    decide: Option<(i64, i64)>,
    slowest: Option<(AgentId, Duration)>,
    turn: v1::Turn,
}

impl UnfinishedTurn {
    fn has_begun(&self) -> bool {
        self.plan.is_some() || self.decide.is_some()
    }
}

/// A seat's answer.
#[derive(Clone, Copy, Debug)]
struct SeatAnswer {
    seat: SeatId,
    agent: AgentId,
    turn: Turn,
    /// When its message was written, or, where the game needs none, when it was decided.
    written: Option<i64>,
}

#[derive(Default)]
struct LatencyMeter {
    latency: Latency,
    names: Vec<String>,
    reads: BTreeMap<SeatId, VecDeque<(i64, Option<i64>)>>,
    answers: VecDeque<SeatAnswer>,
    /// Seats whose last act was the team's answer, or a message that it made the session send.
    answering: BTreeSet<SeatId>,
    open: UnfinishedTurn,
    /// Asked while the team still decided on the turn before.
    next: Vec<AgentAsk>,
    closed: VecDeque<UnfinishedTurn>,
}

impl LatencyMeter {
    fn read(&mut self, entry: Entry) {
        let Entry { at, nanos, what } = entry;
        match what {
            Recorded::Taped(Taped::Began(began)) => {
                self.names =
                    began.state.roster().agents.iter().map(|agent| agent.name.clone()).collect();
            }
            Recorded::Taped(Taped::Seat { seat, act }) => self.at_seat(seat, &act, nanos),
            Recorded::Taped(Taped::Steps(steps)) => {
                for step in steps {
                    self.step(&step, |instant| beside(nanos, at, instant));
                }
            }
            Recorded::Event(event) => {
                if let Some(Kind::TurnDone(_)) = event.kind {
                    self.close(event.turn.unwrap_or_default());
                }
            }
            Recorded::Team(team) => self.learn(&team),
            Recorded::Taped(_)
            | Recorded::Info(_)
            | Recorded::Percepts(_)
            | Recorded::Board(_)
            | Recorded::World(_)
            | Recorded::Gap(_) => {}
        }
    }

    /// Agents that came later.
    fn learn(&mut self, team: &v1::Team) {
        let later = team.agents.iter().skip(self.names.len());
        self.names.extend(later.map(|agent| agent.name.clone()));
    }

    fn at_seat(&mut self, seat: SeatId, act: &SeatAct, nanos: i64) {
        if !matches!(act, SeatAct::Sent(_)) {
            self.answering.remove(&seat);
        }
        match act {
            SeatAct::Received(_) => {
                let reads = self.reads.entry(seat).or_default();
                reads.push_back((nanos, None));
                if reads.len() > READS_MAX {
                    reads.pop_front();
                }
            }
            SeatAct::Parsed => {
                let last = self.reads.get_mut(&seat).and_then(VecDeque::back_mut);
                if let Some((_, parsed @ None)) = last {
                    *parsed = Some(nanos);
                }
            }
            SeatAct::Acted { turn, agent } => {
                self.answers.push_back(SeatAnswer {
                    seat,
                    agent: *agent,
                    turn: *turn,
                    written: Some(nanos),
                });
                self.answering.insert(seat);
                if self.answers.len() > ANSWERS_MAX {
                    self.answers.pop_front();
                }
            }
            SeatAct::Sent(_) if self.answering.contains(&seat) => {
                let mut answers = self.answers.iter_mut().rev();
                if let Some(answer) = answers.find(|answer| answer.seat == seat) {
                    answer.written = None;
                }
            }
            SeatAct::Written => {
                let waits =
                    |answer: &&mut SeatAnswer| answer.seat == seat && answer.written.is_none();
                let waiting = self.answers.iter_mut().rev().take(ASKS_MAX).filter(waits);
                waiting.for_each(|answer| answer.written = Some(nanos));
            }
            SeatAct::Connected
            | SeatAct::Disconnected
            | SeatAct::Replaced
            | SeatAct::Sent(_)
            | SeatAct::TimedOut
            | SeatAct::Shutdown => {}
        }
    }

    fn step(&mut self, step: &TeamStep, nanos: impl Fn(Instant) -> i64) {
        let at = nanos(step.at);
        match &step.act {
            TeamAct::Handled(TapedInput::Event {
                seat,
                event: Event::Asked { turn, agent, .. },
            }) => self.asked(*seat, *agent, *turn, at),
            // The seat had answered by itself.
            TeamAct::Handled(TapedInput::Late { agent, turn }) => {
                self.answers.retain(|answer| (answer.agent, answer.turn) != (*agent, *turn));
            }
            TeamAct::Called(call) => self.called(call, at),
            TeamAct::Handled(_) | TeamAct::TimedOut | TeamAct::Polled => {}
        }
    }

    fn asked(&mut self, seat: SeatId, agent: AgentId, turn: Turn, handed: i64) {
        let reads = self.reads.get(&seat);
        let read = reads.and_then(|reads| reads.iter().rev().find(|(at, _)| *at <= handed));
        let (received, parsed) = read.map_or((handed, None), |(at, parsed)| (*at, *parsed));
        let parsed = parsed.unwrap_or(received).min(handed);
        let ask = AgentAsk { seat, agent, turn, received, parsed, handed };
        let same = self.open.asks.iter().any(|known| known.turn == turn);
        let asks =
            if self.open.has_begun() && !same { &mut self.next } else { &mut self.open.asks };
        // The newer turn replaces the older one.
        asks.retain(|known| (known.seat, known.agent) != (seat, agent));
        if asks.len() < ASKS_MAX {
            asks.push(ask);
        }
    }

    fn called(&mut self, call: &TapedCall, at: i64) {
        let end = at.saturating_add(i64::try_from(call.spent.as_nanos()).unwrap_or(i64::MAX));
        match call.call {
            CallKind::Plan => self.open.plan = Some((at, end)),
            CallKind::Decide => {
                let (begin, last) = self.open.decide.unwrap_or((at, end));
                self.open.decide = Some((begin.min(at), last.max(end)));
                let longest = self.open.slowest.is_none_or(|(_, spent)| spent < call.spent);
                if let Some(agent) = call.agent.filter(|_| longest) {
                    self.open.slowest = Some((agent, call.spent));
                }
            }
            CallKind::Start
            | CallKind::Finish
            | CallKind::Install
            | CallKind::HandOver
            | CallKind::Run => {}
        }
    }

    fn close(&mut self, turn: v1::Turn) {
        let next =
            UnfinishedTurn { asks: std::mem::take(&mut self.next), ..UnfinishedTurn::default() };
        let open = std::mem::replace(&mut self.open, next);
        self.closed.push_back(UnfinishedTurn { turn, ..open });
        if self.closed.len() > HELD_TURNS {
            self.measure();
        }
    }

    fn measure(&mut self) {
        let Some(turn) = self.closed.pop_front() else { return };
        let next = self.closed.front().filter(|next| next.turn.round == turn.turn.round);
        let next = next.and_then(|next| next.asks.iter().map(|ask| ask.received).min());
        let last = turn.asks.iter().filter_map(|ask| self.written(ask)).max();
        let times = times(&turn, last, next, &self.names);
        let newest = turn.asks.iter().map(|ask| ask.turn).max();
        self.answers.retain(|answer| newest.is_none_or(|newest| answer.turn > newest));
        match times {
            Some(times) if self.latency.turns.len() < LATENCY_TURNS_MAX => {
                self.latency.turns.push(times);
            }
            Some(_) => self.latency.left_out += 1,
            None => {}
        }
    }

    /// When the answer to it was written.
    fn written(&self, ask: &AgentAsk) -> Option<i64> {
        let AgentAsk { seat, agent, turn, .. } = *ask;
        let same =
            |answer: &&SeatAnswer| (answer.seat, answer.agent, answer.turn) == (seat, agent, turn);
        self.answers.iter().rev().find(same)?.written
    }
}

/// The times of a turn whose last answer was written then; `None`: no agent was asked.
fn times(
    turn: &UnfinishedTurn,
    written: Option<i64>,
    next: Option<i64>,
    names: &[String],
) -> Option<TurnTimes> {
    let first = turn.asks.iter().map(|ask| ask.received).min()?;
    let last = |moment: fn(&AgentAsk) -> i64| turn.asks.iter().map(moment).max();
    let planned = turn.plan.map(|(_, end)| end);
    let settled = turn.plan.or(turn.decide).map(|(begin, _)| begin);
    let moments = [
        last(|ask| ask.received),
        last(|ask| ask.parsed),
        last(|ask| ask.handed),
        settled,
        planned,
        turn.decide.map(|(_, end)| end),
        written,
        next.filter(|_| written.is_some()),
    ];
    let mut before = first;
    // A moment may be before the one that should precede it: a straggler is asked while others
    // decide. It takes no time then.
    let spans = moments.map(|moment| {
        let moment = moment?;
        let span = moment.saturating_sub(before);
        before = before.max(moment);
        Some(Duration::from_nanos(u64::try_from(span).unwrap_or_default()))
    });
    let answer = written.map(|at| at.saturating_sub(first));
    let answer = answer.map(|span| Duration::from_nanos(u64::try_from(span).unwrap_or_default()));
    let slowest = turn.slowest.map(|(agent, spent)| {
        let name = names.get(usize::from(agent.0)).cloned();
        (name.unwrap_or_else(|| agent.0.to_string()), spent)
    });
    let agents = turn.asks.len() as u64;
    Some(TurnTimes { turn: turn.turn, nanos: first, agents, spans, answer, slowest })
}

/// Nanoseconds of an instant, by those of another one.
fn beside(nanos: i64, at: Instant, instant: Instant) -> i64 {
    let span = |span: Duration| i64::try_from(span.as_nanos()).unwrap_or(i64::MAX);
    match instant.checked_duration_since(at) {
        Some(after) => nanos.saturating_add(span(after)),
        None => nanos.saturating_sub(span(at.saturating_duration_since(instant))),
    }
}
