//! The load test: each team plays with its own strategy against a local arena, in this process and
//! over loopback, with as many agents as its game allows; all teams at once, as in the daemon. The
//! referee continues as soon as every agent has answered, which is faster than any contest.

use crate::doctor::forecast::Tried;
use anyhow::{Context, Result, anyhow};
use phalanx_engine::{Counters, JournalEvent, Staged, TeamOptions};
use phalanx_game::{Roster, RosterEntry, Turn};
use phalanx_games::TeamPlan;
use phalanx_games::demo::{DemoAsk, DemoStage};
use phalanx_games::shipped;
use phalanx_lua::{Bundle, LoadError};
use phalanx_net::{
    ArenaHandle, Endpoint, HostOptions, JournalItem, JournalStream, TeamHandle, Timings, origin,
    serve_arena,
};
use phalanx_settings::{Settings, TeamSettings};
use phalanx_strategy::Keeper;
use phalanxd::plans;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// How long the teams may take to log out.
const LEAVE: Duration = Duration::from_secs(1);
/// How long a match may take to begin.
const BEGIN_MAX: Duration = Duration::from_secs(20);
/// Seed of the arena's map.
const SEED: u64 = 1;
/// Our team, and the one that only fills the other side.
const TEAMS: [&str; 2] = ["A", "B"];
/// Number of reasons for fallbacks that are kept.
const REASONS_MAX: usize = 3;

/// Result of a team's load test.
#[derive(Clone, Debug)]
pub(super) struct Load {
    pub(super) agents: usize,
    pub(super) tried: Tried,
    pub(super) counters: Counters,
    pub(super) timings: Timings,
    /// The first few reasons for which scripts had no decision.
    pub(super) reasons: Vec<String>,
}

/// A team in its arena.
pub(super) struct Ring {
    arena: ArenaHandle,
    team: TeamHandle,
    journal: JournalStream,
    opponent: Option<TeamHandle>,
}

impl Ring {
    /// Connects the team, and an idle opponent if the game needs one.
    pub(super) async fn open(settings: &Settings, team: &TeamSettings) -> Result<Self> {
        let ask = DemoAsk {
            seed: SEED,
            steps: None,
            fast: false,
            pace: None,
            worlds: None,
            variant: None,
            settings: None,
        };
        let stage = phalanx_games::load(&team.game, &ask)?;
        let bundle = Arc::new(plans::bundle(team, settings).map_err(refused)?);
        let [ours, theirs] = TEAMS;
        let plan = plan(settings, team, &stage, ours, &bundle)?;
        let listener = phalanx_games::listen(&team.game, "127.0.0.1:0").await;
        let listener = listener.context("cannot listen on loopback")?;
        let arena = serve_arena((stage.arena)(origin())?, listener, HostOptions::default());
        let address = arena.address().context("the arena has no address")?;
        let endpoint =
            phalanx_games::endpoint(&team.game, &address.ip().to_string(), address.port());
        let team_handle = phalanx_games::build(plan, endpoint.clone()).await?.spawn();
        let journal = team_handle.journal().context("the team has ended already")?;
        let opponent = match stage.teams {
            0 | 1 => None,
            _ => Some(idle(settings, team, &stage, theirs, endpoint).await?),
        };
        Ok(Self { arena, team: team_handle, journal, opponent })
    }

    /// Lets the team play for `time`, counted from its first turn.
    pub(super) async fn play(self, time: Duration) -> Load {
        let Self { arena, team, mut journal, opponent } = self;
        let mut watch = Watch::default();
        let begun = tokio::time::timeout(BEGIN_MAX, watch.first(&mut journal)).await.is_ok();
        if begun {
            tokio::time::timeout(time, watch.all(&mut journal)).await.ok();
        }
        let counters = team.snapshot().counters;
        let load = Load {
            agents: team.roster().agents.len(),
            tried: watch.tried(),
            counters,
            timings: team.timings(),
            reasons: watch.reasons,
        };
        for team in std::iter::once(team).chain(opponent) {
            team.drain(LEAVE).await;
        }
        arena.stop();
        load
    }
}

fn refused(error: LoadError) -> anyhow::Error {
    let all: Vec<_> = error.diagnostics.iter().map(ToString::to_string).collect();
    anyhow!("{}", all.join("\n"))
}

