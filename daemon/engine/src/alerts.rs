//! Alerts of the engine: problems that need attention while the match still runs. Each alert begins
//! once and ends once.
//!
//! A problem that comes and goes is one alert: the first time it is reported and resolved at once;
//! each further time it must be gone for longer before the alert ends. Until then it is only counted.

use crate::Suspension;
use phalanx_game::sorted::SortedMap;
use phalanx_game::{AgentId, AgentState, Turn};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::fmt;
use std::time::{Duration, Instant};

/// The number of last answers whose remaining time is checked.
const MARGIN_ANSWERS: usize = 100;
/// With fewer answers than this, the margin is not checked.
const MARGIN_ANSWERS_MIN: usize = 20;
/// One answer in this many may have less time left than the alert's share.
const MARGIN_TAIL: usize = 10;
/// A margin is good again when it is this many times the share.
const MARGIN_WELL: f64 = 1.25;
/// The assumed time between turns until two were seen.
const PACE: Duration = Duration::from_secs(1);
/// The shortest time per turn that a seat may be away, however fast the turns are.
const PACE_MIN: Duration = Duration::from_millis(50);
/// A seat that is away for this long raises an alert, however slow the turns are.
const PACE_MAX: Duration = Duration::from_secs(10);
/// Turns without the problem after which an alert ends that began for the second time in a match;
/// twice as many after each further time, up to the second number.
const CALM_TURNS: (u64, u64) = (10, 160);
/// Results of the referee with these beginnings are failures.
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

/// When alerts begin. The number 0 turns an alert off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AlertOptions {
    /// After this many turns without an action from the agent's script or from an operator, the
    /// agent is silent. The same holds if its seat is away for that time.
    pub silent_turns: u32,
    /// An agent is stuck when the same action fails this many times in a row.
    pub stuck_turns: u32,
    /// The margin is too small when at least one answer in ten leaves with less than this share of
    /// its time, 0 to 1.
    pub margin_share: f64,
    /// This many script errors within [`storm_turns`](Self::storm_turns) are a storm.
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

/// The subject of an alert.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum AlertKind {
    /// An agent sends no action of its own.
    SilentAgent,
    /// An agent repeats an action that fails.
    StuckAgent,
    /// Answers leave too late.
    ShrinkingMargin,
    /// Scripts fail repeatedly.
    ErrorStorm,
    /// A script did not return and is not called any more.
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
    /// Its subject.
    pub kind: AlertKind,
    /// The agent's name, if it is about one agent.
    pub agent: Option<String>,
    /// The turn in which it began, in the team's count.
    pub since: Turn,
    /// Turns begun in this match until then.
    pub tick: u64,
    /// A description of the problem.
    pub text: String,
}

/// The result of a check: an alert that begins, or one that ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) kind: AlertKind,
    pub(crate) agent: Option<AgentId>,
    /// The description of an alert that begins; `None`: it ended.
    pub(crate) text: Option<String>,
}

/// What an agent's seat and operator mean for its alerts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presence {
    /// It plays.
    Seated,
    /// It should play, but has no connection.
    Away,
    /// It does not play on purpose: paused, stopped, or its match is over.
    Excused,
}

#[derive(Clone, Debug, Default)]
struct Watched {
    /// Turns in a row without an own action.
    missed: u32,
    /// Its own action has been sent; the next turn shows whether it was in time.
    heard: bool,
    /// The last turn that was counted.
    counted: u64,
    away_since: Option<Instant>,
    /// How often the same action failed in a row.
    failed: u32,
    /// That action.
    action: String,
    /// Its result.
    result: String,
}

/// The counters of one agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AgentCounts {
    missed: u32,
    heard: bool,
    failed: u32,
    action: String,
    result: String,
}

/// The alerts that have begun and not ended, by subject.
pub(crate) type OpenAlerts = SortedMap<(AlertKind, Option<AgentId>), Alert>;

/// How often a problem came in this match.
#[derive(Clone, Copy, Debug, Default)]
struct Recurrence {
    times: u32,
    /// Since this turn the problem of an open alert is gone.
    calm_since: Option<u64>,
}

impl Recurrence {
    /// Turns for which the problem must be gone before its alert ends.
    fn calm_turns(self) -> u64 {
        let (least, most) = CALM_TURNS;
        match self.times {
            0 | 1 => 0,
            times => {
                1_u64.checked_shl(times - 2).map_or(most, |by| least.saturating_mul(by)).min(most)
            }
        }
    }

