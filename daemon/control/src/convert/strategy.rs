//! Generations, findings, parameters and measurements.

pub(crate) use phalanx_convert::strategy::{FAULTS_MAX, GENERATIONS, fault, generation};

use super::team::resource_name;
use super::{count, duration, value};
use phalanx_engine::{CallProfile, ParamKind, ParamSpec, Profile, Scope, StackSample};
use phalanx_game::{Roster, Value};
use phalanx_lua::Bundle;
use phalanx_proto::v1;
use phalanx_strategy::{Evaluated, GenerationInfo, StrategyStatus, Trialled};
use std::sync::Arc;

/// A generation with what its keeper knows, without files.
pub(crate) fn generation_info(team: &str, info: &GenerationInfo) -> v1::Generation {
    v1::Generation {
        active: info.active,
        taken_back: info.taken_back.clone(),
        file_count: count(info.file_count),
        ..generation(team, &info.generation)
    }
}

/// The same with the files.
pub(crate) fn with_files(team: &str, info: &GenerationInfo, bundle: &Bundle) -> v1::Generation {
    let file = |(path, source): (&str, &Arc<str>)| v1::StrategyFile {
        path: path.to_owned(),
        source: source.to_string(),
    };
    v1::Generation { files: bundle.files().map(file).collect(), ..generation_info(team, info) }
}

pub(crate) fn strategy(team: &str, status: &StrategyStatus) -> v1::Strategy {
    let folder = status.folder.as_ref().map(|folder| folder.display().to_string());
    v1::Strategy {
        name: format!("{}/strategy", resource_name(team)),
        generation: Some(generation_info(team, &status.active)),
        pinned: status.pinned,
        on_probation: status.on_probation,
        folder: folder.unwrap_or_default(),
        watching: status.watching,
        last_trial: status.last_trial.as_deref().map(trial_report),
    }
}

pub(crate) fn trial_report(trialled: &Trialled) -> v1::TrialReport {
    let Trialled { report, origin, at } = trialled;
    v1::TrialReport {
        passed: report.passed(),
        hash: report.hash.clone(),
        origin: origin.as_ref().map(ToString::to_string).unwrap_or_default(),
        time: Some((*at).into()),
        faults: report.faults().iter().take(FAULTS_MAX).map(fault).collect(),
        specs_passed: report.specs_passed,
        specs_failed: report.specs_failed,
        turns_rehearsed: report.turns_rehearsed,
        spent: Some(duration(report.spent)),
    }
}

/// A parameter with what operators set.
pub(crate) fn param(spec: &ParamSpec, set: &[(&Scope, &Value)], roster: &Roster) -> v1::Param {
    let bounds = match &spec.kind {
        ParamKind::Num { min, max, .. } => Some((*min, *max)),
        ParamKind::Bool | ParamKind::Text(_) => None,
    };
    let words = match &spec.kind {
        ParamKind::Text(words) => words.clone(),
        ParamKind::Bool | ParamKind::Num { .. } => Vec::new(),
    };
    let values = set.iter().map(|(scope, set)| v1::ParamValue {
        scope: param_scope(scope, roster),
        value: Some(value::to_api(set)),
    });
    v1::Param {
        name: spec.name.clone(),
        accepts: spec.kind.to_string(),
        default_value: Some(value::to_api(&spec.default)),
        doc: spec.doc.clone(),
        values: values.collect(),
        min: bounds.map(|(min, _)| min).filter(|min| min.is_finite()),
        max: bounds.map(|(_, max)| max).filter(|max| max.is_finite()),
        words,
    }
}

fn param_scope(scope: &Scope, roster: &Roster) -> Option<v1::ParamScope> {
    let part = match scope {
        Scope::Team => return None,
        Scope::Role(role) => v1::param_scope::Part::Role(role.clone()),
        Scope::Agent(agent) => v1::param_scope::Part::Agent(roster.name(*agent).to_owned()),
    };
    Some(v1::ParamScope { part: Some(part) })
}

pub(crate) fn profile(profile: Profile) -> v1::ProfileStrategyResponse {
    v1::ProfileStrategyResponse {
        turns: profile.turns,
        calls: profile.calls.into_iter().map(call).collect(),
        stacks: profile.stacks.into_iter().map(stack).collect(),
        sample_every: Some(duration(profile.sample_every)),
        samples_dropped: profile.samples_dropped,
    }
}

fn call(call: CallProfile) -> v1::CallProfile {
    v1::CallProfile {
        role: call.role,
        call: call.call.to_owned(),
        count: call.count,
        total: Some(duration(call.total)),
        longest: Some(duration(call.longest)),
        allocated_bytes: call.allocated,
        collector: Some(duration(call.collector)),
    }
}

fn stack(stack: StackSample) -> v1::StackSample {
    v1::StackSample { frames: stack.frames, count: stack.count }
}

pub(crate) fn evaluated(evaluated: Evaluated) -> v1::EvalScriptResponse {
    v1::EvalScriptResponse {
        text: evaluated.text,
        lines: evaluated.lines,
        error: evaluated.error,
        step: evaluated.turn.step,
        generation: evaluated.generation,
    }
}
