//! A team whose agents use everything that outlives a team, and a match around it.

use crate::game::Counting;
use phalanx_engine::{
    Ask, BoardPage, BoardRead, Brain, BrainError, BrainErrorKind, Checkpoint, Freezer, Identity,
    Input, JournalEntry, JournalEvent, Letter, Memory, Outcome, Output, ParamKind, ParamSpec,
    Plain, RoundResult, Snapshot, Staged, Steering, Team, TeamLink, TeamOptions, TeamStart,
    TeamState,
};
use phalanx_game::sorted::SortedMap;
use phalanx_game::{AgentId, Event, Roster, RosterEntry, Said, SeatId, Turn, Value};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

pub(crate) const SECOND: Duration = Duration::from_secs(1);

/// Says a number that depends on everything that it can read: world, board, letters, memory,
/// parameters.
#[derive(Debug)]
pub(crate) struct Reader {
    link: TeamLink,
    memories: SortedMap<AgentId, f64>,
    calls: Arc<Mutex<Vec<String>>>,
}

impl Reader {
    fn number(&mut self, agent: AgentId) -> i64 {
        let memory = self.memories.entry(agent).or_insert(0.0);
        *memory += 1.0;
        let sum = self.link.oracle.field(agent, "sum").as_ref().and_then(Value::as_int).unwrap();
        let mut shared = self.link.shared.borrow_mut();
        let role = shared.role(agent).to_owned();
        let greed = shared.params.value("greed", Some((agent, &role))).and_then(Value::as_int);
        let letters = shared.take_inbox(agent);
        let letters: i64 = letters.iter().filter_map(|letter| letter.body.as_int()).sum();
        let board: i64 = shared.board.each("").filter_map(|(_, entry)| entry.value.as_int()).sum();
        let number = sum + greed.unwrap() + letters + board + role.len() as i64 + *memory as i64;
        let to = AgentId((agent.0 + 1) % 3);
        let body = Value::Int(number % 11);
        shared.send(to, Letter { from: format!("a{}", agent.0), body });
        let key = format!("k{}", number % 5);
        shared.board.set(&key, Value::Int(number % 13), "a", Some(2)).unwrap();
        let claimed = shared.board.claim(&format!("c{}", number % 2), &key, Some(3)).unwrap();
        number + i64::from(claimed) * 1_000
    }
}

impl Brain for Reader {
    fn start(&mut self, ask: &Ask<'_>) -> Outcome<()> {
        self.calls.lock().unwrap().push(format!("start {}", ask.agent.0));
        Outcome::new(Ok(()), Duration::ZERO)
    }

    fn plan(&mut self, _: &Ask<'_>) -> Outcome<()> {
        Outcome::new(Ok(()), Duration::ZERO)
    }

    fn decide(&mut self, ask: &Ask<'_>) -> Outcome<Said> {
        let number = self.number(ask.agent);
        let broke = BrainError::without_place(BrainErrorKind::Script, "it broke");
        let said = Said::new("say", vec![Value::Int(number)]);
        let result = if number % 9 == 4 { Err(broke) } else { Ok(said) };
        Outcome::new(result, Duration::ZERO)
    }

    fn finish(&mut self, _: &Ask<'_>, _: RoundResult) -> Outcome<()> {
        Outcome::new(Ok(()), Duration::ZERO)
    }

    fn forget(&mut self) {
        self.memories.clear();
    }

    fn memories(&mut self) -> Vec<Memory> {
        let memory = |(agent, number): (&AgentId, &f64)| Memory {
            agent: *agent,
            role: "worker".into(),
            version: 3,
            data: Ok(Plain::Num(*number)),
        };
        self.memories.iter().map(memory).collect()
    }

    fn remember(&mut self, memories: &[Memory]) {
        for Memory { agent, role, version, data } in memories {
            assert_eq!((role.as_str(), *version), ("worker", 3));
            let Ok(Plain::Num(number)) = data else { panic!("{data:?}") };
            self.memories.insert(*agent, *number);
        }
    }
}

/// A team and its outputs, with one seat for each agent.
pub(crate) struct Match<const FIXED: bool = false> {
    pub(crate) team: Team<Counting<FIXED>>,
    pub(crate) now: Instant,
    pub(crate) said: Vec<(AgentId, Turn, i64)>,
    pub(crate) journal: Vec<JournalEntry>,
    pub(crate) snapshot: Arc<Snapshot>,
    pub(crate) roster: Option<Arc<Roster>>,
    calls: Arc<Mutex<Vec<String>>>,
}

pub(crate) fn roster(agents: u16) -> Roster {
    let entry = |index| RosterEntry::new(format!("a{index}"), "worker");
    Roster { team: "A".into(), agents: (0..agents).map(entry).collect() }
}

