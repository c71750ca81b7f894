//! Watches a team's thread from outside, and puts another one in its place when it does not respond.
//!
//! A script can keep its thread in a native call for ever: nothing ends a thread from outside. So it
//! is abandoned (see [`Lease`]), another thread makes the team again from its last checkpoint, as
//! after a panic, and does not call the script that did not return. Seats and operators notice the
//! time in between only.

use crate::clock::now;
use crate::lease::{Lease, Step};
use crate::pulse::Pulse;
use crate::thread::{Outlets, TeamBlueprint, TeamEnd, ThreadChannels, ThreadRun, run_again};
use phalanx_engine::{
    Brain, BrainError, CallKind, CommandError, JournalEntry, Staged, Suspension, TeamLink,
};
use phalanx_game::{AgentId, Game};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::{broadcast, mpsc, oneshot, watch};
use tokio::time::MissedTickBehavior;

/// A thread that stays in one step for this long is replaced: no decision, plan or new strategy
/// takes as long.
pub const STUCK_AFTER: Duration = Duration::from_secs(5);
/// Most abandoned threads of a team that still run; each may keep a core busy. With one more the
/// team is left stuck: its seats answer by themselves.
pub const ABANDONED_MAX: u32 = 3;
/// How often a thread is looked at before it is taken for stuck. That many looks are needed, however
/// much time went by: a machine that slept makes no thread stuck.
const LOOKS: u32 = 10;
/// How long a thread has to make its team anew by itself when an operator asks for that.
const RESTART_PATIENCE: Duration = Duration::from_millis(500);
/// How long the first words of a new thread are waited for.
const BEGIN_PATIENCE: Duration = Duration::from_secs(5);
/// Most requests that wait for a supervisor.
pub(crate) const THREAD_REQUESTS_MAX: usize = 64;

/// The state of a team's thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThreadHealth {
    /// How often a thread that did not respond was replaced.
    pub replaced: u64,
    /// Abandoned threads that have not ended yet.
    pub abandoned: u32,
    /// The thread does not respond, and is not replaced since too many abandoned ones still run.
    pub stuck: bool,
}

/// The same, as threads count it.
#[derive(Debug, Default)]
pub(crate) struct Health {
    replaced: AtomicU64,
    abandoned: Arc<AtomicU32>,
    stuck: AtomicBool,
}

impl Health {
    pub(crate) fn look(&self) -> ThreadHealth {
        ThreadHealth {
            replaced: self.replaced.load(Ordering::Relaxed),
            abandoned: self.abandoned.load(Ordering::Relaxed),
            stuck: self.stuck.load(Ordering::Relaxed),
        }
    }
}

/// A request about the team's thread itself, not for the team.
#[derive(Debug)]
pub(crate) enum ThreadRequest {
    /// Make the team anew from its last checkpoint.
    Restart { by: String, done: oneshot::Sender<Result<(), CommandError>> },
    /// Replace the thread if it is still inside this step.
    Replace { at: Step, done: oneshot::Sender<Result<(), CommandError>> },
}

/// Everything that a thread of the team is made of, and what must end with the last one.
pub(crate) struct Supervisor<G: Game, F> {
    pub(crate) blueprint: TeamBlueprint<G, F>,
    pub(crate) outlets: Outlets<G>,
    pub(crate) pulse: Pulse,
    pub(crate) thread_run: ThreadRun,
    pub(crate) ended: oneshot::Receiver<TeamEnd>,
    pub(crate) leases: watch::Sender<Arc<Lease>>,
    pub(crate) journal: broadcast::Sender<Arc<JournalEntry>>,
    pub(crate) end: watch::Sender<Option<TeamEnd>>,
    pub(crate) health: Arc<Health>,
    pub(crate) requests: mpsc::Receiver<ThreadRequest>,
    pub(crate) stuck_after: Duration,
}

/// Where a thread was last seen.
#[derive(Debug)]
struct LastStep {
    at: Step,
    since: Instant,
    looks: u32,
}

impl LastStep {
    fn new(at: Step) -> Self {
        Self { at, since: real_now(), looks: 0 }
    }

    /// Looks at where it is now: true when it was inside this step for long enough.
    fn is_stuck(&mut self, at: Step, limit: Duration) -> bool {
        if at != self.at || !at.is_inside() {
            *self = Self::new(at);
            return false;
        }
        self.looks = self.looks.saturating_add(1);
        self.looks >= LOOKS && self.since.elapsed() >= limit
    }
}

/// By the real clock, even where the runtime's is a virtual one: threads live in real time.
fn real_now() -> Instant {
    Instant::now()
}

