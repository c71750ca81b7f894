//! What becomes of an agent's memory when another generation takes over, or another role.

use crate::LuaBrain;
use crate::brain::{MemoryWriter, error};
use crate::failure::{Failure, SourcePlace};
use crate::plain::{self, describe};
use crate::swap::{Loaded, index};
use crate::timer::Timer;
use crate::vm::RoleFile;
use mlua::{Function, Value as LuaValue};
use phalanx_engine::{BrainError, BrainErrorKind, Carry, LogLevel, Memory, Plain};
use phalanx_game::AgentId;
use std::time::Instant;

/// What is plain of a memory that is not, and the culprits.
type PlainRest<'a> = &'a dyn Fn() -> (Option<Plain>, Vec<String>);

/// How operators do without the memories.
const RESET: &str = "drop all memories: phalanx strategy activate TEAM --reset-memory";

/// Carries memories into the VM of another generation.
#[derive(Debug)]
pub(crate) struct Carrier<'a> {
    pub(crate) next: &'a Loaded,
    pub(crate) timer: &'a Timer,
    /// On the way back: what the agents remembered when the other generation decided last.
    pub(crate) spare: Option<&'a [Memory]>,
    /// Refusals say what to do: somebody waits for the generation.
    pub(crate) advises: bool,
    /// When there is no more time for it.
    pub(crate) due: Instant,
}

impl Carrier<'_> {
    /// Carries one memory over; whose it is then.
    pub(crate) fn carry(
        &self,
        memory: &Memory,
        rest: PlainRest<'_>,
    ) -> Result<MemoryWriter, BrainError> {
        let Some((name, role)) = self.reader(memory) else {
            // Its agents have no role here either: they get that of the roster, and begin anew.
            return Ok(MemoryWriter { role: memory.role.clone(), version: memory.version });
        };
        let writer = MemoryWriter { role: name.clone(), version: role.version };
        match (self.hand_over(memory, &name, &role, rest), self.spare) {
            (Err(trouble), Some(spare)) => {
                self.fall_back(memory.agent, role.version, spare, &trouble)
            }
            (handed_over, _) => handed_over?,
        }
        Ok(writer)
    }

    /// As it is, or through `migrate`.
    fn hand_over(
        &self,
        memory: &Memory,
        name: &str,
        role: &RoleFile,
        rest: PlainRest<'_>,
    ) -> Result<(), BrainError> {
        let same = role.version == memory.version;
        match (&memory.data, &role.migrate) {
            (Ok(data), _) if same => self.set(memory.agent, data),
            (Ok(data), Some(migrate)) => self.migrate(memory, name, migrate, Some(data)),
            (Err(_), Some(migrate)) if !same => {
                let (data, dropped) = rest();
                for culprit in dropped {
                    let what = format!("{culprit}: migrate got the memory without it");
                    let mut shared = self.next.host.link.shared.borrow_mut();
                    shared.log(Some(memory.agent), LogLevel::Warn, &what);
                }
                self.migrate(memory, name, migrate, data.as_ref())
            }
            (data, _) => Err(self.refusal(memory, name, role, data.as_ref().err())),
        }
    }

    /// Whatever a generation that failed left behind must not keep the other one from coming back.
    fn fall_back(&self, agent: AgentId, version: u32, spare: &[Memory], trouble: &BrainError) {
        let fits = |memory: &&Memory| memory.agent == agent && memory.version == version;
        let kept = spare.iter().find(fits).and_then(|memory| memory.data.as_ref().ok());
        let what = match kept.map(|data| self.set(agent, data)) {
            Some(Ok(())) => "it remembers what it did before",
            Some(Err(_)) | None => "it begins anew",
        };
        let mut shared = self.next.host.link.shared.borrow_mut();
        shared.log(Some(agent), LogLevel::Warn, &format!("{trouble}; {what}"));
    }

    /// The role that understands a memory: the one that wrote it, or else that of its agent now.
    fn reader(&self, memory: &Memory) -> Option<(String, RoleFile)> {
        let now = self.next.host.link.shared.borrow().role(memory.agent).to_owned();
        let roster = self.next.host.roster();
        let names = [&memory.role, &now, &roster.agents.get(memory.agent.index())?.role];
        names.into_iter().find_map(|name| Some((name.clone(), self.next.vm.role(name)?)))
    }

    fn set(&self, agent: AgentId, data: &Plain) -> Result<(), BrainError> {
        let vm = &self.next.vm;
        let pushed = plain::push_plain(&vm.lua, data);
        pushed.and_then(|value| vm.set_memory(index(agent), value)).map_err(|failed| {
            let name = self.next.host.roster().name(agent).to_owned();
            let failure = Failure::from_error(&failed, self.next.host.limits.message_chars);
            let what = format!("{name}: its memory does not fit in the VM: {}", failure.message);
            BrainError::without_place(BrainErrorKind::Memory, what)
        })
    }

    fn migrate(
        &self,
        memory: &Memory,
        role: &str,
        migrate: &Function,
        data: Option<&Plain>,
    ) -> Result<(), BrainError> {
        let (vm, host) = (&self.next.vm, &self.next.host);
        let agent = host.roster().name(memory.agent).to_owned();
        let failed = |place: Option<SourcePlace>, kind: BrainErrorKind, what: String| {
            error(
                kind,
                place,
                role,
                format!("{agent}: migrate from version {}: {what}", memory.version),
            )
        };
        host.loading(self.due);
        let old = match data {
            Some(data) => plain::push_plain(&vm.lua, data),
            None => vm.lua.create_table().map(LuaValue::Table),
        };
        let limit = host.link.shared.borrow_mut().time.begin_call();
        vm.count_to(limit);
        self.timer.arm(self.due);
        let answer = old.and_then(|old| vm.migrate(migrate, memory.version, old));
        self.timer.disarm();
        vm.end_count();
        let chars = host.limits.message_chars;
        let place = self.place(role, migrate);
        if let Some(stop) = vm.take_stop() {
            let what = "used up the time of the swap".to_owned();
            return Err(failed(stop.or(place), BrainErrorKind::Budget, what));
        }
        let new = match answer {
            Ok(Ok(new)) => new,
            Ok(Err(raised)) => {
                let failure = Failure::from_value(&raised, chars).or_at(host.place.take());
                return Err(failed(failure.place, BrainErrorKind::Script, failure.message));
            }
            Err(error) => {
                let failure = Failure::from_error(&error, chars);
                return Err(failed(
                    failure.place.or(place),
                    BrainErrorKind::Script,
                    failure.message,
                ));
            }
        };
        if !matches!(new, LuaValue::Table(_)) {
            let what = format!("returned {}; it returns the memory, a table", describe(&new));
            return Err(failed(place, BrainErrorKind::Answer, what));
        }
        if let Err(culprit) = plain::read(&new, host.limits.agent_memory) {
            return Err(failed(place, BrainErrorKind::Answer, culprit.in_memory()));
        }
        vm.set_memory(index(memory.agent), new).map_err(|error| {
            failed(None, BrainErrorKind::Memory, Failure::from_error(&error, chars).message)
        })
    }

    /// Where a role's `migrate` is written.
    fn place(&self, role: &str, migrate: &Function) -> Option<SourcePlace> {
        let line = u32::try_from(migrate.info().line_defined?).ok()?;
        Some((self.next.program.bundle().resolve(role)?.to_owned(), line))
    }

    fn refusal(
        &self,
        memory: &Memory,
        name: &str,
        role: &RoleFile,
        culprit: Option<&String>,
    ) -> BrainError {
        let agent = self.next.host.roster().name(memory.agent).to_owned();
        let (what, cure) = match culprit {
            Some(culprit) => (
                format!("{agent}: {culprit}"),
                "the scripts that play put it there. Declare another memory version with migrate,",
            ),
            None => (
                format!(
                    "{agent}: its memory has version {}, the role {name} declares {}",
                    memory.version, role.version
                ),
                "write migrate(old_version, memory),",
            ),
        };
        let what = if self.advises { format!("{what}: {cure} or {RESET}") } else { what };
        // A culprit in the memory is no fault of any line of the new files.
        let line = role.decide_line.filter(|_| culprit.is_none());
        let path = self.next.program.bundle().resolve(name);
        let place = path.zip(line).map(|(path, line)| (path.to_owned(), line));
        error(BrainErrorKind::Script, place, name, what)
    }
}

