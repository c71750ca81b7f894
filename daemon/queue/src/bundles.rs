//! Strategies in the object store, by their hash.

use crate::QueueError;
use crate::publish::{Retry, persist};
use async_nats::jetstream::object_store::{InfoErrorKind, ObjectStore};
use std::collections::{BTreeMap, VecDeque};
use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncReadExt;

/// Largest bundle, in bytes: the sources of the largest strategy, each byte written as an escape.
pub const BUNDLE_BYTES_MAX: usize = 56 << 20;
/// Bundles that a worker keeps.
const CACHED_MAX: usize = 64;
/// How long a bundle may take to arrive.
const FETCH_MAX: Duration = Duration::from_mins(2);

/// A strategy as it travels: its hash, and bytes whose meaning is the caller's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BundleBytes {
    pub hash: String,
    pub bytes: Arc<[u8]>,
}

/// Stores bundles that are not there yet.
pub(crate) async fn upload(
    store: &ObjectStore,
    bundles: &[BundleBytes],
    retry: &Retry<'_>,
) -> Result<(), QueueError> {
    for BundleBytes { hash, bytes } in bundles {
        if bytes.len() > BUNDLE_BYTES_MAX {
            let text = format!(
                "strategy {hash}: {} bytes; at most {BUNDLE_BYTES_MAX} travel to workers",
                bytes.len()
            );
            return Err(QueueError::Bundle(text));
        }
        if store.info(hash).await.is_ok_and(|info| !info.deleted && info.size == bytes.len()) {
            continue;
        }
        let put = || async { store.put(hash.as_str(), &mut &bytes[..]).await.map(drop) };
        persist("cannot store a strategy", put, retry).await?;
    }
    Ok(())
}

/// The bundles that a worker has fetched, the oldest first.
#[derive(Debug, Default)]
pub(crate) struct BundleCache {
    known: BTreeMap<String, BundleBytes>,
    order: VecDeque<String>,
}

impl BundleCache {
    pub(crate) fn get(&self, hash: &str) -> Option<BundleBytes> {
        self.known.get(hash).cloned()
    }

    pub(crate) fn insert(&mut self, bundle: BundleBytes) {
        if self.known.contains_key(&bundle.hash) {
            return;
        }
        if self.order.len() >= CACHED_MAX
            && let Some(oldest) = self.order.pop_front()
        {
            self.known.remove(&oldest);
        }
        self.order.push_back(bundle.hash.clone());
        self.known.insert(bundle.hash.clone(), bundle);
    }
}

/// Why a worker cannot have a bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FetchError {
    /// It is not there, or not whole: it has to be uploaded again.
    Missing(String),
    /// It is larger than anything that a coordinator uploads.
    Oversized(String),
    /// The server did not answer.
    Away(String),
}

/// Fetches a bundle. Whether the bytes have that hash is for the caller to find out, who knows what
/// they mean.
pub(crate) async fn fetch(store: &ObjectStore, hash: &str) -> Result<BundleBytes, FetchError> {
    let away = |why: &dyn Display| FetchError::Away(format!("strategy {hash}: {why}"));
    let missing = |why: &dyn Display| FetchError::Missing(format!("strategy {hash}: {why}"));
    let absent = "it is not on the server";
    let info = store.info(hash).await.map_err(|why| match why.kind() {
        InfoErrorKind::NotFound => missing(&absent),
        InfoErrorKind::InvalidName | InfoErrorKind::Other | InfoErrorKind::TimedOut => away(&why),
    })?;
    if info.deleted {
        return Err(missing(&absent));
    }
    if info.size > BUNDLE_BYTES_MAX {
        let text = format!("strategy {hash}: {} bytes; at most {BUNDLE_BYTES_MAX}", info.size);
        return Err(FetchError::Oversized(text));
    }
    let mut object = store.get(hash).await.map_err(|why| away(&why))?;
    let mut bytes = Vec::with_capacity(info.size);
    match tokio::time::timeout(FETCH_MAX, object.read_to_end(&mut bytes)).await {
        Err(_) => Err(away(&"it does not arrive")),
        // The client compares digest and length.
        Ok(Err(why)) => Err(missing(&why)),
        Ok(Ok(_)) => Ok(BundleBytes { hash: hash.to_owned(), bytes: bytes.into() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_drops_what_it_has_longest() {
        let bundle = |index: usize| BundleBytes { hash: index.to_string(), bytes: Arc::from([]) };
        let mut cache = BundleCache::default();
        for index in 0..=CACHED_MAX {
            cache.insert(bundle(index));
            cache.insert(bundle(index));
        }
        assert_eq!(cache.get("0"), None);
        assert_eq!(cache.get("1"), Some(bundle(1)));
        assert_eq!(cache.known.len(), CACHED_MAX);
    }
}
