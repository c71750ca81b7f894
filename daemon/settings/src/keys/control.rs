//! Keys of `[control]`: the mode of its socket, and which hosts are meant.

use super::{KeyDoc, Kind, key};

pub(super) const SOCKET_MODE: KeyDoc = key(
    "control.socket_mode",
    Kind::Mode,
    Some("0660"),
    "\"0660\"",
    "Permission bits of the socket, as octal digits in quotes.",
);
pub(super) const HOSTS: KeyDoc = key(
    "control.hosts",
    Kind::Hosts,
    None,
    "[\"phalanx.lan\"]",
    "Names by which callers may address control.tcp where it has no TLS, besides localhost and IP \
     addresses. Requests that name another host get no answer: a web page could have led its own \
     name here (DNS rebinding).",
);
pub(super) const MOVE_HOSTS: KeyDoc = key(
    "control.move_hosts",
    Kind::Hosts,
    None,
    "[\"10.0.0.5\", \"*.contest.example:12300\"]",
    "Referees to which operators may move teams (`phalanx team move`), besides the address in the \
     team's own settings: the agents' passwords are sent there. Admins may move teams anywhere. \
     Without a port: every port. A name allows that name, not its address; `*.` allows every name \
     below it.",
);
