//! The arena's host: clients connect, leave, flood, stall; the match continues.

use crate::referee::Client;
use crate::toy_arena::ToyArena;
use phalanx_game::Turn;
use phalanx_net::{
    ArenaEnd, ArenaHandle, Endpoint, HostEvent, HostOptions, Listener, host_feed, memory,
    serve_arena,
};
use std::time::Duration;
use tokio::io::AsyncWriteExt;

const WINDOW: Duration = Duration::from_millis(1_000);
const SOON: Duration = Duration::from_secs(5);

fn host(players: usize, steps: u32, options: HostOptions) -> (ArenaHandle, Endpoint) {
    let (dialer, listener) = memory();
    let arena = Box::new(ToyArena::new(players, steps, WINDOW));
    (serve_arena(arena, Listener::Memory(listener), options), Endpoint::Memory(dialer))
}

async fn client(endpoint: &Endpoint) -> Client {
    Client::new(endpoint.connect(SOON).await.unwrap())
}

#[tokio::test(start_paused = true)]
async fn a_match_is_played_to_its_end_and_its_files_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let artifacts = Some(folder.path().to_owned());
    let (arena, endpoint) = host(1, 2, HostOptions { artifacts, ..HostOptions::default() });
    let mut player = client(&endpoint).await;
    player.say("hello red0").await;
    for line in ["welcome", "start", "ask 0 1000"] {
        player.says(line).await;
    }
    player.say("do 0 dig").await;
    // The second turn goes by without an answer.
    for line in ["ask 1 1000", "over 1", "bye"] {
        player.says(line).await;
    }
    assert_eq!(player.hear().await, None);
    drop(player);
    let report = arena.ended().await;
    assert_eq!((report.end, report.artifacts_written), (ArenaEnd::Over, 1));
    assert_eq!(report.verdict.teams[0].rounds, [1]);
    let result = std::fs::read_to_string(folder.path().join("toy/result.txt")).unwrap();
    assert_eq!(result, r#"{"red": 1}"#);
}

#[tokio::test(start_paused = true)]
async fn the_world_of_an_arena_can_be_seen_during_the_match_and_after_it() {
    let (arena, endpoint) = host(1, 1, HostOptions::default());
    let first = arena.truth().await.unwrap();
    assert_eq!((first.version, first.at), (1, Turn::new(1, 0)));
    // Later in the same step it is drawn again, and the same.
    tokio::time::sleep(WINDOW).await;
    assert_eq!(arena.truth().await.unwrap(), first);
    let mut player = client(&endpoint).await;
    player.say("hello red0").await;
    for line in ["welcome", "start", "ask 0 1000"] {
        player.says(line).await;
    }
    player.say("do 0 dig").await;
    while player.hear().await.is_some() {}
    arena.ended().await;
    let last = arena.truth().await.unwrap();
    assert_eq!((last.version, last.at), (2, Turn::new(1, 1)));
    assert_eq!(last.picture.parts[0].facts, [("step".into(), "1".to_owned())]);
}

#[tokio::test(start_paused = true)]
async fn a_client_too_many_is_turned_away_and_the_others_play() {
    let options = HostOptions { connections_max: 1, ..HostOptions::default() };
    let (arena, endpoint) = host(1, 1, options);
    let mut player = client(&endpoint).await;
    player.say("hello red0").await;
    player.says("welcome").await;
    let mut stranger = client(&endpoint).await;
    assert_eq!(stranger.hear().await, None);
    drop(player);
    assert_eq!(arena.ended().await.clients_refused, 1);
}

#[tokio::test(start_paused = true)]
async fn clients_that_never_log_in_make_room_for_players() {
    let options = HostOptions { connections_max: 2, ..HostOptions::default() };
    let (arena, endpoint) = host(1, 1, options);
    let mut oldest = client(&endpoint).await;
    let mut younger = client(&endpoint).await;
    let mut player = client(&endpoint).await;
    assert_eq!(oldest.hear().await, None);
    player.say("hello red0").await;
    player.says("welcome").await;
    let late = client(&endpoint).await;
    assert_eq!(younger.hear().await, None, "not the player");
    drop((player, late));
    assert_eq!(arena.ended().await.clients_refused, 2);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_says_nothing_or_half_a_word_is_closed_and_a_player_is_not() {
    let options = HostOptions { login_max: SOON, ..HostOptions::default() };
    let (arena, endpoint) = host(2, 1, options);
    let mut silent = client(&endpoint).await;
    let mut halting = client(&endpoint).await;
    halting.writer.write_all(b"hel").await.unwrap();
    let mut player = client(&endpoint).await;
    player.say("hello red0").await;
    player.says("welcome").await;
    // The clock advances when all tasks wait.
    assert_eq!(silent.hear().await, None);
    assert_eq!(halting.hear().await, None);
    let mut late = client(&endpoint).await;
    late.say("hello blue0").await;
    late.says("welcome").await;
    player.says("start").await;
    drop((player, late));
    arena.stop();
    arena.ended().await;
}

#[tokio::test(start_paused = true)]
async fn clients_of_one_address_that_never_log_in_have_half_of_the_places() {
    let options = HostOptions { connections_max: 4, ..HostOptions::default() };
    let (arena, endpoint) = host(1, 1, options);
    let mut oldest = client(&endpoint).await;
    let (_second, _third) = (client(&endpoint).await, client(&endpoint).await);
    assert_eq!(oldest.hear().await, None);
    assert_eq!(arena.clients(), 2);
    arena.stop();
}

#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_read_is_dropped_and_the_match_goes_on() {
    let options = HostOptions { client_bytes_max: 50, ..HostOptions::default() };
    let (arena, endpoint) = host(2, 20_000, options);
    let mut stalled = client(&endpoint).await;
    stalled.say("hello blue0").await;
    let mut player = client(&endpoint).await;
    player.say("hello red0").await;
    let mut verdicts = arena.verdicts();
    tokio::spawn(async move { while player.hear().await.is_some() {} });
    verdicts.wait_for(|verdict| verdict.step >= 19_999).await.unwrap();
    arena.stop();
    drop(stalled);
    assert_eq!(arena.ended().await.clients_slow, 1);
}

