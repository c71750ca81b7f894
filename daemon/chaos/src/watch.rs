//! Observes a match and checks its promises after each event.

use crate::api::Audience;
use crate::belief::contradiction;
use crate::disk::FaultyDisk;
use crate::disk_tape::DiskTape;
use crate::ledger::SeatKey;
use crate::network::{SharedLedger, open};
use crate::people::Expected;
use crate::sabotage::Sabotage;
use crate::violation::Rule;
use phalanx_engine::{Answer, CommandReply, JournalEntry, JournalEvent, Snapshot, Ticket};
use phalanx_game::sorted::{SortedMap, SortedSet};
use phalanx_game::{Body, ConnectionId, Picture, Verdict};
use phalanx_net::Observer;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;
use tokio::sync::oneshot;

/// Whether the team acknowledged a command; empty while it has not answered.
pub(crate) type Acknowledged = Arc<OnceLock<bool>>;

/// The observer of a match.
pub(crate) struct Watch<'a> {
    pub(crate) ledger: SharedLedger,
    /// The match is given up.
    pub(crate) stop: &'a AtomicBool,
    pub(crate) teams: Vec<TeamWatch>,
    /// Steps before which the match is interrupted, so that something else happens.
    pub(crate) pauses: Vec<u32>,
    /// Something waits for the end of a turn.
    pub(crate) is_due: bool,
    /// The match is interrupted at this instant.
    pub(crate) alarm: Option<Instant>,
    /// Answers to the commands that the match waits for: team, ticket, and what came of it.
    pub(crate) answers: Vec<(usize, Ticket, Answer)>,
    pub(crate) awaited: SortedSet<Ticket>,
    /// Calls of the control API that wait for an answer of a team.
    pub(crate) callers: SortedMap<Ticket, (Acknowledged, oneshot::Sender<Answer>)>,
    /// A number of all journals.
    pub(crate) print: u64,
    /// The disk of recording and checkpoints.
    pub(crate) disk: FaultyDisk,
    /// The recording on that disk.
    pub(crate) tape: Option<Arc<DiskTape>>,
    /// What is broken on purpose.
    pub(crate) sabotage: Sabotage<'a>,
}

/// What is known of a team.
#[derive(Default)]
pub(crate) struct TeamWatch {
    pub(crate) name: String,
    pub(crate) snapshot: Arc<Snapshot>,
    /// Its control API, if operators called.
    pub(crate) audience: Option<Audience>,
    /// It does not respond until then.
    pub(crate) frozen_until: Option<Instant>,
    /// Commands that are not answered, with what they promise.
    pub(crate) asked: SortedMap<Ticket, Option<Expected>>,
    /// What the next snapshot has to show.
    pub(crate) due: Vec<Expected>,
    pub(crate) acknowledged: u64,
    /// Beliefs that were compared with the truth.
    pub(crate) compared: u64,
    pub(crate) refused: u64,
}

impl Expected {
    /// Both are about the same thing: only the newer one counts.
    fn replaces(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Steering(a, _), Self::Steering(b, _))
            | (Self::Role(a, _), Self::Role(b, _))
            | (Self::Present(a, _), Self::Present(b, _)) => a == b,
            (Self::Param(_), Self::Param(_))
            | (Self::Board(_), Self::Board(_))
            | (Self::Generation(_), Self::Generation(_)) => true,
            _ => false,
        }
    }
}

/// A number of everything so far and one more entry; times that scripts took are no part of it.
fn mix(print: u64, entry: &JournalEntry) -> u64 {
    let words = if let JournalEvent::Decided { action, .. } = &entry.event {
        action.clone()
    } else {
        format!("{:?}", std::mem::discriminant(&entry.event))
    };
    let agent = entry.agent.as_deref().unwrap_or_default();
    let bytes = words.bytes().chain(agent.bytes()).chain(entry.turn.step.to_le_bytes());
    bytes.fold(print ^ 0xCBF2_9CE4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
    })
}

impl TeamWatch {
    /// The team's process was killed: nothing that it promised counts, nor what it showed.
    pub(crate) fn forget(&mut self) {
        self.snapshot = Arc::default();
        self.audience = None;
        self.asked.clear();
        self.due.clear();
        self.frozen_until = None;
    }
}

