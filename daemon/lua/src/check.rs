//! A strategy looked at without a match.

use crate::program::Program;
use crate::swap::Loaded;
use crate::timer::Timer;
use crate::{Bundle, Diagnostic, Limits, LoadError, Severity};
use phalanx_engine::{ParamSpec, Shared, TeamLink};
use phalanx_game::sorted::SortedSet;
use phalanx_game::{AgentId, Api, Oracle, QueryError, Roster, RosterEntry, Value};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

/// Everything that is wrong with a strategy for a game and these roles, without a match: what
/// [`stage`](crate::stage) and [`LuaBrain::new`](crate::LuaBrain::new) would refuse, and warnings.
#[must_use]
pub fn check_bundle(
    api: &'static Api,
    bundle: Arc<Bundle>,
    roles: &[String],
    limits: Limits,
) -> Vec<Diagnostic> {
    load(api, bundle, roles, limits, &Rc::default())
}

/// The parameters that a strategy declares while its files are loaded, in order of their names.
///
/// # Errors
/// When its files do not load.
pub fn declared_params(
    api: &'static Api,
    bundle: Arc<Bundle>,
    limits: Limits,
) -> Result<Vec<ParamSpec>, LoadError> {
    let roles: Vec<String> = bundle.root_names().map(str::to_owned).collect();
    let shared = Rc::default();
    let mut findings = load(api, bundle, &roles, limits, &shared);
    findings.retain(|finding| finding.severity == Severity::Error);
    if !findings.is_empty() {
        return Err(LoadError::new(findings));
    }
    let specs = shared.borrow().params.each().map(|(spec, _)| spec.clone()).collect();
    Ok(specs)
}

fn load(
    api: &'static Api,
    bundle: Arc<Bundle>,
    roles: &[String],
    limits: Limits,
    shared: &Rc<RefCell<Shared>>,
) -> Vec<Diagnostic> {
    let wanted: SortedSet<String> = roles.iter().cloned().collect();
    let agents = wanted.iter().map(|role| RosterEntry::new(role.clone(), role.clone()));
    let roster = Roster { team: "check".into(), agents: agents.collect() };
    let link = TeamLink {
        roster: Arc::new(roster),
        api,
        oracle: Rc::new(Blind),
        shared: Rc::clone(shared),
        seed: 0,
    };
    let (program, mut findings) = Program::compile(bundle);
    let due = Instant::now() + limits.load;
    let loaded = Timer::start().map_err(|error| error.to_string()).and_then(|timer| {
        Loaded::new(&Arc::new(program), &link, limits, &timer, &wanted, due)
            .map_err(|error| error.to_string())
    });
    match loaded {
        Ok((_, loading)) => findings.extend(loading),
        Err(error) => {
            let what = format!("cannot build a VM: {error}");
            findings.push(Diagnostic::error("strategy", what));
        }
    }
    LoadError::new(findings).diagnostics
}

/// A world in which nothing is known: files are loaded without a match.
#[derive(Debug)]
pub(crate) struct Blind;

impl Oracle for Blind {
    fn field(&self, _: AgentId, _: &str) -> Option<Value> {
        None
    }

    fn query(&self, _: AgentId, name: &str, _: &[Value]) -> Result<Value, QueryError> {
        Err(QueryError { query: name.into(), reason: "there is no match yet".into() })
    }
}
