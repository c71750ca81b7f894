//! The misbehaving client that was recorded against the contest's own server, played again to ours:
//! the same answers count, and every connection gets the same messages.

use super::host::{Host, action, element, is, of};
use phalanx_game::sorted::SortedMap;
use phalanx_game::{Arena as _, ConnectionId};
use phalanx_mars::arena::ArenaOptions;
use phalanx_testkit::traces;
use serde_json::Value;
use std::time::Duration;

const CONFIG: &str = "start = \"key\"\nmalformed = \"legacy\"\ntimeout_ms = 4000\nsteps = 60\n\
                      seed = 5\n[map]\nnodes = 100\n[[simulations]]";

fn lines(name: &str) -> Option<Vec<Value>> {
    let bytes = traces::bytes(&format!("mars2012/{name}.jsonl.gz"))?;
    let text = String::from_utf8(bytes).expect("UTF-8");
    Some(text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect())
}

/// A message's type, and a request's number.
fn told(frame: &str) -> String {
    let number = element(frame, "perception").map(|_| of(frame, "perception", "id"));
    format!("{} {}", of(frame, "message", "type"), number.unwrap_or_default()).trim_end().to_owned()
}

/// Where another action counted: agent, step, ours, theirs.
const DIFFERENT: [(&str, u64, &str, &str); 5] = [
    // Two answers in one burst: a race in their server.
    ("a13", 5, "survey", "skip"),
    // Their machine was slow: the old connection was still heard a second after the new login.
    ("a20", 6, "noAction", "inspect"),
    // The words that their server uses itself are no actions here.
    ("a2", 14, "unknownAction", "noAction"),
    ("a2", 15, "unknownAction", "randomFail"),
    // Their machine was slow: an answer after 2.7 seconds did not count.
    ("a15", 30, "goto", "noAction"),
];

/// How long the recorded server waited for answers, in seconds.
const PATIENCE: f64 = 4.5;

/// When by the recorder's clock answers to a request come too late: the server's clock was ahead by
/// what the fastest of all requests shows.
fn dues(recording: &[Value]) -> impl Fn(&Value) -> Option<f64> {
    let sent = |line: &Value| {
        let raw = line["raw"].as_str().filter(|raw| is(raw, "request-action"))?;
        Some(of(raw, "message", "timestamp").parse::<f64>().unwrap() / 1000.0)
    };
    let ahead = |line: &Value| Some(sent(line)? - line["t"].as_f64()?);
    let ahead = recording.iter().filter_map(ahead).fold(f64::MIN, f64::max);
    move |line| Some(sent(line)? - ahead + PATIENCE)
}

/// Both sides of the recording, by connection.
struct Replay {
    host: Host,
    /// Until when each connection's answers are taken.
    due: SortedMap<u64, f64>,
    /// What came too late, until the step is over.
    late: Vec<(u64, String)>,
    ids: SortedMap<u64, ConnectionId>,
    others: Vec<ConnectionId>,
    ours: SortedMap<u64, Vec<String>>,
    theirs: SortedMap<u64, Vec<String>>,
}

impl Replay {
    fn new() -> Self {
        let mut host = Host::new(CONFIG, ArenaOptions::default());
        let others = (1..=20).map(|number| host.login(&format!("b{number}"))).collect();
        let (ids, ours, theirs) = (SortedMap::new(), SortedMap::new(), SortedMap::new());
        Self { host, due: SortedMap::new(), late: Vec::new(), ids, others, ours, theirs }
    }

    /// The other team is quick and idle.
    fn others_skip(&mut self) {
        for id in self.others.clone() {
            for frame in self.host.frames(id) {
                if is(&frame, "request-action") {
                    let skip = action(of(&frame, "perception", "id"), "skip", "");
                    self.host.say(id, &skip);
                }
            }
        }
    }

    /// Goes on until our referee is as far as the recorded one.
    fn catch_up(&mut self, frame: &str) {
        if is(frame, "sim-start") {
            self.host.begin();
        }
        let over = is(frame, "sim-end") || is(frame, "bye");
        let step = if is(frame, "request-action") {
            of(frame, "simulation", "step").parse().unwrap()
        } else if over {
            60
        } else {
            0
        };
        self.others_skip();
        while self.host.arena.verdict().step < step {
            self.host.wait(Duration::from_millis(4500));
            for (number, raw) in std::mem::take(&mut self.late) {
                self.host.say(self.ids[&number], &raw);
            }
            self.others_skip();
        }
        if is(frame, "bye") {
            self.host.wait(Duration::from_secs(1));
        }
    }

    fn play(&mut self, line: &Value) {
        let number = line["conn"].as_u64().unwrap();
        let raw = line["raw"].as_str().unwrap_or_default();
        match line["dir"].as_str().unwrap() {
            "open" => {
                let id = self.host.connect();
                self.ids.insert(number, id);
            }
            "c2s" if self.due.get(&number).is_some_and(|due| line["t"].as_f64() > Some(*due)) => {
                self.late.push((number, raw.to_owned()));
            }
            "c2s" => self.host.say(self.ids[&number], raw),
            "close-c2s" => self.host.leave(self.ids[&number]),
            "s2c" => {
                self.catch_up(raw);
                self.theirs.entry(number).or_default().push(told(raw));
            }
            _ => {}
        }
        for (number, id) in &self.ids {
            let frames = self.host.frames(*id);
            self.ours.entry(*number).or_default().extend(frames.iter().map(|f| told(f)));
        }
    }
}

#[test]
fn the_recorded_misbehaviour_has_the_recorded_effects() {
    let (Some(recording), Some(golden)) = (lines("edge_teamA"), lines("world_edge")) else {
        return;
    };
    let mut replay = Replay::new();
    let due = dues(&recording);
    for line in &recording {
        replay.play(line);
        let number = line["conn"].as_u64().unwrap();
        due(line).and_then(|due| replay.due.insert(number, due));
    }
    assert_eq!(replay.ours, replay.theirs);
    let tape = String::from_utf8(replay.host.artifacts["simulation_1.jsonl"].clone()).unwrap();
    let tape: Vec<Value> = tape.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(tape.len(), golden.len());
    let mut different = Vec::new();
    for (ours, theirs) in tape.iter().zip(&golden).skip(2) {
        for number in 1..=20 {
            let name = format!("a{number}");
            let did = |state: &Value| {
                let agent = &state["agents"][&name];
                (agent[8].as_str().unwrap().to_owned(), agent[9].as_str().unwrap().to_owned())
            };
            let ((ours_said, ours_param), (theirs_said, theirs_param)) = (did(ours), did(theirs));
            if (&ours_said, ours_param) != (&theirs_said, theirs_param) {
                let step = ours["step"].as_u64().unwrap();
                different.push((name, step, ours_said, theirs_said));
            }
        }
    }
    let known = DIFFERENT.map(|(name, step, ours, theirs)| {
        (name.to_owned(), step, ours.to_owned(), theirs.to_owned())
    });
    assert_eq!(different, known, "of {} actions", 60 * 20);
}
