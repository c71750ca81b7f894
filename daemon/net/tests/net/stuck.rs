//! Scripts that never return, and the effect on their team, its seats and its operators.

use crate::referee::Client;
use crate::toy::{Toy, brains, squad};
use phalanx_engine::{
    AlertKind, Ask, Brain, BrainError, Carry, CommandError, Generation, InstallStrategy,
    JournalEvent, Memory, Outcome, SeatState, SetRole, Staged, TeamLink, TeamOptions,
};
use phalanx_game::{AgentId, Said, Value};
use phalanx_net::{
    ABANDONED_MAX, CheckpointOptions, CheckpointSink, Endpoint, Freeze, JournalItem, Listener,
    SeatOptions, TeamEnd, TeamHandle, TeamSpec,
};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// A thread that does not respond for this long is replaced, in the tests that wait for it.
const SOON: Duration = Duration::from_millis(400);
/// Long enough that only a defect reaches it.
const LONG: Duration = Duration::from_secs(30);
/// The time in which an operator expects an answer: a second until a thread counts as stuck, and
/// the delays of this machine.
const AT_ONCE: Duration = Duration::from_secs(4);

/// A native call that does not return until it is opened.
#[derive(Clone, Debug, Default)]
struct Gate(Arc<(Mutex<bool>, Condvar)>);

impl Gate {
    fn pass(&self) {
        let (open, changed) = &*self.0;
        drop(changed.wait_while(open.lock().unwrap(), |open| !*open).unwrap());
    }

    fn open(&self) {
        let (open, changed) = &*self.0;
        *open.lock().unwrap() = true;
        changed.notify_all();
    }
}

/// Opens the gate when the test ends, so that no thread outlives it.
struct Opener(Gate);

impl Drop for Opener {
    fn drop(&mut self) {
        self.0.open();
    }
}

fn spec(agents: u16, endpoint: Endpoint) -> TeamSpec<Toy> {
    let (roster, seats) = squad("red", agents);
    TeamSpec {
        name: "red".to_owned(),
        game: Toy,
        roster,
        seats,
        endpoint,
        staged: Staged::default(),
        team: TeamOptions::default(),
        seat: SeatOptions::default(),
        recorder: None,
        checkpoints: None,
    }
}

/// The calls that do not return: `decide` of these agents, in these generations.
#[derive(Clone, Copy, Debug)]
struct Traps {
    agents: &'static [u16],
    generations: &'static [u32],
    plan: bool,
}

/// Says its generation and the steps that the world knows, and hangs in the traps from step 1 on.
struct Trapped {
    link: TeamLink,
    generation: u32,
    traps: Traps,
    gate: Gate,
}

impl Trapped {
    fn walk(&self, ask: &Ask<'_>, trapped: bool) {
        if ask.turn.step > 0 && trapped && self.traps.generations.contains(&self.generation) {
            self.gate.pass();
        }
    }
}

impl Brain for Trapped {
    fn plan(&mut self, ask: &Ask<'_>) -> Outcome<()> {
        self.walk(ask, self.traps.plan);
        Outcome::new(Ok(()), Duration::ZERO)
    }
    fn decide(&mut self, ask: &Ask<'_>) -> Outcome<Said> {
        self.walk(ask, self.traps.agents.contains(&ask.agent.0));
        let Some(Value::List(steps)) = self.link.oracle.field(ask.agent, "steps") else { panic!() };
        let said = format!("g{}s{}", self.generation, steps.len());
        Outcome::new(Ok(Said::new(said, Vec::new())), Duration::ZERO)
    }
    fn generation(&self) -> u32 {
        self.generation
    }
    fn install(
        &mut self,
        staged: &Staged,
        _spare: Option<&[Memory]>,
    ) -> Result<Vec<Memory>, BrainError> {
        self.generation = staged.generation.number;
        Ok(Vec::new())
    }
}

/// Counts the team's checkpoints.
#[derive(Debug, Default)]
struct CheckpointCounter(watch::Sender<u64>);

impl CheckpointSink for CheckpointCounter {
    fn put(&self, _checkpoint: Box<dyn Freeze>) {
        self.0.send_modify(|count| *count += 1);
    }
    fn refused(&self, _reason: &str) {}
    fn forget(&self) {}
}

/// A team whose scripts hang in traps, and its referees at real sockets, agent by agent.
struct Bench {
    team: TeamHandle,
    checkpoints: watch::Receiver<u64>,
    referees: Vec<Client>,
    gate: Gate,
    _opener: Opener,
}

