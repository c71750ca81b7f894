//! A log on the server that several processes append to, each entry once, with bundles that stay.

use crate::broker::{Broker, bucket};
use crate::bundles::{BundleBytes, FetchError, fetch};
use crate::error::in_words;
use crate::lease::{Holder, Lease, RENEWAL, host, name_of};
use crate::link::{Say, connect};
use crate::log_server::read_entries;
use crate::wire::coordinator_subject;
use crate::{QueueAddress, QueueError};
use async_nats::jetstream::kv::{CreateErrorKind, Store};
use async_nats::jetstream::object_store::{self, ObjectStore};
use async_nats::{Client, Subscriber};
use futures_util::StreamExt;
use std::fmt::Display;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::interval;

/// The bucket with the entries of all logs, and the one with their bundles.
pub(crate) const LOGS: &str = "phalanx_ladders";
/// How long the release of a lease may take.
const END_MAX: Duration = Duration::from_secs(2);
/// Longest name of a log, in characters.
const NAME_CHARS_MAX: usize = 64;

/// A log in a bucket of keys and values: the keys are the numbers of its entries, and a key is
/// created once. So a writer that has not read all entries cannot append one.
pub struct LogBucket {
    name: String,
    /// The number of the next entry.
    next: u64,
    entries: Store,
    bundles: ObjectStore,
    client: Client,
    broker: Broker,
    /// Why this process no longer leads.
    lost: Arc<Mutex<Option<QueueError>>>,
    /// The task that keeps the lease while this process leads, and what ends it.
    holds: Option<(oneshot::Sender<()>, JoinHandle<()>)>,
    /// Dropped last: it carries the tasks.
    runtime: Runtime,
}

impl std::fmt::Debug for LogBucket {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("LogBucket").field("name", &self.name).finish_non_exhaustive()
    }
}

/// This process, for people: `process 12 on lab1`.
#[must_use]
pub fn process_name() -> String {
    name_of(std::process::id(), &host())
}

impl LogBucket {
    /// Finds a log, or makes it.
    ///
    /// # Errors
    /// When the name is no name of a bucket, no server answers, or it refuses.
    pub fn open(address: &QueueAddress, name: &str) -> Result<Self, QueueError> {
        let plain = |c: char| c.is_ascii_alphanumeric() || ['-', '_'].contains(&c);
        if name.is_empty() || name.len() > NAME_CHARS_MAX || !name.chars().all(plain) {
            return Err(QueueError::Server(format!(
                "{name:?} is no name on a server: expected 1 to {NAME_CHARS_MAX} of the characters \
                 a to z, A to Z, 0 to 9, `-` and `_`"
            )));
        }
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.map_err(|why| QueueError::server("cannot start threads", why))?;
        let quiet: Say = Arc::new(|_| ());
        let (client, broker, entries, bundles) = runtime.block_on(async {
            let title = format!("phalanx ladder {name}");
            let client = connect(address, &title, "_INBOX.coordinator", &quiet).await?;
            let jetstream = async_nats::jetstream::new(client.clone());
            let broker = Broker::open(jetstream).await?;
            let (entries, bundles) = parts(&broker).await?;
            Ok::<_, QueueError>((client, broker, entries, bundles))
        })?;
        let name = name.to_owned();
        let lost = Arc::default();
        Ok(Self { name, next: 0, entries, bundles, client, broker, lost, holds: None, runtime })
    }

    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The entries that came since the last call.
    ///
    /// # Errors
    /// When the server does not answer, or an entry is no text.
    pub fn read(&mut self) -> Result<Vec<String>, QueueError> {
        let Self { name, next, entries, runtime, .. } = self;
        let lines = runtime.block_on(read_entries(entries, name, *next, usize::MAX, None))?;
        *next += lines.len() as u64;
        Ok(lines)
    }

    /// Appends an entry, unless another process appended one that was not read; then `false`.
    ///
    /// # Errors
    /// When the server refuses, or another process leads now.
    pub fn append(&mut self, line: &str) -> Result<bool, QueueError> {
        if let Some(why) = self.lost.lock().unwrap_or_else(PoisonError::into_inner).take() {
            return Err(why);
        }
        let Self { name, next, entries, runtime, .. } = self;
        let failed = |why: &dyn Display| {
            QueueError::Server(format!("cannot append to {name}: {}", in_words(&why.to_string())))
        };
        let appended = runtime.block_on(async {
            match entries.create(key(name, *next), line.to_owned().into()).await {
                Ok(_) => Ok(true),
                Err(why) if why.kind() == CreateErrorKind::AlreadyExists => {
                    // It may be ours, if the server's answer was lost and the client asked again.
                    let there = entries.get(key(name, *next)).await.map_err(|why| failed(&why))?;
                    Ok(there.and_then(|value| text(&value)).as_deref() == Some(line))
                }
                Err(why) => Err(failed(&why)),
            }
        })?;
        *next += u64::from(appended);
        Ok(appended)
    }

