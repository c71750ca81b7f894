//! Teams as text and as JSON, and the verbs that only show them.

use super::troubles::{alerts, troubles};
use super::values::turn_json;
use super::{Shown, Table, agents, all_teams, look, short, steered, team_name, word};
use crate::args::Look;
use crate::args::team::ShowArgs;
use crate::failure::refused;
use crate::paint::{Ink, Paint};
use anyhow::{Context, Result};
use phalanx_proto::v1::teams_client::TeamsClient;
use phalanx_proto::v1::{Alert, GetTeamRequest, Team, TeamEnd, TeamState, TeamThread};
use serde_json::{Value, json};

pub(super) fn list(args: &Look) -> Result<()> {
    look(args, async |channel| {
        let teams = all_teams(channel).await?;
        let json = json!({ "teams": teams.iter().map(team_json).collect::<Vec<_>>() });
        Ok(Shown { json, text: table(&teams).shown() })
    })
}

fn table(teams: &[Team]) -> Table<10> {
    let mut table = Table::new(&[
        "TEAM", "GAME", "STATE", "TURN", "SCORE", "SEATED", "DECIDED", "FALLBACK", "LATE", "ALERTS",
    ]);
    for team in teams {
        let counters = team.counters.unwrap_or_default();
        table.row(team_row(team));
        if team.state() == TeamState::Stopped {
            table.ink(2, Ink::Yellow);
        }
        // Highlight fallbacks, late answers and alerts.
        for (column, count) in [(7, counters.fallback), (8, counters.late), (9, 1)] {
            if count > 0 {
                table.ink(column, Ink::Red);
            }
        }
    }
    table
}

/// Restarts and losses of the team's thread; empty if it always responded.
fn thread_line(thread: &TeamThread) -> String {
    let TeamThread { replaced_count, abandoned_count, stuck, dropped_event_count } = *thread;
    let mut parts = Vec::new();
    if replaced_count > 0 {
        parts.push(format!(
            "replaced {replaced_count} times, {abandoned_count} abandoned still run"
        ));
    }
    if dropped_event_count > 0 {
        parts.push(format!("{dropped_event_count} events dropped"));
    }
    if stuck {
        parts.push("STUCK: restart the daemon".to_owned());
    }
    if parts.is_empty() { String::new() } else { format!("thread: {}\n", parts.join(", ")) }
}

/// A team in a table: name, game, state, turn, score, seats, counts of decisions, alerts.
pub(crate) fn team_row(team: &Team) -> [String; 10] {
    let counters = team.counters.unwrap_or_default();
    let alerts = team.alerts.len();
    [
        short(&team.name).to_owned(),
        team.game.clone(),
        shown_state(team),
        turn(team),
        score(team),
        format!("{}/{}", team.seated_count, team.agent_count),
        counters.decided.to_string(),
        counters.fallback.to_string(),
        counters.late.to_string(),
        if alerts == 0 { String::new() } else { alerts.to_string() },
    ]
}

pub(super) fn show(args: &ShowArgs) -> Result<()> {
    look(&args.look, async |channel| {
        let request = GetTeamRequest { name: team_name(&channel, args.name.as_deref()).await? };
        let answer = TeamsClient::new(channel).get_team(request).await;
        let team = answer.map_err(|status| refused(&status))?.into_inner().team;
        let team = team.context("the daemon's answer has no team")?;
        let text = page(&team, &agents::shown::table(&team.agents).shown(), Paint::stdout());
        Ok(Shown { json: team_json(&team), text })
    })
}

