//! A session in conversation with a referee that says what the test wants.

use phalanx_game::Session as _;
use phalanx_game::{AgentId, DefaultCause, Event, Late, MarginLimits, Notice, Seat, SeatId, Turn};
use phalanx_mars::action::Action;
use phalanx_mars::percept::{Briefing, Percept};
use phalanx_mars::session::Session;
use std::time::{Duration, Instant};

const A: AgentId = AgentId(3);

pub(crate) const OK: &str =
    r#"<message type="auth-response" timestamp="1"><authentication result="ok"/></message>"#;
pub(crate) const START: &str = r#"<message type="sim-start" timestamp="2"><simulation id="0" role="Sentinel" steps="9" vertices="150" edges="400"/></message>"#;
pub(crate) const END: &str =
    r#"<message type="sim-end" timestamp="3"><sim-result ranking="1" score="9"/></message>"#;
pub(crate) const BYE: &str = r#"<message type="bye" timestamp="4"/>"#;

/// A start message of another simulation.
pub(crate) fn start(id: &str, role: &str) -> String {
    START.replace(r#"id="0""#, &format!("id=\"{id}\"")).replace("Sentinel", role)
}

/// A request of a referee that waits for two seconds and reports 40 points.
pub(crate) fn request(id: i64, step: u32, last: &str) -> String {
    format!(
        r#"<message type="request-action" timestamp="1000"><perception deadline="3000" id="{id}"><simulation step="{step}"/><self lastAction="{last}"/><team score="40"/></perception></message>"#
    )
}

/// An action with these attributes, as [`Talk::sent`] shows it.
pub(crate) fn action(attributes: &str) -> String {
    format!(r#"<message type="action"><action {attributes}/></message>"#)
}

/// A session and its clock.
pub(crate) struct Talk {
    pub(crate) session: Session,
    pub(crate) now: Instant,
}

impl Talk {
    #[expect(clippy::disallowed_methods, reason = "an Instant has no other constructor")]
    pub(crate) fn new() -> Self {
        let seat = Seat {
            id: SeatId(0),
            agents: vec![(A, "a".into())],
            user: "a".into(),
            password: "1".into(),
            turn_limit: Duration::from_secs(4),
            margin: MarginLimits::default(),
        };
        Self { session: Session::new(&seat), now: Instant::now() }
    }

    /// Another session that takes over the connection; what it said is not sent.
    pub(crate) fn successor(&self) -> Self {
        let mut next = Self { now: self.now, ..Self::new() };
        next.connect();
        for heard in self.session.resume_frames().unwrap() {
            next.session.handle_input(&heard.bytes, heard.at).unwrap();
        }
        next.sent();
        next
    }

    /// Logged in, the first simulation begun.
    pub(crate) fn seated() -> Self {
        let mut talk = Self::new();
        talk.connect();
        talk.sent();
        talk.hears(&[OK]);
        talk.events();
        talk.hears(&[START]);
        talk
    }

    pub(crate) fn connect(&mut self) {
        self.session.handle_connected(self.now);
    }

    pub(crate) fn hears(&mut self, messages: &[&str]) {
        for message in messages {
            let frame = format!("{message}\0");
            self.session.handle_input(frame.as_bytes(), self.now).unwrap();
        }
    }

    pub(crate) fn act(&mut self, round: u32, step: u32, action: &Action) -> Result<(), Late> {
        self.session.handle_action(Turn::new(round, step), A, action)
    }

    pub(crate) fn wait(&mut self, time: Duration) {
        self.now += time;
        self.session.handle_timeout(self.now);
    }

    /// What left, without declarations.
    pub(crate) fn sent(&mut self) -> Vec<String> {
        std::iter::from_fn(|| self.session.poll_transmit())
            .map(|bytes| {
                let text = String::from_utf8(bytes).unwrap();
                let text = text.strip_suffix('\0').unwrap();
                text.strip_prefix(r#"<?xml version="1.0" encoding="UTF-8"?>"#).unwrap().to_owned()
            })
            .collect()
    }

    pub(crate) fn events(&mut self) -> Vec<String> {
        std::iter::from_fn(|| self.session.poll_event()).map(|event| told(&event)).collect()
    }
}

/// The events of a session that hears these pieces.
pub(crate) fn hear_all(pieces: &[&[u8]]) -> Vec<String> {
    let mut talk = Talk::new();
    talk.connect();
    for piece in pieces {
        talk.session.handle_input(piece, talk.now).unwrap();
    }
    talk.events()
}

fn told(event: &Event<Briefing, Percept>) -> String {
    match event {
        Event::Seated { .. } => "seated".into(),
        Event::Refused { reason } => format!("refused: {reason}"),
        Event::RoundStarted { round, briefing: None, .. } => format!("round {round}"),
        Event::RoundStarted { round, briefing: Some(briefing), .. } => {
            format!("round {round} as {}", briefing.role)
        }
        Event::Percept { turn, .. } => format!("percept {turn}"),
        Event::Asked { turn, .. } => format!("asked {turn}"),
        Event::Defaulted { turn, cause, .. } => match cause {
            DefaultCause::NoDecision | DefaultCause::Superseded | DefaultCause::Disconnected => {
                format!("defaulted {turn} {cause:?}")
            }
        },
        Event::Notice(Notice::Malformed(error)) => format!("malformed: {error}"),
        Event::Notice(Notice::Unknown { kind }) => format!("unknown {kind}"),
        Event::Notice(Notice::AnswerLost { turn }) => format!("answer lost {turn}"),
        Event::Notice(fault @ Notice::Fault { .. }) => fault.to_string(),
        Event::Out { round, .. } => format!("out of round {round}"),
        Event::RoundOver { round, score, ranking, .. } => {
            format!("round {round} over: {score}, rank {}", ranking.unwrap_or(0))
        }
        Event::MatchOver => "match over".into(),
    }
}
