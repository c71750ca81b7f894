//! The result of deciding again, as text and as JSON.

use super::line::EventLine;
use super::look::{Seen, Stop};
use crate::args::replay::ReplayArgs;
use anyhow::Result;
use phalanx_cli::paint::{Ink, Paint};
use phalanx_cli::remote::{ResultSink, Table, counted, events, values};
use phalanx_game::{Turn, excerpt};
use phalanx_net::{Line, LineDifference, SentDifference, Share, Tally, Trouble};
use phalanx_proto::v1::match_event::Kind;
use phalanx_proto::v1::{Decided, Grounds};
use phalanx_record::{RecordingFile, Summary};
use serde_json::{Map, Value, json};
use std::time::{Duration, Instant};

/// A shorter match is not compared with real time.
const PLAYED_MIN: Duration = Duration::from_millis(500);

/// Totals of the run.
pub(super) struct RunTotals<'a> {
    pub(super) tally: &'a Tally,
    /// Messages to the referee.
    pub(super) messages: Share,
    pub(super) trouble: Trouble,
    pub(super) turn: Turn,
    /// Gaps in the recording that affect decisions.
    pub(super) holes: u64,
    /// The turn of the first gap.
    pub(super) exact_until: Option<Turn>,
    /// The user stopped it.
    pub(super) stopped: bool,
    /// The recording reaches the team's end.
    pub(super) ended: bool,
}

impl RunTotals<'_> {
    /// The number of differences.
    fn differ(&self) -> u64 {
        self.tally.decisions.differ + self.tally.entries.differ + self.messages.differ
    }

    /// Nothing differs, and no gap affects that.
    fn is_same(&self) -> bool {
        self.differ() == 0 && self.holes == 0
    }
}

/// Hands the report on as it grows.
pub(super) struct Report<'a> {
    sink: &'a mut dyn ResultSink,
    subject: Subject<'a>,
    /// Differences that were handed on, and those that were not.
    printed: u64,
    omitted: u64,
}

/// The match that is decided again.
struct Subject<'a> {
    args: &'a ReplayArgs,
    team: String,
    game: String,
    /// Duration of the match.
    played: Duration,
    turns: u64,
    begun: Instant,
}

impl<'a> Report<'a> {
    pub(super) fn new(
        args: &'a ReplayArgs,
        sink: &'a mut dyn ResultSink,
        file: &RecordingFile,
        summary: &Summary,
    ) -> Self {
        let subject = Subject {
            args,
            team: file.info().team.clone(),
            game: file.info().game.clone(),
            played: summary.duration,
            turns: summary.turns,
            begun: Instant::now(),
        };
        Self { sink, subject, printed: 0, omitted: 0 }
    }

    /// Sets the number of turns decided so far; false when no more is wanted.
    pub(super) fn went_on(&mut self, turns: u64) -> bool {
        self.sink.went_on(turns, self.subject.turns)
    }

    /// Warns about a problem of the recording.
    pub(super) fn warn(&mut self, text: &str) {
        let what = Paint::stderr().ink(Ink::Yellow, "the recording has damage");
        self.sink.warn(&format!("{what}: {text}"));
    }

    /// False when no more is wanted.
    pub(super) fn difference(&mut self, difference: &LineDifference<EventLine>) -> Result<bool> {
        let json = || difference_json(difference);
        self.tell(json, |paint| difference_text(difference, paint))
    }

    /// False when no more is wanted.
    pub(super) fn sent(&mut self, sent: &SentDifference) -> Result<bool> {
        let SentDifference { seat, turn, recorded, now } = sent;
        let text = |bytes: Option<&[u8]>| bytes.map(excerpt);
        let (recorded, now) = (text(recorded.as_deref()), text(now.as_deref()));
        let json = || {
            json!({
                "kind": "sent", "round": turn.round, "step": turn.step, "seat": seat.0,
                "recorded": recorded, "now": now,
            })
        };
        self.tell(json, |paint| {
            let nothing = || "nothing".to_owned();
            let who = format!("seat {} sent", seat.0);
            let shown = |text: &Option<String>| text.clone().unwrap_or_else(nothing);
            pair(*turn, &who, &shown(&recorded), &shown(&now), paint)
        })
    }

    /// Reports a place where the expression was true; false when no more is
    /// wanted.
    pub(super) fn stop(&mut self, stop: &Stop) -> Result<bool> {
        let Stop { turn, agent, role, value } = stop;
        let json = json!({
            "kind": "break", "round": turn.round, "step": turn.step, "agent": agent, "role": role,
            "value": value,
        });
        let turn = turn.to_string();
        let place = format!("{turn:<6} {agent:<12} {role:<12}");
        self.sink.item(&json, &|_| format!("{place} {}", value.replace('\n', " ")))
    }

