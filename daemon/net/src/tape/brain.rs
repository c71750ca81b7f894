//! A brain whose calls are recorded.

use super::Tape;
use crate::clock::now;
use crate::lease::Lease;
use phalanx_engine::{
    Ask, Brain, BrainError, BrainErrorKind, CallKind, Carry, Memory, Outcome, Profile, Ran,
    RoundResult, Shared, Staged, TapedCall, TeamAct, TimeReads,
};
use phalanx_game::sorted::{SortedMap, SortedSet};
use phalanx_game::{AgentId, Roster, Said};
use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// On a virtual clock a script is stopped after this many steps (calls and rounds of loops) for each
/// millisecond of its budget: unlike its real time, they do not depend on what else the machine does.
const STEPS_PER_MS: u64 = 50_000;
/// A budget counts as at least this long: a virtual turn may be much shorter than its computation.
const VIRTUAL_BUDGET_MIN: Duration = Duration::from_millis(200);
/// The real time after which a script is stopped on a virtual clock, too: for one whose steps are
/// expensive calls. Only here, decisions can depend on the machine.
const REAL_TIME_MAX: Duration = Duration::from_secs(60);

/// On a virtual clock, a script that used up its time in this many calls is not called any more.
/// Otherwise an endless script would cost real time in every turn, but no time of the match.
const OVERRUNS_MAX: u32 = 2;

/// The error of such a script.
const SUSPENDED: &str = "suspended for the rest of the match";
/// The script of `plan`, among the roles.
const PLAN: &str = "team";

/// A brain whose calls are recorded on a tape while the tape is on.
pub(crate) struct TapedBrain {
    brain: Box<dyn Brain>,
    tape: Tape,
    shared: Rc<RefCell<Shared>>,
    clock: Clock,
    /// The scripts that used up their time on a virtual clock, by role.
    overruns: SortedMap<String, Overruns>,
    /// The time that scripts take on a virtual clock; `None`: none.
    thinking: Option<Thinking>,
    lease: Arc<Lease>,
}

/// How often a script used up its time.
#[derive(Debug, Default)]
struct Overruns {
    calls: u32,
    /// Where it was stopped the last time.
    place: Option<(String, u32)>,
}

/// How long `plan` and `decide` of a role take on a virtual clock; the role of `plan` is `team`.
pub type ThinkTime = Rc<dyn Fn(&str) -> Duration>;

/// The time that a team's scripts take on a virtual clock.
#[derive(Clone)]
pub(crate) struct Thinking {
    time: ThinkTime,
    /// What calls took since it was asked last.
    spent: Rc<Cell<Duration>>,
}

impl Thinking {
    pub(crate) fn new(time: ThinkTime) -> Self {
        Self { time, spent: Rc::default() }
    }

    /// Takes the time that scripts took since the last time.
    pub(crate) fn take(&self) -> Duration {
        self.spent.take()
    }

    fn spend(&self, time: Duration) -> Duration {
        self.spent.set(self.spent.get() + time);
        time
    }
}

impl fmt::Debug for Thinking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Thinking").field("spent", &self.spent).finish_non_exhaustive()
    }
}

/// The clock of a team.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clock {
    Real,
    Virtual,
}

impl Clock {
    /// The real time that a script with this budget may take.
    fn budget(self, budget: Duration) -> Duration {
        match self {
            Self::Real => budget,
            Self::Virtual => REAL_TIME_MAX,
        }
    }

    fn patient<'a>(self, ask: &Ask<'a>) -> Ask<'a> {
        Ask { budget: self.budget(ask.budget), ..ask.clone() }
    }
}

impl TapedBrain {
    /// The brain on the thread of this lease.
    pub(crate) fn new(
        brain: Box<dyn Brain>,
        tape: Tape,
        shared: Rc<RefCell<Shared>>,
        clock: Clock,
        lease: Arc<Lease>,
    ) -> Self {
        let mut time = if tape.is_on() { TimeReads::kept() } else { TimeReads::default() };
        if clock == Clock::Virtual {
            time = time.standing_still();
        }
        shared.borrow_mut().time = time;
        Self { brain, tape, shared, clock, overruns: SortedMap::new(), thinking: None, lease }
    }

