//! Where scripts spend their time and memory.
//!
//! While a profile runs, the timer raises a second flag every millisecond; the VM's interrupt, which
//! reads the same atomic as ever, then walks the stack once. Natives have no interrupt: their time
//! is added to the function that called them. To separate allocations from the collector, it stops
//! the collector while a call runs, and steps it after the call at its usual pace, which is
//! measured by itself. A profile must not fail what would run without it: a call that fills half of the
//! VM's memory gets its collector back at the next sample, and until it is over it may use four times
//! the memory.

use crate::dice::CallPhase;
use crate::failure::cut;
use mlua::Lua;
use phalanx_engine::{CallProfile, Profile, StackSample};
use phalanx_game::sorted::Order;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Time between two samples.
pub(crate) const SAMPLE_EVERY: Duration = Duration::from_millis(1);
/// Most different stacks that are kept.
const STACKS_MAX: usize = 10_000;
/// Deepest stack that is kept, counted from the innermost function.
const FRAMES_MAX: usize = 64;
/// Longest name of a function that is shown, in characters.
const NAME_CHARS_MAX: usize = 100;
/// How many times the VM's memory limit a measured call may use.
const MEMORY_FACTOR: usize = 4;
/// Bytes of one step of the VM's collector.
const STEP_BYTES: usize = 1_024;

/// The samples of the VM's interrupt.
#[derive(Debug, Default)]
pub(crate) struct StackSamples {
    role: String,
    stacks: BTreeMap<Vec<String>, u64>,
    dropped: u64,
}

impl StackSamples {
    /// Notes the functions that run now.
    pub(crate) fn take(&mut self, lua: &Lua) {
        let mut frames: Vec<String> =
            (0..FRAMES_MAX).map_while(|level| lua.inspect_stack(level, frame)).flatten().collect();
        frames.push(self.role.clone());
        frames.reverse();
        if self.stacks.len() >= STACKS_MAX && !self.stacks.contains_key(&frames) {
            self.dropped += 1;
        } else {
            *self.stacks.entry(frames).or_default() += 1;
        }
    }
}

/// The name of a script function. Natives and the prelude count as part of their caller.
fn frame(frame: &mlua::debug::Debug<'_>) -> Option<String> {
    let source = frame.source();
    let file = source.short_src.filter(|_| source.what != "C")?;
    let line = source.line_defined?;
    let is_script = file.ends_with(".luau") || file.ends_with(".lua");
    let names = frame.names();
    let name = names.name.as_deref().map(|name| cut(name, NAME_CHARS_MAX));
    let name = name.as_deref().unwrap_or(if source.what == "main" { "file" } else { "?" });
    is_script.then(|| format!("{file}:{name}:{line}"))
}

/// Adds up what calls cost.
#[derive(Debug, Default)]
pub(crate) struct Profiler {
    rows: BTreeMap<(String, &'static str), CallProfile>,
    /// The collector begins a cycle when this much is in use.
    goal: usize,
    collecting: bool,
    used: usize,
    /// The VM's own limit.
    limit: usize,
}

impl Profiler {
    /// A call begins: the collector rests.
    pub(crate) fn begin(&mut self, lua: &Lua, role: &str, samples: &mut StackSamples) {
        role.clone_into(&mut samples.role);
        lua.gc_stop();
        // A VM without limits refuses none, and does not fail here.
        self.limit = lua.set_memory_limit(0).unwrap_or(0);
        lua.set_memory_limit(self.limit.saturating_mul(MEMORY_FACTOR)).unwrap_or_default();
        self.used = lua.used_memory();
    }

    /// The call is over: counts it, and lets the collector do its share.
    pub(crate) fn end(&mut self, lua: &Lua, phase: CallPhase, role: &str, spent: Duration) {
        let allocated = lua.used_memory().saturating_sub(self.used);
        let began = Instant::now();
        lua.gc_restart();
        self.collect(lua, allocated);
        lua.set_memory_limit(self.limit).unwrap_or_default();
        let collector = began.elapsed();
        let row = self.rows.entry((role.to_owned(), phase.name())).or_default();
        row.count += 1;
        row.total += spent;
        row.longest = row.longest.max(spent);
        row.allocated += u64::try_from(allocated).unwrap_or(u64::MAX);
        row.collector += collector;
    }

    /// A cycle begins at twice what was in use after the last, and keeps pace with allocations.
    fn collect(&mut self, lua: &Lua, allocated: usize) {
        if self.goal == 0 {
            self.goal = self.used.saturating_mul(2);
        }
        if lua.used_memory() > self.limit / 2 {
            // An error of the collector shows in the used memory, which is looked at after calls.
            lua.gc_collect().unwrap_or_default();
            (self.collecting, self.goal) = (false, lua.used_memory().saturating_mul(2));
        }
        self.collecting |= lua.used_memory() >= self.goal;
        if !self.collecting {
            return;
        }
        for _ in 0..=allocated / STEP_BYTES {
            if lua.gc_step().unwrap_or(true) {
                self.collecting = false;
                self.goal = lua.used_memory().saturating_mul(2);
                return;
            }
        }
    }

    /// What was measured, the dearest first.
    pub(crate) fn finish(self, samples: StackSamples) -> Profile {
        let mut calls: Vec<_> = self
            .rows
            .into_iter()
            .map(|((role, call), row)| CallProfile { role, call, ..row })
            .collect();
        calls.order_by_key(|row| std::cmp::Reverse(row.total));
        let mut stacks: Vec<_> = samples
            .stacks
            .into_iter()
            .map(|(frames, count)| StackSample { frames, count })
            .collect();
        stacks.order_by_key(|sample| std::cmp::Reverse(sample.count));
        Profile {
            turns: 0,
            calls,
            stacks,
            sample_every: SAMPLE_EVERY,
            samples_dropped: samples.dropped,
        }
    }
}
