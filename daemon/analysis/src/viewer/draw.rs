//! Draws a turn.

use super::lines::summary;
use super::player::Player;
use super::reel::{Reel, is_trouble};
use phalanx_cli::paint::Ink;
use phalanx_cli::remote::values;
use phalanx_cli::terminal::map::{Look, MapPage, page};
use phalanx_cli::terminal::{around, dim, fit, framed, help, inner, style, too_small};
use phalanx_exchange::{DeedKind, PlayedAgent, PlayedTurn};
use phalanx_game::sorted::SortedMap;
use phalanx_proto::v1::match_event::Kind;
use phalanx_proto::v1::{Grounds, MatchEvent};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

/// A smaller terminal cannot show anything useful.
const ROOM_MIN: (u16, u16) = (40, 12);
/// From this size on the agents and the turns of the selected one are shown together.
const ROOM_LARGE: (u16, u16) = (120, 40);
/// Rows that the turns of the selected agent have at least, with their frame, below the agents: so
/// a team of twenty fits a terminal of [`ROOM_LARGE`].
const HISTORY_ROWS: u16 = 10;
/// Rows for the selected agent.
const DETAIL_ROWS: u16 = 5;
/// Width of the labels in the details.
const LABEL: usize = 9;
/// From this width on the table has reasons, too.
const REASON_COLUMNS: usize = 48;
/// The keys with their descriptions.
const HELP: &[(&str, &str)] = &[
    ("space", "play, pause"),
    ("→ ←", "next, previous turn"),
    ("PgDn PgUp", "ten turns on, back"),
    ("Home End", "first, last turn"),
    ("n p", "next, previous trouble"),
    ("+ -", "twice, half as fast"),
    ("118 Enter", "go to step 118; also 2:118 and 50%"),
    ("↓ ↑ Tab", "select another agent"),
    ("Enter f", "only this agent, turn by turn; again: all"),
    ("b", "the board instead of the map"),
    ("m w", "another layer, another part of the world"),
    ("q Esc", "leave"),
];

/// Draws the present turn.
pub(super) fn draw(frame: &mut Frame<'_>, reel: &Reel, player: &Player) {
    let area = frame.area();
    let Some(turn) = reel.turn(player.at) else { return };
    if too_small(frame, ROOM_MIN) {
        return;
    }
    let rows = [
        Constraint::Length(1),
        Constraint::Min(4),
        Constraint::Length(DETAIL_ROWS),
        Constraint::Length(1),
        Constraint::Length(1),
    ];
    let [head, body, detail, time, foot] = Layout::vertical(rows).areas(area);
    let large = area.width >= ROOM_LARGE.0 && area.height >= ROOM_LARGE.1;
    let halves = [Constraint::Percentage(45), Constraint::Percentage(55)];
    let [left, right] = Layout::horizontal(halves).areas(body);
    frame.render_widget(title(reel, player, turn, head.width), head);
    let name = reel.agents.get(player.agent).map_or("", String::as_str);
    if player.board {
        board(frame, reel, player, left);
    } else {
        map(frame, reel, player, name, left);
    }
    if player.alone {
        history(frame, reel, player, name, right);
    } else if large {
        let agents_rows = u16::try_from(reel.agents.len() + 2).unwrap_or(u16::MAX);
        let agents_rows = agents_rows.min(right.height.saturating_sub(HISTORY_ROWS));
        let rows = [Constraint::Length(agents_rows), Constraint::Min(HISTORY_ROWS)];
        let [upper, lower] = Layout::vertical(rows).areas(right);
        agents(frame, reel, player, turn, upper);
        history(frame, reel, player, name, lower);
    } else {
        agents(frame, reel, player, turn, right);
    }
    draw_caption(frame, turn, name, detail);
    frame.render_widget(timeline(reel, player, time.width), time);
    frame.render_widget(bottom(player, reel), foot);
    if player.help {
        help(frame, HELP, area);
    }
}

fn title(reel: &Reel, player: &Player, turn: &PlayedTurn, width: u16) -> Line<'static> {
    let (round, step) = (turn.turn.round, turn.turn.step);
    let seconds = turn.nanos / 1_000_000_000;
    let (team, game) = (&reel.info.team, &reel.info.game);
    let generation = turn.agents.iter().flat_map(|agent| &agent.events).next();
    let generation = generation.map_or(String::new(), |event| format!(" gen {}", event.generation));
    let sign = if player.plays { "▶" } else { "❚❚" };
    let clock = format!("{}:{:02}", seconds / 60, seconds % 60);
    let summary = summary(turn);
    let left = format!(" {team} {game}  {round}:{step}  {clock}  {summary}{generation}");
    let right = format!("{sign} {}× ", player.speed);
    let room = usize::from(width).saturating_sub(right.chars().count());
    Line::from(fit(&left, room) + &right).style(Style::new().add_modifier(Modifier::REVERSED))
}

