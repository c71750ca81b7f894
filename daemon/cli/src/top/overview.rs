//! The upper part of the view: a title, the table of teams, figures of the selected team.

use super::cockpit::Cockpit;
use crate::paint::Ink;
use crate::remote::{alert_groups, counted as count_of, score, short, team_row, turn};
use crate::terminal::{around, bold, dim, fit, plain, style, trouble};
use phalanx_proto::v1::{Team, TeamState};
use ratatui::style::Modifier;
use ratatui::text::{Line, Span, Text};
use std::time::Duration;

/// The widest column of names.
const NAME_MAX: usize = 24;
/// The table has at most this fraction of the terminal's rows.
const TEAMS_SHARE: u16 = 8;

/// A column: title, width, and the terminal width from which it is shown.
type Column = (&'static str, usize, usize);

const COLUMNS: [Column; 11] = [
    ("TEAM", 8, 0),
    ("GAME", 10, 80),
    ("STATE", 7, 0),
    ("TURN", 7, 0),
    ("SCORE", 6, 0),
    ("SEATS", 5, 0),
    ("DECIDED", 7, 0),
    ("FALLBACK", 8, 0),
    ("LATE", 4, 0),
    ("GEN", 3, 0),
    ("!", 2, 0),
];
/// The columns in which a number other than 0 is a problem.
const TROUBLES: [usize; 3] = [7, 8, 10];

/// Rows of the table, title included. With more teams than its share has room for, it has a row
/// more, which counts the others.
pub(super) fn rows(cockpit: &Cockpit, height: u16) -> u16 {
    let teams = u16::try_from(cockpit.teams.len()).unwrap_or(u16::MAX);
    teams.clamp(1, (height / TEAMS_SHARE).max(1) + 1) + 1
}

/// The selected team, as last received.
fn watched(cockpit: &Cockpit) -> Option<&Team> {
    let listed = cockpit.teams.iter().find(|team| team.name == cockpit.watched);
    cockpit.team.as_ref().or(listed)
}

/// The selected team, and whether the daemon answers.
pub(super) fn head(cockpit: &Cockpit, columns: usize) -> Line<'static> {
    let head = bold().add_modifier(Modifier::REVERSED);
    let left = match watched(cockpit) {
        Some(team) => format!(
            " {} {}  {}  score {}  {} of {} seated  gen {}",
            short(&team.name),
            team.game,
            turn(team),
            score(team),
            team.seated_count,
            team.agent_count,
            team.generation,
        ),
        None if cockpit.watched.is_empty() => " the daemon has no team".to_owned(),
        None => format!(" {}", short(&cockpit.watched)),
    };
    match &cockpit.lost {
        None => {
            let right = " live ";
            let room = columns.saturating_sub(right.len());
            Line::from(vec![Span::styled(fit(&left, room), head), Span::styled(right, head)])
        }
        Some(why) => {
            let why = format!(" LOST, trying again: {} ", plain(why));
            // The reason gets the room, since the data is stale anyway.
            let room = columns.saturating_sub(why.chars().count()).max(columns / 4);
            let right = fit(&why, columns.saturating_sub(room));
            Line::from(vec![Span::styled(fit(&left, room), head), Span::styled(right, trouble())])
        }
    }
}

/// The table: one line per team.
pub(super) fn teams(cockpit: &Cockpit, (width, height): (u16, u16)) -> Text<'static> {
    let width = usize::from(width);
    let there = |column: &Column| width >= column.2;
    let used: usize = COLUMNS.iter().filter(|it| there(it)).map(|column| column.1 + 1).sum();
    // The remaining width is for the names.
    let name = COLUMNS.first().map_or(0, |column| column.1) + (width + 1).saturating_sub(used);
    let wide =
        |index: usize, column: &Column| if index == 0 { name.min(NAME_MAX) } else { column.1 };
    let line = |cells: &[String], style_of: &dyn Fn(usize) -> ratatui::style::Style| {
        let shown = COLUMNS.iter().zip(cells).enumerate().filter(|(_, (column, _))| there(column));
        let spans = shown.map(|(index, (column, cell))| {
            Span::styled(fit(cell, wide(index, column)) + " ", style_of(index))
        });
        Line::from(spans.collect::<Vec<_>>())
    };
    let heads: Vec<String> = COLUMNS.iter().map(|column| column.0.to_owned()).collect();
    let mut lines = vec![line(&heads, &|_| dim())];
    let at = cockpit.teams.iter().position(|team| team.name == cockpit.watched);
    let (all, rows) = (cockpit.teams.len(), usize::from(height.saturating_sub(1)));
    let rows = if all > rows { rows.saturating_sub(1) } else { rows };
    let shown = around(at.unwrap_or_default(), all, rows);
    let others = cockpit.teams.iter().take(shown.start).chain(cockpit.teams.iter().skip(shown.end));
    let unlisted = unlisted(others, width);
    for team in cockpit.teams.iter().skip(shown.start).take(shown.len()) {
        let fresh = cockpit.team.as_ref().filter(|fresh| fresh.name == team.name);
        let team = fresh.unwrap_or(team);
        let cells = cells(team);
        let is_watched = team.name == cockpit.watched;
        let style_of = |index: usize| {
            let zero = cells.get(index).is_none_or(|cell| cell == "0" || cell.is_empty());
            let base = if is_watched { bold() } else { ratatui::style::Style::new() };
            match TROUBLES.contains(&index) && !zero {
                true => style(Ink::Red).patch(base),
                false => base,
            }
        };
        lines.push(line(&cells, &style_of));
    }
    lines.extend(unlisted);
    Text::from(lines)
}

