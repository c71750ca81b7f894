//! Plays a scenario.

mod calls;
mod errands;

use crate::cast::{Cast, SetupError, staged};
use crate::checkpoints::CheckpointFiles;
use crate::disk::FaultyDisk;
use crate::disk_tape::DiskTape;
use crate::fault::{Fault, FaultClass, FaultKind};
use crate::ledger::Ledger;
use crate::misses::MissFigures;
use crate::network::{FaultyNetwork, SharedLedger, open};
use crate::often::Odds;
use crate::people::{Desk, Expected, command};
use crate::rerun::{Kept, decide_again};
use crate::sabotage::Sabotage;
use crate::scenario::{Scenario, ScenarioStrategy};
use crate::violation::{Rule, Violation};
use crate::watch::{Acknowledged, TeamWatch, Watch};
use crate::wire::Wire;
use calls::{Calls, PlannedCall};
use errands::Errands;
use phalanx_engine::{Answer, Command, CommandRequest, DrawWorld, InstallStrategy, SetRole};
use phalanx_game::sorted::{SortedMap, SortedSet};
use phalanx_game::{AgentId, Arena};
use phalanx_net::{Lockstep, LockstepEnd, LockstepOptions, Recorder, now};
use serde::Serialize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::oneshot;

/// Steps between two checkpoints.
const SAVE_EVERY: u32 = 5;
/// Inputs of a team that may wait while its thread does not respond.
const INPUTS_MAX: usize = 2_000;
/// Bytes that the sessions of a team may hold back.
const UNSENT_BYTES_MAX: usize = 1 << 20;
/// The author of all commands.
const OPERATOR: &str = "chaos";

/// What came of a scenario.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Outcome {
    /// Promises that were broken, the first one first.
    pub violations: Vec<Violation>,
    /// Faults that took effect, by kind.
    pub injected: SortedMap<FaultKind, u64>,
    /// Requests that reached the teams.
    pub agent_turns: u64,
    /// Turns without an answer, by team and round.
    pub misses: Vec<MissFigures>,
    /// Steps that were played.
    pub steps: u32,
    /// Virtual time.
    pub time: Duration,
    /// Commands that teams acknowledged.
    pub acknowledged: u64,
    /// Calls of the control API that were answered.
    pub calls: u64,
    /// Commands that teams refused.
    pub refused: u64,
    /// Beliefs that were compared with the referee's world.
    pub beliefs: u64,
    /// Decisions that were computed again from a recording.
    pub decided_again: u64,
    /// It was given up.
    pub stopped: bool,
    /// A number of everything that the journals and the referee said: equal runs have equal ones.
    pub print: u64,
}

/// Plays a scenario to its end or to the first broken promise.
///
/// # Errors
/// When the match cannot be set up.
pub fn play(scenario: &Scenario, stop: &AtomicBool) -> Result<Outcome, SetupError> {
    play_broken(scenario, stop, Sabotage::default())
}

/// As [`play`], with parts that are broken on purpose.
///
/// # Errors
/// As [`play`].
pub fn play_broken(
    scenario: &Scenario,
    stop: &AtomicBool,
    sabotage: Sabotage<'_>,
) -> Result<Outcome, SetupError> {
    let kept = Arc::new(Kept::default());
    let disk = FaultyDisk::default();
    let tape = disk_tape(scenario, &kept, &disk)?;
    let recorder = match (&tape, scenario.record) {
        (Some(tape), _) => Some(Arc::clone(tape) as Arc<dyn Recorder>),
        (None, true) => Some(Arc::clone(&kept) as Arc<dyn Recorder>),
        (None, false) => None,
    };
    let mut game = Match::new(scenario, stop, (recorder, tape.clone(), disk), sabotage)?;
    let stopped = game.run();
    let mut outcome = game.finish();
    outcome.stopped = stopped;
    let plan = game.cast.teams.first().cloned();
    drop(game);
    if let Some(plan) = plan.filter(|_| scenario.record && !stopped)
        && outcome.violations.is_empty()
    {
        let (again, rule) = match tape {
            Some(tape) => (tape.check(&plan, lost_tail(&outcome, scenario), sabotage), Rule::Disk),
            None => (decide_again(&plan, &kept, sabotage), Rule::Redecide),
        };
        // How much of a recording survives depends on the pace of a real thread.
        outcome.decided_again = if rule == Rule::Disk { 0 } else { again.decisions };
        outcome.violations.extend(again.difference.map(|text| Violation {
            rule,
            team: "A".to_owned(),
            agent: String::new(),
            step: outcome.steps,
            at: outcome.time,
            text,
        }));
    }
    Ok(outcome)
}

