//! Errors as clients see them: a status code, a reason that programs can match, and details.

use crate::reload::SettingRefusal;
use phalanx_proto::v1;
use prost::Message;
use std::collections::HashMap;
use tonic::{Code, Response, Status};
use tonic_types::{ErrorDetails, StatusExt};

/// What a unary method of the API returns.
pub(crate) type RpcResult<T> = Result<Response<T>, Status>;

/// The domain of every reason.
pub(crate) const DOMAIN: &str = "phalanx";

/// The published reasons, for programs.
pub(crate) use phalanx_proto::v1::ErrorReason as Reason;

/// The prefix of a reason's name in the published enum.
const REASON: &str = "ERROR_REASON_";

/// The status code of a reason.
#[expect(clippy::too_many_lines, reason = "a table, one line a reason")]
fn code(reason: Reason) -> Code {
    match reason {
        Reason::Unspecified => Code::Unknown,
        Reason::NameMalformed
        | Reason::PageSizeNegative
        | Reason::PageTokenMalformed
        | Reason::CursorMalformed
        | Reason::FilesMalformed
        | Reason::ParamValue
        | Reason::CodeTooLong
        | Reason::TurnsMalformed
        | Reason::TokenName
        | Reason::TokenRole
        | Reason::TokenLife
        | Reason::RequestIdMalformed
        | Reason::TeamSpec
        | Reason::GraceMalformed
        | Reason::ServerMalformed
        | Reason::AgentSpec
        | Reason::OrderMalformed
        | Reason::RateMalformed
        | Reason::BoardKeyTooLong
        | Reason::BoardValue
        | Reason::BoardValueTooLarge
        | Reason::LogFilter
        | Reason::LogLife
        | Reason::ArenaRefused
        | Reason::GameUnknown
        | Reason::AddressMalformed
        | Reason::LeagueRefused => Code::InvalidArgument,
        Reason::TeamNotFound
        | Reason::GenerationNotFound
        | Reason::ParamNotFound
        | Reason::AgentNotFound
        | Reason::RoleNotFound
        | Reason::TokenNotFound
        | Reason::BoardKeyNotFound
        | Reason::ArenaNotFound
        | Reason::RecordingNotFound
        | Reason::LeagueNotFound
        | Reason::LadderNotFound
        | Reason::TuneRunNotFound => Code::NotFound,
        Reason::TeamExists | Reason::AgentExists | Reason::ArenaExists | Reason::LeagueExists => {
            Code::AlreadyExists
        }
        Reason::NoStrategy
        | Reason::StrategyRefused
        | Reason::SettingsRefused
        | Reason::GenerationPinned
        | Reason::NoFolder
        | Reason::NothingToRollBack
        | Reason::TokenEnded
        | Reason::RequestIdReused
        | Reason::NotSteerable
        | Reason::TeamLeaving
        | Reason::MatchOver
        | Reason::TeamsFixed
        | Reason::TeamPlays
        | Reason::MembersFixed
        | Reason::LastAgent
        | Reason::MemoryRefused
        | Reason::NotPiloted
        | Reason::PilotedByOther
        | Reason::NotAsked
        | Reason::NoArenas
        | Reason::ArenaEnded
        | Reason::ArenaUnseen
        | Reason::ArenaStartsPrograms
        | Reason::AddressTaken
        | Reason::NoStateFolder
        | Reason::NoLeagues
        | Reason::LeagueRunning
        | Reason::LeagueNotRunning
        | Reason::LeagueElsewhere
        | Reason::NoLab
        | Reason::NoRecordings
        | Reason::RecordingWritten
        | Reason::NoFlightRecorder
        | Reason::LeagueOver => Code::FailedPrecondition,
        Reason::TokenMissing
        | Reason::TokenMalformed
        | Reason::TokenUnknown
        | Reason::TokenExpired
        | Reason::TokenRevoked => Code::Unauthenticated,
        Reason::RoleTooSmall | Reason::AddressNotLocal | Reason::ServerNotAllowed => {
            Code::PermissionDenied
        }
        Reason::TokensNotWritten
        | Reason::TeamNotBuilt
        | Reason::RecordingUnreadable
        | Reason::LeagueNotKept => Code::Internal,
        Reason::StrategyStale | Reason::EtagMismatch => Code::Aborted,
        Reason::DeadlineExceeded => Code::DeadlineExceeded,
        Reason::CursorExpired | Reason::TurnNotKept | Reason::RecordingOffset => Code::OutOfRange,
        Reason::TooManyFailures
        | Reason::TooManyTokens
        | Reason::ClientTooSlow
        | Reason::TooManyStreams
        | Reason::TooManyConnections
        | Reason::TooManySessions
        | Reason::TooManyRequests
        | Reason::TooManyTeams
        | Reason::TooManyAgents
        | Reason::BoardFull
        | Reason::TooManyArenas
        | Reason::TooManyLeagues => Code::ResourceExhausted,
        Reason::ShuttingDown | Reason::TeamBusy | Reason::TeamEnded | Reason::TeamStuck => {
            Code::Unavailable
        }
    }
}

/// A reason as it appears in errors: `TEAM_NOT_FOUND`.
fn name(reason: Reason) -> &'static str {
    let name = reason.as_str_name();
    name.strip_prefix(REASON).unwrap_or(name)
}