/// The last line of the table: how many teams it does not show, and how many alerts they have.
fn unlisted<'a>(others: impl Iterator<Item = &'a Team>, width: usize) -> Option<Line<'static>> {
    let (teams, alerts) = others
        .fold((0_usize, 0_usize), |(teams, alerts), team| (teams + 1, alerts + team.alerts.len()));
    let text = format!("and {}", count_of(teams, "more team"));
    let line = match alerts {
        0 => Line::styled(fit(&text, width), dim()),
        _ => {
            let text = format!("{text}, {}", count_of(alerts, "alert"));
            Line::styled(fit(&text, width), style(Ink::Red))
        }
    };
    (teams > 0).then_some(line)
}

/// The row of `phalanx team list`, and the generation.
fn cells(team: &Team) -> [String; 11] {
    let [name, game, state, turn, score, seats, decided, fallback, late, alerts] = team_row(team);
    let generation = team.generation.to_string();
    [name, game, state, turn, score, seats, decided, fallback, late, generation, alerts]
}

/// Alerts and margins; without a table also the counts. The most important items come first, since
/// there may not be room for all of them.
pub(super) fn figures(cockpit: &Cockpit, has_table: bool) -> Line<'static> {
    let Some(team) = watched(cockpit) else { return Line::default() };
    let mut spans = Vec::new();
    let alerts = alert_groups(&team.alerts);
    if let Some(alert) = alerts.first() {
        let more = match team.alerts.len() - alert.count {
            0 => String::new(),
            count => format!(" and {count} more"),
        };
        let text = format!(" ALERT {}{more} ", alert.subject());
        spans.push(Span::styled(plain(&text), trouble()));
    }
    spans.extend(counted(team, has_table));
    if let Some(shown) = cockpit.margins.shown() {
        spans.push(Span::styled(" time left ", dim()));
        let (tight, half) = (brief(shown.tight), brief(shown.half));
        spans.push(Span::raw(format!("{} 1 %: {tight}  half: {half} ", shown.bars)));
    }
    if let Some(scripts) = cockpit.scripts {
        spans.push(Span::styled(" scripts ", dim()));
        spans.push(Span::raw(format!("{} a turn ", brief(scripts))));
    }
    if let Some(alert) = alerts.first() {
        spans.push(Span::styled(plain(&format!(" {}", alert.first.text)), style(Ink::Red)));
    }
    Line::from(spans)
}

/// Counts of failures; without a table also the counts of successes.
fn counted(team: &Team, has_table: bool) -> Vec<Span<'static>> {
    let mut spans = Vec::new();
    if team.state() == TeamState::Over {
        spans.push(Span::styled(plain(&format!(" over {} ", team.end_reason)), style(Ink::Yellow)));
    }
    let counters = team.counters.unwrap_or_default();
    let mut counts =
        vec![("script errors", counters.script_errors), ("malformed", counters.malformed)];
    if !has_table {
        spans.push(Span::raw(format!(" decided {} ", counters.decided)));
        counts.extend([("fallback", counters.fallback), ("late", counters.late)]);
    }
    for (what, count) in counts.into_iter().filter(|(_, count)| *count > 0) {
        spans.push(Span::styled(format!(" {what} {count} "), style(Ink::Red)));
    }
    spans
}

/// A duration in few characters: `7µs`, `1.2ms`, `350ms`, `3.1s`.
pub(super) fn brief(time: Duration) -> String {
    let micros = time.as_micros();
    match micros {
        0..1_000 => format!("{micros}µs"),
        1_000..10_000 => format!("{}.{}ms", micros / 1_000, micros / 100 % 10),
        10_000..1_000_000 => format!("{}ms", micros / 1_000),
        1_000_000..100_000_000 => format!("{}.{}s", micros / 1_000_000, micros / 100_000 % 10),
        _ => format!("{}s", micros / 1_000_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_brief() {
        let shown = [7, 1_234, 350_900, 3_199_000, 420_000_000]
            .map(|micros| brief(Duration::from_micros(micros)));
        assert_eq!(shown, ["7µs", "1.2ms", "350ms", "3.1s", "420s"]);
    }
}
