//! Client, belief and simulator in one place, with bytes between them and no clock.

use phalanx_asimulator::action::Action;
use phalanx_asimulator::arena::{ArenaConfig, AsimulatorArena};
use phalanx_asimulator::percept::{Briefing, Percept};
use phalanx_asimulator::rules::{Simulation, TurnAction};
use phalanx_asimulator::session::{ClientOptions, Session};
use phalanx_asimulator::world::World;
use phalanx_game::{
    AgentId, Arena as _, ConnectionId, Event, MarginLimits, Origin, Outgoing, Roster, RosterEntry,
    Seat, SeatId, Session as _, Turn, World as _,
};
use std::time::{Duration, Instant};

pub const ME: AgentId = AgentId(0);
pub const LINE: ConnectionId = ConnectionId(0);

pub type Told = Event<Briefing, Percept>;

pub fn seat() -> Seat {
    Seat {
        id: SeatId(0),
        agents: vec![(ME, "explorer1".to_owned())],
        user: String::new(),
        password: String::new(),
        turn_limit: Duration::from_secs(60),
        margin: MarginLimits::default(),
    }
}

pub fn roster() -> Roster {
    let agent = RosterEntry::new("explorer1", "explorer");
    Roster { team: "us".to_owned(), agents: vec![agent] }
}

/// A client that plays against our simulator.
pub struct Stage {
    pub arena: AsimulatorArena,
    pub session: Session,
    pub world: World,
    pub now: Instant,
    /// What happened and was not looked at yet.
    pub told: Vec<Told>,
    /// Files of the arena.
    pub files: Vec<(String, Vec<u8>)>,
    pub closed: bool,
}

impl Stage {
    pub fn new(config: ArenaConfig, options: ClientOptions) -> Self {
        let now = Instant::now();
        let mut arena = AsimulatorArena::new(config, Origin { instant: now, unix_ms: 0 }).unwrap();
        let mut session = Session::new(&seat(), options);
        arena.handle_join(LINE, now);
        session.handle_connected(now);
        let world = World::new(&roster(), options);
        let (told, files) = (Vec::new(), Vec::new());
        let mut stage = Self { arena, session, world, now, told, files, closed: false };
        stage.settle();
        stage
    }

    /// Moves bytes until both sides are silent.
    pub fn settle(&mut self) {
        loop {
            let mut moved = false;
            while let Some(bytes) = self.session.poll_transmit() {
                self.arena.handle_input(LINE, &bytes, self.now);
                moved = true;
            }
            while let Some(out) = self.arena.poll_transmit() {
                moved = true;
                match out {
                    Outgoing::Bytes(_, bytes) => {
                        self.session.handle_input(&bytes, self.now).unwrap()
                    }
                    Outgoing::Close(_) => {
                        self.closed = true;
                        self.session.handle_disconnected(self.now);
                    }
                }
            }
            while let Some(file) = self.arena.poll_artifact() {
                self.files.push((file.path, file.bytes));
            }
            while let Some(event) = self.session.poll_event() {
                self.hear(&event);
                self.told.push(event);
            }
            if !moved {
                return;
            }
        }
    }

    fn hear(&mut self, told: &Told) {
        match told {
            Event::RoundStarted { agent, round, briefing } => {
                self.world.begin(*round, *agent, briefing.as_ref());
            }
            Event::Percept { turn, agent, percept } | Event::Asked { turn, agent, percept, .. } => {
                self.world.observe(*turn, *agent, *percept);
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

    /// The turn that waits for an answer.
    pub fn asked(&self) -> Option<Turn> {
        self.told.iter().rev().find_map(|event| match event {
            Event::Asked { turn, .. } => Some(*turn),
            _ => None,
        })
    }

    /// Answers the open turn.
    pub fn act(&mut self, action: &Action) {
        let turn = self.asked().unwrap();
        self.told.clear();
        self.session.handle_action(turn, ME, action).unwrap();
        self.world.acted(turn, ME, action);
        self.settle();
    }

    /// The world as it really is.
    pub fn truth(&self) -> Option<&Simulation> {
        self.arena.simulation(LINE)
    }

    /// Plays all simulations.
    pub fn play(&mut self, mut decide: impl FnMut(&Self) -> TurnAction) {
        while !self.closed {
            let act = decide(self);
            self.act(&act.into());
        }
    }

    /// What the arena wrote down.
    pub fn records(&self) -> Vec<Vec<String>> {
        let file = self.files.iter().find(|(path, _)| path.ends_with("results.csv"));
        let text = String::from_utf8(file.unwrap().1.clone()).unwrap();
        let row = |line: &str| line.split(',').map(str::to_owned).collect();
        text.lines().skip(1).map(row).collect()
    }
}

/// What the planner likes best.
pub fn best(stage: &Stage) -> TurnAction {
    stage.world.choices().first().map_or(TurnAction::ShutOff, |choice| choice.act)
}