/// The team as the daemon would build it, but with the arena's accounts and the largest number of
/// agents; the roles of the settings are assigned in rotation.
fn plan(
    settings: &Settings,
    team: &TeamSettings,
    stage: &DemoStage,
    name: &str,
    bundle: &Arc<Bundle>,
) -> Result<TeamPlan> {
    let roles = team.agents.iter().map(|agent| agent.role.as_str()).cycle();
    let entry = |(index, role): (usize, &str)| {
        let alone = stage.agents == 1;
        let agent = if alone { name.to_owned() } else { format!("agent{name}{index}") };
        RosterEntry::new(agent, role.to_owned())
    };
    let agents = (1..=stage.agents).zip(roles).map(entry).collect();
    let roster = Roster { team: name.to_owned(), agents };
    let staged = staged(settings, team, &roster, bundle)?;
    let plan = plans::plan(team, settings, staged);
    let mut seats = stage.seats(&roster);
    for seat in &mut seats {
        seat.margin = settings.limits.margin();
    }
    Ok(TeamPlan { options: stage.options.clone(), seats, roster, ..plan })
}

fn staged(
    settings: &Settings,
    team: &TeamSettings,
    roster: &Roster,
    bundle: &Arc<Bundle>,
) -> Result<Staged> {
    let mut options = plans::keeper(team, settings, false)?;
    options.roster = Arc::new(roster.clone());
    // The load test leaves no trace in the daemon's history.
    options.state = None;
    let mut keeper = Keeper::open(options);
    let first = keeper.first(bundle);
    let (staged, _) = first.map_err(|report| {
        let all: Vec<_> = report.diagnostics.iter().map(ToString::to_string).collect();
        anyhow!("{}", all.join("\n"))
    })?;
    Ok(staged)
}

async fn idle(
    settings: &Settings,
    team: &TeamSettings,
    stage: &DemoStage,
    name: &str,
    endpoint: Endpoint,
) -> Result<TeamHandle> {
    const ROLE: &str = "worker";
    let bundle = Arc::new(shipped::idle(ROLE, stage.idle).map_err(refused)?);
    let mut unplaced = team.clone();
    for agent in &mut unplaced.agents {
        ROLE.clone_into(&mut agent.role);
    }
    let plan = plan(settings, &unplaced, stage, name, &bundle)?;
    let plan = TeamPlan { team: TeamOptions { rehearsal_turns: 0, ..plan.team }, ..plan };
    Ok(phalanx_games::build(plan, endpoint).await?.spawn())
}

/// Counts the steps of a team, and those that missed a decision.
#[derive(Debug, Default)]
struct Watch {
    done: BTreeSet<Turn>,
    missed: BTreeSet<Turn>,
    reasons: Vec<String>,
}

impl Watch {
    fn tried(&self) -> Tried {
        let count = |turns: usize| u64::try_from(turns).unwrap_or(u64::MAX);
        let steps = self.done.union(&self.missed).count();
        Tried { steps: count(steps), missed: count(self.missed.len()) }
    }

    /// Waits for the end of the first turn.
    async fn first(&mut self, journal: &mut JournalStream) {
        while self.done.is_empty() && self.next(journal).await {}
    }

    /// Reads until the match is over.
    async fn all(&mut self, journal: &mut JournalStream) {
        while self.next(journal).await {}
    }

    async fn next(&mut self, journal: &mut JournalStream) -> bool {
        let Some(item) = journal.next().await else { return false };
        let JournalItem::Entry(entry) = item else { return true };
        let turn = entry.turn;
        if let JournalEvent::TurnDone(_) = &entry.event {
            self.done.insert(turn);
        } else if let JournalEvent::Fallback { reason, .. } = &entry.event {
            self.miss(turn, reason.clone());
        } else if let JournalEvent::Defaulted { cause } = &entry.event {
            self.miss(turn, cause.to_string());
        } else if entry.event == JournalEvent::Late {
            self.miss(turn, "a decision came after its turn was closed".to_owned());
        }
        entry.event != JournalEvent::MatchOver
    }

    fn miss(&mut self, turn: Turn, reason: String) {
        self.missed.insert(turn);
        if self.reasons.len() < REASONS_MAX && !self.reasons.contains(&reason) {
            self.reasons.push(reason);
        }
    }
}
