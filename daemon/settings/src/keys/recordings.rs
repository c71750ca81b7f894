//! The keys of `[recordings]`.

use super::{KeyDoc, Kind, MIB, MINUTE, key};

const GIB: u64 = 1 << 30;
const TIB: u64 = 1 << 40;
const DAY: u64 = 24 * 60 * MINUTE;

pub(super) const MODE: KeyDoc = key(
    "recordings.mode",
    Kind::Word(&["file", "flight", "off"]),
    Some("file"),
    "\"flight\"",
    "file: all that happens in each team is written to a file, from which its decisions can be \
     computed again. flight: only the last of it is kept, in memory, and written when something \
     goes wrong: an alert, a turn without an answer, a seat that loses its referee, a team's \
     thread that fails; or by `phalanx recording dump`. off: neither.",
);
pub(super) const FOLDER: KeyDoc = key(
    "recordings.folder",
    Kind::Path,
    None,
    "\"/var/lib/phalanx/recordings\"",
    "Folder of the recordings. Without it: recordings in state_dir; without that nothing is \
     recorded.",
);
pub(super) const PART_SIZE: KeyDoc = key(
    "recordings.part_size",
    Kind::Size(MIB, TIB),
    Some("1GiB"),
    "\"256MiB\"",
    "From this size on a recording goes on in another file.",
);
pub(super) const FLUSH_EVERY: KeyDoc = key(
    "recordings.flush_every",
    Kind::Duration(100, MINUTE),
    Some("2s"),
    "\"2s\"",
    "Longest time until something is in the file: what a crash can cost of a recording. Longer \
     times make smaller files.",
);
pub(super) const SYNC: KeyDoc = key(
    "recordings.sync",
    Kind::Word(&["on", "off"]),
    Some("off"),
    "\"on\"",
    "on: each piece is forced onto the disk, for the case that the whole machine fails.",
);
pub(super) const QUEUE_ENTRIES: KeyDoc = key(
    "recordings.queue_entries",
    Kind::Whole(256, 1_000_000),
    Some("16384"),
    "16384",
    "So many things of a team wait for a slow disk at most. What finds no room is left out: \
     pictures, board and percepts first, bytes and decisions last.",
);
pub(super) const QUEUE_SIZE: KeyDoc = key(
    "recordings.queue_size",
    Kind::Size(MIB, 4 * GIB),
    Some("32MiB"),
    "\"32MiB\"",
    "Memory for what waits so, of each team.",
);
pub(super) const RETRY_AFTER: KeyDoc = key(
    "recordings.retry_after",
    Kind::Duration(100, 60 * MINUTE),
    Some("10s"),
    "\"10s\"",
    "After trouble with the disk it is tried again so much later.",
);
pub(super) const KEEP_SIZE: KeyDoc = key(
    "recordings.keep_size",
    Kind::Size(MIB, 1024 * TIB),
    Some("20GiB"),
    "\"20GiB\"",
    "The oldest recordings are deleted until all together have this size, those of matches that are \
     being played included: at the start, while a match is recorded, and after it. One that is being \
     written is never deleted.",
);
pub(super) const KEEP_AGE: KeyDoc = key(
    "recordings.keep_age",
    Kind::Duration(MINUTE, 3650 * DAY),
    Some("30days"),
    "\"30days\"",
    "Recordings that were written last longer ago than this are deleted then, too.",
);
pub(super) const FLIGHT_SIZE: KeyDoc = key(
    "recordings.flight_size",
    Kind::Size(MIB, 4 * GIB),
    Some("32MiB"),
    "\"32MiB\"",
    "With mode flight: memory for the last of what happened, of each team.",
);
pub(super) const FLIGHT_PAUSE: KeyDoc = key(
    "recordings.flight_pause",
    Kind::Duration(1_000, DAY),
    Some("1m"),
    "\"1m\"",
    "With mode flight: shortest time between two files of a team that trouble writes.",
);
