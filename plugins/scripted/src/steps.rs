//! The steps of a call, which bound it: loops and calls of a script, and the work of natives.

use mlua::Lua;
use phalanx_luau::failure::current_place;
use std::cell::Cell;

/// Elementary operations of native code that count as one step of a script.
const WORK_PER_STEP: u64 = 8;

/// The steps of the running call.
#[derive(Debug)]
pub(crate) struct Steps {
    taken: Cell<u64>,
    most: Cell<u64>,
}

impl Steps {
    /// No call runs.
    pub(crate) fn new() -> Self {
        Self { taken: Cell::new(0), most: Cell::new(u64::MAX) }
    }

    /// A call begins that may take this many.
    pub(crate) fn begin(&self, most: u64) {
        self.taken.set(0);
        self.most.set(most);
    }

    /// The call has ended; whether it took more than it may.
    pub(crate) fn end(&self) -> bool {
        let is_over = self.taken.get() > self.most.get();
        self.most.set(u64::MAX);
        is_over
    }

    /// Takes some; false when the call has used up its own.
    pub(crate) fn take(&self, steps: u64) -> bool {
        let taken = self.taken.get().saturating_add(steps);
        self.taken.set(taken);
        taken <= self.most.get()
    }
}

/// Counts native work against the steps of the running call.
pub(crate) fn charge(lua: &Lua, steps: &Steps, work: usize) -> mlua::Result<()> {
    let work = u64::try_from(work).unwrap_or(u64::MAX) / WORK_PER_STEP;
    if steps.take(work.saturating_add(1)) { Ok(()) } else { Err(refuse(lua, "too much work")) }
}

/// The innermost line of a script, for natives that refuse something.
pub(crate) fn refuse(lua: &Lua, what: &str) -> mlua::Error {
    match current_place(lua) {
        Some((file, line)) => mlua::Error::runtime(format!("{file}:{line}: {what}")),
        None => mlua::Error::runtime(what),
    }
}
