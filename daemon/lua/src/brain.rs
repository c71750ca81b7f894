//! The engine's brain, played by scripts.

use crate::action_value::ActionValue;
use crate::dice::CallPhase;
use crate::failure::{Failure, SourcePlace, cut};
use crate::host::wanted_roles;
use crate::plain::describe;
use crate::profile::Profiler;
use crate::program::Program;
use crate::swap::Loaded;
use crate::timer::Timer;
use crate::vm::{CallNumbers, EntryPoint, Vm};
use crate::{Diagnostic, Limits, LoadError, Severity, TEAM_SCRIPT};
use mlua::Value as LuaValue;
use phalanx_engine::{
    Ask, Brain, BrainError, BrainErrorKind, Carry, LogLevel, Memory, Outcome, Profile, Provenance,
    Ran, Reason, RoundResult, Staged, TeamLink,
};
use phalanx_game::sorted::{SortedMap, SortedSet};
use phalanx_game::{AgentId, Api, Roster, Said};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A team's strategy, loaded and ready to decide. It lives on the team's thread.
#[derive(Debug)]
pub struct LuaBrain {
    pub(crate) now: Loaded,
    pub(crate) generation: u32,
    /// Who wrote each agent's memory last.
    pub(crate) writers: SortedMap<AgentId, MemoryWriter>,
    pub(crate) timer: Timer,
    /// What is measured, while somebody wants to know.
    profiler: Option<Profiler>,
    pub(crate) rebuilds: u64,
}

/// A role as the writer of a memory.
#[derive(Clone, Debug)]
pub(crate) struct MemoryWriter {
    pub(crate) role: String,
    /// The version of memory that the role declared.
    pub(crate) version: u32,
}

/// What the script gave back, or the failure.
type ScriptAnswer = Result<LuaValue, BrainError>;

/// The role and what its script gave back, and what it explained.
type Entered = (String, ScriptAnswer, Option<Reason>);

impl LuaBrain {
    /// Loads a generation for a team.
    ///
    /// # Errors
    /// All mistakes at once: files that fail while loading, roles of the roster without a file or
    /// without `decide`.
    pub fn new(link: TeamLink, staged: &Staged, limits: Limits) -> Result<Self, LoadError> {
        let refuse = |what: String| LoadError::new(vec![Diagnostic::error("strategy", what)]);
        let program = Program::of(staged).map_err(|error| refuse(error.message))?;
        let wanted = wanted_roles(&link.roster);
        link.shared.borrow_mut().params.forget_declarations();
        let timer = Timer::start().map_err(|error| refuse(format!("no thread: {error}")))?;
        let due = Instant::now() + limits.load;
        let (now, findings) = Loaded::new(&program, &link, limits, &timer, &wanted, due)
            .map_err(|error| refuse(format!("cannot build a VM: {error}")))?;
        if findings.iter().any(|finding| finding.severity == Severity::Error) {
            return Err(LoadError::new(findings));
        }
        let generation = staged.generation.number;
        Ok(Self { now, generation, writers: SortedMap::new(), timer, profiler: None, rebuilds: 0 })
    }

    /// How often the VM had to be rebuilt because the strategy hogged its memory.
    #[must_use]
    pub fn rebuilds(&self) -> u64 {
        self.rebuilds
    }

    /// The roles that the strategy has.
    #[must_use]
    pub fn roles(&self) -> SortedSet<String> {
        self.now.host.roles.borrow().clone()
    }

    /// Memory that the VM uses now, in bytes.
    #[must_use]
    pub fn used_memory(&self) -> usize {
        self.now.vm.lua.used_memory()
    }

