//! The engine's brain, played by scripts.

use crate::dice::Phase;
use crate::failure::{Failure, Place, cut};
use crate::host::Host;
use crate::natives::Action;
use crate::plain::{self, Plain, describe};
use crate::program::Program;
use crate::timer::Timer;
use crate::vm::{Entry, Scene, Vm};
use crate::{Bundle, Diagnostic, Limits, LoadError, Severity, TEAM_SCRIPT};
use mlua::Value as LuaValue;
use phalanx_engine::{
    Ask, Brain, BrainError, BrainErrorKind, LogLevel, Outcome, RoundResult, Shared, TeamLink,
};
use phalanx_game::{AgentId, Api, Oracle, QueryError, Roster, RosterEntry, Said, Value};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

/// A team's strategy, loaded and ready to decide. It lives on the team's thread.
#[derive(Debug)]
pub struct LuaBrain {
    program: Rc<Program>,
    host: Rc<Host>,
    vm: Vm,
    timer: Timer,
    rebuilds: u64,
}

/// What the script gave back, or the failure.
type Answer = Result<LuaValue, BrainError>;

impl LuaBrain {
    /// Compiles and loads a strategy for a team.
    ///
    /// # Errors
    /// All mistakes at once: files that do not compile or fail while loading, roles of the roster
    /// without a file or without `decide`.
    pub fn new(link: TeamLink, bundle: Arc<Bundle>, limits: Limits) -> Result<Self, LoadError> {
        let wanted = link.roster.agents.iter().map(|entry| entry.role.clone()).collect();
        let (brain, findings) = Self::load(link, bundle, limits, &wanted);
        let refused = findings.iter().any(|finding| finding.severity == Severity::Error);
        match brain {
            Some(brain) if !refused => Ok(brain),
            _refused => Err(LoadError::new(findings)),
        }
    }

    /// How often the VM had to be rebuilt because the strategy hogged its memory.
    #[must_use]
    pub fn rebuilds(&self) -> u64 {
        self.rebuilds
    }

    /// Memory that the VM uses now, in bytes.
    #[must_use]
    pub fn used_memory(&self) -> usize {
        self.vm.lua.used_memory()
    }

    fn load(
        link: TeamLink,
        bundle: Arc<Bundle>,
        limits: Limits,
        wanted: &BTreeSet<String>,
    ) -> (Option<Self>, Vec<Diagnostic>) {
        let (program, mut findings) = Program::compile(bundle);
        let program = Rc::new(program);
        let host = Rc::new(Host::new(link, limits));
        let refuse = |mut findings: Vec<Diagnostic>, what: String| {
            findings.push(Diagnostic::error("strategy", what));
            (None, findings)
        };
        let timer = match Timer::start() {
            Ok(timer) => timer,
            Err(error) => return refuse(findings, format!("cannot start a thread: {error}")),
        };
        match Vm::new(&program, &host, timer.flag()) {
            Ok(vm) => {
                findings.extend(vm.load(&host, &timer, wanted));
                (Some(Self { program, host, vm, timer, rebuilds: 0 }), findings)
            }
            Err(error) => refuse(findings, format!("cannot build a VM: {error}")),
        }
    }

    /// One call into the VM under the ask's budget.
    fn call(
        &mut self,
        phase: Phase,
        ask: &Ask<'_>,
        role: &str,
        enter: impl FnOnce(&Vm) -> mlua::Result<(bool, LuaValue)>,
    ) -> Answer {
        let now = Instant::now();
        self.host.begin(phase, ask, now);
        self.timer.arm(now + ask.budget);
        let entered = enter(&self.vm);
        self.timer.disarm();
        let chars = self.host.limits.message_chars;
        let failure = match entered {
            Ok((true, answer)) => return Ok(answer),
            Ok((false, raised)) => Failure::from_value(&raised, chars),
            Err(error) => Failure::from_error(&error, chars),
        };
        let failure = failure.or_at(self.host.place.take());
        if let Some(stop) = self.vm.take_stop() {
            let message = format!("used up its time of {:?}", ask.budget);
            let place = stop.or(failure.place);
            return Err(error(BrainErrorKind::Budget, place, role, message));
        }
        if failure.memory {
            let mib = self.host.limits.memory_bytes >> 20;
            let message = format!("used up the team's memory of {mib} MiB");
            return Err(error(BrainErrorKind::Memory, failure.place, role, message));
        }
        Err(error(BrainErrorKind::Script, failure.place, role, failure.message))
    }

