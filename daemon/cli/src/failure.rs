//! Why a verb failed: exit codes, and advice.

mod advice;

use anyhow::Error;
use phalanx_control::client::{ClientError, explain, is_gone, reason};
use std::collections::HashMap;
use std::fmt::Display;
use tonic::{Code, Status};

/// Exit code of a verb that failed, or that reached no daemon.
pub const EXIT_FAILED: u8 = 1;
/// Exit code when the daemon refused the request.
pub const EXIT_REFUSED: u8 = 2;
/// Exit code for a wrong command line or configuration (EX_USAGE of sysexits).
pub const EXIT_USAGE: u8 = 64;
/// Exit code after ctrl-c: 128 plus the number of SIGINT, as in shells.
pub const EXIT_INTERRUPTED: u8 = 130;

/// Ctrl-c before the answer.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("interrupted; the daemon may still carry out the request")]
pub struct Interrupted;

/// Ctrl-c before the end of the match.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("interrupted before the match was over")]
pub struct MatchInterrupted;

/// A combination of valid arguments that makes no sense.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{0}")]
pub struct Misused(pub String);

/// The daemon understood the request and refused it.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{text}")]
pub struct Refused {
    /// The daemon's message.
    pub text: String,
    /// The reason for programs, for example `TEAM_NOT_FOUND`; empty if it gave none.
    pub reason: String,
    /// Details of the reason.
    pub metadata: HashMap<String, String>,
}

/// The daemon tried and failed, or is gone.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{text}")]
struct Broken {
    text: String,
    reason: String,
}

/// An error for a wrong command line.
pub fn misused(text: impl Display) -> Error {
    Misused(text.to_string()).into()
}

/// The error for a status that the daemon returned.
pub fn refused(status: &Status) -> Error {
    answered(status, explain(status))
}

/// [`refused`] with another text.
pub fn answered(status: &Status, text: String) -> Error {
    let (reason, metadata) = reason(status).unwrap_or_default();
    if is_no(status) {
        Refused { text, reason, metadata }.into()
    } else {
        Broken { text, reason }.into()
    }
}

/// Whether the status means that the daemon refuses the request, as opposed to failing.
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

/// The exit code for this error.
#[must_use]
pub fn exit_code(error: &Error) -> u8 {
    if error.is::<Interrupted>() || error.is::<MatchInterrupted>() {
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

/// Advice against this error, if there is some.
#[must_use]
pub fn advice(error: &Error) -> Option<String> {
    let advice_for = |reason: &str| advice::of(reason).map(str::to_owned);
    if let Some(refused) = error.downcast_ref::<Refused>() {
        return advice_for(&refused.reason);
    }
    if let Some(broken) = error.downcast_ref::<Broken>() {
        return advice_for(&broken.reason);
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
