//! Builds team plans, keepers and trials from the settings.

use crate::params;
use phalanx_control::Newcomers;
use phalanx_engine::{AlertOptions, Carry, Probation, Staged, TeamOptions};
use phalanx_game::Roster;
use phalanx_game::sorted::SortedSet;
use phalanx_games::shipped;
use phalanx_games::{TeamPlan, WireError};
use phalanx_lua::{Bundle, Limits, LoadError};
use phalanx_net::{BackoffOptions, CheckpointOptions, Endpoint, Lobby, SeatOptions};
use phalanx_settings::{AlertSettings, CheckpointSettings, LimitSettings, Settings, TeamSettings};
use phalanx_strategy::{KeeperOptions, Tuning};
use phalanx_trial::{Candidate, TrialOptions};
use std::sync::Arc;
use std::time::Duration;

/// Longest time of a trial without a match.
const TRIAL_MAX: Duration = Duration::from_secs(60);
/// Longest time of a decision in a trial without a match.
const DECIDE_MAX: Duration = Duration::from_millis(250);

/// What agents get that are added to a team without a role or a password.
#[must_use]
pub fn newcomers(plan: &TeamPlan) -> Newcomers {
    let role = plan.roster.agents.first().map(|entry| entry.role.clone());
    let password = plan.seats.first().map(|seat| seat.password.clone());
    Newcomers::new(role.unwrap_or_default(), password.unwrap_or_default().into())
}

/// Reads the strategy that a team's settings name.
///
/// # Errors
/// All mistakes in the folder.
pub fn bundle(team: &TeamSettings, settings: &Settings) -> Result<Bundle, LoadError> {
    let bundle = shipped::read(&team.strategy)?;
    params::with_params(shipped::with_tuned_values(bundle, settings.reload.tuned)?, team)
}

/// The candidate for a trial of a strategy while no match is played.
///
/// # Errors
/// When the game does not exist.
pub fn candidate(
    game: &str,
    roster: Arc<Roster>,
    roles: SortedSet<String>,
    limits: Limits,
) -> Result<Candidate, WireError> {
    let game = phalanx_games::game(game)?;
    let api = phalanx_games::api(game).ok_or_else(|| WireError::Game(game.to_owned()))?;
    let options = TrialOptions {
        time: TRIAL_MAX,
        specs: true,
        decide_max: DECIDE_MAX,
        refuse_endless: true,
        carry: Carry::Strict,
    };
    Ok(Candidate { game, api, roster, roles, limits, view: None, options })
}

/// The resource limits of a team's scripts.
#[must_use]
pub fn script_limits(limits: &LimitSettings) -> Limits {
    Limits { memory_bytes: limits.script_memory, ..Limits::default() }
}

/// Options of a team's keeper.
///
/// # Errors
/// When the game does not exist.
pub fn keeper(
    team: &TeamSettings,
    settings: &Settings,
    watch: bool,
) -> Result<KeeperOptions, WireError> {
    let game = phalanx_games::game(&team.game)?;
    let reload = &settings.reload;
    Ok(KeeperOptions {
        team: team.name.clone(),
        game,
        api: phalanx_games::api(game).ok_or_else(|| WireError::Game(game.to_owned()))?,
        roster: Arc::new(team.roster()),
        limits: script_limits(&settings.limits),
        decide_max: settings.limits.decide_max,
        folder: Some(team.strategy.clone()),
        read: params::reader(team, reload.tuned),
        complete: params::completer(team),
        watch: watch && reload.watch,
        settle: reload.settle,
        poll: reload.poll,
        keep: reload.keep,
        state: settings.state_dir.clone(),
        trial_max: reload.trial_max,
    })
}