/// The recording of a scenario with faults of the disk.
fn disk_tape(
    scenario: &Scenario,
    kept: &Arc<Kept>,
    disk: &FaultyDisk,
) -> Result<Option<Arc<DiskTape>>, SetupError> {
    let has_faults = scenario.faults.iter().any(|fault| fault.kind.class() == FaultClass::Disk);
    if !has_faults || !scenario.record {
        return Ok(None);
    }
    let tape = DiskTape::begin((&scenario.game, scenario.seed), Arc::clone(kept), disk.clone());
    tape.map(Some).map_err(SetupError::Disk)
}

/// The steps before which something happens: a fault, or a checkpoint.
fn pauses(faults: &[Fault], steps: u32) -> Vec<u32> {
    let mut pauses: Vec<_> = faults.iter().map(|fault| fault.step).collect();
    pauses.extend((1..=steps / SAVE_EVERY).map(|count| count * SAVE_EVERY));
    pauses.sort_unstable();
    pauses.dedup();
    pauses
}

/// Bytes that the end of the recording loses.
fn lost_tail(outcome: &Outcome, scenario: &Scenario) -> u64 {
    if !outcome.injected.contains_key(&FaultKind::DiskTail) {
        return 0;
    }
    let tails = scenario.faults.iter().filter(|fault| fault.kind == FaultKind::DiskTail);
    tails.filter_map(|fault| fault.bytes).map(u64::from).sum()
}

pub(crate) struct Match<'a> {
    pub(crate) scenario: &'a Scenario,
    sabotage: Sabotage<'a>,
    pub(crate) cast: Cast,
    pub(crate) lockstep: Lockstep,
    pub(crate) watch: Watch<'a>,
    pub(crate) ledger: SharedLedger,
    pub(crate) errands: Errands,
    pub(crate) calls: Calls,
    checkpoints: CheckpointFiles,
    /// Faults of processes and people that are to come, by step.
    faults: Vec<Fault>,
    next_ticket: u64,
    next_generation: u32,
    /// The last sum of numbers of each team.
    counts: Vec<u64>,
}

