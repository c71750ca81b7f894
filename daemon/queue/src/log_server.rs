//! All logs of a server, to look at while other processes write them.

use crate::broker::bucket_stream;
use crate::error::in_words;
use crate::lease::{Holder, name_of};
use crate::link::{Say, connect};
use crate::log::{LOGS, key, lease_of, text};
use crate::wire::LEASES;
use crate::{QueueAddress, QueueError};
use async_nats::jetstream::context::GetStreamErrorKind;
use async_nats::jetstream::kv::Store;
use async_nats::jetstream::{Context, ErrorCode};
use async_nats::{Client, connection};
use futures_util::{StreamExt, TryStreamExt};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio::time::{Instant, timeout, timeout_at};

/// Logs that are found at most.
const LOGS_MAX: usize = 256;
/// Entries that one call reads at most; the next call goes on behind them.
const ENTRIES_MAX: usize = 20_000;
/// How long one request may take.
const REQUEST_MAX: Duration = Duration::from_secs(5);
/// How long one call reads entries.
const READ_MAX: Duration = Duration::from_secs(5);

/// A connection that only reads: it makes nothing on the server.
pub struct LogServer {
    client: Client,
    jetstream: Context,
    /// Dropped last: it carries the connection.
    runtime: Runtime,
}

/// The logs that a server has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundLogs {
    pub names: BTreeSet<String>,
    /// Logs that a process leads, or led a minute ago.
    pub led: BTreeSet<String>,
    /// Differs after the store was made anew: then all logs begin anew.
    pub store: String,
    /// Grows with each entry of any log.
    pub revision: u64,
}

impl std::fmt::Debug for LogServer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("LogServer").finish_non_exhaustive()
    }
}

impl LogServer {
    /// Connects.
    ///
    /// # Errors
    /// When no server answers within ten seconds, or it refuses.
    pub fn open(address: &QueueAddress, title: &str) -> Result<Self, QueueError> {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.map_err(|why| QueueError::server("cannot start threads", why))?;
        let quiet: Say = Arc::new(|_| ());
        // An inbox of its own: its user at the server needs to read no other answers.
        let inbox = "_INBOX.reader";
        let (client, jetstream) = runtime.block_on(async {
            let client = connect(address, title, inbox, &quiet).await?;
            // It starts a task of its own, so it has to be made in the runtime.
            let mut jetstream = async_nats::jetstream::new(client.clone());
            jetstream.set_timeout(REQUEST_MAX);
            Ok::<_, QueueError>((client, jetstream))
        })?;
        Ok(Self { client, jetstream, runtime })
    }

    /// Finds the logs; a server without any has none.
    ///
    /// # Errors
    /// When the server does not answer in time, or refuses.
    pub fn look(&self) -> Result<FoundLogs, QueueError> {
        // Without a connection each request would wait for its whole time.
        if self.client.connection_state() != connection::State::Connected {
            let why = "no connection; waiting for the server to come back";
            return Err(QueueError::server("cannot list the ladders", why));
        }
        self.timed("cannot list the ladders", async {
            let Some(all) = self.subjects(LOGS, &key("*", 0)).await? else {
                return Ok(FoundLogs::default());
            };
            let name = |subject: &String| Some(subject.rsplit('.').nth(1)?.to_owned());
            // Those of leagues and tune runs, too.
            let leases = self.subjects(LEASES, "*").await?;
            let leases = leases.map(|leases| leases.found).unwrap_or_default();
            let prefix = lease_of("");
            let led = leases.iter().filter_map(|subject| subject.rsplit('.').next());
            let led = led.filter_map(|lease| Some(lease.strip_prefix(&prefix)?.to_owned()));
            Ok(FoundLogs {
                names: all.found.iter().filter_map(name).collect(),
                led: led.collect(),
                store: all.made,
                revision: all.last,
            })
        })
    }

    /// The entries of a log from number `next` on, which counts on; not all of a long log at once.
    ///
    /// # Errors
    /// When the server does not answer in time or refuses, or an entry is no text.
    pub fn read(&self, name: &str, next: &mut u64) -> Result<Vec<String>, QueueError> {
        let until = Instant::now() + READ_MAX;
        let what = format!("cannot read {name}");
        let lines = self.timed(&what, async {
            let entries = self.store(LOGS, &what).await?;
            read_entries(&entries, name, *next, ENTRIES_MAX, Some(until)).await
        })?;
        *next += lines.len() as u64;
        Ok(lines)
    }

