//! Executes repeated requests once: answers are kept for a while, by caller, method and the
//! caller's request id. A request that is repeated while it still runs waits for the same answer.
//!
//! A refused request has changed nothing, so its answer is not kept, and you can try the same
//! request again.

use crate::error::{Reason, refuse, refuse_field};
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared};
use prost::Message;
use secrecy::{ExposeSecret, SecretSlice};
use std::collections::{BTreeMap, VecDeque};
use std::future::Future;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tonic::Status;

/// How long an answer is kept.
const KEPT: Duration = Duration::from_secs(600);
/// Most requests over all callers, kept and running.
const REQUESTS_MAX: usize = 1_024;
/// Most bytes of kept answers.
const ANSWERS_BYTES_MAX: usize = 8 << 20;
/// Longest request id, in bytes.
const ID_BYTES_MAX: usize = 64;

/// Identifies a request: the caller and the request id.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RequestKey {
    /// The caller, independent of the connection.
    pub(crate) caller: String,
    /// The path of the method.
    pub(crate) method: &'static str,
    /// The caller's id; never empty.
    pub(crate) id: String,
}

/// An encoded answer. It may contain a token, so it is wiped when it is dropped.
pub(crate) type KeptAnswer = Result<Arc<SecretSlice<u8>>, Status>;
/// Work whose answer is encoded: one type for all methods, so that the compiler makes one copy of
/// what runs it.
pub(crate) type EncodedWork = BoxFuture<'static, KeptAnswer>;
/// Work that runs; gives every clone the same answer.
pub(crate) type RunningRequest = Shared<EncodedWork>;

/// All requests with ids.
#[derive(Debug)]
pub(crate) struct Idempotency {
    table: Mutex<RequestTable>,
    kept: Duration,
}

impl Default for Idempotency {
    fn default() -> Self {
        Self { table: Mutex::default(), kept: KEPT }
    }
}

#[derive(Debug, Default)]
struct RequestTable {
    entries: BTreeMap<RequestKey, RequestEntry>,
    /// The answered requests, the oldest first.
    answered: VecDeque<(Instant, RequestKey)>,
    bytes: usize,
}

#[derive(Debug)]
struct RequestEntry {
    /// Detects another request with the same id.
    digest: u64,
    going: RunningRequest,
    /// Bytes of the answer; 0 while the request runs.
    bytes: usize,
}

impl RequestKey {
    /// Checks the id.
    pub(crate) fn new(caller: String, method: &'static str, id: &str) -> Result<Self, Status> {
        let printable = |byte: u8| byte == b' ' || byte.is_ascii_graphic();
        if id.is_empty() || id.len() > ID_BYTES_MAX || !id.bytes().all(printable) {
            let expected = format!("at most {ID_BYTES_MAX} printable ASCII characters");
            return Err(refuse_field(Reason::RequestIdMalformed, "request_id", &expected));
        }
        Ok(Self { caller, method, id: id.to_owned() })
    }
}

impl Idempotency {
    /// Starts the work, or joins the same work if it was started before. It continues when its
    /// caller stops waiting.
    ///
    /// # Errors
    /// When another request has the id; when too many requests run.
    pub(crate) fn start(
        self: &Arc<Self>,
        key: RequestKey,
        digest: u64,
        work: EncodedWork,
    ) -> Result<RunningRequest, Status> {
        let mut table = self.table();
        table.forget_until(Instant::now().checked_sub(self.kept));
        if let Some(entry) = table.entries.get(&key) {
            return if entry.digest == digest {
                Ok(entry.going.clone())
            } else {
                Err(reused(&key))
            };
        }
        if table.entries.len() >= REQUESTS_MAX && !table.forget_oldest() {
            let message = format!("{REQUESTS_MAX} requests with ids are going on; try again");
            return Err(refuse(Reason::TooManyRequests, message, []));
        }
        let (ours, name) = (Arc::clone(self), key.clone());
        // The work has a task of its own, so that a panic does not leave the entry behind.
        let work = spawn(work);
        let going = spawn(Box::pin(async move {
            let kept = work.await;
            ours.done(&name, kept.as_ref().ok().map(|kept| kept.expose_secret().len()));
            kept
        }));
        table.entries.insert(key, RequestEntry { digest, going: going.clone(), bytes: 0 });
        Ok(going)
    }

