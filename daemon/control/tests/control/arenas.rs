//! The service `Arenas` over a directory without real arenas.

use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use futures_util::{FutureExt, StreamExt, stream};
use phalanx_control::client::{Address, Link, connect};
use phalanx_control::{
    Access, ArenaAsk, ArenaBegin, ArenaDirectory, ArenaEvent, ArenaRefusal, ArenaSetup, ArenaState,
    ArenaStatus, ArenaView, ControlHandle, Options, Role, ServedTeam, Started, TeamDirectory,
    build,
};
use phalanx_game::{Body, ConnectionId, Part, Picture, Place, Score, Side, Turn, Verdict};
use phalanx_net::{ArenaTruth, HostEvent};
use phalanx_proto::v1;
use phalanx_proto::v1::arenas_client::ArenasClient;
use std::sync::{Arc, Mutex};
use std::time::SystemTime;
use tonic::{Code, Status};
use tonic_types::StatusExt;

/// An arena that has ended.
struct Past(ArenaStatus, Option<Arc<ArenaTruth>>);

impl ArenaView for Past {
    fn status(&self) -> ArenaStatus {
        self.0.clone()
    }

    fn truth(&self) -> BoxFuture<'static, Option<Arc<ArenaTruth>>> {
        std::future::ready(self.1.clone()).boxed()
    }

    fn events(&self) -> BoxStream<'static, ArenaEvent> {
        let (client, peer) = (ConnectionId(0), "127.0.0.1:9".into());
        let connected = ArenaEvent::Host(HostEvent::Connected { client, peer });
        let progress = ArenaEvent::Host(HostEvent::Progress(self.0.verdict.clone()));
        stream::iter([connected, progress, ArenaEvent::Ended(Box::new(self.0.clone()))]).boxed()
    }

    fn begin(&self) {}

    fn stop(&self) -> BoxFuture<'static, ()> {
        std::future::ready(()).boxed()
    }
}

#[derive(Clone, Default)]
struct Fake(Arc<Mutex<Vec<Arc<Past>>>>);

impl ArenaDirectory for Fake {
    fn arenas(&self) -> Vec<Arc<dyn ArenaView>> {
        let arenas = self.0.lock().unwrap();
        arenas.iter().map(|arena| Arc::clone(arena) as Arc<dyn ArenaView>).collect()
    }

    fn start(&self, ask: ArenaAsk, check: bool) -> BoxFuture<'static, Started> {
        let started = match ask.game.as_str() {
            "chess" => Err(ArenaRefusal::StartsPrograms),
            _ => Ok(Arc::new(past(&ask))),
        };
        if let (Ok(arena), false) = (&started, check) {
            self.0.lock().unwrap().push(Arc::clone(arena));
        }
        std::future::ready(started.map(|arena| arena as Arc<dyn ArenaView>)).boxed()
    }
}

fn past(ask: &ArenaAsk) -> Past {
    let truth = (ask.game != "dark").then(|| Arc::new(truth()));
    let status = ArenaStatus {
        name: ask.name.clone().unwrap_or_else(|| "x-1".into()),
        game: ask.game.clone(),
        variant: None,
        address: ask.listen,
        state: ArenaState::Over,
        verdict: Verdict {
            over: true,
            round: 1,
            step: 5,
            steps: 5,
            teams: vec![Score { rounds: vec![-3], ..Score::of("A") }],
        },
        clients: 1,
        sides: Vec::new(),
        summary: String::new(),
        by: ask.by.clone(),
        started: SystemTime::UNIX_EPOCH,
        ended: None,
        files: None,
        other_seeds: false,
    };
    Past(status, truth)
}

fn truth() -> ArenaTruth {
    let body = Body {
        name: "a1".into(),
        team: "A".into(),
        side: Side::Ours,
        place: Some(Place::Cell(1, 2)),
        alive: true,
        ..Body::default()
    };
    let picture = Picture::of(Part { bodies: vec![body], ..Part::default() });
    ArenaTruth { version: 3, at: Turn::new(1, 5), picture }
}

struct Directory(Option<Fake>);

impl TeamDirectory for Directory {
    fn teams(&self) -> Vec<Arc<ServedTeam>> {
        Vec::new()
    }

    fn arenas(&self) -> Option<Arc<dyn ArenaDirectory>> {
        self.0.clone().map(|fake| Arc::new(fake) as Arc<dyn ArenaDirectory>)
    }
}

