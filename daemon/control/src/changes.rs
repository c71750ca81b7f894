//! What all changing calls share: each is made once, in order for each team, against the state that
//! the caller knows, and the server waits for it as long as the caller does.

use crate::caller::{self, IdentifiedCaller};
use crate::error::{Reason, refuse};
use crate::gate::Subject;
use crate::idempotency::{self, EncodedWork, Idempotency, KeptAnswer, RequestKey};
use crate::methods::Method;
use crate::{ServedTeam, convert, wait};
use phalanx_access::Role;
use phalanx_game::sorted::SortedMap;
use phalanx_proto::Change;
use prost::Message;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tonic::{Request, Status};

/// The caller, the method, and the caller's deadline.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    /// The caller, for people.
    pub(crate) who: String,
    identity: String,
    method: &'static str,
    /// The caller's role.
    pub(crate) role: Role,
    /// The caller's deadline.
    pub(crate) patience: Option<Duration>,
}

impl Call {
    /// The call of a request that changes `subject`; notes the subject for the audit log.
    pub(crate) fn open<T: Change>(request: &Request<T>, subject: &str) -> Self {
        Subject::note(request, subject);
        if request.get_ref().validate_only() {
            Subject::note_only_checked(request);
        }
        let extensions = request.extensions();
        let caller = extensions.get::<IdentifiedCaller>();
        let method = extensions.get::<&'static Method>().map_or("", |method| method.path);
        Self {
            who: caller::name(request),
            identity: caller.map(|caller| caller.identity.clone()).unwrap_or_default(),
            role: caller.map_or(Role::Viewer, |caller| caller.role),
            method,
            patience: caller::patience(request.metadata()),
        }
    }
}

/// Makes changes.
#[derive(Clone, Debug)]
pub(crate) struct Changes {
    closing: watch::Receiver<bool>,
    once: Arc<Idempotency>,
    queues: Arc<Queues>,
}

/// A lock for each team, so that its changes are made one after the other.
#[derive(Debug, Default)]
struct Queues(Mutex<SortedMap<String, Arc<tokio::sync::Mutex<()>>>>);

impl Changes {
    pub(crate) fn new(closing: watch::Receiver<bool>) -> Self {
        Self { closing, once: Arc::default(), queues: Arc::default() }
    }

    /// Makes a change, once for each request id, and returns the result. If the caller leaves
    /// meanwhile, the change continues, and its result is logged.
    pub(crate) async fn make<Q: Change, A: Message + Default + 'static>(
        &self,
        call: &Call,
        request: &Q,
        work: impl Future<Output = Result<A, Status>> + Send + 'static,
    ) -> Result<A, Status> {
        let id = request.request_id();
        let digest = if id.is_empty() { 0 } else { idempotency::digest(request) };
        let kept = self.run(call, id, digest, idempotency::encoded(work)).await?;
        idempotency::decoded(&kept)
    }

    async fn run(&self, call: &Call, id: &str, digest: u64, work: EncodedWork) -> KeptAnswer {
        let running = if id.is_empty() {
            idempotency::spawn(work)
        } else {
            let key = RequestKey::new(call.identity.clone(), call.method, id)?;
            self.once.start(key, digest, work)?
        };
        wait::until(&self.closing, call.patience, true, running).await?
    }

    /// Waits for an answer as long as the caller does; the work is cancelled if the waiting ends
    /// first.
    pub(crate) async fn wait<T>(
        &self,
        patience: Option<Duration>,
        answer: impl Future<Output = T>,
    ) -> Result<T, Status> {
        wait::answer(&self.closing, patience, answer).await
    }

    /// The lock for the changes of this team.
    pub(crate) fn queue(&self, team: &str) -> Arc<tokio::sync::Mutex<()>> {
        let mut queues = self.queues.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(queues.entry(team.to_owned()).or_default())
    }

    /// The team was deleted.
    pub(crate) fn forget(&self, team: &str) {
        self.queues.0.lock().unwrap_or_else(PoisonError::into_inner).remove(team);
    }
}

/// Checks that the team is in the state that the caller knows.
pub(crate) fn check_etag(team: &ServedTeam, etag: &str) -> Result<(), Status> {
    let now = convert::team::etag(team);
    if etag.is_empty() || etag == now {
        return Ok(());
    }
    let message = format!(
        "team {:?} has changed since you read it; read it again and repeat the change",
        team.name()
    );
    Err(refuse(Reason::EtagMismatch, message, [("etag", now)]))
}
