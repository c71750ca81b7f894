//! From arenas to the API's types.

use crate::arena_view::{ArenaEvent, ArenaSide, ArenaState, ArenaStatus};
use phalanx_game::Verdict;
use phalanx_net::{HostEvent, Leave};
use phalanx_proto::v1;
use phalanx_proto::v1::arena_event::Kind;

/// The prefix of an arena's resource name.
pub(crate) const ARENAS: &str = "arenas/";
/// Longest notice, in characters.
const NOTICE_CHARS_MAX: usize = 500;
/// Longest results as text, in characters.
const SUMMARY_CHARS_MAX: usize = 32_768;

pub(crate) fn arena(status: &ArenaStatus) -> v1::Arena {
    let (state, trouble) = match &status.state {
        ArenaState::Waiting => (v1::ArenaState::Waiting, ""),
        ArenaState::Playing => (v1::ArenaState::Playing, ""),
        ArenaState::Over => (v1::ArenaState::Over, ""),
        ArenaState::Stopped => (v1::ArenaState::Stopped, ""),
        ArenaState::Failed(reason) => (v1::ArenaState::Failed, reason.as_str()),
    };
    let (variant, seed) = status.variant.clone().unwrap_or_default();
    v1::Arena {
        name: format!("{ARENAS}{}", status.name),
        game: status.game.clone(),
        variant,
        seed,
        address: status.address.map(|address| address.to_string()).unwrap_or_default(),
        state: state.into(),
        verdict: Some(verdict(&status.verdict)),
        client_count: super::count(status.clients),
        sides: status.sides.iter().map(side).collect(),
        summary: cut(&status.summary, SUMMARY_CHARS_MAX),
        trouble: cut(trouble, NOTICE_CHARS_MAX),
        started_by: status.by.clone(),
        start_time: Some(status.started.into()),
        end_time: status.ended.map(Into::into),
        files: status.files.as_ref().map(|path| path.display().to_string()).unwrap_or_default(),
        other_seeds: status.other_seeds,
    }
}

fn side(side: &ArenaSide) -> v1::ArenaSide {
    v1::ArenaSide {
        team: side.team.clone(),
        accounts: side.accounts.clone(),
        password: side.password.clone(),
        agents: side.agents.clone(),
    }
}

fn verdict(verdict: &Verdict) -> v1::ArenaVerdict {
    let score = |score: &phalanx_game::Score| v1::ArenaScore {
        team: score.team.clone(),
        rounds: score.rounds.clone(),
    };
    v1::ArenaVerdict {
        round: verdict.round,
        step: verdict.step,
        steps: verdict.steps,
        scores: verdict.teams.iter().map(score).collect(),
    }
}

pub(crate) fn event(cursor: String, event: &ArenaEvent) -> v1::ArenaEvent {
    let kind = match event {
        ArenaEvent::Host(event) => host_event(event),
        ArenaEvent::Ended(status) => Kind::Ended(v1::ArenaEnded { arena: Some(arena(status)) }),
    };
    v1::ArenaEvent { cursor, kind: Some(kind) }
}

fn host_event(event: &HostEvent) -> Kind {
    match event {
        HostEvent::Progress(at) => Kind::Verdict(verdict(at)),
        HostEvent::Connected { client, peer } => {
            Kind::ClientCame(v1::ArenaClientCame { client: client.0, peer: peer.clone() })
        }
        HostEvent::Greeted { client } => {
            Kind::ClientGreeted(v1::ArenaClientGreeted { client: client.0 })
        }
        HostEvent::Left { client, why } => {
            Kind::ClientLeft(v1::ArenaClientLeft { client: client.0, reason: leave(*why).into() })
        }
        HostEvent::Notice(text) => {
            Kind::Notice(v1::ArenaNotice { text: cut(text, NOTICE_CHARS_MAX) })
        }
        HostEvent::Lost(count) => Kind::EventsLost(v1::EventsLost { count: *count }),
    }
}

fn leave(why: Leave) -> v1::ArenaLeave {
    match why {
        Leave::Gone => v1::ArenaLeave::Gone,
        Leave::Closed => v1::ArenaLeave::Closed,
        Leave::Slow => v1::ArenaLeave::Slow,
        Leave::CrowdedOut => v1::ArenaLeave::CrowdedOut,
        Leave::Broken => v1::ArenaLeave::Broken,
    }
}

fn cut(text: &str, chars_max: usize) -> String {
    text.chars().take(chars_max).collect()
}
