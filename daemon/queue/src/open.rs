//! The matches in flight, as a state machine without clock and network: who plays them, how often
//! they were asked for, and what is to happen next.

use crate::refusals::{Refusals, Stuck};
use crate::wire::{NoteEvent, ResultMessage, WorkerAnswer, WorkerNote, program};
use crate::workers::WorkerCounts;
use phalanx_league::MatchOutcome;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::mpsc::SyncSender;
use std::time::Duration;
use tokio::time::Instant;

/// Workers that an item may end before it is set aside.
const DEATHS_MAX: usize = 2;
/// Results of an earlier coordinator that wait until the league asks for them.
const EARLY_MAX: usize = 4_096;
/// How long matches wait for a worker before a warning.
const UNPLAYED_MAX: Duration = Duration::from_secs(10);
/// Things that are said once; more are not remembered.
const SAID_MAX: usize = 256;

/// What happens next with a match, for the thread that waits for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// It ended.
    Over(MatchOutcome),
    /// It has to be put on the queue again, with the bundles if they are missing.
    Again { attempt: u32, bundles: bool },
}

/// A match in flight.
#[derive(Debug)]
struct OpenMatch {
    fingerprint: String,
    players: usize,
    attempt: u32,
    /// Its place in the stream, once it is there.
    sequence: Option<u64>,
    /// The workers that began it and have said nothing since: several after the server was away.
    holders: Vec<String>,
    /// The workers that it ended; one that plays in processes of its own survives and is there again.
    deaths: Vec<String>,
    waiting: SyncSender<Next>,
}

/// What a message from a worker led to.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Effect {
    /// For the person who watches.
    pub(crate) say: Option<String>,
    /// A place in the stream whose item is no longer needed.
    pub(crate) delete: Option<u64>,
}

/// All matches in flight.
#[derive(Debug)]
pub(crate) struct OpenMatches {
    /// The version that results must have.
    version: String,
    open: BTreeMap<u64, OpenMatch>,
    early: BTreeMap<u64, ResultMessage>,
    /// The highest number that the league asked for.
    highest: Option<u64>,
    said: BTreeSet<String>,
    refusals: Refusals,
    /// Since when no worker has a match, and whether that was said.
    unplayed: Option<(Instant, bool)>,
    pub(crate) workers: WorkerCounts,
    /// Results that were not counted, as their match had one.
    pub(crate) doubles: u64,
}

impl OpenMatches {
    /// `refused_max`: how long workers may only refuse.
    pub(crate) fn new(version: String, refused_max: Duration) -> Self {
        let (open, early, said) = (BTreeMap::new(), BTreeMap::new(), BTreeSet::new());
        let (refusals, workers) = (Refusals::new(refused_max), WorkerCounts::default());
        let (highest, unplayed, doubles) = (None, None, 0);
        Self { version, open, early, highest, said, refusals, unplayed, workers, doubles }
    }

    /// A match that the league asks for; its outcome at once if an earlier coordinator had it played.
    pub(crate) fn ask(
        &mut self,
        number: u64,
        fingerprint: String,
        players: usize,
        waiting: SyncSender<Next>,
    ) -> Option<MatchOutcome> {
        self.highest = self.highest.max(Some(number));
        if let Some(early) = self.early.remove(&number)
            && early.fingerprint == fingerprint
            && let Some(outcome) = early.answer.outcome(players)
        {
            return Some(outcome);
        }
        let deaths = Vec::new();
        let (attempt, sequence, holders) = (0, None, Vec::new());
        let open = OpenMatch { fingerprint, players, attempt, sequence, holders, deaths, waiting };
        self.open.insert(number, open);
        None
    }

    /// The league no longer waits for it.
    pub(crate) fn leave(&mut self, number: u64) {
        self.open.remove(&number);
    }

    /// It is on the queue.
    pub(crate) fn queued(&mut self, number: u64, attempt: u32, sequence: u64) {
        let open = self.open.get_mut(&number).filter(|open| open.attempt == attempt);
        if let Some(open) = open {
            open.sequence = Some(sequence);
        }
    }

    /// A worker says something of a match that it has.
    pub(crate) fn note(&mut self, note: WorkerNote) {
        if let Some(open) = self.open.get_mut(&note.number) {
            open.holders.retain(|holder| *holder != note.worker);
            if note.event == NoteEvent::Began {
                open.holders.push(note.worker);
            }
        }
    }

