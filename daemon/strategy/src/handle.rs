//! A keeper at work, as everybody else holds it: no locks, bounded queues.

use crate::command::{Answered, Command, Shown, Work};
use crate::patience::{patiently, soon};
use crate::sessions::{Request, Sessions};
use crate::{
    Activation, CODE_BYTES_MAX, Eval, Evaluated, GenerationInfo, Refusal, Source, Stage, Status,
    Trialled, Tuning,
};
use phalanx_engine::{Params, Profile, Scope, Snapshot, StrategyOrigin};
use phalanx_game::{AgentId, Value};
use phalanx_lua::Bundle;
use std::fmt;
use std::sync::Arc;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot, watch};

/// A keeper at work. Clones share it; when the last one is dropped it ends.
#[derive(Clone)]
pub struct KeeperHandle {
    pub(crate) team: Arc<str>,
    pub(crate) stage: Arc<dyn Stage>,
    pub(crate) commands: mpsc::Sender<Command>,
    pub(crate) shown: watch::Receiver<Arc<Shown>>,
    pub(crate) snapshots: watch::Receiver<Arc<Snapshot>>,
    pub(crate) sessions: Arc<Sessions>,
}

impl fmt::Debug for KeeperHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeeperHandle").field("team", &self.team).finish_non_exhaustive()
    }
}

impl KeeperHandle {
    /// The strategy now.
    #[must_use]
    pub fn status(&self) -> Status {
        let on_probation = self.snapshots.borrow().on_probation;
        let status = self.shown.borrow().status.clone();
        Status { on_probation: on_probation && !status.pinned, ..status }
    }

    /// Follows the strategy: notified when [`status`](Self::status) or
    /// [`generations`](Self::generations) changed. False once the keeper has ended.
    pub async fn changed(&mut self) -> bool {
        self.shown.changed().await.is_ok()
    }

    /// The generations that are kept, newest first.
    #[must_use]
    pub fn generations(&self) -> Vec<GenerationInfo> {
        self.shown.borrow().generations.clone()
    }

    /// One generation and its files.
    ///
    /// # Errors
    /// When it is not kept, or its files cannot be read any more.
    pub async fn generation(&self, number: u32) -> Result<(GenerationInfo, Arc<Bundle>), Refusal> {
        self.ask(|reply| Command::Generation { number, reply }).await
    }

    /// Tries a strategy without letting it play. Mistakes are an answer, not an error.
    ///
    /// # Errors
    /// When there is nothing to try.
    pub async fn check(&self, source: Source) -> Result<Arc<Trialled>, Refusal> {
        Ok(self.work(Work::check(source)).await?.trialled)
    }

    /// Tries a strategy and lets it decide from the next turn on.
    ///
    /// # Errors
    /// When the trial finds mistakes, another generation is pinned, or the team cannot take it
    /// over: then everything stays as it was.
    pub async fn activate(
        &self,
        source: Source,
        origin: StrategyOrigin,
        options: Activation,
    ) -> Result<(GenerationInfo, Arc<Trialled>), Refusal> {
        let what = match &source {
            Source::Folder => "activate the folder".to_owned(),
            Source::Files(files) => format!("activate {} files", files.len()),
            Source::Generation(number) => format!("activate generation {number}"),
        };
        let by = origin.to_string();
        let answer = self.work(Work::activate(source, origin, options)).await;
        if !options.validate_only {
            self.audit(&by, &what, answer.as_ref().err());
        }
        answer.map(|answered| (answered.generation, answered.trialled))
    }

    /// Lets an earlier generation decide again: the one of that number, or the one that decided
    /// before the present one. It has played before: its specs are not asked again.
    ///
    /// # Errors
    /// As [`activate`](Self::activate), and when there is none.
    pub async fn roll_back(
        &self,
        to: Option<u32>,
        origin: StrategyOrigin,
        forget: bool,
    ) -> Result<GenerationInfo, Refusal> {
        let by = origin.to_string();
        let answer = self.work(Work::roll_back(to, origin, forget)).await;
        let what = to.map_or("roll back".into(), |to| format!("roll back to generation {to}"));
        self.audit(&by, &what, answer.as_ref().err());
        answer.map(|answered| answered.generation)
    }

    /// Holds on to what decides now: changed files are tried and told, but do not play. Unpinned,
    /// the folder is tried again.
    ///
    /// # Errors
    /// When the keeper is busy or has ended.
    pub async fn pin(&self, pinned: bool, user: &str) -> Result<Status, Refusal> {
        let answer = self.ask(|reply| Command::Pin { pinned, reply }).await;
        self.audit(user, if pinned { "pin" } else { "unpin" }, answer.as_ref().err());
        answer?;
        Ok(self.status())
    }

    /// Takes other options from now on. Another folder is looked at from then on, and its strategy
    /// plays once it has passed its trial, as if it were saved where the old one stood.
    ///
    /// # Errors
    /// When the keeper is busy or has ended.
    pub async fn retune(&self, tuning: Tuning) -> Result<(), Refusal> {
        self.ask(|reply| Command::Retune { tuning, reply }).await
    }

