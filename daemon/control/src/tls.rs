//! Certificates for callers over the network, replaced without a restart.

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::ServerCertVerifier;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::WebPkiClientVerifier;
use rustls::{CertificateError, Error, RootCertStore, ServerConfig};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{SystemTime, UNIX_EPOCH};

/// Largest file that is read, in bytes.
const FILE_BYTES_MAX: u64 = 1 << 20;
/// The verifier's name for an authority that is used as a server.
const AUTHORITY: &str = "CaUsedAsEndEntity";

/// The certificates: PEM files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsOptions {
    /// The daemon's certificate, followed by its intermediate certificates.
    pub certificate: PathBuf,
    /// Its private key.
    pub key: PathBuf,
    /// The authorities of callers' certificates; if set, every caller needs a certificate.
    pub client_ca: Option<PathBuf>,
}

/// Why there is no TLS.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read.
    #[error("{path}: {reason}")]
    File {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// Certificate and key do not match, or are of an unsupported kind.
    #[error("certificate {certificate}: {why}")]
    Unfit {
        /// The certificate's file.
        certificate: PathBuf,
        /// The reason.
        why: Error,
    },
    /// The certificate is an authority, which callers do not accept as a server.
    #[error(
        "certificate {certificate}: it is a certificate authority itself, and no client accepts \
         that from a server; make an authority and a server certificate with \
         `phalanx tls create HOST`, and give callers the authority with --ca"
    )]
    Authority {
        /// The certificate's file.
        certificate: PathBuf,
    },
}

/// The certificates in use.
pub struct Certificates {
    options: TlsOptions,
    config: RwLock<Arc<ServerConfig>>,
}

impl fmt::Debug for Certificates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Certificates").field("options", &self.options).finish_non_exhaustive()
    }
}

impl Certificates {
    /// Reads the files.
    ///
    /// # Errors
    /// When one cannot be read, or they do not match.
    pub fn load(options: TlsOptions) -> Result<Self, TlsError> {
        let config = RwLock::new(read(&options)?);
        Ok(Self { options, config })
    }

    /// Reads the files again; existing connections stay.
    ///
    /// # Errors
    /// As [`Certificates::load`]; then the old ones stay in use.
    pub fn reload(&self) -> Result<(), TlsError> {
        let fresh = read(&self.options)?;
        *self.config.write().unwrap_or_else(PoisonError::into_inner) = fresh;
        Ok(())
    }

    /// From when to when the daemon's current certificate is valid; `None` if that is unknown.
    #[must_use]
    pub fn validity(&self) -> Option<(SystemTime, SystemTime)> {
        let chain = certificates(&self.options.certificate).ok()?;
        crate::validity::validity(chain.first()?)
    }

    /// The files.
    #[must_use]
    pub fn files(&self) -> Vec<PathBuf> {
        let TlsOptions { certificate, key, client_ca } = self.options.clone();
        [Some(certificate), Some(key), client_ca].into_iter().flatten().collect()
    }

    /// The configuration for new connections.
    pub(crate) fn current(&self) -> Arc<ServerConfig> {
        Arc::clone(&self.config.read().unwrap_or_else(PoisonError::into_inner))
    }
}

fn read(options: &TlsOptions) -> Result<Arc<ServerConfig>, TlsError> {
    let chain = certificates(&options.certificate)?;
    let key = PrivateKeyDer::from_pem_slice(&bytes(&options.key)?)
        .map_err(|error| wrong(&options.key, format!("no private key in PEM: {error}")))?;
    let unfit = |why| TlsError::Unfit { certificate: options.certificate.clone(), why };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(unfit)?;
    let builder = match &options.client_ca {
        None => builder.with_no_client_auth(),
        Some(path) => {
            let mut roots = RootCertStore::empty();
            for authority in certificates(path)? {
                roots.add(authority).map_err(|error| wrong(path, error.to_string()))?;
            }
            let provider = Arc::clone(&provider);
            let verifier = WebPkiClientVerifier::builder_with_provider(roots.into(), provider)
                .build()
                .map_err(|error| wrong(path, error.to_string()))?;
            builder.with_client_cert_verifier(verifier)
        }
    };
    if chain.first().is_some_and(|own| is_authority(own, provider)) {
        return Err(TlsError::Authority { certificate: options.certificate.clone() });
    }
    let mut config = builder.with_single_cert(chain, key).map_err(unfit)?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

/// Whether callers refuse a certificate because it is an authority. They are asked the way callers
/// do it, at the first moment at which the certificate is valid.
fn is_authority(certificate: &CertificateDer<'static>, provider: Arc<CryptoProvider>) -> bool {
    let refused = || {
        let mut roots = RootCertStore::empty();
        roots.add(certificate.clone()).ok()?;
        let verifier = WebPkiServerVerifier::builder_with_provider(roots.into(), provider);
        let verifier = verifier.build().ok()?;
        let (begins, _) = crate::validity::validity(certificate)?;
        let now = UnixTime::since_unix_epoch(begins.duration_since(UNIX_EPOCH).ok()?);
        let name = ServerName::try_from("localhost").ok()?;
        verifier.verify_server_cert(certificate, &[], &name, &[], now).err()
    };
    match refused() {
        Some(Error::InvalidCertificate(CertificateError::Other(reason))) => {
            reason.to_string() == AUTHORITY
        }
        _ => false,
    }
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&bytes(path)?).collect();
    match found {
        Ok(found) if !found.is_empty() => Ok(found),
        Ok(_) => Err(wrong(path, "no certificate in PEM".to_owned())),
        Err(error) => Err(wrong(path, format!("no certificate in PEM: {error}"))),
    }
}

fn bytes(path: &Path) -> Result<Vec<u8>, TlsError> {
    let about = std::fs::metadata(path).map_err(|error| wrong(path, error.to_string()))?;
    if about.len() > FILE_BYTES_MAX {
        return Err(wrong(path, format!("more than {FILE_BYTES_MAX} bytes")));
    }
    std::fs::read(path).map_err(|error| wrong(path, error.to_string()))
}

fn wrong(path: &Path, reason: String) -> TlsError {
    TlsError::File { path: path.to_owned(), reason }
}
