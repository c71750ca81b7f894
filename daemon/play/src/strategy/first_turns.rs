//! The first turns of a match, for a check without a daemon: many mistakes show only when a script
//! decides.

use crate::demo::PATIENCE;
use anyhow::Result;
use phalanx_engine::{JournalEntry, JournalEvent};
use phalanx_game::RosterEntry;
use phalanx_game::sorted::SortedSet;
use phalanx_games::TeamPlan;
use phalanx_games::demo::DemoAsk;
use phalanx_lua::{Diagnostic, Program};
use phalanx_net::{Lockstep, LockstepOptions, Observer};
use phalanx_trial::staged;
use phalanxd::casting::{Casting, beginning};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Turns that are played: enough for an action and its result.
const TURNS: u32 = 10;
/// A match ends after this time, however many turns it had.
const TIME_MAX: Duration = Duration::from_secs(10);
/// The seed of the map and of the scripts.
const SEED: u64 = 1;

/// What came of the first turns.
#[derive(Debug, Default)]
pub(super) struct FirstTurns {
    pub(super) turns: u32,
    /// Decisions that scripts made.
    decisions: u32,
    /// Each failure once, with the agent and the turn in which it came first.
    pub(super) failures: Vec<Diagnostic>,
}

impl FirstTurns {
    /// Scripts were asked, and nothing failed.
    pub(super) fn passed(&self) -> bool {
        self.decisions > 0 && self.failures.is_empty()
    }
}

/// Plays the first turns of a match of a strategy that passed its trial against itself, on virtual
/// time. The agents have these roles in turn; there is a match more for roles that no agent of the
/// first one has. A match ends early when a script fails.
///
/// # Errors
/// When a match cannot begin.
pub(super) fn play(
    game: &'static str,
    variant: Option<&str>,
    program: &Arc<Program>,
    roles: &SortedSet<String>,
) -> Result<FirstTurns> {
    let mut played = FirstTurns::default();
    let mut left: Vec<_> = roles.iter().cloned().collect();
    while !left.is_empty() {
        let agents = play_one(game, variant, program, &left, &mut played)?;
        left.drain(..agents.clamp(1, left.len()));
    }
    Ok(played)
}

/// Plays one match; the number of agents that it had.
fn play_one(
    game: &'static str,
    variant: Option<&str>,
    program: &Arc<Program>,
    roles: &[String],
    played: &mut FirstTurns,
) -> Result<usize> {
    let ask = DemoAsk {
        seed: SEED,
        steps: Some(TURNS),
        fast: true,
        pace: None,
        worlds: None,
        variant: variant.map(str::to_owned),
        settings: None,
    };
    let stage = phalanx_games::demo(game, &ask)?;
    let (fast, watch, tuned) = (true, false, false);
    let casting = Casting { game, stage: &stage, fast, patience: PATIENCE, watch, tuned };
    let origin = beginning(Instant::now(), SEED);
    let mut lockstep =
        Lockstep::new((stage.arena)(origin)?, origin.instant, LockstepOptions::default());
    for team in ["A", "B"].into_iter().take(stage.teams) {
        phalanx_games::join(&mut lockstep, &plan(&casting, team, program, roles)?)?;
    }
    let mut watch = Watch { program, began: Instant::now(), failed: false, turns: 0, played };
    lockstep.run(&mut watch);
    Ok(stage.agents)
}

/// A team that plays the strategy.
fn plan(
    casting: &Casting<'_>,
    team: &str,
    program: &Arc<Program>,
    roles: &[String],
) -> Result<TeamPlan> {
    let mut plan = casting.plan(team, program.bundle(), staged(program), SEED)?;
    for (entry, role) in plan.roster.agents.iter_mut().zip(roles.iter().cycle()) {
        *entry = RosterEntry::new(entry.name.clone(), role.clone());
    }
    Ok(plan)
}

struct Watch<'a> {
    program: &'a Program,
    began: Instant,
    failed: bool,
    turns: u32,
    played: &'a mut FirstTurns,
}

impl Observer for Watch<'_> {
    fn journal(&mut self, team: usize, entry: JournalEntry) {
        if let JournalEvent::ScriptError { call, reason } = &entry.event {
            self.note(&entry, call, reason);
        } else if let JournalEvent::Fallback { reason, .. } = &entry.event {
            self.note(&entry, "decide", reason);
        } else if let JournalEvent::Decided { .. } = &entry.event {
            self.played.decisions += 1;
        } else if let JournalEvent::TurnDone(_) = &entry.event
            && team == 0
        {
            self.turns += 1;
            self.played.turns += 1;
        }
    }

    fn beat(&mut self, _now: Instant) -> ControlFlow<()> {
        let over = self.failed || self.turns >= TURNS || self.began.elapsed() > TIME_MAX;
        if over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl Watch<'_> {
    fn note(&mut self, entry: &JournalEntry, call: &str, reason: &str) {
        self.failed = true;
        let (place, message) = placed(reason);
        let who = entry.agent.as_deref().unwrap_or("the team");
        let context = format!(" ({call} of {who} in turn {} of a match)", entry.turn);
        let known = |known: &Diagnostic| {
            known.message.starts_with(message) && known.line == place.map(|(_, line)| line)
        };
        if self.played.failures.iter().any(known) {
            return;
        }
        let file = place.map_or("strategy", |(file, _)| file);
        let mut finding = Diagnostic::error(file, format!("{message}{context}"));
        if let Some((file, line)) = place {
            finding = finding.at(line, self.program.bundle().source(file).map(Arc::clone));
        }
        self.played.failures.push(finding);
    }
}

/// The place at the beginning of an error's text, as `BrainError` writes it, and the rest.
fn placed(text: &str) -> (Option<(&str, u32)>, &str) {
    let found = text.split_once(": ").and_then(|(place, rest)| {
        let (file, line) = place.rsplit_once(':')?;
        Some(((file, line.parse().ok()?), rest))
    });
    found.map_or((None, text), |(place, rest)| (Some(place), rest))
}
