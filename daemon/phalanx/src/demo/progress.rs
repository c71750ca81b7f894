//! A demo's progress on the terminal: one living line, or a line now and then in a log.

use crate::repeats::Repeats;
use console::{Term, truncate_str};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use phalanx_engine::{Counters, JournalEntry, JournalEvent, Snapshot};
use phalanx_game::Verdict;
use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::time::Duration;

/// Without a terminal a line is printed every so many steps.
const STEPS_PER_LINE: u64 = 50;

/// The living line. What a narrow terminal has no room for is cut, since a line that wraps jumps.
const ONE_LINE: &str = "step {pos:>4}/{len:<4} {bar:12} {wide_msg}";
/// Where a match has no last step.
const OPEN_END: &str = "{wide_msg}";
/// Above either of them, once the game is drawn.
const PICTURE: &str = "{prefix}\n";

/// Rows of the terminal below a picture: the living line, and one for the cursor.
const LINES_BELOW: usize = 2;

/// Shows how a match goes, on standard error.
#[derive(Debug)]
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    lines: bool,
    last: (u32, u32),
    steps: u64,
    /// Steps that the last line told of.
    lined: u64,
    /// The match has no last step.
    open_end: bool,
    /// By team.
    troubles: BTreeMap<String, Repeats>,
}

impl Progress {
    /// Silent, a bar, or lines, as it fits.
    pub(crate) fn new(silent: bool) -> Self {
        let terminal = std::io::stderr().is_terminal();
        let bar = (!silent && terminal).then(bar);
        Self {
            bar,
            lines: !silent && !terminal,
            last: (0, 0),
            steps: 0,
            lined: 0,
            open_end: false,
            troubles: BTreeMap::new(),
        }
    }

    /// The game as its referee draws it, above the living line.
    pub(crate) fn draw(&self, picture: &str) {
        if let (Some(bar), false) = (&self.bar, picture.is_empty()) {
            if bar.prefix().is_empty() {
                bar.set_style(style(true, self.open_end));
            }
            let (rows, columns) = Term::stderr().size();
            bar.set_prefix(fit(picture.trim_end(), rows.into(), columns.into()));
        }
    }

    /// A step is through. `p99` is the answer time that 99 of 100 answers kept, where it can be
    /// asked while the match runs.
    pub(crate) fn step(
        &mut self,
        verdict: &Verdict,
        teams: &[Arc<Snapshot>],
        p99: Option<Duration>,
    ) {
        let step = (verdict.round, verdict.step);
        if step == self.last {
            return;
        }
        let before = if step.0 == self.last.0 { self.last.1 } else { 0 };
        self.steps += u64::from(step.1.saturating_sub(before));
        self.last = step;
        let text = message(verdict, teams, p99);
        if let Some(bar) = &self.bar {
            let open_end = verdict.steps == 0;
            if std::mem::replace(&mut self.open_end, open_end) != open_end {
                bar.set_style(style(!bar.prefix().is_empty(), open_end));
            }
            bar.set_length(verdict.steps.into());
            bar.set_position(verdict.step.into());
            bar.set_message(if open_end { format!("{}  {text}", place(verdict)) } else { text });
        } else if self.lines && self.steps >= self.lined + STEPS_PER_LINE {
            self.lined = self.steps;
            let line = format!("{}  {text}", place(verdict));
            // A closed standard error only means that nobody watches.
            writeln!(std::io::stderr(), "{line}").unwrap_or_default();
        }
    }

    /// A script failed: a mistake is not shown every time, since it fails for many agents.
    pub(crate) fn trouble(&mut self, team: &str, entry: &JournalEntry, reason: &str) {
        if self.bar.is_none() && !self.lines {
            return;
        }
        let troubles = self.troubles.entry(team.to_owned()).or_default();
        if let Some(text) = troubles.tell(reason) {
            self.line(team, entry, &text);
        }
    }

    /// A line about a team, above the living one.
    pub(crate) fn line(&self, team: &str, entry: &JournalEntry, text: &str) {
        let agent = entry.agent.as_deref().unwrap_or("plan");
        self.print(format!("team {team}, {agent}, turn {}: {text}", entry.turn));
    }

