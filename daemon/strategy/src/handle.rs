//! A keeper at work, as everybody else holds it: no locks, bounded queues.

use crate::command::{KeeperCommand, KeeperView, TrialWork, WorkResult};
use crate::patience::{patiently, soon};
use crate::sessions::{EvalRequest, Sessions};
use crate::{
    Activation, CODE_BYTES_MAX, Eval, Evaluated, GenerationInfo, RequestedSource, StrategyError,
    StrategyStatus, Trialled, Tuning,
};
use phalanx_engine::{
    CommandError, CopyView, Params, Profile, ProfileScripts, RunScript, Scope, SetParam, Snapshot,
    StrategyOrigin,
};
use phalanx_game::{AgentId, Value};
use phalanx_lua::Bundle;
use phalanx_net::TeamHandle;
use std::fmt;
use std::sync::Arc;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot, watch};

/// A keeper at work. Clones share it; when the last one is dropped it ends.
#[derive(Clone)]
pub struct KeeperHandle {
    pub(crate) team: TeamHandle,
    pub(crate) commands: mpsc::Sender<KeeperCommand>,
    pub(crate) shown: watch::Receiver<Arc<KeeperView>>,
    pub(crate) sessions: Arc<Sessions>,
}

impl fmt::Debug for KeeperHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeeperHandle").field("team", &self.team.name()).finish_non_exhaustive()
    }
}

