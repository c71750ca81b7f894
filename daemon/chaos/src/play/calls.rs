//! What operators ask through the control API, and what has to be true of its answers.

use super::Match;
use super::errands::Step;
use crate::api::{ApiClock, ApiTeam, Asked};
use crate::methods::Caller;
use crate::network::open;
use crate::people::Expected;
use crate::violation::Rule;
use crate::watch::Acknowledged;
use phalanx_engine::{Command, CommandRequest};
use phalanx_game::AgentId;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinHandle;
use tonic::{Code, Status};

/// One in this many calls is sent twice, as by a client that lost the answer.
const TWICE_EVERY: u64 = 4;
/// One in this many calls has a deadline.
const HURRIED_EVERY: u64 = 3;
/// The longest deadline of a call.
const DEADLINE_MS_MAX: u64 = 3_000;
/// How often the tasks of the API run before something that is due counts as missing.
const RUNS_MAX: u32 = 20;

/// What an operator wants.
#[derive(Clone, Debug)]
pub(crate) struct PlannedCall {
    pub(crate) agent: AgentId,
    pub(crate) command: Command,
    /// What a snapshot shows once the team has acknowledged it.
    pub(crate) expected: Option<Expected>,
    /// What the operator does next.
    pub(crate) next: Option<Step>,
}

/// A call that is open.
struct Call {
    team: usize,
    method: &'static str,
    /// Who calls.
    user: String,
    /// The same call, sent once or twice.
    sent: Vec<JoinHandle<Result<(), Status>>>,
    has_deadline: bool,
    /// `None`: it only looks.
    wish: Option<PlannedCall>,
    /// What the team said to the commands that reached it.
    acknowledged: Vec<Acknowledged>,
}

/// The API servers of a match, and the calls that are open.
#[derive(Default)]
pub(crate) struct Calls {
    clock: Option<ApiClock>,
    teams: Vec<Option<ApiTeam>>,
    open: Vec<Call>,
    begun: u64,
    /// Calls that were answered.
    pub(crate) answered: u64,
}

