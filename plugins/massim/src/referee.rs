//! The course of a run on the referee's side.
//!
//! ```text
//!  Waiting ── launch ──> Thinking <── next step ── Pacing
//!                           │ all answered, or deadline ^
//!                           ├────── steps left ─────────┘
//!                           └── sim-end ──> Break ── next simulation or match ──> Thinking
//!                                             └── none left: bye ──> Over
//! ```

use crate::accounts::AccountTable;
use crate::config::{Launch, TeamConfig};
use phalanx_game::{Artifact, ConnectionId, Origin, Score, Verdict};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Notices that wait to be fetched; older ones are lost.
const NOTICES_MAX: usize = 1000;

/// What the referee is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefereePhase {
    /// Before the first match; until that instant, or until an operator or the last login starts it.
    Waiting(Option<Instant>),
    /// Requests are out; until the deadline, if there is one.
    Thinking(Option<Instant>),
    /// All have answered; the next step begins then.
    Pacing(Instant),
    /// Between simulations.
    Break(Instant),
    /// All has been played.
    Over,
}

impl RefereePhase {
    /// When the clock ends the phase.
    #[must_use]
    pub fn until(self) -> Option<Instant> {
        match self {
            Self::Waiting(at) | Self::Thinking(at) => at,
            Self::Pacing(at) | Self::Break(at) => Some(at),
            Self::Over => None,
        }
    }
}

/// A run: its accounts, phase, standing and output. `Act` is an answer.
#[derive(Debug)]
pub struct Referee<Act> {
    /// Accounts and connections.
    pub table: AccountTable<Act>,
    /// What the referee is doing.
    pub phase: RefereePhase,
    /// State of the match and its scores.
    pub verdict: Verdict,
    /// Files to write.
    pub artifacts: VecDeque<Artifact>,
    /// What operators are to read.
    pub notices: VecDeque<String>,
    origin: Origin,
    launch: Launch,
    pace: Duration,
    /// Accounts of the running simulation's agents, in their order.
    players: Vec<usize>,
    /// Answers still missing in this step.
    missing: usize,
    /// When the step's requests went out.
    step_began: Instant,
}

impl<Act> Referee<Act> {
    /// A run that has not begun. `local_ms`: the origin's local time in milliseconds since the
    /// epoch. A step takes at least `pace`.
    #[must_use]
    pub fn new(
        table: AccountTable<Act>,
        teams: &[TeamConfig],
        launch: Launch,
        pace: Duration,
        (origin, local_ms): (Origin, u64),
    ) -> Self {
        let teams = teams.iter().map(|team| Score::of(&team.name)).collect();
        Self {
            table,
            phase: RefereePhase::Waiting(launch.instant(origin, local_ms)),
            verdict: Verdict { teams, ..Verdict::default() },
            artifacts: VecDeque::new(),
            notices: VecDeque::new(),
            origin,
            launch,
            pace,
            players: Vec::new(),
            missing: 0,
            step_began: origin.instant,
        }
    }

    /// Milliseconds since the Unix epoch.
    #[must_use]
    pub fn unix_ms(&self, now: Instant) -> u64 {
        self.origin.unix_ms(now)
    }

