//! What the native functions know of the call under way.

use crate::dice::{CallPhase, ScriptRng};
use crate::failure::SourcePlace;
use crate::{Limits, Tuned, args::Checker};
use phalanx_engine::{Ask, BoardLooks, LookKind, Reason, TeamLink};
use phalanx_game::sorted::SortedSet;
use phalanx_game::{AgentId, Roster, Turn, Value};
use std::cell::{Cell, Ref, RefCell};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The state behind a VM's native functions. Shared by all of them through an `Rc`.
#[derive(Debug)]
pub(crate) struct ScriptHost {
    pub(crate) link: TeamLink,
    pub(crate) limits: Limits,
    /// Who plays: the link's agents, or those that a spec fakes.
    cast: RefCell<Arc<Roster>>,
    /// Values that replace the defaults of parameters.
    pub(crate) tuned: RefCell<Arc<Tuned>>,
    /// The roles that agents may take.
    pub(crate) roles: RefCell<SortedSet<String>>,
    pub(crate) present: RefCell<Vec<AgentId>>,
    /// Where the last failed call was when it failed.
    pub(crate) place: RefCell<Option<SourcePlace>>,
    /// What the script explained last in this call.
    pub(crate) reason: RefCell<Option<Reason>>,
    /// The line in which it did.
    pub(crate) explained: RefCell<Option<(Arc<str>, u32)>>,
    /// What the script read from the board in this `decide`.
    looks: RefCell<BoardLooks>,
    /// The names of files in which actions were made: each is kept once.
    files: RefCell<Vec<Arc<str>>>,
    /// The log lines of a piece of script that an operator runs; `None` in other calls.
    pub(crate) captured: RefCell<Option<Vec<String>>>,
    call: Cell<HostCall>,
    dice: RefCell<Option<ScriptRng>>,
}

/// The call under way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HostCall {
    pub(crate) phase: CallPhase,
    /// For whom the script decides; `None` in `plan` and while files are loaded.
    pub(crate) agent: Option<AgentId>,
    turn: Turn,
    /// When the time of the turn is over for the team.
    due: Instant,
    /// The time that was left when the call began.
    time_left: Duration,
}

/// The roles of all agents that were not removed.
pub(crate) fn wanted_roles(roster: &Roster) -> SortedSet<String> {
    let present = roster.agents.iter().filter(|entry| !entry.gone);
    present.map(|entry| entry.role.clone()).collect()
}

impl ScriptHost {
    pub(crate) fn new(link: TeamLink, limits: Limits) -> Self {
        let call = HostCall {
            phase: CallPhase::Load,
            agent: None,
            turn: Turn::default(),
            due: Instant::now(),
            time_left: Duration::ZERO,
        };
        Self {
            cast: RefCell::new(Arc::clone(&link.roster)),
            link,
            limits,
            tuned: RefCell::default(),
            roles: RefCell::default(),
            present: RefCell::default(),
            place: RefCell::default(),
            reason: RefCell::default(),
            explained: RefCell::default(),
            looks: RefCell::default(),
            files: RefCell::default(),
            captured: RefCell::default(),
            call: Cell::new(call),
            dice: RefCell::default(),
        }
    }

    /// Files are being loaded: no agent, no turn.
    pub(crate) fn loading(&self, due: Instant) {
        self.call.set(HostCall {
            phase: CallPhase::Load,
            agent: None,
            turn: Turn::default(),
            due,
            time_left: Duration::ZERO,
        });
        self.forget_call();
    }

    pub(crate) fn begin(&self, phase: CallPhase, ask: &Ask<'_>, now: Instant) {
        let agent = (phase != CallPhase::Plan).then_some(ask.agent);
        self.call.set(HostCall {
            phase,
            agent,
            turn: ask.turn,
            due: now + ask.time_left,
            time_left: ask.time_left,
        });
        self.forget_call();
        let mut present = self.present.borrow_mut();
        present.clear();
        present.extend_from_slice(ask.present);
    }

    fn forget_call(&self) {
        self.dice.take();
        self.place.take();
        self.reason.take();
        self.explained.take();
        self.looks.take();
    }

    /// A decision may rest on what the script just got from the board.
    pub(crate) fn looked(&self, kind: LookKind, key: String, got: Value) {
        if self.call.get().phase == CallPhase::Decide {
            self.looks.borrow_mut().note(kind, key, got);
        }
    }

    /// What was read from the board since the call began.
    pub(crate) fn take_looks(&self) -> BoardLooks {
        self.looks.take()
    }

    /// The shared name of a file; there are only as many as the strategy has.
    pub(crate) fn file(&self, name: &str) -> Arc<str> {
        let mut files = self.files.borrow_mut();
        if let Some(file) = files.iter().find(|file| &***file == name) {
            return Arc::clone(file);
        }
        let file: Arc<str> = Arc::from(name);
        files.push(Arc::clone(&file));
        file
    }

    pub(crate) fn call(&self) -> HostCall {
        self.call.get()
    }

    /// Seconds until the turn's earliest deadline.
    pub(crate) fn time_left(&self) -> f64 {
        let HostCall { due, time_left, .. } = self.call.get();
        let left = due.saturating_duration_since(Instant::now());
        self.link.shared.borrow_mut().time.left(left, time_left).as_secs_f64()
    }

    /// The current writer: an agent's name, or `team`.
    pub(crate) fn author(&self) -> Ref<'_, str> {
        let agent = self.call.get().agent;
        Ref::map(self.roster(), |roster| agent.map_or("team", |agent| roster.name(agent)))
    }

    /// The agents of the team. Borrow it briefly: never across a call into a script.
    pub(crate) fn roster(&self) -> Ref<'_, Roster> {
        Ref::map(self.cast.borrow(), |roster| &**roster)
    }

    /// Other agents play from now on.
    pub(crate) fn recast(&self, roster: Arc<Roster>) {
        *self.cast.borrow_mut() = roster;
    }

    /// The link of another host that takes this one's place.
    pub(crate) fn next_link(&self) -> TeamLink {
        TeamLink { roster: Arc::clone(&self.cast.borrow()), ..self.link.clone() }
    }

    /// The roles that agents have at the start of a match: a strategy needs them.
    pub(crate) fn wanted_roles(&self) -> SortedSet<String> {
        wanted_roles(&self.roster())
    }

    pub(crate) fn checker(&self) -> Checker<'_> {
        Checker { roster: self.roster(), limits: self.limits.value }
    }

    pub(crate) fn roll<T>(&self, draw: impl FnOnce(&mut ScriptRng) -> T) -> T {
        let call = self.call.get();
        let mut dice = self.dice.borrow_mut();
        draw(dice.get_or_insert_with(|| {
            ScriptRng::new(self.link.seed, call.phase, call.agent, call.turn)
        }))
    }
}
