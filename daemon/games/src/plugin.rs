//! What the programs need of a game in addition to its contract, and how a game's types are erased.

use super::demo::{DemoAsk, DemoStage};
use super::replays::ReplayForm;
use super::{ArenaPlan, GameOptions, ProbeRequest, RerunPlan, TeamPlan, WireError};
use phalanx_engine::{
    BrainError, BrainErrorKind, CheckpointError, Found, Staged, TeamLink, TeamOptions,
};
use phalanx_game::{Arena, Declaration, Game, Seat};
use phalanx_lua::{Limits, LuaBrain};
use phalanx_net::{
    BuiltTeam, Endpoint, Lockstep, LoginProbe, PlayerProcesses, ProbeError, Redecide, Rerun,
    TeamSpec,
};
use phalanx_settings::{KeyDoc, LimitSettings, TeamSettings};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

/// A recorded strategy has loaded before, so a slow load is no reason to refuse it.
const LOAD_AGAIN_MAX: Duration = Duration::from_secs(60);

/// What a game is, where it is played and how a demo of it begins.
pub(super) trait GameSetup: Sync {
    /// The game's referee in a line of help: which game, and how it talks.
    fn about(&self) -> &'static str;

    /// The replay format of the organisers, where there is one.
    fn replay(&self) -> Option<&'static ReplayForm> {
        None
    }

    /// The variants of a demo, the default one first.
    fn variants(&self) -> &'static [&'static str];

    /// The shortest step of a demo in real time, so that people can follow: a match with the default
    /// settings takes two to five minutes. `None`: the first variant.
    fn pace(&self, variant: Option<&str>) -> Duration;

    /// The keys of `options` in a team's settings.
    fn options(&self) -> &'static [KeyDoc] {
        &[]
    }

    /// Whether a turn asks all agents of a team at once, so that it is worth waiting for the
    /// others' views.
    fn is_together(&self) -> bool {
        true
    }

    /// The effect of a trial login on a match, even if no team of ours plays; `None`: no effect.
    fn login_costs(&self) -> Option<&'static str> {
        None
    }

    /// The connections of a configured team; by default one per agent.
    fn seats(&self, team: &TeamSettings, limits: &LimitSettings) -> Vec<Seat> {
        team.seats(limits)
    }

    /// The key of a referee's configuration that says when the match begins, if it can make the
    /// referee wait for ENTER.
    fn launch_key(&self) -> Option<&'static str> {
        None
    }

    /// A referee and the port that its configuration names.
    fn arena(&self, plan: &ArenaPlan<'_>) -> Result<(Box<dyn Arena>, u16), WireError>;

    /// The players that the referee starts itself, if its configuration names some.
    fn player_processes(
        &self,
        _plan: &ArenaPlan<'_>,
    ) -> Result<Option<PlayerProcesses>, WireError> {
        Ok(None)
    }

    /// A demo without its players.
    fn demo(&self, ask: &DemoAsk) -> Result<DemoStage, WireError>;

    /// The match with the largest teams of the game, for a load test.
    fn load(&self, ask: &DemoAsk) -> Result<DemoStage, WireError> {
        self.demo(ask)
    }
}

/// A game that teams can play.
pub(super) trait Plugin: GameSetup {
    type Game: Game;

    /// The game with a team's options.
    fn game(&self, options: &GameOptions) -> Self::Game;
}

/// The future of a trial login.
pub(super) type ProbeFuture<'a> =
    Pin<Box<dyn Future<Output = Result<LoginProbe, ProbeError>> + Send + 'a>>;

/// The future of a team.
pub(super) type Building = Pin<Box<dyn Future<Output = Result<BuiltTeam, WireError>> + Send>>;

/// A [`Plugin`] without its types.
pub(super) trait Wired: GameSetup {
    fn declaration(&self) -> &'static Declaration;
    fn patient(&self, options: TeamOptions) -> TeamOptions;
    fn probe_login<'a>(&self, request: &'a ProbeRequest) -> ProbeFuture<'a>;
    fn build(&self, plan: TeamPlan, endpoint: Endpoint) -> Building;
    fn join(&self, lockstep: &mut Lockstep, plan: &TeamPlan) -> Result<usize, WireError>;
    fn examine(&self, team: &TeamSettings, bytes: &[u8]) -> Result<Found, CheckpointError>;
    fn rerun(&self, plan: RerunPlan) -> Box<dyn Redecide>;
}

impl<P: Plugin> Wired for P {
    fn declaration(&self) -> &'static Declaration {
        self.game(&GameOptions::default()).declaration()
    }

    fn patient(&self, options: TeamOptions) -> TeamOptions {
        patience(self, options)
    }

    fn probe_login<'a>(&self, request: &'a ProbeRequest) -> ProbeFuture<'a> {
        let ProbeRequest { options, seat, endpoint, limits } = request;
        let game = self.game(options);
        Box::pin(async move { phalanx_net::probe_login(&game, seat, endpoint, *limits).await })
    }

    fn build(&self, plan: TeamPlan, endpoint: Endpoint) -> Building {
        let (game, team) = (self.game(&plan.options), patience(self, plan.team));
        Box::pin(async move {
            let spec = TeamSpec {
                name: plan.roster.team.clone(),
                game,
                roster: plan.roster.clone(),
                seats: plan.seats.clone(),
                endpoint,
                staged: plan.staged.clone(),
                team,
                seat: plan.seat,
                recorder: plan.recorder.clone(),
                checkpoints: plan.checkpoints.clone(),
            };
            Ok(spec.build(brain(plan.limits)).await?)
        })
    }

    fn join(&self, lockstep: &mut Lockstep, plan: &TeamPlan) -> Result<usize, WireError> {
        let roster = Arc::new(plan.roster.clone());
        let (staged, make) = (plan.staged.clone(), brain(plan.limits));
        let game = self.game(&plan.options);
        if let Some(recorder) = &plan.recorder {
            lockstep.record_next(Arc::clone(recorder));
        }
        Ok(lockstep.add_team(
            &game,
            roster,
            &plan.seats,
            patience(self, plan.team),
            staged,
            make,
        )?)
    }

    fn examine(&self, team: &TeamSettings, bytes: &[u8]) -> Result<Found, CheckpointError> {
        let game = self.game(&crate::options(team));
        phalanx_engine::examine(&game, &team.roster(), bytes)
    }

    fn rerun(&self, plan: RerunPlan) -> Box<dyn Redecide> {
        let limits = Limits { load: LOAD_AGAIN_MAX, ..plan.limits };
        Box::new(Rerun::new(self.game(&plan.options), brain(limits), plan.rerun))
    }
}

/// How long a team of this game waits for missing views.
fn patience<P: Plugin>(plugin: &P, options: TeamOptions) -> TeamOptions {
    if plugin.is_together() {
        options
    } else {
        TeamOptions { straggler_max: Duration::ZERO, ..options }
    }
}

/// Builds the team's brain; after a panic of its thread, with the generation that decided then.
fn brain(limits: Limits) -> impl Fn(TeamLink, &Staged) -> Result<LuaBrain, BrainError> + Clone {
    move |link, staged| {
        LuaBrain::new(link, staged, limits)
            .map_err(|error| BrainError::without_place(BrainErrorKind::Script, error.to_string()))
    }
}