#[tokio::test(start_paused = true)]
async fn garbage_and_sudden_ends_of_strangers_disturb_nobody() {
    let (arena, endpoint) = host(1, 1, HostOptions::default());
    for _ in 0..3 {
        let mut stranger = client(&endpoint).await;
        stranger.writer.write_all(&vec![0xff; 1 << 20]).await.unwrap();
        stranger.writer.write_all(b"hel").await.unwrap();
    }
    let mut player = client(&endpoint).await;
    player.say("hello red0").await;
    player.says("welcome").await;
    player.says("start").await;
    drop(player);
    assert_eq!(arena.ended().await.end, ArenaEnd::Over);
}

#[tokio::test(start_paused = true)]
async fn a_panic_of_the_arena_is_reported_and_ends_it() {
    let (arena, endpoint) = host(1, 1, HostOptions::default());
    let mut player = client(&endpoint).await;
    player.say("hello boom").await;
    assert_eq!(player.hear().await, None);
    drop(player);
    let reason = "boom came in".to_owned();
    assert_eq!(arena.ended().await.end, ArenaEnd::Panicked { reason });
}

#[tokio::test(start_paused = true)]
async fn a_stopped_arena_disconnects_everybody() {
    let (arena, endpoint) = host(9, 1, HostOptions::default());
    let mut player = client(&endpoint).await;
    player.say("hello red0").await;
    player.says("welcome").await;
    arena.stop();
    assert_eq!(player.hear().await, None);
    drop(player);
    assert_eq!(arena.ended().await.end, ArenaEnd::Stopped);
}

#[tokio::test]
async fn over_tcp_it_listens_on_a_free_port() {
    let listener = Listener::bind("127.0.0.1:0").await.unwrap();
    let arena = Box::new(ToyArena::new(1, 1, Duration::from_millis(20)));
    let arena = serve_arena(arena, listener, HostOptions::default());
    let address = arena.address().unwrap();
    let endpoint = Endpoint::tcp(address.ip().to_string(), address.port());
    let mut player = client(&endpoint).await;
    player.say("hello red0").await;
    for line in ["welcome", "start", "ask 0 20", "over 0", "bye"] {
        player.says(line).await;
    }
    assert_eq!(player.hear().await, None);
}

#[tokio::test(start_paused = true)]
async fn whoever_follows_hears_of_clients_and_steps_in_order() {
    let (events, mut feed) = host_feed();
    let (arena, endpoint) =
        host(1, 1, HostOptions { events: Some(events), ..HostOptions::default() });
    let mut player = client(&endpoint).await;
    player.say("hello red0").await;
    while player.hear().await.is_some() {}
    drop(player);
    arena.ended().await;
    let mut heard = Vec::new();
    while let Some(event) = feed.next().await {
        heard.push(match event {
            HostEvent::Connected { client, .. } => format!("came {}", client.0),
            HostEvent::Greeted { client } => format!("greeted {}", client.0),
            HostEvent::Left { client, why } => format!("left {} {why:?}", client.0),
            HostEvent::Progress(verdict) => format!("step {} over {}", verdict.step, verdict.over),
            HostEvent::Notice(text) => text,
            HostEvent::Lost(count) => format!("lost {count}"),
        });
    }
    assert_eq!(heard.first().map(String::as_str), Some("came 0"));
    assert_eq!(heard.get(1).map(String::as_str), Some("greeted 0"));
    assert_eq!(heard.iter().filter(|line| line.starts_with("left 0")).count(), 1, "{heard:?}");
    assert!(heard.contains(&"step 1 over true".to_owned()), "{heard:?}");
    assert_eq!(arena.clients(), 0);
    assert!(arena.report().is_some());
}
