//! Worlds over a real server: drawn, filtered, and followed by their changes.

use crate::support::fake::{Daemon, FakeTeam};
use phalanx_control::Options;
use phalanx_control::client::Link;
use phalanx_engine::{CommandError, DebugMark, Drawing};
use phalanx_game::{
    AgentId, Area, Body, Layer, Part, Picture, PictureEdge, PictureNode, Place, SEEN_NEVER, Scale,
    Shape, Side, Spot, Tone, Turn, Value,
};
use phalanx_proto::v1;
use phalanx_proto::v1::worlds_client::WorldsClient;
use std::sync::Arc;
use std::time::Duration;
use tonic::{Code, Status, Streaming};
use tonic_types::StatusExt;

struct Stage {
    daemon: Daemon,
    team: Arc<FakeTeam>,
    client: WorldsClient<Link>,
}

impl Stage {
    async fn start(options: Options) -> Self {
        let daemon = Daemon::start_with(&["A"], options);
        let team = Arc::clone(daemon.teams.first().unwrap());
        let client = WorldsClient::new(daemon.channel().await);
        let stage = Self { daemon, team, client };
        stage.draws(1, 1);
        stage
    }

    /// The team draws this from now on; then a turn passes.
    fn draws(&self, step: u32, wall: u8) {
        self.team.draws(drawing(step, wall));
        self.team.scribbles(|_| ());
    }

    async fn get(&mut self, layers: &[&str]) -> Result<v1::World, Status> {
        let request = v1::GetWorldRequest { team: "teams/A".into(), layers: names(layers) };
        Ok(self.client.get_world(request).await?.into_inner().world.unwrap())
    }

