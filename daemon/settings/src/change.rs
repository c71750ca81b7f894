//! What becomes of a key's new value in a daemon that runs.

use Change::{Live, Restart};

/// What becomes of a key's new value when a running daemon reads its settings again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It counts from then on.
    Live,
    /// It is refused: it needs a restart, because of this.
    Restart(&'static str),
}

/// Where the daemon keeps things cannot move under it.
const OPEN: &str = "is opened when the daemon starts";
const BOUND: &str = "is bound when the daemon starts";
const KEPT: &str = "is what each team's thread was made with";
const RECORDED: &str = "is what each team's recorder was made with";
const MADE: &str = "is a team that begins or ends with the daemon";
const SEATS: &str = "is held by each open connection";
const SCRIPTS: &str = "is given to a team's scripts when the team is made";
const TEAM: &str = "is what the team was made with; another name makes another team";
const ACCOUNT: &str =
    "is held by the agent's connection; take the agent out, reload, and put it in again";

/// The decision for each key, in the order of the keys.
const DECISIONS: &[(&str, Change)] = &[
    ("state_dir", Restart(OPEN)),
    ("control.socket", Restart(BOUND)),
    ("control.socket_mode", Restart(BOUND)),
    ("control.socket_group", Restart(BOUND)),
    ("control.tcp", Restart(BOUND)),
    ("control.loopback_role", Restart("is fixed for the callers who are connected")),
    ("control.tokens", Restart(OPEN)),
    ("control.origins", Restart(BOUND)),
    ("control.hosts", Restart(BOUND)),
    ("control.move_hosts", Live),
    ("control.metrics_open", Restart(BOUND)),
    ("control.page", Restart(BOUND)),
    ("control.stay", Restart("is decided when the daemon starts")),
    ("control.tls.certificate", Restart("is looked for in the same file; exchange the file")),
    ("control.tls.key", Restart("is looked for in the same file; exchange the file")),
    ("control.tls.client_ca", Restart("is looked for in the same file; exchange the file")),
    ("bridge.socket", Restart(BOUND)),
    ("bridge.socket_mode", Restart(BOUND)),
    ("limits.decide_max", Live),
    ("limits.plan_max", Live),
    ("limits.straggler_share", Live),
    ("limits.straggler_max", Live),
    ("limits.margin_min", Restart(SEATS)),
    ("limits.margin_max", Restart(SEATS)),
    ("limits.script_memory", Restart(SCRIPTS)),
    ("limits.connect_timeout", Restart(SEATS)),
    ("limits.login_timeout", Restart(SEATS)),
    ("limits.reconnect_min", Restart(SEATS)),
    ("limits.reconnect_max", Restart(SEATS)),
    ("limits.reconnect_refused", Restart(SEATS)),
    ("limits.drain_max", Live),
    ("reload.watch", Live),
    ("reload.settle", Live),
    ("reload.poll", Live),
    ("reload.keep", Live),
    ("reload.trial_max", Live),
    ("reload.rehearsal_turns", Live),
    ("reload.probation_decisions", Live),
    ("reload.probation_errors", Live),
    ("checkpoints.write", Restart(KEPT)),
    ("checkpoints.interval", Restart(KEPT)),
    ("checkpoints.sync_every", Restart(KEPT)),
    ("checkpoints.age_max", Restart("counts when the daemon starts")),
    ("checkpoints.hand_over", Restart(KEPT)),
    ("recordings.mode", Restart(RECORDED)),
    ("recordings.folder", Restart(OPEN)),
    ("recordings.part_size", Restart(RECORDED)),
    ("recordings.flush_every", Restart(RECORDED)),
    ("recordings.sync", Restart(RECORDED)),
    ("recordings.queue_entries", Restart(RECORDED)),
    ("recordings.queue_size", Restart(RECORDED)),
    ("recordings.retry_after", Restart(RECORDED)),
    ("recordings.keep_size", Live),
    ("recordings.keep_age", Live),
    ("recordings.flight_size", Restart(RECORDED)),
    ("recordings.flight_pause", Live),
    ("foxglove.listen", Restart(BOUND)),
    ("foxglove.allow_remote", Restart(BOUND)),
    ("foxglove.origins", Restart(BOUND)),
    ("foxglove.clients_max", Restart(BOUND)),
    ("foxglove.queue_size", Restart("is what each connection was made with")),
    ("alerts.silent_turns", Live),
    ("alerts.stuck_turns", Live),
    ("alerts.margin_share", Live),
    ("alerts.storm_errors", Live),
    ("alerts.storm_turns", Live),
    ("log.filter", Live),
    ("log.format", Restart("is chosen when the log begins")),
    ("log.lines_max", Restart("is chosen when the log begins")),
    ("otel.endpoint", Restart("is connected to when the daemon starts")),
    ("teams[].name", Restart(MADE)),
    ("teams[].game", Restart(TEAM)),
    ("teams[].server", Live),
    ("teams[].matches", Restart(MADE)),
    ("teams[].strategy", Live),
    ("teams[].agents", Live),
    ("teams[].role", Live),
    ("teams[].roles", Live),
    ("teams[].password", Restart(ACCOUNT)),
    ("teams[].password_file", Restart(ACCOUNT)),
    ("teams[].password_credential", Restart(ACCOUNT)),
    ("teams[].seed", Restart(TEAM)),
    ("teams[].deadline", Restart(SEATS)),
    ("teams[].options", Restart(TEAM)),
    ("teams[].agents.prefix", Live),
    ("teams[].agents.count", Live),
    ("teams[].agents.first", Live),
    ("teams[].agents.password", Restart(ACCOUNT)),
    ("teams[].agents.password_file", Restart(ACCOUNT)),
    ("teams[].agents.password_credential", Restart(ACCOUNT)),
    ("teams[].agents[].name", Live),
    ("teams[].agents[].user", Restart(ACCOUNT)),
    ("teams[].agents[].role", Live),
    ("teams[].agents[].password", Restart(ACCOUNT)),
    ("teams[].agents[].password_file", Restart(ACCOUNT)),
    ("teams[].agents[].password_credential", Restart(ACCOUNT)),
    ("teams[].roles[].role", Live),
    ("teams[].roles[].count", Live),
];

/// What becomes of a new value of the key of that path; `None` for what is no key.
#[must_use]
pub fn change(path: &str) -> Option<Change> {
    DECISIONS.iter().find(|(known, _)| *known == path).map(|(_, change)| *change)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::KEYS;

    #[test]
    fn every_key_has_one_decision_and_nothing_else_has_one() {
        let keys: Vec<&str> = KEYS.iter().map(|doc| doc.path).collect();
        let decided: Vec<&str> = DECISIONS.iter().map(|(path, _)| *path).collect();
        assert_eq!(decided, keys, "decide in change.rs what a reload does with a new key");
    }
}
