//! What the programs need of a game beside its contract, and how a game's types are erased.

use super::demo::{DemoAsk, DemoStage};
use super::{ArenaPlan, GameOptions, RerunPlan, TeamPlan, Visit, WireError};
use phalanx_engine::{
    BrainError, BrainErrorKind, CheckpointError, Found, Staged, TeamLink, TeamOptions,
};
use phalanx_game::{Api, Arena, Framing, Game, Seat};
use phalanx_lua::{Limits, LuaBrain};
use phalanx_net::{
    BuiltTeam, Cast, Endpoint, Knock, KnockError, Lockstep, Redecide, Rerun, TeamSpec,
};
use phalanx_settings::{KeyDoc, LimitSettings, TeamSettings};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

/// A strategy that was recorded did load once: how long it takes here does not matter.
const LOAD_AGAIN_MAX: Duration = Duration::from_secs(60);

/// A game as the programs know it.
pub(super) trait Plugin: Sync {
    /// The game.
    type Game: Game + Default;

    /// The flavours of a demo, the default one first.
    const VARIANTS: &'static [&'static str];

    /// What `options` of a configured team may hold.
    const OPTIONS: &'static [KeyDoc] = &[];

    /// Whether a turn asks all agents of a team at once, so that one waits for the others' views;
    /// where agents are asked one after the other nobody is waited for.
    const TOGETHER: bool = true;

    /// What a login that is only a try does to a match, also where nobody of ours plays; `None`:
    /// nothing.
    const LOGIN_COSTS: Option<&'static str> = None;

    /// The game as a team's options want it.
    fn game(_options: &GameOptions) -> Self::Game {
        Self::Game::default()
    }

    /// The connections of a configured team: one an agent unless the game has it otherwise.
    fn seats(team: &TeamSettings, limits: &LimitSettings) -> Vec<Seat> {
        team.seats(limits)
    }

    /// Whether a referee may wait for a key, as the configuration says.
    fn starts_at_key() -> bool {
        false
    }

    /// A referee and the port that its configuration names.
    fn arena(plan: &ArenaPlan<'_>) -> Result<(Box<dyn Arena>, u16), WireError>;

    /// The players that the referee starts itself, where its configuration names some.
    fn cast(_plan: &ArenaPlan<'_>) -> Result<Option<Cast>, WireError> {
        Ok(None)
    }

    /// A demo without its players.
    fn demo(ask: &DemoAsk) -> Result<DemoStage, WireError>;

    /// The match with the largest teams that the game knows, to try machine and strategy with.
    fn load(ask: &DemoAsk) -> Result<DemoStage, WireError> {
        Self::demo(ask)
    }
}

/// The future of a try to log in.
pub(super) type Knocking<'a> = Pin<Box<dyn Future<Output = Result<Knock, KnockError>> + Send + 'a>>;

/// The future of a team.
pub(super) type Building = Pin<Box<dyn Future<Output = Result<BuiltTeam, WireError>> + Send>>;

/// A [`Plugin`] without its types.
pub(super) trait Wired: Sync {
    fn name(&self) -> &'static str;
    fn api(&self) -> &'static Api;
    fn framing(&self) -> Framing;
    fn fixed(&self) -> Option<&'static str>;
    fn variants(&self) -> &'static [&'static str];
    fn options(&self) -> &'static [KeyDoc];
    fn starts_at_key(&self) -> bool;
    fn seats(&self, team: &TeamSettings, limits: &LimitSettings) -> Vec<Seat>;
    fn arena(&self, plan: &ArenaPlan<'_>) -> Result<(Box<dyn Arena>, u16), WireError>;
    fn cast(&self, plan: &ArenaPlan<'_>) -> Result<Option<Cast>, WireError>;
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

    fn fixed(&self) -> Option<&'static str> {
        P::Game::FIXED
    }

    fn variants(&self) -> &'static [&'static str] {
        P::VARIANTS
    }

    fn options(&self) -> &'static [KeyDoc] {
        P::OPTIONS
    }

    fn starts_at_key(&self) -> bool {
        P::starts_at_key()
    }

    fn seats(&self, team: &TeamSettings, limits: &LimitSettings) -> Vec<Seat> {
        P::seats(team, limits)
    }

    fn arena(&self, plan: &ArenaPlan<'_>) -> Result<(Box<dyn Arena>, u16), WireError> {
        P::arena(plan)
    }

    fn cast(&self, plan: &ArenaPlan<'_>) -> Result<Option<Cast>, WireError> {
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
        Box::pin(async move { phalanx_net::knock(&game, seat, endpoint, *limits).await })
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
        let game = P::game(&crate::plans::options(team));
        phalanx_engine::examine(&game, &team.roster(), bytes)
    }

    fn rerun(&self, plan: RerunPlan) -> Box<dyn Redecide> {
        let limits = Limits { load: LOAD_AGAIN_MAX, ..plan.limits };
        Box::new(Rerun::new(P::game(&plan.options), brain(limits), plan.rerun))
    }
}

/// How long a team of this game waits for views that are missing.
fn patience<P: Plugin>(options: TeamOptions) -> TeamOptions {
    if P::TOGETHER { options } else { TeamOptions { straggler_max: Duration::ZERO, ..options } }
}

/// Makes the team's brain; after a panic of its thread, with the generation that decided then.
fn brain(limits: Limits) -> impl Fn(TeamLink, &Staged) -> Result<LuaBrain, BrainError> + Clone {
    move |link, staged| {
        LuaBrain::new(link, staged, limits)
            .map_err(|error| BrainError::without_place(BrainErrorKind::Script, error.to_string()))
    }
}