impl Match<'_> {
    /// An operator calls the API, or asks the team where the API has no method for it. `seed`: how
    /// the operator calls.
    pub(crate) fn ask(&mut self, team: usize, wish: PlannedCall, seed: u64) {
        if self.call(team, &wish, seed).is_none() {
            self.pass(team, wish, None);
        }
    }

    fn call(&mut self, team: usize, wish: &PlannedCall, seed: u64) -> Option<()> {
        self.serve(team);
        let roster = &self.cast.teams.get(team)?.roster;
        let calls = &mut self.calls;
        let (clock, served) = (calls.clock.as_ref()?, calls.teams.get(team)?.as_ref()?);
        let user = format!("call-{}", calls.begun);
        let hurry = || Duration::from_millis(1 + seed % DEADLINE_MS_MAX);
        // What only reads has no id by which a second call is known.
        let reads = matches!(
            wish.command,
            Command::BoardRead(_) | Command::DrawWorld(_) | Command::ProfileScripts(_)
        );
        let caller = Caller {
            link: &served.link,
            user: &user,
            game: &self.scenario.game,
            team: &roster.team,
            agent: roster.name(wish.agent),
            deadline: seed.is_multiple_of(HURRIED_EVERY).then(hurry),
            times: if seed.is_multiple_of(TWICE_EVERY) && !reads { 2 } else { 1 },
        };
        let given = caller.give(&wish.command)?;
        let has_deadline = caller.deadline.is_some();
        let looked = Caller { deadline: None, times: 1, ..caller }.look(seed / TWICE_EVERY);
        let both = [(looked, false, None), (given, has_deadline, Some(wish.clone()))];
        let both = both.map(|((method, sending), has_deadline, wish)| {
            let sent = sending.into_iter().map(|call| clock.spawn(call)).collect();
            Call {
                team,
                method,
                user: user.clone(),
                sent,
                has_deadline,
                wish,
                acknowledged: Vec::new(),
            }
        });
        calls.open.extend(both);
        calls.begun += 1;
        self.run_calls();
        Some(())
    }

    /// Serves a team, if it is not served.
    fn serve(&mut self, team: usize) {
        let (calls, now) = (&mut self.calls, self.lockstep.now());
        calls.teams.resize_with(self.cast.teams.len(), || None);
        if calls.clock.is_none() {
            calls.clock = ApiClock::new(now).ok();
        }
        let Some((clock, plan)) = calls.clock.as_ref().zip(self.cast.teams.get(team)) else {
            return;
        };
        let Some(watch) = self.watch.teams.get_mut(team) else { return };
        let Some(place @ None) = calls.teams.get_mut(team) else { return };
        let Some(served) = ApiTeam::serve(clock, plan, &watch.snapshot) else { return };
        let is_ready = |_: &u32| {
            clock.run(now);
            served.audience.is_ready()
        };
        (0..RUNS_MAX).find(is_ready);
        watch.audience = Some(served.audience.clone());
        *place = Some(served);
    }

    /// The process of a team was killed, and its API with it.
    pub(crate) fn hang_up_calls(&mut self, team: usize) {
        self.calls.open.retain(|call| call.team != team);
        if let Some(served) = self.calls.teams.get_mut(team) {
            *served = None;
        }
    }

    /// Lets the API work, passes its commands to the teams, and checks what it answers.
    pub(crate) fn run_calls(&mut self) {
        let now = self.lockstep.now();
        for _ in 0..RUNS_MAX {
            let Some(clock) = &self.calls.clock else { return };
            clock.run(now);
            let asked = self.calls.take_asked();
            let is_quiet = asked.is_empty();
            asked.into_iter().for_each(|(team, asked)| self.take_over(team, asked));
            for (team, text) in self.calls.mistakes() {
                self.wrong(team, text);
            }
            if is_quiet && self.calls.missing().is_empty() {
                return;
            }
        }
        for (team, text) in self.calls.missing() {
            self.wrong(team, text);
        }
    }

    /// A command of the API reaches the team.
    fn take_over(&mut self, team: usize, (request, caller): Asked) {
        let CommandRequest { by, command, .. } = request;
        let acknowledged = Acknowledged::default();
        // What only reads has no author, and does not wait for other calls.
        let is_its = |call: &&mut Call| {
            let is_author = by.is_empty() || by.split(' ').next() == Some(&*call.user);
            call.wish.is_some() && call.team == team && is_author
        };
        let call = self.calls.open.iter_mut().rev().find(is_its);
        let wish = call.and_then(|call| {
            call.acknowledged.push(Arc::clone(&acknowledged));
            call.wish.clone()
        });
        let unknown =
            PlannedCall { agent: AgentId(0), command: command.clone(), expected: None, next: None };
        let wish = PlannedCall { command, ..wish.unwrap_or(unknown) };
        self.pass(team, wish, Some((acknowledged, caller)));
    }

    fn wrong(&mut self, team: usize, text: String) {
        let name = self.watch.teams.get(team).map(|team| team.name.clone()).unwrap_or_default();
        open(&self.ledger).violate(Rule::Api, name, String::new(), text);
    }
}

impl Calls {
    fn take_asked(&mut self) -> Vec<(usize, Asked)> {
        let mut all = Vec::new();
        for (team, served) in self.teams.iter_mut().enumerate() {
            while let Some(asked) = served.as_mut().and_then(ApiTeam::take) {
                all.push((team, asked));
            }
        }
        all
    }

    /// What is wrong with the answers that have come.
    fn mistakes(&mut self) -> Vec<(usize, String)> {
        let Some(clock) = &self.clock else { return Vec::new() };
        let has_ended = |call: &mut Call| call.sent.iter().all(JoinHandle::is_finished);
        let mut mistakes = Vec::new();
        for mut call in self.open.extract_if(.., has_ended) {
            let results: Vec<_> = call.sent.drain(..).map(|sent| clock.take(sent)).collect();
            self.answered += u64::try_from(results.len()).unwrap_or_default();
            let text = call.mistake(&results);
            mistakes.extend(text.map(|text| (call.team, format!("{}: {text}", call.method))));
        }
        mistakes
    }

    /// What is due and has not come.
    fn missing(&self) -> Vec<(usize, String)> {
        let overdue = self.open.iter().filter(|call| call.is_overdue()).map(|call| {
            (call.team, format!("{} is not answered, though the team has answered", call.method))
        });
        let served = self.teams.iter().enumerate();
        let unseen =
            served.filter_map(|(team, served)| Some((team, served.as_ref()?.audience.trouble()?)));
        overdue.chain(unseen).collect()
    }
}

impl Call {
    /// The team has answered.
    fn is_overdue(&self) -> bool {
        !self.acknowledged.is_empty()
            && self.acknowledged.iter().all(|acknowledged| acknowledged.get().is_some())
    }

