//! The first turns of a match, for a trial without a daemon: many mistakes show only when a script
//! decides.

use anyhow::{Context, Result};
use phalanx_engine::{
    Answer, Board, CommandRequest, CopyView, Generation, JournalEntry, JournalEvent,
    StrategyOrigin, TeamCommand, Ticket, View,
};
use phalanx_game::sorted::SortedSet;
use phalanx_game::{Roster, RosterEntry, Verdict};
use phalanx_games::TeamPlan;
use phalanx_games::demo::DemoAsk;
use phalanx_games::shipped::IDLE;
use phalanx_lua::{Bundle, Program};
use phalanx_net::{Lockstep, LockstepOptions, Observer};
use phalanx_trial::Candidate;
use phalanxd::casting::{Casting, beginning};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

/// Turns that are played: enough for an action and its result.
const TURNS: u32 = 10;
/// The seed of the map and of the scripts.
const SEED: u64 = 1;

/// What a team sees in the first turns of a match that it plays with this strategy, on virtual time
/// against agents that do nothing. The agents have the candidate's roles in turn. The match ends
/// early when a script fails.
///
/// # Errors
/// When the match cannot begin, for example since a file does not load.
pub(super) fn first_turns(bundle: &Arc<Bundle>, candidate: &Candidate) -> Result<View> {
    let game = candidate.game;
    let ask = DemoAsk {
        seed: SEED,
        // The last step ends the match, and with it what the team sees.
        steps: Some(TURNS + 1),
        fast: true,
        pace: None,
        worlds: None,
        variant: None,
        settings: None,
    };
    let stage = phalanx_games::demo(game, &ask)?;
    let patience = candidate.options.decide_max;
    let casting = Casting { game, stage: &stage, fast: true, patience, watch: false, tuned: false };
    let origin = beginning(Instant::now(), SEED);
    let mut lockstep =
        Lockstep::new((stage.arena)(origin)?, origin.instant, LockstepOptions::default());
    phalanx_games::join(&mut lockstep, &plan(&casting, bundle, candidate)?)?;
    if stage.teams > 1 {
        let idle = casting.clear("B", Some(Path::new(IDLE)))?;
        phalanx_games::join(&mut lockstep, &casting.plan("B", &idle.bundle, idle.staged, SEED)?)?;
    }
    let mut watch = Watch::default();
    lockstep.run(&mut watch);
    lockstep.command(0, CommandRequest::new(0, "", CopyView))?;
    lockstep.run(&mut watch);
    let view = watch.view.context("the team did not answer")?;
    // The turns are decided again from the first one on, with nothing remembered.
    Ok(with_roles(View { board: Board::default(), memories: Vec::new(), ..view }, &candidate.roles))
}

/// With an agent more for each role that no agent of the match had.
fn with_roles(view: View, wanted: &SortedSet<String>) -> View {
    let (mut roster, mut roles) = (Roster::clone(&view.roster), view.roles);
    for role in wanted.iter().filter(|role| !roles.contains(*role)).cloned().collect::<Vec<_>>() {
        roster.agents.push(RosterEntry::new(format!("the {role}"), role.clone()));
        roles.push(role);
    }
    View { roster: Arc::new(roster), roles, ..view }
}

/// The team that plays the strategy.
fn plan(casting: &Casting<'_>, bundle: &Arc<Bundle>, candidate: &Candidate) -> Result<TeamPlan> {
    let generation = Generation {
        number: 0,
        hash: bundle.hash().to_owned(),
        accepted: SystemTime::now(),
        origin: StrategyOrigin::Start,
    };
    let (program, _) = Program::compile(Arc::clone(bundle));
    let staged = Arc::new(program).staged(Arc::new(generation), Duration::ZERO);
    let mut plan = casting.plan("A", bundle, staged, SEED)?;
    let roles = candidate.roles.iter().cycle();
    for (entry, role) in plan.roster.agents.iter_mut().zip(roles) {
        *entry = RosterEntry::new(entry.name.clone(), role.clone());
    }
    plan.team.rehearsal_turns = usize::try_from(TURNS).unwrap_or(usize::MAX);
    Ok(plan)
}

#[derive(Default)]
struct Watch {
    /// A script of the team failed.
    failed: bool,
    view: Option<View>,
}

impl Observer for Watch {
    fn step(&mut self, verdict: &Verdict) -> ControlFlow<()> {
        let over = self.failed || u64::from(verdict.step) >= u64::from(TURNS);
        if over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn journal(&mut self, team: usize, entry: JournalEntry) {
        let fails =
            matches!(entry.event, JournalEvent::ScriptError { .. } | JournalEvent::Fallback { .. });
        self.failed |= team == 0 && fails;
    }

    fn answer(&mut self, team: usize, _ticket: Ticket, answer: Answer) {
        if team == 0
            && let Ok(view) = CopyView::answer(answer)
        {
            self.view = Some(*view);
        }
    }

    fn beat(&mut self, _now: Instant) -> ControlFlow<()> {
        if self.view.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
