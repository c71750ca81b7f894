//! The tokens of a daemon: a file of JSON with hashes, never with secrets.
//!
//! A secret has 256 random bits, so a plain digest of it is as hard to invert as argon2's output:
//! no list of likely passwords helps. The digest makes it cheap to tell a good token from a bad one.
//! It is kept as the associated data (`data=`) of the argon2 hash, so that the file keeps its form
//! and earlier daemons still read it. Hashes of earlier daemons have none until the token is used.

use crate::token::{AccessToken, Digest};
use crate::{Role, file};
use argon2::password_hash::{PasswordHash, PasswordHasher, PasswordVerifier, Salt, SaltString};
use argon2::{Algorithm, Argon2, AssociatedData, Params, ParamsBuilder, Version};
use rand::Rng;
use secrecy::ExposeSecret;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Most tokens of a daemon.
pub const TOKENS_MAX: usize = 1_000;
/// Longest name of a token, in characters.
pub const NAME_CHARS_MAX: usize = 64;
/// Largest file that is read, in bytes.
const FILE_BYTES_MAX: u64 = 1 << 20;
/// argon2id: memory in KiB, passes, lanes, as OWASP recommends.
const COST: (u32, u32, u32) = (19 * 1024, 2, 1);
const SALT_BYTES: usize = 16;

/// A token as lists show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenInfo {
    /// Which one: the part after `phx_`.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// What it allows.
    pub role: Role,
    /// When it was made, in seconds since the Unix epoch.
    pub created: u64,
    /// When it ends, in seconds since the Unix epoch; never where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<u64>,
    /// When it was revoked, in seconds since the Unix epoch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revoked: Option<u64>,
}

impl TokenInfo {
    /// Whether it allows anything at that time, in seconds since the Unix epoch.
    #[must_use]
    pub fn is_valid(&self, now: u64) -> bool {
        self.revoked.is_none() && self.expires.is_none_or(|end| now < end)
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct StoredToken {
    #[serde(flatten)]
    info: TokenInfo,
    /// In PHC form.
    hash: String,
    /// The digest of the hash's associated data; `None`: an earlier daemon made the hash.
    #[serde(skip)]
    digest: Option<Digest>,
}

/// What to compare a token with.
#[derive(Clone, Debug)]
pub(crate) enum Challenge {
    Digest(Digest),
    /// With this argon2 hash, which takes tens of milliseconds.
    Hash(String),
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TokenFile {
    tokens: Vec<StoredToken>,
}

/// What is wrong with a token or with the file.
#[derive(Debug, thiserror::Error)]
pub enum TokenStoreError {
    /// The system says no.
    #[error("the token file {path}: could not {what}: {why}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What was tried.
        what: &'static str,
        /// Why not.
        why: io::Error,
    },
    /// Others may read it.
    #[error("the token file {path} can be read by others; chmod 600 it")]
    OpenToOthers {
        /// The file.
        path: PathBuf,
    },
    /// It is not what we write.
    #[error("the token file {path} is damaged: {reason}; move it away and make new tokens")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// In which way.
        reason: String,
    },
    /// A name is missing, too long, or has characters that are not shown.
    #[error(
        "a token's name has 1 to {NAME_CHARS_MAX} characters, none of them a control character"
    )]
    Name,
    /// Too many tokens.
    #[error("there are {TOKENS_MAX} tokens already; revoke one and prune the file")]
    Full,
    /// No such token.
    #[error("no token has the id {0:?}")]
    Unknown(String),
    /// It was revoked before.
    #[error("the token {0:?} is revoked already")]
    Revoked(String),
    /// The hash cannot be made.
    #[error("the token cannot be hashed: {0}")]
    Hash(String),
}

/// The tokens of a daemon. Every change is on disk before it counts.
#[derive(Debug)]
pub struct TokenStore {
    path: Option<PathBuf>,
    entries: Vec<StoredToken>,
}

