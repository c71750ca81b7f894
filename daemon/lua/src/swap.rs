//! From one VM to the next: another generation, or the same one when its memory is full.

use crate::brain::error;
use crate::failure::Failure;
use crate::host::ScriptHost;
use crate::migrate::Carrier;
use crate::plain;
use crate::program::Program;
use crate::timer::Timer;
use crate::vm::Vm;
use crate::{Diagnostic, Limits, LuaBrain, Severity};
use phalanx_engine::{BrainError, BrainErrorKind, Carry, LogLevel, Memory, Staged, TeamLink};
use phalanx_game::sorted::{SortedMap, SortedSet};
use phalanx_game::{AgentId, Roster};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The engine swaps when it has this many times what loading cost on trial.
const COST_FACTOR: u32 = 10;
/// A swap gets at least this: trials run on quiet machines.
const SWAP_MIN: Duration = Duration::from_millis(100);

/// A program in a VM, with the natives' state.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) program: Arc<Program>,
    pub(crate) host: Rc<ScriptHost>,
    pub(crate) vm: Vm,
}

impl Loaded {
    /// Loads a program until `due`; the findings say what is wrong with it.
    pub(crate) fn new(
        program: &Arc<Program>,
        link: &TeamLink,
        limits: Limits,
        timer: &Timer,
        wanted: &SortedSet<String>,
        due: Instant,
    ) -> mlua::Result<(Self, Vec<Diagnostic>)> {
        let host = Rc::new(ScriptHost::new(link.clone(), limits));
        let vm = Vm::new(program, &host, timer.flag())?;
        let findings = vm.load(&host, timer, wanted, due);
        Ok((Self { program: Arc::clone(program), host, vm }, findings))
    }
}

impl LuaBrain {
    /// Lets another generation decide; on an error nothing has changed.
    pub(crate) fn swap(
        &mut self,
        staged: &Staged,
        spare: Option<&[Memory]>,
    ) -> Result<Vec<Memory>, BrainError> {
        let program = Program::of(staged)?;
        let due = Instant::now() + patience(staged.cost, self.now.host.limits.load);
        let old = self.remembered();
        let shared = Rc::clone(&self.now.host.link.shared);
        let before = shared.borrow().clone();
        shared.borrow_mut().params.forget_declarations();
        let built = self.build(&program, due).and_then(|next| {
            let writers = match staged.carry {
                Carry::Strict | Carry::Loose => self.carry(&next, &old, spare, due)?,
                Carry::Forget => SortedMap::new(),
            };
            Ok((next, writers))
        });
        match built {
            Ok((next, writers)) => {
                self.now = next;
                self.writers = writers;
                self.generation = staged.generation.number;
                self.settle_roles();
                Ok(old)
            }
            Err(error) => {
                *shared.borrow_mut() = before;
                Err(error)
            }
        }
    }

    /// The program in a VM of its own, beside the one that decides.
    fn build(&self, program: &Arc<Program>, due: Instant) -> Result<Loaded, BrainError> {
        let host = &self.now.host;
        let wanted = host.wanted_roles();
        let loaded =
            Loaded::new(program, &host.next_link(), host.limits, &self.timer, &wanted, due);
        let (next, findings) = loaded.map_err(|failed| {
            let failure = Failure::from_error(&failed, host.limits.message_chars);
            BrainError::without_place(BrainErrorKind::Memory, failure.message)
        })?;
        match findings.into_iter().find(|finding| finding.severity == Severity::Error) {
            None => Ok(next),
            Some(finding) => {
                let place = finding.line.map(|line| (finding.file.clone(), line));
                let message = if place.is_some() { finding.message } else { finding.to_string() };
                Err(error(BrainErrorKind::Script, place, "", message))
            }
        }
    }

    /// Gives the next VM the agents' memories; who wrote each.
    fn carry(
        &self,
        next: &Loaded,
        memories: &[Memory],
        spare: Option<&[Memory]>,
        due: Instant,
    ) -> Result<SortedMap<AgentId, crate::brain::MemoryWriter>, BrainError> {
        let carrier = Carrier { next, timer: &self.timer, spare, advises: spare.is_none(), due };
        let mut writers = SortedMap::new();
        for memory in memories {
            let rest = || self.rest(memory.agent);
            writers.insert(memory.agent, carrier.carry(memory, &rest)?);
        }
        Ok(writers)
    }

    /// An agent whose role the new generation has not gets the role of the roster.
    fn settle_roles(&self) {
        let host = &self.now.host;
        let roster = host.next_link().roster;
        for agent in roster.present() {
            let role = host.link.shared.borrow().role(agent).to_owned();
            let Some(entry) = roster.agents.get(agent.index()) else { continue };
            if host.roles.borrow().contains(&role) {
                continue;
            }
            host.link.shared.borrow_mut().set_role(agent, &entry.role);
            let what = format!("the new generation has no role {role}: it is {} again", entry.role);
            self.log(Some(agent), LogLevel::Warn, &what);
        }
    }

    /// What the agents remember.
    pub(crate) fn remembered(&self) -> Vec<Memory> {
        let present: Vec<_> = self.now.host.roster().present().collect();
        present.into_iter().filter_map(|agent| self.remembered_by(agent)).collect()
    }