fn page(team: &Team, table: &str, paint: Paint) -> String {
    let counters = team.counters.unwrap_or_default();
    let steered = match (counters.ordered, counters.held) {
        (0, 0) => String::new(),
        (ordered, held) => format!(", ordered {ordered}, held {held}"),
    };
    let scores = match final_score(team) {
        Some(_) => format!("final scores of the rounds: {:?}", team.round_scores),
        None => format!("score {}, rounds before: {:?}", score(team), team.round_scores),
    };
    let head = format!(
        "{}\nturn {}, {scores}, generation {}\n\
         asked {}, decided {}, fallback {}, late {}{steered}\nscript errors {}, malformed {}\n",
        line(team),
        turn(team),
        team.generation,
        counters.asked,
        counters.decided,
        counters.fallback,
        counters.late,
        counters.script_errors,
        counters.malformed,
    );
    let alerts = alerts(&team.alerts, paint);
    let thread = thread_line(&team.thread.unwrap_or_default());
    format!("{head}{thread}{alerts}{table}{}", troubles(&team.agents, paint))
}

/// A team in a line: `team A: assemble at localhost:12300, playing, 15 of 15 seated`.
pub(super) fn line(team: &Team) -> String {
    let end = word(team.end().as_str_name(), "TEAM_END_").replace('_', " ");
    let end = if team.end() == TeamEnd::Unspecified { String::new() } else { format!(", {end}") };
    let more = if team.end_reason.is_empty() { "" } else { ": " };
    format!(
        "team {}: {} at {}, {}{end}{more}{}, {} of {} seated",
        short(&team.name),
        team.game,
        team.server,
        shown_state(team),
        team.end_reason,
        team.seated_count,
        team.agent_count,
    )
}

/// Its turn, `round:step`.
pub(crate) fn turn(team: &Team) -> String {
    team.turn.map_or_else(|| "-".into(), |turn| format!("{}:{}", turn.round, turn.step))
}

/// Its score in the round of its last turn: the final one as soon as there is one.
pub(crate) fn score(team: &Team) -> String {
    shown_score(team).map_or_else(|| "-".into(), |score| score.to_string())
}

fn shown_score(team: &Team) -> Option<i64> {
    final_score(team).or(team.score)
}

/// The referee's final score of the round of the team's last turn. `Team.score` is of that turn,
/// and the last step may still change it.
fn final_score(team: &Team) -> Option<i64> {
    let round = usize::try_from(team.turn?.round).ok()?;
    team.round_scores.get(round).copied()
}

/// For people, a team whose seats wait for the first turn is ready; the API has no such state.
fn shown_state(team: &Team) -> String {
    if team.state() == TeamState::Playing && team.turn.is_none() {
        return "ready".to_owned();
    }
    state_word(team.state())
}

fn state_word(state: TeamState) -> String {
    word(state.as_str_name(), "TEAM_STATE_")
}

