//! Follows the selected team with several streams. A stream that breaks is opened again; the stream
//! of events continues where it broke.

use super::cockpit::Heard;
use super::margin::Histogram;
use crate::remote::oldest;
use phalanx_control::client::{Link, explain, figures, is_gone, reason};
use phalanx_proto::v1::matches_client::MatchesClient;
use phalanx_proto::v1::teams_client::TeamsClient;
use phalanx_proto::v1::worlds_client::WorldsClient;
use phalanx_proto::v1::{GetTeamRequest, WatchMatchRequest, WatchWorldRequest, World, WorldPart};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::time::{sleep, timeout};
use tonic::{Code, Status, Streaming};

/// The connection in use; it is replaced when the daemon stops answering on it.
pub(super) type Links = watch::Receiver<Link>;

/// Delay before a broken stream is opened again; after a refusal the delay is longer.
const AGAIN: Duration = Duration::from_millis(500);
const AGAIN_REFUSED: Duration = Duration::from_secs(5);
/// Interval at which the team is fetched: as fast as a person reads.
const TEAM_EVERY: Duration = Duration::from_millis(500);
/// Interval at which the metrics are fetched.
const MARGINS_EVERY: Duration = Duration::from_secs(2);
/// Worlds per second, at most.
const WORLDS_MAX: f64 = 4.0;
/// Timeout of an answer.
const ANSWER_MAX: Duration = Duration::from_secs(5);

/// A cursor that every daemon refuses with the oldest event that it keeps.
const UNKNOWN: &str = "0000000000000000.0";

/// The receiver is gone.
struct Deaf;

/// Follows the team's events, every decision included, from the oldest one that the daemon keeps.
pub(super) async fn events(mut links: Links, team: String, heard: mpsc::Sender<Heard>) {
    let mut cursor = UNKNOWN.to_owned();
    loop {
        let link = links.borrow_and_update().clone();
        let request =
            WatchMatchRequest { team: team.clone(), cursor: cursor.clone(), decisions: true };
        let mut matches = MatchesClient::new(link);
        let broke = read(matches.watch_match(request), &mut links, &heard, |answer| {
            let event = answer.event?;
            cursor.clone_from(&event.cursor);
            Some(Heard::Event(team.clone(), Box::new(event)))
        });
        let Ok(broke) = broke.await else { return };
        if let Some(oldest) = broke.as_ref().and_then(oldest) {
            let begins = cursor == UNKNOWN;
            cursor = oldest;
            if begins {
                continue;
            }
            if tell(&heard, Heard::Missing(team.clone())).await.is_err() {
                return;
            }
        }
        if rest(broke, &heard).await.is_err() {
            return;
        }
    }
}

/// Follows the team's world; passes on complete worlds.
pub(super) async fn worlds(mut links: Links, team: String, heard: mpsc::Sender<Heard>) {
    loop {
        let link = links.borrow_and_update().clone();
        let request =
            WatchWorldRequest { team: team.clone(), layers: Vec::new(), rate_max: WORLDS_MAX };
        let mut client = WorldsClient::new(link);
        let mut before = Arc::new(World::default());
        let broke = read(client.watch_world(request), &mut links, &heard, |answer| {
            let mut world = answer.world?;
            complete(&mut world, &before);
            before = Arc::new(world);
            Some(Heard::World(Arc::clone(&before)))
        });
        let Ok(broke) = broke.await else { return };
        if rest(broke, &heard).await.is_err() {
            return;
        }
    }
}

/// Fetches the team with its agents repeatedly.
pub(super) async fn team(links: Links, team: String, heard: mpsc::Sender<Heard>) {
    loop {
        let link = links.borrow().clone();
        let request = GetTeamRequest { name: team.clone() };
        let asked = timeout(ANSWER_MAX, TeamsClient::new(link).get_team(request)).await;
        // The task that lists the teams reports errors.
        if let Ok(Ok(answer)) = asked
            && let Some(team) = answer.into_inner().team
            && tell(&heard, Heard::Team(Box::new(team))).await.is_err()
        {
            return;
        }
        sleep(TEAM_EVERY).await;
    }
}

/// Fetches how much time was left for answers, if the daemon serves metrics.
pub(super) async fn margins(links: Links, team: String, heard: mpsc::Sender<Heard>) {
    let name = crate::remote::short(&team).to_owned();
    loop {
        let link = links.borrow().clone();
        if let Ok(Ok(text)) = timeout(ANSWER_MAX, figures(&link)).await {
            let look = Histogram::read(&text, &name);
            if tell(&heard, Heard::Margin(team.clone(), look)).await.is_err() {
                return;
            }
        }
        sleep(MARGINS_EVERY).await;
    }
}

async fn tell(heard: &mpsc::Sender<Heard>, what: Heard) -> Result<(), Deaf> {
    heard.send(what).await.map_err(|_| Deaf)
}

