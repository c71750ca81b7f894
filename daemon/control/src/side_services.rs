//! The services for what a daemon does besides its teams: arenas, leagues, the lab.

use crate::TeamDirectory;
use crate::arenas::{self, ArenaLogs, ArenasService};
use crate::changes::Changes;
use crate::lab::LabService;
use crate::leagues::{LeagueLogs, LeaguesService};
use crate::tail::Tails;
use phalanx_proto::v1::arenas_server::ArenasServer;
use phalanx_proto::v1::lab_server::LabServer;
use phalanx_proto::v1::leagues_server::LeaguesServer;
use std::sync::Arc;
use tonic::service::Routes;

/// Largest request about a league, in bytes: 32 players with the longest paths.
const LEAGUE_BYTES_MAX: usize = 256 * 1024;
/// Largest request about the lab, in bytes.
const LAB_BYTES_MAX: usize = 64 * 1024;

/// Adds the services.
pub(crate) fn add_side_services(
    routes: Routes,
    directory: &Arc<dyn TeamDirectory>,
    tails: &Tails,
    changes: &Changes,
    events_max: usize,
) -> Routes {
    let arenas = ArenasService {
        directory: Arc::clone(directory),
        tails: tails.clone(),
        logs: Arc::new(ArenaLogs::new(events_max)),
        changes: changes.clone(),
    };
    let leagues = LeaguesService {
        directory: Arc::clone(directory),
        tails: tails.clone(),
        logs: Arc::new(LeagueLogs::new(events_max)),
        changes: changes.clone(),
    };
    let lab = LabService::new(Arc::clone(directory));
    routes
        .add_service(ArenasServer::new(arenas).max_decoding_message_size(arenas::UPLOAD_BYTES_MAX))
        .add_service(LeaguesServer::new(leagues).max_decoding_message_size(LEAGUE_BYTES_MAX))
        .add_service(LabServer::new(lab).max_decoding_message_size(LAB_BYTES_MAX))
}
