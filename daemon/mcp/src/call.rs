//! One call of a tool: a thread of its own, a limit for its time, and its progress.

use crate::answer::{Answer, failure};
use crate::protocol::{Output, with};
use anyhow::Result;
use phalanx_cli::failure::advice;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{Instant, MissedTickBehavior};
use tokio_util::sync::CancellationToken;

/// Calls that run at once.
const CALLS_MAX: usize = 4;
/// Time between two notifications of progress.
const PROGRESS_EVERY: Duration = Duration::from_millis(500);
/// How long a call may take to end after it was stopped.
const END_MAX: Duration = Duration::from_secs(60);

/// How far a call is.
#[derive(Clone, Debug, Default, PartialEq)]
struct Progress {
    done: u64,
    /// 0: unknown.
    total: u64,
    text: String,
}

/// What a tool's function sees of its call.
#[derive(Debug)]
pub(crate) struct Work {
    stop: Arc<AtomicBool>,
    progress: watch::Sender<Progress>,
}

impl Work {
    /// True when the call was cancelled or took too long.
    pub(crate) fn stop(&self) -> &AtomicBool {
        &self.stop
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Tells the client how far it is; false when the call is to end.
    pub(crate) fn went_on(&self, done: u64, total: u64, text: impl Into<String>) -> bool {
        self.progress.send_replace(Progress { done, total, text: text.into() });
        !self.is_stopped()
    }
}

/// A call's client.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) output: Output,
    /// The client's name for the progress of this call, if it wants to know.
    pub(crate) progress_token: Option<Value>,
    /// The client does not want the result any more.
    pub(crate) cancelled: CancellationToken,
}

/// A tool's function with its arguments.
pub(crate) type ToolCall = dyn FnOnce(&Work) -> Result<Answer> + Send;

/// The calls of a server.
#[derive(Clone, Debug)]
pub(crate) struct Calls {
    running: Arc<Semaphore>,
    closing: CancellationToken,
    time_limit: Duration,
}

impl Calls {
    pub(crate) fn new(time_limit: Duration) -> Self {
        let running = Arc::new(Semaphore::new(CALLS_MAX));
        Self { running, closing: CancellationToken::new(), time_limit }
    }

    /// Ends all calls, and waits for them.
    pub(crate) async fn end(&self, patience: Duration) {
        self.closing.cancel();
        let all = u32::try_from(CALLS_MAX).unwrap_or(u32::MAX);
        // A call that takes longer ends with the process.
        tokio::time::timeout(patience, self.running.acquire_many(all)).await.ok();
    }

    /// A place for a call.
    ///
    /// # Errors
    /// The call's result, when too many run.
    pub(crate) fn permit(&self) -> Result<OwnedSemaphorePermit, Value> {
        Arc::clone(&self.running).try_acquire_owned().map_err(|_| {
            failure(format!("{CALLS_MAX} calls run already: wait for one, or cancel it"))
        })
    }

    /// Runs a tool's function to its end, or until it was cancelled or took too long.
    pub(crate) async fn run(
        &self,
        permit: OwnedSemaphorePermit,
        call: &Call,
        tool: Box<ToolCall>,
    ) -> Value {
        let stop = Arc::new(AtomicBool::new(false));
        let (progress, seen) = watch::channel(Progress::default());
        let work = Work { stop: Arc::clone(&stop), progress };
        let job = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            tool(&work)
        });
        let stopper = Stopper { stop, closing: &self.closing, limit: self.time_limit };
        stopper.wait(job, call, seen).await
    }
}

/// Ends a call when it is time.
struct Stopper<'a> {
    stop: Arc<AtomicBool>,
    closing: &'a CancellationToken,
    limit: Duration,
}

impl Stopper<'_> {
    async fn wait(
        self,
        mut job: tokio::task::JoinHandle<Result<Answer>>,
        call: &Call,
        mut seen: watch::Receiver<Progress>,
    ) -> Value {
        let (begun, mut late) = (Instant::now(), false);
        let mut due = begun + self.limit;
        let mut clock = tokio::time::interval(PROGRESS_EVERY);
        clock.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut stopped = false;
        loop {
            tokio::select! {
                ended = &mut job => return self.ended(ended, late),
                () = call.cancelled.cancelled(), if !stopped => (stopped, due) = self.stop(),
                () = self.closing.cancelled(), if !stopped => (stopped, due) = self.stop(),
                () = tokio::time::sleep_until(due) => {
                    if stopped {
                        return failure("the call did not end when it was stopped".to_owned());
                    }
                    late = true;
                    (stopped, due) = self.stop();
                }
                _ = clock.tick() => notify(call, &mut seen).await,
            }
        }
    }

    fn stop(&self) -> (bool, Instant) {
        self.stop.store(true, Ordering::Relaxed);
        (true, Instant::now() + END_MAX)
    }

    fn ended(&self, ended: Result<Result<Answer>, tokio::task::JoinError>, late: bool) -> Value {
        let limit = humantime::format_duration(self.limit);
        match ended {
            Ok(Ok(answer)) if late => {
                answer.note(&format!("stopped after {limit}; ask for less to see the end")).result()
            }
            Ok(Ok(answer)) => answer.result(),
            Ok(Err(_)) if late => failure(format!(
                "stopped after {limit}, before there was a result; ask for fewer steps, seeds or \
                 matches, or start the server with a larger --time-limit"
            )),
            Ok(Err(error)) => {
                let advice = advice(&error).map(|advice| format!("\n{advice}")).unwrap_or_default();
                failure(format!("{error:#}{advice}"))
            }
            Err(error) => failure(format!("the tool broke down, a defect of phalanx: {error}")),
        }
    }
}

/// Tells the client how far the call is, if it wants to know and something is new.
async fn notify(call: &Call, seen: &mut watch::Receiver<Progress>) {
    let Some(token) = &call.progress_token else { return };
    if !seen.has_changed().unwrap_or(false) {
        return;
    }
    let Progress { done, total, text } = seen.borrow_and_update().clone();
    let mut progress = json!({ "progressToken": token, "progress": done });
    if total > 0 {
        progress = with(progress, "total", total);
    }
    if !text.is_empty() {
        progress = with(progress, "message", text);
    }
    call.output.notify("notifications/progress", progress).await;
}
