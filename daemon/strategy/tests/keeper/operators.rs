//! What operators ask for.

use crate::stage::{BROKEN, Match, Told, worker};
use phalanx_engine::{JournalEvent, StrategyOrigin};
use phalanx_strategy::{
    Activation, CODE_BYTES_MAX, Eval, RequestedSource, SESSIONS_MAX, StrategyError,
};
use std::sync::Arc;
use std::sync::atomic::Ordering;

fn user() -> StrategyOrigin {
    StrategyOrigin::Api { user: "anna".into() }
}

fn files(source: &str) -> RequestedSource {
    RequestedSource::Files(vec![("worker.luau".into(), source.into())])
}

async fn second(game: &mut Match) {
    game.save(&worker("second"));
    assert_eq!(game.installed().await, 2);
    game.shows(|keeper| keeper.status().active.generation.number == 2).await;
}

#[tokio::test(start_paused = true)]
async fn rolled_back_the_unchanged_folder_does_not_play_by_itself() {
    let mut game = Match::start();
    second(&mut game).await;
    let info = game.keeper.roll_back(None, user(), false).await.unwrap();
    assert_eq!((info.generation.number, info.active), (1, true));
    assert_eq!(game.installed().await, 1);
    game.nothing_happens().await;
    let nothing = game.keeper.roll_back(None, user(), false).await.unwrap_err();
    assert!(matches!(nothing, StrategyError::NothingToRollBack), "{nothing}");
    game.keeper.reload(StrategyOrigin::Hangup).await.unwrap();
    assert_eq!(game.installed().await, 3);
}

#[tokio::test(start_paused = true)]
async fn a_pinned_generation_stays_and_what_was_held_back_plays_when_it_is_let_go() {
    let mut game = Match::start();
    assert!(game.keeper.pin(true, "anna").await.unwrap().pinned);
    game.save(&worker("second"));
    assert!(game.refused().await.contains("generation 1 is pinned"));
    let source = files(&worker("third"));
    let refused = game.keeper.activate(source, user(), Activation::default()).await.unwrap_err();
    assert!(matches!(refused, StrategyError::Pinned(1)), "{refused}");
    assert_eq!(game.active(), 1);
    game.keeper.pin(false, "anna").await.unwrap();
    assert_eq!(game.installed().await, 2);
}

