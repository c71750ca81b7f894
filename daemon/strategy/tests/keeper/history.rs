//! What is kept, over restarts and broken disks.

use crate::stage::{Match, worker};
use phalanx_engine::StrategyOrigin;
use phalanx_strategy::{Activation, RequestedSource};
use std::fs;
use std::os::unix::fs::symlink;

fn user() -> StrategyOrigin {
    StrategyOrigin::Api { user: "anna".into() }
}

#[tokio::test(start_paused = true)]
async fn numbers_go_on_after_a_restart_and_equal_files_keep_theirs() {
    let mut game = Match::start();
    game.save(&worker("second"));
    game.installed().await;
    game.shows(|keeper| keeper.generations().len() == 2).await;
    let (home, folder) = game.end().await;
    let game = Match::open(home, folder, |_| {});
    assert_eq!(game.active(), 2);
    let origins: Vec<_> =
        game.keeper.generations().into_iter().map(|info| info.generation.origin.clone()).collect();
    assert_eq!(origins, [StrategyOrigin::File, StrategyOrigin::Start]);
    game.save(&worker("third"));
    let (home, folder) = game.end().await;
    let game = Match::open(home, folder, |_| {});
    assert_eq!(game.active(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_restart_on_a_folder_that_was_rolled_back_plays_what_was_chosen() {
    let mut game = Match::start();
    game.save(&worker("second"));
    game.installed().await;
    game.shows(|keeper| keeper.generations().len() == 2).await;
    game.keeper.roll_back(None, user(), false).await.unwrap();
    let (home, folder) = game.end().await;
    let game = Match::open(home, folder, |_| {});
    assert_eq!(game.active(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_restart_on_a_half_edited_folder_plays_what_played_last() {
    let mut game = Match::start();
    game.save(&worker("second"));
    game.installed().await;
    game.shows(|keeper| keeper.generations().len() == 2).await;
    let (home, folder) = game.end().await;
    fs::write(folder.join("worker.luau"), "return { decide = function() return act.").unwrap();
    let game = Match::open(home, folder, |_| {});
    assert_eq!(game.active(), 2);
    assert_eq!(game.keeper.generations().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn after_a_restart_an_unpinned_folder_that_changed_meanwhile_plays() {
    let game = Match::start();
    game.keeper.pin(true, "anna").await.unwrap();
    let (home, folder) = game.end().await;
    fs::write(folder.join("worker.luau"), worker("edited")).unwrap();
    let mut game = Match::open(home, folder, |_| {});
    assert_eq!(game.active(), 1);
    game.keeper.pin(false, "anna").await.unwrap();
    game.installed().await;
    game.shows(|keeper| keeper.status().active.generation.number == 2).await;
}

#[tokio::test(start_paused = true)]
async fn only_the_last_ones_are_kept_but_what_decides_always() {
    let mut game = Match::start_with(|options| options.keep = 3);
    for mark in ["b", "c", "d", "e"] {
        game.save(&worker(mark));
        game.installed().await;
    }
    game.shows(|keeper| keeper.status().active.generation.number == 5).await;
    let kept: Vec<_> =
        game.keeper.generations().iter().map(|info| info.generation.number).collect();
    assert_eq!(kept, [5, 4, 3]);
    game.keeper.roll_back(Some(4), user(), false).await.unwrap();
    let folder = game.state.join("strategies").join("%41");
    assert!(!folder.join("2").exists() && folder.join("3/files/worker.luau").exists());
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_read_is_set_aside_and_its_number_not_given_again() {
    let mut game = Match::start();
    game.save(&worker("second"));
    game.installed().await;
    game.shows(|keeper| keeper.generations().len() == 2).await;
    let state = game.state.join("strategies").join("%41");
    let (home, folder) = game.end().await;
    fs::write(state.join("2/files/worker.luau"), "return nil").unwrap();
    fs::create_dir(state.join("7")).unwrap();
    let game = Match::open(home, folder, |_| {});
    assert_eq!(game.active(), 8);
    assert!(state.join("set-aside-2").exists() && state.join("set-aside-7").exists());
    assert_eq!(game.keeper.generations().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn without_a_place_to_write_the_team_plays_on() {
    let mut game = Match::start_with(|options| {
        let state = options.state.clone().unwrap();
        fs::write(&state, "in the way").unwrap();
    });
    game.save(&worker("second"));
    assert_eq!(game.installed().await, 2);
    game.shows(|keeper| keeper.generations().len() == 2).await;
    assert_eq!(game.keeper.roll_back(None, user(), false).await.unwrap().generation.number, 1);
}

#[tokio::test(start_paused = true)]
async fn a_restart_on_a_folder_that_was_refused_plays_on_what_played() {
    let mut game = Match::start();
    game.save("return {}\n");
    game.refused().await;
    let (home, folder) = game.end().await;
    let game = Match::open(home, folder, |_| {});
    assert_eq!(game.active(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_link_in_the_state_folder_leads_nowhere() {
    let game = Match::start();
    let state = game.state.join("strategies").join("%41");
    let victim = game.home.path().join("victim");
    fs::write(&victim, "precious").unwrap();
    symlink(&victim, state.join(".underway-now.json")).unwrap();
    symlink(&victim, state.join(".underway-2")).unwrap();
    let source = RequestedSource::Files(vec![("worker.luau".into(), worker("second"))]);
    game.keeper.activate(source, user(), Activation::default()).await.unwrap();
    game.keeper.pin(true, "anna").await.unwrap();
    assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
    assert!(fs::read_to_string(state.join("now.json")).unwrap().contains("\"pinned\": true"));
    assert!(state.join("2/files/worker.luau").exists());
}

#[tokio::test(start_paused = true)]
async fn files_for_editors_do_not_spoil_what_is_kept() {
    let mut game = Match::start();
    let types = ("types/phalanx.d.luau".into(), "declare act: any".into());
    let source = RequestedSource::Files(vec![("worker.luau".into(), worker("second")), types]);
    game.keeper.activate(source, user(), Activation::default()).await.unwrap();
    assert_eq!(game.installed().await, 2);
    game.keeper.pin(true, "anna").await.unwrap();
    let (home, folder) = game.end().await;
    let game = Match::open(home, folder, |_| {});
    assert_eq!((game.active(), game.keeper.generations().len()), (2, 2));
}
