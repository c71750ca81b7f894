//! Why a verb did not do what it was told: exit codes, and what to do next.

mod advice;

use crate::cli::{EXIT_FAILED, EXIT_INTERRUPTED, EXIT_REFUSED, EXIT_USAGE};
use anyhow::Error;
use phalanx_control::client::{ClientError, explain, is_gone, reason};
use std::collections::HashMap;
use std::fmt::Display;
use tonic::{Code, Status};

/// Ctrl-c came before the answer.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("interrupted; what was asked for may still happen")]
pub struct Interrupted;

/// The command line makes no sense, though every word of it does.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{0}")]
pub struct Misused(pub String);

/// The daemon understood, and said no.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{text}")]
pub struct Refused {
    /// What it said, for people.
    pub text: String,
    /// Its reason for programs, for example `TEAM_NOT_FOUND`; empty where it gave none.
    pub reason: String,
    /// What belongs to the reason.
    pub metadata: HashMap<String, String>,
}

/// The daemon tried and could not, or is not there any more.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{text}")]
struct Broken {
    text: String,
    reason: String,
}

/// A wrong command line.
pub(crate) fn misused(text: impl Display) -> Error {
    Misused(text.to_string()).into()
}

/// What the daemon answered instead of doing it.
pub(crate) fn refused(status: &Status) -> Error {
    answered(status, explain(status))
}

/// The same with a text of our own.
pub(crate) fn answered(status: &Status, text: String) -> Error {
    let (reason, metadata) = reason(status).unwrap_or_default();
    if is_no(status) {
        Refused { text, reason, metadata }.into()
    } else {
        Broken { text, reason }.into()
    }
}

/// Whether that status means that the daemon will not, and not that it cannot.
fn is_no(status: &Status) -> bool {
    if is_gone(status) {
        return false;
    }
    match status.code() {
        Code::InvalidArgument
        | Code::NotFound
        | Code::AlreadyExists
        | Code::PermissionDenied
        | Code::Unauthenticated
        | Code::FailedPrecondition
        | Code::Aborted
        | Code::OutOfRange
        | Code::ResourceExhausted
        | Code::Unimplemented => true,
        Code::Ok
        | Code::Cancelled
        | Code::Unknown
        | Code::DeadlineExceeded
        | Code::Internal
        | Code::Unavailable
        | Code::DataLoss => false,
    }
}

/// The exit code that tells of this error.
#[must_use]
pub fn exit_code(error: &Error) -> u8 {
    if error.is::<Interrupted>() || error.is::<crate::demo::Interrupted>() {
        EXIT_INTERRUPTED
    } else if error.is::<Misused>() || matches!(client(error), Some(ClientError::Malformed { .. }))
    {
        EXIT_USAGE
    } else if error.is::<Refused>() {
        EXIT_REFUSED
    } else {
        EXIT_FAILED
    }
}

/// What helps against this error, where something does.
#[must_use]
pub fn advice(error: &Error) -> Option<String> {
    let told = |reason: &str| advice::of(reason).map(str::to_owned);
    if let Some(refused) = error.downcast_ref::<Refused>() {
        return told(&refused.reason);
    }
    if let Some(broken) = error.downcast_ref::<Broken>() {
        return told(&broken.reason);
    }
    client(error).and_then(advice::without_daemon).map(str::to_owned)
}

fn client(error: &Error) -> Option<&ClientError> {
    error.downcast_ref()
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context;

    #[test]
    fn what_a_status_means_is_in_the_exit_code() {
        for (code, expected) in [
            (Code::InvalidArgument, 2),
            (Code::NotFound, 2),
            (Code::PermissionDenied, 2),
            (Code::Aborted, 2),
            (Code::Unavailable, 1),
            (Code::Internal, 1),
            (Code::DeadlineExceeded, 1),
        ] {
            let error = refused(&Status::new(code, "no"));
            assert_eq!(exit_code(&error), expected, "{code}");
            assert_eq!(exit_code(&Err::<(), _>(error).context("why").unwrap_err()), expected);
        }
        let broken = std::io::Error::from(std::io::ErrorKind::ConnectionReset);
        assert_eq!(exit_code(&refused(&Status::from_error(Box::new(broken)))), 1);
        assert_eq!(exit_code(&misused("no")), 64);
        assert_eq!(exit_code(&Interrupted.into()), 130);
    }
}