    fn enter_role(
        &mut self,
        phase: Phase,
        entry: Entry,
        ask: &Ask<'_>,
        result: Option<RoundResult>,
    ) -> (String, Answer) {
        let role = self.host.link.shared.borrow().role(ask.agent).to_owned();
        if !self.host.roles.borrow().contains(&role) {
            let message = format!("there is no script for the role \"{role}\"");
            let failed = error(BrainErrorKind::NoRole, None, &role, message);
            return (role, Err(failed));
        }
        let scene = scene(ask, result);
        let answer = self.call(phase, ask, &role, |vm| vm.enter(entry, &role, &scene));
        (role, answer)
    }

    /// After each call: a VM that stays nearly full would fail the next agents too.
    fn tend(&mut self, answer_failed: bool) {
        let limit = self.host.limits.memory_bytes;
        if !is_nearly_full(self.vm.lua.used_memory(), limit, answer_failed) {
            return;
        }
        // A failed collection shows in the used memory below.
        let collected = self.vm.lua.gc_collect();
        if collected.is_err() || is_nearly_full(self.vm.lua.used_memory(), limit, answer_failed) {
            self.rebuild();
        }
    }

    /// A fresh VM with the agents' memories; what else the scripts kept is gone.
    fn rebuild(&mut self) {
        // Reading the memories must not fail for want of memory.
        let unlimited = self.vm.lua.set_memory_limit(0);
        let kept: Vec<(f64, Plain)> =
            self.host.link.roster.ids().filter_map(|agent| self.keep(agent)).collect();
        let fresh = unlimited.and_then(|_| Vm::new(&self.program, &self.host, self.timer.flag()));
        let restored = fresh.and_then(|vm| {
            let findings = vm.load(&self.host, &self.timer, &BTreeSet::new());
            for (index, memory) in kept {
                vm.set_memory(index, memory.push(&vm.lua)?)?;
            }
            Ok((vm, findings))
        });
        let (level, what) = match restored {
            Ok((vm, findings)) => {
                self.vm = vm;
                self.rebuilds += 1;
                for finding in findings {
                    self.log(None, LogLevel::Error, &finding.to_string());
                }
                (LogLevel::Warn, "the strategy filled its memory: its VM was rebuilt".to_owned())
            }
            Err(error) => (LogLevel::Error, format!("the VM cannot be rebuilt: {error}")),
        };
        self.log(None, level, &what);
    }

    fn keep(&self, agent: AgentId) -> Option<(f64, Plain)> {
        let index = f64::from(agent.0) + 1.0;
        let read = self.vm.memory(index).map_err(|error| error.to_string()).and_then(|memory| {
            plain::read(&memory, self.host.limits.agent_memory)
                .map_err(|culprit| culprit.to_string())
        });
        match read {
            Ok(memory) => memory.map(|memory| (index, memory)),
            Err(reason) => {
                let what =
                    format!("me.memory could not be carried over and is empty now: {reason}");
                self.log(Some(agent), LogLevel::Error, &what);
                None
            }
        }
    }

    fn log(&self, agent: Option<AgentId>, level: LogLevel, text: &str) {
        self.host.link.shared.borrow_mut().log(agent, level, text);
    }

    /// Where a role's `decide` is written, for errors about its answer.
    fn decide_place(&self, role: &str) -> Option<Place> {
        let path = self.program.bundle.resolve(role)?;
        Some((path.to_owned(), self.vm.decide_line(role)?))
    }
}

impl Brain for LuaBrain {
    fn start(&mut self, ask: &Ask<'_>) -> Outcome<()> {
        let began = Instant::now();
        let (_, answer) = self.enter_role(Phase::Start, Entry::Start, ask, None);
        self.tend(answer.is_err());
        Outcome::new(answer.map(drop), began.elapsed())
    }

