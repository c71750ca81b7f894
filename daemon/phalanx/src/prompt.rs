//! A conversation with an agent's scripts, whoever runs what is typed: a daemon, or a match that is
//! decided again.

mod complete;

use crate::paint::{Ink, Paint};
use crate::remote::say;
use crate::terminal::ending;
use anyhow::{Context, Result};
use complete::Assistant;
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{CompletionType, Config, Editor};
use std::fmt;
use std::io::BufRead;
use std::path::{Path, PathBuf};

/// Lines that the history file keeps.
const HISTORY_MAX: usize = 2_000;

/// Who answers at the prompt.
pub(crate) trait Partner {
    /// What stands before the next line.
    fn prompt(&self) -> String;

    /// Runs a piece of script, and tells what came of it.
    ///
    /// # Errors
    /// When nobody ran it.
    fn run(&mut self, code: &str) -> Result<()>;

    /// Does what a word with a colon says; `None`: there is no such word. `ask` puts a question to
    /// whoever types.
    ///
    /// # Errors
    /// When the terminal fails.
    fn command(&mut self, word: &str, ask: Asking<'_>) -> Result<Option<Flow>>;

    /// What can be typed.
    fn help(&self) -> &'static str;
}

/// Puts a question to whoever types; `None`: no answer.
pub(crate) type Asking<'a> = &'a mut dyn FnMut(&str) -> Result<Option<String>>;

/// Whether a conversation goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    On,
    Leave,
}

/// A terminal with a line editor, its history, and the names of a game's script API.
pub(crate) struct Console {
    editor: Editor<Assistant, FileHistory>,
    history: Option<PathBuf>,
}

impl fmt::Debug for Console {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Console").field("history", &self.history).finish_non_exhaustive()
    }
}

impl Console {
    /// For a game; these are the words with a colon besides `:help` and `:quit`.
    ///
    /// # Errors
    /// When the terminal fails.
    pub(crate) fn open(game: &str, commands: &[&str]) -> Result<Self> {
        // Whoever waits for a key hears of nothing else.
        ending::listen(&std::io::stdin())?;
        let config = Config::builder()
            .completion_type(CompletionType::List)
            .max_history_size(HISTORY_MAX)?
            .auto_add_history(true)
            .build();
        let mut editor = Editor::<Assistant, FileHistory>::with_config(config)?;
        editor.set_helper(Some(Assistant::new(game, commands)));
        let history = history_file();
        if let Some(file) = &history {
            // The first conversation has no history yet.
            drop(editor.load_history(file));
        }
        Ok(Self { editor, history })
    }

    /// Puts a question; `None`: no answer.
    ///
    /// # Errors
    /// When the terminal fails.
    pub(crate) fn ask(&mut self, question: &str) -> Result<Option<String>> {
        ask(&mut self.editor, question)
    }

    /// Talks until somebody leaves.
    ///
    /// # Errors
    /// When the terminal fails.
    pub(crate) fn converse(&mut self, partner: &mut dyn Partner) -> Result<()> {
        let spoken = self.talk(partner);
        if let Some(file) = &self.history {
            keep(&mut self.editor, file);
        }
        spoken
    }

    fn talk(&mut self, partner: &mut dyn Partner) -> Result<()> {
        while !ending::is_due() {
            let line = match self.editor.readline(&partner.prompt()) {
                Ok(line) => line,
                // Ctrl-c drops what was typed.
                Err(ReadlineError::Interrupted) => continue,
                Err(ReadlineError::Eof) => {
                    partner.command(":quit", &mut |_| Ok(None))?;
                    return Ok(());
                }
                Err(error) => return Err(error).context("the terminal failed"),
            };
            let word = line.trim();
            if !word.starts_with(':') {
                // Whoever runs it may be back at the next line.
                if !word.is_empty()
                    && let Err(error) = partner.run(word)
                {
                    say(&Paint::stderr().ink(Ink::Red, &error.to_string()));
                }
                continue;
            }
            let editor = &mut self.editor;
            match partner.command(word, &mut |question| ask(editor, question))? {
                Some(Flow::On) => {}
                Some(Flow::Leave) => return Ok(()),
                None if matches!(word, ":help" | ":h") => say(partner.help()),
                None => say(&format!("there is no {word}; :help lists what there is")),
            }
        }
        Ok(())
    }
}

/// Lines from a file or another program: every line is a piece of its own. False when they end before
/// somebody leaves.
///
/// # Errors
/// When a line cannot be read or run.
pub(crate) fn read_lines(partner: &mut dyn Partner) -> Result<bool> {
    // Not a line more than is needed: the next conversation goes on behind it.
    for line in std::io::stdin().lock().lines() {
        let line = line.context("cannot read")?;
        match line.trim() {
            "" => {}
            word if word.starts_with(':') => match partner.command(word, &mut |_| Ok(None))? {
                Some(Flow::Leave) => return Ok(true),
                Some(Flow::On) => {}
                None => partner.run(word)?,
            },
            code => partner.run(code)?,
        }
    }
    Ok(false)
}

fn ask(editor: &mut Editor<Assistant, FileHistory>, question: &str) -> Result<Option<String>> {
    match editor.readline(question) {
        Ok(word) => Ok(Some(word.trim().to_owned())),
        Err(ReadlineError::Interrupted | ReadlineError::Eof) => Ok(None),
        Err(error) => Err(error).context("the terminal failed"),
    }
}

/// Where the lines are kept: in the user's state folder.
fn history_file() -> Option<PathBuf> {
    let below = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = below("XDG_STATE_HOME");
    let state = state.or_else(|| Some(below("HOME")?.join(".local/state")));
    Some(state?.join("phalanx/repl-history"))
}

fn keep(editor: &mut Editor<Assistant, FileHistory>, file: &Path) {
    let folder = file.parent().map_or(Ok(()), std::fs::create_dir_all);
    if let Err(error) = folder {
        return say(&format!("cannot keep the history in {}: {error}", file.display()));
    }
    if let Err(error) = editor.append_history(file) {
        say(&format!("cannot keep the history in {}: {error}", file.display()));
    }
}
