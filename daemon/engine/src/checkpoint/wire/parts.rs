//! The sections of a checkpoint, except the world's. Fields are written in order, without names:
//! any change of a field needs another [`CHECKPOINT_FORMAT`](super::CHECKPOINT_FORMAT).

use crate::alerts::AgentCounts;
use crate::board::{BoardParts, ClaimPart};
use crate::checkpoint::{Checkpoint, Found, Identity, SetParams};
use crate::rounds::RoundParts;
use crate::shared::Mail;
use crate::team_state::MemberParts;
use crate::{Alert, AlertKind, BoardEntry, Counters, Letter, Memory, Scope, Steering, TeamState};
use phalanx_game::sorted::SortedMap;
use phalanx_game::{AgentId, Game, Roster, RosterEntry, Said, Tokens, Turn, Value};
use serde::{Deserialize, Serialize};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The match that it belongs to, and how far the match is.
#[derive(Serialize, Deserialize)]
pub(super) struct HeadFile {
    team: String,
    game: String,
    server: String,
    begun_us: u64,
    saved_us: u64,
    /// The team's name at the referee.
    called: String,
    agents: Vec<AgentFile>,
    generation: u32,
    hash: String,
    turn: Turn,
    tick: u64,
}

#[derive(Serialize, Deserialize)]
struct AgentFile {
    name: String,
    role: String,
    gone: bool,
}

impl HeadFile {
    pub(super) fn of<G: Game>(checkpoint: &Checkpoint<G>, identity: &Identity) -> Self {
        let Identity { team, game, server, begun, saved } = identity.clone();
        let agent = |entry: &RosterEntry| {
            let RosterEntry { name, role, gone } = entry.clone();
            AgentFile { name, role, gone }
        };
        let TeamState { roster, turn, tick, .. } = &checkpoint.state;
        Self {
            team,
            game,
            server,
            begun_us: micros(begun),
            saved_us: micros(saved),
            called: roster.team.clone(),
            agents: roster.agents.iter().map(agent).collect(),
            generation: checkpoint.generation,
            hash: checkpoint.hash.clone(),
            turn: *turn,
            tick: *tick,
        }
    }

    pub(super) fn whole(self) -> Option<(Found, Roster)> {
        let Self { team, game, server, begun_us, saved_us, called, agents, .. } = self;
        let (begun, saved) = (time(begun_us)?, time(saved_us)?);
        let entry = |AgentFile { name, role, gone }| RosterEntry { name, role, gone };
        let roster = Roster { team: called, agents: agents.into_iter().map(entry).collect() };
        let found = Found {
            identity: Identity { team, game, server, begun, saved },
            agents: roster.agents.iter().map(|entry| entry.name.clone()).collect(),
            generation: self.generation,
            hash: self.hash,
            turn: self.turn,
            tick: self.tick,
        };
        Some((found, roster))
    }
}

fn micros(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    u64::try_from(since.as_micros()).unwrap_or(u64::MAX)
}

fn time(micros: u64) -> Option<SystemTime> {
    UNIX_EPOCH.checked_add(Duration::from_micros(micros))
}

/// The state of the team itself.
#[derive(Serialize, Deserialize)]
pub(super) struct StateFile {
    roles: Vec<String>,
    members: Vec<MemberFile>,
    rounds: RoundParts,
    counters: Counters,
    scores: Vec<i64>,
    alerts: Vec<(AlertKind, Option<AgentId>, Alert)>,
    counted: Vec<AgentCounts>,
    metrics: SortedMap<String, f64>,
    arrived: Vec<LetterFile>,
    posted: Vec<LetterFile>,
    memories: Vec<MemoryFile>,
}

#[derive(Serialize, Deserialize)]
struct MemberFile {
    steering: SteeringFile,
    expected: bool,
    last_asked: Option<Turn>,
    last_action: String,
    reason: String,
    trouble: String,
}

#[derive(Serialize, Deserialize)]
enum SteeringFile {
    Script,
    Paused { by: String },
    Pinned { order: SaidFile, turns_left: u32, by: String },
    Piloted { by: String, lease: u32, turns_left: u32, order: Option<SaidFile> },
}

#[derive(Serialize, Deserialize)]
struct SaidFile {
    action: String,
    args: Tokens,
}

#[derive(Serialize, Deserialize)]
struct LetterFile {
    to: AgentId,
    from: String,
    body: Tokens,
}

#[derive(Serialize, Deserialize)]
struct MemoryFile {
    agent: AgentId,
    role: String,
    version: u32,
    data: Result<Tokens, String>,
}

impl StateFile {
    pub(super) fn of(state: &TeamState) -> Self {
        let alert = |((kind, agent), alert): (&(AlertKind, Option<AgentId>), &Alert)| {
            (*kind, *agent, alert.clone())
        };
        let letter = |(to, letter): &(AgentId, Letter)| LetterFile {
            to: *to,
            from: letter.from.clone(),
            body: Tokens::of_value(&letter.body),
        };
        let memory = |memory: &Memory| MemoryFile {
            agent: memory.agent,
            role: memory.role.clone(),
            version: memory.version,
            data: memory.data.as_ref().map(Tokens::of_plain).map_err(Clone::clone),
        };
        Self {
            roles: state.roles.clone(),
            members: state.members.iter().map(MemberFile::of).collect(),
            // Before its first round a team has no checkpoint.
            rounds: state.rounds.clone().unwrap_or_default(),
            counters: state.counters,
            scores: state.scores.clone(),
            alerts: state.alerts.iter().map(alert).collect(),
            counted: state.counted.clone(),
            metrics: state.metrics.clone(),
            arrived: state.mail.arrived.iter().map(letter).collect(),
            posted: state.mail.posted.iter().map(letter).collect(),
            memories: state.memories.iter().map(memory).collect(),
        }
    }

