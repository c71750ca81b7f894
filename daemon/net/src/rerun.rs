//! A team's decisions, computed again from its recording.
//!
//! ```text
//!  recorded bytes ──► session of each seat ──percepts──► team ──► actions, journal
//!  recorded actions of the team ──▲                       ▲          │
//!    (which, not what: what it decides now)               │          ▼
//!  recorded steps: its inputs, when it was polled ────────┘   compared with the recorded ones
//! ```
//!
//! The sessions receive the recorded bytes at the recorded instants and make the same percepts of
//! them. The team takes the recorded steps, and its brain reads the recorded times. So the recorded
//! strategy decides the same, byte for byte; a [`JournalComparison`] of the two journals lists each
//! decision that differs. Another strategy gets the same questions: it sees the world that resulted
//! from the recorded actions, not from its own.
//!
//! Seats and the team's thread were recorded side by side. Each waits here for what it needs of the
//! others: a team for its percepts, a seat for the team's decision.

mod brain;
mod briefings;
mod comparison;
mod seat;
mod tally;

pub use brain::{Question, Watcher};
pub use comparison::{Decision, JournalComparison, Line, LineDifference};
pub use seat::SentDifference;
pub use tally::{Share, Tally, Trouble};

use crate::Taped;
use brain::{Prompter, RecordedBrain};
use briefings::Briefings;
use phalanx_engine::{
    Brain, BrainError, Command, Input, JournalEntry, Output, Staged, TapedCall, TapedInput, Team,
    TeamAct, TeamLink, TeamStart, TeamStep,
};
use phalanx_game::sorted::SortedMap;
use phalanx_game::{Event, Game, SeatId, Turn};
use seat::SeatRerun;
use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

/// The most steps of a team that wait for percepts that are not recorded; then the team continues
/// without them.
const STEPS_WAITING_MAX: usize = 16_384;
/// Most outputs of another strategy in one step.
const OUTPUTS_MAX: usize = 100_000;

/// Options for computing a match again.
#[derive(Default)]
pub struct RerunOptions {
    /// This strategy decides from the beginning, instead of the recorded one.
    pub other: Option<Staged>,
    /// Called before each decision.
    pub watcher: Option<Watcher>,
}

impl fmt::Debug for RerunOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RerunOptions").field("other", &self.other).finish_non_exhaustive()
    }
}

/// A match that is computed again, without its game's types.
pub trait Redecide: fmt::Debug {
    /// Takes the next recorded entry, in the order of the recording.
    ///
    /// # Errors
    /// When the strategy does not load.
    fn feed(&mut self, at: Instant, what: Taped) -> Result<(), BrainError>;

    /// This many recorded things that decisions depend on are missing here.
    fn lost(&mut self, count: u64);

    /// The recording has ended.
    ///
    /// # Errors
    /// When the strategy does not load.
    fn finish(&mut self) -> Result<(), BrainError>;

    /// The next journal entry of the new run.
    fn poll_journal(&mut self) -> Option<JournalEntry>;

    /// The next message to the referee that differs. None for another strategy.
    fn poll_sent(&mut self) -> Option<SentDifference>;

    /// How many messages to the referee were compared, byte for byte.
    fn messages(&self) -> Share;

    /// Where the recording could not be followed exactly.
    fn trouble(&self) -> Trouble;

    /// The turn of the team.
    fn turn(&self) -> Turn;

    /// The [`Watcher`] stopped it.
    fn is_stopped(&self) -> bool;

    /// The team has ended, according to the recording.
    fn is_ended(&self) -> bool;
}

/// A match that is computed again. Feed it the recording of one team, in order.
pub struct Rerun<G: Game, F> {
    game: G,
    make_brain: F,
    other: Option<Staged>,
    prompter: Rc<Prompter>,
    team: Option<Team<G>>,
    /// A team was made before; the next one continues in its place.
    began: bool,
    ended: bool,
    steps: VecDeque<RerunStep>,
    seats: SortedMap<SeatId, SeatRerun<G>>,
    briefings: Briefings<G>,
    journal: VecDeque<JournalEntry>,
    trouble: Trouble,
}

/// The next step of the team's thread.
#[derive(Debug)]
enum RerunStep {
    Began(Box<TeamStart>),
    Did(TeamStep),
}

impl<G: Game, F> fmt::Debug for Rerun<G, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rerun")
            .field("game", &self.game)
            .field("steps", &self.steps.len())
            .field("seats", &self.seats.len())
            .finish_non_exhaustive()
    }
}

