//! One Luau VM for a game on a thread, shared by all its sessions, worlds and arenas there.
//!
//! Calls are bounded by executed steps (loop iterations and calls), not by time, so that a recording
//! decides again what it decided.

use crate::codec::json;
use crate::folder::GameFolder;
use crate::kits;
use crate::manifest::Manifest;
use crate::natives::{self, Outbox};
use crate::percept::{Percept, PerceptTables};
use crate::steps::Steps;
use mlua::chunk::Compiler;
use mlua::{Function, Lua, LuaOptions, MultiValue, StdLib, Table, Value as LuaValue, VmState};
use phalanx_game::Value;
use phalanx_game::sorted::SortedMap;
use phalanx_luau::failure::Failure;
use phalanx_luau::plain::{self, PlainLimits};
use phalanx_luau::{library, pace, trusted};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// Memory of a VM, in bytes.
const MEMORY_BYTES: usize = 256 << 20;
/// Longest error message, in characters.
const MESSAGE_CHARS: usize = 400;
/// Steps to load a file.
const LOAD_STEPS: u64 = 2_000_000;
/// What a script hands over at once: a message, a percept, an answer, a picture.
const VALUE: PlainLimits = PlainLimits { values: 300_000, text_bytes: 16 << 20, depth: 32 };
/// States that a VM keeps ready; one that is missing is calculated again.
const READY_MAX: usize = 64;
/// The error text of a call that used up its steps; the counter decides.
const STOPPED: &str = "stopped";
/// Returns at once: the interrupt comes when it does. No environment has names of its own to write.
const PRELUDE: &str = include_str!("prelude.luau");

thread_local! {
    /// The VMs of this thread, by the hash of their folder.
    static VMS: RefCell<Vec<Rc<GameVm>>> = const { RefCell::new(Vec::new()) };
}

/// VMs that a thread keeps; a program that plays more games makes the oldest one again.
const VMS_MAX: usize = 4;

/// A file of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Module {
    Session,
    World,
    Arena,
}

impl Module {
    /// The name that `require` knows it by.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::World => "world",
            Self::Arena => "arena",
        }
    }

    /// The file.
    pub(crate) fn file(self) -> String {
        format!("{}.luau", self.name())
    }

    /// Steps that a call may take. A million steps take about ten milliseconds.
    fn steps(self) -> u64 {
        match self {
            Self::Session => 500_000,
            Self::World => 2_000_000,
            Self::Arena => 10_000_000,
        }
    }
}

/// An argument of a function.
#[derive(Clone, Debug)]
pub(crate) enum Arg {
    Value(Value),
    /// A JSON message, which becomes tables without a detour.
    Json(Arc<[u8]>),
    /// A percept whose fields become values when they are read: see `percept.rs`.
    Percept(Percept),
}

impl<T: Into<Value>> From<T> for Arg {
    fn from(value: T) -> Self {
        Self::Value(value.into())
    }
}

/// A state that is ready for its next call.
pub(crate) struct Ready {
    pub(crate) id: u64,
    /// How many calls it contains, over all its snapshots.
    pub(crate) calls: u64,
    pub(crate) value: Result<LuaValue, Failure>,
}

pub(crate) struct GameVm {
    hash: String,
    lua: Lua,
    steps: Rc<Steps>,
    require: Function,
    percepts: PerceptTables,
    modules: RefCell<SortedMap<Module, Result<Table, Failure>>>,
    /// The functions that were looked up.
    functions: RefCell<SortedMap<Module, SortedMap<String, Option<Function>>>>,
    pub(crate) outbox: Rc<Outbox>,
    pub(crate) ready: RefCell<Vec<Ready>>,
}

/// Runs something with this thread's VM of a game.
///
/// # Errors
/// When there is no memory for a VM.
pub(crate) fn with_vm<T>(
    folder: &Arc<GameFolder>,
    work: impl FnOnce(&GameVm) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let known = VMS.with_borrow(|vms| vms.iter().find(|vm| vm.hash == folder.hash()).cloned());
    let vm = match known {
        Some(vm) => vm,
        None => {
            let vm = Rc::new(GameVm::new(folder).map_err(|error| of_vm(&error))?);
            VMS.with_borrow_mut(|vms| {
                if vms.len() >= VMS_MAX {
                    vms.remove(0);
                }
                vms.push(Rc::clone(&vm));
            });
            vm
        }
    };
    work(&vm)
}

pub(crate) fn of_vm(error: &mlua::Error) -> Failure {
    Failure::from_error(error, MESSAGE_CHARS)
}

