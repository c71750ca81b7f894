//! Raises a flag when a call's time is over, and another when it is time for a sample of a profile.
//! The VM's interrupt reads only one atomic for both: reading a clock there would cost four times
//! more.

use crate::profile::{SAMPLE_EVERY, StackSamples};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::Instant;

/// The timer thread only waits; it needs next to no stack.
const STACK_BYTES: usize = 128 << 10;

/// The call's time is over.
const STOP: u8 = 1;
/// It is time for a sample.
const SAMPLE: u8 = 2;

/// A flag and the thread that raises it.
#[derive(Debug)]
pub(crate) struct Timer {
    inner: Arc<TimerShared>,
    /// What the VM's interrupt sampled.
    pub(crate) samples: Rc<RefCell<StackSamples>>,
    thread: Option<JoinHandle<()>>,
}

/// The side that the VM's interrupt reads.
#[derive(Clone, Debug)]
pub(crate) struct TimerFlag {
    inner: Arc<TimerShared>,
    pub(crate) samples: Rc<RefCell<StackSamples>>,
}

#[derive(Debug, Default)]
struct TimerShared {
    raised: AtomicU8,
    state: Mutex<TimerState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct TimerState {
    deadline: Option<Instant>,
    /// When the thread wakes by itself; `None`: only when notified.
    wakes: Option<Instant>,
    /// When the next sample is due; `None`: nothing is measured.
    sample: Option<Instant>,
    over: bool,
}

impl Timer {
    pub(crate) fn start() -> std::io::Result<Self> {
        let inner = Arc::new(TimerShared::default());
        let shared = Arc::clone(&inner);
        let thread = Builder::new()
            .name("phalanx-budget".into())
            .stack_size(STACK_BYTES)
            .spawn(move || shared.run())?;
        Ok(Self { inner, samples: Rc::default(), thread: Some(thread) })
    }

    pub(crate) fn flag(&self) -> TimerFlag {
        TimerFlag { inner: Arc::clone(&self.inner), samples: Rc::clone(&self.samples) }
    }

    /// Lowers the flag, to be raised at `deadline`. The thread is woken only when it would look
    /// too late by itself: in a run of short calls that is never.
    pub(crate) fn arm(&self, deadline: Instant) {
        let mut state = self.inner.lock();
        state.deadline = Some(deadline);
        self.inner.raised.store(0, Ordering::Relaxed);
        if state.wakes.is_none_or(|wakes| wakes > deadline) {
            state.wakes = Some(deadline);
            self.inner.changed.notify_one();
        }
    }

    /// The call is over: lowers the flag and says whether it was raised.
    pub(crate) fn disarm(&self) -> bool {
        self.inner.lock().deadline = None;
        self.inner.raised.swap(0, Ordering::Relaxed) & STOP != 0
    }

    /// Asks for samples, or for no more.
    pub(crate) fn sampling(&self, on: bool) {
        self.inner.lock().sample = on.then(Instant::now);
        self.inner.changed.notify_one();
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

impl TimerFlag {
    /// Nothing is to be done: what nearly every interrupt finds.
    pub(crate) fn is_low(&self) -> bool {
        self.inner.raised.load(Ordering::Relaxed) == 0
    }

    /// The call's time is over.
    pub(crate) fn stops(&self) -> bool {
        self.inner.raised.load(Ordering::Relaxed) & STOP != 0
    }

    /// A sample is due; asked again it is not.
    pub(crate) fn take_sample(&self) -> bool {
        self.inner.raised.fetch_and(!SAMPLE, Ordering::Relaxed) & SAMPLE != 0
    }
}

impl TimerShared {
    fn lock(&self) -> MutexGuard<'_, TimerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self) {
        let mut state = self.lock();
        while !state.over {
            let now = Instant::now();
            if state.deadline.is_some_and(|deadline| deadline <= now) {
                state.deadline = None;
                self.raised.fetch_or(STOP, Ordering::Relaxed);
            }
            // Between two calls a sample has nothing to show: `arm` lowers it.
            if state.sample.is_some_and(|due| due <= now) {
                self.raised.fetch_or(SAMPLE, Ordering::Relaxed);
                state.sample = Some(now + SAMPLE_EVERY);
            }
            state.wakes = state.deadline.into_iter().chain(state.sample).min();
            state = match state.wakes {
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(wakes) => {
                    let wait = wakes.saturating_duration_since(now);
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
        assert!(flag.is_low());
        assert!(!timer.disarm());
        timer.arm(Instant::now());
        while flag.is_low() {
            std::hint::spin_loop();
        }
        assert!(flag.stops());
        assert!(timer.disarm());
        assert!(flag.is_low());
    }

    #[test]
    fn samples_are_asked_for_again_and_again_and_stop_nothing() {
        let timer = Timer::start().unwrap();
        let flag = timer.flag();
        timer.sampling(true);
        timer.arm(Instant::now() + Duration::from_secs(3600));
        for _ in 0..3 {
            while !flag.take_sample() {
                std::hint::spin_loop();
            }
            assert!(!flag.stops());
        }
        timer.sampling(false);
        assert!(!timer.disarm());
    }
}