impl<G, B, F> Redecide for Rerun<G, F>
where
    G: Game,
    B: Brain + 'static,
    F: FnMut(TeamLink, &Staged) -> Result<B, BrainError>,
{
    fn feed(&mut self, at: Instant, what: Taped) -> Result<(), BrainError> {
        if self.is_stopped() {
            return Ok(());
        }
        match what {
            Taped::Began(beginning) => self.steps.push_back(RerunStep::Began(beginning)),
            Taped::SeatOpened(seat) => {
                let id = seat.id;
                match self.seats.get_mut(&id) {
                    Some(known) => known.reopen(&self.game, *seat),
                    None => {
                        let other = self.other.is_some();
                        self.seats.insert(id, SeatRerun::new(&self.game, *seat, other));
                    }
                }
            }
            Taped::Seat { seat, act } => {
                if let Some(seat) = self.seats.get_mut(&seat) {
                    seat.push(at, act);
                }
            }
            Taped::Steps(steps) => self.steps.extend(steps.into_iter().map(RerunStep::Did)),
            Taped::Ended => self.ended = true,
            Taped::Journal(_)
            | Taped::Snapshot(_)
            | Taped::Percepts(_)
            | Taped::Board { .. }
            | Taped::Drawing(_) => {}
        }
        self.advance(false)
    }

    fn lost(&mut self, count: u64) {
        self.trouble.lost += count;
        let turn = self.turn();
        self.trouble.lost_since.get_or_insert(turn);
    }

    fn finish(&mut self) -> Result<(), BrainError> {
        self.advance(true)?;
        if self.is_stopped() {
            return Ok(());
        }
        let turn = self.turn();
        self.trouble.cut_off = !self.ended;
        self.trouble.steps_left += self.steps.len() as u64;
        self.seats.values_mut().for_each(|seat| seat.finish(turn));
        Ok(())
    }

    fn poll_journal(&mut self) -> Option<JournalEntry> {
        self.journal.pop_front()
    }

    fn poll_sent(&mut self) -> Option<SentDifference> {
        self.seats.values_mut().find_map(SeatRerun::poll)
    }

    fn messages(&self) -> Share {
        self.seats.values().map(|seat| seat.messages).sum()
    }

    fn trouble(&self) -> Trouble {
        let mut trouble = self.trouble;
        trouble += self.prompter.trouble();
        self.seats.values().for_each(|seat| trouble += seat.trouble);
        trouble
    }

    fn turn(&self) -> Turn {
        self.team.as_ref().map(Team::turn).unwrap_or_default()
    }

    fn is_stopped(&self) -> bool {
        self.prompter.is_stopped()
    }

    fn is_ended(&self) -> bool {
        self.ended
    }
}