    /// A result came.
    pub(crate) fn result(&mut self, number: u64, message: ResultMessage) -> Effect {
        if let WorkerAnswer::Refused { reason, .. } = &message.answer {
            self.refusals.add(&message.worker, reason);
        }
        if let WorkerAnswer::Refused { reason, .. } = &message.answer
            && !self.open.contains_key(&number)
        {
            let text = format!("{}: {reason}", message.worker);
            return Effect { say: self.once(text), delete: None };
        }
        let refused = matches!(message.answer, WorkerAnswer::Refused { .. });
        if !refused && message.version != self.version {
            let text = format!(
                "{}: a result of version {}; this is {}: dropped",
                message.worker, message.version, self.version
            );
            return Effect { say: self.once(text), delete: None };
        }
        let Some(open) = self.open.get_mut(&number) else {
            return self.not_asked(number, message);
        };
        if !refused && message.fingerprint != open.fingerprint {
            let text = format!(
                "{}: a result for match {number} that answers another match: dropped",
                message.worker
            );
            return Effect { say: self.once(text), delete: None };
        }
        let outcome = message.answer.outcome(open.players);
        let stale = message.attempt != open.attempt;
        open.holders.retain(|holder| *holder != message.worker);
        match (outcome, message.answer) {
            (Some(outcome), _) => {
                let sequence = open.sequence;
                self.workers.add(&message.worker, program(&message.version));
                self.settle(number, outcome);
                // The attempt on the queue is another one than that which was answered.
                Effect { say: None, delete: sequence.filter(|_| stale) }
            }
            // An attempt that was given up says nothing about the current one.
            (None, _) if stale => Effect::default(),
            (None, WorkerAnswer::Died(reason)) => {
                open.deaths.push(format!("{} ({reason})", message.worker));
                self.after_death(number, true)
            }
            (None, WorkerAnswer::Refused { reason, bundles }) => {
                self.again(number, bundles);
                Effect { say: self.once(format!("{}: {reason}", message.worker)), delete: None }
            }
            (None, WorkerAnswer::Scores(_) | WorkerAnswer::Failed(_)) => {
                self.again(number, false);
                let text = format!("{}: a result without a score for each player", message.worker);
                Effect { say: self.once(text), delete: None }
            }
        }
    }

    /// The workers that have matches, as far as they said.
    pub(crate) fn holders(&self) -> BTreeSet<String> {
        self.open.values().flat_map(|open| open.holders.iter().cloned()).collect()
    }

    /// Whether the run is stuck, since every worker refuses or none is there.
    pub(crate) fn stuck(&mut self, now: Instant) -> Option<Stuck> {
        let playing = self.open.values().any(|open| !open.holders.is_empty());
        let stuck = self.refusals.look(now, playing);
        if stuck.is_some() || playing || self.refusals.is_fresh() || self.open.is_empty() {
            self.unplayed = None;
            return stuck;
        }
        let (since, said) = self.unplayed.get_or_insert((now, false));
        if *said || now.saturating_duration_since(*since) < UNPLAYED_MAX {
            return None;
        }
        *said = true;
        Some(Stuck::Warn(
            "the matches wait for a worker: start `phalanx worker` with the same --nats, here or on \
             another machine"
                .to_owned(),
        ))
    }

    /// A worker is gone; its items come back by themselves, unless they ended too many workers.
    pub(crate) fn died(&mut self, worker: &str) -> Vec<Effect> {
        let mut numbers = Vec::new();
        for (number, open) in &mut self.open {
            let had = open.holders.len();
            open.holders.retain(|holder| holder != worker);
            if open.holders.len() < had {
                open.deaths.push(worker.to_owned());
                numbers.push(*number);
            }
        }
        numbers.into_iter().map(|number| self.after_death(number, false)).collect()
    }

    /// Matches on the queue that no known worker has, with their places in the stream.
    pub(crate) fn unheld(&self) -> Vec<(u64, u64)> {
        let unheld = self.open.iter().filter(|(_, open)| open.holders.is_empty());
        unheld.filter_map(|(number, open)| Some((*number, open.sequence?))).collect()
    }

    /// The item at this place in the stream is lost.
    pub(crate) fn lost(&mut self, number: u64, sequence: u64) {
        if self.open.get(&number).is_some_and(|open| open.sequence == Some(sequence)) {
            self.again(number, true);
        }
    }

    /// Text for the person who watches, if it was not said before.
    pub(crate) fn once(&mut self, text: String) -> Option<String> {
        let new = self.said.len() < SAID_MAX && self.said.insert(text.clone());
        new.then_some(text)
    }