/// Opens a stream and passes on its messages until it breaks, ends, or another connection is in
/// use; returns why it broke.
async fn read<T>(
    open: impl Future<Output = Result<tonic::Response<Streaming<T>>, Status>>,
    links: &mut Links,
    heard: &mpsc::Sender<Heard>,
    mut take: impl FnMut(T) -> Option<Heard>,
) -> Result<Option<Status>, Deaf> {
    // On a dead connection the stream would never open.
    let opened = tokio::select! {
        opened = open => opened,
        _ = links.changed() => return Ok(None),
    };
    let mut stream = match opened {
        Ok(answer) => answer.into_inner(),
        Err(status) => return Ok(Some(status)),
    };
    loop {
        let message = tokio::select! {
            message = stream.message() => message,
            _ = links.changed() => return Ok(None),
        };
        match message {
            Ok(Some(message)) => {
                if let Some(what) = take(message) {
                    tell(heard, what).await?;
                }
            }
            Ok(None) => return Ok(None),
            Err(status) => return Ok(Some(status)),
        }
    }
}

/// Reports why a stream broke if the user can do something about it, and waits before the next
/// attempt.
async fn rest(broke: Option<Status>, heard: &mpsc::Sender<Heard>) -> Result<(), Deaf> {
    let Some(status) = broke else {
        sleep(AGAIN).await;
        return Ok(());
    };
    if is_gone(&status) {
        tell(heard, Heard::Lost(explain(&status))).await?;
    }
    let is_no = matches!(status.code(), Code::PermissionDenied | Code::Unauthenticated);
    if is_no || is_crowded(&status) {
        tell(heard, Heard::Refused(explain(&status))).await?;
        sleep(AGAIN_REFUSED).await;
    } else {
        sleep(AGAIN).await;
    }
    Ok(())
}

fn has_reason(status: &Status, names: &[&str]) -> bool {
    reason(status).is_some_and(|(reason, _)| names.contains(&reason.as_str()))
}

fn is_crowded(status: &Status) -> bool {
    has_reason(status, &["TOO_MANY_STREAMS"])
}

/// Fills in the parts that have not changed since the previous world.
fn complete(world: &mut World, before: &World) {
    for part in &mut world.parts {
        if let Some(old) = before.parts.iter().find(|old| old.name == part.name) {
            complete_part(part, old);
        }
    }
}

fn complete_part(part: &mut WorldPart, before: &WorldPart) {
    let is_same = |name: &str| part.unchanged.iter().any(|same| same == name);
    if is_same("nodes") {
        part.nodes.clone_from(&before.nodes);
    }
    if is_same("edges") {
        part.edges.clone_from(&before.edges);
    }
    let mut fresh = std::mem::take(&mut part.layers);
    // The game defines the order of the layers: the old ones keep their places.
    let mut layers: Vec<_> = before
        .layers
        .iter()
        .filter_map(|old| match fresh.iter().position(|layer| layer.name == old.name) {
            Some(at) => Some(fresh.remove(at)),
            None => part.unchanged.contains(&old.name).then(|| old.clone()),
        })
        .collect();
    layers.append(&mut fresh);
    part.layers = layers;
    part.unchanged.clear();
}

#[cfg(test)]
mod tests {
    use super::*;
    use phalanx_control::client::Credentials;
    use phalanx_proto::v1::{WatchWorldResponse, WorldLayer, WorldNode};
    use tonic::service::interceptor::InterceptedService;
    use tonic::transport::Endpoint;

    fn layer(name: &str, cells: &[u8]) -> WorldLayer {
        WorldLayer { name: name.into(), cells: cells.to_vec(), ..WorldLayer::default() }
    }

    fn world(layers: Vec<WorldLayer>, nodes: usize, unchanged: &[&str]) -> World {
        let part = WorldPart {
            name: "map".into(),
            layers,
            nodes: vec![WorldNode::default(); nodes],
            unchanged: unchanged.iter().map(|name| (*name).to_owned()).collect(),
            ..WorldPart::default()
        };
        World { parts: vec![part], ..World::default() }
    }

    /// A connection that is never opened.
    fn link() -> Link {
        let channel = Endpoint::from_static("http://127.0.0.1:1").connect_lazy();
        InterceptedService::new(channel, Credentials::default())
    }

    #[tokio::test]
    async fn a_stream_that_does_not_open_ends_with_its_connection() {
        let (renew, mut links) = watch::channel(link());
        let (heard, _hears) = mpsc::channel(1);
        let broke = read(
            std::future::pending::<Result<tonic::Response<Streaming<WatchWorldResponse>>, _>>(),
            &mut links,
            &heard,
            |_| None,
        );
        let (broke, _) = tokio::join!(broke, async { renew.send_replace(link()) });
        assert!(matches!(broke, Ok(None)));
    }

    #[test]
    fn what_did_not_change_is_as_it_was_and_stays_in_its_place() {
        let first = world(vec![layer("ground", &[1]), layer("danger", &[2])], 3, &[]);
        let mut next = world(vec![layer("danger", &[9])], 0, &["ground", "nodes", "edges"]);
        complete(&mut next, &first);
        let part = &next.parts[0];
        let cells: Vec<_> = part.layers.iter().map(|layer| layer.cells.as_slice()).collect();
        assert_eq!((cells, part.nodes.len()), (vec![&[1][..], &[9][..]], 3));
        // A layer that is neither sent nor marked as unchanged is gone; a new one comes last.
        let mut last = world(vec![layer("risk", &[4])], 0, &["ground"]);
        complete(&mut last, &next);
        let names: Vec<_> = last.parts[0].layers.iter().map(|layer| layer.name.as_str()).collect();
        assert_eq!((names, last.parts[0].nodes.len()), (vec!["ground", "risk"], 0));
    }
}
