//! The refusals of keepers, in the API's form.

use crate::convert::strategy;
use crate::error::{Reason, refuse, refuse_field, refuse_strategy, refuse_violation};
use phalanx_engine::{
    BoardError, BoardWriteError, BrainError, CommandError, EXPIRY_TURNS_MAX, Fault, ParamError,
};
use phalanx_lua::LoadError;
use phalanx_proto::v1;
use phalanx_strategy::{CODE_BYTES_MAX, StrategyError};
use phalanx_trial::TrialResult;
use tonic::Status;

/// The field of a request with the files of a strategy.
pub(crate) const FILES_FIELD: &str = "files";

/// The status of a refusal. `sent`: the request contained the files.
pub(crate) fn status(refusal: StrategyError, sent: bool) -> Status {
    let message = refusal.to_string();
    match refusal {
        StrategyError::Faults(trialled) => {
            refuse_strategy(message, strategy::trial_report(&trialled))
        }
        StrategyError::Install(error) => refuse_strategy(message, install_report(&error)),
        StrategyError::Files(error) if sent => files(&error),
        StrategyError::Files(error) => refuse_strategy(message, load_report(error)),
        StrategyError::Pinned(number) => {
            refuse(Reason::GenerationPinned, message, [("generation", number.to_string())])
        }
        StrategyError::Stale => refuse(Reason::StrategyStale, message, []),
        StrategyError::NoFolder => refuse(Reason::NoFolder, message, []),
        StrategyError::NoGeneration(number) => {
            refuse(Reason::GenerationNotFound, message, [("generation", number.to_string())])
        }
        StrategyError::NothingToRollBack => refuse(Reason::NothingToRollBack, message, []),
        StrategyError::NoAgent(agent) => refuse(Reason::AgentNotFound, message, [("agent", agent)]),
        StrategyError::NoRole(role) => refuse(Reason::RoleNotFound, message, [("role", role)]),
        StrategyError::Command(error) => command(error),
        StrategyError::CodeTooLong => code_too_long(),
        StrategyError::TooManySessions => refuse(Reason::TooManySessions, message, []),
        StrategyError::Busy => refuse(Reason::TeamBusy, message, []),
        StrategyError::Ended => refuse(Reason::TeamEnded, message, []),
    }
}

/// The status of a refused command.
pub(crate) fn command(error: CommandError) -> Status {
    let message = error.to_string();
    match error {
        CommandError::NoSuchAgent { id } => {
            refuse(Reason::AgentNotFound, message, [("agent", id.to_string())])
        }
        CommandError::NoSuchRole { role, .. } => {
            refuse(Reason::RoleNotFound, message, [("role", role)])
        }
        CommandError::Memory(_) => refuse(Reason::MemoryRefused, message, []),
        CommandError::Order(_) => {
            let text = format!("order: {message}");
            refuse_violation(Reason::OrderMalformed, "order", &message, text)
        }
        CommandError::Turns { .. } => refuse(Reason::TurnsMalformed, message, []),
        CommandError::NotPiloted { agent } => {
            refuse(Reason::NotPiloted, message, [("agent", agent)])
        }
        CommandError::Piloted { by, .. } => refuse(Reason::PilotedByOther, message, [("by", by)]),
        CommandError::Name { .. } => {
            refuse_violation(Reason::AgentSpec, "agent.name", &message, message.clone())
        }
        CommandError::NameTaken { name } => refuse(Reason::AgentExists, message, [("agent", name)]),
        CommandError::TooManyAgents { .. } => refuse(Reason::TooManyAgents, message, []),
        CommandError::Fixed { .. } => refuse(Reason::MembersFixed, message, []),
        CommandError::LastAgent { .. } => refuse(Reason::LastAgent, message, []),
        CommandError::Param(error) => param(error, message),
        CommandError::Board(error) => board(error, message),
        CommandError::Script(error) => refuse_strategy(message, install_report(&error)),
        CommandError::Server(expected) => {
            refuse_violation(Reason::ServerMalformed, "server", &expected, message)
        }
        CommandError::Leaving => refuse(Reason::TeamLeaving, message, []),
        CommandError::Over => refuse(Reason::MatchOver, message, []),
        CommandError::Busy(_) => refuse(Reason::TeamBusy, message, []),
        CommandError::Stuck { .. } => refuse(Reason::TeamStuck, message, []),
        CommandError::Ended => refuse(Reason::TeamEnded, message, []),
    }
}