    fn not_asked(&mut self, number: u64, message: ResultMessage) -> Effect {
        let ended = message.answer.outcome(message.answer_players()).is_some();
        let asked = self.highest.is_some_and(|highest| number <= highest);
        if ended && !asked && self.early.len() < EARLY_MAX && !self.early.contains_key(&number) {
            self.early.insert(number, message);
        } else {
            self.doubles += 1;
        }
        Effect::default()
    }

    fn after_death(&mut self, number: u64, acknowledged: bool) -> Effect {
        let Some(open) = self.open.get(&number) else { return Effect::default() };
        let ended = open.deaths.clone();
        if ended.len() < DEATHS_MAX {
            if acknowledged {
                self.again(number, false);
            }
            return Effect {
                say: Some(format!(
                    "match {number} ended worker {}; another one plays it",
                    ended.join(", ")
                )),
                delete: None,
            };
        }
        let delete = open.sequence;
        let reason = format!("set aside: it ended {} workers", ended.len());
        let say = format!("match {number} is set aside: it ended the workers {}", ended.join(", "));
        self.settle(number, MatchOutcome::failed(&reason));
        Effect { say: Some(say), delete }
    }

    fn again(&mut self, number: u64, bundles: bool) {
        if let Some(open) = self.open.get_mut(&number) {
            open.attempt += 1;
            open.sequence = None;
            open.holders.clear();
            let next = Next::Again { attempt: open.attempt, bundles };
            self.tell(number, next);
        }
    }

    fn settle(&mut self, number: u64, outcome: MatchOutcome) {
        self.refusals.clear();
        self.unplayed = None;
        self.tell(number, Next::Over(outcome));
        self.open.remove(&number);
    }

    fn tell(&self, number: u64, next: Next) {
        if let Some(open) = self.open.get(&number) {
            // A thread that left needs no answer; one that is busy finds the latest in its channel.
            drop(open.waiting.try_send(next));
        }
    }
}

