//! Advice by the reason that the daemon gave.

use phalanx_control::client::ClientError;

/// Reasons and advice.
const ADVICE: &[(&str, &str)] = &[
    (
        "TOKEN_MISSING",
        "pass one with --token-file FILE, PHALANX_TOKEN or a context; an admin creates it with \
         `phalanx token create NAME --role viewer`",
    ),
    (
        "TOKEN_MALFORMED",
        "the file of --token-file must contain what `phalanx token create` printed, and nothing else",
    ),
    (
        "TOKEN_UNKNOWN",
        "is it for another daemon? An admin creates one for this daemon: `phalanx token create NAME`",
    ),
    ("TOKEN_EXPIRED", "an admin creates a new one with `phalanx token create NAME --life 7days`"),
    ("TOKEN_REVOKED", "an admin creates a new one with `phalanx token create NAME`"),
    (
        "ROLE_TOO_SMALL",
        "`phalanx token whoami` shows your role; an admin can create a token with more rights: \
         `phalanx token create NAME --role operator`",
    ),
    ("TOO_MANY_FAILURES", "wait a minute, and check that the token is the right one"),
    ("TOKEN_NOT_FOUND", "`phalanx token list` shows the ids"),
    ("TOO_MANY_TOKENS", "`phalanx token revoke ID` removes one that is not needed"),
    ("TOKENS_NOT_WRITTEN", "check the daemon's log, and the free space in its state folder"),
    ("TEAM_NOT_FOUND", "`phalanx team list` shows all teams"),
    ("AGENT_NOT_FOUND", "`phalanx team show TEAM` shows its agents"),
    ("ROLE_NOT_FOUND", "a role is a file of the strategy's folder, without its ending"),
    ("NO_STRATEGY", "give the team one with `phalanx strategy activate TEAM DIR`"),
    ("GENERATION_NOT_FOUND", "`phalanx strategy history TEAM` shows those that are kept"),
    ("GENERATION_PINNED", "`phalanx strategy unpin TEAM` lets others play again"),
    ("NOTHING_TO_ROLL_BACK", "`phalanx strategy history TEAM` shows the generations"),
    ("NO_FOLDER", "name one: `phalanx strategy activate TEAM DIR`"),
    ("STRATEGY_STALE", "it was changed meanwhile: check `phalanx strategy show TEAM` first"),
    (
        "STRATEGY_REFUSED",
        "nothing has changed; correct what is listed, and try it without playing: `phalanx strategy \
         check DIR --team TEAM`",
    ),
    ("PARAM_NOT_FOUND", "`phalanx param list TEAM` shows the parameters"),
    ("PARAM_VALUE", "`phalanx param list TEAM` shows what each accepts"),
    ("BOARD_KEY_NOT_FOUND", "`phalanx board list TEAM` shows the keys"),
    ("BOARD_FULL", "delete some with `phalanx board delete`, or write with --turns"),
    ("TEAM_BUSY", "try again in a moment"),
    ("TEAM_STUCK", "its seats send fallbacks; restart the daemon to end its threads"),
    (
        "TEAM_ENDED",
        "`phalanx team show TEAM` shows how it ended; to play again, delete and create the team, or \
         restart the daemon",
    ),
    ("TEAM_LEAVING", "it is still changing; `phalanx team show TEAM` shows when it is done"),
    (
        "SERVER_NOT_ALLOWED",
        "the agents' passwords would go there: let an admin move the team, or add the server to \
         control.move_hosts in the daemon's settings and `phalanx daemon reload`",
    ),
    ("TEAM_EXISTS", "take another name, or `phalanx team delete` the old one first"),
    ("TEAM_PLAYS", "`phalanx team drain TEAM` first, or delete it with --force"),
    ("TEAMS_FIXED", "a demo has exactly two teams; use phalanxd for more"),
    ("TOO_MANY_TEAMS", "delete one with `phalanx team delete`"),
    ("NOT_STEERABLE", "only teams of phalanxd can be steered, not those of a demo"),
    ("MATCH_OVER", "`phalanx team delete` and `create` begin another match"),
    ("REQUEST_ID_REUSED", "use another --request-id: this one belongs to another request"),
    ("AGENT_EXISTS", "`phalanx agent list TEAM` shows the names that are taken"),
    ("MEMBERS_FIXED", "in this game, or with this server, agents cannot be added or removed"),
    ("LAST_AGENT", "`phalanx team drain TEAM` ends the whole team"),
    ("MEMORY_REFUSED", "let it begin with an empty memory: --memory loose or --memory forget"),
    ("ORDER_MALFORMED", "`phalanx script api --game GAME` lists the actions and what they take"),
    ("NOT_PILOTED", "take the agent over first: `phalanx agent pilot AGENT --take`"),
    ("PILOTED_BY_OTHER", "`phalanx agent pilot AGENT` takes it over"),
    ("TURN_NOT_KEPT", "`phalanx why AGENT` explains its last turn, AGENT@-1 the one before"),
    ("NOT_ASKED", "`phalanx why AGENT` explains its last turn, AGENT@-1 the one before"),
    ("CURSOR_EXPIRED", "follow without a cursor: the old events are no longer kept"),
    ("TOO_MANY_STREAMS", "end other `phalanx match watch`, or raise the limit in the settings"),
    ("TOO_MANY_CONNECTIONS", "close other clients, or use the daemon's Unix socket"),
    ("TOO_MANY_SESSIONS", "quit another `phalanx agent repl` first"),
    ("NO_ARENAS", "only a phalanxd hosts referees; `phalanx arena GAME` runs one in this terminal"),
    ("NO_LEAGUES", "set state_dir in the daemon's settings, or play here: `phalanx league run`"),
    ("LEAGUE_NOT_FOUND", "`phalanx league list` shows all leagues"),
    ("LEAGUE_EXISTS", "choose another --name, or `phalanx league resume NAME`"),
    ("LEAGUE_RUNNING", "`phalanx league cancel NAME` stops it"),
    ("TOO_MANY_LEAGUES", "`phalanx league list` shows which one is played"),
    ("LEAGUE_ELSEWHERE", "ctrl-C ends its `phalanx league run`, and the same command goes on"),
    (
        "NO_LAB",
        "set lab.path in the daemon's settings to the folder with ladders and tune runs, or lab.nats to the server of ladders",
    ),
    ("NO_RECORDINGS", "set state_dir or recordings.folder in the daemon's settings"),
    ("RECORDING_NOT_FOUND", "`phalanx recording list` shows those that are kept"),
    ("RECORDING_WRITTEN", "it ends with its team's match; `phalanx team drain TEAM` ends that"),
    ("NO_FLIGHT_RECORDER", "`phalanx recording list`: the match may already be recorded in a file"),
    ("ARENA_NOT_FOUND", "`phalanx arena list` shows all referees"),
    ("ARENA_EXISTS", "omit --name to get a free one, or `phalanx arena stop NAME`"),
    ("TOO_MANY_ARENAS", "`phalanx arena stop NAME` ends one"),
    ("ADDRESS_TAKEN", "omit --listen, or use port 0, to get a free port"),
    ("SHUTTING_DOWN", "the daemon is shutting down; try again when it is back"),
    ("DEADLINE_EXCEEDED", "the daemon is busy; `phalanx team list` shows whether it still plays"),
];

