//! Certificates for callers over the network, exchanged without a restart.

use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::SystemTime;

/// Largest file that is read, in bytes.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// Where the certificates are: PEM files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsOptions {
    /// The daemon's certificate, followed by those between it and its authority.
    pub certificate: PathBuf,
    /// Its key.
    pub key: PathBuf,
    /// The authorities of callers' certificates; where it is set nobody comes in without one.
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
        /// Why not.
        reason: String,
    },
    /// Certificate and key do not fit, or are of a kind that is not supported.
    #[error("certificate {certificate}: {source}")]
    Unfit {
        /// The certificate's file.
        certificate: PathBuf,
        /// Why not.
        source: rustls::Error,
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
    /// When one cannot be read, or they do not fit together.
    pub fn load(options: TlsOptions) -> Result<Self, TlsError> {
        let config = RwLock::new(read(&options)?);
        Ok(Self { options, config })
    }

    /// Reads the files again; whoever is connected stays so.
    ///
    /// # Errors
    /// As [`Certificates::load`]; then the old ones stay in use.
    pub fn reload(&self) -> Result<(), TlsError> {
        let fresh = read(&self.options)?;
        *self.config.write().unwrap_or_else(PoisonError::into_inner) = fresh;
        Ok(())
    }

    /// From when to when the certificate of the daemon counts, as its file stands now; `None` where
    /// it cannot be told.
    #[must_use]
    pub fn validity(&self) -> Option<(SystemTime, SystemTime)> {
        let chain = certificates(&self.options.certificate).ok()?;
        crate::validity::validity(chain.first()?)
    }

    /// The files that are read.
    #[must_use]
    pub fn files(&self) -> Vec<PathBuf> {
        let TlsOptions { certificate, key, client_ca } = self.options.clone();
        [Some(certificate), Some(key), client_ca].into_iter().flatten().collect()
    }

    /// What a connection that begins now is served with.
    pub(crate) fn current(&self) -> Arc<ServerConfig> {
        Arc::clone(&self.config.read().unwrap_or_else(PoisonError::into_inner))
    }
}

fn read(options: &TlsOptions) -> Result<Arc<ServerConfig>, TlsError> {
    let chain = certificates(&options.certificate)?;
    let key = PrivateKeyDer::from_pem_slice(&bytes(&options.key)?)
        .map_err(|error| wrong(&options.key, format!("no private key in PEM: {error}")))?;
    let unfit = |source| TlsError::Unfit { certificate: options.certificate.clone(), source };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(unfit)?;
    let builder = match &options.client_ca {
        None => builder.with_no_client_auth(),
        Some(path) => {
            let mut roots = rustls::RootCertStore::empty();
            for authority in certificates(path)? {
                roots.add(authority).map_err(|error| wrong(path, error.to_string()))?;
            }
            let verifier = WebPkiClientVerifier::builder_with_provider(roots.into(), provider)
                .build()
                .map_err(|error| wrong(path, error.to_string()))?;
            builder.with_client_cert_verifier(verifier)
        }
    };
    let mut config = builder.with_single_cert(chain, key).map_err(unfit)?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Arc::new(config))
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
