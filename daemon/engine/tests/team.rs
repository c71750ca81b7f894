//! The life of a turn, on a virtual clock, with a closure for a brain.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test may fail loudly; an Instant has no other constructor than now()"
)]

#[path = "toy/game.rs"]
mod game;

use game::Toy;
use phalanx_engine::{
    Ask, Brain, BrainError, BrainErrorKind, Carry, CommandRequest, Counters, Input, JournalEvent,
    Outcome, Output, RoundResult, SeatState, SetRole, Snapshot, Staged, Steer, SteerAgent, Team,
    TeamLink, TeamOptions, TeamStart, TeamState,
};
use phalanx_game::{AgentId, DefaultCause, Event, Roster, RosterEntry, Said, SeatId, Turn, Value};
use std::sync::Arc;
use std::time::{Duration, Instant};

#[test]
fn the_team_decides_in_roster_order_once_everybody_was_asked() {
    let mut match_ = Match::new(3);
    match_.start(0);
    match_.ask(2, Turn::new(0, 1));
    match_.ask(0, Turn::new(0, 1));
    assert_eq!(match_.said(), ["start 0", "start 1", "start 2"], "agent 1 is missing");
    match_.ask(1, Turn::new(0, 1));
    assert_eq!(match_.said(), ["plan 0,1,2", "0", "1", "2"]);
}

#[test]
fn stragglers_are_waited_for_a_share_of_the_time_left() {
    let mut match_ = Match::new(2);
    match_.start(0);
    match_.ask(0, Turn::new(0, 1));
    assert_eq!(match_.team.poll_timeout(), Some(match_.now + ms(250)), "a quarter of a second");
    match_.pass(ms(249));
    assert_eq!(match_.said(), ["start 0", "start 1"]);
    match_.pass(ms(1));
    assert_eq!(match_.said(), ["plan 0", "0"]);
    match_.ask(1, Turn::new(0, 1));
    assert_eq!(match_.said(), ["1"], "a late percept is still answered");
}

#[test]
fn who_was_missing_in_one_turn_is_not_waited_for_in_the_next() {
    let mut match_ = Match::new(2);
    match_.start(0);
    match_.ask(0, Turn::new(0, 1));
    match_.pass(ms(250));
    match_.said();
    match_.ask(0, Turn::new(0, 2));
    assert_eq!(match_.said(), ["plan 0", "0"]);
    match_.ask(1, Turn::new(0, 2));
    assert_eq!(match_.said(), ["1"]);
    match_.ask(0, Turn::new(0, 3));
    assert_eq!(match_.said(), [""; 0], "it is back, so it is waited for");
    match_.ask(1, Turn::new(0, 3));
    assert_eq!(match_.said(), ["plan 0,1", "0", "1"]);
}

#[test]
fn a_lost_connection_is_not_waited_for() {
    let mut match_ = Match::new(2);
    match_.start(0);
    match_.ask(0, Turn::new(0, 1));
    let lost = SeatState::Connecting { failures: 0, reason: "reset".into() };
    match_.input(Input::Seat { seat: SeatId(1), state: lost });
    assert_eq!(match_.said(), ["start 0", "start 1", "plan 0", "0"]);
}

#[test]
fn never_decides_on_the_older_of_two_turns() {
    let mut match_ = Match::new(2);
    match_.start(0);
    match_.team.handle(asked(0, Turn::new(0, 1), match_.now + SECOND), match_.now);
    match_.team.handle(asked(0, Turn::new(0, 2), match_.now + SECOND), match_.now);
    match_.team.handle(asked(1, Turn::new(0, 2), match_.now + SECOND), match_.now);
    match_.drain();
    let turns: Vec<_> = match_.acts.iter().map(|(agent, turn)| (agent.0, turn.step)).collect();
    assert_eq!(turns, [(0, 2), (1, 2)]);
}

#[test]
fn each_agent_gets_its_slice_of_the_time_left() {
    let mut match_ = Match::new(4);
    match_.start(0);
    for agent in 0..4 {
        match_.ask(agent, Turn::new(0, 1));
    }
    // One second for four agents, and no time passes.
    let budgets: Vec<_> = match_.budgets.clone();
    assert_eq!(budgets, [ms(250), ms(250), ms(250), ms(250)]);
}