    /// One call into the VM under the ask's budget.
    pub(crate) fn call<T>(
        &mut self,
        phase: CallPhase,
        ask: &Ask<'_>,
        role: &str,
        enter: impl FnOnce(&Vm) -> mlua::Result<Result<T, LuaValue>>,
    ) -> Result<T, BrainError> {
        let lua = &self.now.vm.lua;
        if let Some(profiler) = &mut self.profiler {
            profiler.begin(lua, role, &mut self.timer.samples.borrow_mut());
        }
        let now = Instant::now();
        self.now.host.begin(phase, ask, now);
        let shared = Rc::clone(&self.now.host.link.shared);
        let limit = shared.borrow_mut().time.begin_call();
        self.now.vm.count_to(limit);
        self.timer.arm(now + ask.budget);
        let entered = enter(&self.now.vm);
        self.timer.disarm();
        let count = self.now.vm.end_count();
        if let Some(profiler) = &mut self.profiler {
            profiler.end(lua, phase, role, now.elapsed());
        }
        let chars = self.now.host.limits.message_chars;
        let failure = match entered {
            Ok(Ok(answer)) => return Ok(answer),
            Ok(Err(raised)) => Failure::from_value(&raised, chars),
            Err(error) => Failure::from_error(&error, chars),
        };
        let failure = failure.or_at(self.now.host.place.take());
        if let Some(stop) = self.now.vm.take_stop() {
            shared.borrow_mut().time.stopped(count);
            let message = format!("used up its time of {}", rounded(ask.budget));
            let place = stop.or(failure.place);
            return Err(error(BrainErrorKind::Budget, place, role, message));
        }
        if failure.memory {
            let mib = self.now.host.limits.memory_bytes >> 20;
            let message = format!("used up the team's memory of {mib} MiB");
            return Err(error(BrainErrorKind::Memory, failure.place, role, message));
        }
        Err(error(BrainErrorKind::Script, failure.place, role, failure.message))
    }

    fn enter_role(
        &mut self,
        phase: CallPhase,
        entry: EntryPoint,
        ask: &Ask<'_>,
        result: Option<RoundResult>,
    ) -> Entered {
        let role = self.now.host.link.shared.borrow().role(ask.agent).to_owned();
        if !self.now.host.roles.borrow().contains(&role) {
            let message = format!("there is no script for the role \"{role}\"");
            let failed = error(BrainErrorKind::NoRole, None, &role, message);
            return (role, Err(failed), None);
        }
        self.write_as(ask.agent, &role, true);
        let scene = scene(ask, result);
        let answer = self.call(phase, ask, &role, |vm| vm.enter(entry, &role, &scene));
        let reason = self.now.host.reason.take();
        (role, answer, reason)
    }

    /// Assigns the agent's memory to this role; unless `always`, only if it has no role yet.
    pub(crate) fn write_as(&mut self, agent: AgentId, role: &str, always: bool) {
        let known = self.writers.get(&agent);
        if known.is_none_or(|writer| always && writer.role != role) {
            let version = self.now.vm.version(role);
            self.writers.insert(agent, MemoryWriter { role: role.to_owned(), version });
        }
    }

    /// After each call: a VM that stays nearly full would fail the next agents too.
    pub(crate) fn tend(&mut self, answer_failed: bool) {
        let limit = self.now.host.limits.memory_bytes;
        if !is_nearly_full(self.now.vm.lua.used_memory(), limit, answer_failed) {
            return;
        }
        // A failed collection shows in the used memory below.
        let collected = self.now.vm.lua.gc_collect();
        if collected.is_err() || is_nearly_full(self.now.vm.lua.used_memory(), limit, answer_failed)
        {
            self.rebuild();
        }
    }

    pub(crate) fn log(&self, agent: Option<AgentId>, level: LogLevel, text: &str) {
        self.now.host.link.shared.borrow_mut().log(agent, level, text);
    }

    /// Where a role's `decide` is written, for errors about its answer.
    fn decide_place(&self, role: &str) -> Option<SourcePlace> {
        let path = self.now.program.bundle().resolve(role)?;
        Some((path.to_owned(), self.now.vm.role(role)?.decide_line?))
    }
}

impl Brain for LuaBrain {
    fn start(&mut self, ask: &Ask<'_>) -> Outcome<()> {
        let began = Instant::now();
        let (_, answer, reason) = self.enter_role(CallPhase::Start, EntryPoint::Start, ask, None);
        self.tend(answer.is_err());
        Outcome { reason, ..Outcome::new(answer.map(drop), began.elapsed()) }
    }

    fn plan(&mut self, ask: &Ask<'_>) -> Outcome<()> {
        let began = Instant::now();
        let scene = scene(ask, None);
        let answer = self.call(CallPhase::Plan, ask, TEAM_SCRIPT, |vm| vm.plan(&scene));
        self.tend(answer.is_err());
        Outcome::new(answer.map(drop), began.elapsed())
    }