#[tokio::test(start_paused = true)]
async fn pinning_what_is_watched_tells_the_team() {
    let mut game = Match::start();
    game.puppet.snapshot.send_modify(|snapshot| Arc::make_mut(snapshot).on_probation = true);
    assert!(game.keeper.status().on_probation);
    game.keeper.pin(true, "anna").await.unwrap();
    match game.told().await {
        Told::Installed { generation, pinned, .. } => assert!(pinned && generation.number == 1),
        Told::Refused { faults, .. } => panic!("{faults:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_taken_back_is_marked_and_not_tried_again() {
    let mut game = Match::start();
    second(&mut game).await;
    let (one, _) = game.keeper.generation(1).await.unwrap();
    let (two, _) = game.keeper.generation(2).await.unwrap();
    let (failed, generation) = (two.generation, one.generation);
    game.journal(JournalEvent::TakenBack { failed, generation, reason: "6 errors".into() });
    game.shows(|keeper| keeper.status().active.generation.number == 1).await;
    let newest = game.keeper.generations().into_iter().next().unwrap();
    assert_eq!((newest.generation.number, newest.taken_back.as_str()), (2, "6 errors"));
    game.nothing_happens().await;
}

#[tokio::test(start_paused = true)]
async fn the_strategy_of_a_team_that_has_ended_can_be_read_and_not_changed() {
    let mut game = Match::start();
    game.end_team().await;
    let (one, bundle) = game.keeper.generation(1).await.unwrap();
    assert_eq!((one.generation.number, bundle.files().count() > 0), (1, true));
    let change = game.keeper.activate(files(&worker("second")), user(), Activation::default());
    assert!(matches!(change.await.unwrap_err(), StrategyError::Ended));
    assert!(matches!(game.keeper.pin(true, "ann").await.unwrap_err(), StrategyError::Ended));
}

#[tokio::test(start_paused = true)]
async fn files_are_checked_validated_and_activated() {
    let mut game = Match::start();
    let checked = game.keeper.check(files(BROKEN)).await.unwrap();
    assert!(!checked.report.passed() && checked.origin.is_none());
    let validate = Activation { validate_only: true, forget: false };
    let refused = game.keeper.activate(files(BROKEN), user(), validate).await.unwrap_err();
    assert!(matches!(refused, StrategyError::Faults(_)), "{refused}");
    let odd = RequestedSource::Files(vec![("../worker.luau".into(), String::new())]);
    assert!(matches!(game.keeper.check(odd).await.unwrap_err(), StrategyError::Files(_)));
    let (info, _) = game.keeper.activate(files(&worker("second")), user(), validate).await.unwrap();
    assert_eq!(info.generation.number, 1);
    let forget = Activation { validate_only: false, forget: true };
    let (info, _) = game.keeper.activate(files(&worker("second")), user(), forget).await.unwrap();
    assert_eq!((info.generation.number, &info.generation.origin), (2, &user()));
    assert!(matches!(game.told().await, Told::Installed { forget: true, .. }));
    game.nothing_happens().await;
}

#[tokio::test(start_paused = true)]
async fn what_the_team_cannot_take_over_is_refused_and_told_by_the_team_alone() {
    let mut game = Match::start();
    game.stage.refuses.store(true, Ordering::SeqCst);
    let source = files(&worker("second"));
    let refused = game.keeper.activate(source, user(), Activation::default()).await.unwrap_err();
    assert!(matches!(&refused, StrategyError::Install(_)), "{refused}");
    assert!(refused.to_string().contains("me.memory.plan.next is a function"), "{refused}");
    game.nothing_happens().await;
    assert_eq!((game.active(), game.keeper.generations().len()), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn nobody_waits_for_ever_for_a_team_that_is_stuck() {
    let game = Match::start();
    game.stage.views.forget_permits(game.stage.views.available_permits());
    let checked = game.keeper.check(files(&worker("second"))).await.unwrap_err();
    assert!(matches!(checked, StrategyError::Busy), "{checked}");
    let looked = game.keeper.eval(eval("1", "")).await.unwrap_err();
    assert!(matches!(looked, StrategyError::Busy), "{looked}");
    assert_eq!(game.active(), 1);
}

#[tokio::test(start_paused = true)]
async fn what_a_team_takes_over_late_is_known_and_keeps_its_number() {
    let mut game = Match::start();
    game.stage.is_mute.store(true, Ordering::SeqCst);
    let source = files(&worker("second"));
    let refused = game.keeper.activate(source, user(), Activation::default()).await.unwrap_err();
    assert!(matches!(refused, StrategyError::Busy), "{refused}");
    let Told::Installed { generation, .. } = game.told().await else { panic!("it was refused") };
    assert_eq!((generation.number, game.active()), (2, 1));
    game.journal(JournalEvent::Generation { generation, pinned: false, note: String::new() });
    game.shows(|keeper| keeper.status().active.generation.number == 2).await;
    game.stage.is_mute.store(false, Ordering::SeqCst);
    let source = files(&worker("third"));
    let (info, _) = game.keeper.activate(source, user(), Activation::default()).await.unwrap();
    assert_eq!(info.generation.number, 3);
}

fn eval(code: &str, session: &str) -> Eval {
    let (agent, by) = ("a1".into(), "anna".into());
    Eval { agent, code: code.into(), live: false, session: session.into(), by }
}

#[tokio::test]
async fn sessions_code_and_agents_have_bounds() {
    let game = Match::start();
    for index in 0..SESSIONS_MAX {
        game.keeper.eval(eval("1", &index.to_string())).await.unwrap();
    }
    let full = game.keeper.eval(eval("1", "more")).await.unwrap_err();
    assert!(matches!(full, StrategyError::TooManySessions), "{full}");
    let long = eval(&" ".repeat(CODE_BYTES_MAX + 1), "0");
    assert!(matches!(game.keeper.eval(long).await, Err(StrategyError::CodeTooLong)));
    let nobody = Eval { agent: "a9".into(), ..eval("1", "0") };
    assert!(matches!(game.keeper.eval(nobody).await, Err(StrategyError::NoAgent(_))));
    let live = Eval { live: true, ..eval("1", "") };
    assert_eq!(game.keeper.eval(live).await.unwrap().text, "anna: 1");
}

#[tokio::test]
async fn a_session_keeps_its_variables_and_another_has_its_own() {
    let game = Match::start();
    game.keeper.eval(eval("x = 40", "s")).await.unwrap();
    let kept = game.keeper.eval(eval("x + 2", "s")).await.unwrap();
    assert_eq!((kept.text.as_str(), kept.error.as_str(), kept.generation), ("42", "", 1));
    let long = "s".repeat(60);
    game.keeper.eval(eval("x = 50", &format!("{long}1"))).await.unwrap();
    for other in ["", &format!("{long}2")] {
        assert_eq!(game.keeper.eval(eval("x", other)).await.unwrap().text, "nil", "{other}");
    }
    let failed = game.keeper.eval(eval("error('no')", "s")).await.unwrap();
    assert!(failed.error.contains("no"), "{failed:?}");
}
