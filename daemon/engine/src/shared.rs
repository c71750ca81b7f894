//! What scripts read and write besides the world: board, mail, roles, log lines, marks, metrics.

use crate::board::weight;
use crate::{Board, Params, TimeReads};
use phalanx_game::sorted::SortedMap;
use phalanx_game::{AgentId, Value};
use std::collections::VecDeque;
use std::sync::Arc;

/// Most letters that wait for one agent; older ones are dropped first.
pub const INBOX_LETTERS_MAX: usize = 64;
/// Largest sum of the letters that wait for one agent, in the board's units of weight, and of the
/// letters that a team sends in one turn; older ones are dropped first.
pub const INBOX_WEIGHT_MAX: usize = 1 << 20;
/// Most log lines that scripts may write in one turn; the rest is counted.
pub const LOG_LINES_MAX: usize = 200;
/// Longest log line, in characters.
pub const LOG_CHARS_MAX: usize = 500;
/// Most debug marks that scripts may draw in one turn.
pub const MARKS_MAX: usize = 2_000;
/// Largest sum of their arguments, in the board's units of weight.
pub const MARKS_WEIGHT_MAX: usize = 1 << 20;
/// Most names of script metrics.
pub const METRICS_MAX: usize = 100;
/// Longest of these names, in bytes.
pub const METRIC_BYTES_MAX: usize = 100;

/// The level of a script's log line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogLevel {
    /// For the author of the script.
    Debug,
    /// Progress.
    Info,
    /// A problem that the script can handle.
    Warn,
    /// A failure.
    Error,
}

/// A line that a script logged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    /// The author; `None` is `team.lua`.
    pub agent: Option<AgentId>,
    /// The level.
    pub level: LogLevel,
    /// The text, at most [`LOG_CHARS_MAX`] characters.
    pub text: String,
}

/// A debug mark on the map, shown for one turn.
#[derive(Clone, Debug, PartialEq)]
pub struct DebugMark {
    /// The author; `None` is `team.lua`.
    pub agent: Option<AgentId>,
    /// The kind of mark, as the script gave it.
    pub shape: String,
    /// The arguments.
    pub args: Vec<Value>,
}

/// A message between agents, read in the turn after it was sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Letter {
    /// The sender's name.
    pub from: String,
    /// The content.
    pub body: Value,
}

/// Unread letters by receiver, oldest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Mail {
    /// They can be read.
    pub(crate) arrived: Vec<(AgentId, Letter)>,
    /// They arrive in the next turn.
    pub(crate) posted: Vec<(AgentId, Letter)>,
}

/// The part of a team's state that scripts write.
#[derive(Clone, Debug, Default)]
pub struct Shared {
    /// The blackboard.
    pub board: Board,
    /// The role of each agent, by roster index.
    pub roles: Vec<String>,
    /// Parameters that scripts declare and operators set.
    pub params: Params,
    /// Numbers that scripts report, by name.
    pub metrics: SortedMap<String, f64>,
    /// The time that scripts read.
    pub time: TimeReads,
    inboxes: SortedMap<AgentId, VecDeque<(usize, Letter)>>,
    posted: Vec<(AgentId, usize, Letter)>,
    posted_weight: usize,
    log: Vec<LogLine>,
    log_dropped: u64,
    marks: Vec<DebugMark>,
    marks_weight: usize,
    /// The parameters and the board as they were copied last.
    params_kept: Arc<Params>,
    board_kept: Option<Arc<Board>>,
}

impl Shared {
    /// A team's state at the start of a match.
    #[must_use]
    pub fn new(board: Board, roles: Vec<String>) -> Self {
        Self { board, roles, ..Self::default() }
    }

    /// Begins a turn: removes marks, delivers the letters of the last turn, ages the board.
    pub fn advance(&mut self, tick: u64) {
        self.board.advance(tick);
        self.marks.clear();
        (self.marks_weight, self.posted_weight) = (0, 0);
        for (to, size, letter) in std::mem::take(&mut self.posted) {
            let inbox = self.inboxes.entry(to).or_default();
            let mut sum: usize = size + inbox.iter().map(|(size, _)| size).sum::<usize>();
            while inbox.len() >= INBOX_LETTERS_MAX || sum > INBOX_WEIGHT_MAX {
                let Some((size, _)) = inbox.pop_front() else { break };
                sum -= size;
            }
            inbox.push_back((size, letter));
        }
    }