fn map(frame: &mut Frame<'_>, reel: &Reel, player: &Player, agent: &str, area: Rect) {
    let Some((drawn, world)) = reel.world(player.at) else {
        return framed(frame, " map ", "no picture was recorded yet", area);
    };
    let look = Look { agent, part: player.part, layer: player.layer, around: None };
    let MapPage { picture, lines, .. } = page(world, look, &player.graphs, inner(area));
    let name = [picture.part, picture.layer].join(" ");
    let name = name.trim_end();
    let title = match (player.at.checked_sub(drawn), drawn.saturating_sub(player.at)) {
        (Some(0), _) => format!(" {name} "),
        (Some(1), _) => format!(" {name}, a turn ago "),
        (Some(ago), _) => format!(" {name}, {ago} turns ago "),
        (None, 1) => format!(" {name}, a turn later "),
        (None, later) => format!(" {name}, {later} turns later "),
    };
    framed(frame, title, lines, area);
}

/// The contents of the board at that turn, the latest changes first.
fn board(frame: &mut Frame<'_>, reel: &Reel, player: &Player, area: Rect) {
    let mut known: SortedMap<&str, (usize, String)> = SortedMap::new();
    for (at, turn) in reel.turns.iter().enumerate().take(player.at + 1) {
        for changes in &turn.board {
            if changes.reset {
                known.clear();
            }
            for key in &changes.gone {
                known.remove(key.as_str());
            }
            for entry in &changes.entries {
                let value = match entry.claim_holder.as_str() {
                    "" => values::text(entry.value.as_ref()),
                    holder => format!("held by {holder}"),
                };
                known.insert(&entry.key, (at, value));
            }
        }
    }
    let count = known.len();
    let mut newest: Vec<_> = known.into_iter().collect();
    newest.sort_by_key(|(key, (at, _))| (std::cmp::Reverse(*at), *key));
    let (columns, rows) = inner(area);
    let line = |(key, (at, value)): (&str, (usize, String))| {
        let new = at == player.at;
        let line = Line::from(fit(&format!("{key} = {value}"), columns));
        if new { line.style(style(Ink::Yellow)) } else { line }
    };
    let lines: Vec<_> = newest.into_iter().take(rows).map(line).collect();
    framed(frame, format!(" board, {count} keys "), lines, area);
}

/// An agent's action in a line: action, result, reason.
fn deed(own: Option<&PlayedAgent>, columns: usize) -> (String, Style) {
    let Some(own) = own else { return ("-".to_owned(), dim()) };
    let Some(deed) = own.deed() else { return ("?".to_owned(), dim()) };
    let action = match (deed.kind, deed.action) {
        (DeedKind::Fallback, _) => format!("FALLBACK {}", deed.reason),
        (DeedKind::Held, _) => "held".to_owned(),
        (DeedKind::Defaulted, _) => "DEFAULTED".to_owned(),
        (DeedKind::Decided | DeedKind::Ordered, action) => action.to_owned(),
    };
    let late = if deed.late { " LATE" } else { "" };
    let colour = if own.is_trouble() { style(Ink::Red) } else { Style::new() };
    let text = format!("{action}{late}");
    if columns < REASON_COLUMNS {
        let result = columns.saturating_sub(1) / 3;
        let room = columns.saturating_sub(result + 1);
        return (format!("{} {}", fit(&text, room), fit(&own.result, result)), colour);
    }
    let (action, result) = (columns / 4, columns / 5);
    let reason = columns.saturating_sub(action + result + 2);
    let why = if deed.kind == DeedKind::Decided { deed.reason } else { "" };
    let shown = [fit(&text, action), fit(&own.result, result), fit(why, reason)];
    (shown.join(" "), colour)
}

fn agents(frame: &mut Frame<'_>, reel: &Reel, player: &Player, turn: &PlayedTurn, area: Rect) {
    let (columns, rows) = inner(area);
    let widest = reel.agents.iter().map(|name| name.chars().count()).max().unwrap_or_default();
    let widest = widest.min(columns / 3);
    let shown = around(player.agent, reel.agents.len(), rows);
    let names = reel.agents.iter().enumerate().skip(shown.start).take(shown.len());
    let line = |(index, name): (usize, &String)| {
        let (text, colour) = deed(turn.agent(name), columns.saturating_sub(widest + 1));
        let chosen = index == player.agent;
        let colour = if chosen { colour.add_modifier(Modifier::REVERSED) } else { colour };
        Line::styled(format!("{} {text}", fit(name, widest)), colour)
    };
    let lines: Vec<_> = names.map(line).collect();
    framed(frame, format!(" {} agents ", reel.agents.len()), lines, area);
}

