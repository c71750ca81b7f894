//! A host on a virtual clock, and clients that know nothing but the specification: they write
//! their messages by hand and look for attributes in the referee's text.

use phalanx_game::sorted::{SortedMap, SortedSet};
use phalanx_game::{Arena as _, Artifact, ConnectionId, Origin, Outgoing};
use phalanx_mars::arena::{ArenaConfig, ArenaOptions, MarsArena};
use std::time::{Duration, Instant};

/// The wall-clock time at the origin.
pub(crate) const UNIX_MS: u64 = 1_345_000_000_000;

pub(crate) struct Host {
    pub(crate) arena: MarsArena,
    pub(crate) start: Instant,
    pub(crate) now: Instant,
    pub(crate) artifacts: SortedMap<String, Vec<u8>>,
    pub(crate) notices: Vec<String>,
    /// What each connection got and no test has read yet.
    inboxes: SortedMap<ConnectionId, Vec<u8>>,
    closed: SortedSet<ConnectionId>,
    connections: u64,
}

impl Host {
    pub(crate) fn new(config: &str, options: ArenaOptions) -> Self {
        let start = Instant::now();
        let config = ArenaConfig::read(config).expect("a good file");
        let arena = MarsArena::new(config, options, Origin { instant: start, unix_ms: UNIX_MS });
        Self {
            arena,
            start,
            now: start,
            artifacts: SortedMap::new(),
            notices: Vec::new(),
            inboxes: SortedMap::new(),
            closed: SortedSet::new(),
            connections: 0,
        }
    }

    fn drain(&mut self) {
        while let Some(outgoing) = self.arena.poll_transmit() {
            match outgoing {
                Outgoing::Bytes(id, bytes) => self.inboxes.entry(id).or_default().extend(bytes),
                Outgoing::Close(id) => {
                    self.closed.insert(id);
                }
            }
        }
        while let Some(Artifact { path, bytes }) = self.arena.poll_artifact() {
            self.artifacts.insert(path, bytes);
        }
        while let Some(notice) = self.arena.poll_notice() {
            self.notices.push(notice);
        }
    }

    pub(crate) fn connect(&mut self) -> ConnectionId {
        self.connections += 1;
        let id = ConnectionId(self.connections);
        self.arena.handle_join(id, self.now);
        self.drain();
        id
    }

    pub(crate) fn send(&mut self, id: ConnectionId, bytes: &[u8]) {
        self.arena.handle_input(id, bytes, self.now);
        self.drain();
    }

    /// Sends a text with its NUL.
    pub(crate) fn say(&mut self, id: ConnectionId, text: &str) {
        self.send(id, format!("{text}\0").as_bytes());
    }

    pub(crate) fn leave(&mut self, id: ConnectionId) {
        self.arena.handle_leave(id, self.now);
        self.drain();
    }

    pub(crate) fn wait(&mut self, time: Duration) {
        let until = self.now + time;
        while let Some(at) = self.arena.poll_timeout().filter(|at| *at <= until) {
            self.now = self.now.max(at);
            self.arena.handle_timeout(self.now);
            self.drain();
        }
        self.now = until;
    }

    pub(crate) fn begin(&mut self) {
        self.arena.handle_start(self.now);
        self.drain();
    }

    /// The frames that came since the last look.
    pub(crate) fn frames(&mut self, id: ConnectionId) -> Vec<String> {
        let bytes = self.inboxes.remove(&id).unwrap_or_default();
        let text = String::from_utf8(bytes).expect("UTF-8");
        let mut frames: Vec<String> = text.split('\0').map(str::to_owned).collect();
        assert_eq!(frames.pop().as_deref(), Some(""), "every frame ends with a NUL");
        frames
    }

    pub(crate) fn is_closed(&self, id: ConnectionId) -> bool {
        self.closed.contains(&id)
    }

    /// Connects and logs in with the password of the default file.
    pub(crate) fn login(&mut self, user: &str) -> ConnectionId {
        let id = self.connect();
        self.say(id, &auth(user, "1"));
        id
    }

    /// Logs in both teams' first `each` agents, A before B.
    pub(crate) fn login_all(&mut self, each: usize) -> Vec<ConnectionId> {
        let names = ["a", "b"].into_iter().flat_map(|team| (1..=each).map(move |n| (team, n)));
        names.map(|(team, number)| self.login(&format!("{team}{number}"))).collect()
    }

    /// The last request of each connection; frames before it are thrown away.
    pub(crate) fn requests(&mut self, ids: &[ConnectionId]) -> Vec<String> {
        let request = |frames: Vec<String>| frames.into_iter().rfind(|f| is(f, "request-action"));
        ids.iter().map(|id| request(self.frames(*id)).expect("a request")).collect()
    }
}

pub(crate) fn auth(user: &str, password: &str) -> String {
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?><message type="auth-request"><authentication username="{user}" password="{password}"/></message>"#
    )
}

pub(crate) fn action(id: &str, kind: &str, param: &str) -> String {
    format!(r#"<message type="action"><action id="{id}" type="{kind}" param="{param}"/></message>"#)
}

/// The type of a message.
pub(crate) fn is(frame: &str, kind: &str) -> bool {
    element(frame, "message").is_some_and(|message| attribute(message, "type") == Some(kind))
}

/// The first element of that name, without its content.
pub(crate) fn element<'f>(frame: &'f str, name: &str) -> Option<&'f str> {
    elements(frame, name).next()
}

/// All elements of that name, without their content.
pub(crate) fn elements<'f>(frame: &'f str, name: &str) -> impl Iterator<Item = &'f str> {
    let open = format!("<{name} ");
    let parts = frame.match_indices(&open).map(|(at, _)| at).collect::<Vec<_>>();
    parts.into_iter().map(move |at| frame[at..].split('>').next().expect("an end"))
}

pub(crate) fn attribute<'f>(element: &'f str, name: &str) -> Option<&'f str> {
    let (_, rest) = element.split_once(&format!(" {name}=\""))?;
    rest.split('"').next()
}

/// An attribute of the first element of that name.
pub(crate) fn of<'f>(frame: &'f str, name: &str, key: &str) -> &'f str {
    let element = element(frame, name).unwrap_or_else(|| panic!("no {name} in {frame}"));
    attribute(element, key).unwrap_or_else(|| panic!("no {key} in {element}"))
}