    /// The team's strategy changed, or was to be changed.
    pub(crate) fn change(&mut self, team: &str, entry: &JournalEntry, text: &str) {
        if matches!(entry.event, JournalEvent::Generation { .. } | JournalEvent::TakenBack { .. }) {
            // The same mistake in what decides from here on is news again.
            self.sum_up(team);
        }
        if self.bar.is_some() || self.lines {
            self.print(format!("team {team}, turn {}: {text}", entry.turn));
        }
    }

    /// Tells how often everything came, and forgets it.
    fn sum_up(&mut self, team: &str) {
        for line in self.troubles.remove(team).unwrap_or_default().take() {
            self.print(format!("team {team}, {line}"));
        }
    }

    fn print(&self, line: String) {
        match &self.bar {
            Some(bar) => bar.println(line),
            // A closed standard error only means that nobody watches.
            None => writeln!(std::io::stderr(), "{line}").unwrap_or_default(),
        }
    }

    /// The match is over: the bar goes, the summary follows. The steps played, over all rounds.
    pub(crate) fn finish(&mut self) -> u64 {
        let teams: Vec<_> = self.troubles.keys().cloned().collect();
        for team in teams {
            self.sum_up(&team);
        }
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        self.steps
    }
}

fn bar() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
    bar.set_style(style(false, false));
    bar
}

/// As much of a picture as the terminal shows above the living line: rows are cut at its edge, and
/// what is left out below is counted.
fn fit(picture: &str, rows: usize, columns: usize) -> String {
    let room = rows.saturating_sub(LINES_BELOW);
    let lines: Vec<&str> = picture.lines().collect();
    let left_out = lines.len().saturating_sub(room);
    let shown = if left_out == 0 { lines.len() } else { room.saturating_sub(1) };
    let lines = lines.iter().take(shown);
    let mut cut: Vec<String> =
        lines.map(|line| truncate_str(line, columns, "").into_owned()).collect();
    if left_out > 0 {
        cut.push(format!("… {} more lines: make the terminal higher", left_out + 1));
    }
    cut.join("\n")
}

fn style(pictured: bool, open_end: bool) -> ProgressStyle {
    let above = if pictured { PICTURE } else { "" };
    let line = if open_end { OPEN_END } else { ONE_LINE };
    ProgressStyle::with_template(&format!("{above}{line}"))
        .unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// Where the match is: `step 7/300`; where it has no last step `round 2, step 7`.
fn place(verdict: &Verdict) -> String {
    match verdict.steps {
        0 => format!("round {}, step {}", verdict.round, verdict.step),
        steps => format!("step {}/{steps}", verdict.step),
    }
}

fn message(verdict: &Verdict, teams: &[Arc<Snapshot>], p99: Option<Duration>) -> String {
    let scores: Vec<_> = verdict
        .teams
        .iter()
        .map(|score| format!("{} {}", score.team, score.rounds.last().copied().unwrap_or(0)))
        .collect();
    let sum = teams.iter().fold(Counters::default(), |sum, team| Counters {
        decided: sum.decided + team.counters.decided,
        fallback: sum.fallback + team.counters.fallback,
        late: sum.late + team.counters.late,
        ..sum
    });
    let p99 = p99.map(|p99| format!("  p99 {:.1} ms", p99.as_secs_f64() * 1e3));
    format!(
        "{}  decided {}  fallback {}  late {}{}",
        scores.join(" : "),
        sum.decided,
        sum.fallback,
        sum.late,
        p99.unwrap_or_default()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_match_without_a_last_step_tells_its_round_instead() {
        let open = Verdict { round: 2, step: 7, ..Verdict::default() };
        assert_eq!(place(&open), "round 2, step 7");
        assert_eq!(place(&Verdict { steps: 300, ..open }), "step 7/300");
    }

    #[test]
    fn a_picture_that_is_too_large_is_cut_and_says_so() {
        let picture = "\u{1b}[31mabcdef\u{1b}[0m\nb\nc\nd";
        assert_eq!(fit(picture, 10, 80), picture);
        let small = fit(picture, 5, 3);
        let lines: Vec<_> = small.lines().map(|line| console::strip_ansi_codes(line)).collect();
        assert_eq!(lines, ["abc", "b", "… 2 more lines: make the terminal higher"]);
    }
}
