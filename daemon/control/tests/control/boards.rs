//! Boards over a real server: read, written, followed; and what is refused.

use crate::support::fake::{Daemon, FakeTeam};
use phalanx_control::Options;
use phalanx_control::client::Link;
use phalanx_engine::CommandError;
use phalanx_game::Value;
use phalanx_proto::v1;
use phalanx_proto::v1::boards_client::BoardsClient;
use phalanx_proto::v1::watch_board_response::News;
use prost_types::value::Kind;
use std::sync::Arc;
use std::time::Duration;
use tonic::{Code, Status, Streaming};
use tonic_types::StatusExt;

struct Stage {
    daemon: Daemon,
    team: Arc<FakeTeam>,
    client: BoardsClient<Link>,
}

impl Stage {
    async fn start() -> Self {
        Self::start_with(Options::default()).await
    }

    async fn start_with(options: Options) -> Self {
        let daemon = Daemon::start_with(&["A"], options);
        let team = Arc::clone(daemon.teams.first().unwrap());
        let client = BoardsClient::new(daemon.channel().await);
        Self { daemon, team, client }
    }

    async fn get(&mut self, name: &str) -> Result<v1::BoardEntry, Status> {
        let request = v1::GetEntryRequest { name: name.to_owned() };
        Ok(self.client.get_entry(request).await?.into_inner().entry.unwrap())
    }

    async fn set(&mut self, request: v1::SetEntryRequest) -> Result<v1::SetEntryResponse, Status> {
        Ok(self.client.set_entry(request).await?.into_inner())
    }

    async fn watch(
        &mut self,
        prefix: &str,
        cursor: &str,
    ) -> Result<Streaming<v1::WatchBoardResponse>, Status> {
        let team = "teams/A".to_owned();
        let (prefix, cursor) = (prefix.to_owned(), cursor.to_owned());
        let request = v1::WatchBoardRequest { team, prefix, cursor };
        Ok(self.client.watch_board(request).await?.into_inner())
    }
}

fn num(num: f64) -> prost_types::Value {
    prost_types::Value { kind: Some(Kind::NumberValue(num)) }
}

fn setting(name: &str, value: prost_types::Value) -> v1::SetEntryRequest {
    v1::SetEntryRequest { name: name.into(), value: Some(value), ..Default::default() }
}

fn reason(status: &Status) -> String {
    status.get_details_error_info().map(|info| info.reason).unwrap_or_default()
}

/// The next message in short: `goal=3`, `-goal`, `synced 2`.
async fn news(stream: &mut Streaming<v1::WatchBoardResponse>) -> Result<(String, String), Status> {
    let message = stream.message().await?.unwrap();
    let told = match message.news.unwrap() {
        News::Entry(entry) => match entry.value.and_then(|value| value.kind) {
            Some(Kind::NumberValue(num)) => format!("{}={num}", entry.key),
            other => format!("{}={other:?} {}", entry.key, entry.claim_holder),
        },
        News::Deleted(name) => format!("-{name}"),
        News::Synced(synced) => format!("synced {}", synced.entries),
    };
    Ok((told, message.cursor))
}

#[tokio::test]
async fn what_is_written_is_read_with_its_author_its_turn_and_its_end() {
    let mut stage = Stage::start().await;
    stage.team.scribbles(|board| {
        board.set("seen/1", Value::map([("x", Value::Int(3))]), "A1", None).unwrap();
        board.claim("seen/1", "A2", None).unwrap();
    });
    let entry = stage.get("teams/A/board/seen%2F1").await.unwrap();
    assert_eq!((entry.key.as_str(), entry.author.as_str()), ("seen/1", "A1"));
    assert_eq!((entry.turn.unwrap().step, entry.claim_holder.as_str()), (1, "A2"));
    let mut request = setting("teams/A/board/goal", num(7.0));
    request.turns = Some(2);
    let written = stage.set(request).await.unwrap().entry.unwrap();
    assert_eq!(written.name, "teams/A/board/goal");
    assert!(!written.author.is_empty(), "the caller");
    assert_eq!(stage.get(&written.name).await.unwrap(), written);
    stage.team.scribbles(|_| ());
    assert_eq!(stage.get(&written.name).await.unwrap().turns_left, Some(1));
    stage.team.scribbles(|_| ());
    let gone = stage.get(&written.name).await.unwrap_err();
    assert_eq!((gone.code(), reason(&gone).as_str()), (Code::NotFound, "BOARD_KEY_NOT_FOUND"));
}

