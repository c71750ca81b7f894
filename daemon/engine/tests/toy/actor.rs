//! A brain whose generations behave as a table defines, and a match around it.

use crate::game::Toy;
use phalanx_engine::{
    Answer, Ask, Brain, BrainError, BrainErrorKind, Carry, Command, CommandError, CommandRequest,
    Generation, Input, InstallStrategy, JournalEntry, JournalEvent, LogLevel, Memory, Outcome,
    Output, ParamKind, ParamSpec, Plain, Profile, Ran, Reason, SeatState, Snapshot, Staged,
    Steering, StrategyOrigin, Team, TeamCommand, TeamLink, TeamOptions, TeamStart, TeamState,
    Ticket,
};
use phalanx_game::sorted::SortedSet;
use phalanx_game::{AgentId, Event, Roster, RosterEntry, Said, SeatId, Turn, Value};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

pub(crate) const SECOND: Duration = Duration::from_secs(1);

/// How a generation behaves.
#[derive(Clone, Debug)]
pub(crate) struct Manner {
    /// Its `decide` fails.
    pub(crate) breaks: bool,
    /// It can be loaded this many times.
    pub(crate) loads: u32,
    /// The largest value of its parameter `greed`; the default is 0.
    pub(crate) greed_max: f64,
    /// How long its `decide` takes.
    pub(crate) spends: Duration,
}

impl Default for Manner {
    fn default() -> Self {
        Self { breaks: false, loads: u32::MAX, greed_max: 10.0, spends: Duration::ZERO }
    }
}

/// A generation with this behaviour that takes `cost` to load.
pub(crate) fn staged(number: u32, manner: Manner) -> Staged {
    let generation = Generation {
        number,
        hash: format!("{number:064}"),
        accepted: SystemTime::UNIX_EPOCH,
        origin: StrategyOrigin::File,
    };
    let code = Arc::new(Mutex::new(manner));
    Staged {
        generation: Arc::new(generation),
        code,
        cost: Duration::from_millis(1),
        ..Staged::default()
    }
}

pub(crate) fn broken(message: &str) -> BrainError {
    BrainError {
        kind: BrainErrorKind::Script,
        place: Some(("worker.luau".into(), 7)),
        role: "worker".into(),
        message: message.into(),
    }
}

/// Says a hundred times its generation plus `greed`; each agent remembers how often it decided.
#[derive(Debug)]
pub(crate) struct Actor {
    link: TeamLink,
    manner: Manner,
    generation: u32,
    decided: Vec<f64>,
    calls: Arc<Mutex<Vec<String>>>,
}

impl Actor {
    fn note(&self, call: impl Into<String>) {
        self.calls.lock().unwrap().push(call.into());
    }

    fn load(&mut self, staged: &Staged) -> Result<(), BrainError> {
        let code = Arc::clone(&staged.code).downcast::<Mutex<Manner>>().unwrap();
        let mut manner = code.lock().unwrap();
        if manner.loads == 0 {
            return Err(broken("no decide"));
        }
        manner.loads -= 1;
        let kind = ParamKind::number(0.0, manner.greed_max, false);
        let (name, default) = ("greed".into(), Value::Num(0.0));
        let spec = ParamSpec { name, kind, default, doc: String::new() };
        self.link.shared.borrow_mut().params.declare(spec).unwrap();
        (self.manner, self.generation) = (manner.clone(), staged.generation.number);
        Ok(())
    }
}

impl Brain for Actor {
    fn plan(&mut self, _ask: &Ask<'_>) -> Outcome<()> {
        self.note("plan");
        Outcome::new(Ok(()), Duration::ZERO)
    }

    fn decide(&mut self, ask: &Ask<'_>) -> Outcome<Said> {
        self.note(format!("decide {}", ask.agent.0));
        self.decided[ask.agent.index()] += 1.0;
        let shared = self.link.shared.borrow();
        let greed = shared.params.value("greed", Some((ask.agent, "worker")));
        let greed = greed.and_then(Value::as_num).unwrap();
        let said = Value::Num(f64::from(self.generation) * 100.0 + greed);
        let result = if self.manner.breaks {
            Err(broken("it broke"))
        } else {
            Ok(Said::new("say", vec![said]))
        };
        let reason = Reason { text: format!("as {} does", self.generation), data: Value::Nil };
        Outcome { reason: Some(reason), ..Outcome::new(result, self.manner.spends) }
    }

    fn generation(&self) -> u32 {
        self.generation
    }

    fn install(
        &mut self,
        staged: &Staged,
        spare: Option<&[Memory]>,
    ) -> Result<Vec<Memory>, BrainError> {
        let before = self.memories();
        self.load(staged)?;
        let spare = spare.into_iter().flatten().map(|memory| memory.data.clone().unwrap());
        let spare: Vec<_> = spare.collect();
        self.note(format!("install {} spare {spare:?}", self.generation));
        Ok(before)
    }

