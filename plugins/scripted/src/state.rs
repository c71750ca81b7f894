//! The state of a script, which survives threads: a snapshot and the calls since then.
//!
//! A state is a Luau table in the VM of the thread that used it last. Sessions, worlds and arenas move
//! between threads, and worlds are copied, so the state is also known as data: a snapshot and the
//! calls that followed. Another thread calculates the table again from these. A snapshot is taken
//! when the calls have become several times as large as the last one, so the mean cost of a call stays
//! the same.
//!
//! After a snapshot the state goes on from it and not from the old table: Luau walks a table in an
//! order that depends on its history, and every copy must have the same history.

use crate::folder::GameFolder;
use crate::natives::Report;
use crate::percept::{self, VALUE_BYTES};
use crate::vm::{self, Arg, GameVm, Module, Ready, of_vm};
use mlua::Value as LuaValue;
use phalanx_game::{Plain, Value};
use phalanx_luau::failure::Failure;
use phalanx_luau::plain::{self, PlainLimits};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Largest state.
const STATE: PlainLimits = PlainLimits { values: 2_000_000, text_bytes: 64 << 20, depth: 64 };
/// Fewest values in calls from which on a snapshot is taken. Sessions wander between the threads of the
/// runtime, and each new thread calculates them again, so theirs must stay short.
const SNAPSHOT_MIN: usize = 200;
/// They must also be this many times as many as in the last snapshot: a snapshot of a large world
/// takes milliseconds, and another thread needs about as long for these calls as they took.
const SNAPSHOT_SHARE: usize = 12;

static IDS: AtomicU64 = AtomicU64::new(0);

fn next_id() -> u64 {
    IDS.fetch_add(1, Ordering::Relaxed)
}

/// Where a state began.
#[derive(Clone, Debug)]
enum Birth {
    /// With the result of this function.
    Made(&'static str, Arc<[Arg]>),
    /// With this data.
    Saved(Arc<Plain>),
}

#[derive(Clone, Debug)]
struct Logged {
    function: &'static str,
    args: Arc<[Arg]>,
}

/// The state of a session, a world or an arena.
#[derive(Debug)]
pub(crate) struct ScriptState {
    folder: Arc<GameFolder>,
    module: Module,
    id: u64,
    birth: Birth,
    log: Vec<Logged>,
    /// Values in the log.
    weight: usize,
    /// Values in the log from which on a snapshot is taken.
    most: usize,
    /// Calls since the beginning.
    calls: u64,
}

/// A copy goes its own way.
impl Clone for ScriptState {
    fn clone(&self) -> Self {
        let Self { folder, module, birth, log, weight, most, calls, .. } = self;
        let (folder, birth, log) = (Arc::clone(folder), birth.clone(), log.clone());
        let (module, weight, most, calls) = (*module, *weight, *most, *calls);
        Self { folder, module, id: next_id(), birth, log, weight, most, calls }
    }
}

impl Drop for ScriptState {
    fn drop(&mut self) {
        vm::forget(&self.folder, self.id);
    }
}

/// What a call gave.
#[derive(Debug)]
pub(crate) struct Called {
    pub(crate) result: Result<Value, Failure>,
    pub(crate) reports: Vec<Report>,
}

impl Called {
    /// What a call that could not begin gives.
    fn failed(failure: Failure) -> Self {
        Self { result: Err(failure), reports: Vec::new() }
    }

    /// What a call with an argument that cannot be read gives: the session hears of it.
    fn unread(error: &mlua::Error, args: &[Arg]) -> Self {
        let mlua::Error::DeserializeError(what) = error else { return Self::failed(of_vm(error)) };
        let got = args.iter().find_map(|arg| match arg {
            Arg::Json(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
            Arg::Value(_) | Arg::Percept(_) => None,
        });
        let args = vec![format!("JSON ({what})").into(), got.into()];
        let report = Report { name: "malformed", args, percept: None };
        Self { result: Ok(Value::Nil), reports: vec![report] }
    }
}

impl ScriptState {
    /// The state that a function of the file makes of these values.
    pub(crate) fn made(
        folder: &Arc<GameFolder>,
        module: Module,
        function: &'static str,
        args: impl Into<Arc<[Arg]>>,
    ) -> Self {
        Self {
            folder: Arc::clone(folder),
            module,
            id: next_id(),
            birth: Birth::Made(function, args.into()),
            log: Vec::new(),
            weight: 0,
            most: SNAPSHOT_MIN,
            calls: 0,
        }
    }

