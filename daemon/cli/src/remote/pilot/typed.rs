//! Reads what a pilot types: keys on a terminal, or lines from a pipe.

use super::super::orders::Way;
use super::super::print::say;
use console::{Key, Term};
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use std::io::{BufRead, IsTerminal};
use std::time::Duration;
use tokio::sync::mpsc;

/// Keys and lines that wait, at most.
const WAITING_MAX: usize = 16;
/// Longest line, in characters: orders are shorter.
const LINE_MAX: usize = 4_096;
/// Most checks of whether keys are read yet, and the pause after each.
const LOOKS: u32 = 100;
const PAUSE: Duration = Duration::from_millis(5);
/// Moves to the beginning of the line and erases it.
const ERASE: &str = "\r\u{1b}[K";
/// The character of ctrl-d.
const END_OF_TEXT: char = '\u{4}';

/// The pilot's input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Typed {
    /// A complete line without surrounding blanks.
    Line(String),
    /// An arrow key on an empty line.
    Way(Way),
    /// Quit at once.
    Leave,
    /// The input has ended.
    End,
}

/// The source of the input.
pub(super) struct Prompt {
    typed: mpsc::Receiver<Stroke>,
    /// `None`: standard input is not a terminal.
    terminal: Option<Line>,
}

#[derive(Debug)]
enum Stroke {
    Key(Key),
    Line(String),
}

impl Prompt {
    pub(super) async fn open() -> Self {
        let (strokes, typed) = mpsc::channel(WAITING_MAX);
        let stdin = std::io::stdin();
        let is_terminal = stdin.is_terminal() && Term::stdout().is_term();
        let terminal = is_terminal.then(|| Line::open(Term::stdout()));
        // A blocking read cannot be cancelled, so the thread is left behind when the process ends.
        std::thread::spawn(move || match is_terminal {
            true => read_keys(&strokes),
            false => read_lines(stdin.lock(), &strokes),
        });
        if let Some(line) = &terminal {
            line.begin().await;
        }
        Self { typed, terminal }
    }

    pub(super) fn is_terminal(&self) -> bool {
        self.terminal.is_some()
    }

    /// The next complete input. Cancel-safe.
    pub(super) async fn typed(&mut self) -> Typed {
        loop {
            let typed = match (self.typed.recv().await, &mut self.terminal) {
                (None, _) => Some(Typed::End),
                (Some(Stroke::Line(line)), _) => Some(Typed::Line(line.trim().to_owned())),
                (Some(Stroke::Key(key)), Some(line)) => line.press(key),
                (Some(Stroke::Key(_)), None) => None,
            };
            if let Some(typed) = typed {
                return typed;
            }
        }
    }

    /// Prints a line without disturbing the line that is being typed.
    pub(super) fn say(&self, text: &str) {
        match &self.terminal {
            Some(line) => line.say(text),
            None => say(text),
        }
    }

    /// Restores the terminal.
    pub(super) fn close(&mut self) {
        if let Some(line) = self.terminal.take() {
            line.restore();
        }
    }
}

fn read_keys(strokes: &mpsc::Sender<Stroke>) {
    let term = Term::stdout();
    while let Ok(key) = term.read_key_raw() {
        if strokes.blocking_send(Stroke::Key(key)).is_err() {
            return;
        }
    }
}

fn read_lines(lines: impl BufRead, strokes: &mpsc::Sender<Stroke>) {
    for line in lines.lines().map_while(Result::ok) {
        if strokes.blocking_send(Stroke::Line(line)).is_err() {
            return;
        }
    }
}

/// A line that is being typed on a terminal.
struct Line {
    term: Term,
    text: String,
    /// The terminal's original mode: a read that still waits leaves it raw.
    before: Option<Termios>,
}

impl Line {
    fn open(term: Term) -> Self {
        let before = tcgetattr(std::io::stdin()).ok();
        Self { term, text: String::new(), before }
    }

    /// Shows the prompt once keys are read one by one. Before, the terminal would show them itself,
    /// and a signal could end the program just before the other thread changes the terminal's mode.
    async fn begin(&self) {
        let reads_lines = || {
            let mode = tcgetattr(std::io::stdin());
            mode.is_ok_and(|mode| mode.local_modes.contains(LocalModes::ICANON))
        };
        for _ in 0..LOOKS {
            if !reads_lines() {
                break;
            }
            tokio::time::sleep(PAUSE).await;
        }
        self.draw();
    }

    fn press(&mut self, key: Key) -> Option<Typed> {
        let typed = self.typed(&key);
        self.draw();
        typed
    }

    fn typed(&mut self, key: &Key) -> Option<Typed> {
        if let Some(way) = way(key) {
            return self.text.is_empty().then_some(Typed::Way(way));
        }
        if *key == Key::Enter {
            return Some(Typed::Line(std::mem::take(&mut self.text).trim().to_owned()));
        }
        if *key == Key::CtrlC || (*key == Key::Char(END_OF_TEXT) && self.text.is_empty()) {
            return Some(Typed::Leave);
        }
        if *key == Key::Backspace {
            self.text.pop();
        }
        if let Key::Char(letter) = key
            && !letter.is_control()
            && self.text.chars().count() < LINE_MAX
        {
            self.text.push(*letter);
        }
        None
    }

    fn say(&self, text: &str) {
        for line in text.lines() {
            self.write(&format!("{ERASE}{line}\r\n"));
        }
        self.draw();
    }

    fn draw(&self) {
        self.write(&format!("{ERASE}> {}", self.text));
    }

    fn write(&self, text: &str) {
        // If the terminal is gone, a signal ends the process.
        self.term.write_str(text).and_then(|()| self.term.flush()).unwrap_or_default();
    }

    fn restore(&self) {
        self.write(ERASE);
        if let Some(before) = &self.before {
            // If the terminal refuses it, nothing else can be done.
            tcsetattr(std::io::stdin(), OptionalActions::Now, before).unwrap_or_default();
        }
    }
}

fn way(key: &Key) -> Option<Way> {
    let ways = [
        (Key::ArrowUp, Way::Up),
        (Key::ArrowRight, Way::Right),
        (Key::ArrowDown, Way::Down),
        (Key::ArrowLeft, Way::Left),
    ];
    ways.into_iter().find(|(arrow, _)| arrow == key).map(|(_, way)| way)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line() -> Line {
        Line { term: Term::stderr(), text: String::new(), before: None }
    }

    #[test]
    fn keys_become_lines_and_arrows_move_at_once() {
        let mut line = line();
        for letter in "skipp".chars() {
            assert_eq!(line.press(Key::Char(letter)), None);
        }
        assert_eq!(line.press(Key::ArrowUp), None, "a line is being typed");
        assert_eq!(line.press(Key::Backspace), None);
        assert_eq!(line.press(Key::Enter), Some(Typed::Line("skip".into())));
        assert_eq!(line.press(Key::ArrowUp), Some(Typed::Way(Way::Up)));
        assert_eq!(line.press(Key::Char(END_OF_TEXT)), Some(Typed::Leave));
        assert_eq!(line.press(Key::CtrlC), Some(Typed::Leave));
    }

    #[test]
    fn lines_of_a_pipe_come_one_by_one() {
        let (strokes, mut typed) = mpsc::channel(WAITING_MAX);
        read_lines(&b"move(n)\nskip\n"[..], &strokes);
        drop(strokes);
        let mut lines = Vec::new();
        while let Some(Stroke::Line(line)) = typed.blocking_recv() {
            lines.push(line);
        }
        assert_eq!(lines, ["move(n)", "skip"]);
    }
}
