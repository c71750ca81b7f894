//! Asking roles and the plan, as the engine would.

use super::compare::show;
use super::stage::{SpecAgent, SpecStage, id, member, native, place_of, said};
use super::world::perceive;
use crate::action_value::ActionValue;
use crate::args::{number, whole};
use crate::dice::CallPhase;
use crate::failure::Failure;
use crate::natives::{NIL, Native, NativeReply, problem};
use crate::plain::describe;
use crate::vm::{self, CallNumbers, EntryPoint};
use mlua::{Function, Lua, MultiValue, Table, Value as LuaValue};
use phalanx_engine::Ask;
use phalanx_game::{AgentId, Turn};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Adds the natives to the layer's host table.
pub(super) fn add(stage: &Rc<SpecStage>, table: &Table) -> mlua::Result<()> {
    native(stage, table, "decide", |lua, stage, index| {
        enter(lua, stage, index, &SpecCall::Decide)
    })?;
    native(stage, table, "start", |lua, stage, index| enter(lua, stage, index, &SpecCall::Start))?;
    native(
        stage,
        table,
        "finish",
        |lua, stage, (index, score, ranking): (usize, LuaValue, LuaValue)| {
            let ranking = whole(&ranking).and_then(|ranking| u32::try_from(ranking).ok());
            let score = number(&score).unwrap_or(0.0);
            enter(lua, stage, index, &SpecCall::Finish { score, ranking })
        },
    )?;
    native(stage, table, "run", |lua, stage, (index, body): (usize, Function)| {
        enter(lua, stage, index, &SpecCall::Run(body))
    })?;
    native(
        stage,
        table,
        "migrate",
        |lua, stage, (index, version, memory): (usize, LuaValue, LuaValue)| match whole(&version)
            .and_then(|version| u32::try_from(version).ok())
        {
            Some(version) => enter(lua, stage, index, &SpecCall::Migrate { version, memory }),
            None => problem(format!(
                "migrate: expected the old version and the old memory, got {} as version",
                show(&version)
            )),
        },
    )?;
    native(stage, table, "plan", plan)
}

/// What an agent is asked.
#[derive(Clone, Debug)]
enum SpecCall {
    Start,
    Decide,
    Finish {
        score: f64,
        ranking: Option<u32>,
    },
    /// A function of the spec, as if it stood in the role's file.
    Run(Function),
    /// The role's `migrate`.
    Migrate {
        version: u32,
        memory: LuaValue,
    },
}

/// Asks an agent as the engine would.
fn enter(lua: &Lua, stage: &SpecStage, index: usize, act: &SpecCall) -> Native {
    let Some(asked) = member(stage, index) else {
        return problem("this agent belongs to another spec; fake it in before_each or in `it`");
    };
    if stage.busy.replace(true) {
        return problem("an agent cannot be asked while another one decides");
    }
    let tick = stage.clock.get().tick;
    if matches!(act, SpecCall::Decide) && asked.decided == tick {
        stage.advance(1);
    }
    let entered = perceive(stage)
        .map_err(NativeReply::Problem)
        .and_then(|()| ready(lua, stage, index, act))
        .map(|role| play(stage, index, &role, act, &asked));
    if let Some(member) = stage.cast.borrow_mut().get_mut(index.saturating_sub(1)) {
        member.reason = stage.host.reason.take();
        if matches!(act, SpecCall::Decide) {
            member.decided = stage.clock.get().tick;
        }
    }
    stage.leave();
    match entered {
        Ok(reply) => reply,
        Err(refusal) => Ok(refusal),
    }
}

/// The role that is asked, ready to answer.
fn ready(
    lua: &Lua,
    stage: &SpecStage,
    index: usize,
    act: &SpecCall,
) -> Result<String, NativeReply> {
    let role = stage.host.link.shared.borrow().role(id(index)).to_owned();
    if let SpecCall::Run(body) = act {
        let table = lua.create_table().and_then(|table| {
            table.raw_set("decide", body)?;
            Ok(table)
        });
        let table = table.map_err(|error| NativeReply::Reason(error.to_string()))?;
        let defined = stage.vm.define_role(&role, &LuaValue::Table(table));
        return defined.map(|()| role).map_err(NativeReply::Problem);
    }
    if role.is_empty() {
        let what = "the agent has no role; give it one: fake.agent{ role = … }";
        return Err(NativeReply::Problem(what.into()));
    }
    stage.ready_role(&role).map(|()| role).map_err(NativeReply::Reason)
}