    /// A state that was saved as data.
    pub(crate) fn saved(folder: &Arc<GameFolder>, module: Module, plain: Plain) -> Self {
        let mut state = Self::made(folder, module, "new", []);
        state.birth = Birth::Saved(Arc::new(plain));
        state
    }

    /// Calls a function that may change the state; one that the file does not have does nothing.
    pub(crate) fn call(&mut self, function: &'static str, args: impl Into<Arc<[Arg]>>) -> Called {
        let args = args.into();
        let folder = Arc::clone(&self.folder);
        let called = vm::with_vm(&folder, |vm| {
            let Ok(Some(_)) = vm.function(self.module, function) else {
                // Loading again reports the mistake, if there is one.
                vm.function(self.module, function)?;
                return Ok(Called { result: Ok(Value::Nil), reports: Vec::new() });
            };
            let pushed = match vm.push(&args) {
                Ok(pushed) => pushed,
                Err(error) => return Ok(Called::unread(&error, &args)),
            };
            let ready = self.ready(vm);
            let called = run(vm, self.module, (function, pushed), &ready, true);
            self.calls += 1;
            self.weight +=
                args.iter().map(|arg| weight(arg, vm.keeps_percepts())).sum::<usize>() + 8;
            self.log.push(Logged { function, args });
            let problem = self.keep(vm, ready.value);
            Ok(match (called, problem) {
                (Called { result: Ok(_), reports }, Some(failure)) => {
                    Called { result: Err(failure), reports }
                }
                (called, _) => called,
            })
        });
        called.unwrap_or_else(Called::failed)
    }

    /// Calls a function that must not change the state; `None`: the file does not have it.
    pub(crate) fn ask(&self, function: &str, args: &[Arg]) -> Result<Option<Value>, Failure> {
        vm::with_vm(&self.folder, |vm| {
            if vm.function(self.module, function)?.is_none() {
                return Ok(None);
            }
            let pushed = vm.push(args).map_err(|error| of_vm(&error))?;
            let ready = self.ready(vm);
            let called = run(vm, self.module, (function, pushed), &ready, false);
            vm.keep(ready);
            called.result.map(Some)
        })
    }

    /// Calls a function that does not see the state.
    pub(crate) fn pure(&self, function: &str, args: &[&Value]) -> Result<Option<Value>, Failure> {
        vm::with_vm(&self.folder, |vm| {
            let Some(function) = vm.function(self.module, function)? else { return Ok(None) };
            let pushed: mlua::Result<_> =
                args.iter().map(|arg| plain::push(vm.lua(), arg)).collect();
            let pushed = pushed.map_err(|error| of_vm(&error))?;
            let results = vm.call(self.module, &function, None, pushed)?;
            vm::read(&results).map(Some)
        })
    }

    /// The state as data.
    ///
    /// # Errors
    /// Where it is no plain data.
    pub(crate) fn plain(&self) -> Result<Plain, Failure> {
        vm::with_vm(&self.folder, |vm| {
            let ready = self.ready(vm);
            let plain = ready.value.clone().and_then(|value| self.read(&value));
            vm.keep(ready);
            plain
        })
    }

    fn read(&self, value: &LuaValue) -> Result<Plain, Failure> {
        let read = plain::read(value, STATE);
        let what = match read {
            Ok(Some(plain)) => return Ok(plain),
            Ok(None) => "it returned no state".to_owned(),
            Err(culprit) => format!("in self, {culprit}"),
        };
        Err(Failure { place: Some((self.module.file(), 1)), message: what, memory: false })
    }

