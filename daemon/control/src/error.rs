//! Errors as clients see them: a status code, a reason that programs can match, and details.

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
}

impl Reason {
    fn code(self) -> Code {
        match self {
            Self::NameMalformed
            | Self::PageSizeNegative
            | Self::PageTokenMalformed
            | Self::CursorMalformed => Code::InvalidArgument,
            Self::TeamNotFound => Code::NotFound,
            Self::CursorExpired => Code::OutOfRange,
            Self::ClientTooSlow | Self::TooManyStreams => Code::ResourceExhausted,
            Self::ShuttingDown => Code::Unavailable,
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
        }
    }
}

/// A status with its reason and metadata.
pub(crate) fn refuse<const N: usize>(
    reason: Reason,
    message: impl Into<String>,
    metadata: [(&str, String); N],
) -> Status {
    let details = info(reason, metadata);
    Status::with_error_details(reason.code(), message, details)
}

/// The same for one field of the request that is wrong.
pub(crate) fn refuse_field(reason: Reason, field: &str, expected: &str) -> Status {
    let mut details = info(reason, [("field", field.to_owned())]);
    details.add_bad_request_violation(field, expected);
    Status::with_error_details(reason.code(), format!("{field}: expected {expected}"), details)
}

fn info<const N: usize>(reason: Reason, metadata: [(&str, String); N]) -> ErrorDetails {
    let metadata: HashMap<_, _> =
        metadata.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
    ErrorDetails::with_error_info(reason.name(), DOMAIN, metadata)
}
