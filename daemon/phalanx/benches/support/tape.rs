//! What a referee sends to one team in a real match, to be sent again to many teams. The match is
//! played once on virtual time: arena, protocol and the shipped strategy on both sides.

use phalanx_game::{Arena, Artifact, ConnectionId, Origin, Outgoing, Picture, Verdict};
use phalanx_games::demo::DemoAsk;
use phalanx_net::{Lockstep, LockstepOptions, origin};
use phalanxd::casting::Casting;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// The messages of one match to the agents of its first team.
pub(crate) struct Tape {
    /// The accounts, in the order of the team.
    pub(crate) users: Vec<String>,
    /// For each agent what starts the simulation.
    pub(crate) starts: Vec<Vec<u8>>,
    /// For each step and agent the request from `"step"` on, which follows id and times.
    pub(crate) requests: Vec<Vec<Vec<u8>>>,
}

/// Messages by the agent's place in its team.
type Heard = Arc<Mutex<BTreeMap<usize, Vec<u8>>>>;

impl Tape {
    /// Plays a match of that many steps.
    pub(crate) fn play(steps: u32) -> Self {
        let ask = DemoAsk {
            seed: 1,
            steps: Some(steps),
            fast: true,
            pace: None,
            worlds: None,
            variant: None,
            settings: None,
        };
        let game = "assemble";
        let stage = phalanx_games::demo(game, &ask).unwrap();
        let patience = Duration::from_secs(1);
        let casting =
            Casting { game, stage: &stage, fast: true, patience, watch: false, tuned: true };
        let heard = Heard::default();
        let begun: Origin = origin();
        let inner = (stage.arena)(begun).unwrap();
        let wiretap = Wiretap { inner, heard: Arc::clone(&heard) };
        let mut lockstep =
            Lockstep::new(Box::new(wiretap), begun.instant, LockstepOptions::default());
        let mut users = Vec::new();
        for name in ["A", "B"] {
            let cleared = casting.clear(name, None).unwrap();
            let plan = casting.plan(name, &cleared.bundle, cleared.staged, ask.seed).unwrap();
            if name == "A" {
                users = plan.seats.iter().map(|seat| seat.user.clone()).collect();
            }
            phalanx_games::join(&mut lockstep, &plan).unwrap();
        }
        lockstep.run(&mut ());
        let heard = std::mem::take(&mut *heard.lock().unwrap());
        Self::of(users, &heard)
    }

    fn of(users: Vec<String>, heard: &BTreeMap<usize, Vec<u8>>) -> Self {
        let (mut starts, mut requests) = (Vec::new(), Vec::new());
        for (agent, bytes) in heard.values().enumerate() {
            let mut step = 0;
            for message in bytes.split(|byte| *byte == 0) {
                if message.starts_with(br#"{"type":"sim-start""#) {
                    starts.push(message.to_vec());
                } else if message.starts_with(br#"{"type":"request-action""#) {
                    if requests.len() <= step {
                        requests.push(Vec::new());
                    }
                    assert_eq!(requests[step].len(), agent, "an agent was not asked");
                    requests[step].push(after_times(message));
                    step += 1;
                }
            }
        }
        assert_eq!(starts.len(), users.len());
        requests.retain(|agents| agents.len() == users.len());
        Self { users, starts, requests }
    }

    /// The request of an agent in a step of the tape, with this id, sent at `time` and to be
    /// answered until `deadline`, in milliseconds.
    pub(crate) fn request(
        &self,
        (step, agent): (usize, usize),
        id: usize,
        (time, deadline): (u128, u128),
    ) -> Vec<u8> {
        let head = format!(
            r#"{{"type":"request-action","content":{{"id":{id},"time":{time},"deadline":{deadline},"#
        );
        [head.as_bytes(), &self.requests[step][agent], &[0]].concat()
    }
}

/// A request from its step on.
fn after_times(message: &[u8]) -> Vec<u8> {
    let text = std::str::from_utf8(message).unwrap();
    let (_, rest) = text.split_once(r#""step":"#).unwrap();
    format!(r#""step":{rest}"#).into_bytes()
}

/// An arena whose messages to the first team are kept.
#[derive(Debug)]
struct Wiretap {
    inner: Box<dyn Arena>,
    heard: Heard,
}

impl Arena for Wiretap {
    fn handle_join(&mut self, connection: ConnectionId, now: Instant) {
        self.inner.handle_join(connection, now);
    }

    fn handle_input(&mut self, connection: ConnectionId, bytes: &[u8], now: Instant) {
        self.inner.handle_input(connection, bytes, now);
    }

    fn handle_leave(&mut self, connection: ConnectionId, now: Instant) {
        self.inner.handle_leave(connection, now);
    }

    fn handle_timeout(&mut self, now: Instant) {
        self.inner.handle_timeout(now);
    }

    fn poll_transmit(&mut self) -> Option<Outgoing> {
        let outgoing = self.inner.poll_transmit()?;
        if let Outgoing::Bytes(connection, bytes) = &outgoing
            && let Some((0, agent)) = self.inner.player(*connection)
        {
            self.heard.lock().unwrap().entry(agent).or_default().extend(bytes);
        }
        Some(outgoing)
    }

    fn poll_artifact(&mut self) -> Option<Artifact> {
        self.inner.poll_artifact()
    }

    fn poll_timeout(&self) -> Option<Instant> {
        self.inner.poll_timeout()
    }

    fn verdict(&self) -> Verdict {
        self.inner.verdict()
    }

    fn truth(&self) -> Picture {
        self.inner.truth()
    }

    fn turn_limit(&self) -> Duration {
        self.inner.turn_limit()
    }
}
