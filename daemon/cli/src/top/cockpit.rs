//! The state of the view, changed by messages from the daemon and by keys. It has no clock, no
//! socket and no terminal; requests to the daemon are queued.

use super::feed::{Feed, Filter};
use super::heat::{Heat, Outcome};
use super::margin::{Histogram, Margins};
use super::track::Track;
use crate::terminal::GraphPlaces;
use crate::terminal::map::Look;
use phalanx_game::sorted::SortedMap;
use phalanx_proto::v1::match_event::Kind;
use phalanx_proto::v1::steering::Mode;
use phalanx_proto::v1::{Agent, MatchEvent, Team, World};
use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

/// Requests that wait, at most, so that a key held down does not fill the queue.
const WISHES_MAX: usize = 16;

/// A message from the daemon.
#[derive(Debug)]
pub(super) enum Heard {
    /// All teams, without their agents; the daemon answers.
    Teams(Vec<Team>),
    /// The selected team, with its agents.
    Team(Box<Team>),
    /// An event of the team with this resource name.
    Event(String, Box<MatchEvent>),
    /// Events of that team were lost.
    Missing(String),
    /// What the team believes of its world, complete.
    World(Arc<World>),
    /// How much time was left for answers of that team.
    Margin(String, Histogram),
    /// The roles of that team's strategy.
    Roles(String, Vec<String>),
    /// A request succeeded; with the agent's new state if it was about one.
    Done(String, Option<Box<Agent>>),
    /// A request failed, and why.
    Refused(String),
    /// The daemon cannot be reached, and why.
    Lost(String),
}

/// A request of the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum UserRequest {
    Leave,
    /// Follow the team with this resource name.
    Watch(String),
    /// Pause the agent with this resource name.
    Pause(String),
    /// Hand it back to its script.
    Release(String),
    /// Change the role of the agent with this resource name.
    SetRole(String, String),
    /// Fetch the roles of a team with this generation.
    AskRoles(String, u32),
    /// Roll this team back to the previous generation.
    RollBack(String),
}

/// A part of the screen that can have the focus.
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

/// A question to the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Question {
    /// Which role for the agent of this name.
    Role { agent: String, typed: String, at: usize },
    /// Whether to roll this team back.
    RollBack(String),
    /// The text to search for in events; empty at first.
    Search(String),
}

/// The outcome of the last key or request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Notice {
    Good(String),
    Bad(String),
}

/// The whole state.
#[derive(Debug, Default)]
pub(super) struct Cockpit {
    /// Why the daemon cannot be reached; absent: it can.
    pub(super) lost: Option<String>,
    pub(super) teams: Vec<Team>,
    /// The resource name of the selected team; empty: none.
    pub(super) watched: String,
    /// The selected team, once its data has arrived.
    pub(super) team: Option<Team>,
    pub(super) heat: Heat,
    pub(super) tracks: SortedMap<String, Track>,
    pub(super) feed: Feed,
    pub(super) world: Option<Arc<World>>,
    pub(super) margins: Margins,
    /// Total time of all scripts in the last turn.
    pub(super) scripts: Option<Duration>,
    pub(super) roles: Vec<String>,
    /// The name of the selected agent; empty: the first one.
    pub(super) agent: String,
    pub(super) pane: Pane,
    /// Only the focused pane is shown.
    pub(super) zoomed: bool,
    pub(super) help: bool,
    pub(super) question: Option<Question>,
    pub(super) notice: Option<Notice>,
    /// The map follows the selected agent.
    pub(super) follows: bool,
    /// The centre that the map was moved to.
    pub(super) around: Option<(i64, i64)>,
    /// Columns and rows of the map when it was last drawn.
    pub(super) map_room: Cell<(usize, usize)>,
    /// The places of a graph's nodes.
    pub(super) graphs: GraphPlaces,
    pub(super) layer: usize,
    pub(super) part: usize,
    pub(super) filter: Filter,
    /// Show only events of the selected agent.
    pub(super) only: bool,
    /// Show only events that contain this text.
    pub(super) search: String,
    /// Lines back from the newest event.
    pub(super) back: usize,
    wishes: VecDeque<UserRequest>,
}

impl Cockpit {
    /// Selects the team with this resource name, or the first one.
    pub(super) fn new(team: Option<String>) -> Self {
        let mut cockpit = Self { follows: true, ..Self::default() };
        if let Some(team) = team {
            cockpit.watch(team);
        }
        cockpit
    }

    /// Takes the next request to the daemon.
    pub(super) fn poll_wish(&mut self) -> Option<UserRequest> {
        self.wishes.pop_front()
    }

    pub(super) fn wish(&mut self, wish: UserRequest) {
        if self.wishes.len() < WISHES_MAX {
            self.wishes.push_back(wish);
        }
    }

    /// Takes a message; returns whether anything visible changed.
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
                self.feed.note("events were lost: the daemon no longer has them");
            }
            Heard::World(world) if world.team == self.watched => self.world = Some(world),
            Heard::Margin(team, look) if team == self.watched => self.margins.add(look),
            Heard::Roles(team, roles) if team == self.watched => self.roles = roles,
            // Data of a team that is no longer selected.
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

    /// Takes an agent's new state at once, since keys depend on it before the next refresh.
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

    /// Selects another team.
    pub(super) fn watch(&mut self, team: String) {
        self.forget();
        self.watched.clone_from(&team);
        self.wish(UserRequest::Watch(team));
    }

    /// Clears all data of the selected team.
    fn forget(&mut self) {
        self.team = None;
        self.world = None;
        (self.heat, self.tracks) = (Heat::default(), SortedMap::new());
        (self.feed, self.margins) = (Feed::default(), Margins::default());
        (self.around, self.question, self.scripts) = (None, None, None);
        (self.layer, self.part, self.back) = (0, 0, 0);
        self.roles.clear();
        self.agent.clear();
    }

    /// The agents of the selected team.
    pub(super) fn agents(&self) -> &[Agent] {
        self.team.as_ref().map(|team| team.agents.as_slice()).unwrap_or_default()
    }

    /// Index of the selected agent.
    pub(super) fn chosen(&self) -> usize {
        self.agents().iter().position(|agent| agent.name == self.agent).unwrap_or_default()
    }

    pub(super) fn chosen_agent(&self) -> Option<&Agent> {
        self.agents().get(self.chosen())
    }

    /// The part of the world that is shown.
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