impl LuaBrain {
    /// Gives an agent's memory to another role of the generation that decides. Roles that declare
    /// the same version share it as it is.
    pub(crate) fn change_writer(
        &mut self,
        agent: AgentId,
        name: &str,
        carry: Carry,
        due: Instant,
    ) -> Result<(), BrainError> {
        let Some(role) = self.now.vm.role(name) else {
            let what = format!("there is no script for the role \"{name}\"");
            return Err(error(BrainErrorKind::NoRole, None, name, what));
        };
        let writer = MemoryWriter { role: name.to_owned(), version: role.version };
        let other = self.writers.get(&agent).is_some_and(|now| now.version != role.version);
        if carry == Carry::Forget {
            self.empty(agent);
        } else if other && let Some(memory) = self.remembered_by(agent) {
            let (next, timer) = (&self.now, &self.timer);
            let carrier = Carrier { next, timer, spare: None, advises: false, due };
            let handed_over = carrier.hand_over(&memory, name, &role, &|| self.rest(agent));
            match (handed_over, carry) {
                (Err(trouble), Carry::Loose) => {
                    self.log(Some(agent), LogLevel::Warn, &format!("{trouble}; it begins anew"));
                    self.empty(agent);
                }
                (handed_over, _) => handed_over?,
            }
        }
        self.writers.insert(agent, writer);
        Ok(())
    }

    pub(crate) fn empty(&self, agent: AgentId) {
        // Setting nil takes no memory: it cannot fail.
        self.now.vm.set_memory(index(agent), LuaValue::Nil).unwrap_or_default();
    }
}
