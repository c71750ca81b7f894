//! The observers of a daemon's teams: recordings, and Foxglove.

use crate::live::Live;
use crate::recordings::{self, Begun, Recordings};
use anyhow::Result;
use phalanx_games::TeamPlan;
use phalanx_metrics::Metrics;
use phalanx_net::origin;
use phalanx_settings::Settings;
use std::sync::Arc;
use std::time::Duration;
use tracing::info;

/// The observers that the settings enable. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct TeamRecorders {
    /// `None`: recording is off.
    pub recordings: Option<Recordings>,
    /// `None`: Foxglove is off.
    pub live: Option<Live>,
}

impl TeamRecorders {
    /// Opens the folder of recordings and the Foxglove listener. Must be called inside a tokio
    /// runtime.
    ///
    /// # Errors
    /// When the address for Foxglove is taken or not local.
    pub async fn open(settings: &Arc<Settings>, metrics: Arc<Metrics>) -> Result<Self> {
        let live = Live::open(&settings.foxglove).await?;
        if let Some(live) = &live {
            info!(address = %live.address(), "Foxglove");
            live.tell(Arc::clone(&metrics));
        }
        let settings = Arc::clone(settings);
        let opened = tokio::task::spawn_blocking(move || Recordings::open(&settings, metrics));
        // An error means that the runtime ends.
        Ok(Self { recordings: opened.await.ok().flatten(), live })
    }

    /// Observes the team of this plan; `server` is the referee's address.
    #[must_use]
    pub fn begin(&self, plan: &mut TeamPlan, server: &str) -> Option<Begun> {
        let info = recordings::info(plan, server, origin());
        let recordings = self.recordings.as_ref();
        let begun = recordings.and_then(|all| all.begin(plan, info.clone()));
        self.live.iter().for_each(|live| live.show(plan, info.clone()));
        begun
    }

    /// Closes the Foxglove server; clients have at most `patience` to receive what waits for them.
    pub async fn close(&self, patience: Duration) {
        if let Some(live) = &self.live {
            live.close(patience).await;
        }
    }
}
