//! Who looks on before each decision: stops at a turn, or where an expression is true, and lets
//! people talk with the agent's scripts there.

use crate::cli::replay::TurnPlace;
use crate::paint::{Ink, Paint};
use crate::prompt::{Asking, Console, Flow, Partner, read_lines};
use crate::remote::{print, say};
use anyhow::Result;
use phalanx_game::Turn;
use phalanx_net::{Question, Watcher};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::rc::Rc;

/// Places where the expression was true that wait to be told.
const STOPS_MAX: usize = 100_000;
const HELP: &str = "\
an expression tells its values, statements run; TAB completes names
this is right before the agent decides: what you change in memory or board counts from here on
:next          to the agent's next decision
:go            on, until --break stops it again
:help          this
:quit          end it here (so does ctrl-d)";

/// What somebody wants to see.
#[derive(Clone, Debug)]
pub(super) struct Wish {
    /// The game, for the names that a terminal completes.
    pub(super) game: String,
    pub(super) until: Option<TurnPlace>,
    pub(super) stop_where: Option<String>,
    pub(super) agent: Option<String>,
    /// Somebody talks where it stops.
    pub(super) talks: bool,
    /// With a line editor.
    pub(super) on_terminal: bool,
}

/// A place where the expression was true, and nobody talked.
#[derive(Clone, Debug)]
pub(super) struct Stop {
    pub(super) turn: Turn,
    pub(super) agent: String,
    pub(super) role: String,
    /// What it is there.
    pub(super) value: String,
}

/// What was seen so far.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// To be told.
    pub(super) stops: VecDeque<Stop>,
    /// How often the expression was true.
    pub(super) count: u64,
    /// How often it failed, and how it did first.
    pub(super) failed: Option<(u64, String)>,
    /// The turn of [`Wish::until`] was reached.
    pub(super) reached: bool,
    /// Somebody ended it.
    pub(super) left: bool,
    /// The terminal failed.
    pub(super) error: Option<anyhow::Error>,
}

/// Shared with the watcher that looks on.
pub(super) type Sight = Rc<RefCell<Seen>>;

/// A watcher for a wish; `None`: nobody wants to see anything.
pub(super) fn watcher(wish: Wish, sight: &Sight) -> Option<Watcher> {
    if wish.until.is_none() && wish.stop_where.is_none() {
        return None;
    }
    let mut lookout = Lookout { wish, sight: Rc::clone(sight), console: None, next: false };
    Some(Box::new(move |question| lookout.look(question)))
}

#[derive(Debug)]
struct Lookout {
    wish: Wish,
    sight: Sight,
    console: Option<Console>,
    /// Somebody wants to see the agent's next decision.
    next: bool,
}

impl Lookout {
    fn look(&mut self, question: &mut Question<'_, '_>) -> ControlFlow<()> {
        let turn = question.ask.turn;
        let reached = self.wish.until.is_some_and(|until| until.is_reached(turn));
        let mine = self.wish.agent.as_deref().is_none_or(|agent| agent == question.agent);
        if reached && !self.sight.borrow().reached && (mine || !self.wish.talks) {
            self.sight.borrow_mut().reached = true;
            if !self.wish.talks {
                return ControlFlow::Break(());
            }
            return self.talk(question);
        }
        if !mine {
            return ControlFlow::Continue(());
        }
        let value = self.wish.stop_where.clone().and_then(|expression| {
            let value = self.value(question, &expression)?;
            self.sight.borrow_mut().count += 1;
            Some(value)
        });
        if std::mem::take(&mut self.next) || (value.is_some() && self.wish.talks) {
            return self.talk(question);
        }
        if let Some(value) = value {
            let (agent, role) = (question.agent.to_owned(), question.role.to_owned());
            let mut seen = self.sight.borrow_mut();
            if seen.stops.len() < STOPS_MAX {
                seen.stops.push_back(Stop { turn, agent, role, value });
            }
        }
        ControlFlow::Continue(())
    }

    /// What the expression is in an agent's view, where it is true.
    fn value(&mut self, question: &mut Question<'_, '_>, expression: &str) -> Option<String> {
        let ran = question.brain.run(&question.ask, &format!("({expression})"));
        match ran.result {
            Ok(ran) => Some(ran.text).filter(|text| !matches!(text.as_str(), "nil" | "false" | "")),
            Err(error) => {
                let (turn, agent) = (question.ask.turn, question.agent);
                let mut seen = self.sight.borrow_mut();
                let (count, _) = seen
                    .failed
                    .get_or_insert_with(|| (0, format!("{turn} {agent}: {}", error.message)));
                *count += 1;
                None
            }
        }
    }

    fn talk(&mut self, question: &mut Question<'_, '_>) -> ControlFlow<()> {
        let mut talk = Talk { question, then: Then::Go };
        let spoken = if self.wish.on_terminal {
            self.console().and_then(|mut console| {
                let spoken = console.converse(&mut talk);
                self.console = Some(console);
                spoken
            })
        } else {
            // Whoever types no more has seen enough.
            read_lines(&mut talk).map(|left| {
                if !left {
                    talk.then = Then::Leave;
                }
            })
        };
        let then = talk.then;
        if let Err(error) = spoken {
            self.sight.borrow_mut().error = Some(error);
            return ControlFlow::Break(());
        }
        self.next = then == Then::Next;
        if then == Then::Leave {
            self.sight.borrow_mut().left = true;
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    fn console(&mut self) -> Result<Console> {
        match self.console.take() {
            Some(console) => Ok(console),
            None => {
                say("stopped right before a decision; :help tells more");
                Console::open(&self.wish.game, &[":next", ":go"])
            }
        }
    }
}

/// How it goes on after a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then {
    Go,
    Next,
    Leave,
}

struct Talk<'q, 'a, 'b> {
    question: &'q mut Question<'a, 'b>,
    then: Then,
}

impl Partner for Talk<'_, '_, '_> {
    /// `agentA1 0:118> `.
    fn prompt(&self) -> String {
        format!("{} {}> ", self.question.agent, self.question.ask.turn)
    }

    fn run(&mut self, code: &str) -> Result<()> {
        match self.question.brain.run(&self.question.ask, code).result {
            Ok(ran) => {
                for line in &ran.lines {
                    print(&Paint::stdout().ink(Ink::Dim, line))?;
                }
                if ran.text.is_empty() { Ok(()) } else { print(&ran.text) }
            }
            Err(error) => {
                say(&Paint::stderr().ink(Ink::Red, &error.to_string()));
                Ok(())
            }
        }
    }

    fn command(&mut self, word: &str, _: Asking<'_>) -> Result<Option<Flow>> {
        self.then = match word {
            ":next" | ":n" => Then::Next,
            ":go" => Then::Go,
            ":quit" | ":q" => Then::Leave,
            _ => return Ok(None),
        };
        Ok(Some(Flow::Leave))
    }

    fn help(&self) -> &'static str {
        HELP
    }
}
