//! How the lead changed during a match, from its scores after each step.

use phalanx_game::{Score, Turn, Verdict, points_text};

/// A step that brings the winner's whole score divided by this number is worth a mention.
const NOTABLE_SHARE: i64 = 10;

/// Who led, and since when.
#[derive(Clone, Debug, Default)]
pub(crate) struct Leads {
    /// The last team that had more points than each other one, by its place.
    leader: Option<usize>,
    since: (u32, u32),
    changes: u32,
    /// The largest gain in one step, in half points: how much, which team, when.
    largest: Option<(i64, usize, (u32, u32))>,
    /// The last totals, in half points.
    totals: Vec<i64>,
    at: (u32, u32),
}

impl Leads {
    /// Takes the scores after a step.
    pub(crate) fn see(&mut self, verdict: &Verdict) {
        let at = (verdict.round, verdict.step);
        let totals: Vec<i64> = verdict.teams.iter().map(Score::in_halves).collect();
        for (team, (now, before)) in totals.iter().zip(&self.totals).enumerate() {
            let gain = now.saturating_sub(*before);
            if gain > self.largest.map_or(0, |(largest, ..)| largest) {
                self.largest = Some((gain, team, at));
            }
        }
        if let Some(leader) = leader(&totals)
            && self.leader != Some(leader)
        {
            self.changes += u32::from(self.leader.is_some());
            (self.leader, self.since) = (Some(leader), at);
        }
        (self.totals, self.at) = (totals, at);
    }

    /// The turning points in words; `None` where no team won.
    pub(crate) fn text(&self, verdict: &Verdict) -> Option<String> {
        let name = |team: usize| verdict.teams.get(team).map(|score| score.team.as_str());
        let winner = leader(&self.totals)?;
        let (who, since) = (name(winner)?, place(verdict, self.since));
        let mut text = match self.changes {
            _ if self.since == self.at => format!("{who} took the lead in the last step"),
            0 => format!("{who} led from {since} to the end"),
            1 => format!("{who} took the lead for good in {since}, after one change"),
            changes => format!("{who} took the lead for good in {since}, after {changes} changes"),
        };
        let total = self.totals.get(winner).copied().unwrap_or_default();
        if let Some((gain, team, at)) = self.largest
            && at != self.since
            && gain.saturating_mul(NOTABLE_SHARE) >= total
        {
            let (who, gain, at) = (name(team)?, points_text(gain), place(verdict, at));
            text.push_str(&format!("; the largest gain was {gain} for {who} in {at}"));
        }
        Some(text)
    }
}

/// The team with more points than each other one.
pub(crate) fn leader(totals: &[i64]) -> Option<usize> {
    let most = totals.iter().max()?;
    let mut with_most = totals.iter().enumerate().filter(|(_, total)| *total == most);
    match (with_most.next(), with_most.next()) {
        (Some((leader, _)), None) if totals.len() > 1 => Some(leader),
        _ => None,
    }
}

fn place(verdict: &Verdict, (round, step): (u32, u32)) -> String {
    match verdict.round {
        ..=1 => format!("step {step}"),
        _several => format!("turn {}", Turn::new(round.saturating_sub(1), step)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(step: u32, scores: [i64; 2]) -> Verdict {
        let teams = ["A", "B"].into_iter().zip(scores);
        let teams = teams.map(|(team, points)| Score { rounds: vec![points], ..Score::of(team) });
        Verdict { round: 1, step, steps: 100, teams: teams.collect(), over: false }
    }

    /// A step with the scores after it.
    type StepScores = (u32, [i64; 2]);

    #[test]
    fn turning_points_come_from_the_scores() {
        let cases: &[(&[StepScores], Option<&str>)] = &[
            (&[(1, [0, 0]), (2, [0, 0])], None),
            (&[(1, [0, 0]), (5, [3, 0]), (9, [3, 3])], None),
            (&[(1, [0, 0]), (2, [0, 0]), (7, [0, 1])], Some("B took the lead in the last step")),
            (
                &[(3, [1, 0]), (4, [2, 0]), (9, [20, 0]), (10, [20, 1])],
                Some("A led from step 3 to the end; the largest gain was 18 for A in step 9"),
            ),
            (
                &[(3, [1, 0]), (4, [1, 1]), (5, [1, 2]), (8, [1, 2])],
                Some(
                    "B took the lead for good in step 5, after one change; the largest gain was 1 \
                     for B in step 4",
                ),
            ),
            (
                &[(1, [1, 0]), (2, [1, 2]), (3, [3, 2]), (4, [3, 2])],
                Some(
                    "A took the lead for good in step 3, after 2 changes; the largest gain was 2 \
                     for B in step 2",
                ),
            ),
        ];
        for (series, expected) in cases {
            let mut leads = Leads::default();
            let mut last = Verdict::default();
            for (step, scores) in *series {
                last = verdict(*step, *scores);
                leads.see(&last);
            }
            let text = leads.text(&last);
            assert_eq!(text.as_deref(), *expected, "{series:?}");
        }
    }
}
