//! A team's belief that is a script.

use crate::Rules;
use crate::percept::Percept;
use crate::picture;
use crate::session::{notice, order_value};
use crate::state::ScriptState;
use crate::vm::{Arg, Module};
use phalanx_game::sorted::{SortedMap, SortedSet};
use phalanx_game::{
    ActionError, AgentId, AgentState, Met, Notice, Picture, QueryError, RestoreError, Roster, Said,
    Tokens, Turn, Value, World, freeze, misfit, thaw,
};
use phalanx_luau::failure::Failure;
use std::collections::VecDeque;
use std::sync::Arc;

/// The version of the bytes of a saved world.
const SAVED: u16 = 1;
/// Mistakes that wait for the journal; more are dropped, since they repeat.
const MISTAKES_MAX: usize = 16;

/// The world of a game that is written in Luau.
#[derive(Clone, Debug)]
pub struct ScriptedWorld {
    rules: Arc<Rules>,
    roster: Arc<Roster>,
    state: ScriptState,
    /// Each agent's last percept.
    percepts: SortedMap<AgentId, Percept>,
    round: u32,
    mistakes: VecDeque<Notice>,
    /// Percept fields whose wrong type was reported.
    reported: SortedSet<&'static str>,
}

impl ScriptedWorld {
    pub(crate) fn new(rules: &Arc<Rules>, roster: &Roster) -> Self {
        let team = Value::map([("name", roster.team.clone().into()), ("agents", names(roster))]);
        Self {
            rules: Arc::clone(rules),
            roster: Arc::new(roster.clone()),
            state: ScriptState::made(&rules.folder, Module::World, "new", [team.into()]),
            percepts: SortedMap::new(),
            round: 0,
            mistakes: VecDeque::new(),
            reported: SortedSet::new(),
        }
    }

    fn name(&self, agent: AgentId) -> Arg {
        Arg::from(self.roster.name(agent).to_owned())
    }

    fn call(&mut self, function: &'static str, args: impl Into<Arc<[Arg]>>) {
        if let Err(failure) = self.state.call(function, args).result {
            self.mistake(failure);
        }
    }

    /// Reports declared fields of a percept that have another type than declared, each once.
    fn report_misfits(&mut self, percept: &Percept) {
        if percept.fits() {
            return;
        }
        for field in self.rules.manifest.declaration.api.percept {
            let Some(problem) = percept.misfit(field.name, &field.kind) else { continue };
            if self.reported.insert(field.name) {
                let what = format!("the percept's field {}: {problem}", field.name);
                self.mistake(Failure { place: None, message: what, memory: false });
            }
        }
    }

    fn mistake(&mut self, failure: Failure) {
        if self.mistakes.len() < MISTAKES_MAX {
            self.mistakes.push_back(notice(Module::World, failure));
        }
    }

    /// What a function that changes nothing answers; nil if the file does not have it or if it
    /// fails, which `game check` and queries report.
    fn ask(&self, function: &str, args: &[Arg]) -> Value {
        self.state.ask(function, args).ok().flatten().unwrap_or_default()
    }
}

fn names(roster: &Roster) -> Value {
    let names = roster.present().map(|agent| Value::from(roster.name(agent).to_owned()));
    Value::List(names.collect())
}

/// A failure as text with its place.
fn text(failure: &Failure) -> String {
    match &failure.place {
        Some((file, line)) => format!("{file}:{line}: {}", failure.message),
        None => failure.message.clone(),
    }
}

impl World for ScriptedWorld {
    type Briefing = Value;
    type Percept = Percept;
    type Action = Said;

    fn enroll(&mut self, roster: &Roster) {
        self.roster = Arc::new(roster.clone());
        self.call("enroll", [names(roster).into()]);
    }

    fn begin(&mut self, round: u32, agent: AgentId, briefing: Option<&Value>) {
        if round != self.round {
            self.percepts.clear();
            self.round = round;
        }
        let briefing = briefing.cloned().unwrap_or_default();
        self.call("begin", [self.name(agent), briefing.into(), round.into()]);
    }

    fn observe(&mut self, turn: Turn, agent: AgentId, percept: Percept) {
        let args = [self.name(agent), turn.step.into(), Arg::Percept(percept.clone())];
        // What a session's script has made is known before; a part of a message is read by now.
        if percept.plain().is_some() {
            self.report_misfits(&percept);
        }
        self.call("observe", args);
        self.report_misfits(&percept);
        self.percepts.insert(agent, percept);
    }

    fn settle(&mut self, turn: Turn) {
        // What strategies have read since the last turn.
        for percept in self.percepts.values().cloned().collect::<Vec<_>>() {
            self.report_misfits(&percept);
        }
        self.call("settle", [turn.step.into()]);
    }

