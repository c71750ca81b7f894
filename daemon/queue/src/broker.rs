//! The parts of a queue on the server: two streams, their consumers, two buckets.

use crate::QueueError;
use crate::wire::{BUNDLES, LEASES, MATCHES, RESULTS, RunSubjects, WORKERS};
use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull};
use async_nats::jetstream::object_store::{self, ObjectStore};
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, StorageType, Stream};
use async_nats::jetstream::{Context, kv};
use std::time::Duration;

/// Time after which the server gives an item to another worker. Workers that play say so in time.
pub(crate) const ACK_WAIT: Duration = Duration::from_secs(15);
/// Most items on a server, of all runs: a coordinator has far fewer in flight.
const ITEMS_MAX: i64 = 100_000;
/// Most results that no coordinator has taken.
const RESULTS_MAX: i64 = 1_000_000;
/// How long items, results and unused consumers stay on the server.
const KEPT: Duration = Duration::from_hours(7 * 24);
/// How long bundles stay; a coordinator uploads those again that workers miss.
const BUNDLES_KEPT: Duration = Duration::from_hours(30 * 24);
/// Copies of a message within this time are dropped by the server.
const DUPLICATES: Duration = Duration::from_mins(2);
/// A lease that is not renewed lapses after this time, on the server's clock.
pub(crate) const LEASE: Duration = Duration::from_mins(1);

/// The queue as a coordinator has it.
#[derive(Clone)]
pub(crate) struct Broker {
    pub(crate) jetstream: Context,
    pub(crate) matches: Stream,
    pub(crate) results: Stream,
    pub(crate) bundles: ObjectStore,
    pub(crate) leases: kv::Store,
}

impl Broker {
    /// Finds the parts of the queue, and makes those that are missing.
    pub(crate) async fn open(jetstream: Context) -> Result<Self, QueueError> {
        let failed = |what: &'static str| {
            move |why: &dyn std::fmt::Display| QueueError::server(what, why.to_string())
        };
        let made = jetstream.get_or_create_stream(matches()).await;
        let matches = made.map_err(|why| failed("cannot make the queue of matches")(&why))?;
        let made = matches.get_or_create_consumer(WORKERS, workers()).await;
        made.map_err(|why| failed("cannot make the consumer of the workers")(&why))?;
        let made = jetstream.get_or_create_stream(results()).await;
        let results = made.map_err(|why| failed("cannot make the queue of results")(&why))?;
        let bundles = match jetstream.get_object_store(BUNDLES).await {
            Ok(store) => store,
            Err(_) => {
                let made = jetstream.create_object_store(bundle_store()).await;
                made.map_err(|why| failed("cannot make the store of strategies")(&why))?
            }
        };
        let what = "Who coordinates which run of Phalanx";
        let leases = Config { max_age: LEASE, duplicate_window: LEASE, ..bucket(LEASES, what) };
        let made = jetstream.get_or_create_stream(leases).await;
        made.map_err(|why| failed("cannot make the store of coordinators")(&why))?;
        let found = jetstream.get_key_value(LEASES).await;
        let leases = found.map_err(|why| failed("cannot find the store of coordinators")(&why))?;
        Ok(Self { jetstream, matches, results, bundles, leases })
    }

    /// The results of one run.
    pub(crate) async fn results_of(
        &self,
        subjects: &RunSubjects,
    ) -> Result<PullConsumer, QueueError> {
        let name = run_consumer(subjects);
        let config = pull::Config {
            durable_name: Some(name.clone()),
            ack_policy: AckPolicy::Explicit,
            filter_subject: subjects.results(),
            max_ack_pending: -1,
            inactive_threshold: KEPT,
            ..pull::Config::default()
        };
        let made = self.results.get_or_create_consumer(&name, config).await;
        made.map_err(|why| QueueError::server("cannot read the results", why))
    }

    /// Takes the items of a run off the queue.
    pub(crate) async fn clear(&self, subjects: &RunSubjects) -> Result<(), QueueError> {
        let purged = self.matches.purge().filter(subjects.items()).await;
        purged.map(drop).map_err(|why| QueueError::server("cannot clear the queue", why))
    }

    /// Forgets the results of a run that is over. What fails here lapses later.
    pub(crate) async fn forget(&self, subjects: &RunSubjects) {
        drop(self.results.delete_consumer(&run_consumer(subjects)).await);
        drop(self.results.purge().filter(subjects.results()).await);
    }
}

/// What a worker needs; `None` while no coordinator has made it.
pub(crate) async fn items(jetstream: &Context) -> Result<Option<PullConsumer>, QueueError> {
    match jetstream.get_consumer_from_stream(WORKERS, MATCHES).await {
        Ok(consumer) => Ok(Some(consumer)),
        Err(why) if is_missing(&why.to_string()) => Ok(None),
        Err(why) => Err(QueueError::server("cannot find the queue of matches", why)),
    }
}

fn is_missing(why: &str) -> bool {
    // 10014 and 10059 are the server's codes of a missing consumer and a missing stream.
    ["10014", "10059", "not found"].iter().any(|text| why.contains(text))
}

fn run_consumer(subjects: &RunSubjects) -> String {
    format!("run-{}", subjects.0)
}

fn matches() -> Config {
    let what = "Matches that Phalanx workers have not finished";
    taken_once(MATCHES, "phalanx.match.>", what, ITEMS_MAX)
}

fn results() -> Config {
    let what = "Results that Phalanx coordinators have not taken";
    taken_once(RESULTS, "phalanx.result.>", what, RESULTS_MAX)
}

/// A stream whose messages go when they are taken.
fn taken_once(name: &str, subject: &str, what: &str, max_messages: i64) -> Config {
    Config {
        name: name.to_owned(),
        subjects: vec![subject.to_owned()],
        description: Some(what.to_owned()),
        retention: RetentionPolicy::WorkQueue,
        discard: DiscardPolicy::New,
        max_messages,
        max_age: KEPT,
        duplicate_window: DUPLICATES,
        storage: StorageType::File,
        ..Config::default()
    }
}

fn workers() -> pull::Config {
    pull::Config {
        durable_name: Some(WORKERS.to_owned()),
        description: Some("Shared by all Phalanx workers".to_owned()),
        ack_policy: AckPolicy::Explicit,
        ack_wait: ACK_WAIT,
        max_deliver: -1,
        max_ack_pending: -1,
        max_waiting: 100_000,
        ..pull::Config::default()
    }
}

fn bundle_store() -> object_store::Config {
    object_store::Config {
        bucket: BUNDLES.to_owned(),
        description: Some("Strategies that Phalanx workers play, by their hash".to_owned()),
        max_age: BUNDLES_KEPT,
        ..object_store::Config::default()
    }
}

/// The name of the stream below a bucket of keys and values.
pub(crate) fn bucket_stream(name: &str) -> String {
    format!("KV_{name}")
}

/// The stream below a bucket of keys and values, whose entries stay. The client's own function for it
/// cannot read what servers before 2.10 say about accounts.
pub(crate) fn bucket(name: &str, what: &str) -> Config {
    Config {
        name: bucket_stream(name),
        subjects: vec![format!("$KV.{name}.>")],
        description: Some(what.to_owned()),
        max_messages_per_subject: 1,
        discard: DiscardPolicy::New,
        allow_rollup: true,
        deny_delete: true,
        allow_direct: true,
        storage: StorageType::File,
        num_replicas: 1,
        ..Config::default()
    }
}
