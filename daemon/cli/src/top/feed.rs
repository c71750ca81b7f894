//! The last events of a team, and a filter for them.

use crate::paint::{Ink, Paint};
use crate::remote::events::describe;
use crate::terminal::plain;
use phalanx_proto::v1::match_event::Kind;
use phalanx_proto::v1::{EventSeverity, EventTopic, MatchEvent};
use std::collections::VecDeque;

/// Events that are kept; the same number of routine events is kept separately, so that they do not
/// push out the others.
const EVENTS_KEPT: usize = 2_000;
/// Longest line that is kept, in characters.
const LINE_MAX: usize = 500;

/// The events to show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Filter {
    /// All but routine decisions.
    #[default]
    Events,
    /// Problems.
    Trouble,
    /// Lines that scripts log.
    Logs,
    /// Everything, each decision included.
    All,
}

impl Filter {
    pub(super) fn next(self) -> Self {
        match self {
            Self::Events => Self::Trouble,
            Self::Trouble => Self::Logs,
            Self::Logs => Self::All,
            Self::All => Self::Events,
        }
    }

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Events => "events",
            Self::Trouble => "trouble",
            Self::Logs => "lines of scripts",
            Self::All => "all events",
        }
    }
}

/// Category of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    /// Routine.
    Quiet,
    News,
    Log,
    Trouble,
    /// A warning or error that a script logged.
    LoggedTrouble,
}

/// An event, as a line.
#[derive(Clone, Debug)]
pub(super) struct FeedLine {
    number: u64,
    /// Empty: the whole team.
    agent: String,
    pub(super) text: String,
    sort: Sort,
}

impl FeedLine {
    /// Its colour.
    pub(super) fn ink(&self) -> Option<Ink> {
        match self.sort {
            Sort::Quiet => Some(Ink::Dim),
            Sort::News => None,
            Sort::Log => Some(Ink::Cyan),
            Sort::Trouble | Sort::LoggedTrouble => Some(Ink::Red),
        }
    }

    fn is_shown(&self, filter: Filter) -> bool {
        match filter {
            Filter::Events => self.sort != Sort::Quiet,
            Filter::Trouble => matches!(self.sort, Sort::Trouble | Sort::LoggedTrouble),
            Filter::Logs => matches!(self.sort, Sort::Log | Sort::LoggedTrouble),
            Filter::All => true,
        }
    }
}

/// The last events, the newest last.
#[derive(Debug, Default)]
pub(super) struct Feed {
    quiet: VecDeque<FeedLine>,
    others: VecDeque<FeedLine>,
    count: u64,
}

impl Feed {
    pub(super) fn add(&mut self, event: &MatchEvent) {
        let turn = event.turn.unwrap_or_default();
        let who = if event.agent.is_empty() { "-" } else { &event.agent };
        let what = describe(event, Paint::none());
        let text = format!("{}:{:<4} {who:<8} {what}", turn.round, turn.step);
        self.tell(&event.agent, &text, sort(event));
    }

    /// Adds a note of our own: that events are missing.
    pub(super) fn note(&mut self, text: &str) {
        self.tell("", text, Sort::Trouble);
    }

    fn tell(&mut self, agent: &str, text: &str, sort: Sort) {
        let text = plain(text).chars().take(LINE_MAX).collect();
        let (number, agent) = (self.count, agent.to_owned());
        self.count += 1;
        let kept = if sort == Sort::Quiet { &mut self.quiet } else { &mut self.others };
        if kept.len() >= EVENTS_KEPT {
            kept.pop_front();
        }
        kept.push_back(FeedLine { number, agent, text, sort });
    }

