//! Errors as clients see them: a status code, a reason that programs can match, and details.

use phalanx_proto::v1;
use prost::Message;
use std::collections::HashMap;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};

/// The domain of every reason.
pub(crate) const DOMAIN: &str = "phalanx";

/// What programs match on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    NameMalformed,
    TeamNotFound,
    PageSizeNegative,
    PageTokenMalformed,
    CursorMalformed,
    CursorExpired,
    ClientTooSlow,
    TooManyStreams,
    ShuttingDown,
    TeamBusy,
    TeamEnded,
    NoStrategy,
    GenerationNotFound,
    FilesMalformed,
    StrategyRefused,
    StrategyStale,
    GenerationPinned,
    NoFolder,
    NothingToRollBack,
    ParamNotFound,
    AgentNotFound,
    RoleNotFound,
    ParamValue,
    CodeTooLong,
    TooManySessions,
    TurnsMalformed,
    DeadlineExceeded,
    TokenMissing,
    TokenMalformed,
    TokenUnknown,
    TokenExpired,
    TokenRevoked,
    RoleTooSmall,
    TooManyFailures,
    TokenName,
    TokenRole,
    TokenLife,
    TooManyTokens,
    TokenNotFound,
    TokenEnded,
    TokensNotWritten,
}

impl Reason {
    fn code(self) -> Code {
        match self {
            Self::NameMalformed
            | Self::PageSizeNegative
            | Self::PageTokenMalformed
            | Self::CursorMalformed
            | Self::FilesMalformed
            | Self::ParamValue
            | Self::CodeTooLong
            | Self::TurnsMalformed => Code::InvalidArgument,
            Self::TeamNotFound
            | Self::GenerationNotFound
            | Self::ParamNotFound
            | Self::AgentNotFound
            | Self::RoleNotFound => Code::NotFound,
            Self::NoStrategy
            | Self::StrategyRefused
            | Self::GenerationPinned
            | Self::NoFolder
            | Self::NothingToRollBack => Code::FailedPrecondition,
            Self::TokenMissing
            | Self::TokenMalformed
            | Self::TokenUnknown
            | Self::TokenExpired
            | Self::TokenRevoked => Code::Unauthenticated,
            Self::RoleTooSmall => Code::PermissionDenied,
            Self::TooManyFailures | Self::TooManyTokens => Code::ResourceExhausted,
            Self::TokenName | Self::TokenRole | Self::TokenLife => Code::InvalidArgument,
            Self::TokenNotFound => Code::NotFound,
            Self::TokenEnded => Code::FailedPrecondition,
            Self::TokensNotWritten => Code::Internal,
            Self::StrategyStale => Code::Aborted,
            Self::DeadlineExceeded => Code::DeadlineExceeded,
            Self::CursorExpired => Code::OutOfRange,
            Self::ClientTooSlow | Self::TooManyStreams | Self::TooManySessions => {
                Code::ResourceExhausted
            }
            Self::ShuttingDown | Self::TeamBusy | Self::TeamEnded => Code::Unavailable,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::NameMalformed => "NAME_MALFORMED",
            Self::TeamNotFound => "TEAM_NOT_FOUND",
            Self::PageSizeNegative => "PAGE_SIZE_NEGATIVE",
            Self::PageTokenMalformed => "PAGE_TOKEN_MALFORMED",
            Self::CursorMalformed => "CURSOR_MALFORMED",
            Self::CursorExpired => "CURSOR_EXPIRED",
            Self::ClientTooSlow => "CLIENT_TOO_SLOW",
            Self::TooManyStreams => "TOO_MANY_STREAMS",
            Self::ShuttingDown => "SHUTTING_DOWN",
            Self::TeamBusy => "TEAM_BUSY",
            Self::TeamEnded => "TEAM_ENDED",
            Self::NoStrategy => "NO_STRATEGY",
            Self::GenerationNotFound => "GENERATION_NOT_FOUND",
            Self::FilesMalformed => "FILES_MALFORMED",
            Self::StrategyRefused => "STRATEGY_REFUSED",
            Self::StrategyStale => "STRATEGY_STALE",
            Self::GenerationPinned => "GENERATION_PINNED",
            Self::NoFolder => "NO_FOLDER",
            Self::NothingToRollBack => "NOTHING_TO_ROLL_BACK",
            Self::ParamNotFound => "PARAM_NOT_FOUND",
            Self::AgentNotFound => "AGENT_NOT_FOUND",
            Self::RoleNotFound => "ROLE_NOT_FOUND",
            Self::ParamValue => "PARAM_VALUE",
            Self::CodeTooLong => "CODE_TOO_LONG",
            Self::TooManySessions => "TOO_MANY_SESSIONS",
            Self::TurnsMalformed => "TURNS_MALFORMED",
            Self::DeadlineExceeded => "DEADLINE_EXCEEDED",
            Self::TokenMissing => "TOKEN_MISSING",
            Self::TokenMalformed => "TOKEN_MALFORMED",
            Self::TokenUnknown => "TOKEN_UNKNOWN",
            Self::TokenExpired => "TOKEN_EXPIRED",
            Self::TokenRevoked => "TOKEN_REVOKED",
            Self::RoleTooSmall => "ROLE_TOO_SMALL",
            Self::TooManyFailures => "TOO_MANY_FAILURES",
            Self::TokenName => "TOKEN_NAME",
            Self::TokenRole => "TOKEN_ROLE",
            Self::TokenLife => "TOKEN_LIFE",
            Self::TooManyTokens => "TOO_MANY_TOKENS",
            Self::TokenNotFound => "TOKEN_NOT_FOUND",
            Self::TokenEnded => "TOKEN_ENDED",
            Self::TokensNotWritten => "TOKENS_NOT_WRITTEN",
        }
    }
}

