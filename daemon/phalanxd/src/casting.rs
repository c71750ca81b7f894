//! How strategies become teams of a match without a configuration: of a demo, or of a league.

use crate::check::{excerpt, other_game};
use crate::{keepers, plans};
use anyhow::{Context, Result, anyhow};
use phalanx_engine::{Staged, TeamOptions};
use phalanx_game::{Origin, Roster, RosterEntry, Score, Verdict};
use phalanx_games::TeamPlan;
use phalanx_games::demo::DemoStage;
use phalanx_games::shipped::{self, IDLE};
use phalanx_lua::{Bundle, Diagnostic, Limits};
use phalanx_net::SeatOptions;
use phalanx_settings::ReloadSettings;
use phalanx_strategy::{Keeper, KeeperOptions};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a strategy may take to load.
const LOAD_MAX: Duration = Duration::from_secs(10);
/// Memory of a team's scripts, the same as the daemon's default.
const MEMORY_BYTES: usize = 64 << 20;
/// The usual name of the main role.
const WORKER: &str = "worker";
/// If a strategy has a scout, one in this many agents is a scout.
const AGENTS_PER_SCOUT: usize = 7;

/// The role of agents that nothing else is said about: `worker`, or the first one.
#[must_use]
pub fn main_role(bundle: &Bundle) -> Option<&str> {
    let mut roles = bundle.root_names();
    let first = roles.next();
    if first == Some(WORKER) { first } else { roles.find(|role| *role == WORKER).or(first) }
}

/// The agents of a team with their roles.
fn roster(stage: &DemoStage, team: &str, bundle: &Bundle) -> Result<Roster> {
    let main = main_role(bundle).ok_or_else(|| {
        anyhow!(
            "team {team}: the strategy has no role file; --strategy and --opponent name folders"
        )
    })?;
    let has_scout = bundle.root_names().any(|role| role == "scout");
    let scouts = if has_scout { stage.agents / AGENTS_PER_SCOUT } else { 0 };
    let entry = |index: usize| {
        let role = if index > stage.agents - scouts { "scout" } else { main };
        RosterEntry::new(stage.agent_name(team, index), role)
    };
    Ok(Roster { team: team.to_owned(), agents: (1..=stage.agents).map(entry).collect() })
}

/// The wall-clock time at which every match on virtual time begins: 2026-01-01 00:00 UTC. The seed
/// is added in milliseconds, so that replays of different seeds go to different folders.
const EPOCH_MS: u64 = 1_767_225_600_000;
/// Number of seeds that get different folders.
const SEEDS: u64 = 1_000_000_000;

/// When a match of this seed begins.
#[must_use]
pub fn beginning(instant: Instant, seed: u64) -> Origin {
    Origin { instant, unix_ms: EPOCH_MS.wrapping_add(seed % SEEDS) }
}

/// A team's score. One that plays alone may have another name at the referee.
#[must_use]
pub fn score_of<'a>(verdict: &'a Verdict, team: &str) -> Option<&'a Score> {
    let named = verdict.teams.iter().find(|score| score.team == team);
    named.or(match verdict.teams.as_slice() {
        [alone] => Some(alone),
        _ => None,
    })
}

/// How strategies become teams of a match.
#[derive(Clone, Copy, Debug)]
pub struct Casting<'a> {
    pub game: &'static str,
    pub stage: &'a DemoStage,
    /// The match runs on virtual time.
    pub fast: bool,
    /// How long a decision may take.
    pub patience: Duration,
    /// Whether the keeper watches the strategy's folder.
    pub watch: bool,
    /// Whether the values of `tuned.toml` count.
    pub tuned: bool,
}

/// A strategy that passed its trial.
#[derive(Debug)]
pub struct TriedStrategy {
    pub bundle: Arc<Bundle>,
    pub staged: Staged,
    pub keeper: Keeper,
}

impl Casting<'_> {
    /// Tries a strategy: a folder, `idle`, or the shipped one when none is named.
    pub fn clear(&self, name: &str, strategy: Option<&Path>) -> Result<TriedStrategy> {
        let game = self.game;
        let folder = strategy.filter(|path| *path != Path::new(IDLE));
        let bundle = match (strategy, folder) {
            (None, _) => shipped::strategy(game),
            (Some(_), None) => shipped::idle("worker", self.stage.idle),
            (Some(_), Some(folder)) => shipped::read(folder),
        };
        let bundle = bundle.and_then(|bundle| shipped::with_tuned_values(bundle, self.tuned));
        let bundle = bundle.map_err(|error| mistakes(name, &error.diagnostics))?;
        self.clear_bundle(name, bundle, folder)
    }

    /// Tries a strategy that was read; `folder` is where changes of it come from.
    pub fn clear_bundle(
        &self,
        name: &str,
        bundle: Bundle,
        folder: Option<&Path>,
    ) -> Result<TriedStrategy> {
        let game = self.game;
        let bundle = Arc::new(bundle);
        let roster = Arc::new(roster(self.stage, name, &bundle)?);
        let reload = ReloadSettings::default();
        let mut keeper = Keeper::open(KeeperOptions {
            team: name.to_owned(),
            game,
            api: phalanx_games::api(game).context("the game has no script API")?,
            roster: Arc::clone(&roster),
            limits: limits(),
            decide_max: self.patience,
            folder: folder.map(Path::to_path_buf),
            read: keepers::reader(self.tuned),
            complete: keepers::completer(),
            watch: folder.is_some() && self.watch,
            settle: reload.settle,
            poll: reload.poll,
            keep: reload.keep,
            state: None,
            trial_max: reload.trial_max,
        });
        let (staged, _) = keeper.first(&bundle).map_err(|report| {
            let roles = roster.agents.iter().map(|entry| entry.role.clone()).collect();
            let candidate = plans::candidate(game, Arc::clone(&roster), roles, limits());
            let candidate = candidate.ok();
            let other = candidate.and_then(|asked| other_game(&bundle, &asked, &report));
            mistakes(name, &other.map_or(report.diagnostics, |finding| vec![finding]))
        })?;
        Ok(TriedStrategy { bundle, staged, keeper })
    }

    /// The plan of a team that plays this strategy.
    pub fn plan(&self, name: &str, bundle: &Bundle, staged: Staged, seed: u64) -> Result<TeamPlan> {
        let roster = roster(self.stage, name, bundle)?;
        let options = TeamOptions { seed, ..TeamOptions::default() };
        // On virtual time no new strategy comes that would need a rehearsal.
        let rehearsal_turns = if self.fast { 0 } else { ReloadSettings::default().rehearsal_turns };
        Ok(TeamPlan {
            game: self.game.to_owned(),
            options: self.stage.options.clone(),
            seats: self.stage.seats(&roster),
            roster,
            staged,
            limits: limits(),
            team: TeamOptions {
                decide_max: self.patience,
                plan_max: self.patience * 2,
                rehearsal_turns,
                ..options
            },
            seat: SeatOptions { seed, ..SeatOptions::default() },
            recorder: None,
            checkpoints: None,
        })
    }
}

/// The limits of a team's scripts.
pub(crate) fn limits() -> Limits {
    Limits { load: LOAD_MAX, memory_bytes: MEMORY_BYTES, ..Limits::default() }
}

/// A strategy's mistakes with excerpts.
fn mistakes(team: &str, findings: &[Diagnostic]) -> anyhow::Error {
    let text: Vec<_> = findings.iter().map(|one| excerpt(one).trim_end().to_owned()).collect();
    anyhow!("the strategy of team {team} cannot play\n{}", text.join("\n"))
}