impl TokenStore {
    /// Tokens that live as long as the process.
    #[must_use]
    pub fn in_memory() -> Self {
        Self { path: None, entries: Vec::new() }
    }

    /// The tokens in a file; none when there is no file.
    ///
    /// # Errors
    /// When it cannot be read, is damaged, or others may read it.
    pub fn open(path: &Path) -> Result<Self, TokenStoreError> {
        let mut store = Self { path: Some(path.to_owned()), entries: Vec::new() };
        let failed = |what, why| TokenStoreError::Io { path: path.to_owned(), what, why };
        match std::fs::metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(store),
            Err(error) => return Err(failed("look at it", error)),
            Ok(found) if found.len() > FILE_BYTES_MAX => {
                let reason = format!("it has more than {FILE_BYTES_MAX} bytes");
                return Err(TokenStoreError::Damaged { path: path.to_owned(), reason });
            }
            Ok(_) => {}
        }
        if file::is_open_to_others(path).map_err(|error| failed("look at it", error))? {
            return Err(TokenStoreError::OpenToOthers { path: path.to_owned() });
        }
        let text = std::fs::read_to_string(path).map_err(|error| failed("read it", error))?;
        let page: TokenFile = serde_json::from_str(&text).map_err(|error| {
            TokenStoreError::Damaged { path: path.to_owned(), reason: error.to_string() }
        })?;
        let digested = |entry: StoredToken| StoredToken { digest: digest_of(&entry.hash), ..entry };
        store.entries = page.tokens.into_iter().map(digested).collect();
        Ok(store)
    }

    /// All tokens, the oldest first, revoked ones included.
    pub fn list(&self) -> impl Iterator<Item = &TokenInfo> {
        self.entries.iter().map(|entry| &entry.info)
    }

    /// Makes a token; its text is never shown again. `now` in seconds since the Unix epoch.
    ///
    /// # Errors
    /// When the name is no name, there are too many, or it cannot be written.
    pub fn create(
        &mut self,
        name: &str,
        role: Role,
        life: Option<Duration>,
        now: u64,
        random: &mut dyn Rng,
    ) -> Result<(AccessToken, TokenInfo), TokenStoreError> {
        let chars = name.chars().count();
        if !(1..=NAME_CHARS_MAX).contains(&chars) || name.chars().any(char::is_control) {
            return Err(TokenStoreError::Name);
        }
        if self.entries.len() >= TOKENS_MAX {
            return Err(TokenStoreError::Full);
        }
        let token = std::iter::repeat_with(|| AccessToken::generate(random))
            .find(|token| self.find(&token.id).is_none())
            .ok_or(TokenStoreError::Full)?;
        let info = TokenInfo {
            id: token.id.clone(),
            name: name.to_owned(),
            role,
            created: now,
            expires: life.map(|life| now.saturating_add(life.as_secs())),
            revoked: None,
        };
        let digest = Some(token.digest());
        let salt = salt(random)?;
        let entry = StoredToken { info: info.clone(), hash: hash(&token, salt.as_salt())?, digest };
        self.entries.push(entry);
        if let Err(error) = self.write() {
            self.entries.pop();
            return Err(error);
        }
        Ok((token, info))
    }

    /// Ends a token for good. `now` in seconds since the Unix epoch.
    ///
    /// # Errors
    /// When there is none of that id, it was revoked before, or it cannot be written.
    pub fn revoke(&mut self, id: &str, now: u64) -> Result<TokenInfo, TokenStoreError> {
        let place = self.entries.iter().position(|entry| entry.info.id == id);
        let unknown = || TokenStoreError::Unknown(id.to_owned());
        let entry = place.and_then(|place| self.entries.get_mut(place)).ok_or_else(unknown)?;
        if entry.info.revoked.is_some() {
            return Err(TokenStoreError::Revoked(id.to_owned()));
        }
        entry.info.revoked = Some(now);
        let info = entry.info.clone();
        if let Err(error) = self.write() {
            if let Some(entry) = place.and_then(|place| self.entries.get_mut(place)) {
                entry.info.revoked = None;
            }
            return Err(error);
        }
        Ok(info)
    }

    /// Each token by its id, with what to compare it with.
    pub(crate) fn challenges(&self) -> BTreeMap<String, (Challenge, TokenInfo)> {
        let challenge = |entry: &StoredToken| match entry.digest {
            Some(digest) => Challenge::Digest(digest),
            None => Challenge::Hash(entry.hash.clone()),
        };
        let entries = self.entries.iter();
        entries
            .map(|entry| (entry.info.id.clone(), (challenge(entry), entry.info.clone())))
            .collect()
    }

    /// Keeps the digest of a token that fits its argon2 hash, from now on also in the file.
    ///
    /// # Errors
    /// When it cannot be written; then it counts as long as the process lives.
    pub(crate) fn learn(&mut self, token: &AccessToken) -> Result<(), TokenStoreError> {
        let known = |entry: &&mut StoredToken| entry.info.id == token.id && entry.digest.is_none();
        let Some(entry) = self.entries.iter_mut().find(known) else { return Ok(()) };
        entry.digest = Some(token.digest());
        let old = PasswordHash::new(&entry.hash).map_err(not_hashed)?;
        let salt =
            old.salt.ok_or_else(|| TokenStoreError::Hash("the old hash has no salt".to_owned()))?;
        let hash = hash(token, salt)?;
        entry.hash = hash;
        self.write()
    }

    fn find(&self, id: &str) -> Option<&StoredToken> {
        self.entries.iter().find(|entry| entry.info.id == id)
    }

    fn write(&self) -> Result<(), TokenStoreError> {
        let Some(path) = &self.path else { return Ok(()) };
        let page = TokenFile { tokens: self.entries.clone() };
        let failed = |why| TokenStoreError::Io { path: path.clone(), what: "write it", why };
        let text = serde_json::to_string_pretty(&page).map_err(|error| failed(error.into()))?;
        file::replace(path, &(text + "\n")).map_err(failed)
    }
}

