//! The agent executable without its input and output (spec section 13): lines of the referee go to
//! the daemon and back; while the daemon is away, or late, the answer comes from here.
//!
//! Each input line gets exactly one output line. When a daemon connects in the middle of a match,
//! the bridge first sends it our name and the game, and discards the replies to these lines.
//! Replies carry no number, so the bridge closes the connection to a daemon that is late and opens
//! a new one.

use crate::percept::{MatchConfig, Percept, StateScene};
use crate::session::fallback;
use crate::wire::{RefereeLine, ReplyLine};
use phalanx_game::ProtocolError;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The referee gives up after 5 seconds; the daemon answers by itself well before this.
pub const DAEMON_MAX: Duration = Duration::from_millis(4700);

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Write {
    /// To the referee, flushed.
    Referee(Vec<u8>),
    Daemon(Vec<u8>),
    /// Close the connection to the daemon and open another one.
    Reconnect,
    /// The match is over: end with status 0.
    Exit,
}

/// The state of one agent executable.
#[derive(Debug, Default)]
pub struct Bridge {
    id: Option<String>,
    /// The name that the bridge sends to the referee.
    name: Option<String>,
    /// The lines that a new daemon must hear first.
    introduction: Vec<Vec<u8>>,
    /// Replies of the daemon to lines that were answered from here.
    unwanted: usize,
    daemon: bool,
    /// The answer to the referee's state when the daemon is late.
    open: Option<(Vec<u8>, Instant)>,
    out: VecDeque<Write>,
}

impl Bridge {
    /// The executable of an agent.
    #[must_use]
    pub fn new(agent: &str) -> Self {
        Self { name: Some(agent.to_owned()), ..Self::default() }
    }

    /// The daemon is there: it learns what it missed.
    pub fn handle_daemon(&mut self) {
        (self.daemon, self.unwanted) = (true, self.introduction.len());
        let lines = self.introduction.iter().cloned();
        self.out.extend(lines.map(Write::Daemon));
    }

    /// The daemon is gone: what it owes is answered at once.
    pub fn handle_daemon_lost(&mut self) {
        self.daemon = false;
        if let Some((reply, _)) = self.open.take() {
            self.out.push_back(Write::Referee(reply));
        }
    }

    /// A line of the referee, without its end.
    ///
    /// # Errors
    /// When it makes no sense; it is answered all the same.
    pub fn handle_referee(&mut self, line: &[u8], now: Instant) -> Result<(), ProtocolError> {
        if line.iter().all(u8::is_ascii_whitespace) {
            return Ok(());
        }
        if self.open.take().is_some() {
            // The referee went on; whatever the daemon says next would answer the wrong line.
            self.hang_up();
        }
        let read = RefereeLine::read(line);
        let message = read.clone().unwrap_or_default();
        if let Some((_, literal)) = &message.set_agent_id {
            self.id = Some(literal.clone());
            self.introduction.clear();
        }
        let reply = self.reply(&message);
        let mut whole = line.to_vec();
        whole.push(b'\n');
        if self.daemon {
            self.out.push_back(Write::Daemon(whole.clone()));
        }
        if message.set_agent_id.is_some() || message.config.is_some() {
            self.introduction.push(whole);
        }
        // Only a state needs thought: all else is answered from here, and at once.
        if self.daemon && message.state.is_some() && message.stop.is_none() {
            self.open = Some((reply, now + DAEMON_MAX));
        } else {
            self.unwanted += usize::from(self.daemon);
            self.out.push_back(Write::Referee(reply));
        }
        if message.stop.is_some() {
            self.out.push_back(Write::Exit);
        }
        read.map(|_| ())
    }

    fn hang_up(&mut self) {
        self.daemon = false;
        self.out.push_back(Write::Reconnect);
    }

    fn reply(&self, message: &RefereeLine) -> Vec<u8> {
        let own = |literal: &String| serde_json::from_str::<String>(literal).ok();
        let action = message.state.as_ref().map(|state| {
            let percept = Percept {
                epoch: 0,
                me: self.id.as_ref().and_then(own).unwrap_or_default().into(),
                agents: Arc::from([]),
                config: Arc::new(MatchConfig::default()),
                scene: Arc::new(StateScene::read(state)),
            };
            fallback(&percept)
        });
        let (id, pong) = (self.id.as_deref(), message.ping);
        let name = self.name.as_deref().filter(|_| message.set_agent_id.is_some());
        ReplyLine { id, name, pong, action: action.as_ref() }.line()
    }

