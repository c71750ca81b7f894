//! One VM with a strategy in it.

use crate::Bundle;
use crate::failure::{EVAL_NAME, Failure, SourcePlace, current_place};
use crate::host::ScriptHost;
use crate::program::Program;
use crate::timer::{Timer, TimerFlag};
use crate::{Diagnostic, TEAM_SCRIPT, pace, prelude};
use mlua::chunk::ChunkMode;
use mlua::{
    Function, Lua, LuaOptions, LuaString, MultiValue, StdLib, Table, Value as LuaValue, VmState,
};
use phalanx_game::sorted::{SortedMap, SortedSet};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

const PRELUDE: &str = include_str!("prelude.luau");

/// The error text of a budget stop. It is never shown: the flag decides.
const STOPPED: &str = "the time is used up";

/// The entry points of a role, as the prelude calls them.
#[derive(Clone, Copy, Debug)]
pub(crate) enum EntryPoint {
    Start,
    Decide,
    Finish,
}

/// The numbers that a call hands to the prelude.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallNumbers {
    /// The prelude's index of the agent, from 1.
    pub(crate) index: f64,
    pub(crate) step: u32,
    pub(crate) round: u32,
    pub(crate) tick: f64,
    /// Score and rank, for `finish`.
    pub(crate) score: Option<f64>,
    pub(crate) ranking: Option<u32>,
}

/// What a role's file says of itself.
#[derive(Clone, Debug)]
pub(crate) struct RoleFile {
    /// The line in which `decide` begins.
    pub(crate) decide_line: Option<u32>,
    /// The version of memory that it declares; 0: none.
    pub(crate) version: u32,
    /// Makes a memory of another version its own.
    pub(crate) migrate: Option<Function>,
}

/// What specs want of the loading of files.
#[derive(Debug)]
pub(crate) struct Outfit {
    /// The names that files of the folder of specs see besides the globals.
    pub(crate) names: Table,
    /// All files that were loaded, for their coverage.
    pub(crate) loaded: RefCell<Vec<(String, Function)>>,
}

/// The prelude's functions, which call into scripts.
#[derive(Debug)]
pub(crate) struct PreludeFunctions {
    enter: Function,
    plan: Function,
    define: Function,
    define_plan: Function,
    run: Function,
    memory: Function,
    set_memory: Function,
    requirer: Function,
    pub(crate) eval: Function,
    pub(crate) fill: Function,
}

impl PreludeFunctions {
    fn new(calls: &Table) -> mlua::Result<Self> {
        Ok(Self {
            enter: calls.raw_get("enter")?,
            plan: calls.raw_get("plan")?,
            define: calls.raw_get("define")?,
            define_plan: calls.raw_get("define_plan")?,
            run: calls.raw_get("run")?,
            memory: calls.raw_get("memory")?,
            set_memory: calls.raw_get("set_memory")?,
            requirer: calls.raw_get("requirer")?,
            eval: calls.raw_get("eval")?,
            fill: calls.raw_get("fill")?,
        })
    }
}

/// How far a call is, in interrupts: they come at the same places each time that the same code runs
/// on the same data.
#[derive(Debug)]
struct Count {
    interrupts: Cell<u64>,
    /// The call is stopped here, whatever the clock says.
    limit: Cell<u64>,
    /// Where a call was stopped last.
    stopped: Cell<u64>,
}

impl Count {
    /// One more interrupt; true when the call has come to its limit.
    fn step(&self) -> bool {
        let interrupts = self.interrupts.get() + 1;
        self.interrupts.set(interrupts);
        interrupts >= self.limit.get()
    }
}

/// What a script gave back, or what it raised.
pub(crate) type ScriptValue = Result<LuaValue, LuaValue>;

/// A loaded VM. Everything in it is dropped with it.
#[derive(Debug)]
pub(crate) struct Vm {
    pub(crate) lua: Lua,
    program: Arc<Program>,
    limit_chars: usize,
    env_meta: Table,
    pub(crate) calls: PreludeFunctions,
    /// The environment of what operators run: names that it sets stay as long as the VM.
    eval_env: RefCell<Option<Table>>,
    /// The names of the agents, by the prelude's index.
    pub(crate) names: Table,
    outfit: RefCell<Option<Rc<Outfit>>>,
    stop: Rc<RefCell<Option<Option<SourcePlace>>>>,
    count: Rc<Count>,
    roles: RefCell<SortedMap<String, RoleFile>>,
}

