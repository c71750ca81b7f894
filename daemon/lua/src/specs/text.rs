//! The report for people: the specs as a tree, failures with their lines, coverage, a summary.

use super::{FileCoverage, SpecCase, SpecDifference, SpecOutcome, SpecReport};
use anstyle::{AnsiColor, Style};
use std::fmt::Write as _;

const GOOD: Style = AnsiColor::Green.on_default();
const BAD: Style = AnsiColor::Red.on_default().bold();
const ODD: Style = AnsiColor::Yellow.on_default();
const FAINT: Style = Style::new().dimmed();
const TITLE: Style = Style::new().bold();

/// Longest list of line ranges in the table of coverage, in characters.
const RANGES_CHARS_MAX: usize = 60;
/// A file with less than this of its lines run is marked, in percent.
const COVERED_WELL: f64 = 80.0;

struct ReportText {
    text: String,
    colours: bool,
}

pub(super) fn render(report: &SpecReport, colours: bool) -> String {
    let mut page = ReportText { text: String::new(), colours };
    page.tree(&report.cases);
    for failure in &report.load_failures {
        let what = format!("{}: {}", failure.file, failure.message);
        page.line(0, BAD, &format!("✗ {}", clean(&what)));
        page.excerpt(report, &failure.file, failure.line);
    }
    let mut number = 0;
    for case in &report.cases {
        if case.outcome.failed() {
            number += 1;
            page.failure(report, case, number);
        }
    }
    page.coverage(report);
    page.summary(report);
    page.text
}

/// One line for each place that differs.
pub(super) fn differences(diff: &[SpecDifference], more: usize) -> Vec<String> {
    let line = |one: &SpecDifference| {
        let path = if one.path.is_empty() { "the value" } else { &one.path };
        format!("{path}: expected {}, got {}", one.expected, one.got)
    };
    let mut lines: Vec<_> = diff.iter().map(line).collect();
    if more > 0 {
        lines.push(format!("… and {more} more"));
    }
    lines
}

/// Texts of scripts must not steer the terminal.
fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' { '\u{fffd}' } else { c }).collect()
}

impl ReportText {
    fn line(&mut self, indent: usize, style: Style, text: &str) {
        let pad = " ".repeat(indent);
        // Writing to a string cannot fail.
        let written = if self.colours {
            writeln!(self.text, "{pad}{style}{text}{style:#}")
        } else {
            writeln!(self.text, "{pad}{text}")
        };
        written.unwrap_or_default();
    }

    fn tree(&mut self, cases: &[SpecCase]) {
        let mut file = "";
        let mut open: &[String] = &[];
        for case in cases {
            if case.file != file {
                (file, open) = (&case.file, &[]);
                self.line(0, TITLE, file);
            }
            let Some((name, blocks)) = case.path.split_last() else { continue };
            let shared = open.iter().zip(blocks).take_while(|(a, b)| a == b).count();
            for (depth, block) in blocks.iter().enumerate().skip(shared) {
                self.line(2 * depth + 2, Style::new(), &clean(block));
            }
            open = blocks;
            let (mark, style) = match case.outcome {
                SpecOutcome::Passed => ('✓', GOOD),
                SpecOutcome::Failed { .. } => ('✗', BAD),
                SpecOutcome::Skipped => ('-', ODD),
            };
            self.line(2 * blocks.len() + 2, style, &format!("{mark} {}", clean(name)));
        }
    }

    fn failure(&mut self, report: &SpecReport, case: &SpecCase, number: usize) {
        let SpecOutcome::Failed { message, place, diff, more, .. } = &case.outcome else { return };
        self.line(0, BAD, &format!("\n{number}) {}", clean(&case.name())));
        for line in clean(message).lines() {
            self.line(3, Style::new(), line);
        }
        let (file, line) = place.clone().unwrap_or_else(|| (case.file.clone(), case.line));
        self.excerpt(report, &file, Some(line));
        if file != case.file {
            self.line(3, FAINT, &format!("in the spec at {}:{}", case.file, case.line));
        }
        for line in differences(diff, *more) {
            self.line(5, ODD, &clean(&line));
        }
        for line in &case.lines {
            self.line(3, FAINT, &format!("| {}", clean(line)));
        }
    }

    fn excerpt(&mut self, report: &SpecReport, file: &str, line: Option<u32>) {
        let Some(line) = line else { return };
        self.line(3, FAINT, &format!("at {file}:{line}"));
        let index = usize::try_from(line).ok().and_then(|line| line.checked_sub(1));
        let source = report.sources.get(file).zip(index);
        if let Some(text) = source.and_then(|(source, index)| source.lines().nth(index)) {
            let text = crate::failure::cut(&clean(text.trim_end()), 160);
            self.line(3, Style::new(), &format!("{line:>5} | {text}"));
        }
    }

    fn coverage(&mut self, report: &SpecReport) {
        let width = report.coverage.keys().map(String::len).max().unwrap_or(0);
        if width == 0 {
            return;
        }
        self.line(0, TITLE, "\nLines that ran");
        for (file, covered) in &report.coverage {
            let (ran, all) = covered.counts();
            let percent = covered.percent();
            let style = if percent < COVERED_WELL { ODD } else { GOOD };
            let rest = missed(covered);
            let rest = if rest.is_empty() { rest } else { format!("  not {rest}") };
            let text = format!("{file:width$}  {percent:5.1} %  {ran:>4} of {all:<4}{rest}");
            self.line(2, style, text.trim_end());
        }
    }

    fn summary(&mut self, report: &SpecReport) {
        let (failed, skipped) = (report.failed_count(), report.skipped_count());
        let mut text = format!("\n{} passed, {failed} failed", report.passed_count());
        if skipped > 0 {
            text.push_str(&format!(", {skipped} skipped"));
        }
        if report.left_out > 0 {
            text.push_str(&format!(", {} left out by the filter", report.left_out));
        }
        text.push_str(&format!(", in {:.2} s", report.spent.as_secs_f64()));
        self.line(0, if failed > 0 { BAD } else { GOOD }, &text);
    }
}

/// The lines that did not run, as ranges: lines without code do not end one.
fn missed(covered: &FileCoverage) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    let mut running = false;
    for (line, hits) in &covered.lines {
        match ranges.last_mut() {
            Some((_, end)) if *hits == 0 && running => *end = *line,
            _other if *hits == 0 => ranges.push((*line, *line)),
            _other => {}
        }
        running = *hits == 0;
    }
    let range = |(from, to): &(u32, u32)| {
        if from == to { from.to_string() } else { format!("{from}-{to}") }
    };
    let text = ranges.iter().map(range).collect::<Vec<_>>().join(", ");
    crate::failure::cut(&text, RANGES_CHARS_MAX)
}