#[test]
fn a_slow_agent_may_use_what_the_others_are_not_guaranteed() {
    let mut match_ = Match::new(40);
    match_.start(0);
    match_.script.lock().unwrap().slow_agents = vec![0, 20];
    match_.ask_all(40);
    // A fair share is 25 ms. Half of it is guaranteed to each of the 39 others.
    let budgets = &match_.budgets;
    assert_eq!((budgets[0], budgets[20]), (ms(250), ms(250)));
    assert_eq!(match_.acts.len(), 40);
}

#[test]
fn slow_agents_leave_every_other_a_guaranteed_time() {
    let mut match_ = Match::new(40);
    match_.start(0);
    match_.script.lock().unwrap().slow_agents = (0..40).collect();
    match_.ask_all(40);
    let (least, all) = (match_.budgets.iter().min(), match_.budgets.iter().sum::<Duration>());
    assert!(least >= Some(&Duration::from_micros(12_500)), "{least:?}");
    assert!(all <= SECOND, "{all:?}");
    assert_eq!(match_.acts.len(), 40);
}

#[test]
fn a_slow_agent_leaves_time_to_one_that_waits_for_its_pilot() {
    let mut match_ = Match::new(5);
    match_.start(0);
    let pilot = SteerAgent { agent: AgentId(0), steer: Steer::Pilot { lease: 3 } };
    let request = CommandRequest::new(1, "ann", pilot);
    match_.team.handle(Input::Command(request), match_.now);
    match_.drain();
    match_.script.lock().unwrap().slow_agents = vec![1, 2, 3, 4];
    match_.ask_all(5);
    // Of the last quarter of the second, 100 ms are guaranteed to the one that waits.
    assert_eq!(match_.budgets, [ms(250), ms(250), ms(250), ms(150)]);
}

#[test]
fn an_error_becomes_that_agents_fallback_and_nobody_elses() {
    let mut match_ = Match::new(3);
    match_.start(0);
    match_.fails = Some(1);
    for agent in 0..3 {
        match_.ask(agent, Turn::new(0, 1));
    }
    assert_eq!(match_.actions, [10, 0, 12]);
    let counters = match_.counters();
    assert_eq!((counters.decided, counters.fallback, counters.script_errors), (2, 1, 1));
    let snapshot = match_.snapshot();
    assert_eq!(snapshot.agents[1].trouble, "worker.luau:7: it broke");
    assert_eq!(snapshot.agents[0].trouble, "");
}

#[test]
fn an_answer_that_is_no_action_of_the_game_becomes_the_fallback() {
    let mut match_ = Match::new(1);
    match_.start(0);
    match_.nonsense = true;
    match_.ask(0, Turn::new(0, 1));
    assert_eq!(match_.actions, [0]);
    assert_eq!(match_.snapshot().agents[0].trouble, "act.say: a number was expected");
}

#[test]
fn one_snapshot_is_published_when_a_turn_is_through() {
    let mut match_ = Match::new(2);
    match_.start(0);
    let before = match_.snapshots.len();
    match_.ask(0, Turn::new(0, 7));
    match_.ask(1, Turn::new(0, 7));
    assert_eq!(match_.snapshots.len(), before + 1);
    let snapshot = match_.snapshot();
    assert_eq!((snapshot.turn, snapshot.tick, snapshot.score), (Turn::new(0, 7), 1, Some(21)));
}

#[test]
fn every_turn_is_reported_even_when_the_next_comes_first() {
    let mut match_ = Match::new(2);
    match_.start(0);
    match_.ask(0, Turn::new(0, 1));
    // Both have decided, and the referee continues as soon as the last action has left.
    match_.team.handle(asked(1, Turn::new(0, 1), match_.now + SECOND), match_.now);
    while match_.acts.len() < 2 {
        assert!(match_.output());
    }
    match_.ask(0, Turn::new(0, 2));
    match_.round_started(0, 1);
    let done = match_.journal.iter().filter_map(|event| {
        let JournalEvent::TurnDone(done) = event else { return None };
        Some((done.asked, done.decided))
    });
    assert_eq!(done.collect::<Vec<_>>(), [(2, 2), (1, 0)], "asked and decided of two turns");
}

