//! The interactive prompt for an agent's scripts, for a daemon and for a match that is decided
//! again.

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

/// Runs the input of a prompt.
pub trait Partner {
    /// The prompt for the next line.
    fn prompt(&self) -> String;

    /// Runs a piece of script and prints its result.
    ///
    /// # Errors
    /// When it could not be run.
    fn run(&mut self, code: &str) -> Result<()>;

    /// Runs a command that begins with a colon; `None`: there is no such command. `ask` asks the
    /// user a question.
    ///
    /// # Errors
    /// When the terminal fails.
    fn command(&mut self, word: &str, ask: Asking<'_>) -> Result<Option<Flow>>;

    fn help(&self) -> &'static str;
}

/// Asks the user a question; `None`: no answer.
pub type Asking<'a> = &'a mut dyn FnMut(&str) -> Result<Option<String>>;

/// Whether the conversation continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    On,
    Leave,
}

/// A terminal with a line editor, a history, and completion for a game's script API.
pub struct Console {
    editor: Editor<Assistant, FileHistory>,
    history: Option<PathBuf>,
}

impl fmt::Debug for Console {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Console").field("history", &self.history).finish_non_exhaustive()
    }
}

impl Console {
    /// Opens the terminal for a game; `commands` are the words with a colon besides `:help` and
    /// `:quit`.
    ///
    /// # Errors
    /// When the terminal fails.
    pub fn open(game: &str, commands: &[&str]) -> Result<Self> {
        // A task that waits for a key does not notice a closed terminal by itself.
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

    /// Asks a question; `None`: no answer.
    ///
    /// # Errors
    /// When the terminal fails.
    pub fn ask(&mut self, question: &str) -> Result<Option<String>> {
        ask(&mut self.editor, question)
    }

    /// Reads and runs input until the user quits.
    ///
    /// # Errors
    /// When the terminal fails.
    pub fn converse(&mut self, partner: &mut dyn Partner) -> Result<()> {
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
                // Ctrl-c discards the input.
                Err(ReadlineError::Interrupted) => continue,
                Err(ReadlineError::Eof) => {
                    partner.command(":quit", &mut |_| Ok(None))?;
                    return Ok(());
                }
                Err(error) => return Err(error).context("the terminal failed"),
            };
            let word = line.trim();
            if !word.starts_with(':') {
                // The partner may print while the user types the next line.
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
                None => say(&format!("there is no command {word}; :help lists all")),
            }
        }
        Ok(())
    }
}

/// Runs lines from a file or another program, one by one. False when they end before a line quits.
///
/// # Errors
/// When a line cannot be read or run.
pub fn read_lines(partner: &mut dyn Partner) -> Result<bool> {
    // Reads no line ahead: the next conversation continues with the next line.
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

/// The path of the history, in the user's state folder.
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
