//! One coordinator for each run: the lease that it holds in a bucket of the server.
//!
//! No clock of a client matters: the server lets leases lapse, and whether the holder is still there
//! is found out by asking it.

use crate::QueueError;
use crate::broker::{Broker, LEASE};
use crate::error::in_words;
use crate::wire::coordinator_subject;
use async_nats::jetstream::kv::{CreateErrorKind, Store, UpdateErrorKind};
use async_nats::{Client, Request, RequestErrorKind};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// How often a lease is renewed.
pub(crate) const RENEWAL: Duration = Duration::from_secs(LEASE.as_secs() / 6);
/// How long a holder has to answer.
const ANSWER_MAX: Duration = Duration::from_secs(3);
/// Time for a holder to come back after the server was restarted.
const RETURN: Duration = Duration::from_secs(3);

/// Who coordinates a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Holder {
    pub(crate) session: String,
    pub(crate) host: String,
    pub(crate) process: u32,
}

/// The right to coordinate a run.
#[derive(Debug)]
pub(crate) struct Lease {
    store: Store,
    run: String,
    holder: Holder,
    revision: u64,
}

impl Lease {
    /// Takes the lease of a run: a free one, or one whose holder is gone.
    ///
    /// # Errors
    /// When another coordinator has it, or the server refuses.
    pub(crate) async fn take(
        broker: &Broker,
        client: &Client,
        run: &str,
        holder: Holder,
    ) -> Result<Self, QueueError> {
        let store = broker.leases.clone();
        let value = text(&holder);
        let failed = |why: &dyn std::fmt::Display| {
            QueueError::server("cannot take the lease of this league", why.to_string())
        };
        let lease = |revision| Self { store: store.clone(), run: run.to_owned(), holder, revision };
        match store.create(run, value.clone().into()).await {
            Ok(revision) => return Ok(lease(revision)),
            Err(why) if why.kind() == CreateErrorKind::AlreadyExists => {}
            Err(why) => return Err(failed(&why)),
        }
        let Some(entry) = store.entry(run).await.map_err(|why| failed(&why))? else {
            // It lapsed between the two requests.
            return Ok(lease(store.create(run, value.into()).await.map_err(|why| failed(&why))?));
        };
        let first: Holder = serde_json::from_slice(&entry.value).map_err(|why| failed(&why))?;
        if is_there(client, &first).await? {
            return Err(QueueError::InUse(format!(
                "these matches are coordinated by {}; wait for it, or stop it and run this command \
                 again",
                name_of(first.process, &first.host)
            )));
        }
        let taken = store.update(run, value.into(), entry.revision).await;
        Ok(lease(taken.map_err(|why| failed(&why))?))
    }

    /// Keeps the lease for another while.
    ///
    /// # Errors
    /// When another coordinator has taken it. A server that does not answer is no error.
    pub(crate) async fn renew(&mut self) -> Result<(), QueueError> {
        let value = text(&self.holder);
        match self.store.update(&self.run, value.clone().into(), self.revision).await {
            Ok(revision) => self.revision = revision,
            Err(why) if why.kind() == UpdateErrorKind::WrongLastRevision => {
                match self.store.entry(&self.run).await {
                    Ok(Some(entry)) => self.adopt(&entry.value, entry.revision)?,
                    // It lapsed while the server was away.
                    Ok(None) => {
                        if let Ok(revision) = self.store.create(&self.run, value.into()).await {
                            self.revision = revision;
                        }
                    }
                    Err(_) => {}
                }
            }
            Err(_) => {}
        }
        Ok(())
    }

    /// Lets others have it. What fails here lapses later.
    pub(crate) async fn release(&self) {
        drop(self.store.delete_expect_revision(&self.run, Some(self.revision)).await);
    }

    /// An update whose answer was lost is ours all the same.
    fn adopt(&mut self, value: &[u8], revision: u64) -> Result<(), QueueError> {
        let holder: Option<Holder> = serde_json::from_slice(value).ok();
        match holder {
            Some(holder) if holder.session != self.holder.session => {
                Err(QueueError::InUse(format!(
                    "{} coordinates these matches now, since this one was cut off from the server \
                     for too long; results are kept: run the command again to resume",
                    name_of(holder.process, &holder.host)
                )))
            }
            Some(_) | None => {
                self.revision = revision;
                Ok(())
            }
        }
    }
}

/// Whether a coordinator answers, now or after it had time to connect again.
async fn is_there(client: &Client, holder: &Holder) -> Result<bool, QueueError> {
    let subject = coordinator_subject(&holder.session);
    for pause in [Duration::ZERO, RETURN] {
        tokio::time::sleep(pause).await;
        let request = Request::new().timeout(Some(ANSWER_MAX));
        match client.send_request(subject.clone(), request).await {
            Ok(_) => return Ok(true),
            Err(why) if why.kind() == RequestErrorKind::NoResponders => {}
            // Somebody listens and is slow.
            Err(why) if why.kind() == RequestErrorKind::TimedOut => return Ok(true),
            Err(why) => {
                let text = format!("cannot ask for the first coordinator: {}", in_words(&why));
                return Err(QueueError::Server(text));
            }
        }
    }
    Ok(false)
}

/// What the bucket keeps.
fn text(holder: &Holder) -> String {
    // Numbers and texts always have a form in JSON.
    serde_json::to_string(holder).unwrap_or_default()
}

/// A process, for people.
pub(crate) fn name_of(process: u32, host: &str) -> String {
    format!("process {process} on {host}")
}

/// The name of this machine, for people.
pub(crate) fn host() -> String {
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    if name.is_empty() { "an unknown machine".to_owned() } else { name }
}
