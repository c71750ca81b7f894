//! What a keeper refuses, as clients see it.

use crate::convert::strategy;
use crate::error::{Reason, refuse, refuse_field, refuse_strategy, refuse_violation};
use phalanx_engine::{BrainError, Fault, ParamError};
use phalanx_lua::LoadError;
use phalanx_proto::v1;
use phalanx_strategy::{CODE_BYTES_MAX, Refusal};
use phalanx_trial::Report;
use std::time::Duration;
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
    let report = Report {
        hash: String::new(),
        diagnostics: error.diagnostics,
        specs_passed: 0,
        specs_failed: 0,
        turns_rehearsed: 0,
        spent: Duration::ZERO,
        program: None,
        cost: Duration::ZERO,
    };
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