    /// The state in the VM: the one that is there, or calculated again.
    fn ready(&self, vm: &GameVm) -> Ready {
        if let Some(ready) = vm.take(self.id, self.calls) {
            return ready;
        }
        let value = self.born(vm);
        let ready = Ready { id: self.id, calls: self.calls, value };
        for logged in &self.log {
            // What it reported was reported then, and what could be read then can be read now.
            let Ok(pushed) = vm.push(&logged.args) else { continue };
            run(vm, self.module, (logged.function, pushed), &ready, true);
        }
        ready
    }

    fn born(&self, vm: &GameVm) -> Result<LuaValue, Failure> {
        match &self.birth {
            Birth::Saved(plain) => {
                plain::push_plain(vm.lua(), plain).map_err(|error| of_vm(&error))
            }
            Birth::Made(name, args) => {
                let missing = || Failure {
                    place: Some((self.module.file(), 1)),
                    message: format!("the function {name} is missing"),
                    memory: false,
                };
                let function = vm.function(self.module, name)?.ok_or_else(missing)?;
                let pushed = vm.push(args).map_err(|error| of_vm(&error))?;
                let results = vm.call(self.module, &function, None, pushed)?;
                let value = results.front().cloned().unwrap_or(LuaValue::Nil);
                // What is not plain data fails here, and not at the first snapshot.
                self.read(&value)?;
                Ok(value)
            }
        }
    }

    /// Keeps the state in the VM, after a snapshot when the calls have become many.
    fn keep(&mut self, vm: &GameVm, mut value: Result<LuaValue, Failure>) -> Option<Failure> {
        let mut problem = None;
        if self.weight > self.most
            && let Ok(state) = &value
        {
            let pushed = self.read(state).and_then(|plain| {
                let again = plain::push_plain(vm.lua(), &plain).map_err(|error| of_vm(&error))?;
                Ok((plain, again))
            });
            match pushed {
                Ok((plain, again)) => {
                    self.most = SNAPSHOT_MIN.max(SNAPSHOT_SHARE * plain_weight(&plain));
                    self.birth = Birth::Saved(Arc::new(plain));
                    self.log.clear();
                    self.weight = 0;
                    value = Ok(again);
                }
                Err(failure) => {
                    // Try again later: the calls are kept, so nothing is lost.
                    self.most *= 2;
                    problem = Some(failure);
                }
            }
        }
        vm.keep(Ready { id: self.id, calls: self.calls, value });
        problem
    }
}

/// Calls a function with a state. `reports`: it may report.
fn run(
    vm: &GameVm,
    module: Module,
    (name, args): (&str, Vec<LuaValue>),
    ready: &Ready,
    reports: bool,
) -> Called {
    let state = match &ready.value {
        Ok(state) => state,
        Err(failure) => return Called::failed(failure.clone()),
    };
    let function = match vm.function(module, name) {
        Ok(Some(function)) => function,
        Ok(None) => return Called { result: Ok(Value::Nil), reports: Vec::new() },
        Err(failure) => return Called::failed(failure),
    };
    if reports && module == Module::Session {
        vm.outbox.replace(Some(Vec::new()));
    }
    let results = vm.call(module, &function, Some(state), args);
    let reports = vm.outbox.take().unwrap_or_default();
    Called { result: results.and_then(|results| vm::read(&results)), reports }
}

/// A call whose percept stays with the host takes this many times less, about.
const PERCEPT_SHARE: usize = 4;

fn weight(arg: &Arg, keeps_percepts: bool) -> usize {
    match arg {
        Arg::Value(value) => percept::weight(value),
        Arg::Percept(percept) => percept.weight() / PERCEPT_SHARE,
        Arg::Json(bytes) if keeps_percepts => 1 + bytes.len() / VALUE_BYTES / PERCEPT_SHARE,
        Arg::Json(bytes) => 1 + bytes.len() / VALUE_BYTES,
    }
}

fn plain_weight(plain: &Plain) -> usize {
    match plain {
        Plain::Table(pairs) => 1 + pairs.iter().map(|(_, item)| plain_weight(item)).sum::<usize>(),
        Plain::Bool(_) | Plain::Num(_) | Plain::Text(_) => 1,
    }
}