    /// What is wrong with the answers to the same call.
    fn mistake(&self, results: &[Result<(), Status>]) -> Option<String> {
        if self.acknowledged.len() > 1 {
            return Some(format!("the command reached the team {} times", self.acknowledged.len()));
        }
        let acknowledged =
            self.acknowledged.first().and_then(|acknowledged| acknowledged.get().copied());
        results.iter().find_map(|result| match result {
            Ok(()) => self.false_yes(acknowledged).map(str::to_owned),
            Err(status) => self.false_no(acknowledged, status),
        })
    }

    /// Why it may not be acknowledged.
    fn false_yes(&self, acknowledged: Option<bool>) -> Option<&'static str> {
        match (acknowledged, self.method) {
            _ if self.wish.is_none() => None,
            // What is done already needs no team, and a script that fails is an answer.
            (None, "start_team" | "stop_team") | (Some(false), "eval_script") | (Some(true), _) => {
                None
            }
            (None, _) => Some("it was acknowledged before the team said so"),
            (Some(false), _) => Some("it was acknowledged, though the team refused it"),
        }
    }

    /// Why it may not be refused like this.
    fn false_no(&self, acknowledged: Option<bool>, status: &Status) -> Option<String> {
        let code = status.code();
        if self.has_deadline && matches!(code, Code::Cancelled | Code::DeadlineExceeded) {
            return None;
        }
        let is_malformed = matches!(
            code,
            Code::Internal
                | Code::Unknown
                | Code::Unimplemented
                | Code::DataLoss
                | Code::Cancelled
                | Code::InvalidArgument
                | Code::PermissionDenied
                | Code::Unauthenticated
        );
        if is_malformed {
            return Some(format!("a legal call was answered with {status}"));
        }
        (acknowledged == Some(true))
            .then(|| format!("the team acknowledged it, and the answer is {status}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use phalanx_engine::DrawWorld;
    use std::sync::OnceLock;

    fn call(method: &'static str, acknowledged: &[Option<bool>], has_deadline: bool) -> Call {
        let agent = AgentId(0);
        let wish = PlannedCall { agent, command: DrawWorld.into(), expected: None, next: None };
        let acknowledged = acknowledged
            .iter()
            .map(|acknowledged| Arc::new(acknowledged.map_or_else(OnceLock::new, OnceLock::from)));
        Call {
            team: 0,
            method,
            user: "call-0".to_owned(),
            sent: Vec::new(),
            has_deadline,
            wish: Some(wish),
            acknowledged: acknowledged.collect(),
        }
    }

    #[test]
    fn answers_that_are_not_the_teams_are_mistakes() {
        let (yes, no) = ([Some(true)], [Some(false)]);
        let refused = || Err(Status::unavailable("busy"));
        let right = [
            call("pause_agent", &yes, false).mistake(&[Ok(()), Ok(())]),
            call("pause_agent", &no, false).mistake(&[refused()]),
            call("pause_agent", &[], false).mistake(&[refused()]),
            call("eval_script", &no, false).mistake(&[Ok(())]),
            call("start_team", &[], false).mistake(&[Ok(())]),
            call("stop_team", &[], false).mistake(&[Ok(())]),
            call("pause_agent", &yes, true).mistake(&[Err(Status::deadline_exceeded("late"))]),
            Call { wish: None, ..call("get_team", &[], false) }.mistake(&[Ok(())]),
        ];
        assert_eq!(right, [const { None }; 8]);
        let wrong = [
            (call("pause_agent", &[Some(true), Some(true)], false), Ok(()), "reached the team 2"),
            (call("pause_agent", &[], false), Ok(()), "before the team said so"),
            (call("pause_agent", &no, false), Ok(()), "though the team refused it"),
            (call("pause_agent", &yes, false), refused(), "the team acknowledged it"),
            (call("pause_agent", &no, false), Err(Status::internal("?")), "a legal call"),
            (call("pause_agent", &no, false), Err(Status::cancelled("?")), "a legal call"),
        ];
        for (call, result, text) in wrong {
            let mistake = call.mistake(&[result]).unwrap_or_default();
            assert!(mistake.contains(text), "{mistake:?} is not {text:?}");
        }
    }

    #[test]
    fn a_call_is_overdue_once_the_team_has_answered() {
        for (acknowledged, overdue) in [(&[][..], false), (&[None], false), (&[Some(false)], true)]
        {
            assert_eq!(
                call("pause_agent", acknowledged, false).is_overdue(),
                overdue,
                "{acknowledged:?}"
            );
        }
    }
}