    /// On a virtual clock, scripts take time.
    pub(crate) fn thinking(self, thinking: Option<Thinking>) -> Self {
        Self { thinking, ..self }
    }

    fn call<T>(
        &mut self,
        call: CallKind,
        agent: Option<AgentId>,
        budget: Duration,
        run: impl FnOnce(&mut dyn Brain) -> Outcome<T>,
    ) -> Outcome<T> {
        let began = now();
        let lease = Arc::clone(&self.lease);
        let outcome = lease.call(call, agent, || match self.clock {
            Clock::Real => run(&mut *self.brain),
            Clock::Virtual => self.call_virtually((call, agent), budget, run),
        });
        if !self.tape.is_on() {
            return outcome;
        }
        let stopped = outcome.result.as_ref().err().filter(|error| is_stopped(error)).cloned();
        let (reads, stopped_after) = self.shared.borrow_mut().time.take();
        let spent = outcome.spent;
        let kept = TapedCall { call, agent, spent, budget, reads, stopped, stopped_after };
        self.tape.step(began, || TeamAct::Called(kept));
        outcome
    }
}

impl TapedBrain {
    /// Scripts take the virtual time that they are given; those that use up their steps are stopped,
    /// and suspended after some calls.
    fn call_virtually<T>(
        &mut self,
        (call, agent): (CallKind, Option<AgentId>),
        budget: Duration,
        run: impl FnOnce(&mut dyn Brain) -> Outcome<T>,
    ) -> Outcome<T> {
        let role = self.script(call, agent);
        let thinking = self.thinking.clone();
        let thinking = thinking.filter(|_| matches!(call, CallKind::Plan | CallKind::Decide));
        let time = thinking.as_ref().zip(role.as_ref()).map(|(it, role)| (it.time)(role));
        let time = time.unwrap_or_default();
        let spend = |time| thinking.as_ref().map_or(Duration::ZERO, |it| it.spend(time));
        if time > budget {
            let spent = spend(budget);
            return Outcome::new(Err(too_long(role.unwrap_or_default(), budget)), spent);
        }
        let overruns = role.as_ref().and_then(|role| self.overruns.get(role));
        if let Some(overruns) = overruns.filter(|overruns| overruns.calls >= OVERRUNS_MAX) {
            let error = suspended(role.unwrap_or_default(), overruns);
            return Outcome::new(Err(error), Duration::ZERO);
        }
        self.shared.borrow_mut().time.stop_after(Some(steps(budget)));
        let mut outcome = run(&mut *self.brain);
        let is_stopped = matches!(&outcome.result, Err(it) if it.kind == BrainErrorKind::Budget);
        outcome.spent = spend(if is_stopped { budget } else { time });
        if let (Err(error), Some(steps)) = (&mut outcome.result, self.steps_at_stop()) {
            error.message = format!("used up its time: it did not end within {steps} instructions");
        }
        match (&mut outcome.result, role) {
            (Err(error), Some(role)) if error.kind == BrainErrorKind::Budget => {
                let overruns = self.overruns.entry(role).or_default();
                overruns.calls += 1;
                overruns.place.clone_from(&error.place);
                if overruns.calls >= OVERRUNS_MAX {
                    let times = overruns.calls;
                    error.message += &format!(", in {times} calls now: the script is {SUSPENDED}");
                }
            }
            // Another generation has other scripts.
            (Ok(_), _) if call == CallKind::Install => self.overruns.clear(),
            _other => {}
        }
        outcome
    }

    /// After how many steps the last call was stopped, if the brain counts them.
    fn steps_at_stop(&self) -> Option<u64> {
        self.shared.borrow().time.stopped_after()
    }

    /// The role whose script such a call runs.
    fn script(&self, call: CallKind, agent: Option<AgentId>) -> Option<String> {
        match call {
            CallKind::Plan => Some(PLAN.to_owned()),
            CallKind::Start | CallKind::Decide | CallKind::Finish => {
                Some(self.shared.borrow().role(agent?).to_owned())
            }
            CallKind::Install | CallKind::HandOver | CallKind::Run => None,
        }
    }
}

