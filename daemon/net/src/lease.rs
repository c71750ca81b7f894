//! Which thread acts for a team. A thread in a native call cannot be ended from outside, but it can
//! be abandoned: its lease is taken away and another thread replaces it. When the abandoned thread
//! returns from the call, it notices this before it can do anything, unwinds and ends.
//!
//! The thread counts its steps in one number. The number is odd while the thread works inside the
//! team, where scripts and worlds may keep it, and even while it hands outputs over. A thread can
//! only be abandoned in an odd step, and only while the step is still the same, so that nothing is
//! ever sent by halves.

use phalanx_engine::CallKind;
use phalanx_game::AgentId;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// The step number of an abandoned thread.
const ABANDONED: u64 = u64::MAX;
/// Set for a call that concerns an agent, above the agent's number.
const HAS_AGENT: u32 = 1 << 16;
/// Where the kind of a call begins.
const KIND_SHIFT: u32 = 17;

/// A thread's right to act for its team.
#[derive(Debug, Default)]
pub(crate) struct Lease {
    step: AtomicU64,
    /// The running call into the brain; 0: none.
    call: AtomicU32,
}

/// The payload with which an abandoned thread unwinds.
#[derive(Debug)]
pub(crate) struct Abandoned;

/// A step of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step(u64);

impl Step {
    /// Whether the thread works inside the team, so that it can be abandoned.
    pub(crate) fn is_inside(self) -> bool {
        self.0 % 2 == 1 && self.0 != ABANDONED
    }
}

impl Lease {
    /// Works inside the team. If the thread was abandoned meanwhile, this does not return: it
    /// unwinds with [`Abandoned`].
    pub(crate) fn work<T>(&self, work: impl FnOnce() -> T) -> T {
        self.advance(1);
        let done = work();
        self.advance(1);
        done
    }

    /// Calls the brain, within [`work`](Self::work). Unwinds like it.
    pub(crate) fn call<T>(
        &self,
        call: CallKind,
        agent: Option<AgentId>,
        run: impl FnOnce() -> T,
    ) -> T {
        self.call.store(packed(call, agent), Ordering::Relaxed);
        self.advance(2);
        let done = run();
        self.advance(2);
        self.call.store(0, Ordering::Relaxed);
        done
    }

    fn advance(&self, by: u64) {
        let at = self.step.load(Ordering::Relaxed);
        let moved = || {
            let to = at.wrapping_add(by);
            self.step.compare_exchange(at, to, Ordering::AcqRel, Ordering::Acquire).is_ok()
        };
        if at == ABANDONED || !moved() {
            // Without a panic message, since this is no defect.
            resume_unwind(Box::new(Abandoned));
        }
    }

    /// Continues after a panic in the work.
    pub(crate) fn recover(&self) {
        self.call.store(0, Ordering::Relaxed);
        if self.step().is_inside() {
            self.advance(1);
        }
    }

    /// The thread's current step.
    pub(crate) fn step(&self) -> Step {
        Step(self.step.load(Ordering::Acquire))
    }

    /// Takes the lease away from a thread that is still inside this step.
    pub(crate) fn abandon(&self, at: Step) -> bool {
        let taken = || {
            let (success, failure) = (Ordering::AcqRel, Ordering::Acquire);
            self.step.compare_exchange(at.0, ABANDONED, success, failure).is_ok()
        };
        at.is_inside() && taken()
    }

    /// Whether the thread was abandoned.
    pub(crate) fn is_abandoned(&self) -> bool {
        self.step.load(Ordering::Acquire) == ABANDONED
    }

    /// The running call into the brain, or the one in which the thread was abandoned.
    pub(crate) fn running(&self) -> Option<(CallKind, Option<AgentId>)> {
        unpacked(self.call.load(Ordering::Relaxed))
    }
}

fn packed(call: CallKind, agent: Option<AgentId>) -> u32 {
    let kind = match call {
        CallKind::Start => 1,
        CallKind::Plan => 2,
        CallKind::Decide => 3,
        CallKind::Finish => 4,
        CallKind::Install => 5,
        CallKind::HandOver => 6,
        CallKind::Run => 7,
    };
    let agent = agent.map_or(0, |agent| HAS_AGENT | u32::from(agent.0));
    kind << KIND_SHIFT | agent
}

fn unpacked(call: u32) -> Option<(CallKind, Option<AgentId>)> {
    let kind = match call >> KIND_SHIFT {
        1 => CallKind::Start,
        2 => CallKind::Plan,
        3 => CallKind::Decide,
        4 => CallKind::Finish,
        5 => CallKind::Install,
        6 => CallKind::HandOver,
        7 => CallKind::Run,
        _ => return None,
    };
    let number = u16::try_from(call & (HAS_AGENT - 1)).ok();
    let agent = number.filter(|_| call & HAS_AGENT != 0).map(AgentId);
    Some((kind, agent))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    #[test]
    fn only_who_is_inside_the_same_step_is_abandoned_and_it_gets_no_further() {
        let lease = Lease::default();
        assert!(!lease.abandon(lease.step()), "it hands something out");
        let before = lease.step();
        let inside = lease.work(|| lease.step());
        assert!(inside.is_inside() && !before.is_inside());
        assert!(!lease.abandon(inside), "it has moved on");
        let work = AssertUnwindSafe(|| {
            lease.work(|| {
                let called = || assert!(lease.abandon(lease.step()));
                lease.call(CallKind::Decide, Some(AgentId(3)), called);
                unreachable!("the call did not return");
            })
        });
        let end = catch_unwind(work).unwrap_err();
        assert!(end.is::<Abandoned>() && lease.is_abandoned());
        assert_eq!(lease.running(), Some((CallKind::Decide, Some(AgentId(3)))));
        let again = catch_unwind(AssertUnwindSafe(|| lease.work(|| ())));
        assert!(again.is_err());
    }

    #[test]
    fn after_a_panic_inside_the_thread_goes_on() {
        let lease = Lease::default();
        let work = AssertUnwindSafe(|| lease.work(|| std::panic::resume_unwind(Box::new(()))));
        assert!(catch_unwind(work).is_err());
        lease.recover();
        assert_eq!((lease.work(|| 7), lease.running()), (7, None));
    }

    #[test]
    fn each_call_is_known_by_its_number() {
        let kinds = [
            CallKind::Start,
            CallKind::Plan,
            CallKind::Decide,
            CallKind::Finish,
            CallKind::Install,
            CallKind::HandOver,
            CallKind::Run,
        ];
        for kind in kinds {
            for agent in [None, Some(AgentId(0)), Some(AgentId(u16::MAX))] {
                assert_eq!(unpacked(packed(kind, agent)), Some((kind, agent)));
            }
        }
        assert_eq!(unpacked(0), None);
    }
}
