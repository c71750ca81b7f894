//! Whole matches on virtual time in which the referee makes a mistake on one connection: with the
//! real sessions, no other agent loses a turn, and the agent of that connection plays again within
//! two turns.

use crate::support::{ask, team};
use phalanx_engine::{JournalEntry, JournalEvent, Snapshot};
use phalanx_game::{Arena, ConnectionId, Outgoing, Verdict};
use phalanx_lua::Bundle;
use phalanx_net::{Lockstep, LockstepEnd, LockstepOptions, Observer, now, origin};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The step in which the mistake is made.
const STEP: u32 = 5;
/// Steps of a match.
const STEPS: u32 = 12;
const HOUR_MS: i64 = 3_600_000;
const YEAR_MS: i64 = 365 * 24 * HOUR_MS;

/// The referee's messages instead of a request; gets the request and the start message.
type Mistake = fn(&str, &str) -> Vec<String>;

/// A referee that makes a mistake on one connection in one step.
#[derive(Debug)]
struct Mistaken {
    arena: Box<dyn Arena>,
    odd: ConnectionId,
    mistake: Mistake,
    /// Texts that identify requests and start messages.
    words: (&'static str, &'static str),
    requests: u32,
    start: String,
    out: VecDeque<Outgoing>,
}

impl Mistaken {
    fn said(&mut self, bytes: Vec<u8>) {
        let text = String::from_utf8(bytes).unwrap();
        let (request, start) = self.words;
        if text.contains(start) {
            self.start.clone_from(&text);
        }
        let mut all = vec![text.clone()];
        if text.contains(request) {
            if self.requests == STEP {
                all = (self.mistake)(&text, &self.start);
            }
            self.requests += 1;
        }
        let bytes = all.into_iter().map(|text| Outgoing::Bytes(self.odd, text.into_bytes()));
        self.out.extend(bytes);
    }
}

impl Arena for Mistaken {
    fn handle_join(&mut self, connection: ConnectionId, now: Instant) {
        self.arena.handle_join(connection, now);
    }
    fn handle_request(&mut self, connection: ConnectionId, target: &str, now: Instant) {
        self.arena.handle_request(connection, target, now);
    }
    fn handle_input(&mut self, connection: ConnectionId, bytes: &[u8], now: Instant) {
        self.arena.handle_input(connection, bytes, now);
    }
    fn handle_leave(&mut self, connection: ConnectionId, now: Instant) {
        self.arena.handle_leave(connection, now);
    }
    fn handle_timeout(&mut self, now: Instant) {
        self.arena.handle_timeout(now);
    }
    fn poll_transmit(&mut self) -> Option<Outgoing> {
        loop {
            if let Some(out) = self.out.pop_front() {
                return Some(out);
            }
            match self.arena.poll_transmit()? {
                Outgoing::Bytes(id, bytes) if id == self.odd => self.said(bytes),
                other => return Some(other),
            }
        }
    }
    fn poll_artifact(&mut self) -> Option<phalanx_game::Artifact> {
        self.arena.poll_artifact()
    }
    fn poll_timeout(&self) -> Option<Instant> {
        self.arena.poll_timeout()
    }
    fn verdict(&self) -> Verdict {
        self.arena.verdict()
    }
    fn turn_limit(&self) -> Duration {
        self.arena.turn_limit()
    }
}

/// The agents that decided in each step, and the problems in the journal, of the first team.
#[derive(Default)]
struct Seen {
    decided: BTreeMap<u32, BTreeSet<String>>,
    missed: BTreeMap<String, Vec<String>>,
    rounds: usize,
}

impl Observer for Seen {
    fn journal(&mut self, team: usize, entry: JournalEntry) {
        let JournalEntry { turn, agent, event, .. } = entry;
        if team != 0 {
            return;
        }
        let agent = agent.unwrap_or_default();
        match event {
            JournalEvent::Decided { .. } => {
                self.decided.entry(turn.step).or_default().insert(agent);
            }
            JournalEvent::Defaulted { .. } | JournalEvent::Fallback { .. } | JournalEvent::Late => {
                self.missed.entry(agent).or_default().push(format!("{}: {event:?}", turn.step));
            }
            JournalEvent::RoundStarted => self.rounds += 1,
            _ => {}
        }
    }
    fn snapshot(&mut self, _team: usize, _snapshot: &Arc<Snapshot>) {}
}

/// Adds to the number after a word.
fn bump(text: &str, word: &str, by: i64) -> String {
    let at = text.find(word).unwrap() + word.len();
    let (head, rest) = text.split_at(at);
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '-').unwrap_or(rest.len());
    let number: i64 = rest[..end].parse().unwrap();
    format!("{head}{}{}", number + by, &rest[end..])
}

