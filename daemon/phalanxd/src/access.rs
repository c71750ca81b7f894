//! Builds access control of the control API from the settings.

use anyhow::{Context, Result};
use phalanx_control::{Access, Audit, Certificates, Denials, Role, TlsOptions};
use phalanx_settings::{ControlSettings, Settings};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tracing::{error, info, warn};

/// The tokens' file in the state folder.
const TOKENS: &str = "tokens.json";
/// The audit log in the state folder.
const AUDIT: &str = "audit.jsonl";
/// Counts of denied calls, in the state folder.
const DENIED: &str = "denied.jsonl";
/// How often the certificate files are checked for changes.
const CERTIFICATES_EVERY: Duration = Duration::from_secs(60);

/// Opens tokens and audit log, and decides which role this machine's users have without a token.
///
/// # Errors
/// When the files in the state folder cannot be used.
pub fn open(settings: &Settings) -> Result<Access> {
    let ControlSettings { tokens, loopback_role, .. } = &settings.control;
    let loopback: Option<Role> = loopback_role.parse().ok();
    let in_state = |name| settings.state_dir.as_ref().map(|folder| folder.join(name));
    let mut access = match tokens.clone().or_else(|| in_state(TOKENS)) {
        Some(path) => Access::open(&path, loopback)?,
        None => Access { loopback, ..Access::on_this_machine(Role::Viewer) },
    };
    if let Some(path) = in_state(DENIED) {
        let denials = Denials::open(&path);
        let denials = denials.with_context(|| format!("the denied calls {}", path.display()))?;
        access.denials = Arc::new(denials);
    }
    if let Some(path) = in_state(AUDIT) {
        let audit = Audit::open(&path);
        let audit = audit.with_context(|| format!("the audit log {}", path.display()))?;
        access.audit = Some(Arc::new(audit));
    }
    Ok(access)
}

/// The certificates that the settings name, if any.
///
/// # Errors
/// When they cannot be used.
pub fn certificates(settings: &ControlSettings) -> Result<Option<Arc<Certificates>>> {
    let options = settings.tls.clone().map(|tls| TlsOptions {
        certificate: tls.certificate,
        key: tls.key,
        client_ca: tls.client_ca,
    });
    let loaded = options.map(Certificates::load).transpose();
    Ok(loaded.context("control.tls")?.map(Arc::new))
}

/// Loads new certificates if the files changed; keeps the old ones if the new ones are invalid.
pub fn renew(certificates: &Certificates) {
    match certificates.reload() {
        Ok(()) => info!("the certificates of the control API were read again"),
        Err(error) => error!(%error, "cannot renew the certificates of the control API"),
    }
}

/// Checks the certificates' files for changes, for ever.
pub async fn follow(certificates: Arc<Certificates>) {
    let mut known = stamps(&certificates).await;
    loop {
        tokio::time::sleep(CERTIFICATES_EVERY).await;
        let now = stamps(&certificates).await;
        if now != known {
            known = now;
            renew(&certificates);
        }
    }
}

async fn stamps(certificates: &Arc<Certificates>) -> Vec<Option<SystemTime>> {
    let files = certificates.files();
    let changed =
        |file: &std::path::PathBuf| std::fs::metadata(file).and_then(|f| f.modified()).ok();
    let looked = tokio::task::spawn_blocking(move || files.iter().map(changed).collect()).await;
    looked.unwrap_or_else(|error| {
        warn!(%error, "cannot check the certificates for changes");
        Vec::new()
    })
}