async fn serve(role: Role, arenas: Option<Fake>) -> (ControlHandle, ArenasClient<Link>) {
    let options = Options { tcp: Some("127.0.0.1:0".parse().unwrap()), ..Options::default() };
    let access = Arc::new(Access::on_this_machine(role));
    let control = build(&options, Arc::new(Directory(arenas)), access).unwrap();
    let address: Address = control.tcp().unwrap().to_string().parse().unwrap();
    let handle = control.spawn();
    (handle, ArenasClient::new(connect(&address).await.unwrap()))
}

fn ask(game: &str) -> v1::StartArenaRequest {
    v1::StartArenaRequest { game: game.into(), ..Default::default() }
}

fn check(status: &Status, code: Code, reason: &str) {
    assert_eq!(status.code(), code, "{status:?}");
    let details = status.get_error_details();
    assert_eq!(details.error_info().unwrap().reason, reason);
}

#[tokio::test]
async fn only_an_admin_lets_other_machines_in() {
    let (_operators, mut operator) = serve(Role::Operator, Some(Fake::default())).await;
    let (_admins, mut admin) = serve(Role::Admin, Some(Fake::default())).await;
    for listen in ["0.0.0.0:0", "[::]:0", "192.0.2.1:12300"] {
        let wish = v1::StartArenaRequest { listen: listen.into(), ..ask("toy") };
        let refused = operator.start_arena(wish.clone()).await.unwrap_err();
        check(&refused, Code::PermissionDenied, "ADDRESS_NOT_LOCAL");
        admin.start_arena(wish).await.unwrap();
    }
    for listen in ["127.0.0.1:0", "[::1]:12300", "[::ffff:127.0.0.1]:0", ""] {
        operator
            .start_arena(v1::StartArenaRequest { listen: listen.into(), ..ask("toy") })
            .await
            .unwrap();
    }
    let (_viewers, mut viewer) = serve(Role::Viewer, Some(Fake::default())).await;
    let refused = viewer.start_arena(ask("toy")).await.unwrap_err();
    check(&refused, Code::PermissionDenied, "ROLE_TOO_SMALL");
}

#[tokio::test]
async fn a_wish_that_cannot_be_is_refused_by_field() {
    let (_server, mut client) = serve(Role::Admin, Some(Fake::default())).await;
    let long = "x".repeat(1 << 20);
    let file = |path: &str, bytes| v1::ArenaFile { path: path.into(), content: vec![0; bytes] };
    let files = |path: &str, files| v1::StartArenaRequest {
        setup: Some(v1::start_arena_request::Setup::Configuration(v1::ArenaConfiguration {
            path: path.into(),
            files,
        })),
        ..ask("toy")
    };
    let cases = [
        (v1::StartArenaRequest { arena_id: "a/b".into(), ..ask("toy") }, "NAME_MALFORMED"),
        (v1::StartArenaRequest { arena_id: "\0".into(), ..ask("toy") }, "NAME_MALFORMED"),
        (v1::StartArenaRequest { arena_id: long.clone(), ..ask("toy") }, "NAME_MALFORMED"),
        (ask(&long), "GAME_UNKNOWN"),
        (v1::StartArenaRequest { listen: "localhost".into(), ..ask("toy") }, "ADDRESS_MALFORMED"),
        (files("a", vec![]), "ARENA_REFUSED"),
        (files("a", vec![file("b", 1)]), "ARENA_REFUSED"),
        (files("a", vec![file("a", 1); 65]), "ARENA_REFUSED"),
        (files("a", vec![file("a", 600_000), file("b", 460_000)]), "ARENA_REFUSED"),
    ];
    for (wish, reason) in cases {
        check(&client.start_arena(wish).await.unwrap_err(), Code::InvalidArgument, reason);
    }
    let refused = client.start_arena(ask("chess")).await.unwrap_err();
    check(&refused, Code::FailedPrecondition, "ARENA_STARTS_PROGRAMS");
    for name in ["", "arenas/", "arenas/A", "teams/a", "arenas/a/b", "arenas/a\0"] {
        let asked = client.get_arena(v1::GetArenaRequest { name: name.into() }).await;
        check(&asked.unwrap_err(), Code::InvalidArgument, "NAME_MALFORMED");
    }
    let asked = client.get_arena(v1::GetArenaRequest { name: "arenas/nobody".into() }).await;
    check(&asked.unwrap_err(), Code::NotFound, "ARENA_NOT_FOUND");
    let listed = client.list_arenas(v1::ListArenasRequest::default()).await.unwrap();
    assert_eq!(listed.into_inner().arenas, [], "nothing was started");
}

