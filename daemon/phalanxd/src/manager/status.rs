//! The line that `systemctl status` shows: each team's step, score and missed turns.

use phalanx_engine::{SeatState, Snapshot};
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

/// Teams that are listed one by one; further ones are only counted.
const TEAMS_MAX: usize = 6;

/// Facts of one team for the line.
#[derive(Clone, Debug, Default)]
pub(super) struct TeamLine {
    pub(super) name: String,
    pub(super) snapshot: Arc<Snapshot>,
    /// The present state of each seat; the snapshot is as old as the last turn.
    pub(super) seats: Vec<SeatState>,
}

/// The line's text, stuck teams first, since they need an operator.
pub(super) fn text(teams: &[TeamLine], stuck: &[(&str, Duration)]) -> String {
    let mut parts = Vec::new();
    for (team, quiet) in stuck.iter().take(TEAMS_MAX) {
        parts.push(format!(
            "STUCK: the thread of team {team} has not moved for {} s, its seats send fallbacks",
            quiet.as_secs()
        ));
    }
    parts.extend(teams.iter().take(TEAMS_MAX).map(team));
    match teams.len().saturating_sub(TEAMS_MAX) {
        0 => {}
        more => parts.push(format!("and {more} more teams")),
    }
    if parts.is_empty() { "no team".to_owned() } else { parts.join("; ") }
}

fn team(TeamLine { name, snapshot, seats }: &TeamLine) -> String {
    let mut text = format!("{name}: ");
    if snapshot.over {
        text.push_str("over");
    } else {
        if snapshot.turn.round > 0 {
            add(&mut text, &format!("round {} ", snapshot.turn.round));
        }
        add(&mut text, &format!("step {}", snapshot.turn.step));
    }
    if let Some(score) = snapshot.score.or(snapshot.rounds.last().copied()) {
        add(&mut text, &format!(", score {score}"));
    }
    let counters = &snapshot.counters;
    add(&mut text, &format!(", {} missed, {} fallbacks", counters.late, counters.fallback));
    let away = seats.iter().filter(|seat| **seat != SeatState::Seated).count();
    if away > 0 && !snapshot.over {
        add(&mut text, &format!(", {away} of {} seats not at the referee", seats.len()));
    }
    if !snapshot.alerts.is_empty() {
        add(&mut text, &format!(", alerts: {}", snapshot.alerts.len()));
    }
    text
}

fn add(text: &mut String, more: &str) {
    // Writing to a string cannot fail.
    text.write_str(more).unwrap_or_default();
}

#[cfg(test)]
mod tests {
    use super::*;
    use phalanx_engine::Counters;
    use phalanx_game::Turn;

    #[test]
    fn a_team_is_told_with_step_score_and_misses() {
        let mut snapshot = Snapshot {
            turn: Turn { round: 0, step: 118 },
            score: Some(40),
            counters: Counters { late: 2, fallback: 5, ..Counters::default() },
            ..Snapshot::default()
        };
        let described = |snapshot: &Snapshot| {
            let seats = vec![SeatState::Seated, SeatState::Idle];
            let snapshot = Arc::new(snapshot.clone());
            text(&[TeamLine { name: "A".to_owned(), snapshot, seats }], &[])
        };
        assert_eq!(
            described(&snapshot),
            "A: step 118, score 40, 2 missed, 5 fallbacks, 1 of 2 seats not at the referee"
        );
        snapshot.turn.round = 1;
        snapshot.over = true;
        assert_eq!(described(&snapshot), "A: over, score 40, 2 missed, 5 fallbacks");
    }

    #[test]
    fn a_stuck_team_comes_first_and_many_teams_are_summed_up() {
        let team = |index| TeamLine { name: format!("T{index}"), ..TeamLine::default() };
        let teams: Vec<_> = (0..=TEAMS_MAX).map(team).collect();
        let described = text(&teams, &[("T1", Duration::from_secs(12))]);
        assert!(
            described.starts_with("STUCK: the thread of team T1 has not moved for 12 s"),
            "{described}"
        );
        assert!(described.ends_with("and 1 more teams"), "{described}");
        assert_eq!(text(&[], &[]), "no team");
    }
}
