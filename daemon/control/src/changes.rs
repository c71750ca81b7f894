//! What all calls that change something share: done once, in one order for each team, against the
//! state that the caller knows, and waited for as long as the caller waits.

use crate::error::{Reason, refuse};
use crate::gate::{Caller, Subject};
use crate::idempotency::{Idempotency, Key, broken_off};
use crate::methods::Method;
use crate::{TeamView, caller, convert, wait};
use phalanx_access::Role;
use phalanx_proto::v1;
use prost::Message;
use std::collections::BTreeMap;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tonic::{Request, Status};

/// A request that changes something.
pub(crate) trait Change: Message + Clone + Send + 'static {
    /// Makes repetitions harmless; empty: each is done.
    fn request_id(&self) -> &str;
}

/// A request that changes a team.
pub(crate) trait TeamChange: Change {
    /// The state that the caller knows; empty: any.
    fn etag(&self) -> &str {
        ""
    }

    /// Nothing is to be done.
    fn validate_only(&self) -> bool {
        false
    }
}

macro_rules! changes {
    ($($request:ident)*) => {
        $(impl Change for v1::$request {
            fn request_id(&self) -> &str {
                &self.request_id
            }
        })*
    };
}

macro_rules! guarded {
    ($($request:ident)*) => {
        $(impl TeamChange for v1::$request {
            fn etag(&self) -> &str {
                &self.etag
            }

            fn validate_only(&self) -> bool {
                self.validate_only
            }
        })*
    };
}

changes! {
    CreateTeamRequest StartTeamRequest StopTeamRequest RestartTeamRequest DrainTeamRequest
    DeleteTeamRequest MoveTeamRequest AddAgentRequest RemoveAgentRequest SetAgentRoleRequest PauseAgentRequest
    PinOrderRequest PilotAgentRequest SendOrderRequest ReleaseAgentRequest
    ActivateStrategyRequest RollBackStrategyRequest PinStrategyRequest UnpinStrategyRequest
    SetParamRequest EvalScriptRequest
    CreateTokenRequest RevokeTokenRequest
    SetEntryRequest DeleteEntryRequest
    StartArenaRequest BeginArenaRequest StopArenaRequest
    CreateLeagueRequest CancelLeagueRequest ResumeLeagueRequest DeleteLeagueRequest
    DeleteRecordingRequest WriteFlightRecorderRequest
}

guarded! {
    StartTeamRequest StopTeamRequest RestartTeamRequest DrainTeamRequest DeleteTeamRequest
    MoveTeamRequest
    AddAgentRequest RemoveAgentRequest SetAgentRoleRequest PauseAgentRequest PinOrderRequest
    PilotAgentRequest ReleaseAgentRequest
}

impl TeamChange for v1::SendOrderRequest {
    fn validate_only(&self) -> bool {
        self.validate_only
    }
}

/// Who calls what, and for how long.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    /// The caller, for lines that people read.
    pub(crate) who: String,
    identity: String,
    method: &'static str,
    /// What it may do.
    pub(crate) role: Role,
    /// How long it waits.
    pub(crate) patience: Option<Duration>,
}

impl Call {
    /// The call of a request that changes `subject`, which is noted for the audit log.
    pub(crate) fn open<T>(request: &Request<T>, subject: &str) -> Self {
        Subject::note(request, subject);
        let extensions = request.extensions();
        let caller = extensions.get::<Caller>();
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

/// How changes are made.
#[derive(Clone, Debug)]
pub(crate) struct Changes {
    closing: watch::Receiver<bool>,
    once: Arc<Idempotency>,
    queues: Arc<Queues>,
}

/// One place for each team at which changes wait for each other.
#[derive(Debug, Default)]
struct Queues(Mutex<BTreeMap<String, Arc<tokio::sync::Mutex<()>>>>);

impl Changes {
    pub(crate) fn new(closing: watch::Receiver<bool>) -> Self {
        Self { closing, once: Arc::default(), queues: Arc::default() }
    }

    /// Makes a change, once for each request id, and tells what came of it. It goes on, and is
    /// told elsewhere, when the caller leaves meanwhile.
    pub(crate) async fn make<Q: Change, A: Message + Default + 'static>(
        &self,
        call: &Call,
        request: &Q,
        work: impl Future<Output = Result<A, Status>> + Send + 'static,
    ) -> Result<A, Status> {
        if request.request_id().is_empty() {
            let work = tokio::spawn(work);
            let done = wait::until(&self.closing, call.patience, true, work).await?;
            return done.unwrap_or_else(|_| Err(broken_off()));
        }
        let key = Key::new(call.identity.clone(), call.method, request.request_id())?;
        let once = self.once.once(key, request, work);
        wait::until(&self.closing, call.patience, true, once).await?
    }

    /// Waits for an answer as long as the caller does; what was asked for ends with the waiting.
    pub(crate) async fn wait<T>(
        &self,
        patience: Option<Duration>,
        answer: impl Future<Output = T>,
    ) -> Result<T, Status> {
        wait::answer(&self.closing, patience, answer).await
    }

    /// The place at which changes of this team wait for each other.
    pub(crate) fn queue(&self, team: &str) -> Arc<tokio::sync::Mutex<()>> {
        let mut queues = self.queues.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(queues.entry(team.to_owned()).or_default())
    }

    /// The team is gone.
    pub(crate) fn forget(&self, team: &str) {
        self.queues.0.lock().unwrap_or_else(PoisonError::into_inner).remove(team);
    }
}

/// Whether the team is as the caller knows it.
pub(crate) fn check_etag(team: &dyn TeamView, etag: &str) -> Result<(), Status> {
    let now = convert::team::etag(team);
    if etag.is_empty() || etag == now {
        return Ok(());
    }
    let message = format!("team {:?} was changed meanwhile; look again", team.name());
    Err(refuse(Reason::EtagMismatch, message, [("etag", now)]))
}