impl ResultMessage {
    /// How many players its answer is about.
    fn answer_players(&self) -> usize {
        match &self.answer {
            WorkerAnswer::Scores(scores) => scores.len(),
            WorkerAnswer::Failed(_) | WorkerAnswer::Died(_) | WorkerAnswer::Refused { .. } => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{Receiver, sync_channel};

    fn table() -> OpenMatches {
        OpenMatches::new("1".to_owned(), Duration::from_mins(5))
    }

    fn ask(table: &mut OpenMatches, number: u64) -> Receiver<Next> {
        let (waiting, next) = sync_channel(4);
        assert_eq!(table.ask(number, "f".to_owned(), 2, waiting), None);
        table.queued(number, 0, number + 100);
        next
    }

    fn message(answer: WorkerAnswer, attempt: u32) -> ResultMessage {
        let (worker, version) = ("w".to_owned(), "1".to_owned());
        ResultMessage { worker, version, fingerprint: "f".to_owned(), attempt, answer }
    }

    fn scores() -> WorkerAnswer {
        WorkerAnswer::Scores(vec![3, 4])
    }

    fn over() -> Next {
        Next::Over(MatchOutcome::Scores(vec![3, 4]))
    }

    fn began(worker: &str, number: u64) -> WorkerNote {
        WorkerNote { worker: worker.to_owned(), number, event: NoteEvent::Began }
    }

    #[test]
    fn a_result_counts_once() {
        let mut table = table();
        let next = ask(&mut table, 5);
        assert_eq!(table.result(5, message(scores(), 0)), Effect::default());
        assert_eq!(
            table.result(5, message(WorkerAnswer::Failed("x".into()), 0)),
            Effect::default()
        );
        assert_eq!(next.try_iter().collect::<Vec<_>>(), [over()]);
        assert_eq!(table.doubles, 1);
    }

    #[test]
    fn a_result_of_an_earlier_coordinator_counts_when_its_match_is_asked_for() {
        let mut table = table();
        table.result(7, message(scores(), 3));
        let (waiting, _next) = sync_channel(4);
        let outcome = table.ask(7, "f".to_owned(), 2, waiting.clone());
        assert_eq!(outcome, Some(MatchOutcome::Scores(vec![3, 4])));
        table.result(8, message(scores(), 0));
        assert_eq!(table.ask(8, "another match".to_owned(), 2, waiting), None);
    }

    #[test]
    fn matches_that_no_worker_takes_are_noted_once_for_each_time_without_workers() {
        let mut table = table();
        let begun = Instant::now();
        let mut said = |seconds, change: &mut dyn FnMut(&mut OpenMatches)| {
            change(&mut table);
            table.stuck(begun + Duration::from_secs(seconds)).is_some()
        };
        let mut nothing = |_: &mut OpenMatches| {};
        assert!(!said(0, &mut nothing), "no match is asked for");
        let mut waiting = Vec::new();
        assert!(!said(60, &mut |table| waiting.push(ask(table, 1))), "it is new");
        assert!(!said(69, &mut nothing));
        assert!(said(70, &mut nothing));
        assert!(!said(300, &mut nothing), "once is enough");
        assert!(!said(301, &mut |table| table.note(began("a", 1))));
        assert!(!said(400, &mut |table| drop(table.died("a"))), "the worker was there until now");
        assert!(said(410, &mut nothing));
        waiting.push(ask(&mut table, 2));
        table.result(1, message(scores(), 0));
        assert_eq!(table.stuck(begun + Duration::from_secs(500)), None, "a result came");
    }

    #[test]
    fn a_worker_that_came_late_does_not_hide_the_death_of_the_first() {
        let mut table = table();
        let next = ask(&mut table, 1);
        table.note(began("a", 1));
        table.note(began("b", 1));
        assert_eq!(table.holders().len(), 2);
        assert_eq!(table.died("a").len(), 1);
        assert_eq!(next.try_iter().count(), 0, "the server gives the item to another worker");
        let effects = table.died("b");
        assert_eq!(effects[0].delete, Some(101));
        assert!(matches!(next.try_recv(), Ok(Next::Over(MatchOutcome::Failed(_)))));
        assert_eq!(table.died("b"), []);
    }

    #[test]
    fn a_worker_that_gave_an_item_back_may_go() {
        let mut table = table();
        let _next = ask(&mut table, 1);
        table.note(began("a", 1));
        table.note(WorkerNote { event: NoteEvent::GaveBack, ..began("a", 1) });
        assert_eq!(table.died("a"), []);
        assert_eq!(table.unheld(), [(1, 101)]);
    }

    #[test]
    fn a_refused_item_is_queued_again_and_the_reason_is_said_once() {
        let mut table = table();
        let next = ask(&mut table, 1);
        let refused = |attempt| {
            let answer = WorkerAnswer::Refused { reason: "old".to_owned(), bundles: true };
            ResultMessage { version: "0".to_owned(), ..message(answer, attempt) }
        };
        assert_eq!(table.result(1, refused(0)).say.as_deref(), Some("w: old"));
        assert_eq!(next.try_recv(), Ok(Next::Again { attempt: 1, bundles: true }));
        // The same attempt again, by another worker: it was queued anew already.
        assert_eq!(table.result(1, refused(0)), Effect::default());
        table.queued(1, 0, 9);
        assert_eq!(table.unheld(), [], "that was the place of the first attempt");
        table.queued(1, 1, 10);
        // The first attempt was played after all: the second one is taken off the queue.
        assert_eq!(table.result(1, message(scores(), 0)).delete, Some(10));
        assert_eq!(next.try_recv(), Ok(over()));
    }

    #[test]
    fn what_answers_another_match_or_version_is_dropped() {
        let mut table = table();
        let next = ask(&mut table, 1);
        let foreign = ResultMessage { fingerprint: "g".to_owned(), ..message(scores(), 0) };
        assert!(table.result(1, foreign).say.is_some_and(|text| text.contains("another match")));
        let old = ResultMessage { version: "0".to_owned(), ..message(scores(), 0) };
        assert!(table.result(1, old).say.is_some_and(|text| text.contains("version 0")));
        assert_eq!(next.try_iter().count(), 0);
        let short = message(WorkerAnswer::Scores(vec![1]), 0);
        assert!(table.result(1, short).say.is_some());
        assert_eq!(next.try_recv(), Ok(Next::Again { attempt: 1, bundles: false }));
    }

    #[test]
    fn a_lost_item_is_queued_again() {
        let mut table = table();
        let next = ask(&mut table, 1);
        table.lost(1, 7);
        assert_eq!(next.try_iter().count(), 0, "another place in the stream");
        table.lost(1, 101);
        assert_eq!(next.try_recv(), Ok(Next::Again { attempt: 1, bundles: true }));
    }
}