    /// Whether the first match has not begun.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        matches!(self.phase, RefereePhase::Waiting(_))
    }

    /// The phase, when the clock ends it now.
    #[must_use]
    pub fn ended_phase(&self, now: Instant) -> Option<RefereePhase> {
        self.phase.until().is_some_and(|at| at <= now).then_some(self.phase)
    }

    /// When the clock has something to do.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Instant> {
        self.phase.until().into_iter().chain(self.table.login_due()).min()
    }

    /// Adds a notice for operators.
    pub fn notice(&mut self, notice: String) {
        if self.notices.len() >= NOTICES_MAX {
            self.notices.pop_front();
        }
        self.notices.push_back(notice);
    }

    /// Logs a connection in, sends it the start of the running simulation and `request`, and returns
    /// whether this login launches the run.
    pub fn log_in(&mut self, id: ConnectionId, index: usize, request: Option<Vec<u8>>) -> bool {
        self.table.log_in(id, index);
        let start = self.table.account(index).and_then(|account| account.start.clone());
        for bytes in start.into_iter().chain(request) {
            self.table.send(index, bytes);
        }
        self.launch == Launch::Complete && self.is_waiting() && self.table.is_complete()
    }

    /// Begins a simulation of these teams, with the accounts of its agents.
    pub fn begin_round(&mut self, teams: &[usize], players: Vec<usize>, steps: u32) {
        self.verdict.round += 1;
        (self.verdict.step, self.verdict.steps) = (0, steps);
        for team in teams {
            if let Some(score) = self.verdict.teams.get_mut(*team) {
                score.rounds.push(0);
            }
        }
        self.players = players;
    }

    /// Accounts of the running simulation's agents, in their order.
    #[must_use]
    pub fn players(&self) -> Vec<usize> {
        self.players.clone()
    }

    /// Sends a player the start of the simulation, and keeps it for later logins.
    pub fn start_player(&mut self, player: usize, start: Vec<u8>) {
        if let Some(account) = self.table.account(player) {
            account.start = Some(start.clone());
        }
        self.table.send(player, start);
    }

    /// Begins a step, which ends at `until` at the latest.
    pub fn begin_step(&mut self, now: Instant, until: Option<Instant>) {
        self.step_began = now;
        self.missing = self.players.len();
        self.phase = RefereePhase::Thinking(until);
    }

    /// Awaits an answer of a player. Returns the request's id, and whether its client is logged in.
    pub fn await_answer(&mut self, player: usize) -> Option<(i64, bool)> {
        let account = self.table.account(player)?;
        let id = account.take_id();
        (account.awaited, account.answer, account.queued) = (Some(id), None, None);
        Some((id, account.connection.is_some()))
    }

    /// Takes an answer. The first one with the awaited id counts; all others are ignored. Returns
    /// whether it was the last one missing.
    pub fn answer(&mut self, index: usize, id: Option<i64>, act: Act) -> bool {
        let Some(account) = self.table.account(index) else { return false };
        if id.is_none() || id != account.awaited {
            let conduct = &mut account.conduct;
            match id {
                Some(id) if (0..account.next_id).contains(&id) => conduct.late += 1,
                Some(_) | None => conduct.unknown_ids += 1,
            }
            return false;
        }
        (account.awaited, account.queued) = (None, None);
        account.answer = Some(act);
        self.missing = self.missing.saturating_sub(1);
        self.missing == 0
    }

    /// Ends a step: the answers of all players in their order, `nothing` for those without one.
    pub fn take_answers(&mut self, nothing: impl Fn() -> Act) -> Vec<Act> {
        let players = self.players.iter();
        let answers = players.filter_map(|player| {
            let account = self.table.accounts.get_mut(*player)?;
            if account.awaited.take().is_some() {
                account.conduct.silent = account.conduct.silent.saturating_add(1);
            }
            account.queued = None;
            Some(account.answer.take().unwrap_or_else(&nothing))
        });
        answers.collect()
    }

    /// Enters the scores of teams in the running round.
    pub fn set_scores(&mut self, scores: impl Iterator<Item = (usize, i64)>) {
        for (team, points) in scores {
            let team = self.verdict.teams.get_mut(team);
            if let Some(score) = team.and_then(|score| score.rounds.last_mut()) {
                *score = points;
            }
        }
    }

    /// Whether the next step begins at once; otherwise the referee waits for it.
    pub fn is_next_step_due(&mut self, now: Instant) -> bool {
        let next = self.step_began + self.pace;
        if next > now {
            self.phase = RefereePhase::Pacing(next);
        }
        next <= now
    }

    /// Sends a player the end of the simulation.
    pub fn end_player(&mut self, player: usize, end: Vec<u8>) {
        if let Some(account) = self.table.account(player) {
            (account.start, account.awaited) = (None, None);
        }
        self.table.send(player, end);
    }

    /// Ends the run: every client gets `bye` and is closed.
    pub fn finish(&mut self, bye: &[u8]) {
        self.phase = RefereePhase::Over;
        self.verdict.over = true;
        for id in self.table.connections() {
            self.table.dismiss(id, bye.to_vec());
        }
    }
}