/// The first agent gets this role.
fn role(role: &str) -> SetRole {
    SetRole { agent: AgentId(0), role: role.to_owned(), carry: Carry::Strict }
}

impl Bench {
    async fn install(&self, staged: Staged, pinned: bool) -> Result<(), CommandError> {
        self.team.call(InstallStrategy { staged, pinned }, "").await
    }

    async fn new(agents: u16, traps: Traps, replaced_after: Duration) -> Self {
        let gate = Gate::default();
        let opener = Opener(gate.clone());
        let mut listener = Listener::bind("127.0.0.1:0").await.unwrap();
        let endpoint = Endpoint::tcp("127.0.0.1", listener.address().unwrap().port());
        let mut spec = spec(agents, endpoint);
        for entry in spec.roster.agents.iter_mut().skip(1) {
            entry.role = "scout".to_owned();
        }
        let counter = Arc::new(CheckpointCounter::default());
        let checkpoints = counter.0.subscribe();
        let sink = Some(counter as Arc<dyn CheckpointSink>);
        spec.checkpoints = Some(CheckpointOptions { sink, ..CheckpointOptions::default() });
        let made = gate.clone();
        let brain = move |link: TeamLink, staged: &Staged| -> Result<Trapped, BrainError> {
            let (generation, gate) = (staged.generation.number, made.clone());
            Ok(Trapped { link, generation, traps, gate })
        };
        let team = spec.build(brain).await.unwrap().replaced_after(replaced_after).spawn();
        let mut referees = Vec::new();
        for _ in 0..agents {
            let mut referee = Client::new(listener.accept().await.unwrap().unwrap());
            let name = referee.hear().await.unwrap();
            referee.say("welcome\nstart").await;
            referees.push((name, referee));
        }
        referees.sort_by(|(one, _), (other, _)| one.cmp(other));
        let referees = referees.into_iter().map(|(_, referee)| referee).collect();
        let bench = Self { team, checkpoints, referees, gate, _opener: opener };
        bench.seated(agents).await;
        bench
    }

    async fn seated(&self, agents: u16) {
        let mut snapshots = self.team.snapshots();
        let is_seated = |snapshot: &Arc<phalanx_engine::Snapshot>| {
            let seated = snapshot.agents.iter().filter(|agent| agent.seat == SeatState::Seated);
            seated.count() == usize::from(agents)
        };
        snapshots.wait_for(is_seated).await.unwrap();
    }

    /// A turn of all agents; returns their answers.
    async fn turn(&mut self, step: u32, millis: u32) -> Vec<String> {
        for referee in &mut self.referees {
            referee.say(&format!("ask {step} {millis}")).await;
        }
        let mut said = Vec::new();
        for referee in &mut self.referees {
            let answer = tokio::time::timeout(LONG, referee.hear()).await;
            let answer = answer.expect("the turn is silent").unwrap();
            said.push(answer.strip_prefix(&format!("do {step} ")).unwrap().to_owned());
        }
        said
    }

    /// Waits until this many threads were replaced.
    async fn replaced(&self, times: u64) {
        self.until(|team| team.thread().replaced >= times).await;
    }

