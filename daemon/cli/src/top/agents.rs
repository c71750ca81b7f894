//! The agents of the selected team: a line each with the outcome of their last turns, and details
//! of the selected agent.

use super::cockpit::{Cockpit, Pane, steering_word};
use super::draw::title;
use super::heat::Outcome;
use super::overview::brief;
use crate::paint::Ink;
use crate::remote::{seat_word, steering_text};
use crate::terminal::{around, bold, dim, fit, framed, inner, style, trouble};
use phalanx_proto::v1::{Agent, SeatState};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};

/// Names and roles up to this width are shown in full.
const NAME_MAX: usize = 12;
const ROLE_MAX: usize = 10;
/// Width of a time and a count.
const SPENT: usize = 5;
const COUNT: usize = 3;
/// Smallest and largest width of the strip of turns.
const STRIP: (usize, usize) = (8, 120);
/// Terminal widths from which the action, then the reason, is shown.
const ACTION_COLUMNS: usize = 58;
const REASON_COLUMNS: usize = 70;
/// Rows of the details, and the smallest height that has room for them.
const DETAIL: (usize, usize) = (3, 8);

/// The width of each column; 0: hidden.
struct Widths {
    name: usize,
    role: usize,
    strip: usize,
    action: usize,
    reason: usize,
}

impl Widths {
    fn of(cockpit: &Cockpit, columns: usize) -> Self {
        let widest = |pick: fn(&Agent) -> &str, most: usize| {
            let all = cockpit.agents().iter().map(|agent| pick(agent).chars().count());
            all.max().unwrap_or_default().min(most)
        };
        let name = widest(|agent| &agent.name, NAME_MAX).max(5);
        // Who steers an agent is shown in place of its role.
        let role = widest(|agent| &agent.role, ROLE_MAX).max(7);
        let rest = columns.saturating_sub(name + role + SPENT + COUNT + 4);
        let action = if columns >= ACTION_COLUMNS { (rest / 4).min(24) } else { 0 };
        let reason = if columns >= REASON_COLUMNS { rest / 3 } else { 0 };
        let gaps = usize::from(action > 0) + usize::from(reason > 0);
        let strip = rest.saturating_sub(action + reason + gaps).clamp(STRIP.0, STRIP.1);
        Self { name, role, strip, action, reason }
    }
}

/// The rows that a pane with all agents takes.
pub(super) fn rows(cockpit: &Cockpit) -> usize {
    // The heads, a gap and the frame.
    cockpit.agents().len() + DETAIL.0 + 4
}

pub(super) fn draw(frame: &mut Frame<'_>, cockpit: &Cockpit, area: Rect) {
    let (columns, rows) = inner(area);
    let agents = cockpit.agents();
    let widths = Widths::of(cockpit, columns);
    let turns = cockpit.heat.len().min(widths.strip);
    let text = match agents.len() {
        0 => "1 agents".to_owned(),
        count => format!("1 agents ({count}), last {turns} turns"),
    };
    let titled = title(cockpit, Pane::Agents, &text);
    if agents.is_empty() {
        let text = if cockpit.team.is_some() { "the team has no agents" } else { "no data yet" };
        return framed(frame, titled, text, area);
    }
    let (detail, least) = DETAIL;
    let detail = if rows >= least { detail } else { 0 };
    let chosen = cockpit.chosen();
    let shown = around(chosen, agents.len(), rows.saturating_sub(detail + 1));
    let mut lines = vec![heads(&widths)];
    for (index, agent) in agents.iter().enumerate().skip(shown.start).take(shown.len()) {
        let line = row(cockpit, agent, &widths);
        lines.push(if index == chosen { line.style(Modifier::REVERSED) } else { line });
    }
    if let Some(agent) = agents.get(chosen).filter(|_| detail > 0) {
        // The details are at the bottom.
        lines.resize(rows.saturating_sub(detail), Line::default());
        lines.extend(about(cockpit, agent, columns));
    }
    framed(frame, titled, lines, area);
}

fn heads(widths: &Widths) -> Line<'static> {
    let mut text = format!(
        "{} {} {} {} {}",
        fit("AGENT", widths.name),
        fit("ROLE", widths.role),
        fit("TIME", SPENT),
        fit("BAD", COUNT),
        fit("TURNS", widths.strip),
    );
    for (what, wide) in [("ACTION", widths.action), ("WHY", widths.reason)] {
        if wide > 0 {
            text.push_str(&format!(" {}", fit(what, wide)));
        }
    }
    Line::styled(text, dim())
}

