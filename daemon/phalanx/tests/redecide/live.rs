//! Matches in real time, over loopback connections: clock readings of scripts, operators' requests,
//! and calls that were stopped are reproduced.

use crate::support::{Kept, ask, same, staged, team};
use phalanx_engine::{
    BoardWrite, Carry, CopyView, DrawWorld, InstallStrategy, RetuneTeam, RunScript, Scope,
    SetParam, SetRole, Steer, SteerAgent, TeamOptions, read_order,
};
use phalanx_game::{AgentId, Value};
use phalanx_games::TeamPlan;
use phalanx_games::demo::DemoAsk;
use phalanx_games::shipped;
use phalanx_lua::Bundle;
use phalanx_net::{HostOptions, TeamEnd, TeamHandle, origin, serve_arena};
use std::sync::Arc;
use std::time::Duration;

/// Only a defect takes this long.
const LONG: Duration = Duration::from_secs(120);

/// Decides by the time that is left, and logs it.
const WATCHMAKER: &str = "
local gain = param('gain', { default = 1, min = 0, max = 9, whole = true, doc = 'what it counts' })
return { decide = function(me)
    local left, sum = me.time_left(), 0
    for i = 1, 300 do sum += i % 7 end
    local after = me.time_left()
    me.memory.sum = (me.memory.sum or 0) + gain()
    log.info('left', left, after, me.memory.sum, board.get('hint'), tostring({}))
    explain('left ' .. after)
    if math.floor(after * 10000) % 2 == 0 then return IDLE end
    return MOVE
end }";

/// Never returns, and stores how far it came.
const SISYPHUS: &str = "
return { decide = function(me)
    local memory = me.memory
    log.info('came to', memory.count)
    board.set('stone/' .. me.name, memory.count)
    while memory.count ~= false do
        memory.count = (memory.count or 0) + 1
        pcall(function() memory.last = me.time_left() end)
    end
end }";

/// The shipped strategy and two roles that live by the clock.
fn clockwork(game: &str, idle: &str, walk: &str) -> Bundle {
    let shipped = shipped::strategy(game).unwrap();
    let mut files: Vec<(String, Arc<str>)> =
        shipped.files().map(|(path, source)| (path.to_owned(), Arc::clone(source))).collect();
    let watchmaker = WATCHMAKER.replace("IDLE", idle).replace("MOVE", walk);
    files.push(("watchmaker.luau".to_owned(), watchmaker.into()));
    files.push(("sisyphus.luau".to_owned(), SISYPHUS.into()));
    Bundle::from_files(files).unwrap()
}

/// Waits until this many turns have begun.
async fn turns(team: &TeamHandle, ticks: u64) {
    let mut snapshots = team.snapshots();
    let begun = snapshots.wait_for(|snapshot| snapshot.tick >= ticks);
    tokio::time::timeout(LONG, begun).await.unwrap().unwrap();
}

/// The operator.
const ANN: &str = "ann";

/// Everything that an operator may ask of a team during a match.
async fn operate(team: &TeamHandle, next: &Bundle, agent: AgentId, order: &str) {
    turns(team, 3).await;
    let write = BoardWrite {
        key: "hint".into(),
        value: Value::from("go on"),
        turns: Some(4),
        etag: None,
        validate_only: false,
    };
    team.call(write, ANN).await.unwrap();
    let order = read_order(order).unwrap();
    let steer = Steer::Pin { order, turns: 3 };
    team.call(SteerAgent { agent, steer }, ANN).await.unwrap();
    let (name, value) = ("gain".into(), Some(Value::from(5)));
    team.call(SetParam { name, scope: Scope::Team, value }, ANN).await.unwrap();
    turns(team, 6).await;
    let (role, carry) = ("watchmaker".into(), Carry::Forget);
    team.call(SetRole { agent, role, carry }, ANN).await.unwrap();
    team.call(RunScript { agent, code: "memory.sum = 100".into() }, ANN).await.unwrap();
    drop(team.call(CopyView, "").await.unwrap());
    drop(team.call(DrawWorld, "").await.unwrap());
    team.call(InstallStrategy { staged: staged(2, next), pinned: false }, "").await.unwrap();
    turns(team, 12).await;
    let options = TeamOptions { decide_max: Duration::from_millis(6), ..fast() };
    team.call(RetuneTeam { options }, ANN).await.unwrap();
    team.call(SteerAgent { agent, steer: Steer::Pause }, ANN).await.unwrap();
}

fn fast() -> TeamOptions {
    TeamOptions { decide_max: Duration::from_millis(10), seed: 7, ..TeamOptions::default() }
}

/// A match over loopback in which operators steer the first team.
async fn played(
    game: &str,
    ask: &DemoAsk,
    roles: &[&str],
    (idle, walk): (&str, &str),
) -> Vec<(TeamPlan, Arc<Kept>)> {
    let stage = phalanx_games::demo(game, ask).unwrap();
    let listener = phalanx_games::listen(game, "127.0.0.1:0").await.unwrap();
    let arena = (stage.arena)(origin()).unwrap();
    let arena = serve_arena(arena, listener, HostOptions::default());
    let address = arena.address().unwrap();
    let endpoint = phalanx_games::endpoint(game, "127.0.0.1", address.port());
    let bundle = clockwork(game, idle, walk);
    let (mut teams, mut handles) = (Vec::new(), Vec::new());
    for name in ["A", "B"] {
        let (mut plan, kept) = team(game, &stage, name, &bundle, roles);
        plan.team = fast();
        handles.push(phalanx_games::build(plan.clone(), endpoint.clone()).await.unwrap().spawn());
        teams.push((plan, kept));
    }
    let next = clockwork(game, walk, idle);
    operate(&handles[0], &next, AgentId(1), walk).await;
    for handle in &handles {
        let end = tokio::time::timeout(LONG, handle.ended()).await.unwrap();
        assert_eq!(end, TeamEnd::MatchOver);
    }
    teams
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn agents_assemble_over_sockets_with_operators_comes_out_as_it_was() {
    let ask = DemoAsk { fast: false, pace: Some(Duration::from_millis(30)), ..ask(None, 40) };
    let roles = ["worker", "scout", "watchmaker", "worker", "sisyphus"];
    let teams = played("assemble", &ask, &roles, ("act.skip()", "act.move('n')")).await;
    for (plan, kept) in &teams {
        let found = same(plan, kept);
        assert!(found.tally.turns >= 40 && found.trouble.stopped > 0, "{:?}", found.trouble);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bomberland_over_sockets_with_operators_comes_out_as_it_was() {
    let ask = DemoAsk { fast: false, pace: Some(Duration::from_millis(60)), ..ask(None, 40) };
    // The units of a team share one deadline: the first one has time on a busy machine, too.
    let roles = ["sisyphus", "watchmaker", "hunter"];
    let teams = played("bomberland", &ask, &roles, ("act.wait()", "act.move('up')")).await;
    for (plan, kept) in &teams {
        let found = same(plan, kept);
        assert!(found.tally.turns >= 20 && found.trouble.stopped > 0, "{:?}", found.trouble);
    }
}