    /// The process that leads a log, for people.
    ///
    /// # Errors
    /// When the server does not answer in time, or refuses.
    pub fn leader(&self, name: &str) -> Result<Option<String>, QueueError> {
        let what = format!("cannot find out who plays {name}");
        self.timed(&what, async {
            let leases = self.store(LEASES, &what).await?;
            let value = leases.get(lease_of(name)).await;
            let value = value.map_err(|why| QueueError::server(&what, why))?;
            let holder: Option<Holder> =
                value.and_then(|value| serde_json::from_slice(&value).ok());
            Ok(holder.map(|holder| name_of(holder.process, &holder.host)))
        })
    }

    /// Work that ends soon after the time for one request and for reading.
    fn timed<T>(
        &self,
        what: &str,
        work: impl Future<Output = Result<T, QueueError>>,
    ) -> Result<T, QueueError> {
        let most = REQUEST_MAX + READ_MAX;
        let done = self.runtime.block_on(async { timeout(most, work).await });
        done.unwrap_or_else(|_| {
            let why = format!("no answer within {} s", most.as_secs());
            Err(QueueError::server(what, why))
        })
    }

    async fn store(&self, bucket: &str, what: &str) -> Result<Store, QueueError> {
        let found = self.jetstream.get_key_value(bucket).await;
        found.map_err(|why| QueueError::server(what, why))
    }

    /// The subjects of a bucket that a pattern of keys names, up to a number; `None` without bucket.
    async fn subjects(&self, bucket: &str, keys: &str) -> Result<Option<Subjects>, QueueError> {
        let failed =
            |why: &dyn std::fmt::Display| QueueError::server("cannot list the ladders", why);
        let stream = match self.jetstream.get_stream(bucket_stream(bucket)).await {
            Ok(stream) => stream,
            Err(why) => {
                let missing = matches!(
                    why.kind(),
                    GetStreamErrorKind::JetStream(error)
                        if error.error_code() == ErrorCode::STREAM_NOT_FOUND
                );
                return if missing { Ok(None) } else { Err(failed(&why)) };
            }
        };
        let info = stream.info_with_subjects(format!("$KV.{bucket}.{keys}")).await;
        let info = info.map_err(|why| failed(&why))?;
        let (made, last) = (info.info.created.to_string(), info.info.state.last_sequence);
        let found = info.take(LOGS_MAX).map_ok(|(subject, _)| subject).try_collect();
        Ok(Some(Subjects { found: found.await.map_err(|why| failed(&why))?, made, last }))
    }
}

struct Subjects {
    found: BTreeSet<String>,
    made: String,
    last: u64,
}

/// The entries of a log from number `from` on: at most `most`, and those that come by `until`. Only
/// what is returned counts as read: what was read before an error comes again.
pub(crate) async fn read_entries(
    entries: &Store,
    name: &str,
    from: u64,
    most: usize,
    until: Option<Instant>,
) -> Result<Vec<String>, QueueError> {
    let failed = |why: &dyn std::fmt::Display| {
        QueueError::Server(format!("cannot read {name}: {}", in_words(&why.to_string())))
    };
    let (mut lines, mut at) = (Vec::new(), from);
    let first = entries.entry(key(name, at)).await.map_err(|why| failed(&why))?;
    let Some(first) = first else { return Ok(lines) };
    let watch = entries.watch_from_revision(format!("{name}.>"), first.revision).await;
    let mut watch = watch.map_err(|why| failed(&why))?;
    while lines.len() < most {
        let next = match until {
            Some(until) => timeout_at(until, watch.next()).await,
            None => Ok(watch.next().await),
        };
        // What came in time counts; the rest is for the next call.
        let Ok(Some(entry)) = next else { break };
        let entry = entry.map_err(|why| failed(&why))?;
        if entry.key != key(name, at) {
            return Err(failed(&format!("expected entry {at}, got {}", entry.key)));
        }
        lines.push(text(&entry.value).ok_or_else(|| failed(&"an entry is no text"))?);
        at += 1;
        if entry.delta == 0 {
            break;
        }
    }
    Ok(lines)
}
