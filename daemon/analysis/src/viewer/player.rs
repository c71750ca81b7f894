//! The position in a recording, moved by keys and by time.

use super::reel::Reel;
use crate::args::replay::SPEEDS;
use phalanx_cli::terminal::GraphPlaces;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::time::Duration;

/// Shortest display of a turn at normal speed, since matches on virtual time take no time.
const TURN_MIN: Duration = Duration::from_millis(100);
/// Longest display of a turn at normal speed.
const TURN_MAX: Duration = Duration::from_secs(2);
/// Turns of a long step.
const LONG_STEP: usize = 10;
/// Longest turn that can be typed.
const TYPED_MAX: usize = 24;

/// The position and the selection.
#[derive(Debug)]
pub(super) struct Player {
    /// Index of the turn.
    pub(super) at: usize,
    pub(super) plays: bool,
    pub(super) speed: f64,
    /// Index of the selected agent.
    pub(super) agent: usize,
    /// Only the selected agent is shown.
    pub(super) alone: bool,
    /// The board is shown instead of the map.
    pub(super) board: bool,
    pub(super) help: bool,
    /// The map's layer; beyond the last one it starts again.
    pub(super) layer: usize,
    /// The part of the world, counted from the default one.
    pub(super) part: usize,
    /// The places of a graph's nodes.
    pub(super) graphs: GraphPlaces,
    /// A turn that is being typed.
    pub(super) typed: Option<String>,
    /// The message about the last key.
    pub(super) notice: String,
    /// How long the turn has been shown.
    shown: Duration,
}

/// Whether the viewer continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    On,
    Leave,
}

impl Player {
    pub(super) fn new(speed: f64) -> Self {
        Self {
            at: 0,
            plays: false,
            speed: speed.clamp(SPEEDS.0, SPEEDS.1),
            agent: 0,
            alone: false,
            board: false,
            help: false,
            layer: 0,
            part: 0,
            graphs: GraphPlaces::default(),
            typed: None,
            notice: String::new(),
            shown: Duration::ZERO,
        }
    }

    /// Advances by the time that has passed.
    pub(super) fn tick(&mut self, passed: Duration, reel: &Reel) {
        if !self.plays {
            return;
        }
        self.shown += passed.mul_f64(self.speed);
        while self.plays {
            let length = length(reel, self.at);
            if self.shown < length {
                return;
            }
            self.shown -= length;
            self.step(1, reel);
            self.plays = self.at + 1 < reel.turns.len();
        }
    }