impl Watch<'_> {
    fn broken(&self, team: usize, rule: Rule, agent: &str, text: String) {
        let name = self.teams.get(team).map_or_else(String::new, |team| team.name.clone());
        open(&self.ledger).violate(rule, name, agent.to_owned(), text);
    }

    /// A belief beside the truth of its step.
    fn compare(&mut self, team: usize, belief: &Picture) {
        let broken = self.sabotage.belief.map(|broken| broken(belief));
        let belief = broken.as_ref().unwrap_or(belief);
        let ledger = open(&self.ledger);
        let Some(truth) = ledger.truths.beside(belief).filter(|_| !ledger.was_misled(team)) else {
            return;
        };
        let Some(watch) = self.teams.get(team) else { return };
        let known = |body: &Body| {
            let agent = body.agent.and_then(|agent| watch.snapshot.agents.get(agent.index()));
            let agent = agent.map(|agent| agent.name.clone()).unwrap_or_default();
            let name = if body.name.is_empty() { agent.clone() } else { body.name.clone() };
            let agent = if agent.is_empty() { &name } else { &agent };
            let is_sure = !ledger.is_excused(team, agent);
            (name, is_sure)
        };
        let found = contradiction(belief, truth, &known);
        drop(ledger);
        if let Some(watch) = self.teams.get_mut(team) {
            watch.compared += 1;
        }
        if let Some(text) = found {
            self.broken(team, Rule::Belief, "", text);
        }
    }

    /// Whether the match is interrupted now.
    fn pause(&self) -> ControlFlow<()> {
        if self.is_due || self.stop.load(Ordering::Relaxed) {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

impl Observer for Watch<'_> {
    fn step(&mut self, verdict: &Verdict) -> ControlFlow<()> {
        let mut ledger = open(&self.ledger);
        // A round that begins is no step.
        ledger.step += u32::from(verdict.step > 0);
        let step = ledger.step;
        drop(ledger);
        if self.pauses.first().is_some_and(|pause| *pause <= step) {
            self.pauses.remove(0);
            self.is_due = true;
        }
        self.pause()
    }

    fn beat(&mut self, now: Instant) -> ControlFlow<()> {
        match &self.tape {
            Some(tape) => tape.elapse(now),
            None => self.disk.end(Some(now)),
        }
        let mut ledger = open(&self.ledger);
        ledger.look(now);
        for (index, team) in self.teams.iter_mut().enumerate() {
            if let Some(until) = team.frozen_until {
                ledger.excuse_team(index);
                team.frozen_until = Some(until).filter(|until| *until > now);
            }
        }
        let is_broken = !ledger.violations.is_empty();
        drop(ledger);
        self.is_due |= self.alarm.take_if(|alarm| *alarm <= now).is_some();
        if is_broken { ControlFlow::Break(()) } else { self.pause() }
    }

    fn journal(&mut self, team: usize, entry: JournalEntry) {
        self.print = mix(self.print, &entry);
        if let Some(audience) = self.teams.get(team).and_then(|team| team.audience.as_ref()) {
            audience.heard(&entry, self.sabotage.unheard.is_some_and(|lost| lost(&entry)));
        }
        let JournalEntry { turn, agent, event, .. } = entry;
        // The script of the whole team is healthy, and most of its agents are.
        if let (JournalEvent::ScriptError { call, reason }, None) = (&event, &agent) {
            if open(&self.ledger).is_mostly_well(team) {
                let text = format!("in turn {turn}, {call} failed: {reason}");
                self.broken(team, Rule::Neighbour, "", text);
            }
            return;
        }
        let agent = agent.unwrap_or_default();
        if let JournalEvent::Decided { action, .. } = &event {
            return open(&self.ledger).decided(team, &agent, action);
        }
        let what = if let JournalEvent::Fallback { reason, .. } = event {
            format!("sent its fallback: {reason}")
        } else if let JournalEvent::Defaulted { cause } = event {
            format!("did not decide: {cause}")
        } else if event == JournalEvent::Late {
            "decided too late".to_owned()
        } else {
            return;
        };
        if !open(&self.ledger).is_excused(team, &agent) {
            self.broken(team, Rule::Neighbour, &agent, format!("in turn {turn} it {what}"));
        }
    }

    fn snapshot(&mut self, team: usize, snapshot: &Arc<Snapshot>) {
        let Some(watch) = self.teams.get_mut(team) else { return };
        let broken = self.sabotage.snapshot.map(|broken| Arc::new(broken(snapshot)));
        let snapshot = broken.as_ref().unwrap_or(snapshot);
        watch.snapshot = Arc::clone(snapshot);
        watch.audience.as_ref().inspect(|audience| audience.saw(snapshot));
        let due = std::mem::take(&mut watch.due);
        for text in due.iter().filter_map(|expected| expected.missing(snapshot)) {
            self.broken(team, Rule::Command, "", text);
        }
    }

    fn answer(&mut self, team: usize, ticket: Ticket, answer: Answer) {
        if self.awaited.remove(&ticket) {
            self.answers.push((team, ticket, answer.clone()));
            self.is_due = true;
        }
        if let Some((acknowledged, caller)) = self.callers.remove(&ticket) {
            // It is answered once.
            acknowledged.set(answer.is_ok()).unwrap_or_default();
            let broken = self.sabotage.answer.map(|broken| broken(answer.clone()));
            // A caller that went away needs none.
            drop(caller.send(broken.unwrap_or_else(|| answer.clone())));
            self.is_due = true;
        }
        let Some(watch) = self.teams.get_mut(team) else { return };
        let Some(expected) = watch.asked.remove(&ticket) else { return };
        let reply = match answer {
            Ok(reply) => reply,
            Err(_) => {
                watch.refused += 1;
                return;
            }
        };
        watch.acknowledged += 1;
        if let CommandReply::DrawWorld(drawing) = &reply {
            return self.compare(team, &drawing.picture);
        }
        let Some(expected) = expected else { return };
        watch.due.retain(|due| !expected.replaces(due));
        if expected.missing(&watch.snapshot).is_some() {
            watch.due.push(expected);
        }
    }

    fn connected(&mut self, team: usize, seat: usize, connection: ConnectionId) {
        let key: SeatKey = (team, seat);
        open(&self.ledger).connected(key, connection);
    }
}