    fn tell(
        &mut self,
        json: impl FnOnce() -> Value,
        text: impl Fn(Paint) -> String,
    ) -> Result<bool> {
        if self.sink.limit().is_some_and(|limit| self.printed >= limit) {
            self.omitted += 1;
            return Ok(true);
        }
        self.printed += 1;
        self.sink.item(&json(), &text)
    }

    /// Hands on the summary; true when nothing differs.
    pub(super) fn summary(&mut self, totals: &RunTotals<'_>, seen: &Seen) -> Result<bool> {
        let (subject, omitted) = (&self.subject, self.omitted);
        let spent = subject.begun.elapsed();
        let json = subject.summary_json(totals, seen, spent);
        self.sink.item(&json, &|paint| {
            let more = (omitted > 0).then(|| format!("… and {omitted} more; --limit 0 shows all"));
            let lines = more.into_iter().chain(subject.summary_lines(totals, seen, spent, paint));
            lines.collect::<Vec<_>>().join("\n")
        })?;
        Ok(totals.is_same())
    }
}

impl Subject<'_> {
    fn summary_json(&self, totals: &RunTotals<'_>, seen: &Seen, spent: Duration) -> Value {
        let Tally { turns, decisions, by_role, by_agent, entries, .. } = totals.tally;
        let table = |shares: &phalanx_game::sorted::SortedMap<String, Share>| -> Value {
            let shares = shares.iter().map(|(name, share)| (name.clone(), share_json(*share)));
            Value::Object(shares.collect::<Map<_, _>>())
        };
        let place = |turn: Turn| json!({ "round": turn.round, "step": turn.step });
        json!({
            "kind": "summary", "team": self.team, "game": self.game,
            "strategy": self.args.strategy, "turns": turns, "decisions": share_json(*decisions),
            "by_role": table(by_role), "by_agent": table(by_agent),
            "journal": share_json(*entries), "messages": share_json(totals.messages),
            "errors_recorded": totals.tally.errors_recorded, "errors_now": totals.tally.errors_now,
            "trouble": totals.trouble.in_words(), "exact_until": totals.exact_until.map(place),
            "last": place(totals.turn), "whole": totals.ended, "stopped": totals.stopped,
            "breaks": seen.count, "seconds": spent.as_secs_f64(),
            "match_seconds": self.played.as_secs_f64(),
        })
    }

    fn summary_lines(
        &self,
        totals: &RunTotals<'_>,
        seen: &Seen,
        spent: Duration,
        paint: Paint,
    ) -> Vec<String> {
        let mut lines = vec![self.verdict(totals, paint)];
        if totals.tally.by_role.values().any(|share| share.differ > 0) {
            lines.push(roles(totals.tally));
        }
        let (errors, now) = (totals.tally.errors_recorded, totals.tally.errors_now);
        if errors + now > 0 {
            let recorded = counted(errors, "failure");
            lines.push(format!("{recorded} of scripts in the recording, {now} now"));
        }
        if let Some(turn) = totals.exact_until {
            let what = format!("from turn {turn} on the recording lacks data that decisions need");
            let what = paint.ink(Ink::Yellow, &what);
            lines.push(format!("{what}: later differences may come from that"));
        }
        // If it was stopped, the unread rest is no problem of the recording.
        let trouble = if totals.stopped { Vec::new() } else { totals.trouble.in_words() };
        lines.extend(trouble.into_iter().map(|what| format!("  {what}")));
        lines.extend(looked(self.args, totals, seen));
        lines.push(self.speed(totals.tally.turns, spent, paint));
        lines
    }

    fn verdict(&self, totals: &RunTotals<'_>, paint: Paint) -> String {
        let Self { team, game, .. } = self;
        let Tally { turns, decisions, entries, .. } = totals.tally;
        let turns = counted(*turns, "turn");
        let until = if totals.ended && !totals.stopped {
            String::new()
        } else {
            format!(" (up to {})", totals.turn)
        };
        let (all, differ) = (decisions.all, decisions.differ);
        if let Some(strategy) = &self.args.strategy {
            let strategy = strategy.display();
            let what = format!("{differ} of {} differ", counted(all, "decision"));
            let what = paint.ink(ink(differ), &what);
            return format!("{what}: team {team} of {game}, {turns}{until}, decided by {strategy}");
        }
        let what = match totals.differ() {
            0 => "zero differences".to_owned(),
            all => counted(all, "difference"),
        };
        format!(
            "{}: team {team} of {game}, {turns}{until}: {}, {}, {}",
            paint.ink(ink(totals.differ()), &what),
            counted(all, "decision"),
            counted(totals.messages.all, "message"),
            counted(entries.all, "other line") + " of the journal",
        )
    }

    fn speed(&self, turns: u64, spent: Duration, paint: Paint) -> String {
        let (spent, played) = (spent.as_secs_f64().max(1e-9), self.played.as_secs_f64());
        #[expect(clippy::cast_precision_loss, reason = "a number for people")]
        let turns = turns as f64 / spent;
        // On virtual time a match may take no time.
        let beside = if played < PLAYED_MIN.as_secs_f64() {
            String::new()
        } else {
            format!(" for {played:.1} s of play, {:.1} times real time", played / spent)
        };
        paint.ink(Ink::Dim, &format!("{spent:.1} s{beside}: {turns:.0} turns a second"))
    }
}

