//! The text that a caller shows: `phx_<id>_<secret>`.
//!
//! The id is no secret: lists and logs show it. The prefix lets scanners for leaked secrets find
//! tokens in files where they don't belong.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rand::Rng;
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest as _, Sha256};

/// What every token begins with.
pub const PREFIX: &str = "phx_";
/// Longest text that is looked at, in bytes.
pub const TEXT_BYTES_MAX: usize = 128;
/// What sets our digests apart from others of the same bytes.
const DIGEST_DOMAIN: &str = "phalanx token ";

/// A digest of a token.
pub(crate) type Digest = [u8; 32];

/// Letters of an id.
const ID_CHARS: usize = 8;
/// Random bytes of a secret.
const SECRET_BYTES: usize = 32;
/// Letters that are not mistaken for each other.
const ID_ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// A token with its secret.
#[derive(Clone, Debug)]
pub struct AccessToken {
    /// Which one it is; no secret.
    pub id: String,
    secret: SecretString,
}

/// The text is no token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a token: a token looks like phx_<id>_<secret>")]
pub struct MalformedToken;

impl AccessToken {
    /// A new token of that randomness.
    pub fn generate(random: &mut dyn Rng) -> Self {
        let mut bytes = [0; SECRET_BYTES];
        random.fill_bytes(&mut bytes);
        let secret = URL_SAFE_NO_PAD.encode(bytes).into();
        let mut picks = [0; ID_CHARS];
        random.fill_bytes(&mut picks);
        let letter = |pick: &u8| {
            let at = usize::from(*pick) % ID_ALPHABET.len();
            ID_ALPHABET.get(at).copied().map_or('0', char::from)
        };
        Self { id: picks.iter().map(letter).collect(), secret }
    }

    /// Reads what a caller shows.
    ///
    /// # Errors
    /// When it is no token, or too long.
    pub fn parse(text: &str) -> Result<Self, MalformedToken> {
        let rest = text.strip_prefix(PREFIX).filter(|_| text.len() <= TEXT_BYTES_MAX);
        let (id, secret) = rest.and_then(|rest| rest.split_once('_')).ok_or(MalformedToken)?;
        let known = |byte: u8| ID_ALPHABET.contains(&byte);
        let fine = id.len() == ID_CHARS
            && id.bytes().all(known)
            && URL_SAFE_NO_PAD.decode(secret).is_ok_and(|bytes| bytes.len() == SECRET_BYTES);
        if !fine {
            return Err(MalformedToken);
        }
        Ok(Self { id: id.to_owned(), secret: secret.into() })
    }

    /// The whole text. Show it once to the user who requested the token.
    #[must_use]
    pub fn text(&self) -> SecretString {
        format!("{PREFIX}{}_{}", self.id, self.secret.expose_secret()).into()
    }

    /// A digest of id and secret, to compare tokens with. It does not lead back to the secret, which
    /// has 256 random bits.
    pub(crate) fn digest(&self) -> Digest {
        let keyed = Sha256::new().chain_update(DIGEST_DOMAIN).chain_update(&self.id);
        keyed.chain_update(self.secret.expose_secret()).finalize().into()
    }

    /// The secret part.
    #[must_use]
    pub fn secret(&self) -> &SecretString {
        &self.secret
    }
}
