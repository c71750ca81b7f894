//! Draws the full-screen view.

use super::agents;
use super::cockpit::{Cockpit, Notice, Pane, Question};
use super::keys::HELP;
use super::overview;
use crate::paint::Ink;
use crate::remote::short;
use crate::terminal::map::{MapPage, page};
use crate::terminal::{bold, dim, fit, framed, help, inner, plain, popup, style, too_small};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Paragraph, Wrap};

/// A smaller terminal cannot show anything useful.
const ROOM_MIN: (u16, u16) = (36, 8);
/// From this size on there is room for more than one pane.
const ROOM_ALL: (u16, u16) = (70, 18);
/// From this size on the map has a column of its own.
const ROOM_LARGE: (u16, u16) = (150, 40);
/// From this width on the agents' table has more columns.
const WIDE: u16 = 110;
/// Rows of the event pane: the divisor of the height, and the minimum.
const EVENTS: (u16, u16) = (5, 5);
/// Roles that are listed, at most.
const ROLES_ROWS: usize = 10;
/// Rows of the daemon's message, at most.
const NOTICE_ROWS: u16 = 3;
/// Width of a question.
const QUESTION_COLUMNS: usize = 60;

/// Draws the whole view.
pub(super) fn draw(frame: &mut Frame<'_>, cockpit: &Cockpit) {
    if too_small(frame, ROOM_MIN) {
        return;
    }
    let area = frame.area();
    let all = area.width >= ROOM_ALL.0 && area.height >= ROOM_ALL.1;
    let table = if all { overview::rows(cockpit, area.height) } else { 0 };
    let rows = [
        Constraint::Length(1),
        Constraint::Length(table),
        Constraint::Length(1),
        Constraint::Min(4),
        Constraint::Length(bottom_rows(cockpit, area.width)),
    ];
    let [head, teams, figures, body, foot] = Layout::vertical(rows).areas(area);
    frame.render_widget(overview::head(cockpit, usize::from(head.width)), head);
    if table > 0 {
        frame.render_widget(overview::teams(cockpit, (teams.width, teams.height)), teams);
    }
    frame.render_widget(overview::figures(cockpit, all), figures);
    let large = area.width >= ROOM_LARGE.0 && area.height >= ROOM_LARGE.1;
    if large && !cockpit.zoomed {
        let halves = [Constraint::Percentage(54), Constraint::Percentage(46)];
        let [left, right] = Layout::horizontal(halves).areas(body);
        let agents = u16::try_from(agents::rows(cockpit)).unwrap_or(u16::MAX);
        let rows = [Constraint::Length(agents.min(left.height * 3 / 5)), Constraint::Min(8)];
        let [upper, lower] = Layout::vertical(rows).areas(left);
        pane(frame, cockpit, Pane::Agents, upper);
        pane(frame, cockpit, Pane::Map, right);
        pane(frame, cockpit, Pane::Events, lower);
    } else if all && !cockpit.zoomed {
        let (part, least) = EVENTS;
        let rows = [Constraint::Min(6), Constraint::Length((area.height / part).max(least))];
        let [upper, lower] = Layout::vertical(rows).areas(body);
        let share = if area.width < WIDE { 56 } else { 62 };
        let halves = [Constraint::Percentage(share), Constraint::Percentage(100 - share)];
        let [left, right] = Layout::horizontal(halves).areas(upper);
        pane(frame, cockpit, Pane::Agents, left);
        pane(frame, cockpit, Pane::Map, right);
        pane(frame, cockpit, Pane::Events, lower);
    } else {
        pane(frame, cockpit, cockpit.pane, body);
    }
    let text = Paragraph::new(bottom(cockpit, usize::from(foot.width)));
    frame.render_widget(text.wrap(Wrap { trim: false }), foot);
    match &cockpit.question {
        Some(Question::Role { agent, typed, at }) => roles(frame, cockpit, (agent, typed, *at)),
        Some(Question::RollBack(_) | Question::Search(_)) | None => {}
    }
    if cockpit.help {
        help(frame, HELP, area);
    }
}

fn pane(frame: &mut Frame<'_>, cockpit: &Cockpit, pane: Pane, area: Rect) {
    match pane {
        Pane::Agents => agents::draw(frame, cockpit, area),
        Pane::Map => map(frame, cockpit, area),
        Pane::Events => events(frame, cockpit, area),
    }
}

/// The title of a pane; the focused one is highlighted.
pub(super) fn title(cockpit: &Cockpit, pane: Pane, text: &str) -> Line<'static> {
    let text = format!(" {} ", plain(text));
    let has_keys = cockpit.pane == pane;
    Line::styled(text, if has_keys { bold().add_modifier(Modifier::REVERSED) } else { bold() })
}

fn map(frame: &mut Frame<'_>, cockpit: &Cockpit, area: Rect) {
    let titled = |text: &str| title(cockpit, Pane::Map, text);
    let Some(world) = &cockpit.world else {
        return framed(frame, titled("2 map"), "no map yet", area);
    };
    let look = cockpit.look();
    let MapPage { picture, lines, room } = page(world, look, &cockpit.graphs, inner(area));
    cockpit.map_room.set(room);
    // Names of parts may be long, so the scroll position comes before them.
    let around = match (look.around, look.agent) {
        (Some(_), _) => "moved: ".to_owned(),
        (None, "") => String::new(),
        (None, agent) => format!("at {agent}: "),
    };
    let cut = if world.cut { "cut, " } else { "" };
    let name = match (picture.layer.as_str(), picture.part.as_str()) {
        ("", "") => "map".to_owned(),
        ("", part) => part.to_owned(),
        (layer, part) => format!("{layer}, {part}"),
    };
    framed(frame, titled(&format!("2 {cut}{around}{name}")), lines, area);
}

