//! From the text that a caller shows to who calls.

use crate::Role;
use crate::store::{self, StoreError, TokenInfo, TokenStore};
use crate::throttle::Throttle;
use crate::token::Token;
use rand::Rng;
use secrecy::ExposeSecret;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
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
    /// Too many failures from that address.
    #[error("too many failed attempts from this address; wait {0:?}")]
    Throttled(Duration),
}

/// The digest of a token that fitted, with its id.
type Fitting = BTreeMap<String, [u8; 32]>;

/// Checks tokens. Hashing costs tens of milliseconds, so what fitted once is remembered by its
/// SHA-256 until the token ends.
#[derive(Debug)]
pub struct Authenticator {
    store: Mutex<TokenStore>,
    throttle: Mutex<Throttle>,
    fitting: Mutex<Fitting>,
}

impl Authenticator {
    /// Checks against these tokens.
    #[must_use]
    pub fn new(store: TokenStore) -> Self {
        Self { store: store.into(), throttle: Mutex::default(), fitting: Mutex::default() }
    }

    /// Who shows this text; blocks for tens of milliseconds when it is new. `unix` is the time in
    /// seconds since the Unix epoch.
    ///
    /// # Errors
    /// When it opens nothing; after too many of these, the address has to wait.
    pub fn check(
        &self,
        text: &str,
        address: IpAddr,
        now: Instant,
        unix: u64,
    ) -> Result<TokenInfo, Denied> {
        if let Some(wait) = lock(&self.throttle).wait(address, now) {
            return Err(Denied::Throttled(wait));
        }
        let found = self.find(text, unix);
        if found.is_err() {
            lock(&self.throttle).failed(address, now);
        }
        found
    }

    /// Whether a check of this text needs no hashing.
    #[must_use]
    pub fn is_quick(&self, text: &str) -> bool {
        Token::parse(text).map_or(true, |token| self.fitted(&token))
    }

    fn find(&self, text: &str, unix: u64) -> Result<TokenInfo, Denied> {
        let token = Token::parse(text).map_err(|_| Denied::Malformed)?;
        let (hash, info) = lock(&self.store).challenge(&token.id);
        let fits = self.fitted(&token) || store::fits(&token, &hash);
        let info = info.filter(|_| fits).ok_or(Denied::Unknown)?;
        if info.revoked.is_some() {
            return Err(Denied::Revoked);
        }
        if !info.is_valid(unix) {
            return Err(Denied::Expired);
        }
        lock(&self.fitting).insert(token.id.clone(), digest(&token));
        Ok(info)
    }

    fn fitted(&self, token: &Token) -> bool {
        let known = lock(&self.fitting).get(&token.id).copied();
        known.is_some_and(|known| known.ct_eq(&digest(token)).into())
    }

    /// All tokens, the oldest first.
    #[must_use]
    pub fn list(&self) -> Vec<TokenInfo> {
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
    ) -> Result<(Token, TokenInfo), StoreError> {
        lock(&self.store).create(name, role, life, unix, random)
    }

    /// As [`TokenStore::revoke`]; counts from the next call on.
    ///
    /// # Errors
    /// As there.
    pub fn revoke(&self, id: &str, unix: u64) -> Result<TokenInfo, StoreError> {
        let info = lock(&self.store).revoke(id, unix)?;
        lock(&self.fitting).remove(id);
        Ok(info)
    }
}

fn digest(token: &Token) -> [u8; 32] {
    Sha256::digest(token.secret().expose_secret().as_bytes()).into()
}

/// A thread that panicked while it held the lock leaves whole values behind: each change is one.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