/// Longest text in an error, in bytes: errors travel in headers, and clients refuse long ones.
const TEXT_BYTES_MAX: usize = 600;
/// Most fields in one error.
const VIOLATIONS_MAX: usize = 16;
/// Most bytes of a refused strategy's findings in its error.
const REPORT_BYTES_MAX: usize = 4 << 10;
/// The type of a refused strategy's findings among the details.
pub(crate) const TRIAL_REPORT_TYPE: &str = "type.googleapis.com/phalanx.v1.TrialReport";

/// What there is instead of a name that is wrong, in order.
pub(crate) fn listed(names: impl IntoIterator<Item = String>) -> String {
    let mut names: Vec<_> = names.into_iter().collect();
    names.sort();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

/// A status with its reason and metadata.
pub(crate) fn refuse<const N: usize>(
    reason: Reason,
    message: impl Into<String>,
    metadata: [(&str, String); N],
) -> Status {
    let details = info(reason, metadata);
    Status::with_error_details(code(reason), cut(message.into()), details)
}

/// The same for one wrong field of the request.
pub(crate) fn refuse_field(reason: Reason, field: &str, expected: &str) -> Status {
    let message = format!("{field}: expected {expected}");
    refuse_violation(reason, field, expected, message)
}

/// The same with its own message.
pub(crate) fn refuse_violation(
    reason: Reason,
    field: &str,
    description: &str,
    message: impl Into<String>,
) -> Status {
    let mut details = info(reason, [("field", field.to_owned())]);
    details.add_bad_request_violation(field, cut(description.to_owned()));
    Status::with_error_details(code(reason), cut(message.into()), details)
}

/// A status with a violation for each wrong field of the request: its path and what was expected.
pub(crate) fn refuse_fields(
    reason: Reason,
    message: impl Into<String>,
    wrong: &[(String, String)],
) -> Status {
    let mut details = info(reason, [("violations", wrong.len().to_string())]);
    for (field, expected) in wrong.iter().take(VIOLATIONS_MAX) {
        details.add_bad_request_violation(cut(field.clone()), cut(expected.clone()));
    }
    Status::with_error_details(code(reason), cut(message.into()), details)
}

/// A refused strategy with its findings among the details. If they are too large, the excerpts are
/// omitted, then the last findings; the metadata `faults` is their total number.
pub(crate) fn refuse_strategy(message: impl Into<String>, mut report: v1::TrialReport) -> Status {
    let faults = report.faults.len().to_string();
    if report.encoded_len() > REPORT_BYTES_MAX {
        report.faults.iter_mut().for_each(|fault| fault.excerpt.clear());
    }
    while report.encoded_len() > REPORT_BYTES_MAX && report.faults.pop().is_some() {}
    let status = refuse(Reason::StrategyRefused, message, [("faults", faults)]);
    let detail =
        prost_types::Any { type_url: TRIAL_REPORT_TYPE.to_owned(), value: report.encode_to_vec() };
    // These bytes were encoded just before.
    let mut details = tonic_types::Status::decode(status.details()).unwrap_or_default();
    details.details.push(detail);
    Status::with_details(status.code(), status.message(), details.encode_to_vec().into())
}

/// Most refused keys in an error.
const SETTINGS_MAX: usize = 16;

/// Settings that cannot be changed, by key.
pub(crate) fn refuse_settings(refused: &[SettingRefusal]) -> Status {
    let count = refused.len();
    let mut details = info(Reason::SettingsRefused, [("keys", count.to_string())]);
    let mut message = "nothing has changed".to_owned();
    for SettingRefusal { key, reason } in refused.iter().take(SETTINGS_MAX) {
        details.add_precondition_failure_violation("SETTING", key.clone(), cut(reason.clone()));
        message.push_str(&format!("; {key}: {reason}"));
    }
    if count > SETTINGS_MAX {
        message.push_str(&format!("; and {} more", count - SETTINGS_MAX));
    }
    Status::with_error_details(code(Reason::SettingsRefused), cut(message), details)
}

fn info<const N: usize>(reason: Reason, metadata: [(&str, String); N]) -> ErrorDetails {
    let metadata: HashMap<_, _> =
        metadata.into_iter().map(|(key, value)| (key.to_owned(), cut(value))).collect();
    ErrorDetails::with_error_info(name(reason), DOMAIN, metadata)
}

fn cut(mut text: String) -> String {
    if text.len() > TEXT_BYTES_MAX {
        text.truncate(text.floor_char_boundary(TEXT_BYTES_MAX));
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_is_published_with_the_code_that_it_stands_for() {
        let set = prost_types::FileDescriptorSet::decode(phalanx_proto::DESCRIPTORS).unwrap();
        let enums = set.file.iter().flat_map(|file| &file.enum_type);
        let published = enums.clone().find(|one| one.name() == "ErrorReason").unwrap();
        let mut seen = 0;
        for value in &published.value {
            let reason = Reason::try_from(value.number()).unwrap();
            assert_eq!(format!("{REASON}{}", name(reason)), value.name());
            let status = refuse(reason, "", []);
            let known = status.code() != Code::Unknown || reason == Reason::Unspecified;
            assert!(known && status.code() != Code::Ok, "{}", value.name());
            seen += 1;
        }
        assert!(seen > 60, "{seen}");
    }
}
