//! The keys of `[foxglove]`.

use super::{KeyDoc, Kind, MIB, key};

const KIB: u64 = 1 << 10;

pub(super) const LISTEN: KeyDoc = key(
    "foxglove.listen",
    Kind::AddressOrOff,
    Some("off"),
    "\"127.0.0.1:8765\"",
    "TCP address where Foxglove, and what else speaks its WebSocket protocol, sees what recordings \
     have while it happens, or \"off\". It has no logins: whoever reaches it sees everything, but \
     no passwords, and can change nothing. Port 0 takes a free one.",
);
pub(super) const ALLOW_REMOTE: KeyDoc = key(
    "foxglove.allow_remote",
    Kind::Word(&["on", "off"]),
    Some("off"),
    "\"on\"",
    "on: foxglove.listen may be an address that other machines reach. off: only loopback \
     addresses are accepted.",
);
pub(super) const ORIGINS: KeyDoc = key(
    "foxglove.origins",
    Kind::Origins,
    None,
    "[\"https://app.foxglove.dev\"]",
    "Web pages of these origins may look. Without it: only those of this machine (localhost). \
     Programs that name no origin always may.",
);
pub(super) const CLIENTS_MAX: KeyDoc = key(
    "foxglove.clients_max",
    Kind::Whole(1, 1_000),
    Some("8"),
    "8",
    "So many clients at most; further ones are refused.",
);
pub(super) const QUEUE_SIZE: KeyDoc = key(
    "foxglove.queue_size",
    Kind::Size(64 * KIB, 1024 * MIB),
    Some("16MiB"),
    "\"16MiB\"",
    "Memory for what waits for a client that reads too slowly. Where it is full the oldest \
     messages are left out, which the client is told; no team waits.",
);
