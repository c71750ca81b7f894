//! Alerts of the engine's own: what somebody should look at while the match still runs. Each one
//! begins once and ends once.

use phalanx_game::{AgentId, AgentState, Turn};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, VecDeque};
use std::fmt;
use std::time::{Duration, Instant};

/// The last answers whose time left is looked at.
const MARGIN_ANSWERS: usize = 100;
/// With fewer of them nothing is said about the margin.
const MARGIN_ANSWERS_MIN: usize = 20;
/// One answer in so many may have less time left than the alert's share.
const MARGIN_TAIL: usize = 10;
/// A margin has to be so many times the share to be well again.
const MARGIN_WELL: f64 = 1.25;
/// Turns follow each other so fast until two were seen.
const PACE: Duration = Duration::from_secs(1);
/// However fast the turns are, a seat may be away so long for each.
const PACE_MIN: Duration = Duration::from_millis(50);
/// However slow the turns are, a seat that is away so long for each is told.
const PACE_MAX: Duration = Duration::from_secs(10);
/// Results in the referee's words that begin so are failures.
const FAILURES: [&str; 9] = [
    "failed",
    "unknown",
    "wrong",
    "not ",
    "parried",
    "invalid",
    "illegal",
    "refused",
    "unreachable",
];

/// When alerts begin. A number of 0 turns an alert off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AlertOptions {
    /// An agent is silent when so many turns of its went by without an action that its script or
    /// an operator decided, or its seat was away for as long.
    pub silent_turns: u32,
    /// An agent is stuck when the same action failed so often in a row.
    pub stuck_turns: u32,
    /// The margin is too small when of ten answers one or more leave with less than this share of
    /// their time, 0 to 1.
    pub margin_share: f64,
    /// So many script errors within [`storm_turns`](Self::storm_turns) are a storm.
    pub storm_errors: u32,
    /// See [`storm_errors`](Self::storm_errors).
    pub storm_turns: u32,
}

impl Default for AlertOptions {
    fn default() -> Self {
        Self {
            silent_turns: 5,
            stuck_turns: 5,
            margin_share: 0.1,
            storm_errors: 20,
            storm_turns: 10,
        }
    }
}

/// What an alert is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum AlertKind {
    /// An agent does nothing of its own.
    SilentAgent,
    /// An agent does the same in vain.
    StuckAgent,
    /// Answers leave too late.
    ShrinkingMargin,
    /// Scripts fail again and again.
    ErrorStorm,
    /// A script did not return: it is not called any more.
    SuspendedScript,
}

impl AlertKind {
    /// Its name in settings, logs and metrics.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::SilentAgent => "silent_agent",
            Self::StuckAgent => "stuck_agent",
            Self::ShrinkingMargin => "shrinking_margin",
            Self::ErrorStorm => "error_storm",
            Self::SuspendedScript => "suspended_script",
        }
    }
}

impl fmt::Display for AlertKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// An alert that has begun and not ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alert {
    /// What it is about.
    pub kind: AlertKind,
    /// The agent's name, where it is about one.
    pub agent: Option<String>,
    /// The turn in which it began, in the team's count.
    pub since: Turn,
    /// Turns begun in this match until then.
    pub tick: u64,
    /// What was the matter then, for people.
    pub text: String,
}

/// What a check found: begins with a text, or ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) kind: AlertKind,
    pub(crate) agent: Option<AgentId>,
    /// `None`: it ended.
    pub(crate) text: Option<String>,
}

/// What an agent's seat and operator mean for its alerts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presence {
    /// It plays.
    Seated,
    /// It should play and cannot.
    Away,
    /// It does not play on purpose: paused, stopped, or its match is over.
    Excused,
}

#[derive(Clone, Debug, Default)]
struct Watched {
    /// Turns in a row without an own action.
    missed: u32,
    /// An own action is on its way; whether it came too late is known when the next turn begins.
    heard: bool,
    /// The turn that was counted last.
    counted: u64,
    away_since: Option<Instant>,
    /// The same action failed so often in a row.
    failed: u32,
    /// That action.
    action: String,
    /// Its result.
    result: String,
}

/// What was counted of one agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Counted {
    missed: u32,
    heard: bool,
    failed: u32,
    action: String,
    result: String,
}

/// Watches a team.
#[derive(Debug)]
pub(crate) struct Alerts {
    options: AlertOptions,
    agents: Vec<Watched>,
    /// Shares of their time that the last answers left, oldest first.
    margins: VecDeque<f64>,
    /// Script errors of the last turns, oldest first; the last one is the turn that runs.
    errors: VecDeque<u32>,
    turn_began: Option<Instant>,
    pace: Duration,
    open: BTreeSet<(AlertKind, Option<AgentId>)>,
}