    fn acted(&mut self, turn: Turn, agent: AgentId, action: &Said) {
        self.call("acted", [self.name(agent), turn.step.into(), order_value(action).into()]);
    }

    fn poll_notice(&mut self) -> Option<Notice> {
        self.mistakes.pop_front()
    }

    fn field(&self, agent: AgentId, name: &str) -> Option<Value> {
        let percept = self.percepts.get(&agent)?;
        let mut declared = self.rules.manifest.declaration.api.percept.iter();
        let declared = declared.find(|field| field.name == name)?;
        let value = percept.get(name)?;
        // Strategies are checked against the declaration, so they do not see another type.
        misfit(&declared.kind, value).is_none().then(|| value.clone())
    }

    fn query(&self, agent: AgentId, name: &str, args: &[Value]) -> Result<Value, QueryError> {
        let refused = |reason: String| QueryError { query: name.to_owned(), reason };
        let Some(declared) = self.rules.manifest.declaration.api.query(name) else {
            return Err(refused("there is no such query".to_owned()));
        };
        let mut all = vec![self.name(agent)];
        all.extend(args.iter().cloned().map(Arg::from));
        match self.state.ask(&format!("queries.{name}"), &all) {
            Ok(Some(answer)) => match misfit(&declared.returns, &answer) {
                None => Ok(answer),
                Some(problem) => {
                    Err(refused(format!("world.luau returned another type: {problem}")))
                }
            },
            Ok(None) => {
                let what = format!("world.luau has no function {name} in its table `queries`");
                Err(refused(what))
            }
            Err(failure) => Err(refused(text(&failure))),
        }
    }

    fn parse(&self, agent: AgentId, said: &Said) -> Result<Said, ActionError> {
        let refused = |reason| ActionError { action: said.action.to_string(), reason };
        if self.rules.manifest.declaration.api.action(&said.action).is_none() {
            return Err(refused("there is no such action".to_owned()));
        }
        match self.state.ask("check", &[self.name(agent), order_value(said).into()]) {
            Ok(Some(Value::Str(reason))) => Err(refused(reason.into_owned())),
            Ok(_) => Ok(said.clone()),
            Err(failure) => Err(refused(text(&failure))),
        }
    }

    fn fallback(&self, _agent: AgentId) -> Said {
        self.rules.manifest.fallback.clone()
    }

    fn score(&self) -> Option<i64> {
        #[expect(clippy::cast_possible_truncation, reason = "the cast saturates")]
        self.ask("score", &[]).as_num().map(|score| score as i64)
    }

    fn state(&self, agent: AgentId) -> AgentState {
        let shown = self.ask("state", &[self.name(agent)]);
        let part = |index: usize| {
            let text = shown.as_list().and_then(|parts| parts.get(index)).and_then(Value::as_str);
            text.unwrap_or_default().to_owned()
        };
        match shown.as_str() {
            Some(summary) => AgentState { summary: summary.to_owned(), last_result: String::new() },
            None => AgentState { summary: part(0), last_result: part(1) },
        }
    }

    fn draw(&self) -> Picture {
        match self.state.ask("draw", &[]) {
            Ok(drawn) => {
                let drawn = drawn.unwrap_or_default();
                picture::read(&drawn, &self.rules.manifest, &self.roster)
            }
            Err(failure) => picture::of_failure(&text(&failure)),
        }
    }

    fn save(&self) -> Vec<u8> {
        // What is no plain data cannot be saved; the journal has reported it.
        let state = self.state.plain().ok();
        freeze(SAVED, &(self.round, state.as_ref().map(Tokens::of_plain)))
    }

    fn restore(&mut self, saved: &[u8]) -> Result<(), RestoreError> {
        let (round, tokens): (u32, Option<Tokens>) = thaw(SAVED, saved)?;
        let plain = tokens.and_then(Tokens::into_plain);
        let plain = plain.ok_or_else(|| RestoreError::new("the saved belief has no state"))?;
        self.state = ScriptState::saved(&self.rules.folder, Module::World, plain);
        self.round = round;
        Ok(())
    }

    fn recognize(&self, agent: AgentId, met: Met<'_, Value, Percept>) -> Result<(), String> {
        let answer = match met {
            Met::Round(briefing) => {
                let briefing = briefing.cloned().unwrap_or_default();
                self.ask("recognize_round", &[self.name(agent), briefing.into()])
            }
            Met::Turn(turn, percept) => {
                let percept = Arg::Percept(percept.clone());
                self.ask("recognize", &[self.name(agent), turn.step.into(), percept])
            }
        };
        answer.as_str().map_or(Ok(()), |reason| Err(reason.to_owned()))
    }
}
