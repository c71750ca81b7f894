//! A brain that reads the recorded times.

use super::tally::Trouble;
use phalanx_engine::{
    Ask, Brain, BrainError, BrainErrorKind, CallKind, Carry, Memory, Outcome, Profile, Ran,
    RoundResult, Shared, Staged, TapedCall, TimeReads,
};
use phalanx_game::sorted::SortedSet;
use phalanx_game::{AgentId, Roster, Said};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::fmt;
use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A call that was not stopped when it was recorded may take this long now, so that the load of the
/// machine changes nothing. Only a defect reaches it.
const PATIENCE: Duration = Duration::from_secs(10);
/// Another strategy may take this many times longer than the referee would have allowed, and at
/// least [`OTHER_PATIENCE_MIN`].
const OTHER_BUDGETS: u32 = 4;
/// See [`OTHER_BUDGETS`].
const OTHER_PATIENCE_MIN: Duration = Duration::from_millis(400);

/// An agent is about to decide.
pub struct Question<'a, 'b> {
    /// The brain that decides.
    pub brain: &'a mut dyn Brain,
    /// The ask; its budget is long enough for a person.
    pub ask: Ask<'b>,
    /// The agent's name.
    pub agent: &'a str,
    /// The role that decides for it.
    pub role: &'a str,
}

impl fmt::Debug for Question<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Question").field("ask", &self.ask).field("agent", &self.agent).finish()
    }
}

/// Called before each decision; may end the run.
pub type Watcher = Box<dyn FnMut(&mut Question<'_, '_>) -> ControlFlow<()>>;

/// The recorded calls of a brain, and their results in the new run.
pub(super) struct Prompter {
    /// The remaining calls of the running step.
    calls: RefCell<VecDeque<TapedCall>>,
    /// Another strategy decides and makes its own calls.
    other: bool,
    watcher: RefCell<Option<Watcher>>,
    /// The team's thread died in this step: a call that is not recorded never ended.
    last_words: Cell<bool>,
    /// There was such a call.
    unfinished: Cell<bool>,
    stopped: Cell<bool>,
    trouble: RefCell<Trouble>,
}

impl fmt::Debug for Prompter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prompter").field("calls", &self.calls).finish_non_exhaustive()
    }
}

impl Prompter {
    pub(super) fn new(other: bool, watcher: Option<Watcher>) -> Self {
        Self {
            calls: RefCell::default(),
            other,
            watcher: RefCell::new(watcher),
            last_words: Cell::new(false),
            unfinished: Cell::new(false),
            stopped: Cell::new(false),
            trouble: RefCell::default(),
        }
    }

    /// Begins a step with these recorded calls.
    pub(super) fn begin(&self, calls: VecDeque<TapedCall>, last_words: bool) {
        *self.calls.borrow_mut() = calls;
        self.last_words.set(last_words);
        self.unfinished.set(false);
    }

    /// Ends the step; false if it did not end when it was recorded.
    pub(super) fn end(&self) -> bool {
        let left = std::mem::take(&mut *self.calls.borrow_mut()).len();
        if !self.other && !self.stopped.get() {
            self.trouble.borrow_mut().calls_unused += left as u64;
        }
        !self.unfinished.get() && !self.stopped.get()
    }

    /// Whether the watcher stopped the run.
    pub(super) fn is_stopped(&self) -> bool {
        self.stopped.get()
    }

    pub(super) fn trouble(&self) -> Trouble {
        *self.trouble.borrow()
    }

    /// The next recorded call of that kind.
    fn next(&self, call: CallKind, agent: Option<AgentId>) -> Option<TapedCall> {
        if self.other {
            return None;
        }
        let mut calls = self.calls.borrow_mut();
        let place = calls.iter().position(|it| it.call == call && it.agent == agent)?;
        calls.remove(place)
    }
}

/// A brain whose calls take the recorded time, read the recorded times, and stop where the recorded
/// calls were stopped.
pub(super) struct RecordedBrain {
    brain: Box<dyn Brain>,
    shared: Rc<RefCell<Shared>>,
    roster: Arc<Roster>,
    prompter: Rc<Prompter>,
}

impl RecordedBrain {
    pub(super) fn new(
        brain: Box<dyn Brain>,
        shared: Rc<RefCell<Shared>>,
        roster: Arc<Roster>,
        prompter: Rc<Prompter>,
    ) -> Self {
        Self { brain, shared, roster, prompter }
    }

    /// How long a call may take in real time.
    fn patience(&self, budget: Duration) -> Duration {
        if self.prompter.other {
            budget.saturating_mul(OTHER_BUDGETS).max(OTHER_PATIENCE_MIN)
        } else {
            PATIENCE
        }
    }

