//! Widgets of full-screen views.

use super::map::Row;
use crate::paint::Ink;
use crate::remote::map::Sign;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::{Block, Borders, Clear, Paragraph};
use std::ops::Range;

/// Width of the key column in the help.
const KEY: usize = 11;

pub fn bold() -> Style {
    Style::new().add_modifier(Modifier::BOLD)
}

pub fn dim() -> Style {
    Style::new().add_modifier(Modifier::DIM)
}

pub fn style(ink: Ink) -> Style {
    match ink {
        Ink::Red => Style::new().fg(Color::Red),
        Ink::Green => Style::new().fg(Color::Green),
        Ink::Yellow => Style::new().fg(Color::Yellow),
        Ink::Cyan => Style::new().fg(Color::Cyan),
        Ink::Bold => bold(),
        Ink::Dim => dim(),
    }
}

/// The style of problems.
pub fn trouble() -> Style {
    bold().fg(Color::White).bg(Color::Red)
}

/// Makes text from outside harmless for a terminal: control characters become spaces, characters
/// that change the writing direction are removed.
pub fn plain(text: &str) -> String {
    let turns = |letter: &char| {
        matches!(*letter, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    let kept = text.chars().filter(|letter| !turns(letter));
    kept.map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

/// Cuts or pads a text to this width.
pub fn fit(text: &str, columns: usize) -> String {
    console::pad_str(&plain(text), columns, console::Alignment::Left, Some("…")).into_owned()
}

/// The columns and rows inside a frame.
pub fn inner(area: Rect) -> (usize, usize) {
    (usize::from(area.width.saturating_sub(2)), usize::from(area.height.saturating_sub(2)))
}

pub fn framed(
    frame: &mut Frame<'_>,
    title: impl Into<Line<'static>>,
    text: impl Into<Text<'static>>,
    area: Rect,
) {
    let block = Block::new().borders(Borders::ALL).title(title.into()).border_style(dim());
    frame.render_widget(Paragraph::new(text).block(block), area);
}

/// The range of `rows` rows around row `at`.
pub fn around(at: usize, all: usize, rows: usize) -> Range<usize> {
    let start = at.saturating_sub(rows / 2).min(all.saturating_sub(rows));
    start..(start + rows).min(all)
}

/// The rows of a map as lines.
pub fn signs(rows: Vec<Row>) -> Vec<Line<'static>> {
    let span = |(sign, ink): Sign| {
        let sign = if sign.is_control() { ' ' } else { sign };
        Span::styled(sign.to_string(), ink.map(style).unwrap_or_default())
    };
    rows.into_iter().map(|row| Line::from(row.into_iter().map(span).collect::<Vec<_>>())).collect()
}

/// The help: a popup that lists every key.
pub fn help(frame: &mut Frame<'_>, keys: &[(&str, &str)], area: Rect) {
    let line = |(key, what): &(&str, &str)| {
        Line::from(vec![Span::styled(fit(key, KEY), bold()), Span::raw((*what).to_owned())])
    };
    let lines: Vec<_> = keys.iter().map(line).collect();
    let wide = keys.iter().map(|(_, what)| what.chars().count()).max().unwrap_or_default();
    popup(frame, " keys ", lines, wide + KEY + 2, area);
}

/// A centred frame in front of everything else.
pub fn popup(
    frame: &mut Frame<'_>,
    title: &str,
    lines: Vec<Line<'static>>,
    columns: usize,
    area: Rect,
) {
    let width = u16::try_from(columns).unwrap_or(u16::MAX).min(area.width);
    let height = u16::try_from(lines.len() + 2).unwrap_or(u16::MAX).min(area.height);
    let x = area.x + (area.width - width) / 2;
    let y = area.y + (area.height - height) / 2;
    let place = Rect::new(x, y, width, height);
    frame.render_widget(Clear, place);
    framed(frame, title.to_owned(), lines, place);
}

/// Whether the terminal is too small to show anything; then it says so.
pub fn too_small(frame: &mut Frame<'_>, (columns, rows): (u16, u16)) -> bool {
    let area = frame.area();
    let small = area.width < columns || area.height < rows;
    if small {
        let text = format!("too small: needs {columns} × {rows}; q quits");
        frame.render_widget(Paragraph::new(text), area);
    }
    small
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stay_inside_and_around_the_one_that_is_looked_at() {
        assert_eq!(around(5, 10, 20), 0..10);
        assert_eq!(around(50, 100, 10), 45..55);
        assert_eq!(around(0, 100, 10), 0..10);
        assert_eq!(around(99, 100, 10), 90..100);
    }

    #[test]
    fn a_text_from_outside_cannot_steer_a_terminal_or_turn_a_line() {
        assert_eq!(plain("a\u{1b}[31mb\n\tc\u{9b}d"), "a [31mb  c d");
        assert_eq!(plain("abc\u{202e}def\u{200b}\u{feff}"), "abcdef");
        assert_eq!(fit("much too long", 6), "much …");
        assert_eq!(fit("ab", 4), "ab  ");
    }
}
