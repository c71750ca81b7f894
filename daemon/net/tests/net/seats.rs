//! One seat: it answers in time in any situation, and it reconnects for ever.

use crate::referee::Bench;
use crate::toy::LINE_BYTES_MAX;
use phalanx_engine::{Input, SeatState};
use phalanx_game::{DefaultCause, Event, Notice, Turn};
use phalanx_net::{BackoffOptions, Endpoint, SeatOptions, now};
use socket2::{Domain, SockRef, Socket, Type};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;

/// Long enough that only a defect reaches it: 5,000 turns of 10 ms are over before.
const LONG: Duration = Duration::from_secs(3_600);

fn is_retrying(state: &SeatState) -> bool {
    matches!(state, SeatState::Connecting { failures: 1.., .. })
}

#[tokio::test(start_paused = true)]
async fn an_action_of_the_team_goes_out_and_is_timed() {
    let mut bench = Bench::new();
    let mut referee = bench.accept().await;
    referee.welcome().await;
    referee.say("ask 0 1000").await;
    assert_eq!(bench.asked().await, 0);
    bench.act(0, "dig").await;
    referee.says("do 0 dig").await;
    referee.say("ask 1 1000").await;
    assert_eq!(bench.asked().await, 1);
    let timings = bench.meter.timings();
    assert_eq!((timings.answers, timings.overdue), (1, 0));
    assert!(timings.margin_min >= Duration::from_millis(790));
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_needs_no_message_is_timed_when_it_is_decided() {
    let mut bench = Bench::new();
    let mut referee = bench.accept().await;
    referee.welcome().await;
    referee.say("ask 0 1000").await;
    assert_eq!(bench.asked().await, 0);
    bench.act(0, "wait").await;
    referee.say("ask 1 1000").await;
    assert_eq!(bench.asked().await, 1);
    tokio::time::sleep(Duration::from_millis(700)).await;
    bench.act(1, "dig").await;
    referee.says("do 1 dig").await;
    referee.say("ask 2 1000").await;
    assert_eq!(bench.asked().await, 2);
    let timings = bench.meter.timings();
    assert_eq!((timings.answers, timings.overdue), (2, 0));
    assert!(timings.p50 < Duration::from_millis(10), "{timings:?}");
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_its_session_holds_is_timed_when_it_is_sent() {
    let mut bench = Bench::new();
    let mut referee = bench.accept().await;
    referee.welcome().await;
    referee.say("ask 0 1000").await;
    assert_eq!(bench.asked().await, 0);
    bench.act(0, "later").await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(bench.meter.timings().answers, 0);
    referee.say("release").await;
    referee.says("do 0 later").await;
    referee.say("ask 1 1000").await;
    assert_eq!(bench.asked().await, 1);
    let timings = bench.meter.timings();
    assert_eq!((timings.answers, timings.overdue), (1, 0));
    assert!(timings.p50 >= Duration::from_millis(299), "{timings:?}");
}

#[tokio::test(start_paused = true)]
async fn the_seat_answers_by_itself_when_nobody_decides() {
    let mut bench = Bench::new();
    let mut referee = bench.accept().await;
    referee.welcome().await;
    let asked_at = now();
    referee.say("ask 0 1000").await;
    referee.says("do 0 rest").await;
    let waited = now() - asked_at;
    assert!(waited >= Duration::from_millis(800) && waited < Duration::from_millis(810));
    bench.asked().await;
    let defaulted = bench.event().await;
    let Event::Defaulted { cause, .. } = defaulted else { panic!("{defaulted:?}") };
    assert_eq!(cause, DefaultCause::NoDecision);
    assert_eq!(bench.meter.timings().answers, 0);
}

#[tokio::test(start_paused = true)]
async fn an_answer_after_the_fallback_is_late_and_not_sent() {
    let mut bench = Bench::new();
    let mut referee = bench.accept().await;
    referee.welcome().await;
    referee.say("ask 0 1000").await;
    referee.says("do 0 rest").await;
    bench.act(0, "dig").await;
    while !matches!(bench.inbox.recv().await.unwrap(), Input::Late { .. }) {}
    referee.say("ask 1 1000").await;
    referee.says("do 1 rest").await;
}

#[tokio::test(start_paused = true)]
async fn a_team_that_takes_nothing_costs_no_answer_and_little_memory() {
    const STEPS: u32 = 5_000;
    let mut bench = Bench::new();
    let mut referee = bench.accept().await;
    referee.welcome().await;
    while !matches!(bench.event().await, Event::RoundStarted { .. }) {}
    // From here on the inbox is not read.
    let playing = async {
        for step in 0..STEPS {
            referee.say(&format!("unknown word\nask {step} 10")).await;
            referee.says(&format!("do {step} rest")).await;
        }
        referee.say("over 7\nstart\nask 0 60000").await;
    };
    tokio::time::timeout(LONG, playing).await.expect("the seat stopped reading");
    let (mut heard, mut asked, mut over) = (0_u64, None, false);
    while asked != Some(Turn::new(1, 0)) {
        heard += 1;
        match bench.inbox.recv().await.unwrap() {
            Input::Event { event: Event::Asked { turn, .. }, .. } => {
                assert!(asked < Some(turn), "the order of an agent's requests stays");
                asked = Some(turn);
            }
            Input::Event { event: Event::RoundOver { score, .. }, .. } => over = score == 7,
            Input::Event { event: Event::RoundStarted { .. }, .. } => assert!(over),
            _ => {}
        }
    }
    assert!(heard <= 1_100, "{heard} inputs waited");
    // A notice, a request and a default for each step, and the events that began the second round.
    assert_eq!(heard + bench.inbox.dropped(), u64::from(STEPS) * 3 + 3);
}

#[tokio::test(start_paused = true)]
async fn what_a_connection_does_reaches_a_team_that_took_nothing_for_long() {
    let mut bench = Bench::new();
    let mut first = bench.accept().await;
    first.welcome().await;
    for step in 0..2_000 {
        first.say(&format!("ask {step} 10")).await;
        first.says(&format!("do {step} rest")).await;
    }
    drop(first);
    let mut second = bench.accept().await;
    second.says("hello red0").await;
    second.say("welcome").await;
    for step in 2_000..4_000 {
        second.say(&format!("ask {step} 10")).await;
        second.says(&format!("do {step} rest")).await;
    }
    let (mut states, mut seated, mut rounds) = (Vec::new(), 0, 0);
    while let Some(input) = bench.inbox.try_recv() {
        match input {
            Input::Seat { state, .. } => states.push(state),
            Input::Event { event: Event::Seated { .. }, .. } => seated += 1,
            Input::Event { event: Event::RoundStarted { .. }, .. } => rounds += 1,
            _ => {}
        }
    }
    assert_eq!((states.last(), rounds), (Some(&SeatState::Seated), 1));
    assert!(seated >= 1 && states.len() <= 5, "{states:?}");
}

#[tokio::test(start_paused = true)]
async fn a_referee_that_does_not_read_stops_no_timer_and_is_left() {
    let options = SeatOptions { write_bytes_max: 1_000, ..SeatOptions::default() };
    let mut bench = Bench::with(options);
    let mut first = bench.accept().await;
    first.welcome().await;
    // More answers than the connection accepts; the referee reads none of them.
    let events = async {
        for step in 0.. {
            if first.writer.write_all(format!("ask {step} 10\n").as_bytes()).await.is_err() {
                break;
            }
            tokio::time::advance(Duration::from_millis(20)).await;
        }
    };
    let defaults = async {
        let mut defaults = 0_u32;
        loop {
            match bench.inbox.recv().await.unwrap() {
                Input::Event { event: Event::Defaulted { .. }, .. } => defaults += 1,
                Input::Seat { state: SeatState::Connecting { reason, .. }, .. }
                    if reason.contains("does not read") =>
                {
                    break defaults;
                }
                _ => {}
            }
        }
    };
    let ((), defaults) = tokio::join!(events, defaults);
    assert!(defaults > 1_000, "the timer stopped after {defaults} answers");
    let mut second = bench.accept().await;
    second.welcome().await;
}

#[tokio::test(start_paused = true)]
async fn a_connection_closed_in_mid_message_is_opened_again() {
    let mut bench = Bench::new();
    let mut first = bench.accept().await;
    first.welcome().await;
    first.say("ask 0 1000").await;
    bench.asked().await;
    first.writer.write_all(b"ask 1 10").await.unwrap();
    drop(first);
    let defaulted = bench.event().await;
    let Event::Defaulted { cause, .. } = defaulted else { panic!("{defaulted:?}") };
    assert_eq!(cause, DefaultCause::Disconnected);
    let mut second = bench.accept().await;
    second.welcome().await;
    second.say("ask 5 1000").await;
    assert_eq!(bench.asked().await, 5);
    bench.act(5, "dig").await;
    second.says("do 5 dig").await;
    assert_eq!(bench.link.status.borrow().connections, 2);
}

#[tokio::test(start_paused = true)]
async fn a_referee_that_comes_and_goes_is_met_each_time() {
    let mut bench = Bench::with(SeatOptions::default());
    for _ in 0..50 {
        let mut referee = bench.accept().await;
        referee.says("hello red0").await;
    }
    let mut referee = bench.accept().await;
    referee.welcome().await;
    bench.state(|state| *state == SeatState::Seated).await;
}

#[tokio::test(start_paused = true)]
async fn a_referee_that_seats_and_kicks_is_approached_ever_more_slowly() {
    let mut bench = Bench::with(SeatOptions::default());
    let start = now();
    for _ in 0..30 {
        let mut referee = bench.accept().await;
        referee.welcome().await;
        bench.state(|state| *state == SeatState::Seated).await;
    }
    let spent = now() - start;
    assert!(spent > Duration::from_secs(20), "{spent:?}");
    // After some time in a seat, a loss counts as the first again.
    let mut referee = bench.accept().await;
    referee.welcome().await;
    bench.state(|state| *state == SeatState::Seated).await;
    tokio::time::sleep(Duration::from_secs(60)).await;
    let lost = now();
    drop(referee);
    bench.accept().await;
    assert!(now() - lost <= BackoffOptions::default().first + Duration::from_millis(2));
}

#[tokio::test(start_paused = true)]
async fn a_referee_that_says_nothing_is_left_after_the_login_timeout() {
    let mut bench = Bench::new();
    let start = now();
    let mut silent = bench.accept().await;
    silent.says("hello red0").await;
    let SeatState::Connecting { reason, .. } = bench.state(is_retrying).await else { panic!() };
    assert!(reason.contains("did not accept the login within 10s"), "{reason}");
    assert!(now() - start >= SeatOptions::default().login_timeout);
    let mut talking = bench.accept().await;
    talking.welcome().await;
    bench.state(|state| *state == SeatState::Seated).await;
}

#[tokio::test(start_paused = true)]
async fn a_seated_agent_may_wait_for_hours() {
    let mut bench = Bench::new();
    let mut referee = bench.accept().await;
    referee.welcome().await;
    bench.state(|state| *state == SeatState::Seated).await;
    tokio::time::advance(Duration::from_secs(3 * 3_600)).await;
    referee.say("ask 0 1000").await;
    assert_eq!(bench.asked().await, 0);
    assert_eq!(bench.link.status.borrow().connections, 1);
}

#[tokio::test(start_paused = true)]
async fn a_refused_login_is_retried_slowly() {
    let mut bench = Bench::new();
    let mut referee = bench.accept().await;
    let start = now();
    referee.says("hello red0").await;
    referee.say("refuse password").await;
    let refused = bench.state(|state| matches!(state, SeatState::Refused { .. })).await;
    assert_eq!(refused, SeatState::Refused { reason: "password".into() });
    assert_eq!(referee.hear().await, None, "the seat hangs up");
    let mut again = bench.accept().await;
    assert!(now() - start >= BackoffOptions::default().refused / 2);
    again.welcome().await;
    bench.state(|state| *state == SeatState::Seated).await;
}

#[tokio::test(start_paused = true)]
async fn a_referee_that_refuses_and_welcomes_in_one_breath_is_left_all_the_same() {
    let mut bench = Bench::new();
    let mut referee = bench.accept().await;
    referee.says("hello red0").await;
    referee.say("refuse password\nwelcome").await;
    assert_eq!(referee.hear().await, None, "the seat hangs up");
    bench.accept().await.welcome().await;
    bench.state(|state| *state == SeatState::Seated).await;
}

#[tokio::test(start_paused = true)]
async fn a_mebibyte_of_garbage_costs_the_connection_only() {
    let bytes = |garbage: &[u8]| garbage.iter().copied().cycle().take(1 << 20).collect::<Vec<_>>();
    let every: Vec<u8> = (0..=255).collect();
    for garbage in [bytes(b"x"), bytes(b"\0"), bytes(&every), bytes(b"ask me\nover it")] {
        let mut bench = Bench::with(SeatOptions::default());
        let mut first = bench.accept().await;
        first.welcome().await;
        let throwing = tokio::spawn(async move {
            // The seat hangs up in the middle of it, or this end fails after it.
            first.writer.write_all(&garbage).await.ok();
            drop(first);
        });
        let mut malformed = 0;
        loop {
            match bench.inbox.recv().await.unwrap() {
                Input::Event { event: Event::Notice(Notice::Malformed(error)), .. } => {
                    assert!(error.got.chars().count() <= 81, "{error}");
                    malformed += 1;
                }
                Input::Seat { state, .. } if is_retrying(&state) => break,
                _ => {}
            }
        }
        assert!(malformed > 0);
        throwing.await.unwrap();
        let mut second = bench.accept().await;
        second.welcome().await;
        second.say("ask 0 1000").await;
        second.says("do 0 rest").await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_line_over_the_limit_reconnects_and_one_at_the_limit_does_not() {
    let mut bench = Bench::new();
    let mut referee = bench.accept().await;
    referee.welcome().await;
    referee.say(&"y".repeat(LINE_BYTES_MAX - 1)).await;
    referee.say("ask 0 1000").await;
    bench.asked().await;
    referee.writer.write_all(&vec![b'z'; LINE_BYTES_MAX + 1]).await.unwrap();
    bench.state(is_retrying).await;
}

#[tokio::test(start_paused = true)]
async fn a_panic_inside_the_session_costs_the_connection_only() {
    let mut bench = Bench::new();
    let mut first = bench.accept().await;
    first.welcome().await;
    first.say("ask 0 1000").await;
    bench.asked().await;
    first.say("boom").await;
    let gone = bench.event().await;
    let Event::Defaulted { cause, .. } = gone else { panic!("{gone:?}") };
    assert_eq!(cause, DefaultCause::Disconnected);
    let SeatState::Connecting { reason, .. } = bench.state(is_retrying).await else { panic!() };
    assert_eq!(reason, "the session panicked: boom was said");
    let mut second = bench.accept().await;
    second.welcome().await;
    second.say("ask 0 1000").await;
    second.says("do 0 rest").await;
}

#[tokio::test(start_paused = true)]
async fn a_vanished_team_leaves_a_seat_that_still_answers() {
    let mut bench = Bench::new();
    let mut referee = bench.accept().await;
    referee.welcome().await;
    bench.inbox.close();
    for step in 0..5 {
        referee.say(&format!("ask {step} 1000")).await;
        referee.says(&format!("do {step} rest")).await;
    }
}

#[tokio::test(start_paused = true)]
async fn leaving_answers_the_open_turn_says_goodbye_and_closes() {
    let mut bench = Bench::new();
    let mut referee = bench.accept().await;
    referee.welcome().await;
    referee.say("ask 0 1000").await;
    bench.asked().await;
    bench.leave.cancel();
    referee.says("do 0 rest").await;
    referee.says("bye").await;
    assert_eq!(referee.hear().await, None);
    drop(referee);
    bench.state(|state| *state == SeatState::Closed).await;
    bench.link.task.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn leaving_does_not_wait_for_a_referee_that_never_closes_nor_for_a_stuck_team() {
    let mut bench = Bench::with(SeatOptions::default());
    let mut referee = bench.accept().await;
    referee.welcome().await;
    bench.leave.cancel();
    bench.link.task.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_seat_that_never_got_through_leaves_at_once() {
    let mut bench = Bench::new();
    bench.listener = phalanx_net::memory().1;
    bench.state(is_retrying).await;
    bench.leave.cancel();
    bench.state(|state| *state == SeatState::Closed).await;
    bench.link.task.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn after_the_referees_goodbye_the_seat_stays_away() {
    let mut bench = Bench::new();
    let mut referee = bench.accept().await;
    referee.welcome().await;
    referee.say("over 7\nbye").await;
    drop(referee);
    bench.state(|state| *state == SeatState::Closed).await;
    bench.link.task.await.unwrap();
    assert!(bench.listener.accept().await.is_none());
}

#[tokio::test]
async fn over_tcp_a_reset_in_mid_message_is_survived() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let mut bench = Bench::at(Endpoint::tcp("127.0.0.1", port), SeatOptions::default());
    for _ in 0..3 {
        let (mut stream, _) = listener.accept().await.unwrap();
        stream.write_all(b"welcome\nstart\nask 0 60").await.unwrap();
        bench.state(|state| *state == SeatState::Seated).await;
        SockRef::from(&stream).set_linger(Some(Duration::ZERO)).unwrap();
        drop(stream);
        bench.state(is_retrying).await;
    }
    let (mut stream, _) = listener.accept().await.unwrap();
    stream.write_all(b"welcome\nstart\nask 7 60000\n").await.unwrap();
    assert_eq!(bench.asked().await, 7);
    assert_eq!(bench.link.status.borrow().connections, 4);
}

#[tokio::test]
async fn over_tcp_a_referee_that_starts_later_is_found() {
    // Bound and not listening: no other process can take the port meanwhile.
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    socket.bind(&SocketAddr::from(([127, 0, 0, 1], 0)).into()).unwrap();
    let address = socket.local_addr().unwrap().as_socket().unwrap();
    let endpoint = Endpoint::tcp("127.0.0.1", address.port());
    let mut bench = Bench::at(endpoint, SeatOptions::default());
    let SeatState::Connecting { reason, .. } = bench.state(is_retrying).await else { panic!() };
    assert!(reason.starts_with(&address.to_string()), "{reason}");
    socket.set_nonblocking(true).unwrap();
    socket.listen(8).unwrap();
    TcpListener::from_std(socket.into()).unwrap().accept().await.unwrap();
}

#[tokio::test]
async fn a_name_that_does_not_resolve_is_a_failure_like_any_other() {
    let mut bench = Bench::at(Endpoint::tcp("nowhere.invalid", 1), SeatOptions::default());
    let SeatState::Connecting { reason, .. } = bench.state(is_retrying).await else { panic!() };
    assert!(reason.starts_with("nowhere.invalid:1: "), "{reason}");
}
