//! A team's knowledge outlives its thread, and goes to the checkpoint sink.

use crate::referee::Client;
use crate::toy::{Toy, squad};
use phalanx_engine::{
    Ask, Brain, BrainError, Freezer, JournalEvent, Memory, Outcome, Plain, Staged, TeamLink,
    TeamOptions, inspect,
};
use phalanx_game::{AgentId, Said, Value};
use phalanx_net::{
    CheckpointOptions, CheckpointSink, Endpoint, Freeze, JournalItem, JournalStream,
    MemoryListener, SeatOptions, TeamHandle, TeamSpec, memory,
};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Says the steps that the world knows and how often it decided, and panics in the given steps,
/// each the given number of times.
struct Counting {
    link: TeamLink,
    decided: f64,
    panics: Arc<AtomicU32>,
    panics_in: &'static [u32],
}

impl Brain for Counting {
    fn decide(&mut self, ask: &Ask<'_>) -> Outcome<Said> {
        if self.panics_in.contains(&ask.turn.step) && self.panics.load(Ordering::Relaxed) > 0 {
            self.panics.fetch_sub(1, Ordering::Relaxed);
            panic!("a defect");
        }
        self.decided += 1.0;
        let Some(Value::List(steps)) = self.link.oracle.field(ask.agent, "steps") else { panic!() };
        let steps = steps.iter().map(|step| step.as_int().unwrap().to_string());
        let said = format!("{}/{}", steps.collect::<Vec<_>>().join(","), self.decided);
        Outcome::new(Ok(Said::new(said, Vec::new())), Duration::ZERO)
    }
    fn memories(&mut self) -> Vec<Memory> {
        let (role, data) = ("worker".to_owned(), Ok(Plain::Num(self.decided)));
        vec![Memory { agent: AgentId(0), role, version: 0, data }]
    }
    fn remember(&mut self, memories: &[Memory]) {
        let Ok(Plain::Num(decided)) = memories[0].data else { panic!() };
        self.decided = decided;
    }
    fn forget(&mut self) {
        self.decided = 0.0;
    }
}

/// What a sink received.
#[derive(Debug, PartialEq)]
enum Told {
    Put(Vec<u8>),
    Refused(String),
    Forget,
}

/// Freezes what it gets at once.
#[derive(Debug)]
struct Sink {
    freezer: Mutex<Freezer>,
    told: UnboundedSender<Told>,
}

impl CheckpointSink for Sink {
    fn put(&self, checkpoint: Box<dyn Freeze>) {
        let bytes = checkpoint.freeze(&mut self.freezer.lock().unwrap());
        assert_eq!(inspect(&bytes).unwrap().turn, checkpoint.turn());
        self.told.send(Told::Put(bytes)).unwrap();
    }
    fn refused(&self, reason: &str) {
        self.told.send(Told::Refused(reason.to_owned())).unwrap();
    }
    fn forget(&self) {
        self.told.send(Told::Forget).unwrap();
    }
}

/// A team of one, its referee's door, and what its sink received.
struct Bench {
    team: TeamHandle,
    journal: JournalStream,
    listener: MemoryListener,
    told: UnboundedReceiver<Told>,
}

impl Bench {
    async fn new(from: Option<Vec<u8>>, panics: u32, panics_in: &'static [u32]) -> Self {
        let ((dialer, listener), (roster, seats)) = (memory(), squad("red", 1));
        let (sender, told) = unbounded_channel();
        let sink = Arc::new(Sink { freezer: Mutex::default(), told: sender });
        let spec = TeamSpec {
            name: "red".to_owned(),
            game: Toy,
            roster,
            seats,
            endpoint: Endpoint::Memory(dialer),
            staged: Staged::default(),
            team: TeamOptions::default(),
            seat: SeatOptions::default(),
            recorder: None,
            checkpoints: Some(CheckpointOptions {
                interval: Duration::ZERO,
                sink: Some(sink),
                from: from.map(Into::into),
            }),
        };
        let panics = Arc::new(AtomicU32::new(panics));
        let brain = move |link: TeamLink, _: &Staged| -> Result<Counting, BrainError> {
            Ok(Counting { link, decided: 0.0, panics: Arc::clone(&panics), panics_in })
        };
        let built = spec.build(brain).await.unwrap();
        let journal = built.journal();
        let team = built.spawn();
        Self { team, journal, listener, told }
    }

    async fn seated(&mut self) -> Client {
        let mut referee = Client::new(self.listener.accept().await.unwrap());
        referee.welcome().await;
        referee
    }

    /// The next checkpoint of this step.
    async fn put(&mut self, step: u32) -> Vec<u8> {
        loop {
            if let Told::Put(bytes) = self.told.recv().await.unwrap()
                && inspect(&bytes).unwrap().turn.step == step
            {
                return bytes;
            }
        }
    }

