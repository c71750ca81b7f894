//! A plain table for terminals.

use crate::paint::{Ink, Paint};
use console::{Term, measure_text_width, truncate_str};

/// Separates two columns.
const GAP: &str = "  ";
/// Columns are not made narrower than this, unless their cells are.
const WIDTH_MIN: usize = 6;

/// A table whose columns are as wide as their longest cell, two blanks apart. Columns without any
/// text are left out. On a narrow terminal the spare column is dropped first, then the widest
/// columns are cut.
#[derive(Debug)]
pub struct Table<const N: usize> {
    rows: Vec<[String; N]>,
    /// The column that is dropped when there is no room.
    spare: Option<usize>,
    /// Row, column, ink.
    inks: Vec<(usize, usize, Ink)>,
}

impl<const N: usize> Table<N> {
    pub fn new(head: &[&str; N]) -> Self {
        Self { rows: vec![head.map(str::to_owned)], spare: None, inks: Vec::new() }
    }

    /// Marks the column that is dropped when there is no room.
    pub fn spare(self, column: usize) -> Self {
        Self { spare: Some(column), ..self }
    }

    /// Adds a row; line breaks become blanks.
    pub fn row(&mut self, cells: [String; N]) {
        self.rows.push(cells.map(|cell| cell.replace(['\n', '\r', '\t'], " ")));
    }

    /// Colours a cell of the last row.
    pub fn ink(&mut self, column: usize, ink: Ink) {
        self.inks.push((self.rows.len() - 1, column, ink));
    }

    /// The table for standard output, as wide as its terminal.
    pub fn shown(&self) -> String {
        self.text(terminal_width(), Paint::stdout())
    }

    /// Whether no cell is cut at this width.
    pub fn fits(&self, width: Option<usize>) -> bool {
        let text = self.text(None, Paint::none());
        width.is_none_or(|width| text.lines().all(|line| measure_text_width(line) <= width))
    }

    /// The table, at most as wide as `width` if possible.
    pub fn text(&self, width: Option<usize>, paint: Paint) -> String {
        let mut widths = [0; N];
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(measure_text_width(cell));
            }
        }
        let filled: [bool; N] = std::array::from_fn(|column| {
            let mut cells = self.rows.iter().skip(1).filter_map(|row| row.get(column));
            self.rows.len() == 1 || cells.any(|cell| !cell.is_empty())
        });
        for (width, filled) in widths.iter_mut().zip(filled) {
            *width = if filled { *width } else { 0 };
        }
        if let Some(most) = width {
            let spare = self.spare.filter(|_| whole(&widths) > most);
            if let Some(width) = spare.and_then(|column| widths.get_mut(column)) {
                *width = 0;
            }
            fit(&mut widths, most);
        }
        let rows = self.rows.iter().enumerate();
        rows.map(|(number, row)| self.line(number, row, widths, paint))
            .collect::<Vec<_>>()
            .join("\n")
    }

    fn line(&self, number: usize, row: &[String; N], widths: [usize; N], paint: Paint) -> String {
        let cells = row.iter().zip(widths).enumerate().filter(|(_, (_, width))| *width > 0);
        let cells = cells.map(|(column, (cell, width))| {
            let cut = truncate_str(cell, width, "…");
            let padding = " ".repeat(width.saturating_sub(measure_text_width(&cut)));
            let mut inks = self.inks.iter();
            let ink = inks.find(|(row, col, _)| (*row, *col) == (number, column));
            let cut = ink.map_or_else(|| cut.to_string(), |(.., ink)| paint.ink(*ink, &cut));
            format!("{cut}{padding}")
        });
        cells.collect::<Vec<_>>().join(GAP).trim_end().to_owned()
    }
}

/// The width of the terminal on standard output, if it is one.
pub(super) fn terminal_width() -> Option<usize> {
    Term::stdout().size_checked().map(|(_, width)| usize::from(width))
}

/// Narrows the widest columns until all fit.
fn fit(widths: &mut [usize], most: usize) {
    loop {
        let whole = whole(widths);
        let Some(widest) = widths.iter_mut().max() else { return };
        if whole <= most || *widest <= WIDTH_MIN {
            return;
        }
        *widest -= 1;
    }
}

/// The width of a row, gaps included.
fn whole(widths: &[usize]) -> usize {
    let columns = widths.iter().filter(|width| **width > 0).count();
    widths.iter().sum::<usize>() + GAP.len() * columns.saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table<4> {
        let mut table = Table::new(&["TEAM", "SCORE", "TROUBLE", "WHY"]);
        table.row(["a".into(), "12".into(), String::new(), "nothing else to do".into()]);
        table.row(["longer".into(), "3".into(), String::new(), "two\nlines".into()]);
        table
    }

    #[test]
    fn columns_are_as_wide_as_their_longest_cell_and_empty_ones_are_left_out() {
        let shown = table().text(None, Paint::none());
        assert_eq!(
            shown,
            "TEAM    SCORE  WHY\na       12     nothing else to do\nlonger  3      two lines"
        );
        let empty = Table::new(&["TEAM", "SCORE"]);
        assert_eq!(empty.text(None, Paint::none()), "TEAM  SCORE");
    }

    #[test]
    fn on_a_narrow_terminal_the_widest_column_is_cut() {
        let shown = table().text(Some(25), Paint::none());
        assert_eq!(
            shown,
            "TEAM    SCORE  WHY\na       12     nothing e…\nlonger  3      two lines"
        );
        // This is the smallest width.
        let shown = table().text(Some(1), Paint::none());
        assert_eq!(shown.lines().nth(1), Some("a       12     nothi…"));
    }

    #[test]
    fn a_spare_column_goes_before_others_are_cut() {
        let shown = table().spare(3).text(Some(25), Paint::none());
        assert_eq!(shown, "TEAM    SCORE\na       12\nlonger  3");
        assert_eq!(
            table().spare(3).text(Some(80), Paint::none()),
            table().text(None, Paint::none())
        );
    }

    #[test]
    fn colours_do_not_move_the_columns() {
        let mut table = table();
        table.ink(0, Ink::Red);
        let shown = table.text(None, Paint::always());
        assert!(shown.ends_with("\u{1b}[31mlonger\u{1b}[0m  3      two lines"), "{shown:?}");
    }
}
