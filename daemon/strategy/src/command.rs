//! What goes into a keeper's task, and what it shows.

use crate::{
    Activation, GenerationInfo, RequestedSource, StrategyError, StrategyStatus, Trialled, Tuning,
};
use phalanx_engine::{Carry, StrategyOrigin};
use phalanx_game::sorted::SortedSet;
use phalanx_lua::Bundle;
use std::sync::Arc;
use tokio::sync::oneshot;

/// Commands that wait for a keeper at most; further ones are refused as busy.
pub(crate) const COMMANDS_MAX: usize = 16;

/// Everything that a keeper is asked for. Dropping `reply` says that the keeper has ended.
#[derive(Debug)]
pub(crate) enum KeeperCommand {
    /// Try something, and perhaps let it play.
    Work { work: TrialWork, reply: ReplyTo<WorkResult> },
    /// Hand out one generation.
    Generation { number: u32, reply: ReplyTo<(GenerationInfo, Arc<Bundle>)> },
    /// Other options from now on; what is being tried goes on with the old ones.
    Retune { tuning: Tuning, reply: ReplyTo<()> },
    /// Hold on to what decides, or let go.
    Pin { pinned: bool, reply: ReplyTo<()> },
}

/// The channel on which the caller gets its reply.
pub(crate) type ReplyTo<T> = oneshot::Sender<Result<T, StrategyError>>;

/// What came of a piece of work that was not refused.
#[derive(Clone, Debug)]
pub(crate) struct WorkResult {
    /// What decides now.
    pub(crate) generation: GenerationInfo,
    pub(crate) trialled: Arc<Trialled>,
}

/// Something to be tried.
#[derive(Clone, Debug)]
pub(crate) struct TrialWork {
    pub(crate) source: StrategySource,
    /// `None` for a mere check.
    pub(crate) origin: Option<StrategyOrigin>,
    pub(crate) aim: TrialAim,
    pub(crate) carry: Carry,
    pub(crate) is_rollback: bool,
}

/// Where a strategy is taken from.
#[derive(Clone, Debug)]
pub(crate) enum StrategySource {
    From(RequestedSource),
    /// The one that decided before the present one.
    Before,
    /// What the watcher found.
    Changed(Arc<Bundle>),
}

/// What a trial is held for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TrialAim {
    /// Findings are the answer.
    Check,
    /// Findings are a refusal, but nothing plays.
    Validate,
    Play,
    /// It is to play again: no specs.
    PlayAgain,
}

impl TrialAim {
    pub(crate) fn plays(self) -> bool {
        matches!(self, Self::Play | Self::PlayAgain)
    }
}

impl TrialWork {
    pub(crate) fn check(source: RequestedSource) -> Self {
        Self {
            source: StrategySource::From(source),
            origin: None,
            aim: TrialAim::Check,
            carry: Carry::Strict,
            is_rollback: false,
        }
    }

    pub(crate) fn activate(
        source: RequestedSource,
        origin: StrategyOrigin,
        options: Activation,
    ) -> Self {
        let aim = match (options.validate_only, &source) {
            (true, _) => TrialAim::Validate,
            (false, RequestedSource::Generation(_)) => TrialAim::PlayAgain,
            (false, RequestedSource::Folder | RequestedSource::Files(_)) => TrialAim::Play,
        };
        let carry = if options.forget { Carry::Forget } else { Carry::Strict };
        Self {
            source: StrategySource::From(source),
            origin: Some(origin),
            aim,
            carry,
            is_rollback: false,
        }
    }

    pub(crate) fn roll_back(to: Option<u32>, origin: StrategyOrigin, forget: bool) -> Self {
        let carry = if forget { Carry::Forget } else { Carry::Loose };
        let source = to.map_or(StrategySource::Before, |to| {
            StrategySource::From(RequestedSource::Generation(to))
        });
        Self { source, origin: Some(origin), aim: TrialAim::PlayAgain, carry, is_rollback: true }
    }

    pub(crate) fn reload(origin: StrategyOrigin) -> Self {
        let source = StrategySource::From(RequestedSource::Folder);
        Self {
            source,
            origin: Some(origin),
            aim: TrialAim::Play,
            carry: Carry::Strict,
            is_rollback: false,
        }
    }

    pub(crate) fn changed(bundle: Arc<Bundle>) -> Self {
        let origin = Some(StrategyOrigin::File);
        Self {
            source: StrategySource::Changed(bundle),
            origin,
            aim: TrialAim::Play,
            carry: Carry::Strict,
            is_rollback: false,
        }
    }

    /// How it comes to decide, as people read it; empty when its origin tells.
    pub(crate) fn note(&self) -> String {
        let user = match &self.origin {
            Some(StrategyOrigin::Api { user }) => user,
            Some(StrategyOrigin::Start | StrategyOrigin::File | StrategyOrigin::Hangup) | None => {
                return String::new();
            }
        };
        let how = if self.is_rollback { "rolled back" } else { "activated" };
        format!("{how} by {user}")
    }
}

/// What a keeper shows of itself.
#[derive(Clone, Debug)]
pub(crate) struct KeeperView {
    pub(crate) status: StrategyStatus,
    /// Newest first.
    pub(crate) generations: Vec<GenerationInfo>,
    /// The names of the active strategy's files that may be roles.
    pub(crate) roles: SortedSet<String>,
}