    /// The role of an agent; empty if it is not in the roster.
    #[must_use]
    pub fn role(&self, agent: AgentId) -> &str {
        self.roles.get(agent.index()).map_or("", String::as_str)
    }

    /// Changes the role of an agent from its next decision on.
    pub fn set_role(&mut self, agent: AgentId, role: &str) {
        if let Some(slot) = self.roles.get_mut(agent.index()) {
            role.clone_into(slot);
        }
    }

    /// Adds an agent to the team, or adds it again.
    pub fn enroll(&mut self, agent: AgentId, role: &str) {
        if self.roles.len() <= agent.index() {
            self.roles.resize(agent.index() + 1, String::new());
        }
        self.set_role(agent, role);
    }

    /// Removes an agent from the team: its letters are dropped, and its claims become free.
    pub fn dismiss(&mut self, agent: AgentId, name: &str) {
        self.inboxes.remove(&agent);
        self.posted.retain(|(to, ..)| *to != agent);
        self.board.release_all(name);
    }

    /// Sends a letter; false if too many were sent in this turn.
    pub fn send(&mut self, to: AgentId, letter: Letter) -> bool {
        let size = weight(&letter.body);
        let room = self.posted.len() < INBOX_LETTERS_MAX * self.roles.len().max(1)
            && self.posted_weight + size <= INBOX_WEIGHT_MAX;
        if room {
            self.posted_weight += size;
            self.posted.push((to, size, letter));
        }
        room
    }

    /// Takes all letters for an agent.
    pub fn take_inbox(&mut self, agent: AgentId) -> Vec<Letter> {
        let letters = self.inboxes.remove(&agent).into_iter().flatten();
        letters.map(|(_, letter)| letter).collect()
    }

    /// All letters that wait.
    pub(crate) fn mail(&self) -> Mail {
        let inboxes = self.inboxes.iter();
        let arrived = inboxes.flat_map(|(to, inbox)| inbox.iter().map(|(_, letter)| (*to, letter)));
        let posted = self.posted.iter().map(|(to, _, letter)| (*to, letter));
        let own = |(to, letter): (AgentId, &Letter)| (to, letter.clone());
        Mail { arrived: arrived.map(own).collect(), posted: posted.map(own).collect() }
    }

    /// Replaces all letters that wait.
    pub(crate) fn deliver(&mut self, mail: Mail) {
        let sized = |(to, letter): (AgentId, Letter)| (to, weight(&letter.body), letter);
        self.inboxes.clear();
        for (to, size, letter) in mail.arrived.into_iter().map(sized) {
            self.inboxes.entry(to).or_default().push_back((size, letter));
        }
        self.posted = mail.posted.into_iter().map(sized).collect();
        self.posted_weight = self.posted.iter().map(|(_, size, _)| size).sum();
    }

    /// A copy of the parameters; unchanged ones are not copied again.
    pub(crate) fn params_copy(&mut self) -> Arc<Params> {
        if *self.params_kept != self.params {
            self.params_kept = Arc::new(self.params.clone());
        }
        Arc::clone(&self.params_kept)
    }

    /// A copy of the board; an unchanged one is not copied again.
    pub(crate) fn board_copy(&mut self) -> Arc<Board> {
        let revision = self.board.revision();
        let same = self.board_kept.take().filter(|kept| kept.revision() == revision);
        Arc::clone(self.board_kept.insert(same.unwrap_or_else(|| Arc::new(self.board.clone()))))
    }

    /// Logs a line, cut to its limit; lines beyond the turn's limit are only counted.
    pub fn log(&mut self, agent: Option<AgentId>, level: LogLevel, text: &str) {
        if self.log.len() >= LOG_LINES_MAX {
            self.log_dropped += 1;
            return;
        }
        self.log.push(LogLine { agent, level, text: text.chars().take(LOG_CHARS_MAX).collect() });
    }

    /// Takes the turn's log lines and the number of dropped ones.
    pub fn take_log(&mut self) -> (Vec<LogLine>, u64) {
        (std::mem::take(&mut self.log), std::mem::take(&mut self.log_dropped))
    }

    /// Draws a mark; false beyond the turn's limit.
    pub fn draw(&mut self, mark: DebugMark) -> bool {
        let size = mark.shape.len() + mark.args.iter().map(weight).sum::<usize>();
        let room = self.marks.len() < MARKS_MAX && self.marks_weight + size <= MARKS_WEIGHT_MAX;
        if room {
            self.marks_weight += size;
            self.marks.push(mark);
        }
        room
    }

