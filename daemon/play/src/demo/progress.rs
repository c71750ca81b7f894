//! A demo's progress on standard error: one updating line on a terminal, otherwise a line now and
//! then.

use console::{Term, truncate_str};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use phalanx_cli::paint::Paint;
use phalanx_engine::{
    Counters, Description, EventSeverity, EventTopic, JournalEntry, JournalEvent, Snapshot,
};
use phalanx_game::sorted::SortedMap;
use phalanx_game::{Turn, Verdict};
use phalanxd::repeats::Repeats;
use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::time::Duration;

/// Whose mistakes these are, besides the teams'.
const REFEREE: &str = "referee";

/// Lines about what went wrong that a summary holds.
const TROUBLES_MAX: usize = 20;

/// Steps per line without a terminal.
const STEPS_PER_LINE: u64 = 50;

/// The updating line. It is cut to the terminal's width, since a line that wraps flickers.
const ONE_LINE: &str = "step {pos:>4}/{len:<4} {bar:12} {wide_msg}";
/// The line for a match without a last step.
const OPEN_END: &str = "{wide_msg}";
/// The picture of the game above the line.
const PICTURE: &str = "{prefix}\n";

/// Rows of the terminal below a picture: the updating line, and one for the cursor.
const LINES_BELOW: usize = 2;

/// Shows how a match goes, on standard error.
#[derive(Debug)]
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    lines: bool,
    last: (u32, u32),
    steps: u64,
    /// The step count at the last printed line.
    lined: u64,
    /// The match has no last step.
    open_end: bool,
    /// By team, and the referee's.
    troubles: SortedMap<String, Repeats>,
    /// The first lines about what went wrong.
    kept: Vec<String>,
}

impl Progress {
    /// Chooses silence, a bar, or lines.
    pub(crate) fn new(silent: bool) -> Self {
        let terminal = std::io::stderr().is_terminal();
        let bar = (!silent && terminal).then(bar);
        Self {
            bar,
            lines: !silent && !terminal,
            last: (0, 0),
            steps: 0,
            lined: 0,
            open_end: true,
            troubles: SortedMap::new(),
            kept: Vec::new(),
        }
    }

    /// Draws the referee's picture of the game above the line.
    pub(crate) fn draw(&self, picture: &str) {
        if let (Some(bar), false) = (&self.bar, picture.is_empty()) {
            if bar.prefix().is_empty() {
                bar.set_style(style(true, self.open_end));
            }
            let (rows, columns) = Term::stderr().size();
            bar.set_prefix(fit(picture.trim_end(), rows.into(), columns.into()));
        }
    }

    /// Shows a finished step. `p99` is the 99th percentile of answer times, if the match can be
    /// asked while it runs.
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
            // An error only means that standard error is closed.
            writeln!(std::io::stderr(), "{line}").unwrap_or_default();
        }
    }

    /// An entry of a team's journal, above the living line. A mistake is not shown every time: it
    /// fails for many agents.
    pub(crate) fn event(&mut self, team: &str, entry: &JournalEntry) {
        if let JournalEvent::Generation { .. } | JournalEvent::TakenBack { .. } = entry.event {
            // From here on the same mistake is worth reporting again.
            self.sum_up(team);
        }
        let Description { severity, topic, mut text, details } = entry.describe();
        if topic == EventTopic::Trouble {
            let troubles = self.troubles.entry(team.to_owned()).or_default();
            let Some(shortened) = troubles.tell(&text) else { return };
            text = shortened;
        }
        let severity = phalanx_convert::severity(severity);
        let agent = entry.agent.as_ref().map(|agent| format!(", {agent}")).unwrap_or_default();
        let line = |paint: Paint| {
            let text = paint.event(severity, &text, &details);
            format!("team {team}{agent}, turn {}: {text}", entry.turn)
        };
        if topic == EventTopic::Trouble && self.kept.len() < TROUBLES_MAX {
            self.kept.push(line(Paint::none()));
        }
        let line = line(Paint::stderr());
        // Lines of scripts are here only if they are asked for: with `--json`, too.
        if topic == EventTopic::Script { self.put(line) } else { self.print(line) }
    }

    /// A mistake that the referee reports: of its own scripts, or in what a client sent.
    pub(crate) fn notice(&mut self, text: &str) {
        let seen = self.troubles.entry(REFEREE.to_owned()).or_default();
        let Some(text) = seen.tell(text) else { return };
        let line = format!("referee: {text}");
        if self.kept.len() < TROUBLES_MAX {
            self.kept.push(line.clone());
        }
        self.print(line);
    }

    /// The first lines about what went wrong, each mistake once.
    pub(crate) fn troubles(&self) -> Vec<String> {
        self.kept.clone()
    }

    /// Prints how often each message was repeated, and resets the counts.
    fn sum_up(&mut self, team: &str) {
        for line in self.troubles.remove(team).unwrap_or_default().take() {
            let who = if team == REFEREE { REFEREE.to_owned() } else { format!("team {team}") };
            self.print(format!("{who}, {line}"));
        }
    }

    fn print(&self, line: String) {
        if self.bar.is_some() || self.lines {
            self.put(line);
        }
    }

    fn put(&self, line: String) {
        match &self.bar {
            Some(bar) => bar.println(line),
            // An error only means that standard error is closed.
            None => writeln!(std::io::stderr(), "{line}").unwrap_or_default(),
        }
    }

    /// Ends the display when the match is over; returns the steps played over all rounds. With
    /// `stay` the last state remains on the terminal.
    pub(crate) fn finish(&mut self, stay: bool) -> u64 {
        let teams: Vec<_> = self.troubles.keys().cloned().collect();
        for team in teams {
            self.sum_up(&team);
        }
        if let Some(bar) = &self.bar {
            if stay { bar.abandon() } else { bar.finish_and_clear() }
        }
        self.steps
    }
}

/// Whether a demo shows an event: trouble, what changes while it plays, and with `logs` what
/// scripts log.
pub(crate) fn is_shown(event: &JournalEvent, logs: bool) -> bool {
    match event.topic() {
        EventTopic::Trouble => true,
        EventTopic::Script => logs,
        EventTopic::Strategy | EventTopic::Steering | EventTopic::Team | EventTopic::Board => {
            event.severity() > EventSeverity::Debug
        }
        EventTopic::Alert | EventTopic::Seat | EventTopic::Match => false,
    }
}

fn bar() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
    bar.set_style(style(false, true));
    bar.set_message("The teams log in.");
    bar
}

/// Cuts a picture to the terminal above the line, in rows and columns, and counts the rows that are
/// left out.
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

/// Where the match is: `step 7/300`; where it has no last step the turn, `1:7`.
fn place(verdict: &Verdict) -> String {
    match verdict.steps {
        0 => format!("turn {}", Turn::new(verdict.round.saturating_sub(1), verdict.step)),
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
    fn a_match_without_a_last_step_tells_its_turn_instead() {
        let open = Verdict { round: 2, step: 7, ..Verdict::default() };
        assert_eq!(place(&open), "turn 1:7");
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
