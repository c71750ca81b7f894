//! A brain whose calls are kept.

use super::Tape;
use phalanx_engine::{
    Ask, Brain, BrainError, BrainErrorKind, CallKind, Carry, Memory, Outcome, Profile, Ran,
    RoundResult, Shared, Staged, TapedCall, TeamAct, TimeReads,
};
use phalanx_game::{AgentId, Roster, Said};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A brain whose calls are kept on a tape, as long as it is on.
#[derive(Debug)]
pub(crate) struct TapedBrain<B> {
    brain: B,
    tape: Tape,
    shared: Rc<RefCell<Shared>>,
    clock: fn() -> Instant,
}

impl<B: Brain> TapedBrain<B> {
    /// `clock` tells when a call begins; where time is virtual it need not move.
    pub(crate) fn new(
        brain: B,
        tape: Tape,
        shared: Rc<RefCell<Shared>>,
        clock: fn() -> Instant,
    ) -> Self {
        if tape.is_on() {
            shared.borrow_mut().time = TimeReads::Kept(Vec::new());
        }
        Self { brain, tape, shared, clock }
    }

    fn call<T>(
        &mut self,
        call: CallKind,
        agent: Option<AgentId>,
        budget: Duration,
        run: impl FnOnce(&mut B) -> Outcome<T>,
    ) -> Outcome<T> {
        if !self.tape.is_on() {
            return run(&mut self.brain);
        }
        let began = (self.clock)();
        let outcome = run(&mut self.brain);
        let stopped = outcome.result.as_ref().err().filter(|error| is_stopped(error)).cloned();
        let reads = self.shared.borrow_mut().time.take();
        let spent = outcome.spent;
        let kept = TapedCall { call, agent, spent, budget, reads, stopped };
        self.tape.step(began, || TeamAct::Called(kept));
        outcome
    }
}

/// The script did not end by itself.
fn is_stopped(error: &BrainError) -> bool {
    matches!(error.kind, BrainErrorKind::Budget | BrainErrorKind::Memory)
}

impl<B: Brain> Brain for TapedBrain<B> {
    fn start(&mut self, ask: &Ask<'_>) -> Outcome<()> {
        self.call(CallKind::Start, Some(ask.agent), ask.budget, |brain| brain.start(ask))
    }

    fn plan(&mut self, ask: &Ask<'_>) -> Outcome<()> {
        self.call(CallKind::Plan, None, ask.budget, |brain| brain.plan(ask))
    }

    fn decide(&mut self, ask: &Ask<'_>) -> Outcome<Said> {
        self.call(CallKind::Decide, Some(ask.agent), ask.budget, |brain| brain.decide(ask))
    }

    fn finish(&mut self, ask: &Ask<'_>, result: RoundResult) -> Outcome<()> {
        self.call(CallKind::Finish, Some(ask.agent), ask.budget, |brain| brain.finish(ask, result))
    }

    fn generation(&self) -> u32 {
        self.brain.generation()
    }

    fn install(
        &mut self,
        staged: &Staged,
        spare: Option<&[Memory]>,
    ) -> Result<Vec<Memory>, BrainError> {
        let timed = |brain: &mut B| Outcome::new(brain.install(staged, spare), staged.cost);
        self.call(CallKind::Install, None, staged.cost, timed).result
    }

    fn roles(&self) -> Option<BTreeSet<String>> {
        self.brain.roles()
    }

    fn hand_over(
        &mut self,
        agent: AgentId,
        role: &str,
        carry: Carry,
        budget: Duration,
    ) -> Result<(), BrainError> {
        let timed = |brain: &mut B| {
            Outcome::new(brain.hand_over(agent, role, carry, budget), Duration::ZERO)
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

    fn run(&mut self, ask: &Ask<'_>, code: &str) -> Outcome<Ran> {
        self.call(CallKind::Run, Some(ask.agent), ask.budget, |brain| brain.run(ask, code))
    }

    fn start_profile(&mut self) {
        self.brain.start_profile();
    }

    fn take_profile(&mut self) -> Profile {
        self.brain.take_profile()
    }
}
