//! Looking inside a team without touching it: copies of what its scripts see, each on a thread of
//! its own, kept for a while under a name.

use crate::{Evaluated, KeeperOptions, SESSION_NAME_BYTES_MAX, SESSIONS_MAX, StrategyError};
use phalanx_engine::{Generation, View};
use phalanx_game::sorted::SortedMap;
use phalanx_game::{AgentId, Api};
use phalanx_lua::{Bundle, Limits, LoadError, Replica, stage};
use std::fmt;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

/// A session that is unused for this long is closed.
const IDLE_MAX: Duration = Duration::from_secs(5 * 60);
/// Longest time of one piece of script in a copy.
const EVAL_MAX: Duration = Duration::from_secs(1);
/// Pieces of script that wait for a copy, besides the one that it runs.
const WAITING_MAX: usize = 1;

/// One piece of script, and all that it may see.
pub(crate) struct EvalRequest {
    pub(crate) view: View,
    pub(crate) generation: Arc<Generation>,
    pub(crate) bundle: Arc<Bundle>,
    pub(crate) agent: AgentId,
    pub(crate) code: String,
}

/// A request and the way back.
type Parcel = (EvalRequest, oneshot::Sender<Evaluated>);

/// A team's copies.
pub(crate) struct Sessions {
    api: &'static Api,
    limits: Limits,
    /// Each copy holds a permit while its thread lives.
    room: Arc<Semaphore>,
    named: Mutex<SortedMap<String, EvalSession>>,
}

/// The way to a copy.
struct EvalSession {
    parcels: SyncSender<Parcel>,
    life: Weak<OwnedSemaphorePermit>,
}

impl fmt::Debug for Sessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sessions").field("room", &self.room).finish_non_exhaustive()
    }
}

impl Sessions {
    pub(crate) fn new(options: &KeeperOptions) -> Self {
        Self {
            api: options.api,
            limits: options.limits,
            room: Arc::new(Semaphore::new(SESSIONS_MAX)),
            named: Mutex::default(),
        }
    }

    /// Runs a piece of script in the copy of that name, or in one for this call alone.
    pub(crate) async fn run(
        &self,
        name: &str,
        request: EvalRequest,
    ) -> Result<Evaluated, StrategyError> {
        let broken = Evaluated {
            error: "the copy broke off; the next call begins a new one".into(),
            generation: request.generation.number,
            ..Evaluated::default()
        };
        let (reply, answer) = oneshot::channel();
        self.send(name, (request, reply))?;
        Ok(answer.await.unwrap_or(broken))
    }

    fn send(&self, name: &str, mut parcel: Parcel) -> Result<(), StrategyError> {
        let name = name.get(..name.floor_char_boundary(SESSION_NAME_BYTES_MAX)).unwrap_or_default();
        let mut named = self.named.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(session) = named.get(name) {
            parcel = match session.parcels.try_send(parcel) {
                Ok(()) => return Ok(()),
                Err(TrySendError::Full(_)) => return Err(StrategyError::Busy),
                // Its time was over.
                Err(TrySendError::Disconnected(parcel)) => parcel,
            };
        }
        named.retain(|_, session| session.life.strong_count() > 0);
        let session = self.open()?;
        session.parcels.try_send(parcel).map_err(|_| StrategyError::Busy)?;
        if !name.is_empty() {
            named.insert(name.to_owned(), session);
        }
        Ok(())
    }

    fn open(&self) -> Result<EvalSession, StrategyError> {
        let permit = Arc::clone(&self.room).try_acquire_owned();
        let permit = Arc::new(permit.map_err(|_| StrategyError::TooManySessions)?);
        let life = Arc::downgrade(&permit);
        let (parcels, waiting) = sync_channel(WAITING_MAX);
        let (api, limits) = (self.api, self.limits);
        let thread = std::thread::Builder::new().name("copy".into());
        let spawned = thread.spawn(move || {
            serve(&waiting, api, limits);
            drop(permit);
        });
        spawned.map_err(|_| StrategyError::Busy)?;
        Ok(EvalSession { parcels, life })
    }
}

fn serve(waiting: &Receiver<Parcel>, api: &'static Api, limits: Limits) {
    let mut copy: Option<(Arc<Generation>, Replica)> = None;
    while let Ok((request, reply)) = waiting.recv_timeout(IDLE_MAX) {
        // The caller may have gone.
        reply.send(evaluate(&mut copy, request, api, limits)).ok();
    }
}

fn evaluate(
    copy: &mut Option<(Arc<Generation>, Replica)>,
    request: EvalRequest,
    api: &'static Api,
    limits: Limits,
) -> Evaluated {
    let EvalRequest { view, generation, bundle, agent, code } = request;
    let turn = view.scenes.last().map_or_else(Default::default, |scene| scene.turn);
    let number = generation.number;
    let mut lines = Vec::new();
    let failed = |error: String, lines| Evaluated {
        text: String::new(),
        lines,
        error,
        turn,
        generation: number,
    };
    let kept = copy.take();
    if kept.as_ref().is_some_and(|(kept, _)| *kept != generation) {
        lines.push(format!("generation {number} decides now: the session begins anew"));
    }
    let mut replica = match kept.filter(|(kept, _)| *kept == generation) {
        Some((_, replica)) => replica,
        None => match open(&view, api, bundle, &generation, limits) {
            Ok(replica) => replica,
            Err(error) => return failed(format!("the copy does not load: {error}"), lines),
        },
    };
    let forgotten = replica.refresh(&view);
    lines.extend(forgotten.iter().map(|error| format!("not in this copy: {error}")));
    let outcome = replica.eval(agent, &code, EVAL_MAX);
    *copy = Some((generation, replica));
    match outcome.result {
        Ok(ran) => {
            lines.extend(ran.lines);
            Evaluated { text: ran.text, lines, error: String::new(), turn, generation: number }
        }
        Err(error) => failed(error.to_string(), lines),
    }
}

fn open(
    view: &View,
    api: &'static Api,
    bundle: Arc<Bundle>,
    generation: &Arc<Generation>,
    limits: Limits,
) -> Result<Replica, LoadError> {
    Replica::new(view, api, &stage(bundle, Arc::clone(generation))?, limits)
}
