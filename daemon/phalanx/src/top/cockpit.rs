//! What the cockpit knows and what is looked at: moved by what is heard of the daemon and by keys. It
//! has no clock, no socket and no terminal; what it wants of the daemon it wishes.

use super::feed::{Feed, Filter};
use super::heat::{Heat, Outcome};
use super::margin::{Histogram, Margins};
use super::track::Track;
use crate::terminal::map::Look;
use phalanx_proto::v1::match_event::Kind;
use phalanx_proto::v1::steering::Mode;
use phalanx_proto::v1::{Agent, MatchEvent, Team, World};
use std::cell::Cell;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

/// Wishes that wait at most; somebody who leans on a key means it once.
const WISHES_MAX: usize = 16;

/// What is heard of the daemon.
#[derive(Debug)]
pub(super) enum Heard {
    /// All teams, without their agents; the daemon is there.
    Teams(Vec<Team>),
    /// The team that is watched, with its agents.
    Team(Box<Team>),
    /// Something happened in the team of this resource name.
    Event(String, Box<MatchEvent>),
    /// Events of that team are missing here.
    Missing(String),
    /// What the team in it believes, whole.
    World(Arc<World>),
    /// How much time was left for answers of that team.
    Margin(String, Histogram),
    /// The roles of that team's strategy.
    Roles(String, Vec<String>),
    /// What was wished is done; with the agent as it is then, where it was about one.
    Done(String, Option<Box<Agent>>),
    /// It is not, and why.
    Refused(String),
    /// The daemon cannot be asked, and why.
    Lost(String),
}

/// What is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Wish {
    Leave,
    /// Follow the team of this resource name.
    Watch(String),
    /// Hold the agent of this resource name.
    Pause(String),
    /// Hand it back to its script.
    Release(String),
    /// Another role for the agent of this resource name.
    SetRole(String, String),
    /// The roles that there are in a team with this generation.
    AskRoles(String, u32),
    /// The generation before for this team.
    RollBack(String),
}

/// A part of the screen that keys go to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Pane {
    #[default]
    Agents,
    Map,
    Events,
}

impl Pane {
    pub(super) fn next(self) -> Self {
        match self {
            Self::Agents => Self::Map,
            Self::Map => Self::Events,
            Self::Events => Self::Agents,
        }
    }

    pub(super) fn back(self) -> Self {
        self.next().next()
    }
}

/// What is asked of whoever sits there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Question {
    /// Which role for the agent of this name.
    Role { agent: String, typed: String, at: usize },
    /// Whether to roll this team back.
    RollBack(String),
    /// What events are to contain: nothing at first, whatever was wanted before.
    Search(String),
}

/// What the last key or wish led to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Notice {
    Good(String),
    Bad(String),
}

/// The whole state.
#[derive(Debug, Default)]
pub(super) struct Cockpit {
    /// Why the daemon cannot be asked; absent: it can.
    pub(super) lost: Option<String>,
    pub(super) teams: Vec<Team>,
    /// The resource name of the team that is watched; empty: none is there.
    pub(super) watched: String,
    /// That team, once it was heard of.
    pub(super) team: Option<Team>,
    pub(super) heat: Heat,
    pub(super) tracks: BTreeMap<String, Track>,
    pub(super) feed: Feed,
    pub(super) world: Option<Arc<World>>,
    pub(super) margins: Margins,
    /// What the scripts took of the last turn, all together.
    pub(super) scripts: Option<Duration>,
    pub(super) roles: Vec<String>,
    /// The agent that is looked at, by its name; empty: the first one.
    pub(super) agent: String,
    pub(super) pane: Pane,
    /// The pane alone is shown.
    pub(super) zoomed: bool,
    pub(super) help: bool,
    pub(super) question: Option<Question>,
    pub(super) notice: Option<Notice>,
    /// The map stays with the agent that is looked at.
    pub(super) follows: bool,
    /// Where the map was moved to.
    pub(super) around: Option<(i64, i64)>,
    /// How many columns and rows of the map were drawn at last.
    pub(super) map_room: Cell<(usize, usize)>,
    pub(super) layer: usize,
    pub(super) part: usize,
    pub(super) filter: Filter,
    /// Only events of the agent that is looked at.
    pub(super) only: bool,
    /// What events are to contain.
    pub(super) search: String,
    /// Lines back from the newest event.
    pub(super) back: usize,
    wishes: VecDeque<Wish>,
}

impl Cockpit {
    /// Watches the team of this resource name, or the first one that comes.
    pub(super) fn new(team: Option<String>) -> Self {
        let mut cockpit = Self { follows: true, ..Self::default() };
        if let Some(team) = team {
            cockpit.watch(team);
        }
        cockpit
    }

    /// The next thing that is wanted of the daemon.
    pub(super) fn poll_wish(&mut self) -> Option<Wish> {
        self.wishes.pop_front()
    }

