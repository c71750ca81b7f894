//! The toy's referee: asks all agents, and continues when all answered or the window is over.

use phalanx_game::sorted::SortedMap;
use phalanx_game::{Arena, Artifact, ConnectionId, Outgoing, Part, Picture, Score, Verdict};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

#[derive(Debug)]
pub(crate) struct ToyArena {
    players: usize,
    steps: u32,
    window: Duration,
    step: u32,
    ends: Option<Instant>,
    lines: SortedMap<ConnectionId, Line>,
    scores: SortedMap<String, i64>,
    out: VecDeque<Outgoing>,
    files: VecDeque<Artifact>,
    over: bool,
    /// The messages, for comparing two matches.
    pub(crate) log: Vec<String>,
}

#[derive(Debug, Default)]
struct Line {
    buffer: Vec<u8>,
    name: Option<String>,
    answered: bool,
}

impl ToyArena {
    pub(crate) fn new(players: usize, steps: u32, window: Duration) -> Self {
        Self {
            players,
            steps,
            window,
            step: 0,
            ends: None,
            lines: SortedMap::new(),
            scores: SortedMap::new(),
            out: VecDeque::new(),
            files: VecDeque::new(),
            over: false,
            log: Vec::new(),
        }
    }

    fn say(&mut self, to: ConnectionId, line: &str) {
        self.out.push_back(Outgoing::Bytes(to, format!("{line}\n").into_bytes()));
    }

    fn say_all(&mut self, line: &str) {
        let named = self.lines.iter().filter(|(_, line)| line.name.is_some());
        for to in named.map(|(id, _)| *id).collect::<Vec<_>>() {
            self.say(to, line);
        }
    }

    fn hear(&mut self, from: ConnectionId, text: &str, now: Instant) {
        self.log.push(format!("{} {text}", from.0));
        let step = self.step.to_string();
        let Some(line) = self.lines.get_mut(&from) else { return };
        match text.split(' ').collect::<Vec<_>>().as_slice() {
            ["hello", "boom"] => panic!("boom came in"),
            ["hello", name] => {
                line.name = Some((*name).to_owned());
                let team = name.trim_end_matches(char::is_numeric).to_owned();
                self.scores.entry(team).or_default();
                self.say(from, "welcome");
                let named = self.lines.values().filter(|line| line.name.is_some()).count();
                if self.ends.is_some() {
                    self.say(from, "start");
                } else if named == self.players {
                    self.say_all("start");
                    self.ask(now);
                }
            }
            ["do", _, "kick"] => {
                self.lines.remove(&from);
                self.out.push_back(Outgoing::Close(from));
            }
            ["do", _, "garble"] => self.say(from, &"g".repeat(2_000)),
            ["do", at, what] if *at == step => {
                line.answered = true;
                let name = line.name.clone().unwrap_or_default();
                let team = name.trim_end_matches(char::is_numeric);
                if *what != "rest" {
                    *self.scores.entry(team.to_owned()).or_default() += 1;
                }
                if self.lines.values().filter(|line| line.answered).count() >= self.players {
                    self.next(now);
                }
            }
            ["bye"] => self.out.push_back(Outgoing::Close(from)),
            _ => {}
        }
    }

    fn ask(&mut self, now: Instant) {
        self.ends = Some(now + self.window);
        for line in self.lines.values_mut() {
            line.answered = false;
        }
        self.say_all(&format!("ask {} {}", self.step, self.window.as_millis()));
    }

    fn next(&mut self, now: Instant) {
        self.step += 1;
        if self.step < self.steps {
            self.ask(now);
            return;
        }
        (self.ends, self.over) = (None, true);
        let bytes = format!("{:?}", self.scores).into_bytes();
        self.files.push_back(Artifact { path: "toy/result.txt".into(), bytes });
        for (id, line) in &self.lines {
            let name = line.name.clone().unwrap_or_default();
            let score = self.scores.get(name.trim_end_matches(char::is_numeric)).unwrap_or(&0);
            let text = format!("over {score}\nbye\n").into_bytes();
            self.out.push_back(Outgoing::Bytes(*id, text));
            self.out.push_back(Outgoing::Close(*id));
        }
    }
}

impl Arena for ToyArena {
    fn handle_join(&mut self, connection: ConnectionId, _now: Instant) {
        self.lines.insert(connection, Line::default());
    }

    fn handle_input(&mut self, connection: ConnectionId, bytes: &[u8], now: Instant) {
        let Some(line) = self.lines.get_mut(&connection) else { return };
        line.buffer.extend_from_slice(bytes);
        let Some(end) = line.buffer.iter().rposition(|byte| *byte == b'\n') else { return };
        let whole: Vec<u8> = line.buffer.drain(..=end).collect();
        for text in String::from_utf8_lossy(&whole).lines() {
            self.hear(connection, text, now);
        }
    }

    fn handle_leave(&mut self, connection: ConnectionId, _now: Instant) {
        self.lines.remove(&connection);
    }

    fn handle_timeout(&mut self, now: Instant) {
        if self.ends.is_some_and(|ends| ends <= now) {
            self.next(now);
        }
    }

    fn poll_transmit(&mut self) -> Option<Outgoing> {
        self.out.pop_front()
    }

    fn poll_artifact(&mut self) -> Option<Artifact> {
        self.files.pop_front()
    }

    fn poll_timeout(&self) -> Option<Instant> {
        self.ends
    }

    fn verdict(&self) -> Verdict {
        let teams = self.scores.iter();
        Verdict {
            over: self.over,
            round: 1,
            step: self.step,
            steps: self.steps,
            teams: teams
                .map(|(team, score)| Score { rounds: vec![*score], ..Score::of(team) })
                .collect(),
        }
    }

    fn truth(&self) -> Picture {
        let facts = vec![("step".into(), self.step.to_string())];
        Picture::of(Part { facts, ..Part::default() })
    }

    fn turn_limit(&self) -> Duration {
        self.window
    }
}
