//! From settings to teams that can be built.

use crate::shipped;
use crate::wire::TeamPlan;
use phalanx_engine::TeamOptions;
use phalanx_lua::{Bundle, Limits, LoadError};
use phalanx_net::{BackoffOptions, Endpoint, SeatOptions};
use phalanx_settings::{LimitSettings, TeamSettings};
use std::sync::Arc;

/// The strategy that a team's settings name.
///
/// # Errors
/// All mistakes of the folder.
pub fn bundle(team: &TeamSettings) -> Result<Bundle, LoadError> {
    shipped::read(&team.strategy)
}

/// The plan of one team.
#[must_use]
pub fn plan(team: &TeamSettings, limits: &LimitSettings, bundle: Arc<Bundle>) -> TeamPlan {
    TeamPlan {
        game: team.game.clone(),
        roster: team.roster(),
        seats: team.seats(limits),
        bundle,
        limits: Limits { memory_bytes: limits.script_memory, ..Limits::default() },
        team: TeamOptions {
            straggler_share: limits.straggler_share,
            straggler_max: limits.straggler_max,
            decide_max: limits.decide_max,
            plan_max: limits.plan_max,
            seed: team.seed,
        },
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

/// Where a team's referee is; `None` when the settings' address has no port.
#[must_use]
pub fn endpoint(team: &TeamSettings) -> Option<Endpoint> {
    let (host, port) = team.server.rsplit_once(':')?;
    let host = host.trim_start_matches('[').trim_end_matches(']');
    Some(Endpoint::Tcp { host: host.to_owned(), port: port.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn team(server: &str) -> TeamSettings {
        TeamSettings {
            name: "A".into(),
            game: "assemble".into(),
            server: server.into(),
            strategy: ".".into(),
            agents: Vec::new(),
            seed: 0,
            deadline: std::time::Duration::from_secs(4),
            options: Default::default(),
        }
    }

    #[test]
    fn an_address_in_brackets_loses_them() {
        for (server, want) in [("localhost:12300", "localhost"), ("[::1]:12300", "::1")] {
            match endpoint(&team(server)) {
                Some(Endpoint::Tcp { host, port }) => assert_eq!((&*host, port), (want, 12300)),
                other => panic!("{server}: {other:?}"),
            }
        }
    }
}