    async fn watch(
        &mut self,
        layers: &[&str],
        rate_max: f64,
    ) -> Result<Streaming<v1::WatchWorldResponse>, Status> {
        let (team, layers) = ("teams/A".into(), names(layers));
        let request = v1::WatchWorldRequest { team, layers, rate_max };
        Ok(self.client.watch_world(request).await?.into_inner())
    }
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// A map with two layers, one of which never changes, and one of every other kind.
fn drawing(step: u32, wall: u8) -> Drawing {
    let area = Area::new(-1, 2, 2, 1);
    let mut ground = Layer::new("ground", area)
        .with_seen()
        .with_legend(&[(1, "free", '.', Tone::Ground), (2, "wall", '#', Tone::Obstacle)]);
    ground.set(-1, 2, wall);
    ground.saw(-1, 2, 7);
    let scale = Scale { from: 0.0, to: 1.0, unit: "probability", tone: Tone::Danger };
    let place = Some(Place::Cell(-1, 2));
    let part = Part {
        name: "map".into(),
        shape: Shape::Grid { width: Some(70), height: None, up: false },
        layers: vec![ground, Layer::new("danger", area).with_scale(scale)],
        spots: vec![Spot {
            place: Place::Cell(0, 2),
            kind: "dispenser".into(),
            label: "b1".into(),
            value: Some(2.5),
            tone: Tone::Resource,
        }],
        nodes: vec![PictureNode {
            name: "v1".into(),
            value: Some(3),
            owner: Side::Ours,
            zone: Side::Theirs,
        }],
        edges: vec![PictureEdge { a: 0, b: 0, weight: Some(4) }],
        bodies: vec![
            Body {
                agent: Some(AgentId(1)),
                side: Side::Ours,
                place,
                carried: vec![(0, 1, "b1".into())],
                alive: true,
                ..Body::default()
            },
            Body { name: "x9".into(), side: Side::Theirs, ..Body::default() },
        ],
        facts: vec![("step".into(), step.to_string())],
    };
    let args = vec![Value::cell(1, 2), "red".into()];
    Drawing {
        turn: Turn::new(0, step),
        tick: u64::from(step),
        roles: vec!["worker".into(), "scout".into()],
        picture: Picture::of(part),
        marks: vec![DebugMark { agent: Some(AgentId(0)), shape: "cell".into(), args }],
    }
}

fn reason(status: &Status) -> String {
    status.get_details_error_info().map(|info| info.reason).unwrap_or_default()
}

/// The names of a message's layers, and of those that it omits.
fn layers(world: &v1::World) -> (Vec<&str>, Vec<&str>) {
    let part = &world.parts[0];
    let sent = part.layers.iter().map(|layer| layer.name.as_str()).collect();
    (sent, part.unchanged.iter().map(String::as_str).collect())
}

async fn next(stream: &mut Streaming<v1::WatchWorldResponse>) -> Result<v1::World, Status> {
    Ok(stream.message().await?.unwrap().world.unwrap())
}

#[tokio::test]
async fn a_world_arrives_as_it_is_drawn() {
    let mut stage = Stage::start(Options::default()).await;
    let world = stage.get(&[]).await.unwrap();
    assert_eq!(layers(&world), (vec!["ground", "danger"], vec![]));
    insta::assert_debug_snapshot!(world);
    assert_eq!(SEEN_NEVER.wrapping_add(1), 0, "never is 0 on the wire");
}

#[tokio::test]
async fn only_the_layers_that_are_wanted_arrive() {
    let mut stage = Stage::start(Options::default()).await;
    let world = stage.get(&["danger", "bodies", "moon"]).await.unwrap();
    let part = &world.parts[0];
    assert_eq!(layers(&world), (vec!["danger"], vec![]));
    assert_eq!((part.bodies.len(), part.spots.len(), part.nodes.len()), (2, 0, 0));
    assert_eq!((part.facts.len(), world.marks.len()), (1, 0));
    let names: Vec<String> = (0..65).map(|number| format!("layer {number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    assert_eq!(reason(&stage.get(&names).await.unwrap_err()), "NAME_MALFORMED");
}

#[tokio::test]
async fn whoever_follows_gets_the_whole_world_and_then_what_changes() {
    let mut stage = Stage::start(Options::default()).await;
    let mut stream = stage.watch(&[], 10.0).await.unwrap();
    let first = next(&mut stream).await.unwrap();
    assert_eq!(layers(&first), (vec!["ground", "danger"], vec![]));
    stage.draws(2, 2);
    let second = next(&mut stream).await.unwrap();
    assert_eq!(layers(&second), (vec!["ground"], vec!["danger", "nodes", "edges"]));
    assert_eq!((second.tick, second.parts[0].bodies.len()), (2, 2));
    // A later client begins with the whole current world.
    let mut later = stage.watch(&["ground"], 10.0).await.unwrap();
    let world = next(&mut later).await.unwrap();
    assert_eq!((layers(&world), world.tick), ((vec!["ground"], vec![]), 2));
}

#[tokio::test]
async fn a_slow_client_misses_worlds_but_not_the_newest() {
    let mut stage = Stage::start(Options::default()).await;
    let mut eager = stage.watch(&[], 10.0).await.unwrap();
    let mut slow = stage.watch(&[], 10.0).await.unwrap();
    assert_eq!(next(&mut slow).await.unwrap().tick, 1);
    next(&mut eager).await.unwrap();
    for step in 2..8 {
        stage.draws(step, 1);
        while next(&mut eager).await.unwrap().tick < u64::from(step) {}
    }
    let mut seen = 0;
    while next(&mut slow).await.unwrap().tick < 7 {
        seen += 1;
    }
    assert!(seen <= 5, "{seen}");
}

#[tokio::test]
async fn wrong_rates_too_many_streams_and_teams_without_answer_are_refused() {
    let mut stage = Stage::start(Options { streams_max: 1, ..Options::default() }).await;
    for rate in [-1.0, 11.0, f64::NAN] {
        assert_eq!(reason(&stage.watch(&[], rate).await.unwrap_err()), "RATE_MALFORMED");
    }
    let mut held = stage.watch(&[], 0.0).await.unwrap();
    assert_eq!(reason(&stage.watch(&[], 0.0).await.unwrap_err()), "TOO_MANY_STREAMS");
    next(&mut held).await.unwrap();
    stage.team.refuses(CommandError::Ended);
    let ended = stage.get(&[]).await.unwrap_err();
    assert_eq!((ended.code(), reason(&ended).as_str()), (Code::Unavailable, "TEAM_ENDED"));
    stage.draws(2, 1);
    assert_eq!(reason(&next(&mut held).await.unwrap_err()), "TEAM_ENDED");
    let missing = v1::GetWorldRequest { team: "teams/B".into(), layers: Vec::new() };
    assert_eq!(reason(&stage.client.get_world(missing).await.unwrap_err()), "TEAM_NOT_FOUND");
}

#[tokio::test]
async fn a_stopping_daemon_ends_the_views_of_its_worlds() {
    let mut stage = Stage::start(Options::default()).await;
    let mut stream = stage.watch(&[], 10.0).await.unwrap();
    next(&mut stream).await.unwrap();
    let stop = tokio::spawn(stage.daemon.handle.stop(Duration::from_secs(20)));
    assert_eq!(reason(&next(&mut stream).await.unwrap_err()), "SHUTTING_DOWN");
    drop((stream, stage.client));
    assert!(stop.await.unwrap());
}