    /// A request was answered with this many bytes, or refused.
    fn done(&self, key: &RequestKey, bytes: Option<usize>) {
        let mut table = self.table();
        let Some(bytes) = bytes else {
            table.entries.remove(key);
            return;
        };
        if let Some(entry) = table.entries.get_mut(key) {
            entry.bytes = bytes;
            table.bytes += bytes;
            table.answered.push_back((Instant::now(), key.clone()));
        }
        while table.bytes > ANSWERS_BYTES_MAX && table.forget_oldest() {}
    }

    fn table(&self) -> MutexGuard<'_, RequestTable> {
        // Each change is one step, so the table is intact even after a panic of a holder.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RequestTable {
    fn forget_until(&mut self, end: Option<Instant>) {
        let old = |answered: &(Instant, RequestKey)| end.is_some_and(|end| answered.0 <= end);
        while self.answered.front().is_some_and(old) {
            self.forget_oldest();
        }
    }

    /// False if there is no answered request.
    fn forget_oldest(&mut self) -> bool {
        let Some((_, key)) = self.answered.pop_front() else { return false };
        if let Some(entry) = self.entries.remove(&key) {
            self.bytes = self.bytes.saturating_sub(entry.bytes);
        }
        true
    }
}

/// Runs work on a task of its own.
pub(crate) fn spawn(work: EncodedWork) -> RunningRequest {
    let answer = tokio::spawn(work).map(|done| done.unwrap_or_else(|_| Err(broken_off())));
    answer.boxed().shared()
}

/// Work that encodes its answer.
pub(crate) fn encoded<A: Message + 'static>(
    work: impl Future<Output = Result<A, Status>> + Send + 'static,
) -> EncodedWork {
    work.map(|done| done.map(|answer| Arc::new(SecretSlice::from(answer.encode_to_vec())))).boxed()
}

/// The answer that was encoded.
///
/// # Errors
/// When it is an answer of another type.
pub(crate) fn decoded<A: Message + Default>(kept: &SecretSlice<u8>) -> Result<A, Status> {
    A::decode(kept.expose_secret())
        .map_err(|error| Status::internal(format!("a kept answer cannot be read: {error}")))
}

/// Equal for equal requests: their messages have no unordered maps.
pub(crate) fn digest(request: &impl Message) -> u64 {
    let bytes = SecretSlice::from(request.encode_to_vec());
    let mut hasher = DefaultHasher::new();
    bytes.expose_secret().hash(&mut hasher);
    hasher.finish()
}

fn reused(key: &RequestKey) -> Status {
    let message = format!(
        "another request had the id {:?} within the last ten minutes; choose a new one",
        key.id
    );
    refuse(Reason::RequestIdReused, message, [])
}

fn broken_off() -> Status {
    Status::internal("the change was broken off by a mistake in the daemon")
}

#[cfg(test)]
mod tests {
    use super::*;
    use phalanx_proto::v1;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use tokio::sync::Semaphore;
    use tonic_types::StatusExt;

    type Request = v1::StopTeamRequest;
    type Response = v1::StopTeamResponse;

    fn key(caller: &str, id: &str) -> RequestKey {
        RequestKey::new(caller.into(), "phalanx.v1.Teams/StopTeam", id).unwrap()
    }

    fn request(name: &str) -> Request {
        Request { name: name.into(), ..Request::default() }
    }

    fn response(name: &str) -> Response {
        let team = v1::Team { name: name.into(), ..v1::Team::default() };
        Response { team: Some(team) }
    }

    fn reason(status: &Status) -> String {
        status.get_details_error_info().unwrap().reason
    }

    /// Counts how often it runs.
    fn work(count: &Arc<AtomicUsize>) -> impl Future<Output = Result<Response, Status>> + use<> {
        let count = Arc::clone(count);
        async move {
            let number = count.fetch_add(1, Ordering::SeqCst);
            Ok(response(&format!("{number}")))
        }
    }