impl Vm {
    /// A sandboxed VM without scripts.
    pub(crate) fn new(
        program: &Arc<Program>,
        host: &Rc<ScriptHost>,
        flag: TimerFlag,
    ) -> mlua::Result<Self> {
        let libs = StdLib::COROUTINE
            | StdLib::TABLE
            | StdLib::STRING
            | StdLib::UTF8
            | StdLib::BIT
            | StdLib::MATH
            | StdLib::BUFFER
            | StdLib::VECTOR;
        // With this option `pcall` is the VM's own, which coroutines may yield through; natives
        // catch panics of the world themselves.
        let lua = Lua::new_with(libs, LuaOptions::new().catch_rust_panics(true))?;
        let stop = Rc::new(RefCell::new(None));
        let noted = Rc::clone(&stop);
        let limit = Cell::new(u64::MAX);
        let count = Rc::new(Count { interrupts: Cell::default(), limit, stopped: Cell::default() });
        let counted = Rc::clone(&count);
        let half = host.limits.memory_bytes / 2;
        lua.set_interrupt(move |lua| {
            let ends = counted.step();
            if flag.is_low() && !ends {
                return Ok(VmState::Continue);
            }
            if flag.take_sample() {
                flag.samples.borrow_mut().take(lua);
                if lua.used_memory() > half {
                    lua.gc_restart();
                }
            }
            if !flag.stops() && !ends {
                return Ok(VmState::Continue);
            }
            // The first place tells most: later ones are those of handlers that tried to go on.
            noted.borrow_mut().get_or_insert_with(|| {
                counted.stopped.set(counted.interrupts.get());
                current_place(lua)
            });
            Err(mlua::Error::runtime(STOPPED))
        });
        let base = lua.globals();
        let table = prelude::table(&lua, host)?;
        let names = table.raw_get("names")?;
        phalanx_luau::library::bound(&lua)?;
        let calls: Table = phalanx_luau::trusted(&lua, PRELUDE)?.call(table)?;
        pace::arm(&lua, calls.raw_get("pause")?)?;
        let env_meta = lua.create_table()?;
        env_meta.raw_set("__index", &base)?;
        env_meta.raw_set("__metatable", false)?;
        lua.sandbox(true)?;
        let vm = Self {
            program: Arc::clone(program),
            limit_chars: host.limits.message_chars,
            env_meta,
            calls: PreludeFunctions::new(&calls)?,
            eval_env: RefCell::default(),
            names,
            outfit: RefCell::default(),
            stop,
            count,
            roles: RefCell::default(),
            lua,
        };
        *host.tuned.borrow_mut() = Arc::clone(program.bundle().tuned());
        vm.lua.set_memory_limit(host.limits.memory_bytes)?;
        Ok(vm)
    }

    /// Loads all roles and `team`. Files beside `team` that return no `decide` are modules; those
    /// in `wanted` must be roles. Returns what is wrong.
    pub(crate) fn load(
        &self,
        host: &ScriptHost,
        timer: &Timer,
        wanted: &SortedSet<String>,
        due: Instant,
    ) -> Vec<Diagnostic> {
        let mut findings = Vec::new();
        let mut roles = SortedSet::new();
        let bundle = self.program.bundle();
        for name in bundle.root_names().chain(bundle.resolve(TEAM_SCRIPT).map(|_| TEAM_SCRIPT)) {
            let Some(path) = bundle.resolve(name) else { continue };
            host.loading(due);
            timer.arm(due);
            let loaded = self.load_root(host, path);
            timer.disarm();
            if let Some(stop) = self.take_stop() {
                findings.push(self.endless(path, stop, host.limits.load));
                continue;
            }
            match loaded {
                Ok(value) if name == TEAM_SCRIPT => findings.extend(self.define_team(path, &value)),
                Ok(value) => match self.define_role(name, &value) {
                    Ok(()) => {
                        roles.insert(name.to_owned());
                    }
                    Err(what) if wanted.contains(name) => {
                        findings.push(Diagnostic::error(path, what));
                    }
                    Err(_) => {}
                },
                Err(None) => {}
                Err(Some(failure)) => findings.push(self.diagnose(path, failure)),
            }
        }
        findings.extend(missing_roles(&self.program, wanted));
        *host.roles.borrow_mut() = roles;
        findings
    }