impl<'a> Match<'a> {
    fn new(
        scenario: &'a Scenario,
        stop: &'a AtomicBool,
        (recorder, tape, disk): (Option<Arc<dyn Recorder>>, Option<Arc<DiskTape>>, FaultyDisk),
        sabotage: Sabotage<'a>,
    ) -> Result<Self, SetupError> {
        let begun = now();
        let cast = Cast::new(scenario, begun, recorder)?;
        let wire = Wire::of(&scenario.game);
        let odds = Odds::new(scenario.often.clone(), scenario.seed, cast.stage.turn_limit);
        let faults = (scenario.faults.as_slice(), odds);
        let mut ledger = Ledger::new(wire, cast.origin, faults, cast.is_shared());
        ledger.turn_limit = cast.stage.turn_limit;
        let ledger = Arc::new(Mutex::new(ledger));
        for (team, plan) in cast.teams.iter().enumerate() {
            for (seat, account) in plan.seats.iter().enumerate() {
                let agents = account.agents.iter().map(|(_, name)| name.clone()).collect();
                open(&ledger).add_seat((team, seat), &plan.roster.team, agents);
            }
        }
        let arena = (cast.stage.arena)(cast.origin)?;
        let network: Box<dyn Arena> =
            Box::new(FaultyNetwork::new(arena, Arc::clone(&ledger), begun));
        let network = match sabotage.arena {
            Some(breaker) => breaker(network),
            None => network,
        };
        let mut lockstep = Lockstep::new(network, begun, LockstepOptions::default());
        lockstep.think(Cast::think_time(scenario));
        for plan in &cast.teams {
            phalanx_games::join(&mut lockstep, plan)?;
        }
        let mut faults: Vec<_> = scenario
            .faults
            .iter()
            .filter(|fault| fault.kind.class() != FaultClass::Network)
            .filter(|fault| fault.team_index() < cast.teams.len())
            .cloned()
            .collect();
        faults.sort_by_key(|fault| fault.step);
        let team = |plan: &phalanx_games::TeamPlan| TeamWatch {
            name: plan.roster.team.clone(),
            ..TeamWatch::default()
        };
        let watch = Watch {
            ledger: Arc::clone(&ledger),
            stop,
            teams: cast.teams.iter().map(team).collect(),
            pauses: pauses(&faults, scenario.steps),
            is_due: false,
            alarm: None,
            answers: Vec::new(),
            awaited: SortedSet::new(),
            callers: SortedMap::new(),
            print: 0,
            disk,
            tape,
            sabotage,
        };
        let counts = vec![0; cast.teams.len()];
        let (next_ticket, next_generation) = (1, 2);
        Ok(Self {
            scenario,
            sabotage,
            cast,
            lockstep,
            watch,
            ledger,
            errands: Errands::default(),
            calls: Calls::default(),
            checkpoints: CheckpointFiles::default(),
            faults,
            next_ticket,
            next_generation,
            counts,
        })
    }

    /// True: it was given up.
    fn run(&mut self) -> bool {
        loop {
            let end = self.lockstep.run(&mut self.watch);
            if !open(&self.ledger).violations.is_empty() {
                return false;
            }
            match end {
                LockstepEnd::Over => return false,
                LockstepEnd::Stuck if open(&self.ledger).may_wait_for_ever() => return false,
                LockstepEnd::Stuck => {
                    let verdict = self.lockstep.verdict();
                    let text = format!("the match is stuck in step {}", verdict.step);
                    let (team, agent) = (String::new(), String::new());
                    open(&self.ledger).violate(Rule::Progress, team, agent, text);
                    return false;
                }
                LockstepEnd::Stopped if self.watch.stop.load(Ordering::Relaxed) => return true,
                LockstepEnd::Stopped => self.interrupt(),
            }
        }
    }

    /// Between two beats: checkpoints, bounds, and the faults that are due.
    fn interrupt(&mut self) {
        self.watch.is_due = false;
        self.run_errands();
        self.run_calls();
        let step = open(&self.ledger).step;
        for team in 0..self.cast.teams.len() {
            self.count(team);
            self.check_bounds(team);
            if step.is_multiple_of(SAVE_EVERY) {
                if let Some(checkpoint) = self.lockstep.checkpoint(team) {
                    self.checkpoints.write(team, checkpoint, &self.watch.disk);
                }
                self.send(team, DrawWorld.into(), None);
            }
        }
        let later = self.faults.iter().position(|fault| fault.step > step);
        let due: Vec<_> = self.faults.drain(..later.unwrap_or(self.faults.len())).collect();
        for fault in due {
            if self.happens(&fault) {
                open(&self.ledger).note(&fault);
            } else {
                // In the middle of a turn: with the next beat.
                self.faults.insert(0, fault);
                self.watch.is_due = true;
            }
        }
    }