fn play(stage: &SpecStage, index: usize, role: &str, act: &SpecCall, asked: &SpecAgent) -> Native {
    let (phase, entry) = match act {
        SpecCall::Start => (CallPhase::Start, EntryPoint::Start),
        SpecCall::Decide | SpecCall::Run(_) => (CallPhase::Decide, EntryPoint::Decide),
        SpecCall::Finish { .. } => (CallPhase::Finish, EntryPoint::Finish),
        SpecCall::Migrate { version, memory } => return migrate(stage, role, *version, memory),
    };
    let left: f64 = asked.data.raw_get("time_left")?;
    begin(stage, phase, id(index), left);
    let mut scene = scene(stage, index);
    if let SpecCall::Finish { score, ranking } = act {
        (scene.score, scene.ranking) = (Some(*score), *ranking);
    }
    let answer = match stage.vm.enter(entry, role, &scene) {
        Ok(Ok(answer)) => answer,
        failed => return raised(stage, failed),
    };
    let is_action = answer.as_userdata().is_some_and(mlua::AnyUserData::is::<ActionValue>);
    match act {
        SpecCall::Decide if !is_action => {
            let what = format!("decide returned {}; it returns an action", describe(&answer));
            let line = stage.vm.role(role).and_then(|role| role.decide_line);
            let place = stage.program.bundle().resolve(role).map(str::to_owned).zip(line);
            Ok(NativeReply::Reason(said(&Failure { place, message: what, memory: false })))
        }
        SpecCall::Decide | SpecCall::Run(_) => Ok(NativeReply::Result(answer)),
        SpecCall::Start | SpecCall::Finish { .. } | SpecCall::Migrate { .. } => NIL,
    }
}

/// What a role makes of a memory of another version.
fn migrate(stage: &SpecStage, role: &str, version: u32, memory: &LuaValue) -> Native {
    let Some(migrate) = stage.vm.role(role).and_then(|role| role.migrate) else {
        return problem(format!("migrate: the role {role} has no migrate"));
    };
    match stage.vm.migrate(&migrate, version, memory.clone()) {
        Ok(Ok(memory)) => Ok(NativeReply::Result(memory)),
        failed => raised(stage, failed),
    }
}

/// The script under test failed: the spec gets its error, place included.
fn raised(stage: &SpecStage, failed: mlua::Result<vm::ScriptValue>) -> Native {
    let chars = stage.host.limits.message_chars;
    let failure = match failed {
        Ok(Ok(raised) | Err(raised)) => Failure::from_value(&raised, chars),
        Err(error) => Failure::from_error(&error, chars),
    };
    Ok(NativeReply::Reason(said(&failure.or_at(stage.host.place.take()))))
}

/// The team's plan of a turn; the second one begins the next turn.
fn plan(_: &Lua, stage: &SpecStage, _: MultiValue) -> Native {
    if stage.busy.replace(true) {
        return problem("the team cannot plan while an agent decides");
    }
    let clock = stage.clock.get();
    let used = stage.cast.borrow().iter().any(|member| member.decided == clock.tick);
    if used || clock.planned == clock.tick {
        stage.advance(1);
    }
    let mut clock = stage.clock.get();
    clock.planned = clock.tick;
    stage.clock.set(clock);
    let entered = perceive(stage)
        .map_err(NativeReply::Problem)
        .and_then(|()| stage.ready_plan().map_err(NativeReply::Reason))
        .map(|()| {
            begin(stage, CallPhase::Plan, AgentId(0), 1.0);
            match stage.vm.plan(&scene(stage, 1)) {
                Ok(Ok(_)) => NIL,
                failed => raised(stage, failed),
            }
        });
    stage.leave();
    match entered {
        Ok(reply) => reply,
        Err(refusal) => Ok(refusal),
    }
}

fn begin(stage: &SpecStage, phase: CallPhase, agent: AgentId, seconds: f64) {
    let clock = stage.clock.get();
    let time = Duration::try_from_secs_f64(seconds).unwrap_or_default();
    let present: Vec<_> = stage.host.roster().ids().collect();
    let ask = Ask {
        turn: Turn::new(clock.round, clock.step),
        tick: clock.tick,
        agent,
        present: &present,
        budget: time,
        time_left: time,
    };
    stage.host.begin(phase, &ask, Instant::now());
}

fn scene(stage: &SpecStage, index: usize) -> CallNumbers {
    let clock = stage.clock.get();
    #[expect(clippy::cast_precision_loss, reason = "scripts count in doubles")]
    let tick = clock.tick as f64;
    let (step, round) = (clock.step, clock.round);
    CallNumbers { index: place_of(index), step, round, tick, score: None, ranking: None }
}