    fn roles(&self) -> Option<SortedSet<String>> {
        Some(["hermit", "scout", "worker"].map(String::from).into())
    }

    /// A hermit refuses every memory.
    fn hand_over(
        &mut self,
        agent: AgentId,
        role: &str,
        carry: Carry,
        budget: Duration,
    ) -> Result<(), BrainError> {
        self.note(format!("hand over {} to {role} {carry:?} {}ms", agent.0, budget.as_millis()));
        match (role, carry) {
            ("hermit", Carry::Strict) => Err(broken("no migrate")),
            _ => Ok(()),
        }
    }

    fn enroll(&mut self, roster: &Arc<Roster>) {
        let world = self.link.oracle.query(AgentId(0), "present", &[]).unwrap();
        let all = roster.agents.len();
        self.note(format!("enroll {} of {all}", world.as_int().unwrap()));
        self.decided.resize(all, 0.0);
    }

    fn forget(&mut self) {
        self.note("forget");
        self.decided.fill(0.0);
    }

    fn memories(&mut self) -> Vec<Memory> {
        let memory = |(index, decided): (usize, &f64)| Memory {
            agent: AgentId(u16::try_from(index).unwrap()),
            role: "worker".into(),
            version: 0,
            data: Ok(Plain::Num(*decided)),
        };
        self.decided.iter().enumerate().map(memory).collect()
    }

    fn run(&mut self, ask: &Ask<'_>, code: &str) -> Outcome<Ran> {
        self.note(format!("run {} {}ms", ask.agent.0, ask.budget.as_millis()));
        self.link.shared.borrow_mut().log(None, LogLevel::Info, code);
        let result = match code {
            "break" => Err(broken("it broke")),
            text => Ok(Ran { text: text.into(), lines: Vec::new() }),
        };
        Outcome::new(result, Duration::ZERO)
    }

    fn start_profile(&mut self) {
        self.note("start profile");
    }

    fn take_profile(&mut self) -> Profile {
        self.note("take profile");
        Profile { samples_dropped: 7, ..Profile::default() }
    }
}

/// A team with one seat for each agent, all logged in, in the first round.
pub(crate) struct Match {
    pub(crate) team: Team<Toy>,
    pub(crate) now: Instant,
    pub(crate) said: Vec<i64>,
    pub(crate) snapshots: Vec<Arc<Snapshot>>,
    pub(crate) journal: Vec<JournalEntry>,
    pub(crate) answers: Vec<(Ticket, Answer)>,
    pub(crate) drained: bool,
    calls: Arc<Mutex<Vec<String>>>,
    agents: u16,
    tickets: Ticket,
}

impl Match {
    pub(crate) fn new(agents: u16, options: TeamOptions) -> Self {
        Self::with(agents, options, Manner::default(), Vec::new())
    }

    /// A first generation with this behaviour, and agents with this steering.
    pub(crate) fn with(
        agents: u16,
        options: TeamOptions,
        manner: Manner,
        steering: Vec<Steering>,
    ) -> Self {
        let mut match_ = Self::unseated(agents, options, manner, steering);
        for agent in (0..agents).map(AgentId) {
            match_.seat(agent);
        }
        for agent in (0..agents).map(AgentId) {
            match_.start(agent);
        }
        match_
    }

    /// The same before any agent is logged in.
    pub(crate) fn unseated(
        agents: u16,
        options: TeamOptions,
        manner: Manner,
        steering: Vec<Steering>,
    ) -> Self {
        let entry = |index| RosterEntry::new(format!("a{index}"), "worker");
        let roster = Roster { team: "A".into(), agents: (0..agents).map(entry).collect() };
        let calls: Arc<Mutex<Vec<String>>> = Arc::default();
        let brain = |link: TeamLink, staged: &Staged| {
            let decided = vec![0.0; usize::from(agents)];
            let (manner, calls) = (Manner::default(), Arc::clone(&calls));
            let mut actor = Actor { link, manner, generation: 0, decided, calls };
            actor.load(staged).map(|()| actor)
        };
        let state = TeamState::new(Arc::new(roster)).operated(Arc::default(), steering);
        let (staged, seats) = (staged(1, manner), (0..agents).map(SeatId).collect());
        let start = TeamStart { seats, options, staged, state, checkpoint: None };
        let team = Team::new(&Toy, start, brain).unwrap();
        #[expect(clippy::disallowed_methods, reason = "an Instant has no other constructor")]
        let now = Instant::now();
        let (said, snapshots, journal, answers) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (drained, tickets) = (false, 0);
        Self { team, now, said, snapshots, journal, answers, drained, calls, agents, tickets }
    }

    /// Logs an agent's seat in.
    pub(crate) fn seat(&mut self, agent: AgentId) {
        self.event(agent, Event::Seated { agents: vec![agent] });
    }

    /// The first round starts for an agent.
    pub(crate) fn start(&mut self, agent: AgentId) {
        self.event(agent, Event::RoundStarted { agent, round: 0, briefing: Some(()) });
    }