    async fn until(&self, done: impl Fn(&TeamHandle) -> bool) {
        let waited = async {
            while !done(&self.team) {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(LONG, waited).await.unwrap_or_else(|_| {
            panic!("{:?}", self.team.thread());
        });
    }
}

/// A generation to install.
fn staged(number: u32) -> Staged {
    let generation = Generation { number, ..(*Staged::default().generation).clone() };
    Staged { generation: Arc::new(generation), ..Staged::default() }
}

const WORKER: Traps = Traps { agents: &[0], generations: &[1], plan: false };

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thread_that_does_not_respond_is_replaced_and_its_role_suspended() {
    let mut bench = Bench::new(3, WORKER, SOON).await;
    let mut journal = bench.team.journal().unwrap();
    assert_eq!(bench.turn(0, 60_000).await, ["g1s1"; 3]);
    bench.checkpoints.wait_for(|count| *count > 0).await.unwrap();
    assert_eq!(bench.turn(1, 100).await, ["rest"; 3], "the seats answer alone");
    bench.replaced(1).await;
    // The others decide again with their earlier state: step 0, and the steps after the
    // replacement.
    let mut step = 2;
    let scouts = loop {
        let said = bench.turn(step, 200).await;
        assert_eq!(said[0], "rest", "the role of the first agent is suspended");
        step += 1;
        if said[1] != "rest" {
            break said[1].clone();
        }
    };
    let known: u32 = scouts.strip_prefix("g1s").unwrap().parse().unwrap();
    assert!(known >= 2, "step 0 is remembered: {scouts}");
    let alert = loop {
        let Some(JournalItem::Entry(entry)) = journal.next().await else { panic!() };
        if let JournalEvent::AlertBegan { alert: AlertKind::SuspendedScript, text } = &entry.event {
            break (entry.agent.clone().unwrap(), text.clone());
        }
    };
    assert_eq!(alert.0, "red0");
    assert!(alert.1.starts_with("decide of red0 did not return; role worker is suspended"));
    let health = bench.team.thread();
    assert_eq!((health.replaced, health.abandoned, health.stuck), (1, 1, false));
    // For the watchdog the team moves, although one of its threads does not.
    bench.team.pulse().ask();
    bench.until(|team| team.pulse().is_answered()).await;
    // The abandoned thread returns: it has no effect and ends.
    bench.gate.open();
    bench.until(|team| team.thread().abandoned == 0).await;
    let said = bench.turn(step, 60_000).await;
    assert_eq!((said[0].as_str(), said[1] != "rest"), ("rest", true), "{said:?}");
    // The operator sets the role again.
    bench.team.call(role("worker"), "ann").await.unwrap();
    let said = bench.turn(step + 1, 60_000).await;
    assert!(said.iter().all(|said| said.starts_with("g1s")), "{said:?}");
    assert!(bench.team.snapshot().alerts.is_empty(), "{:?}", bench.team.snapshot().alerts);
    assert_eq!(bench.team.restarts(), 0, "nothing panicked");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_plan_that_does_not_return_is_not_called_again() {
    let traps = Traps { agents: &[], generations: &[1], plan: true };
    let mut bench = Bench::new(2, traps, SOON).await;
    bench.turn(0, 60_000).await;
    assert_eq!(bench.turn(1, 100).await, ["rest"; 2]);
    bench.replaced(1).await;
    let said = bench.turn(2, 60_000).await;
    assert!(said.iter().all(|said| said.starts_with("g1s")), "{said:?}");
    let alerts = bench.team.snapshot().alerts.clone();
    assert_eq!((alerts.len(), alerts[0].agent.as_deref()), (1, None));
    assert!(alerts[0].text.contains("plan is suspended"), "{}", alerts[0].text);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_generation_that_is_activated_while_the_thread_is_stuck_decides_at_once() {
    let mut bench = Bench::new(2, WORKER, LONG).await;
    bench.turn(0, 60_000).await;
    assert_eq!(bench.turn(1, 100).await, ["rest"; 2]);
    let began = Instant::now();
    bench.install(staged(2), false).await.unwrap();
    assert!(began.elapsed() < AT_ONCE, "{:?}", began.elapsed());
    let said = bench.turn(2, 60_000).await;
    assert!(said.iter().all(|said| said.starts_with("g2s")), "nothing is suspended: {said:?}");
    assert!(bench.team.snapshot().alerts.is_empty());
    assert_eq!(bench.team.thread().abandoned, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_role_that_is_changed_while_the_thread_is_stuck_counts_at_once() {
    let mut bench = Bench::new(2, WORKER, LONG).await;
    bench.turn(0, 60_000).await;
    assert_eq!(bench.turn(1, 100).await, ["rest"; 2]);
    let began = Instant::now();
    let role = bench.team.call(role("scout"), "ann");
    assert_eq!(role.await.unwrap(), "worker");
    assert!(began.elapsed() < AT_ONCE, "{:?}", began.elapsed());
    bench.gate.open();
    let said = bench.turn(2, 60_000).await;
    assert!(said.iter().all(|said| said.starts_with("g1s")), "{said:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stuck_team_is_stopped_at_once_and_started_again() {
    let mut bench = Bench::new(2, WORKER, LONG).await;
    bench.turn(0, 60_000).await;
    assert_eq!(bench.turn(1, 100).await, ["rest"; 2]);
    let began = Instant::now();
    bench.team.stop("ann".into()).await.unwrap();
    assert!(began.elapsed() < AT_ONCE, "{:?}", began.elapsed());
    for referee in &mut bench.referees {
        referee.says("bye").await;
        assert_eq!(referee.hear().await, None);
    }
    assert!(bench.team.seats().iter().all(|(_, seat)| seat.state == SeatState::Stopped));
    bench.team.start("ann".into()).await.unwrap();
    assert!(!bench.team.is_stopped());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restart_replaces_a_stuck_thread_at_once_and_makes_any_other_team_anew() {
    let mut bench = Bench::new(2, WORKER, LONG).await;
    bench.turn(0, 60_000).await;
    bench.checkpoints.wait_for(|count| *count > 0).await.unwrap();
    let began = Instant::now();
    bench.team.restart("ann".into()).await.unwrap();
    assert_eq!(bench.team.thread().replaced, 0, "it moved: no thread was abandoned");
    assert_eq!(bench.turn(1, 100).await, ["rest"; 2]);
    bench.team.restart("ann".into()).await.unwrap();
    assert!(began.elapsed() < 2 * AT_ONCE, "{:?}", began.elapsed());
    assert_eq!(bench.team.thread().replaced, 1);
    let said = bench.turn(2, 60_000).await;
    assert_eq!((said[0].as_str(), said[1].as_str()), ("rest", "g1s2"), "step 0 is remembered");
    // A suspended script is tried again after an operator's restart.
    bench.gate.open();
    bench.team.restart("ann".into()).await.unwrap();
    let said = bench.turn(3, 60_000).await;
    assert!(said.iter().all(|said| said.starts_with("g1s")), "{said:?}");
    assert_eq!(bench.team.restarts(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn too_many_abandoned_threads_leave_the_team_to_its_seats_and_operators_hear_it() {
    let traps = Traps { agents: &[0], generations: &[1, 2, 3, 4, 5], plan: false };
    let mut bench = Bench::new(2, traps, SOON).await;
    bench.turn(0, 60_000).await;
    let mut step = 1;
    for number in 1..=ABANDONED_MAX {
        bench.turn(step, 100).await;
        bench.replaced(number.into()).await;
        bench.install(staged(number + 1), true).await.unwrap();
        step += 1;
    }
    assert_eq!(bench.turn(step, 100).await, ["rest"; 2]);
    bench.until(|team| team.thread().stuck).await;
    assert_eq!(bench.turn(step + 1, 100).await, ["rest"; 2]);
    let refused = bench.team.restart("ann".into()).await.unwrap_err();
    assert_eq!(refused, CommandError::Stuck { abandoned: ABANDONED_MAX });
    let refused = bench.install(staged(9), false).await.unwrap_err();
    assert!(refused.to_string().contains("restart the daemon"), "{refused}");
    // Its seats need no thread to log out.
    bench.team.stop("ann".into()).await.unwrap();
    for referee in &mut bench.referees {
        referee.says("bye").await;
    }
    // There is room again, and the stuck thread returns by itself.
    bench.gate.open();
    bench.until(|team| team.thread().abandoned == 0 && !team.thread().stuck).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_team_that_leaves_while_its_thread_is_stuck_ends() {
    let mut bench = Bench::new(1, WORKER, SOON).await;
    bench.turn(0, 60_000).await;
    assert_eq!(bench.turn(1, 100).await, ["rest"]);
    let report = bench.team.drain(Duration::from_millis(200)).await;
    assert!(report.stragglers.contains(&"the team's thread".to_owned()), "{report:?}");
    let end = tokio::time::timeout(LONG, bench.team.ended()).await.unwrap();
    assert_eq!(end, TeamEnd::Drained);
}

/// One agent's referee in a match in which the team never decides: it counts the turns without an
/// answer.
async fn silent_turns(mut referee: Client, steps: u32) -> u32 {
    referee.hear().await;
    referee.say("welcome\nstart").await;
    let mut silent = 0;
    for step in 0..steps {
        referee.say(&format!("ask {step} 5")).await;
        let answer = tokio::time::timeout(Duration::from_secs(5), referee.hear()).await;
        if answer.ok().flatten() != Some(format!("do {step} rest")) {
            silent += 1;
        }
        if silent > 3 {
            return steps;
        }
    }
    silent
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thread_that_never_returns_costs_no_turn_at_real_sockets() {
    const AGENTS: u16 = 4;
    const STEPS: u32 = 600;
    let gate = Gate::default();
    let _opener = Opener(gate.clone());
    let mut listener = Listener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = Endpoint::tcp("127.0.0.1", listener.address().unwrap().port());
    let decide = move |_, _| {
        gate.pass();
        "dig".to_owned()
    };
    let team = spec(AGENTS, endpoint).build(brains(decide)).await.unwrap().spawn();
    let mut referees = Vec::new();
    for _ in 0..AGENTS {
        let referee = Client::new(listener.accept().await.unwrap().unwrap());
        referees.push(tokio::spawn(silent_turns(referee, STEPS)));
    }
    for referee in referees {
        assert_eq!(referee.await.unwrap(), 0);
    }
    assert!(team.inbox_dropped() > 0, "4,800 events are more than wait");
}
