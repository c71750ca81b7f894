//! The events of a team as messages of its channels.

use crate::channel::Channel;
use crate::queue::QueueLosses;
use crate::taped::{self, Epoch, WireSeatAct};
use phalanx_convert::{board, team, value, world};
use phalanx_engine::{BoardPage, Drawing, Snapshot};
use phalanx_game::{Roster, RosterEntry, SeatId, Turn};
use phalanx_net::{Percepts, SeatAct, Taped};
use phalanx_proto::v1;
use phalanx_proto::v1::team_life::Event;
use prost::Message;
use std::time::Instant;

/// Key of `Percepts.agents`: field 2, with a length before it.
const AGENTS: u8 = 2 << 3 | 2;
/// Key of `AgentPercept.fields`: field 3, with a length before it.
const FIELDS: u8 = 3 << 3 | 2;

/// Makes messages. It remembers the state of the team's agents from the last ones.
#[derive(Debug)]
pub(crate) struct Encoder {
    team: String,
    game: String,
    server: String,
    epoch: Epoch,
    roster: Roster,
}

impl Encoder {
    pub(crate) fn new(team: &str, game: &str, server: &str, begin: Instant) -> Self {
        let roster = Roster { team: team.to_owned(), agents: Vec::new() };
        let [team, game, server] = [team, game, server].map(str::to_owned);
        Self { team, game, server, epoch: Epoch(begin), roster }
    }

    pub(crate) fn epoch(&self) -> Epoch {
        self.epoch
    }

    /// Learns the agents that later messages refer to.
    pub(crate) fn hear(&mut self, what: &Taped) {
        if let Taped::Began(began) = what {
            self.roster = Roster::clone(began.state.roster());
        } else if let Taped::Snapshot(snapshot) = what {
            self.learn(snapshot);
        }
    }

    /// The wall clock at an instant, as if its time had not been set since the begin: nanoseconds
    /// after the Unix epoch. `begin_unix_ms` is the wall clock at the begin.
    pub(crate) fn log_time(&self, begin_unix_ms: u64, at: Instant) -> u64 {
        let begin = i128::from(begin_unix_ms) * 1_000_000;
        u64::try_from(begin + i128::from(self.epoch.nanos(at))).unwrap_or_default()
    }

    /// The message for its channel. The encoder must have seen everything before it.
    pub(crate) fn encode(&self, what: &Taped) -> Vec<u8> {
        match what {
            Taped::Began(began) => life(Event::Began(taped::beginning(began))),
            Taped::Ended => life(Event::Ended(v1::TeamEnded {})),
            Taped::SeatOpened(seat) => taped::opened(seat).encode_to_vec(),
            Taped::Seat { seat, act } => at_seat(*seat, act),
            Taped::Steps(steps) => taped::steps(self.epoch, steps).encode_to_vec(),
            Taped::Journal(entry) => {
                phalanx_convert::event(&self.team, String::new(), entry).encode_to_vec()
            }
            Taped::Snapshot(snapshot) => {
                team::published(&self.team, &self.game, &self.server, snapshot).encode_to_vec()
            }
            Taped::Percepts(percepts) => self.percepts(percepts),
            Taped::Board { turn, page } => self.board(*turn, page).encode_to_vec(),
            Taped::Drawing(drawing) => self.world(drawing).encode_to_vec(),
        }
    }

    /// Agents that joined later are in the snapshots.
    fn learn(&mut self, snapshot: &Snapshot) {
        let entry = |agent: &phalanx_engine::AgentSnapshot| RosterEntry {
            name: agent.name.clone(),
            role: agent.role.clone(),
            gone: agent.gone,
        };
        let agents = &mut self.roster.agents;
        for (index, agent) in snapshot.agents.iter().enumerate() {
            match agents.get_mut(index) {
                Some(known) => known.gone = agent.gone,
                None => agents.push(entry(agent)),
            }
        }
    }

    /// A message of [`v1::Percepts`]. Its large part, the percepts of each agent, is appended
    /// without a copy in between.
    fn percepts(&self, percepts: &Percepts) -> Vec<u8> {
        let turn = Some(phalanx_convert::turn(percepts.turn));
        let mut out = v1::Percepts { turn, agents: Vec::new() }.encode_to_vec();
        for (agent, fields) in &percepts.agents {
            let name = self.roster.name(*agent).to_owned();
            let message = v1::AgentPercept { agent: agent.0.into(), name, fields: None };
            value::put_nested(AGENTS, &mut out, |out| {
                out.extend(message.encode_to_vec());
                let fields = fields.iter().map(|(name, value)| (*name, value));
                value::put_nested(FIELDS, out, |out| value::put_whole_struct(fields, out));
            });
        }
        out
    }

    fn board(&self, turn: Turn, page: &BoardPage) -> v1::BoardChanges {
        v1::BoardChanges {
            turn: Some(phalanx_convert::turn(turn)),
            revision: page.revision,
            more: page.more,
            reset: page.reset,
            entries: page.items.iter().map(|item| board::entry(&self.team, item)).collect(),
            gone: page.gone.clone(),
        }
    }

    fn world(&self, drawing: &Drawing) -> v1::World {
        let owner = world::Owner { team: &self.team, game: &self.game, roster: &self.roster };
        owner.whole(drawing, &world::Wanted::default())
    }

    /// The message of a gap.
    pub(crate) fn gap(&self, losses: &QueueLosses) -> Vec<u8> {
        let channels = losses
            .counts
            .iter()
            .map(|(channel, count)| v1::GapChannel { channel: channel.topic(), count: *count });
        let gap = v1::Gap {
            from_nanos: self.epoch.nanos(losses.from),
            to_nanos: self.epoch.nanos(losses.to),
            cause: losses.cause.into(),
            channels: channels.collect(),
        };
        gap.encode_to_vec()
    }
}

fn at_seat(seat: SeatId, act: &SeatAct) -> Vec<u8> {
    match taped::seat_act(seat, act) {
        WireSeatAct::Wire(bytes) => bytes.encode_to_vec(),
        WireSeatAct::Step(step) => step.encode_to_vec(),
    }
}

fn life(event: Event) -> Vec<u8> {
    v1::TeamLife { event: Some(event) }.encode_to_vec()
}

/// The channel and the message of an entry.
pub(crate) fn message(encoder: &mut Encoder, what: &Taped) -> (Channel, Vec<u8>) {
    encoder.hear(what);
    (Channel::of(what), encoder.encode(what))
}