    /// Completes the state of a team at the start of a match.
    pub(super) fn whole(self, begun: TeamState) -> Option<TeamState> {
        let letter =
            |LetterFile { to, from, body }| Some((to, Letter { from, body: body.into_value()? }));
        let letters =
            |files: Vec<LetterFile>| files.into_iter().map(letter).collect::<Option<Vec<_>>>();
        let memory = |MemoryFile { agent, role, version, data }| {
            let data = match data {
                Ok(tokens) => Ok(tokens.into_plain()?),
                Err(culprit) => Err(culprit),
            };
            Some(Memory { agent, role, version, data })
        };
        let alerts = self.alerts.into_iter();
        Some(TeamState {
            roles: self.roles,
            members: self.members.into_iter().map(MemberFile::whole).collect::<Option<_>>()?,
            rounds: Some(self.rounds),
            counters: self.counters,
            scores: self.scores,
            alerts: alerts.map(|(kind, agent, alert)| ((kind, agent), alert)).collect(),
            counted: self.counted,
            metrics: self.metrics,
            mail: Mail { arrived: letters(self.arrived)?, posted: letters(self.posted)? },
            memories: self.memories.into_iter().map(memory).collect::<Option<_>>()?,
            ..begun
        })
    }
}

impl MemberFile {
    fn of(member: &MemberParts) -> Self {
        let MemberParts { steering, expected, last_asked, last_action, reason, trouble } =
            member.clone();
        let steering = SteeringFile::of(steering);
        Self { steering, expected, last_asked, last_action, reason, trouble }
    }

    fn whole(self) -> Option<MemberParts> {
        let Self { steering, expected, last_asked, last_action, reason, trouble } = self;
        let steering = steering.whole()?;
        Some(MemberParts { steering, expected, last_asked, last_action, reason, trouble })
    }
}

impl SteeringFile {
    fn of(steering: Steering) -> Self {
        match steering {
            Steering::Script => Self::Script,
            Steering::Paused { by } => Self::Paused { by },
            Steering::Pinned { order, turns_left, by } => {
                Self::Pinned { order: SaidFile::of(&order), turns_left, by }
            }
            Steering::Piloted { by, lease, turns_left, order } => {
                Self::Piloted { by, lease, turns_left, order: order.as_ref().map(SaidFile::of) }
            }
        }
    }

    fn whole(self) -> Option<Steering> {
        Some(match self {
            Self::Script => Steering::Script,
            Self::Paused { by } => Steering::Paused { by },
            Self::Pinned { order, turns_left, by } => {
                Steering::Pinned { order: order.whole()?, turns_left, by }
            }
            Self::Piloted { by, lease, turns_left, order } => {
                let order = match order {
                    Some(order) => Some(order.whole()?),
                    None => None,
                };
                Steering::Piloted { by, lease, turns_left, order }
            }
        })
    }
}

impl SaidFile {
    fn of(said: &Said) -> Self {
        Self { action: said.action.clone().into_owned(), args: Tokens::of_values(&said.args) }
    }

    fn whole(self) -> Option<Said> {
        Some(Said::new(self.action, self.args.into_values()?))
    }
}

/// Parameters that operators set.
#[derive(Serialize, Deserialize)]
pub(super) struct SetFile(Vec<(String, Scope, Tokens)>);

impl SetFile {
    pub(super) fn of(set: &SetParams) -> Self {
        let values = set.iter().flat_map(|(name, values)| {
            values
                .iter()
                .map(|(scope, value)| (name.clone(), scope.clone(), Tokens::of_value(value)))
        });
        Self(values.collect())
    }

    pub(super) fn whole(self) -> Option<SetParams> {
        let mut set = SetParams::new();
        for (name, scope, value) in self.0 {
            set.entry(name).or_default().insert(scope, value.into_value()?);
        }
        Some(set)
    }
}

/// The blackboard.
#[derive(Serialize, Deserialize)]
pub(super) struct BoardFile {
    entries: Vec<(String, EntryFile)>,
    claims: Vec<ClaimPart>,
    revision: u64,
}

#[derive(Serialize, Deserialize)]
struct EntryFile {
    value: Tokens,
    author: String,
    written: u64,
    turn: Turn,
    revision: u64,
    expires: Option<u64>,
}

impl BoardFile {
    pub(super) fn of(parts: BoardParts) -> Self {
        let BoardParts { entries, claims, revision } = parts;
        let file = |(key, entry): (String, BoardEntry)| {
            let BoardEntry { value, author, written, turn, revision, expires } = entry;
            let value = Tokens::of_value(&value);
            (key, EntryFile { value, author, written, turn, revision, expires })
        };
        Self { entries: entries.into_iter().map(file).collect(), claims, revision }
    }

    pub(super) fn whole(self) -> Option<BoardParts> {
        let Self { entries, claims, revision } = self;
        let entry = |(key, file): (String, EntryFile)| {
            let EntryFile { value, author, written, turn, revision, expires } = file;
            let value: Value = value.into_value()?;
            Some((key, BoardEntry { value, author, written, turn, revision, expires }))
        };
        let entries = entries.into_iter().map(entry).collect::<Option<_>>()?;
        Some(BoardParts { entries, claims, revision })
    }
}
