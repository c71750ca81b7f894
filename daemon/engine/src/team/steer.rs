//! Operators steer agents: roles, pauses, pinned orders, pilots.

use super::Team;
use super::decide::{Played, Source};
use crate::steering::{LEASE_TURNS_MAX, PIN_TURNS_MAX};
use crate::turn::{Asked, Phase};
use crate::{CommandError, JournalEvent, SetRole, Steer, SteerAgent, SteerCause, Steering};
use phalanx_game::{AgentId, Game, OrderError, Said, World, check_order};
use std::time::{Duration, Instant};

/// An agent that waits for its pilot gets its fallback this long before it is due, so that the team
/// is faster than the seat: what the team sends is journalled as the operator's wish.
const PILOT_GUARD: Duration = Duration::from_millis(20);
/// At most this part of its time goes for that.
const PILOT_GUARD_SHARE: u32 = 8;

/// What an operator's wish means for an agent that is to decide.
#[derive(Debug)]
pub(super) enum Decider {
    /// Nothing: its script decides.
    Script,
    /// It waits for an order, at most until then.
    Wait(Instant),
    /// The operator decides, or it gets the fallback.
    Steered(Steering),
}

impl<G: Game> Team<G> {
    pub(super) fn set_role(
        &mut self,
        SetRole { agent, role, carry }: SetRole,
        by: String,
        budget: Duration,
    ) -> Result<String, CommandError> {
        self.known(agent)?;
        self.known_role(&role)?;
        let before = self.shared.borrow().role(agent).to_owned();
        let handed_over = self.brain.hand_over(agent, &role, carry, budget);
        self.journal_script_log();
        handed_over.map_err(CommandError::Memory)?;
        self.shared.borrow_mut().set_role(agent, &role);
        let event = JournalEvent::RoleSet { before: before.clone(), role, carry, by };
        self.journal(Some(agent), event);
        self.publish();
        Ok(before)
    }

    pub(super) fn steer(
        &mut self,
        SteerAgent { agent, steer }: SteerAgent,
        by: String,
    ) -> Result<Steering, CommandError> {
        self.known(agent)?;
        let steering = match steer {
            Steer::Pause => Steering::Paused { by: by.clone() },
            Steer::Release => Steering::Script,
            Steer::Pin { order, turns } => {
                let turns_left = within(turns, PIN_TURNS_MAX)?;
                let (order, by) = (self.fitting(agent, &order)?, by.clone());
                Steering::Pinned { order, turns_left, by }
            }
            Steer::Pilot { lease } => {
                let lease = within(lease, LEASE_TURNS_MAX)?;
                Steering::Piloted { by: by.clone(), lease, turns_left: lease, order: None }
            }
            Steer::Order { order } => self.ordered(agent, &order, &by)?,
        };
        let waits = matches!(steering, Steering::Piloted { order: None, .. });
        self.set_steering(agent, steering.clone(), SteerCause::Operator { by });
        if let Some(open) = self.turns.open.as_mut().filter(|_| !waits) {
            open.wake(agent);
        }
        self.publish();
        Ok(steering)
    }

    /// The pilot's next order.
    fn ordered(&self, agent: AgentId, order: &Said, who: &str) -> Result<Steering, CommandError> {
        let name = self.crew.roster().name(agent);
        let lease = self.crew.steering(agent).lease_of(name, who)?;
        let order = Some(self.fitting(agent, order)?);
        Ok(Steering::Piloted { by: who.to_owned(), lease, turns_left: lease, order })
    }

    /// The order as a script's constructor would have made it, if the world takes it now.
    fn fitting(&self, agent: AgentId, order: &Said) -> Result<Said, OrderError> {
        let said = check_order(&self.game.declaration().api, self.crew.roster(), order)?;
        let parsed = self.world.borrow().parse(agent, &said);
        parsed.map(|_| said).map_err(|error| OrderError::World { reason: error.to_string() })
    }

    fn known(&self, agent: AgentId) -> Result<(), CommandError> {
        if !self.crew.roster().is_present(agent) {
            return Err(CommandError::NoSuchAgent { id: agent.0 });
        }
        if self.ending.is_draining() { Err(CommandError::Leaving) } else { Ok(()) }
    }