    async fn send<A: Message + Default + 'static>(
        once: &Arc<Idempotency>,
        key: RequestKey,
        request: &Request,
        work: impl Future<Output = Result<A, Status>> + Send + 'static,
    ) -> Result<A, Status> {
        decoded(&*once.start(key, digest(request), encoded(work))?.await?)
    }

    #[tokio::test]
    async fn a_request_is_done_once_and_answered_the_same() {
        let (once, count) = (Arc::new(Idempotency::default()), Arc::default());
        for _ in 0..3 {
            let answer = send(&once, key("anna", "1"), &request("A"), work(&count)).await;
            assert_eq!(answer.unwrap(), response("0"));
        }
        let other = send(&once, key("kuno", "1"), &request("A"), work(&count)).await;
        assert_eq!(other.unwrap(), response("1"), "another caller's id is another id");
        let reused = send(&once, key("anna", "1"), &request("B"), work(&count)).await.unwrap_err();
        assert_eq!(reason(&reused), "REQUEST_ID_REUSED");
    }

    #[tokio::test]
    async fn what_is_old_is_forgotten() {
        let count = Arc::default();
        let once = Idempotency { kept: Duration::ZERO, ..Idempotency::default() };
        let once = Arc::new(once);
        for number in ["0", "1"] {
            let answer = send(&once, key("anna", "1"), &request("A"), work(&count)).await;
            assert_eq!(answer.unwrap(), response(number));
        }
    }

    #[tokio::test]
    async fn who_comes_while_it_goes_on_waits_for_the_same_answer() {
        let (once, count) = (Arc::new(Idempotency::default()), Arc::<AtomicUsize>::default());
        let gate = Arc::new(Semaphore::new(0));
        let slow = |gate: &Arc<Semaphore>| {
            let (gate, work) = (Arc::clone(gate), work(&count));
            async move {
                drop(gate.acquire().await);
                work.await
            }
        };
        let asked = request("A");
        // The first caller stops waiting, but its work continues.
        let first = send(&once, key("anna", "1"), &asked, slow(&gate));
        assert!(first.now_or_never().is_none());
        let second = send(&once, key("anna", "1"), &asked, slow(&gate));
        gate.add_permits(1);
        assert_eq!(second.await.unwrap(), response("0"));
        assert_eq!(count.load(Ordering::SeqCst), 1);
    }

    #[tokio::test]
    async fn what_was_refused_may_be_tried_again_and_a_panic_leaves_nothing_behind() {
        let (once, count) = (Arc::new(Idempotency::default()), Arc::default());
        let refused = async { Err::<Response, _>(Status::unavailable("busy")) };
        let answer = send(&once, key("anna", "1"), &request("A"), refused).await;
        assert_eq!(answer.unwrap_err().code(), tonic::Code::Unavailable);
        let panics = async { panic!("a mistake in a test") };
        let answer = send::<Response>(&once, key("anna", "1"), &request("A"), panics).await;
        assert_eq!(answer.unwrap_err().code(), tonic::Code::Internal);
        let answer = send(&once, key("anna", "1"), &request("A"), work(&count)).await;
        assert_eq!(answer.unwrap(), response("0"));
    }

    #[tokio::test]
    async fn only_so_many_requests_and_bytes_are_kept() {
        let (once, count) = (Arc::new(Idempotency::default()), Arc::default());
        for number in 0..=REQUESTS_MAX {
            let id = number.to_string();
            send(&once, key("anna", &id), &request("A"), work(&count)).await.unwrap();
        }
        assert_eq!(once.table().entries.len(), REQUESTS_MAX);
        let large = response(&"x".repeat(ANSWERS_BYTES_MAX));
        send(&once, key("anna", "large"), &request("A"), async { Ok(large) }).await.unwrap();
        let table = once.table();
        assert_eq!((table.entries.len(), table.answered.len(), table.bytes), (0, 0, 0));
    }

    #[tokio::test]
    async fn when_all_are_going_on_the_next_is_refused() {
        let once = Arc::new(Idempotency::default());
        let never = || std::future::pending::<Result<Response, Status>>();
        for number in 0..REQUESTS_MAX {
            let id = number.to_string();
            let asked = request("A");
            assert!(send(&once, key("anna", &id), &asked, never()).now_or_never().is_none());
        }
        let refused =
            send(&once, key("anna", "one more"), &request("A"), never()).await.unwrap_err();
        assert_eq!(reason(&refused), "TOO_MANY_REQUESTS");
    }

    #[test]
    fn an_id_is_short_and_printable() {
        let long = "x".repeat(ID_BYTES_MAX + 1);
        for bad in ["", "a\nb", "ä", "\0", &long] {
            let refused = RequestKey::new("anna".into(), "m", bad).unwrap_err();
            assert_eq!(reason(&refused), "REQUEST_ID_MALFORMED", "{bad:?}");
        }
        let longest = "x".repeat(ID_BYTES_MAX);
        for good in ["1", "a b", "~", &longest] {
            assert!(RequestKey::new("anna".into(), "m", good).is_ok(), "{good:?}");
        }
    }
}
