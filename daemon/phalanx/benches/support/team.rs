//! A team of the daemon, for benchmarks.

use phalanx_engine::{Generation, StrategyOrigin, TeamOptions};
use phalanx_game::{AgentId, MarginLimits, Roster, RosterEntry, Seat, SeatId};
use phalanx_games::TeamPlan;
use phalanx_lua::{Bundle, Limits};
use phalanx_net::{Endpoint, SeatOptions};
use std::any::Any;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// The seat of an agent.
pub(crate) fn seat(index: u16) -> Seat {
    Seat {
        id: SeatId(index),
        agents: vec![(AgentId(index), format!("agentA{index}"))],
        user: format!("agentA{index}"),
        password: "1".into(),
        turn_limit: Duration::from_secs(4),
        margin: MarginLimits::default(),
    }
}

/// A team of this size.
pub(crate) fn roster(agents: u16) -> Roster {
    let entry = |index| RosterEntry::new(format!("agentA{index}"), "worker");
    Roster { team: "A".into(), agents: (0..agents).map(entry).collect() }
}

/// Agents of a game with a script that always skips.
pub(crate) fn skipping(game: &str, agents: u16) -> TeamPlan {
    let script = "return { decide = function() return act.skip() end }";
    plan(game, (0..agents).map(seat).collect(), roster(agents), script)
}

/// A team of a game whose role `worker` is this script.
pub(crate) fn plan(game: &str, seats: Vec<Seat>, roster: Roster, script: &str) -> TeamPlan {
    let bundle = Arc::new(Bundle::from_files([("worker.luau", script)]).unwrap());
    let generation = Arc::new(Generation {
        number: 1,
        hash: bundle.hash().to_owned(),
        accepted: SystemTime::now(),
        origin: StrategyOrigin::Start,
    });
    TeamPlan {
        options: phalanx_games::GameOptions::new(),
        game: game.to_owned(),
        seats,
        roster,
        staged: phalanx_lua::stage(bundle, generation).unwrap(),
        limits: Limits::default(),
        team: TeamOptions::default(),
        seat: SeatOptions::default(),
        recorder: None,
        checkpoints: None,
    }
}

/// Plays until what is returned is dropped.
pub(crate) fn play(plan: TeamPlan, endpoint: Endpoint) -> Box<dyn Any> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let team = runtime.block_on(async {
        let built = phalanx_games::build(plan, endpoint).await.unwrap();
        built.spawn()
    });
    Box::new((team, runtime))
}
