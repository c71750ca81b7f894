//! A conversation with an agent's scripts.

mod complete;

use super::eval::tell;
use super::{link, short, split_team, strategies, team_of_words, uncut};
use crate::cli::agent::ReplArgs;
use crate::failure::{misused, refused};
use crate::paint::{Ink, Paint};
use anyhow::{Context, Result};
use complete::Assistant;
use phalanx_control::client::Link;
use phalanx_proto::v1::strategies_client::StrategiesClient;
use phalanx_proto::v1::teams_client::TeamsClient;
use phalanx_proto::v1::{EvalScriptRequest, EvalScriptResponse, GetTeamRequest};
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{CompletionType, Config, Editor};
use std::io::{BufRead, IsTerminal, Write};
use std::path::PathBuf;
use tokio::runtime::Runtime;

const USAGE: &str = "phalanx agent repl [TEAM] AGENT";
/// Lines that the history file keeps.
const HISTORY_MAX: usize = 2_000;
/// What an empty piece of script would tell: where the agent is now.
const NOTHING: &str = "nil";
const HELP: &str = "\
an expression tells its values, statements run; TAB completes names
variables without `local` stay from line to line
an input that is not complete goes on in the next line; an empty line sends it as it is
:live, :copy   in the living VM, which may change memory and board; in a copy of all that it sees
:help          this
:quit          leave (so does ctrl-d)";

/// `phalanx agent repl`.
///
/// # Errors
/// When no daemon answers, there is no such agent, or the terminal fails.
pub(super) fn repl(args: &ReplArgs) -> Result<()> {
    let (team, rest) = split_team(&args.words, 1);
    let [agent] = rest else { return Err(misused(USAGE)) };
    // A second thread answers the daemon's keepalives while somebody thinks at the prompt.
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let (client, team, game) = runtime.block_on(async {
        let channel = link::open(&args.remote).await?;
        let team = team_of_words(&channel, team, rest, USAGE).await?;
        let request = GetTeamRequest { name: team.clone() };
        let answer = TeamsClient::new(channel.clone()).get_team(request).await;
        let answer = answer.map_err(|status| refused(&status))?;
        let game = answer.into_inner().team.context("the daemon's answer has no team")?.game;
        anyhow::Ok((strategies(channel), team, game))
    })?;
    let session = format!("repl-{}", std::process::id());
    let is_terminal = std::io::stdin().is_terminal();
    let (agent, live) = (agent.clone(), args.live);
    let mut talk = Talk { runtime, client, team, agent, session, live, is_terminal };
    // Tells at once when there is no such agent.
    let first = talk.ask(NOTHING, false)?;
    if is_terminal { talk.on_terminal(first, &game) } else { talk.read_pipe() }
}

/// One conversation.
struct Talk {
    runtime: Runtime,
    client: StrategiesClient<Link>,
    team: String,
    agent: String,
    session: String,
    live: bool,
    is_terminal: bool,
}

impl Talk {
    fn ask(&mut self, code: &str, live: bool) -> Result<EvalScriptResponse> {
        let request = EvalScriptRequest {
            team: self.team.clone(),
            agent: self.agent.clone(),
            code: code.to_owned(),
            live,
            session: self.session.clone(),
            ..Default::default()
        };
        let ask = async {
            Ok(self
                .client
                .eval_script(request)
                .await
                .map_err(|status| refused(&status))?
                .into_inner())
        };
        // At the prompt ctrl-c leaves the answer, not the conversation.
        if self.is_terminal {
            self.runtime.block_on(uncut(ask))
        } else {
            self.runtime.block_on(ask)
        }
    }

    /// Lines from a file or another program: every line is a piece of its own.
    fn read_pipe(&mut self) -> Result<()> {
        for line in std::io::stdin().lock().lines() {
            let line = line.context("cannot read")?;
            match line.trim() {
                "" => {}
                ":quit" => break,
                code => tell(&self.ask(code, self.live)?)?,
            }
        }
        Ok(())
    }

    fn on_terminal(&mut self, first: EvalScriptResponse, game: &str) -> Result<()> {
        let config = Config::builder()
            .completion_type(CompletionType::List)
            .max_history_size(HISTORY_MAX)?
            .auto_add_history(true)
            .build();
        let mut editor = Editor::<Assistant, FileHistory>::with_config(config)?;
        editor.set_helper(Some(Assistant::new(game)));
        let history = history_file();
        if let Some(file) = &history {
            // The first conversation has no history yet.
            drop(editor.load_history(file));
        }
        if self.live {
            self.live = confirmed(&mut editor)?;
        }
        say(&format!(
            "{} of team {}, in {}; :help tells more",
            self.agent,
            short(&self.team),
            if self.live { "the living VM" } else { "a copy of all that it sees" },
        ));
        let spoken = self.converse(&mut editor, first);
        if let Some(file) = &history {
            keep(&mut editor, file);
        }
        spoken
    }

    fn converse(
        &mut self,
        editor: &mut Editor<Assistant, FileHistory>,
        mut seen: EvalScriptResponse,
    ) -> Result<()> {
        loop {
            let prompt = self.prompt(&seen);
            let line = match editor.readline(&prompt) {
                Ok(line) => line,
                // Ctrl-c drops what was typed.
                Err(ReadlineError::Interrupted) => continue,
                Err(ReadlineError::Eof) => return Ok(()),
                Err(error) => return Err(error).context("the terminal failed"),
            };
            match line.trim() {
                "" => {}
                ":quit" | ":q" => return Ok(()),
                ":help" | ":h" => say(HELP),
                ":copy" => self.live = false,
                ":live" => self.live = self.live || confirmed(editor)?,
                command if command.starts_with(':') => {
                    say(&format!("there is no {command}; :help lists what there is"));
                }
                code => match self.ask(code, self.live) {
                    Ok(answer) => {
                        tell(&answer)?;
                        seen = answer;
                    }
                    // The daemon may be back at the next line.
                    Err(error) => say(&Paint::stderr().ink(Ink::Red, &error.to_string())),
                },
            }
        }
    }

    /// `agentA1 118 g3> `, with `live` where it hurts.
    fn prompt(&self, seen: &EvalScriptResponse) -> String {
        let live = if self.live { " live" } else { "" };
        format!("{} {} g{}{live}> ", self.agent, seen.step, seen.generation)
    }
}

/// Asks once before anything may change.
fn confirmed(editor: &mut Editor<Assistant, FileHistory>) -> Result<bool> {
    say("what you type will run in the living VM: it may change memory and board of the match");
    match editor.readline("type `live` to go on: ") {
        Ok(word) => Ok(word.trim() == "live"),
        Err(ReadlineError::Interrupted | ReadlineError::Eof) => Ok(false),
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

fn keep(editor: &mut Editor<Assistant, FileHistory>, file: &std::path::Path) {
    let folder = file.parent().map_or(Ok(()), std::fs::create_dir_all);
    if let Err(error) = folder {
        return say(&format!("cannot keep the history in {}: {error}", file.display()));
    }
    if let Err(error) = editor.append_history(file) {
        say(&format!("cannot keep the history in {}: {error}", file.display()));
    }
}

fn say(line: &str) {
    // A closed standard error only means that nobody reads it.
    writeln!(std::io::stderr(), "{line}").unwrap_or_default();
}
