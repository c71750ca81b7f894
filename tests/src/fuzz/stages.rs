//! Small referees: a world is made for each input, so it must be cheap.

use phalanx_asimulator::arena::AsimulatorArena;
use phalanx_asimulator::rules::Preset;
use phalanx_assemble::arena::{self as assemble_arena, AssembleArena};
use phalanx_bomberland::arena::BomberlandArena;
use phalanx_colosseum::arena::ColosseumArena;
use phalanx_game::{Arena, Origin};
use phalanx_mars::arena::MarsArena;
use std::path::Path;

const ASSEMBLE: &str = include_str!("assemble.json");
const MARS: &str = "lockstep = true\npause_ms = 0\nagents = 1\nsteps = 6\nseed = 77\n\
    [map]\nnodes = 30\n[[simulations]]\n";
const BOMBERLAND: &str = "AGENT_SECRET_ID_MAP={\"A\":\"a\",\"B\":\"b\"}\nTOTAL_AGENTS=2\n\
    ADMIN_ROLE_ENABLED=1\nTRAINING_MODE_ENABLED=0\nWORLD_SEED=1\nPRNG_SEED=1\nGAME_DURATION_TICKS=6\n";

/// What a client of that number asks for when it connects, where the transport carries that.
pub(super) fn target(client: u64) -> &'static str {
    match client {
        0 => "/?role=agent&agentId=A&name=A",
        1 => "/?role=agent&agentId=B&name=B",
        2 => "/?role=admin&name=admin",
        _ => "/?role=spectator",
    }
}

#[expect(clippy::expect_used, reason = "our own configuration")]
pub(super) fn assemble(origin: Origin) -> Box<dyn Arena> {
    let read = |_: &Path| Ok(ASSEMBLE.as_bytes().to_vec());
    let config = assemble_arena::ArenaConfig::load(Path::new("x.json"), &read);
    let config = config.expect("the referee's file reads");
    let options = assemble_arena::ArenaOptions {
        seed: Some(17),
        launch: Some(assemble_arena::config::Launch::Complete),
        ..assemble_arena::ArenaOptions::default()
    };
    Box::new(AssembleArena::new(config, options, origin))
}

#[expect(clippy::expect_used, reason = "our own configuration")]
pub(super) fn mars(origin: Origin) -> Box<dyn Arena> {
    let config = phalanx_mars::arena::ArenaConfig::read(MARS).expect("the referee's file reads");
    let options = phalanx_mars::arena::ArenaOptions {
        launch: Some(phalanx_mars::arena::Launch::Complete),
        ..phalanx_mars::arena::ArenaOptions::default()
    };
    Box::new(MarsArena::new(config, options, origin))
}

#[expect(clippy::expect_used, reason = "our own configuration")]
pub(super) fn bomberland(origin: Origin) -> Box<dyn Arena> {
    let config = phalanx_bomberland::arena::ArenaConfig::parse(BOMBERLAND);
    let config = config.expect("the referee's lines read");
    let options = phalanx_bomberland::arena::ArenaOptions::default();
    Box::new(BomberlandArena::new(config, options, origin).expect("a world can be made"))
}

#[expect(clippy::expect_used, reason = "our own configuration")]
pub(super) fn colosseum(origin: Origin) -> Box<dyn Arena> {
    let options = phalanx_colosseum::arena::ArenaOptions {
        players: vec!["A".to_owned(), "B".to_owned()],
        epochs: Some(6),
        ..phalanx_colosseum::arena::ArenaOptions::default()
    };
    Box::new(ColosseumArena::new(options.strict(), origin).expect("two can play"))
}

#[expect(clippy::expect_used, reason = "our own configuration")]
pub(super) fn asimulator(origin: Origin) -> Box<dyn Arena> {
    let mut config = phalanx_asimulator::arena::ArenaConfig::preset(Preset::Wumpus4x4);
    (config.simulations, config.clients) = (2, 2);
    Box::new(AsimulatorArena::new(config, origin).expect("a world can be made"))
}