impl KeeperHandle {
    /// The strategy now.
    #[must_use]
    pub fn status(&self) -> StrategyStatus {
        let on_probation = self.team.snapshot().on_probation;
        let status = self.shown.borrow().status.clone();
        StrategyStatus { on_probation: on_probation && !status.pinned, ..status }
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
    pub async fn generation(
        &self,
        number: u32,
    ) -> Result<(GenerationInfo, Arc<Bundle>), StrategyError> {
        self.ask(|reply| KeeperCommand::Generation { number, reply }).await
    }

    /// Tries a strategy without letting it play. Mistakes are an answer, not an error.
    ///
    /// # Errors
    /// When there is nothing to try.
    pub async fn check(&self, source: RequestedSource) -> Result<Arc<Trialled>, StrategyError> {
        Ok(self.work(TrialWork::check(source)).await?.trialled)
    }

    /// Tries a strategy and lets it decide from the next turn on.
    ///
    /// # Errors
    /// When the trial finds mistakes, another generation is pinned, or the team cannot take it
    /// over: then everything stays as it was.
    pub async fn activate(
        &self,
        source: RequestedSource,
        origin: StrategyOrigin,
        options: Activation,
    ) -> Result<(GenerationInfo, Arc<Trialled>), StrategyError> {
        let what = match &source {
            RequestedSource::Folder => "activate the folder".to_owned(),
            RequestedSource::Files(files) => format!("activate {} files", files.len()),
            RequestedSource::Generation(number) => format!("activate generation {number}"),
        };
        let by = origin.to_string();
        let answer = self.work(TrialWork::activate(source, origin, options)).await;
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
    ) -> Result<GenerationInfo, StrategyError> {
        let by = origin.to_string();
        let answer = self.work(TrialWork::roll_back(to, origin, forget)).await;
        let what = to.map_or("roll back".into(), |to| format!("roll back to generation {to}"));
        self.audit(&by, &what, answer.as_ref().err());
        answer.map(|answered| answered.generation)
    }

    /// Pins the generation that plays now: changed files are tested and reported, but not
    /// installed. Unpinning tests the folder again.
    ///
    /// # Errors
    /// When the keeper is busy or has ended.
    pub async fn pin(&self, pinned: bool, user: &str) -> Result<StrategyStatus, StrategyError> {
        let answer = self.ask(|reply| KeeperCommand::Pin { pinned, reply }).await;
        self.audit(user, if pinned { "pin" } else { "unpin" }, answer.as_ref().err());
        answer?;
        Ok(self.status())
    }

    /// Takes other options from now on. Another folder is looked at from then on, and its strategy
    /// plays once it has passed its trial, as if it were saved where the old one stood.
    ///
    /// # Errors
    /// When the keeper is busy or has ended.
    pub async fn retune(&self, tuning: Tuning) -> Result<(), StrategyError> {
        self.ask(|reply| KeeperCommand::Retune { tuning, reply }).await
    }

    /// Tests and installs the current content of the folder, even if it was refused or rolled back
    /// before. Without a folder nothing happens. The journal and the log record the result.
    ///
    /// # Errors
    /// As [`activate`](Self::activate); what decided before plays on.
    pub async fn reload(&self, origin: StrategyOrigin) -> Result<(), StrategyError> {
        let by = origin.to_string();
        let answer = self.work(TrialWork::reload(origin)).await;
        self.audit(&by, "reload the folder", answer.as_ref().err());
        answer.map(drop)
    }

    /// The parameters, as of the last turn.
    #[must_use]
    pub fn params(&self) -> Arc<Params> {
        Arc::clone(&self.team.snapshot().params)
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
    ) -> Result<(), StrategyError> {
        let done = if value.is_some() { "set" } else { "reset" };
        let what = format!("{done} {name:.64} for {}", scope.describe(&self.team.roster()));
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
    ) -> Result<(), StrategyError> {
        match &scope {
            Scope::Team => {}
            Scope::Role(role) if self.has_role(role) => {}
            Scope::Role(role) => {
                return Err(StrategyError::NoRole(role.chars().take(80).collect()));
            }
            Scope::Agent(agent) if self.team.roster().is_present(*agent) => {}
            Scope::Agent(agent) => {
                let name = self.team.roster().name(*agent).to_owned();
                return Err(StrategyError::NoAgent(name));
            }
        }
        let set = SetParam { name: name.into(), scope, value };
        soon(self.team.call(set, by)).await?;
        Ok(())
    }

    /// An agent has it, or a file of the strategy is called so.
    fn has_role(&self, role: &str) -> bool {
        let held = self.team.snapshot().agents.iter().any(|agent| agent.role == role);
        held || self.shown.borrow().roles.contains(role)
    }

    /// Runs a piece of script as an agent: in a copy of what it sees, or in the living VM.
    ///
    /// # Errors
    /// When there is no such agent, the code is too long, or too much is going on. A script that
    /// fails is an answer.
    pub async fn eval(&self, eval: Eval) -> Result<Evaluated, StrategyError> {
        if eval.code.len() > CODE_BYTES_MAX {
            return Err(StrategyError::CodeTooLong);
        }
        let name = || StrategyError::NoAgent(eval.agent.chars().take(80).collect());
        let agent = self.team.roster().find(&eval.agent).ok_or_else(name)?;
        if eval.live {
            let answer = self.run_live(agent, eval.code, &eval.by).await;
            let what = format!("run a script live as {}", eval.agent);
            self.audit(&eval.by, &what, answer.as_ref().err());
            return answer;
        }
        let view = *patiently(|| self.team.call(CopyView, "")).await?;
        let (info, bundle) = self.generation(view.generation).await?;
        let (generation, code) = (info.generation, eval.code);
        let request = EvalRequest { view, generation, bundle, agent, code };
        self.sessions.run(&eval.session, request).await
    }

    async fn run_live(
        &self,
        agent: AgentId,
        code: String,
        by: &str,
    ) -> Result<Evaluated, StrategyError> {
        let answer = soon(self.team.call(RunScript { agent, code }, by)).await;
        let Snapshot { turn, generation, .. } = *self.team.snapshot();
        Ok(match answer {
            Ok(ran) => Evaluated {
                text: ran.text,
                lines: ran.lines,
                error: String::new(),
                turn,
                generation,
            },
            Err(CommandError::Script(error)) => {
                Evaluated { error: error.to_string(), turn, generation, ..Evaluated::default() }
            }
            Err(error) => return Err(error.into()),
        })
    }

    /// Measures the scripts for this number of turns, then returns the profile.
    ///
    /// # Errors
    /// When the team is busy or has ended. The call waits while the team plays no turns.
    pub async fn profile(&self, turns: u32) -> Result<Profile, StrategyError> {
        Ok(self.team.call(ProfileScripts { turns }, "").await?)
    }

    async fn work(&self, work: TrialWork) -> Result<WorkResult, StrategyError> {
        self.ask(|reply| KeeperCommand::Work { work, reply }).await
    }

    async fn ask<T>(
        &self,
        command: impl FnOnce(oneshot::Sender<Result<T, StrategyError>>) -> KeeperCommand,
    ) -> Result<T, StrategyError> {
        let (reply, answer) = oneshot::channel();
        self.commands.try_send(command(reply)).map_err(|error| match error {
            TrySendError::Full(_) => StrategyError::Busy,
            TrySendError::Closed(_) => StrategyError::Ended,
        })?;
        answer.await.unwrap_or(Err(StrategyError::Ended))
    }

    /// Who changed what, and whether it came to anything.
    fn audit(&self, by: &str, what: &str, refusal: Option<&StrategyError>) {
        let team = self.team.name();
        match refusal {
            None => tracing::info!(target: "audit", team, by, what, "done"),
            Some(refusal) => {
                tracing::warn!(target: "audit", team, by, what, %refusal, "refused");
            }
        }
    }
}
