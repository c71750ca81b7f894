//! Who sees all that happens in the teams of a daemon: recordings, and Foxglove.

use crate::live::Live;
use crate::recordings::{self, Begun, Recordings};
use crate::wire::TeamPlan;
use anyhow::Result;
use phalanx_metrics::Metrics;
use phalanx_net::origin;
use phalanx_settings::Settings;
use std::sync::Arc;
use std::time::Duration;
use tracing::info;

/// Those that the settings want. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Witnesses {
    /// What is recorded; `None`: nothing.
    pub recordings: Option<Recordings>,
    /// What is shown; `None`: nothing.
    pub live: Option<Live>,
}

impl Witnesses {
    /// Looks through the folder of recordings, and listens. Must be called inside a tokio runtime.
    ///
    /// # Errors
    /// When the address for Foxglove is taken or not ours.
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

    /// The team of this plan will be seen; `server` is the referee's address.
    #[must_use]
    pub fn begin(&self, plan: &mut TeamPlan, server: &str) -> Option<Begun> {
        let info = recordings::info(plan, server, origin());
        let recordings = self.recordings.as_ref();
        let begun = recordings.and_then(|all| all.begin(plan, info.clone()));
        self.live.iter().for_each(|live| live.show(plan, info.clone()));
        begun
    }

    /// Those who look on get what waits for them, for so long at most.
    pub async fn say_goodbye(&self, patience: Duration) {
        if let Some(live) = &self.live {
            live.close(patience).await;
        }
    }
}
