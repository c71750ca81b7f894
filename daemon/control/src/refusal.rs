//! What a keeper refuses, as clients see it.

use crate::convert::strategy;
use crate::error::{Reason, refuse, refuse_field, refuse_strategy, refuse_violation};
use phalanx_engine::{BrainError, Fault, ParamError};
use phalanx_lua::LoadError;
use phalanx_proto::v1;
use phalanx_strategy::{CODE_BYTES_MAX, Refusal};
use phalanx_trial::Report;
use tonic::Status;

/// The field of a request that has the files of a strategy.
pub(crate) const FILES_FIELD: &str = "files";

/// The status that tells of a refusal. `sent`: the request itself had the files.
pub(crate) fn status(refusal: Refusal, sent: bool) -> Status {
    let message = refusal.to_string();
    match refusal {
        Refusal::Faults(trialled) => refuse_strategy(message, strategy::trial_report(&trialled)),
        Refusal::Install(error) => refuse_strategy(message, install_report(&error)),
        Refusal::Files(error) if sent => files(&error),
        Refusal::Files(error) => refuse_strategy(message, load_report(error)),
        Refusal::Pinned(number) => {
            refuse(Reason::GenerationPinned, message, [("generation", number.to_string())])
        }
        Refusal::Stale => refuse(Reason::StrategyStale, message, []),
        Refusal::NoFolder => refuse(Reason::NoFolder, message, []),
        Refusal::NoGeneration(number) => {
            refuse(Reason::GenerationNotFound, message, [("generation", number.to_string())])
        }
        Refusal::NothingToRollBack => refuse(Reason::NothingToRollBack, message, []),
        Refusal::NoAgent(agent) => refuse(Reason::AgentNotFound, message, [("agent", agent)]),
        Refusal::NoRole(role) => refuse(Reason::RoleNotFound, message, [("role", role)]),
        Refusal::Param(error) => param(error, message),
        Refusal::CodeTooLong => code_too_long(),
        Refusal::TooManySessions => refuse(Reason::TooManySessions, message, []),
        Refusal::Busy => refuse(Reason::TeamBusy, message, []),
        Refusal::Ended => refuse(Reason::TeamEnded, message, []),
    }
}

pub(crate) fn code_too_long() -> Status {
    let expected = format!("at most {CODE_BYTES_MAX} bytes");
    refuse_field(Reason::CodeTooLong, "code", &expected)
}

fn param(error: ParamError, message: String) -> Status {
    match error {
        ParamError::Unknown { name, .. } => {
            refuse(Reason::ParamNotFound, message, [("param", name)])
        }
        ParamError::Value { name, expected, .. } => {
            refuse(Reason::ParamValue, message, [("param", name), ("expected", expected)])
        }
        ParamError::TooMuch(expected) => {
            refuse(Reason::ParamValue, message, [("expected", expected)])
        }
        ParamError::Scope(_) => refuse(Reason::AgentNotFound, message, []),
    }
}

/// Files of a request that are no strategy: each mistake is named.
fn files(error: &LoadError) -> Status {
    let mistakes: Vec<_> = error.diagnostics.iter().map(ToString::to_string).collect();
    let mistakes = mistakes.join("; ");
    refuse_violation(Reason::FilesMalformed, FILES_FIELD, &mistakes, format!("files: {mistakes}"))
}

/// The report on a folder that could not even be read.
pub(crate) fn load_report(error: LoadError) -> v1::TrialReport {
    let report = Report { diagnostics: error.diagnostics, ..Report::default() };
    let faults = report.faults().iter().map(strategy::fault).collect();
    v1::TrialReport { faults, ..v1::TrialReport::default() }
}

/// The report on a strategy that passed, but failed in the team's own VM.
fn install_report(error: &BrainError) -> v1::TrialReport {
    let (file, line) = error.place.clone().unzip();
    let fault = Fault {
        fatal: true,
        file: file.unwrap_or_default(),
        line,
        column: None,
        message: error.message.clone(),
        help: String::new(),
        excerpt: String::new(),
    };
    v1::TrialReport { faults: vec![strategy::fault(&fault)], ..v1::TrialReport::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tonic::Code;
    use tonic_types::StatusExt;

    #[test]
    fn every_refusal_has_a_code_and_a_reason_of_its_own() {
        for (refusal, code, reason) in [
            (Refusal::Pinned(3), Code::FailedPrecondition, "GENERATION_PINNED"),
            (Refusal::Stale, Code::Aborted, "STRATEGY_STALE"),
            (Refusal::NoFolder, Code::FailedPrecondition, "NO_FOLDER"),
            (Refusal::NoGeneration(9), Code::NotFound, "GENERATION_NOT_FOUND"),
            (Refusal::NothingToRollBack, Code::FailedPrecondition, "NOTHING_TO_ROLL_BACK"),
            (Refusal::NoAgent("a9".into()), Code::NotFound, "AGENT_NOT_FOUND"),
            (Refusal::NoRole("wizard".into()), Code::NotFound, "ROLE_NOT_FOUND"),
            (Refusal::CodeTooLong, Code::InvalidArgument, "CODE_TOO_LONG"),
            (Refusal::TooManySessions, Code::ResourceExhausted, "TOO_MANY_SESSIONS"),
            (Refusal::Busy, Code::Unavailable, "TEAM_BUSY"),
            (Refusal::Ended, Code::Unavailable, "TEAM_ENDED"),
        ] {
            let status = status(refusal, false);
            assert_eq!(status.code(), code, "{status}");
            assert_eq!(status.get_details_error_info().unwrap().reason, reason);
        }
    }
}