fn argon(params: Params) -> Argon2<'static> {
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
}

/// The argon2 hash of a token, with its digest as associated data.
fn hash(token: &AccessToken, salt: Salt<'_>) -> Result<String, TokenStoreError> {
    let (memory, passes, lanes) = COST;
    let mut params = ParamsBuilder::new();
    params.m_cost(memory).t_cost(passes).p_cost(lanes);
    let data = AssociatedData::new(&token.digest());
    let params = data.and_then(|data| params.data(data).build());
    let params = params.map_err(not_hashed)?;
    let secret = token.secret().expose_secret().as_bytes();
    argon(params).hash_password(secret, salt).map(|hash| hash.to_string()).map_err(not_hashed)
}

fn salt(random: &mut dyn Rng) -> Result<SaltString, TokenStoreError> {
    let mut salt = [0; SALT_BYTES];
    random.fill_bytes(&mut salt);
    SaltString::encode_b64(&salt).map_err(not_hashed)
}

fn not_hashed(error: impl ToString) -> TokenStoreError {
    TokenStoreError::Hash(error.to_string())
}

/// The digest in a hash, if a daemon put it there.
fn digest_of(hash: &str) -> Option<Digest> {
    let hash = PasswordHash::new(hash).ok()?;
    Params::try_from(&hash).ok()?.data().try_into().ok()
}

/// Whether a token's secret fits a hash. Takes tens of milliseconds.
pub(crate) fn fits(token: &AccessToken, hash: &str) -> bool {
    let secret = token.secret().expose_secret().as_bytes();
    PasswordHash::new(hash)
        .is_ok_and(|hash| argon(Params::default()).verify_password(secret, &hash).is_ok())
}