    /// A file whose loading was stopped, and where it was then.
    fn endless(&self, path: &str, place: Option<SourcePlace>, limit: Duration) -> Diagnostic {
        let what = format!("loading it took longer than {limit:?}: it may not return at all");
        match place {
            Some((file, line)) => {
                let source = self.program.source(&file);
                Diagnostic::error(file, what).at(line, source)
            }
            None => Diagnostic::error(path, what),
        }
    }

    /// `Err(None)`: it did not compile, which was reported already.
    pub(crate) fn load_root(
        &self,
        host: &ScriptHost,
        path: &str,
    ) -> Result<LuaValue, Option<Failure>> {
        let chars = self.limit_chars;
        let failed = |error: &mlua::Error| Some(Failure::from_error(error, chars));
        let Some(code) = self.program.code(path) else { return Err(None) };
        let run = self
            .environment(path)
            .and_then(|env| {
                let outfit = self.outfit.borrow().clone();
                chunk(&self.lua, &env, path, code, outfit.as_deref())
            })
            .and_then(|chunk| self.calls.run.call::<(bool, LuaValue)>(chunk));
        match run {
            Ok((true, value)) => Ok(value),
            Ok((false, error)) => {
                Err(Some(Failure::from_value(&error, chars).or_at(host.place.take())))
            }
            Err(error) => Err(failed(&error)),
        }
    }

    /// An environment of its own, which sees the read-only globals, with modules of its own.
    fn environment(&self, path: &str) -> mlua::Result<Table> {
        let (lua, meta) = (self.lua.weak(), self.env_meta.clone());
        let (program, outfit) = (Arc::clone(&self.program), self.outfit.borrow().clone());
        let outer = outfit.clone();
        let load = self.lua.create_function(move |_, (name, require): (LuaString, Function)| {
            let Some(lua) = lua.try_upgrade() else { return Err(mlua::Error::runtime(STOPPED)) };
            let name = name.to_string_lossy();
            let found = program.bundle().resolve(&name);
            match found.and_then(|path| Some((path, program.code(path)?))) {
                Some((path, code)) => {
                    let env = environment(&lua, &meta, path, &require, outfit.as_deref())?;
                    Ok((Some(chunk(&lua, &env, path, code, outfit.as_deref())?), None))
                }
                None => Ok((None, Some(unknown_module(&name, program.bundle())))),
            }
        })?;
        let require = self.calls.requirer.call(load)?;
        environment(&self.lua, &self.env_meta, path, &require, outer.as_deref())
    }

    /// The environment of what operators run.
    pub(crate) fn eval_env(&self) -> mlua::Result<Table> {
        let known = self.eval_env.borrow().clone();
        match known {
            Some(env) => Ok(env),
            None => {
                let env = self.environment(EVAL_NAME)?;
                *self.eval_env.borrow_mut() = Some(env.clone());
                Ok(env)
            }
        }
    }

    pub(crate) fn define_role(&self, role: &str, value: &LuaValue) -> Result<(), String> {
        let LuaValue::Table(table) = value else {
            let got = crate::plain::describe(value);
            return Err(format!("a role file returns a table with decide, this one returns {got}"));
        };
        let start = entry(table, "start", false)?;
        let decide = entry(table, "decide", true)?;
        let finish = entry(table, "finish", false)?;
        let line = decide.as_ref().and_then(|decide| decide.info().line_defined);
        let decide_line = line.and_then(|line| u32::try_from(line).ok());
        let (version, migrate) = (version(table)?, entry(table, "migrate", false)?);
        self.roles.borrow_mut().insert(role.to_owned(), RoleFile { decide_line, version, migrate });
        let defined = self.calls.define.call::<()>((role, start, decide, finish));
        defined.map_err(|error| Failure::from_error(&error, self.limit_chars).message)
    }