fn board(error: BoardWriteError, message: String) -> Status {
    let too_large = |reason, message, max: usize, got: usize| {
        refuse(reason, message, [("max", max.to_string()), ("got", got.to_string())])
    };
    match error {
        BoardWriteError::NotFound { key } => {
            refuse(Reason::BoardKeyNotFound, message, [("key", key)])
        }
        BoardWriteError::Changed { now, .. } => {
            refuse(Reason::EtagMismatch, message, [("etag", now)])
        }
        BoardWriteError::Turns { .. } => {
            let expected = format!("1 to {EXPIRY_TURNS_MAX}, or absent for ever");
            refuse_field(Reason::TurnsMalformed, "turns", &expected)
        }
        BoardWriteError::Limit(BoardError::Key { max, got }) => {
            too_large(Reason::BoardKeyTooLong, message, max, got)
        }
        BoardWriteError::Limit(BoardError::Value { max, got }) => {
            too_large(Reason::BoardValueTooLarge, message, max, got)
        }
        BoardWriteError::Limit(BoardError::Full(max) | BoardError::Total(max)) => {
            refuse(Reason::BoardFull, message, [("max", max.to_string())])
        }
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

/// The mistakes of files in a request that are not a strategy.
fn files(error: &LoadError) -> Status {
    let mistakes: Vec<_> = error.diagnostics.iter().map(ToString::to_string).collect();
    let mistakes = mistakes.join("; ");
    refuse_violation(Reason::FilesMalformed, FILES_FIELD, &mistakes, format!("files: {mistakes}"))
}

/// The report on a folder that could not be read.
pub(crate) fn load_report(error: LoadError) -> v1::TrialReport {
    let report = TrialResult::from(error);
    let faults = report.faults().iter().map(strategy::fault).collect();
    v1::TrialReport { faults, ..v1::TrialReport::default() }
}

/// The report on a strategy that passed its trial, but failed in the team's own VM.
fn install_report(error: &BrainError) -> v1::TrialReport {
    let faults = vec![strategy::fault(&Fault::from(error))];
    v1::TrialReport { faults, ..v1::TrialReport::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tonic::Code;
    use tonic_types::StatusExt;

    #[test]
    fn every_refusal_has_a_code_and_a_reason_of_its_own() {
        for (refusal, code, reason) in [
            (StrategyError::Pinned(3), Code::FailedPrecondition, "GENERATION_PINNED"),
            (StrategyError::Stale, Code::Aborted, "STRATEGY_STALE"),
            (StrategyError::NoFolder, Code::FailedPrecondition, "NO_FOLDER"),
            (StrategyError::NoGeneration(9), Code::NotFound, "GENERATION_NOT_FOUND"),
            (StrategyError::NothingToRollBack, Code::FailedPrecondition, "NOTHING_TO_ROLL_BACK"),
            (StrategyError::NoAgent("a9".into()), Code::NotFound, "AGENT_NOT_FOUND"),
            (StrategyError::NoRole("wizard".into()), Code::NotFound, "ROLE_NOT_FOUND"),
            (StrategyError::CodeTooLong, Code::InvalidArgument, "CODE_TOO_LONG"),
            (StrategyError::TooManySessions, Code::ResourceExhausted, "TOO_MANY_SESSIONS"),
            (StrategyError::Busy, Code::Unavailable, "TEAM_BUSY"),
            // The team's own refusals keep their reasons.
            (CommandError::NoSuchAgent { id: 3 }.into(), Code::NotFound, "AGENT_NOT_FOUND"),
            (CommandError::Stuck { abandoned: 3 }.into(), Code::Unavailable, "TEAM_STUCK"),
            (StrategyError::Ended, Code::Unavailable, "TEAM_ENDED"),
        ] {
            let status = status(refusal, false);
            assert_eq!(status.code(), code, "{status}");
            assert_eq!(status.get_details_error_info().unwrap().reason, reason);
        }
    }
}
