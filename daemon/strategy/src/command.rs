//! What goes into a keeper's task, and what it shows.

use crate::{Activation, GenerationInfo, Refusal, Source, Status, Trialled, Tuning};
use phalanx_engine::{Carry, StrategyOrigin};
use phalanx_lua::Bundle;
use std::collections::BTreeSet;
use std::sync::Arc;
use tokio::sync::oneshot;

/// Commands that wait for a keeper at most; further ones are refused as busy.
pub(crate) const COMMANDS_MAX: usize = 16;

/// Everything that a keeper is asked for. Dropping `reply` says that the keeper has ended.
#[derive(Debug)]
pub(crate) enum Command {
    /// Try something, and perhaps let it play.
    Work { work: Work, reply: Reply<Answered> },
    /// Hand out one generation.
    Generation { number: u32, reply: Reply<(GenerationInfo, Arc<Bundle>)> },
    /// Other options from now on; what is being tried goes on with the old ones.
    Retune { tuning: Tuning, reply: Reply<()> },
    /// Hold on to what decides, or let go.
    Pin { pinned: bool, reply: Reply<()> },
}

/// The way back to whoever asked.
pub(crate) type Reply<T> = oneshot::Sender<Result<T, Refusal>>;

/// What came of a piece of work that was not refused.
#[derive(Clone, Debug)]
pub(crate) struct Answered {
    /// What decides now.
    pub(crate) generation: GenerationInfo,
    pub(crate) trialled: Arc<Trialled>,
}

/// Something to be tried.
#[derive(Clone, Debug)]
pub(crate) struct Work {
    pub(crate) source: Wanted,
    /// `None` for a mere check.
    pub(crate) origin: Option<StrategyOrigin>,
    pub(crate) aim: Aim,
    pub(crate) carry: Carry,
    pub(crate) is_rollback: bool,
}

/// Where a strategy is taken from.
#[derive(Clone, Debug)]
pub(crate) enum Wanted {
    From(Source),
    /// The one that decided before the present one.
    Before,
    /// What the watcher found.
    Changed(Arc<Bundle>),
}

/// What a trial is held for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Aim {
    /// Findings are the answer.
    Check,
    /// Findings are a refusal, but nothing plays.
    Validate,
    /// It is to play.
    Play,
    /// It is to play again: no specs.
    PlayAgain,
}

impl Aim {
    pub(crate) fn plays(self) -> bool {
        matches!(self, Self::Play | Self::PlayAgain)
    }
}

impl Work {
    pub(crate) fn check(source: Source) -> Self {
        Self {
            source: Wanted::From(source),
            origin: None,
            aim: Aim::Check,
            carry: Carry::Strict,
            is_rollback: false,
        }
    }

    pub(crate) fn activate(source: Source, origin: StrategyOrigin, options: Activation) -> Self {
        let aim = match (options.validate_only, &source) {
            (true, _) => Aim::Validate,
            (false, Source::Generation(_)) => Aim::PlayAgain,
            (false, Source::Folder | Source::Files(_)) => Aim::Play,
        };
        let carry = if options.forget { Carry::Forget } else { Carry::Strict };
        Self { source: Wanted::From(source), origin: Some(origin), aim, carry, is_rollback: false }
    }

    pub(crate) fn roll_back(to: Option<u32>, origin: StrategyOrigin, forget: bool) -> Self {
        let carry = if forget { Carry::Forget } else { Carry::Loose };
        let source = to.map_or(Wanted::Before, |to| Wanted::From(Source::Generation(to)));
        Self { source, origin: Some(origin), aim: Aim::PlayAgain, carry, is_rollback: true }
    }

    pub(crate) fn reload(origin: StrategyOrigin) -> Self {
        let source = Wanted::From(Source::Folder);
        Self {
            source,
            origin: Some(origin),
            aim: Aim::Play,
            carry: Carry::Strict,
            is_rollback: false,
        }
    }

    pub(crate) fn changed(bundle: Arc<Bundle>) -> Self {
        let origin = Some(StrategyOrigin::File);
        Self {
            source: Wanted::Changed(bundle),
            origin,
            aim: Aim::Play,
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
pub(crate) struct Shown {
    pub(crate) status: Status,
    /// Newest first.
    pub(crate) generations: Vec<GenerationInfo>,
    /// The names of the active strategy's files that may be roles.
    pub(crate) roles: BTreeSet<String>,
}