impl Alerts {
    pub(crate) fn new(agents: usize, options: AlertOptions) -> Self {
        Self {
            options,
            agents: vec![Watched::default(); agents],
            margins: VecDeque::new(),
            errors: VecDeque::from([0]),
            turn_began: None,
            pace: PACE,
            open: BTreeSet::new(),
        }
    }

    /// Another referee, another match: what was counted says nothing any more.
    pub(crate) fn forget(&mut self) {
        self.agents.fill(Watched::default());
        self.margins.clear();
        (self.turn_began, self.pace) = (None, PACE);
    }

    /// What was counted, by agent.
    pub(crate) fn counted(&self) -> Vec<Counted> {
        let counted = |watched: &Watched| {
            let Watched { missed, heard, failed, action, result, .. } = watched.clone();
            Counted { missed, heard, failed, action, result }
        };
        self.agents.iter().map(counted).collect()
    }

    /// Counts on in another life of the team, in which these alerts have begun.
    pub(crate) fn count_on(
        &mut self,
        counted: &[Counted],
        open: impl IntoIterator<Item = (AlertKind, Option<AgentId>)>,
    ) {
        for (watched, counted) in self.agents.iter_mut().zip(counted.iter().cloned()) {
            let Counted { missed, heard, failed, action, result } = counted;
            *watched = Watched { missed, heard, failed, action, result, ..Watched::default() };
        }
        self.open = open.into_iter().collect();
    }

    /// Other limits count from the next check on.
    pub(crate) fn retune(&mut self, options: AlertOptions) {
        self.options = options;
    }

    /// There are so many agents, and of this one nothing was counted yet.
    pub(crate) fn enroll(&mut self, agents: usize, agent: AgentId) {
        self.agents.resize(agents, Watched::default());
        if let Some(watched) = self.agents.get_mut(agent.index()) {
            *watched = Watched::default();
        }
    }

    pub(crate) fn turn_began(&mut self, now: Instant) {
        if let Some(before) = self.turn_began.replace(now) {
            self.pace = now.saturating_duration_since(before).clamp(PACE_MIN, PACE_MAX);
        }
        for watched in &mut self.agents {
            if std::mem::take(&mut watched.heard) {
                watched.missed = 0;
            }
        }
        self.errors.push_back(0);
        let most = usize::try_from(self.options.storm_turns).unwrap_or(usize::MAX).max(1);
        while self.errors.len() > most {
            self.errors.pop_front();
        }
    }

    /// The agent's seat came or went.
    pub(crate) fn seat(&mut self, agent: AgentId, presence: Presence, now: Instant) {
        if let Some(watched) = self.agents.get_mut(agent.index()) {
            match presence {
                Presence::Away => _ = watched.away_since.get_or_insert(now),
                Presence::Seated | Presence::Excused => watched.away_since = None,
            }
        }
    }

    /// An own action of the agent is on its way.
    pub(crate) fn heard(&mut self, agent: AgentId) {
        if let Some(watched) = self.agents.get_mut(agent.index()) {
            watched.heard = true;
        }
    }

    /// It came too late.
    pub(crate) fn unheard(&mut self, agent: AgentId, tick: u64) {
        if let Some(watched) = self.agents.get_mut(agent.index()) {
            watched.heard = false;
        }
        self.missed(agent, tick);
    }

    /// A turn went by without one; each turn is counted once.
    pub(crate) fn missed(&mut self, agent: AgentId, tick: u64) {
        if let Some(watched) = self.agents.get_mut(agent.index())
            && watched.counted < tick
        {
            watched.counted = tick;
            watched.missed = watched.missed.saturating_add(1);
        }
    }

    /// The referee told how the agent's last action went.
    pub(crate) fn result(&mut self, agent: AgentId, action: &str, state: &AgentState) {
        let Some(watched) = self.agents.get_mut(agent.index()) else { return };
        let fails = FAILURES.iter().any(|word| state.last_result.starts_with(word));
        let same = watched.action == action && !action.is_empty();
        watched.failed = match (fails, same) {
            (true, true) => watched.failed.saturating_add(1),
            (true, false) => 1,
            (false, _) => 0,
        };
        action.clone_into(&mut watched.action);
        state.last_result.clone_into(&mut watched.result);
    }

    /// An answer left with this share of its time to go, 0 to 1.
    pub(crate) fn margin(&mut self, share: f64) {
        if self.margins.len() >= MARGIN_ANSWERS {
            self.margins.pop_front();
        }
        self.margins.push_back(share);
    }

    /// Turns in a row without an own action.
    pub(crate) fn silent_turns(&self, agent: AgentId) -> u32 {
        let heard = |watched: &&Watched| !watched.heard;
        self.agents.get(agent.index()).filter(heard).map_or(0, |watched| watched.missed)
    }

