//! One spec file's VM, and the team that the current `it` fakes in it.

use super::world::FakeWorld;
use super::{CASE_LINES_MAX, SpecDifference, SpecSetting};
use crate::failure::{Failure, SourcePlace};
use crate::host::ScriptHost;
use crate::timer::TimerFlag;
use crate::vm::{Outfit, Vm};
use crate::{Program, TEAM_SCRIPT};
use mlua::{Lua, Table, Value as LuaValue};
use phalanx_engine::{Board, Params, Reason, Shared, TeamLink};
use phalanx_game::sorted::SortedMap;
use phalanx_game::{AgentId, Roster, RosterEntry};
use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use std::sync::Arc;
use std::time::Instant;

/// The seed of all specs: equal specs draw equal numbers.
const SEED: u64 = 1;
/// The name of the team that specs fake.
const TEAM_NAME: &str = "A";

/// Everything behind the functions that a spec file calls.
#[derive(Debug)]
pub(super) struct SpecStage {
    pub(super) vm: Vm,
    pub(super) host: Rc<ScriptHost>,
    pub(super) program: Arc<Program>,
    pub(super) outfit: Rc<Outfit>,
    pub(super) world: Rc<FakeWorld>,
    pub(super) cast: RefCell<Vec<SpecAgent>>,
    pub(super) clock: Cell<SpecClock>,
    /// What a fake percept has instead of a field that is absent.
    pub(super) absent: Table,
    /// Expectations that failed in this `it`, first of all.
    pub(super) failure: RefCell<Option<Failed>>,
    /// Where the spec's own code raised an error.
    pub(super) note: RefCell<Option<SourcePlace>>,
    /// A role or the plan is being asked.
    pub(super) busy: Cell<bool>,
    /// How many specs may still be declared.
    pub(super) room: usize,
    roles: RefCell<SortedMap<String, LuaValue>>,
    planned: Cell<bool>,
    lines: RefCell<Vec<(Option<AgentId>, String)>>,
    /// What spec files and their modules declare while they are loaded.
    params: RefCell<Params>,
    due: Cell<Instant>,
}

/// A faked agent.
#[derive(Clone, Debug)]
pub(super) struct SpecAgent {
    /// The spec's own table: `percept`, `world`, `time_left`.
    pub(super) data: Table,
    /// The tick of its last decision; 0: none yet.
    pub(super) decided: u64,
    /// How its last decision was explained.
    pub(super) reason: Option<Reason>,
}

/// The turn that is played.
#[derive(Clone, Copy, Debug)]
pub(super) struct SpecClock {
    pub(super) tick: u64,
    pub(super) step: u32,
    pub(super) round: u32,
    /// The tick of the last plan.
    pub(super) planned: u64,
}

/// An expectation that did not hold.
#[derive(Clone, Debug)]
pub(super) struct Failed {
    pub(super) message: String,
    pub(super) place: Option<SourcePlace>,
    pub(super) diff: Vec<SpecDifference>,
    pub(super) more: usize,
}

impl Default for SpecClock {
    fn default() -> Self {
        Self { tick: 1, step: 0, round: 0, planned: 0 }
    }
}