    pub(crate) fn define_team(&self, path: &str, value: &LuaValue) -> Option<Diagnostic> {
        let plan = match value {
            LuaValue::Table(table) => entry(table, "plan", true),
            other => Err(format!("returns {}", crate::plain::describe(other))),
        };
        let defined = plan.and_then(|plan| {
            self.calls.define_plan.call::<()>(plan).map_err(|error| error.to_string())
        });
        defined.err().map(|what| {
            Diagnostic::error(path, format!("the team's file returns a table with plan: {what}"))
        })
    }

    pub(crate) fn diagnose(&self, path: &str, failure: Failure) -> Diagnostic {
        match failure.place {
            Some((file, line)) => {
                let source = self.program.source(&file);
                Diagnostic::error(file, failure.message).at(line, source)
            }
            None => Diagnostic::error(path, failure.message),
        }
    }

    /// Calls a role's function.
    pub(crate) fn enter(
        &self,
        entry: EntryPoint,
        role: &str,
        scene: &CallNumbers,
    ) -> mlua::Result<ScriptValue> {
        let entry = match entry {
            EntryPoint::Start => "start",
            EntryPoint::Decide => "decide",
            EntryPoint::Finish => "finish",
        };
        let CallNumbers { index, step, round, tick, score, ranking } = *scene;
        answer(self.calls.enter.call((entry, index, role, step, round, tick, score, ranking))?)
    }

    /// Calls the team's `plan`.
    pub(crate) fn plan(&self, scene: &CallNumbers) -> mlua::Result<ScriptValue> {
        answer(self.calls.plan.call((scene.step, scene.round, scene.tick))?)
    }

    /// The memory of the agent of that index, nil before its first call.
    pub(crate) fn memory(&self, index: f64) -> mlua::Result<LuaValue> {
        self.calls.memory.call(index)
    }

    /// Restores the memory of an agent.
    pub(crate) fn set_memory(&self, index: f64, memory: LuaValue) -> mlua::Result<()> {
        self.calls.set_memory.call::<MultiValue>((index, memory)).map(drop)
    }

    /// The version of memory that a role declares.
    pub(crate) fn version(&self, role: &str) -> u32 {
        self.roles.borrow().get(role).map_or(0, |role| role.version)
    }

    /// What a role's file says of itself.
    pub(crate) fn role(&self, role: &str) -> Option<RoleFile> {
        self.roles.borrow().get(role).cloned()
    }

    /// Calls a role's `migrate`.
    pub(crate) fn migrate(
        &self,
        migrate: &Function,
        version: u32,
        memory: LuaValue,
    ) -> mlua::Result<ScriptValue> {
        answer(self.calls.run.call((migrate, version, memory))?)
    }

    /// Files that are loaded from now on are dressed for specs.
    pub(crate) fn dress(&self, outfit: Rc<Outfit>) {
        *self.outfit.borrow_mut() = Some(outfit);
    }

    /// Whether the call was stopped, and where: unknown when it was between two scripts.
    pub(crate) fn take_stop(&self) -> Option<Option<SourcePlace>> {
        self.stop.borrow_mut().take()
    }

    /// A call begins. It is stopped after `limit` interrupts; `None`: only by the clock.
    pub(crate) fn count_to(&self, limit: Option<u64>) {
        self.count.interrupts.set(0);
        self.count.limit.set(limit.unwrap_or(u64::MAX));
    }

    /// The call has ended; after how many interrupts it was stopped, if it was.
    pub(crate) fn end_count(&self) -> u64 {
        self.count.limit.set(u64::MAX);
        self.count.stopped.get()
    }
}

/// A chunk of our own, without lines, so that errors show the line of the script that called.
/// The prelude's answer: whether the script succeeded, and what it gave or raised.
fn answer((succeeded, value): (bool, LuaValue)) -> mlua::Result<ScriptValue> {
    Ok(if succeeded { Ok(value) } else { Err(value) })
}

