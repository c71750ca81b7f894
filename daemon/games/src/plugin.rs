//! What the programs need of a game in addition to its contract, and how a game's types are erased.

use super::demo::{DemoAsk, DemoStage};
use super::replays::ReplayForm;
use super::{ArenaPlan, GameOptions, RerunPlan, TeamPlan, Visit, WireError};
use phalanx_engine::{
    BrainError, BrainErrorKind, CheckpointError, Found, Staged, TeamLink, TeamOptions,
};
use phalanx_game::{Api, Arena, Framing, Game, Seat};
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

/// A game's wiring.
pub(super) trait Plugin: Sync {
    type Game: Game + Default;

    /// The game's referee in a line of help: which game, and how it talks.
    const ABOUT: &'static str;

    /// The replay format of the organisers, where there is one.
    const REPLAY: Option<&'static ReplayForm> = None;

    /// The variants of a demo, the default one first.
    const VARIANTS: &'static [&'static str];

    /// The shortest step of a demo in real time, so that people can follow: a match with the default
    /// settings takes two to five minutes. `None`: the first variant.
    fn pace(variant: Option<&str>) -> Duration;

    /// The keys of `options` in a team's settings.
    const OPTIONS: &'static [KeyDoc] = &[];

    /// Whether a turn asks all agents of a team at once, so that it is worth waiting for the
    /// others' views.
    const TOGETHER: bool = true;

    /// The effect of a trial login on a match, even if no team of ours plays; `None`: no effect.
    const LOGIN_COSTS: Option<&'static str> = None;

    /// The game with a team's options.
    fn game(_options: &GameOptions) -> Self::Game {
        Self::Game::default()
    }

    /// The connections of a configured team; by default one per agent.
    fn seats(team: &TeamSettings, limits: &LimitSettings) -> Vec<Seat> {
        team.seats(limits)
    }

    /// Whether a referee's configuration can make it wait for a key.
    fn starts_at_key() -> bool {
        false
    }

    /// A referee and the port that its configuration names.
    fn arena(plan: &ArenaPlan<'_>) -> Result<(Box<dyn Arena>, u16), WireError>;

    /// The players that the referee starts itself, if its configuration names some.
    fn cast(_plan: &ArenaPlan<'_>) -> Result<Option<PlayerProcesses>, WireError> {
        Ok(None)
    }

    /// A demo without its players.
    fn demo(ask: &DemoAsk) -> Result<DemoStage, WireError>;

    /// The match with the largest teams of the game, for a load test.
    fn load(ask: &DemoAsk) -> Result<DemoStage, WireError> {
        Self::demo(ask)
    }
}

/// The future of a trial login.
pub(super) type Knocking<'a> =
    Pin<Box<dyn Future<Output = Result<LoginProbe, ProbeError>> + Send + 'a>>;

/// The future of a team.
pub(super) type Building = Pin<Box<dyn Future<Output = Result<BuiltTeam, WireError>> + Send>>;

/// A [`Plugin`] without its types.
pub(super) trait Wired: Sync {
    fn name(&self) -> &'static str;
    fn api(&self) -> &'static Api;
    fn framing(&self) -> Framing;
    fn variants(&self) -> &'static [&'static str];
    fn pace(&self, variant: Option<&str>) -> Duration;
    fn options(&self) -> &'static [KeyDoc];
    fn starts_at_key(&self) -> bool;
    fn about(&self) -> &'static str;
    fn replay(&self) -> Option<&'static ReplayForm>;
    fn seats(&self, team: &TeamSettings, limits: &LimitSettings) -> Vec<Seat>;
    fn arena(&self, plan: &ArenaPlan<'_>) -> Result<(Box<dyn Arena>, u16), WireError>;
    fn cast(&self, plan: &ArenaPlan<'_>) -> Result<Option<PlayerProcesses>, WireError>;
    fn demo(&self, ask: &DemoAsk) -> Result<DemoStage, WireError>;
    fn patient(&self, options: TeamOptions) -> TeamOptions;
    fn login_costs(&self) -> Option<&'static str>;
    fn load(&self, ask: &DemoAsk) -> Result<DemoStage, WireError>;
    fn knock<'a>(&self, visit: &'a Visit) -> Knocking<'a>;
    fn build(&self, plan: TeamPlan, endpoint: Endpoint) -> Building;
    fn join(&self, lockstep: &mut Lockstep, plan: &TeamPlan) -> Result<usize, WireError>;
    fn examine(&self, team: &TeamSettings, bytes: &[u8]) -> Result<Found, CheckpointError>;
    fn rerun(&self, plan: RerunPlan) -> Box<dyn Redecide>;
}

