//! A team's decisions, computed again from what was recorded of it.
//!
//! ```text
//!  recorded bytes ──► session of each seat ──percepts──► team ──► actions, journal
//!  recorded actions of the team ──▲                       ▲          │
//!    (which, not what: what it decides now)               │          ▼
//!  recorded steps: what it was told, when it was polled ──┘   beside the recorded ones
//! ```
//!
//! The sessions hear the recorded bytes at the recorded instants and make the same percepts of
//! them. The team takes the recorded steps; its brain learns of time what it learned then. So the
//! recorded strategy decides what it decided, byte for byte; a [`Comparison`] of the two journals tells
//! where it does not. Another strategy is asked the same questions: it sees the world that the recorded
//! actions led to, not the one that its own would have.
//!
//! Seats and the team's thread recorded side by side. Each waits here for what it needs of the
//! others: a team for its percepts, a seat for the team's decision.

mod brain;
mod comparison;
mod seat;
mod standing;
mod tally;

pub use brain::{Question, Watcher};
pub use comparison::{Comparison, Decision, Difference, Line};
pub use seat::SentDifference;
pub use tally::{Share, Tally, Trouble};

use crate::Taped;
use brain::{Prompter, RetoldBrain};
use phalanx_engine::{
    Beginning, Brain, BrainError, Input, JournalEntry, Output, Staged, TapedCall, TapedInput,
    TapedInstall, Team, TeamAct, TeamLink, TeamStart, TeamStep,
};
use phalanx_game::{Event, Game, SeatId, Turn};
use seat::SeatRerun;
use standing::Briefings;
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

/// So many steps of a team may wait for percepts that are not recorded; then it does without.
const STEPS_WAITING_MAX: usize = 16_384;
/// Outputs of another strategy in one go.
const OUTPUTS_MAX: usize = 100_000;

/// How a match is computed again.
#[derive(Default)]
pub struct RerunOptions {
    /// This strategy decides from the beginning, instead of the recorded ones.
    pub other: Option<Staged>,
    /// Looks on before each decision.
    pub watcher: Option<Watcher>,
}

impl fmt::Debug for RerunOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RerunOptions").field("other", &self.other).finish_non_exhaustive()
    }
}

/// A match that is computed again, without its game's types.
pub trait Redecide: fmt::Debug {
    /// The next thing that was recorded, in the order of the recording.
    ///
    /// # Errors
    /// When the strategy does not load.
    fn feed(&mut self, at: Instant, what: Taped) -> Result<(), BrainError>;

    /// Here the recording has lost so many things that decisions rest on.
    fn lost(&mut self, count: u64);

    /// Nothing more was recorded.
    ///
    /// # Errors
    /// When the strategy does not load.
    fn finish(&mut self) -> Result<(), BrainError>;

    /// The next line of the journal that came out now.
    fn poll_journal(&mut self) -> Option<JournalEntry>;

    /// The next message to the referee that came out differently. Not asked of another strategy.
    fn poll_sent(&mut self) -> Option<SentDifference>;

    /// How many messages to the referee were compared, byte for byte.
    fn messages(&self) -> Share;

    /// Where the recording could not be followed exactly.
    fn trouble(&self) -> Trouble;

    /// The turn of the team.
    fn turn(&self) -> Turn;

    /// The [`Watcher`] ended it.
    fn is_stopped(&self) -> bool;

    /// The recording told that the team is no more.
    fn is_ended(&self) -> bool;
}

/// A match that is computed again. Feed it what was recorded of one team, in order.
pub struct Rerun<G: Game, B: Brain, F> {
    game: G,
    make_brain: F,
    other: Option<Staged>,
    prompter: Rc<Prompter>,
    team: Option<Team<G, RetoldBrain<B>>>,
    /// A team was made once; the next one goes on in its place.
    began: bool,
    ended: bool,
    steps: VecDeque<Step>,
    seats: BTreeMap<SeatId, SeatRerun<G>>,
    briefings: Briefings<G>,
    journal: VecDeque<JournalEntry>,
    trouble: Trouble,
}

