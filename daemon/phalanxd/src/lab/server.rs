//! The ladders that a server keeps.

use super::Shared;
use super::ladders::ShownLadder;
use phalanx_game::sorted::SortedMap;
use phalanx_queue::{FoundLogs, LogServer, QueueAddress, QueueError};
use phalanx_settings::LabSettings;
use std::sync::Arc;
use std::time::Duration;
use tracing::warn;

/// What is before the name of a ladder of the server, as in `phalanx ladder`.
pub(super) const ON_SERVER: &str = "kv:";
/// How often the server is asked for news.
const LOOK: Duration = Duration::from_secs(2);
/// Pause after it did not answer.
const PAUSE: Duration = Duration::from_secs(5);
/// Reads of one ladder before the next one has its turn.
const READS_MAX: usize = 4;

/// The server of the settings.
pub(super) fn address(settings: &LabSettings) -> Option<QueueAddress> {
    Some(QueueAddress {
        url: settings.nats.clone()?,
        user: settings.nats_user.clone().zip(settings.nats_password_file.clone()),
        ca: settings.nats_ca.clone(),
        certificate: settings.nats_certificate.clone().zip(settings.nats_key.clone()),
    })
}

/// What reads the server. It waits for it on a thread of its own, and holds no lock meanwhile.
pub(super) struct ServerReader {
    address: QueueAddress,
    /// `None` before it answered, and after an error.
    server: Option<LogServer>,
    /// The numbers of the next entries.
    next: SortedMap<String, u64>,
    /// The store and its revision that were read completely.
    store: String,
    revision: Option<u64>,
}

impl ServerReader {
    pub(super) fn new(address: QueueAddress) -> Self {
        let (next, store) = (SortedMap::new(), String::new());
        Self { address, server: None, next, store, revision: None }
    }

    /// Reads what is new; returns the pause before the next time. Blocks.
    pub(super) fn look(&mut self, shared: &Shared) -> Duration {
        let (trouble, pause) = match self.news(shared) {
            Ok(()) => (String::new(), LOOK),
            Err(why) => {
                // A new connection says why there is none.
                self.server = None;
                (why.to_string(), PAUSE)
            }
        };
        if let Some(server) = &mut shared.state().server
            && server.trouble != trouble
        {
            if !trouble.is_empty() {
                warn!(%trouble, "cannot read the ladders of the server");
            }
            server.trouble = trouble;
        }
        pause
    }

    fn news(&mut self, shared: &Shared) -> Result<(), QueueError> {
        let server = match self.server.take() {
            Some(server) => server,
            None => LogServer::open(&self.address, "phalanxd lab")?,
        };
        let server = self.server.insert(server);
        let found = server.look()?;
        if found.store != self.store {
            // The store was made anew: its logs begin again.
            self.next.clear();
            self.revision = None;
            self.store.clone_from(&found.store);
            shared.state().ladders.retain(|_, ladder| !ladder.is_on_server());
        }
        self.next.retain(|name, _| found.names.contains(name));
        let kept = |id: &str| id.strip_prefix(ON_SERVER).is_some_and(|id| found.names.contains(id));
        shared.state().ladders.retain(|id, ladder| !ladder.is_on_server() || kept(id));
        self.read_all(&found, shared)
    }

    fn read_all(&mut self, found: &FoundLogs, shared: &Shared) -> Result<(), QueueError> {
        let Some(server) = &self.server else { return Ok(()) };
        let fresh = self.revision != Some(found.revision);
        let mut complete = true;
        for name in &found.names {
            let id = format!("{ON_SERVER}{name}");
            let new = || Arc::new(ShownLadder::on_server(&id));
            let ladder = shared.state().ladders.entry(id.clone()).or_insert_with(new).clone();
            if fresh {
                let next = self.next.entry(name.clone()).or_default();
                complete &= read_ladder(server, name, next, &ladder)?;
            }
            let led = found.led.contains(name);
            ladder.set_player(if led { server.leader(name)? } else { None });
        }
        if complete {
            self.revision = Some(found.revision);
        }
        Ok(())
    }
}

/// Reads one ladder; returns whether nothing is left to read.
fn read_ladder(
    server: &LogServer,
    name: &str,
    next: &mut u64,
    ladder: &ShownLadder,
) -> Result<bool, QueueError> {
    for _ in 0..READS_MAX {
        let lines = server.read(name, next)?;
        if lines.is_empty() {
            return Ok(true);
        }
        ladder.add(&lines);
    }
    Ok(false)
}