impl<const FIXED: bool> Match<FIXED> {
    pub(crate) fn of(agents: u16, checkpoint: Option<Arc<[u8]>>, steering: Vec<Steering>) -> Self {
        let calls: Arc<Mutex<Vec<String>>> = Arc::default();
        let brain = |link: TeamLink, _: &Staged| {
            let kind = ParamKind::number(0.0, 99.0, true);
            let (name, default) = ("greed".into(), Value::Int(0));
            let spec = ParamSpec { name, kind, default, doc: String::new() };
            link.shared.borrow_mut().params.declare(spec).unwrap();
            Ok(Reader { link, memories: SortedMap::new(), calls: Arc::clone(&calls) })
        };
        let seats = (0..agents).map(SeatId).collect();
        let (options, staged) = (TeamOptions::default(), Staged::default());
        let state = TeamState::new(Arc::new(roster(agents))).operated(Arc::default(), steering);
        let start = TeamStart { seats, options, staged, state, checkpoint };
        let team = Team::new(&Counting, start, brain).unwrap();
        #[expect(clippy::disallowed_methods, reason = "an Instant has no other constructor")]
        let now = Instant::now();
        let (said, journal, snapshot, roster) = Default::default();
        let mut match_ = Self { team, now, said, journal, snapshot, roster, calls };
        match_.drain();
        match_
    }

    /// A team without a checkpoint.
    pub(crate) fn new(agents: u16) -> Self {
        Self::of(agents, None, Vec::new())
    }

    /// A team that continues from a checkpoint.
    pub(crate) fn resumed(agents: u16, bytes: Vec<u8>) -> Self {
        Self::of(agents, Some(bytes.into()), Vec::new())
    }

    /// Logs every agent in and starts the round, which sessions count as `local`.
    pub(crate) fn begin(&mut self, agents: u16, local: u32, round: &str) {
        for agent in (0..agents).map(AgentId) {
            self.event(agent, Event::Seated { agents: vec![agent] });
        }
        for agent in (0..agents).map(AgentId) {
            self.start(agent, local, round);
        }
    }

    pub(crate) fn start(&mut self, agent: AgentId, round: u32, briefing: &str) {
        let briefing = Some(briefing.to_owned());
        self.event(agent, Event::RoundStarted { agent, round, briefing });
    }

    /// A whole turn, in which every agent receives the step.
    pub(crate) fn turn(&mut self, agents: u16, local: u32, step: u32) {
        for agent in (0..agents).map(AgentId) {
            self.ask(agent, Turn::new(local, step), i64::from(step));
        }
        self.drain();
    }

    pub(crate) fn ask(&mut self, agent: AgentId, turn: Turn, percept: i64) {
        let event = Event::Asked { turn, agent, due: self.now + SECOND, percept };
        self.team.handle(Input::Event { seat: SeatId(agent.0), event }, self.now);
    }

    pub(crate) fn event(&mut self, agent: AgentId, event: Event<String, i64>) {
        self.input(Input::Event { seat: SeatId(agent.0), event });
    }

    pub(crate) fn input(&mut self, input: Input<Counting<FIXED>>) {
        self.team.handle(input, self.now);
        self.drain();
    }

    pub(crate) fn drain(&mut self) {
        while let Some(output) = self.team.poll_output(self.now) {
            match output {
                Output::Act { agent, turn, action, .. } => self.said.push((agent, turn, action)),
                Output::Publish(snapshot) => self.snapshot = snapshot,
                Output::Journal(entry) => self.journal.push(entry),
                Output::Roster { roster, .. } => self.roster = Some(roster),
                Output::Answer { .. } | Output::Drained => {}
            }
        }
    }

    /// The calls of `start` since the last call.
    pub(crate) fn starts(&mut self) -> Vec<String> {
        std::mem::take(&mut self.calls.lock().unwrap())
    }

    pub(crate) fn checkpoint(&mut self) -> Checkpoint<Counting<FIXED>> {
        self.team.checkpoint().unwrap()
    }

    /// The team as bytes.
    pub(crate) fn frozen(&mut self) -> Vec<u8> {
        self.checkpoint().freeze(&identity(), &mut Freezer::default())
    }

    pub(crate) fn board(&self) -> BoardPage {
        let (prefix, after, max) = (String::new(), None, 1_000);
        self.team.board(&BoardRead::Range { prefix, after, max })
    }

    /// The journal's entries about checkpoints and rounds.
    pub(crate) fn story(&self) -> Vec<String> {
        let tell = |entry: &JournalEntry| match &entry.event {
            JournalEvent::Resumed { turn, missed } => Some(format!("{turn} and {missed} missed")),
            JournalEvent::CheckpointRefused { reason } => Some(format!("refused: {reason}")),
            JournalEvent::RoundStarted => Some("round".to_owned()),
            _ => None,
        };
        self.journal.iter().filter_map(tell).collect()
    }
}

/// A match of a few seconds in 1970.
pub(crate) fn identity() -> Identity {
    let at = |seconds| -> SystemTime { UNIX_EPOCH + SECOND * seconds };
    let (team, game, server) = ("A".into(), "counting".into(), "localhost:1".into());
    Identity { team, game, server, begun: at(3), saved: at(9) }
}