#[tokio::test]
async fn a_list_comes_in_pages_and_by_prefix() {
    let mut stage = Stage::start().await;
    stage.team.scribbles(|board| {
        for key in ["b/3", "a", "b/1", "b/2", "c"] {
            board.set(key, Value::Int(1), "A1", None).unwrap();
        }
    });
    let (mut keys, mut page_token) = (Vec::new(), String::new());
    loop {
        let (parent, prefix) = ("teams/A".to_owned(), "b/".to_owned());
        let request = v1::ListEntriesRequest { parent, page_size: 2, page_token, prefix };
        let page = stage.client.list_entries(request).await.unwrap().into_inner();
        assert!(page.entries.len() <= 2);
        keys.extend(page.entries.into_iter().map(|entry| entry.key));
        page_token = page.next_page_token;
        if page_token.is_empty() {
            break;
        }
    }
    assert_eq!(keys, ["b/1", "b/2", "b/3"]);
}

#[tokio::test]
async fn a_stale_etag_writes_and_deletes_nothing() {
    let mut stage = Stage::start().await;
    let name = "teams/A/board/goal";
    let first = stage.set(setting(name, num(1.0))).await.unwrap().entry.unwrap();
    let second = stage.set(setting(name, num(2.0))).await.unwrap().entry.unwrap();
    let stale = v1::SetEntryRequest { etag: first.etag.clone(), ..setting(name, num(3.0)) };
    let refused = stage.set(stale).await.unwrap_err();
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::Aborted, "ETAG_MISMATCH"));
    let metadata = refused.get_details_error_info().unwrap().metadata;
    assert_eq!(metadata.get("etag"), Some(&second.etag));
    let delete = |etag: &str, validate_only| v1::DeleteEntryRequest {
        name: name.into(),
        etag: etag.to_owned(),
        validate_only,
        ..Default::default()
    };
    let refused = stage.client.delete_entry(delete(&first.etag, false)).await.unwrap_err();
    assert_eq!(reason(&refused), "ETAG_MISMATCH");
    stage.client.delete_entry(delete(&second.etag, true)).await.unwrap();
    assert_eq!(stage.get(name).await.unwrap().etag, second.etag, "only checked");
    stage.client.delete_entry(delete(&second.etag, false)).await.unwrap();
    let gone = stage.client.delete_entry(delete("", false)).await.unwrap_err();
    assert_eq!(reason(&gone), "BOARD_KEY_NOT_FOUND");
}

#[tokio::test]
async fn what_does_not_fit_is_refused_by_what_is_wrong() {
    let mut stage = Stage::start().await;
    let text = |count| prost_types::Value { kind: Some(Kind::StringValue("x".repeat(count))) };
    let null = prost_types::Value { kind: Some(Kind::NullValue(0)) };
    let long = format!("teams/A/board/{}", "k".repeat(201));
    let too_long = format!("teams/A/board/{}", "k".repeat(5_000));
    let turns =
        |turns| v1::SetEntryRequest { turns: Some(turns), ..setting("teams/A/board/k", num(1.0)) };
    for (request, expected) in [
        (setting(&long, num(1.0)), "BOARD_KEY_TOO_LONG"),
        (setting(&too_long, num(1.0)), "NAME_MALFORMED"),
        (setting("teams/A/board/", num(1.0)), "NAME_MALFORMED"),
        (setting("teams/A/board/a/b", num(1.0)), "NAME_MALFORMED"),
        (setting("teams/A/board/a\0", num(1.0)), "NAME_MALFORMED"),
        (setting("teams/A/board/%F", num(1.0)), "NAME_MALFORMED"),
        (setting("teams/B/board/k", num(1.0)), "TEAM_NOT_FOUND"),
        (setting("teams/A/board/k", text(70_000)), "BOARD_VALUE_TOO_LARGE"),
        (setting("teams/A/board/k", null), "BOARD_VALUE"),
        (setting("teams/A/board/k", num(f64::NAN)), "BOARD_VALUE"),
        (turns(0), "TURNS_MALFORMED"),
        (turns(u64::MAX), "TURNS_MALFORMED"),
    ] {
        let refused = stage.set(request).await.unwrap_err();
        assert_eq!(reason(&refused), expected, "{refused}");
    }
    let huge = stage.set(setting("teams/A/board/k", text(2 << 20))).await.unwrap_err();
    assert_eq!(huge.code(), Code::OutOfRange, "{huge}");
    stage.team.refuses(CommandError::busy());
    let busy = stage.set(setting("teams/A/board/k", num(1.0))).await.unwrap_err();
    assert_eq!((busy.code(), reason(&busy).as_str()), (Code::Unavailable, "TEAM_BUSY"));
}

