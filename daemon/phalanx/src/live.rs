//! What Foxglove sees of the teams that play here, where somebody wants that.
//!
//! ```text
//! team ──put──► Both ──► LiveFeed, for those who look on
//!                └─────► what is recorded
//! ```

use crate::wire::TeamPlan;
use anyhow::{Context, Result};
use phalanx_foxglove::{Foxglove, FoxgloveOptions};
use phalanx_metrics::{FoxgloveMetrics, FoxgloveSample, Metrics, Source};
use phalanx_net::{Appetite, Recorder, Taped, origin};
use phalanx_record::{LiveFeed, RecordingInfo};
use phalanx_settings::FoxgloveSettings;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tracing::warn;

/// What clients are told that we are.
const NAME: &str = concat!("phalanxd ", env!("CARGO_PKG_VERSION"));

/// A socket for Foxglove. Clones share it.
#[derive(Clone, Debug)]
pub struct Live {
    foxglove: Foxglove,
}

impl Live {
    /// Listens where the settings say; `None`: nowhere. Must be called inside a tokio runtime.
    ///
    /// # Errors
    /// When the address is taken or not ours.
    pub async fn open(settings: &FoxgloveSettings) -> Result<Option<Self>> {
        let Some(address) = settings.listen else { return Ok(None) };
        let options = FoxgloveOptions {
            address,
            origins: settings.origins.clone(),
            clients_max: settings.clients_max,
            queue_bytes_max: settings.queue_size,
            name: NAME.to_owned(),
            session: origin().unix_ms.to_string(),
        };
        let opened = Foxglove::open(options).await;
        let foxglove = opened.with_context(|| {
            format!("cannot listen for Foxglove at {address}: choose another address")
        })?;
        Ok(Some(Self { foxglove }))
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.foxglove.address()
    }

    /// Its figures are asked for from now on.
    pub fn tell(&self, metrics: Arc<Metrics>) {
        let figures = FoxgloveMetrics::new(Arc::clone(&metrics));
        metrics.ask(Box::new(Asked { foxglove: self.foxglove.clone(), figures }));
    }

    /// The team of this plan will be shown, beside whatever records it.
    pub fn show(&self, plan: &mut TeamPlan, info: RecordingInfo) {
        let shown = match self.foxglove.begin(info) {
            Ok(shown) => shown,
            Err(error) => {
                let team = &plan.roster.team;
                warn!(team, %error, "the team is not shown to Foxglove");
                return;
            }
        };
        plan.recorder = Some(match plan.recorder.take() {
            Some(kept) => Arc::new(Both { shown, kept }),
            None => shown,
        });
    }

    /// Ends it: clients get what waits for them, for so long at most.
    pub async fn close(&self, patience: Duration) {
        self.foxglove.close(patience).await;
    }
}

/// A team that is shown and recorded.
#[derive(Debug)]
struct Both {
    shown: Arc<LiveFeed>,
    kept: Arc<dyn Recorder>,
}

impl Recorder for Both {
    fn put(&self, at: Instant, what: Taped) {
        self.shown.see(at, &what);
        self.kept.put(at, what);
    }

    /// What is recorded does not depend on who looks on.
    fn appetite(&self) -> Appetite {
        self.kept.appetite()
    }
}

/// A socket that is asked for its figures.
#[derive(Debug)]
struct Asked {
    foxglove: Foxglove,
    figures: FoxgloveMetrics,
}

impl Source for Asked {
    fn sample(&mut self) -> bool {
        let status = self.foxglove.status();
        self.figures.sample(&FoxgloveSample {
            clients: status.clients,
            messages: status.messages,
            bytes: status.bytes,
            lost: status.lost,
            foreign: status.foreign,
            too_many: status.too_many,
            strangers: status.strangers,
        });
        true
    }
}
