//! Generations of strategies and the findings of their trials.

use crate::team::resource_name;
use phalanx_engine::{Fault, Generation, StrategyOrigin};
use phalanx_proto::v1;

/// The most findings of one trial that are returned.
pub const FAULTS_MAX: usize = 1_000;

/// Separates a team's name from a generation's number in a resource name.
pub const GENERATIONS: &str = "/generations/";

/// A generation, with what the team itself knows of it.
#[must_use]
pub fn generation(team: &str, generation: &Generation) -> v1::Generation {
    v1::Generation {
        name: format!("{}{GENERATIONS}{}", resource_name(team), generation.number),
        number: generation.number,
        hash: generation.hash.clone(),
        accept_time: Some(generation.accepted.into()),
        origin: generation.origin.to_string(),
        ..v1::Generation::default()
    }
}

/// A generation became active.
#[must_use]
pub fn activated(
    team: &str,
    activated: &Generation,
    pinned: bool,
    note: &str,
) -> v1::GenerationActivated {
    let activated = v1::Generation { active: true, ..generation(team, activated) };
    v1::GenerationActivated { activated: Some(activated), pinned, note: note.to_owned() }
}

/// A generation was rolled back.
#[must_use]
pub fn taken_back(
    team: &str,
    failed: &Generation,
    instead: &Generation,
    reason: &str,
) -> v1::GenerationTakenBack {
    let activated = v1::Generation { active: true, ..generation(team, instead) };
    v1::GenerationTakenBack {
        failed: failed.number,
        activated: Some(activated),
        reason: reason.to_owned(),
    }
}

/// A strategy was refused.
#[must_use]
pub fn refused(origin: &StrategyOrigin, faults: &[Fault]) -> v1::StrategyRefused {
    v1::StrategyRefused {
        origin: origin.to_string(),
        faults: faults.iter().take(FAULTS_MAX).map(fault).collect(),
    }
}

/// A finding of a trial.
#[must_use]
pub fn fault(fault: &Fault) -> v1::Fault {
    let severity = if fault.fatal { v1::FaultSeverity::Error } else { v1::FaultSeverity::Warning };
    v1::Fault {
        severity: severity.into(),
        file: fault.file.clone(),
        line: fault.line.unwrap_or_default(),
        column: fault.column.unwrap_or_default(),
        message: fault.message.clone(),
        help: fault.help.clone(),
        excerpt: fault.excerpt.clone(),
    }
}