/// Waits until a thread stays in one step for `limit`; returns that step.
pub(crate) async fn stuck(lease: &mut watch::Receiver<Arc<Lease>>, limit: Duration) -> Step {
    let mut last_step = LastStep::new(lease.borrow().step());
    loop {
        tokio::time::sleep(limit / LOOKS).await;
        let at = lease.borrow_and_update().step();
        if last_step.is_stuck(at, limit) {
            return at;
        }
    }
}

/// A thread's place among the abandoned ones, if it was abandoned; it leaves it when it ends.
struct AbandonedGuard {
    lease: Arc<Lease>,
    abandoned: Arc<AtomicU32>,
}

impl Drop for AbandonedGuard {
    fn drop(&mut self) {
        if self.lease.is_abandoned() {
            self.abandoned.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// Begins a thread of a team.
pub(crate) fn begin(
    team: &str,
    (lease, health): (&Arc<Lease>, &Health),
    body: impl FnOnce(&tokio::runtime::Runtime) + Send + 'static,
) -> std::io::Result<()> {
    let guard =
        AbandonedGuard { lease: Arc::clone(lease), abandoned: Arc::clone(&health.abandoned) };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    let span = tracing::info_span!("team", team);
    // A NUL would be a panic inside the standard library.
    let name = format!("team {team}").replace('\0', "?");
    std::thread::Builder::new().name(name).spawn(move || {
        let _guard = guard;
        span.in_scope(|| body(&runtime));
    })?;
    Ok(())
}

impl<G, F> Supervisor<G, F>
where
    G: Game,
    F: FnMut(TeamLink, &Staged) -> Result<Box<dyn Brain>, BrainError> + Clone + Send + 'static,
{
    /// Until the team has ended.
    pub(crate) async fn run(mut self) {
        let mut looks = tokio::time::interval(self.stuck_after / LOOKS);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut last_step = LastStep::new(self.thread_run.lease.step());
        let end = loop {
            tokio::select! {
                biased;
                end = &mut self.ended => break end.unwrap_or_else(|_| gone()),
                Some(request) = self.requests.recv() => self.obey(request).await,
                _ = looks.tick() => {
                    let at = self.thread_run.lease.step();
                    if !last_step.is_stuck(at, self.stuck_after) {
                        self.health.stuck.store(false, Ordering::Relaxed);
                    } else if let Some(end) = self.left_behind(at) {
                        break end;
                    } else {
                        // Left stuck, or replaced: either way it said so itself.
                        self.replace(at, "").unwrap_or_default();
                    }
                }
            }
        };
        // A reader that sees the end finds the journal closed.
        drop(self.journal);
        self.end.send_replace(Some(end));
    }

    /// The seats are gone, and the thread does not come back to hear of it.
    fn left_behind(&mut self, at: Step) -> Option<TeamEnd> {
        let Outlets { signals, inbox, tickets, .. } = &self.outlets;
        if !signals.stop.is_cancelled() {
            return None;
        }
        self.health.abandoned.fetch_add(1, Ordering::Relaxed);
        if !self.thread_run.lease.abandon(at) {
            self.health.abandoned.fetch_sub(1, Ordering::Relaxed);
            return None;
        }
        self.thread_run.tape.end(now());
        inbox.close();
        tickets.close();
        let drained = signals.leave.is_cancelled();
        Some(if drained { TeamEnd::Drained } else { TeamEnd::MatchOver })
    }

    async fn obey(&mut self, request: ThreadRequest) {
        match request {
            ThreadRequest::Replace { at, done } => {
                let by = "an operator waits";
                let replaced = match self.thread_run.lease.step() == at {
                    true => self.replace(at, by),
                    // It has moved on, or was replaced already.
                    false => Ok(()),
                };
                // An operator who went away needs no answer.
                done.send(replaced).unwrap_or_default();
            }
            ThreadRequest::Restart { by, done } => {
                let restarted = self.restart(&by).await;
                done.send(restarted).unwrap_or_default();
            }
        }
    }

    /// The thread makes its team anew by itself, or is replaced if it does not.
    async fn restart(&mut self, by: &str) -> Result<(), CommandError> {
        let outlets = self.outlets.clone();
        let (inbox, mut team_starts) = (outlets.inbox.clone(), outlets.team_starts.subscribe());
        let before = *team_starts.borrow();
        {
            let mut parts = outlets.thread_recovery.parts();
            parts.recovery.lift_suspensions();
            parts.recovery.replaced(format!("the team was restarted by {by}"), None);
        }
        inbox.ask_restart();
        let mut last_step = self.thread_run.lease.step();
        let begun = |team_starts: &u64| *team_starts != before;
        loop {
            tokio::select! {
                biased;
                begun = team_starts.wait_for(begun) => {
                    drop(begun.map_err(|_| CommandError::Ended)?);
                    return Ok(());
                }
                () = tokio::time::sleep(RESTART_PATIENCE) => {}
            }
            if outlets.signals.stop.is_cancelled() || inbox.is_closed() {
                return Err(CommandError::Ended);
            }
            let at = self.thread_run.lease.step();
            if at.is_inside() && (at == last_step) {
                inbox.take_restart();
                self.replace(at, by)?;
                let begun = tokio::time::timeout(BEGIN_PATIENCE, team_starts.wait_for(begun)).await;
                return begun.map_or(Err(CommandError::busy()), |_| Ok(()));
            }
            last_step = at;
        }
    }

    /// Abandons the thread that is inside this step, and puts another one in its place.
    fn replace(&mut self, at: Step, by: &str) -> Result<(), CommandError> {
        let team = self.blueprint.name.clone();
        if self.health.abandoned.load(Ordering::Relaxed) >= ABANDONED_MAX {
            if !self.health.stuck.swap(true, Ordering::Relaxed) {
                tracing::error!(
                    team,
                    abandoned = ABANDONED_MAX,
                    "the team's thread does not respond, and too many abandoned ones still run: it \
                     is not replaced, its seats answer by themselves; restart the daemon"
                );
            }
            return Err(CommandError::Stuck { abandoned: ABANDONED_MAX });
        }
        let abandoned = self.health.abandoned.fetch_add(1, Ordering::Relaxed).saturating_add(1);
        if !self.thread_run.lease.abandon(at) {
            // It has moved on.
            self.health.abandoned.fetch_sub(1, Ordering::Relaxed);
            return Ok(());
        }
        self.health.replaced.fetch_add(1, Ordering::Relaxed);
        self.health.stuck.store(false, Ordering::Relaxed);
        let running = self.thread_run.lease.running();
        self.thread_run.tape.end(now());
        let (sender, ended) = oneshot::channel();
        let channels = ThreadChannels { beat: self.pulse.beat(), ended: sender };
        let outlets = self.outlets.clone();
        let (why, suspension) = self.finding(&outlets, running, by);
        tracing::error!(team, abandoned, "{why}");
        outlets.thread_recovery.parts().recovery.replaced(why, suspension);
        self.ended = ended;
        self.thread_run = ThreadRun::new(self.blueprint.recorder.clone());
        self.leases.send_replace(Arc::clone(&self.thread_run.lease));
        let (blueprint, thread_run) = (self.blueprint.clone(), self.thread_run.clone());
        let body =
            move |runtime: &_| run_again(blueprint, thread_run, (outlets, channels), runtime);
        if let Err(error) = begin(&team, (&self.thread_run.lease, &self.health), body) {
            // The sender is gone with the body: the main loop ends.
            tracing::error!(team, %error, "no thread for the team; its seats answer by themselves");
        }
        Ok(())
    }

    /// What people read of it, and what is not called any more.
    fn finding(
        &self,
        outlets: &Outlets<G>,
        running: Option<(CallKind, Option<AgentId>)>,
        by: &str,
    ) -> (String, Option<Suspension>) {
        let snapshot = Arc::clone(&outlets.snapshot.borrow());
        let shown = |agent: AgentId| snapshot.agents.get(agent.index());
        let wanted = if by.is_empty() { String::new() } else { format!(" ({by})") };
        let replaced = "the team's thread did not respond and was replaced";
        let Some((call, agent)) = running else {
            return (format!("{replaced}{wanted}: it was in no script"), None);
        };
        let call_name = match call {
            CallKind::Start => "start",
            CallKind::Plan => "plan",
            CallKind::Decide => "decide",
            CallKind::Finish => "finish",
            CallKind::Install => "the loading of a strategy",
            CallKind::HandOver => "migrate",
            CallKind::Run => "an operator's piece of script",
        };
        let of = agent.and_then(shown).map(|agent| format!(" of {}", agent.name));
        let what = format!("{call_name}{} did not return", of.unwrap_or_default());
        let role = match call {
            CallKind::Plan => Some(None),
            CallKind::Start | CallKind::Decide | CallKind::Finish => {
                agent.and_then(shown).map(|agent| Some(agent.role.clone()))
            }
            CallKind::Install | CallKind::HandOver | CallKind::Run => None,
        };
        let Some(role) = role else { return (format!("{replaced}{wanted}: {what}"), None) };
        let suspended = match &role {
            Some(role) => format!(
                "role {role} is suspended: set the role again, activate another generation or \
                 restart the team"
            ),
            None => "plan is suspended: activate another generation or restart the team".to_owned(),
        };
        let reason = format!("{what}; {suspended}");
        let generation = snapshot.generation;
        let why = format!("{replaced}{wanted}: {reason}");
        (why, Some(Suspension { role, agent, generation, reason }))
    }
}

/// The thread ended without a word.
fn gone() -> TeamEnd {
    TeamEnd::Crashed { reason: "the team's thread is gone".to_owned() }
}