    pub(crate) fn error(&mut self) {
        if let Some(errors) = self.errors.back_mut() {
            *errors = errors.saturating_add(1);
        }
    }

    /// When a check may find something though no turn ends: seats that are away.
    pub(crate) fn next_check(&self) -> Option<Instant> {
        let until = self.away_limit()?;
        let quiet = |agent: &AgentId| !self.open.contains(&(AlertKind::SilentAgent, Some(*agent)));
        let away = self.ids().zip(&self.agents).filter(|(agent, _)| quiet(agent));
        away.filter_map(|(_, watched)| watched.away_since?.checked_add(until)).min()
    }

    /// What begins and what ends, in a fixed order.
    pub(crate) fn check(&mut self, presence: &[Presence], now: Instant) -> Vec<Change> {
        let mut changes = Vec::new();
        for (agent, presence) in self.ids().zip(presence) {
            let silent = self.silence(agent, *presence, now);
            self.settle(AlertKind::SilentAgent, Some(agent), silent, &mut changes);
            let stuck = self.stuck(agent, *presence);
            self.settle(AlertKind::StuckAgent, Some(agent), stuck, &mut changes);
        }
        let margin = self.shrinking();
        self.settle(AlertKind::ShrinkingMargin, None, margin, &mut changes);
        let storm = self.storm();
        self.settle(AlertKind::ErrorStorm, None, storm, &mut changes);
        changes
    }

    fn settle(
        &mut self,
        kind: AlertKind,
        agent: Option<AgentId>,
        found: Option<String>,
        changes: &mut Vec<Change>,
    ) {
        let was = self.open.contains(&(kind, agent));
        match (was, found) {
            (false, Some(text)) => {
                self.open.insert((kind, agent));
                changes.push(Change { kind, agent, text: Some(text) });
            }
            (true, None) => {
                self.open.remove(&(kind, agent));
                changes.push(Change { kind, agent, text: None });
            }
            (false, None) | (true, Some(_)) => {}
        }
    }

    fn silence(&self, agent: AgentId, presence: Presence, now: Instant) -> Option<String> {
        let watched = self.agents.get(agent.index())?;
        let turns = self.options.silent_turns;
        if turns == 0 || presence == Presence::Excused {
            return None;
        }
        if watched.missed >= turns {
            return Some(format!("{} turns without an action of its own", watched.missed));
        }
        let since = watched.away_since.filter(|_| presence == Presence::Away)?;
        let away = now.saturating_duration_since(since);
        (away >= self.away_limit()?)
            .then(|| format!("its seat has been away for {}s", away.as_secs()))
    }

    fn stuck(&self, agent: AgentId, presence: Presence) -> Option<String> {
        let watched = self.agents.get(agent.index())?;
        let turns = self.options.stuck_turns;
        let stuck = turns > 0 && presence == Presence::Seated && watched.failed >= turns;
        let Watched { action, result, failed, .. } = watched;
        stuck.then(|| format!("{action} came to \"{result}\" {failed} times in a row"))
    }

    fn shrinking(&self) -> Option<String> {
        let share = self.options.margin_share;
        if share <= 0.0 || self.margins.len() < MARGIN_ANSWERS_MIN {
            return None;
        }
        let mut margins: Vec<_> = self.margins.iter().copied().collect();
        margins.sort_by(f64::total_cmp);
        let left = *margins.get(margins.len() / MARGIN_TAIL)?;
        let was = self.open.contains(&(AlertKind::ShrinkingMargin, None));
        let limit = if was { share * MARGIN_WELL } else { share };
        (left < limit).then(|| {
            let (left, share) = (left * 100.0, share * 100.0);
            format!("one answer in ten leaves with less than {left:.0} % of its time, {share:.0} % are wanted")
        })
    }

    fn storm(&self) -> Option<String> {
        let (errors, turns) = (self.options.storm_errors, self.errors.len());
        let was = self.open.contains(&(AlertKind::ErrorStorm, None));
        // It is over when half as many are left.
        let limit = if was { errors.div_ceil(2) } else { errors };
        let sum = self.errors.iter().fold(0, |sum: u32, errors| sum.saturating_add(*errors));
        (errors > 0 && sum >= limit)
            .then(|| format!("{sum} script errors in the last {turns} turns"))
    }

    fn away_limit(&self) -> Option<Duration> {
        let turns = self.options.silent_turns;
        (turns > 0).then(|| self.pace.saturating_mul(turns))
    }

    fn ids(&self) -> impl Iterator<Item = AgentId> + use<> {
        (0..u16::try_from(self.agents.len()).unwrap_or(u16::MAX)).map(AgentId)
    }
}
