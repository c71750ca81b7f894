//! The state machines of `phalanx bridge`, the agent executable for games whose referee starts its
//! agents itself: the one of Colosseum, which answers while the daemon is away, and a relay for games
//! that are a folder with the transport `stdio`.

pub use phalanx_colosseum::bridge::Write;
pub use phalanx_colosseum::wire::LINE_BYTES_MAX;

use phalanx_colosseum::bridge::Bridge as ColosseumBridge;
use phalanx_game::ProtocolError;
use std::collections::VecDeque;
use std::time::Instant;

/// Lines of the referee that wait for a daemon, at most; older ones are dropped.
const WAITING_MAX: usize = 256;

/// The state of one agent executable.
#[derive(Debug)]
pub enum Bridge {
    /// It knows the protocol of Colosseum.
    Colosseum(ColosseumBridge),
    /// It knows no protocol.
    Relay(Relay),
}

/// Passes lines on. What the referee says before a daemon is there waits for it; while there is
/// none, the referee gets no answer.
#[derive(Debug, Default)]
pub struct Relay {
    has_daemon: bool,
    waiting: VecDeque<Vec<u8>>,
    out: VecDeque<Write>,
}

impl Relay {
    fn handle_referee(&mut self, line: &[u8]) {
        let mut whole = line.to_vec();
        whole.push(b'\n');
        if self.has_daemon {
            self.out.push_back(Write::Daemon(whole));
        } else {
            if self.waiting.len() >= WAITING_MAX {
                self.waiting.pop_front();
            }
            self.waiting.push_back(whole);
        }
    }

    fn handle_daemon(&mut self) {
        self.has_daemon = true;
        self.out.extend(self.waiting.drain(..).map(Write::Daemon));
    }

    fn handle_reply(&mut self, line: &[u8]) {
        let mut whole = line.to_vec();
        whole.push(b'\n');
        self.out.push_back(Write::Referee(whole));
    }
}

impl Bridge {
    /// The executable of an agent of Colosseum.
    #[must_use]
    pub fn colosseum(agent: &str) -> Self {
        Self::Colosseum(ColosseumBridge::new(agent))
    }

    /// One that passes lines on.
    #[must_use]
    pub fn relay() -> Self {
        Self::Relay(Relay::default())
    }

    /// A daemon accepted the bridge.
    pub fn handle_daemon(&mut self) {
        match self {
            Self::Colosseum(bridge) => bridge.handle_daemon(),
            Self::Relay(relay) => relay.handle_daemon(),
        }
    }

    /// The daemon is gone.
    pub fn handle_daemon_lost(&mut self) {
        match self {
            Self::Colosseum(bridge) => bridge.handle_daemon_lost(),
            Self::Relay(relay) => relay.has_daemon = false,
        }
    }

    /// A line of the referee, without its end.
    ///
    /// # Errors
    /// When it makes no sense.
    pub fn handle_referee(&mut self, line: &[u8], now: Instant) -> Result<(), ProtocolError> {
        match self {
            Self::Colosseum(bridge) => bridge.handle_referee(line, now),
            Self::Relay(relay) => {
                relay.handle_referee(line);
                Ok(())
            }
        }
    }

    /// A line of the daemon, without its end.
    pub fn handle_reply(&mut self, line: &[u8]) {
        match self {
            Self::Colosseum(bridge) => bridge.handle_reply(line),
            Self::Relay(relay) => relay.handle_reply(line),
        }
    }

    /// The instant of [`Bridge::poll_timeout`] has come.
    pub fn handle_timeout(&mut self, now: Instant) {
        if let Self::Colosseum(bridge) = self {
            bridge.handle_timeout(now);
        }
    }

    /// The next thing to do. Call again after every `handle_*`.
    #[must_use]
    pub fn poll_write(&mut self) -> Option<Write> {
        match self {
            Self::Colosseum(bridge) => bridge.poll_write(),
            Self::Relay(relay) => relay.out.pop_front(),
        }
    }

    /// When [`Bridge::handle_timeout`] must be called at the latest.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Instant> {
        match self {
            Self::Colosseum(bridge) => bridge.poll_timeout(),
            Self::Relay(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(bridge: &mut Bridge) -> Vec<Write> {
        std::iter::from_fn(|| bridge.poll_write()).collect()
    }

    #[test]
    fn a_relay_keeps_what_the_referee_says_before_a_daemon_is_there() {
        let (mut bridge, now) = (Bridge::relay(), Instant::now());
        bridge.handle_referee(b"hello", now).expect("a relay reads nothing");
        assert_eq!(written(&mut bridge), []);
        bridge.handle_daemon();
        assert_eq!(written(&mut bridge), [Write::Daemon(b"hello\n".to_vec())]);
        bridge.handle_referee(b"turn", now).expect("a relay reads nothing");
        bridge.handle_reply(b"act");
        let both = [Write::Daemon(b"turn\n".to_vec()), Write::Referee(b"act\n".to_vec())];
        assert_eq!(written(&mut bridge), both);
        bridge.handle_daemon_lost();
        for line in 0..2 * WAITING_MAX {
            bridge.handle_referee(line.to_string().as_bytes(), now).expect("a relay reads nothing");
        }
        bridge.handle_daemon();
        let kept = written(&mut bridge);
        assert_eq!(kept.len(), WAITING_MAX);
        assert_eq!(kept.last(), Some(&Write::Daemon(b"511\n".to_vec())));
    }
}