    fn set_steering(&mut self, agent: AgentId, steering: Steering, cause: SteerCause) {
        if let Some(member) = self.crew.get_mut(agent) {
            member.shown.steering = steering.clone();
        }
        self.journal(Some(agent), JournalEvent::Steered { steering, cause });
    }

    /// Who is to decide for the agent in this turn.
    pub(super) fn decider(&self, agent: AgentId, asked: Asked, now: Instant) -> Decider {
        let steering = self.crew.steering(agent);
        match &steering {
            Steering::Script => Decider::Script,
            Steering::Piloted { order: None, .. } if !self.ending.is_draining() => {
                let window = asked.due.saturating_duration_since(asked.at);
                let guard = PILOT_GUARD.min(window / PILOT_GUARD_SHARE);
                let until = asked.due.checked_sub(guard).unwrap_or(asked.due);
                if now < until { Decider::Wait(until) } else { Decider::Steered(steering) }
            }
            Steering::Paused { .. } | Steering::Pinned { .. } | Steering::Piloted { .. } => {
                Decider::Steered(steering)
            }
        }
    }

    /// Does what an operator wants. `None` when the order would come too late: it is still to be
    /// done.
    pub(super) fn play_steered(
        &mut self,
        agent: AgentId,
        steering: &Steering,
        in_time: bool,
    ) -> Option<Played<G>> {
        let by = steering.by().unwrap_or_default().to_owned();
        let Some(order) = steering.order() else {
            let piloted = matches!(steering, Steering::Piloted { .. });
            self.count_down(agent, false);
            let action = self.with_world(|world| world.fallback(agent));
            let event = JournalEvent::Held { by, piloted };
            return in_time.then_some(Played { action, event, source: Source::Held });
        };
        if !in_time {
            return None;
        }
        let parsed = self.world.borrow().parse(agent, order);
        self.count_down(agent, true);
        let played = match parsed {
            Ok(action) => {
                let pinned = matches!(steering, Steering::Pinned { .. });
                let event = JournalEvent::Ordered { action: G::describe(&action), by, pinned };
                Played { action, event, source: Source::Order }
            }
            Err(error) => {
                // It fitted when it was given; the world has changed since.
                let reason = format!("the order of {by} does not fit any more: {error}");
                let role = self.shared.borrow().role(agent).to_owned();
                let action = self.with_world(|world| world.fallback(agent));
                let event = JournalEvent::undecided(reason, role);
                Played { action, event, source: Source::Fallback }
            }
        };
        Some(played)
    }

    /// One turn less for what an operator wants.
    fn count_down(&mut self, agent: AgentId, had_order: bool) {
        if let Some(member) = self.crew.get_mut(agent) {
            member.count_down(had_order);
        }
    }

    /// What an operator wants is over by itself once its turns are.
    pub(super) fn expire_steering(&mut self, agent: AgentId) {
        let cause = match self.crew.steering(agent) {
            Steering::Pinned { turns_left: 0, .. } => SteerCause::TurnsOver,
            Steering::Piloted { turns_left: 0, .. } => SteerCause::LeaseOver,
            Steering::Script
            | Steering::Paused { .. }
            | Steering::Pinned { .. }
            | Steering::Piloted { .. } => return,
        };
        self.set_steering(agent, Steering::Script, cause);
    }

    /// The agent waits for its pilot.
    pub(super) fn await_order(&mut self, agent: AgentId, until: Instant) {
        if let Some(open) = &mut self.turns.open {
            open.awaiting.insert(agent, until);
        }
    }

    /// The turn is over: agents that still wait for an order get none.
    pub(super) fn give_up_pilots(&mut self) {
        let waiting = self.turns.open.as_mut().map(|open| std::mem::take(&mut open.awaiting));
        for agent in waiting.unwrap_or_default().into_keys() {
            self.count_down(agent, false);
            self.expire_steering(agent);
        }
    }

    /// All agents but those that wait for their pilots have decided. False: none waits.
    pub(super) fn wait_for_pilots(&mut self) -> bool {
        let Some(open) = self.turns.open.as_mut().filter(|open| !open.awaiting.is_empty()) else {
            return false;
        };
        open.phase = Phase::Waiting;
        true
    }
}

fn within(turns: u32, max: u32) -> Result<u32, CommandError> {
    if (1..=max).contains(&turns) {
        Ok(turns)
    } else {
        Err(CommandError::Turns { got: turns, max })
    }
}