    /// What one agent remembers.
    pub(crate) fn remembered_by(&self, agent: AgentId) -> Option<Memory> {
        let writer = self.writers.get(&agent)?;
        self.unlimited(|vm, limits| {
            let memory = vm.memory(index(agent)).map_err(|error| error.to_string());
            let data = memory.and_then(|memory| {
                plain::read(&memory, limits.agent_memory).map_err(|culprit| culprit.in_memory())
            });
            let data = data.transpose()?;
            Some(Memory { agent, role: writer.role.clone(), version: writer.version, data })
        })
    }

    /// The agents remember this. One whose memory the generation cannot take over begins anew.
    pub(crate) fn recall(&mut self, memories: &[Memory]) {
        let due = Instant::now() + self.now.host.limits.load;
        let (next, timer) = (&self.now, &self.timer);
        let carrier = Carrier { next, timer, spare: Some(&[]), advises: false, due };
        for memory in memories {
            let rest = || (None, memory.data.clone().err().into_iter().collect());
            match carrier.carry(memory, &rest) {
                Ok(writer) => _ = self.writers.insert(memory.agent, writer),
                Err(trouble) => self.log(Some(memory.agent), LogLevel::Warn, &trouble.to_string()),
            }
        }
    }

    /// Replaces the roster. Scripts see a new name at its index; a new or removed agent has no
    /// memory.
    pub(crate) fn enroll(&mut self, roster: &Arc<Roster>) {
        let before = self.now.host.next_link().roster;
        for (agent, entry) in roster.ids().zip(&roster.agents) {
            if before.is_present(agent) != entry.gone {
                continue;
            }
            if self.writers.remove(&agent).is_some() {
                self.empty(agent);
            }
            let vm = &self.now.vm;
            let named = self.unlimited(|_, _| vm.names.raw_set(index(agent), entry.name.as_str()));
            if let Err(error) = named {
                let what = format!("cannot pass its name to the scripts: {error}");
                self.log(Some(agent), LogLevel::Error, &what);
            }
        }
        self.now.host.recast(Arc::clone(roster));
    }

    /// All agents begin with empty memories.
    pub(crate) fn forget(&mut self) {
        for agent in self.writers.keys() {
            self.empty(*agent);
        }
        self.writers.clear();
    }

    /// What is plain of an agent's memory, and what is not.
    pub(crate) fn rest(&self, agent: AgentId) -> (Option<phalanx_engine::Plain>, Vec<String>) {
        self.unlimited(|vm, limits| match vm.memory(index(agent)) {
            Ok(memory) => {
                let (rest, dropped) = plain::read_rest(&memory, limits.agent_memory);
                (rest, dropped.iter().map(plain::Culprit::in_memory).collect())
            }
            Err(error) => (None, vec![error.to_string()]),
        })
    }

    /// Reading memories must not fail for want of memory.
    fn unlimited<T>(&self, read: impl FnOnce(&Vm, &Limits) -> T) -> T {
        let vm = &self.now.vm;
        let limit = vm.lua.set_memory_limit(0);
        let result = read(vm, &self.now.host.limits);
        if let Ok(limit) = limit {
            // A VM that cannot be limited again is seen to after the next call.
            vm.lua.set_memory_limit(limit).unwrap_or_default();
        }
        result
    }

    /// A fresh VM with the agents' memories; what else the scripts kept is gone.
    pub(crate) fn rebuild(&mut self) {
        let kept = self.remembered();
        let host = &self.now.host;
        let due = Instant::now() + host.limits.load;
        let fresh = Loaded::new(
            &self.now.program,
            &host.next_link(),
            host.limits,
            &self.timer,
            &SortedSet::new(),
            due,
        );
        let (next, findings) = match fresh {
            Ok(fresh) => fresh,
            Err(error) => {
                let what = format!("the VM cannot be rebuilt: {error}");
                return self.log(None, LogLevel::Error, &what);
            }
        };
        for memory in kept {
            let restored = memory.data.and_then(|data| {
                let pushed = plain::push_plain(&next.vm.lua, &data);
                let set = pushed.and_then(|value| next.vm.set_memory(index(memory.agent), value));
                set.map_err(|error| error.to_string())
            });
            if let Err(reason) = restored {
                let what =
                    format!("its memory could not be carried over and is empty now: {reason}");
                self.log(Some(memory.agent), LogLevel::Error, &what);
            }
        }
        self.now = next;
        self.rebuilds += 1;
        for finding in findings {
            self.log(None, LogLevel::Error, &finding.to_string());
        }
        let what = "the strategy filled its memory: its VM was rebuilt";
        self.log(None, LogLevel::Warn, what);
    }
}

/// The prelude's index of an agent.
pub(crate) fn index(agent: AgentId) -> f64 {
    f64::from(agent.0) + 1.0
}

/// How long a swap may take.
fn patience(cost: Duration, load: Duration) -> Duration {
    if cost.is_zero() { load } else { (cost * COST_FACTOR).max(SWAP_MIN).min(load) }
}
