//! The world that a spec makes up: what agents perceive, and answers to queries.

use super::pretend;
use super::stage::{SpecStage, id, said};
use crate::failure::Failure;
use crate::host::ScriptHost;
use crate::plain;
use mlua::{Function, Lua, MultiValue, Table, Value as LuaValue, WeakLua};
use phalanx_game::sorted::SortedMap;
use phalanx_game::{AgentId, Oracle, QueryError, Value};
use std::cell::RefCell;
use std::rc::{Rc, Weak};

/// A world that knows what a spec says.
#[derive(Default)]
pub(super) struct FakeWorld {
    agents: RefCell<Vec<FakeAgent>>,
    source: RefCell<Option<(Weak<ScriptHost>, WeakLua)>>,
}

impl std::fmt::Debug for FakeWorld {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FakeWorld").field("agents", &self.agents).finish_non_exhaustive()
    }
}

#[derive(Clone, Debug)]
struct FakeAgent {
    percept: SortedMap<&'static str, Value>,
    answers: Table,
}

impl FakeWorld {
    /// Answers are made in this VM.
    pub(super) fn open(&self, host: &Rc<ScriptHost>, lua: &Lua) {
        *self.source.borrow_mut() = Some((Rc::downgrade(host), lua.weak()));
    }

    pub(super) fn clear(&self) {
        self.agents.borrow_mut().clear();
    }

    fn answer(&self, agent: AgentId, name: &str, args: &[Value]) -> Result<Value, String> {
        let source = self.source.borrow().clone();
        let source = source.and_then(|(host, lua)| Some((host.upgrade()?, lua.try_upgrade()?)));
        let (host, lua) = source.ok_or("the spec is over")?;
        let answers = self.agents.borrow().get(agent.index()).map(|fake| fake.answers.clone());
        let doc = host.link.api.query(name).ok_or("there is no such query")?;
        let who = host.roster().name(agent).to_owned();
        let answer: LuaValue = answers
            .ok_or("there is no such agent")?
            .raw_get(name)
            .map_err(|error| error.to_string())?;
        let answer = match answer {
            LuaValue::Nil => {
                return Err(format!("the spec fakes no answer; add {name} = … to {who}'s world"));
            }
            LuaValue::Function(function) => {
                let failed = |error| said(&Failure::from_error(&error, host.limits.message_chars));
                call(&lua, &function, args, doc.params.len(), &who).map_err(failed)?
            }
            constant => constant,
        };
        if answer.is_nil() {
            return Ok(Value::Nil);
        }
        let checked = host.checker().kind(&doc.returns, &answer);
        checked.map_err(|problem| format!("the spec's fake answers wrongly: {problem}"))
    }
}

/// The declared arguments, absent ones as nil, then the name of the agent that asks.
fn call(
    lua: &Lua,
    function: &Function,
    args: &[Value],
    declared: usize,
    who: &str,
) -> mlua::Result<LuaValue> {
    let mut given = Vec::with_capacity(declared + 1);
    for arg in args {
        given.push(plain::push(lua, arg)?);
    }
    given.resize(declared, LuaValue::Nil);
    given.push(LuaValue::String(lua.create_string(who)?));
    function.call(MultiValue::from_vec(given))
}

impl Oracle for FakeWorld {
    fn field(&self, agent: AgentId, name: &str) -> Option<Value> {
        self.agents.borrow().get(agent.index())?.percept.get(name).cloned()
    }

    fn query(&self, agent: AgentId, name: &str, args: &[Value]) -> Result<Value, QueryError> {
        let answer = self.answer(agent, name, args);
        answer.map_err(|reason| QueryError { query: name.into(), reason })
    }
}

/// The world takes over what the spec says of all agents.
pub(super) fn perceive(stage: &SpecStage) -> Result<(), String> {
    let members = stage.cast.borrow().clone();
    let mut agents = Vec::with_capacity(members.len());
    for (index, member) in members.iter().enumerate() {
        let name = stage.host.roster().name(id(index + 1)).to_owned();
        let table = |key| member.data.raw_get::<Table>(key).map_err(|error| error.to_string());
        let (percept, answers) = (table("percept")?, table("world")?);
        let percept = pretend::read(stage, &percept)
            .map_err(|reason| format!("the percept of {name}: {reason}"))?;
        if let Some(reason) = pretend::misnamed(stage, &answers) {
            return Err(format!("the world of {name}: {reason}"));
        }
        agents.push(FakeAgent { percept, answers });
    }
    *stage.world.agents.borrow_mut() = agents;
    Ok(())
}