/// Longest text in an error, in bytes: clients give up on long headers, and errors travel there.
const TEXT_BYTES_MAX: usize = 600;
/// Most findings of a refused strategy that are kept in its error, in bytes.
const REPORT_BYTES_MAX: usize = 4 << 10;
/// The name of a refused strategy's findings among the details.
pub(crate) const TRIAL_REPORT_TYPE: &str = "type.googleapis.com/phalanx.v1.TrialReport";

/// A status with its reason and metadata.
pub(crate) fn refuse<const N: usize>(
    reason: Reason,
    message: impl Into<String>,
    metadata: [(&str, String); N],
) -> Status {
    let details = info(reason, metadata);
    Status::with_error_details(reason.code(), cut(message.into()), details)
}

/// The same for one field of the request that is wrong.
pub(crate) fn refuse_field(reason: Reason, field: &str, expected: &str) -> Status {
    let message = format!("{field}: expected {expected}");
    refuse_violation(reason, field, expected, message)
}

/// The same with a message of its own.
pub(crate) fn refuse_violation(
    reason: Reason,
    field: &str,
    description: &str,
    message: impl Into<String>,
) -> Status {
    let mut details = info(reason, [("field", field.to_owned())]);
    details.add_bad_request_violation(field, cut(description.to_owned()));
    Status::with_error_details(reason.code(), cut(message.into()), details)
}

/// A refused strategy, with its findings among the details. Where they are too many the excerpts
/// are left out, then the last findings; metadata `faults` tells how many there were.
pub(crate) fn refuse_strategy(message: impl Into<String>, mut report: v1::TrialReport) -> Status {
    let faults = report.faults.len().to_string();
    if report.encoded_len() > REPORT_BYTES_MAX {
        report.faults.iter_mut().for_each(|fault| fault.excerpt.clear());
    }
    while report.encoded_len() > REPORT_BYTES_MAX && report.faults.pop().is_some() {}
    let status = refuse(Reason::StrategyRefused, message, [("faults", faults)]);
    let detail =
        prost_types::Any { type_url: TRIAL_REPORT_TYPE.to_owned(), value: report.encode_to_vec() };
    // These bytes were written a moment ago.
    let mut details = tonic_types::Status::decode(status.details()).unwrap_or_default();
    details.details.push(detail);
    Status::with_details(status.code(), status.message(), details.encode_to_vec().into())
}

fn info<const N: usize>(reason: Reason, metadata: [(&str, String); N]) -> ErrorDetails {
    let metadata: HashMap<_, _> =
        metadata.into_iter().map(|(key, value)| (key.to_owned(), cut(value))).collect();
    ErrorDetails::with_error_info(reason.name(), DOMAIN, metadata)
}

fn cut(mut text: String) -> String {
    if text.len() > TEXT_BYTES_MAX {
        text.truncate(text.floor_char_boundary(TEXT_BYTES_MAX));
        text.push('…');
    }
    text
}