    /// The marks of this turn.
    #[must_use]
    pub fn marks(&self) -> &[DebugMark] {
        &self.marks
    }

    /// Reports a number; false if there are too many names already, or the name is too long.
    pub fn metric(&mut self, name: &str, value: f64) -> bool {
        let room = (self.metrics.len() < METRICS_MAX && name.len() <= METRIC_BYTES_MAX)
            || self.metrics.contains_key(name);
        if room && value.is_finite() {
            self.metrics.insert(name.to_owned(), value);
        }
        room
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shared() -> Shared {
        Shared::new(Board::default(), vec!["worker".into(), "scout".into()])
    }

    fn letter(text: &'static str) -> Letter {
        Letter { from: "a1".into(), body: Value::from(text) }
    }

    #[test]
    fn a_letter_arrives_in_the_next_turn_and_once() {
        let mut shared = shared();
        assert!(shared.send(AgentId(1), letter("come")));
        assert_eq!(shared.take_inbox(AgentId(1)), []);
        shared.advance(2);
        assert_eq!(shared.take_inbox(AgentId(1)), [letter("come")]);
        assert_eq!(shared.take_inbox(AgentId(1)), []);
    }

    #[test]
    fn a_flood_of_letters_keeps_the_newest() {
        let mut shared = shared();
        let sent = (0..1_000).filter(|_| shared.send(AgentId(1), letter("x"))).count();
        assert_eq!(sent, INBOX_LETTERS_MAX * 2);
        shared.advance(2);
        assert_eq!(shared.take_inbox(AgentId(1)).len(), INBOX_LETTERS_MAX);
    }

    #[test]
    fn few_large_letters_marks_and_names_are_a_flood_too() {
        let mut shared = shared();
        let large = || Value::text("x".repeat(INBOX_WEIGHT_MAX / 4));
        for tick in 2..9 {
            let letter = || Letter { from: "a1".into(), body: large() };
            let sent = (0..8).filter(|_| shared.send(AgentId(1), letter())).count();
            assert_eq!(sent, 3, "in turn {tick}: three quarters and a little");
            shared.advance(tick);
        }
        assert_eq!(shared.take_inbox(AgentId(1)).len(), 3);
        let mark = || DebugMark { agent: None, shape: "line".into(), args: vec![large()] };
        assert_eq!((0..8).filter(|_| shared.draw(mark())).count(), 3);
        shared.advance(9);
        assert!(shared.draw(mark()), "a new turn");
        assert!(!shared.metric(&"n".repeat(METRIC_BYTES_MAX + 1), 1.0));
    }

    #[test]
    fn a_flood_of_log_lines_is_cut_and_counted() {
        let mut shared = shared();
        for _ in 0..LOG_LINES_MAX + 5 {
            shared.log(None, LogLevel::Info, &"y".repeat(LOG_CHARS_MAX * 2));
        }
        let (lines, dropped) = shared.take_log();
        assert_eq!((lines.len(), dropped), (LOG_LINES_MAX, 5));
        assert!(lines.iter().all(|line| line.text.len() == LOG_CHARS_MAX));
    }

    #[test]
    fn whoever_goes_leaves_no_letters_and_no_claims() {
        let mut shared = shared();
        let keys = [("dig", "a2"), ("carry", "a1")];
        for (key, holder) in keys {
            assert_eq!(shared.board.claim(key, holder, None), Ok(true));
        }
        assert!(shared.send(AgentId(1), letter("read me")));
        shared.advance(2);
        assert!(shared.send(AgentId(1), letter("and me")) && shared.send(AgentId(0), letter("hi")));
        shared.dismiss(AgentId(1), "a2");
        shared.advance(3);
        assert_eq!(
            (shared.take_inbox(AgentId(1)).len(), shared.take_inbox(AgentId(0)).len()),
            (0, 1)
        );
        assert_eq!((shared.board.holder("dig"), shared.board.holder("carry")), (None, Some("a1")));
        shared.enroll(AgentId(2), "digger");
        shared.enroll(AgentId(1), "worker");
        assert_eq!(shared.roles, ["worker", "worker", "digger"]);
    }

    #[test]
    fn a_role_of_a_stranger_is_not_stored() {
        let mut shared = shared();
        shared.set_role(AgentId(9), "worker");
        shared.set_role(AgentId(1), "worker");
        assert_eq!(shared.roles, ["worker", "worker"]);
        assert_eq!(shared.role(AgentId(9)), "");
    }
}
