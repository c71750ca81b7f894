//! The view's reaction to keys.

use super::cockpit::{Cockpit, Notice, Pane, Question, UserRequest, steering_word};
use crate::terminal::map::moved;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// The keys with their descriptions.
pub(super) const HELP: &[(&str, &str)] = &[
    ("↑ ↓", "previous, next agent; in the map and the events: scroll"),
    ("Tab 1 2 3", "agents, map, events; z shows one alone"),
    ("t T", "the next, the previous team"),
    ("p", "pause the agent, or hand it back to its script"),
    ("r", "change the agent's role"),
    ("R", "roll the strategy back; asks first"),
    ("← → ↑ ↓", "move the map; f follows the agent again"),
    ("m w", "another layer, another part of the world"),
    ("e", "events, trouble, lines of scripts, or all"),
    ("o /", "only this agent's events; only events with a text"),
    ("PgUp PgDn", "scroll by ten lines; Home End: to the ends"),
    ("? q", "this help; quit (also ctrl-c)"),
    ("", ""),
    ("▪ o -", "turns: decided, ordered, held by an operator"),
    ("F D L", "fallback, no answer in time, too late"),
];
/// Steps of PgUp and PgDn.
const FAR: usize = 10;
/// Longest text that can be typed, in characters.
const TYPED_MAX: usize = 64;