impl GameVm {
    fn new(folder: &Arc<GameFolder>) -> mlua::Result<Self> {
        let libs = StdLib::COROUTINE
            | StdLib::TABLE
            | StdLib::STRING
            | StdLib::UTF8
            | StdLib::BIT
            | StdLib::MATH
            | StdLib::BUFFER
            | StdLib::VECTOR;
        let lua = Lua::new_with(libs, LuaOptions::new().catch_rust_panics(true))?;
        let steps = Rc::new(Steps::new());
        let counted = Rc::clone(&steps);
        lua.set_interrupt(move |_| {
            if counted.take(1) { Ok(VmState::Continue) } else { Err(mlua::Error::runtime(STOPPED)) }
        });
        library::bound(&lua)?;
        let outbox = Rc::<Outbox>::default();
        let prelude: Table = trusted(&lua, PRELUDE)?.call(())?;
        pace::arm(&lua, prelude.raw_get("pause")?)?;
        // A folder that is played has a manifest without mistakes.
        let form = Manifest::read(folder).ok().and_then(|manifest| manifest.percept);
        let kit = kits::kit(&lua, &steps, form.as_ref())?;
        let environment: Table = natives::environment(&lua, &outbox, (&prelude, kit))?;
        let percepts = PerceptTables::new(&lua, &steps, form, &prelude.raw_get("percepts")?)?;
        let require = requirer(&lua, folder, &environment)?;
        environment.raw_set("require", &require)?;
        // No file can change its environment: names are looked up once, and calls of Luau's own
        // functions need no call.
        environment.set_safeenv(true);
        lua.sandbox(true)?;
        lua.set_memory_limit(MEMORY_BYTES)?;
        Ok(Self {
            hash: folder.hash().to_owned(),
            lua,
            steps,
            require,
            percepts,
            modules: RefCell::default(),
            functions: RefCell::default(),
            outbox,
            ready: RefCell::default(),
        })
    }

    /// Whether the percept of a message stays text.
    pub(crate) fn keeps_percepts(&self) -> bool {
        self.percepts.form.is_some()
    }

    pub(crate) fn lua(&self) -> &Lua {
        &self.lua
    }

    /// The table that a file returned.
    fn module(&self, module: Module) -> Result<Table, Failure> {
        if let Some(known) = self.modules.borrow().get(&module) {
            return known.clone();
        }
        let loaded = self.bounded(LOAD_STEPS, || self.require.call::<LuaValue>(module.name()));
        let table = loaded.and_then(|value| {
            value.as_table().cloned().ok_or_else(|| Failure {
                place: Some((module.file(), 1)),
                message: "it must return a table of functions".to_owned(),
                memory: false,
            })
        });
        self.modules.borrow_mut().insert(module, table.clone());
        table
    }

    /// The function of a file, `queries.nearest` for one in a table of it; `None` without one.
    pub(crate) fn function(&self, module: Module, name: &str) -> Result<Option<Function>, Failure> {
        let known = self.functions.borrow().get(&module).and_then(|all| all.get(name).cloned());
        if let Some(known) = known {
            return Ok(known);
        }
        let found = self.find(module, name)?;
        let mut functions = self.functions.borrow_mut();
        functions.entry(module).or_default().insert(name.to_owned(), found.clone());
        Ok(found)
    }

    fn find(&self, module: Module, name: &str) -> Result<Option<Function>, Failure> {
        let mut table = self.module(module)?;
        let mut parts = name.split('.').peekable();
        while let Some(part) = parts.next() {
            let value: LuaValue = table.raw_get(part).map_err(|error| of_vm(&error))?;
            match (value, parts.peek()) {
                (LuaValue::Function(function), None) => return Ok(Some(function)),
                (LuaValue::Table(inner), Some(_)) => table = inner,
                _absent => return Ok(None),
            }
        }
        Ok(None)
    }

    /// Arguments as values of the VM.
    ///
    /// # Errors
    /// [`mlua::Error::DeserializeError`] for a message that is not JSON.
    pub(crate) fn push(&self, args: &[Arg]) -> mlua::Result<Vec<LuaValue>> {
        let push = |arg: &Arg| match arg {
            Arg::Value(value) => plain::push(&self.lua, value),
            Arg::Json(bytes) => json::push(&self.lua, bytes, &self.percepts),
            Arg::Percept(percept) => match (percept.fields(), percept.plain()) {
                (Some(fields), _) => self.percepts.filled(&self.lua, fields).map(LuaValue::Table),
                (None, Some(value)) => plain::push(&self.lua, value),
                (None, None) => Ok(LuaValue::Nil),
            },
        };
        args.iter().map(push).collect()
    }