impl<P: Plugin> Wired for P {
    fn name(&self) -> &'static str {
        P::Game::NAME
    }

    fn api(&self) -> &'static Api {
        const { &P::Game::API }
    }

    fn framing(&self) -> Framing {
        P::Game::FRAMING
    }

    fn variants(&self) -> &'static [&'static str] {
        P::VARIANTS
    }

    fn pace(&self, variant: Option<&str>) -> Duration {
        P::pace(variant)
    }

    fn options(&self) -> &'static [KeyDoc] {
        P::OPTIONS
    }

    fn starts_at_key(&self) -> bool {
        P::starts_at_key()
    }

    fn about(&self) -> &'static str {
        P::ABOUT
    }

    fn replay(&self) -> Option<&'static ReplayForm> {
        P::REPLAY
    }

    fn seats(&self, team: &TeamSettings, limits: &LimitSettings) -> Vec<Seat> {
        P::seats(team, limits)
    }

    fn arena(&self, plan: &ArenaPlan<'_>) -> Result<(Box<dyn Arena>, u16), WireError> {
        P::arena(plan)
    }

    fn cast(&self, plan: &ArenaPlan<'_>) -> Result<Option<PlayerProcesses>, WireError> {
        P::cast(plan)
    }

    fn demo(&self, ask: &DemoAsk) -> Result<DemoStage, WireError> {
        P::demo(ask)
    }

    fn patient(&self, options: TeamOptions) -> TeamOptions {
        patience::<P>(options)
    }

    fn login_costs(&self) -> Option<&'static str> {
        P::LOGIN_COSTS
    }

    fn load(&self, ask: &DemoAsk) -> Result<DemoStage, WireError> {
        P::load(ask)
    }

    fn knock<'a>(&self, visit: &'a Visit) -> Knocking<'a> {
        let Visit { options, seat, endpoint, limits } = visit;
        let game = P::game(options);
        Box::pin(async move { phalanx_net::probe_login(&game, seat, endpoint, *limits).await })
    }

    fn build(&self, plan: TeamPlan, endpoint: Endpoint) -> Building {
        Box::pin(async move {
            let spec = TeamSpec {
                name: plan.roster.team.clone(),
                game: P::game(&plan.options),
                roster: plan.roster.clone(),
                seats: plan.seats.clone(),
                endpoint,
                staged: plan.staged.clone(),
                team: patience::<P>(plan.team),
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
        let game = P::game(&plan.options);
        if let Some(recorder) = &plan.recorder {
            lockstep.record_next(Arc::clone(recorder));
        }
        Ok(lockstep.add_team(&game, roster, &plan.seats, patience::<P>(plan.team), staged, make)?)
    }

    fn examine(&self, team: &TeamSettings, bytes: &[u8]) -> Result<Found, CheckpointError> {
        let game = P::game(&crate::options(team));
        phalanx_engine::examine(&game, &team.roster(), bytes)
    }

    fn rerun(&self, plan: RerunPlan) -> Box<dyn Redecide> {
        let limits = Limits { load: LOAD_AGAIN_MAX, ..plan.limits };
        Box::new(Rerun::new(P::game(&plan.options), brain(limits), plan.rerun))
    }
}

/// How long a team of this game waits for missing views.
fn patience<P: Plugin>(options: TeamOptions) -> TeamOptions {
    if P::TOGETHER { options } else { TeamOptions { straggler_max: Duration::ZERO, ..options } }
}

/// Builds the team's brain; after a panic of its thread, with the generation that decided then.
fn brain(limits: Limits) -> impl Fn(TeamLink, &Staged) -> Result<LuaBrain, BrainError> + Clone {
    move |link, staged| {
        LuaBrain::new(link, staged, limits)
            .map_err(|error| BrainError::without_place(BrainErrorKind::Script, error.to_string()))
    }
}