#[test]
fn several_rounds_in_one_match_with_a_roster_that_grows() {
    let mut match_ = Match::new(3);
    for agent in 0..2 {
        match_.round_started(agent, 0);
    }
    match_.ask(0, Turn::new(0, 0));
    match_.ask(1, Turn::new(0, 0));
    match_.pass(ms(250));
    match_.round_over(0, 0, 40);
    match_.round_over(1, 0, 40);
    match_.said();
    // The third agent joins now: its first round is the team's second.
    match_.round_started(2, 0);
    match_.round_started(0, 1);
    match_.round_started(1, 1);
    match_.ask(2, Turn::new(0, 0));
    match_.ask(1, Turn::new(1, 0));
    match_.ask(0, Turn::new(1, 0));
    assert_eq!(match_.said(), ["start 2", "start 0", "start 1", "plan 0,1,2", "0", "1", "2"]);
    assert_eq!(match_.snapshot().rounds, [40]);
    assert_eq!(match_.snapshot().turn, Turn::new(1, 0));
}

#[test]
fn a_request_of_the_round_before_is_not_decided_any_more() {
    let mut match_ = Match::new(2);
    match_.start(0);
    match_.round_started(0, 1);
    match_.ask(1, Turn::new(0, 749));
    match_.pass(SECOND);
    assert_eq!(match_.acts, []);
}

#[test]
fn a_fallback_of_the_seat_and_a_late_answer_are_counted_once_each() {
    let mut match_ = Match::new(1);
    match_.start(0);
    let turn = Turn::new(0, 1);
    match_.ask(0, turn);
    let cause = DefaultCause::NoDecision;
    match_.event(0, Event::Defaulted { turn, agent: AgentId(0), cause });
    match_.input(Input::Late { agent: AgentId(0), turn });
    let Counters { decided, fallback, late, asked, .. } = match_.counters();
    assert_eq!((asked, decided, fallback, late), (1, 0, 1, 1));
}

#[test]
fn a_late_answer_is_taken_back_even_after_the_next_one_left() {
    let mut match_ = Match::new(1);
    match_.start(0);
    match_.fails = Some(0);
    match_.ask(0, Turn::new(0, 1));
    match_.fails = None;
    match_.ask(0, Turn::new(0, 2));
    let late = Turn::new(0, 1);
    match_.input(Input::Late { agent: AgentId(0), turn: late });
    let Counters { asked, decided, fallback, late, .. } = match_.counters();
    assert_eq!((asked, decided, fallback, late), (2, 1, 0, 1));
}

#[test]
fn a_request_that_nobody_can_place_is_counted_as_its_fallback_will_be() {
    let mut match_ = Match::new(2);
    match_.start(0);
    match_.round_started(0, 1);
    let turn = Turn::new(0, 749);
    match_.ask(1, turn);
    let cause = DefaultCause::NoDecision;
    match_.event(1, Event::Defaulted { turn, agent: AgentId(1), cause });
    let Counters { asked, fallback, .. } = match_.counters();
    assert_eq!((asked, fallback), (1, 1));
}

#[test]
fn slow_starts_and_a_slow_plan_leave_the_agents_most_of_the_first_turn() {
    let mut match_ = Match::new(10);
    match_.takes_its_time();
    let due = match_.now + SECOND;
    for agent in 0..10 {
        let (agent_id, briefing) = (AgentId(agent), Some(()));
        let event = Event::RoundStarted { agent: agent_id, round: 0, briefing };
        match_.team.handle(Input::Event { seat: SeatId(agent), event }, match_.now);
    }
    for agent in 0..10 {
        match_.team.handle(asked(agent, Turn::new(0, 0), due), match_.now);
    }
    match_.drain();
    // A quarter for all starts, a quarter of the rest for the plan, and time has passed. Half of a
    // fair share is kept for each of the nine others.
    let first = *match_.budgets.first().unwrap() + 9 * ms(50);
    assert!(first >= ms(500) && first < ms(600), "{first:?} of a second");
    assert_eq!(match_.acts.len(), 10);
}

#[test]
fn nobody_decides_when_the_seat_has_answered_already() {
    let mut match_ = Match::new(1);
    match_.start(0);
    match_.team.handle(asked(0, Turn::new(0, 1), match_.now), match_.now);
    match_.drain();
    assert_eq!(match_.acts, []);
}