    fn plan(&mut self, ask: &Ask<'_>) -> Outcome<()> {
        let began = Instant::now();
        let scene = scene(ask, None);
        let answer = self.call(Phase::Plan, ask, TEAM_SCRIPT, |vm| vm.plan(&scene));
        self.tend(answer.is_err());
        Outcome::new(answer.map(drop), began.elapsed())
    }

    fn decide(&mut self, ask: &Ask<'_>) -> Outcome<Said> {
        let began = Instant::now();
        let (role, answer) = self.enter_role(Phase::Decide, Entry::Decide, ask, None);
        let result = answer.and_then(|answer| {
            said(&answer).ok_or_else(|| {
                let message = format!(
                    "decide returned {}; it returns an action, for example {}",
                    describe(&answer),
                    example(self.host.link.api)
                );
                let message = cut(&message, self.host.limits.message_chars);
                error(BrainErrorKind::Answer, self.decide_place(&role), &role, message)
            })
        });
        self.tend(result.is_err());
        Outcome::new(result, began.elapsed())
    }

    fn finish(&mut self, ask: &Ask<'_>, result: RoundResult) -> Outcome<()> {
        let began = Instant::now();
        let (_, answer) = self.enter_role(Phase::Finish, Entry::Finish, ask, Some(result));
        self.tend(answer.is_err());
        Outcome::new(answer.map(drop), began.elapsed())
    }

    fn generation(&self) -> u32 {
        1
    }
}

/// Everything that is wrong with a strategy for a game and these roles, without a match: what
/// [`LuaBrain::new`] would refuse, and warnings.
#[must_use]
pub fn check_bundle(
    api: &'static Api,
    bundle: Arc<Bundle>,
    roles: &[String],
    limits: Limits,
) -> Vec<Diagnostic> {
    let wanted: BTreeSet<String> = roles.iter().cloned().collect();
    let agents = wanted.iter().map(|role| RosterEntry { name: role.clone(), role: role.clone() });
    let roster = Roster { team: "check".into(), agents: agents.collect() };
    let link = TeamLink {
        roster: Arc::new(roster),
        api,
        oracle: Rc::new(Blind),
        shared: Rc::new(RefCell::new(Shared::default())),
        seed: 0,
    };
    let (_, findings) = LuaBrain::load(link, bundle, limits, &wanted);
    LoadError::new(findings).diagnostics
}

/// A world in which nothing is known: files are loaded without a match.
#[derive(Debug)]
struct Blind;

impl Oracle for Blind {
    fn field(&self, _: AgentId, _: &str) -> Option<Value> {
        None
    }

    fn query(&self, _: AgentId, name: &str, _: &[Value]) -> Result<Value, QueryError> {
        Err(QueryError { query: name.into(), reason: "there is no match yet".into() })
    }
}

fn said(answer: &LuaValue) -> Option<Said> {
    let action = answer.as_userdata()?.borrow::<Action>().ok()?;
    Some(action.0.clone())
}

/// An action that needs no arguments, if there is one.
fn example(api: &Api) -> String {
    let simple = |params: &[phalanx_game::ParamDoc]| params.iter().all(|param| param.optional);
    let chosen = api.actions.iter().find(|action| simple(action.params)).or(api.actions.first());
    chosen.map_or_else(
        || "act.…".to_owned(),
        |action| {
            let arguments = if simple(action.params) { "" } else { "…" };
            format!("act.{}({arguments})", action.name)
        },
    )
}

fn scene(ask: &Ask<'_>, result: Option<RoundResult>) -> Scene {
    #[expect(clippy::cast_precision_loss, reason = "scripts count in doubles")]
    let (tick, score) = (ask.tick as f64, result.map(|result| result.score as f64));
    Scene {
        index: f64::from(ask.agent.0) + 1.0,
        step: ask.turn.step,
        round: ask.turn.round,
        tick,
        score,
        ranking: result.and_then(|result| result.ranking),
    }
}

fn error(kind: BrainErrorKind, place: Option<Place>, role: &str, message: String) -> BrainError {
    BrainError { kind, place, role: role.to_owned(), message }
}

/// After a failure a VM has to have half of its memory free, else a quarter.
fn is_nearly_full(used: usize, limit: usize, failed: bool) -> bool {
    used > if failed { limit / 2 } else { limit / 4 * 3 }
}