#[tokio::test]
async fn whoever_follows_sees_the_board_then_each_change() {
    let mut stage = Stage::start().await;
    stage.team.scribbles(|board| {
        board.set("b/1", Value::Int(1), "A1", None).unwrap();
        board.set("a", Value::Int(1), "A1", None).unwrap();
    });
    let mut all = stage.watch("", "").await.unwrap();
    let mut some = stage.watch("b/", "").await.unwrap();
    for expected in ["a=1", "b/1=1", "synced 2"] {
        assert_eq!(news(&mut all).await.unwrap().0, expected);
    }
    for expected in ["b/1=1", "synced 1"] {
        assert_eq!(news(&mut some).await.unwrap().0, expected);
    }
    stage.team.scribbles(|board| {
        board.set("a", Value::Int(2), "A1", None).unwrap();
        board.set("b/1", Value::Nil, "A1", None).unwrap();
    });
    let (told, cursor) = news(&mut all).await.unwrap();
    assert_eq!(told, "a=2");
    let mut resumed = stage.watch("", &cursor).await.unwrap();
    for stream in [&mut all, &mut some, &mut resumed] {
        assert_eq!(news(stream).await.unwrap().0, "-teams/A/board/b%2F1");
    }
    stage.set(setting("teams/A/board/b%2F2", num(5.0))).await.unwrap();
    for stream in [&mut all, &mut some, &mut resumed] {
        assert_eq!(news(stream).await.unwrap().0, "b/2=5");
    }
}

#[tokio::test]
async fn a_follower_that_does_not_read_loses_its_stream_and_nobody_else_does() {
    let mut stage = Stage::start_with(Options { events_max: 20, ..Options::default() }).await;
    let mut lazy = stage.watch("", "").await.unwrap();
    let mut eager = stage.watch("", "").await.unwrap();
    assert_eq!(news(&mut eager).await.unwrap().0, "synced 0");
    let first = news(&mut lazy).await.unwrap().1;
    // More than the windows of HTTP/2 and the socket's buffers hold for a client that does not
    // read.
    let long = Value::text("x".repeat(4_000));
    for number in 0..4_000 {
        stage.team.scribbles(|board| {
            board.set(&format!("k{}", number % 50), long.clone(), "A1", None).unwrap();
        });
        news(&mut eager).await.unwrap();
    }
    let status = loop {
        if let Err(status) = news(&mut lazy).await {
            break status;
        }
    };
    assert_eq!(
        (status.code(), reason(&status).as_str()),
        (Code::ResourceExhausted, "CLIENT_TOO_SLOW")
    );
    let expired = stage.watch("", &first).await.unwrap_err();
    assert_eq!(reason(&expired), "CURSOR_EXPIRED");
    for bad in ["x", ".", "0.0", "\0", &"9".repeat(1_000)] {
        assert_eq!(reason(&stage.watch("", bad).await.unwrap_err()), "CURSOR_MALFORMED", "{bad}");
    }
}

#[tokio::test]
async fn streams_of_boards_are_counted_and_end_with_the_daemon() {
    let mut stage = Stage::start_with(Options { streams_max: 1, ..Options::default() }).await;
    let mut held = stage.watch("", "").await.unwrap();
    let refused = stage.watch("", "").await.unwrap_err();
    assert_eq!(reason(&refused), "TOO_MANY_STREAMS");
    assert_eq!(news(&mut held).await.unwrap().0, "synced 0");
    let stop = tokio::spawn(stage.daemon.handle.stop(Duration::from_secs(20)));
    assert_eq!(reason(&news(&mut held).await.unwrap_err()), "SHUTTING_DOWN");
    drop((held, stage.client));
    assert!(stop.await.unwrap());
}

#[tokio::test]
async fn a_request_that_is_sent_again_writes_once() {
    let mut stage = Stage::start().await;
    let name = "teams/A/board/goal";
    let request = v1::SetEntryRequest { request_id: "r1".into(), ..setting(name, num(1.0)) };
    let first = stage.set(request.clone()).await.unwrap();
    stage.team.scribbles(|board| board.set("goal", Value::Int(9), "A1", None).unwrap());
    assert_eq!(stage.set(request.clone()).await.unwrap(), first);
    let kept = stage.get(name).await.unwrap().value.unwrap().kind;
    assert_eq!(kept, Some(Kind::NumberValue(9.0)), "it was not written again");
    let other = v1::SetEntryRequest { turns: Some(3), ..request };
    assert_eq!(reason(&stage.set(other).await.unwrap_err()), "REQUEST_ID_REUSED");
}