/// Plays a match of two idle teams in which the referee makes this mistake.
fn play(
    game: &str,
    words: (&'static str, &'static str),
    odd: u64,
    mistake: Mistake,
) -> (Seen, Vec<String>) {
    let stage = phalanx_games::demo(game, &ask(None, STEPS)).unwrap();
    let arena = (stage.arena)(origin()).unwrap();
    let arena = Mistaken {
        arena,
        odd: ConnectionId(odd),
        mistake,
        words,
        requests: 0,
        start: String::new(),
        out: VecDeque::new(),
    };
    let mut lockstep = Lockstep::new(Box::new(arena), now(), LockstepOptions::default());
    let bundle = Bundle::from_files([("worker.luau", stage.idle)]).unwrap();
    let names = ["A", "B"].into_iter().take(stage.teams);
    let plans: Vec<_> =
        names.map(|name| team(game, &stage, name, &bundle, &["worker"]).0).collect();
    for plan in &plans {
        phalanx_games::join(&mut lockstep, plan).unwrap();
    }
    let mut seen = Seen::default();
    assert_eq!(lockstep.run(&mut seen), LockstepEnd::Over, "{game}");
    let roster = &plans[0].roster;
    (seen, roster.ids().map(|agent| roster.name(agent).to_owned()).collect())
}

/// Checks that no other agent loses a turn, and that the agent of the connection plays again after
/// two.
fn check(game: &str, words: (&'static str, &'static str), mistakes: &[(&str, Mistake)]) {
    for (what, mistake) in mistakes {
        for odd in [0, 7] {
            let (mut seen, agents) = play(game, words, odd, *mistake);
            let odd = &agents[usize::try_from(odd).unwrap()];
            seen.missed.remove(odd);
            assert!(seen.missed.is_empty(), "{game}, {what} for {odd}: {:?}", seen.missed);
            let steps = seen.decided.len();
            assert!(steps >= 10, "{game}, {what} for {odd}: {steps} steps");
            for (step, who) in &seen.decided {
                let lost: Vec<_> = agents.iter().filter(|agent| !who.contains(*agent)).collect();
                let excused = (STEP..STEP + 2).contains(step) && lost == [odd];
                assert!(lost.is_empty() || excused, "{game}, {what} for {odd}: {step}: {lost:?}");
            }
            assert_eq!(seen.rounds, 1, "{game}, {what} for {odd}");
        }
    }
}

const ASSEMBLE_END: &str =
    "{\"type\":\"sim-end\",\"content\":{\"score\":7,\"ranking\":2,\"time\":5}}\0";
const MARS_END: &str =
    "<message type=\"sim-end\" timestamp=\"3\"><sim-result ranking=\"1\" score=\"9\"/></message>\0";

#[test]
fn agents_assemble_is_one_team_whatever_one_connection_says() {
    let mistakes: [(&str, Mistake); 11] = [
        ("a stray end", |request, _| vec![ASSEMBLE_END.into(), request.into()]),
        ("two ends", |request, _| vec![ASSEMBLE_END.into(), ASSEMBLE_END.into(), request.into()]),
        ("an id ahead", |request, _| vec![bump(request, "\"id\":", 1)]),
        ("id and step ahead", |request, _| {
            vec![bump(&bump(request, "\"id\":", 1), "\"step\":", 1)]
        }),
        ("far ahead", |request, _| vec![bump(&bump(request, "\"id\":", 500), "\"step\":", 500)]),
        ("behind", |request, _| vec![bump(&bump(request, "\"id\":", -3), "\"step\":", -3)]),
        ("a deadline in the past", |request, _| vec![bump(request, "\"deadline\":", -HOUR_MS)]),
        ("a deadline in a year", |request, _| vec![bump(request, "\"deadline\":", YEAR_MS)]),
        ("the start again", |request, start| vec![start.into(), request.into()]),
        ("another simulation", |request, start| {
            let start = bump(start, "\"time\":", 1000);
            vec![ASSEMBLE_END.into(), start, bump(&bump(request, "\"id\":", 900), "\"step\":", -5)]
        }),
        ("two servers mixed", |request, start| {
            let foreign = bump(&bump(request, "\"id\":", 900), "\"step\":", 30);
            vec![bump(start, "\"time\":", 1000), foreign, request.into()]
        }),
    ];
    check("assemble", ("\"request-action\"", "\"sim-start\""), &mistakes);
}

#[test]
fn agents_on_mars_are_one_team_whatever_one_connection_says() {
    let mistakes: [(&str, Mistake); 11] = [
        ("a stray end", |request, _| vec![MARS_END.into(), request.into()]),
        ("two ends", |request, _| vec![MARS_END.into(), MARS_END.into(), request.into()]),
        ("an id ahead", |request, _| vec![bump(request, " id=\"", 1)]),
        ("id and step ahead", |request, _| vec![bump(&bump(request, " id=\"", 1), "step=\"", 1)]),
        ("far ahead", |request, _| vec![bump(&bump(request, " id=\"", 500), "step=\"", 500)]),
        ("behind", |request, _| vec![bump(&bump(request, " id=\"", -3), "step=\"", -3)]),
        ("a deadline in the past", |request, _| vec![bump(request, "deadline=\"", -HOUR_MS)]),
        ("a deadline in a year", |request, _| vec![bump(request, "deadline=\"", YEAR_MS)]),
        ("the start again", |request, start| vec![start.into(), request.into()]),
        ("another simulation", |request, start| {
            let start = bump(start, "steps=\"", 9);
            vec![MARS_END.into(), start, bump(&bump(request, " id=\"", 900), "step=\"", -5)]
        }),
        ("two servers mixed", |request, start| {
            let foreign = bump(&bump(request, " id=\"", 900), "step=\"", 30);
            vec![bump(start, "steps=\"", 9), foreign, request.into()]
        }),
    ];
    check("mars", ("request-action", "sim-start"), &mistakes);
}
