//! The truth of each referee beside what its teams believe: the same bodies by the same names.

use crate::support::{ask, team};
use phalanx_engine::{DrawWorld, Drawing};
use phalanx_game::{Picture, Roster, Side};
use phalanx_games::demo::DemoAsk;
use phalanx_games::shipped;
use phalanx_net::{HostOptions, origin, serve_arena};
use std::collections::BTreeSet;
use std::time::Duration;

/// Only a defect takes this long.
const LONG: Duration = Duration::from_secs(120);

/// The names of the team's own bodies, as the control API shows them.
fn believed(drawing: &Drawing, roster: &Roster) -> BTreeSet<String> {
    let bodies = drawing.picture.parts.iter().flat_map(|part| &part.bodies);
    let own = bodies.filter(|body| body.side == Side::Ours);
    let name = |body: &phalanx_game::Body| match (body.name.as_str(), body.agent) {
        ("", Some(agent)) => roster.name(agent).to_owned(),
        (name, _) => name.to_owned(),
    };
    own.map(name).collect()
}

/// The names of a team's bodies in truth.
fn true_names(truth: &Picture, team: Option<&str>) -> BTreeSet<String> {
    let bodies = truth.parts.iter().flat_map(|part| &part.bodies);
    let own = bodies.filter(|body| team.is_none_or(|team| body.team == team));
    own.map(|body| body.name.clone()).collect()
}

/// Plays until both teams have decided a few turns, compares, and stops.
async fn look(game: &str, variant: Option<&str>, roles: &[&str]) {
    let pace = Some(Duration::from_millis(20));
    let ask = DemoAsk { fast: false, pace, ..ask(variant, 2_000) };
    let stage = phalanx_games::demo(game, &ask).unwrap();
    let listener = phalanx_games::listen(game, "127.0.0.1:0").await.unwrap();
    let arena = serve_arena((stage.arena)(origin()).unwrap(), listener, HostOptions::default());
    assert!(arena.truth().await.is_some(), "{game}: there is always something to see");
    let port = arena.address().unwrap().port();
    let endpoint = phalanx_games::endpoint(game, "127.0.0.1", port);
    let bundle = shipped::strategy(game).unwrap();
    let mut teams = Vec::new();
    for name in ["A", "B"].into_iter().take(stage.teams) {
        let (plan, _) = team(game, &stage, name, &bundle, roles);
        let handle = phalanx_games::build(plan.clone(), endpoint.clone()).await.unwrap().spawn();
        teams.push((plan, handle));
    }
    for (plan, handle) in &teams {
        let mut snapshots = handle.snapshots();
        let begun = snapshots.wait_for(|snapshot| snapshot.tick >= 4);
        tokio::time::timeout(LONG, begun).await.unwrap().unwrap();
        let drawing = handle.call(DrawWorld, "").await.unwrap();
        let truth = arena.truth().await.unwrap();
        let (ours, theirs) = (believed(&drawing, &plan.roster), &truth.picture);
        let several = stage.teams > 1;
        let known = true_names(theirs, several.then_some(plan.roster.team.as_str()));
        assert!(!ours.is_empty() && ours.is_subset(&known), "{game}: {ours:?} in {known:?}");
        assert!(!drawing.picture.tables.is_empty(), "{game}: the belief has tables");
        assert!(!truth.picture.tables.is_empty(), "{game}: the truth has tables");
        assert!(!truth.picture.cut && !drawing.picture.cut);
        let jobs = drawing.picture.parts.iter().flat_map(|part| &part.bodies);
        // A player of Colosseum orders many bodies at once: none has a job of its own.
        let busy = jobs.filter(|body| !body.job.is_empty()).count();
        assert!(busy > 0 || variant.is_some(), "{game}: agents have jobs");
    }
    arena.stop();
    arena.ended().await;
    let last = arena.truth().await.unwrap();
    assert!(!last.picture.parts.is_empty(), "{game}: the last moment is kept");
    for (_, handle) in &teams {
        handle.drain(Duration::ZERO).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn agents_have_the_same_names_in_the_truth_of_agents_assemble() {
    look("assemble", None, &["worker", "scout"]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn agents_have_the_same_names_in_the_truth_of_mars() {
    let roles = ["explorer", "repairer", "saboteur", "sentinel", "inspector"];
    look("mars", None, &roles).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn units_have_the_same_names_in_the_truth_of_bomberland() {
    look("bomberland", None, &["hunter"]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_agent_has_the_same_name_in_the_truth_of_asimulator() {
    look("asimulator", None, &["explorer"]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn agents_have_the_same_names_in_the_truth_of_every_game_of_colosseum() {
    for variant in ["food_catcher", "cherry_picker", "snake", "chess"] {
        look("colosseum", Some(variant), &["player"]).await;
    }
}
