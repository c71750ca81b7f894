//! Watches each decision: stops at a turn, or where an expression is true, and opens a prompt with
//! the agent's scripts there.

use crate::args::replay::TurnPlace;
use anyhow::Result;
use phalanx_cli::failure::misused;
use phalanx_cli::paint::{Ink, Paint};
use phalanx_cli::prompt::{Asking, Console, Flow, Partner, read_lines};
use phalanx_cli::remote::{print, say};
use phalanx_game::Turn;
use phalanx_net::{Question, Watcher};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::rc::Rc;

/// Matches of the expression that wait to be printed, at most.
const STOPS_MAX: usize = 100_000;
const HELP: &str = "\
an expression prints its values, statements run; TAB completes names
the agent is about to decide: what you change in memory or board takes effect from here on
:next          stop at the agent's next decision
:go            continue until --break stops it again
:help          show this help
:quit          end the run here (also ctrl-d)";

/// What the command line asks to see.
#[derive(Clone, Debug)]
pub(super) struct StopOptions {
    /// The game, for completion at a terminal.
    pub(super) game: String,
    pub(super) until: Option<TurnPlace>,
    pub(super) stop_where: Option<String>,
    pub(super) agent: Option<String>,
    /// Open a prompt where it stops.
    pub(super) talks: bool,
    /// The prompt has a line editor.
    pub(super) on_terminal: bool,
}

/// A place where the expression was true, without a prompt.
#[derive(Clone, Debug)]
pub(super) struct Stop {
    pub(super) turn: Turn,
    pub(super) agent: String,
    pub(super) role: String,
    /// The expression's value.
    pub(super) value: String,
}

/// What was seen so far.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// Matches to print.
    pub(super) stops: VecDeque<Stop>,
    /// How often the expression was true.
    pub(super) count: u64,
    /// How often it failed, and its first error.
    pub(super) failed: Option<(u64, String)>,
    /// The turn of [`StopOptions::until`] was reached.
    pub(super) reached: bool,
    /// The user quit.
    pub(super) left: bool,
    /// The run cannot go on.
    pub(super) error: Option<anyhow::Error>,
}

/// Shared with the watcher.
pub(super) type SharedFindings = Rc<RefCell<Seen>>;

/// A watcher for a request; `None`: nothing to watch.
pub(super) fn watcher(stop: StopOptions, findings: &SharedFindings) -> Option<Watcher> {
    if stop.until.is_none() && stop.stop_where.is_none() {
        return None;
    }
    let mut lookout = BreakpointWatcher {
        stop,
        findings: Rc::clone(findings),
        console: None,
        next: false,
        began: false,
    };
    Some(Box::new(move |question| lookout.look(question)))
}

#[derive(Debug)]
struct BreakpointWatcher {
    stop: StopOptions,
    findings: SharedFindings,
    console: Option<Console>,
    /// Stop at the agent's next decision.
    next: bool,
    /// A decision was seen.
    began: bool,
}

impl BreakpointWatcher {
    fn look(&mut self, question: &mut Question<'_, '_>) -> ControlFlow<()> {
        let turn = question.ask.turn;
        if !std::mem::replace(&mut self.began, true)
            && let Some(until) = self.stop.until
            && until.is_over(turn)
        {
            self.findings.borrow_mut().error = Some(begins_later(until, turn));
            return ControlFlow::Break(());
        }
        let reached = self.stop.until.is_some_and(|until| until.is_reached(turn));
        let mine = self.stop.agent.as_deref().is_none_or(|agent| agent == question.agent);
        if reached && !self.findings.borrow().reached && (mine || !self.stop.talks) {
            self.findings.borrow_mut().reached = true;
            if !self.stop.talks {
                return ControlFlow::Break(());
            }
            return self.talk(question);
        }
        if !mine {
            return ControlFlow::Continue(());
        }
        let value = self.stop.stop_where.clone().and_then(|expression| {
            let value = self.value(question, &expression)?;
            self.findings.borrow_mut().count += 1;
            Some(value)
        });
        if std::mem::take(&mut self.next) || (value.is_some() && self.stop.talks) {
            return self.talk(question);
        }
        if let Some(value) = value {
            let (agent, role) = (question.agent.to_owned(), question.role.to_owned());
            let mut seen = self.findings.borrow_mut();
            if seen.stops.len() < STOPS_MAX {
                seen.stops.push_back(Stop { turn, agent, role, value });
            }
        }
        ControlFlow::Continue(())
    }

    /// The expression's value in an agent's view, if it is true.
    fn value(&mut self, question: &mut Question<'_, '_>, expression: &str) -> Option<String> {
        let ran = question.brain.run(&question.ask, &format!("({expression})"));
        match ran.result {
            Ok(ran) => Some(ran.text).filter(|text| !matches!(text.as_str(), "nil" | "false" | "")),
            Err(error) => {
                let (turn, agent) = (question.ask.turn, question.agent);
                let mut seen = self.findings.borrow_mut();
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
        let spoken = if self.stop.on_terminal {
            self.console().and_then(|mut console| {
                let spoken = console.converse(&mut talk);
                self.console = Some(console);
                spoken
            })
        } else {
            // The end of the input ends the run.
            read_lines(&mut talk).map(|left| {
                if !left {
                    talk.then = Then::Leave;
                }
            })
        };
        let then = talk.then;
        if let Err(error) = spoken {
            self.findings.borrow_mut().error = Some(error);
            return ControlFlow::Break(());
        }
        self.next = then == Then::Next;
        if then == Then::Leave {
            self.findings.borrow_mut().left = true;
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    fn console(&mut self) -> Result<Console> {
        match self.console.take() {
            Some(console) => Ok(console),
            None => {
                say("stopped before a decision; :help lists the commands");
                Console::open(&self.stop.game, &[":next", ":go"])
            }
        }
    }
}

/// The error for a turn before the first decision.
fn begins_later(until: TurnPlace, first: Turn) -> anyhow::Error {
    misused(format!(
        "--until {until}: the first decision in this recording is in turn {first}; if the match \
         has an older recording, `phalanx recording list DIR` shows it"
    ))
}

/// What follows a conversation.
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
