//! The service `Worlds`.

mod follow;
mod stream;

use crate::convert::world::{self, Wanted};
use crate::error::{Reason, RpcResult, refuse_field};
use crate::shares::{StreamHolder, StreamSlots};
use crate::{TeamDirectory, caller, teams, wait};
use follow::WorldFollowers;
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use phalanx_engine::DrawWorld;
use phalanx_proto::v1;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tonic::{Request, Response, Status};

/// Default number of worlds per second of a stream.
const RATE_DEFAULT: f64 = 2.0;
/// Most names of layers in a request.
const LAYERS_MAX: usize = 64;

/// Reads the worlds of teams.
pub(crate) struct WorldsService {
    directory: Arc<dyn TeamDirectory>,
    followers: WorldFollowers,
    /// A slot for each open stream.
    streams: Arc<StreamSlots>,
    closing: watch::Receiver<bool>,
}

#[tonic::async_trait]
impl v1::worlds_server::Worlds for WorldsService {
    type WatchWorldStream = BoxStream<'static, Result<v1::WatchWorldResponse, Status>>;

    async fn get_world(
        &self,
        request: Request<v1::GetWorldRequest>,
    ) -> RpcResult<v1::GetWorldResponse> {
        let patience = caller::patience(request.metadata());
        let request = request.into_inner();
        let team = teams::find(self.directory.as_ref(), "team", &request.team)?;
        let wanted = wanted(request.layers)?;
        let drawn = team.call(DrawWorld, String::new());
        let drawing = wait::answer(&self.closing, patience, drawn).await??;
        let world = Some(world::whole(team.as_ref(), &drawing, &wanted));
        Ok(Response::new(v1::GetWorldResponse { world }))
    }

    async fn watch_world(
        &self,
        request: Request<v1::WatchWorldRequest>,
    ) -> RpcResult<Self::WatchWorldStream> {
        let holder = StreamHolder::of(&request);
        let request = request.into_inner();
        let team = teams::find(self.directory.as_ref(), "team", &request.team)?;
        let (wanted, every) = (wanted(request.layers)?, interval(request.rate_max)?);
        let lease = self.streams.open(holder)?;
        let feed = self.followers.feed(&team);
        let viewer = stream::Viewer { team, feed, wanted, every };
        let worlds = stream::worlds(viewer, self.closing.clone()).boxed();
        Ok(Response::new(lease.watch(worlds).boxed()))
    }
}

impl WorldsService {
    pub(crate) fn new(
        directory: Arc<dyn TeamDirectory>,
        streams: Arc<StreamSlots>,
        closing: watch::Receiver<bool>,
    ) -> Self {
        Self { directory, followers: WorldFollowers::default(), streams, closing }
    }
}

fn wanted(layers: Vec<String>) -> Result<Wanted, Status> {
    if layers.len() > LAYERS_MAX {
        let expected = format!("at most {LAYERS_MAX} names");
        return Err(refuse_field(Reason::NameMalformed, "layers", &expected));
    }
    Ok(Wanted::new(layers))
}

/// The shortest time between two worlds.
fn interval(rate_max: f64) -> Result<Duration, Status> {
    let fastest = 1.0 / follow::PAUSE.as_secs_f64();
    let rate = if rate_max == 0.0 { RATE_DEFAULT } else { rate_max };
    let malformed = || {
        let expected = format!("0 or more and at most {fastest:.0} worlds a second");
        refuse_field(Reason::RateMalformed, "rate_max", &expected)
    };
    // A tiny rate would give a wait that is longer than a clock can count.
    let every = Duration::try_from_secs_f64(1.0 / rate).map_err(|_| malformed())?;
    if rate > 0.0 && rate <= fastest { Ok(every) } else { Err(malformed()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_rate_is_an_interval_or_refused() {
        for (rate, expected) in [(0.0, 500), (2.0, 500), (10.0, 100), (0.1, 10_000)] {
            assert_eq!(interval(rate).unwrap(), Duration::from_millis(expected), "{rate}");
        }
        for bad in [-1.0, 10.1, f64::NAN, f64::INFINITY, f64::MIN_POSITIVE, -0.1] {
            assert!(interval(bad).is_err(), "{bad}");
        }
    }
}