    pub(super) fn wish(&mut self, wish: Wish) {
        if self.wishes.len() < WISHES_MAX {
            self.wishes.push_back(wish);
        }
    }

    /// Takes what is heard; whether anything looks different then.
    pub(super) fn hear(&mut self, heard: Heard) -> bool {
        match heard {
            Heard::Teams(teams) => return self.take_teams(teams),
            Heard::Team(team) if team.name == self.watched => {
                let is_same = self.team.as_ref() == Some(&*team);
                self.team = Some(*team);
                return !is_same;
            }
            Heard::Event(team, event) if team == self.watched => self.happened(&event),
            Heard::Missing(team) if team == self.watched => {
                self.feed.note("events are missing here: the daemon does not have them any more");
            }
            Heard::World(world) if world.team == self.watched => self.world = Some(world),
            Heard::Margin(team, look) if team == self.watched => self.margins.add(look),
            Heard::Roles(team, roles) if team == self.watched => self.roles = roles,
            // Of a team that is not watched any more.
            Heard::Team(_)
            | Heard::Event(..)
            | Heard::Missing(_)
            | Heard::World(_)
            | Heard::Margin(..)
            | Heard::Roles(..) => return false,
            Heard::Done(what, agent) => {
                self.notice = Some(Notice::Good(what));
                self.take_agent(agent);
            }
            Heard::Refused(why) => self.notice = Some(Notice::Bad(why)),
            Heard::Lost(why) => {
                let is_same = self.lost.as_ref() == Some(&why);
                self.lost = Some(why);
                return !is_same;
            }
        }
        true
    }

    /// Keys go by what an agent is now: the next look at the team would come too late for them.
    fn take_agent(&mut self, agent: Option<Box<Agent>>) {
        let (Some(agent), Some(team)) = (agent, &mut self.team) else { return };
        let known = team.agents.iter_mut();
        if let Some(known) = known.into_iter().find(|it| it.resource_name == agent.resource_name) {
            *known = *agent;
        }
    }

    fn take_teams(&mut self, teams: Vec<Team>) -> bool {
        let is_same = self.lost.is_none() && self.teams == teams;
        self.lost = None;
        let there = teams.iter().any(|team| team.name == self.watched);
        if !there {
            match teams.first() {
                Some(first) => self.watch(first.name.clone()),
                None => {
                    self.forget();
                    self.watched.clear();
                }
            }
        }
        self.teams = teams;
        !is_same
    }

    fn happened(&mut self, event: &MatchEvent) {
        if let Some(kind) = &event.kind {
            if let Some((turn, outcome)) = event.turn.zip(Outcome::of(kind)) {
                self.heat.add(turn, &event.agent, outcome);
            }
            if let Kind::TurnDone(done) = kind {
                self.scripts = done.spent.and_then(|spent| spent.try_into().ok());
            }
            if !event.agent.is_empty() {
                self.tracks.entry(event.agent.clone()).or_default().take(kind);
            }
        }
        self.feed.add(event);
    }

    /// Turns to another team.
    pub(super) fn watch(&mut self, team: String) {
        self.forget();
        self.watched.clone_from(&team);
        self.wish(Wish::Watch(team));
    }

    /// Forgets everything about the team that was watched.
    fn forget(&mut self) {
        self.team = None;
        self.world = None;
        (self.heat, self.tracks) = (Heat::default(), BTreeMap::new());
        (self.feed, self.margins) = (Feed::default(), Margins::default());
        (self.around, self.question, self.scripts) = (None, None, None);
        (self.layer, self.part, self.back) = (0, 0, 0);
        self.roles.clear();
        self.agent.clear();
    }

    /// The agents of the team that is watched.
    pub(super) fn agents(&self) -> &[Agent] {
        self.team.as_ref().map(|team| team.agents.as_slice()).unwrap_or_default()
    }

    /// Which of them is looked at.
    pub(super) fn chosen(&self) -> usize {
        self.agents().iter().position(|agent| agent.name == self.agent).unwrap_or_default()
    }

    pub(super) fn chosen_agent(&self) -> Option<&Agent> {
        self.agents().get(self.chosen())
    }

    /// What of the world is shown.
    pub(super) fn look(&self) -> Look<'_> {
        let agent = match self.follows {
            true => self.chosen_agent().map(|agent| agent.name.as_str()),
            false => None,
        };
        let agent = agent.unwrap_or_default();
        Look { agent, part: self.part, layer: self.layer, around: self.around }
    }
}

/// Who decides for an agent, in a word; empty: its script.
pub(super) fn steering_word(agent: &Agent) -> &'static str {
    match agent.steering.as_ref().and_then(|steering| steering.mode.as_ref()) {
        None | Some(Mode::Script(_)) => "",
        Some(Mode::Paused(_)) => "paused",
        Some(Mode::Pinned(_)) => "pinned",
        Some(Mode::Piloted(_)) => "piloted",
    }
}