    /// Asks one agent, with a second to go; the team decides in [`drain`](Self::drain).
    pub(crate) fn ask(&mut self, agent: u16, step: u32) {
        self.tell(agent, step, i64::from(step));
    }

    /// As [`ask`](Self::ask), with the number that the agent perceives.
    pub(crate) fn tell(&mut self, agent: u16, step: u32, percept: i64) {
        let (agent, turn, due) = (AgentId(agent), Turn::new(0, step), self.now + SECOND);
        let event = Event::Asked { turn, agent, due, percept };
        self.team.handle(Input::Event { seat: SeatId(agent.0), event }, self.now);
    }

    /// A whole turn.
    pub(crate) fn turn(&mut self, step: u32) {
        for agent in 0..self.agents {
            self.ask(agent, step);
        }
        self.drain();
    }

    pub(crate) fn event(&mut self, agent: AgentId, event: Event<(), i64>) {
        self.input(Input::Event { seat: SeatId(agent.0), event });
    }

    pub(crate) fn input(&mut self, input: Input<Toy>) {
        self.team.handle(input, self.now);
        self.drain();
    }

    /// Requests a swap; returns its ticket.
    pub(crate) fn install(&mut self, staged: Staged, pinned: bool) -> Ticket {
        let ticket = self.send("ann", InstallStrategy { staged, pinned });
        self.drain();
        ticket
    }

    /// A command whose answer waits for [`drain`](Self::drain).
    pub(crate) fn send(&mut self, by: &str, command: impl Into<Command>) -> Ticket {
        self.tickets += 1;
        let request = CommandRequest::new(self.tickets, by, command);
        self.team.handle(Input::Command(request), self.now);
        self.tickets
    }

    /// What a command of ann is answered with at once.
    pub(crate) fn call<C: TeamCommand>(&mut self, command: C) -> Result<C::Reply, CommandError> {
        self.call_as("ann", command)
    }

    pub(crate) fn call_as<C: TeamCommand>(
        &mut self,
        by: &str,
        command: C,
    ) -> Result<C::Reply, CommandError> {
        let ticket = self.send(by, command);
        self.drain();
        let (answered, result) = self.answered::<C>();
        assert_eq!(answered, ticket);
        result
    }

    /// The last answer.
    pub(crate) fn answered<C: TeamCommand>(&mut self) -> (Ticket, Result<C::Reply, CommandError>) {
        let (ticket, answer) = self.answers.pop().unwrap();
        (ticket, C::answer(answer))
    }

    pub(crate) fn drain(&mut self) {
        while self.output() {}
    }

    /// Takes one output; false when there is none.
    pub(crate) fn output(&mut self) -> bool {
        let Some(output) = self.team.poll_output(self.now) else { return false };
        match output {
            Output::Act { action, .. } => self.said.push(action),
            Output::Publish(snapshot) => self.snapshots.push(snapshot),
            Output::Journal(entry) => self.journal.push(entry),
            Output::Answer { ticket, answer } => self.answers.push((ticket, answer)),
            Output::Roster { roster, seats } => {
                let who = roster.present().map(|agent| roster.name(agent)).collect::<Vec<_>>();
                let call = format!("line up {} on {} seats", who.join(" "), seats.len());
                self.calls.lock().unwrap().push(call);
            }
            Output::Drained => self.drained = true,
        }
        true
    }

    /// The calls into the brain since the last call.
    pub(crate) fn calls(&mut self) -> Vec<String> {
        std::mem::take(&mut self.calls.lock().unwrap())
    }

    /// The actions since the last call.
    pub(crate) fn take_said(&mut self) -> Vec<i64> {
        std::mem::take(&mut self.said)
    }

    pub(crate) fn snapshot(&mut self) -> Arc<Snapshot> {
        self.input(Input::Seat { seat: SeatId(99), state: SeatState::Idle });
        self.snapshots.last().unwrap().clone()
    }

    /// The journal's lines about strategies, each with the generation that decided then.
    pub(crate) fn story(&self) -> Vec<String> {
        let tell = |entry: &JournalEntry| {
            let text = match &entry.event {
                JournalEvent::Generation { generation, pinned, note } => {
                    let pinned = if *pinned { " pinned" } else { "" };
                    let note = if note.is_empty() { String::new() } else { format!(" {note}") };
                    format!("generation {}{pinned}{note}", generation.number)
                }
                JournalEvent::StrategyRefused { origin, faults } => {
                    format!("{origin}: {}", faults[0])
                }
                JournalEvent::TakenBack { failed, generation, reason } => {
                    format!("{} back to {}: {reason}", failed.number, generation.number)
                }
                JournalEvent::Log { level: "error", text } => text.clone(),
                _ => return None,
            };
            Some(format!("{} | {text}", entry.generation))
        };
        self.journal.iter().filter_map(tell).collect()
    }
}