    /// Handles a key.
    pub(super) fn press(&mut self, key: KeyEvent, reel: &Reel) -> Flow {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        if control && matches!(key.code, KeyCode::Char('c' | 'd')) {
            return Flow::Leave;
        }
        // With Ctrl or Alt, a letter is a shortcut of the terminal.
        if key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) {
            return Flow::On;
        }
        self.notice.clear();
        if self.help {
            self.help = false;
            return Flow::On;
        }
        if self.typed.is_some() {
            self.type_on(key.code, reel);
            return Flow::On;
        }
        if matches!(key.code, KeyCode::Char('q') | KeyCode::Esc) {
            return Flow::Leave;
        }
        if !self.moved(key.code, reel) {
            self.changed(key.code, reel);
        }
        Flow::On
    }

    /// Keys that go to another turn; false: the key means something else.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "terminals have more keys than we, and will have others"
    )]
    fn moved(&mut self, key: KeyCode, reel: &Reel) -> bool {
        match key {
            KeyCode::Right | KeyCode::Char('l' | '.') => self.step(1, reel),
            KeyCode::Left | KeyCode::Char('h' | ',') => self.back(1),
            KeyCode::PageDown => self.step(LONG_STEP, reel),
            KeyCode::PageUp => self.back(LONG_STEP),
            KeyCode::Home => self.go(0),
            KeyCode::End => self.go(reel.turns.len().saturating_sub(1)),
            KeyCode::Char('n') => self.seek(reel.trouble_after(self.at, self.only(reel)), "after"),
            KeyCode::Char('N' | 'p') => {
                self.seek(reel.trouble_before(self.at, self.only(reel)), "before");
            }
            KeyCode::Char(digit) if digit.is_ascii_digit() => {
                self.typed = Some(digit.to_string());
            }
            KeyCode::Char('g' | ':' | '/') => self.typed = Some(String::new()),
            _ => return false,
        }
        true
    }

    /// Keys that change the selection or the speed.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "terminals have more keys than we, and will have others"
    )]
    fn changed(&mut self, key: KeyCode, reel: &Reel) {
        let last = reel.agents.len().saturating_sub(1);
        match key {
            KeyCode::Char(' ') => {
                if !self.plays && self.at + 1 >= reel.turns.len() {
                    self.go(0);
                }
                self.plays = !self.plays;
            }
            KeyCode::Char('+' | '=') => self.speed = (self.speed * 2.0).min(SPEEDS.1),
            KeyCode::Char('-') => self.speed = (self.speed / 2.0).max(SPEEDS.0),
            KeyCode::Down | KeyCode::Char('j') => self.agent = (self.agent + 1).min(last),
            KeyCode::Up | KeyCode::Char('k') => self.agent = self.agent.saturating_sub(1),
            KeyCode::Tab => self.agent = if self.agent >= last { 0 } else { self.agent + 1 },
            KeyCode::Enter | KeyCode::Char('f' | 'a') => self.alone = !self.alone,
            KeyCode::Char('b') => self.board = !self.board,
            KeyCode::Char('m') => self.layer = self.layer.wrapping_add(1),
            KeyCode::Char('w') => self.part = self.part.wrapping_add(1),
            KeyCode::Char('?') | KeyCode::F(1) => self.help = true,
            _ => self.notice = "? shows the keys".to_owned(),
        }
    }

    /// The agent whose problems are searched for; `None`: all.
    fn only<'a>(&self, reel: &'a Reel) -> Option<&'a str> {
        self.alone.then(|| reel.agents.get(self.agent).map(String::as_str)).flatten()
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "terminals have more keys than we, and will have others"
    )]
    fn type_on(&mut self, key: KeyCode, reel: &Reel) {
        let Some(typed) = &mut self.typed else { return };
        match key {
            KeyCode::Char(letter) if "0123456789.:%".contains(letter) => {
                if typed.len() < TYPED_MAX {
                    typed.push(letter);
                }
            }
            KeyCode::Backspace => {
                typed.pop();
            }
            KeyCode::Enter => {
                let typed = self.typed.take().unwrap_or_default();
                match place(&typed, reel) {
                    Ok(at) => self.go(at),
                    Err(why) => self.notice = why,
                }
            }
            KeyCode::Esc => self.typed = None,
            _ => self.notice = "type STEP, ROUND:STEP or a percentage, then Enter".to_owned(),
        }
    }

    fn step(&mut self, turns: usize, reel: &Reel) {
        self.at = (self.at + turns).min(reel.turns.len().saturating_sub(1));
    }

    fn back(&mut self, turns: usize) {
        self.go(self.at.saturating_sub(turns));
    }

    fn go(&mut self, at: usize) {
        (self.at, self.shown) = (at, Duration::ZERO);
    }

    fn seek(&mut self, found: Option<usize>, side: &str) {
        match found {
            Some(at) => {
                self.go(at);
                self.plays = false;
            }
            None => self.notice = format!("there is no trouble {side} this turn"),
        }
    }
}

/// How long a turn is shown at normal speed.
fn length(reel: &Reel, at: usize) -> Duration {
    let nanos = |at| reel.turn(at).map(|turn| turn.nanos);
    let took = nanos(at + 1).zip(nanos(at)).map(|(next, this)| next.saturating_sub(this));
    let took = Duration::from_nanos(u64::try_from(took.unwrap_or_default()).unwrap_or_default());
    took.clamp(TURN_MIN, TURN_MAX)
}

/// The typed turn: STEP, ROUND:STEP or a percentage.
fn place(typed: &str, reel: &Reel) -> Result<usize, String> {
    if let Some(percent) = typed.strip_suffix('%') {
        let percent: usize =
            percent.parse().map_err(|_| format!("{typed:?} is not a percentage"))?;
        return Ok(reel.turns.len().saturating_sub(1) * percent.min(100) / 100);
    }
    reel.find(typed.parse()?).ok_or_else(|| reel.no_turn().to_string())
}