/// How many steps a script with this budget may take on a virtual clock.
fn steps(budget: Duration) -> u64 {
    let millis = u64::try_from(budget.max(VIRTUAL_BUDGET_MIN).as_millis()).unwrap_or(u64::MAX);
    millis.saturating_mul(STEPS_PER_MS)
}

/// The answer for a suspended script. It is recorded as the answer of a stopped call, so that a
/// replay gives it again.
fn suspended(role: String, overruns: &Overruns) -> BrainError {
    let message = format!("{SUSPENDED}: it used up its time in {} calls", overruns.calls);
    let place = overruns.place.clone();
    BrainError { kind: BrainErrorKind::Budget, place, role, message }
}

/// The answer for a script that takes more virtual time than it has. It is not called, and recorded
/// as a stopped call.
fn too_long(role: String, budget: Duration) -> BrainError {
    let message = format!("used up its time, {budget:?}");
    BrainError { kind: BrainErrorKind::Budget, place: None, role, message }
}

/// Whether the script was stopped.
fn is_stopped(error: &BrainError) -> bool {
    matches!(error.kind, BrainErrorKind::Budget | BrainErrorKind::Memory)
}

impl Brain for TapedBrain {
    fn start(&mut self, ask: &Ask<'_>) -> Outcome<()> {
        let patient = self.clock.patient(ask);
        self.call(CallKind::Start, Some(ask.agent), ask.budget, |brain| brain.start(&patient))
    }

    fn plan(&mut self, ask: &Ask<'_>) -> Outcome<()> {
        let patient = self.clock.patient(ask);
        self.call(CallKind::Plan, None, ask.budget, |brain| brain.plan(&patient))
    }

    fn decide(&mut self, ask: &Ask<'_>) -> Outcome<Said> {
        let patient = self.clock.patient(ask);
        self.call(CallKind::Decide, Some(ask.agent), ask.budget, |brain| brain.decide(&patient))
    }

    fn finish(&mut self, ask: &Ask<'_>, result: RoundResult) -> Outcome<()> {
        let patient = self.clock.patient(ask);
        self.call(CallKind::Finish, Some(ask.agent), ask.budget, |brain| {
            brain.finish(&patient, result)
        })
    }

    fn generation(&self) -> u32 {
        self.brain.generation()
    }

    fn install(
        &mut self,
        staged: &Staged,
        spare: Option<&[Memory]>,
    ) -> Result<Vec<Memory>, BrainError> {
        let timed = |brain: &mut dyn Brain| Outcome::new(brain.install(staged, spare), staged.cost);
        self.call(CallKind::Install, None, staged.cost, timed).result
    }

    fn roles(&self) -> Option<SortedSet<String>> {
        self.brain.roles()
    }

    fn hand_over(
        &mut self,
        agent: AgentId,
        role: &str,
        carry: Carry,
        budget: Duration,
    ) -> Result<(), BrainError> {
        let patient = self.clock.budget(budget);
        let timed = |brain: &mut dyn Brain| {
            Outcome::new(brain.hand_over(agent, role, carry, patient), Duration::ZERO)
        };
        self.call(CallKind::HandOver, Some(agent), budget, timed).result
    }

    fn enroll(&mut self, roster: &Arc<Roster>) {
        self.brain.enroll(roster);
    }

    fn forget(&mut self) {
        self.brain.forget();
    }

    fn memories(&mut self) -> Vec<Memory> {
        self.brain.memories()
    }

    fn remember(&mut self, memories: &[Memory]) {
        self.brain.remember(memories);
    }

    fn run(&mut self, ask: &Ask<'_>, code: &str) -> Outcome<Ran> {
        let patient = self.clock.patient(ask);
        self.call(CallKind::Run, Some(ask.agent), ask.budget, |brain| brain.run(&patient, code))
    }

    fn start_profile(&mut self) {
        self.brain.start_profile();
    }

    fn take_profile(&mut self) -> Profile {
        self.brain.take_profile()
    }
}