#[must_use]
pub fn plan(team: &TeamSettings, settings: &Settings, staged: Staged) -> TeamPlan {
    let limits = &settings.limits;
    TeamPlan {
        game: team.game.clone(),
        roster: team.roster(),
        options: phalanx_games::options(team),
        seats: phalanx_games::seats(team, limits),
        staged,
        limits: script_limits(limits),
        team: team_options(team, settings),
        recorder: None,
        checkpoints: checkpoints(settings),
        seat: SeatOptions {
            connect_timeout: limits.connect_timeout,
            login_timeout: limits.login_timeout,
            backoff: BackoffOptions {
                first: limits.reconnect_min,
                max: limits.reconnect_max,
                refused: limits.reconnect_refused,
            },
            seed: team.seed,
            ..SeatOptions::default()
        },
    }
}

/// Options of a team's checkpoints; the start adds the place to write them.
fn checkpoints(settings: &Settings) -> Option<CheckpointOptions> {
    let CheckpointSettings { write, interval, .. } = settings.checkpoints;
    write.then(|| CheckpointOptions { interval, ..CheckpointOptions::default() })
}

/// Deadlines, probation and alerts of a team.
#[must_use]
pub fn team_options(team: &TeamSettings, settings: &Settings) -> TeamOptions {
    let limits = &settings.limits;
    TeamOptions {
        straggler_share: limits.straggler_share,
        straggler_max: limits.straggler_max,
        decide_max: limits.decide_max,
        plan_max: limits.plan_max,
        seed: team.seed,
        probation: Probation {
            decisions: settings.reload.probation_decisions,
            errors: settings.reload.probation_errors,
        },
        rehearsal_turns: settings.reload.rehearsal_turns,
        alerts: alerts(&settings.alerts),
    }
}

/// The options of a keeper that may change while it runs.
#[must_use]
pub fn tuning(team: &TeamSettings, settings: &Settings, watch: bool) -> Tuning {
    let reload = &settings.reload;
    Tuning {
        folder: Some(team.strategy.clone()),
        watch: watch && reload.watch,
        settle: reload.settle,
        poll: reload.poll,
        keep: reload.keep,
        trial_max: reload.trial_max,
        decide_max: settings.limits.decide_max,
    }
}

fn alerts(alerts: &AlertSettings) -> AlertOptions {
    AlertOptions {
        silent_turns: alerts.silent_turns,
        stuck_turns: alerts.stuck_turns,
        margin_share: alerts.margin_share,
        storm_errors: alerts.storm_errors,
        storm_turns: alerts.storm_turns,
    }
}

/// The referee's address, or the lobby for bridges; `None` if the address has no port.
#[must_use]
pub fn endpoint(team: &TeamSettings, lobby: &Lobby) -> Option<Endpoint> {
    if team.is_awaited() {
        let agents = team.agents.iter().map(|agent| agent.name.as_str());
        return Some(lobby.endpoint(team.bridge_name(), &team.name, agents));
    }
    let (host, port) = team.server.rsplit_once(':')?;
    let host = host.trim_start_matches('[').trim_end_matches(']');
    Some(phalanx_games::endpoint(&team.game, host, port.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn team(server: &str) -> TeamSettings {
        TeamSettings {
            name: "A".into(),
            game: "assemble".into(),
            server: server.into(),
            matches: 1,
            instance_of: None,
            strategy: ".".into(),
            agents: Vec::new(),
            seed: 0,
            deadline: std::time::Duration::from_secs(4),
            params: Default::default(),
            options: Default::default(),
        }
    }

    #[test]
    fn an_address_in_brackets_loses_them() {
        for (server, want) in [("localhost:12300", "localhost"), ("[::1]:12300", "::1")] {
            match endpoint(&team(server), &Lobby::default()) {
                Some(Endpoint::Tcp { host, port, .. }) => assert_eq!((&*host, port), (want, 12300)),
                other => panic!("{server}: {other:?}"),
            }
        }
        let awaited = endpoint(&team("bridge"), &Lobby::default());
        assert!(matches!(awaited, Some(Endpoint::Awaited(_))), "{awaited:?}");
    }
}