    /// The lines that pass the filter, newest first: of this agent, if one is given, and with this
    /// text in them, ignoring case.
    pub(super) fn shown<'a>(
        &'a self,
        filter: Filter,
        agent: Option<&'a str>,
        text: &'a str,
    ) -> impl Iterator<Item = &'a FeedLine> + 'a {
        let wanted = text.to_lowercase();
        let quiet = (filter == Filter::All).then_some(&self.quiet).into_iter().flatten().rev();
        let (mut quiet, mut others) = (quiet.peekable(), self.others.iter().rev().peekable());
        let merged = std::iter::from_fn(move || {
            let newer =
                quiet.peek().map(|line| line.number) > others.peek().map(|line| line.number);
            if newer { quiet.next() } else { others.next() }
        });
        merged.filter(move |line| {
            line.is_shown(filter)
                && agent.is_none_or(|agent| line.agent == agent)
                && (wanted.is_empty() || line.text.to_lowercase().contains(&wanted))
        })
    }
}

fn sort(event: &MatchEvent) -> Sort {
    let failed = matches!(&event.kind, Some(Kind::TurnDone(done)) if done.fallback > 0);
    let is_script = event.topic() == EventTopic::Script;
    match event.severity() {
        EventSeverity::Warning | EventSeverity::Error if is_script => Sort::LoggedTrouble,
        EventSeverity::Warning | EventSeverity::Error => Sort::Trouble,
        EventSeverity::Unspecified | EventSeverity::Debug | EventSeverity::Info if is_script => {
            Sort::Log
        }
        EventSeverity::Debug if failed => Sort::Trouble,
        EventSeverity::Debug => Sort::Quiet,
        EventSeverity::Unspecified | EventSeverity::Info => Sort::News,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use phalanx_engine::{JournalEntry, JournalEvent};
    use phalanx_game::Turn;
    use std::time::Duration;

    fn event(step: u32, agent: &str, event: JournalEvent) -> MatchEvent {
        let (turn, agent) = (Turn::new(0, step), Some(agent.to_owned()));
        let entry = JournalEntry { turn, agent, generation: 1, event };
        phalanx_convert::event("A", String::new(), &entry)
    }

    fn decided(step: u32) -> MatchEvent {
        let decided = JournalEvent::Decided {
            action: "skip()".into(),
            role: "worker".into(),
            reason: None,
            spent: Duration::ZERO,
            grounds: Box::default(),
        };
        event(step, "a1", decided)
    }

    fn feed() -> Feed {
        let mut feed = Feed::default();
        let log = |level| JournalEvent::Log { level, text: "Hello\u{1b}[2J".into() };
        feed.add(&decided(1));
        feed.add(&event(1, "a2", JournalEvent::ScriptError { call: "plan", reason: "oh".into() }));
        feed.add(&event(1, "a1", log("info")));
        feed.add(&event(2, "a1", log("warn")));
        feed.add(&event(2, "a2", JournalEvent::Late));
        feed
    }

    fn shown(feed: &Feed, filter: Filter, agent: Option<&str>, text: &str) -> Vec<u64> {
        feed.shown(filter, agent, text).map(|line| line.number).collect()
    }

    #[test]
    fn each_filter_shows_its_part_with_the_newest_first() {
        let feed = feed();
        let all = |filter| shown(&feed, filter, None, "");
        assert_eq!(all(Filter::Events), [4, 3, 2, 1]);
        assert_eq!(all(Filter::Events.next()), [4, 3, 1], "trouble");
        assert_eq!(all(Filter::Logs), [3, 2]);
        assert_eq!(all(Filter::Logs.next()), [4, 3, 2, 1, 0], "all");
        assert_eq!(shown(&feed, Filter::All, Some("a2"), ""), [4, 1]);
        assert_eq!(shown(&feed, Filter::All, Some("a1"), "hello"), [3, 2]);
        assert!(feed.shown(Filter::All, None, "").all(|line| !line.text.contains('\u{1b}')));
    }

    #[test]
    fn decisions_do_not_push_trouble_out() {
        let mut feed = feed();
        for step in 0..5_000 {
            feed.add(&decided(step));
        }
        assert_eq!(shown(&feed, Filter::Trouble, None, ""), [4, 3, 1]);
        assert_eq!(shown(&feed, Filter::All, Some("a1"), "(").len(), EVENTS_KEPT);
    }
}