/// Advice for a refusal with this reason.
pub(super) fn of(reason: &str) -> Option<&'static str> {
    ADVICE.iter().find(|(of, _)| *of == reason).map(|(_, advice)| *advice)
}

/// Advice when no daemon could be reached.
pub(super) fn without_daemon(error: &ClientError) -> Option<&'static str> {
    match error {
        ClientError::NotFound { .. } => Some(
            "start one with `phalanxd --config FILE`, or give its address with --control ADDRESS, \
             PHALANX_CONTROL or `phalanx context use NAME`",
        ),
        ClientError::Unreachable { .. } => {
            Some("is the address right? `phalanx context show` prints the address in use")
        }
        ClientError::Credentials { .. } => {
            Some("check --token-file, --ca and --certificate, or `phalanx context show`")
        }
        // The errors themselves say what to do.
        ClientError::Denied { .. }
        | ClientError::Malformed { .. }
        | ClientError::NeedsTls { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use phalanx_proto::v1::ErrorReason;

    #[test]
    fn no_reason_is_listed_twice_or_unknown_to_the_daemon() {
        for (index, (reason, _)) in ADVICE.iter().enumerate() {
            let name = format!("ERROR_REASON_{reason}");
            assert!(ErrorReason::from_str_name(&name).is_some(), "{reason}");
            assert!(!ADVICE.iter().skip(index + 1).any(|(other, _)| other == reason), "{reason}");
        }
    }
}
