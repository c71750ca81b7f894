//! The control API of the teams of a match. Each team is served as by a daemon of its own; operators
//! call it over HTTP/2, as the command line does, and a viewer follows its events. All of it runs in
//! the thread of the match, on its virtual clock.

use phalanx_control::client::{Link, over};
use phalanx_control::{
    Access, Control, ControlHandle, Destinations, Newcomers, Options, Role, ServedTeam,
    TeamDirectory, build,
};
use phalanx_engine::{Answer, CommandError, CommandRequest, JournalEntry, Snapshot};
use phalanx_games::TeamPlan;
use phalanx_lua::Bundle;
use phalanx_net::{Puppet, PuppetOptions, TeamHandle};
use phalanx_proto::v1::match_event::Kind;
use phalanx_proto::v1::matches_client::MatchesClient;
use phalanx_proto::v1::{MatchEvent, WatchMatchRequest};
use phalanx_strategy::{Keeper, KeeperHandle, KeeperOptions};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::io::DuplexStream;
use tokio::runtime::Runtime;
use tokio::sync::{mpsc, oneshot};
use tonic::Status;

/// Bytes on their way in one direction of a connection.
const PIPE_BYTES: usize = 64 << 10;
/// How often all tasks get a turn, so that a call arrives and its answer returns.
const TURNS: u32 = 200;
/// Longest time that the keeper of a strategy may rehearse. It has nothing to rehearse here.
const REHEARSAL_MAX: Duration = Duration::from_secs(1);

/// A command of the API to the team, and who waits for the answer.
pub(crate) type Asked = (CommandRequest, oneshot::Sender<Answer>);

/// The clock and the tasks of all API servers of a match.
#[derive(Debug)]
pub(crate) struct ApiClock {
    runtime: Runtime,
    /// The same instant on the clock of the match and on that of the tasks.
    begun: (Instant, tokio::time::Instant),
}

impl ApiClock {
    pub(crate) fn new(now: Instant) -> std::io::Result<Self> {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        let runtime = builder.enable_time().start_paused(true).build()?;
        let begun = (now, runtime.block_on(async { tokio::time::Instant::now() }));
        Ok(Self { runtime, begun })
    }

    /// Lets all tasks run until they wait for something, at this instant.
    pub(crate) fn run(&self, now: Instant) {
        let (begun, own) = self.begun;
        self.runtime.block_on(async {
            turns().await;
            let passed = now.saturating_duration_since(begun);
            let behind = passed.saturating_sub(own.elapsed());
            if !behind.is_zero() {
                tokio::time::advance(behind).await;
                turns().await;
            }
        });
    }

    /// Begins a call.
    pub(crate) fn spawn(
        &self,
        call: impl Future<Output = Result<(), Status>> + Send + 'static,
    ) -> tokio::task::JoinHandle<Result<(), Status>> {
        self.runtime.spawn(call)
    }

    /// What came of a call that has ended.
    pub(crate) fn take(
        &self,
        call: tokio::task::JoinHandle<Result<(), Status>>,
    ) -> Result<(), Status> {
        let ended = self.runtime.block_on(call);
        ended.unwrap_or_else(|error| Err(Status::internal(error.to_string())))
    }
}

async fn turns() {
    for _ in 0..TURNS {
        tokio::task::yield_now().await;
    }
}

/// A team behind its API.
#[derive(Debug)]
pub(crate) struct ApiTeam {
    pub(crate) link: Link,
    pub(crate) audience: Audience,
    inbox: mpsc::UnboundedReceiver<Asked>,
    /// A server without a further caller to come ends.
    _callers: mpsc::Sender<DuplexStream>,
    /// Ends the server when it is dropped.
    _server: ControlHandle,
}

impl ApiTeam {
    /// Serves a team, with a viewer that follows it from now on. `None`: the server cannot be made.
    pub(crate) fn serve(
        clock: &ApiClock,
        plan: &TeamPlan,
        snapshot: &Arc<Snapshot>,
    ) -> Option<Self> {
        let _inside = clock.runtime.enter();
        let declared = phalanx_games::declaration(&plan.game).ok()?;
        let (sender, inbox) = mpsc::unbounded_channel();
        let answer = move |request| -> phalanx_net::PuppetAnswer {
            let (caller, answer) = oneshot::channel();
            // A match that is over takes no command.
            let sent = sender.send((request, caller)).map_err(|_| CommandError::Ended);
            Box::pin(async move {
                sent?;
                answer.await.unwrap_or(Err(CommandError::Ended))
            })
        };
        let options = PuppetOptions { declared, ..PuppetOptions::new(plan.roster.clone(), answer) };
        let (puppet, handle) = Puppet::start(options);
        puppet.snapshot.send_replace(Arc::clone(snapshot));
        let served = ServedTeam {
            keeper: Some(keeper(plan, declared.name, &handle)),
            handle,
            drain_max: REHEARSAL_MAX,
            newcomers: Newcomers::default(),
            destinations: Destinations::default(),
            creator: None,
        };
        let directory = Arc::new(OneTeam(Arc::new(served)));
        let access = Arc::new(Access::on_this_machine(Role::Admin));
        let (callers, streams) = mpsc::channel(1);
        let server = build(&Options::default(), directory, access).ok()?;
        let server = Control::over(server, streams).spawn();
        let (near, far) = tokio::io::duplex(PIPE_BYTES);
        callers.try_send(far).ok()?;
        let (name, link) = (plan.roster.team.clone(), over(near));
        let audience = Audience { puppet, name, viewer: Arc::default() };
        tokio::spawn(audience.clone().watch(link.clone()));
        Some(Self { link, audience, inbox, _callers: callers, _server: server })
    }