fn row(cockpit: &Cockpit, agent: &Agent, widths: &Widths) -> Line<'static> {
    let track = cockpit.tracks.get(&agent.name);
    let seated = agent.seat_state() == SeatState::Seated;
    let name = if seated { ratatui::style::Style::new() } else { style(Ink::Red).patch(bold()) };
    let role = match (steering_word(agent), seated) {
        ("", true) => Span::raw(fit(&agent.role, widths.role)),
        ("", false) => {
            Span::styled(fit(&seat_word(agent.seat_state()), widths.role), style(Ink::Red))
        }
        (steered, _) => Span::styled(fit(steered, widths.role), style(Ink::Yellow).patch(bold())),
    };
    let spent = track.map(|track| brief(track.spent)).unwrap_or_default();
    let troubles = track.map_or(0, |track| track.troubles);
    let ink = if troubles > 0 { style(Ink::Red) } else { dim() };
    let gap = || Span::raw(" ");
    let mut spans = vec![
        Span::styled(fit(&agent.name, widths.name), name),
        gap(),
        role,
        gap(),
        Span::raw(fit(&spent, SPENT)),
        gap(),
        Span::styled(fit(&troubles.to_string(), COUNT), ink),
        gap(),
    ];
    spans.extend(strip(cockpit, &agent.name, widths.strip));
    if widths.action > 0 {
        spans.push(gap());
        spans.push(Span::raw(fit(&agent.last_action, widths.action)));
    }
    if widths.reason > 0 {
        let (text, ink) = why(agent);
        spans.push(gap());
        spans.push(Span::styled(fit(text, widths.reason), ink));
    }
    Line::from(spans)
}

/// Why its last turn had this outcome.
fn why(agent: &Agent) -> (&str, ratatui::style::Style) {
    match (agent.trouble.as_str(), agent.seat_reason.as_str()) {
        ("", "") => (&agent.reason, ratatui::style::Style::new()),
        ("", seat) => (seat, style(Ink::Red)),
        (trouble, _) => (trouble, style(Ink::Red)),
    }
}

/// The outcomes of the last turns, the newest on the right.
fn strip(cockpit: &Cockpit, agent: &str, columns: usize) -> Vec<Span<'static>> {
    let outcomes = cockpit.heat.strip(agent, columns);
    let missing = columns.saturating_sub(outcomes.len());
    let mut spans = vec![Span::raw(" ".repeat(missing))];
    // Equal neighbours form one span.
    for run in outcomes.chunk_by(|a, b| a == b) {
        let outcome = run.first().copied().flatten();
        let sign = outcome.map_or(' ', Outcome::sign);
        let ink = match outcome {
            None => ratatui::style::Style::new(),
            Some(Outcome::Decided) => style(Ink::Green),
            Some(Outcome::Ordered) => style(Ink::Cyan),
            Some(Outcome::Held) => style(Ink::Yellow),
            Some(Outcome::Fallback | Outcome::Defaulted | Outcome::Late) => trouble(),
        };
        spans.push(Span::styled(sign.to_string().repeat(run.len()), ink));
    }
    spans
}

/// Three lines about one agent: its state, its action, the reason.
fn about(cockpit: &Cockpit, agent: &Agent, columns: usize) -> [Line<'static>; 3] {
    let seat = match (agent.seat_state(), agent.seat_reason.as_str()) {
        (SeatState::Seated, _) => String::new(),
        (state, "") => format!(", {}", seat_word(state)),
        (state, reason) => format!(", {}: {reason}", seat_word(state)),
    };
    let steered = match steering_word(agent) {
        "" => String::new(),
        _ => {
            format!(", {}", steering_text(&agent.steering.clone().unwrap_or_default()))
        }
    };
    let what = format!("{} {}{steered}{seat} {}", agent.name, agent.role, agent.summary);
    let answer = match agent.last_result.as_str() {
        "" => String::new(),
        result => format!(" → {result}"),
    };
    let times = cockpit.tracks.get(&agent.name).map(|track| {
        let (spent, longest) = (brief(track.spent), brief(track.longest));
        let (troubles, turns) = (track.troubles, track.turns);
        format!(", {spent} (at most {longest}), {troubles} of {turns} turns failed")
    });
    let did = format!("did {}{answer}{}", agent.last_action, times.unwrap_or_default());
    let (text, ink) = why(agent);
    let because = match text {
        "" => String::new(),
        text => format!("for {text}"),
    };
    [
        Line::styled(fit(&what, columns), bold()),
        Line::from(fit(&did, columns)),
        Line::styled(fit(&because, columns), ink),
    ]
}
