//! The last events of a team, and which of them are shown.

use crate::paint::{Ink, Paint};
use crate::remote::events::describe;
use crate::terminal::plain;
use phalanx_proto::v1::match_event::Kind;
use phalanx_proto::v1::{MatchEvent, TurnDone};
use std::collections::VecDeque;

/// Events that are kept; as many more of those that only tell that all goes well, so that they do
/// not push out what people look for.
const EVENTS_KEPT: usize = 2_000;
/// Longest line that is kept, in characters.
const LINE_MAX: usize = 500;

/// What of the events is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Filter {
    /// All but what tells that agents decided.
    #[default]
    Events,
    /// What went wrong.
    Trouble,
    /// What scripts log.
    Logs,
    /// Every decision, too.
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

/// What kind of line it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    /// All goes well.
    Quiet,
    News,
    Log,
    Trouble,
    /// A line of a script about trouble.
    LoggedTrouble,
}

/// An event as a line.
#[derive(Clone, Debug)]
pub(super) struct Told {
    number: u64,
    /// Empty: the whole team.
    agent: String,
    pub(super) text: String,
    sort: Sort,
}

impl Told {
    /// How it is painted.
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
    quiet: VecDeque<Told>,
    others: VecDeque<Told>,
    count: u64,
}

impl Feed {
    pub(super) fn add(&mut self, event: &MatchEvent) {
        let Some(kind) = &event.kind else { return };
        let turn = event.turn.unwrap_or_default();
        let who = if event.agent.is_empty() { "-" } else { &event.agent };
        let what = describe(kind, event.generation, Paint::none());
        let text = format!("{}:{:<4} {who:<8} {what}", turn.round, turn.step);
        self.tell(&event.agent, &text, sort(kind));
    }

    /// Something that the events do not tell: that some of them are missing.
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
        kept.push_back(Told { number, agent, text, sort });
    }

    /// What passes the filter, newest first: of this agent alone where one is named, and with this
    /// text in it, in small or capital letters.
    pub(super) fn shown<'a>(
        &'a self,
        filter: Filter,
        agent: Option<&'a str>,
        text: &'a str,
    ) -> impl Iterator<Item = &'a Told> + 'a {
        let wanted = text.to_lowercase();
        let quiet = (filter == Filter::All).then_some(&self.quiet).into_iter().flatten().rev();
        let (mut quiet, mut others) = (quiet.peekable(), self.others.iter().rev().peekable());
        let merged = std::iter::from_fn(move || {
            let newer =
                quiet.peek().map(|told| told.number) > others.peek().map(|told| told.number);
            if newer { quiet.next() } else { others.next() }
        });
        merged.filter(move |told| {
            told.is_shown(filter)
                && agent.is_none_or(|agent| told.agent == agent)
                && (wanted.is_empty() || told.text.to_lowercase().contains(&wanted))
        })
    }
}

fn sort(kind: &Kind) -> Sort {
    let went_well = |done: &TurnDone| done.fallback == 0;
    match kind {
        Kind::Decided(_) | Kind::Ordered(_) | Kind::Held(_) => Sort::Quiet,
        Kind::TurnDone(done) if went_well(done) => Sort::Quiet,
        Kind::ScriptLog(log) if log.level == "error" || log.level == "warn" => Sort::LoggedTrouble,
        Kind::ScriptLog(_) => Sort::Log,
        Kind::TurnDone(_)
        | Kind::Fallback(_)
        | Kind::ScriptError(_)
        | Kind::Defaulted(_)
        | Kind::Late(_)
        | Kind::Notice(_)
        | Kind::EventsLost(_)
        | Kind::StrategyRefused(_)
        | Kind::GenerationTakenBack(_)
        | Kind::AlertBegan(_)
        | Kind::CheckpointRefused(_) => Sort::Trouble,
        Kind::SeatChanged(_)
        | Kind::RoundStarted(_)
        | Kind::RoundOver(_)
        | Kind::MatchOver(_)
        | Kind::GenerationActivated(_)
        | Kind::ParamSet(_)
        | Kind::ScriptRan(_)
        | Kind::RoleSet(_)
        | Kind::Steered(_)
        | Kind::Left(_)
        | Kind::Returned(_)
        | Kind::AlertEnded(_)
        | Kind::AgentAdded(_)
        | Kind::AgentRemoved(_)
        | Kind::BoardSet(_)
        | Kind::Retuned(_)
        | Kind::Resumed(_) => Sort::News,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use phalanx_proto::v1::{Decided, Fallback, Late, ScriptLog, Turn};

    fn event(step: u32, agent: &str, kind: Kind) -> MatchEvent {
        let turn = Some(Turn { round: 0, step });
        MatchEvent { turn, agent: agent.into(), kind: Some(kind), ..MatchEvent::default() }
    }

    fn feed() -> Feed {
        let mut feed = Feed::default();
        let log = |level: &str| ScriptLog { level: level.into(), text: "Hello\u{1b}[2J".into() };
        feed.add(&event(1, "a1", Kind::Decided(Decided::default())));
        feed.add(&event(1, "a2", Kind::Fallback(Fallback::default())));
        feed.add(&event(1, "a1", Kind::ScriptLog(log("info"))));
        feed.add(&event(2, "a1", Kind::ScriptLog(log("warn"))));
        feed.add(&event(2, "a2", Kind::Late(Late {})));
        feed
    }

    fn shown(feed: &Feed, filter: Filter, agent: Option<&str>, text: &str) -> Vec<u64> {
        feed.shown(filter, agent, text).map(|told| told.number).collect()
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
        assert!(feed.shown(Filter::All, None, "").all(|told| !told.text.contains('\u{1b}')));
    }

    #[test]
    fn decisions_do_not_push_trouble_out() {
        let mut feed = feed();
        for step in 0..5_000 {
            feed.add(&event(step, "a1", Kind::Decided(Decided::default())));
        }
        assert_eq!(shown(&feed, Filter::Trouble, None, ""), [4, 3, 1]);
        assert_eq!(shown(&feed, Filter::All, Some("a1"), "(").len(), EVENTS_KEPT);
    }
}
