//! The faked world and the natives behind `fake`: agents that play a spec's scene.

use super::compare::show;
use super::stage::{Member, Stage, native, place_of, said};
use super::{FAKE_AGENTS_MAX, pretend};
use crate::args::{number, text, whole};
use crate::dice::Phase;
use crate::failure::Failure;
use crate::host::Host;
use crate::natives::{Action, NIL, Native, Reply, problem};
use crate::plain::{self, describe};
use crate::vm::{Entry, Scene};
use mlua::{Function, Lua, MultiValue, Table, Value as LuaValue, WeakLua};
use phalanx_engine::{Ask, Scope};
use phalanx_game::{AgentId, Oracle, QueryError, Turn, Value};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::{Rc, Weak};
use std::time::{Duration, Instant};

/// Longest time that a spec may say is left.
const TIME_LEFT_MAX: f64 = 3600.0;
/// Longest name of a faked agent, in bytes.
const NAME_BYTES_MAX: usize = 100;

/// A world that knows what a spec says.
#[derive(Default)]
pub(super) struct FakeWorld {
    agents: RefCell<Vec<FakeAgent>>,
    source: RefCell<Option<(Weak<Host>, WeakLua)>>,
}

impl std::fmt::Debug for FakeWorld {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FakeWorld").field("agents", &self.agents).finish_non_exhaustive()
    }
}

#[derive(Clone, Debug)]
struct FakeAgent {
    percept: BTreeMap<&'static str, Value>,
    answers: Table,
}