    fn describe(self, text: &str) -> String {
        match self.times {
            0 | 1 => text.to_owned(),
            times => format!("{text}, {times} times in this match"),
        }
    }
}

/// Checks a team for alerts, and keeps the open ones.
#[derive(Debug)]
pub(crate) struct Alerts {
    options: AlertOptions,
    agents: Vec<Watched>,
    /// The shares of time that were left at the last answers, oldest first.
    margins: VecDeque<f64>,
    /// Script errors of the last turns, oldest first; the last entry is the running turn.
    errors: VecDeque<u32>,
    turn_began: Option<Instant>,
    /// Turns begun since this was made.
    turns: u64,
    pace: Duration,
    open: OpenAlerts,
    recurrences: SortedMap<(AlertKind, Option<AgentId>), Recurrence>,
}

impl Alerts {
    pub(crate) fn new(agents: usize, options: AlertOptions) -> Self {
        Self {
            options,
            agents: vec![Watched::default(); agents],
            margins: VecDeque::new(),
            errors: VecDeque::from([0]),
            turn_began: None,
            turns: 0,
            pace: PACE,
            open: OpenAlerts::new(),
            recurrences: SortedMap::new(),
        }
    }

    /// Clears the counters, for another match at another referee.
    pub(crate) fn forget(&mut self) {
        self.agents.fill(Watched::default());
        self.margins.clear();
        self.recurrences.clear();
        (self.turn_began, self.pace) = (None, PACE);
    }

    /// The counters by agent.
    pub(crate) fn counted(&self) -> Vec<AgentCounts> {
        let counted = |watched: &Watched| {
            let Watched { missed, heard, failed, action, result, .. } = watched.clone();
            AgentCounts { missed, heard, failed, action, result }
        };
        self.agents.iter().map(counted).collect()
    }

    /// Continues the counters after a restart of the team; these alerts have begun already.
    pub(crate) fn count_on(&mut self, counted: &[AgentCounts], open: OpenAlerts) {
        for (watched, counted) in self.agents.iter_mut().zip(counted.iter().cloned()) {
            let AgentCounts { missed, heard, failed, action, result } = counted;
            *watched = Watched { missed, heard, failed, action, result, ..Watched::default() };
        }
        self.open = open;
        // Suspensions do not outlive the daemon, so their alerts are raised anew.
        self.open.retain(|(kind, _), _| *kind != AlertKind::SuspendedScript);
    }

    /// Uses other limits from the next check on.
    pub(crate) fn retune(&mut self, options: AlertOptions) {
        self.options = options;
    }

    /// Sets the number of agents and resets the counters of this one.
    pub(crate) fn enroll(&mut self, agents: usize, agent: AgentId) {
        self.agents.resize(agents, Watched::default());
        if let Some(watched) = self.agents.get_mut(agent.index()) {
            *watched = Watched::default();
        }
    }