    fn patient<'a>(&self, ask: &Ask<'a>) -> Ask<'a> {
        Ask { budget: self.patience(ask.budget), ..ask.clone() }
    }

    fn call<T>(
        &mut self,
        call: CallKind,
        agent: Option<AgentId>,
        budget: Duration,
        run: impl FnOnce(&mut dyn Brain) -> Outcome<T>,
    ) -> Outcome<T> {
        if self.prompter.stopped.get() {
            return Outcome::new(Err(not_run("it was stopped")), Duration::ZERO);
        }
        match self.prompter.next(call, agent) {
            Some(taped) => self.again(taped, run),
            None if self.prompter.last_words.get() => {
                self.prompter.unfinished.set(true);
                Outcome::new(Err(not_run("it never ended")), Duration::ZERO)
            }
            None => self.anew(budget, run),
        }
    }

    /// Repeats a recorded call.
    fn again<T>(
        &mut self,
        taped: TapedCall,
        run: impl FnOnce(&mut dyn Brain) -> Outcome<T>,
    ) -> Outcome<T> {
        let TapedCall { call, spent, reads, stopped, stopped_after, .. } = taped;
        if let Some(error) = &stopped {
            self.prompter.trouble.borrow_mut().stopped += 1;
            let counted = stopped_after.is_some();
            let atomic = matches!(call, CallKind::Install | CallKind::HandOver);
            // Where a stopped call was stopped is unknown, so it is not begun; a change that failed
            // changed nothing.
            if atomic || (error.kind == BrainErrorKind::Budget && !counted) {
                return Outcome::new(Err(error.clone()), spent);
            }
        }
        let time = TimeReads::given(reads).stopping_after(stopped_after);
        self.shared.borrow_mut().time = time;
        let mut outcome = run(&mut *self.brain);
        self.shared.borrow_mut().time = TimeReads::default().standing_still();
        outcome.spent = spent;
        if let Some(error) = stopped {
            if outcome.result.is_ok() {
                self.prompter.trouble.borrow_mut().stops_missed += 1;
            }
            outcome.result = Err(error);
        }
        outcome
    }

    /// How long such a call would take is unknown: it takes no time.
    fn anew<T>(
        &mut self,
        budget: Duration,
        run: impl FnOnce(&mut dyn Brain) -> Outcome<T>,
    ) -> Outcome<T> {
        self.shared.borrow_mut().time = TimeReads::default().standing_still();
        let began = Instant::now();
        let outcome = run(&mut *self.brain);
        let mut trouble = self.prompter.trouble.borrow_mut();
        if !self.prompter.other {
            trouble.calls_missing += 1;
        } else if began.elapsed() > budget {
            trouble.overruns += 1;
        }
        Outcome { spent: Duration::ZERO, ..outcome }
    }

    /// Gives the watcher a chance to look at this ask.
    fn show(&mut self, ask: &Ask<'_>) {
        let mut watcher = self.prompter.watcher.borrow_mut();
        let Some(watcher) = watcher.as_mut().filter(|_| !self.prompter.stopped.get()) else {
            return;
        };
        self.shared.borrow_mut().time = TimeReads::default().standing_still();
        let role = self.shared.borrow().role(ask.agent).to_owned();
        let ask = Ask { budget: PATIENCE, ..ask.clone() };
        let agent = self.roster.name(ask.agent);
        let mut question = Question { brain: &mut *self.brain, ask, agent, role: &role };
        if watcher(&mut question).is_break() {
            self.prompter.stopped.set(true);
        }
    }
}

fn not_run(why: &str) -> BrainError {
    BrainError::without_place(BrainErrorKind::Script, why)
}

impl Brain for RecordedBrain {
    fn start(&mut self, ask: &Ask<'_>) -> Outcome<()> {
        let patient = self.patient(ask);
        self.call(CallKind::Start, Some(ask.agent), ask.budget, |brain| brain.start(&patient))
    }

    fn plan(&mut self, ask: &Ask<'_>) -> Outcome<()> {
        let patient = self.patient(ask);
        self.call(CallKind::Plan, None, ask.budget, |brain| brain.plan(&patient))
    }

    fn decide(&mut self, ask: &Ask<'_>) -> Outcome<Said> {
        self.show(ask);
        let patient = self.patient(ask);
        self.call(CallKind::Decide, Some(ask.agent), ask.budget, |brain| brain.decide(&patient))
    }

    fn finish(&mut self, ask: &Ask<'_>, result: RoundResult) -> Outcome<()> {
        let patient = self.patient(ask);
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
        // The time that loading took in the trial limits the swap, but this machine may be slower.
        let unhurried = Staged { cost: Duration::ZERO, ..staged.clone() };
        let timed =
            |brain: &mut dyn Brain| Outcome::new(brain.install(&unhurried, spare), staged.cost);
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
        let patience = self.patience(budget);
        let timed = |brain: &mut dyn Brain| {
            Outcome::new(brain.hand_over(agent, role, carry, patience), Duration::ZERO)
        };
        self.call(CallKind::HandOver, Some(agent), budget, timed).result
    }

    fn enroll(&mut self, roster: &Arc<Roster>) {
        self.roster = Arc::clone(roster);
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
        let patient = self.patient(ask);
        self.call(CallKind::Run, Some(ask.agent), ask.budget, |brain| brain.run(&patient, code))
    }

    fn start_profile(&mut self) {
        self.brain.start_profile();
    }

    fn take_profile(&mut self) -> Profile {
        self.brain.take_profile()
    }
}