pub(super) fn team_json(team: &Team) -> Value {
    let counters = team.counters.unwrap_or_default();
    let thread = team.thread.unwrap_or_default();
    let alert = |alert: &Alert| {
        json!({
            "kind": steered::alert_word(alert.kind()), "agent": alert.agent, "text": alert.text,
            "since": alert.since.map(turn_json),
        })
    };
    json!({
        "name": short(&team.name), "game": team.game, "server": team.server,
        "state": state_word(team.state()), "stopped": team.stopped, "etag": team.etag,
        "end": word(team.end().as_str_name(), "TEAM_END_"), "end_reason": team.end_reason,
        "creator": team.creator, "turn": team.turn.map(turn_json),
        "score": shown_score(team), "round_scores": team.round_scores, "generation": team.generation,
        "agent_count": team.agent_count, "seated_count": team.seated_count,
        "counters": {
            "asked": counters.asked, "decided": counters.decided, "fallback": counters.fallback,
            "late": counters.late, "script_errors": counters.script_errors,
            "malformed": counters.malformed, "ordered": counters.ordered, "held": counters.held,
        },
        "alerts": team.alerts.iter().map(alert).collect::<Vec<_>>(),
        "thread": {
            "replaced": thread.replaced_count, "abandoned": thread.abandoned_count,
            "stuck": thread.stuck, "dropped_events": thread.dropped_event_count,
        },
        "agents": team.agents.iter().map(agents::shown::json).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use phalanx_proto::v1::Turn;
    use phalanx_proto::v1::steering::Mode;
    use phalanx_proto::v1::{
        Agent, AlertKind, Counters, PausedSteering, PinnedSteering, SeatState, Steering,
    };

    /// The narrowest common terminal.
    const WIDTH: usize = 80;

    fn agent(number: u32, mode: Option<Mode>) -> Agent {
        Agent {
            name: format!("agentA{number}"),
            role: "worker".into(),
            seat_state: SeatState::Seated.into(),
            summary: "12,-7 energy 100, holds b1".into(),
            last_action: "move(n)".into(),
            last_result: "success".into(),
            reason: "the way to the dispenser is free".into(),
            steering: Some(Steering { mode }),
            ..Agent::default()
        }
    }

    fn team() -> Team {
        let pinned =
            PinnedSteering { order: "move(\"n\")".into(), turns_left: 7, by: "kuno".into() };
        let mut waiting = agent(3, Some(Mode::Paused(PausedSteering { by: "kuno".into() })));
        waiting.seat_state = SeatState::Connecting.into();
        waiting.seat_reason = "connection refused (os error 111)".into();
        waiting.trouble = "nobody decided in time".into();
        let agents = vec![agent(1, None), agent(2, Some(Mode::Pinned(pinned))), waiting];
        let since = Some(Turn { round: 0, step: 98 });
        let text = "answered by fallbacks for 20 turns".into();
        let silent = AlertKind::SilentAgent.into();
        let alert = Alert { kind: silent, agent: "agentA3".into(), text, since, since_tick: 98 };
        Team {
            name: "teams/A".into(),
            game: "assemble".into(),
            server: "localhost:12300".into(),
            state: TeamState::Playing.into(),
            turn: Some(Turn { round: 0, step: 118 }),
            score: Some(40),
            generation: 2,
            agent_count: 3,
            seated_count: 2,
            counters: Some(Counters {
                asked: 354,
                decided: 300,
                fallback: 47,
                ordered: 7,
                ..Counters::default()
            }),
            agents,
            alerts: vec![alert],
            ..Team::default()
        }
    }

    fn fits(text: &str) {
        for line in text.lines() {
            assert!(line.chars().count() <= WIDTH, "{line:?}");
        }
    }

    #[test]
    fn a_list_of_teams_fits_eighty_columns() {
        let stopped = Team {
            name: "teams/B".into(),
            game: "bomberland".into(),
            state: TeamState::Stopped.into(),
            ..Team::default()
        };
        let text = table(&[team(), stopped]).text(Some(WIDTH), Paint::none());
        fits(&text);
        insta::assert_snapshot!("team_list", text);
    }

    #[test]
    fn a_team_shows_alerts_steering_and_why_seats_are_not_there_in_eighty_columns() {
        let team = team();
        let agents = agents::shown::table(&team.agents).text(Some(WIDTH), Paint::none());
        let text = page(&team, &agents, Paint::none());
        fits(&text);
        insta::assert_snapshot!("team_show", text);
        let painted = page(&team, "", Paint::always());
        assert!(painted.contains("\u{1b}[31mALERT silent agent agentA3\u{1b}[0m"), "{painted}");
    }

    #[test]
    fn a_team_that_waits_for_its_first_turn_is_ready_and_not_playing() {
        let ready = Team { turn: None, score: None, ..team() };
        let stopped = Team { state: TeamState::Stopped.into(), ..ready.clone() };
        for (team, state) in [(&ready, "ready"), (&team(), "playing"), (&stopped, "stopped")] {
            assert_eq!(team_row(team)[2], state);
            let page = page(team, "", Paint::none());
            let state = format!("team A: assemble at localhost:12300, {state}, 2 of 3 seated\n");
            assert!(page.starts_with(&state), "{page}");
        }
        assert_eq!(team_json(&ready)["state"], "playing", "programs see the API's state");
    }

    #[test]
    fn a_round_that_is_over_shows_its_final_score() {
        let playing = team();
        let second = Some(Turn { round: 1, step: 3 });
        let over = TeamState::Over.into();
        for (team, score, text) in [
            (playing.clone(), "40", "score 40, rounds before: []"),
            // The last turn of the round saw 40 points; its last step brought another 2.
            (
                Team { round_scores: vec![42], ..playing.clone() },
                "42",
                "final scores of the rounds: [42]",
            ),
            (
                Team { round_scores: vec![42], state: over, ..playing.clone() },
                "42",
                "final scores of the rounds: [42]",
            ),
            (
                Team { round_scores: vec![7], turn: second, ..playing.clone() },
                "40",
                "score 40, rounds before: [7]",
            ),
            // The team left before the end of its second round.
            (
                Team { round_scores: vec![7], turn: second, state: over, ..playing.clone() },
                "40",
                "score 40, rounds before: [7]",
            ),
            (
                Team { round_scores: vec![7, 42], turn: second, state: over, ..playing.clone() },
                "42",
                "final scores of the rounds: [7, 42]",
            ),
            (Team { turn: None, score: None, ..playing }, "-", "score -, rounds before: []"),
        ] {
            assert_eq!(team_row(&team)[4], score);
            assert_eq!(team_json(&team)["score"].to_string().replace("null", "-"), score);
            let page = page(&team, "", Paint::none());
            assert!(page.contains(&format!(", {text}, generation 2")), "{page}");
        }
    }

    #[test]
    fn alerts_with_the_same_cause_are_one_line() {
        let mut team = team();
        let first = team.alerts[0].clone();
        let later = Some(Turn { round: 0, step: 99 });
        let of = |agent: &str| Alert {
            agent: agent.into(),
            since: later,
            since_tick: 99,
            ..first.clone()
        };
        let storm = Alert {
            kind: AlertKind::ErrorStorm.into(),
            agent: String::new(),
            text: "25 script errors in the last 10 turns".into(),
            ..first.clone()
        };
        team.alerts = vec![of("agentA1"), of("agentA2"), storm, first.clone()];
        let text = alerts(&team.alerts, Paint::none());
        assert_eq!(
            text,
            "ALERT silent agent agentA1 to agentA3 (3) since 0:98: answered by fallbacks for 20 turns\n\
             ALERT error storm since 0:98: 25 script errors in the last 10 turns\n"
        );
    }

    #[test]
    fn seats_that_wait_for_the_same_are_one_line() {
        let mut team = team();
        for agent in &mut team.agents {
            agent.seat_reason = "waits for its bridge".into();
            agent.trouble = String::new();
        }
        let text = troubles(&team.agents, Paint::none());
        assert_eq!(text, "\nSEAT agentA1 to agentA3 (3): waits for its bridge");
    }

    #[test]
    fn refused_logins_are_one_line_although_each_names_its_account() {
        let mut team = team();
        for agent in &mut team.agents {
            agent.seat_state = SeatState::Refused.into();
            agent.seat_reason =
                format!("the referee answered \"fail\" to the login of {:?}", agent.name);
            agent.trouble = String::new();
        }
        let text = troubles(&team.agents, Paint::none());
        assert_eq!(
            text,
            "\nSEAT agentA1 to agentA3 (3): the referee answered \"fail\" to the login of \
             \"agentA1\"; check account and password"
        );
        // Without a connection, the same agents need no other password.
        team.agents[0].seat_state = SeatState::Connecting.into();
        let text = troubles(&team.agents, Paint::none());
        let [first, others] = ["\nSEAT agentA1: ", "\nSEAT agentA2 to agentA3 (2): "];
        assert!(text.starts_with(first) && text.contains(others), "{text}");
        assert_eq!(text.matches("; check account and password").count(), 1, "{text}");
    }
}