impl SpecStage {
    /// A VM without scripts.
    pub(super) fn new(
        setting: &SpecSetting,
        program: &Arc<Program>,
        flag: TimerFlag,
        room: usize,
    ) -> mlua::Result<Rc<Self>> {
        let roster = Roster { team: TEAM_NAME.into(), agents: Vec::new() };
        let world = Rc::new(FakeWorld::default());
        let link = TeamLink {
            roster: Arc::new(roster),
            api: setting.api,
            oracle: world.clone(),
            shared: Rc::new(RefCell::new(Shared::default())),
            seed: SEED,
        };
        let host = Rc::new(ScriptHost::new(link, setting.limits));
        let roles = program.bundle().root_names().map(str::to_owned).collect();
        *host.roles.borrow_mut() = roles;
        let vm = Vm::new(program, &host, flag)?;
        // Roles are loaded anew for each spec and run once or twice: native code would not pay.
        vm.lua.enable_jit(false);
        world.open(&host, &vm.lua);
        let outfit = Outfit { names: vm.lua.create_table()?, loaded: RefCell::default() };
        let outfit = Rc::new(outfit);
        vm.dress(Rc::clone(&outfit));
        let absent = vm.lua.create_table()?;
        absent.set_readonly(true);
        Ok(Rc::new(Self {
            vm,
            host,
            program: Arc::clone(program),
            outfit,
            world,
            cast: RefCell::default(),
            clock: Cell::default(),
            absent,
            failure: RefCell::default(),
            note: RefCell::default(),
            busy: Cell::new(false),
            room,
            roles: RefCell::default(),
            planned: Cell::new(false),
            lines: RefCell::default(),
            params: RefCell::default(),
            due: Cell::new(Instant::now()),
        }))
    }

    /// The spec file is loaded: what it declared holds for each of its specs.
    pub(super) fn keep_params(&self) {
        let declared = self.host.link.shared.borrow().params.clone();
        *self.params.borrow_mut() = declared;
    }

    /// A spec begins: no agent is on stage, the board is empty, no role is loaded.
    pub(super) fn reset(&self, due: Instant) -> mlua::Result<()> {
        let gone = std::mem::take(&mut *self.cast.borrow_mut());
        for index in 1..=gone.len() {
            self.vm.set_memory(place_of(index), LuaValue::Nil)?;
            self.vm.names.raw_set(index, LuaValue::Nil)?;
        }
        self.world.clear();
        self.recast(Vec::new());
        // A module that a spec loads stays loaded, and does not declare its parameters again.
        for (spec, _) in self.host.link.shared.borrow().params.each() {
            // One that does not fit was refused when it was declared.
            drop(self.params.borrow_mut().declare(spec.clone()));
        }
        let mut shared = Shared::new(Board::default(), Vec::new());
        shared.params = self.params.borrow().clone();
        shared.advance(SpecClock::default().tick);
        *self.host.link.shared.borrow_mut() = shared;
        self.clock.take();
        self.failure.take();
        self.note.take();
        self.lines.take();
        self.busy.set(false);
        self.forget_roles();
        self.due.set(due);
        self.host.loading(due);
        Ok(())
    }

    /// Role files and the plan are loaded anew when they are asked next.
    pub(super) fn forget_roles(&self) {
        self.roles.borrow_mut().clear();
        self.planned.set(false);
    }

    /// Whether any role file was loaded.
    pub(super) fn has_roles(&self) -> bool {
        self.planned.get() || !self.roles.borrow().is_empty()
    }

    /// Adds an agent; its index counts from 1.
    pub(super) fn join(&self, name: &str, role: &str, data: Table) -> mlua::Result<usize> {
        let mut agents = self.host.roster().agents.clone();
        agents.push(RosterEntry::new(name, role));
        let index = agents.len();
        self.recast(agents);
        self.host.link.shared.borrow_mut().roles.push(role.to_owned());
        self.vm.names.raw_set(index, name)?;
        self.cast.borrow_mut().push(SpecAgent { data, decided: 0, reason: None });
        Ok(index)
    }

    fn recast(&self, agents: Vec<RosterEntry>) {
        self.host.recast(Arc::new(Roster { team: TEAM_NAME.into(), agents }));
    }

    /// The next turn begins for all.
    pub(super) fn advance(&self, turns: u32) {
        let mut clock = self.clock.get();
        clock.tick += u64::from(turns);
        clock.step = clock.step.saturating_add(turns);
        self.clock.set(clock);
        self.host.link.shared.borrow_mut().advance(clock.tick);
    }

