//! A team of the daemon, with a script that always skips, for benchmarks of answers.

use phalanx_engine::{Generation, StrategyOrigin, TeamOptions};
use phalanx_game::{AgentId, MarginLimits, Roster, RosterEntry, Seat, SeatId};
use phalanx_games::TeamPlan;
use phalanx_lua::{Bundle, Limits};
use phalanx_net::{Endpoint, SeatOptions};
use std::any::Any;
use std::net::SocketAddr;
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

/// A team that plays a game at this address until what is returned is dropped.
pub(crate) fn play(game: &str, agents: u16, address: SocketAddr) -> Box<dyn Any> {
    let script = "return { decide = function() return act.skip() end }";
    let bundle = Arc::new(Bundle::from_files([("worker.luau", script)]).unwrap());
    let generation = Arc::new(Generation {
        number: 1,
        hash: bundle.hash().to_owned(),
        accepted: SystemTime::now(),
        origin: StrategyOrigin::Start,
    });
    let plan = TeamPlan {
        options: phalanx_games::GameOptions::new(),
        game: game.to_owned(),
        seats: (0..agents).map(seat).collect(),
        roster: roster(agents),
        staged: phalanx_lua::stage(bundle, generation).unwrap(),
        limits: Limits::default(),
        team: TeamOptions::default(),
        seat: SeatOptions::default(),
        recorder: None,
        checkpoints: None,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let endpoint = Endpoint::tcp(address.ip().to_string(), address.port());
    let team = runtime.block_on(async {
        let built = phalanx_games::build(plan, endpoint).await.unwrap();
        built.spawn()
    });
    Box::new((team, runtime))
}
