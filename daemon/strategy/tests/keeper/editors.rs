//! All the ways in which files change.

use crate::stage::{BROKEN, Match, worker};
use std::fs;
use std::os::unix::fs::symlink;
use std::time::Duration;

#[tokio::test(start_paused = true)]
async fn a_file_written_in_place_plays() {
    let mut game = Match::start();
    game.save(&worker("second"));
    assert_eq!(game.installed().await, 2);
    game.shows(|keeper| keeper.status().active.generation.number == 2).await;
}

#[tokio::test(start_paused = true)]
async fn an_editor_that_writes_beside_and_renames_is_heard() {
    let mut game = Match::start();
    fs::write(game.folder.join(".worker.luau.swp"), worker("second")).unwrap();
    fs::rename(game.folder.join(".worker.luau.swp"), game.folder.join("worker.luau")).unwrap();
    assert_eq!(game.installed().await, 2);
}

#[tokio::test(start_paused = true)]
async fn a_file_deleted_and_created_anew_plays() {
    let mut game = Match::start();
    fs::remove_file(game.folder.join("worker.luau")).unwrap();
    game.save(&worker("second"));
    assert_eq!(game.installed().await, 2);
}

#[tokio::test(start_paused = true)]
async fn fifty_files_at_once_are_one_generation() {
    let mut game = Match::start();
    for index in 0..50 {
        fs::write(game.folder.join(format!("role{index}.luau")), worker("many")).unwrap();
    }
    assert_eq!(game.installed().await, 2);
    game.shows(|keeper| keeper.status().active.file_count == 51).await;
    game.nothing_happens().await;
}

#[tokio::test(start_paused = true)]
async fn a_folder_that_vanishes_is_told_once_and_may_return() {
    let mut game = Match::start();
    let away = game.home.path().join("away");
    fs::rename(&game.folder, &away).unwrap();
    assert!(game.refused().await.contains("the folder is gone"));
    game.nothing_happens().await;
    assert_eq!(game.active(), 1);
    fs::write(away.join("worker.luau"), worker("second")).unwrap();
    fs::rename(&away, &game.folder).unwrap();
    assert_eq!(game.installed().await, 2);
}

#[tokio::test(start_paused = true)]
async fn a_broken_file_is_told_and_its_mending_plays() {
    let mut game = Match::start();
    game.save(BROKEN);
    assert!(game.refused().await.starts_with("file: worker.luau:"));
    assert_eq!(game.active(), 1);
    assert!(!game.keeper.status().last_trial.unwrap().report.passed());
    game.save(&worker("mended"));
    assert_eq!(game.installed().await, 2);
    game.shows(|keeper| keeper.status().last_trial.is_some_and(|last| last.report.passed())).await;
}

#[tokio::test(start_paused = true)]
async fn going_back_to_what_plays_clears_the_refusal() {
    let mut game = Match::start();
    game.save(BROKEN);
    game.refused().await;
    game.save(&worker("first"));
    game.shows(|keeper| keeper.status().last_trial.is_none()).await;
    game.nothing_happens().await;
}

#[tokio::test(start_paused = true)]
async fn a_switched_link_to_the_folder_is_another_strategy() {
    let home = std::sync::Arc::new(tempfile::tempdir().unwrap());
    for (name, mark) in [("v1", "first"), ("v2", "second")] {
        fs::create_dir(home.path().join(name)).unwrap();
        fs::write(home.path().join(name).join("worker.luau"), worker(mark)).unwrap();
    }
    let current = home.path().join("current");
    symlink("v1", &current).unwrap();
    let mut game = Match::open(home, current.clone(), |_| {});
    symlink("v2", current.with_file_name("next")).unwrap();
    fs::rename(current.with_file_name("next"), &current).unwrap();
    assert_eq!(game.installed().await, 2);
}

#[tokio::test(start_paused = true)]
async fn a_touched_file_is_no_change() {
    let mut game = Match::start();
    game.save(&worker("first"));
    game.nothing_happens().await;
    assert_eq!(game.keeper.generations().len(), 1);
}

#[tokio::test]
async fn events_wake_the_watcher_long_before_it_looks_by_itself() {
    let mut game = Match::start_with(|options| {
        options.poll = Duration::from_secs(600);
        options.settle = Duration::from_millis(20);
    });
    // Real events on the real clock; the wait has a limit far below the poll's.
    game.save(&worker("second"));
    assert_eq!(game.installed().await, 2);
    fs::remove_dir_all(&game.folder).unwrap();
    assert!(game.refused().await.contains("the folder is gone"));
    fs::create_dir(&game.folder).unwrap();
    game.save(&worker("third"));
    loop {
        // The folder may be seen while it is still empty.
        if let crate::stage::Told::Installed { generation, .. } = game.told().await {
            assert_eq!(generation.number, 3);
            break;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_is_watched_when_told_so_but_a_signal_still_reloads() {
    let mut game = Match::start_with(|options| options.watch = false);
    game.save(&worker("second"));
    game.nothing_happens().await;
    game.keeper.reload(phalanx_engine::StrategyOrigin::Hangup).await.unwrap();
    assert_eq!(game.installed().await, 2);
    assert!(!game.keeper.status().watching);
}

#[tokio::test(start_paused = true)]
async fn the_newest_save_wins_over_one_that_is_on_trial() {
    let mut game = Match::start();
    // A trial waits for the view, hence for us.
    let views = game.stage.views.available_permits();
    game.stage.views.forget_permits(views);
    game.save(&worker("second"));
    // The trial began and waits.
    tokio::time::sleep(Duration::from_secs(10)).await;
    game.save(&worker("third"));
    tokio::time::sleep(Duration::from_secs(10)).await;
    game.stage.views.add_permits(views);
    assert_eq!(game.installed().await, 2);
    game.nothing_happens().await;
    let (_, bundle) = game.keeper.generation(2).await.unwrap();
    assert!(bundle.source("worker.luau").unwrap().contains("third"));
}

#[tokio::test(start_paused = true)]
async fn a_folder_that_never_rests_is_read_all_the_same() {
    let mut game = Match::start();
    for mark in 0..1_000 {
        game.save(&worker(&mark.to_string()));
        // Shorter than a file has to rest.
        tokio::time::sleep(Duration::from_millis(100)).await;
        if let Ok(told) = game.told.try_recv() {
            assert!(matches!(told, crate::stage::Told::Installed { .. }), "{told:?}");
            return;
        }
    }
    panic!("nothing was read while somebody saved");
}
