//! From the text that a caller shows to who calls.
//!
//! A valid token always passes, whatever else comes from its address: only failures are counted
//! against an address. A token is looked up by its id and compared by its digest in constant time,
//! so that a flood of bad tokens costs microseconds each, and no check waits for a token that is
//! being made. Only tokens that an earlier daemon made
//! and that were not used since are compared by argon2.

use crate::Role;
use crate::store::{self, Challenge, TokenInfo, TokenStore, TokenStoreError};
use crate::throttle::Throttle;
use crate::token::{AccessToken, Digest};
use rand::Rng;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};
use subtle::ConstantTimeEq;

/// Why a caller is turned away. Guesses learn nothing: a wrong secret and an unknown id are one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Denied {
    /// It is no token at all.
    #[error("the token is malformed: a token looks like phx_<id>_<secret>")]
    Malformed,
    /// There is no such token.
    #[error("the token is not valid here; ask an admin for one: phalanx token create")]
    Unknown,
    /// It was right once.
    #[error("the token has expired; ask an admin for a new one: phalanx token create")]
    Expired,
    /// It was right once.
    #[error("the token was revoked; ask an admin for a new one: phalanx token create")]
    Revoked,
    /// Not valid either, and there were too many failures from that address.
    #[error("too many failed attempts from this address; wait {0:?}")]
    Throttled(Duration),
}

/// Checks tokens.
#[derive(Debug)]
pub struct Authenticator {
    /// Held while a token is hashed and written, which takes tens of milliseconds.
    store: Mutex<TokenStore>,
    /// The same tokens, for checks; never held for long.
    known: RwLock<KnownTokens>,
    throttle: Mutex<Throttle>,
}

/// Tokens by their ids, with what to compare them with.
type KnownTokens = BTreeMap<String, (Challenge, TokenInfo)>;

/// No token has this digest, as far as anybody knows.
const NO_DIGEST: Digest = [0; 32];

impl Authenticator {
    /// Checks against these tokens.
    #[must_use]
    pub fn new(store: TokenStore) -> Self {
        let known = store.challenges().into();
        Self { store: store.into(), known, throttle: Mutex::default() }
    }

    /// Who shows this text; blocks for tens of milliseconds unless [`is_quick`](Self::is_quick).
    /// `unix` is the time in seconds since the Unix epoch.
    ///
    /// # Errors
    /// When it opens nothing. After too many of these from an address, further failures say so; a
    /// valid token passes all the same.
    pub fn check(
        &self,
        text: &str,
        address: IpAddr,
        now: Instant,
        unix: u64,
    ) -> Result<TokenInfo, Denied> {
        let denied = match self.find(text, unix) {
            Ok(info) => return Ok(info),
            Err(denied) => denied,
        };
        let mut throttle = lock(&self.throttle);
        if let Some(wait) = throttle.wait(address, now) {
            return Err(Denied::Throttled(wait));
        }
        throttle.failed(address, now);
        Err(denied)
    }

    /// Whether a check of this text needs no argon2.
    #[must_use]
    pub fn is_quick(&self, text: &str) -> bool {
        let quick =
            |token: AccessToken| matches!(self.challenge(&token.id).0, Challenge::Digest(_));
        AccessToken::parse(text).map_or(true, quick)
    }

    /// How long failures from this address are answered with "wait", if they are.
    #[must_use]
    pub fn throttled(&self, address: IpAddr, now: Instant) -> Option<Duration> {
        lock(&self.throttle).wait(address, now)
    }

    fn find(&self, text: &str, unix: u64) -> Result<TokenInfo, Denied> {
        let token = AccessToken::parse(text).map_err(|_| Denied::Malformed)?;
        let (challenge, info) = self.challenge(&token.id);
        let fits = match challenge {
            Challenge::Digest(digest) => digest.ct_eq(&token.digest()).into(),
            Challenge::Hash(hash) => {
                let fits = store::fits(&token, &hash);
                if fits {
                    // What cannot be written is learned again after the next start.
                    self.change(|store| store.learn(&token)).ok();
                }
                fits
            }
        };
        let info = info.filter(|_| fits).ok_or(Denied::Unknown)?;
        if info.revoked.is_some() {
            return Err(Denied::Revoked);
        }
        if !info.is_valid(unix) {
            return Err(Denied::Expired);
        }
        Ok(info)
    }

    fn challenge(&self, id: &str) -> (Challenge, Option<TokenInfo>) {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        match known.get(id).cloned() {
            Some((challenge, info)) => (challenge, Some(info)),
            None => (Challenge::Digest(NO_DIGEST), None),
        }
    }

    /// Changes the tokens; checks notice it when this returns.
    fn change<T>(&self, change: impl FnOnce(&mut TokenStore) -> T) -> T {
        let mut store = lock(&self.store);
        let changed = change(&mut store);
        let known = store.challenges();
        *self.known.write().unwrap_or_else(PoisonError::into_inner) = known;
        changed
    }

    /// All tokens, the oldest first.
    #[must_use]
    pub fn list(&self) -> Vec<TokenInfo> {
        // The order of making is the store's.
        lock(&self.store).list().cloned().collect()
    }

    /// As [`TokenStore::create`].
    ///
    /// # Errors
    /// As there.
    pub fn create(
        &self,
        name: &str,
        role: Role,
        life: Option<Duration>,
        unix: u64,
        random: &mut dyn Rng,
    ) -> Result<(AccessToken, TokenInfo), TokenStoreError> {
        self.change(|store| store.create(name, role, life, unix, random))
    }

    /// As [`TokenStore::revoke`]; counts from the next call on.
    ///
    /// # Errors
    /// As there.
    pub fn revoke(&self, id: &str, unix: u64) -> Result<TokenInfo, TokenStoreError> {
        self.change(|store| store.revoke(id, unix))
    }
}

/// A thread that panicked while it held the lock leaves whole values behind: each change is one.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