#[tokio::test]
async fn what_happened_is_told_from_the_beginning_and_from_a_cursor() {
    let (_server, mut client) = serve(Role::Admin, Some(Fake::default())).await;
    let wish = v1::StartArenaRequest { validate_only: true, ..ask("toy") };
    client.start_arena(wish).await.unwrap();
    let missing = client
        .watch_arena(v1::WatchArenaRequest { name: "arenas/x-1".into(), ..Default::default() });
    check(&missing.await.unwrap_err(), Code::NotFound, "ARENA_NOT_FOUND");
    client.start_arena(ask("toy")).await.unwrap();
    let all = watch(&mut client, "").await.unwrap();
    assert_eq!(all.len(), 3);
    let first = all.first().unwrap();
    let rest = watch(&mut client, &first.cursor).await.unwrap();
    assert_eq!(rest.as_slice(), all.get(1..).unwrap());
    let Some(v1::arena_event::Kind::Verdict(verdict)) = &rest.first().unwrap().kind else {
        panic!("{rest:?}")
    };
    assert_eq!(verdict.scores.first().unwrap().rounds, [-3]);
    for cursor in ["x", "0000000000000000.0"] {
        assert!(watch(&mut client, cursor).await.is_err(), "{cursor}");
    }
    let ended =
        client.stop_arena(v1::StopArenaRequest { name: "arenas/x-1".into(), ..Default::default() });
    check(&ended.await.unwrap_err(), Code::FailedPrecondition, "ARENA_ENDED");
}

async fn watch(
    client: &mut ArenasClient<Link>,
    cursor: &str,
) -> Result<Vec<v1::ArenaEvent>, Status> {
    let request = v1::WatchArenaRequest { name: "arenas/x-1".into(), cursor: cursor.into() };
    let mut stream = client.watch_arena(request).await?.into_inner();
    let mut events = Vec::new();
    while let Some(answer) = stream.message().await? {
        events.push(answer.event.unwrap());
    }
    Ok(events)
}

#[tokio::test]
async fn a_viewer_sees_the_truth_and_gets_it_again_when_it_changed() {
    let arenas = Fake::default();
    for game in ["toy", "dark"] {
        let ask = ArenaAsk {
            name: Some(format!("{game}-1")),
            game: game.into(),
            setup: ArenaSetup::Variant { name: None, seed: 1, steps: None, worlds: None },
            listen: None,
            begin: ArenaBegin::Usual,
            pace: None,
            keep_files: false,
            by: "a test".into(),
        };
        arenas.0.lock().unwrap().push(Arc::new(past(&ask)));
    }
    let (_server, mut viewer) = serve(Role::Viewer, Some(arenas)).await;
    let ask =
        |name: &str, etag: &str| v1::GetArenaWorldRequest { name: name.into(), etag: etag.into() };
    let seen = viewer.get_arena_world(ask("arenas/toy-1", "")).await.unwrap().into_inner();
    let world = seen.world.unwrap();
    assert_eq!((world.team.as_str(), world.game.as_str()), ("", "toy"));
    assert_eq!(world.turn, Some(v1::Turn { round: 1, step: 5 }));
    let body = &world.parts[0].bodies[0];
    assert_eq!((body.name.as_str(), body.team.as_str()), ("a1", "A"));
    let again = viewer.get_arena_world(ask("arenas/toy-1", &seen.etag)).await.unwrap();
    let again = again.into_inner();
    assert_eq!((again.world, again.etag), (None, seen.etag));
    for (name, code, reason) in [
        ("arenas/dark-1", Code::FailedPrecondition, "ARENA_UNSEEN"),
        ("arenas/none-1", Code::NotFound, "ARENA_NOT_FOUND"),
        ("toy-1", Code::InvalidArgument, "NAME_MALFORMED"),
    ] {
        let refused = viewer.get_arena_world(ask(name, "")).await.unwrap_err();
        check(&refused, code, reason);
    }
}

#[tokio::test]
async fn a_program_without_arenas_says_so() {
    let (_server, mut client) = serve(Role::Admin, None).await;
    let listed = client.list_arenas(v1::ListArenasRequest::default()).await;
    check(&listed.unwrap_err(), Code::FailedPrecondition, "NO_ARENAS");
}
