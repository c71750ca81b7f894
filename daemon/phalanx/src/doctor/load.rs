//! The load test: each team plays with its own strategy against an arena of our own, in this
//! process and over loopback, with as many agents as its game knows; all teams at once, as in the
//! daemon. The referee goes on as soon as everybody has answered, which is faster than any contest.

use crate::plans;
use crate::wire::demo::{DemoAsk, DemoStage};
use crate::wire::{self, TeamPlan};
use crate::{doctor::forecast::Tried, shipped};
use anyhow::{Context, Result, anyhow};
use phalanx_engine::{Counters, JournalEvent, Staged, TeamOptions};
use phalanx_game::{Roster, RosterEntry, Turn};
use phalanx_lua::{Bundle, LoadError};
use phalanx_net::{
    ArenaHandle, Endpoint, HostOptions, JournalItem, JournalStream, TeamHandle, Timings, origin,
    serve_arena,
};
use phalanx_settings::{Settings, TeamSettings};
use phalanx_strategy::Keeper;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// How long the teams may take to leave.
const LEAVE: Duration = Duration::from_secs(1);
/// How long a match may take to begin.
const BEGIN_MAX: Duration = Duration::from_secs(20);
/// Seed of the arena's map.
const SEED: u64 = 1;
/// Our team, and the one that only fills the other side.
const TEAMS: [&str; 2] = ["A", "B"];
/// Reasons for fallbacks that are kept.
const REASONS_MAX: usize = 3;

/// What a team showed.
#[derive(Clone, Debug)]
pub(super) struct Load {
    pub(super) agents: usize,
    pub(super) tried: Tried,
    pub(super) counters: Counters,
    pub(super) timings: Timings,
    /// Why scripts had no decision, the first few reasons.
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
    /// Seats the team, and somebody who does nothing where the game wants a second one.
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
        let stage = wire::load(&team.game, &ask)?;
        let bundle = Arc::new(shipped::read(&team.strategy).map_err(refused)?);
        let [ours, theirs] = TEAMS;
        let plan = plan(settings, team, &stage, ours, &bundle)?;
        let listener = wire::listen(&team.game, "127.0.0.1:0").await;
        let listener = listener.context("cannot listen on loopback")?;
        let arena = serve_arena((stage.arena)(origin())?, listener, HostOptions::default());
        let address = arena.address().context("the arena has no address")?;
        let endpoint = wire::endpoint(&team.game, &address.ip().to_string(), address.port());
        let team_handle = wire::build(plan, endpoint.clone()).await?.spawn();
        let journal = team_handle.journal().context("the team has ended already")?;
        let opponent = match stage.teams {
            0 | 1 => None,
            _ => Some(idle(settings, team, &stage, theirs, endpoint).await?),
        };
        Ok(Self { arena, team: team_handle, journal, opponent })
    }

    /// Lets the team play for so long, counted from its first turn on.
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

/// The team as the daemon would build it, with the arena's accounts and as many agents as the
/// largest team has; the roles of the settings are dealt out again and again.
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
    // What is tried here leaves no trace in the daemon's history.
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
    let mut nobody = team.clone();
    for agent in &mut nobody.agents {
        ROLE.clone_into(&mut agent.role);
    }
    let plan = plan(settings, &nobody, stage, name, &bundle)?;
    let plan = TeamPlan { team: TeamOptions { rehearsal_turns: 0, ..plan.team }, ..plan };
    Ok(wire::build(plan, endpoint).await?.spawn())
}

/// Counts the steps of a team, and those that missed something.
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

    /// Until the first turn is through.
    async fn first(&mut self, journal: &mut JournalStream) {
        while self.done.is_empty() && self.next(journal).await {}
    }

    /// Until the match is over.
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
