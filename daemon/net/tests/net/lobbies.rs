//! Seats that wait for a referee: bridges connect to a Unix socket and are let in or refused with a
//! reason.

use crate::referee::Bench;
use phalanx_engine::SeatState;
use phalanx_game::Event;
use phalanx_net::{Act, Lobby, SeatOptions, hello, receive_bridges, welcomed};
use std::path::PathBuf;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio_util::sync::{CancellationToken, DropGuard};

/// A lobby with one seat: `red0` of team `red`.
struct House {
    bench: Bench,
    socket: PathBuf,
    _folder: tempfile::TempDir,
    _open: DropGuard,
}

impl House {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("bridge.sock");
        let (lobby, stopped) = (Lobby::default(), CancellationToken::new());
        let endpoint = lobby.endpoint("red", "red", ["red0"].into_iter());
        let listener = UnixListener::bind(&socket).unwrap();
        tokio::spawn(receive_bridges(listener, lobby, stopped.clone()));
        let bench = Bench::at(endpoint, SeatOptions::default());
        Self { bench, socket, _folder: folder, _open: stopped.drop_guard() }
    }

    /// Waits until the seat reports that it waits.
    async fn waits(&mut self) -> String {
        let state = self.bench.state(|state| matches!(state, SeatState::Connecting { .. })).await;
        let SeatState::Connecting { failures: 0, reason } = state else { panic!("{state:?}") };
        reason
    }

    async fn knock(&self, line: &str) -> Bridge {
        let stream = UnixStream::connect(&self.socket).await.unwrap();
        let mut bridge = Bridge(BufReader::new(stream));
        bridge.say(line).await;
        bridge
    }

    async fn refused(&self, line: &str) -> String {
        let mut bridge = self.knock(line).await;
        let reason = welcomed(&bridge.hear().await).unwrap_err();
        // If there is unread data, the system resets the connection instead.
        let rest = bridge.0.read(&mut [0; 8]).await;
        assert!(matches!(rest, Ok(0) | Err(_)), "the connection is closed");
        reason
    }
}

struct Bridge(BufReader<UnixStream>);

impl Bridge {
    async fn say(&mut self, line: &str) {
        self.0.get_mut().write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }

    async fn hear(&mut self) -> String {
        let mut line = String::new();
        self.0.read_line(&mut line).await.unwrap();
        line.trim_end().to_owned()
    }

    /// Is let in, reads the session's login and begins a round.
    async fn begin(&mut self) {
        assert_eq!(welcomed(&self.hear().await), Ok(()));
        assert_eq!(self.hear().await, "hello red0");
        self.say("welcome\nstart").await;
    }
}

#[tokio::test]
async fn a_seat_says_what_it_waits_for_and_plays_one_match_after_the_other() {
    let mut house = House::new();
    let wish = "waits for its referee to start `phalanx bridge --team red --agent red0`";
    for score in [3, 5] {
        assert_eq!(house.waits().await, wish);
        let mut bridge = house.knock(&hello("red", "red0")).await;
        bridge.begin().await;
        bridge.say("ask 0 5000").await;
        let (turn, agent) = loop {
            if let Event::Asked { turn, agent, .. } = house.bench.event().await {
                break (turn, agent);
            }
        };
        let act = Act { turn, agent, action: "dig".to_owned() };
        house.bench.link.actions.send(act).await.unwrap();
        assert_eq!(bridge.hear().await, "do 0 dig");
        // The referee's goodbye ends the match, not the seat.
        bridge.say(&format!("over {score}\nbye")).await;
        loop {
            match house.bench.event().await {
                Event::RoundOver { score: told, .. } => {
                    assert_eq!(told, score);
                    break;
                }
                Event::MatchOver => panic!("there may be another match"),
                _ => {}
            }
        }
        drop(bridge);
    }
    house.waits().await;
    house.bench.leave.cancel();
    house.bench.state(|state| *state == SeatState::Closed).await;
}

#[tokio::test]
async fn a_busy_seat_and_strangers_are_refused_with_a_reason() {
    let mut house = House::new();
    house.waits().await;
    let mut first = house.knock(&hello("red", "red0")).await;
    first.begin().await;
    let busy = house.refused(&hello("red", "red0")).await;
    assert_eq!(
        busy,
        "red0 of team red is connected already, in as many matches as it plays at once (1, the \
         team's setting `matches`): the bridge answers by itself until one of them ends"
    );
    let stranger = house.refused(&hello("red", "red7")).await;
    assert_eq!(stranger, "team red has no agent red7; it has red0");
    let team = house.refused(&hello("blue", "red0")).await;
    assert_eq!(team, "no team blue waits for bridges; there are: red");
    assert!(house.refused("GET / HTTP/1.1").await.contains("same version?"));
    let flood = "x".repeat(5_000);
    assert!(house.refused(&flood).await.contains("one line of text"));
    let eager = format!("{}\nhello", hello("red", "red0"));
    assert!(house.refused(&eager).await.contains("one line of text"));
    // None of them disturbed the running match.
    first.say("ask 0 5000").await;
    assert_eq!(house.bench.asked().await, 0);
    drop(first);
    house.waits().await;
    house.knock(&hello("red", "red0")).await.begin().await;
}

#[tokio::test]
async fn connections_that_say_nothing_keep_no_bridge_waiting() {
    /// The most connections that are greeted at once.
    const SILENT: usize = 64;
    let mut house = House::new();
    house.waits().await;
    let mut silent = Vec::new();
    for _ in 0..SILENT {
        silent.push(UnixStream::connect(&house.socket).await.unwrap());
    }
    house.knock(&hello("red", "red0")).await.begin().await;
    // The oldest one was closed without a message, because another one needed its place.
    let mut rest = Vec::new();
    silent[0].read_to_end(&mut rest).await.unwrap();
    assert_eq!(rest, b"");
    silent[1].read_to_end(&mut rest).await.unwrap();
    assert_eq!(String::from_utf8_lossy(&rest), "refused\tno greeting within 2s\n");
}

#[test]
fn an_answer_is_a_welcome_or_a_reason() {
    assert_eq!(welcomed("welcome"), Ok(()));
    assert_eq!(welcomed("refused\tgo away"), Err("go away".to_owned()));
    assert!(welcomed("HTTP/1.1 400 Bad Request").unwrap_err().contains("not phalanxd"));
    assert!(welcomed("").is_err());
}