#[test]
fn a_drained_team_answers_what_is_open_and_then_says_so() {
    let mut match_ = Match::new(2);
    match_.start(0);
    match_.ask(0, Turn::new(0, 1));
    match_.input(Input::Drain);
    assert!(!match_.drained, "agent 0 waits for its answer");
    match_.pass(ms(250));
    assert_eq!(match_.actions, [10]);
    assert!(match_.drained);
}

#[test]
fn a_brain_that_knows_no_roles_takes_any() {
    let mut match_ = Match::new(1);
    match_.start(0);
    let role = SetRole { agent: AgentId(0), role: "scout".to_owned(), carry: Carry::Strict };
    match_.input(Input::Command(CommandRequest::new(1, "ann", role)));
    match_.ask(0, Turn::new(0, 1));
    assert_eq!(match_.snapshot().agents[0].role, "scout");
}

#[test]
fn the_match_is_over_when_every_seat_heard_it() {
    let mut match_ = Match::new(2);
    match_.start(0);
    match_.event(0, Event::MatchOver);
    assert!(!match_.snapshot().over);
    match_.event(1, Event::MatchOver);
    assert!(match_.snapshot().over);
    assert_eq!(match_.journal.last(), Some(&JournalEvent::MatchOver));
}

// ---- test support ----

const SECOND: Duration = Duration::from_secs(1);

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn asked(agent: u16, turn: Turn, due: Instant) -> Input<Toy> {
    let agent = AgentId(agent);
    let event = Event::Asked { turn, agent, due, percept: i64::from(agent.0) + 10 };
    Input::Event { seat: SeatId(agent.0), event }
}

/// Says the numbers that it receives, and writes down every call.
struct Parrot {
    link: TeamLink,
    fails: Arc<std::sync::Mutex<Script>>,
}

#[derive(Default)]
struct Script {
    fails: Option<u16>,
    nonsense: bool,
    calls: Vec<String>,
    budgets: Vec<Duration>,
    /// Calls outside of decisions use up their whole budget.
    slow: bool,
    /// The decisions of these agents use up their whole budget.
    slow_agents: Vec<u16>,
    /// What decisions took since the match's clock was set.
    spent: Duration,
}

impl Brain for Parrot {
    fn start(&mut self, ask: &Ask<'_>) -> Outcome<()> {
        self.note(ask, format!("start {}", ask.agent.0))
    }

    fn plan(&mut self, ask: &Ask<'_>) -> Outcome<()> {
        let present: Vec<_> = ask.present.iter().map(|agent| agent.0.to_string()).collect();
        self.note(ask, format!("plan {}", present.join(",")))
    }

    fn decide(&mut self, ask: &Ask<'_>) -> Outcome<Said> {
        let mut script = self.fails.lock().unwrap();
        script.calls.push(ask.agent.0.to_string());
        script.budgets.push(ask.budget);
        let told = self.link.oracle.field(ask.agent, "number").unwrap();
        let result = if script.fails == Some(ask.agent.0) {
            Err(BrainError {
                kind: BrainErrorKind::Script,
                place: Some(("worker.luau".into(), 7)),
                role: "worker".into(),
                message: "it broke".into(),
            })
        } else {
            let arg = if script.nonsense { Value::from("x") } else { told };
            Ok(Said::new("say", vec![arg]))
        };
        let slow = script.slow_agents.contains(&ask.agent.0);
        let spent = if slow { ask.budget } else { Duration::ZERO };
        script.spent += spent;
        Outcome::new(result, spent)
    }

    fn finish(&mut self, ask: &Ask<'_>, result: RoundResult) -> Outcome<()> {
        self.note(ask, format!("finish {} {}", ask.agent.0, result.score))
    }
}

impl Parrot {
    fn note(&self, ask: &Ask<'_>, call: String) -> Outcome<()> {
        let mut script = self.fails.lock().unwrap();
        script.calls.push(call);
        let spent = if script.slow { ask.budget } else { Duration::ZERO };
        Outcome::new(Ok(()), spent)
    }
}

