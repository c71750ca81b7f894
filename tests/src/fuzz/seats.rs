//! Our side of a connection to a referee, with the world behind it.

use super::roster;
use phalanx_game::{
    AgentId, Api, Event, Game, MarginLimits, Roster, Said, Seat, SeatId, Session, Value, World,
};
use std::time::{Duration, Instant};

/// What the team does about what it hears.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Heard {
    /// Nothing.
    Silent,
    /// It looks at its world, asks it everything, and answers.
    Answered,
}

/// The first seat of the team.
pub(super) fn seat() -> Seat {
    Seat {
        id: SeatId(0),
        agents: vec![(AgentId(0), "agentA1".to_owned())],
        user: "agentA1".to_owned(),
        password: "1".to_owned(),
        turn_limit: Duration::from_secs(4),
        margin: MarginLimits::default(),
    }
}

/// All that a new session tells when it hears these pieces, is left by its referee, and meets it
/// again.
pub(super) fn hear<G: Game>(game: &G, pieces: &[&[u8]], heard: Heard) -> Vec<String> {
    let mut session = game.session(&seat());
    let api = &game.declaration().api;
    let mut team = Team { api, roster: roster(), world: game.world(&roster()), told: Vec::new() };
    // The clock does not move: outputs must not depend on it.
    let mut now = Instant::now();
    let begin = now;
    session.handle_connected(now);
    for piece in pieces {
        let understood = session.handle_input(piece, now);
        team.drain::<G>(&mut session, heard, begin);
        if let Err(error) = understood {
            // Its excerpt is of the piece in which it was met.
            team.told.push(format!("{}: expected {}", error.place, error.expected));
            break;
        }
    }
    if let Some(next) = session.poll_timeout() {
        now = next.max(now);
        session.handle_timeout(now);
    }
    session.handle_disconnected(now);
    session.handle_connected(now);
    session.handle_shutdown(now);
    team.drain::<G>(&mut session, heard, begin);
    team.told
}

/// The team behind a session.
struct Team<W> {
    api: &'static Api,
    roster: Roster,
    world: W,
    told: Vec<String>,
}

impl<W> Team<W> {
    fn drain<G: Game<World = W>>(&mut self, session: &mut G::Session, heard: Heard, begin: Instant)
    where
        W: World<Briefing = G::Briefing, Percept = G::Percept, Action = G::Action>,
    {
        while session.poll_transmit().is_some() {}
        while let Some(event) = session.poll_event() {
            self.told.push(told(&event, begin));
            if heard == Heard::Answered {
                self.act::<G>(session, event);
            }
        }
        while session.poll_transmit().is_some() {}
        drop((session.poll_hangup(), session.target(), session.round_trip()));
    }

    fn act<G: Game<World = W>>(
        &mut self,
        session: &mut G::Session,
        event: Event<G::Briefing, G::Percept>,
    ) where
        W: World<Briefing = G::Briefing, Percept = G::Percept, Action = G::Action>,
    {
        match event {
            Event::RoundStarted { agent, round, briefing } => {
                self.world.begin(round, agent, briefing.as_ref());
            }
            Event::Percept { turn, agent, percept } => {
                self.world.observe(turn, agent, percept);
                self.world.settle(turn);
            }
            Event::Asked { turn, agent, percept, .. } => {
                self.world.observe(turn, agent, percept);
                self.world.settle(turn);
                self.ask::<G>(agent);
                let action = self.world.fallback(agent);
                if session.handle_action(turn, agent, &action).is_ok() {
                    self.world.acted(turn, agent, &action);
                }
            }
            Event::Seated { .. }
            | Event::Refused { .. }
            | Event::Defaulted { .. }
            | Event::Notice(_)
            | Event::Out { .. }
            | Event::RoundOver { .. }
            | Event::MatchOver => {}
        }
    }

    /// Everything that scripts and people may ask, with arguments that fit and that do not.
    fn ask<G: Game<World = W>>(&self, agent: AgentId)
    where
        W: World<Briefing = G::Briefing, Percept = G::Percept, Action = G::Action>,
    {
        for id in self.roster.ids().chain([AgentId(u16::MAX)]) {
            drop(self.world.state(id));
            for field in self.api.percept {
                drop(self.world.field(id, field.name));
            }
        }
        let words = [Value::Nil, Value::Int(-1), Value::Num(0.5), Value::Str("n".into())];
        for query in self.api.queries {
            drop(self.world.query(agent, query.name, &[]));
            for word in &words {
                let args = vec![word.clone(); query.params.len()];
                drop(self.world.query(agent, query.name, &args));
            }
        }
        for action in self.api.actions {
            for word in &words {
                let args = vec![word.clone(); action.params.len()];
                let said = Said { action: action.name.into(), args };
                drop(self.world.parse(agent, &said).map(|action| G::describe(&action)));
            }
        }
    }
}

/// An event as text; instants as times since the beginning, so that two runs compare.
fn told<B: std::fmt::Debug, P: std::fmt::Debug>(event: &Event<B, P>, begin: Instant) -> String {
    if let Event::Asked { turn, agent, due, percept } = event {
        let left = due.saturating_duration_since(begin);
        return format!("asked {agent:?} {turn:?}, due in {left:?}: {percept:?}");
    }
    format!("{event:?}")
}
