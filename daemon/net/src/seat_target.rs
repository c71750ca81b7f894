//! The target of a team's seats: an address, or no connection for now.

use crate::Endpoint;
use crate::handed::HandedConnections;

/// The target that every seat of a team follows.
#[derive(Clone, Debug)]
pub(crate) struct SeatTarget {
    pub(crate) endpoint: Endpoint,
    /// The seats hang up and do not dial.
    pub(crate) stopped: bool,
    /// A seat that leaves puts its connection there; `None`: it logs out.
    pub(crate) connections: Option<HandedConnections>,
}