    /// The next command for the team.
    pub(crate) fn take(&mut self) -> Option<Asked> {
        self.inbox.try_recv().ok()
    }
}

/// The keeper through which operators set parameters and run scripts. It knows no generations: those
/// are installed without it.
fn keeper(plan: &TeamPlan, game: &'static str, handle: &TeamHandle) -> KeeperHandle {
    let options = KeeperOptions {
        team: plan.roster.team.clone(),
        game,
        api: handle.api(),
        roster: Arc::new(plan.roster.clone()),
        limits: plan.limits,
        decide_max: plan.team.decide_max,
        folder: None,
        read: Arc::new(|folder| Bundle::read(folder, &[])),
        complete: Arc::new(Ok),
        watch: false,
        settle: Duration::ZERO,
        poll: Duration::MAX,
        keep: 1,
        state: None,
        trial_max: REHEARSAL_MAX,
    };
    Keeper::open(options).spawn(handle.clone())
}

/// The teams of a daemon that has one.
#[derive(Debug)]
struct OneTeam(Arc<ServedTeam>);

impl TeamDirectory for OneTeam {
    fn teams(&self) -> Vec<Arc<ServedTeam>> {
        vec![Arc::clone(&self.0)]
    }
}

/// What the API and its viewer hear of a team.
#[derive(Clone, Debug)]
pub(crate) struct Audience {
    puppet: Arc<Puppet>,
    name: String,
    viewer: Arc<Mutex<Viewer>>,
}

/// What a client sees that follows all events.
#[derive(Debug, Default)]
struct Viewer {
    /// It has its stream.
    watches: bool,
    /// Events that it has not seen.
    due: VecDeque<MatchEvent>,
    trouble: Option<String>,
}

impl Audience {
    /// The team writes to its journal. `lost`: the API does not hear of it.
    pub(crate) fn heard(&self, entry: &JournalEntry, lost: bool) {
        let mut viewer = self.viewer();
        if viewer.watches {
            viewer.due.push_back(phalanx_convert::event(&self.name, String::new(), entry));
        }
        drop(viewer);
        if !lost {
            self.puppet.journal(entry.clone());
        }
    }

    /// The team publishes a snapshot.
    pub(crate) fn saw(&self, snapshot: &Arc<Snapshot>) {
        self.puppet.snapshot.send_replace(Arc::clone(snapshot));
    }

    /// Why the viewer did not see what the team did; `None`: it did.
    pub(crate) fn trouble(&self) -> Option<String> {
        let viewer = self.viewer();
        let missing = || {
            let next = viewer.due.front()?;
            Some(format!("{} events did not arrive: {}, ...", viewer.due.len(), next.text))
        };
        viewer.trouble.clone().or_else(missing)
    }

    /// Whether the viewer has a stream, or will have none.
    pub(crate) fn is_ready(&self) -> bool {
        let viewer = self.viewer();
        viewer.watches || viewer.trouble.is_some()
    }

    async fn watch(self, link: Link) {
        let team = phalanx_convert::team::resource_name(&self.name);
        let request = WatchMatchRequest { team, cursor: String::new(), decisions: true };
        let mut stream = match MatchesClient::new(link).watch_match(request).await {
            Ok(stream) => stream.into_inner(),
            Err(status) => {
                self.viewer().trouble = Some(format!("events cannot be watched: {status}"));
                return;
            }
        };
        self.viewer().watches = true;
        loop {
            let message = stream.message().await;
            let mut viewer = self.viewer();
            match message {
                Ok(Some(message)) => viewer.sees(message.event.unwrap_or_default()),
                Ok(None) => viewer.trouble = Some("the stream of events ended".to_owned()),
                Err(status) => viewer.trouble = Some(format!("events ended: {status}")),
            }
            if viewer.trouble.is_some() {
                return;
            }
        }
    }

    fn viewer(&self) -> MutexGuard<'_, Viewer> {
        // Each change is one step.
        self.viewer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Viewer {
    fn sees(&mut self, event: MatchEvent) {
        if let Some(Kind::EventsLost(lost)) = &event.kind {
            let lost = usize::try_from(lost.count).unwrap_or(usize::MAX).min(self.due.len());
            self.due.drain(..lost);
            return;
        }
        let wanted = self.due.pop_front();
        let event = MatchEvent { cursor: String::new(), ..event };
        if wanted.as_ref() != Some(&event) {
            let wanted = wanted.map_or_else(|| "nothing".to_owned(), |wanted| wanted.text);
            self.trouble = Some(format!("a viewer saw {:?} instead of {wanted:?}", event.text));
        }
    }
}