    fn check_bounds(&self, team: usize) {
        let load = self.lockstep.load(team);
        let load = self.sabotage.load.map_or(load, |broken| broken(load));
        let text = if load.inputs > INPUTS_MAX {
            format!("{} events wait, more than {INPUTS_MAX}", load.inputs)
        } else if load.unsent_bytes > UNSENT_BYTES_MAX {
            format!("{} bytes are not sent, more than {UNSENT_BYTES_MAX}", load.unsent_bytes)
        } else {
            return;
        };
        let name = self.watch.teams.get(team).map(|team| team.name.clone()).unwrap_or_default();
        open(&self.ledger).violate(Rule::Bounds, name, String::new(), text);
    }

    /// A fault of a process or of people; false: not now.
    fn happens(&mut self, fault: &Fault) -> bool {
        let team = fault.team_index();
        let lasts = Duration::from_millis(fault.ms.unwrap_or_default());
        match fault.kind {
            FaultKind::Restart => return self.lockstep.restart(team).unwrap_or(true),
            FaultKind::Kill => self.kill(team, lasts),
            FaultKind::Freeze => {
                self.lockstep.stall(team, lasts);
                let until = Some(self.lockstep.now() + lasts);
                if let Some(watch) = self.watch.teams.get_mut(team) {
                    watch.frozen_until = watch.frozen_until.max(until);
                }
                open(&self.ledger).excuse_team(team);
            }
            FaultKind::Script => self.seduce(fault, team),
            FaultKind::Reload => self.reload(team),
            FaultKind::Command => self.operate(fault, team),
            FaultKind::Stop | FaultKind::Move | FaultKind::Remove => {
                self.begin_errand(fault, team);
            }
            FaultKind::DiskFull | FaultKind::DiskStuck | FaultKind::DiskShort => {
                let until = self.lockstep.now() + lasts;
                match &self.watch.tape {
                    Some(tape) => tape.fail(fault.kind, until),
                    None => self.watch.disk.begin(fault.kind, until),
                }
            }
            FaultKind::Delay
            | FaultKind::Stall
            | FaultKind::Split
            | FaultKind::Merge
            | FaultKind::Reset
            | FaultKind::HalfOpen
            | FaultKind::Mute
            | FaultKind::Duplicate
            | FaultKind::Garbage
            | FaultKind::Truncate
            | FaultKind::Wrong => {}
            // The recording loses it at the end of the match.
            FaultKind::DiskTail => {
                self.checkpoints.lose(team, fault.bytes.unwrap_or_default());
            }
        }
        true
    }

    fn kill(&mut self, team: usize, down: Duration) {
        // A brain that loaded once loads again.
        let checkpoint = self.checkpoints.read(team);
        self.lockstep.kill(team, down, checkpoint).unwrap_or_default();
        open(&self.ledger).excuse_team(team);
        self.forget_errands(team);
        self.hang_up_calls(team);
        if let Some(watch) = self.watch.teams.get_mut(team) {
            watch.forget();
        }
    }

    /// The agent gets a hostile script.
    fn seduce(&mut self, fault: &Fault, team: usize) {
        let (Some(script), Some(agent)) = (fault.script, self.agent(fault)) else { return };
        let name = self.cast.teams.get(team).map(|plan| plan.roster.name(agent).to_owned());
        let mut ledger = open(&self.ledger);
        for (key, seat) in &mut ledger.seats {
            if key.0 == team && name.as_ref().is_some_and(|name| seat.agents.contains(name)) {
                seat.hostile.extend(name.clone());
            }
        }
        drop(ledger);
        let role = script.role().to_owned();
        let set = SetRole { agent, role: role.clone(), carry: phalanx_engine::Carry::Forget };
        self.send(team, set.into(), Some(Expected::Role(agent, role)));
    }

    fn reload(&mut self, team: usize) {
        let number = self.next_generation;
        let Ok(staged) = staged(number, &self.cast.bundle) else { return };
        self.next_generation += 1;
        let install = InstallStrategy { staged, pinned: false };
        self.send(team, install.into(), Some(Expected::Generation(number)));
    }