    /// Keeps other processes from leading until this value is dropped.
    ///
    /// # Errors
    /// When another process leads, which the error names.
    pub fn lead(&mut self) -> Result<(), QueueError> {
        if self.holds.is_some() {
            return Ok(());
        }
        let Self { name, client, broker, lost, runtime, .. } = self;
        let session = client.new_inbox().rsplit('.').next().unwrap_or_default().to_owned();
        let holder = Holder { session: session.clone(), host: host(), process: std::process::id() };
        let (lease, calls) = runtime.block_on(async {
            let lease = Lease::take(broker, client, &lease_of(name), holder).await?;
            let calls = client.subscribe(coordinator_subject(&session)).await;
            let calls = calls.map_err(|why| QueueError::server("cannot listen", why))?;
            Ok::<_, QueueError>((lease, calls))
        })?;
        let (end, ended) = oneshot::channel();
        let task = runtime.spawn(hold(lease, client.clone(), calls, ended, Arc::clone(lost)));
        self.holds = Some((end, task));
        Ok(())
    }

    /// Keeps a bundle.
    ///
    /// # Errors
    /// When the server refuses.
    pub fn keep(&self, bundle: &BundleBytes) -> Result<(), QueueError> {
        let BundleBytes { hash, bytes } = bundle;
        self.runtime.block_on(async {
            let there = self.bundles.info(hash).await;
            if there.is_ok_and(|info| !info.deleted && info.size == bytes.len()) {
                return Ok(());
            }
            let put = self.bundles.put(hash.as_str(), &mut &bytes[..]).await;
            put.map(drop).map_err(|why| QueueError::server("cannot store a strategy", why))
        })
    }

    /// A bundle. Whether the bytes have that hash is for the caller to find out.
    ///
    /// # Errors
    /// When it is not there.
    pub fn fetch(&self, hash: &str) -> Result<Vec<u8>, QueueError> {
        match self.runtime.block_on(fetch(&self.bundles, hash)) {
            Ok(bundle) => Ok(bundle.bytes.to_vec()),
            Err(FetchError::Missing(why) | FetchError::Oversized(why) | FetchError::Away(why)) => {
                Err(QueueError::Bundle(why))
            }
        }
    }
}

impl Drop for LogBucket {
    fn drop(&mut self) {
        let Some((end, task)) = self.holds.take() else { return };
        // What fails here lapses on the server later.
        end.send(()).unwrap_or_default();
        let ended = async { tokio::time::timeout(END_MAX, task).await };
        drop(self.runtime.block_on(ended));
    }
}

/// Renews a lease, answers others that ask for its holder, and releases it in the end.
async fn hold(
    mut lease: Lease,
    client: Client,
    mut calls: Subscriber,
    mut ended: oneshot::Receiver<()>,
    lost: Arc<Mutex<Option<QueueError>>>,
) {
    let mut renew = interval(RENEWAL);
    loop {
        tokio::select! {
            Some(call) = calls.next() => {
                if let Some(reply) = call.reply {
                    // A caller that gets no answer calls again.
                    drop(client.publish(reply, "here".into()).await);
                }
            }
            _ = &mut ended => {
                lease.release().await;
                return;
            }
            _ = renew.tick() => {
                if let Err(why) = lease.renew().await {
                    *lost.lock().unwrap_or_else(PoisonError::into_inner) = Some(why);
                    return;
                }
            }
        }
    }
}

/// The bucket with the entries, and the one with the bundles.
async fn parts(broker: &Broker) -> Result<(Store, ObjectStore), QueueError> {
    let logs = bucket(LOGS, "The logs of Phalanx ladders");
    let made = broker.jetstream.get_or_create_stream(logs).await;
    made.map_err(|why| QueueError::server("cannot make the store of ladders", why))?;
    let found = broker.jetstream.get_key_value(LOGS).await;
    let entries =
        found.map_err(|why| QueueError::server("cannot find the store of ladders", why))?;
    let bundles = match broker.jetstream.get_object_store(LOGS).await {
        Ok(store) => store,
        Err(_) => {
            let description = Some("Strategies of Phalanx ladders, by their hash".to_owned());
            let bucket = LOGS.to_owned();
            let config = object_store::Config { bucket, description, ..Default::default() };
            let made = broker.jetstream.create_object_store(config).await;
            made.map_err(|why| QueueError::server("cannot make the store of strategies", why))?
        }
    };
    Ok((entries, bundles))
}

/// The name of the lease of the process that leads a log.
pub(crate) fn lease_of(log: &str) -> String {
    format!("ladder-{log}")
}

/// The key of an entry.
pub(crate) fn key(log: &str, number: u64) -> String {
    format!("{log}.{number}")
}

pub(crate) fn text(value: &[u8]) -> Option<String> {
    Some(std::str::from_utf8(value).ok()?.to_owned())
}