impl Cockpit {
    /// Handles a key.
    pub(super) fn press(&mut self, key: KeyEvent) {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        if control && matches!(key.code, KeyCode::Char('c' | 'd')) {
            return self.wish(UserRequest::Leave);
        }
        // With Ctrl or Alt, a letter is a shortcut of the terminal.
        if key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) {
            return;
        }
        self.notice = None;
        if self.help {
            self.help = false;
            return;
        }
        match self.question.take() {
            Some(question) => self.answer(question, key.code),
            None if self.chooses(key.code) || self.moves(key.code) || self.acts(key.code) => {}
            None => self.notice = Some(Notice::Bad("? shows the keys".to_owned())),
        }
    }

    /// Keys that change the selection; false: the key means something else.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "terminals have more keys than we, and will have others"
    )]
    fn chooses(&mut self, key: KeyCode) -> bool {
        match key {
            KeyCode::Char('q') => self.wish(UserRequest::Leave),
            KeyCode::Char('?') | KeyCode::F(1) => self.help = true,
            KeyCode::Tab => self.pane = self.pane.next(),
            KeyCode::BackTab => self.pane = self.pane.back(),
            KeyCode::Char('1') => self.pane = Pane::Agents,
            KeyCode::Char('2') => self.pane = Pane::Map,
            KeyCode::Char('3') => self.pane = Pane::Events,
            KeyCode::Char('z') | KeyCode::Enter => self.zoomed = !self.zoomed,
            KeyCode::Esc => self.zoomed = false,
            KeyCode::Char('t') => self.turn_to_team(1),
            KeyCode::Char('T') => self.turn_to_team(self.teams.len().saturating_sub(1)),
            KeyCode::Char('f') => {
                self.follows = self.around.is_some() || !self.follows;
                self.around = None;
            }
            KeyCode::Char('m') => self.layer = self.layer.wrapping_add(1),
            KeyCode::Char('w') => {
                self.part = self.part.wrapping_add(1);
                self.around = None;
            }
            KeyCode::Char('e') => {
                self.filter = self.filter.next();
                self.back = 0;
            }
            KeyCode::Char('o') => {
                self.only = !self.only;
                self.back = 0;
            }
            KeyCode::Char('/') => self.question = Some(Question::Search(String::new())),
            _ => return false,
        }
        true
    }

    fn turn_to_team(&mut self, steps: usize) {
        let at = self.teams.iter().position(|team| team.name == self.watched).unwrap_or_default();
        let next = (at + steps).checked_rem(self.teams.len());
        let next = next.and_then(|next| self.teams.get(next)).map(|team| team.name.clone());
        if let Some(next) = next.filter(|next| *next != self.watched) {
            self.watch(next);
        }
    }

    /// Keys that move in the focused pane.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "terminals have more keys than we, and will have others"
    )]
    fn moves(&mut self, key: KeyCode) -> bool {
        let (columns, rows) = match key {
            KeyCode::Up | KeyCode::Char('k') => (0, -1),
            KeyCode::Down | KeyCode::Char('j') => (0, 1),
            KeyCode::Left | KeyCode::Char('h') => (-1, 0),
            KeyCode::Right | KeyCode::Char('l') => (1, 0),
            KeyCode::PageUp => (0, -FAR.cast_signed()),
            KeyCode::PageDown => (0, FAR.cast_signed()),
            KeyCode::Home => (0, isize::MIN / 2),
            KeyCode::End => (0, isize::MAX / 2),
            _ => return false,
        };
        match self.pane {
            Pane::Agents => self.choose(rows),
            Pane::Map => self.pan(columns, rows),
            // Up goes to older events.
            Pane::Events => {
                let back = self.back.saturating_add_signed(-rows);
                let only = self.only_agent().map(str::to_owned);
                let shown = self.feed.shown(self.filter, only.as_deref(), &self.search);
                self.back = back.min(shown.count().saturating_sub(1));
            }
        }
        true
    }

    /// The agent whose events are shown exclusively, if any.
    pub(super) fn only_agent(&self) -> Option<&str> {
        let agent = self.only.then(|| self.chosen_agent()).flatten();
        agent.map(|agent| agent.name.as_str())
    }

    fn choose(&mut self, rows: isize) {
        let last = self.agents().len().saturating_sub(1);
        let at = self.chosen().saturating_add_signed(rows).min(last);
        if let Some(agent) = self.agents().get(at) {
            self.agent = agent.name.clone();
            self.back = 0;
        }
    }

    fn pan(&mut self, columns: isize, rows: isize) {
        let Some(world) = &self.world else { return };
        let step = |steps: isize| i64::try_from(steps).unwrap_or_default();
        let steps = (step(columns), step(rows));
        // Starts at the part of the map that is visible.
        if let Some(around) = moved(world, self.look(), &self.graphs, steps, self.map_room.get()) {
            self.around = Some(around);
        }
    }

    /// Keys that change how the team plays.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "terminals have more keys than we, and will have others"
    )]
    fn acts(&mut self, key: KeyCode) -> bool {
        match key {
            KeyCode::Char('p' | 'r') => {
                let Some(agent) = self.chosen_agent().cloned() else {
                    self.notice = Some(Notice::Bad("there is no agent".to_owned()));
                    return true;
                };
                if key == KeyCode::Char('r') {
                    self.ask_role(agent.name);
                } else if steering_word(&agent).is_empty() {
                    self.wish(UserRequest::Pause(agent.resource_name));
                } else {
                    self.wish(UserRequest::Release(agent.resource_name));
                }
            }
            KeyCode::Char('R') => {
                self.question =
                    self.team.as_ref().map(|team| Question::RollBack(team.name.clone()));
            }
            _ => return false,
        }
        true
    }

    fn ask_role(&mut self, agent: String) {
        let generation = self.team.as_ref().map_or(0, |team| team.generation);
        self.wish(UserRequest::AskRoles(self.watched.clone(), generation));
        self.question = Some(Question::Role { agent, typed: String::new(), at: 0 });
    }

    /// The roles that begin with the typed text, from the strategy and from the agents.
    pub(super) fn roles_like(&self, typed: &str) -> Vec<String> {
        let held = self.agents().iter().map(|agent| &agent.role);
        let all: phalanx_game::sorted::SortedSet<&String> = self.roles.iter().chain(held).collect();
        all.into_iter().filter(|role| role.starts_with(typed)).cloned().collect()
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "terminals have more keys than we, and will have others"
    )]
    fn answer(&mut self, question: Question, key: KeyCode) {
        match (question, key) {
            (_, KeyCode::Esc) => {}
            (Question::RollBack(team), KeyCode::Char('y' | 'Y')) => {
                self.wish(UserRequest::RollBack(team))
            }
            (Question::RollBack(_), _) => {
                self.notice = Some(Notice::Good("the strategy stays as it is".to_owned()));
            }
            (Question::Search(typed), KeyCode::Enter) => (self.search, self.back) = (typed, 0),
            (Question::Search(mut typed), key) => {
                type_on(&mut typed, key);
                self.question = Some(Question::Search(typed));
            }
            (Question::Role { agent, typed, at }, KeyCode::Enter) => {
                let chosen = self.roles_like(&typed).into_iter().nth(at);
                let role = chosen.unwrap_or(typed);
                let known = self.agents().iter().find(|known| known.name == agent);
                if let Some(name) = known.map(|known| known.resource_name.clone()) {
                    self.wish(UserRequest::SetRole(name, role));
                }
            }
            (Question::Role { agent, mut typed, at }, key) => {
                let last = self.roles_like(&typed).len().saturating_sub(1);
                let at = match key {
                    KeyCode::Up => at.saturating_sub(1),
                    KeyCode::Down => (at + 1).min(last),
                    _ if type_on(&mut typed, key) => 0,
                    _ => at,
                };
                self.question = Some(Question::Role { agent, typed, at });
            }
        }
    }
}

/// Edits the typed text; whether it changed.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "terminals have more keys than we, and will have others"
)]
fn type_on(typed: &mut String, key: KeyCode) -> bool {
    match key {
        KeyCode::Char(letter) if !letter.is_control() && typed.chars().count() < TYPED_MAX => {
            typed.push(letter);
        }
        KeyCode::Backspace => drop(typed.pop()),
        _ => return false,
    }
    true
}