impl<G, B, F> Rerun<G, F>
where
    G: Game,
    B: Brain + 'static,
    F: FnMut(TeamLink, &Staged) -> Result<B, BrainError>,
{
    /// Nothing is computed yet. `make_brain` makes the brain that plays a generation.
    pub fn new(game: G, make_brain: F, options: RerunOptions) -> Self {
        let RerunOptions { other, watcher } = options;
        let strange = other.is_some();
        Self {
            game,
            make_brain,
            other,
            prompter: Rc::new(Prompter::new(strange, watcher)),
            team: None,
            began: false,
            ended: false,
            steps: VecDeque::new(),
            seats: SortedMap::new(),
            briefings: Briefings::default(),
            journal: VecDeque::new(),
            trouble: Trouble::default(),
        }
    }

    /// Advances the team and the seats as far as possible. `at_end`: the recording has ended.
    fn advance(&mut self, at_end: bool) -> Result<(), BrainError> {
        while !self.prompter.is_stopped() {
            let mut moved = self.advance_team(at_end)?;
            moved |= self.advance_seats();
            if !moved && !self.unblock(at_end) {
                break;
            }
        }
        Ok(())
    }

    fn advance_seats(&mut self) -> bool {
        let turn = self.turn();
        let mut moved = false;
        for seat in self.seats.values_mut() {
            moved |= seat.advance(&self.game, turn);
        }
        moved
    }

    /// Lets a seat or the team that waits for something missing continue without it. False if there
    /// is none.
    fn unblock(&mut self, at_end: bool) -> bool {
        // The team has finished all earlier steps, so what the seat waits for is not among them.
        let blocker = self.missing_percept();
        for (id, seat) in &mut self.seats {
            if let Some(agent) = seat.waits_for()
                && (blocker == Some(*id) || seat.is_overdue())
                && let Some(team) = &self.team
            {
                seat.give_up(team.fallback(agent));
                return true;
            }
        }
        let waited = at_end || self.steps.len() > STEPS_WAITING_MAX;
        if blocker.is_some() && waited {
            self.steps.pop_front();
            self.trouble.percepts_missing += 1;
            return true;
        }
        false
    }

    /// The seat that has not yet delivered the percept that the next step needs.
    fn missing_percept(&self) -> Option<SeatId> {
        let Some(RerunStep::Did(TeamStep { act: TeamAct::Handled(input), .. })) =
            self.steps.front()
        else {
            return None;
        };
        let TapedInput::Event { seat, event } = input else { return None };
        (!self.knows(*seat, event)).then_some(*seat)
    }

    /// Whether the rest of an event is available.
    fn knows(&self, seat: SeatId, event: &Event<(), ()>) -> bool {
        fill::<G>(event.clone(), None).is_some()
            || self.briefings.is_repeated(event)
            || self.seats.get(&seat).is_some_and(|seat| seat.holds(event))
    }

    fn advance_team(&mut self, at_end: bool) -> Result<bool, BrainError> {
        let mut moved = false;
        while !self.prompter.is_stopped() && self.missing_percept().is_none() {
            match self.steps.front() {
                None => break,
                Some(RerunStep::Began(_)) => {
                    let Some(RerunStep::Began(beginning)) = self.steps.pop_front() else { break };
                    self.begin(*beginning)?;
                }
                Some(RerunStep::Did(_)) => {
                    // The calls of a step follow it, so it is complete when the next step is there.
                    let next = self.steps.iter().skip(1).position(|step| !is_call(step));
                    let Some(calls) = next.or(at_end.then(|| self.steps.len() - 1)) else { break };
                    let last_words = match self.steps.get(calls + 1) {
                        Some(RerunStep::Did(_)) => false,
                        Some(RerunStep::Began(_)) => true,
                        None => !self.ended,
                    };
                    self.step(calls, last_words);
                }
            }
            moved = true;
        }
        Ok(moved)
    }

    fn begin(&mut self, start: TeamStart) -> Result<(), BrainError> {
        let staged = self.other.clone().unwrap_or_else(|| start.staged.clone());
        let start = TeamStart { staged, ..start };
        let (prompter, make_brain) = (Rc::clone(&self.prompter), &mut self.make_brain);
        let brain = |link: TeamLink, staged: &Staged| {
            let (shared, roster) = (Rc::clone(&link.shared), Arc::clone(&link.roster));
            Ok(RecordedBrain::new(Box::new(make_brain(link, staged)?), shared, roster, prompter))
        };
        self.team = None;
        if self.began {
            self.trouble.restarts += 1;
            self.briefings.tell_again();
        }
        let made = Team::new(&self.game, start, brain);
        match made {
            Ok(team) => self.team = Some(team),
            // When it was recorded, a team that could not begin again was given up, too.
            Err(_) if self.began && self.other.is_none() => {}
            Err(error) => return Err(error),
        }
        self.began = true;
        Ok(())
    }

    /// Takes the first step, and its calls, which follow it.
    fn step(&mut self, calls: usize, last_words: bool) {
        let Some(RerunStep::Did(TeamStep { at, act })) = self.steps.pop_front() else { return };
        let calls: VecDeque<TapedCall> = self.steps.drain(..calls).filter_map(call_of).collect();
        let polls_on = !matches!(
            self.steps.front(),
            Some(RerunStep::Did(TeamStep { act: TeamAct::Polled, .. }))
        );
        self.prompter.begin(calls, last_words);
        let Some(mut team) = self.team.take() else { return };
        let act = AssertUnwindSafe(|| self.act(&mut team, at, act, polls_on));
        match catch_unwind(act) {
            Ok(outputs) => {
                self.team = Some(team);
                // The last outputs of a thread that died then had no receiver.
                if self.prompter.end() {
                    outputs.into_iter().for_each(|output| self.emit(output));
                }
            }
            Err(_) => {
                self.trouble.panics += u64::from(!last_words);
                drop(catch_unwind(AssertUnwindSafe(|| drop(team))));
            }
        }
    }

    fn act(
        &mut self,
        team: &mut Team<G>,
        at: Instant,
        act: TeamAct,
        polls_on: bool,
    ) -> Vec<Output<G>> {
        match act {
            TeamAct::Handled(input) => {
                if let Some(input) = self.input(input) {
                    team.handle(input, at);
                }
                Vec::new()
            }
            TeamAct::TimedOut => {
                team.handle_timeout(at);
                Vec::new()
            }
            TeamAct::Polled if self.other.is_some() && polls_on => {
                // Another strategy may have more outputs than the recorded one.
                let mut outputs = Vec::new();
                while let Some(output) = team.poll_output(at) {
                    outputs.push(output);
                    if outputs.len() >= OUTPUTS_MAX {
                        break;
                    }
                }
                outputs
            }
            TeamAct::Polled => team.poll_output(at).into_iter().collect(),
            TeamAct::Called(_) => Vec::new(),
        }
    }

    /// The input with its percept. Another strategy stays, so `None` for a swap.
    fn input(&mut self, input: TapedInput) -> Option<Input<G>> {
        if self.other.is_some()
            && let TapedInput::Command(request) = &input
            && let Command::InstallStrategy(_) = request.command
        {
            return None;
        }
        let input = input.into_input(|seat, event| self.event(seat, event).ok_or(()));
        input.ok()
    }

    fn event(
        &mut self,
        seat: SeatId,
        event: Event<(), ()>,
    ) -> Option<Event<G::Briefing, G::Percept>> {
        if let Some(briefing) = self.briefings.again(&event) {
            return fill::<G>(event, Some(briefing));
        }
        let event_then = self.seats.get_mut(&seat).and_then(|seat| seat.take(&event));
        let full = fill::<G>(event, event_then)?;
        self.briefings.note(&full);
        Some(full)
    }

    fn emit(&mut self, output: Output<G>) {
        match output {
            Output::Act { seat, agent, turn, action } => {
                if let Some(seat) = self.seats.get_mut(&seat) {
                    seat.decided(agent, turn, action);
                }
            }
            Output::Journal(entry) => self.journal.push_back(entry),
            Output::Publish(_)
            | Output::Answer { .. }
            | Output::Roster { .. }
            | Output::Drained => {}
        }
    }
}