fn events(frame: &mut Frame<'_>, cockpit: &Cockpit, area: Rect) {
    let (columns, rows) = inner(area);
    let only = cockpit.only_agent();
    let shown = cockpit.feed.shown(cockpit.filter, only, &cockpit.search);
    let mut lines: Vec<_> = shown
        .skip(cockpit.back)
        .take(rows)
        .map(|line| {
            Line::styled(fit(&line.text, columns), line.ink().map(style).unwrap_or_default())
        })
        .collect();
    lines.reverse();
    let mut text = format!("3 {}", cockpit.filter.word());
    if let Some(agent) = only {
        text.push_str(&format!(" of {agent}"));
    }
    if !cockpit.search.is_empty() {
        text.push_str(&format!(" with {:?}", cockpit.search));
    }
    if cockpit.back > 0 {
        text.push_str(&format!(", {} back", cockpit.back));
    }
    framed(frame, title(cockpit, Pane::Events, &text), lines, area);
}

/// The role question: lists the roles that begin with the typed text.
fn roles(frame: &mut Frame<'_>, cockpit: &Cockpit, (agent, typed, at): (&str, &str, usize)) {
    let known = cockpit.roles_like(typed);
    let shown = crate::terminal::around(at, known.len(), ROLES_ROWS);
    let first = shown.start;
    let listed = known.iter().enumerate().skip(first).take(shown.len()).map(|(index, role)| {
        let line = Line::from(format!("  {}", plain(role)));
        if index == at { line.style(bold().add_modifier(Modifier::REVERSED)) } else { line }
    });
    let mut lines = vec![Line::from(format!("{}▏", plain(typed)))];
    lines.extend(listed);
    lines.push(Line::styled("type or ↑ ↓, Enter; Esc cancels", dim()));
    let title = format!(" role of {} ", plain(agent));
    popup(frame, &title, lines, QUESTION_COLUMNS, frame.area());
}

/// The daemon's reason for a refusal may take more than one line.
fn bottom_rows(cockpit: &Cockpit, width: u16) -> u16 {
    let (None, Some(Notice::Good(text) | Notice::Bad(text))) = (&cockpit.question, &cockpit.notice)
    else {
        return 1;
    };
    let count = text.chars().count();
    // Words that do not fit at the end of a line need some room, too.
    let rows = (count + count / 8) / usize::from(width.max(1)) + 1;
    u16::try_from(rows).unwrap_or(u16::MAX).min(NOTICE_ROWS)
}

fn bottom(cockpit: &Cockpit, columns: usize) -> Line<'static> {
    match (&cockpit.question, &cockpit.notice) {
        (Some(Question::RollBack(_)), _) => {
            let team = cockpit.team.as_ref();
            let (name, number) = team.map_or(("", 0), |team| (short(&team.name), team.generation));
            let text = format!(
                " roll the strategy of {name} back from generation {number} to the one before? y/n"
            );
            Line::styled(fit(&text, columns), style(Ink::Yellow).patch(bold()))
        }
        (Some(Question::Search(typed)), _) => {
            Line::from(fit(&format!(" events with {typed}▏ (Enter; empty: all; Esc)"), columns))
        }
        (_, Some(Notice::Bad(why))) => Line::styled(plain(&format!(" {why}")), style(Ink::Red)),
        (_, Some(Notice::Good(what))) => {
            Line::styled(plain(&format!(" {what}")), style(Ink::Green))
        }
        (Some(Question::Role { .. }) | None, None) => keys(cockpit, columns),
    }
}

fn keys(cockpit: &Cockpit, columns: usize) -> Line<'static> {
    let here: &[(&str, &str)] = match cockpit.pane {
        Pane::Agents => &[("↑↓", "agent")],
        Pane::Map => &[("↑↓←→", "move"), ("f", "follow"), ("m", "layer")],
        Pane::Events => &[("↑↓", "back"), ("e", "filter"), ("/", "text")],
    };
    let common = [
        ("p", "pause"),
        ("r", "role"),
        ("R", "roll back"),
        ("Tab", "pane"),
        ("t", "team"),
        ("z", "zoom"),
    ];
    // If there is no room for all of them, these two stay.
    let last = [("?", "help"), ("q", "quit")];
    let wide = |(key, what): &(&str, &str)| key.chars().count() + what.chars().count() + 3;
    let mut room = columns.saturating_sub(last.iter().map(wide).sum());
    let mut shown = Vec::new();
    for key in here.iter().chain(&common) {
        if wide(key) <= room {
            room -= wide(key);
            shown.push(*key);
        }
    }
    let spans = shown.into_iter().chain(last).flat_map(|(key, what)| {
        [Span::styled(format!(" {key} "), bold()), Span::styled(format!("{what} "), dim())]
    });
    Line::from(spans.collect::<Vec<_>>())
}