    fn operate(&mut self, fault: &Fault, team: usize) {
        let Some(agent) = self.agent(fault) else { return };
        let (Some(plan), Some(watch)) = (self.cast.teams.get(team), self.watch.teams.get(team))
        else {
            return;
        };
        let desk = Desk {
            game: &self.scenario.game,
            bundle: &self.cast.bundle,
            options: plan.team,
            agent,
            board_revision: watch.snapshot.board_revision,
            has_param: self.scenario.strategy == ScenarioStrategy::Steady,
        };
        let seed = fault.seed.unwrap_or_default();
        let (command, expected) = command(&desk, seed);
        self.ask(team, PlannedCall { agent, command, expected, next: None }, seed);
    }

    pub(crate) fn send(&mut self, team: usize, command: Command, expected: Option<Expected>) {
        self.pass(team, PlannedCall { agent: AgentId(0), command, expected, next: None }, None);
    }

    /// Passes a command to a team. `caller` waits for the answer.
    pub(crate) fn pass(
        &mut self,
        team: usize,
        wish: PlannedCall,
        caller: Option<(Acknowledged, oneshot::Sender<Answer>)>,
    ) {
        let PlannedCall { command, expected, next, .. } = wish;
        if let Command::LeaveReferee(_) = command {
            open(&self.ledger).excuse_team(team);
            self.lockstep.hang_up(team, None);
        }
        let ticket = self.next_ticket;
        self.next_ticket += 1;
        if let Some(next) = next {
            self.errands.steps.insert(ticket, next);
            self.watch.awaited.insert(ticket);
        }
        if let Some(caller) = caller {
            self.watch.callers.insert(ticket, caller);
        }
        if let Some(watch) = self.watch.teams.get_mut(team) {
            watch.asked.insert(ticket, expected);
        }
        let request = CommandRequest::new(ticket, OPERATOR, command);
        // A mailbox that is full refuses it, which is an answer.
        if self.lockstep.command(team, request).is_err()
            && let Some(watch) = self.watch.teams.get_mut(team)
        {
            watch.asked.remove(&ticket);
            watch.refused += 1;
            // Without an answer its caller learns that it was not taken.
            self.watch.callers.remove(&ticket);
        }
    }

    /// The agent that a fault hits; a team may have fewer agents than the file says.
    pub(crate) fn agent(&self, fault: &Fault) -> Option<AgentId> {
        let plan = self.cast.teams.get(fault.team_index())?;
        let count = plan.roster.agents.len();
        plan.roster.ids().nth(fault.agent_index() % count.max(1))
    }

    fn count(&mut self, team: usize) {
        let snapshot = self.lockstep.snapshot(team).unwrap_or_default();
        if let Some(count) = self.counts.get_mut(team) {
            *count = (*count).max(snapshot.counters.asked);
        }
    }

    fn finish(&mut self) -> Outcome {
        for team in 0..self.cast.teams.len() {
            self.count(team);
            self.check_bounds(team);
        }
        let mut ledger = open(&self.ledger);
        ledger.check_back();
        Outcome {
            violations: ledger.violations.clone(),
            injected: ledger.injected.clone(),
            agent_turns: self.counts.iter().sum(),
            misses: ledger.misses.figures(),
            steps: ledger.step.saturating_sub(1),
            time: ledger.now.saturating_duration_since(ledger.origin.instant),
            calls: self.calls.answered,
            acknowledged: self.watch.teams.iter().map(|team| team.acknowledged).sum(),
            refused: self.watch.teams.iter().map(|team| team.refused).sum(),
            beliefs: self.watch.teams.iter().map(|team| team.compared).sum(),
            decided_again: 0,
            stopped: false,
            print: self.watch.print,
        }
    }
}