    /// A line of the daemon, without its end.
    pub fn handle_reply(&mut self, line: &[u8]) {
        if self.unwanted > 0 {
            self.unwanted -= 1;
        } else if self.open.take().is_some() {
            let mut line = line.to_vec();
            line.push(b'\n');
            self.out.push_back(Write::Referee(line));
        }
    }

    /// The instant of [`Bridge::poll_timeout`] has come.
    pub fn handle_timeout(&mut self, now: Instant) {
        if let Some((reply, _)) = self.open.take_if(|(_, due)| *due <= now) {
            self.out.push_back(Write::Referee(reply));
            self.hang_up();
        }
    }

    /// The next thing to do. Call again after every `handle_*`.
    #[must_use]
    pub fn poll_write(&mut self) -> Option<Write> {
        self.out.pop_front()
    }

    /// When [`Bridge::handle_timeout`] must be called at the latest.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Instant> {
        self.open.as_ref().map(|(_, due)| *due)
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the origin of a virtual clock is any instant")]
mod tests {
    use super::*;

    const STATE: &[u8] = br#"{"foods": [], "actors": [], "bases": [], "epoch": 1}"#;

    fn introduced() -> (Bridge, Instant) {
        let (mut bridge, now) = (Bridge::default(), Instant::now());
        bridge.handle_referee(br#"{"set_agent_id": "me"}"#, now).expect("well-formed");
        bridge.handle_referee(br#"{"config": {"n_epochs": 3}}"#, now).expect("well-formed");
        (bridge, now)
    }

    fn written(bridge: &mut Bridge) -> Vec<Write> {
        std::iter::from_fn(|| bridge.poll_write()).collect()
    }

    fn referee(text: &str) -> Write {
        Write::Referee(format!("{text}\n").into_bytes())
    }

    #[test]
    fn without_a_daemon_every_line_is_answered_from_here() {
        let (mut bridge, now) = introduced();
        assert_eq!(written(&mut bridge), vec![referee(r#"{"agent_id": "me"}"#); 2]);
        bridge.handle_referee(STATE, now).expect("well-formed");
        let nothing = r#"{"agent_id": "me", "actions": []}"#;
        assert_eq!(written(&mut bridge), [referee(nothing)]);
        bridge.handle_referee(br#"{"stop": {}}"#, now).expect("well-formed");
        assert_eq!(written(&mut bridge), [referee(r#"{"agent_id": "me"}"#), Write::Exit]);
        assert!(bridge.handle_referee(b"[", now).is_err());
    }

    #[test]
    fn a_daemon_that_comes_late_is_introduced_and_then_decides() {
        let (mut bridge, now) = introduced();
        written(&mut bridge);
        bridge.handle_daemon();
        let told = written(&mut bridge);
        assert!(matches!(told.as_slice(), [Write::Daemon(_), Write::Daemon(_)]), "{told:?}");
        bridge.handle_referee(STATE, now).expect("well-formed");
        assert!(matches!(written(&mut bridge).as_slice(), [Write::Daemon(_)]));
        for reply in ["to the id", "to the settings", "to the state"] {
            bridge.handle_reply(reply.as_bytes());
        }
        assert_eq!(written(&mut bridge), [referee("to the state")]);
    }

    #[test]
    fn a_daemon_that_is_too_late_is_called_again() {
        let (mut bridge, now) = introduced();
        bridge.handle_daemon();
        bridge.handle_referee(STATE, now).expect("well-formed");
        written(&mut bridge);
        bridge.handle_timeout(bridge.poll_timeout().expect("a reply is due"));
        let nothing = referee(r#"{"agent_id": "me", "actions": []}"#);
        assert_eq!(written(&mut bridge), [nothing, Write::Reconnect]);
        bridge.handle_referee(STATE, now).expect("well-formed");
        assert_eq!(written(&mut bridge).len(), 1, "answered from here until the daemon is back");
    }
}