/// What the team's thread did next.
#[derive(Debug)]
enum Step {
    Began(Box<Beginning>),
    Did(TeamStep),
}

impl<G: Game, B: Brain, F> fmt::Debug for Rerun<G, B, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rerun")
            .field("game", &self.game)
            .field("steps", &self.steps.len())
            .field("seats", &self.seats.len())
            .finish_non_exhaustive()
    }
}

impl<G, B, F> Redecide for Rerun<G, B, F>
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
            Taped::Began(beginning) => self.steps.push_back(Step::Began(beginning)),
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
            Taped::Steps(steps) => self.steps.extend(steps.into_iter().map(Step::Did)),
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

impl<G, B, F> Rerun<G, B, F>
where
    G: Game,
    B: Brain + 'static,
    F: FnMut(TeamLink, &Staged) -> Result<B, BrainError>,
{
    /// Nothing has happened yet. `make_brain` makes the brain that plays a generation.
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
            seats: BTreeMap::new(),
            briefings: Briefings::default(),
            journal: VecDeque::new(),
            trouble: Trouble::default(),
        }
    }

    /// Lets the team and the seats go on as far as they can. `at_end`: nothing more comes.
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

    /// Somebody waits for what never comes: it goes on without. False when nobody does.
    fn unblock(&mut self, at_end: bool) -> bool {
        // The team has done all that came before: what the seat waits for is not among it.
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

    /// The seat whose percept the next step needs, and has not told.
    fn missing_percept(&self) -> Option<SeatId> {
        let Some(Step::Did(TeamStep { act: TeamAct::Handled(input), .. })) = self.steps.front()
        else {
            return None;
        };
        let TapedInput::Event { seat, event } = input else { return None };
        (!self.knows(*seat, event)).then_some(*seat)
    }

    /// Whether the rest of an event is at hand.
    fn knows(&self, seat: SeatId, event: &Event<(), ()>) -> bool {
        fill::<G>(event.clone(), None).is_some()
            || self.briefings.is_told_again(event)
            || self.seats.get(&seat).is_some_and(|seat| seat.holds(event))
    }

    fn advance_team(&mut self, at_end: bool) -> Result<bool, BrainError> {
        let mut moved = false;
        while !self.prompter.is_stopped() && self.missing_percept().is_none() {
            match self.steps.front() {
                None => break,
                Some(Step::Began(_)) => {
                    let Some(Step::Began(beginning)) = self.steps.pop_front() else { break };
                    self.begin(*beginning)?;
                }
                Some(Step::Did(_)) => {
                    // The calls of a step follow it: it is whole when the next one is there.
                    let next = self.steps.iter().skip(1).position(|step| !is_call(step));
                    let Some(calls) = next.or(at_end.then(|| self.steps.len() - 1)) else { break };
                    let last_words = match self.steps.get(calls + 1) {
                        Some(Step::Did(_)) => false,
                        Some(Step::Began(_)) => true,
                        None => !self.ended,
                    };
                    self.step(calls, last_words);
                }
            }
            moved = true;
        }
        Ok(moved)
    }

    fn begin(&mut self, beginning: Beginning) -> Result<(), BrainError> {
        let Beginning { roster, seats, options, staged, params, steering, .. } = beginning;
        let Beginning { board_revision, checkpoint, .. } = beginning;
        let staged = self.other.clone().unwrap_or(staged);
        let start = TeamStart { staged, params, steering, board_revision, checkpoint };
        let (prompter, make_brain) = (Rc::clone(&self.prompter), &mut self.make_brain);
        let brain = |link: TeamLink, staged: &Staged| {
            let (shared, roster) = (Rc::clone(&link.shared), Arc::clone(&link.roster));
            Ok(RetoldBrain::new(make_brain(link, staged)?, shared, roster, prompter))
        };
        self.team = None;
        if self.began {
            self.trouble.restarts += 1;
            self.briefings.tell_again();
        }
        let made = Team::new(&self.game, roster, seats, options, start, brain);
        match made {
            Ok(team) => self.team = Some(team),
            // A team that could not begin again was given up when it was recorded, too.
            Err(_) if self.began && self.other.is_none() => {}
            Err(error) => return Err(error),
        }
        self.began = true;
        Ok(())
    }

    /// Takes the first step, and its calls, which come behind it.
    fn step(&mut self, calls: usize, last_words: bool) {
        let Some(Step::Did(TeamStep { at, act })) = self.steps.pop_front() else { return };
        let calls: VecDeque<TapedCall> = self.steps.drain(..calls).filter_map(call_of).collect();
        let polls_on =
            !matches!(self.steps.front(), Some(Step::Did(TeamStep { act: TeamAct::Polled, .. })));
        self.prompter.begin(calls, last_words);
        let Some(mut team) = self.team.take() else { return };
        let act = AssertUnwindSafe(|| self.act(&mut team, at, act, polls_on));
        match catch_unwind(act) {
            Ok(outputs) => {
                self.team = Some(team);
                // What a thread said last that died then, nobody heard.
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
        team: &mut Team<G, RetoldBrain<B>>,
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
                // Another strategy may have more to say than the recorded one.
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

    /// The input again, with its percept. Another strategy stays: nothing takes its place.
    fn input(&mut self, input: TapedInput) -> Option<Input<G>> {
        if self.other.is_some() && matches!(input, TapedInput::Install(TapedInstall { .. })) {
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
        let told = self.seats.get_mut(&seat).and_then(|seat| seat.take(&event));
        let full = fill::<G>(event, told)?;
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

fn is_call(step: &Step) -> bool {
    matches!(step, Step::Did(TeamStep { act: TeamAct::Called(_), .. }))
}

fn call_of(step: Step) -> Option<TapedCall> {
    match step {
        Step::Did(TeamStep { act: TeamAct::Called(call), .. }) => Some(call),
        Step::Did(_) | Step::Began(_) => None,
    }
}

/// A recorded event with what the session made of its bytes, where it needs that: its turn and its
/// deadline stay those that are recorded.
fn fill<G: Game>(
    event: Event<(), ()>,
    told: Option<Event<G::Briefing, G::Percept>>,
) -> Option<Event<G::Briefing, G::Percept>> {
    Some(match event {
        Event::Seated { agents } => Event::Seated { agents },
        Event::Refused { reason } => Event::Refused { reason },
        Event::RoundStarted { agent, round, briefing: None } => {
            Event::RoundStarted { agent, round, briefing: None }
        }
        Event::RoundStarted { agent, round, briefing: Some(()) } => {
            let Event::RoundStarted { briefing, .. } = told? else { return None };
            Event::RoundStarted { agent, round, briefing }
        }
        Event::Percept { turn, agent, percept: () } => {
            Event::Percept { turn, agent, percept: percept::<G>(told?)? }
        }
        Event::Asked { turn, agent, due, percept: () } => {
            Event::Asked { turn, agent, due, percept: percept::<G>(told?)? }
        }
        Event::Defaulted { turn, agent, cause } => Event::Defaulted { turn, agent, cause },
        Event::Notice(notice) => Event::Notice(notice),
        Event::RoundOver { agent, round, score, ranking } => {
            Event::RoundOver { agent, round, score, ranking }
        }
        Event::MatchOver => Event::MatchOver,
    })
}

fn percept<G: Game>(told: Event<G::Briefing, G::Percept>) -> Option<G::Percept> {
    if let Event::Percept { percept, .. } | Event::Asked { percept, .. } = told {
        return Some(percept);
    }
    None
}
