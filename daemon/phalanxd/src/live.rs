//! The Foxglove view of the teams that play here, if it is enabled.
//!
//! ```text
//! team ──put──► Both ──► LiveFeed, for Foxglove clients
//!                └─────► the recording
//! ```

use anyhow::{Context, Result};
use phalanx_foxglove::{Foxglove, FoxgloveOptions};
use phalanx_games::TeamPlan;
use phalanx_metrics::{FoxgloveMetrics, FoxgloveSample, Metrics, MetricsSource};
use phalanx_net::{Appetite, Recorder, Taped, origin};
use phalanx_record::{LiveFeed, RecordingInfo};
use phalanx_settings::FoxgloveSettings;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tracing::warn;

/// The server's name in Foxglove.
const NAME: &str = concat!("phalanxd ", env!("CARGO_PKG_VERSION"));

/// A socket for Foxglove. Clones share it.
#[derive(Clone, Debug)]
pub struct Live {
    foxglove: Foxglove,
}

impl Live {
    /// Listens at the address of the settings; `None`: disabled. Must be called inside a tokio
    /// runtime.
    ///
    /// # Errors
    /// When the address is taken or not local.
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

    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.foxglove.address()
    }

    /// Collects its metrics from now on.
    pub fn tell(&self, metrics: Arc<Metrics>) {
        let figures = FoxgloveMetrics::new(Arc::clone(&metrics));
        metrics.ask(Box::new(Asked { foxglove: self.foxglove.clone(), figures }));
    }

    /// Shows the team of this plan, in addition to recording it.
    pub fn show(&self, plan: &mut TeamPlan, info: RecordingInfo) {
        let shown = match self.foxglove.begin(info) {
            Ok(shown) => shown,
            Err(error) => {
                let team = &plan.roster.team;
                warn!(team, %error, "cannot show the team to Foxglove");
                return;
            }
        };
        plan.recorder = Some(match plan.recorder.take() {
            Some(kept) => Arc::new(Both { shown, kept }),
            None => shown,
        });
    }

    /// Closes it; clients have at most `patience` to receive what waits for them.
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

    /// What is recorded does not depend on Foxglove clients.
    fn appetite(&self) -> Appetite {
        self.kept.appetite()
    }

    fn trouble(&self) -> Option<String> {
        self.kept.trouble()
    }
}

/// A socket whose metrics are collected.
#[derive(Debug)]
struct Asked {
    foxglove: Foxglove,
    figures: FoxgloveMetrics,
}

impl MetricsSource for Asked {
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