    /// Lets a role decide next: its file's table, loaded once a spec.
    pub(super) fn ready_role(&self, role: &str) -> Result<(), String> {
        let loaded = self.roles.borrow().get(role).cloned();
        let value = match loaded {
            Some(value) => value,
            None => {
                let path = self.program.bundle().resolve(role);
                let path = path.ok_or_else(|| format!("there is no file for the role {role}"))?;
                let value = self.load(path)?;
                self.roles.borrow_mut().insert(role.to_owned(), value.clone());
                value
            }
        };
        self.vm.define_role(role, &value).map_err(|what| format!("{role}: {what}"))
    }

    /// Lets the team plan next.
    pub(super) fn ready_plan(&self) -> Result<(), String> {
        if self.planned.get() {
            return Ok(());
        }
        let path = self.program.bundle().resolve(TEAM_SCRIPT);
        let path = path.ok_or("the strategy has no team.luau")?.to_owned();
        let value = self.load(&path)?;
        if let Some(finding) = self.vm.define_team(&path, &value) {
            return Err(finding.to_string());
        }
        self.planned.set(true);
        Ok(())
    }

    fn load(&self, path: &str) -> Result<LuaValue, String> {
        self.host.loading(self.due.get());
        let loaded = self.vm.load_root(&self.host, path);
        loaded.map_err(|failure| {
            failure.map_or_else(|| format!("{path} does not compile"), |failure| said(&failure))
        })
    }

    /// The spec's own code goes on.
    pub(super) fn leave(&self) {
        self.host.loading(self.due.get());
        self.busy.set(false);
        self.drain();
    }

    /// Takes the lines that were logged.
    pub(super) fn drain(&self) {
        let (logged, _) = self.host.link.shared.borrow_mut().take_log();
        let mut lines = self.lines.borrow_mut();
        let room = CASE_LINES_MAX.saturating_sub(lines.len());
        lines.extend(logged.into_iter().take(room).map(|line| (line.agent, line.text)));
    }

    /// What an agent logged in this spec.
    pub(super) fn lines_of(&self, agent: AgentId) -> Vec<String> {
        let lines = self.lines.borrow();
        let own = lines.iter().filter(|(author, _)| *author == Some(agent));
        own.map(|(_, text)| text.clone()).collect()
    }

    /// All that was logged in this spec.
    pub(super) fn lines(&self) -> Vec<String> {
        let roster = self.host.roster();
        let lines = self.lines.borrow();
        let line = |(agent, text): &(Option<AgentId>, String)| match agent {
            Some(agent) => format!("{}: {text}", roster.name(*agent)),
            None => text.clone(),
        };
        lines.iter().map(line).collect()
    }
}

/// The prelude's index of an agent.
pub(super) fn place_of(index: usize) -> f64 {
    u32::try_from(index).map_or(f64::MAX, f64::from)
}

/// A failure as one line, with its place.
pub(super) fn said(failure: &Failure) -> String {
    match &failure.place {
        Some((file, line)) => format!("{file}:{line}: {}", failure.message),
        None => failure.message.clone(),
    }
}

/// Adds a native that works on the stage.
pub(super) fn native<A: mlua::FromLuaMulti, R: mlua::IntoLuaMulti>(
    stage: &Rc<SpecStage>,
    table: &Table,
    name: &str,
    function: impl Fn(&Lua, &SpecStage, A) -> mlua::Result<R> + 'static,
) -> mlua::Result<()> {
    // The VM holds its natives: a strong reference would keep both alive for ever.
    let weak: Weak<SpecStage> = Rc::downgrade(stage);
    let call = move |lua: &Lua, args: A| match weak.upgrade() {
        Some(stage) => function(lua, &stage, args),
        None => Err(mlua::Error::runtime("the spec is over")),
    };
    table.raw_set(name, stage.vm.lua.create_function(call)?)
}

/// The agent of the prelude's index.
pub(super) fn member(stage: &SpecStage, index: usize) -> Option<SpecAgent> {
    stage.cast.borrow().get(index.checked_sub(1)?).cloned()
}

/// The id of the prelude's index.
pub(super) fn id(index: usize) -> AgentId {
    AgentId(u16::try_from(index.saturating_sub(1)).unwrap_or(u16::MAX))
}