fn missing_roles(program: &Program, wanted: &SortedSet<String>) -> Vec<Diagnostic> {
    let bundle = program.bundle();
    let missing = wanted.iter().filter(|role| bundle.resolve(role).is_none());
    let diagnostic = |role: &String| {
        let names: Vec<_> = bundle.root_names().collect();
        let meant = crate::similar(role, names.iter().copied());
        let hint = meant.map(|meant| format!("; did you mean {meant}?")).unwrap_or_default();
        let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        let what = format!("there is no file for the role {role}; there are {known}{hint}");
        Diagnostic::error(format!("{role}.luau"), what)
    };
    missing.map(diagnostic).collect()
}

/// A function of a role's table.
fn entry(table: &Table, name: &str, required: bool) -> Result<Option<Function>, String> {
    let value: LuaValue = table.raw_get(name).map_err(|error| error.to_string())?;
    match value {
        LuaValue::Function(function) => Ok(Some(function)),
        LuaValue::Nil if !required => Ok(None),
        other => {
            let got = crate::plain::describe(&other);
            let keys = table.pairs::<String, LuaValue>().flatten().map(|(key, _)| key);
            let keys: Vec<_> = keys.filter(|key| key != name).collect();
            let meant = crate::similar(name, keys.iter().map(String::as_str));
            let hint = meant.map(|key| format!("; the table has {key}: did you mean {name}?"));
            Err(format!("{name}: expected a function, got {got}{}", hint.unwrap_or_default()))
        }
    }
}

/// The version of memory in a role's table.
fn version(table: &Table) -> Result<u32, String> {
    let value: LuaValue = table.raw_get("memory").map_err(|error| error.to_string())?;
    if matches!(value, LuaValue::Nil) {
        return Ok(0);
    }
    let whole = crate::args::whole(&value).and_then(|version| u32::try_from(version).ok());
    whole.filter(|version| *version > 0).ok_or_else(|| {
        let got = crate::plain::describe(&value);
        format!("memory: expected the version of memory, a whole number from 1, got {got}")
    })
}

/// An environment that sees the read-only globals; a file of specs sees the names of specs too.
fn environment(
    lua: &Lua,
    meta: &Table,
    path: &str,
    require: &Function,
    outfit: Option<&Outfit>,
) -> mlua::Result<Table> {
    let env = lua.create_table()?;
    env.raw_set("require", require)?;
    env.set_metatable(Some(meta.clone()))?;
    if let Some(outfit) = outfit.filter(|_| crate::spec_files::is_spec_file(path)) {
        outfit.names.for_each(|name: LuaValue, value: LuaValue| env.raw_set(name, value))?;
    }
    Ok(env)
}

/// A file as a function in an environment.
pub(crate) fn chunk(
    lua: &Lua,
    env: &Table,
    path: &str,
    code: &[u8],
    outfit: Option<&Outfit>,
) -> mlua::Result<Function> {
    // Nothing but the file itself can change its environment: names may be resolved once.
    env.set_safeenv(true);
    let chunk = lua.load(code).set_mode(ChunkMode::Binary).set_name(format!("={path}"));
    let function = chunk.set_environment(env.clone()).into_function()?;
    if let Some(outfit) = outfit.filter(|_| !crate::spec_files::is_spec_file(path)) {
        outfit.loaded.borrow_mut().push((path.to_owned(), function.clone()));
    }
    Ok(function)
}

fn unknown_module(name: &str, bundle: &Bundle) -> String {
    let modules = bundle.files().filter_map(|(path, _)| path.strip_suffix(".luau"));
    let modules: Vec<_> = modules.filter(|module| module.contains('/')).collect();
    let last = |module: &str| module.rsplit('/').next() == name.rsplit('/').next();
    let same = modules.iter().copied().find(|module| last(module));
    let meant = same.or_else(|| crate::similar(name, modules.iter().copied()));
    let hint = meant.map_or_else(
        || {
            "names start at its folder and have no ending, for example require(\"lib/paths\")"
                .into()
        },
        |meant| format!("did you mean require(\"{meant}\")?"),
    );
    let name = phalanx_game::excerpt(name.as_bytes());
    format!("require: there is no module \"{name}\" in the strategy; {hint}")
}
