//! From leagues to the API's types.

use crate::league_view::{LeagueEvent, LeagueState, LeagueStatus};
use phalanx_league::{
    LeagueDefinition, LeagueTable, MatchOutcome, Pairing, RankedPlayer, SprtState, SprtVerdict,
};
use phalanx_proto::v1;
use phalanx_proto::v1::league_event::Kind;

/// The prefix of a league's resource name.
pub(crate) const LEAGUES: &str = "leagues/";

pub(crate) fn league(status: &LeagueStatus) -> v1::League {
    let state = match status.state {
        LeagueState::Playing => v1::LeagueState::Playing,
        LeagueState::Stopped => v1::LeagueState::Stopped,
        LeagueState::Over => v1::LeagueState::Over,
    };
    v1::League {
        name: format!("{LEAGUES}{}", status.name),
        plan: Some(plan(&status.plan)),
        state: state.into(),
        standing: Some(standing(&status.standing)),
        trouble: status.trouble.clone(),
        created_by: status.by.clone(),
        start_time: status.started.map(Into::into),
        folder: status.folder.as_ref().map(|path| path.display().to_string()).unwrap_or_default(),
        workers: status.workers.clone(),
    }
}

fn plan(plan: &LeagueDefinition) -> v1::LeaguePlan {
    let setup = |key: &str| plan.setup.get(key).cloned().unwrap_or_default();
    let player = |player: &phalanx_league::LeagueContestant| v1::LeaguePlayer {
        name: player.name.clone(),
        strategy: player.source.clone(),
    };
    v1::LeaguePlan {
        game: plan.game.clone(),
        variant: setup("variant"),
        steps: setup("steps").parse().unwrap_or_default(),
        worlds: setup("worlds").parse().unwrap_or_default(),
        players: plan.players.iter().map(player).collect(),
        first_against_all: plan.pairing == Pairing::FirstAgainstAll,
        first_seed: plan.seeds.first,
        seed_count: plan.seeds.count,
        no_swap: !plan.swap,
        sprt: plan.sprt.map(|sprt| v1::LeagueSprt {
            elo0: sprt.elo0,
            elo1: sprt.elo1,
            alpha: sprt.alpha,
            beta: sprt.beta,
        }),
    }
}

fn standing(standing: &LeagueTable) -> v1::LeagueStanding {
    let row = |row: &RankedPlayer| v1::LeagueRow {
        player: row.name.clone(),
        elo: row.rating.elo,
        error: row.rating.error,
        wins: row.wins,
        draws: row.draws,
        losses: row.losses,
        matches: row.matches,
        score_mean: row.score_mean,
        against_mean: row.against_mean,
    };
    v1::LeagueStanding {
        played: standing.played,
        failed: standing.failed,
        total: standing.total,
        rows: standing.rows.iter().map(row).collect(),
        sprt: standing.sprt.map(|sprt| sprt_state(sprt, standing.decided)),
    }
}

fn sprt_state(sprt: SprtState, decided: Option<SprtVerdict>) -> v1::LeagueSprtState {
    let verdict = match decided {
        None => v1::LeagueVerdict::Unspecified,
        Some(SprtVerdict::NotBetter) => v1::LeagueVerdict::NotBetter,
        Some(SprtVerdict::Better) => v1::LeagueVerdict::Better,
    };
    let SprtState { llr, lower, upper, .. } = sprt;
    v1::LeagueSprtState { llr, lower, upper, verdict: verdict.into() }
}

pub(crate) fn event(cursor: String, event: &LeagueEvent) -> v1::LeagueEvent {
    let kind = match event {
        LeagueEvent::Result { fixture, players, outcome, standing: after, workers } => {
            let (scores, trouble) = match outcome {
                MatchOutcome::Scores(scores) => (scores.clone(), String::new()),
                MatchOutcome::Failed(reason) => (Vec::new(), reason.clone()),
            };
            Kind::Result(v1::LeagueResult {
                number: fixture.number,
                seed: fixture.seed,
                players: players.clone(),
                scores,
                trouble,
                standing: Some(standing(after)),
                workers: *workers,
            })
        }
        LeagueEvent::Lost(count) => Kind::EventsLost(v1::EventsLost { count: *count }),
        LeagueEvent::Ended(status) => Kind::Ended(v1::LeagueEnded { league: Some(league(status)) }),
    };
    v1::LeagueEvent { cursor, kind: Some(kind) }
}