    /// A turn in which the team panics; the referee goes on without an answer.
    async fn panics(&self, referee: &mut Client, step: u32) {
        let before = self.team.restarts();
        referee.say(&format!("ask {step} 3600000")).await;
        while self.team.restarts() == before {
            tokio::task::yield_now().await;
        }
    }

    /// The next journal entry about restored state.
    async fn story(&mut self) -> String {
        loop {
            let Some(JournalItem::Entry(entry)) = self.journal.next().await else { panic!() };
            match &entry.event {
                JournalEvent::Resumed { turn, missed } => {
                    return format!("{turn}, {missed} missed");
                }
                JournalEvent::CheckpointRefused { reason } => return reason.clone(),
                _ => {}
            }
        }
    }
}

/// A turn with an hour to go, and the team's answer.
async fn turn(referee: &mut Client, step: u32, expected: &str) {
    referee.say(&format!("ask {step} 3600000")).await;
    referee.says(&format!("do {step} {expected}")).await;
}

#[tokio::test]
async fn a_panic_of_the_teams_thread_costs_its_turn_and_nothing_that_it_knew() {
    let mut bench = Bench::new(None, 1, &[2]).await;
    let mut referee = bench.seated().await;
    turn(&mut referee, 0, "0/1").await;
    turn(&mut referee, 1, "0,1/2").await;
    bench.put(1).await;
    bench.panics(&mut referee, 2).await;
    turn(&mut referee, 3, "0,1,3/3").await;
    assert_eq!(bench.story().await, "0:1, 1 missed");
    assert_eq!(bench.team.restarts(), 1);
}

#[tokio::test]
async fn what_panics_again_begins_anew() {
    let mut bench = Bench::new(None, 2, &[2, 3]).await;
    let mut referee = bench.seated().await;
    turn(&mut referee, 0, "0/1").await;
    bench.put(0).await;
    bench.panics(&mut referee, 2).await;
    bench.panics(&mut referee, 3).await;
    turn(&mut referee, 4, "4/1").await;
    assert_eq!(bench.team.restarts(), 2);
}

#[tokio::test]
async fn another_life_of_the_team_goes_on_with_what_the_sink_got() {
    let mut bench = Bench::new(None, 0, &[]).await;
    let mut referee = bench.seated().await;
    turn(&mut referee, 0, "0/1").await;
    turn(&mut referee, 1, "0,1/2").await;
    let bytes = bench.put(1).await;
    let identity = inspect(&bytes).unwrap().identity;
    assert_eq!([identity.team, identity.game, identity.server], ["red", "toy", "memory"]);
    drop(bench);

    let mut bench = Bench::new(Some(bytes), 0, &[]).await;
    let mut referee = bench.seated().await;
    turn(&mut referee, 5, "0,1,5/3").await;
    assert_eq!(bench.story().await, "0:1, 3 missed");
    let bytes = bench.put(5).await;
    let again = inspect(&bytes).unwrap().identity;
    assert_eq!(again.begun, identity.begun, "it is the same round");
    referee.say("over 3\nbye").await;
    drop(referee);
    bench.team.ended().await;
    assert_eq!(last(bench.told).await, Told::Forget, "the match is over");
}

#[tokio::test]
async fn the_sink_hears_that_its_checkpoint_is_of_another_match() {
    let mut bench = Bench::new(None, 0, &[]).await;
    let mut referee = bench.seated().await;
    turn(&mut referee, 7, "7/1").await;
    let bytes = bench.put(7).await;
    let mut bench = Bench::new(Some(bytes), 0, &[]).await;
    let mut referee = bench.seated().await;
    turn(&mut referee, 0, "0/1").await;
    assert_eq!(bench.story().await, "step 0 is past");
    assert_eq!(bench.told.recv().await, Some(Told::Refused("step 0 is past".into())));
    bench.put(0).await;
}

#[tokio::test]
async fn a_team_that_leaves_hands_over_what_it_knows_last() {
    let mut bench = Bench::new(None, 0, &[]).await;
    let mut referee = bench.seated().await;
    turn(&mut referee, 0, "0/1").await;
    bench.put(0).await;
    turn(&mut referee, 1, "0,1/2").await;
    let draining = bench.team.clone();
    let draining = tokio::spawn(async move { draining.drain(Duration::from_secs(60)).await });
    referee.says("bye").await;
    drop(referee);
    assert!(draining.await.unwrap().stragglers.is_empty());
    let Told::Put(bytes) = last(bench.told).await else { panic!("it was forgotten") };
    assert_eq!(inspect(&bytes).unwrap().turn.step, 1);
}

async fn last(mut told: UnboundedReceiver<Told>) -> Told {
    let mut last = None;
    while let Some(next) = told.recv().await {
        last = Some(next);
    }
    last.unwrap()
}
