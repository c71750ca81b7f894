//! Connects to the daemon that flags, environment and contexts name.

use crate::args::Remote;
use crate::contexts::{Context as Place, Contexts};
use anyhow::{Context, Result};
use phalanx_control::client::{Address, Credentials, Link, connect_as, connect_first};
use phalanx_settings::{Environment, socket_candidates};
use std::path::{Path, PathBuf};

/// The socket of the packaged daemon, tried last.
const SYSTEM_SOCKET: &str = "/run/phalanx/control.sock";
/// The environment variable that holds a token.
const TOKEN_VARIABLE: &str = "PHALANX_TOKEN";

/// Connects to the daemon that flags, environment or the context in use name; by default, to the
/// first of this machine's usual sockets that answers.
pub(crate) async fn open(remote: &Remote) -> Result<Link> {
    let environment: Environment = std::env::vars_os().collect();
    let place = place(remote, &environment)?;
    let Some(text) = &place.control else {
        let (_, link) = connect_first(&sockets(&environment)).await?;
        return Ok(link);
    };
    let address: Address = text.parse()?;
    let credentials = credentials(&place, environment.get(TOKEN_VARIABLE))?;
    Ok(connect_as(&address, credentials).await?)
}

/// Sockets where a daemon of this machine may listen, the most likely one first.
pub(super) fn sockets(environment: &Environment) -> Vec<PathBuf> {
    let mut places = socket_candidates(environment);
    places.push(PathBuf::from(SYSTEM_SOCKET));
    places
}

/// Address and credentials from flags and environment, completed from the context. A context that
/// was not named explicitly does not apply to another address: its token is for its own daemon
/// only.
pub(super) fn place(remote: &Remote, environment: &Environment) -> Result<Place> {
    let given = Place {
        control: remote.control.clone(),
        token_file: remote.token_file.clone(),
        ca: remote.ca.clone(),
        certificate: remote.certificate.clone(),
    };
    let context = match (&remote.context, &remote.control) {
        (None, Some(_)) => Place::default(),
        (name, _) => Contexts::load(environment)?.find(name.as_deref())?,
    };
    Ok(Place {
        control: given.control.or(context.control),
        token_file: given.token_file.or(context.token_file),
        ca: given.ca.or(context.ca),
        certificate: given.certificate.or(context.certificate),
    })
}

/// Credentials for the network. Precedence: --token-file, PHALANX_TOKEN, the context's token file.
fn credentials(place: &Place, variable: Option<&str>) -> Result<Credentials> {
    let read = |path: &Path| {
        std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))
    };
    let mut credentials = Credentials::default();
    let token = match &place.token_file {
        Some(path) => Some(String::from_utf8_lossy(&read(path)?).into_owned()),
        None => variable.map(str::to_owned),
    };
    if let Some(token) = token.filter(|token| !token.trim().is_empty()) {
        credentials = credentials.with_token(&token.into())?;
    }
    if let Some(path) = &place.ca {
        credentials = credentials.with_authority(read(path)?);
    }
    if let Some(path) = &place.certificate {
        let pem = read(path)?;
        credentials = credentials.with_identity(pem.clone(), pem);
    }
    Ok(credentials)
}