    /// Calls a function with a state and arguments, within the steps of its file.
    pub(crate) fn call(
        &self,
        module: Module,
        function: &Function,
        state: Option<&LuaValue>,
        args: Vec<LuaValue>,
    ) -> Result<MultiValue, Failure> {
        let mut all = MultiValue::with_capacity(args.len() + 1);
        all.extend(state.cloned());
        all.extend(args);
        self.bounded(module.steps(), || function.call::<MultiValue>(all))
    }

    fn bounded<T>(&self, most: u64, work: impl FnOnce() -> mlua::Result<T>) -> Result<T, Failure> {
        self.steps.begin(most);
        let done = work();
        let is_stopped = self.steps.end();
        done.map_err(|error| {
            let failure = of_vm(&error);
            if is_stopped {
                let message = format!("stopped after {most} steps: does it loop for ever?");
                return Failure { message, ..failure };
            }
            failure
        })
    }

    /// Keeps a state for its next call; the one that was used longest ago gives way.
    pub(crate) fn keep(&self, state: Ready) {
        let mut ready = self.ready.borrow_mut();
        ready.retain(|other| other.id != state.id);
        if ready.len() >= READY_MAX {
            ready.remove(0);
        }
        ready.push(state);
    }

    /// The state of this id, if it contains just these calls.
    pub(crate) fn take(&self, id: u64, calls: u64) -> Option<Ready> {
        let mut ready = self.ready.borrow_mut();
        let index = ready.iter().position(|state| state.id == id)?;
        let state = ready.remove(index);
        (state.calls == calls).then_some(state)
    }

    /// A state that nobody calls any more.
    pub(crate) fn forget(&self, id: u64) {
        self.ready.borrow_mut().retain(|state| state.id != id);
    }
}

/// What a function returned, as a value of the host; several results are a list.
pub(crate) fn read(results: &MultiValue) -> Result<Value, Failure> {
    let one = |value: &LuaValue| {
        plain::read_value(value, VALUE).map_err(|culprit| Failure {
            place: None,
            message: format!("what it returned is no plain data: {culprit}"),
            memory: false,
        })
    };
    match results.len() {
        0 => Ok(Value::Nil),
        1 => results.front().map_or(Ok(Value::Nil), one),
        _several => results.iter().map(one).collect::<Result<_, _>>().map(Value::List),
    }
}

/// Drops a state that this thread keeps ready, if it does.
pub(crate) fn forget(folder: &GameFolder, id: u64) {
    // At the end of a thread its VMs may be gone already.
    let known = VMS.try_with(|vms| {
        let vms = vms.try_borrow().ok()?;
        vms.iter().find(|vm| vm.hash == folder.hash()).cloned()
    });
    if let Ok(Some(vm)) = known {
        vm.forget(id);
    }
}

/// `require`: each file of the folder is loaded once.
fn requirer(lua: &Lua, folder: &Arc<GameFolder>, environment: &Table) -> mlua::Result<Function> {
    let (folder, environment) = (Arc::clone(folder), environment.clone());
    let loaded = lua.create_table()?;
    lua.create_function(move |lua, name: mlua::LuaString| {
        let name = name.to_string_lossy();
        let name = name.strip_prefix("./").unwrap_or(&name);
        let name = name.strip_suffix(".luau").unwrap_or(name);
        match loaded.raw_get::<LuaValue>(name)? {
            LuaValue::Nil => {}
            LuaValue::Boolean(_) => {
                let what = format!("require: {name}.luau needs itself, through the files it loads");
                return Err(mlua::Error::runtime(what));
            }
            value => return Ok(value),
        }
        let Some(source) = folder.text(&format!("{name}.luau")) else {
            let what = format!("require: the game's folder has no file {name}.luau");
            return Err(mlua::Error::runtime(what));
        };
        loaded.raw_set(name, false)?;
        let code = Compiler::new().set_optimization_level(2).compile(source);
        let code = code.map_err(|error| not_compiled(name, &error));
        let chunk = code.and_then(|code| {
            let chunk = lua.load(code).set_name(format!("={name}.luau"));
            chunk.set_environment(environment.clone()).into_function()
        });
        let value = chunk.and_then(|chunk| chunk.call::<LuaValue>(()));
        let kept = match &value {
            Ok(LuaValue::Nil) => LuaValue::Boolean(true),
            Ok(value) => value.clone(),
            Err(_) => LuaValue::Nil,
        };
        loaded.raw_set(name, kept)?;
        value
    })
}

/// A mistake of the compiler, which does not know the file: `:3: Expected …`.
fn not_compiled(name: &str, error: &mlua::Error) -> mlua::Error {
    let mlua::Error::SyntaxError { message, .. } = error else { return error.clone() };
    let message = message.trim_start_matches(|letter: char| !letter.is_ascii_digit());
    mlua::Error::runtime(format!("{name}.luau:{message}"))
}