impl FakeWorld {
    /// Answers are made in this VM.
    pub(super) fn open(&self, host: &Rc<Host>, lua: &Lua) {
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

/// Adds the natives to the layer's host table.
pub(super) fn add(stage: &Rc<Stage>, table: &Table) -> mlua::Result<()> {
    table.raw_set("absent", &stage.absent)?;
    native(stage, table, "percept", pretend::percept)?;
    native(stage, table, "world", pretend::world)?;
    native(stage, table, "cast", cast)?;
    native(stage, table, "get", get)?;
    native(stage, table, "set", set)?;
    native(stage, table, "decide", |lua, stage, index| enter(lua, stage, index, &Act::Decide))?;
    native(stage, table, "start", |lua, stage, index| enter(lua, stage, index, &Act::Start))?;
    native(
        stage,
        table,
        "finish",
        |lua, stage, (index, score, ranking): (usize, LuaValue, LuaValue)| {
            let ranking = whole(&ranking).and_then(|ranking| u32::try_from(ranking).ok());
            let score = number(&score).unwrap_or(0.0);
            enter(lua, stage, index, &Act::Finish { score, ranking })
        },
    )?;
    native(stage, table, "run", |lua, stage, (index, body): (usize, Function)| {
        enter(lua, stage, index, &Act::Run(body))
    })?;
    native(stage, table, "plan", plan)?;
    native(stage, table, "turn", turn)?;
    native(stage, table, "post", post)?;
    native(stage, table, "param", param)?;
    native(stage, table, "reload", |_, stage, _: MultiValue| {
        stage.forget_roles();
        NIL
    })
}

/// A new agent of the team.
fn cast(lua: &Lua, stage: &Stage, options: Table) -> Native {
    let index = stage.cast.borrow().len() + 1;
    if index > FAKE_AGENTS_MAX {
        return problem(format!("fake.agent: a spec has at most {FAKE_AGENTS_MAX} agents"));
    }
    let name = match named(stage, &options.raw_get("name")?, index) {
        Ok(name) => name,
        Err(reason) => return problem(reason),
    };
    let role: LuaValue = options.raw_get("role")?;
    let role = match known_role(stage, &role) {
        Ok(role) => role,
        Err(reason) => return problem(reason),
    };
    let data = lua.create_table()?;
    stage.join(&name, &role, data)?;
    stage.vm.set_memory(place_of(index), LuaValue::Table(lua.create_table()?))?;
    for key in ["percept", "world", "memory", "time_left"] {
        let value: LuaValue = options.raw_get(key)?;
        if key == "memory" && value.is_nil() {
            continue;
        }
        if let Err(reason) = put(lua, stage, index, key, &value)? {
            return problem(format!("fake.agent: {reason}"));
        }
    }
    Ok(Reply::Result(LuaValue::Number(place_of(index))))
}

fn named(stage: &Stage, given: &LuaValue, index: usize) -> Result<String, String> {
    let name = match given {
        LuaValue::Nil => format!("a{index}"),
        given => text(given, stage.host.limits.value)?
            .filter(|name| !name.is_empty() && name.len() <= NAME_BYTES_MAX)
            .ok_or_else(|| format!("fake.agent: name: expected a text, got {}", show(given)))?,
    };
    match stage.host.roster().find(&name) {
        None => Ok(name),
        Some(_) => Err(format!("fake.agent: there is an agent {name} already in this spec")),
    }
}

fn known_role(stage: &Stage, given: &LuaValue) -> Result<String, String> {
    if given.is_nil() {
        return Ok(String::new());
    }
    let role = text(given, stage.host.limits.value)?.unwrap_or_default();
    let roles = stage.host.roles.borrow();
    if roles.contains(&role) {
        return Ok(role);
    }
    Err(format!("role: {}", pretend::unknown("role", given, roles.iter().map(String::as_str))))
}

/// Sets what a spec may set of an agent.
fn put(
    lua: &Lua,
    stage: &Stage,
    index: usize,
    key: &str,
    value: &LuaValue,
) -> mlua::Result<Result<(), String>> {
    let Some(data) = member(stage, index).map(|member| member.data) else {
        return Ok(Err("there is no such agent in this spec".into()));
    };
    match key {
        "percept" => match pretend::filled(lua, stage, key, value)? {
            Ok(full) => data.raw_set(key, full)?,
            Err(reason) => return Ok(Err(reason)),
        },
        "world" => match pretend::answers(lua, stage, key, value)? {
            Ok(answers) => data.raw_set(key, answers)?,
            Err(reason) => return Ok(Err(reason)),
        },
        "memory" if value.is_table() => stage.vm.set_memory(place_of(index), value.clone())?,
        "memory" => return Ok(Err(format!("memory: expected a table, got {}", show(value)))),
        "time_left" => match number(value).or(value.is_nil().then_some(1.0)) {
            Some(left) if (0.0..=TIME_LEFT_MAX).contains(&left) => data.raw_set(key, left)?,
            _other => {
                let what = format!("time_left: expected seconds, got {}", show(value));
                return Ok(Err(what));
            }
        },
        _role => match known_role(stage, value) {
            Ok(role) => stage.host.link.shared.borrow_mut().set_role(id(index), &role),
            Err(reason) => return Ok(Err(reason)),
        },
    }
    Ok(Ok(()))
}

fn set(lua: &Lua, stage: &Stage, (index, key, value): (usize, String, LuaValue)) -> Native {
    match put(lua, stage, index, &key, &value)? {
        Ok(()) => NIL,
        Err(reason) => problem(format!("agent.{reason}")),
    }
}

fn get(lua: &Lua, stage: &Stage, (index, key): (usize, String)) -> Native {
    let Some(member) = member(stage, index) else {
        return problem("this agent belongs to another spec; fake it in before_each or in `it`");
    };
    let value = match key.as_str() {
        "name" => {
            let name = stage.host.roster().name(id(index)).to_owned();
            LuaValue::String(lua.create_string(name)?)
        }
        "role" => {
            let role = stage.host.link.shared.borrow().role(id(index)).to_owned();
            LuaValue::String(lua.create_string(role)?)
        }
        "memory" => stage.vm.memory(place_of(index))?,
        "log" => LuaValue::Table(lua.create_sequence_from(stage.lines_of(id(index)))?),
        "reason" => match member.reason {
            Some(reason) => {
                let table = lua.create_table()?;
                table.raw_set("text", reason.text)?;
                table.raw_set("data", plain::push(lua, &reason.data)?)?;
                LuaValue::Table(table)
            }
            None => LuaValue::Nil,
        },
        data => member.data.raw_get(data)?,
    };
    Ok(Reply::Result(value))
}

fn member(stage: &Stage, index: usize) -> Option<Member> {
    stage.cast.borrow().get(index.checked_sub(1)?).cloned()
}

fn id(index: usize) -> AgentId {
    AgentId(u16::try_from(index.saturating_sub(1)).unwrap_or(u16::MAX))
}

/// What an agent is asked.
#[derive(Clone, Debug)]
enum Act {
    Start,
    Decide,
    Finish {
        score: f64,
        ranking: Option<u32>,
    },
    /// A function of the spec, as if it stood in the role's file.
    Run(Function),
}

/// Asks an agent as the engine would.
fn enter(lua: &Lua, stage: &Stage, index: usize, act: &Act) -> Native {
    let Some(asked) = member(stage, index) else {
        return problem("this agent belongs to another spec; fake it in before_each or in `it`");
    };
    if stage.busy.replace(true) {
        return problem("an agent cannot be asked while another one decides");
    }
    let tick = stage.clock.get().tick;
    if matches!(act, Act::Decide) && asked.decided == tick {
        stage.advance(1);
    }
    let entered = perceive(stage)
        .map_err(Reply::Problem)
        .and_then(|()| ready(lua, stage, index, act))
        .map(|role| play(stage, index, &role, act, &asked));
    if let (Act::Decide, Some(member)) =
        (act, stage.cast.borrow_mut().get_mut(index.saturating_sub(1)))
    {
        member.decided = stage.clock.get().tick;
    }
    stage.leave();
    match entered {
        Ok(reply) => reply,
        Err(refusal) => Ok(refusal),
    }
}

/// The role that is asked, ready to answer.
fn ready(lua: &Lua, stage: &Stage, index: usize, act: &Act) -> Result<String, Reply> {
    let role = stage.host.link.shared.borrow().role(id(index)).to_owned();
    if let Act::Run(body) = act {
        let table = lua.create_table().and_then(|table| {
            table.raw_set("decide", body)?;
            Ok(table)
        });
        let table = table.map_err(|error| Reply::Reason(error.to_string()))?;
        let defined = stage.vm.define_role(&role, &LuaValue::Table(table));
        return defined.map(|()| role).map_err(Reply::Problem);
    }
    if role.is_empty() {
        let what = "the agent has no role; give it one: fake.agent{ role = … }";
        return Err(Reply::Problem(what.into()));
    }
    stage.ready_role(&role).map(|()| role).map_err(Reply::Reason)
}

fn play(stage: &Stage, index: usize, role: &str, act: &Act, asked: &Member) -> Native {
    let (phase, entry) = match act {
        Act::Start => (Phase::Start, Entry::Start),
        Act::Decide | Act::Run(_) => (Phase::Decide, Entry::Decide),
        Act::Finish { .. } => (Phase::Finish, Entry::Finish),
    };
    let left: f64 = asked.data.raw_get("time_left")?;
    begin(stage, phase, id(index), left);
    let mut scene = scene(stage, index);
    if let Act::Finish { score, ranking } = act {
        (scene.score, scene.ranking) = (Some(*score), *ranking);
    }
    let answer = match stage.vm.enter(entry, role, &scene) {
        Ok(Ok(answer)) => answer,
        failed => return raised(stage, failed),
    };
    let is_action = answer.as_userdata().is_some_and(mlua::AnyUserData::is::<Action>);
    match act {
        Act::Decide if !is_action => {
            let what = format!("decide returned {}; it returns an action", describe(&answer));
            let line = stage.vm.role(role).and_then(|role| role.decide_line);
            let place = stage.program.bundle().resolve(role).map(str::to_owned).zip(line);
            Ok(Reply::Reason(said(&Failure { place, message: what, memory: false })))
        }
        Act::Decide | Act::Run(_) => Ok(Reply::Result(answer)),
        Act::Start | Act::Finish { .. } => NIL,
    }
}

/// The script under test failed: the spec gets its error, place included.
fn raised(stage: &Stage, failed: mlua::Result<Result<LuaValue, LuaValue>>) -> Native {
    let chars = stage.host.limits.message_chars;
    let failure = match failed {
        Ok(Ok(raised) | Err(raised)) => Failure::from_value(&raised, chars),
        Err(error) => Failure::from_error(&error, chars),
    };
    Ok(Reply::Reason(said(&failure.or_at(stage.host.place.take()))))
}

/// The team's plan of a turn; the second one begins the next turn.
fn plan(_: &Lua, stage: &Stage, _: MultiValue) -> Native {
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
        .map_err(Reply::Problem)
        .and_then(|()| stage.ready_plan().map_err(Reply::Reason))
        .map(|()| {
            begin(stage, Phase::Plan, AgentId(0), 1.0);
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

fn begin(stage: &Stage, phase: Phase, agent: AgentId, seconds: f64) {
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

fn scene(stage: &Stage, index: usize) -> Scene {
    let clock = stage.clock.get();
    #[expect(clippy::cast_precision_loss, reason = "scripts count in doubles")]
    let tick = clock.tick as f64;
    let (step, round) = (clock.step, clock.round);
    Scene { index: place_of(index), step, round, tick, score: None, ranking: None }
}

/// The world takes over what the spec says of all agents.
fn perceive(stage: &Stage) -> Result<(), String> {
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

/// Tells the turn, or goes on to a later one, or to a new round.
fn turn(_: &Lua, stage: &Stage, (turn, round): (LuaValue, LuaValue)) -> Native {
    let part = |value: &LuaValue| match value {
        LuaValue::Nil => Ok(None),
        value => {
            let number = whole(value).and_then(|turn| u32::try_from(turn).ok());
            number.map(Some).ok_or_else(|| format!("expected a number from 0, got {}", show(value)))
        }
    };
    let (step, round) = match part(&turn).and_then(|turn| Ok((turn, part(&round)?))) {
        Ok(parts) => parts,
        Err(reason) => return problem(format!("turn: {reason}")),
    };
    let now = stage.clock.get();
    if let Some(round) = round.filter(|round| *round != now.round) {
        stage.advance(1);
        let mut clock = stage.clock.get();
        (clock.round, clock.step) = (round, 0);
        stage.clock.set(clock);
    }
    let now = stage.clock.get().step;
    match step {
        Some(step) if step < now => {
            return problem(format!("turn: it is turn {now} already; turns only go forward"));
        }
        Some(step) if step > now => stage.advance(step - now),
        _same => {}
    }
    Ok(Reply::Result(LuaValue::Number(f64::from(stage.clock.get().step))))
}

/// Writes what a spec lets stand on the board.
fn post(_: &Lua, stage: &Stage, entries: LuaValue) -> Native {
    let LuaValue::Table(entries) = &entries else {
        return problem(format!("board: expected a table, got {}", show(&entries)));
    };
    let mut read = Vec::new();
    let limits = stage.host.limits.value;
    let mut wrong = None;
    entries.for_each(|key: LuaValue, value: LuaValue| {
        match (text(&key, limits), plain::read_value(&value, limits)) {
            (Ok(Some(key)), Ok(value)) => read.push((key, value)),
            (Ok(Some(key)), Err(culprit)) => wrong = Some(format!("{key}: {culprit}")),
            (Ok(None), _) => wrong = Some(format!("a key is a text, got {}", show(&key))),
            (Err(reason), _) => wrong = Some(reason),
        }
        Ok(())
    })?;
    read.sort_by(|(a, _), (b, _)| a.cmp(b));
    let mut shared = stage.host.link.shared.borrow_mut();
    for (key, value) in read {
        if let Err(error) = shared.board.set(&key, value, "spec", None) {
            wrong = Some(error.to_string());
        }
    }
    wrong.map_or(NIL, |reason| problem(format!("board: {reason}")))
}

/// Sets a parameter for the team; all role files declare theirs first.
fn param(_: &Lua, stage: &Stage, (name, value): (LuaValue, LuaValue)) -> Native {
    let limits = stage.host.limits.value;
    let read = text(&name, limits).and_then(|name| {
        let name = name.ok_or("expected a name and a value")?;
        let value = plain::read_value(&value, limits).map_err(|culprit| culprit.to_string())?;
        Ok((name, value))
    });
    let (name, value) = match read {
        Ok(read) => read,
        Err(reason) => return problem(format!("fake.param: {reason}")),
    };
    if !stage.has_roles() {
        let roles: Vec<_> = stage.host.roles.borrow().iter().cloned().collect();
        // Files that fail tell so when they are asked.
        let declared = roles.iter().map(|role| stage.ready_role(role));
        let failed =
            declared.filter(Result::is_err).count() + usize::from(stage.ready_plan().is_err());
        stage.forget_roles();
        stage.leave();
        if failed > roles.len() {
            return problem("fake.param: no file of the strategy loads");
        }
    }
    let value = (value != Value::Nil).then_some(value);
    let set = stage.host.link.shared.borrow_mut().params.set(&name, Scope::Team, value.as_ref());
    match set {
        Ok(_) => NIL,
        Err(error) => problem(format!("fake.param: {error}")),
    }
}