    /// Takes the folder as it is now, even what was refused or rolled back before; without a
    /// folder nothing happens. What comes of it is told in the journal and the log as well.
    ///
    /// # Errors
    /// As [`activate`](Self::activate); what decided before plays on.
    pub async fn reload(&self, origin: StrategyOrigin) -> Result<(), Refusal> {
        let by = origin.to_string();
        let answer = self.work(Work::reload(origin)).await;
        self.audit(&by, "reload the folder", answer.as_ref().err());
        answer.map(drop)
    }

    /// The parameters, as of the last turn.
    #[must_use]
    pub fn params(&self) -> Arc<Params> {
        Arc::clone(&self.snapshots.borrow().params)
    }

    /// Sets a parameter from the next turn on, or takes back what was set for that scope.
    ///
    /// # Errors
    /// When no script declares it, the value does not fit, or there is no such role or agent.
    pub async fn set_param(
        &self,
        name: &str,
        scope: Scope,
        value: Option<Value>,
        by: &str,
    ) -> Result<(), Refusal> {
        let done = if value.is_some() { "set" } else { "reset" };
        let what = format!("{done} {name:.64} for {}", scope.describe(&self.stage.roster()));
        let answer = self.send_param(name, scope, value, by).await;
        self.audit(by, &what, answer.as_ref().err());
        answer
    }

    async fn send_param(
        &self,
        name: &str,
        scope: Scope,
        value: Option<Value>,
        by: &str,
    ) -> Result<(), Refusal> {
        match &scope {
            Scope::Team => {}
            Scope::Role(role) if self.has_role(role) => {}
            Scope::Role(role) => return Err(Refusal::NoRole(role.chars().take(80).collect())),
            Scope::Agent(agent) if self.stage.roster().is_present(*agent) => {}
            Scope::Agent(agent) => return Err(Refusal::NoAgent(format!("#{}", agent.0))),
        }
        soon(self.stage.set_param(name.into(), scope, value, by.into())).await??;
        Ok(())
    }

    /// An agent has it, or a file of the strategy is called so.
    fn has_role(&self, role: &str) -> bool {
        let held = self.snapshots.borrow().agents.iter().any(|agent| agent.role == role);
        held || self.shown.borrow().roles.contains(role)
    }

    /// Runs a piece of script as an agent: in a copy of what it sees, or in the living VM.
    ///
    /// # Errors
    /// When there is no such agent, the code is too long, or too much is going on. A script that
    /// fails is an answer.
    pub async fn eval(&self, eval: Eval) -> Result<Evaluated, Refusal> {
        if eval.code.len() > CODE_BYTES_MAX {
            return Err(Refusal::CodeTooLong);
        }
        let name = || Refusal::NoAgent(eval.agent.chars().take(80).collect());
        let agent = self.stage.roster().find(&eval.agent).ok_or_else(name)?;
        if eval.live {
            let answer = self.run_live(agent, eval.code, &eval.by).await;
            let what = format!("run a script live as {}", eval.agent);
            self.audit(&eval.by, &what, answer.as_ref().err());
            return answer;
        }
        let view = patiently(|| self.stage.view()).await?;
        let (info, bundle) = self.generation(view.generation).await?;
        let (generation, code) = (info.generation, eval.code);
        let request = Request { view, generation, bundle, agent, code };
        self.sessions.run(&eval.session, request).await
    }

    async fn run_live(&self, agent: AgentId, code: String, by: &str) -> Result<Evaluated, Refusal> {
        let answer = soon(self.stage.run(agent, code, by.into())).await?;
        let (turn, generation) = {
            let snapshot = self.snapshots.borrow();
            (snapshot.turn, snapshot.generation)
        };
        Ok(match answer {
            Ok(ran) => Evaluated {
                text: ran.text,
                lines: ran.lines,
                error: String::new(),
                turn,
                generation,
            },
            Err(error) => {
                Evaluated { error: error.to_string(), turn, generation, ..Evaluated::default() }
            }
        })
    }

    /// Measures the scripts over so many turns; answers after them.
    ///
    /// # Errors
    /// When the team is busy or has ended. A team that plays no turns lets its caller wait.
    pub async fn profile(&self, turns: u32) -> Result<Profile, Refusal> {
        Ok(self.stage.profile(turns).await?)
    }

    async fn work(&self, work: Work) -> Result<Answered, Refusal> {
        self.ask(|reply| Command::Work { work, reply }).await
    }

    async fn ask<T>(
        &self,
        command: impl FnOnce(oneshot::Sender<Result<T, Refusal>>) -> Command,
    ) -> Result<T, Refusal> {
        let (reply, answer) = oneshot::channel();
        self.commands.try_send(command(reply)).map_err(|error| match error {
            TrySendError::Full(_) => Refusal::Busy,
            TrySendError::Closed(_) => Refusal::Ended,
        })?;
        answer.await.unwrap_or(Err(Refusal::Ended))
    }

    /// Who changed what, and whether it came to anything.
    fn audit(&self, by: &str, what: &str, refusal: Option<&Refusal>) {
        let team = &*self.team;
        match refusal {
            None => tracing::info!(target: "audit", team, by, what, "done"),
            Some(refusal) => {
                tracing::warn!(target: "audit", team, by, what, %refusal, "refused");
            }
        }
    }
}
