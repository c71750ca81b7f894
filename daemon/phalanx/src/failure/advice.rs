//! What to do next, by the reason that the daemon gave.

use phalanx_control::client::ClientError;

/// Reasons and what helps.
const ADVICE: &[(&str, &str)] = &[
    (
        "TOKEN_MISSING",
        "show one with --token-file FILE, PHALANX_TOKEN or a context; an admin makes it with \
         `phalanx token create NAME --role viewer`",
    ),
    (
        "TOKEN_MALFORMED",
        "the file of --token-file holds what `phalanx token create` printed, and nothing else",
    ),
    (
        "TOKEN_UNKNOWN",
        "is it for another daemon? An admin makes one for this with `phalanx token create NAME`",
    ),
    ("TOKEN_EXPIRED", "an admin makes a new one with `phalanx token create NAME --life 7days`"),
    ("TOKEN_REVOKED", "an admin makes a new one with `phalanx token create NAME`"),
    (
        "ROLE_TOO_SMALL",
        "`phalanx token whoami` tells what you are; an admin makes a token that may do more with \
         `phalanx token create NAME --role operator`",
    ),
    ("TOO_MANY_FAILURES", "wait a minute, and look whether the token is the right one"),
    ("TOKEN_NOT_FOUND", "`phalanx token list` shows the ids"),
    ("TOO_MANY_TOKENS", "`phalanx token revoke ID` ends those that nobody needs"),
    ("TOKENS_NOT_WRITTEN", "look at the daemon's log and at the space in its state folder"),
    ("TEAM_NOT_FOUND", "`phalanx team list` shows all teams"),
    ("AGENT_NOT_FOUND", "`phalanx team show TEAM` shows its agents"),
    ("ROLE_NOT_FOUND", "a role is a file of the strategy's folder, without its ending"),
    ("NO_STRATEGY", "give the team one with `phalanx strategy activate TEAM DIR`"),
    ("GENERATION_NOT_FOUND", "`phalanx strategy history TEAM` shows those that are kept"),
    ("GENERATION_PINNED", "`phalanx strategy unpin TEAM` lets others play again"),
    ("NOTHING_TO_ROLL_BACK", "`phalanx strategy history TEAM` shows the generations"),
    ("NO_FOLDER", "name one: `phalanx strategy activate TEAM DIR`"),
    ("STRATEGY_STALE", "somebody changed it meanwhile: look at `phalanx strategy show TEAM` first"),
    (
        "STRATEGY_REFUSED",
        "mend what is listed, and try it without playing: `phalanx strategy check DIR --team TEAM`",
    ),
    ("PARAM_NOT_FOUND", "`phalanx param list TEAM` shows the parameters"),
    ("PARAM_VALUE", "`phalanx param list TEAM` shows what each accepts"),
    ("BOARD_KEY_NOT_FOUND", "`phalanx board list TEAM` shows the keys"),
    ("BOARD_FULL", "delete some with `phalanx board delete`, or write with --turns"),
    ("ETAG_MISMATCH", "somebody changed it meanwhile: read it again, then decide anew"),
    ("TEAM_BUSY", "try again in a moment"),
    ("TEAM_STUCK", "its seats answer by themselves; restart the daemon to end its threads"),
    ("TEAM_ENDED", "`phalanx team show TEAM` tells how it ended"),
    ("TEAM_LEAVING", "it is on its way; `phalanx team show TEAM` tells when it is there"),
    (
        "SERVER_NOT_ALLOWED",
        "the agents' passwords would go there: let an admin move the team, or add the server to \
         control.move_hosts in the daemon's settings and `phalanx daemon reload`",
    ),
    ("TEAM_EXISTS", "take another name, or `phalanx team delete` the old one first"),
    ("TEAM_PLAYS", "`phalanx team drain TEAM` first, or delete it with --force"),
    ("TEAMS_FIXED", "a demo has its two teams; phalanxd takes others"),
    ("TOO_MANY_TEAMS", "`phalanx team delete` makes room"),
    ("NOT_STEERABLE", "only teams that phalanxd runs take orders"),
    ("MATCH_OVER", "`phalanx team delete` and `create` begin another match"),
    ("REQUEST_ID_REUSED", "take another --request-id: this one was another request's"),
    ("AGENT_EXISTS", "`phalanx agent list TEAM` shows the names that are taken"),
    ("MEMBERS_FIXED", "in this game, or with this server, all agents are there from the start"),
    ("LAST_AGENT", "`phalanx team drain TEAM` ends the whole team"),
    ("MEMORY_REFUSED", "let it begin with an empty memory: --memory loose or --memory forget"),
    ("ORDER_MALFORMED", "`phalanx script api --game GAME` lists the actions and what they take"),
    ("NOT_PILOTED", "take the agent over first: `phalanx agent pilot AGENT --take`"),
    ("PILOTED_BY_OTHER", "`phalanx agent pilot AGENT` takes it from them"),
    ("TURN_NOT_KEPT", "`phalanx why AGENT` tells of its last turn, AGENT@-1 of the one before"),
    ("NOT_ASKED", "`phalanx why AGENT` tells of its last turn, AGENT@-1 of the one before"),
    ("CURSOR_EXPIRED", "follow without a cursor: the old events are gone"),
    ("TOO_MANY_STREAMS", "end other `phalanx match watch`, or raise the limit in the settings"),
    ("TOO_MANY_CONNECTIONS", "close other clients, or use the daemon's Unix socket"),
    ("TOO_MANY_SESSIONS", "leave another `phalanx agent repl` first"),
    ("NO_ARENAS", "only a phalanxd hosts referees; `phalanx arena GAME` runs one in this terminal"),
    ("NO_LEAGUES", "set state_dir, or play here: `phalanx league run`"),
    ("LEAGUE_NOT_FOUND", "`phalanx league list` shows all leagues"),
    ("LEAGUE_EXISTS", "choose another --name, or `phalanx league resume NAME`"),
    ("LEAGUE_RUNNING", "`phalanx league cancel NAME` stops it"),
    ("TOO_MANY_LEAGUES", "`phalanx league list` shows which one is played"),
    ("NO_RECORDINGS", "set state_dir or recordings.folder in the daemon's settings"),
    ("RECORDING_NOT_FOUND", "`phalanx recording list` shows those that are kept"),
    ("RECORDING_WRITTEN", "it ends with its team's match; `phalanx team drain TEAM` ends that"),
    ("NO_FLIGHT_RECORDER", "`phalanx recording list`: what happens may be in a file already"),
    ("ARENA_NOT_FOUND", "`phalanx arena list` shows all referees"),
    ("ARENA_EXISTS", "leave --name out to get a free one, or `phalanx arena stop NAME`"),
    ("TOO_MANY_ARENAS", "`phalanx arena stop NAME` ends one"),
    ("ADDRESS_TAKEN", "leave --listen out, or end it with port 0: a free one is taken"),
    ("SHUTTING_DOWN", "the daemon is leaving; ask again when it is back"),
    ("DEADLINE_EXCEEDED", "the daemon is busy; `phalanx team list` tells whether it still plays"),
];

/// What helps against a refusal with this reason.
pub(super) fn of(reason: &str) -> Option<&'static str> {
    ADVICE.iter().find(|(of, _)| *of == reason).map(|(_, advice)| *advice)
}

/// What helps when no daemon was reached.
pub(super) fn without_daemon(error: &ClientError) -> Option<&'static str> {
    match error {
        ClientError::NotFound { .. } => Some(
            "start one with `phalanxd --config FILE`, or say where it is with --control ADDRESS, \
             PHALANX_CONTROL or `phalanx context use NAME`",
        ),
        ClientError::Unreachable { .. } => Some(
            "is phalanxd running there, and is it the right address? `phalanx context show` tells \
             where it is looked for",
        ),
        ClientError::Credentials { .. } => {
            Some("look at --token-file, --ca and --certificate, or at `phalanx context show`")
        }
        // These say it themselves.
        ClientError::Denied { .. } | ClientError::Malformed { .. } => None,
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