    pub(crate) fn turn_began(&mut self, now: Instant) {
        self.turns += 1;
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

    /// The agent's seat connected or disconnected.
    pub(crate) fn seat(&mut self, agent: AgentId, presence: Presence, now: Instant) {
        if let Some(watched) = self.agents.get_mut(agent.index()) {
            match presence {
                Presence::Away => _ = watched.away_since.get_or_insert(now),
                Presence::Seated | Presence::Excused => watched.away_since = None,
            }
        }
    }

    /// The agent's own action was sent.
    pub(crate) fn heard(&mut self, agent: AgentId) {
        if let Some(watched) = self.agents.get_mut(agent.index()) {
            watched.heard = true;
        }
    }

    /// The agent's last action was too late.
    pub(crate) fn unheard(&mut self, agent: AgentId, tick: u64) {
        if let Some(watched) = self.agents.get_mut(agent.index()) {
            watched.heard = false;
        }
        self.missed(agent, tick);
    }

    /// A turn passed without an action of the agent; each turn counts once.
    pub(crate) fn missed(&mut self, agent: AgentId, tick: u64) {
        if let Some(watched) = self.agents.get_mut(agent.index())
            && watched.counted < tick
        {
            watched.counted = tick;
            watched.missed = watched.missed.saturating_add(1);
        }
    }

    /// Takes the referee's result of the agent's last action.
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

    /// An answer left with this share of its time left, 0 to 1.
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

    /// The time of the next check that does not depend on a turn's end, for seats that are away.
    pub(crate) fn next_check(&self) -> Option<Instant> {
        let until = self.away_limit()?;
        let quiet = |agent: &AgentId| !self.is_open(AlertKind::SilentAgent, Some(*agent));
        let away = self.ids().zip(&self.agents).filter(|(agent, _)| quiet(agent));
        away.filter_map(|(_, watched)| watched.away_since?.checked_add(until)).min()
    }

    /// The alerts that begin or end now, in a fixed order.
    pub(crate) fn check(&mut self, presence: &[Presence], now: Instant) -> Vec<Change> {
        let mut changes = Vec::new();
        for (agent, presence) in self.ids().zip(presence) {
            let excused = presence == &Presence::Excused;
            let silent = self.silence(agent, *presence, now);
            changes.extend(self.settle((AlertKind::SilentAgent, Some(agent)), silent, excused));
            let stuck = self.stuck(agent, *presence);
            changes.extend(self.settle((AlertKind::StuckAgent, Some(agent)), stuck, excused));
        }
        let margin = self.shrinking();
        changes.extend(self.settle((AlertKind::ShrinkingMargin, None), margin, false));
        let storm = self.storm();
        changes.extend(self.settle((AlertKind::ErrorStorm, None), storm, false));
        changes
    }

    /// The alerts of suspended scripts that begin or end now: first those that end.
    pub(crate) fn check_suspended<'a>(
        &self,
        suspended: impl Iterator<Item = &'a Suspension>,
    ) -> Vec<Change> {
        let kind = AlertKind::SuspendedScript;
        let mut end: Vec<_> = self.open.keys().filter(|(open, _)| *open == kind).collect();
        let mut begin = Vec::new();
        for Suspension { agent, reason, .. } in suspended {
            end.retain(|(_, open)| open != agent);
            if !self.is_open(kind, *agent) {
                begin.push(Change { kind, agent: *agent, text: Some(reason.clone()) });
            }
        }
        let end = end.into_iter().map(|(_, agent)| Change { kind, agent: *agent, text: None });
        end.chain(begin).collect()
    }

    /// An alert begins.
    pub(crate) fn begin(&mut self, agent: Option<AgentId>, alert: Alert) {
        self.open.insert((alert.kind, agent), alert);
    }

    /// An alert ends; returns the tick in which it began.
    pub(crate) fn end(&mut self, kind: AlertKind, agent: Option<AgentId>) -> Option<u64> {
        self.open.remove(&(kind, agent)).map(|alert| alert.tick)
    }

    /// The alerts that have begun and not ended.
    pub(crate) fn open(&self) -> &OpenAlerts {
        &self.open
    }

    fn is_open(&self, kind: AlertKind, agent: Option<AgentId>) -> bool {
        self.open.contains_key(&(kind, agent))
    }

    /// What changes with a problem that was found now, or not. The alert of an excused agent ends at
    /// once.
    fn settle(
        &mut self,
        key: (AlertKind, Option<AgentId>),
        found: Option<String>,
        excused: bool,
    ) -> Option<Change> {
        let open = self.open.get_mut(&key);
        if found.is_none() && open.is_none() {
            return None;
        }
        let (kind, agent) = key;
        let (turn, recurrence) = (self.turns, self.recurrences.entry(key).or_default());
        let text = match (found, open) {
            (Some(found), None) => {
                recurrence.times = recurrence.times.saturating_add(1);
                Some(recurrence.describe(&found))
            }
            (Some(found), Some(alert)) => {
                if recurrence.calm_since.take().is_some() {
                    recurrence.times = recurrence.times.saturating_add(1);
                    alert.text = recurrence.describe(&found);
                }
                return None;
            }
            (None, _) => {
                let calm = turn - *recurrence.calm_since.get_or_insert(turn);
                if !excused && calm < recurrence.calm_turns() {
                    return None;
                }
                recurrence.calm_since = None;
                None
            }
        };
        Some(Change { kind, agent, text })
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
        let was = self.is_open(AlertKind::ShrinkingMargin, None);
        let limit = if was { share * MARGIN_WELL } else { share };
        (left < limit).then(|| {
            let (left, share) = (left * 100.0, share * 100.0);
            format!("one answer in ten leaves with less than {left:.0} % of its time, {share:.0} % are wanted")
        })
    }

    fn storm(&self) -> Option<String> {
        let (errors, turns) = (self.options.storm_errors, self.errors.len());
        let was = self.is_open(AlertKind::ErrorStorm, None);
        // A storm is over when half as many errors are left.
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
