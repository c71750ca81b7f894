//! Raises a flag when a call's time is over. The VM's interrupt reads only this flag: reading a
//! clock there would cost four times more.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::Instant;

/// The timer thread only waits; it needs next to no stack.
const STACK_BYTES: usize = 128 << 10;

/// A flag and the thread that raises it.
#[derive(Debug)]
pub(crate) struct Timer {
    inner: Arc<Inner>,
    thread: Option<JoinHandle<()>>,
}

/// The side that the VM's interrupt reads.
#[derive(Clone, Debug)]
pub(crate) struct Flag(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    raised: AtomicBool,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    deadline: Option<Instant>,
    /// When the thread looks again by itself; `None`: when it is told to.
    wakes: Option<Instant>,
    over: bool,
}

impl Timer {
    pub(crate) fn start() -> std::io::Result<Self> {
        let inner = Arc::new(Inner::default());
        let shared = Arc::clone(&inner);
        let thread = Builder::new()
            .name("phalanx-budget".into())
            .stack_size(STACK_BYTES)
            .spawn(move || shared.run())?;
        Ok(Self { inner, thread: Some(thread) })
    }

    pub(crate) fn flag(&self) -> Flag {
        Flag(Arc::clone(&self.inner))
    }

    /// Lowers the flag, to be raised at `deadline`. The thread is woken only when it would look
    /// too late by itself: in a run of short calls that is never.
    pub(crate) fn arm(&self, deadline: Instant) {
        let mut state = self.inner.lock();
        state.deadline = Some(deadline);
        self.inner.raised.store(false, Ordering::Relaxed);
        if state.wakes.is_none_or(|wakes| wakes > deadline) {
            state.wakes = Some(deadline);
            self.inner.changed.notify_one();
        }
    }

    /// The call is over: lowers the flag and says whether it was raised.
    pub(crate) fn disarm(&self) -> bool {
        self.inner.lock().deadline = None;
        self.inner.raised.swap(false, Ordering::Relaxed)
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        self.inner.lock().over = true;
        self.inner.changed.notify_one();
        if let Some(thread) = self.thread.take() {
            // A panicked timer thread has nothing left to tell.
            drop(thread.join());
        }
    }
}

impl Flag {
    pub(crate) fn raised(&self) -> bool {
        self.0.raised.load(Ordering::Relaxed)
    }
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self) {
        let mut state = self.lock();
        while !state.over {
            let now = Instant::now();
            if state.deadline.is_some_and(|deadline| deadline <= now) {
                state.deadline = None;
                self.raised.store(true, Ordering::Relaxed);
            }
            state.wakes = state.deadline;
            state = match state.deadline {
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(deadline) => {
                    let wait = deadline.saturating_duration_since(now);
                    self.changed.wait_timeout(state, wait).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn the_flag_rises_at_the_deadline_and_not_for_a_later_one() {
        let timer = Timer::start().unwrap();
        let flag = timer.flag();
        timer.arm(Instant::now() + Duration::from_secs(3600));
        assert!(!flag.raised());
        assert!(!timer.disarm());
        timer.arm(Instant::now());
        while !flag.raised() {
            std::hint::spin_loop();
        }
        assert!(timer.disarm());
        assert!(!flag.raised());
    }
}