fn ink(differ: u64) -> Ink {
    if differ == 0 { Ink::Green } else { Ink::Red }
}

/// Whether the expression and the turn were reached.
fn looked(args: &ReplayArgs, totals: &RunTotals<'_>, seen: &Seen) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(expression) = &args.stop_where {
        lines.push(format!("{expression} was true {}", counted(seen.count, "time")));
    }
    if let Some((count, first)) = &seen.failed {
        lines.push(format!("it failed {}; first in {first}", counted(*count, "time")));
    }
    if let Some(until) = args.until
        && !seen.reached
        && !seen.left
    {
        let who = args.agent.as_deref().unwrap_or("no agent");
        let who =
            if args.agent.is_some() { format!("{who} was not") } else { format!("{who} was") };
        lines.push(format!("{who} asked in turn {until} or later: the last was {}", totals.turn));
    }
    lines
}

fn roles(tally: &Tally) -> String {
    let mut table = Table::new(&["ROLE", "DECISIONS", "DIFFER"]);
    for (role, share) in &tally.by_role {
        table.row([role.clone(), share.all.to_string(), share.differ.to_string()]);
        table.ink(2, ink(share.differ));
    }
    table.shown()
}

fn share_json(share: Share) -> Value {
    json!({ "all": share.all, "differ": share.differ })
}

fn difference_json(difference: &LineDifference<EventLine>) -> Value {
    let LineDifference { turn, recorded, now } = difference;
    let line = recorded.as_ref().or(now.as_ref());
    let event = |line: &Option<EventLine>| line.as_ref().map(|line| events::json(&line.0));
    json!({
        "kind": "difference", "round": turn.round, "step": turn.step,
        "agent": line.and_then(|line| line.agent()),
        "recorded": event(recorded), "now": event(now),
    })
}

fn difference_text(difference: &LineDifference<EventLine>, paint: Paint) -> String {
    let LineDifference { turn, recorded, now } = difference;
    let agent = recorded.as_ref().or(now.as_ref()).and_then(|line| line.agent());
    let text =
        |line: &Option<EventLine>| line.as_ref().map_or_else(|| "nothing".to_owned(), line_text);
    pair(*turn, agent.unwrap_or("-"), &text(recorded), &text(now), paint)
}

/// Both sides, one below the other.
fn pair(turn: Turn, who: &str, recorded: &str, now: &str, paint: Paint) -> String {
    let (turn, nothing) = (turn.to_string(), "");
    let recorded = paint.ink(Ink::Red, &format!("- {recorded}"));
    let now = paint.ink(Ink::Green, &format!("+ {now}"));
    format!("{turn:<6} {who:<12} {recorded}\n{nothing:<6} {nothing:<12} {now}")
}

fn line_text(line: &EventLine) -> String {
    if let Some(Kind::Decided(decided)) = &line.0.kind {
        return decision(decided);
    }
    events::describe(&line.0, Paint::none())
}

/// `move(n) (worker, worker.luau:7): north is free`.
fn decision(decided: &Decided) -> String {
    let place = |grounds: &Grounds| match grounds.file.as_str() {
        "" => String::new(),
        file => format!(", {file}:{}", grounds.line),
    };
    let place = decided.grounds.as_ref().map(place).unwrap_or_default();
    let because = match (decided.reason.as_str(), &decided.reason_data) {
        ("", _) => String::new(),
        (reason, None) => format!(": {reason}"),
        (reason, data) => format!(": {reason} {}", values::json(data.as_ref())),
    };
    format!("{} ({}{place}){because}", decided.action, decided.role)
}