    fn decide(&mut self, ask: &Ask<'_>) -> Outcome<Said> {
        let began = Instant::now();
        let (role, answer, reason) =
            self.enter_role(CallPhase::Decide, EntryPoint::Decide, ask, None);
        let board = self.now.host.take_looks();
        let explained = self.now.host.explained.take();
        let result = answer.and_then(|answer| {
            said(&answer).ok_or_else(|| {
                let message = format!(
                    "decide returned {}; it returns an action, for example {}",
                    describe(&answer),
                    example(self.now.host.link.api)
                );
                let message = cut(&message, self.now.host.limits.message_chars);
                error(BrainErrorKind::Answer, self.decide_place(&role), &role, message)
            })
        });
        let (result, place) = match result {
            Ok(ActionValue { said, place }) => (Ok(said), place),
            Err(error) => {
                let place = error.place.as_ref();
                let place = place.map(|(file, line)| (self.now.host.file(file), *line));
                (Err(error), place)
            }
        };
        self.tend(result.is_err());
        let grounds = Provenance { place, explained, board };
        Outcome { result, spent: began.elapsed(), reason, grounds }
    }

    fn finish(&mut self, ask: &Ask<'_>, result: RoundResult) -> Outcome<()> {
        let began = Instant::now();
        let (_, answer, reason) =
            self.enter_role(CallPhase::Finish, EntryPoint::Finish, ask, Some(result));
        self.tend(answer.is_err());
        Outcome { reason, ..Outcome::new(answer.map(drop), began.elapsed()) }
    }

    fn generation(&self) -> u32 {
        self.generation
    }

    fn install(
        &mut self,
        staged: &Staged,
        spare: Option<&[Memory]>,
    ) -> Result<Vec<Memory>, BrainError> {
        self.swap(staged, spare)
    }

    fn roles(&self) -> Option<SortedSet<String>> {
        Some(Self::roles(self))
    }

    fn hand_over(
        &mut self,
        agent: AgentId,
        role: &str,
        carry: Carry,
        budget: Duration,
    ) -> Result<(), BrainError> {
        self.change_writer(agent, role, carry, Instant::now() + budget)
    }

    fn enroll(&mut self, roster: &Arc<Roster>) {
        Self::enroll(self, roster);
    }

    fn forget(&mut self) {
        Self::forget(self);
    }

    fn memories(&mut self) -> Vec<Memory> {
        self.remembered()
    }

    fn remember(&mut self, memories: &[Memory]) {
        self.recall(memories);
    }

    fn run(&mut self, ask: &Ask<'_>, code: &str) -> Outcome<Ran> {
        self.eval(ask, code)
    }

    fn start_profile(&mut self) {
        self.timer.samples.take();
        self.timer.sampling(true);
        self.profiler = Some(Profiler::default());
    }

    fn take_profile(&mut self) -> Profile {
        self.timer.sampling(false);
        let samples = self.timer.samples.take();
        self.profiler.take().map(|profiler| profiler.finish(samples)).unwrap_or_default()
    }
}

fn said(answer: &LuaValue) -> Option<ActionValue> {
    let action = answer.as_userdata()?.borrow::<ActionValue>().ok()?;
    Some(action.clone())
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

pub(crate) fn scene(ask: &Ask<'_>, result: Option<RoundResult>) -> CallNumbers {
    #[expect(clippy::cast_precision_loss, reason = "scripts count in doubles")]
    let (tick, score) = (ask.tick as f64, result.map(|result| result.score as f64));
    CallNumbers {
        index: f64::from(ask.agent.0) + 1.0,
        step: ask.turn.step,
        round: ask.turn.round,
        tick,
        score,
        ranking: result.and_then(|result| result.ranking),
    }
}

pub(crate) fn error(
    kind: BrainErrorKind,
    place: Option<SourcePlace>,
    role: &str,
    message: String,
) -> BrainError {
    BrainError { kind, place, role: role.to_owned(), message }
}

/// After a failure a VM has to have half of its memory free, else a quarter.
fn is_nearly_full(used: usize, limit: usize, failed: bool) -> bool {
    used > if failed { limit / 2 } else { limit / 4 * 3 }
}

/// Two digits of a budget: what is left of a turn differs from agent to agent, and a message that
/// differs each time cannot be counted.
fn rounded(time: Duration) -> String {
    let millis = time.as_millis();
    if millis == 0 {
        return "less than 1ms".into();
    }
    let unit = 10_u128.pow(millis.ilog10().saturating_sub(1));
    format!("{}ms", millis / unit * unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_told_with_two_digits() {
        let told = |micros| rounded(Duration::from_micros(micros));
        assert_eq!(told(80_495), "80ms");
        assert_eq!(told(249_999), "240ms");
        assert_eq!(told(1_234_567), "1200ms");
        assert_eq!(told(7_900), "7ms");
        assert_eq!(told(900), "less than 1ms");
    }
}