/// A team with one seat for each agent, all logged in, and its outputs.
struct Match {
    team: Team<Toy>,
    script: Arc<std::sync::Mutex<Script>>,
    now: Instant,
    fails: Option<u16>,
    nonsense: bool,
    budgets: Vec<Duration>,
    acts: Vec<(AgentId, Turn)>,
    actions: Vec<i64>,
    snapshots: Vec<Arc<Snapshot>>,
    journal: Vec<JournalEvent>,
    drained: bool,
}

impl Match {
    fn new(agents: u16) -> Self {
        let entry = |index| RosterEntry::new(format!("a{index}"), "worker");
        let roster = Roster { team: "A".into(), agents: (0..agents).map(entry).collect() };
        let script = Arc::new(std::sync::Mutex::new(Script::default()));
        let fails = script.clone();
        let seats = (0..agents).map(SeatId).collect();
        let options = TeamOptions::default();
        let brain = |link, _: &_| Ok(Parrot { link, fails });
        let (staged, state) = (Staged::default(), TeamState::new(Arc::new(roster)));
        let start = TeamStart { seats, options, staged, state, checkpoint: None };
        let team = Team::new(&Toy, start, brain).unwrap();
        let mut match_ = Self {
            team,
            script,
            now: Instant::now(),
            fails: None,
            nonsense: false,
            budgets: Vec::new(),
            acts: Vec::new(),
            actions: Vec::new(),
            snapshots: Vec::new(),
            journal: Vec::new(),
            drained: false,
        };
        for agent in 0..agents {
            match_.event(agent, Event::Seated { agents: vec![AgentId(agent)] });
        }
        match_
    }

    fn takes_its_time(&mut self) {
        self.script.lock().unwrap().slow = true;
    }

    fn start(&mut self, round: u32) {
        for agent in 0..u16::try_from(self.snapshot().agents.len()).unwrap() {
            self.round_started(agent, round);
        }
    }

    fn round_started(&mut self, agent: u16, round: u32) {
        let briefing = Some(());
        self.event(agent, Event::RoundStarted { agent: AgentId(agent), round, briefing });
    }

    fn round_over(&mut self, agent: u16, round: u32, score: i64) {
        let ranking = Some(1);
        self.event(agent, Event::RoundOver { agent: AgentId(agent), round, score, ranking });
    }

    fn ask(&mut self, agent: u16, turn: Turn) {
        self.input(asked(agent, turn, self.now + SECOND));
    }

    /// All agents are asked before any decides.
    fn ask_all(&mut self, agents: u16) {
        for agent in 0..agents {
            let input = asked(agent, Turn::new(0, 1), self.now + SECOND);
            self.team.handle(input, self.now);
        }
        self.drain();
    }

    fn event(&mut self, agent: u16, event: Event<(), i64>) {
        self.input(Input::Event { seat: SeatId(agent), event });
    }

    fn input(&mut self, input: Input<Toy>) {
        self.team.handle(input, self.now);
        self.drain();
    }

    fn pass(&mut self, time: Duration) {
        self.now += time;
        self.team.handle_timeout(self.now);
        self.drain();
    }

    fn drain(&mut self) {
        {
            let mut script = self.script.lock().unwrap();
            script.fails = self.fails;
            script.nonsense = self.nonsense;
        }
        while self.output() {}
        self.budgets.clone_from(&self.script.lock().unwrap().budgets);
    }

    /// Takes one output; false when there is none.
    fn output(&mut self) -> bool {
        let Some(output) = self.team.poll_output(self.now) else { return false };
        self.now += std::mem::take(&mut self.script.lock().unwrap().spent);
        match output {
            Output::Act { agent, turn, action, .. } => {
                self.acts.push((agent, turn));
                self.actions.push(action);
            }
            Output::Publish(snapshot) => self.snapshots.push(snapshot),
            Output::Journal(entry) => self.journal.push(entry.event),
            Output::Answer { .. } | Output::Roster { .. } => {}
            Output::Drained => self.drained = true,
        }
        true
    }

    /// The calls into the brain since the last call.
    fn said(&mut self) -> Vec<String> {
        std::mem::take(&mut self.script.lock().unwrap().calls)
    }

    fn snapshot(&self) -> Arc<Snapshot> {
        self.snapshots.last().unwrap().clone()
    }

    fn counters(&mut self) -> Counters {
        self.input(Input::Seat { seat: SeatId(99), state: SeatState::Idle });
        self.snapshot().counters
    }
}