/// One agent, turn by turn.
fn history(frame: &mut Frame<'_>, reel: &Reel, player: &Player, name: &str, area: Rect) {
    let (columns, rows) = inner(area);
    let shown = around(player.at, reel.turns.len(), rows);
    let turns = reel.turns.iter().enumerate().skip(shown.start).take(shown.len());
    let line = |(index, turn): (usize, &PlayedTurn)| {
        let place = format!("{}:{}", turn.turn.round, turn.turn.step);
        let (text, colour) = deed(turn.agent(name), columns.saturating_sub(LABEL));
        let chosen = index == player.at;
        let colour = if chosen { colour.add_modifier(Modifier::REVERSED) } else { colour };
        Line::styled(format!("{} {text}", fit(&place, LABEL - 1)), colour)
    };
    framed(frame, format!(" {name}, turn by turn "), turns.map(line).collect::<Vec<_>>(), area);
}

/// The selected agent in detail, then the other events.
fn draw_caption(frame: &mut Frame<'_>, turn: &PlayedTurn, name: &str, area: Rect) {
    let mut lines = Vec::new();
    match turn.agent(name) {
        Some(own) => about(own, &mut lines),
        None => lines.push(labelled(name, "was not asked in this turn")),
    }
    for event in &turn.events {
        let who = if event.agent.is_empty() { "team" } else { &event.agent };
        lines.push(labelled(who, &happened(event)));
    }
    frame.render_widget(Paragraph::new(lines), area);
}

fn about(own: &PlayedAgent, lines: &mut Vec<Line<'static>>) {
    let role = if own.role.is_empty() { String::new() } else { format!(" ({})", own.role) };
    lines.push(labelled(&own.name, &format!("{}{role}", own.percept)));
    for event in &own.events {
        match &event.kind {
            Some(Kind::Decided(it)) => {
                let answer = match own.result.as_str() {
                    "" => String::new(),
                    result => format!(" → {result}"),
                };
                lines.push(labelled("decided", &format!("{}{answer}", it.action)));
                let place = place(it.grounds.as_ref());
                let reason = match it.reason_data.as_ref() {
                    Some(data) => format!("{} {}", it.reason, values::json(Some(data))),
                    None => it.reason.clone(),
                };
                let spent = values::micros(it.spent);
                lines.push(labelled("because", &format!("{reason}  [{place}{spent} µs]")));
            }
            Some(Kind::Fallback(it)) => {
                let place = place(it.grounds.as_ref());
                lines.push(labelled("FALLBACK", &format!("{}  [{place}]", it.reason.trim())));
            }
            Some(_) | None => lines.push(labelled("then", &happened(event))),
        }
    }
}

fn happened(event: &MatchEvent) -> String {
    phalanx_cli::remote::events::describe(event, phalanx_cli::paint::Paint::none())
}

/// `worker.luau:7, `.
fn place(grounds: Option<&Grounds>) -> String {
    let known = grounds.filter(|grounds| !grounds.file.is_empty());
    known.map(|it| format!("{}:{}, ", it.file, it.line)).unwrap_or_default()
}

fn labelled(label: &str, text: &str) -> Line<'static> {
    let text = text.replace(['\n', '\r', '\t'], " ");
    Line::from(vec![Span::styled(fit(label, LABEL) + " ", dim()), Span::raw(text)])
}

/// The position in the recording, with marks at problems.
fn timeline(reel: &Reel, player: &Player, width: u16) -> Line<'static> {
    let columns = usize::from(width).saturating_sub(7).max(1);
    let (all, only) = (reel.turns.len().max(1), reel.agents.get(player.agent));
    let only = only.filter(|_| player.alone).map(String::as_str);
    let here = player.at * columns / all;
    let mut spans = Vec::with_capacity(columns + 1);
    for column in 0..columns {
        let (from, to) = (column * all / columns, ((column + 1) * all).div_ceil(columns));
        let turns = reel.turns.iter().skip(from).take((to - from).max(1));
        let trouble = turns.into_iter().any(|turn| is_trouble(turn, only));
        let sign = if column == here { "█" } else { "━" };
        let colour = if trouble {
            style(Ink::Red)
        } else if column <= here {
            style(Ink::Green)
        } else {
            dim()
        };
        spans.push(Span::styled(sign, colour));
    }
    let percent = player.at * 100 / all.saturating_sub(1).max(1);
    spans.push(Span::raw(format!(" {percent:>3} % ")));
    Line::from(spans)
}

fn bottom(player: &Player, reel: &Reel) -> Line<'static> {
    if let Some(typed) = &player.typed {
        return Line::from(format!(" go to {typed}▏ (STEP, ROUND:STEP or a percentage; Enter)"));
    }
    if !player.notice.is_empty() {
        return Line::styled(format!(" {}", player.notice), style(Ink::Yellow));
    }
    let more = match reel.left_out {
        0 => String::new(),
        count => format!("  ({count} later turns are too many to show)"),
    };
    let keys = " space play  ←→ turn  n trouble  ↑↓ agent  f only it  b board  ? keys  q quit";
    Line::styled(format!("{keys}{more}"), dim())
}
