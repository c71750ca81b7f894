//! The native queries on the world.

use super::TASK;
use phalanx_game::{Kind, QueryDoc};

pub(super) const QUERIES: &[QueryDoc] = &[QueryDoc {
    name: "tasks",
    doc: "Tasks that can still be delivered, the nearest deadline first.",
    params: &[],
    returns: Kind::List(&Kind::Table(TASK)),
}];