fn is_call(step: &RerunStep) -> bool {
    matches!(step, RerunStep::Did(TeamStep { act: TeamAct::Called(_), .. }))
}

fn call_of(step: RerunStep) -> Option<TapedCall> {
    match step {
        RerunStep::Did(TeamStep { act: TeamAct::Called(call), .. }) => Some(call),
        RerunStep::Did(_) | RerunStep::Began(_) => None,
    }
}

/// A recorded event, filled with what the session parsed from its bytes; turn and deadline stay the
/// recorded ones.
fn fill<G: Game>(
    event: Event<(), ()>,
    event_then: Option<Event<G::Briefing, G::Percept>>,
) -> Option<Event<G::Briefing, G::Percept>> {
    Some(match event {
        Event::Seated { agents } => Event::Seated { agents },
        Event::Refused { reason } => Event::Refused { reason },
        Event::RoundStarted { agent, round, briefing: None } => {
            Event::RoundStarted { agent, round, briefing: None }
        }
        Event::RoundStarted { agent, round, briefing: Some(()) } => {
            let Event::RoundStarted { briefing, .. } = event_then? else { return None };
            Event::RoundStarted { agent, round, briefing }
        }
        Event::Percept { turn, agent, percept: () } => {
            Event::Percept { turn, agent, percept: percept::<G>(event_then?)? }
        }
        Event::Asked { turn, agent, due, percept: () } => {
            Event::Asked { turn, agent, due, percept: percept::<G>(event_then?)? }
        }
        Event::Defaulted { turn, agent, cause } => Event::Defaulted { turn, agent, cause },
        Event::Notice(notice) => Event::Notice(notice),
        Event::Out { agent, round } => Event::Out { agent, round },
        Event::RoundOver { agent, round, score, ranking } => {
            Event::RoundOver { agent, round, score, ranking }
        }
        Event::MatchOver => Event::MatchOver,
    })
}

fn percept<G: Game>(event_then: Event<G::Briefing, G::Percept>) -> Option<G::Percept> {
    if let Event::Percept { percept, .. } | Event::Asked { percept, .. } = event_then {
        return Some(percept);
    }
    None
}
